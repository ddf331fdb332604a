"""`score`: read, join, count, decide. The only place where the parts of the deterministic tier meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from surefoot import gate as gates
from surefoot import metrics
from surefoot.advice import AdviceLog
from surefoot.datasets.locks import verify_lock
from surefoot.engine.local import map_blocks
from surefoot.errors import UsageError
from surefoot.gate import Check, Decision, Rule
from surefoot.importers import gatefiles, sources
from surefoot.importers import questions as question_sets
from surefoot.importers.baseline import Baseline, load_baseline
from surefoot.importers.otel import Span, traces_of
from surefoot.metrics import METRICS, Tally
from surefoot.outcomes import Outcome, label
from surefoot.problems import ProblemLog, in_words
from surefoot.scorecard import Accounting, Scorecard, Settings
from surefoot.scoring.attempts import Attempts, Rerun
from surefoot.scoring.result import ScoreResult
from surefoot.scoring.worker import REFUSAL_MODES, BlockScorer
from surefoot.types import Estimate, Question

QUESTIONS_NAMED = 50  # a check names this many questions and counts the rest
FILE_PROBLEMS = frozenset({"note", "unreadable", "no_traces"})  # not about a single row

TraceInput = str | Path | Sequence[str | Path | Mapping[str, object]]
Progress = Callable[[int], None]


def score(
    questions: str | Path | Sequence[object],
    traces: TraceInput,
    *,
    gate: str | Path | Sequence[str] = gatefiles.DEFAULT,
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

    `questions` is a file or a list of dictionaries; `traces` a file, a folder, "-", several of these, or a list
    of dictionaries. The result reads like the object that `surefoot score --json` prints.
    """
    _check_choice("rerun", rerun, ("error", "first", "last", "all"))
    _check_choice("refusal", refusal, tuple(REFUSAL_MODES))
    by = (by,) if isinstance(by, str) else tuple(by)
    rules = _rules(gate)
    before = load_baseline(baseline) if baseline else None
    question_set = question_sets.load(questions)
    asked = question_set.questions
    problems = ProblemLog()
    problems.extend(question_set.problems)
    problems.extend(verify_lock(question_set))

    attempts = Attempts(asked, rerun)
    scorer = BlockScorer(asked, mapping, refusal, keep_rows, count_only=rerun == "all")
    accounting = _read_all(scorer, _blocks(traces), attempts, problems, jobs, progress)
    counted = _count(asked, attempts, rules, by)
    decision = _decide(rules, counted, before, problems)
    card = Scorecard(
        metrics=metrics.estimates(counted.total),
        labels=dict(_labels(counted.total)),
        groups={name: _estimates(counted.groups[name]) for name in by},
        decision=decision,
        advice=counted.advice.advice(),
        accounting=accounting,
        problems=problems,
        settings=Settings(len(asked), rerun, refusal, by),
    )
    return ScoreResult(card, attempts)


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise UsageError(f"{name} cannot be {value!r}", f"choose from {', '.join(choices)}")


def _rules(gate: str | Path | Sequence[str]) -> list[Rule]:
    if isinstance(gate, (str, Path)):
        return [Rule.parse(text, name) for name, text in gatefiles.load(gate).items()]
    return [Rule.parse(text) for text in gate]


def _blocks(traces: TraceInput) -> Iterable[sources.Block]:
    given = [traces] if isinstance(traces, (str, Path)) else list(traces)
    values: list[object] = [item for item in given if not isinstance(item, (str, Path))]
    if values:
        yield sources.Values("traces", list(range(1, len(values) + 1)), values)
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
        if progress:
            progress(rows)
    if spans:
        joined = scorer.score_traces(traces_of(spans), "spans")
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
                i for i, rule in enumerate(rules) if rule.metric in METRICS and METRICS[rule.metric].fails(outcome)
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
        if rule.metric not in METRICS:
            return None
        metric = METRICS[rule.metric]
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
    incomplete = [f"{count} {in_words(kind)}" for kind, count in problems.serious.items()]
    if not any(outcome.usable for outcome in counted.total):
        incomplete.append("nothing was scored")
        checks = [_unscored(check) for check in checks]
    return gates.decide(checks, incomplete)


def _unscored(check: Check) -> Check:
    """With no usable answer at all, a rule that fails or passes says nothing about the pipeline."""
    return (
        replace(check, status="undecidable", reason="nothing was scored") if check.status in ("fail", "pass") else check
    )
