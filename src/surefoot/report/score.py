"""What scored traces say: the decision, the metrics behind it, what to do next, and every question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from surefoot.core.intervals import questions_to_be_sure
from surefoot.core.types import Question, counted, in_words, names
from surefoot.gate.metrics import SCORED
from surefoot.gate.rules import Check
from surefoot.report.blocks import (
    Block,
    Form,
    Headline,
    Items,
    Line,
    Paragraph,
    Report,
    Section,
    Span,
    Table,
    change,
    headline,
    interval,
    percent,
    rule_words,
    seen,
    seen_since,
    status,
    to_be_sure,
)
from surefoot.scoring.outcomes import ScoredRow

if TYPE_CHECKING:
    from surefoot.scoring.run import Scorecard, ScoreResult

_PROVABLE = 0.05
_PROBLEMS: dict[Form, int] = {"terminal": 5, "markdown": 20, "page": 50}  # of each kind
_ROWS: dict[Form, int] = {"page": 2_000}
_WAYS = ("worse", "better", "other")
_CHANGES: dict[Form, int] = {"terminal": 20, "markdown": 200, "page": 2_000}
_NOTHING_STANDS_OUT = (
    "Nothing stands out: every question was answered with its gold source, or rightly refused. What the answers say was"
    ' not read; "surefoot grade" does that.'
)
_NOTHING_IN_LOG = 'Nothing stands out. "surefoot grade --traces LOG" reads what the answers say.'
_WITHOUT_GOLD = "There is no question set, so what needs gold, and whether a refusal was due, is not measured."


def report(found: ScoreResult, *, with_rows: bool = True) -> Report:
    card, rows = found.card, found.rows() if with_rows else ()
    first = Headline(card.decision.outcome, (headline(card.decision),))
    doubt = (Items([card.too_few], "warning"),) if card.too_few else ()
    about = "By citations and refusals alone; what the answers say was not read."
    about += "" if card.settings.has_gold else f" {_WITHOUT_GOLD}"
    return Report(
        "Surefoot report", (first, *doubt, Paragraph(about, "quiet")), tuple(_body(card, rows, found.questions))
    )


def _body(card: Scorecard, rows: Iterable[ScoredRow], questions: Iterable[Question]) -> Iterator[Block]:
    heads = ("rule", "result", "seen", "sure (95%)", "questions")
    yield Section("Gate", (Table(heads, [_rule(check) for check in card.decision.checks]),))
    yield Section("Metrics", (_metrics(card), Items(list(_on_zeros(card))), Paragraph(_labels(card))))
    if card.paired is not None:
        yield Section("Labels since the baseline", tuple(_moved(card)))
    for field in card.groups:
        yield Section(f"By {field}", (_by(card, field),))
    yield Section("What to do next", (_advice(card),))
    yield Section("Input", tuple(_input(card)))
    by_id = {question.id: question for question in questions}
    row_heads = ("qid", "question", "label", "why", "cited", "gold", "where")
    entries = (_row(row, by_id.get(row.qid)) for row in rows)
    yield Section("Per question", (Table(row_heads, entries, total=sum(card.labels.values()), limits=_ROWS),), "paper")


def _rule(check: Check) -> tuple[Line, ...]:
    return (
        rule_words(check.rule),
        status(check),
        seen(check.seen),
        check.reason or to_be_sure(check),
        names(check.questions, check.question_count) or "-",
    )


def _metrics(card: Scorecard) -> Table:
    before = card.baseline
    since = () if before is None else ("baseline", "change")
    rows = []
    for name, estimate in card.metrics.items():
        value = seen(estimate) if estimate.value is not None else f"none: {estimate.reason}"
        earlier = () if before is None else (seen(before.get(name)), change(card.shared[name], before.get(name)))
        rows.append((name, value, interval(estimate), *earlier, f"{SCORED[name].unit} that {SCORED[name].share}"))
    return Table(("metric", "value", "95% interval", *since, "share of"), rows, on_paper=1)


def _on_zeros(card: Scorecard) -> Iterator[Line]:
    """What a rate of zero proves."""
    for name, estimate in card.metrics.items():
        if SCORED[name].better == "lower" and estimate.numerator == 0 and estimate.high is not None:
            yield (
                Span(name, "code"),
                f"is zero, which with {estimate.denominator} observed proves no more than {percent(estimate.high)};"
                f" to prove {percent(_PROVABLE)} takes {questions_to_be_sure(0, _PROVABLE)} without one.",
            )


def _labels(card: Scorecard) -> str:
    return f"Labels: {', '.join(f'{label} {count}' for label, count in sorted(card.labels.items())) or 'none'}."


def _moved(card: Scorecard) -> Iterator[Block]:
    moved = sorted(card.moved, key=lambda one: _WAYS.index(one["way"]))
    told = [f"{sum(one['way'] == way for one in moved)} {way}" for way in _WAYS]
    as_before = (card.paired or 0) - len(moved)
    yield Paragraph(f"Of {counted(card.paired or 0, 'question')} in both: {', '.join(told)}, {as_before} as before.")
    ids = (" -> ".join(dict.fromkeys((one["was"], one["question_id"]))) for one in moved)
    rows = [(qid, one["baseline"], one["candidate"], one["way"]) for qid, one in zip(ids, moved, strict=True)]
    yield Table(("qid", "baseline", "now", "change"), rows, total=len(rows), limits=_CHANGES)


def _by(card: Scorecard, field: str) -> Table:
    """One metric to a row, unless there are more parts than metrics."""
    parts = card.groups[field]
    shown = [name for name in SCORED if any(metrics[name].value is not None for metrics in parts.values())]
    rows: list[Sequence[str]] = [(field, *shown)]
    for part, metrics in parts.items():
        rows.append((part or "(none)", *(seen_since(metrics[name], card.before(field, part, name)) for name in shown)))
    if len(parts) <= len(shown):
        rows = list(zip(*rows, strict=True))
    return Table(rows[0], rows[1:])


def _advice(card: Scorecard) -> Table | Paragraph:
    if problem := next(iter(card.problems.named.get("no_questions", ())), None):
        return Paragraph(f"There is nothing to advise on, because {problem.message}.")
    if not card.advice:
        return Paragraph(_NOTHING_STANDS_OUT if card.settings.has_gold else _NOTHING_IN_LOG)
    rows = []
    for one in card.advice:
        where = f"{counted(one.question_count, 'question')}: {names(one.questions, one.question_count)}"
        rows.append((Span(one.finding, "strong"), where, one.action.replace("`", '"')))
    return Table(("finding", "where", "what to do"), rows, on_paper=1)


def _input(card: Scorecard) -> Iterator[Block]:
    given, settings = card.accounting, card.settings
    kinds = {"set_aside": given.set_aside, "spans": given.spans, **given.left_out}
    asked = f"{counted(settings.questions, 'question')}, {counted(given.rows, 'row')}, {given.scored:,} scored."
    how = ("refusals by", Span(settings.refusal, "code"), "and several traces by", Span(settings.rerun, "code"))
    yield Paragraph(asked)
    yield Items([*(in_words(count, kind) for kind, count in kinds.items() if count), how])
    for kind, problems in card.problems.named.items():
        lines, total = [str(problem) for problem in problems], card.problems.counts[kind]
        yield Items(lines, "warning", total=total, limits=_PROBLEMS, more="more like these")


def _row(row: ScoredRow, question: Question | None) -> tuple[Line, ...]:
    quoted = f'{row.refusal}: "{row.refusal_span}"' if row.refusal_span else row.refusal or ""
    return (
        row.qid,
        question.text if question else "",
        Span(row.label, "strong"),
        row.reason or quoted,
        "no citation" if row.citations is None else ", ".join(row.citations) or "empty list",
        ", ".join(question.gold_ids) if question and question.gold_ids else "-",
        "" if row.source is None else f"{row.source}:{row.line}",
    )
