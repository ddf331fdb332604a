"""`score`: read, join, count, decide. The only place where the parts of the deterministic tier meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from surefoot.advice import AdviceLog
from surefoot.datasets.locks import fingerprint_of, verify_lock
from surefoot.engine.local import map_blocks
from surefoot.errors import UsageError
from surefoot.gate import metrics
from surefoot.gate import rules as gates
from surefoot.gate.metrics import SCORED, Tally
from surefoot.gate.rules import Check, Decision, Rule
from surefoot.io import gatefiles, sources
from surefoot.io import questions as question_sets
from surefoot.io.baseline import Baseline, load_baseline
from surefoot.io.otel import Span, traces_of
from surefoot.io.traces import SPANS
from surefoot.outcomes import Outcome, label
from surefoot.problems import ProblemLog, in_words
from surefoot.scorecard import Accounting, Scorecard, Settings
from surefoot.scoring.attempts import Attempts, Rerun
from surefoot.scoring.result import ScoreResult
from surefoot.scoring.worker import REFUSAL_MODES, BlockScorer
from surefoot.types import GROUP_FIELDS, Estimate, Problem, Question

QUESTIONS_NAMED = 50  # a check names this many questions and counts the rest
FILE_PROBLEMS = frozenset({"note", "unreadable", "no_traces"})  # not about a single row

TraceInput = str | Path | Sequence[str | Path | Mapping[str, object]]
Progress = Callable[[int], None]


def score(
    questions: str | Path | Sequence[object],
    traces: TraceInput,
    *,
    gate: str | Path | None = None,
    rules: Sequence[str] = (),
    rerun: Rerun = "error",
    refusal: Literal["detect", "exact"] = "detect",
    by: Sequence[str] = (),
    mapping: Mapping[str, str] | None = None,
    baseline: str | Path | None = None,
    jobs: int | None = None,
    keep_rows: bool = True,
    progress: Progress | None = None,
) -> ScoreResult:
    """Score traces against a question set and decide by the gate.

    The rules are those of `gate` and of `rules` together; without a gate those of `rules` alone, and without either
    those of the default gate.

    `questions` is a file or a list of dictionaries; `traces` a file, a folder, "-", several of these, or a list
    of dictionaries. The result reads like the object that `surefoot score --json` prints.
    """
    _check_choice("rerun", rerun, ("error", "first", "last", "all"))
    _check_choice("refusal", refusal, tuple(REFUSAL_MODES))
    by = (by,) if isinstance(by, str) else tuple(by)
    decided_by = _rules(gate, rules)
    question_set = question_sets.load(questions)
    asked = question_set.questions
    fingerprint = fingerprint_of(asked)
    before = load_baseline(baseline, fingerprint) if baseline is not None else None
    _check_fields(by, asked)
    problems = ProblemLog()
    problems.extend(question_set.problems)
    problems.extend(verify_lock(question_set))

    attempts = Attempts(asked, rerun)
    scorer = BlockScorer(asked, mapping, refusal, keep_rows, count_only=rerun == "all")
    accounting = _read_all(scorer, _blocks(traces), attempts, problems, jobs, progress)
    problems.extend(_unmatched(mapping, scorer.found_fields))
    problems.extend(Problem("note", remark) for remark in sorted(scorer.remarks))
    if before and not any(rule.on_baseline for rule in decided_by):
        problems.add(Problem("note", "no rule compares with the baseline: it is shown, and decides nothing"))
    counted = _count(asked, attempts, decided_by, by)
    decision = _decide(decided_by, counted, before, problems)
    card = Scorecard(
        metrics=metrics.estimates(counted.total),
        labels=dict(_labels(counted.total)),
        groups={name: _estimates(counted.groups[name]) for name in by},
        decision=decision,
        advice=counted.advice.advice(),
        accounting=accounting,
        problems=problems,
        settings=Settings(len(asked), fingerprint, rerun, refusal, by),
        baseline=before.metrics if before else None,
        baseline_groups=before.groups if before else {},
    )
    return ScoreResult(card, attempts, asked)


def _unmatched(mapping: Mapping[str, str] | None, found: set[str]) -> list[Problem]:
    """A mapping that leads nowhere in any row is a slip, and every answer would suffer from it."""
    return [
        Problem("map_unmatched", f"--map {name}={path} leads to nothing in any row")
        for name, path in (mapping or {}).items()
        if name not in found
    ]


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise UsageError(f"{name} cannot be {value!r}", f"choose from {', '.join(choices)}")


def _rules(gate: str | Path | None, more: Sequence[str]) -> list[Rule]:
    """Coverage is asked for even where nothing says so."""
    rules = [Rule.parse(text, name) for name, text in gatefiles.chosen(gate, more, gatefiles.DEFAULT)]
    if not any(rule.metric == gates.COMPLETENESS for rule in rules):
        rules.append(Rule.parse(f"{gates.COMPLETENESS} >= 1.0"))
    return rules


def _check_fields(by: Sequence[str], asked: Sequence[Question]) -> None:
    known = {*GROUP_FIELDS, *(name for question in asked for name in question.metadata)}
    for name in by:
        if asked and name not in known:
            raise UsageError(
                f"no question has the field {name!r} to break down by", f"there are {', '.join(sorted(known))}"
            )


def _blocks(traces: TraceInput) -> Iterable[sources.Block]:
    given = [traces] if isinstance(traces, (str, Path)) else list(traces)
    values: list[object] = [item for item in given if not isinstance(item, (str, Path))]
    if values:
        yield sources.Values("traces", values)
    yield from sources.blocks_from(item for item in given if isinstance(item, (str, Path)))


def _read_all(
    scorer: BlockScorer,
    blocks: Iterable[sources.Block],
    attempts: Attempts,
    problems: ProblemLog,
    jobs: int | None,
    progress: Progress | None,
) -> Accounting:
    """Every block through the scorer, results in order; spans wait until all of them are there."""
    spans: list[Span] = []
    rows, found = 0, ProblemLog()
    for result in map_blocks(scorer, blocks, jobs):
        attempts.add(result)
        found.merge(result.problems)
        spans += result.spans
        rows += result.rows
        scorer.found_fields |= result.found_fields
        scorer.remarks |= result.remarks
        if progress:
            progress(rows)
    if spans:
        joined = scorer.score_traces(list(traces_of(spans).values()), SPANS)
        attempts.add(joined)
        found.merge(joined.problems)
        rows += joined.rows
    left_out = {kind: count for kind, count in found.counts.items() if kind not in FILE_PROBLEMS}
    problems.merge(found)
    problems.merge(attempts.problems)
    if attempts.duplicates:
        left_out["several_traces"] = attempts.duplicates
    scored = attempts.traces - attempts.set_aside - attempts.duplicates
    return Accounting(rows, scored, attempts.set_aside, len(spans), left_out)


class Counted(Struct):
    """The outcomes counted in every way that the metrics, the rules and the advice need."""

    total: Tally = field(default_factory=Counter)
    groups: dict[str, dict[str, Tally]] = field(default_factory=dict)
    behind: list[dict[str, None]] = field(default_factory=list)  # per rule: the questions that fail it
    behind_count: list[int] = field(default_factory=list)
    advice: AdviceLog = field(default_factory=AdviceLog)


def _count(asked: Sequence[Question], attempts: Attempts, rules: Sequence[Rule], by: Sequence[str]) -> Counted:
    names = dict.fromkeys([*by, *(rule.group_key[0] for rule in rules if rule.group_key)])
    counted = Counted(groups={name: {} for name in names}, behind=[{} for _ in rules], behind_count=[0] * len(rules))
    rules_failed: dict[Outcome, list[int]] = {}
    for place, outcome, times in attempts.outcomes():
        question = asked[place]
        counted.total[outcome] += times
        for name, tallies in counted.groups.items():
            tallies.setdefault(question.group(name), Counter())[outcome] += times
        counted.advice.add(question.id, outcome)
        failed = rules_failed.get(outcome)
        if failed is None:
            failed = rules_failed[outcome] = [
                i for i, rule in enumerate(rules) if rule.metric in SCORED and SCORED[rule.metric].fails(outcome)
            ]
        for i in failed:
            _note_behind(counted, i, rules[i], question)
    return counted


def _note_behind(counted: Counted, number: int, rule: Rule, question: Question) -> None:
    if rule.group_key and question.group(rule.group_key[0]) != rule.group_key[1]:
        return
    named = counted.behind[number]
    if question.id not in named:
        counted.behind_count[number] += 1
        if len(named) < QUESTIONS_NAMED:
            named[question.id] = None


def _estimates(tallies: Mapping[str, Tally]) -> dict[str, dict[str, Estimate]]:
    return {value: metrics.estimates(tally) for value, tally in sorted(tallies.items())}


def _labels(tally: Tally) -> Counter[str]:
    counted: Counter[str] = Counter()
    for outcome, times in tally.items():
        counted[label(outcome)] += times
    return counted


def _decide(rules: Sequence[Rule], counted: Counted, before: Baseline | None, problems: ProblemLog) -> Decision:
    def facts(rule: Rule) -> Estimate | None:
        if rule.metric not in SCORED:
            return None
        metric = SCORED[rule.metric]
        if rule.group_key is None:
            return metrics.estimate(metric, counted.total)
        name, value = rule.group_key
        tallies = counted.groups[name]
        if value not in tallies:
            known = ", ".join(sorted(filter(None, tallies))) or "none"
            return Estimate(0, 0, reason=f"no question has {name} {value!r} (there are: {known})")
        return metrics.estimate(metric, tallies[value])

    def earlier(rule: Rule) -> Estimate | None:
        return before.find(rule.metric, rule.group_key) if before else None

    checks = [
        replace(
            gates.check(rule, facts, earlier),
            questions=tuple(counted.behind[i]),
            question_count=counted.behind_count[i],
        )
        for i, rule in enumerate(rules)
    ]
    incomplete = [in_words(count, kind) for kind, count in problems.serious.items()]
    if not any(outcome.usable for outcome in counted.total):
        incomplete.append("nothing was scored")
        checks = [_unscored(check) for check in checks]
    return gates.decide(checks, incomplete)


def _unscored(check: Check) -> Check:
    """With no usable answer at all, a rule that fails or passes says nothing about the pipeline."""
    return (
        replace(check, status="undecidable", reason="nothing was scored") if check.status in ("fail", "pass") else check
    )
