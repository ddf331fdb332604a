"""surefoot compare"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from surefoot.cli.output import console, quiet_if_nobody_reads
from surefoot.cli.sides import load_side
from surefoot.compare import Comparison
from surefoot.compare import compare as compare_sides
from surefoot.errors import UsageError
from surefoot.gate import Rule
from surefoot.importers import gatefiles

_REPORTS = (".md", ".html")


@click.command(
    epilog="Example: surefoot compare runs/base runs/cand --report report.html",
)
@click.argument("paths", nargs=-1, metavar="BASE CAND")
@click.option("--gate", "-g", default="ship", show_default=True, metavar="FILE", help="Rules to decide by.")
@click.option(
    "--rule", "rules", multiple=True, metavar="RULE",
    help="Decide by this rule instead of a gate file, e.g. `wrong[adversarial] <= baseline`. Repeatable.",
)  # fmt: skip
@click.option(
    "--mode", type=click.Choice(["strict", "sequential"]), default="strict", show_default=True,
    help="strict: any increase blocks. sequential: allows for chance; needs calibration.",
)  # fmt: skip
@click.option("--uncalibrated", is_flag=True, help="Accept verdicts whose grader's error is not known, without a note.")
@click.option("--waive", multiple=True, metavar="RULE", help="Do not hold to this rule. Needs --reason. Repeatable.")
@click.option("--reason", "reasons", multiple=True, metavar="TEXT", help="Why: one for each --waive, in their order.")
@click.option(
    "--report", "reports", multiple=True, type=click.Path(dir_okay=False), metavar="FILE",
    help="Write a report, .md or .html. Repeatable.",
)  # fmt: skip
@click.option("--baseline", metavar="NAME", help="A shipped run of the ledger instead of BASE (not there yet).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the tables.")
def compare(
    paths: tuple[str, ...],
    gate: str,
    rules: tuple[str, ...],
    mode: str,
    uncalibrated: bool,
    waive: tuple[str, ...],
    reasons: tuple[str, ...],
    reports: tuple[str, ...],
    baseline: str | None,
    as_json: bool,
) -> int:
    """Compare two runs bucket by bucket, and decide whether the candidate may ship.

    BASE and CAND are files of verdicts (JSON lines) or folders of runs. The exit code is the decision.
    """
    base, cand = _two(paths, baseline)
    _check_reports(reports)
    waivers = _waivers(waive, reasons)
    chosen = [Rule.parse(text) for text in rules] or [Rule.parse(t, name) for name, t in gatefiles.load(gate).items()]
    comparison = compare_sides(load_side(base), load_side(cand), chosen, waivers=waivers, mode=mode)
    if not uncalibrated:
        click.echo("note: the graders' error is not known; --uncalibrated accepts that", err=True)
    with quiet_if_nobody_reads():
        _write(comparison, reports, as_json)
    return int(comparison.decision.exit_code)


def _two(paths: Sequence[str], baseline: str | None) -> tuple[str, str]:
    if baseline is not None or "latest-shipped" in paths[:1]:
        raise UsageError(
            "there is no ledger of shipped runs yet to take the baseline from",
            "pass the baseline's folder or verdicts: surefoot compare BASE CAND",
        )
    if len(paths) != 2:
        raise UsageError(f"compare takes two runs, not {len(paths)}", "write surefoot compare BASE CAND")
    return paths[0], paths[1]


def _check_reports(reports: Sequence[str]) -> None:
    for path in reports:
        if Path(path).suffix.lower() not in _REPORTS:
            raise UsageError(f"the report {path} is of no known kind", f"let its name end in {' or '.join(_REPORTS)}")
        if not Path(path).resolve().parent.is_dir():
            raise UsageError(f"there is no folder to write {path} into", "make the folder first")


def _waivers(rules: Sequence[str], reasons: Sequence[str]) -> dict[str, str]:
    if len(rules) != len(reasons):
        message = f"{len(rules)} rules are waived and {len(reasons)} reasons given"
        raise UsageError(message, "give each --waive RULE its --reason TEXT")
    return dict(zip(rules, reasons, strict=True))


def _write(comparison: Comparison, reports: Sequence[str], as_json: bool) -> None:
    from surefoot.report import comparison as words

    for path in reports:
        if Path(path).suffix.lower() == ".html":
            from surefoot.report import page

            content = page.render(comparison)
        else:
            content = "".join(f"{line}\n" for line in words.markdown(comparison))
        Path(path).write_text(content, encoding="utf-8", errors="backslashreplace", newline="\n")
    if as_json:
        click.echo(msgspec.json.encode(words.as_json(comparison)))
        return
    words.show(comparison, console())
