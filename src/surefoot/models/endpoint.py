"""Models behind an endpoint: many calls at once, asked again where that helps, each reply kept the moment it is there.

The caller's thread hands prompts to the event loop and takes replies from a queue, so it can be interrupted, and it
pulls prompts only as fast as they are answered. The process has one event loop, in a thread of its own: callers stay
plain functions.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import queue
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import islice
from urllib.parse import urlsplit

from surefoot.core.errors import Incomplete, UsageError
from surefoot.models.budget import Budget, Estimate, price_of, tokens_of
from surefoot.models.cache import Cache, digest_of, repeated
from surefoot.models.calls import Endpoint, Learnt, Run, Terms, ask
from surefoot.models.client import VENDOR_KEYS, Client, key_of
from surefoot.models.dialects import Manner
from surefoot.models.pace import Pace
from surefoot.models.replies import check
from surefoot.models.seam import Prompt, Reply, ReplyStore, Settings, checked
from surefoot.text.endpoints import VENDORS, Spec, parsed

_SECONDS_TO_STOP = 5.0  # beyond the grace for calls under way
_SECONDS_TO_END = 2.0


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
        """Replies as they come; the first prompts are sent at once, so that several models work at the same time.

        When the caller stops, what is paid for is still waited for a moment, and kept.
        """
        run, results = Run(), queue.SimpleQueue[tuple[int, Reply | Exception]]()
        loop, waiting = _event_loop(), enumerate(prompts)

        def start(most: int) -> int:
            jobs = list(islice(waiting, most))
            for job in jobs:
                loop.call_soon_threadsafe(self._start, *job, run, results)
            return len(jobs)

        # Twice as many as are asked at once, so that the loop never waits for the caller.
        return self._received(start, start(2 * self._terms.settings.concurrency), run, results)

    def _received(
        self, start: Callable[[int], int], under_way: int, run: Run,
        results: queue.SimpleQueue[tuple[int, Reply | Exception]],
    ) -> Iterator[tuple[int, Reply]]:  # fmt: skip
        try:
            while under_way:
                place, reply = results.get()
                under_way -= 1
                if isinstance(reply, Exception):
                    raise reply
                under_way += start(1)
                yield place, reply
        finally:
            if under_way:
                self._stop(run, _event_loop())

    def estimate(self, prompts: Iterable[Prompt]) -> Estimate:
        """What asking these would cost at most, without what is answered already."""
        seen: set[str] = set()
        calls = known = tokens_in = tokens_out = 0
        for prompt in prompts:
            digest = self.digest(prompt)
            if digest in seen or self._terms.cache.get(digest, self.name) is not None:
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
        if (found := cache.get(digest, self.name)) is not None:
            return found
        if prompt.schema is not None and prompt.accepts is None:
            check(prompt.schema)
        self._under_way[digest] = future = asyncio.get_running_loop().create_future()
        try:
            reply = await ask(prompt, self._terms, self._learnt, run)
            if not reply.error:
                cache.put(digest, self.name, reply)
            if not (reply.error and run.stopping):  # others who wait for it have not stopped, and ask themselves
                future.set_result(reply)
            return reply
        finally:
            future.cancel()  # does nothing to one that has its result
            del self._under_way[digest]

    def known(self, prompt: Prompt) -> Reply | None:
        """The reply that the cache has, which costs nothing."""
        return self._terms.cache.get(self.digest(prompt), self.name)

    def digest(self, prompt: Prompt) -> str:
        """Of all that the reply depends on."""
        settings = self._terms.settings
        return digest_of(self.name, prompt, settings.temperature, settings.effort)

    def keeping(self, store: ReplyStore) -> EndpointModel:
        """The same model, its replies kept there as well, and looked for there first."""
        return EndpointModel(self._terms._replace(cache=Cache(store, *self._terms.cache.stores)))

    def _stop(self, run: Run, loop: asyncio.AbstractEventLoop) -> None:
        stopped: Future[None] = asyncio.run_coroutine_threadsafe(run.stop(self._terms.settings.grace), loop)
        try:
            stopped.result(self._terms.settings.grace + _SECONDS_TO_STOP)
        except TimeoutError:
            return  # the loop hangs; its thread does not keep the process


_endpoints: dict[tuple[object, ...], Endpoint] = {}


def open_model(spec: str, settings: Settings | None = None, budget: Budget | None = None) -> EndpointModel:
    """`llm:MODEL@ENDPOINT` (any OpenAI-compatible server), `llm:MODEL`, `anthropic:MODEL[@ENDPOINT]`, `ollama:...`.

    Models that share a budget stop together.
    """
    asked, settings, budget = parsed(spec), checked(settings or Settings()), budget or Budget()
    price = price_of(asked.model, asked.endpoint, settings.prices)
    if price is None and budget.most_usd is not None:
        hint = 'name it in surefoot.toml: [prices] and "NAME" = { in = 0, out = 0 }'
        raise UsageError(f"the price of {asked.model} is not known, so no limit on its cost can be kept", hint)
    # OpenAI's own newer models know the limit by the longer name alone, and most other servers by the shorter.
    own = asked.endpoint == VENDORS["llm"]
    manner = Manner(limit="max_completion_tokens" if own else "max_tokens")
    cache = Cache(settings.cache) if settings.cache else Cache()
    return EndpointModel(
        Terms(asked.model, asked.name, _endpoint(asked, settings), settings, manner, price, cache, budget)
    )


def _endpoint(asked: Spec, settings: Settings) -> Endpoint:
    """Models at one endpoint share its connections and its pace."""
    key = key_of(asked.endpoint)
    host = urlsplit(asked.endpoint).hostname or ""
    if not key and host in VENDOR_KEYS:
        hint = f"set the environment variable {VENDOR_KEYS[host]}"
        raise UsageError(f"there is no key for {host}", hint)
    place = (os.getpid(), asked.kind, asked.endpoint, key, settings.concurrency, settings.connect,
             settings.stall, settings.total)  # fmt: skip
    if place not in _endpoints:
        client = Client(asked.kind, asked.endpoint, key, settings)
        _close_at_exit(client.close)
        _endpoints[place] = Endpoint(client, Pace(settings.concurrency))
    return _endpoints[place]


_guard = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_started_by = 0
_closers: list[Callable[[], Awaitable[None]]] = []


def _event_loop() -> asyncio.AbstractEventLoop:
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


def _close_at_exit(close: Callable[[], Awaitable[None]]) -> None:
    """Connections are kept until the end: who asks once asks again."""
    _event_loop()
    _closers.append(close)


def _end(ending: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    async def close_all() -> None:
        if rest := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in rest:
                task.cancel()
            await asyncio.wait(rest, timeout=_SECONDS_TO_END / 2)
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
