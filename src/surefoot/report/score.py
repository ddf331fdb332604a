"""What scored traces say: the decision, the metrics behind it, what to do next, and every question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from surefoot.core.errors import ExitCode
from surefoot.core.intervals import difference as difference_of
from surefoot.core.intervals import questions_to_be_sure
from surefoot.core.types import Estimate, Question, counted, in_words, names
from surefoot.gate.metrics import SCORED, Check, Decision
from surefoot.report import blocks
from surefoot.report.blocks import Block, Headline, Items, Line, Paragraph, Report, Section, Span, Table
from surefoot.scoring.outcomes import ScoredRow

if TYPE_CHECKING:
    from surefoot.scoring.run import ScoreResult

_PROVABLE = 0.05
_PROBLEMS: dict[blocks.Form, int] = {"terminal": 5, "markdown": 20, "page": 50}  # of each kind
_ROWS: dict[blocks.Form, int] = {"page": 2_000}
_WAYS = ("worse", "better", "other")
_CHANGES: dict[blocks.Form, int] = {"terminal": 20, "markdown": 200, "page": 2_000}
_NOTHING_STANDS_OUT = (
    "Nothing stands out: every question was answered with its gold source, or rightly refused. What the answers say was"
    ' not read; "surefoot grade" does that.'
)
_NOTHING_IN_LOG = 'Nothing stands out. "surefoot grade --traces LOG" reads what the answers say.'
_WITHOUT_GOLD = "There is no question set, so what needs gold, and whether a refusal was due, is not measured."


def report(found: ScoreResult, *, with_rows: bool = True) -> Report:
    rows = found.rows() if with_rows else ()
    first = Headline(found.decision.outcome, (headline(found.decision),))
    doubt = (Items([found.too_few], "warning"),) if found.too_few else ()
    about = "By citations and refusals alone; what the answers say was not read."
    about += "" if found.settings.has_gold else f" {_WITHOUT_GOLD}"
    return Report(
        "Surefoot report", (first, *doubt, Paragraph(about, "quiet")), tuple(_body(found, rows, found.questions))
    )


def _body(found: ScoreResult, rows: Iterable[ScoredRow], questions: Iterable[Question]) -> Iterator[Block]:
    heads = ("rule", "result", "seen", "sure (95%)", "questions")
    yield Section("Gate", (Table(heads, [_rule(check) for check in found.decision.checks]),))
    if found.labels.keys() - {"MISSING"}:
        labels = ", ".join(f"{label} {count}" for label, count in sorted(found.labels.items()))
        yield Section("Metrics", (_metrics(found), Items(list(_on_zeros(found))), Paragraph(f"Labels: {labels}.")))
    if found.label_changes and found.label_changes["compared"] is not None:
        yield Section("Labels since the baseline", tuple(_moved(**found.label_changes)))
    for field in found.groups:
        yield Section(f"By {field}", (_by(found, field),))
    yield Section("What to do next", (_advice(found),))
    yield Section("Input", tuple(_input(found)))
    by_id = {question.id: question for question in questions}
    row_heads = ("qid", "question", "label", "why", "cited", "gold", "where")
    entries = (_row(row, by_id.get(row.qid)) for row in rows)
    yield Section("Per question", (Table(row_heads, entries, total=sum(found.labels.values()), limits=_ROWS),), "paper")


def headline(decision: Decision) -> str:
    """The decision in one sentence."""
    by_status = {
        status: [c.rule.name for c in decision.checks if c.status == status]
        for status in ("fail", "incomplete", "undecidable", "pass")
    }
    if decision.outcome == "SHIP":
        count = len(by_status["pass"])
        return f"all {count} rules hold." if count != 1 else "the rule holds."
    unfinished = [*decision.incomplete, *(f"{name} is not met" for name in by_status["incomplete"])]
    if decision.outcome == "BLOCK":
        beside = f"; the run is incomplete too: {'; '.join(unfinished)}" if unfinished else ""
        return f"{', '.join(by_status['fail'])} failed{beside}."
    if by_status["undecidable"]:
        unfinished.append(f"{', '.join(by_status['undecidable'])} cannot be decided")
    said = "; ".join(unfinished) or "no rule applies"
    return f"incomplete: {said}." if decision.exit_code == ExitCode.INCOMPLETE else f"{said}."


def _rule(check: Check) -> tuple[Line, ...]:
    name, text = " ".join(check.rule.name.split()), check.rule.text
    called = "" if f"{text} ".startswith(f"{name} ") else f"{name}:"
    status = Span(blocks.STATUS_WORDS[check.status], check.status)
    behind = names(check.questions, total=check.question_count) or "-"
    return (called, Span(text, "code")), status, blocks.seen(check.seen), check.reason or _to_be_sure(check), behind


def _to_be_sure(check: Check) -> str:
    """How far the observation is from settling the rule."""
    if check.status not in ("pass", "fail", "incomplete") or check.seen is None:
        return "-"
    if check.to_be_sure is None:
        return "counted in full" if check.limit in (0, 1) else "on the limit"
    return "sure" if check.seen.denominator >= check.to_be_sure else f"from {check.to_be_sure:,} on"


def _metrics(found: ScoreResult) -> Table:
    before = found.baseline
    since = () if before is None else ("baseline", "change")
    rows = []
    for name, estimate in found.metrics.items():
        value = blocks.seen(estimate) if estimate.value is not None else f"none: {estimate.reason}"
        was = before.get(name) if before else None
        earlier = () if before is None else (blocks.seen(was), _change(found.shared[name], was))
        share = f"{SCORED[name].unit} that {SCORED[name].share}"
        rows.append((name, value, blocks.interval(estimate), *earlier, share))
    return Table(("metric", "value", "95% interval", *since, "share of"), rows, on_paper=1)


def _on_zeros(found: ScoreResult) -> Iterator[Line]:
    """What a rate of zero proves."""
    for name, estimate in found.metrics.items():
        if SCORED[name].better == "lower" and estimate.numerator == 0 and estimate.high is not None:
            yield (
                Span(name, "code"),
                f"is zero, which with {estimate.denominator} observed proves no more than"
                f" {blocks.percent(estimate.high)};"
                f" to prove {blocks.percent(_PROVABLE)} takes {questions_to_be_sure(0, _PROVABLE)} without one.",
            )


def _moved(compared: int, changed: Sequence[Mapping[str, str]]) -> Iterator[Block]:
    moved = sorted(changed, key=lambda one: _WAYS.index(one["way"]))
    told = ", ".join(f"{sum(one['way'] == way for one in moved)} {way}" for way in _WAYS)
    yield Paragraph(f"Of {counted(compared, 'question')} in both: {told}, {compared - len(moved)} as before.")
    ids = (" -> ".join(dict.fromkeys((one["was"], one["question_id"]))) for one in moved)
    rows = [(qid, one["baseline"], one["candidate"], one["way"]) for qid, one in zip(ids, moved, strict=True)]
    yield Table(("qid", "baseline", "now", "change"), rows, limits=_CHANGES)


def _change(now: Estimate, before: Estimate | None) -> str:
    """In points, exact until it is shown: `+3.2 points (-1.0 to +7.4)`."""
    if now.exact is None or before is None or before.exact is None:
        return "-"
    difference = now.exact - before.exact
    tenths = round(abs(difference) * 1000)
    between = difference_of(now, before)
    told = "none" if not difference else f"{'-' if difference < 0 else '+'}{tenths // 10}.{tenths % 10} points"
    return told if between is None else f"{told} ({between['low'] * 100:+.1f} to {between['high'] * 100:+.1f})"


def _since(estimate: Estimate, before: Estimate | None) -> str:
    """What was seen, and how it has changed where something was seen before."""
    return blocks.seen(estimate) if before is None else f"{blocks.seen(estimate)}, {_change(estimate, before)}"


def _by(found: ScoreResult, field: str) -> Table:
    """One metric to a row, unless there are more parts than metrics."""
    parts = found.groups[field]
    shown = [name for name in SCORED if any(metrics[name].value is not None for metrics in parts.values())]
    rows: list[Sequence[str]] = [(field, *shown)]
    for part, metrics in parts.items():
        rows.append((part or "(none)", *(_since(metrics[name], found.before(field, part, name)) for name in shown)))
    if len(parts) <= len(shown):
        rows = list(zip(*rows, strict=True))
    return Table(rows[0], rows[1:])


def _advice(found: ScoreResult) -> Table | Paragraph:
    if not found.next:
        return Paragraph(_NOTHING_STANDS_OUT if found.settings.has_gold else _NOTHING_IN_LOG)
    rows = []
    for one in found.next:
        where = f"{counted(one.question_count, 'question')}: {names(one.questions, total=one.question_count)}"
        rows.append((Span(one.finding, "strong"), where, one.action.replace("`", '"')))
    return Table(("finding", "where", "what to do"), rows, on_paper=1)


def _input(found: ScoreResult) -> Iterator[Block]:
    given, settings = found.accounting, found.settings
    kinds = {"set_aside": given.set_aside, "spans": given.spans, **given.left_out}
    asked = f"{counted(settings.questions, 'question')}, {counted(given.rows, 'row')}, {given.scored:,} scored."
    how = ("refusals are read by", Span(f"--refusal {settings.refusal}", "code"),
           ", several traces of a question by", Span(f"--rerun {settings.rerun}", "code"))  # fmt: skip
    yield Paragraph(asked)
    yield Items([*(in_words(count, kind) for kind, count in kinds.items() if count), how])
    for kind, problems in found.problems.named.items():
        lines, total = [str(problem) for problem in problems], found.problems.counts[kind]
        yield Items(lines, "warning", total=total, limits=_PROBLEMS, more="more like these")


def _row(row: ScoredRow, question: Question | None) -> tuple[Line, ...]:
    quoted = f'{row.refusal}: "{row.refusal_span}"' if row.refusal_span else row.refusal or ""
    return (
        row.qid, question.text if question else "", Span(row.label, "strong"), row.reason or quoted,
        "no citation" if row.citations is None else ", ".join(row.citations) or "empty list",
        ", ".join(question.gold_ids) if question and question.gold_ids else "-",
        "" if row.source is None else f"{row.source}:{row.line}",
    )  # fmt: skip
