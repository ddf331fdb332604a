"""One prompt until it is answered or it is clear that it will not be."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from surefoot.models.budget import Budget, money, most_usd, tokens_of
from surefoot.models.cache import Cache
from surefoot.models.clients import Client
from surefoot.models.dialects import Answer, Manner, adapted
from surefoot.models.failures import CallFailed
from surefoot.models.pace import Pace
from surefoot.models.prices import Price
from surefoot.models.replies import asked_again, read
from surefoot.models.seam import Prompt, Reply
from surefoot.models.settings import Settings

_PROMPTS_IN_VAIN = 10  # each asked with all patience and no reply in between, until the rest is spared that
# The same of a server that cannot be reached and has never answered: most likely it was not started.
_PROMPTS_UNREACHED, _RETRIES_UNREACHED = 3, 2


class Endpoint(NamedTuple):
    """Shared by all models that are asked there with the same key."""

    client: Client
    pace: Pace


class Terms(NamedTuple):
    """What is asked of whom, and on what terms."""

    model: str
    name: str
    endpoint: Endpoint
    settings: Settings
    manner: Manner  # to begin with
    price: Price | None
    cache: Cache | None
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


class Learnt:
    """What asking one model has taught: all its prompts make use of it."""

    def __init__(self, manner: Manner) -> None:
        self.manner = manner
        self.density = 1.0  # tokens of prompts, for each that was estimated
        self.hopeless = ""
        self.has_answered = False
        self._in_vain = self._unreached = 0

    def answered(self, manner: Manner) -> None:
        if manner.concessions > self.manner.concessions:
            self.manner = manner
        self._in_vain, self.has_answered = 0, True

    def given_up(self, failure: CallFailed) -> None:
        self._in_vain += failure.kind in ("unreachable", "busy", "passing")
        self._unreached += failure.kind == "unreachable"
        # A server that has answered before may do so again: what it says now holds for one prompt alone.
        in_vain = failure.kind == "hopeless" or self._unreached >= _PROMPTS_UNREACHED
        if (in_vain and not self.has_answered) or self._in_vain >= _PROMPTS_IN_VAIN:
            self.hopeless = failure.message


async def ask(prompt: Prompt, terms: Terms, learnt: Learnt, run: Run) -> Reply:
    return await _Prompt(prompt, terms, learnt, run).reply()


class _Prompt:
    def __init__(self, prompt: Prompt, terms: Terms, learnt: Learnt, run: Run) -> None:
        self._prompt, self._terms, self._learnt, self._run = prompt, terms, learnt, run
        self._manner = learnt.manner
        self._current = prompt  # with a reminder, after a reply that could not be used
        self._calls = self._failures = self._refusals = self._repairs = self._cuts = 0
        self._tokens_in = self._tokens_out = 0
        self._cost: float | None = 0.0
        self._started = asyncio.get_running_loop().time()

    async def reply(self) -> Reply:
        while True:
            if self._learnt.hopeless:
                return self._error(f"{'' if self._calls else 'not asked: '}{self._learnt.hopeless}")
            try:
                answer = await self._call()
            except CallFailed as failure:
                if failure.kind == "permanent" or not await self._may_go_on_after(failure):
                    self._learnt.given_up(failure)
                    return self._error(failure.message)
                continue
            self._learnt.answered(self._manner)
            if (reply := self._read(answer)) is not None:
                return reply

    async def _call(self) -> Answer:
        """One call, within the limits of pace and budget."""
        terms, (client, pace) = self._terms, self._terms.endpoint
        await pace.enter()
        set_aside, spent, refused = most_usd(self._current, terms.price, self._learnt.density), 0.0, False
        task = asyncio.current_task()
        try:
            if not terms.budget.set_aside(set_aside):
                set_aside = 0.0
                limit = terms.budget.most_usd or 0.0
                raise CallFailed("permanent", f"not asked: it could have cost more than the limit of ${money(limit)}")
            self._calls += 1
            self._run.sent.add(task)
            body = client.dialect.body(terms.model, self._current, self._manner, terms.settings.temperature)
            answer = await client.send(body)
            spent = self._count(answer, set_aside)
            return answer
        except CallFailed as failure:
            refused = failure.kind == "busy"
            spent = self._count_lost(set_aside) if failure.maybe_paid else 0.0
            raise
        except asyncio.CancelledError:
            spent = set_aside
            raise
        finally:
            self._run.sent.discard(task)
            terms.budget.settle(set_aside, spent)
            pace.leave(refused)

    def _count(self, answer: Answer, set_aside: float) -> float:
        """What the call has cost, or could have where the server does not say how many tokens it took."""
        self._tokens_in += answer.tokens_in or 0
        self._tokens_out += answer.tokens_out or 0
        price = self._terms.price
        if price is None or answer.tokens_in is None or answer.tokens_out is None:
            self._cost = None
            return set_aside
        self._learnt.density = max(self._learnt.density, answer.tokens_in / tokens_of(self._current))
        cost = price.of(answer.tokens_in, answer.tokens_out)
        self._cost = None if self._cost is None else self._cost + cost
        return cost

    def _count_lost(self, set_aside: float) -> float:
        """What a call whose answer got lost has cost: at most what was set aside for it, where there is a price."""
        self._cost = None if self._cost is None or self._terms.price is None else self._cost + set_aside
        return set_aside

    async def _may_go_on_after(self, failure: CallFailed) -> bool:
        """Whether to ask once more, after the wait that is due."""
        settings, pace = self._terms.settings, self._terms.endpoint.pace
        if failure.kind == "hopeless" or self._run.stopping:
            return False
        if failure.kind == "rejected":
            dialect, with_schema = self._terms.endpoint.client.dialect, self._prompt.schema is not None
            manner = adapted(self._manner, failure.message, dialect, with_schema)
            self._manner = manner or self._manner
            return manner is not None
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
        if not within:
            asked_to_wait = f", asked to wait {failure.retry_after:.0f} s" if failure.retry_after else ""
            failure.message += f" (given up after {self._elapsed():.0f} s and {self._calls} calls{asked_to_wait})"
            return False
        if failure.retry_after:
            pace.pause(failure.retry_after)
        else:
            await asyncio.sleep(wait)
        return True

    def _read(self, answer: Answer) -> Reply | None:
        """None: it cannot be used, and is asked for again."""
        found = read(answer, self._prompt.schema)
        if not found.problem:
            how = "text" if self._prompt.schema is None else self._manner.how
            return self._made(answer.text, found.value, how)
        if answer.refusal or self._repairs >= self._terms.settings.repairs or self._run.stopping:
            return self._error(found.problem)
        self._repairs += 1
        self._cuts += answer.cut
        self._current = asked_again(self._prompt, found.problem, self._cuts)
        return None

    def _made(self, text: str, value: object, how: str) -> Reply:
        return Reply(
            text, value, self._tokens_in, self._tokens_out, self._cost, self._elapsed(), False, self._calls, how
        )

    def _error(self, message: str) -> Reply:
        cost = self._cost if self._calls else 0.0
        return Reply(
            tokens_in=self._tokens_in, tokens_out=self._tokens_out, cost_usd=cost, seconds=self._elapsed(),
            asked=self._calls, error=message,
        )  # fmt: skip

    def _elapsed(self) -> float:
        return asyncio.get_running_loop().time() - self._started
