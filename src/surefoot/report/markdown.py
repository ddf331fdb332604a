"""The Markdown report, written as a stream: its length may grow with the traces, its memory does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from surefoot.gate.metrics import SCORED
from surefoot.outcomes import ScoredRow
from surefoot.problems import in_words
from surefoot.report.words import (
    STATUS_WORDS,
    cell,
    change,
    headline,
    interval,
    names,
    percent,
    plain,
    seen,
    seen_since,
    to_be_sure,
)
from surefoot.scorecard import Scorecard
from surefoot.stats import questions_to_be_sure
from surefoot.types import Estimate, Question

_NO_MARKUP = str.maketrans("`|", "  ")  # inside a code span nothing else is markup
_PROVABLE = 0.05
_PROBLEMS_SHOWN = 20


def render(card: Scorecard, rows: Iterable[ScoredRow], questions: Iterable[Question] = ()) -> Iterator[str]:
    """The lines of the report."""
    decision = card.decision
    yield from ("# Surefoot report", "", f"**{decision.outcome}** - {cell(headline(decision))}", "")
    yield from _gate(card)
    yield from _metrics(card)
    for field, values in card.groups.items():
        yield from _breakdown(card, field, values)
    yield from _next_steps(card)
    yield from _input(card)
    yield from _rows(rows, {question.id: question for question in questions})


def _gate(card: Scorecard) -> Iterator[str]:
    yield from ("## Gate", "", "| rule | result | seen | sure (95%) | questions behind it |")
    yield "|---|---|---|---|---|"
    for check in card.decision.checks:
        text = f"`{plain(check.rule.text).translate(_NO_MARKUP)}`"
        rule = text if check.rule.name == check.rule.text else f"{cell(check.rule.name)}: {text}"
        behind = names(check.questions, check.question_count) or "-"
        sure = check.reason or to_be_sure(check)
        yield f"| {rule} | {STATUS_WORDS[check.status]} | {seen(check.seen)} | {cell(sure)} | {behind} |"
    yield ""
    for reason in card.decision.incomplete:
        yield f"- incomplete: {reason}"
    if card.decision.incomplete:
        yield ""


def _metrics(card: Scorecard) -> Iterator[str]:
    before = card.baseline
    heads = ("metric", "value", "95% interval", *(("baseline", "change") if before is not None else ()), "share of")
    yield from ("## Metrics", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|")
    for name, estimate in card.metrics.items():
        metric = SCORED[name]
        value = seen(estimate) if estimate.value is not None else f"none: {estimate.reason}"
        earlier = "" if before is None else f"{seen(before.get(name))} | {change(estimate, before.get(name))} | "
        yield f"| {name} | {value} | {interval(estimate)} | {earlier}{metric.unit} that {metric.share} |"
    yield ""
    for name, estimate in card.metrics.items():
        if SCORED[name].better == "lower" and estimate.numerator == 0 and estimate.high is not None:
            needed = questions_to_be_sure(0, _PROVABLE)
            yield (
                f"- `{name}` is zero, which with {estimate.denominator} observed proves no more than"
                f" {percent(estimate.high)}; to prove {percent(_PROVABLE)} takes {needed} without one."
            )
    labels = ", ".join(f"{label} {count}" for label, count in sorted(card.labels.items()))
    yield from ("", f"Labels: {labels or 'none'}.", "")


def _breakdown(card: Scorecard, field: str, values: dict[str, dict[str, Estimate]]) -> Iterator[str]:
    shown = [name for name in SCORED if any(metrics[name].value is not None for metrics in values.values())]
    yield from (
        f"## By {cell(field)}",
        "",
        f"| {cell(field)} | " + " | ".join(shown) + " |",
        "|---" * (len(shown) + 1) + "|",
    )
    for value, metrics in values.items():
        cells = (seen_since(metrics[name], card.before(field, value, name)) for name in shown)
        yield f"| {cell(value) or '(none)'} | {' | '.join(cells)} |"
    yield ""


def _next_steps(card: Scorecard) -> Iterator[str]:
    yield from ("## What to do next", "")
    if not card.advice:
        yield (
            "Nothing stands out: every question was answered with its gold source, or rightly refused. What the answers"
            " say was not read; `surefoot grade` does that."
        )
    for advice in card.advice:
        count = f"{advice.question_count} question{'s' * (advice.question_count != 1)}"
        yield f"- **{advice.finding}**, {count} ({names(advice.questions, advice.question_count)}). {advice.action}"
    yield ""


def _input(card: Scorecard) -> Iterator[str]:
    given, settings = card.accounting, card.settings
    yield from ("## Input", "", f"{settings.questions} questions, {given.rows} rows, {given.scored} scored.")
    kinds = {"set_aside": given.set_aside, "spans": given.spans, **given.left_out}
    for kind, count in kinds.items():
        if count:
            yield f"- {in_words(count, kind)}"
    yield f"- refusals by `{settings.refusal}`, several traces by `{settings.rerun}`"
    for kind, problems in card.problems.named.items():
        total = card.problems.counts[kind]
        for problem in problems[:_PROBLEMS_SHOWN]:
            yield f"- {cell(str(problem))}"
        if total > _PROBLEMS_SHOWN:
            yield f"- and {in_words(total - _PROBLEMS_SHOWN, kind)} more"
    yield ""


def _rows(rows: Iterable[ScoredRow], questions: dict[str, Question]) -> Iterator[str]:
    yield from ("## Per question", "", "| qid | question | label | why | cited | gold | where |", "|---" * 7 + "|")
    for row in rows:
        question = questions.get(row.qid)
        asked, gold = (question.text, ", ".join(question.gold_ids)) if question else ("", "")
        cited = "no citation" if row.citations is None else cell(", ".join(row.citations)) or "empty list"
        why = cell(row.reason or (f'{row.refusal}: "{row.refusal_span}"' if row.refusal_span else row.refusal or ""))
        where = "" if row.source is None else cell(f"{row.source}:{row.line}")
        yield f"| {cell(row.qid)} | {cell(asked)} | **{row.label}** | {why} | {cited} | {cell(gold) or '-'} | {where} |"
    yield ""
