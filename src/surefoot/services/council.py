"""Answers to one question, ranked by several reviewers: by reviews that are there, or by models that are asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from surefoot.core.errors import ExitCode, Incomplete, UsageError
from surefoot.core.result import READER, Person
from surefoot.models.budget import Budget, Spent
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Model
from surefoot.reviewers import settings as variables
from surefoot.reviewers.ballots import Answer, Labels, Review
from surefoot.reviewers.panel import SYNTHESIS, Failure, deliberate
from surefoot.reviewers.scores import Ranked, score
from surefoot.reviewers.settings import Settings as CouncilSettings
from surefoot.services.graders import settings_of
from surefoot.services.model_grader import KEPT, spent_words
from surefoot.services.settings import Given, Settings, settings_from
from surefoot.text import jsonblocks

_KEYS = ("question", "responses", "reviews", "weights", "safety", "rubric")
_HINT = 'write {"responses": {"A": {"model": "m1", "text": "..."}}, "reviews": [{"reviewer": "m2", "text": "..."}]}'
_FROM_FILE = "reviews file"


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


def council(
    question: str,
    *,
    models: str | Sequence[str | Model] = (),
    chair: str | Model | None = None,
    answers: str | Path | Mapping[str, Any] | None = None,
    rubric: str | None = None,
    safety: bool | None = None,
    seed: int | None = None,
    yes: bool = False,
    settings: Given = None,
    person: Person = READER,
) -> Council:
    """Let models answer a question, review all answers without knowing whose they are, and rank them.

    `models` and `chair` are what `surefoot council ask` takes, or objects with `name` and `complete`. `answers` are
    reviewed instead of asking for some: labels with their texts, or a file of these. What is not given comes from the
    variables LLM_COUNCIL_...
    """
    chosen = council_settings(rubric, SEED=seed, SAFETY_GATE=safety)
    how = settings_from(settings, yes=yes)
    given = _answers_in(answers) if answers is not None else ()
    members, head = _opened(models or str(chosen["MODELS"]), chair or str(chosen["CHAIR"]), how)
    if len(members) == 1 and not given:
        hint = "name two models or more, or give --answers FILE"
        raise UsageError("a model does not review its own answer, so one alone gives no score", hint)
    _agree_on(len(members) * (1 if given else 2) + (head is not None), how, person)
    try:
        ranked, held = deliberate(question, members, chosen, answers=given, chair=head)
    except KeyboardInterrupt:
        person.tell(KEPT)
        raise
    person.tell(spent_words(held.spent))
    return Council(**asdict(ranked), **asdict(held))


def score_reviews(
    reviews: str | Path | Mapping[str, Any], *, rubric: str | None = None, safety: bool | None = None
) -> Council:
    """Rank answers by reviewers' raw texts, as a file or a mapping holds them; no model is asked."""
    content = _json_in(reviews)
    file = _file(content)
    gate = file.safety if isinstance(file.safety, _Safety) else _Safety(file.safety)
    weights = None if file.weights is None else (file.weights, _FROM_FILE)
    of_file = _given(_FROM_FILE, RUBRIC=file.rubric or None, SAFETY_GATE=gate.gate, SAFETY_SCORE_CAP=gate.cap)
    options = of_file | _given("option", RUBRIC=rubric, SAFETY_GATE=safety)
    chosen = variables.read(os.environ, options, weights)
    answers = _answers(file.responses)
    problems = [f"the key {str(key)[:40]!r} is not used" for key in content if key not in _KEYS]
    problems += [f"{answer.label[:40]} has no text" for answer in answers if not answer.text.strip()]
    read = list(_reviews(file.reviews, Labels(answer.label for answer in answers)))
    problems += [problem for _, wrong in read for problem in wrong]
    ranked = score(answers, [review for review, _ in read], chosen, file.question or "", problems)
    return Council(**asdict(ranked))


def council_settings(
    rubric: str | None = None, default: str | None = None, /, **values: variables.Value | None
) -> CouncilSettings:
    """The settings from the environment, but for what is given; `default` is the rubric where nobody names one."""
    named = os.environ.get(f"{variables.PREFIX}RUBRIC", "").strip()
    of_default = _given("default", RUBRIC=None if named else default)
    return variables.read(os.environ, of_default | _given("option", RUBRIC=rubric, **values))


def _given(source: str, **values: variables.Value | None) -> dict[str, tuple[variables.Value, str]]:
    return {key: (value, source) for key, value in values.items() if value is not None}


def _opened(
    models: str | Sequence[str | Model], chair: str | Model, given: Settings
) -> tuple[list[Model], Model | None]:
    """The members and the chair: they share one budget."""
    named = [name.strip() for name in models.split(",") if name.strip()] if isinstance(models, str) else models
    if not named:
        raise UsageError("a council needs models", "as in --models anthropic:NAME,llm:NAME@http://localhost:8080/v1")
    budget, how = Budget(given.max_cost), settings_of(given)
    members = [open_model(one, how, budget) if isinstance(one, str) else one for one in (*named, chair) if one]
    return (members[:-1], members[-1]) if chair else (members, None)


def _agree_on(wanted: int, given: Settings, person: Person) -> None:
    """What reviews cost depends on how long the answers are, so the number is shown and max_cost is the limit."""
    known = "what is known from before is not asked for again"
    person.tell(f"replies wanted: {wanted:,}; {known}; `--set max_cost=USD` limits what they may cost")
    if not given.yes and not person.agrees():
        raise Incomplete("nothing was asked", "--yes skips the confirmation")


class _Response(Struct):
    model: str | None = None
    text: str | None = None


class _Safety(Struct, forbid_unknown_fields=True):
    gate: bool | None = None
    cap: float | None = None


class _File(Struct):
    responses: dict[str, _Response]
    reviews: list[Any]  # what is wrong with one spoils its own ballot only
    question: str | None = None
    weights: Any = None
    safety: bool | _Safety | None = None
    rubric: str | None = None


def _json_in(source: str | Path | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    try:
        raw = sys.stdin.buffer.read() if str(source) == "-" else Path(source).read_bytes()
        value = jsonblocks.forgiving(raw.decode("utf-8-sig"))
    except ValueError as error:
        raise UsageError(f"{source} is not JSON text in UTF-8: {error}", "docs/council.md shows such a file") from None
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}", "pass a file of JSON") from error
    if not isinstance(value, dict):
        raise UsageError(f"{source} is not a JSON object", _HINT)
    return value


def _file(content: Mapping[str, Any]) -> _File:
    try:
        return msgspec.convert(content, _File)
    except msgspec.ValidationError as error:
        raise UsageError(f"the answers and reviews cannot be read: {error}", _HINT) from None


def _answers_in(source: str | Path | Mapping[str, Any]) -> tuple[Answer, ...]:
    found = _json_in(source)
    return _answers(_file({"responses": found.get("responses", found), "reviews": []}).responses)


def _answers(responses: Mapping[str, _Response]) -> tuple[Answer, ...]:
    if not responses or not all(label.strip() for label in responses):
        raise UsageError("a response has no label" if responses else "there are no responses", _HINT)
    return tuple(Answer(label, one.model or "", one.text or "") for label, one in responses.items())


def _reviews(listed: Sequence[object], labels: Labels) -> Iterator[tuple[Review, list[str]]]:
    """Each review, and what is wrong with the order in which its answers were shown."""
    for place, written in enumerate(listed, 1):
        found = written if isinstance(written, dict) else {}
        name, shown = found.get("reviewer"), found.get("shown") or []
        reviewer = (name.strip() if isinstance(name, str) else "") or f"review {place}"
        order = [labels.find(label) for label in shown] if isinstance(shown, list) else []
        wrong = ["it is not a list of labels"] if not isinstance(shown, list) else []
        for at, label in enumerate(order):
            if label is None or label in order[:at]:
                why = "is no label of an answer" if label is None else "stands there twice"
                wrong.append(f"{str(shown[at])[:40]} {why}")
        review = Review(reviewer, found.get("text"), labels.order(shown))
        yield review, [f"{reviewer}: shown: {what}" for what in wrong]
