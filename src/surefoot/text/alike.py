"""A claim in the passage's own wording of amounts: "2 years" where the passage has "24 months".

A reader knows that both are the same; a small model sees other words and another number. An amount is put differently
only where the passage does not have the claim's own wording, and its value stays what it was, but for rounding: "about
17 feet" is "about 5.2 metres".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from surefoot.text.amounts import Amount, amount_of
from surefoot.text.numbered import parts_of_year, references
from surefoot.text.quantities import Quantity, plain_digits, quantities
from surefoot.text.units import BEFORE, is_length, same_currency

_SIGN = re.compile(rf"(?:{BEFORE}) ?$", re.IGNORECASE)
_LONGEST_SIGN = 5
_BARE_DIGITS = re.compile(r"[\d., \u00a0\u202f']+")
_SHARE = re.compile(r"[a-z ]+", re.IGNORECASE)
_FREE = re.compile(
    r"\b(?:free of (?:any |all )?(?:charges?|costs?)|at no (?:extra |additional |further )?(?:charge|cost|fee)"
    r"|without (?:any |extra |additional )*(?:charge|cost|fee|payment)|for free|gratis"
    r"|(?<=is )free|(?<=are )free)\b(?! (?:of|from|to)\b)",
    re.IGNORECASE,
)
_CIRCLE = {"radius": ("diameter", 2.0), "diameter": ("radius", 0.5)}


class _Amount(NamedTuple):
    value: float
    kind: str
    start: int
    end: int
    unit: str = ""
    read: Amount | None = None  # with how exactly it is said


def worded_alike(claim: str, passage: str) -> str:
    """The claim, with its amounts worded as the passage words them."""
    lowered = passage.lower()
    said = [amount for amount in _amounts(claim) if claim[amount.start : amount.end].lower() not in lowered]
    there = list(_amounts(passage)) if said else []
    for amount in reversed(said):
        wording = _wording(amount, claim, there, passage)
        claim = f"{claim[: amount.start]}{wording}{claim[amount.end :]}"
    return _numbered_alike(_circle_alike(claim, passage), passage)


def _circle_alike(claim: str, passage: str) -> str:
    """ "A radius of 2.6 m" is the passage's "5.2 m in diameter"."""
    for name, (other, factor) in _CIRCLE.items():
        own = re.search(rf"\b{name}\b", claim, re.IGNORECASE)
        lengths = (
            [one for one in quantities(claim) if is_length(one.unit)] if own and _tells(passage, other, name) else []
        )
        there = [
            one
            for one in quantities(passage)
            for said in lengths
            if one.agrees(replace(said, value=factor * said.value))
        ]
        if own and len(lengths) == 1 and there:
            figure = (lengths[0].start, lengths[0].end, passage[there[0].start : there[0].end])
            for start, end, wording in sorted((figure, (*own.span(), other)), reverse=True):
                claim = f"{claim[:start]}{wording}{claim[end:]}"
            break
    return claim


def _tells(passage: str, name: str, other: str) -> bool:
    return bool(re.search(rf"\b{name}\b", passage, re.IGNORECASE)) and other not in passage.lower()


def _numbered_alike(claim: str, passage: str) -> str:
    """ "Article 9" is the passage's "Article IX"."""
    there = {thing: passage[start:end] for thing, start, end in references(passage)}
    for thing, start, end in reversed(list(references(claim)) if there else []):
        claim = f"{claim[:start]}{there.get(thing, claim[start:end])}{claim[end:]}"
    return claim


def _wording(amount: _Amount, claim: str, there: list[_Amount], passage: str) -> str:
    """A share in words is put as a number also where it differs: "half" is read against "25 %" as "50%"."""
    own = claim[amount.start : amount.end]
    same = next((other for same in (_equal, _rounds) for other in there if same(amount, other)), None)
    if same is not None and not _is_written_alike(amount, own, passage[same.start : same.end]):
        return passage[same.start : same.end]
    in_words = amount.kind == "%" and _SHARE.fullmatch(own) and amount.value % 5 == 0  # a third is no round number
    return f"{amount.value:g}%" if in_words and any(other.kind == "%" for other in there) else own


def _is_written_alike(amount: _Amount, own: str, other: str) -> bool:
    """Bare numbers that are both in digits; "1.5k" is not."""
    return amount.kind == "number" and not amount.unit and all(_BARE_DIGITS.fullmatch(text) for text in (own, other))


def _amounts(text: str) -> Iterator[_Amount]:
    """In order, none inside another."""
    found = sorted((*_free(text), *_parts_of_year(text), *_quantities(text)), key=lambda one: one.start)
    end = 0
    for one in found:
        if one.start >= end:
            yield one
            end = one.end


def _quantities(text: str) -> Iterator[_Amount]:
    for quantity in quantities(text):
        sign = _SIGN.search(text, max(0, quantity.start - _LONGEST_SIGN), quantity.start)
        yield _Amount(
            quantity.value, quantity.kind, sign.start() if sign else quantity.start, quantity.end, quantity.unit,
            amount_of(text, quantity),
        )  # fmt: skip


def _parts_of_year(text: str) -> Iterator[_Amount]:
    for one, start, end in parts_of_year(plain_digits(text)):
        yield _Amount(float(one.number), one.name, start, end)


def _free(text: str) -> Iterator[_Amount]:
    for match in _FREE.finditer(text):
        yield _Amount(0, "free of charge", *match.span())


def _rounds(one: _Amount, other: _Amount) -> bool:
    """Pounds that are not written "£" may be a weight."""
    ours, theirs = one.read, other.read
    if ours is None or theirs is None or bool(ours.is_negative) != bool(theirs.is_negative):
        return False
    may_weigh = one.kind == "GBP" and one.start == ours.start
    return ours.rounds(theirs) or (may_weigh and replace(ours, kind="number", unit="lb").rounds(theirs))


def _equal(one: _Amount, other: _Amount) -> bool:
    is_nil = "number" in (one.kind, other.kind) and one.value == other.value == 0
    is_alike = {one.kind, other.kind} == {"days", "months"} or same_currency(one.kind, other.kind)
    if is_nil or (is_alike and bool(one.unit) == bool(other.unit)) or (one.unit and other.unit):
        return Quantity(*one[:5]).agrees(Quantity(*other[:5]))
    return False
