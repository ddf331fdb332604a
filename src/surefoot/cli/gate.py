"""surefoot gate"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click
import msgspec

from surefoot import report
from surefoot.cli.options import db_option, gate_option, json_option, rule_option
from surefoot.cli.output import (
    PERSON,
    STDOUT,
    check_outputs,
    check_reports,
    files_of,
    finish_with_reports,
    print_json,
    quiet_if_nobody_reads,
    report_option,
    write_lines,
    write_reports,
)
from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.records import BASELINE, Step
from surefoot.core.words import plain
from surefoot.report import github, junit, markdown
from surefoot.report.blocks import remarks
from surefoot.report.comparison import brief as brief_report
from surefoot.services.gate import gate as decide
from surefoot.services.runs import decisions

SUMMARY = "GITHUB_STEP_SUMMARY"  # names the file that a step of a workflow may write Markdown to
_PASSED_ON = ("gate", "rules", "uncalibrated", "db", "by")


@click.command("gate", epilog="Example: surefoot gate v1 v2 --report report.html")
@click.argument("runs", nargs=-1, type=click.Path(), metavar="[BASE] [CAND]")
@gate_option("ship")
@rule_option
@click.option("--uncalibrated", is_flag=True, help="Decide by the grader alone, without labels.")
@click.option("--waive", multiple=True, metavar="RULE", help="Lift this rule; needs --reason. Repeatable.")
@click.option("--without", multiple=True, metavar="RUN", help="Leave this run out; needs --reason. Repeatable.")
@click.option(
    "--reason", "reasons", multiple=True, metavar="TEXT", help="Why: first for each --waive, then each --without."
)
@db_option
@click.option("--junit", type=click.Path(dir_okay=False), metavar="FILE", help="Write JUnit XML.")
@click.option(
    "--format", "form", type=click.Choice(["text", "github"]), default="text", show_default=True,
    help="github: annotations, and ten lines for $GITHUB_STEP_SUMMARY.",
)  # fmt: skip
@click.option("--by", multiple=True, metavar="FIELD", help="Show changes by this field of the questions. Repeatable.")
@click.option("--brief", is_flag=True, help="Print the decision without the answers.")
@click.option("--history", is_flag=True, help="List past decisions instead.")
@report_option
@json_option()
def gate(runs: tuple[str, ...], brief: bool, history: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Compare two versions bucket by bucket, and decide whether the candidate may ship.

    BASE and CAND are versions, runs, exports or files of verdicts. CAND alone is compared with the baseline; without
    runs, the newest version is. The exit code is the decision.
    """
    if history:
        if runs:
            raise UsageError("--history lists past decisions, and decides on no run", "leave out the runs")
        return _history(options["db"], options["as_json"])
    reports, as_json = options["reports"], options["as_json"]
    if options["form"] != "text" and (as_json or STDOUT in reports):
        other = "--json" if as_json else "--report -"
        raise UsageError(f"--format github and {other} cannot both go to stdout", "choose one of them")
    check_outputs([*files_of(reports), *filter(None, [options["junit"]])], ("reports", "junit"))
    check_reports(reports, as_json)
    waive, without = _reasons(options["waive"], options["without"], options["reasons"])
    chosen = {name: options[name] for name in _PASSED_ON}
    found = decide(*runs, waive=waive, without=without, person=PERSON, **chosen)
    codes = [found.exit_code]
    if options["junit"] is not None:
        codes.append(write_lines(options["junit"], junit.of_decision(found)))
    if options["form"] == "text":
        shown = (lambda: brief_report(found)) if brief else None
        return ExitCode.of_several(*codes, finish_with_reports(found, as_json, reports, shown, ()))
    codes.append(write_reports(reports, lambda: report.of(found)))
    if place := os.environ.get(SUMMARY):
        codes.append(write_lines(place, markdown.lines(github.summary(found)), append=True))
    with quiet_if_nobody_reads():
        for line in github.commands(found):
            click.echo(line)
    return ExitCode.of_several(*codes)


def _reasons(
    waive: Sequence[str], without: Sequence[str], reasons: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Each rule that is waived and each run that is left out with its reason: first the rules, then the runs."""
    named = [*waive, *without]
    if len(named) != len(reasons):
        message = f"each --waive and --without needs its own --reason: {len(named)} and {len(reasons)} are given"
        raise UsageError(message, "give the reasons in order: first those of --waive RULE, then those of --without RUN")
    if twice := [name for name, count in Counter(named).items() if count > 1]:
        raise UsageError(f"{twice[0]!r} is waived or left out twice", "give one reason for it")
    if empty := [name for name, reason in zip(named, reasons, strict=True) if not reason.strip()]:
        raise UsageError(f"no reason is given for {empty[0]!r}", "say why with --reason")
    pairs = list(zip(named, reasons, strict=True))
    return dict(pairs[: len(waive)]), dict(pairs[len(waive) :])


def _history(db: str | None, as_json: bool) -> int:
    decided = decisions(db)
    with quiet_if_nobody_reads():
        if as_json:
            rows = [{**msgspec.to_builtins(one.step), "file_changed": list(one.changed)} for one in decided]
            print_json({"decisions": rows})
        else:
            for one in decided:
                click.echo(_line(one.step, one.changed))
            if not decided:
                click.echo("nothing was decided yet")
    return ExitCode.OK


def _line(step: Step, changed: Sequence[str]) -> str:
    sides = " -> ".join(dict.fromkeys((step.reference, step.release)))  # the first baseline replaces none
    what = "new baseline" if step.mode == BASELINE else step.outcome
    more = f"the gate file has changed: {', '.join(changed)}" if changed else ""
    told = filter(None, (plain(sides), *map(plain, remarks(step)), more, step.id))
    return f"{step.at[:16]}  {what:12}  {'  '.join(told)}"
