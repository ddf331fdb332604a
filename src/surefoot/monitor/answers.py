"""Answers as a log has them, to be monitored: what each is called, and in which stratum it lies."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

from surefoot.io.traces import Logged
from surefoot.types import Item

_NAMES = ("trace_id", "traceId", "request_id", "requestId", "run_id", "runId", "span_id", "message_id", "uuid")
# With one of these, two rows that are the same throughout are one answer; without, they may be two.
_TELLING = ("id", "ts", "timestamp", "time", "created", "created_at", "createdAt", "start_time", "startTime", "date")


def name_of(logged: Logged, item: Item, number: int) -> str:
    """What tells an answer from all others, also when it is delivered again: its own id, or else all that its row says.

    `number` counts the rows, for logs that say neither who nor when: there every row is an answer of its own.
    """
    row: dict[str, Any] = logged.row if isinstance(logged.row, dict) else {}
    if logged.name:
        return logged.name
    for key in _NAMES:
        if isinstance(row.get(key), (str, int)) and row[key] not in ("", True, False):
            return str(row[key])
    said = msgspec.json.encode(row or msgspec.to_builtins(item), order="sorted", enc_hook=str)
    same = any(row.get(key) is not None for key in _TELLING)
    return sha256(said).hexdigest() + ("" if same else f":{number}")
