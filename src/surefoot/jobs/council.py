"""Councils: models that score the answers of runs, or answer a question and rank each other's answers; reviews that are
there already; and what scores are worth, held against each other and against people."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from surefoot.core import rubric as rubrics
from surefoot.core.errors import ExitCode, Incomplete, UsageError
from surefoot.core.files import printable, replace_file
from surefoot.core.result import READER, Person, Result, Watch, tell_problems
from surefoot.core.rubric import Fault, Rubric
from surefoot.core.types import Item, Problem, Verdict, counted, names, plain
from surefoot.gate.sides import BUCKET_AXIS
from surefoot.jobs.graders import settings_of
from surefoot.jobs.model_grader import agree, replies_kept, spent_words
from surefoot.jobs.runs import Name, check_texts, opened, run_items
from surefoot.jobs.settings import Given, Settings, settings_from
from surefoot.models.budget import Budget, spent_on
from surefoot.models.endpoint import EndpointModel, open_model
from surefoot.models.seam import Model, Prompt, Reply
from surefoot.models.spec import chat_model
from surefoot.reviewers import ballots, rows
from surefoot.reviewers import settings as variables
from surefoot.reviewers.ballots import Labels, Review
from surefoot.reviewers.habits import Habit, habits
from surefoot.reviewers.opinions import read_opinions
from surefoot.reviewers.panel import Council, Failure, asked_in_turn, deliberate, reviewed
from surefoot.reviewers.run_scores import RunScores, ScoredAnswer, run_scores, scored_answers
from surefoot.reviewers.scores import score
from surefoot.reviewers.sheet import CAPPED, HOLISTIC, OVERALL, Answer, Sheet
from surefoot.reviewers.sitting import Sitting, known_of, prompt_on, unanswered, verdicts_on
from surefoot.reviewers.success import Opinions, Success, success
from surefoot.reviewers.voices import Voices, voices
from surefoot.reviewers.weights import RubricTuned, scoring, tune
from surefoot.store import Project, Run
from surefoot.text import jsonblocks

_A_FILE = 'write {"responses": {"A": {"model": "m1", "text": "..."}}, "reviews": [{"reviewer": "m2", "text": "..."}]}'
_MODELS = "--models anthropic:NAME,llm:NAME@http://localhost:8080/v1"
_FROM_FILE = "reviews file"
_LONGEST_PROMPT = 400_000  # characters; no model reads more at once
_SHORTEN = "retrieve fewer or shorter passages"
_ASK_AGAIN = "the same command asks for it again, and for nothing that was answered"
_SCORE_FIRST = "let a council score them: surefoot council RUN --reviewer MODEL"


class CouncilScores(Result, frozen=True, kw_only=True):
    """How a council scored the answers of runs, the best run first."""

    rubric: str
    council: str
    reviewers: tuple[str, ...]
    runs: tuple[RunScores, ...]
    failures: tuple[Failure, ...] = ()  # in this sitting
    answers: tuple[ScoredAnswer, ...]
    rows: tuple[dict[str, Any], ...]  # every verdict, with the run it is on

    @property
    def exit_code(self) -> ExitCode:
        """A reviewer that declines may leave a score open; one that fails is to be asked again."""
        whole = all(run.overall and not run.not_scored for run in self.runs) and not self.failures
        return ExitCode.OK if whole else ExitCode.INCOMPLETE


class CouncilEvaluation(Result, frozen=True):
    """What the scores of a council's reviewers are worth on the answers of runs."""

    runs: tuple[str, ...]
    reviewers: tuple[str, ...]
    questions: int
    answers: int
    success: Success
    voices: Voices
    bias: tuple[Habit, ...]

    def table(self) -> Sequence[Mapping[str, Any]]:
        """Every figure on every reviewer."""
        return list(self["bias"])


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
    found = {} if answers is None else _json_in(answers)
    given = () if answers is None else _read({"responses": found.get("responses", found), "reviews": []}).answers
    members, head = _opened(models or str(chosen["MODELS"]), how, _MODELS, chair or str(chosen["CHAIR"]))
    if len(members) == 1 and not given:
        hint = "name two models or more, or give --answers FILE"
        raise UsageError("a model does not review its own answer, so one alone gives no score", hint)
    # What reviews cost depends on how long the answers are.
    wanted = len(members) * (1 if given else 2) + (head is not None)
    known = "what is known from before is not asked for again"
    person.tell(f"replies wanted: {wanted:,}; {known}; `--set max_cost=USD` limits what they may cost")
    agree(person, how)
    with replies_kept(person):
        made = deliberate(question, members, chosen, answers=given, chair=head)
    if made.spent is not None:
        person.tell(spent_words(made.spent))
    return made


def score_reviews(
    reviews: str | Path | Mapping[str, Any], *, rubric: str | None = None, safety: bool | None = None
) -> Council:
    """Rank answers by reviewers' raw texts, as a file or a mapping holds them; no model is asked."""
    content = _json_in(reviews)
    file = _read(content)
    gate = file.safety if isinstance(file.safety, _Safety) else _Safety(file.safety)
    weights = None if file.weights is None else (file.weights, _FROM_FILE)
    of_file = _given(_FROM_FILE, RUBRIC=file.rubric or None, SAFETY_GATE=gate.gate, SAFETY_SCORE_CAP=gate.cap)
    options = of_file | _given("option", RUBRIC=rubric, SAFETY_GATE=safety)
    chosen = variables.read(os.environ, options, weights)
    problems = [f"the key {str(key)[:40]!r} is not used" for key in content if key not in _File.__struct_fields__]
    problems += [f"{answer.label[:40]} has no text" for answer in file.answers if not answer.text.strip()]
    read = list(_reviews(file.reviews, Labels(answer.label for answer in file.answers)))
    problems += [problem for _, wrong in read for problem in wrong]
    return Council(**asdict(score(file.answers, [review for review, _ in read], chosen, file.question or "", problems)))


def council_settings(
    rubric: str | None = None, default: str | None = None, /, **values: variables.Value | None
) -> variables.Settings:
    """The settings from the environment, but for what is given; `default` is the rubric where nobody names one."""
    named = os.environ.get(f"{variables.PREFIX}RUBRIC", "").strip()
    of_default = _given("default", RUBRIC=None if named else default)
    return variables.read(os.environ, of_default | _given("option", RUBRIC=rubric, **values))


def council_runs(
    *runs: Name,
    reviewers: Sequence[str | Model] = (),
    rubric: str | None = None,
    holistic: bool = False,
    safety: bool | None = None,
    yes: bool = False,
    settings: Given = None,
    db: str | Path | None = None,
    person: Person = READER,
) -> CouncilScores:
    """Let models score every answer of the runs by a rubric, and keep the scores with the runs.

    Each answer is read alone, with the question, the passages it was made from and what the question set says of it.
    `holistic` asks for one number beside the rubric, to hold the two against each other. A run keeps the scores of
    its last council; replies that were paid for once are not paid for again.
    """
    how = settings_from(settings, yes=yes)
    chosen = partial(council_settings, rubric, rubrics.COUNCIL_OF_RUNS, SAFETY_GATE=safety)
    models, _ = _opened(reviewers or str(chosen()["MODELS"]), how, "--reviewer llm:NAME@http://localhost:8080/v1")
    panel = tuple(model.name for model in models)
    sitting = Sitting(panel, chosen(), chosen(RUBRIC_SCORING=False) if holistic else None)
    with opened(_each_once(runs), db) as (project, named), ExitStack() as held:
        check_texts(named)
        for run in named:
            held.enter_context(project.database.holding(run.id))
        models = [one.keeping(project.replies) if isinstance(one, EndpointModel) else one for one in models]
        sessions = [_Session(run, sitting, models) for run in named]
        calls = _agree_on(sessions, models, how, person)
        with replies_kept(person), closing(person.watch(calls, "replies")) as watch:
            found = {one.run.id: one.hold(watch) for one in sessions}
    person.tell(spent_words(spent_on([reply for one in sessions for reply in one.replies])))
    failures = tuple(failure for one in sessions for failure in one.failures)
    person.tell_causes([(f"{one.model} on {one.stage}: {one.reason}", one.hint) for one in failures])
    items = {one.run.id: one.items for one in sessions}
    return replace(_scores(found, items, sitting.pooled, panel), failures=failures)


def council_scores(*runs: Name, db: str | Path | None = None) -> CouncilScores:
    """The scores that the last council gave to the answers of runs; the same council must have scored them all."""
    with opened(_each_once(runs), db) as (_, named):
        manifests = [run.manifest for run in named]
        found = {run.id: _council_rows(run) for run in named}
        items = {run.id: list(run_items(run)) for run in named}
    if unscored := [one.id for one in manifests if not one.council]:
        hint = f"score it first: surefoot council {unscored[0]} --reviewer MODEL"
        raise Incomplete(f"no council scored the run {unscored[0]}", hint)
    if len({one.council for one in manifests}) > 1:
        hint = "score them together: surefoot council RUN... --reviewer MODEL"
        raise UsageError("these runs were scored by different councils", hint)
    return _scores(found, items, manifests[0].council, [rows.reviewer_of(one) or "" for one in manifests[0].reviewers])


def evaluate_council(
    *runs: Name,
    labels: str | Path | None = None,
    compare: Literal["holistic"] | None = None,
    db: str | Path | None = None,
    person: Person = READER,
) -> CouncilEvaluation:
    """Look at the scores that reviewers gave to the answers of runs: do they agree, with each other and with people?

    `labels` are scores, buckets or preferences by people. `compare` insists on a holistic score beside the rubric's.
    """
    scored = _Scored(runs, db)
    sheet = scored.sheet(own=False)
    if compare and HOLISTIC not in sheet:
        hint = "ask for it: surefoot council RUN --reviewer MODEL --holistic"
        raise Incomplete("no reviewer gave a holistic score to compare with", hint)
    people = None if labels is None else scored.opinions(labels, sheet, person)
    heard = voices(sheet)
    return CouncilEvaluation(
        tuple(scored.runs), sheet.reviewers, len(sheet.questions), len(sheet.answers), success(sheet, people), heard,
        habits(scored.sheet(own=True), [one.reviewer for one in heard.adds_nothing]),
    )  # fmt: skip


def tune_rubric(
    *runs: str | Path,
    labels: str | Path,
    rubric: str,
    out: str | Path,
    db: str | Path | None = None,
    person: Person = READER,
) -> RubricTuned:
    """Fit a rubric's weights to what people prefer, and write the new rubric if it is better on unseen questions.

    Without `runs`, all that a council scored are taken.
    """
    text, target = rubrics.read_text(rubric), Path(out)
    made = rubrics.parse(text, rubric)
    if not made.weights:
        raise UsageError(f"the rubric {rubric} has no weights", "choose one that a council scores by: refusal_aware")
    if target.exists():
        raise UsageError(f"{printable(target)} is there already", "choose another name for --out")
    scored = _Scored(runs, db)
    sheet = scored.sheet(own=False)
    people = scored.opinions(labels, sheet, person)
    scores, whole, overall = scoring(sheet, made, scored.faults(made))
    kept, tied = whole[people.pairs.one] & whole[people.pairs.other], people.signs == 0
    gaps = ~kept & ~tied
    told = f"labels: {counted(len(kept), 'pair')} of answers: {counted(int(tied.sum()), 'tie')}"
    told += f", {counted(int((kept & ~tied).sum()), 'pair')} used"
    if gaps.any():
        at = list(dict.fromkeys(sheet.questions[place] for place in sheet.question_of[people.pairs.one[gaps]]))
        told += f"; {counted(int(gaps.sum()), 'pair')} left out, as no reviewer scored every dimension of both answers"
        told += f" ({names(at, len(at), 5)})"
    person.tell(told)
    found = tune(scores, made.weights, Opinions(people.pairs.at(kept), people.signs[kept]), overall)
    if found.weights is None or not found.is_better:
        return found
    changed = rubrics.with_weights(text, rubrics.rounded(found.weights), target.stem)
    rubrics.parse(changed, printable(target))
    try:
        replace_file(target, changed.encode())
    except OSError as error:
        raise UsageError(f"{printable(target)} cannot be written: {error.strerror}", "choose another --out") from error
    return replace(found, written=printable(target))


def _given(source: str, **values: variables.Value | None) -> dict[str, tuple[variables.Value, str]]:
    return {key: (value, source) for key, value in values.items() if value is not None}


def _opened(
    named: str | Sequence[str | Model], how: Settings, example: str, chair: str | Model = ""
) -> tuple[list[Model], Model | None]:
    """The members and the chair, who share one budget."""
    listed = [one.strip() for one in named.split(",")] if isinstance(named, str) else named
    budget, asking = Budget(how.max_cost), settings_of(how)
    opened = [open_model(one.strip(), asking, budget) if isinstance(one, str) else one
              for one in (*listed, chair) if one]  # fmt: skip
    members, head = (opened[:-1], opened[-1]) if chair else (opened, None)
    if not members:
        raise UsageError("a council needs models", f"as in {example}")
    if len({one.name for one in members}) < len(members):
        raise UsageError("a model is named twice", "name each model once: nobody has two votes")
    return members, head


def _each_once(runs: Sequence[Name]) -> Sequence[Name]:
    if not runs or len(set(runs)) < len(runs):
        raise UsageError("a run is named twice" if runs else "no run was named", "name each run once")
    return runs


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

    @property
    def answers(self) -> tuple[ballots.Answer, ...]:
        return tuple(ballots.Answer(label, one.model or "", one.text or "") for label, one in self.responses.items())


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
        raise UsageError(f"{source} is not a JSON object", _A_FILE)
    return value


def _read(content: Mapping[str, Any]) -> _File:
    try:
        file = msgspec.convert(content, _File)
    except msgspec.ValidationError as error:
        raise UsageError(f"the answers and reviews cannot be read: {error}", _A_FILE) from None
    if not file.responses or not all(label.strip() for label in file.responses):
        raise UsageError("a response has no label" if file.responses else "there are no responses", _A_FILE)
    return file


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


class _Asked(Struct, frozen=True):
    """One prompt: about which answer, and in which way."""

    item: int
    way: int
    prompt: Prompt
    review: Review


class _Session:
    """One run before the council."""

    def __init__(self, run: Run, sitting: Sitting, models: Sequence[Model]) -> None:
        self.run, self.sitting, self.items = run, sitting, list(run_items(run))
        self.models = {model.name: model for model in models}
        self.asked = {
            name: [
                _Asked(at, way, *prompt_on(item, settings, name))
                for way, settings in enumerate(sitting.ways)
                for at, item in enumerate(self.items)
                if not unanswered(item)
            ]
            for name in self.models
        }
        self.replies: list[Reply] = []
        self.failures: list[Failure] = []

    def hold(self, watch: Watch) -> list[Verdict]:
        """Ask every reviewer, and keep what they say with the run; where one says nothing now, its earlier scores of
        the very same answer stand, and so do those of all together."""
        made, sitting = self.run.manifest, self.sitting
        given: dict[tuple[int, int], dict[str, Review]] = {}
        for reviewer, one, reply in self._replies(watch):
            given.setdefault((one.item, one.way), {})[reviewer] = reviewed(one.review, reply)
        buckets = {(row.question_id, row.attempt): row.value for row in self.run.verdicts()
                   if made.grader and row.grader == made.grader and row.axis == BUCKET_AXIS}  # fmt: skip
        author, found = _author(made.pipeline), list[Verdict]()
        for at, item in enumerate(self.items):
            by_way = [given.get((at, way), {}) for way in range(len(sitting.ways))]
            reviews = [[by_name[name] for name in sitting.reviewers if name in by_name] for by_name in by_way]
            bucket = buckets.get((item.question.id, item.trace.attempt))
            found += verdicts_on(item, sitting, reviews, author, bucket)
        if not rows.scores_of(found) and made.council != sitting.pooled:
            return found  # asked in vain: what an earlier council said stays the run's
        reviewers, standing = tuple(map(sitting.grader, sitting.reviewers)), dict[tuple[str, int], None]()
        for grader in (*reviewers, sitting.pooled):  # all together come last
            own = [row for row in found if row.grader == grader]
            failed = standing if grader == sitting.pooled else ()
            standing |= dict.fromkeys(self.run.add_verdicts(grader, own, failed, sitting.settings.rubric.sha256))
        self.run.amend(council=sitting.pooled, reviewers=reviewers)
        answered = self.run.answer_keys()
        missing = [row for row in found if (row.question_id, row.attempt) not in answered]  # no answer, no row to keep
        return [*_council_rows(self.run), *missing]

    def _replies(self, watch: Watch) -> Iterator[tuple[str, _Asked, Reply]]:
        """Of all reviewers, who are asked at the same time. What is known already was not announced as a call."""
        fitting = {who: [one for one in asked if len(one.prompt.text) <= _LONGEST_PROMPT]
                   for who, asked in self.asked.items()}  # fmt: skip
        for who, asked in self.asked.items():
            for one in asked:
                if (size := len(one.prompt.text)) > _LONGEST_PROMPT:
                    error = f"{size:,} characters are too long to be asked at once"
                    yield who, one, self._noted(who, one, Reply(error=error, hint=_SHORTEN))
        prompts = {who: [one.prompt for one in asked] for who, asked in fitting.items()}
        for who, place, reply in asked_in_turn(self.models, prompts):
            if not reply.cached:
                watch.count(reply)
            yield who, fitting[who][place], self._noted(who, fitting[who][place], reply)

    def _noted(self, reviewer: str, one: _Asked, reply: Reply) -> Reply:
        self.replies.append(reply)
        if reply.error:
            item = self.items[one.item]
            attempt = f" (attempt {item.trace.attempt})" if item.trace.attempt > 1 else ""
            answer = f"{self.run.id}: {item.question.id}{attempt}"
            self.failures.append(Failure(reviewer, answer, plain(reply.error, 200), reply.hint or _ASK_AGAIN))
        return reply


def _author(pipeline: str) -> str:
    """The model that gave the answers, where a pipeline is nothing but one."""
    try:
        return chat_model(pipeline.removeprefix("chat:")).name if pipeline.startswith("chat:") else ""
    except UsageError:
        return ""


def _agree_on(sessions: Sequence[_Session], models: Sequence[Model], how: Settings, person: Person) -> int:
    """What it may cost, reviewer by reviewer, and what they cannot see, before anything is asked; returns the calls."""
    retrieved = [item.trace.retrieved or () for session in sessions for item in session.items]
    if unseen := sum(any(not passage.text for passage in passages) for passages in retrieved):
        what = f"{counted(unseen, 'answer')} with passages whose texts are not known, which reviewers cannot check"
        person.tell(f"note: {what}; `surefoot grade RUN --corpus PATH` adds the texts")
    calls = paid = 0
    for model in models:
        prompts = [one.prompt for session in sessions for one in session.asked[model.name]]
        if isinstance(model, EndpointModel):
            found = model.estimate(prompts)
            person.tell(found.sentence)
            paid += found.calls
            calls += found.calls
        else:
            person.tell(f"{counted(len(prompts), 'call')} to {plain(model.name, 200)}")
            calls += len(prompts)
    if paid:
        agree(person, how)
    return calls


def _council_rows(run: Run) -> list[Verdict]:
    """What the run's council said: all reviewers together, and each of them."""
    graders = {run.manifest.council, *run.manifest.reviewers}
    return [row for row in run.verdicts() if row.grader in graders]


def _scores(
    found: Mapping[str, Sequence[Verdict]], items: Mapping[str, Sequence[Item]], council: str, reviewers: Sequence[str]
) -> CouncilScores:
    runs = run_scores(found, items, council)
    return CouncilScores(
        rubric=rows.rubric_of(council), council=council, reviewers=tuple(reviewers), runs=tuple(runs),
        answers=tuple(one for run in runs for one in scored_answers(run.run, items[run.run], found[run.run])),
        rows=tuple({"run": run, **msgspec.to_builtins(row)} for run, given in found.items() for row in given),
    )  # fmt: skip


class _Scored:
    """Runs with the scores of their reviewers."""

    def __init__(self, named: Sequence[Name], db: str | Path | None) -> None:
        if not named:
            with Project.existing(db) as project:
                named = [run.id for run in project.runs() if run.manifest.council]
            if not named:
                raise Incomplete("no council has scored a run of this project", _SCORE_FIRST)
        self.scores: dict[rows.Place, dict[str, float]] = {}
        self.own: set[rows.Place] = set()
        self.items: dict[Answer, Item] = {}
        with opened(_each_once(named), db) as (_, runs):
            for run in runs:
                verdicts = _council_rows(run)
                self.scores |= rows.scores_of(verdicts, run.id)
                self.own |= rows.own_answers(verdicts, run.id)
                self.items |= {Answer(run.id, one.question.id, one.trace.attempt): one for one in run_items(run)}
            self.runs = [run.id for run in runs]
        if not self.scores:
            raise Incomplete(f"{', '.join(self.runs)}: no reviewer scored an answer", _SCORE_FIRST)

    def faults(self, rubric: Rubric) -> dict[Answer, Fault | None]:
        """By the dimensions that all reviewers together have a score on: whether the answer counted as a refusal."""
        found: dict[Answer, Fault | None] = {}
        for place, given in self.scores.items():
            if place.reviewer == rows.POOLED:
                refused, known = rubric.says_refused(given), known_of(self.items[Answer(*place[1:])].question)
                found[Answer(*place[1:])] = {True: known.if_refused, False: known.if_answered, None: None}[refused]
        return found

    def sheet(self, *, own: bool) -> Sheet:
        """`own` False leaves out what reviewers gave to answers of their own model."""
        scores: dict[str, dict[Answer, dict[str, float]]] = {}
        for place, given in self.scores.items():
            if place.reviewer != rows.POOLED and (own or place not in self.own):
                # The overall score is the one before ceilings, with the capped one beside it.
                judged = {name: score for name, score in given.items() if name != rows.UNCAPPED}
                if rows.OVERALL in given:
                    judged |= {OVERALL: given.get(rows.UNCAPPED, given[rows.OVERALL]), CAPPED: given[rows.OVERALL]}
                scores.setdefault(place.reviewer, {})[Answer(*place[1:])] = judged
        mine: dict[str, set[str]] = {}
        for place in self.own & self.scores.keys():
            mine.setdefault(place.reviewer, set()).add(place.run)
        lengths = {answer: len(item.trace.answer or "") for answer, item in self.items.items()}
        return Sheet(scores, lengths, own={who: frozenset(found) for who, found in mine.items()})

    def opinions(self, labels: str | Path, sheet: Sheet, person: Person) -> Opinions:
        problems: list[Problem] = []
        answerable = {answer.question: item.question.answerable for answer, item in self.items.items()}
        found = read_opinions(labels, sheet, answerable, problems)
        tell_problems(problems, person.tell)
        return found
