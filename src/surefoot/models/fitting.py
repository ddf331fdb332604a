"""A reply as it was meant: models add keys, leave empty ones out, and write "9/10", "Supported" or one item for a list.

What is put right here says the same thing in another form. What a schema wants and a reply does not say stays a
problem: the value is checked against the whole schema afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from surefoot.models.schema import problem
from surefoot.models.seam import Schema

_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)\s*(?:/\s*([0-9]{1,15})(?:\.0+)?\s*)?")
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_BETWEEN = re.compile(r"[\W_]+")


def fitted(value: Any, schema: Schema) -> Any:  # noqa: ANN401 - any JSON
    """The value in the form that the schema asks for, as far as that changes nothing it says."""
    found = _fitted(value, schema, schema)
    if isinstance(found, dict) and not found and isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()  # {"result": {...}}: the reply, wrapped
        return _fitted(inner, schema, schema) if isinstance(inner, dict) else value
    return found


def _fitted(value: Any, schema: Any, root: Schema) -> Any:  # noqa: ANN401
    if not isinstance(schema, dict):
        return value
    if "$ref" in schema:
        return _fitted(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    if "anyOf" in schema:
        ways = (_fitted(value, one, root) for one in schema["anyOf"])
        fitting = (way for way, one in zip(ways, schema["anyOf"], strict=True) if not _wrong(way, one, root))
        return next(fitting, value)
    for name in _types(schema):
        if name in _FORMS:
            value = _FORMS[name](value, schema, root)
    return value


def _wrong(value: Any, schema: Any, root: Schema) -> bool:  # noqa: ANN401
    return bool(problem(value, {**schema, "$defs": root.get("$defs", {})} if isinstance(schema, dict) else schema))


def _types(schema: Schema) -> list[str]:
    names = schema.get("type", [])
    return [names] if isinstance(names, str) else list(names)


def _object(value: Any, schema: Schema, root: Schema) -> Any:  # noqa: ANN401
    if not isinstance(value, dict):
        return value
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    found = {
        key: _fitted(inner, properties.get(key, others), root)
        for key, inner in value.items()
        if key in properties or others is not False
    }
    if not found and properties:
        return found
    return found | {key: _empty(properties[key]) for key in _left_out(found, schema) if _may_be_empty(properties[key])}


def _left_out(found: dict[str, Any], schema: Schema) -> list[str]:
    """The properties that are wanted and not there, or null where that is not allowed."""
    properties = schema.get("properties", {})
    return [
        key
        for key in schema.get("required", ())
        if key in properties and found.get(key) is None and not (key in found and "null" in _types(properties[key]))
    ]


def _may_be_empty(schema: Any) -> bool:  # noqa: ANN401
    if not isinstance(schema, dict) or schema.keys() & {"enum", "const", "minLength", "minItems"}:
        return False
    return bool({"null", "string", "array"} & set(_types(schema)))


def _empty(schema: Schema) -> object:
    """What leaving it out says: nothing."""
    types = _types(schema)
    return None if "null" in types else "" if "string" in types else []


def _array(value: Any, schema: Schema, root: Schema) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return value
    return [_fitted(item, schema.get("items", True), root) for item in value]


def _string(value: Any, schema: Schema, _: Schema) -> Any:  # noqa: ANN401
    if isinstance(value, int | float) and not isinstance(value, bool) and len(_types(schema)) == 1:
        value = str(value)
    if not isinstance(value, str):
        return value
    if "enum" in schema and value not in schema["enum"]:
        alike = [one for one in schema["enum"] if isinstance(one, str) and _folded(one) == _folded(value)]
        return alike[0] if len(alike) == 1 else value
    return value[: schema["maxLength"]] if "maxLength" in schema else value


def _folded(text: str) -> str:
    return _BETWEEN.sub("_", _ENDS.sub("", text)).casefold()


def _number(value: Any, schema: Schema, _: Schema) -> Any:  # noqa: ANN401
    """A number in a string, also as a share of the highest one: "9/10" on a scale to 10."""
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is None or (match[2] is not None and float(match[2]) != schema.get("maximum")):
        return value
    number = float(match[1])
    return int(number) if number.is_integer() else number


_FORMS: dict[str, Callable[[Any, Schema, Schema], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _number,
    "number": _number,
}
