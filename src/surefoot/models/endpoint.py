"""Models behind an endpoint: many calls at once, asked again where that helps, each reply kept the moment it is there.

The caller's thread hands prompts to the event loop and takes replies from a queue, so it can be interrupted, and it
pulls prompts only as fast as they are answered. The process has one event loop, in a thread of its own: callers stay
plain functions.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import queue
import re
import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec.structs import replace

from surefoot.core.errors import UsageError
from surefoot.models.budget import Budget, Estimate, affordable, fewest_tokens, money, most_usd, price_of, tokens_of
from surefoot.models.client import Client, key_of
from surefoot.models.dialects import Answer, Manner, adapted
from surefoot.models.failures import CallFailed
from surefoot.models.replies import Cache, Reading, check, digest_of, read, reminded, repeated
from surefoot.models.seam import Price, Prompt, Reply, ReplyStore, Settings
from surefoot.models.spec import VENDORS, Spec, parsed

_RETRIES_UNREACHED = 2  # of a server that has never answered
_LOOK_AGAIN = 0.02  # seconds, whether calls under way have left something of the budget
_MAY_PASS = ("busy", "passing", "page", "unreachable", "unpaid", "too_dear")
_BY_SERVER = "the server allows for no longer reply: lower the effort, or choose another model"
_BY_BUDGET = "--set max_cost=USD allows for more"
_SHORTENED = "raise the context length of the server; with Ollama, write ollama:MODEL, which sets it"
_SURELY = 0.9  # of the fewest tokens that a prompt can have
_SHORTEST_CONTEXT = 1_500  # tokens; no server shortens less
_LEAST_READ = 1_000  # tokens that are left then; who says less does not count as we do
_PROMPTS_IN_VAIN = 10  # each asked with all patience and no reply in between, until the rest is spared that
_PROMPTS_UNREACHED = 3  # the same of a server that has never answered: most likely it was not started
_ANSWERS_UNPAID = 5  # that the vendor wants money, and no reply in between
_EFFORT = re.compile("effort|support thinking|think value", re.IGNORECASE)
_PAGES = 3  # of the web that came from a server that has never answered: it is no API
_PLAIN_REPLIES = 3  # whose tokens are those of their text, until a model is known not to think
_TOKENS_PER_CHARACTER, _OVERHEAD = 0.6, 64  # of a text, at most
_NEARLY_ALL = 0.9  # of the room of a reply that was cut off


class Terms(NamedTuple):
    """What is asked of whom, and on what terms."""

    model: str
    name: str
    client: Client  # shared by all models that are asked there with the same key
    settings: Settings
    price: Price | None
    cache: Cache
    budget: Budget


class Run:
    """The prompts of one caller, who may stop."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[Reply]] = set()
        self.sent: set[asyncio.Task[Reply] | None] = set()  # those whose call is at the server now
        self.stopping = False

    async def stop(self, grace: float) -> None:
        """No new call; those that are paid for may end."""
        self.stopping = True
        for task in self.tasks - self.sent:
            task.cancel()
        if self.tasks:
            await asyncio.wait(set(self.tasks), timeout=grace)
        for task in set(self.tasks):
            task.cancel()


class _Prompt:
    def __init__(self, prompt: Prompt, terms: Terms, learnt: Learnt, run: Run) -> None:
        self._prompt, self._terms, self._learnt, self._run = prompt, terms, learnt, run
        self._manner = learnt.manner
        self._wanted = prompt  # with a reminder, after a reply that could not be used
        self._calls = self._failures = self._refusals = self._repairs = self._cuts = 0
        self._tokens_in = self._tokens_out = self._asked_for = 0
        self._cost: float | None = 0.0
        self._wrong = ""  # with the last reply
        self._started = asyncio.get_running_loop().time()

    async def reply(self) -> Reply:
        while True:
            if self._learnt.hopeless is not None:
                return self._error(self._learnt.hopeless, "" if self._calls else "not asked: ")
            try:
                answer = await self._call()
            except CallFailed as failure:
                if failure.kind == "permanent" or not await self._may_go_on_after(failure):
                    # Who has no patience cannot tell what is in vain, but for what is hopeless.
                    if self._terms.settings.retries or failure.kind == "hopeless":
                        self._learnt.given_up(failure)
                    return self._error(failure)
                continue
            room = self._asked_for
            self._learnt.answered(self._manner)
            self._learnt.heard(answer, room)
            if self._cuts and not answer.cut:
                self._learnt.thinking = max(self._learnt.thinking, room - self._prompt.longest)
            if (reply := self._read(answer, room)) is not None:
                return reply

    async def _call(self) -> Answer:
        """One call, within the limits of pace and budget."""
        terms, client = self._terms, self._terms.client
        await client.pace.enter()
        refused, task = False, asyncio.current_task()
        try:
            prompt, set_aside = await self._set_aside()
            spent = 0.0
            try:
                self._calls, self._asked_for = self._calls + 1, prompt.longest
                self._run.sent.add(task)
                answer = await client.send(client.dialect.body(terms.model, prompt, self._manner, terms.settings))
                spent = self._count(answer, set_aside)
                self._refuse_shortened(answer)
                return answer
            except CallFailed as failure:
                refused = failure.kind == "busy"
                # Where its answer got lost, it cost at most what was set aside, if there is a price.
                if failure.maybe_paid:
                    self._cost = None if self._cost is None or terms.price is None else self._cost + set_aside
                    spent = set_aside
                raise
            except asyncio.CancelledError:
                spent = set_aside
                raise
            finally:
                self._run.sent.discard(task)
                terms.budget.settle(set_aside, spent)
        finally:
            client.pace.leave(refused)

    async def _set_aside(self) -> tuple[Prompt, float]:
        """What the call may cost at most, taken from the budget; where that is too little, with less room to think.

        What is under way mostly costs less than was set aside for it, so it is waited for.
        """
        budget, price, density = self._terms.budget, self._terms.price, self._learnt.density
        prompt = replace(self._wanted, longest=self._room())
        while not budget.set_aside(usd := most_usd(prompt, price, density)):
            if budget.is_waited_for:
                await asyncio.sleep(_LOOK_AGAIN)
                continue
            room = affordable(prompt, price, density, budget.left_usd or 0.0)
            if room < min(self._prompt.longest, prompt.longest) or room >= prompt.longest:
                more = f"could have cost more than the limit of ${money(budget.most_usd or 0.0)}"
                again = f"{self._wrong}, and asking again" if self._wrong else "asking again"
                raise CallFailed("permanent", f"{again if self._calls else 'not asked: it'} {more}", hint=_BY_BUDGET)
            prompt = replace(prompt, longest=room)
        return prompt, usd

    def _room(self) -> int:
        """How many tokens a reply may have: its text and thinking, twice as many each time that it was cut off."""
        settings, longest = self._terms.settings, self._prompt.longest
        thinking = self._manner.room_to_think(settings.thinking) if self._learnt.may_think else 0
        needed = self._manner.room_to_think(self._learnt.thinking)
        wished = settings.max_tokens or max((longest + thinking) << self._cuts, longest + needed)
        return min(wished, self._manner.most or wished)

    def _count(self, answer: Answer, set_aside: float) -> float:
        """What the call has cost, or could have where the server does not say how many tokens it took."""
        self._tokens_in += answer.tokens_in or 0
        self._tokens_out += answer.tokens_out or 0
        price, cost = self._terms.price, answer.cost_usd
        if price is not None and answer.tokens_in is not None and answer.tokens_out is not None:
            self._learnt.density = max(self._learnt.density, answer.tokens_in / tokens_of(self._wanted))
            cost = price.of(answer.tokens_in, answer.tokens_out) if cost is None else cost
        self._cost = None if self._cost is None or cost is None else self._cost + cost
        return set_aside if cost is None else cost

    def _refuse_shortened(self, answer: Answer) -> None:
        """A verdict on half a prompt is none. Some servers drop what is too long for them, and do not say so."""
        read, there, fewest = answer.tokens_in or 0, tokens_of(self._wanted), fewest_tokens(self._wanted)
        if there > _SHORTEST_CONTEXT and (answer.shortens or _LEAST_READ < read < _SURELY * fewest):
            may_have = "may have" if read >= _SURELY * fewest else "has"
            message = f"the server {may_have} dropped a part of the prompt: it read {read:,} of about {there:,} tokens"
            raise CallFailed("permanent", message, hint=_SHORTENED)

    async def _may_go_on_after(self, failure: CallFailed) -> bool:
        """Whether to ask once more, after the wait that is due."""
        settings, pace = self._terms.settings, self._terms.client.pace
        # Once: who has not that much money either has none.
        is_first = self._manner.most is None and self._manner.room == 0
        shrinks = failure.kind == "too_dear" and is_first and self._adapts_to(failure)
        self._learnt.heard_no(failure, shrinks)
        if failure.kind == "hopeless" or self._run.stopping or self._learnt.hopeless is not None:
            return False
        if failure.kind in ("rejected", "too_dear"):
            return shrinks or (failure.kind == "rejected" and self._adapts_to(failure))
        if failure.kind == "busy" and not failure.maybe_paid:
            self._refusals += 1
            wait = pace.wait_before(self._refusals)
            within = self._elapsed() + max(wait, failure.retry_after or 0.0) <= settings.patience
        else:
            self._failures += 1
            unmet = failure.kind == "unreachable" and not self._learnt.has_answered
            retries = min(settings.retries, _RETRIES_UNREACHED) if unmet else settings.retries
            wait, within = pace.wait_before(self._failures), self._failures <= retries
            if failure.retry_after:
                within = within and self._elapsed() + failure.retry_after <= settings.patience
        if not within and settings.retries:
            asked_to_wait = f", asked to wait {failure.retry_after:.0f} s" if failure.retry_after else ""
            calls = f"{self._calls} call{'' if self._calls == 1 else 's'}"
            failure.message += f" (given up after {self._elapsed():.0f} s and {calls}{asked_to_wait})"
        if not within:
            return False
        if failure.retry_after:
            pace.pause(failure.retry_after)
        else:
            await asyncio.sleep(wait)
        return True

    def _adapts_to(self, failure: CallFailed) -> bool:
        dialect, settings = self._terms.client.dialect, self._terms.settings
        if settings.effort and _EFFORT.search(failure.message):
            failure.kind, failure.hint = "hopeless", "this model takes no such effort: leave it out"
            return False
        manner = adapted(self._manner, failure.message, dialect, self._prompt.schema is not None, self._asked_for)
        if manner is None and self._cuts:
            failure.message = f"{self._wrong}, and more room was refused: {failure.message}"
        self._manner = manner or self._manner
        return manner is not None

    def _read(self, answer: Answer, room: int) -> Reply | None:
        """None: it cannot be used, and is asked for again."""
        found, settings = read(answer, self._prompt), self._terms.settings
        if not found.problem:
            how = "text" if self._prompt.schema is None else self._manner.how
            return Reply(
                answer.text, found.value, self._tokens_in, self._tokens_out, self._cost, asked=self._calls, how=how
            )
        hint, is_full = "", room in (settings.max_tokens, self._manner.most)
        if answer.cut:
            limit = f"max_tokens {room}" if room == settings.max_tokens else f"{room:,} tokens"
            found, hint = Reading(problem=f"{found.problem} ({limit})"), "raise max_tokens, or lower the effort"
            hint = _BY_SERVER if room == self._manner.most else hint
        is_final = answer.refusal or (answer.cut and is_full)
        if is_final or self._repairs >= settings.repairs or self._run.stopping:
            return self._error(CallFailed("permanent", found.problem, hint=hint))
        self._repairs += 1
        self._cuts += answer.cut
        self._wrong = found.problem
        self._wanted = self._prompt if answer.cut else reminded(self._prompt, found.problem)
        return None

    def _error(self, failure: CallFailed, before: str = "") -> Reply:
        cost = self._cost if self._calls else 0.0
        return Reply(
            tokens_in=self._tokens_in, tokens_out=self._tokens_out, cost_usd=cost, asked=self._calls,
            error=before + failure.message, hint=failure.hint,
            may_pass=failure.kind in _MAY_PASS and self._learnt.hopeless is None, retry_after=failure.retry_after,
        )  # fmt: skip

    def _elapsed(self) -> float:
        return asyncio.get_running_loop().time() - self._started


class Learnt:
    def __init__(self) -> None:
        self.manner = Manner()
        self.density = 1.0  # tokens of prompts, for each that was estimated
        self.hopeless: CallFailed | None = None  # why no further prompt is asked
        self.has_answered = False
        self.thinking = 0  # tokens of room, on top of a text, that a reply turned out to need
        self._in_vain = self._unreached = self._unpaid = self._pages = 0
        self._thinks, self._plain_replies = False, 0

    def answered(self, manner: Manner) -> None:
        if manner.concessions > self.manner.concessions:
            self.manner = manner
        self._in_vain, self._unpaid, self.has_answered = 0, 0, True

    @property
    def may_think(self) -> bool:
        """Until several replies have shown that it does not."""
        return self._thinks or self._plain_replies < _PLAIN_REPLIES

    def heard(self, answer: Answer, room: int) -> None:
        """More tokens than its text can have, and the model thinks; so it does where a short text was cut off."""
        spoken = len(answer.text) * _TOKENS_PER_CHARACTER + _OVERHEAD
        if answer.cut:
            rambles = answer.tokens_out is not None and _NEARLY_ALL * room <= answer.tokens_out <= spoken
            self._thinks |= not rambles
            self._plain_replies += _PLAIN_REPLIES if rambles else 0  # it would fill any room
        elif answer.tokens_out is not None:
            self._thinks |= answer.tokens_out > spoken
            self._plain_replies += 1

    def heard_no(self, failure: CallFailed, shrinks: bool) -> None:
        """`shrinks`: the prompt is asked again with less room, which may be affordable."""
        self._unpaid += failure.kind in ("unpaid", "too_dear")
        self._pages += failure.kind == "page"
        no_money = self._unpaid >= _ANSWERS_UNPAID and failure.kind in ("unpaid", "too_dear") and not shrinks
        if no_money or (self._pages >= _PAGES and failure.kind == "page" and not self.has_answered):
            self.hopeless = failure

    def given_up(self, failure: CallFailed) -> None:
        self._in_vain += failure.kind in ("unreachable", "busy", "passing", "page")
        self._unreached += failure.kind == "unreachable"
        # A server that has answered before may do so again: what it says now holds for one prompt alone.
        in_vain = failure.kind == "hopeless" or self._unreached >= _PROMPTS_UNREACHED
        if (in_vain and not self.has_answered) or self._in_vain >= _PROMPTS_IN_VAIN:
            self.hopeless = failure


_SECONDS_TO_STOP = 5.0  # beyond the grace for calls under way
_SECONDS_TO_END = 2.0


class EndpointModel:
    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._learnt = Learnt()
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
        run, results = Run(), queue.SimpleQueue[tuple[int, Reply | BaseException]]()
        loop, waiting = _event_loop(), enumerate(prompts)

        def start(most: int) -> int:
            jobs = list(islice(waiting, most))
            for job in jobs:
                loop.call_soon_threadsafe(self._start, *job, run, results)
            return len(jobs)

        def received(under_way: int) -> Iterator[tuple[int, Reply]]:
            try:
                while under_way:
                    place, reply = results.get()
                    under_way -= 1
                    if isinstance(reply, BaseException):
                        raise reply
                    under_way += start(1)
                    yield place, reply
            finally:
                if under_way:
                    grace = self._terms.settings.grace
                    stopped = asyncio.run_coroutine_threadsafe(run.stop(grace), _event_loop())
                    with contextlib.suppress(TimeoutError):  # the loop hangs; its thread does not keep the process
                        stopped.result(grace + _SECONDS_TO_STOP)

        # Twice as many as are asked at once, so that the loop never waits for the caller.
        return received(start(2 * self._terms.settings.concurrency))

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
        self, place: int, prompt: Prompt, run: Run, results: queue.SimpleQueue[tuple[int, Reply | BaseException]]
    ) -> None:
        def finished(task: asyncio.Task[Reply]) -> None:
            run.tasks.discard(task)
            if task.cancelled():
                return  # only ever when the caller has stopped
            results.put((place, task.exception() or task.result()))

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
            reply = await _Prompt(prompt, self._terms, self._learnt, run).reply()
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


_clients: dict[tuple[object, ...], Client] = {}


def open_model(spec: str, settings: Settings | None = None, budget: Budget | None = None) -> EndpointModel:
    """`llm:MODEL@ENDPOINT` (any OpenAI-compatible server), `llm:MODEL`, `anthropic:MODEL[@ENDPOINT]`, `ollama:...`.

    Models that share a budget stop together.
    """
    asked, settings, budget = parsed(spec), settings or Settings(), budget or Budget()
    price = price_of(asked.model, asked.endpoint, settings.prices)
    if price is None and budget.most_usd is not None:
        hint = 'name it in surefoot.toml: [prices] and "NAME" = { in = 0, out = 0 }'
        raise UsageError(f"the price of {asked.model} is not known, so no limit on its cost can be kept", hint)
    cache = Cache(settings.cache) if settings.cache else Cache()
    return EndpointModel(Terms(asked.model, asked.name, _client(asked, settings), settings, price, cache, budget))


def _client(asked: Spec, settings: Settings) -> Client:
    """Models at one endpoint share its connections and its pace."""
    key = key_of(asked.endpoint)
    host = urlsplit(asked.endpoint).hostname or ""
    if not key and host in VENDORS:
        raise UsageError(f"there is no key for {host}", f"set the environment variable {VENDORS[host].key}")
    place = (os.getpid(), asked.kind, asked.endpoint, key, settings.concurrency, settings.connect,
             settings.stall, settings.total)  # fmt: skip
    if place not in _clients:
        _clients[place] = Client(asked.kind, asked.endpoint, key, settings)
    return _clients[place]


_guard = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_started_by = 0


def _event_loop() -> asyncio.AbstractEventLoop:
    """Started on first use. A forked process has none of its parent's threads, so it starts its own."""
    global _loop, _started_by
    with _guard:
        if _loop is None or _started_by != os.getpid():
            _loop, _started_by = asyncio.new_event_loop(), os.getpid()
            thread = threading.Thread(target=_loop.run_forever, name="surefoot-models", daemon=True)
            thread.start()
            atexit.register(_end, _loop, thread)
        return _loop


def _end(ending: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """Connections are kept until the end: who asks once asks again."""

    async def close_all() -> None:
        if rest := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in rest:
                task.cancel()
            await asyncio.wait(rest, timeout=_SECONDS_TO_END / 2)
        ours = [one.close() for place, one in _clients.items() if place[0] == os.getpid()]
        await asyncio.gather(*ours, return_exceptions=True)

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
