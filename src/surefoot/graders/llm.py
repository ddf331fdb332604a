"""A language model as grader: it reads, with quotes; string checks and the decision table do the rest.

Everything that needs no reading comes first: answers that are missing, empty or errors, and answers to questions that
the documents are silent on never reach the model; whether a citation exists is not asked. In a cascade another grader
comes first, and the model reads the answers that one is not sure of. What stays open has no value, and a reason. A
person is told what it will cost before anything is spent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import count
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core import rubric
from surefoot.core.errors import Incomplete
from surefoot.core.result import READER, Person
from surefoot.core.rubric import Citations
from surefoot.core.types import Item, counted, names
from surefoot.graders.findings import AnswerParts
from surefoot.graders.grader import FOR_A_PERSON, FindingsGrader, Graded, SelfCheck, graded_by, left_open, read_watched
from surefoot.graders.judges import Judge
from surefoot.graders.llm_prompts import Fence, Found, Prompting, findings_in
from surefoot.graders.llm_reading import CANARIES, Canary, ModelJudge, doubt, flown
from surefoot.models.budget import IF_NONE_AGAIN, Spent, is_paid, spent_on
from surefoot.models.endpoint import EndpointModel
from surefoot.models.seam import Model, Prompt, Reply, ReplyStore


class Ask(Struct, frozen=True):
    """One call: what the model is to read of an answer, which is known by its place, or of a canary."""

    item: Item
    claims: tuple[str, ...]
    prompt: Prompt
    place: int = -1
    canary: Canary | None = None


class Plan(Struct, frozen=True):
    """What is to be asked, known before anything is spent; `first` is what the first grader of a cascade says."""

    items: tuple[Item, ...]
    first: tuple[Graded | None, ...]
    asks: tuple[Ask, ...]

    @property
    def decided(self) -> int:
        """How many answers the model need not read."""
        return len(self.items) - sum(ask.canary is None for ask in self.asks)


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
        with replies_kept(self._person), closing(self._person.watch(len(plan.asks), "replies")) as progress:
            grading = self.carry_out(plan, progress.count)
        self.in_vain = grading.self_check.in_vain
        self._tell(plan, grading)
        return list(grading.graded)

    def plan(self, items: Sequence[Item]) -> Plan:
        """In a cascade, what the first grader is unsure of is for the model to read."""
        grader = FindingsGrader(self._first, self.citations, self._sure_from) if self._first else None
        first = read_watched(grader, items, self._person) if grader else [None] * len(items)
        asks = list[Ask]()
        for place, (item, known) in enumerate(zip(items, first, strict=True)):
            parts = AnswerParts.of(item)
            claims = tuple(dict.fromkeys(claim.text for claim in parts.to_be_read)) if parts.passages else ()
            is_decided = known is not None and known.bucket is not None and not known.verdicts[0].unsure
            if not is_decided and (claims or (parts.declines and not parts.unusable)):
                asks.append(Ask(item, claims, self._prompting.prompt(item, claims), place))
        # The salt of the canaries is what they come with: with other answers they are asked anew.
        salt = Fence.over(ask.prompt.text for ask in asks).mark
        canaries = [
            Ask(one.item, (one.claim,), self._prompting.prompt(one.item, (one.claim,), salt), canary=one)
            for one in (CANARIES if asks else ())
        ]
        # Where the replies that are kept misread canaries, what came with them counts for nothing: all is asked anew.
        find: Callable[[Prompt], Reply | None] = getattr(self._model, "known", lambda _: None)
        for attempt in count(1):
            tried = [replace(ask, prompt=replace(ask.prompt, attempt=attempt)) for ask in (*canaries, *asks)]
            kept = [(ask.canary, reply) for ask in tried if ask.canary and (reply := find(ask.prompt))]
            if not flown((canary, findings_in(reply, 1)) for canary, reply in kept).misread:
                break
        return Plan(tuple(items), tuple(first), tuple(tried))

    def carry_out(self, plan: Plan, on_reply: Callable[[Reply], None] = lambda _: None) -> Grading:
        found: list[Found | str] = ["the model was not asked"] * len(plan.asks)
        replies: list[Reply] = []
        for place, reply in self._model.complete_all(ask.prompt for ask in plan.asks):
            found[place] = findings_in(reply, len(plan.asks[place].claims))
            replies.append(reply)
            on_reply(reply)
        asked = list(zip(plan.asks, found, strict=True))
        check = flown((ask.canary, one) for ask, one in asked if ask.canary)
        check = replace(check, in_vain=bool(replies) and all(reply.error for reply in replies))
        read = {ask.place: (ask.claims, one) for ask, one in asked}
        graded = [
            self._graded(item, first, read.get(place), check.words if check.failed else "")
            for place, (item, first) in enumerate(zip(plan.items, plan.first, strict=True))
        ]
        return Grading(tuple(graded), check, tuple(replies))

    def _graded(
        self, item: Item, first: Graded | None, asked: tuple[tuple[str, ...], Found | str] | None, misread: str
    ) -> Graded:
        if first and asked is None:
            return _signed(first, self.name, first.verdicts[0].grader)
        claims, found = asked or ((), "the model was not asked")
        judge = ModelJudge(self.name, item, claims, found)
        graded = FindingsGrader(judge, self.citations).read([item])[0]
        if asked and isinstance(found, str):
            graded = graded if claims else left_open(graded, "unreadable", found)
        elif why := doubt(graded, None if isinstance(found, str) else found):
            graded = left_open(graded, FOR_A_PERSON, why)
        elif asked and graded.reason == "unreadable":
            graded = left_open(graded, FOR_A_PERSON, graded.findings.detail)
        if not first or graded.bucket is not None or first.bucket is None:
            return _signed(graded, self.name, self._model.name if asked else "", misread=misread if asked else "")
        note = f"the model left it open ({graded.findings.detail or graded.reason}), so the first verdict stands"
        return _signed(first, self.name, first.verdicts[0].grader, note, misread)

    def _agree_on(self, plan: Plan) -> None:
        prompts = [ask.prompt for ask in plan.asks]
        if self._first is not None:
            answers, sent = counted(len(plan.items), "answer"), len(plan.items) - plan.decided
            reads = f"the model reads {sent:,} ({sent / len(plan.items):.0%})." if sent else "no model is asked."
            self._person.tell(f"{self._first.name} is sure of {plan.decided:,} of {answers}; {reads}")
        estimate = getattr(self._model, "estimate", None)
        if estimate is None:
            return self._person.tell(f"{counted(len(prompts), 'call')} to {self._model.name} {IF_NONE_AGAIN}")
        found = estimate(prompts)
        canaries = estimate([ask.prompt for ask in plan.asks if ask.canary])
        among = f"{canaries.calls:,} of them canaries" if canaries.calls else ""
        self._person.tell(replace(found, among=among).sentence)
        if found.calls:
            agree(self._person, self._yes, [self._model.name])
        return None

    def _tell(self, plan: Plan, grading: Grading) -> None:
        replies, tell = grading.replies, self._person.tell
        tell(spent_words(spent_on(replies)))
        if self._first is not None and plan.decided:
            share = f"{plan.decided / len(plan.items):.0%}"
            tell(f"{self._first.name} decided {share} of the answers, which cost nothing")
        self._person.tell_causes([(reply.error, reply.hint) for reply in replies if reply.error])
        if grading.self_check.words and not grading.self_check.in_vain:  # a server that is down is named above
            words = f"the grader failed its self-check ({grading.self_check.words})"
            tell(f"warning: {words}: what rests on it does not ship")
            tell("hint: grade again, or with another model")
        open_ids: dict[str, list[str]] = {}
        asked = {ask.place for ask in plan.asks}
        for place, (first, one) in enumerate(zip(plan.first, grading.graded, strict=True)):
            if one.bucket is None:
                open_ids.setdefault(f"not graded, {one.reason}", []).append(one.item.question.id)
            elif first and place in asked and one.verdicts[0].via == first.verdicts[0].grader:
                note = "note: left open by the model, so the first verdict stands"
                open_ids.setdefault(note, []).append(one.item.question.id)
        for what, ids in open_ids.items():
            tell(f"{what}: {names(ids, 50)}")


def _at_host(model: str) -> str:
    """Which model at which host; the path of the endpoint says nothing more."""
    name, at, endpoint = model.rpartition("@")
    short = f"{name}@{urlsplit(endpoint).netloc or endpoint}" if at else model
    return short if ":" in short.partition("@")[0] else f"llm:{short}"


def _signed(graded: Graded, grader: str, via: str, detail: str = "", misread: str = "") -> Graded:
    """Under the grader's name, with who read it, what did not count, and what the reader misread."""
    verdicts = tuple(replace(verdict, grader=grader, via=via, self_check=misread) for verdict in graded.verdicts)
    words = "; ".join(filter(None, (graded.findings.detail, detail)))
    return replace(graded, findings=replace(graded.findings, detail=words), verdicts=verdicts)


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
