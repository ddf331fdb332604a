"""Councils: models that score the answers of runs, or answer a question and rank each other's answers; reviews that are
there already; and what scores are worth, compared with each other and with people."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from hashlib import sha256
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from surefoot.core import rubric as rubrics
from surefoot.core.errors import ExitCode, Incomplete, SurefootError, UsageError
from surefoot.core.files import fault_in, printable, replace_file
from surefoot.core.records import fingerprint, timestamp
from surefoot.core.result import READER, Person, Result, tell_problems
from surefoot.core.types import Item, Problem, Question, Trace, Verdict, counted, plain
from surefoot.council import ballots, evaluate, prompts, rows
from surefoot.council.ballots import Review
from surefoot.council.evaluate import Preferences, Sheet
from surefoot.council.ranking import Ranked, rank
from surefoot.council.rows import HOLISTIC, AnswerKey, RunReview, RunScores, ScoredAnswer
from surefoot.council.tune import RubricTuned, Scoring, read_preferences, tune
from surefoot.gate.sides import BUCKET_AXIS, document_of
from surefoot.graders.llm import agree, replies_kept, spent_words
from surefoot.jobs.grade import settings_of
from surefoot.jobs.runs import Name, check_texts, opened, run_items
from surefoot.jobs.settings import Given, Settings, settings_from
from surefoot.models.budget import IF_NONE_AGAIN, Budget, Spent, spent_on
from surefoot.models.endpoint import EndpointModel, open_model
from surefoot.models.seam import Model, Prompt, Reply
from surefoot.models.spec import chat_model
from surefoot.store import Manifest, Project, Run
from surefoot.text import jsonblocks
from surefoot.text.normal import is_empty

_A_FILE = 'write {"responses": {"A": {"model": "m1", "text": "..."}}, "reviews": [{"reviewer": "m2", "text": "..."}]}'
_ASK_AGAIN = "the same command asks for it again, and for nothing that was answered"
_SCORE_FIRST = "let a council score them: surefoot council runs RUN --reviewer MODEL"
_SYNTHESIS = "synthesis"  # the stage of the closing answer


class Failure(Struct, frozen=True):
    model: str
    stage: str  # or which answer of which run
    reason: str
    hint: str = ""


class Council(Ranked, frozen=True, kw_only=True):
    """Answers in the order of their reviewers' scores, and how that came about."""

    answers: tuple[ballots.Answer, ...] = ()
    reviews: tuple[Review, ...] = ()
    synthesis: str | None = None  # None: no chair, or one that failed
    failures: tuple[Failure, ...] = ()
    spent: Spent | None = None  # None: no model was asked
    runs: dict[str, str] = field(default_factory=dict)  # by answer, the run that it is kept as

    @property
    def exit_code(self) -> ExitCode:
        """A model that fails is left out; without the closing answer that was asked for, the council is incomplete."""
        is_closed = all(failure.stage != _SYNTHESIS for failure in self.failures)
        return ExitCode.OK if self.is_scored and is_closed else ExitCode.INCOMPLETE

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The answers, best first."""
        return list(self["ranking"])


class CouncilScores(Result, frozen=True, kw_only=True):
    """How a council scored the answers of runs, the best run first."""

    rubric: str
    council: str
    reviewers: tuple[str, ...]
    runs: tuple[RunScores, ...]
    failures: tuple[Failure, ...] = ()  # this time
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
    success: evaluate.Success
    redundant: dict[str, str]  # reviewers whose votes add nothing, and why
    bias: tuple[evaluate.ReviewerBias, ...]

    def table(self) -> Sequence[Mapping[str, Any]]:
        """Every figure on every reviewer."""
        return list(self["bias"])


def council(
    question: str, *, models: str | Sequence[str | Model] = (), chair: str | Model | None = None,
    answers: str | Path | Mapping[str, Any] | None = None, rubric: str | None = None, holistic: bool = False,
    safety: bool | None = None, seed: int | None = None, yes: bool = False, settings: Given = None,
    db: str | Path | None = None, person: Person = READER,
) -> Council:  # fmt: skip
    """Let models answer a question, review all answers without knowing whose they are, and rank them.

    `models` and `chair` are what `surefoot council ask` takes, or objects with `name` and `complete`. `answers` are
    reviewed instead of asking for some: labels with their texts, or a file of these. What is not given comes from the
    variables LLM_COUNCIL_... Every answer is kept as a run with its scores.
    """
    chosen, how = council_settings(rubric, SEED=seed, SAFETY_GATE=safety), settings_from(settings, yes=yes)
    given = () if answers is None else _read(answers, reviewed=False).answers
    example = "--models anthropic:NAME,llm:NAME@http://localhost:8080/v1"
    members, head = _opened(models or str(chosen["MODELS"]), how, example, chair or str(chosen["CHAIR"]))
    if len(members) == 1 and not given:
        hint = "name two models or more, or give --answers FILE"
        raise UsageError("a model does not review its own answer, so one alone gives no score", hint)
    # What reviews cost depends on how long the answers are.
    wanted = len(members) * (1 + holistic if given else 2 + holistic) + (head is not None)
    person.tell(f"replies wanted: {wanted:,} {IF_NONE_AGAIN}; `--set max_cost=USD` limits what they may cost")
    agree(person, how.yes, [one.name for one in (*members, head) if one])
    by_name, number = {one.name: one for one in members}, int(chosen["SEED"])
    asking, ranked, reviews, synthesis = _Asking(), list[Ranked](), list[Review](), None

    def ask(stage: str, of: Mapping[str, Model], asked: Mapping[str, Prompt]) -> dict[str, Reply]:
        """Whatever a model does - fail, hang, send nothing - costs its own answer or ballot, and is named."""
        came = prompts.asked_at_once(of, asked, float(chosen["PATIENCE"]))
        for name, reply in came.items():
            if not reply.error and asked[name].schema is None and is_empty(reply.text):
                came[name] = replace(reply, error="the reply is empty")
            asking.count(name, stage, came[name])
        return came

    with replies_kept(person):
        if not given:
            came = ask("answer", by_name, dict.fromkeys(by_name, Prompt(question, longest=prompts.LONGEST_TEXT)))
            # Labels must not show who was named first.
            answered = [one for one, reply in came.items() if not reply.error]
            order = prompts.shuffled(answered, number, "labels", question)
            given = tuple(ballots.Answer(label_of(place), name, came[name].text) for place, name in enumerate(order))
        review = RunReview(tuple(by_name), chosen, holistic, question, given)
        for way in review.ways:
            calls = {name: prompts.review_prompt(question, given, way, name) for name in by_name if given}
            came = ask("review", by_name, {name: prompt for name, (prompt, _) in calls.items()})
            texts = [prompts.reviewed(calls[name][1], reply) for name, reply in came.items()]
            reviews = reviews or texts
            ranked.append(rank(given, texts, way, question))
        safe = {row.label: row.overall for row in ranked[0].ranking if row.safety is None or row.safety.passed}
        if head is not None and safe:
            shown = [next(one for one in given if one.label == label) for label in safe]
            prompt = prompts.synthesis_prompt(question, shown, safe, number)
            [reply] = ask(_SYNTHESIS, {head.name: head}, {head.name: prompt}).values()
            synthesis = None if reply.error else reply.text
        elif head is not None and given:
            asking.failures.append(Failure(head.name, _SYNTHESIS, "no answer passes the safety gate"))
    made = Council(**asdict(ranked[0]), answers=given, reviews=tuple(reviews), synthesis=synthesis,
                   failures=tuple(asking.failures), spent=asking.tell(person))  # fmt: skip
    try:
        return replace(made, runs=_keep(made, ranked, review, db))
    except SurefootError as error:  # what was paid for is shown all the same
        person.tell(f"warning: the answers are not kept: {error}")
        return made


class _Asking:
    """Counts replies and names failures, and tells in the end why something was not answered and what asking cost."""

    def __init__(self, hint: str = "") -> None:
        self.replies, self.failures, self._hint = list[Reply](), list[Failure](), hint

    def count(self, model: str, stage: str, reply: Reply) -> None:
        self.replies.append(reply)
        if reply.error:
            self.failures.append(Failure(model, stage, plain(reply.error, 200), reply.hint or self._hint))

    def tell(self, person: Person) -> Spent:
        person.tell_causes([(f"{one.model} on {one.stage}: {one.reason}", one.hint) for one in self.failures])
        spent = spent_on(self.replies)
        person.tell(spent_words(spent))
        return spent


def label_of(place: int) -> str:
    """A to Z, then A2 to Z2, and so on."""
    again, letter = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(again + 1) if again else "")


def _keep(found: Council, ranked: Sequence[Ranked], review: RunReview, db: str | Path | None) -> dict[str, str]:
    """Keep each answer as a run of its model, with what the reviewers gave it; return the runs by answer."""
    kept: dict[str, str] = {}
    digest = sha256(found.question.encode("utf-8", "replace")).hexdigest()[:8]
    question = Question(f"ask-{digest}", found.question, "answer")
    with Project.open(db) as project, project.database.holding(f"ask-{review.pooled[-8:]}"):
        for place, answer in enumerate(found.answers, 1):
            id = f"ask-{review.pooled[-8:]}-{place}"
            run = project.run(id) or project.create(Manifest(
                id=id, version=answer.model or id, pipeline=f"chat:{answer.model}", log_sha256=review.digest, repeats=1,
                questions_sha256=fingerprint([question]), question_count=1, created=timestamp(), finished=True,
            ), [question])  # fmt: skip
            trace = Trace(question.id, answer=answer.text)
            run.keep([trace])
            _add(run, review, [*rows.verdicts_on(Item(question, trace), review, ranked, answer.label)])
            kept[answer.label] = id
    return kept


def _add(run: Run, review: RunReview, found: Sequence[Verdict]) -> None:
    """Where a reviewer says nothing now, its earlier scores of the same answer stand, and so do those of all."""
    reviewers, standing = tuple(review.graders.values()), dict[tuple[str, int], None]()
    for grader in (*reviewers, review.pooled):  # all together come last
        own = [row for row in found if row.grader == grader]
        failed = standing if grader == review.pooled else ()
        standing |= dict.fromkeys(run.add_verdicts(grader, own, failed, review.settings.rubric.sha256))
    run.amend(council=review.pooled, reviewers=reviewers)


def score_reviews(
    reviews: str | Path | Mapping[str, Any], *, rubric: str | None = None, safety: bool | None = None
) -> Council:
    """Rank answers by reviewers' raw texts, as a file or a mapping holds them. No model is asked, nothing is kept."""
    file = _read(reviews)
    options = {"RUBRIC": rubric or file.rubric or None, "SAFETY_GATE": file.safety if safety is None else safety}
    problems = [f"the key {key[:40]!r} is not used" for key in file.unused]
    problems += [f"{answer.label[:40]} has no text" for answer in file.answers if not answer.text.strip()]
    texts = list[Review]()
    for place, written in enumerate(file.reviews, 1):
        found = written if isinstance(written, dict) else {}
        name = found.get("reviewer")
        texts.append(Review((name.strip() if isinstance(name, str) else "") or f"review {place}", found.get("text")))
    chosen = prompts.read_settings(os.environ, options, file.weights)
    return Council(**asdict(rank(file.answers, texts, chosen, file.question or "", problems)), answers=file.answers)


def council_settings(rubric: str | None = None, /, **values: prompts.Value | None) -> prompts.Settings:
    """The settings from the environment, but for what is given."""
    return prompts.read_settings(os.environ, {"RUBRIC": rubric, **values})


def council_runs(
    *runs: Name, reviewers: Sequence[str | Model] = (), rubric: str | None = None, holistic: bool = False,
    safety: bool | None = None, yes: bool = False, settings: Given = None, db: str | Path | None = None,
    person: Person = READER,
) -> CouncilScores:  # fmt: skip
    """Let models score every answer of the runs by a rubric, and keep the scores with the runs.

    Each answer is read alone, with the question, the passages it was made from and what the question set says of it.
    `holistic` asks for one number beside the rubric, to compare the two. A run keeps the scores of its last council;
    replies that were paid for once are not paid for again.
    """
    how, chosen = settings_from(settings, yes=yes), council_settings(rubric, SAFETY_GATE=safety)
    models, _ = _opened(reviewers or str(chosen["MODELS"]), how, "--reviewer llm:NAME@http://localhost:8080/v1")
    review = RunReview(tuple(model.name for model in models), chosen, holistic)
    with opened(runs, db) as (project, named), ExitStack() as held:
        check_texts(named)
        if not named:
            raise UsageError("no run was named", "name one or more")
        for run in named:
            held.enter_context(project.database.holding(run.id))
        models = [one.keeping(project.replies) if isinstance(one, EndpointModel) else one for one in models]
        items, by_name = _items(named), {model.name: model for model in models}
        asked = rows.prompts_on(items, review)
        calls = _agree_on(items, asked, models, how, person)
        asking, given = _Asking(_ASK_AGAIN), defaultdict[tuple[AnswerKey, int], list[Review]](list)
        with replies_kept(person), closing(person.watch(calls, "replies")) as watch:
            texts = {who: [one.prompt for one in some] for who, some in asked.items()}
            for who, at, reply in prompts.asked_in_turn(by_name, texts):
                answer, way, _, to_come = asked[who][at]
                attempt = f" (attempt {answer.attempt})" if answer.attempt > 1 else ""
                asking.count(who, f"{answer.run}: {answer.question}{attempt}", reply)
                if not reply.cached:  # what is known already was not announced as a call
                    watch.count(reply)
                given[answer, way].append(prompts.reviewed(to_come, reply))
        found = {run.id: _keep_scores(run, items, review, given) for run in named}
    asking.tell(person)
    return replace(_scores(found, items, review.pooled, review.reviewers), failures=tuple(asking.failures))


def _keep_scores(
    run: Run, items: Mapping[AnswerKey, Item], review: RunReview, given: Mapping[tuple[AnswerKey, int], list[Review]]
) -> list[Verdict]:
    """Keep what reviewers say of the answers of a run, and return what its council says of it now."""
    made, verdicts = run.manifest, list[Verdict]()
    buckets = {(row.question_id, row.attempt): row.value for row in run.verdicts()
               if made.grader and row.grader == made.grader and row.axis == BUCKET_AXIS}  # fmt: skip
    for answer, item in items.items():
        if answer.run == run.id:
            reviews = [sorted(given.get((answer, way), []), key=lambda one: review.reviewers.index(one.reviewer))
                       for way in range(len(review.ways))]  # fmt: skip
            bucket = buckets.get((answer.question, answer.attempt))
            verdicts += rows.verdicts_alone(item, review, reviews, _author(made.pipeline), bucket)
    if not rows.scores_of({run.id: verdicts}) and made.council != review.pooled:
        return verdicts  # nobody replied: what an earlier council said stays the run's
    _add(run, review, verdicts)
    return _council_rows(run)


def council_scores(*runs: Name, db: str | Path | None = None) -> CouncilScores:
    """The scores that the last council gave to the answers of runs; the same council must have scored them all."""
    councils, found, items = _scored(runs, db)
    if "" in councils:
        raise Incomplete(f"no council scored the run {councils[''].id}", _SCORE_FIRST)
    if len(councils) > 1:
        hint = "score them together: surefoot council runs RUN... --reviewer MODEL"
        raise UsageError("these runs were scored by different councils", hint)
    [(pooled, manifest)] = councils.items()
    return _scores(found, items, pooled, [rows.reviewer_of(one) for one in manifest.reviewers])


def evaluate_council(
    *runs: Name, labels: str | Path | None = None, compare: Literal["holistic"] | None = None,
    db: str | Path | None = None, person: Person = READER,
) -> CouncilEvaluation:  # fmt: skip
    """Look at the scores that reviewers gave to the answers of runs: do they agree, with each other and with people?

    Without `runs`, all that a council scored are taken. `labels` are scores, buckets or preferences by people.
    `compare` insists on a holistic score beside the rubric's.
    """
    scores, items = _scores_by_reviewer(runs, db)
    scores.pop(rows.POOLED, None)
    lengths = {answer: len(item.trace.answer or "") for answer, item in items.items()}
    every, sheet = Sheet(scores, lengths), Sheet(scores, lengths, own=False)
    if compare and not sheet.scores[HOLISTIC].count():
        hint = "ask for it: surefoot council runs RUN --reviewer MODEL --holistic"
        raise Incomplete("no reviewer gave a holistic score to compare with", hint)
    people = None if labels is None else _preferences(labels, sheet, items, person)
    useless = evaluate.redundant(every)
    return CouncilEvaluation(
        tuple(dict.fromkeys(answer.run for answer in items)), sheet.reviewers, len(sheet.questions), len(sheet.answers),
        evaluate.success(sheet, people), useless, evaluate.reviewer_bias(every, useless),
    )  # fmt: skip


def tune_rubric(
    *runs: str | Path, labels: str | Path, rubric: str, out: str | Path, db: str | Path | None = None,
    person: Person = READER,
) -> RubricTuned:  # fmt: skip
    """Fit a rubric's weights to what people prefer, and write the new rubric if it is better on unseen questions.

    Without `runs`, all that a council scored are taken.
    """
    text, target = rubrics.read_text(rubric), Path(out)
    made = rubrics.parse(text, rubric)
    if not made.weights:
        raise UsageError(f"the rubric {rubric} has no weights", "choose one that a council scores by: refusal_aware")
    if target.exists():
        raise UsageError(f"{printable(target)} is there already", "choose another name for --out")
    scores, items = _scores_by_reviewer(runs, db)
    sheet = Sheet({who: given for who, given in scores.items() if who != rows.POOLED}, own=False)
    people = _preferences(labels, sheet, items, person)
    scoring = Scoring(sheet, scores, made, {answer: rows.known_of(item.question) for answer, item in items.items()})
    kept = scoring.whole[people.pairs.one] & scoring.whole[people.pairs.other]
    pairs, ties = counted(len(kept), "pair"), counted(int((people.signs == 0).sum()), "tie")
    left = f"{int((~kept).sum()):,} left out, as no reviewer scored every dimension of both answers"
    person.tell(f"labels: {pairs} of answers, {ties}; {left}")
    preferred = Preferences(people.pairs.at(kept), people.signs[kept])
    found = tune(scoring.scores, made.weights, preferred, scoring, scoring.held)
    if found.weights is None or not found.is_better:
        return found
    changed = rubrics.with_weights(text, rubrics.rounded(found.weights), target.stem)
    rubrics.parse(changed, printable(target))
    replace_file(target, changed.encode())
    return replace(found, written=printable(target))


def _opened(
    named: str | Sequence[str | Model], how: Settings, example: str, chair: str | Model = ""
) -> tuple[list[Model], Model | None]:
    """The members and the chair, who share one budget."""
    listed = named.split(",") if isinstance(named, str) else named
    budget, asking = Budget(how.max_cost), settings_of(how)
    opened = [open_model(one.strip(), asking, budget) if isinstance(one, str) else one
              for one in (*listed, chair) if not isinstance(one, str) or one.strip()]  # fmt: skip
    members, head = (opened[:-1], opened[-1]) if chair else (opened, None)
    if not members:
        raise UsageError("a council needs models", f"as in {example}")
    if len({one.name for one in members}) < len(members):
        raise UsageError("a model is named twice", "name each model once: nobody has two votes")
    return members, head


class _File(Struct):
    responses: dict[str, ballots.Answer]
    reviews: list[Any]  # what is wrong with one spoils its own ballot only
    question: str | None = None
    weights: Any = None
    safety: bool | None = None
    rubric: str | None = None
    unused: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[ballots.Answer, ...]:
        return tuple(replace(one, label=label) for label, one in self.responses.items())


def _read(source: str | Path | Mapping[str, Any], *, reviewed: bool = True) -> _File:
    """A file or mapping of answers with their reviews; or of answers alone, which may be all that it has."""
    content: Any = source
    try:
        if not isinstance(source, Mapping):
            raw = sys.stdin.buffer.read() if str(source) == "-" else Path(source).read_bytes()
            content = jsonblocks.forgiving(raw.decode("utf-8-sig"))
        names = dict.fromkeys(content) if isinstance(content, Mapping) else {}
        if names and not reviewed:
            content = {"responses": content.get("responses", content), "reviews": []}
        file = msgspec.convert(content, _File)
    except (OSError, ValueError) as error:  # no JSON, no UTF-8, or of another shape
        where = "" if isinstance(source, Mapping) else f" in {source}"
        raise UsageError(f"the answers and reviews{where} cannot be read: {fault_in(error)}", _A_FILE) from error
    if not file.responses or not all(label.strip() for label in file.responses):
        raise UsageError("a response has no label" if file.responses else "there are no responses", _A_FILE)
    return replace(file, unused=tuple(str(name) for name in names if name not in _File.__struct_fields__))


def _author(pipeline: str) -> str:
    """The model that gave the answers, where a pipeline is nothing but one."""
    try:
        return chat_model(pipeline.removeprefix("chat:")).name if pipeline.startswith("chat:") else ""
    except UsageError:
        return ""


def _agree_on(
    items: Mapping[AnswerKey, Item], asked: Mapping[str, Sequence[rows.Asked]], models: Sequence[Model], how: Settings,
    person: Person,
) -> int:  # fmt: skip
    """What it may cost, reviewer by reviewer, and what they cannot see, before anything is asked; returns the calls."""
    unseen = sum(any(not passage.text for passage in item.trace.retrieved or ()) for item in items.values())
    if unseen:
        what = f"{counted(unseen, 'answer')} with passages whose texts are not known, which reviewers cannot check"
        person.tell(f"note: {what}; `surefoot grade RUN --corpus PATH` adds the texts")
    calls = 0
    for model in models:
        texts = [one.prompt for one in asked[model.name]]
        found = model.estimate(texts) if isinstance(model, EndpointModel) else None
        calls_of = f"{counted(len(texts), 'call')} to {plain(model.name, 200)} {IF_NONE_AGAIN}"
        person.tell(found.sentence if found else calls_of)
        calls += found.calls if found else len(texts)
    if calls:
        agree(person, how.yes, [model.name for model in models])
    return calls


def _items(runs: Sequence[Run]) -> dict[AnswerKey, Item]:
    return {AnswerKey(run.id, one.question.id, one.trace.attempt): one for run in runs for one in run_items(run)}


def _council_rows(run: Run) -> list[Verdict]:
    """What the run's council said: all reviewers together, and each of them."""
    return [row for row in run.verdicts() if row.grader in {run.manifest.council, *run.manifest.reviewers}]


def _scores(
    found: Mapping[str, Sequence[Verdict]], items: Mapping[AnswerKey, Item], council: str, reviewers: Sequence[str]
) -> CouncilScores:
    answers = tuple(rows.scored_answers(found, items))
    documents = {one.question.id: document_of(one.question, {}) or one.question.id for one in items.values()}
    return CouncilScores(
        rubric=rows.rubric_of(council), council=council, reviewers=tuple(reviewers),
        runs=tuple(rows.run_scores(found, answers, documents)), answers=answers,
        rows=tuple({"run": run, **msgspec.to_builtins(row)} for run, given in found.items() for row in given),
    )  # fmt: skip


def _scored(
    named: Sequence[Name], db: str | Path | None
) -> tuple[dict[str, Manifest], dict[str, list[Verdict]], dict[AnswerKey, Item]]:
    """Return a run of each council, what councils said by run, and the answers; by default of all that one scored."""
    if not named:
        with Project.existing(db) as project:
            named = [run.id for run in project.runs() if run.manifest.council]
        if not named:
            raise Incomplete("no council has scored a run of this project", _SCORE_FIRST)
    with opened(named, db) as (_, runs):
        found = {run.id: _council_rows(run) for run in runs}
        return {run.manifest.council: run.manifest for run in runs}, found, _items(runs)


def _scores_by_reviewer(named: Sequence[Name], db: str | Path | None) -> tuple[Any, dict[AnswerKey, Item]]:
    _, found, items = _scored(named, db)
    if not (scores := rows.scores_of(found)):
        raise Incomplete(f"{', '.join(found)}: no reviewer scored an answer", _SCORE_FIRST)
    return scores, items


def _preferences(labels: str | Path, sheet: Sheet, items: Mapping[AnswerKey, Item], person: Person) -> Preferences:
    if not Path(labels).is_file():
        raise UsageError(f"there is no file {labels}", "pass labels as CSV with a header, or one JSON object per line")
    problems: list[Problem] = []
    answerable = {answer.question: item.question.answerable for answer, item in items.items()}
    found = read_preferences(str(labels), sheet, answerable, problems)
    tell_problems(problems, person.tell)
    return found
