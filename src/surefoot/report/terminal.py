"""The compact table on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from surefoot.problems import in_words
from surefoot.report.words import STATUS_WORDS, headline, interval, names, plain, seen, to_be_sure
from surefoot.scorecard import Scorecard

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
    console.print(_metrics(card))
    for advice in card.advice:
        behind = names(advice.questions, advice.question_count, 6).replace("\\", "")
        console.print(Text(f"next: {advice.finding} ({behind})"), style="dim", soft_wrap=True)
    _problems(card, console)
    outcome = card.decision.outcome
    console.print(Text.assemble((outcome, _OUTCOME_STYLE[outcome]), f" - {headline(card.decision)}"), soft_wrap=True)


def _gate(card: Scorecard) -> Table:
    table = Table("rule", "result", "seen", "to be sure", "questions", box=None, pad_edge=False)
    for column in table.columns[:4]:
        column.no_wrap = True
    for check in card.decision.checks:
        name = check.rule.name
        table.add_row(
            Text(check.rule.text if check.rule.text.startswith(name) else f"{name} {check.rule.text}"),
            Text(STATUS_WORDS[check.status], style=_STATUS_STYLE[check.status]),
            seen(check.seen),
            Text(to_be_sure(check)),
            Text(names(check.questions, check.question_count, 4).replace("\\", "")),
        )
    return table


def _metrics(card: Scorecard) -> Table:
    table = Table("metric", "value", "95% interval", box=None, pad_edge=False)
    for name, estimate in card.metrics.items():
        value = seen(estimate) if estimate.value is not None else f"none: {estimate.reason}"
        table.add_row(name, value, interval(estimate))
    return table


def _problems(card: Scorecard, console: Console) -> None:
    for kind, problems in card.problems.named.items():
        for problem in problems[:_PROBLEMS_SHOWN]:
            console.print(Text(plain(str(problem))), style="yellow", soft_wrap=True)
        more = card.problems.counts[kind] - _PROBLEMS_SHOWN
        if more > 0:
            console.print(Text(f"and {more} more {in_words(kind)}"), style="yellow")
