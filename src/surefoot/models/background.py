"""The one event loop of the process, in a thread of its own: callers stay plain functions, and calls share it."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable

_SECONDS_TO_END = 2.0

_guard = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_started_by = 0
_closers: list[Callable[[], Awaitable[None]]] = []


def loop() -> asyncio.AbstractEventLoop:
    """Started on first use. A forked process has none of its parent's threads, so it starts its own."""
    global _loop, _started_by
    with _guard:
        if _loop is None or _started_by != os.getpid():
            _loop, _started_by = asyncio.new_event_loop(), os.getpid()
            _closers.clear()
            thread = threading.Thread(target=_loop.run_forever, name="surefoot-models", daemon=True)
            thread.start()
            atexit.register(_end, _loop, thread)
        return _loop


def close_at_exit(close: Callable[[], Awaitable[None]]) -> None:
    """Connections are kept until the end: who asks once asks again."""
    loop()
    _closers.append(close)


def _end(ending: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    async def close_all() -> None:
        await asyncio.gather(*(close() for close in _closers), return_exceptions=True)

    if _started_by != os.getpid():
        return
    try:
        asyncio.run_coroutine_threadsafe(close_all(), ending).result(_SECONDS_TO_END)
    except TimeoutError:
        return  # the thread is a daemon: it cannot keep the process
    ending.call_soon_threadsafe(ending.stop)
    thread.join(_SECONDS_TO_END)
    if not thread.is_alive():
        ending.close()
