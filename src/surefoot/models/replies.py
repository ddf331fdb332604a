"""What a model said, read: the JSON that was asked for, or why it cannot be used and what to say about that.

Models add keys, leave empty ones out, and write "9/10", "Supported" or one item for a list. What is put right here says
the same thing in another form. What a schema wants and a reply does not say stays a problem. Servers that promise to
keep to a schema do not keep to all of it (ranges of numbers least of all), so every reply is checked against it.

Replies that have been paid for are kept by what was asked. No key comes here: it is in neither prompt nor reply.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from surefoot.core.errors import SurefootError
from surefoot.core.files import cache_folder
from surefoot.models.dialects import Answer
from surefoot.models.seam import Prompt, Reply, ReplyStore, Schema
from surefoot.text.jsonblocks import last_valid

_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)\s*(?:/\s*([0-9]{1,15})(?:\.0+)?\s*)?")
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_BETWEEN = re.compile(r"[\W_]+")
_LONGEST_PROBLEM = 200


class Reading(NamedTuple):
    value: Any = None
    problem: str = ""  # empty: the reply can be used


def read(answer: Answer, prompt: Prompt) -> Reading:
    is_its_answer = prompt.schema is None and answer.text == answer.refusal  # who may say anything may decline
    if answer.refusal and not is_its_answer:
        return Reading(problem=f"the model refused to reply: {' '.join(answer.refusal.split())[:120]}")
    if not answer.text.strip():
        return Reading(problem="the reply was cut off before it began" if answer.cut else "the reply was empty")
    if answer.cut:  # what is there may be a draft, and a text that ends in the middle can say the opposite
        return Reading(problem="the reply was cut off at its longest length")
    if prompt.accepts is not None:
        return Reading(problem=prompt.accepts(answer.text))
    return Reading() if prompt.schema is None else _by_schema(answer, prompt.schema)


def _by_schema(answer: Answer, schema: Schema) -> Reading:
    found = last_valid(answer.text, lambda value: not problem(fitted(value, schema), schema))
    if found is not None:
        return Reading(fitted(found, schema))
    nearest = last_valid(answer.text, lambda _: True)
    wrong = "the reply held no whole JSON object" if nearest is None else problem(fitted(nearest, schema), schema)
    return Reading(problem=wrong)


def reminded(prompt: Prompt, wrong: str) -> Prompt:
    """The same with a short reminder.

    What the model said is not shown to it again: it may quote what an answer or a document had to say to graders.
    """
    if prompt.schema is None:
        return prompt
    reminder = f"Your last reply could not be used: {wrong}. Reply with only the JSON object, briefly."
    return replace(prompt, text=f"{prompt.text}\n\n{reminder}")


def check(schema: Schema) -> None:
    """ValueError if no reply can be checked against it: better before it is paid for."""
    if schema.get("type") != "object" and "$ref" not in schema:
        raise ValueError("a reply is a JSON object, so its schema must be one of an object")
    _validator(msgspec.json.encode(schema))


def problem(value: Any, schema: Schema) -> str:  # noqa: ANN401 - any JSON
    """The first thing that does not fit, or nothing."""
    validate = _validator(msgspec.json.encode(schema))
    try:
        validate(value, name_prefix="the reply")
    except ValueError as error:
        return str(error)[:_LONGEST_PROBLEM]
    return ""


@lru_cache(maxsize=64)
def _validator(schema: bytes) -> Callable[..., Any]:
    """Of thousands of prompts with one schema it is compiled once."""
    import fastjsonschema  # noqa: PLC0415 - only who asks models has it

    try:
        return fastjsonschema.compile(msgspec.json.decode(schema), use_default=False, use_formats=False)
    except fastjsonschema.JsonSchemaDefinitionException as error:
        raise ValueError(f"replies cannot be checked against the schema: {error}") from error


def fitted(value: Any, schema: Schema) -> Any:  # noqa: ANN401 - any JSON
    """The value in the form that the schema asks for, as far as that changes nothing it says."""
    found = _fitted(value, schema)
    if isinstance(found, dict) and not found and isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()  # {"result": {...}}: the reply, wrapped
        return _fitted(inner, schema) if isinstance(inner, dict) else value
    return found


def _fitted(value: Any, schema: Any) -> Any:  # noqa: ANN401
    for name in _types(schema):
        if name in _FORMS:
            value = _FORMS[name](value, schema)
    return value


def _types(schema: Any) -> list[str]:  # noqa: ANN401
    names = schema.get("type", []) if isinstance(schema, dict) else []
    return [names] if isinstance(names, str) else list(names)


def _object(value: Any, schema: Schema) -> Any:  # noqa: ANN401
    if not isinstance(value, dict):
        return value
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    found = {
        key: _fitted(inner, properties.get(key, others))
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


def _array(value: Any, schema: Schema) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return value
    return [_fitted(item, schema.get("items")) for item in value]


def _string(value: Any, schema: Schema) -> Any:  # noqa: ANN401
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


def _number(value: Any, schema: Schema) -> Any:  # noqa: ANN401
    """A number in a string, also as a share of the highest one: "9/10" on a scale to 10."""
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is None or (match[2] is not None and float(match[2]) != schema.get("maximum")):
        return value
    number = float(match[1])
    return int(number) if number.is_integer() else number


_FORMS: dict[str, Callable[[Any, Schema], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _number,
    "number": _number,
}


_VERSION = 1  # of what a digest is made of


def digest_of(model: str, prompt: Prompt, temperature: float | None, effort: str | None = None) -> str:
    # Half characters cannot be sent, yet texts that differ in them differ.
    texts = [text.encode("utf-8", "surrogatepass") for text in (prompt.system, prompt.text)]
    content = [_VERSION, model, temperature, *texts, prompt.schema, prompt.longest, prompt.attempt]
    content += [effort] if effort else []
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()


def default_path() -> Path:
    """Where replies are kept that belong to no project: a database like a project's, with nothing else in it."""
    return cache_folder() / "replies.db"


class Cache:
    """Several stores or none, the first one first: what is found in a later one is put into those before it."""

    def __init__(self, *stores: ReplyStore) -> None:
        self.stores = stores
        self._complained = False

    def get(self, digest: str, model: str = "") -> Reply | None:
        """As it came, but that it costs nothing any more."""
        for place, store in enumerate(self.stores):
            try:
                kept = store.read(digest)
                reply = None if kept is None else msgspec.json.decode(kept, type=Reply)
            except (SurefootError, msgspec.DecodeError, UnicodeDecodeError) as error:
                self._complain(store, error)
                continue
            if reply is not None:
                self._write(self.stores[:place], digest, model, reply)
                return repeated(reply)
        return None

    def put(self, digest: str, model: str, reply: Reply) -> None:
        """Durable against a kill when it returns. A reply that cannot be kept is still a reply."""
        self._write(self.stores, digest, model, reply)

    def _write(self, stores: Iterable[ReplyStore], digest: str, model: str, reply: Reply) -> None:
        for store in stores:
            try:
                store.write(digest, model, msgspec.json.encode(reply))
            except SurefootError as error:
                self._complain(store, error)

    def _complain(self, store: ReplyStore, error: Exception) -> None:
        if not self._complained:
            self._complained = True
            sys.stderr.write(f"{store.name}: the cache of replies failed: {error}; what it misses is asked again\n")


def repeated(reply: Reply) -> Reply:
    return msgspec.structs.replace(reply, cached=True, cost_usd=0.0, asked=0)
