"""Passages of one to three invented statements, with claims on each of them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from training.stated.claims import Claim
from training.stated.conditions import passage_on_conditions
from training.stated.roles import passage_on_roles
from training.stated.values import passages_on_values


def stated_rows(rng: random.Random) -> Iterator[tuple[str, list[Claim]]]:
    """Without end."""
    values = passages_on_values(rng)
    while True:
        parts = [_part(values, rng) for _ in range(rng.choice((1, 1, 2)))]
        between = rng.choice((" ", " ", "\n"))
        passage = between.join(sentence for sentences, _ in parts for sentence in sentences)
        yield passage, [claim for _, claims in parts for claim in claims]


def _part(values: Iterator[tuple[list[str], list[Claim]]], rng: random.Random) -> tuple[list[str], list[Claim]]:
    draw = rng.random()
    if draw < 0.35:
        return passage_on_roles(rng)
    return next(values) if draw < 0.65 else passage_on_conditions(rng)
