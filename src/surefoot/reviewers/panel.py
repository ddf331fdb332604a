"""Models answer, review each other's answers blindly, and a chair writes a closing answer if one is wanted.

Whatever a model does - fail, hang, refuse, send nonsense - costs its own answer or its own ballot, and is named. Models
are asked at the same time, each in a thread that cannot keep the process.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from surefoot.core.errors import ExitCode, words_of
from surefoot.models.budget import Spent, spent_on
from surefoot.models.seam import Model, Prompt, Reply
from surefoot.reviewers.ballots import Answer, Review
from surefoot.reviewers.prompts import answer_prompt, review_prompt, shuffled, synthesis_prompt
from surefoot.reviewers.scores import Ranked, score
from surefoot.reviewers.settings import Settings
from surefoot.text.normal import is_empty

SYNTHESIS = "synthesis"  # the stage of the closing answer
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Failure(Struct, frozen=True):
    model: str
    stage: str  # or which answer of which run
    reason: str
    hint: str = ""


class Council(Ranked, frozen=True, kw_only=True):
    """Answers in the order of their reviewers' scores, and how that came about."""

    seed: int | None = None  # as all below, None or empty where no model was asked
    answers: tuple[Answer, ...] = ()
    reviews: tuple[Review, ...] = ()
    synthesis: str | None = None  # None too: no chair, or one that failed
    failures: tuple[Failure, ...] = ()
    spent: Spent | None = None

    @property
    def exit_code(self) -> ExitCode:
        """A model that fails is left out; without the closing answer that was asked for, the council is incomplete."""
        is_closed = all(failure.stage != SYNTHESIS for failure in self.failures)
        return ExitCode.OK if self.is_scored and is_closed else ExitCode.INCOMPLETE

    def printed(self) -> list[str]:
        own = Ranked.__struct_fields__ if self.seed is None else self.__struct_fields__
        return [name for name in super().printed() if name in own]

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The answers, best first."""
        return list(self["ranking"])


def deliberate(
    question: str,
    models: Sequence[Model],
    settings: Settings,
    *,
    answers: Sequence[Answer] = (),
    chair: Model | None = None,
) -> Council:
    """Let the models answer (unless answers are given), review, and be ranked."""
    panel = _Panel(question, {model.name: model for model in models}, settings)
    answers = tuple(answers) or panel.answers()
    reviews = panel.reviews(answers) if answers else ()
    ranked = score(answers, reviews, settings, question)
    synthesis = panel.synthesis(answers, ranked, chair) if chair is not None and answers else None
    return Council(
        **asdict(ranked), seed=panel.seed, answers=answers, reviews=reviews, synthesis=synthesis,
        failures=tuple(panel.failures), spent=spent_on(panel.replies),
    )  # fmt: skip


class _Panel:
    def __init__(self, question: str, models: Mapping[str, Model], settings: Settings) -> None:
        self.question, self.models, self.settings = question, models, settings
        self.seed = int(settings["SEED"])
        self.failures: list[Failure] = []
        self.replies: list[Reply] = []

    def answers(self) -> tuple[Answer, ...]:
        replies = self._ask("answer", self.models, dict.fromkeys(self.models, answer_prompt(self.question)))
        # Labels must not show who was named first.
        answered = [name for name, reply in replies.items() if not reply.error]
        order = shuffled(answered, self.seed, "labels", self.question)
        return tuple(Answer(label_of(place), name, replies[name].text) for place, name in enumerate(order))

    def reviews(self, answers: Sequence[Answer]) -> tuple[Review, ...]:
        asked = {name: review_prompt(self.question, answers, self.settings, name) for name in self.models}
        replies = self._ask("review", self.models, {name: prompt for name, (prompt, _) in asked.items()})
        return tuple(reviewed(asked[name][1], reply) for name, reply in replies.items())

    def synthesis(self, answers: Sequence[Answer], ranked: Ranked, chair: Model) -> str | None:
        """Answers that fail the safety gate are not shown to the chair."""
        safe = {row.label: row.overall for row in ranked.ranking if row.safety is None or row.safety.passed}
        by_label = {answer.label: answer for answer in answers}
        if not safe:
            self.failures.append(Failure(chair.name, SYNTHESIS, "no answer passes the safety gate"))
            return None
        prompt = synthesis_prompt(self.question, [by_label[label] for label in safe], safe, self.seed)
        [reply] = self._ask(SYNTHESIS, {chair.name: chair}, {chair.name: prompt}).values()
        return None if reply.error else reply.text

    def _ask(self, stage: str, models: Mapping[str, Model], prompts: Mapping[str, Prompt]) -> dict[str, Reply]:
        """A reply from every model, in the order of the prompts; those that cannot be used have an error."""
        replies = asked_at_once(models, prompts, float(self.settings["PATIENCE"]))
        self.replies += replies.values()
        for name, reply in replies.items():
            if not reply.error and prompts[name].schema is None and is_empty(reply.text):
                replies[name] = replace(reply, error="the reply is empty")
        failed = {name: reply for name, reply in replies.items() if reply.error}
        self.failures += [Failure(name, stage, reply.error, reply.hint) for name, reply in failed.items()]
        return replies


def asked_at_once(models: Mapping[str, Model], prompts: Mapping[str, Prompt], patience: float) -> dict[str, Reply]:
    """A reply from every model: what goes wrong, and what takes longer than our patience, is a reply with an error."""
    done: queue.SimpleQueue[tuple[str, Reply]] = queue.SimpleQueue()
    for name, prompt in prompts.items():
        threading.Thread(target=_ask_one, args=(models[name], name, prompt, done), daemon=True).start()
    replies = dict.fromkeys(prompts, Reply(error=f"no reply within {patience:g} seconds", asked=1))
    deadline = time.monotonic() + patience
    for _ in prompts:
        try:
            name, reply = done.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
        replies[name] = reply
    return replies


def asked_in_turn(
    models: Mapping[str, Model], prompts: Mapping[str, Sequence[Prompt]]
) -> Iterator[tuple[str, int, Reply]]:
    """Replies with the model and the place of the prompt. All models work at the same time, as fast as the slowest:
    a reply is taken from each in turn, and none is ever more than a few prompts ahead."""
    asked = {name: iter(models[name].complete_all(some)) for name, some in prompts.items()}
    try:
        while asked:
            for name, replies in list(asked.items()):
                if (found := next(replies, None)) is None:
                    del asked[name]
                else:
                    yield name, *found
    finally:
        for replies in asked.values():
            getattr(replies, "close", lambda: None)()


def _ask_one(model: Model, name: str, prompt: Prompt, done: queue.SimpleQueue[tuple[str, Reply]]) -> None:
    try:
        reply = model.complete(prompt)
        reply.text.strip()  # a model of somebody's own may return anything
    except Exception as error:  # noqa: BLE001 - whatever it is, it is this model's alone
        reply = Reply(error=words_of(error), asked=1)
    done.put((name, reply))


def label_of(place: int) -> str:
    """A to Z, then A2 to Z2, and so on."""
    again, letter = divmod(place, len(_LETTERS))
    return _LETTERS[letter] + (str(again + 1) if again else "")


def reviewed(review: Review, reply: Reply) -> Review:
    """The review with what came back for it."""
    text = reply.text
    if not text.strip() and reply.value is not None:
        text = msgspec.json.encode(reply.value).decode()
    return replace(review, text=text, error=reply.error)
