"""A model behind an endpoint: many calls at once, asked again where that helps, each reply kept the moment it is there.

The caller's thread hands prompts to the event loop and takes replies from a queue, so it can be interrupted, and it
pulls prompts only as fast as they are answered.
"""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Iterable, Iterator
from concurrent.futures import Future

from surefoot.errors import Incomplete
from surefoot.models import background
from surefoot.models.asking import Run, Terms, ask
from surefoot.models.budget import Estimate, tokens_of
from surefoot.models.cache import digest_of, repeated
from surefoot.models.learnt import Learnt
from surefoot.models.schema import check
from surefoot.models.seam import Prompt, Reply

_SECONDS_TO_STOP = 5.0  # beyond the grace for calls under way


class EndpointModel:
    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._learnt = Learnt(terms.manner)
        self._under_way: dict[str, asyncio.Future[Reply]] = {}

    @property
    def name(self) -> str:
        return self._terms.name

    def complete(self, prompt: Prompt) -> Reply:
        return next(reply for _, reply in self.complete_all([prompt]))

    def complete_all(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Reply]]:
        """Replies as they come. When the caller stops, what is paid for is still waited for a moment, and kept."""
        loop, results = background.loop(), queue.SimpleQueue[tuple[int, Reply | Exception]]()
        waiting, run, under_way = enumerate(prompts), Run(), 0
        try:
            while True:
                # Twice as many as are asked at once, so that the loop never waits for the caller.
                while under_way < 2 * self._terms.settings.concurrency and (job := next(waiting, None)) is not None:
                    loop.call_soon_threadsafe(self._start, *job, run, results)
                    under_way += 1
                if not under_way:
                    return
                place, reply = results.get()
                under_way -= 1
                if isinstance(reply, Exception):
                    raise reply
                yield place, reply
        finally:
            if under_way:
                self._stop(run, loop)

    def estimate(self, prompts: Iterable[Prompt]) -> Estimate:
        """What asking these would cost at most, without what is answered already."""
        seen: set[str] = set()
        calls = known = tokens_in = tokens_out = 0
        for prompt in prompts:
            digest = self.digest(prompt)
            if digest in seen or (self._terms.cache is not None and self._terms.cache.get(digest) is not None):
                known += 1
                continue
            seen.add(digest)
            longest = self._terms.settings.max_tokens or prompt.longest
            calls, tokens_in, tokens_out = calls + 1, tokens_in + tokens_of(prompt), tokens_out + longest
        price, settings = self._terms.price, self._terms.settings
        thinking = 0 if settings.max_tokens else calls * settings.thinking
        usd = None if price is None else price.of(tokens_in, tokens_out)
        more = None if price is None else price.of(0, thinking)
        return Estimate(self.name, calls, known, tokens_in, tokens_out, usd, thinking, more)

    def _start(
        self, place: int, prompt: Prompt, run: Run, results: queue.SimpleQueue[tuple[int, Reply | Exception]]
    ) -> None:
        def finished(task: asyncio.Task[Reply]) -> None:
            run.tasks.discard(task)
            if task.cancelled():
                return  # only ever when the caller has stopped
            error = task.exception()
            if error is None:
                results.put((place, task.result()))
            else:
                results.put((place, error if isinstance(error, Exception) else Incomplete(str(error))))

        task = asyncio.get_running_loop().create_task(self._answer(prompt, run))
        run.tasks.add(task)
        task.add_done_callback(finished)

    async def _answer(self, prompt: Prompt, run: Run) -> Reply:
        """Equal prompts under way at the same time are one call."""
        digest = self.digest(prompt)
        while (leader := self._under_way.get(digest)) is not None:
            await asyncio.wait([leader])
            if not leader.cancelled():
                return repeated(leader.result())
        cache = self._terms.cache
        if cache is not None and (reply := cache.get(digest)) is not None:
            return reply
        if prompt.schema is not None:
            check(prompt.schema)
        self._under_way[digest] = future = asyncio.get_running_loop().create_future()
        try:
            reply = await ask(prompt, self._terms, self._learnt, run)
            if cache is not None and not reply.error:
                cache.put(digest, self.name, reply)
            if not (reply.error and run.stopping):  # others who wait for it have not stopped, and ask themselves
                future.set_result(reply)
            return reply
        finally:
            future.cancel()  # does nothing to one that has its result
            del self._under_way[digest]

    def known(self, prompt: Prompt) -> Reply | None:
        """The reply that the cache has, which costs nothing."""
        return None if self._terms.cache is None else self._terms.cache.get(self.digest(prompt))

    def digest(self, prompt: Prompt) -> str:
        """Of all that the reply depends on."""
        settings = self._terms.settings
        return digest_of(self.name, prompt, settings.temperature, settings.effort)

    def _stop(self, run: Run, loop: asyncio.AbstractEventLoop) -> None:
        stopped: Future[None] = asyncio.run_coroutine_threadsafe(run.stop(self._terms.settings.grace), loop)
        try:
            stopped.result(self._terms.settings.grace + _SECONDS_TO_STOP)
        except TimeoutError:
            return  # the loop hangs; its thread does not keep the process
