"""The rubric as a form, and the form as values of the rubric."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from surefoot.core.errors import UsageError
from surefoot.core.records import CANNOT_TELL, Value
from surefoot.core.rubric import HIGHEST, LOWEST, Axis, Rubric
from surefoot.web.pages import BadForm

REFUSED = "refused"
_LONGEST_NUMBER = 6
# Rubrics are known by their hash, so their wording stays. This is how the page says it.
_PLAIN = {"agrees with the gold": "agrees with the expected answer", "or the gold": "or the expected answer",
          "bears it out": "supports it"}  # fmt: skip
OTHER_KEYS = "zxobenh"  # what they do, the page says


class Choice(Struct, frozen=True):
    value: str
    key: str  # what to press for it; "" where there are more values than keys


class Field(Struct, frozen=True):
    """One axis as it is asked: with choices, or a number is typed, from the axis's least on."""

    axis: Axis
    choices: tuple[Choice, ...]
    is_needed: bool

    @property
    def name(self) -> str:
        return self.axis.name

    @property
    def is_count(self) -> bool:
        return not _values(self.axis)

    @property
    def title(self) -> str:
        return self.axis.name.replace("_", " ")

    @property
    def asks(self) -> str:
        return _plain(self.axis.asks)

    @property
    def meanings(self) -> dict[str, str]:
        """What each value stands for."""
        return {value: _plain(meaning) for value, meaning in self.axis.anchors.items()}

    @property
    def can_say_refused(self) -> bool:
        return REFUSED in self.axis.values


def fields_of(rubric: Rubric, axes: Sequence[str] = ()) -> tuple[Field, ...]:
    """The axes in the order given, or all of the rubric. The first must be answered, the others may be left blank."""
    known = {axis.name: axis for axis in rubric.axes}
    for name in axes:
        if name not in known:
            raise UsageError(f"the rubric {rubric.name} has no axis {name!r}", f"it has {', '.join(known)}")
    first, *others = [known[name] for name in dict.fromkeys(axes or known)]
    if first.when != "always":
        always = ", ".join(axis.name for axis in rubric.axes if axis.when == "always")
        raise UsageError(
            f"the axis {first.name} does not apply to every answer", f"begin --axes with one that always does: {always}"
        )
    digits = tuple(Choice(digit, digit) for digit in "0123456789")  # of a count that one key gives
    needed = Field(first, (*(_choices(first) or digits), Choice(CANNOT_TELL, "?")), True)
    return (needed, *(Field(axis, _choices(axis), False) for axis in others))


def applying(fields: Sequence[Field], *, cites: bool, refused: bool) -> list[Field]:
    """The fields an answer is asked. Where people say themselves whether it is a refusal, the page follows them."""
    asks_refusal = any(field.can_say_refused for field in fields)
    holds = {"always": True, "cited": cites, "refused": refused or asks_refusal}
    return [field for field in fields if holds[field.axis.when]]


def read(fields: Sequence[Field], given: Mapping[str, str]) -> dict[str, Value]:
    """What was chosen, by axis; what was left blank is absent."""
    known = {field.name: field for field in fields}
    if strange := [name for name in given if name not in known]:
        raise BadForm(f"this answer is not asked about {strange[0][:60]!r}", "reload the page")
    if says_cannot_tell(fields, given):
        return {}
    values = {name: _value(known[name].axis, text) for name, text in given.items() if text != ""}
    if not any(field.is_needed and field.name in values for field in fields):
        raise BadForm(f"{fields[0].title} has no value", "choose one, or say that you cannot tell")
    if any(field.can_say_refused for field in fields) and REFUSED not in values.values():
        values = {name: value for name, value in values.items() if known[name].axis.when != REFUSED}
    return values


def says_cannot_tell(fields: Sequence[Field], given: Mapping[str, str]) -> bool:
    """Whether whoever sent this read the answer and cannot tell."""
    return any(field.is_needed and given.get(field.name) == CANNOT_TELL for field in fields)


def _choices(axis: Axis) -> tuple[Choice, ...]:
    """Values are pressed by their first letters; where these are not all different, or digits, by digits."""
    values = [str(value) for value in _values(axis)]
    letters = [value[:1].lower() for value in values]
    if len(set(letters)) < len(letters) or not all(one.isalpha() and one not in OTHER_KEYS for one in letters):
        are_digits = all(value in {*"0123456789", "10"} for value in values) and not {"0", "10"} <= set(values)
        letters = [value[-1] if are_digits else str(n) if n < 10 else "" for n, value in enumerate(values, 1)]
    return tuple(Choice(value, key) for value, key in zip(values, letters, strict=True))


def _values(axis: Axis) -> Collection[str | int]:
    return range(LOWEST, HIGHEST + 1) if axis.is_dimension else axis.values


def _value(axis: Axis, text: str) -> Value:
    for value in _values(axis):
        if str(value) == text:
            return value
    is_number = text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER
    if not _values(axis) and is_number and int(text) >= axis.least:
        return int(text)
    wanted = f"a number from {axis.least} on" if not _values(axis) else " or ".join(map(str, _values(axis)))
    raise BadForm(f"{axis.name} cannot be {text[:40]!r}", f"it is {wanted}")


def _plain(words: str) -> str:
    for ours, plain in _PLAIN.items():
        words = words.replace(ours, plain)
    return words
