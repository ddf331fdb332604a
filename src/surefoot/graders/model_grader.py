"""A grader that asks a language model. A person is told what it will cost before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from msgspec.structs import replace

from surefoot.core.errors import Incomplete
from surefoot.core.result import READER, Person
from surefoot.core.rubric import Citations
from surefoot.core.types import Item, counted, names
from surefoot.graders.grader import FindingsGrader, Graded, read_watched
from surefoot.graders.judges import Judge
from surefoot.graders.llm import Grading, LlmGrader, Plan
from surefoot.models.budget import Spent, spent_on
from surefoot.models.endpoint import EndpointModel
from surefoot.models.seam import Model, ReplyStore

# By sure_from: of the verdicts that `local` is not sure of, this share is wrong (benchmarks/cascade.py).
_WRONG_WHERE_UNSURE = {0.6: 0.71, 0.7: 0.64, 0.8: 0.48, 0.9: 0.44, 0.95: 0.37, 1.0: 0.22}
_A_GOOD_MODEL = 0.9  # is right as often as this


class ModelGrader:
    """A grader that asks a model, and tells a person what it is about to spend, and what came of it.

    In a cascade, `first` grades all answers, and the model those it is not sure of. With `yes`, nobody is asked.
    """

    def __init__(
        self, model: Model, first: Judge | None = None, person: Person = READER, *, citations: Citations = "required",
        sure_from: float = 0.8, yes: bool = False,
    ) -> None:  # fmt: skip
        self._model, self._first, self._person, self._sure_from, self._yes = model, first, person, sure_from, yes
        self._grader = LlmGrader(model, citations, f"{first.name}<{sure_from:g}" if first else "")
        self.citations = citations
        self.in_vain = False  # nothing at all was answered the last time

    @property
    def name(self) -> str:
        return self._grader.name

    def keeping(self, store: ReplyStore) -> ModelGrader:
        """The same grader, its replies kept there as well."""
        if not isinstance(self._model, EndpointModel):
            return self
        return ModelGrader(
            self._model.keeping(store), self._first, self._person, citations=self.citations,
            sure_from=self._sure_from, yes=self._yes,
        )  # fmt: skip

    def read(self, items: Sequence[Item]) -> list[Graded]:
        first = FindingsGrader(self._first, self.citations, self._sure_from) if self._first else None
        plan = self._grader.plan(items, read_watched(first, items, self._person) if first else ())
        self._agree_on(plan)
        with replies_kept(self._person), closing(self._person.watch(len(plan.prompts), "replies")) as progress:
            grading = self._grader.carry_out(plan, progress.count)
        self.in_vain = grading.self_check.in_vain
        self._tell(grading)
        self._tell_unread(plan, grading)
        return list(grading.graded)

    def _agree_on(self, plan: Plan) -> None:
        if self._first is not None:
            sent = sum(one.is_read for one in plan.drafts)
            self._person.tell(cascade_words(self._first.name, self._sure_from, len(plan.drafts), sent))
        estimate = getattr(self._model, "estimate", None)
        if estimate is None:
            return self._person.tell(f"{counted(len(plan.prompts), 'call')} to {self._model.name}")
        found = estimate(plan.prompts)
        behind = len(plan.drafts)  # where canaries have their places
        canaries = estimate([prompt for ask, prompt in zip(plan.asks, plan.prompts, strict=True) if ask.of >= behind])
        among = f"{canaries.calls:,} of them canaries" if canaries.calls else ""
        self._person.tell(replace(found, among=among).sentence)
        if found.calls:
            agree(self._person, self._yes)
        return None

    def _tell(self, grading: Grading) -> None:
        replies = grading.replies
        self._person.tell(spent_words(spent_on(replies)))
        self._person.tell_causes([(reply.error, reply.hint) for reply in replies if reply.error])
        if grading.self_check.words and not grading.self_check.in_vain:  # a server that is down is named above
            words = f"the grader failed its self-check ({grading.self_check.words}): what rests on it does not ship"
            self._person.tell(f"warning: {words}")
            self._person.tell("hint: grade again, or with another model")
        open_ids: dict[str, list[str]] = {}
        for one in grading.graded:
            if one.bucket is None:
                open_ids.setdefault(one.reason, []).append(one.item.question.id)
        for reason, ids in open_ids.items():
            self._person.tell(f"not graded, {reason}: {names(ids, len(ids), 50)}")

    def _tell_unread(self, plan: Plan, grading: Grading) -> None:
        both = zip(plan.drafts, grading.graded, strict=True)
        ids = [
            one.item.question.id
            for draft, one in both
            if draft.first and draft.is_read and one.verdicts[0].via == draft.first.verdicts[0].grader
        ]
        if ids:
            self._person.tell(f"note: left open by the model, so the first verdict stands: {names(ids, len(ids), 50)}")


def agree(person: Person, yes: bool) -> None:
    """After the price was told."""
    if not yes and not person.agrees():
        raise Incomplete("nothing was asked", "--yes skips the confirmation")


@contextmanager
def replies_kept(person: Person) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        person.tell("the replies that came are kept: the same command goes on from there, and pays for nothing twice")
        raise


def cascade_words(first: str, sure_from: float, answers: int, sent: int) -> str:
    """How much of the work goes to the model, and what that is likely to be good for."""
    share = f"{first} is sure of {answers - sent:,} of {counted(answers, 'answer')}"
    if not sent:
        return f"{share}, and decides all."
    wrong = next(wrong for level, wrong in _WRONG_WHERE_UNSURE.items() if sure_from <= level)
    more = max(0.0, wrong - (1 - _A_GOOD_MODEL)) * sent
    gain = f"with a model that is right on {_A_GOOD_MODEL:.0%} about {more:,.0f} more verdicts would be right"
    read = f"the model reads {sent:,} ({sent / answers:.0%})"
    return f"{share}; {read}. In our tests {wrong:.0%} of such verdicts were wrong: {gain}."


def spent_words(spent: Spent) -> str:
    """What asking came to. Calls that all failed have no price, and are not called free."""
    cost = "for a cost that is not known" if spent.cost_usd is None else f"for ${spent.cost_usd:,.4f}"
    if spent.calls and not spent.tokens_in + spent.tokens_out and spent.cost_usd == 0:
        cost = "in vain: nothing was answered"
    return (
        f"asked {counted(spent.calls, 'call')} {cost}; {spent.known:,} of {spent.replies:,} replies were known before"
    )
