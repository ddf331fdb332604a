"""Who did what to whom: true claims in other words, and the same with the parties exchanged or one replaced."""

from __future__ import annotations

import random
from collections.abc import Iterator

from msgspec import Struct

from training.english.rewriting import raised
from training.stated import parties
from training.stated.claims import Claim
from training.stated.relations import RELATIONS, Relation

_LEAD_INS = ("", "", "", "It is known that ", "According to the file, ", "The report says that ", "As agreed, ")
_CLAIMS = 6  # of a passage at most


class _Fact(Struct, frozen=True):
    relation: Relation
    wording: str
    parties: tuple[str, str, str]  # the third takes no part in it
    thing: str

    def said(self, wording: str, one: str, other: str) -> str:
        return raised(wording.format(a=one, b=other, t=self.thing).rstrip(".")) + "."


def passage_on_roles(rng: random.Random) -> tuple[list[str], list[Claim]]:
    """Sentences, and claims on them."""
    between = rng.choice(("firms", "firms", "people"))
    three = parties.three(between, rng)
    options = [relation for relation in RELATIONS if relation.between == between]
    facts = [_fact(relation, three, rng) for relation in rng.sample(options, rng.choice((1, 2, 2, 3)))]
    sentences = [_sentence(fact, rng) for fact in facts]
    claims = [claim for fact in facts for claim in _claims(fact, rng)]
    return sentences, rng.sample(claims, min(_CLAIMS, len(claims)))


def _fact(relation: Relation, three: tuple[str, str, str], rng: random.Random) -> _Fact:
    one, other, third = rng.sample(three, 3)
    thing = rng.choice(relation.things).format(place=parties.place(rng), sum=parties.money(rng))
    return _Fact(relation, rng.choice(relation.wordings), (one, other, third), thing)


def _sentence(fact: _Fact, rng: random.Random) -> str:
    plain = fact.wording.format(a=fact.parties[0], b=fact.parties[1], t=fact.thing)
    return raised(f"{rng.choice(_LEAD_INS)}{plain}".rstrip(".")) + "."


def _claims(fact: _Fact, rng: random.Random) -> Iterator[Claim]:
    """Each wording that the passage allows may be true or false, so that no wording tells."""
    one, other, third = fact.parties
    usable = [
        wording
        for wording in fact.relation.wordings
        if wording != fact.wording and ("{t}" in fact.wording or "{t}" not in wording)
    ]
    for wording in rng.sample(usable, min(2, len(usable))):
        yield Claim(fact.said(wording, one, other), "supported", "role_kept")
        yield Claim(fact.said(wording, other, one), "contradicted", "role_turned")
    if rng.random() < 0.3:
        yield Claim(fact.said(fact.wording, one, other), "supported", "role_kept")
        yield Claim(fact.said(fact.wording, other, one), "contradicted", "role_turned")
    if "{t}" in fact.wording and "{t}" in (wording := rng.choice(usable)) and rng.random() < 0.5:
        changed = (third, other) if rng.random() < 0.5 else (one, third)
        yield Claim(fact.said(wording, *changed), "unsupported", "other_party")
