"""What a failed call means for the next one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Literal

import msgspec

Kind = Literal[
    "busy",  # asked too often: slow down, ask again
    "passing",  # may pass: ask again
    "unreachable",  # the same, but nobody is there at all
    "rejected",  # something in the request: perhaps it goes without that
    "permanent",  # this prompt will not be answered
    "hopeless",  # no prompt will: wrong key, unknown model
]
_BUSY = frozenset({429, 503, 529})
_PASSING = frozenset({408, 409, 425})
_REJECTED = frozenset({400, 415, 422, 501})
_HOPELESS = frozenset({401, 402, 404, 405})
_NO_MONEY = ("insufficient_quota", "credit balance is too low", "exceeded your current quota")
_LONGEST_MESSAGE = 200


class CallFailed(Exception):
    def __init__(self, kind: Kind, message: str, retry_after: float | None = None, maybe_paid: bool = False) -> None:
        super().__init__(message)
        self.kind, self.message, self.retry_after = kind, message, retry_after
        self.maybe_paid = maybe_paid  # the model may have answered, and the answer got lost


def failure_of(
    status: int, headers: Mapping[str, str], data: bytes, scrubbed: Callable[[str], str] = str
) -> CallFailed:
    said = _said(data, scrubbed)
    message = f"HTTP {status}: {said}".removesuffix(": ")
    if 300 <= status < 400:
        where = headers.get("location", "another address")
        return CallFailed("hopeless", f"HTTP {status}: the server sends us on to {where}")
    return CallFailed(_kind(status, data), message, retry_after(headers))


def _kind(status: int, data: bytes) -> Kind:
    start = data[:2_000].decode("utf-8", "replace").lower()
    if any(words in start for words in _NO_MONEY):
        return "hopeless"
    if status in _BUSY or (status >= 500 and "overloaded" in start):
        return "busy"
    if status in _REJECTED:
        return "rejected"
    if status in _PASSING or status >= 500:
        return "passing"
    return "hopeless" if status in _HOPELESS else "permanent"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait: given in milliseconds, in seconds or as a date."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1_000
    value = headers.get("retry-after")
    if (seconds := _number(value)) is not None or not value:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (ValueError, OverflowError):
        return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _said(data: bytes, scrubbed: Callable[[str], str]) -> str:
    """The message in an error's JSON, wherever the server puts it; else how the body begins.

    Scrubbed before it is cut, for the first half of a key is not known for one.
    """
    try:
        found: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = None
    if isinstance(found, dict):
        inner = found.get("error", found)
        found = inner.get("message") or inner.get("detail") if isinstance(inner, dict) else inner
    text = scrubbed(found if isinstance(found, str) else data.decode("utf-8", "replace"))
    return " ".join(text.split())[:_LONGEST_MESSAGE]
