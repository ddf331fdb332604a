"""A language model as grader: it reads, with quotes; string checks and the decision table do the rest.

Everything that needs no reading comes first: answers that are missing, empty or errors, and answers to questions that
the documents are silent on never reach the model; whether a citation exists is not asked. In a cascade another grader
comes first, and the model reads the answers that one is not sure of. What stays open has no value, and a reason. A
person is told what it will cost before anything is spent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import count, zip_longest
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core import rubric
from surefoot.core.errors import Incomplete
from surefoot.core.result import READER, Person
from surefoot.core.rubric import Citations
from surefoot.core.types import Item, counted, names
from surefoot.graders.grader import FOR_A_PERSON, FindingsGrader, Graded, SelfCheck, graded_by, left_open, read_watched
from surefoot.graders.judges import Judge
from surefoot.graders.llm_prompts import LONGEST_PROMPT, Fence, Found, Prompting, ReplyReader, groups
from surefoot.graders.llm_reading import BATCH, CANARIES, Canary, Claimed, ModelJudge, doubt, flown
from surefoot.models.budget import IF_NONE_AGAIN, Spent, is_paid, spent_on
from surefoot.models.endpoint import EndpointModel
from surefoot.models.seam import Model, Prompt, Reply, ReplyStore


class Ask(Struct, frozen=True):
    """One call: some claims of an answer, which is known by its place, or of a canary."""

    item: Item
    claims: tuple[tuple[int, str], ...]
    of: int = -1
    canary: Canary | None = None
    salt: str = ""
    attempt: int = 1


class Draft(Struct, frozen=True):
    """An answer before the model has read it, as the first grader of a cascade or nobody sees it."""

    graded: Graded
    claims: tuple[str, ...]  # that the model is to read
    is_read: bool  # by the model
    first: Graded | None = None


class Plan(Struct, frozen=True):
    """What is to be asked, known before anything is spent."""

    drafts: tuple[Draft, ...]
    asks: tuple[Ask, ...]
    prompts: tuple[Prompt, ...]


class Grading(Struct, frozen=True):
    """Graded answers in order, and how it went."""

    graded: tuple[Graded, ...]
    self_check: SelfCheck
    replies: tuple[Reply, ...]


class ModelGrader:
    """A grader that asks a model, and tells a person what it is about to spend, and what came of it.

    In a cascade, `first` grades all answers, and the model those it is not sure of. With `yes`, nobody is asked.
    """

    def __init__(
        self, model: Model, first: Judge | None = None, person: Person = READER, *, citations: Citations = "required",
        sure_from: float = 0.8, yes: bool = False,
    ) -> None:  # fmt: skip
        self._model, self._first, self._person, self._sure_from, self._yes = model, first, person, sure_from, yes
        self._prompting = Prompting(rubric.load(rubric.BY_CITATIONS[citations]))
        self.citations = citations
        self.in_vain = False  # nothing at all was answered the last time

    @cached_property
    def name(self) -> str:
        name = f"{_at_host(self._model.name)}+{self._prompting.version}"
        return graded_by(f"{self._first.name}<{self._sure_from:g}+{name}" if self._first else name, self.citations)

    def keeping(self, store: ReplyStore) -> ModelGrader:
        """The same grader, its replies kept there as well."""
        if not isinstance(self._model, EndpointModel):
            return self
        return ModelGrader(
            self._model.keeping(store), self._first, self._person, citations=self.citations,
            sure_from=self._sure_from, yes=self._yes,
        )  # fmt: skip

    def read(self, items: Sequence[Item]) -> list[Graded]:
        plan = self.plan(items)
        self._agree_on(plan)
        with replies_kept(self._person), closing(self._person.watch(len(plan.prompts), "replies")) as progress:
            grading = self.carry_out(plan, progress.count)
        self.in_vain = grading.self_check.in_vain
        self._tell(plan, grading)
        return list(grading.graded)

    def plan(self, items: Sequence[Item]) -> Plan:
        """In a cascade, what the first grader is unsure of is for the model to read."""
        grader = FindingsGrader(self._first, self.citations, self._sure_from) if self._first else None
        first = read_watched(grader, items, self._person) if grader else ()
        drafts = tuple(self._draft(item, known) for item, known in zip_longest(items, first))
        asks = [
            Ask(draft.graded.item, tuple(group), place)
            for place, draft in enumerate(drafts)
            if draft.is_read
            for group in groups(draft.claims)
        ]
        batches = [asks[start : start + BATCH] for start in range(0, len(asks), BATCH)]
        mixed = [ask for batch in batches for ask in self._with_canaries(batch)]
        return Plan(drafts, tuple(mixed), tuple(map(self._prompt, mixed)))

    def carry_out(self, plan: Plan, on_reply: Callable[[Reply], None] = lambda _: None) -> Grading:
        found: list[Found | str] = ["the model was not asked"] * len(plan.asks)
        replies: list[Reply] = []
        for place, reply in self._complete(plan.prompts):
            found[place] = _findings(reply, plan.asks[place])
            replies.append(reply)
            on_reply(reply)
        by_place: dict[int, list[tuple[Ask, Found | str]]] = {}
        for ask, one in zip(plan.asks, found, strict=True):
            by_place.setdefault(ask.of, []).append((ask, one))
        check = flown((ask.canary, one) for ask, one in by_place.get(-1, ()) if ask.canary)
        check = replace(check, in_vain=bool(replies) and all(reply.error for reply in replies))
        graded = (self._graded(draft, by_place.get(place, []), check) for place, draft in enumerate(plan.drafts))
        return Grading(tuple(graded), check, tuple(replies))

    def _prompt(self, ask: Ask) -> Prompt:
        return replace(self._prompting.prompt(ask.item, ask.claims, ask.salt), attempt=ask.attempt)

    def _with_canaries(self, batch: Sequence[Ask]) -> list[Ask]:
        """A set of canaries among a batch of calls. Their salt is the batch: another batch asks about them anew, the
        same one again finds them in the cache."""
        texts = [text for ask in batch for text in (ask.item.trace.answer or "", *(claim for _, claim in ask.claims))]
        salt = Fence.over(texts).mark
        flock = [Ask(canary.item, ((1, canary.claim),), canary=canary, salt=salt) for canary in CANARIES]
        attempt, step = self._attempt(flock), len(batch) // len(flock) + 1
        mixed = [one for n, canary in enumerate(flock) for one in (canary, *batch[n * step : (n + 1) * step])]
        return [replace(ask, attempt=attempt) for ask in mixed]

    def _attempt(self, flock: Sequence[Ask]) -> int:
        """Where the replies that are kept misread canaries, what came with them counts for nothing: the batch is asked
        anew."""
        known: Callable[[Prompt], Reply | None] = getattr(self._model, "known", lambda _: None)
        for attempt in count(1):
            replies = [known(self._prompt(replace(ask, attempt=attempt))) for ask in flock]
            kept = [(ask, reply) for ask, reply in zip(flock, replies, strict=True) if reply is not None]
            if not flown((ask.canary, _findings(reply, ask)) for ask, reply in kept if ask.canary).misread:
                break
        return attempt

    def _draft(self, item: Item, first: Graded | None) -> Draft:
        if first and first.bucket and not first.verdicts[0].unsure:
            return Draft(first, (), is_read=False, first=first)
        claimed = Claimed(item)
        graded = FindingsGrader(claimed, self.citations).read([item])[0]
        is_read = graded.bucket == "refused" or bool(claimed.claims)
        return Draft(graded, tuple(claimed.claims), is_read, first)

    def _complete(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        """What is too long for any model is not sent."""
        fitting = [number for number, prompt in enumerate(prompts) if len(prompt.text) <= LONGEST_PROMPT]
        for number in set(range(len(prompts))).difference(fitting):
            yield number, Reply(error=f"{len(prompts[number].text):,} characters are too long to be asked at once")
        for number, reply in self._model.complete_all(prompts[number] for number in fitting):
            yield fitting[number], reply

    def _graded(self, draft: Draft, asked: Sequence[tuple[Ask, Found | str]], check: SelfCheck) -> Graded:
        misread = check.words if check.failed else ""
        if draft.first and not draft.is_read:
            return _signed(draft.first, self.name, via=draft.first.verdicts[0].grader)
        graded = self._by_model(draft, asked, misread)
        if not draft.first or graded.bucket is not None or draft.first.bucket is None:
            return graded
        note = f"the model left it open ({graded.findings.detail or graded.reason}), so the first verdict stands"
        return _signed(draft.first, self.name, draft.first.verdicts[0].grader, note, misread)

    def _by_model(self, draft: Draft, asked: Sequence[tuple[Ask, Found | str]], misread: str) -> Graded:
        if not draft.is_read:
            why = doubt(draft.graded, [])
            return _signed(left_open(draft.graded, FOR_A_PERSON, why) if why else draft.graded, self.name, via="")
        judge = ModelJudge(self.name, draft.graded.item, [(ask.claims, one) for ask, one in asked])
        graded = FindingsGrader(judge, self.citations).read([draft.graded.item])[0]
        if judge.broken:
            graded = left_open(graded, "unreadable", judge.broken) if not draft.claims else graded
        elif why := doubt(graded, judge.found) or _hangs_on_a_quote(graded, judge.voided):
            graded = left_open(graded, FOR_A_PERSON, why)
        elif graded.bucket is None and graded.reason == "unreadable":
            graded = left_open(graded, FOR_A_PERSON, graded.findings.detail)
        voided = [why for why in judge.voided.values() if why not in graded.findings.detail]
        return _signed(_as_far_as_read(graded, voided), self.name, self._model.name, "; ".join(voided), misread)

    def _agree_on(self, plan: Plan) -> None:
        sent = sum(one.is_read for one in plan.drafts)
        if self._first is not None:
            answers, decided = counted(len(plan.drafts), "answer"), len(plan.drafts) - sent
            reads = f"the model reads {sent:,} ({sent / len(plan.drafts):.0%})." if sent else "no model is asked."
            self._person.tell(f"{self._first.name} is sure of {decided:,} of {answers}; {reads}")
        estimate = getattr(self._model, "estimate", None)
        if estimate is None:
            return self._person.tell(f"{counted(len(plan.prompts), 'call')} to {self._model.name} {IF_NONE_AGAIN}")
        found = estimate(plan.prompts)
        canaries = estimate([prompt for ask, prompt in zip(plan.asks, plan.prompts, strict=True) if ask.canary])
        among = f"{canaries.calls:,} of them canaries" if canaries.calls else ""
        self._person.tell(replace(found, among=among).sentence)
        if found.calls:
            agree(self._person, self._yes, [self._model.name])
        return None

    def _tell(self, plan: Plan, grading: Grading) -> None:
        replies, tell = grading.replies, self._person.tell
        tell(spent_words(spent_on(replies)))
        decided = sum(not draft.is_read for draft in plan.drafts)
        if self._first is not None and decided:
            share = f"{decided / len(plan.drafts):.0%}"
            tell(f"{self._first.name} decided {share} of the answers, which cost nothing")
        self._person.tell_causes([(reply.error, reply.hint) for reply in replies if reply.error])
        if grading.self_check.words and not grading.self_check.in_vain:  # a server that is down is named above
            words = f"the grader failed its self-check ({grading.self_check.words})"
            tell(f"warning: {words}: what rests on it does not ship")
            tell("hint: grade again, or with another model")
        open_ids: dict[str, list[str]] = {}
        for draft, one in zip(plan.drafts, grading.graded, strict=True):
            if one.bucket is None:
                open_ids.setdefault(f"not graded, {one.reason}", []).append(one.item.question.id)
            elif draft.first and draft.is_read and one.verdicts[0].via == draft.first.verdicts[0].grader:
                note = "note: left open by the model, so the first verdict stands"
                open_ids.setdefault(note, []).append(one.item.question.id)
        for what, ids in open_ids.items():
            tell(f"{what}: {names(ids, 50)}")


def _at_host(model: str) -> str:
    """Which model at which host; the path of the endpoint says nothing more."""
    name, at, endpoint = model.rpartition("@")
    short = f"{name}@{urlsplit(endpoint).netloc or endpoint}" if at else model
    return short if ":" in short.partition("@")[0] else f"llm:{short}"


def _findings(reply: Reply, ask: Ask) -> Found | str:
    if reply.error or (reply.value is None and not reply.text):
        return f"the model gave no findings: {reply.error or 'the reply is empty'}"
    reader = ReplyReader(tuple(number for number, _ in ask.claims))
    return reader.read(reply.text) if reply.value is None else reader.found_in(reply.value)


def _signed(graded: Graded, grader: str, via: str, detail: str = "", misread: str = "") -> Graded:
    """Under the grader's name, with who read it, what did not count, and what the reader misread."""
    verdicts = tuple(replace(verdict, grader=grader, via=via, self_check=misread) for verdict in graded.verdicts)
    words = "; ".join(filter(None, (graded.findings.detail, detail)))
    return replace(graded, findings=replace(graded.findings, detail=words), verdicts=verdicts)


def _hangs_on_a_quote(graded: Graded, voided: Mapping[str, str]) -> str:
    """Why a passage seems not to bear out what cites it, if that is for a quote of the model's that stands nowhere."""
    lacking = [claim.text for claim in graded.findings.claims if claim.by_cited_together != "supported"]
    is_so = graded.reason == "miscited" and all(claim in voided for claim in lacking)
    return voided[lacking[0]] if is_so else ""


def _as_far_as_read(graded: Graded, voided: Sequence[str]) -> Graded:
    """Where a quote of the model's stands nowhere, what it says against a citation is not known."""
    if not voided:
        return graded
    verdicts = tuple(
        replace(one, value=None, reason=voided[0]) if one.axis == "citation_supports" and one.value != "yes" else one
        for one in graded.verdicts
    )
    return replace(graded, verdicts=verdicts)


def agree(person: Person, yes: bool, models: Iterable[str]) -> None:
    """After the price was told. A model on this machine needs nobody's consent."""
    if not yes and any(map(is_paid, models)) and not person.agrees():
        hint = "agree beforehand with --yes, or with yes = true in surefoot.toml"
        raise Incomplete("nothing was asked, as nobody agreed to what it may cost", hint)


@contextmanager
def replies_kept(person: Person) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        person.tell("the replies that came are kept: the same command goes on from there, and pays for nothing twice")
        raise


def spent_words(spent: Spent) -> str:
    """What asking came to. Calls that all failed have no price, and are not called free."""
    cost = "for a cost that is not known" if spent.cost_usd is None else f"for ${spent.cost_usd:,.4f}"
    if spent.calls and not spent.tokens_in + spent.tokens_out and spent.cost_usd == 0:
        cost = "in vain: nothing was answered"
    return (
        f"asked {counted(spent.calls, 'call')} {cost}; {spent.known:,} of {spent.replies:,} replies were known before"
    )
