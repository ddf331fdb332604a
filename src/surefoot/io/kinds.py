"""What the fields of a row may be: a kind of row is a table of these, checked in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

_LONGEST_QUOTE = 60
_NO_NAMES: Mapping[str, tuple[str, ...]] = {}


class BadRow(ValueError):
    """Why a row cannot be used. `kind` is that of the problem, where it is another than usual."""

    kind = ""


class Is(NamedTuple):
    """What a field must be, in words and as a check."""

    words: str
    fits: Callable[[Any], bool]


def _is_identifier(value: object) -> bool:
    return type(value) is int or (isinstance(value, str) and bool(value))


def _is_list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, (list, tuple)) and all(map(fits, value))


TEXT = Is("a text", lambda value: isinstance(value, str))
WORD = Is("a text", lambda value: isinstance(value, (str, int, float)) and not isinstance(value, bool))
IDENTIFIER = Is("a text or a whole number", _is_identifier)
TEXTS = Is("a list of texts", _is_list_of(TEXT.fits))
IDENTIFIERS = Is("a list of texts", _is_list_of(_is_identifier))
FLAG = Is("true or false", lambda value: isinstance(value, bool))
NUMBER = Is("a number", lambda value: type(value) in (int, float))
COUNT = Is("a whole number from 1", lambda value: type(value) is int and value >= 1)
OBJECT = Is("an object", lambda value: isinstance(value, dict))


def one_of(*values: str) -> Is:
    return Is(" or ".join(map(repr, values)), lambda value: value in values)


def fields_of(
    value: object,
    noun: str,
    kinds: Mapping[str, Is],
    names: Mapping[str, tuple[str, ...]] = _NO_NAMES,
    required: Sequence[str] = (),
) -> dict[str, Any]:
    """The fields of a row by our own names; BadRow says which of them is missing or not what it must be.

    `names` has the keys under which a field may lie, of which the first with a value counts. The first of the
    `required` fields is the id that names the row.
    """
    if not isinstance(value, dict):
        raise BadRow(f"the {noun} is {kind_of(value)}, not an object")
    row: dict[str, Any] = dict(value)
    for field, keys in names.items():
        found = [row.pop(key) for key in keys if key in row]
        row[field] = next((item for item in found if item is not None), None)
    for field in required:
        given = row.get(field)
        if given is None or (isinstance(given, str) and not given.strip()):
            expected = " or ".join(names.get(field, (field,)))
            raise BadRow(f"{_named(row, required)}the {noun} has no {field}: {expected} must hold it")
    for field, given in row.items():
        kind = kinds.get(field)
        if kind is not None and given is not None and not kind.fits(given):
            shown = quoted(given) if isinstance(given, str) or kind is COUNT else kind_of(given)
            raise BadRow(f"{_named(row, required)}{field} must be {kind.words}, not {shown}")
    return row


def _named(row: Mapping[str, Any], required: Sequence[str]) -> str:
    identifier = row.get(required[0]) if required else None
    return f"question {quoted(identifier)}: " if identifier is not None else ""


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    names = {type(None): "null", bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number" if isinstance(value, (int, float)) else type(value).__name__)


def quoted(value: object) -> str:
    """A foreign value inside a sentence, which it must not drown."""
    text = repr(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 3]}..."
