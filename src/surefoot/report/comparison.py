"""A comparison in words: Markdown for a pull request, a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from surefoot.gate.decide import Comparison
from surefoot.gate.metrics import METRICS, UNGRADED
from surefoot.gate.rules import Check
from surefoot.gate.sides import SIDES
from surefoot.report.comparison_words import (
    ABOUT_CHANGES,
    WAIVED,
    allowed,
    asked_in,
    background,
    called,
    change_words,
    group_rows,
    groups,
    mcnemar_line,
    number,
    place_of,
    status,
    verdict_line,
    why,
)
from surefoot.report.words import cell, names, plain, rule_words
from surefoot.table import BUCKETS

COLUMNS = (*BUCKETS, UNGRADED)
_MOVED_SHOWN = 200
_MOVED_ON_TERMINAL = 12
_PROBLEMS_SHOWN = 20
_LONGEST_PROBLEM = 500
_LONGEST_QUESTION = 100
_LONGEST_SENTENCE = 1000
_STYLES = {
    "pass": "green",
    "fail": "bold red",
    "incomplete": "bold yellow",
    "undecidable": "yellow",
    "not_applicable": "dim",
    WAIVED: "magenta",
    "SHIP": "bold green",
    "BLOCK": "bold red",
    "INCONCLUSIVE": "bold yellow",
}


def markdown(comparison: Comparison) -> Iterator[str]:
    """The lines of the report."""
    yield from (
        "# Surefoot comparison",
        "",
        f"**{comparison.decision.outcome}** - {cell(verdict_line(comparison), _LONGEST_SENTENCE)}",
        "",
    )
    for name in SIDES:
        graders = ", ".join(filter(None, comparison.graders[name])) or "not named"
        yield f"- {name}: {cell(comparison.names[name])} (graded by {cell(graders)})"
    yield from (f"- {cell(line, _LONGEST_SENTENCE)}" for line in background(comparison))
    yield from (f"- next: {cell(line, _LONGEST_SENTENCE)}" for line in comparison.next_steps)
    yield from (
        "",
        "## Gate",
        "",
        "| rule | result | baseline | candidate | change | allowed | why | questions behind it |",
    )
    yield "|---|---|---|---|---|---|---|---|"
    for check in comparison.decision.checks:
        yield _markdown_rule(check)
    yield ""
    for reason in comparison.decision.incomplete:
        yield f"- incomplete: {cell(reason)}"
    yield from ("", "## Buckets", "", *_markdown_buckets(comparison), "", mcnemar_line(comparison) + ".", "")
    yield from (
        "## Metrics",
        "",
        ABOUT_CHANGES,
        "",
        "| metric | baseline | candidate | change | over |",
        "|---|---|---|---|---|",
    )
    for metric, estimate in comparison.measures["base"].items():
        after, change = comparison.measures["cand"][metric], change_words(metric, comparison.changes.get(metric))
        numbers = f"{number(metric, estimate)} | {number(metric, after)} | {change}"
        yield f"| {metric} | {numbers} | {METRICS[metric].unit} |"
    yield from _markdown_groups(comparison)
    yield from ("", *_markdown_moved(comparison))
    if comparison.problems:
        yield from ("", f"## Problems and notes ({len(comparison.problems)})", "")
        yield from (f"- {cell(str(problem))}" for problem in comparison.problems[:_PROBLEMS_SHOWN])
    if len(comparison.problems) > _PROBLEMS_SHOWN:
        yield f"- and {len(comparison.problems) - _PROBLEMS_SHOWN} more, all of them in --json"


def _markdown_groups(comparison: Comparison) -> Iterator[str]:
    for field, values in comparison.by_group.items():
        if values:
            columns = " | ".join(("metric", "baseline", "candidate", "change"))
            yield from (
                "",
                f"## Changes by {cell(field)}",
                "",
                f"| {cell(field)} | {columns} |",
                "|---|---|---|---|---|",
            )
        yield from (f"| {cell(value)} | {' | '.join(rest)} |" for value, *rest in group_rows(values))


def _markdown_rule(check: Check) -> str:
    rule = check.rule
    code = "`" + plain(rule.text).replace("`", "'").replace("|", "\\|") + "`"
    text = code if rule.name == rule.text else f"{cell(rule.name)}: {code}"
    numbers = (number(rule.metric, check.before), number(rule.metric, check.seen))
    told = (*numbers, change_words(rule.metric, check.change), allowed(check))
    behind = names(check.questions, check.question_count) or "-"
    return f"| {text} | {status(check)} | {' | '.join(told)} | {cell(why(check))} | {behind} |"


def _markdown_buckets(comparison: Comparison) -> Iterator[str]:
    yield f"| stratum | side | {' | '.join(COLUMNS)} |"
    yield "|---" * (len(COLUMNS) + 2) + "|"
    for stratum, sides in groups(comparison):
        for name in SIDES:
            counts = " | ".join(str(sides[name][bucket]) for bucket in COLUMNS)
            yield f"| {cell(stratum)} | {name} | {counts} |"


def _markdown_moved(comparison: Comparison) -> Iterator[str]:
    yield from (f"## Moved ({len(comparison.moved)})", "")
    if not comparison.moved:
        yield "No answer changed its bucket."
        return
    yield from ("| id | question | stratum | from | to |", "|---|---|---|---|---|")
    for pair in comparison.moved[:_MOVED_SHOWN]:
        asked = cell(asked_in(pair), _LONGEST_QUESTION)
        places = f"{cell(place_of(pair.base))} | **{cell(place_of(pair.cand))}**"
        yield f"| {cell(called(pair))} | {asked} | {cell(pair.stratum)} | {places} |"
    yield ""
    if len(comparison.moved) > _MOVED_SHOWN:
        yield f"And {len(comparison.moved) - _MOVED_SHOWN} more, all of them in --json."


def show(comparison: Comparison, console: Console) -> None:
    """The compact tables on a terminal."""
    console.print(_bucket_table(comparison))
    console.print(_rule_table(comparison))
    for table in _metric_tables(comparison):
        console.print(table)
    for pair in comparison.moved[:_MOVED_ON_TERMINAL]:
        line = f"moved: {plain(called(pair))} {plain(place_of(pair.base))} -> {plain(place_of(pair.cand))}"
        asked = plain(asked_in(pair), _LONGEST_QUESTION)
        console.print(Text(f"{line}: {asked}" if asked else line), style="dim", soft_wrap=True)
    if len(comparison.moved) > _MOVED_ON_TERMINAL:
        console.print(Text(f"and {len(comparison.moved) - _MOVED_ON_TERMINAL} more moved"), style="dim")
    for problem in comparison.problems[:_PROBLEMS_SHOWN]:
        console.print(Text(plain(str(problem), _LONGEST_PROBLEM)), style="yellow", soft_wrap=True)
    if len(comparison.problems) > _PROBLEMS_SHOWN:
        more = f"and {len(comparison.problems) - _PROBLEMS_SHOWN} more problems, all of them in --json"
        console.print(Text(more), style="yellow")
    console.print(Text(f"wrong: {mcnemar_line(comparison)}"), soft_wrap=True)
    show_decision(comparison, console)


def _metric_tables(comparison: Comparison) -> Iterator[Table]:
    """Every metric as graded and labelled, with its change after what the grader may have got wrong."""
    table = Table("metric", "baseline", "candidate", "change", box=None, pad_edge=False)
    for name, before in comparison.measures["base"].items():
        after, change = comparison.measures["cand"][name], comparison.changes.get(name)
        table.add_row(name, number(name, before), number(name, after), change_words(name, change))
    yield table
    for field in comparison.request.by:
        table = Table(plain(field), "metric", "baseline", "candidate", "change", box=None, pad_edge=False)
        for value, *rest in group_rows(comparison.by_group[field]):
            table.add_row(Text(plain(value)), *rest)
        yield table


def show_gate(comparison: Comparison, console: Console) -> None:
    """What does not hold, and the decision."""
    for check in comparison.decision.checks:
        if check.status not in ("pass", "not_applicable"):
            told = names(check.questions, check.question_count, 4, plain), _change(check), plain(why(check))
            line = f"{plain(rule_words(check.rule))}: {status(check)}: {'; '.join(filter(None, told))}"
            console.print(Text(line), style=_style(check), soft_wrap=True)
    show_decision(comparison, console)


def _change(check: Check) -> str:
    return change_words(check.rule.metric, check.change) if check.change else ""


def _style(check: Check) -> str:
    return _STYLES[WAIVED if check.waiver is not None else check.status]


def show_decision(comparison: Comparison, console: Console) -> None:
    """What it rests on, what would help, and the decision itself."""
    for line in background(comparison):
        console.print(Text(plain(line, _LONGEST_SENTENCE)), style="dim", soft_wrap=True)
    for line in comparison.next_steps:
        console.print(Text(f"next: {plain(line, _LONGEST_SENTENCE)}"), soft_wrap=True)
    outcome = comparison.decision.outcome
    sentence = f" - {plain(verdict_line(comparison), _LONGEST_SENTENCE)}"
    console.print(Text.assemble((outcome, _STYLES[outcome]), sentence), soft_wrap=True)


def _bucket_table(comparison: Comparison) -> Table:
    table = Table("stratum", "side", *COLUMNS, box=None, pad_edge=False)
    for stratum, sides in groups(comparison):
        for name in SIDES:
            table.add_row(Text(plain(stratum)), name, *(str(sides[name][bucket]) for bucket in COLUMNS))
    return table


def _rule_table(comparison: Comparison) -> Table:
    table = Table("rule", "result", "baseline", "candidate", "change", "allowed", "why", box=None, pad_edge=False)
    for check in comparison.decision.checks:
        metric = check.rule.metric
        behind = names(check.questions, check.question_count, 4, plain)
        table.add_row(
            Text(plain(rule_words(check.rule))),
            Text(status(check), style=_style(check)),
            number(metric, check.before),
            number(metric, check.seen),
            change_words(metric, check.change),
            allowed(check),
            Text("; ".join(filter(None, (behind, plain(why(check)))))),
        )
    return table
