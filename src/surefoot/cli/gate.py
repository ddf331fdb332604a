"""surefoot gate"""

from __future__ import annotations

import os
from typing import Any

import click
import msgspec

from surefoot.cli.output import PERSON, Output, common, gate_option, refuse_idle, rule_option, write_lines
from surefoot.core.errors import WORST_FIRST, ExitCode, UsageError
from surefoot.core.records import BASELINE, MORE_RULES
from surefoot.core.types import plain
from surefoot.jobs.gate import baseline as set_baseline
from surefoot.jobs.gate import decisions
from surefoot.jobs.gate import gate as decide
from surefoot.report import comparison as github
from surefoot.report import markdown
from surefoot.report.blocks import remarks

SUMMARY = "GITHUB_STEP_SUMMARY"  # names the file that a step of a workflow may write Markdown to


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
@click.option(
    "--format", "form", type=click.Choice(["text", "github"]), default="text", show_default=True,
    help="github: annotations, and ten lines for $GITHUB_STEP_SUMMARY.",
)  # fmt: skip
@click.option("--by", multiple=True, metavar="FIELD", help="Show changes by this field of the questions. Repeatable.")
@click.option("--brief", is_flag=True, help="Print the decision without the answers.")
@click.option("--history", is_flag=True, help="List past decisions instead.")
@common(report=True, junit=True)
def gate(
    output: Output, runs: tuple[str, ...], brief: bool, history: bool, form: str, waive: tuple[str, ...],
    without: tuple[str, ...], reasons: tuple[str, ...], **options: Any,  # noqa: ANN401 - as click hands them over
) -> int:  # fmt: skip
    """Compare two versions bucket by bucket, and decide whether the candidate may ship.

    BASE and CAND are versions, runs, exports or files of verdicts. CAND alone is compared with the baseline; without
    runs, the newest version is. The exit code is the decision.
    """
    if history:
        if runs:
            raise UsageError("--history lists past decisions, and decides on no run", "leave out the runs")
        idle = ("form", "waive", "without", "reasons", "brief", "reports", "gate", "rules", "uncalibrated", "by")
        refuse_idle(history, "with --history", *idle)
        return _history(options["db"], output)
    refuse_idle(form == "github" or output.as_json or output.to_stdout, "without a page at the terminal", "brief")
    if form == "github" and (output.as_json or output.to_stdout):
        other = "--json" if output.as_json else "--report -"
        raise UsageError(f"--format github and {other} cannot both go to stdout", "choose one of them")
    named = [*waive, *without]
    if not len(named) == len({*named}) == len(reasons) or not all(map(str.strip, reasons)):
        hint = "give the reasons in order: first those of --waive RULE, then those of --without RUN"
        raise UsageError("each --waive and --without needs one --reason of its own", hint)
    waived, left_out = dict(zip(waive, reasons, strict=False)), dict(zip(without, reasons[len(waive) :], strict=True))
    found = decide(*runs, waive=waived, without=left_out, person=PERSON, **options)
    if form == "text":
        page = github.brief(found) if brief else github.report(found, written=bool(output.reports))
        return output.finish(found, page)
    place = os.environ.get(SUMMARY)
    written = write_lines(place, markdown.lines(github.summary(found)), append=True) if place else ExitCode.OK
    shown = output.finish(found, github.commands(found))
    return min(shown, written, key=WORST_FIRST.index)


def _history(db: str | None, output: Output) -> int:
    rows, lines, before = list[object](), list[str](), tuple[str, ...]()
    for step in decisions(db):
        now = () if {"rules", MORE_RULES} & step.overridden.keys() else step.rules
        is_changed, before = bool(before and now and before != now), now or before
        rows.append({**msgspec.to_builtins(step), "file_changed": ["rules"] * is_changed})
        sides = " -> ".join(dict.fromkeys((step.reference, step.release)))  # the first baseline replaces none
        what = "new baseline" if step.mode == BASELINE else step.outcome
        more = "the gate file has changed: rules" if is_changed else ""
        told = filter(None, (plain(sides), *map(plain, remarks(step)), more, step.id))
        lines.append(f"{step.at[:16]}  {what:12}  {'  '.join(told)}")
    output.print({"decisions": rows}, lines or ["nothing was decided yet"])
    return ExitCode.OK


@click.command(epilog="Example: surefoot baseline v2")
@click.argument("run", required=False, type=click.Path(), metavar="[RUN]")
@click.option("--accept-worse", metavar="REASON", help="Move it although RUN is worse; says why.")
@common()
def baseline(output: Output, run: str | None, accept_worse: str | None, db: str | None) -> int:
    """Move the baseline to the version of RUN, or say which it is.

    The first baseline has nothing to be compared with. A later one must have shipped, with no more bad answers.
    """
    found = set_baseline(run, accept_worse=accept_worse, db=db, person=PERSON)
    code = output.finish(found, [plain(found.headline, 1_000)])
    if found.warning:
        PERSON.tell(f"{'note' if found.exit_code else 'warning'}: {found.warning}")
    return code
