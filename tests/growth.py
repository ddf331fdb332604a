"""How work grows with its input: a question that a busy machine must not be able to answer."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import thread_time
from typing import TypeVar

_TRIES = 30
_TOO_SHORT = 0.002  # seconds; below this the clock decides, not the work
Input = TypeVar("Input")


def grows_evenly(work: Callable[[int], object], size: int, at_most: float = 8) -> bool:
    """Whether four times the input takes about four times the work, not sixteen times; or `at_most` so many times.

    Whatever else goes on can only add to the time this thread uses, so the least of several tries is near the truth,
    and one fair try of each is enough.
    """
    work(size)
    small = large = float("inf")
    for _ in range(_TRIES):
        small = min(small, seconds(work, size))
        large = min(large, seconds(work, 4 * size))
        if large <= at_most * max(small, _TOO_SHORT):
            return True
    return False


def seconds(work: Callable[[Input], object], size: Input) -> float:
    gc.disable()  # what other tests left behind is not this one's work
    try:
        start = thread_time()
        work(size)
        return thread_time() - start
    finally:
        gc.enable()
