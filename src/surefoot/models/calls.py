"""One prompt until it is answered or it is clear that it will not be."""

from __future__ import annotations

import asyncio
import re
from typing import NamedTuple

from msgspec.structs import replace

from surefoot.models.budget import Budget, affordable, fewest_tokens, money, most_usd, tokens_of
from surefoot.models.cache import Cache
from surefoot.models.client import Client
from surefoot.models.dialects import Answer, Manner, adapted
from surefoot.models.failures import CallFailed
from surefoot.models.pace import Pace
from surefoot.models.replies import Reading, read, reminded
from surefoot.models.seam import Price, Prompt, Reply, Settings

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


async def ask(prompt: Prompt, terms: Terms, learnt: Learnt, run: Run) -> Reply:
    return await _Prompt(prompt, terms, learnt, run).reply()


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
        terms, (client, pace) = self._terms, self._terms.endpoint
        await pace.enter()
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
                spent = self._count_lost(set_aside) if failure.maybe_paid else 0.0
                raise
            except asyncio.CancelledError:
                spent = set_aside
                raise
            finally:
                self._run.sent.discard(task)
                terms.budget.settle(set_aside, spent)
        finally:
            pace.leave(refused)

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
        room, most = self._wished_room(), self._manner.most
        return room if most is None else min(room, most)

    def _wished_room(self) -> int:
        settings = self._terms.settings
        if settings.max_tokens is not None:
            return settings.max_tokens
        thinking = self._manner.room_to_think(settings.thinking) if self._learnt.may_think else 0
        needed = self._manner.room_to_think(self._learnt.thinking)
        return max((self._prompt.longest + thinking) << self._cuts, self._prompt.longest + needed)

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

    def _count_lost(self, set_aside: float) -> float:
        """What a call whose answer got lost has cost: at most what was set aside for it, where there is a price."""
        self._cost = None if self._cost is None or self._terms.price is None else self._cost + set_aside
        return set_aside

    async def _may_go_on_after(self, failure: CallFailed) -> bool:
        """Whether to ask once more, after the wait that is due."""
        settings, pace = self._terms.settings, self._terms.endpoint.pace
        if failure.kind == "page":
            self._learnt.page(failure)
        if failure.kind == "unpaid":
            self._learnt.unpaid(failure)
        if failure.kind == "hopeless" or self._run.stopping or self._learnt.hopeless is not None:
            return False
        if failure.kind == "rejected":
            return self._adapts_to(failure)
        if failure.kind == "too_dear":
            shrinks = self._shrinks_for(failure)
            self._learnt.unpaid(failure, shrinks)
            return shrinks
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
        dialect, settings = self._terms.endpoint.client.dialect, self._terms.settings
        if settings.effort and _EFFORT.search(failure.message):
            failure.kind, failure.hint = "hopeless", "this model takes no such effort: leave it out"
            return False
        manner = adapted(self._manner, failure.message, dialect, self._prompt.schema is not None, self._asked_for)
        if manner is None and self._cuts:
            failure.message = f"{self._wrong}, and more room was refused: {failure.message}"
        self._manner = manner or self._manner
        return manner is not None

    def _shrinks_for(self, failure: CallFailed) -> bool:
        """Once: who has not that much money either has none."""
        return self._manner.most is None and self._manner.room == 0 and self._adapts_to(failure)

    def _read(self, answer: Answer, room: int) -> Reply | None:
        """None: it cannot be used, and is asked for again."""
        found, settings = read(answer, self._prompt), self._terms.settings
        if not found.problem:
            how = "text" if self._prompt.schema is None else self._manner.how
            return self._made(answer.text, found.value, how)
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

    def _made(self, text: str, value: object, how: str) -> Reply:
        return Reply(text, value, self._tokens_in, self._tokens_out, self._cost, False, self._calls, how)

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
    def __init__(self, manner: Manner) -> None:
        self.manner = manner
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

    def unpaid(self, failure: CallFailed, may_shrink: bool = False) -> None:
        """`may_shrink`: the prompt is asked again with less room, which may be affordable."""
        self._unpaid += 1
        if self._unpaid >= _ANSWERS_UNPAID and not may_shrink:
            self.hopeless = failure

    def page(self, failure: CallFailed) -> None:
        self._pages += 1
        if self._pages >= _PAGES and not self.has_answered:
            self.hopeless = failure

    def given_up(self, failure: CallFailed) -> None:
        self._in_vain += failure.kind in ("unreachable", "busy", "passing", "page")
        self._unreached += failure.kind == "unreachable"
        # A server that has answered before may do so again: what it says now holds for one prompt alone.
        in_vain = failure.kind == "hopeless" or self._unreached >= _PROMPTS_UNREACHED
        if (in_vain and not self.has_answered) or self._in_vain >= _PROMPTS_IN_VAIN:
            self.hopeless = failure
