"""Whether JSON fits a JSON schema: the part of the language that our prompts use, and no keyword in silence.

Servers that promise to keep to a schema do not keep to all of it (ranges of numbers least of all), so every reply is
checked here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import msgspec

from surefoot.models.seam import Schema

_NO_CONSTRAINT = frozenset({"title", "description", "default", "examples", "$defs", "$schema", "$id", "$comment"})
_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: _is_number(value),
    "integer": lambda value: _is_number(value) and value == int(value),
}
# What applies to which values, whether it holds, and what is wrong if it does not.
_LIMITS: dict[str, tuple[Callable[[Any], bool], Callable[[Any, Any], bool], str]] = {
    "minimum": (lambda v: _is_number(v), lambda v, at: v >= at, "is less than {}"),
    "maximum": (lambda v: _is_number(v), lambda v, at: v <= at, "is more than {}"),
    "exclusiveMinimum": (lambda v: _is_number(v), lambda v, at: v > at, "is not more than {}"),
    "exclusiveMaximum": (lambda v: _is_number(v), lambda v, at: v < at, "is not less than {}"),
    "minLength": (_TYPES["string"], lambda v, at: len(v) >= at, "is shorter than {} characters"),
    "maxLength": (_TYPES["string"], lambda v, at: len(v) <= at, "is longer than {} characters"),
    "minItems": (_TYPES["array"], lambda v, at: len(v) >= at, "has fewer than {} items"),
    "maxItems": (_TYPES["array"], lambda v, at: len(v) <= at, "has more than {} items"),
}


def check(schema: Schema) -> None:
    """ValueError if a reply could not be checked against all of it: better before it is paid for."""
    _checked(msgspec.json.encode(schema))


@lru_cache(maxsize=64)
def _checked(encoded: bytes) -> None:
    """Of thousands of prompts with one schema it is checked once."""
    schema = msgspec.json.decode(encoded)
    if schema.get("type") != "object" and "$ref" not in schema:
        raise ValueError("a reply is a JSON object, so its schema must be one of an object")
    _check(schema)


def _check(schema: Any) -> None:  # noqa: ANN401 - any JSON
    if not isinstance(schema, dict):
        return
    known = _NO_CONSTRAINT | _LIMITS.keys() | _PLAIN.keys() | _DEEP.keys()
    if unknown := schema.keys() - known:
        raise ValueError(f"the schema keyword {min(unknown)!r} is not one that replies can be checked for")
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    for one in (*inner, schema.get("items"), schema.get("additionalProperties")):
        _check(one)


def problem(value: Any, schema: Schema) -> str:  # noqa: ANN401 - any JSON
    """The first thing that does not fit, or nothing."""
    return next(_problems(value, schema, schema, "the reply"), "")


def _problems(value: Any, schema: Any, root: Schema, where: str) -> Iterator[str]:  # noqa: ANN401
    if schema is True:
        return
    for keyword, wanted in schema.items():
        if keyword in _NO_CONSTRAINT:
            continue
        if keyword in _LIMITS:
            applies, holds, words = _LIMITS[keyword]
            if applies(value) and not holds(value, wanted):
                yield f"{where} {words.format(wanted)}"
        elif keyword in _PLAIN:
            yield from _PLAIN[keyword](value, schema, where)
        else:
            yield from _DEEP[keyword](value, schema, root, where)


def _type(value: Any, schema: Schema, where: str) -> Iterator[str]:  # noqa: ANN401
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if not any(_TYPES[name](value) for name in names):
        yield f"{where} is not of type {' or '.join(names)}"


def _enum(value: Any, schema: Schema, where: str) -> Iterator[str]:  # noqa: ANN401
    wanted = schema["enum"] if "enum" in schema else [schema["const"]]
    if not any(_same(value, one) for one in wanted):
        yield f"{where} is not one of {', '.join(map(str, wanted))}"


def _required(value: Any, schema: Schema, where: str) -> Iterator[str]:  # noqa: ANN401
    if isinstance(value, dict):
        yield from (f"{where} has no {name!r}" for name in schema["required"] if name not in value)


def _properties(value: Any, schema: Schema, root: Schema, where: str) -> Iterator[str]:  # noqa: ANN401
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                yield from _problems(value[name], inner, root, f"{where}'s {name!r}")


def _additional(value: Any, schema: Schema, root: Schema, where: str) -> Iterator[str]:  # noqa: ANN401
    if not isinstance(value, dict):
        return
    for name in value.keys() - schema.get("properties", {}).keys():
        if schema["additionalProperties"] is False:
            yield f"{where} has {str(name)[:40]!r}, which was not asked for"
        else:
            yield from _problems(value[name], schema["additionalProperties"], root, f"{where}'s {str(name)[:40]!r}")


def _items(value: Any, schema: Schema, root: Schema, where: str) -> Iterator[str]:  # noqa: ANN401
    if isinstance(value, list):
        for place, item in enumerate(value, 1):
            yield from _problems(item, schema["items"], root, f"{where}'s item {place}")


def _any_of(value: Any, schema: Schema, root: Schema, where: str) -> Iterator[str]:  # noqa: ANN401
    first = [next(_problems(value, one, root, where), "") for one in schema["anyOf"]]
    if all(first):
        yield first[0]


def _reference(value: Any, schema: Schema, root: Schema, where: str) -> Iterator[str]:  # noqa: ANN401
    yield from _problems(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, where)


_PLAIN: dict[str, Callable[[Any, Schema, str], Iterator[str]]] = {
    "type": _type,
    "enum": _enum,
    "const": _enum,
    "required": _required,
}
_DEEP: dict[str, Callable[[Any, Schema, Schema, str], Iterator[str]]] = {
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any_of,
    "$ref": _reference,
}


def _is_number(value: Any) -> bool:  # noqa: ANN401
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _same(value: Any, other: Any) -> bool:  # noqa: ANN401
    """In JSON true is not 1."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)
