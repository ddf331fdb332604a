"""When a label must be dated so that it counts: the newest of a person does, and some are dated ahead of the clock."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

TICK = timedelta(microseconds=1)


def time_after(newest: str, now: datetime) -> str | None:
    """Now, or just after the newest label where that is ahead; None where no time is later, as texts are compared."""
    return next((at for at in _times(newest, now) if at > newest), None)


def _times(newest: str, now: datetime) -> Iterator[str]:
    """By the clock, or as it is written, for that is how times are put in order."""
    yield now.isoformat(timespec="microseconds")
    for step in (TICK, timedelta(seconds=1)):
        for as_written in (False, True):
            with contextlib.suppress(ValueError, OverflowError):
                time = datetime.fromisoformat(newest)
                is_utc = as_written or time.tzinfo is None
                time = time.replace(tzinfo=UTC) if is_utc else time.astimezone(UTC)
                yield (time + step).isoformat(timespec="microseconds")
