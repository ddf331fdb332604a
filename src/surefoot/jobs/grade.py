"""Answers are graded on the five axes, and the verdicts are kept."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.records import fingerprint, timestamp
from surefoot.core.result import READER, Person, Result, Tell
from surefoot.core.rubric import Citations
from surefoot.core.table import BUCKETS
from surefoot.core.types import Item, Problem, Question, Trace, counted, plain
from surefoot.corpus.corpus import PassageTexts
from surefoot.graders.grader import FindingsGrader, Graded, SelfCheck
from surefoot.graders.judges import Pair
from surefoot.graders.local import LocalJudge
from surefoot.io.items import Asked, Ungradable, items_in, load_items
from surefoot.io.rows import Row as ReadRow
from surefoot.io.rows import kind_of, quoted, read_rows
from surefoot.io.sources import LOG_FORMATS, check_logs, is_folder, is_there, shown
from surefoot.jobs.engine import Engine, check_engine
from surefoot.jobs.graders import Reader, open_grader, read_watched, rubric_of
from surefoot.jobs.overview import AXES, RunOverview, overview_of
from surefoot.jobs.runs import Name, check_texts, not_asked, opened, read_all, run_items
from surefoot.jobs.settings import Given, settings_from
from surefoot.store import Key, Manifest, Project, Run
from surefoot.text.normal import id_of_text, is_empty
from surefoot.text.refusals import detect

DEFAULT = "local"
_BATCH = 200  # answers read at once
_WITHOUT_GOLD = (
    "no question has gold: correct means that the passages support every claim and answer the question; whether they "
    "were the right passages, and whether a refusal was due, is not known"
)


class Grades(Result, frozen=True, kw_only=True):
    """What grading some runs came to."""

    beside = ("found", "grader", "stands", "overview")

    runs: tuple[str, ...]
    buckets: dict[str, int]
    not_graded: int
    sure: dict[str, int]
    problems: list[str]
    notes: list[str]
    rows: list[dict[str, Any]]  # an answer each, with its verdict on each axis, and every claim with its evidence
    found: Regraded
    grader: str | None  # whose verdicts the runs have now
    stands: dict[str, int]  # verdicts of before, by bucket
    overview: RunOverview | None  # of the newest run as it stands now, with the labels on its answers

    @property
    def exit_code(self) -> ExitCode:
        failed = any(check.failed for check in self.found.self_checks.values())
        is_whole = self.rows and not self.not_graded and not failed
        return ExitCode.OK if is_whole and not self.problems and not self.found.standing else ExitCode.INCOMPLETE


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
    how = settings_from(settings, citations=citations, yes=yes)
    check_engine(engine)
    texts = PassageTexts.of(corpus, person.tell)
    chosen = open_grader(grader, how, person=person)
    with opened(runs, db) as (_, found):
        check_texts(found)
        for run in found if texts else ():  # whoever grades or labels it has to see the same
            run.keep(filled for trace in run.traces() if texts and (filled := texts.filled(trace)) != trace)
        return _graded(found, _Grading(chosen, person, engine, how.work), texts)


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
    how = settings_from(settings, citations=citations, yes=yes, map=mapping)
    check_engine(engine)
    texts = PassageTexts.of(corpus, person.tell)
    chosen = open_grader(grader, how, person=person)
    log = read_log([traces] if isinstance(traces, (str, Path)) else traces, how.map, texts)
    for note in log.notes:
        person.tell(f"note: {plain(str(note), 500)}")
    with Project.open(db) as project:
        run = run_of(project, log, version, texts.sha256 if texts else None)
        notes = [] if log.has_gold else [_WITHOUT_GOLD]
        return _graded([run], _Grading(chosen, person, engine, how.work), texts, log.problems, notes)


class _Grading(NamedTuple):
    """Who grades, who watches, and where it is done."""

    grader: Reader
    person: Person
    engine: Engine
    work: str | Path | None


def _graded(
    runs: Sequence[Run], how: _Grading, texts: PassageTexts | None, problems: Sequence[Problem] = (),
    notes: Sequence[str] = (),
) -> Grades:  # fmt: skip
    each = [grade_run(run, *how) for run in runs]
    found = Regraded(
        [one for some in each for one in some.graded], [key for some in each for key in some.standing],
        each[-1].self_checks, all(some.in_vain for some in each),
    )  # fmt: skip
    lacking = texts.problems() if texts else []
    rows, counts = [row_of(one) for one in found.graded], Counter(one.bucket for one in found.graded)
    sure = Counter(one.bucket for one in found.graded if one.bucket and not one.verdicts[0].unsure)
    stands = Counter(bucket for run in runs for bucket in _what_stands(run, found))
    has_verdicts = found.graded and (counts.total() > counts[None] or stands)
    own = [one for run in runs for one in (*_left_out(run), *not_asked(run))]
    return Grades(
        runs=tuple(run.id for run in runs), buckets={bucket: counts[bucket] for bucket in BUCKETS},
        not_graded=counts[None], sure={bucket: sure[bucket] for bucket in BUCKETS},
        problems=[str(one) for one in (*problems, *lacking, *own)], notes=[*notes, *notes_on(rows, how.grader)],
        rows=rows, found=found, grader=runs[-1].manifest.grader, stands=dict(stands),
        overview=overview_of(read_all(runs[-1].project, runs[-1:])) if has_verdicts else None,
    )  # fmt: skip


class Regraded(Struct, frozen=True):
    """What grading a run came to."""

    graded: list[Graded]
    standing: list[Key]  # answers that could not be graded this time, where the verdicts of before stand
    self_checks: dict[str, SelfCheck]  # by grader
    in_vain: bool = False  # no model answered at all, and another grader's verdicts, or none, stay the run's


def grade_run(
    run: Run,
    grader: Reader,
    person: Person = READER,
    engine: Engine = "local",
    work: str | Path | None = None,
) -> Regraded:
    """Grade every answer of a run and add the verdicts.

    Replies that were paid for are kept too. Where there is no verdict this time, the one of before stands. A grader
    that was asked in vain does not become the run's.
    """
    chosen = rubric_of(grader)
    if hasattr(grader, "keeping"):
        grader = grader.keeping(run.project.replies)
    with run.project.database.holding(run.id):
        graded = read_watched(grader, list(run_items(run)), person, engine, work)
        checks: dict[str, SelfCheck] = getattr(grader, "self_checks", {})
        nothing = any(check.in_vain for check in checks.values()) and all(one.bucket is None for one in graded)
        if nothing and run.manifest.grader != grader.name:
            return Regraded(graded, [], checks, in_vain=True)
        rows = [verdict for one in graded for verdict in one.verdicts]
        versions = run.manifest.versions | getattr(grader, "versions", {})
        standing = run.add_verdicts(grader.name, rows, rubric_sha256=chosen.sha256)
        run.amend(rubric=chosen.name, rubric_sha256=chosen.sha256, grader=grader.name, versions=versions)
    return Regraded(graded, standing, checks)


def _what_stands(run: Run, found: Regraded) -> Iterator[str]:
    """The verdicts of before that count for the run, where there are none of this time."""
    for one in run.verdicts():
        is_own = one.grader == run.manifest.grader and one.axis == "factuality" and one.value is not None
        if is_own and (found.in_vain or (one.question_id, one.attempt) in found.standing):
            yield str(one.value)


def _left_out(run: Run) -> Iterator[Problem]:
    """The answers of a run beyond its questions and attempts."""
    asked = {question.id for question in run.questions()}
    for question_id, attempt in run.answer_keys():
        if question_id not in asked or not 1 <= attempt <= run.manifest.repeats:
            message = f"attempt {attempt} at question {quoted(question_id)} was not asked for and not graded"
            yield Problem("unknown_question", message, run.id)


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
    path, how = items, settings_from(settings, citations=citations, yes=yes, map=mapping)
    chosen = open_grader(grader, how, person=person)
    if path != "-" and (not is_there(path) or is_folder(path)):
        raise UsageError(f"{shown(path)} is not a file", "pass a file of items, one JSON object a line")
    texts = PassageTexts.of(corpus, person.tell)
    rest = load_items(path, lambda problem: person.tell(f"note: {plain(str(problem), 500)}"), how.map)
    size = _BATCH if isinstance(chosen, FindingsGrader) else None  # what will be spent is said once, for all
    told: list[dict[str, Any]] = []
    while batch := list(islice(rest, size)):
        read = [item for item in batch if isinstance(item, Item)]
        graded = iter(chosen.read([texts.filled_item(item) for item in read] if texts else read))
        for item in batch:
            row = row_of(next(graded)) if isinstance(item, Item) else _ungraded_row(item)
            told.append({axis: row[axis] for axis in ("factuality", "citation_exists")})
            yield row
    for problem in texts.problems() if texts else ():
        person.tell(f"warning: {plain(str(problem), 500)}")
    for note in notes_on(told, chosen):
        person.tell(f"note: {note}")


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


def _ungraded_row(found: Ungradable) -> dict[str, Any]:
    of_refusals = ("refusal_quality_reason", "refusal_quality_evidence")
    empty = dict.fromkeys(("refusal", *AXES, "confidence", "via", "self_check", "gold", *of_refusals))
    return {
        "id": found.id,
        "attempt": 1,
        **empty,
        "unsure": False,
        "reason": "error",
        "detail": str(found.problem),
        "claims": [],
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

    @property
    def has_gold(self) -> bool:
        return any(one.gold_claims or one.gold_ids or one.expects == "refusal" for one in self.questions)


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


_CHUNK, _SECONDS_BETWEEN_NEWS = 64, 5.0
_PROBABILITIES = ("supported", "contradicted", "not_enough")
_LONGEST_QUOTE = 100

Texts = dict[str, str]
Found = dict[str, Any]


class TextGrade(NamedTuple):
    """What was found in one row of input. `row` is as `--json` prints it; None where there is no id to name it by."""

    row: Found | None
    decision: str | float | None  # None: not graded
    words: str  # beside the decision, for a person
    problem: Problem | None = None


class _Kind(NamedTuple):
    required: tuple[str, ...]
    optional: tuple[str, ...]
    columns: tuple[str, ...]
    decides: str  # the column that says whether a row was graded
    grade: Callable[[Sequence[Texts]], list[Found]]
    words: Callable[[Texts, Found], str]


class _Row(NamedTuple):
    """A row of input: its texts, or what is wrong with it."""

    id: str | float | None
    texts: Texts
    problem: Problem | None = None


def grade_texts(pairs: str, *, person: Person = READER) -> Iterator[TextGrade]:
    """Grade a file of bare texts (`-` is stdin); the fields of its first object say of which kind."""
    if pairs != "-" and (not Path(pairs).exists() or Path(pairs).is_dir()):
        hint = "pass a file of {id, context, claim}, {id, question, passage} or {id, text}, one object a line"
        raise UsageError(f"{shown(pairs)} is not a file", hint)
    read = read_rows([pairs])
    head = list(islice(read, _CHUNK))
    fields = next((row.value for row in head if isinstance(row.value, dict)), {})
    chosen = next((kind for kind in _KINDS if kind.required[-1] in fields), _KINDS[0])
    rows, count, last_news = _rows(chain(head, read), chosen, person.tell), 0, time.monotonic()
    while chunk := list(islice(rows, _CHUNK)):
        texts = [row.texts for row in chunk if row.problem is None]
        found = iter(chosen.grade(texts) if texts else ())
        for row in chunk:
            yield _result(row, {"reason": row.problem.message} if row.problem else next(found), chosen)
        count += len(chunk)
        if time.monotonic() - last_news >= _SECONDS_BETWEEN_NEWS:
            last_news = time.monotonic()
            person.tell(f"{counted(count, 'row')} graded")


def _result(row: _Row, found: Found, kind: _Kind) -> TextGrade:
    whole = None if row.id is None else {"id": row.id, **dict.fromkeys(kind.columns), **found}
    words = "" if row.problem else kind.words(row.texts, found)
    shown = "; ".join(filter(None, [words, found.get("reason")]))
    return TextGrade(whole, found.get(kind.decides), shown, row.problem)


def _rows(read: Iterable[ReadRow], kind: _Kind, tell: Tell) -> Iterator[_Row]:
    first_lines: dict[str | float, int | None] = {}  # None: the id was named already
    for source, line, value, _ in read:
        if isinstance(value, Problem) and value.kind == "note":
            continue
        row = _row(value, kind, source, line)
        if row.id is not None and (first := first_lines.setdefault(row.id, line)) not in (None, line):
            first_lines[row.id] = None
            message = f"the id {quoted(row.id)} is that of line {first} as well"
            tell(f"note: {plain(str(Problem('note', message, source, line)), 500)}")
        yield row


def _row(value: object, kind: _Kind, source: str, line: int) -> _Row:
    if isinstance(value, Problem):
        return _Row(None, {}, value)

    def refused(message: str, identifier: str | float | None = None) -> _Row:
        return _Row(identifier, {}, Problem("malformed", message, source, line))

    if not isinstance(value, dict):
        return refused(f"a row must be an object, not {kind_of(value)}")
    identifier = value.get("id")
    if identifier in (None, ""):
        return refused("the row has no id")
    if not isinstance(identifier, (str, int, float)) or isinstance(identifier, bool):
        return refused(f"id is {kind_of(identifier)}, not a text")
    if isinstance(identifier, float) and not math.isfinite(identifier):
        return refused(f"id is {identifier}, not a number that can be written down")
    for field in (*kind.required, *kind.optional):
        found = value.get(field)
        if found is None and field in kind.required:
            return refused(f"{field} is missing", identifier)
        if found is not None and not isinstance(found, str):
            return refused(f"{field} is {kind_of(found)}, not a text", identifier)
    return _Row(identifier, {field: value.get(field) or "" for field in (*kind.required, *kind.optional)})


def _claims(texts: Sequence[Texts]) -> list[Found]:
    found = LocalJudge().judge([Pair(text["context"], text["claim"], context=text["question"]) for text in texts])
    return [
        {
            **dict(zip(_PROBABILITIES, one.probabilities or (None,) * 3, strict=True)),
            "label": one.label,
            "evidence": one.quote or None,
            **_reason(one.reason),
        }
        for one in found
    ]


def _words_of_claim(_: Texts, found: Found) -> str:
    shares = [f"{name.replace('_', ' ')} {found[name]}" for name in _PROBABILITIES if found[name] is not None]
    quote = found["evidence"]
    return "; ".join(filter(None, [", ".join(shares), quote and f'evidence: "{plain(quote, _LONGEST_QUOTE)}"']))


def _passages(texts: Sequence[Texts]) -> list[Found]:
    found = LocalJudge().answers([(text["passage"], text["question"]) for text in texts])
    return [{"answers": one.probability, **_reason(one.reason)} for one in found]


def _reason(words: str) -> Found:
    return {"reason": words} if words else {}


def _refusals(texts: Sequence[Texts]) -> list[Found]:
    return [_refusal(text["text"]) for text in texts]


def _refusal(text: str) -> Found:
    if is_empty(text):
        return {"refusal": None, "span": None, "reason": "the text is empty"}
    value, start, end = detect(text)
    return {"refusal": value, "span": None if value == "answered" else [start, end]}


def _words_of_refusal(texts: Texts, found: Found) -> str:
    return f'"{plain(texts["text"][slice(*found["span"])], _LONGEST_QUOTE)}"' if found["span"] else ""


_KINDS = (
    _Kind(
        ("context", "claim"), ("question",), (*_PROBABILITIES, "label", "evidence"), "label", _claims, _words_of_claim
    ),
    _Kind(
        ("question", "passage"), (), ("answers",), "answers", _passages,
        lambda _, found: "" if found["answers"] is None else "probability that the passage answers",
    ),
    _Kind(("text",), ("question",), ("refusal", "span"), "refusal", _refusals, _words_of_refusal),
)  # fmt: skip
