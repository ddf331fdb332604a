"""Map a function over blocks on the cores of one machine, results in order, memory bounded."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import Any, TypeVar

Block = TypeVar("Block")
Result = TypeVar("Result")

MOST_JOBS_PER_CORE = 4  # more would only fight over the cores, and a slip must not bring a machine down

_work: Callable[..., object] | None = None


def map_blocks(work: Callable[[Block], Result], blocks: Iterable[Block], jobs: int | None = None) -> Iterator[Result]:
    """`work(block)` for every block. One block, or one job, stays in this process."""
    cores = os.cpu_count() or 1
    jobs = min(jobs or cores, MOST_JOBS_PER_CORE * cores)
    blocks = iter(blocks)
    head = list(islice(blocks, 2))
    if jobs == 1 or len(head) < 2:
        yield from map(work, chain(head, blocks))
        return
    with ProcessPoolExecutor(jobs, initializer=_prepare, initargs=(work,)) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for block in chain(head, blocks):
                waiting.append(pool.submit(_run, block))
                if len(waiting) > 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            # Left early (an error, Ctrl-C): what has not started must not start.
            for future in waiting:
                future.cancel()


def _prepare(work: Callable[..., object]) -> None:
    global _work
    _work = work
    # Rows are decoded and forgotten block by block and hold no cycles: collecting would only cost time.
    gc.disable()


def _run(block: object) -> Any:  # noqa: ANN401 - whatever the work returns
    if _work is None:
        raise RuntimeError("the worker was not prepared")
    return _work(block)
