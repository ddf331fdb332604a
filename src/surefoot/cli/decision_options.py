"""What `compare`, `gate` and `baseline update` have in common: they decide alike, and tell a build server alike."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import gate_option, ledger_option, rule_option, together
from surefoot.cli.output import check_outputs, quiet_if_nobody_reads
from surefoot.cli.reports import (
    STDOUT,
    check_reports,
    files_of,
    finish_with_reports,
    write_lines,
    write_reports,
)
from surefoot.cli.terminal import PERSON
from surefoot.errors import UsageError
from surefoot.gate.rules import CLAIMS
from surefoot.report import github, junit, markdown
from surefoot.report.blocks import Report
from surefoot.services.compare import Compared, compare
from surefoot.services.decisions import LATEST_SHIPPED

SUMMARY = "GITHUB_STEP_SUMMARY"  # names the file that a step of a workflow may write Markdown to
_PASSED_ON = ("gate", "rules", "margin", "alpha", "claim", "uncalibrated", "ledger")

rule_options = together(
    gate_option("ship"),
    rule_option,
    click.option("--margin", type=float, metavar="SHARE", help="The change for the worse you accept."),
    click.option("--alpha", type=float, metavar="SHARE", help="The highest error rate you accept."),
    click.option(
        "--claim", type=click.Choice(CLAIMS),
        help="Decide about these questions, or about questions like them.",
    ),
    click.option("--uncalibrated", is_flag=True, help="Take verdicts as the truth, without labels."),
    click.option("--waive", multiple=True, metavar="RULE", help="Lift this rule; needs --reason. Repeatable."),
    click.option("--without", multiple=True, metavar="RUN", help="Leave this run out; needs --reason. Repeatable."),
    click.option(
        "--reason", "reasons", multiple=True, metavar="TEXT", help="Why: first for each --waive, then each --without."
    ),
    ledger_option,
    click.option("--junit", type=click.Path(dir_okay=False), metavar="FILE", help="Write JUnit XML."),
    click.option(
        "--format", "form", type=click.Choice(["text", "github"]), default="text", show_default=True,
        help="github: annotations, and ten lines for $GITHUB_STEP_SUMMARY.",
    ),
)  # fmt: skip
decision_options = together(
    click.argument("paths", nargs=-1, type=click.Path(), metavar="BASE CAND"),
    rule_options,
    click.option("--baseline", type=click.Path(), metavar="RUN", help="Instead of BASE: a run, or `latest-shipped`."),
)


def decide(options: dict[str, Any], by: Sequence[str] = ()) -> Compared:
    base, cand = two_of(options["paths"], options["baseline"])
    return compare(base, cand, by=by, person=PERSON, **rules_of(options))


def rules_of(options: dict[str, Any]) -> dict[str, Any]:
    """What services take of the options, once it is clear that there is a place for what they find."""
    reports, as_json = options.get("reports", ()), options["as_json"]
    if options["form"] != "text" and (as_json or STDOUT in reports):
        other = "--json" if as_json else "--report -"
        raise UsageError(f"--format github and {other} cannot both go to stdout", "choose one of them")
    check_outputs([*files_of(reports), *filter(None, [options["junit"]])], ("reports", "junit"))
    check_reports(reports, as_json)
    waive, without = _reasons(options["waive"], options["without"], options["reasons"])
    return {"waive": waive, "without": without, **{name: options[name] for name in _PASSED_ON}}


def finish_decision(
    compared: Compared, options: dict[str, Any], shown: Callable[[], Report] | None = None, *more: str
) -> int:
    """Tell what was decided in every way that was asked for; `more` follows on the terminal."""
    comparison = compared.comparison
    if options["junit"] is not None:
        write_lines(options["junit"], junit.of_decision(comparison.decision))
    if options["form"] == "text":
        return finish_with_reports(compared, options["as_json"], options.get("reports", ()), shown, more)
    write_reports(options.get("reports", ()), compared.report)
    if place := os.environ.get(SUMMARY):
        with Path(place).open("a", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in markdown.lines(github.summary(comparison, more)))
    with quiet_if_nobody_reads():
        for line in github.commands(comparison, more):
            click.echo(line)
    return int(compared.exit_code)


def two_of(paths: Sequence[str], baseline: str | None) -> tuple[str, str]:
    """Baseline and candidate; where only the candidate is named, the baseline is what shipped last."""
    given = [*([] if baseline is None else [baseline]), *paths]
    given = [LATEST_SHIPPED, *given] if len(given) == 1 and baseline is None else given
    if len(given) == 2:
        return given[0], given[1]
    hint = "write surefoot compare BASE CAND, or surefoot compare CAND --baseline RUN"
    raise UsageError(f"two runs are compared, not {len(paths) + (baseline is not None)}", hint)


def _reasons(
    waive: Sequence[str], without: Sequence[str], reasons: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Each rule that is waived and each run that is left out with its reason: first the rules, then the runs."""
    named = [*waive, *without]
    if len(named) != len(reasons):
        message = f"each --waive and --without needs its own --reason: {len(named)} and {len(reasons)} are given"
        raise UsageError(message, "give the reasons in order: first those of --waive RULE, then those of --without RUN")
    if twice := [name for name, count in Counter(named).items() if count > 1]:
        raise UsageError(f"{twice[0]!r} is let go more than once", "give one reason for it")
    if empty := [name for name, reason in zip(named, reasons, strict=True) if not reason.strip()]:
        raise UsageError(f"no reason is given for letting go {empty[0]!r}", "say why with --reason")
    pairs = list(zip(named, reasons, strict=True))
    return dict(pairs[: len(waive)]), dict(pairs[len(waive) :])
