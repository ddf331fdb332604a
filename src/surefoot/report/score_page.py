"""Scored traces as one HTML page in the manner of the comparison's: no script, no font, no other file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from surefoot.gate.metrics import SCORED
from surefoot.gate.rules import Check
from surefoot.outcomes import ScoredRow
from surefoot.problems import in_words
from surefoot.report import page
from surefoot.report.page import text
from surefoot.report.words import STATUS_WORDS, change, headline, interval, names, seen, seen_since, to_be_sure
from surefoot.scorecard import Scorecard
from surefoot.types import Estimate, Question

_ROWS_SHOWN = 2_000
_PROBLEMS_SHOWN = 50


def render(card: Scorecard, rows: Iterable[ScoredRow], questions: Iterable[Question] = ()) -> str:
    by_id = {question.id: question for question in questions}
    parts = (_head(card), _gate(card), _metrics(card), _groups(card), _next_steps(card), _rows(rows, by_id))
    body = "\n".join(line for part in (*parts, _input(card)) for line in part)
    return page.document(f"score: {card.decision.outcome}", body)


def _head(card: Scorecard) -> Iterator[str]:
    yield "<h1>Surefoot score</h1>"
    said = text(headline(card.decision), 1000)
    yield f'<p class="decision"><strong>{card.decision.outcome}</strong> &ndash; {said}</p>'
    yield '<p class="quiet">By citations and refusals alone; what the answers say was not read.</p>'


def _gate(card: Scorecard) -> Iterator[str]:
    yield "<h2>Gate</h2>"
    heads = ("rule", "result", "seen", "sure (95%)", "questions behind it")
    yield from page.table(heads, map(_rule_cells, card.decision.checks))
    yield from (f"<p>incomplete: {text(reason)}</p>" for reason in card.decision.incomplete)


def _rule_cells(check: Check) -> tuple[str, ...]:
    rule = check.rule
    named = "" if rule.name == rule.text else f"{text(rule.name)}<br>"
    return (
        f"{named}<code>{text(rule.text)}</code>",
        f'<span class="status">{STATUS_WORDS[check.status]}</span>',
        seen(check.seen),
        text(check.reason or to_be_sure(check)),
        names(check.questions, check.question_count, show=text) or "-",
    )


def _metrics(card: Scorecard) -> Iterator[str]:
    yield "<h2>Metrics</h2>"
    before = card.baseline
    heads = ("metric", "value", "95% interval", *(("baseline", "change") if before is not None else ()), "share of")
    yield from page.table(heads, (_metric_cells(name, one, before) for name, one in card.metrics.items()))
    labels = ", ".join(f"{label} {count}" for label, count in sorted(card.labels.items()))
    yield f"<p>Labels: {text(labels) if labels else 'none'}.</p>"


def _metric_cells(name: str, estimate: Estimate, before: dict[str, Estimate] | None) -> Iterator[str]:
    metric = SCORED[name]
    yield name
    yield seen(estimate) if estimate.value is not None else f"none: {text(estimate.reason or '')}"
    yield interval(estimate)
    if before is not None:
        yield from (seen(before.get(name)), change(estimate, before.get(name)))
    yield f"{metric.unit} that {metric.share}"


def _groups(card: Scorecard) -> Iterator[str]:
    for field, values in card.groups.items():
        shown = [name for name in SCORED if any(metrics[name].value is not None for metrics in values.values())]
        rows = (
            (text(v) if v else "(none)", *(seen_since(metrics[n], card.before(field, v, n)) for n in shown))
            for v, metrics in values.items()
        )
        yield f"<h2>By {text(field)}</h2>"
        yield from page.table((text(field), *shown), rows)


def _next_steps(card: Scorecard) -> Iterator[str]:
    if card.advice:
        yield "<h2>What to do next</h2><ul>"
        for advice in card.advice:
            ids = names(advice.questions, advice.question_count, show=text)
            yield f"<li><strong>{text(advice.finding)}</strong> ({ids}). {text(advice.action, 1000)}</li>"
        yield "</ul>"


def _rows(rows: Iterable[ScoredRow], questions: dict[str, Question]) -> Iterator[str]:
    rest = iter(rows)
    shown = list(islice(rest, _ROWS_SHOWN))
    yield "<h2>Per question</h2>"
    heads = ("qid", "question", "label", "why", "cited", "gold", "where")
    yield from page.table(heads, (_row_cells(row, questions.get(row.qid)) for row in shown))
    if more := sum(1 for _ in rest):
        yield f"<p>And {more:,} more, all of them in --json.</p>"


def _row_cells(row: ScoredRow, question: Question | None) -> tuple[str, ...]:
    why = row.reason or (f'{row.refusal}: "{row.refusal_span}"' if row.refusal_span else row.refusal or "")
    cited = "no citation" if row.citations is None else ", ".join(row.citations) or "empty list"
    return (
        text(row.qid),
        text(question.text if question else ""),
        f"<strong>{text(row.label)}</strong>",
        text(why),
        text(cited),
        text(", ".join(question.gold_ids)) if question and question.gold_ids else "-",
        "" if row.source is None else text(f"{row.source}:{row.line}"),
    )


def _input(card: Scorecard) -> Iterator[str]:
    given, settings = card.accounting, card.settings
    yield f"<h2>Input</h2><p>{settings.questions:,} questions, {given.rows:,} rows, {given.scored:,} scored.</p><ul>"
    kinds = {"set_aside": given.set_aside, "spans": given.spans, **given.left_out}
    yield from (f"<li>{in_words(count, kind)}</li>" for kind, count in kinds.items() if count)
    yield f"<li>refusals by {text(settings.refusal)}, several traces by {text(settings.rerun)}</li>"
    for kind, problems in card.problems.named.items():
        yield from (f"<li>{text(str(problem))}</li>" for problem in problems[:_PROBLEMS_SHOWN])
        if (more := card.problems.counts[kind] - _PROBLEMS_SHOWN) > 0:
            yield f"<li>and {in_words(more, kind)} more</li>"
    yield "</ul>"
