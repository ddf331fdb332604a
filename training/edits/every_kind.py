"""Small changes to a sentence that a passage no longer bears out.

Each kind of edit is made at most a few times per sentence; a claim is kept only when it is well formed, differs
from the sentence and does not stand in the passage itself. "contradicted": the passage says otherwise;
"not_enough": the edit goes beyond the passage, which neither confirms nor denies it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from msgspec import Struct

from training.edits.change import Changes
from training.edits.details import added_details
from training.edits.logic import dropped_condition, logic_edits, reversed_cause
from training.edits.names import name_edits, place_edits, role_edits, role_taken_over
from training.edits.negation import modality_edits, negation_edits
from training.edits.numbers import date_edits, number_edits, ordinal_edits
from training.edits.units import currency_edits, frequency_edits, unit_edits
from training.edits.words import antonym_edits
from training.english.rewriting import folded, tidy, well_formed

_CONTRADICTING: tuple[Changes, ...] = (
    number_edits, date_edits, ordinal_edits, unit_edits, currency_edits, frequency_edits, negation_edits,
    modality_edits, antonym_edits, role_edits, role_taken_over, name_edits, place_edits, reversed_cause,
)  # fmt: skip
_GOING_BEYOND: tuple[Changes, ...] = (dropped_condition, added_details)


class Edit(Struct, frozen=True):
    kind: str
    text: str
    label: str  # "contradicted" or "not_enough"


def edits(sentence: str, passage: str, rng: random.Random) -> list[Edit]:
    """Every edit that can be made of the sentence, in random detail but fixed order."""
    source = folded(sentence)
    stock = folded(passage).replace(source, " ")
    kept = []
    for edit in _made(tidy(sentence), passage, rng):
        text = folded(edit.text)
        if text != source and text not in stock and well_formed(edit.text):
            kept.append(edit)
    return kept


def _made(sentence: str, passage: str, rng: random.Random) -> Iterator[Edit]:
    for make in _CONTRADICTING:
        for kind, text in make(sentence, passage, rng):
            yield Edit(kind, text, "contradicted")
    for make in _GOING_BEYOND:
        for kind, text in make(sentence, passage, rng):
            yield Edit(kind, text, "not_enough")
    for kind, label, text in logic_edits(sentence, rng):
        yield Edit(kind, text, label)
