"""Things that differ by a number: quarters, versions, sections, tiers, "M8".

They are no quantities: an answer need not repeat them, but one that names another is about another thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from surefoot.text.numerals import plain_digits
from surefoot.text.units import currency_of

_ORDINALS = {"first": "1", "1st": "1", "second": "2", "2nd": "2", "third": "3", "3rd": "3", "fourth": "4", "4th": "4"}
_PARTS = {"q": "quarter", "h": "half"}
_PART_OF_YEAR = re.compile(
    rf"\b(?P<order>{'|'.join(_ORDINALS)}) (?:fiscal |financial |calendar )?(?P<part>quarter|half)\b"
    r"(?! of (?:an?|one)\b)"
    r"|\b(?P<letter>[qh])(?P<number>[1-4])(?![^\W_])|\b(?P<lead>[1-4])(?P<behind>[qh])(?:\d\d)?\b"
)
_VERSION = re.compile(r"\b(?:versions?|release|v\.?) ?(?P<number>\d+(?:\.\d+)*)\b")
_NAMES = (
    "clause section article paragraph annex schedule appendix chapter rule regulation form exhibit table tier class "
    "level grade phase stage step category zone type part band group module unit room floor gate platform lot"
)
_REFERENCE = re.compile(
    rf"\b(?P<name>{'|'.join(_NAMES.split())})s? (?:no\.? ?)?(?P<number>\d+(?:\.\d+)*[a-z]?|[ivxlc]+)\b"
)
_ROMAN = re.compile(r"(?=[IVXLC])(C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
# Where an answer says where it has something from, the passage need not name itself.
_POINTS = re.compile(r"(?:\(|\[|\b(?:under|per|in|see|to|from|by virtue of|cf\.?|at|with|of))\s*(?:the )?$")
_SAYS = re.compile(r",? (?:also )?(?:states?|says?|provides?|sets? out|lists?|reads?|requires?)\b")
_LABEL = re.compile(r"(?<![\w.,#/@-])(?P<letters>[^\W\d_]{1,4})(?P<number>\d+(?:\.\d+)*[a-z]?)(?![\w/@-])")
_YEARS = frozenset({"fy", "cy"})
_PLACEHOLDER = re.compile(
    r"(?<![^\W_])(?P<kind>ACCOUNT|ADDRESS|BIRTH|CARD|EMAIL|HOST|IBAN|ID|NAME|PHONE|SSN)-(?P<number>\d+)(?!\w)"
)


class Numbered(NamedTuple):
    name: str
    number: str


@lru_cache(maxsize=5_000)
def numbered(text: str) -> frozenset[Numbered]:
    lowered = plain_digits(text)
    return frozenset(_read(lowered, text) if re.search(r"\d|quarter|half|\b[ivxlc]+\b", lowered) else ())


def placeholder(kind: str, number: int) -> str:
    """What stands for the value of a kind of personal data, by number: EMAIL-1."""
    return f"{kind.upper()}-{number}"


@lru_cache(maxsize=5_000)
def placeholders(text: str) -> frozenset[Numbered]:
    return frozenset(Numbered(match["kind"], match["number"]) for match in _PLACEHOLDER.finditer(text))


def in_digits(number: str) -> str:
    """Of a thing: "IX" is 9, "4.2b" stays as it is; empty for letters that are no number."""
    if number[0].isdigit():
        return number.lower()
    if not _ROMAN.fullmatch(number):
        return ""
    values = [_DIGITS[letter] for letter in number]
    return str(sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True)))


def references(text: str) -> Iterator[tuple[Numbered, int, int]]:
    """Each "Article IX" and "section 4" with the place of its number."""
    for match in _REFERENCE.finditer(plain_digits(text)):
        if number := in_digits(text[match.start("number") : match.end("number")]):
            yield Numbered(match["name"], number), match.start("number"), match.end("number")


def parts_of_year(lowered: str) -> Iterator[tuple[Numbered, int, int]]:
    """Quarters and halves, with where they stand."""
    for match in _PART_OF_YEAR.finditer(lowered):
        if match["order"]:
            yield Numbered(match["part"], _ORDINALS[match["order"]]), *match.span()
        else:
            name = _PARTS[match["letter"] or match["behind"]]
            yield Numbered(name, match["number"] or match["lead"]), *match.span()


def _read(lowered: str, text: str) -> Iterator[Numbered]:
    yield from (one for one, _, _ in parts_of_year(lowered))
    yield from (Numbered("version", match["number"]) for match in _VERSION.finditer(lowered))
    for match in _REFERENCE.finditer(lowered):
        number = in_digits(text[match.start("number") : match.end("number")])
        if number and not _POINTS.search(lowered[: match.start()][-12:]) and not _SAYS.match(lowered, match.end()):
            yield Numbered(match["name"], number)
    for match in _LABEL.finditer(lowered):
        letters = match["letters"]
        is_known = letters in _PARTS or letters in _YEARS or letters == "v"
        if not is_known and not currency_of(text[match.start("letters") : match.end("letters")]):
            yield Numbered(letters, match["number"])
