"""`score`: read, join, count, decide. The only place where the parts of the deterministic tier meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from surefoot.datasets.locks import fingerprint_of, verify_lock
from surefoot.errors import UsageError
from surefoot.gate import metrics
from surefoot.gate import rules as gates
from surefoot.gate.rules import Rule
from surefoot.io import gatefiles, places, sources
from surefoot.io import questions as question_sets
from surefoot.io.items import Asked
from surefoot.io.parts import Part, blocks_in, parts_from
from surefoot.io.pool import map_blocks
from surefoot.io.question_store import Questions
from surefoot.io.questions import QuestionSet
from surefoot.io.rows import rows_in
from surefoot.io.spans import Span, traces_of
from surefoot.io.traces import SPANS, TraceReader
from surefoot.problems import ProblemLog
from surefoot.records import fingerprint
from surefoot.scorecard import Accounting, Scorecard, Settings
from surefoot.scoring.attempts import Attempts, Rerun
from surefoot.scoring.block import BlockResult
from surefoot.scoring.decision import Baseline, Counted, count, decide, load_baseline, pair
from surefoot.scoring.result import ScoreResult
from surefoot.scoring.worker import BlockScorer
from surefoot.services.engine import Engine, check_engine, map_on_ray
from surefoot.services.passage_texts import PassageTexts
from surefoot.text.normal import id_of_text
from surefoot.text.refusals import MODES
from surefoot.types import Item, Problem, Question, Trace, check_group_fields

FILE_PROBLEMS = frozenset({"note", "unreadable", "no_traces"})  # not about a single row

TraceInput = str | Path | Sequence[str | Path | Mapping[str, object]]
Progress = Callable[[int, float | None], None]  # rows, and the share of all that was read, if that can be told


def score(
    questions: str | Path | Sequence[object] | None,
    traces: TraceInput,
    *,
    gate: str | Path | None = None,
    rules: Sequence[str] = (),
    rerun: Rerun = "error",
    refusal: Literal["detect", "exact"] = "detect",
    by: Sequence[str] = (),
    mapping: Mapping[str, str] | None = None,
    baseline: str | Path | None = None,
    corpus: str | Path | None = None,
    jobs: int | None = None,
    engine: Engine = "local",
    work: str | Path | None = None,
    keep_rows: bool = True,
    progress: Progress | None = None,
) -> ScoreResult:
    """Score traces against a question set and decide by the gate.

    The rules are those of `gate` and of `rules` together; without a gate those of `rules` alone, and without either
    those of the default gate.

    `questions` is a file or a list of dictionaries, or None to score what a log tells without gold; with `corpus`,
    retrieved passages that it lacks are named. `traces` a file, a folder, an address such as s3://..., "-", several of
    these, or a list of dictionaries. With the engine "ray" a cluster scores them, and what is done stays in the folder
    `work`. The result reads like the object that `surefoot score --json` prints.
    """
    _check_choices(rerun, refusal)
    check_engine(engine, work)
    by = (by,) if isinstance(by, str) else tuple(by)
    is_log = questions is None
    _check_there(_paths(traces))
    decided_by = _rules(gate, rules)
    question_set = _questions_of(traces, mapping) if questions is None else question_sets.load(questions)
    asked = question_set.questions
    identity = "" if is_log else fingerprint_of(asked)
    rerun = "all" if is_log and rerun == "error" else rerun
    texts = PassageTexts.of(corpus, (told := list[str]()).append)
    before = load_baseline(baseline) if baseline is not None else None
    check_group_fields(by if asked else (), asked)
    problems = ProblemLog()
    problems.extend(question_set.problems if is_log else _on_questions(question_set))

    attempts = Attempts(asked, rerun)
    scorer = BlockScorer(asked, mapping, refusal, keep_rows, is_log, texts)
    if engine == "local":
        results = map_blocks(scorer, _blocks(traces), jobs)
    else:
        plan = repr((fingerprint(asked), mapping, refusal, keep_rows, is_log, texts.sha256 if texts else ""))
        results = _on_ray(scorer, traces, plan, work, jobs)
    size = sources.size_of_lines(_paths(traces)) if progress else None
    accounting = _read_all(scorer, results, attempts, problems, partial(_told, progress, size))
    problems.extend(_remarks(mapping or {}, scorer))
    problems.extend(Problem("note", line) for line in (*told, *_notes_on_baseline(before, decided_by)))
    problems.extend(texts.problems(scorer.lacking) if texts else ())
    settings = Settings(len(asked), identity, rerun, refusal, by, has_gold=not is_log)
    counted = shared = count(attempts.outcomes(), decided_by, by)
    alike = {one.id: one.id for one in asked}
    if before is not None and before.settings.questions_sha256 not in ("", identity):
        alike = _alike(before, asked, str(baseline), problems)
        before = before.over({alike[one.id]: one for one in asked if one.id in alike}, decided_by, by)
        shared = count((one for one in attempts.outcomes() if one[0].id in alike), decided_by, by)
    card = _card(counted, shared, decided_by, before, accounting, problems, settings)
    if before is not None and before.rows:
        paired, moved = pair(before, attempts.outcomes(), alike)
        card = replace(card, paired=paired, moved=moved)
    return ScoreResult(card, attempts, asked)


def _alike(before: Baseline, asked: Questions, path: str, problems: ProblemLog) -> dict[str, str]:
    if not (alike := before.alike(asked)):
        hint = "score the baseline's traces again with this question set, and keep the rows of --json"
        raise UsageError(f"the baseline {path} was scored on other questions", hint)
    words = f"was scored on another question set; only the {len(alike)} unchanged questions are compared"
    problems.add(Problem("note", words, path))
    return alike


def _card(
    counted: Counted,
    shared: Counted,
    rules: Sequence[Rule],
    before: Baseline | None,
    accounting: Accounting,
    problems: ProblemLog,
    settings: Settings,
) -> Scorecard:
    return Scorecard(
        metrics=metrics.estimates(counted.total),
        labels=dict(counted.labels),
        groups={name: counted.estimates(name) for name in settings.by},
        decision=decide(rules, counted, shared, before, problems),
        advice=counted.advice.advice(),
        accounting=accounting,
        problems=problems,
        settings=settings,
        baseline=before.metrics if before else None,
        baseline_groups=before.groups if before and shared is counted else {},
        shared=metrics.estimates(shared.total),
    )


def _check_there(paths: Sequence[str | Path]) -> None:
    """One log that is there is scored, and the others are named."""
    if not any(str(path) == "-" or places.is_there(path) for path in paths):
        sources.check_logs(paths)


def _notes_on_baseline(before: Baseline | None, rules: Sequence[Rule]) -> list[str]:
    if before is None:
        return []
    is_used = any(rule.on_baseline for rule in rules)
    notes = [] if is_used else ["no rule compares with the baseline: it is shown, and decides nothing"]
    no_rows = "the baseline has no rows to tell which labels changed (hint: write it by --json without --no-rows)"
    return notes if before.rows else [*notes, no_rows]


def _on_questions(found: QuestionSet) -> list[Problem]:
    return [*found.problems, *verify_lock(found), *([] if found.questions else [_without_questions(found)])]


def _without_questions(found: QuestionSet) -> Problem:
    why = next((problem.message for problem in found.problems if problem.kind != "note"), "is empty")
    if found.source.lower().endswith((".csv", ".tsv")):
        why = "is a table; write JSON, JSON lines or YAML instead"
    why = f"it {why}" if why.startswith("is ") else why
    return Problem("no_questions", f"the question set has no usable question: {why}", found.source)


def _check_choices(rerun: str, refusal: str) -> None:
    known = {"rerun": (rerun, ("error", "first", "last", "all")), "refusal": (refusal, tuple(MODES))}
    for name, (value, choices) in known.items():
        if value not in choices:
            raise UsageError(f"{name} cannot be {value!r}", f"choose from {', '.join(choices)}")


def _questions_of(traces: TraceInput, mapping: Mapping[str, str] | None) -> QuestionSet:
    """What a log asks, in place of a question set."""
    if "-" in map(str, _paths(traces)):
        message = "without a question set a log is read twice, and stdin can be read only once"
        raise UsageError(message, "write it to a file")
    asked, ids = Asked(), dict[str, Question]()  # what is known by its id alone
    for trace in _traces_in(_blocks(traces), mapping):
        if trace.question is not None:
            name = trace.question_id or id_of_text(trace.question)
            asked.answered(Item(Question(name, trace.question, "answer"), trace))
        elif trace.question_id is not None:
            ids.setdefault(trace.question_id, Question(trace.question_id, "", "answer"))
    with_text = {question.id: question for question in asked.questions.values()}
    return QuestionSet("", Questions((ids | with_text).values()), (), [])


def _traces_in(blocks: Iterable[sources.Block], mapping: Mapping[str, str] | None) -> Iterator[Trace]:
    reader, spans = TraceReader(mapping), list[Span]()
    for _, found in (part for block in blocks for row in rows_in(block) for part in reader.read_row(row)):
        if isinstance(found, Span):
            spans.append(found)
        elif isinstance(found, Trace):
            yield found
    yield from traces_of(spans).values()


def _rules(gate: str | Path | None, more: Sequence[str]) -> list[Rule]:
    """Coverage is asked for even where nothing says so."""
    rules = [Rule.parse(text, name) for name, text in gatefiles.chosen(gate, more, gatefiles.DEFAULT)]
    if not any(rule.metric == gates.COMPLETENESS for rule in rules):
        rules.append(Rule.parse(f"{gates.COMPLETENESS} >= 1.0"))
    return rules


def _paths(traces: TraceInput) -> list[str | Path]:
    given = [traces] if isinstance(traces, (str, Path)) else traces
    return [item for item in given if isinstance(item, (str, Path))]


def _values(traces: TraceInput) -> list[sources.Values]:
    given = () if isinstance(traces, (str, Path)) else traces
    values: list[object] = [item for item in given if not isinstance(item, (str, Path))]
    return [sources.Values("traces", values)] if values else []


def _blocks(traces: TraceInput) -> Iterable[sources.Block]:
    yield from _values(traces)
    yield from sources.blocks_from(_paths(traces))


def _on_ray(
    scorer: BlockScorer, traces: TraceInput, plan: str, work: str | Path | None, jobs: int | None
) -> Iterator[BlockResult]:
    """`plan`: all that outcomes depend on beside the log."""
    parts = parts_from(_paths(traces), _values(traces))
    return chain.from_iterable(map_on_ray(partial(_score_part, scorer), parts, plan, work, jobs))


def _score_part(scorer: BlockScorer, part: Part) -> list[BlockResult]:
    return [scorer(block) for block in blocks_in(part)]


def _read_all(
    scorer: BlockScorer,
    results: Iterable[BlockResult],
    attempts: Attempts,
    problems: ProblemLog,
    told: Callable[[int, int], None],
) -> Accounting:
    """What was found in every block, in order; spans wait until all of them are there."""
    spans: list[Span] = []
    rows, size, found = 0, 0, ProblemLog()
    for result in results:
        attempts.add(result)
        found.merge(result.problems)
        spans += result.spans
        rows, size = rows + result.rows, size + result.size
        scorer.found_fields |= result.found_fields
        scorer.remarks |= result.remarks
        scorer.lacking.update(result.lacking)
        told(rows, size)
    if spans:
        joined = scorer.score_traces(list(traces_of(spans).values()), SPANS)
        attempts.add(joined)
        found.merge(joined.problems)
        rows += joined.rows
        scorer.lacking.update(joined.lacking)
    left_out = {kind: count for kind, count in found.counts.items() if kind not in FILE_PROBLEMS}
    problems.merge(found)
    problems.merge(attempts.problems)
    if attempts.duplicates:
        left_out["several_traces"] = attempts.duplicates
    scored = attempts.traces - attempts.set_aside - attempts.duplicates
    return Accounting(rows, scored, attempts.set_aside, len(spans), left_out)


def _told(progress: Progress | None, total: int | None, rows: int, size: int) -> None:
    if progress:
        progress(rows, size / total if total else None)


def _remarks(mapping: Mapping[str, str], scorer: BlockScorer) -> Iterable[Problem]:
    """A mapping that leads nowhere in any row is a slip, and every answer would suffer from it."""
    for name, path in mapping.items():
        if name not in scorer.found_fields:
            yield Problem("map_unmatched", f"--map {name}={path} leads to nothing in any row")
    for remark in sorted(scorer.remarks):
        yield Problem("note", remark)
