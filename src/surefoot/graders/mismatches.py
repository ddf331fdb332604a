"""A claim that names another number than the passage, or the passage's number under another name.

Q1 where the passage has Q3, where no rounding or reckoning can make them the same; or 5.2 m as the radius of what is
5.2 m in diameter. Names that exclude each other stand in one group; a figure of a claim is misnamed where the passage
gives that figure under another name of the group and nowhere under the claim's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from surefoot.text.amounts import Amount, amounts_of, same_sign
from surefoot.text.normal import sentences, terms
from surefoot.text.numbers import (
    AS_WRITTEN,
    Numbered,
    Quantity,
    is_measured,
    numbered,
    parts_of_year,
    placeholders,
    plain_digits,
    quantities,
    references,
    same_family,
)

_OF_LENGTH = r"(?:\b(?:how|m|mm|cm|km|met(?:re|er)s?|\w+met(?:re|er)s?|feet|foot|ft|inch(?:es)?|yards?|miles?)[ -])"
_TAX = r"(?:[ ,(]+(?:of )?(?:the |any |all |\d+ ?% )*(?:vat|gst|sales tax|value[- ]added tax|tax(?:es)?)\b)"

_NOT_EACH = ("within", "in", "for", "of", "on", "to", "least", "after", "than", "once", "twice", "half")
_PAPERS = r"(?:general|reports?|accounts|statements?|filings?|meetings?|reviews?|newsletters?|conferences?)\b"


def _each(noun: str, adverb: str) -> str:
    """A fee "per week", "a week", "each week", "weekly"; but not what happens "within a week" or "once a week"."""
    behind = "".join(f"(?<!\\b{word} )" for word in _NOT_EACH)
    return (
        rf"\b{adverb}\b(?! {_PAPERS})|\b(?:per|each|every) (?:calendar |working )?{noun}\b"
        rf"|\b(?=an? ){behind}an? {noun}\b(?! (?:earlier|later|ago|before|longer|old))|/ ?{noun}\b"
    )


_GROUPS: tuple[dict[str, str], ...] = (
    {"diameter": r"\bdiameters?\b", "radius": r"\b(?:radius|radii)\b", "circumference": r"\bcircumferences?\b"},
    {
        "width": rf"\b(?:widths?|diameters?)\b|{_OF_LENGTH}(?:wide|broad|across)\b",
        "height": rf"\bheights?\b|{_OF_LENGTH}(?:high|tall)\b",
        "length": rf"\blengths?\b|{_OF_LENGTH}long\b",
        "depth": rf"\b(?:depths?|thickness)\b|{_OF_LENGTH}(?:deep|thick)\b",
    },
    {"gross": r"\bgross\b", "net": r"\bnet\b"},
    {
        "minimum": r"\b(?:minimum|(?<![/\d])(?<!\d )min\.?|at least|not?(?: \w+){0,2} (?:less|fewer) than)(?!\w)",
        "maximum": r"\b(?:maximum|max\.?|at most|not?(?: \w+){0,2} more than|up to(?! date)"
        r"|(?:not|never|cannot) (?:to )?exceed\w*)(?!\w)",
        "average": r"\b(?:average|(?:the|an?|arithmetic) mean)\b",
        "median": r"\bmedian\b",
    },
    {
        "hour": _each("hour", "hourly"),
        "day": _each("day", "daily"),
        "week": _each("week", "weekly"),
        "fortnight": _each("fortnight", "fortnightly"),
        "month": _each("month", "monthly"),
        "quarter": _each("quarter", "quarterly"),
        "year": _each("year", "(?:yearly|annual|annually|annum)"),
    },
    {
        "with tax": rf"(?<!not )\b(?:includ(?:ing|es?)|inclusive(?: of)?|incl\.?|after){_TAX}"
        rf"|{_TAX} (?:is )?included\b",
        "without tax": rf"\b(?:exclud(?:ing|es?)|exclusive(?: of)?|excl\.?|before|plus|without|net of"
        rf"|not includ(?:ing|e)){_TAX}|{_TAX} (?:is )?(?:excluded|not included|extra)\b",
    },
)  # fmt: skip
_NAMES = tuple({name: re.compile(pattern, re.IGNORECASE) for name, pattern in group.items()} for group in _GROUPS)
_JOINTS = re.compile(r"[,;)](?=\s|$)|\s[-–—]\s|[(|]|\b(?:and|while|but|whereas)\b", re.IGNORECASE)


class _Figure(NamedTuple):
    amount: Amount
    sentence: str
    part: str  # of the sentence, in which it stands
    free: tuple[str, ...]  # the parts without a figure
    is_alone: bool  # in its part: of several, a name may belong to any

    def names(self, group: int) -> frozenset[str]:
        """Those of its part and of the parts without a figure; all of the sentence where its own part has none: "3 m
        and 2 m in width and height"."""
        own = _names_in(self.part, group)
        return own.union(*(_names_in(part, group) for part in self.free)) if own else _names_in(self.sentence, group)


@lru_cache(maxsize=5_000)
def misnamed(passage: str, claim: str, question: str = "") -> bool:
    """Where the claim does not name what its figure is, the question does."""
    said = [one for one in _figures(claim) if one.is_alone]
    return any(_is_misnamed(one, passage, question, group) for one in said for group in range(len(_NAMES)))


def _is_misnamed(said: _Figure, passage: str, question: str, group: int) -> bool:
    """Nothing is said by several names, or where the passage has the figure without any."""
    own = said.names(group) or _names_in(question, group)
    if len(own) != 1:
        return False
    there = [one.names(group) for one in _figures(passage) if said.amount.agrees(one.amount)]
    return bool(there) and all(names and not own <= names for names in there)


@lru_cache(maxsize=5_000)
def _figures(text: str) -> tuple[_Figure, ...]:
    return tuple(one for line in text.splitlines() for sentence in sentences(line) for one in _figures_of(sentence))


def _figures_of(sentence: str) -> Iterator[_Figure]:
    amounts = [one for one in amounts_of(sentence) if one.is_figure]
    cuts = [match.start() for match in _JOINTS.finditer(sentence)] if amounts else []
    parts = [
        (sentence[start:end], [one for one in amounts if start <= one.start < end])
        for start, end in pairwise([0, *cuts, len(sentence)])
    ]
    free = tuple(part for part, held in parts if not held)
    for part, held in parts:
        for amount in held:
            yield _Figure(amount, sentence, part, free, is_alone=len(held) == 1)


@lru_cache(maxsize=20_000)
def _names_in(text: str, group: int) -> frozenset[str]:
    return frozenset(name for name, pattern in _NAMES[group].items() if pattern.search(text))


_CLAUSE_ENDS = re.compile(r"[,;]\s|\b(?:and|while|but|whereas)\b", re.IGNORECASE)
_WRITTEN = re.compile(r"\d[\d,]*(?:\.\d+)?[¼½¾]?|[^\W\d_]+")


@lru_cache(maxsize=5_000)
def misnumbered(passage: str, claim: str, question: str = "") -> bool:
    """Q1 where the passage has Q3, 10:00 where it has 18:00, 5 mg where it has 5 g, 40 °C where it has -40 °C, a number
    in letters that only look like digits, or the figure of the diameter as the radius."""
    return (
        misnamed(passage, claim, question)
        or any(_is_swapped(sentence, passage, claim) for sentence in sentences(passage))
        or _names_another(numbered(passage), numbered(claim))
        or _names_another(placeholders(passage), placeholders(claim) - placeholders(question))
        or any(_is_another(one, passage) for one in _exact(claim))
        or any(_is_mistaken(one, claim, passage) for one in _measures(claim))
    )


def _names_another(there: Set[Numbered], said: Set[Numbered]) -> bool:
    """The claim names a quarter, a version, a section, a person ... and the passage only others of the name."""
    return any(one not in there and any(one.name == other.name for other in there) for one in said)


def _is_swapped(sentence: str, passage: str, claim: str) -> bool:
    """The sentence tells two of a name apart, and the claim says of the one what it says of the other: "Tier 2 costs
    5 and Tier 3 costs 9" is no ground for "Tier 3 costs 5"."""
    own = _things(claim)
    if len(own) != 1:
        return False
    parts = _parts_by_thing(sentence, own[0].name)
    if own[0] not in parts or len(parts) < 2 or sum(own[0] in _things(one) for one in sentences(passage)) > 1:
        return False
    said, here = _content(claim), parts.pop(own[0])
    is_told_apart = bool(here - {own[0].name})  # unlike "in Tier 2 and Tier 3"
    return is_told_apart and not said <= here and any(said <= there for there in parts.values())


def _parts_by_thing(sentence: str, name: str) -> dict[Numbered, frozenset[str | float]]:
    """What is said with each thing of the name, up to the part that names the next; nothing where a part names two."""
    found: dict[Numbered, frozenset[str | float]] = {}
    last: Numbered | None = None
    for part in _CLAUSE_ENDS.split(sentence):
        things = [one for one in _things(part) if one.name == name]
        if len(things) > 1:
            return {}
        last = things[0] if things else last
        if last:
            found[last] = found.get(last, frozenset()) | _content(part)
    return found


@lru_cache(maxsize=20_000)
def _things(text: str) -> tuple[Numbered, ...]:
    return tuple(dict.fromkeys(one for one, _, _ in (*references(text), *parts_of_year(plain_digits(text)))))


@lru_cache(maxsize=20_000)
def _content(text: str) -> frozenset[str | float]:
    """The words and figures beside the numbers that tell things apart."""
    for _, start, end in reversed(list(references(text))):
        text = f"{text[:start]}{text[end:]}"
    return frozenset((*terms(text), *(one.value for one in quantities(text))))


def _is_another(one: Quantity, passage: str) -> bool:
    there = _exact(passage)
    if one.kind == "time of day" and not any(other.kind == one.kind for other in there):
        return False
    return not any(one.agrees(other) for other in there)


def _is_mistaken(one: Amount, claim: str, passage: str) -> bool:
    """The passage has the number, but only in another unit or with another sign."""
    kin = [other for other in _measures(passage) if same_family(one, other)]
    if any(one.agrees(other) and same_sign(one, other) for other in kin):
        return False
    return any(one.agrees(other) or _number(claim, one) == _number(passage, other) for other in kin)


def _number(text: str, amount: Amount) -> str:
    match = _WRITTEN.match(text, amount.start)
    return match.group().replace(",", "").lower() if match else ""


@lru_cache(maxsize=5_000)
def _measures(text: str) -> tuple[Amount, ...]:
    return tuple(one for one in amounts_of(text) if one.kind == "%" or is_measured(one.unit))


@lru_cache(maxsize=5_000)
def _exact(text: str) -> tuple[Quantity, ...]:
    return tuple(one for one in quantities(text) if one.kind == "time of day" or one.kind.startswith(AS_WRITTEN))
