"""What was said: the text of a question or an answer, in whatever a log wraps it.

That may be JSON in a text, a list of messages, or an object with the text under one of many names.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping

from msgspec import DecodeError, json

# The names under which an object may hold what either side said, the likeliest first.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "user": ("question", "query", "user_input", "input", "inputs", "prompt", "q"),
    "assistant": (
        "answer", "claim", "response", "result", "output", "output_text", "outputs", "completion", "generated_text",
        "replies", "answers", "data", "generations", "choices",
    ),
}  # fmt: skip
_EITHER = ("content", "text", "value", "messages", "message", "parts", "contents", "gen_ai.event.content")
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "AIMessageChunk": "assistant"}
_BLOCKS = ("text", "output_text", "input_text")  # the parts of a message that are text
_NO_TEXTS = ("role", "type", "id", "name")
_DEEPEST = 8
_LONGEST_LITERAL = 1 << 20


def said(value: object, role: str, depth: int = 0) -> str | None:
    """What the given role, `user` or `assistant`, says in a value; of several messages, the last."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, str):
        inner = decoded(value)
        return (said(inner, role, depth + 1) if isinstance(inner, (dict, list)) else None) or value
    if isinstance(value, list):
        return _said_in_list(value, role, depth)
    if not isinstance(value, dict):
        return None
    found = (said(value.get(name), role, depth + 1) for name in (*_NAMES[role], *_EITHER) if name in value)
    return next(filter(None, found), None) or _only(value)


def _only(value: Mapping[str, object]) -> str | None:
    """The one text of an object that has nothing else."""
    ((key, text),) = value.items() if len(value) == 1 else [("", None)]
    return text if isinstance(text, str) and key not in _NO_TEXTS else None


def decoded(value: object) -> object:
    """The object or list that a text holds, written as JSON or by Python; any other value as it is."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return json.decode(value)
    except (DecodeError, RecursionError):
        return _literal(value)


def _literal(value: str) -> object:
    """Tables that pandas wrote hold lists as Python shows them."""
    if value[-1:] not in ("}", "]") or len(value) > _LONGEST_LITERAL:
        return value
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
            found = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return value
    return found if isinstance(found, (dict, list)) else value


def _said_in_list(value: list[object], role: str, depth: int) -> str | None:
    if value and isinstance(value[0], list):  # a batch of one
        return said(value[0], role, depth + 1)
    if len(value) == 1 and isinstance(value[0], str):
        return value[0]
    messages = [_message(one) for one in value if isinstance(one, dict)]
    blocks = [str(one["text"]) for one in messages if one.get("type") in _BLOCKS and "text" in one]
    if blocks:
        return "".join(blocks)
    by_role = [one for one in messages if _role(one, role) == role]
    texts = [text for one in by_role if (text := said(one.get("parts") or one, role, depth + 1))]
    return texts[-1] if texts else None


def _message(value: dict[str, object]) -> dict[str, object]:
    """A message by its plain keys, wherever a framework puts them (`message.role`, `kwargs`)."""
    for name in ("message", "kwargs"):
        inner = value.get(name)
        value = inner if isinstance(inner, dict) else value
    return {str(key).rpartition(".")[2]: item for key, item in value.items()}


def _role(message: Mapping[str, object], otherwise: str) -> object:
    kind = message.get("type")
    known = _ROLES.get(kind, kind if kind in ("system", "tool") else None) if isinstance(kind, str) else None
    role = message.get("role") or known or otherwise
    return _ROLES.get(role, role) if isinstance(role, str) else role
