"""Answers are graded on the five axes, and the verdicts are kept."""

from __future__ import annotations

import atexit
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from surefoot.core import rubric
from surefoot.core.errors import ExitCode, Incomplete, SurefootError, UsageError, nearest
from surefoot.core.records import fingerprint, timestamp
from surefoot.core.result import READER, Person, Result
from surefoot.core.rubric import BY_CITATIONS, Citations, Rubric
from surefoot.core.table import BUCKETS
from surefoot.core.types import Item, Problem, Question, Trace, names, plain
from surefoot.corpus.corpus import PassageTexts
from surefoot.graders.grader import JUDGES, FindingsGrader, Graded, Reader, read_watched
from surefoot.graders.judges import Judge, Pair
from surefoot.graders.local import LocalJudge
from surefoot.graders.refit import refit_judge
from surefoot.io.cluster import Engine, check_engine
from surefoot.io.items import Asked, Ungradable, items_in, load_items
from surefoot.io.rows import LOG_FORMATS, check_logs, is_folder, is_there, kind_of, read_rows, shown
from surefoot.jobs.overview import AXES, RunOverview, overview_of
from surefoot.jobs.runs import Name, check_texts, not_asked, opened, read_all, run_items
from surefoot.jobs.settings import Given, Settings, settings_from
from surefoot.models.budget import Budget
from surefoot.models.replies import default_path
from surefoot.models.seam import ReplyStore
from surefoot.models.seam import Settings as ModelSettings
from surefoot.models.spec import masked
from surefoot.store import Manifest, Project, Run
from surefoot.text.normal import id_of_text, is_empty
from surefoot.text.refusals import detect

DEFAULT = "local"
_BATCH = 200  # answers read at once
_WITHOUT_GOLD = (
    "no question has gold: correct means that the passages support every claim and answer the question; whether they "
    "were the right passages, and whether a refusal was due, is not known"
)

_MODEL = r"(?:llm|anthropic|ollama|recorded):.+"
_CASCADE = re.compile(rf"(?:(local(?:@.+)?|rules),)?({_MODEL})", re.DOTALL)
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
    raise UsageError(f"there is no grader {shown!r}", nearest(meant, {*JUDGES, meant} - {shown}) or _HINT)


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
    *runs: Name,
    grader: str | Reader = DEFAULT,
    citations: Citations | None = None,
    corpus: str | Path | None = None,
    engine: Engine = "local",
    yes: bool = False,
    settings: Given = None,
    db: str | Path | None = None,
    person: Person = READER,
) -> Grades:
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
    traces: str | Path | Sequence[str | Path],
    *,
    version: str = "",
    grader: str | Reader = DEFAULT,
    citations: Citations | None = None,
    corpus: str | Path | None = None,
    mapping: Mapping[str, str] | None = None,
    engine: Engine = "local",
    yes: bool = False,
    settings: Given = None,
    db: str | Path | None = None,
    person: Person = READER,
) -> Grades:
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
    items: str,
    *,
    grader: str | Reader = DEFAULT,
    citations: Citations | None = None,
    corpus: str | Path | None = None,
    mapping: Mapping[str, str] | None = None,
    yes: bool = False,
    settings: Given = None,
    person: Person = READER,
) -> Iterator[dict[str, Any]]:
    """Grade a file of items (`-` is stdin): one row each, in order; what could not be read is one too, with its reason.

    All else is as for `grade`; nothing is kept.
    """
    hint = "pass a file of items, one JSON object a line"
    _check_file(items, hint)
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
            row = row_of(graded)
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
        graded, found = list[Graded](), list(problems)
        for run in runs:
            some, stays = grade_run(run, self.grader, self.person, self.engine, self.settings.work)
            graded += some
            found += [*stays, *map(str, not_asked(run))]
            asked, most = {question.id for question in run.questions()}, run.manifest.repeats
            strange = [f"{id} (attempt {n})" for id, n in run.answer_keys() if id not in asked or not 1 <= n <= most]
            found += [f"{run.id}: not asked for, so not graded: {names(strange, len(strange))}"] if strange else []
        found += map(str, self.texts.problems() if self.texts else ())
        rows, counts = [row_of(one) for one in graded], Counter(one.bucket for one in graded)
        has_verdicts = any(one.value is not None for one in runs[-1].verdicts())
        return Grades(
            runs=tuple(run.id for run in runs), buckets={bucket: counts[bucket] for bucket in BUCKETS},
            not_graded=counts[None], problems=found, notes=[*notes, *notes_on(rows, self.grader)], rows=rows,
            overview=overview_of(read_all(runs[-1].project, runs[-1:])) if has_verdicts else None,
        )  # fmt: skip


def grade_run(
    run: Run,
    grader: Reader,
    person: Person = READER,
    engine: Engine = "local",
    work: str | Path | None = None,
) -> tuple[list[Graded], list[str]]:
    """Grade every answer of a run and add the verdicts; return them, and which verdicts of before stand.

    Replies that were paid for are kept too. A grader that nobody answered does not become the run's.
    """
    chosen = rubric_of(grader)
    if hasattr(grader, "keeping"):
        grader = grader.keeping(run.project.replies)
    with run.project.database.holding(run.id):
        graded = read_watched(grader, list(run_items(run)), person, engine, work)
        before = run.manifest.grader
        if before != grader.name and getattr(grader, "in_vain", False) and all(one.bucket is None for one in graded):
            by = f"graded by {before}" if before else "not graded"
            return graded, [f"nothing was graded, and the run {run.id} stays as it was: {by}"]
        rows = [verdict for one in graded for verdict in one.verdicts]
        versions = run.manifest.versions | getattr(grader, "versions", {})
        standing = [id for id, _ in run.add_verdicts(grader.name, rows, rubric_sha256=chosen.sha256)]
        run.amend(rubric=chosen.name, rubric_sha256=chosen.sha256, grader=grader.name, versions=versions)
    told = f"not graded this time, so the verdicts of before stand: {names(standing, len(standing), 50)}"
    return graded, [told] if standing else []


def _check_file(path: str, hint: str) -> None:
    if path != "-" and (not is_there(path) or is_folder(path)):
        raise UsageError(f"{shown(path)} is not a file", hint)


def notes_on(rows: Iterable[Mapping[str, Any]], grader: Reader) -> list[str]:
    """On what the answers have in common: where none cites anything, the reader has to know what that means."""
    cited = {row["citation_exists"] is not None for row in rows if row["factuality"] not in (None, "refused")}
    if cited != {False}:
        return []
    if getattr(grader, "citations", "required") == "optional":
        return ["no answer cites a source: citation_exists and citation_supports are not judged"]
    what = "no answer cites a source, so none can be correct"
    return [f"{what}; if your pipeline does not cite, grade with --citations optional"]


def row_of(graded: Graded) -> dict[str, Any]:
    """A graded answer in the words that are promised to users."""
    found = {verdict.axis: verdict for verdict in graded.verdicts}
    findings, quality = graded.findings, found.get("refusal_quality")
    return {
        "id": graded.item.question.id,
        "attempt": graded.item.trace.attempt,
        "refusal": None if graded.refusal is None else findings.refusal,
        **{axis: found[axis].value if axis in found else None for axis in AXES},
        "reason": graded.reason,
        "flags": list(findings.flags),
        "detail": graded.item.trace.error or findings.detail,
        "confidence": found["factuality"].confidence,
        "unsure": found["factuality"].unsure,
        "via": found["factuality"].via,
        "self_check": found["factuality"].self_check,
        "gold": findings.gold,
        "refusal_quality_reason": quality.reason if quality else None,
        "refusal_quality_evidence": msgspec.to_builtins(quality.evidence) if quality else None,
        "claims": [
            {
                "text": claim.text,
                "citations": list(claim.citations),
                "support": claim.by_retrieved,
                "by_cited": list(claim.by_cited),
                "evidence": {"passage": claim.evidence.passage, "quote": claim.evidence.quote},
            }
            for claim in findings.claims
        ],
    }


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
        raise UsageError(f"{shown(paths[0])} holds no answer that can be read{why}", hint)
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


_CHUNK = 64
_PROBABILITIES = ("supported", "contradicted", "not_enough")
_TEXTS = "pass rows of {id, context, claim}, {id, question, passage} or {id, text}, one JSON object a line"


def grade_texts(pairs: str, *, person: Person = READER) -> Iterator[dict[str, Any]]:
    """Grade a file of bare texts (`-` is stdin): one row each, in order; the fields of its first object say which kind.

    What could not be read is a row too, with its reason.
    """
    _check_file(pairs, _TEXTS)
    read = (row for row in read_rows([pairs]) if not (isinstance(row.value, Problem) and row.value.kind == "note"))
    head = list(islice(read, _CHUNK))
    fields = next((row.value for row in head if isinstance(row.value, dict)), None)
    if fields is None:
        raise UsageError(f"{shown(pairs)} holds nothing to grade", _TEXTS)
    required = next((kind for kind in _KINDS if kind[-1] in fields), ("context", "claim"))
    columns, grade = _KINDS[required]
    rows = chain(head, read)
    while chunk := list(islice(rows, _CHUNK)):
        problems = [_problem_with(row.value, required) for row in chunk]
        sound: list[Any] = [row.value for row, problem in zip(chunk, problems, strict=True) if not problem]
        graded = iter(grade(sound))
        for row, problem in zip(chunk, problems, strict=True):
            if problem:
                person.tell(f"error: {plain(str(Problem('malformed', problem, row.source, row.line)), 500)}")
            found = {"reason": problem} if problem else next(graded)
            id = row.value.get("id") if isinstance(row.value, dict) else None
            yield {"id": id, **dict.fromkeys(columns), **{name: one for name, one in found.items() if one != ""}}


def _problem_with(row: Any, required: Sequence[str]) -> str:  # noqa: ANN401 - as it was read
    """Why a row cannot be graded, or ""."""
    if isinstance(row, Problem):
        return row.message
    if not isinstance(row, dict):
        return f"a row must be an object, not {kind_of(row)}"
    if row.get("id") in (None, "", math.inf, -math.inf) or not isinstance(row["id"], (str, int, float)):
        return f"the row has no id that can be written down, but {kind_of(row.get('id'))}"
    wrong = next((name for name in required if not isinstance(row.get(name), str)), None)
    return f"{wrong} is {kind_of(row.get(wrong))}, not a text" if wrong else ""


def _claims(rows: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    pairs = [Pair(row["context"], row["claim"], context=str(row.get("question") or "")) for row in rows]
    return [
        {
            **dict(zip(_PROBABILITIES, one.probabilities or (None,) * 3, strict=True)),
            "label": one.label,
            "evidence": one.quote or None,
            "reason": one.reason,
        }
        for one in LocalJudge().judge(pairs)
    ]


def _passages(rows: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    found = LocalJudge().answers([(row["passage"], row["question"]) for row in rows])
    return [{"answers": one.probability, "reason": one.reason} for one in found]


def _refusals(rows: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for text in (row["text"] for row in rows):
        value, start, end = detect(text)
        words = {} if value == "answered" else {"span": [start, end], "evidence": text[start:end]}
        made.append({"reason": "the text is empty"} if is_empty(text) else {"refusal": value, **words})
    return made


# By the texts that a row must have: what its grade has, and who grades it.
_KINDS: dict[tuple[str, ...], tuple[tuple[str, ...], Callable[[Sequence[Mapping[str, str]]], list[dict[str, Any]]]]] = {
    ("context", "claim"): ((*_PROBABILITIES, "label", "evidence"), _claims),
    ("question", "passage"): (("answers",), _passages),
    ("text",): (("refusal", "span", "evidence"), _refusals),
}
