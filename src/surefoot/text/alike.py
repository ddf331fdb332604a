"""A claim in the passage's own wording of amounts: "2 years" where the passage has "24 months".

A reader knows that both are the same; a small model sees other words and another number. An amount is put differently
only where the passage does not have the claim's own wording, and its value never changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from surefoot.text.currencies import BEFORE, same_currency
from surefoot.text.numbered import parts_of_year, references
from surefoot.text.quantities import Quantity, plain_digits, quantities

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


class _Amount(NamedTuple):
    value: float
    kind: str
    start: int
    end: int
    unit: str = ""


def worded_alike(claim: str, passage: str) -> str:
    """The claim, with its amounts worded as the passage words them."""
    lowered = passage.lower()
    said = [amount for amount in _amounts(claim) if claim[amount.start : amount.end].lower() not in lowered]
    there = list(_amounts(passage)) if said else []
    for amount in reversed(said):
        wording = _wording(amount, claim, there, passage)
        claim = f"{claim[: amount.start]}{wording}{claim[amount.end :]}"
    return _numbered_alike(claim, passage)


def _numbered_alike(claim: str, passage: str) -> str:
    """ "Article 9" is the passage's "Article IX"."""
    there = {thing: passage[start:end] for thing, start, end in references(passage)}
    for thing, start, end in reversed(list(references(claim)) if there else []):
        claim = f"{claim[:start]}{there.get(thing, claim[start:end])}{claim[end:]}"
    return claim


def _wording(amount: _Amount, claim: str, there: list[_Amount], passage: str) -> str:
    """A share in words is put as a number also where it differs: "half" is read against "25 %" as "50%"."""
    own = claim[amount.start : amount.end]
    same = next((other for other in there if _equal(amount, other)), None)
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
            quantity.value, quantity.kind, sign.start() if sign else quantity.start, quantity.end, quantity.unit
        )


def _parts_of_year(text: str) -> Iterator[_Amount]:
    for one, start, end in parts_of_year(plain_digits(text)):
        yield _Amount(float(one.number), one.name, start, end)


def _free(text: str) -> Iterator[_Amount]:
    for match in _FREE.finditer(text):
        yield _Amount(0, "free of charge", *match.span())


def _equal(one: _Amount, other: _Amount) -> bool:
    is_nil = "number" in (one.kind, other.kind) and one.value == other.value == 0
    is_alike = {one.kind, other.kind} == {"days", "months"} or same_currency(one.kind, other.kind)
    if is_nil or (is_alike and bool(one.unit) == bool(other.unit)) or (one.unit and other.unit):
        return Quantity(*one).agrees(Quantity(*other))
    return False
