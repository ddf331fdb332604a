"""Replies that come in pieces (server-sent events), put together into the shape in which they come whole.

They are asked for in pieces so that a slow server is not a silent one; nobody reads them before the last is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from surefoot.models.failures import CallFailed, failure_of

_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")
BROKEN = "the connection broke off before the reply was whole"
_DONE = b"[DONE]"


def is_stream(data: bytes) -> bool:
    return data.lstrip()[:6].startswith(_STARTS)


def joined_chat(data: bytes) -> bytes:
    """OpenAI's pieces as one chat completion."""
    texts: dict[str, list[str]] = {"content": [], "refusal": []}
    stop: Any = None
    usage: Any = None
    server: Any = None
    for event in _events(data):
        usage, server = event.get("usage") or usage, event.get("system_fingerprint") or server
        for choice in _dicts(event.get("choices")):
            if choice.get("index") in (None, 0):
                stop = choice.get("finish_reason") or stop
                for kind, parts in texts.items():
                    parts += _texts(choice.get("delta") or choice.get("message"), kind)
    if stop is None and not data.rstrip().endswith(_DONE):
        raise CallFailed("passing", BROKEN, maybe_paid=True)
    message = {kind: "".join(parts) for kind, parts in texts.items()}
    choices = [{"message": message, "finish_reason": stop}]
    return msgspec.json.encode({"choices": choices, "usage": usage, "system_fingerprint": server})


def joined_messages(data: bytes) -> bytes:
    """Anthropic's pieces as one message."""
    texts: list[str] = []
    stop: Any = None
    usage: dict[str, Any] = {}
    for event in _events(data):
        if event.get("type") == "message_start":
            usage |= _dict(_dict(event.get("message")).get("usage"))
        elif event.get("type") == "message_delta":
            stop = _dict(event.get("delta")).get("stop_reason") or stop
            usage |= _dict(event.get("usage"))
        elif event.get("type") in ("content_block_start", "content_block_delta"):
            texts += _texts(event.get("delta") or event.get("content_block"), "text")
    if stop is None:
        raise CallFailed("passing", BROKEN, maybe_paid=True)
    content = [{"type": "text", "text": "".join(texts)}]
    return msgspec.json.encode({"content": content, "stop_reason": stop, "usage": usage})


def failure_in(data: bytes) -> CallFailed | None:
    """An error in place of a reply, though the status says that all is well."""
    try:
        found = _dict(msgspec.json.decode(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    failure = _failed(found["error"], data) if found.get("error") else None
    if failure and not failure.message.startswith("HTTP "):
        failure.message = f"the server did not answer with a reply: {failure.message}"
    return failure


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.splitlines():
        found = line.removeprefix(b"data:").strip()
        if not line.startswith(b"data:") or not found or found == _DONE:
            continue
        try:
            event = msgspec.json.decode(found)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CallFailed("passing", BROKEN, maybe_paid=True) from error
        if isinstance(event, dict):
            if event.get("error"):
                raise _failed(event["error"], found)
            yield event


def _failed(error: object, data: bytes) -> CallFailed:
    """An error in the middle of a reply: its status is said in the body, if at all."""
    code = _dict(error).get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    failure = failure_of(status, {}, data)
    failure.message = failure.message if status == code else failure.message.removeprefix("HTTP 500: ")
    failure.maybe_paid = True
    return failure


def _texts(piece: object, key: str) -> list[str]:
    text = _dict(piece).get(key)
    return (
        [text]
        if isinstance(text, str)
        else ["".join(_texts(part, "text")[0] for part in _dicts(text) if "text" in part)]
    )


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
