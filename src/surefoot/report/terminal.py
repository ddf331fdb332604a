"""The compact table on a terminal, readable at 80 columns."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from surefoot.problems import in_words
from surefoot.report.words import (
    STATUS_WORDS,
    change,
    headline,
    interval,
    names,
    percent,
    plain,
    rule_words,
    seen,
    to_be_sure,
)
from surefoot.scorecard import Scorecard
from surefoot.types import Estimate

_OUTCOME_STYLE = {"SHIP": "bold green", "BLOCK": "bold red", "INCONCLUSIVE": "bold yellow"}
_STATUS_STYLE = {
    "pass": "green",
    "fail": "bold red",
    "incomplete": "bold yellow",
    "undecidable": "yellow",
    "not_applicable": "dim",
}
_PROBLEMS_SHOWN = 5


def show(card: Scorecard, console: Console) -> None:
    console.print(_gate(card))
    _behind(card, console)
    console.print()
    console.print(_metrics(card))
    for field, values in card.groups.items():
        console.print()
        console.print(_breakdown(card, field, list(values)))
    console.print()
    for advice in card.advice:
        _line(console, f"next: {advice.finding} ({_ids(advice.questions, advice.question_count, 6)})", "dim")
    _problems(card, console)
    outcome = card.decision.outcome
    console.print(
        Text.assemble((outcome, _OUTCOME_STYLE[outcome]), f" - {plain(headline(card.decision), 600)}"), soft_wrap=True
    )


def _gate(card: Scorecard) -> Table:
    table = _table("rule", "result", "seen", "sure")
    for check in card.decision.checks:
        table.add_row(
            Text(plain(rule_words(check.rule))),
            Text(STATUS_WORDS[check.status], style=_STATUS_STYLE[check.status]),
            seen(check.seen),
            to_be_sure(check),
        )
    return table


def _behind(card: Scorecard, console: Console) -> None:
    """Why a rule does not pass: what it lacks, and the questions behind it."""
    for check in card.decision.checks:
        if check.status == "pass":
            continue
        ids = _ids(check.questions, check.question_count, 8)
        why = "; ".join(filter(None, (check.reason, f"see {ids}" if ids else "")))
        if why:
            _line(console, plain(f"{check.rule.name}: {why}", 400), "dim")


def _metrics(card: Scorecard) -> Table:
    before = card.baseline
    table = _table("metric", "value", "95% interval", *(("baseline", "change") if before is not None else ()))
    for name, estimate in card.metrics.items():
        value = seen(estimate) if estimate.value is not None else f"none: {estimate.reason}"
        earlier = () if before is None else (seen(before.get(name)), change(estimate, before.get(name)))
        table.add_row(name, value, interval(estimate), *earlier)
    return table


def _breakdown(card: Scorecard, field: str, values: list[str]) -> Table:
    table = _table(f"by {plain(field, 24)}", *(plain(value, 14) or "(none)" for value in values[:6]))
    for name in card.metrics:
        found = [(card.groups[field][value][name], card.before(field, value, name)) for value in values[:6]]
        table.add_row(name, *(_now(now, before) for now, before in found))
    return table


def _now(now: Estimate, before: Estimate | None) -> str:
    if now.value is None:
        return "-"
    return percent(now.value) if before is None else f"{percent(now.value)}, {change(now, before)}"


def _problems(card: Scorecard, console: Console) -> None:
    for kind, problems in card.problems.named.items():
        for problem in problems[:_PROBLEMS_SHOWN]:
            _line(console, plain(str(problem), 1_000), "yellow")
        more = card.problems.counts[kind] - _PROBLEMS_SHOWN
        if more > 0:
            _line(console, f"and {in_words(more, kind)} more", "yellow")


def _table(*columns: str) -> Table:
    table = Table(*columns, box=None, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
    return table


def _ids(ids: tuple[str, ...], total: int, shown: int) -> str:
    return names(ids, total, shown).replace("\\", "")


def _line(console: Console, text: str, style: str) -> None:
    console.print(Text(text), style=style, soft_wrap=True)
