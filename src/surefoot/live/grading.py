"""The sample is graded in the background, a few answers at a time, in the order in which they were chosen."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import words_of
from surefoot.core.types import Item, Question
from surefoot.graders.grader import Graded, Reader
from surefoot.live.intake import Intake, Queued, queued_in
from surefoot.text.normal import id_of_text

_BATCH = 2  # answers that are read at once: whoever ends the monitor need not wait for long
_PAUSE = 0.5  # seconds


class Reading(Struct, frozen=True):
    """An answer of the queue and what the grader says of it; None where it failed."""

    queued: Queued
    graded: Graded | None


class Grading:
    """Goes on from a place in the queue; `on_graded` gets what was read, and the place behind it."""

    def __init__(self, grader: Reader, intake: Intake, place: int, tell: Callable[[str], None]) -> None:
        self._grader, self._intake, self._tell = grader, intake, tell
        self._place, self.failures, self.seconds = place, 0, 0.0

    def work(self, on_graded: Callable[[Sequence[Reading], int], None], ending: threading.Event) -> None:
        while not ending.is_set():
            self._intake.news.clear()
            rows = list(islice(self._intake.queue.rows(self._place), _BATCH))
            if not rows:
                self._intake.news.wait(_PAUSE)
                continue
            queued, start = [queued_in(row) for row, _ in rows], time.monotonic()
            readings = [Reading(one, found) for one, found in zip(queued, self._read(queued), strict=True)]
            self.seconds += time.monotonic() - start
            self._place = rows[-1][1]
            on_graded(readings, self._place)

    def _read(self, queued: Sequence[Queued]) -> list[Graded | None]:
        """Where the grader fails, each answer is tried alone, so that it is one that is not graded and not all."""
        try:
            return [*self._grader.read([_item(one) for one in queued])]
        except Exception as error:  # noqa: BLE001 - whatever an answer does to a model must not end the monitor
            self.failures += 1
            if self.failures == 1 or len(queued) == 1:
                self._tell(f"warning: the grader failed: {words_of(error)}")
        return [None] if len(queued) == 1 else [self._read([one])[0] for one in queued]


def _item(one: Queued) -> Item:
    name = id_of_text(one.trace.question or "")
    return Item(Question(name, one.trace.question or "", "answer"), replace(one.trace, question_id=name, question=None))
