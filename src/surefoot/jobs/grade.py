"""Answers are graded on the six axes, and the verdicts are kept."""

from __future__ import annotations

import atexit
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from surefoot.core import rubric
from surefoot.core.errors import ExitCode, Incomplete, SurefootError, unknown
from surefoot.core.records import fingerprint, timestamp
from surefoot.core.result import READER, Person, Result
from surefoot.core.rubric import BY_CITATIONS, Citations, Rubric
from surefoot.core.table import BUCKETS
from surefoot.core.types import Item, Problem, Question, Trace, names, plain
from surefoot.corpus.corpus import PassageTexts
from surefoot.graders.grader import JUDGES, FindingsGrader, Graded, Reader, read_watched
from surefoot.graders.judges import Judge
from surefoot.graders.local import check_file
from surefoot.graders.refit import refit_judge
from surefoot.io.cluster import Engine, check_engine
from surefoot.io.items import Asked, Ungradable, items_in, load_items
from surefoot.io.rows import LOG_FORMATS, check_logs, shown
from surefoot.jobs.overview import RunOverview, overview_of
from surefoot.jobs.runs import Name, check_texts, not_asked, opened, read_all, run_items
from surefoot.jobs.settings import Given, Settings, settings_from
from surefoot.models.budget import Budget
from surefoot.models.replies import default_path
from surefoot.models.seam import ReplyStore
from surefoot.models.seam import Settings as ModelSettings
from surefoot.models.spec import masked
from surefoot.store import Manifest, Project, Run
from surefoot.text.normal import id_of_text

DEFAULT = "local"
_BATCH = 200  # answers read at once
_WITHOUT_GOLD = (
    "no question has gold: correct means that the passages support every claim and answer the question; whether they "
    "were the right passages, and whether a refusal was due, is not known"
)

_CASCADE = re.compile(r"(?:(local(?:@.+)?|rules),)?((?:llm|anthropic|ollama|recorded):.+)", re.DOTALL)
_REFITTED = "local@"  # and a file of `calibrate --refit`
_HINT = "write local, local@FILE, rules, llm:MODEL@URL, anthropic:MODEL, ollama:MODEL or local,llm:MODEL@URL"


def rubric_of(grader: Reader) -> Rubric:
    """What a grader grades by."""
    return rubric.load(BY_CITATIONS[getattr(grader, "citations", "required")])


@cache
def _replies_at(place: str, _process: int) -> ReplyStore:
    """Where the replies of models are kept; a file or database that has none yet becomes one for them."""
    try:
        project = Project.open(place)
    except SurefootError as error:
        error.hint = "set another file: --set cache=FILE; replies are then paid for again"
        raise
    atexit.register(project.close)
    return project.replies


def settings_of(given: Settings) -> ModelSettings:
    """How models are asked."""
    return ModelSettings(
        concurrency=given.concurrency or 16, effort=given.effort, max_tokens=given.max_tokens,
        cache=_replies_at(given.cache or str(default_path()), os.getpid()), prices=given.prices,
        stall=given.timeout or 300.0,
    )  # fmt: skip


def open_grader(
    spec: str | Reader, settings: Settings | None = None, budget: Budget | None = None, person: Person = READER
) -> Reader:
    """The grader that is named, or given. All models behind it share one budget: the given one, or one of their own."""
    if not isinstance(spec, str):
        return spec
    settings = settings or settings_from()
    asks = _CASCADE.fullmatch(spec)
    if asks is None:
        return FindingsGrader(_judge(spec), settings.citations)
    from surefoot.graders.llm import ModelGrader  # noqa: PLC0415 - much to load for who asks no model
    from surefoot.models.endpoint import open_model  # noqa: PLC0415 - as below

    first = _judge(asks[1]) if asks[1] else None
    return ModelGrader(
        open_model(asks[2], settings_of(settings), budget or Budget(settings.max_cost)), first, person,
        citations=settings.citations, sure_from=settings.sure_from, yes=settings.yes,
    )  # fmt: skip


def _judge(spec: str) -> Judge:
    """One that needs no language model."""
    if spec in JUDGES:
        return JUDGES[spec]()
    if spec.startswith(_REFITTED):
        return refit_judge(spec.removeprefix(_REFITTED))
    shown = plain(masked(spec), 80)
    meant = shown.replace("openai:", "llm:", 1)
    raise unknown(f"there is no grader {shown!r}", meant, {*JUDGES, meant} - {shown}, _HINT)


class Grades(Result, frozen=True, kw_only=True):
    """What grading some runs came to."""

    beside = ("overview",)

    runs: tuple[str, ...]
    buckets: dict[str, int]
    not_graded: int
    problems: list[str]
    notes: list[str]
    rows: list[dict[str, Any]]  # an answer each, with its verdict on each axis, and every claim with its evidence
    overview: RunOverview | None  # of the newest run as it stands now, with the labels on its answers

    @property
    def exit_code(self) -> ExitCode:
        is_whole = self.rows and not self.not_graded and not any(row["self_check"] for row in self.rows)
        return ExitCode.OK if is_whole and not self.problems else ExitCode.INCOMPLETE


def grade(
    *runs: Name, grader: str | Reader = DEFAULT, citations: Citations | None = None, corpus: str | Path | None = None,
    engine: Engine = "local", yes: bool = False, settings: Given = None, db: str | Path | None = None,
    person: Person = READER,
) -> Grades:  # fmt: skip
    """Grade every answer of some runs, or of all runs of a version, and keep the verdicts.

    `grader` is what `surefoot grade --grader` takes, or an object with `name` and `read`; `citations` say whether
    answers must cite. `corpus` has the texts of passages that the pipeline named by id alone; they are kept with the
    run. With the `engine` "ray" a cluster grades, unless a language model is asked. `settings` are those of `--set`.
    """
    how = _Grading(settings_from(settings, citations=citations, yes=yes), grader, corpus, person, engine)
    with opened(runs, db) as (_, found):
        check_texts(found)
        if texts := how.texts:  # whoever grades or labels it has to see the same
            for run in found:
                run.keep(filled for trace in run.traces() if (filled := texts.filled(trace)) != trace)
        return how.grades(found)


def grade_log(
    traces: str | Path | Sequence[str | Path], *, version: str = "", grader: str | Reader = DEFAULT,
    citations: Citations | None = None, corpus: str | Path | None = None, mapping: Mapping[str, str] | None = None,
    engine: Engine = "local", yes: bool = False, settings: Given = None, db: str | Path | None = None,
    person: Person = READER,
) -> Grades:  # fmt: skip
    """Grade the answers of a log without a question set, and keep them as a run of a version.

    `traces` are files or folders of rows of any known shape, or "-". The same log again is the same run. All else
    is as for `grade`.
    """
    how = _Grading(settings_from(settings, citations=citations, yes=yes, map=mapping), grader, corpus, person, engine)
    log = read_log([traces] if isinstance(traces, (str, Path)) else traces, how.settings.map, how.texts)
    for note in log.notes:
        person.tell(f"note: {plain(str(note), 500)}")
    with Project.open(db) as project:
        run = run_of(project, log, version, how.texts.sha256 if how.texts else None)
        has_gold = any(one.gold_claims or one.gold_ids or one.expects == "refusal" for one in log.questions)
        return how.grades([run], map(str, log.problems), [] if has_gold else [_WITHOUT_GOLD])


def grade_items(
    items: str, *, grader: str | Reader = DEFAULT, citations: Citations | None = None,
    corpus: str | Path | None = None, mapping: Mapping[str, str] | None = None, yes: bool = False,
    settings: Given = None, person: Person = READER,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Grade a file of items (`-` is stdin): one row each, in order; what could not be read is one too, with its reason.

    All else is as for `grade`; nothing is kept.
    """
    hint = "pass a file of items, one JSON object a line"
    check_file(items, hint)
    how = _Grading(settings_from(settings, citations=citations, yes=yes, map=mapping), grader, corpus, person)
    rest = load_items(items, lambda problem: person.tell(f"note: {plain(str(problem), 500)}"), how.settings.map)
    size = _BATCH if isinstance(how.grader, FindingsGrader) else None  # what will be spent is said once, for all
    told: list[dict[str, Any]] = []
    while batch := list(islice(rest, size)):
        if len(batch) == 1 and isinstance(batch[0], Ungradable) and batch[0].problem.kind == "unreadable" and not told:
            raise Incomplete(f"{batch[0].problem}, so there is nothing to grade", hint)
        given = [Item(Question(one.id or "", "", "answer"), Trace(error=str(one.problem)))
                 if isinstance(one, Ungradable) else one for one in batch]  # fmt: skip
        for graded in how.grader.read([how.texts.filled_item(one) for one in given] if how.texts else given):
            row = graded.row
            told.append({axis: row[axis] for axis in ("factuality", "citation_exists")})
            yield row | {"id": row["id"] or None}
    for problem in how.texts.problems() if how.texts else ():
        person.tell(f"warning: {plain(str(problem), 500)}")
    for note in notes_on(told, how.grader):
        person.tell(f"note: {note}")


class _Grading:
    """Who grades, who watches, where it is done, and the texts of passages that answers name by id alone."""

    def __init__(
        self, settings: Settings, grader: str | Reader, corpus: str | Path | None, person: Person,
        engine: Engine = "local",
    ) -> None:  # fmt: skip
        if engine != "local":
            check_engine(engine)
        self.settings, self.person, self.engine = settings, person, engine
        self.grader = open_grader(grader, settings, person=person)
        self.texts = PassageTexts.of(corpus, person.tell) if corpus is not None else None

    def grades(self, runs: Sequence[Run], problems: Iterable[str] = (), notes: Iterable[str] = ()) -> Grades:
        graded, rows, found = list[Graded](), list[dict[str, Any]](), list(problems)
        for run in runs:
            some, stays = grade_run(run, self.grader, self.person, self.engine, self.settings.work)
            graded += some
            rows += [{"run": run.id, **one.row} for one in some]
            found += [*stays, *map(str, not_asked(run))]
            asked, most = {question.id for question in run.questions()}, run.manifest.repeats
            strange = [f"{id} (attempt {n})" for id, n in run.answer_keys() if id not in asked or not 1 <= n <= most]
            found += [f"{run.id}: not asked for, so not graded: {names(strange)}"] if strange else []
        found += map(str, self.texts.problems() if self.texts else ())
        counts = Counter(one.bucket for one in graded)
        has_verdicts = any(one.value is not None for one in runs[-1].verdicts())
        return Grades(
            runs=tuple(run.id for run in runs), buckets={bucket: counts[bucket] for bucket in BUCKETS},
            not_graded=counts[None], problems=found, notes=[*notes, *notes_on(rows, self.grader)], rows=rows,
            overview=overview_of(read_all(runs[-1].project, runs[-1:])) if has_verdicts else None,
        )  # fmt: skip


def grade_run(
    run: Run, grader: Reader, person: Person = READER, engine: Engine = "local", work: str | Path | None = None
) -> tuple[list[Graded], list[str]]:
    """Grade every answer of a run and add the verdicts; return them, and which verdicts of before stand.

    Replies that were paid for are kept too. A grader that nobody answered does not become the run's.
    """
    chosen = rubric_of(grader)
    if hasattr(grader, "keeping"):
        grader = grader.keeping(run.project.replies)
    with run.project.database.holding(run.id):
        try:
            graded = read_watched(grader, list(run_items(run)), person, engine, work)
        except KeyboardInterrupt:
            person.tell(f"no verdict on {run.id} is kept yet, so it stays as it was: give the same command again")
            raise
        before = run.manifest.grader
        if before != grader.name and getattr(grader, "in_vain", False) and all(one.bucket is None for one in graded):
            by = f"graded by {before}" if before else "not graded"
            return graded, [f"nothing was graded, and the run {run.id} stays as it was: {by}"]
        rows = [verdict for one in graded for verdict in one.verdicts]
        versions = run.manifest.versions | getattr(grader, "versions", {})
        standing = [id for id, _ in run.add_verdicts(grader.name, rows, rubric_sha256=chosen.sha256)]
        run.amend(rubric=chosen.name, rubric_sha256=chosen.sha256, grader=grader.name, versions=versions)
    told = f"not graded this time, so the verdicts of before stand: {names(standing, 50)}"
    return graded, [told] if standing else []


def notes_on(rows: Iterable[Mapping[str, Any]], grader: Reader) -> list[str]:
    """On what the answers have in common: where none cites anything, the reader has to know what that means."""
    cited = {row["citation_exists"] is not None for row in rows if row["factuality"] not in (None, "refused")}
    if cited != {False}:
        return []
    if getattr(grader, "citations", "required") == "optional":
        return ["no answer cites a source: citation_exists and citation_supports are not judged"]
    what = "no answer cites a source, so none can be correct"
    return [f"{what}; if your pipeline does not cite, grade with --citations optional"]


class Log(Struct, frozen=True):
    """What was asked, and the answers, each with its question's id and its number among the answers to it.

    What is kept of it is a run like any other, so that it can be labelled, calibrated, reported and graded again.
    """

    name: str
    questions: list[Question]
    traces: list[Trace]
    problems: list[Problem]  # rows that hold no answer to a question
    notes: list[Problem]


def read_log(
    paths: Sequence[str | Path], mapping: Mapping[str, str] | None = None, texts: PassageTexts | None = None
) -> Log:
    """Everything in files, folders or stdin ("-") of rows of any known shape."""
    check_logs(paths)
    asked, traces, problems, notes = Asked(), list[Trace](), list[Problem](), list[Problem]()
    for path in paths:
        for found in items_in(path, notes.append, mapping, lambda _, trace: id_of_text(trace.question or "")):
            if isinstance(found, Ungradable):
                problems.append(found.problem)
            else:
                trace = asked.answered(found)
                traces.append(texts.filled(trace) if texts else trace)
    if not traces:
        why = f": {problems[0]}" if problems else ""
        has_rows = not problems or problems[0].kind not in ("unreadable", "no_traces", "malformed")
        hint = "say where the fields lie with --map" if has_rows else f"a log is {LOG_FORMATS}"
        hint = "log only what it answered, and the passages that it was shown" if "too many to read" in why else hint
        raise Incomplete(f"{shown(paths[0])} holds no answer that can be read{why}", hint)
    name = "stdin" if str(paths[0]) == "-" else Path(shown(paths[0])).name.partition(".")[0] or "log"
    return Log(name, list(asked.questions.values()), traces, problems, notes)


def run_of(project: Project, log: Log, version: str = "", corpus_sha256: str | None = None) -> Run:
    """A run of these answers: the one that was begun with them, or else a new one."""
    log_sha256 = fingerprint([*log.questions, *log.traces])
    times = {*Counter(trace.question_id for trace in log.traces).values()}  # how often questions were asked
    known = (one for one in project.runs() if one.manifest.log_sha256 == log_sha256)
    kept = next((one for one in known if version in ("", one.version)), None) or project.create(
        Manifest(
            version=version or log.name, pipeline=f"log:{log.name}", repeats=max(times), uneven=len(times) > 1,
            questions_sha256=fingerprint(log.questions), question_count=len(log.questions),
            corpus_sha256=corpus_sha256, log_sha256=log_sha256, created=timestamp(), finished=True,
        ),
        log.questions,
    )  # fmt: skip
    there = kept.answer_keys()
    kept.keep(trace for trace in log.traces if (trace.question_id, trace.attempt) not in there)
    return kept
