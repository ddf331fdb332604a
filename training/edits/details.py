"""Details that a passage does not give: invented ones, and the closing phrases of sentences elsewhere."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from training.edits.change import Change
from training.english.lists import listed
from training.english.numbers import MONTHS
from training.english.rewriting import NEGATIVE, content_words

_FIRST = listed("Margaret John Elena David Priya Thomas Aisha Peter Laura Kenji Maria Robert Ingrid Samuel Olga Daniel")
_LAST = listed(
    "Ellis Peterson Okafor Lindqvist Sharma Novak Bennett Moreau Tanaka Alvarez Whitfield Kowalski Reyes Hart"
)
_FIRMS = listed(
    "Northgate,Ernst & Young,Halden Partners,Meridian Trust,Bluewater Capital,Orsted,Castell & Co,Veritas Labs", ","
)
_TOWNS = listed("Lisbon Oslo Denver Geneva Osaka Leeds Antwerp Calgary Porto Graz Tampa Lyon Perth Turin Cork Austin")
_DUTY = listed(
    "in writing|by registered mail|by certified mail with return receipt|within {n} business days|free of charge"
    "|at no additional cost|in {few} equal instalments|on a {often} basis|in the presence of a notary"
    "|under the supervision of {firm}|after approval by {person}|by electronic mail|using a form supplied by {firm}"
    "|with at least {n} days' notice|for a period of {few} years|up to an amount of ${amount}|at its office in {town}"
    "|no later than {month} {n}, {year}|in both English and French|at its own expense|to {person}"
    "|upon payment of a fee of ${amount}|at least {n} days in advance|before the end of {month}|in triplicate",
    "|",
)
_FACT = listed(
    "with the help of {firm}|after nearly {few} years of negotiations|at a cost of ${amount}|in front of "
    "{amount} people"
    "|following an internal review|under a programme run by {firm}|on the advice of {person}|at the request of {person}"
    "|as part of a plan drawn up by {firm}|in the spring of {year}|as {person} had proposed|for health reasons"
    "|during a visit to {town}|at a meeting in {town}|on {month} {n}, {year}|together with {person}|for the {nth} time"
    "|in a deal worth ${amount}|against the advice of {person}|with funding from {firm}|shortly before {month} {year}",
    "|",
)
_TAIL = re.compile(
    r"(?<=[a-z] )((?:in|by|with|under|during|within|at|after|before|through|against|following|on) "
    r"(?!(?:which|that|whom|this|such|it|its|them|their|his|her|our|these|those|the same)\b)[^,;:()\"“”]{8,60})\.$"
)


def takes_detail(sentence: str) -> bool:
    """Whether a further detail makes the sentence say more. Behind a negation it would make it say less."""
    if NEGATIVE.search(sentence) or not sentence.endswith(".") or len(sentence.split()) > 40:
        return False
    return re.search(r"\b(?:if|only|all|each|any|every|may|can|could|might|or)\b", sentence, re.IGNORECASE) is None


def tail_of(sentence: str) -> str | None:
    match = _TAIL.search(sentence)
    if (
        not match
        or len(match[1].split()) < 3
        or re.search(r"\b(?:shall|will|may|is|are|was|were|has|have)\b", match[1])
    ):
        return None
    return match[1]


def added_details(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    """A detail the passage is silent on."""
    if not takes_detail(sentence):
        return
    duty = re.search(r"\b(?:shall|must|agrees? to|is required to)\b", sentence)
    if not duty and not re.search(r"\b(?:was|were|had|has|[a-z]{3,}ed)\b", sentence):
        return
    detail = _filled(rng.choice(_DUTY if duty else _FACT), rng)
    dated = re.search(r"\d{4}|" + "|".join(MONTHS), detail) and re.search(r"\b\d{4}\b", sentence)
    words = content_words(detail)
    if not dated and len(words & content_words(passage)) <= len(words) // 3:
        yield "added_detail", f"{sentence[:-1]}{rng.choice((' ', ' ', ', '))}{detail}."


def _filled(template: str, rng: random.Random) -> str:
    return template.format(
        n=rng.randrange(3, 29),
        few=rng.choice(("two", "three", "four", "five", "seven", "ten")),
        often=rng.choice(("monthly", "weekly", "quarterly", "semi-annual")),
        nth=rng.choice(("second", "third", "fourth", "fifth")),
        firm=rng.choice(_FIRMS),
        person=f"{rng.choice(_FIRST)} {rng.choice(_LAST)}",
        town=rng.choice(_TOWNS),
        month=rng.choice(MONTHS),
        year=rng.randrange(1950, 2024),
        amount=f"{rng.choice((1, 5, 10, 25, 50)) * rng.randrange(2, 90) * 100:,}",
    )
