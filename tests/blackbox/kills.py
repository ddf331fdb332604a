"""Kill a command at a moment of chance: it must lose nothing that it had finished, and do nothing twice."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.blackbox.facts import command, environment

_LONGEST_WAIT = 120.0  # seconds


class Killed(NamedTuple):
    """How a command ended: by our hand, or by itself before that; and how far it was."""

    in_time: bool
    progress: int


def kill(
    words: Sequence[str], folder: Path, *, after: float | None = None, progress: Callable[[], int] | None = None,
    until: int = 1,
) -> Killed:  # fmt: skip
    """Start a command in `folder` and kill -9 it, so many seconds `after` that or once `progress` reaches `until`."""
    process = subprocess.Popen(
        command(*words), cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    measure = progress or (lambda: 0)
    started = time.monotonic()
    while process.poll() is None and not _is_due(time.monotonic() - started, after, measure, until):
        time.sleep(0.002)
    in_time = process.poll() is None
    if in_time:
        process.kill()
    process.wait()
    return Killed(in_time, measure())


def _is_due(seconds: float, after: float | None, measure: Callable[[], int], until: int) -> bool:
    if after is not None:
        return seconds >= after
    return measure() >= until or seconds > _LONGEST_WAIT
