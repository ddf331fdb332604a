"""A form is made of a schema: the axes of a rubric, or the parts of a question. What was sent becomes its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import UsageError, unknown
from surefoot.core.records import CANNOT_TELL, Value
from surefoot.core.rubric import HIGHEST, LOWEST, Axis, Rubric

REFUSED = "refused"
_LONGEST_NUMBER = 6
# Rubrics are known by their hash, so their wording stays. This is how the page says it.
_PLAIN = {"agrees with the gold": "agrees with the expected answer", "or the gold": "or the expected answer",
          "bears it out": "supports it"}  # fmt: skip
OTHER_KEYS = "zxobenh"  # what they do, the page says
Values = Mapping[str, str | list[str]]


class BadForm(UsageError):
    """What was sent is no answer to what was asked."""


class Choice(Struct, frozen=True):
    value: str
    key: str = ""  # what to press for it; "" where there are more values than keys
    says: str = ""  # where a page calls it otherwise
    means: str = ""


class Field(Struct, frozen=True):
    """One thing that is asked. The field that is needed is answered by one key, and saves."""

    name: str
    asks: str
    choices: tuple[Choice, ...] = ()
    kind: Literal["choice", "count", "text", "texts", "passages"] = "choice"
    is_needed: bool = False
    when: str = "always"  # or the value, of whichever field, that this one is about
    values: tuple[str | int, ...] = ()  # as they are kept
    least: int = 0
    meanings: Mapping[str, str] = {}

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")


def fields_of(rubric: Rubric, axes: Sequence[str] = ()) -> tuple[Field, ...]:
    """The axes in the order given, or all of the rubric. The first must be answered, the others may be left blank."""
    known = {axis.name: axis for axis in rubric.axes}
    for name in axes:
        if name not in known:
            raise unknown(f"the rubric {rubric.name} has no axis {name!r}", name, known)
    first, *others = [_field(known[name]) for name in dict.fromkeys(axes or known)]
    if first.when != "always":
        always = ", ".join(axis.name for axis in rubric.axes if axis.when == "always")
        raise UsageError(
            f"the axis {first.name} does not apply to every answer", f"begin --axes with one that always does: {always}"
        )
    digits = tuple(Choice(digit, digit) for digit in "0123456789")  # of a count that one key gives
    choices = (*(first.choices or digits), Choice(CANNOT_TELL, "?"))
    return (replace(first, choices=choices, is_needed=True), *others)


def applying(fields: Sequence[Field], *, cites: bool, refused: bool) -> list[Field]:
    """The fields an answer is asked. Where people say themselves whether it is a refusal, the page follows them."""
    holds = {"always": True, "cited": cites, REFUSED: refused or _asks_refusal(fields)}
    return [field for field in fields if holds[field.when]]


def read(fields: Sequence[Field], given: Values) -> dict[str, Value]:
    """What was chosen, by axis; what was left blank is absent."""
    known = {field.name: field for field in fields}
    if strange := [name for name in given if name not in known]:
        raise BadForm(f"this answer is not asked about {strange[0][:60]!r}", "reload the page")
    if says_cannot_tell(fields, given):
        return {}
    values = {name: _value(known[name], text) for name, text in given.items() if text != ""}
    if not any(field.is_needed and field.name in values for field in fields):
        raise BadForm(f"{fields[0].title} has no value", "choose one, or say that you cannot tell")
    if _asks_refusal(fields) and REFUSED not in values.values():
        values = {name: value for name, value in values.items() if known[name].when != REFUSED}
    return values


def says_cannot_tell(fields: Sequence[Field], given: Values) -> bool:
    """Whether whoever sent this read the answer and cannot tell."""
    return any(field.is_needed and given.get(field.name) == CANNOT_TELL for field in fields)


def _asks_refusal(fields: Sequence[Field]) -> bool:
    return any(REFUSED in field.values for field in fields)


def _field(axis: Axis) -> Field:
    """Values are pressed by their first letters; where these are not all different, or digits, by digits."""
    kept = tuple(range(LOWEST, HIGHEST + 1)) if axis.is_dimension else axis.values
    values, meanings = [str(value) for value in kept], {name: _plain(words) for name, words in axis.anchors.items()}
    letters = [value[:1].lower() for value in values]
    if len(set(letters)) < len(letters) or not all(one.isalpha() and one not in OTHER_KEYS for one in letters):
        are_digits = all(value in {*"0123456789", "10"} for value in values) and not {"0", "10"} <= set(values)
        letters = [value[-1] if are_digits else str(n) if n < 10 else "" for n, value in enumerate(values, 1)]
    named = {
        point: words for name, words in meanings.items() for point in (name, *name.split("-"))
    }  # "9-10" names both
    choices = tuple(Choice(one, key, means=named.get(one, "")) for one, key in zip(values, letters, strict=True))
    return Field(axis.name, _plain(axis.asks), choices, "choice" if kept else "count", False, axis.when, kept,
                 axis.least, meanings)  # fmt: skip


def _value(field: Field, text: str | list[str]) -> Value:
    for value in field.values:
        if str(value) == text:
            return value
    is_number = isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER
    if not field.values and is_number and int(str(text)) >= field.least:
        return int(str(text))
    wanted = " or ".join(map(str, field.values)) or f"a number from {field.least} on"
    raise BadForm(f"{field.name} cannot be {str(text)[:40]!r}", f"it is {wanted}")


def _plain(words: str) -> str:
    for ours, plain in _PLAIN.items():
        words = words.replace(ours, plain)
    return words
