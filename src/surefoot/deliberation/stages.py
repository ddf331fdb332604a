"""The three stages: answers, blind reviews, and a closing answer by a chair if one is wanted.

Whatever a model does - fail, hang, refuse, send nonsense - costs its own answer or its own ballot, and is named. Models
are asked at the same time, each in a thread that cannot keep the process.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from surefoot.council.scoring import Result, score
from surefoot.council.settings import Settings
from surefoot.council.sitting import Answer, Review, Sitting
from surefoot.deliberation.prompts import ReviewCall, answer_prompt, review_prompt, shuffled, synthesis_prompt
from surefoot.errors import UsageError, words_of
from surefoot.models.seam import Model, Prompt, Reply
from surefoot.text.normal import is_empty

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Failure(Struct, frozen=True):
    model: str
    stage: str
    reason: str
    hint: str = ""


class Spent(Struct, frozen=True):
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0  # None: the price of a model is not known
    replies: int = 0
    known: int = 0  # replies that were there before: nothing was sent for them


class Deliberation(Struct, frozen=True):
    """All that happened. `synthesis` None: no chair, or one that failed."""

    seed: int
    answers: tuple[Answer, ...]
    reviews: tuple[Review, ...]
    result: Result
    synthesis: str | None
    failures: tuple[Failure, ...]
    spent: Spent


def deliberate(
    question: str,
    models: Sequence[Model],
    settings: Settings,
    *,
    answers: Sequence[Answer] = (),
    chair: Model | None = None,
) -> Deliberation:
    """Let the models answer (unless answers are given), review, and be ranked."""
    names = [model.name for model in models]
    if not names or len(set(names)) < len(names):
        message = "a model is named twice" if names else "a council needs models"
        raise UsageError(message, "name each model once: nobody has two votes")
    return _Sitting(question, {model.name: model for model in models}, settings).held(tuple(answers), chair)


class _Sitting:
    def __init__(self, question: str, models: Mapping[str, Model], settings: Settings) -> None:
        self.question, self.models, self.settings = question, models, settings
        self.seed, self.patience = int(settings["SEED"]), float(settings["PATIENCE"])
        self.failures: list[Failure] = []
        self.replies: list[Reply] = []

    def held(self, answers: tuple[Answer, ...], chair: Model | None) -> Deliberation:
        answers = answers or self._answered()
        reviews = self._reviewed(answers) if answers else ()
        result = score(Sitting(answers, reviews, self.question), self.settings)
        synthesis = self._summed_up(answers, result, chair) if chair is not None and answers else None
        return Deliberation(self.seed, answers, reviews, result, synthesis, tuple(self.failures), _spent(self.replies))

    def _answered(self) -> tuple[Answer, ...]:
        replies = self._ask("answer", dict.fromkeys(self.models, answer_prompt(self.question)))
        # Labels must not tell who was named first.
        order = shuffled(replies, self.seed, "labels", self.question)
        return tuple(Answer(label_of(place), name, replies[name].text) for place, name in enumerate(order))

    def _reviewed(self, answers: tuple[Answer, ...]) -> tuple[Review, ...]:
        rubric, use_rubric = self.settings.rubric, self.settings.use_rubric
        calls = {
            name: review_prompt(self.question, answers, rubric, self.seed, name, use_rubric) for name in self.models
        }
        replies = self._ask("review", {name: call.prompt for name, call in calls.items()}, keep_failed=True)
        return tuple(_review(name, calls[name], reply) for name, reply in replies.items())

    def _summed_up(self, answers: tuple[Answer, ...], result: Result, chair: Model) -> str | None:
        """Answers that fail the safety gate are not shown to the chair."""
        safe = {row.label: row.overall for row in result.ranking if row.safety is None or row.safety.passed}
        by_label = {answer.label: answer for answer in answers}
        if not safe:
            self.failures.append(Failure(chair.name, "synthesis", "no answer passes the safety gate"))
            return None
        prompt = synthesis_prompt(self.question, [by_label[label] for label in safe], safe, self.seed)
        replies = self._ask("synthesis", {chair.name: prompt}, {chair.name: chair})
        return replies[chair.name].text if replies else None

    def _ask(
        self,
        stage: str,
        prompts: Mapping[str, Prompt],
        models: Mapping[str, Model] | None = None,
        keep_failed: bool = False,
    ) -> dict[str, Reply]:
        """The replies that can be used, in the order of the prompts; the others are named."""
        replies = asked_at_once(models or self.models, prompts, self.patience)
        self.replies += replies.values()
        failed = {name: _failure(reply, prompts[name]) for name, reply in replies.items()}
        self.failures += [Failure(name, stage, reason, replies[name].hint) for name, reason in failed.items() if reason]
        return {name: reply for name, reply in replies.items() if keep_failed or not failed[name]}


def asked_at_once(models: Mapping[str, Model], prompts: Mapping[str, Prompt], patience: float) -> dict[str, Reply]:
    """A reply from every model: what goes wrong, and what takes longer than our patience, is a reply with an error."""
    done: queue.SimpleQueue[tuple[str, Reply]] = queue.SimpleQueue()
    for name, prompt in prompts.items():
        threading.Thread(target=_ask_one, args=(models[name], name, prompt, done), daemon=True).start()
    late = Reply(error=f"no reply within {patience:g} seconds", asked=1)
    replies = dict.fromkeys(prompts, late)
    deadline = time.monotonic() + patience
    for _ in prompts:
        try:
            name, reply = done.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
        replies[name] = reply
    return replies


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


def _failure(reply: Reply, prompt: Prompt) -> str:
    if reply.error:
        return reply.error
    return "the reply is empty" if reply.value is None and is_empty(reply.text) and prompt.schema is None else ""


def _review(name: str, call: ReviewCall, reply: Reply) -> Review:
    text = reply.text
    if not text.strip() and reply.value is not None:
        text = msgspec.json.encode(reply.value).decode()
    return Review(name, text, call.shown, call.code, reply.error)


def _spent(replies: Sequence[Reply]) -> Spent:
    new = [reply for reply in replies if not reply.cached]
    costs = [reply.cost_usd for reply in new if reply.asked or reply.cost_usd is not None]
    return Spent(
        sum(reply.asked for reply in new),
        sum(reply.tokens_in for reply in new),
        sum(reply.tokens_out for reply in new),
        None if None in costs else sum(cost for cost in costs if cost is not None),
        len(replies),
        len(replies) - len(new),
    )
