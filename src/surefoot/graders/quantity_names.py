"""The right figure under another quantity's name: 5.2 m as the radius of what is 5.2 m in diameter.

Names that exclude each other stand in one group. A figure of a claim is misnamed where the passage gives that figure
under another name of the group and nowhere under the claim's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.quantities import AS_WRITTEN
from surefoot.text.sentences import sentences

_OF_LENGTH = r"(?:\b(?:how|m|mm|cm|km|met(?:re|er)s?|\w+met(?:re|er)s?|feet|foot|ft|inch(?:es)?|yards?|miles?)[ -])"
_TAX = r"(?:[ ,(]+(?:of )?(?:the |any |all |\d+ ?% )*(?:vat|gst|sales tax|value[- ]added tax|tax(?:es)?)\b)"

_NOT_EACH = ("within", "in", "for", "of", "on", "to", "least", "after", "than", "once", "twice", "half")
_PAPERS = r"(?:general|reports?|accounts|statements?|filings?|meetings?|reviews?|newsletters?|conferences?)\b"


def _each(noun: str, adverb: str) -> str:
    """A fee "per week", "a week", "each week", "weekly"; but not what happens "within a week" or "once a week"."""
    behind = "".join(f"(?<!\\b{word} )" for word in _NOT_EACH)
    return (
        rf"\b{adverb}\b(?! {_PAPERS})|\b(?:per|each|every) (?:calendar |working )?{noun}\b"
        rf"|{behind}\ban? {noun}\b(?! (?:earlier|later|ago|before|longer|old))|/ ?{noun}\b"
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
Names = dict[str, re.Pattern[str]]
_JOINTS = re.compile(r"[,;)](?=\s|$)|\s[-–—]\s|[(|]|\b(?:and|while|but|whereas)\b", re.IGNORECASE)


class _Named(NamedTuple):
    figure: Amount
    names: tuple[frozenset[str], ...]  # by group
    is_alone: bool  # in its part of the sentence: of several, a name may belong to any


@lru_cache(maxsize=5_000)
def misnamed(passage: str, claim: str, question: str = "") -> bool:
    """Where the claim does not name what its figure is, the question does."""
    said = [one for piece in _pieces(claim) for one in _named(piece) if one.is_alone]
    if not said:
        return False
    asked = [_names_in(group, question) for group in _NAMES]
    known = _all_named(passage)
    return any(
        _is_misnamed(one.figure, own or asked[place], [(other.figure, other.names[place]) for other in known])
        for one in said
        for place, own in enumerate(one.names)
    )


def _is_misnamed(figure: Amount, own: frozenset[str], known: Iterable[tuple[Amount, frozenset[str]]]) -> bool:
    """Nothing is said where the claim has several names, or where the passage has the figure without any."""
    there = [names for other, names in known if figure.agrees(other)] if len(own) == 1 else []
    return bool(there) and all(names and not own <= names for names in there)


@lru_cache(maxsize=5_000)
def _all_named(passage: str) -> tuple[_Named, ...]:
    return tuple(named for piece in _pieces(passage) for named in _named(piece))


def _pieces(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from sentences(line)


def _named(sentence: str) -> Iterator[_Named]:
    """Each figure with the names of its part of the sentence and of the parts without a figure; with all names of the
    sentence where its own part has none: "3 m and 2 m in width and height"."""
    figures = [one for one in amounts_of(sentence) if _is_figure(one)]
    parts = list(_parts(sentence)) if figures else []
    free = [sentence[start:end] for start, end in parts if not any(start <= one.start < end for one in figures)]
    for figure in figures:
        start, end = next((start, end) for start, end in parts if start <= figure.start < end)
        names = tuple(_names_near(group, sentence[start:end], free, sentence) for group in _NAMES)
        yield _Named(figure, names, sum(start <= one.start < end for one in figures) == 1)


def _names_near(group: Names, own: str, free: Iterable[str], sentence: str) -> frozenset[str]:
    here = _names_in(group, own)
    return here.union(*(_names_in(group, part) for part in free)) if here else _names_in(group, sentence)


def _is_figure(amount: Amount) -> bool:
    return amount.kind not in ("date", "year", "time of day") and not amount.kind.startswith(AS_WRITTEN)


def _parts(sentence: str) -> Iterator[tuple[int, int]]:
    """Cut where a clause may end; what a colon introduces stays with it."""
    cuts = [match.start() for match in _JOINTS.finditer(sentence)]
    yield from pairwise([0, *cuts, len(sentence)])


def _names_in(group: Names, text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in group.items() if pattern.search(text))
