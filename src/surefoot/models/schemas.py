"""JSON schemas in the terms that every OpenAI-style server knows.

OpenAI's strict mode, Azure and Gemini each reject some of the keywords that limit a value, and llama.cpp ignores some.
What is sent has none of them: a short range of integers is a list, and other limits are words. Servers of one's own
are also told how long a text or a list may be, or a small model never stops. Replies are checked against the schema as
it was, so nothing depends on what a server makes of it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from surefoot.models.seam import Schema

_LIMITS = {
    "minLength": "at least {} characters", "maxLength": "at most {} characters", "minimum": "at least {}",
    "maximum": "at most {}", "minItems": "at least {} items", "maxItems": "at most {} items",
}  # fmt: skip
_LENGTHS = frozenset({"minLength", "maxLength", "minItems", "maxItems"})
_LISTED = 20  # integers


def portable(schema: Schema, *, lengths: bool) -> Schema:
    """`lengths`: whether the server is told how long texts and lists may be as keywords, too."""
    return _portable(msgspec.json.encode(schema), _LENGTHS if lengths else frozenset())


def is_strict(schema: Schema) -> bool:
    """OpenAI's strict mode wants every property required and no others allowed, all the way down."""
    return _is_strict(msgspec.json.encode(schema))


# Of thousands of prompts with one schema both are found out once.
@lru_cache(maxsize=64)
def _portable(schema: bytes, kept: frozenset[str]) -> Schema:
    found: Schema = _without_limits(msgspec.json.decode(schema), kept)
    return found


@lru_cache(maxsize=64)
def _is_strict(schema: bytes) -> bool:
    return _can_be_strict(msgspec.json.decode(schema))


def _without_limits(schema: Any, kept: frozenset[str]) -> Any:  # noqa: ANN401 - any JSON
    if not isinstance(schema, dict):
        return schema
    found = {key: _inside(key, value, kept) for key, value in schema.items() if key not in _LIMITS.keys() - kept}
    limits = {key: value for key, value in schema.items() if key in _LIMITS}
    low, high = limits.get("minimum"), limits.get("maximum")
    if schema.get("type") == "integer" and isinstance(low, int) and isinstance(high, int) and high - low < _LISTED:
        return found if "enum" in found else found | {"enum": list(range(low, high + 1))}
    words = [found["description"]] if isinstance(found.get("description"), str) else []
    words += [words_of.format(limits[key]) for key, words_of in _LIMITS.items() if key in limits]
    return found | {"description": "; ".join(words)} if limits else found


def _inside(key: str, value: Any, kept: frozenset[str]) -> Any:  # noqa: ANN401
    """The schemas inside a schema, and not what only looks like one."""
    if key in ("properties", "$defs", "definitions") and isinstance(value, dict):
        return {name: _without_limits(one, kept) for name, one in value.items()}
    if key in ("anyOf", "oneOf", "allOf") and isinstance(value, list):
        return [_without_limits(one, kept) for one in value]
    return _without_limits(value, kept) if key in ("items", "additionalProperties") else value


def _can_be_strict(schema: Any) -> bool:  # noqa: ANN401
    if isinstance(schema, list):
        return all(map(_can_be_strict, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object":
        named = set(schema.get("properties", {}))
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != named:
            return False
    return all(map(_can_be_strict, schema.values()))
