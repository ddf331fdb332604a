"""How many calls an endpoint gets at once: as many as it takes.

The limit falls in proportion to the share of calls that were refused, and rises again by a fixed step where none
were: a server that is truly overloaded soon has few calls, while one that refuses a few at random keeps most.
Halving on every single refusal, as is common, leaves such a server nearly idle.
"""

from __future__ import annotations

import asyncio
from collections import deque
from random import Random  # noqa: TID251 - pauses, not decisions

_STEPS = 16  # from nothing to the ceiling
_FIRST_WAIT, _LONGEST_WAIT = 0.25, 30.0
_SPREAD = 0.1  # of a pause, so that not all come back in the same instant


class Limit:
    """Additive increase, multiplicative decrease, once for every round of as many calls as the limit allows."""

    def __init__(self, ceiling: int) -> None:
        self.ceiling = ceiling
        self._limit = float(ceiling)
        self._finished = self._refused = 0

    @property
    def now(self) -> int:
        return max(1, int(self._limit))

    def count(self, refused: bool) -> None:
        self._finished += 1
        self._refused += refused
        if self._finished < self.now:
            return
        share = self._refused / self._finished
        step = max(1.0, self.ceiling / _STEPS)
        self._limit = min(float(self.ceiling), max(1.0, self._limit * (1 - share / 2) + step * (1 - share)))
        if share == 1 and self._limit < 2:
            self._limit = 1.0
        self._finished = self._refused = 0


class Pace:
    """The gate that all calls to one endpoint go through. For one event loop."""

    def __init__(self, ceiling: int, chance: Random | None = None) -> None:
        self.limit = Limit(ceiling)
        self.active = 0
        self._paused_until = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._chance = chance or Random()

    async def enter(self) -> None:
        while True:
            if (pause := self._paused_until - asyncio.get_running_loop().time()) > 0:
                await asyncio.sleep(pause + _SPREAD * pause * self._chance.random())
            elif self.active < self.limit.now:
                self.active += 1
                return
            else:
                await self._turn()

    def leave(self, refused: bool) -> None:
        self.active -= 1
        self.limit.count(refused)
        self._wake()

    def pause(self, seconds: float) -> None:
        """For all calls that have not begun."""
        self._paused_until = max(self._paused_until, asyncio.get_running_loop().time() + seconds)

    def wait_before(self, again: int) -> float:
        """How long a call that failed waits before it is made again, for the n-th time from 1 on."""
        most = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** min(again, 30))
        return most * self._chance.uniform(0.5, 1.0)

    async def _turn(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._wake()  # the turn came and is not taken: it is the next one's
            raise

    def _wake(self) -> None:
        free = self.limit.now - self.active
        while free > 0 and self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                free -= 1
