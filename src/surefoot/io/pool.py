"""Map a function over blocks on the cores of one machine, results in order, memory bounded."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import parent_process
from typing import Any, TypeVar

from surefoot.errors import Incomplete

Piece = TypeVar("Piece")
Result = TypeVar("Result")

MOST_JOBS_PER_CORE = 4  # more would only fight over the cores, and a slip must not bring a machine down

_work: Callable[..., object] | None = None


def map_blocks(work: Callable[[Piece], Result], blocks: Iterable[Piece], jobs: int | None = None) -> Iterator[Result]:
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
                with _signals_held():
                    waiting.append(pool.submit(_run, block))
                if len(waiting) > 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            hint = "it may have run out of memory; try --jobs 1"
            raise Incomplete("a worker process was killed before it had finished", hint) from error
        finally:
            # Left early (an error, Ctrl-C): what has not started must not start.
            for future in waiting:
                future.cancel()


@contextmanager
def _signals_held() -> Iterator[None]:
    """The first submit forks the workers: an interrupt in the middle of that would leave a pool that never ends."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare(work: Callable[..., object]) -> None:
    global _work
    _work = work
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    # The parent answers Ctrl-C and kill; its workers only finish their block.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # It may be killed too. Idle workers would wait for its next block for ever.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Rows are decoded and forgotten block by block and hold no cycles: collecting would only cost time.
    gc.disable()


def _end_with_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _run(block: object) -> Any:  # noqa: ANN401 - whatever the work returns
    if _work is None:
        raise RuntimeError("the worker was not prepared")
    return _work(block)
