"""surefoot compare"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from surefoot.appending import printable
from surefoot.cli.output import console, quiet_if_nobody_reads
from surefoot.cli.sides import load_side
from surefoot.compare import Comparison
from surefoot.compare import compare as compare_sides
from surefoot.errors import UsageError
from surefoot.gate import Rule
from surefoot.importers import gatefiles
from surefoot.report.words import counted, plain
from surefoot.store import MANIFEST

_REPORTS = (".md", ".html")
_PEOPLE = "human/"
DECISION, LATEST_SHIPPED = "decision.json", "latest-shipped"


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
@click.option("--uncalibrated", is_flag=True, help="Accept verdicts and labels of unknown error without a note.")
@click.option("--waive", multiple=True, metavar="RULE", help="Do not hold to this rule. Needs --reason. Repeatable.")
@click.option("--reason", "reasons", multiple=True, metavar="TEXT", help="Why: one for each --waive, in their order.")
@click.option(
    "--report", "reports", multiple=True, type=click.Path(dir_okay=False), metavar="FILE",
    help="Write a report, .md or .html. Repeatable.",
)  # fmt: skip
@click.option(
    "--baseline",
    metavar="RUN",
    help="Instead of BASE: a run, or `latest-shipped` for the last one beside CAND that shipped.",
)
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
        click.echo(f"note: {plain(_not_known(comparison))}; --uncalibrated accepts that", err=True)
    _keep_decision(Path(cand), comparison)
    with quiet_if_nobody_reads():
        _write(comparison, reports, as_json)
    return int(comparison.decision.exit_code)


def _not_known(comparison: Comparison) -> str:
    """What the decision takes on trust: the error of a grader, or the care of people."""
    named = {name for names in comparison.graders.values() for name in names if name}
    if graders := sorted(name for name in named if not name.startswith(_PEOPLE)):
        return f"the error of the grader {' and '.join(graders)} on these documents is not known"
    if named:
        return "labels by people are taken as they are: how well people agree on them is not known"
    return "the labels do not say who gave them, and are taken as they are"


def _two(paths: Sequence[str], baseline: str | None) -> tuple[str, str]:
    if baseline is not None and len(paths) == 1:
        return _latest_shipped(Path(paths[0])) if baseline == LATEST_SHIPPED else baseline, paths[0]
    if baseline is None and len(paths) == 2:
        return _latest_shipped(Path(paths[1])) if paths[0] == LATEST_SHIPPED else paths[0], paths[1]
    hint = "write surefoot compare BASE CAND, or surefoot compare CAND --baseline RUN"
    raise UsageError(f"compare takes two runs, not {len(paths) + (baseline is not None)}", hint)


def _latest_shipped(cand: Path) -> str:
    """The newest run beside the candidate whose comparison ended in SHIP."""
    shipped = []
    if not cand.exists():
        raise UsageError(f"there is no run {printable(cand)}", "pass the folder of a run")
    for folder in cand.resolve().parent.iterdir():
        decision = _read(folder / DECISION)
        if folder != cand.resolve() and decision.get("outcome") == "SHIP":
            shipped.append((str(_read(folder / MANIFEST).get("created", "")), str(folder)))
    if not shipped:
        hint = "name the baseline: surefoot compare BASE CAND"
        raise UsageError(f"no run beside {cand} has shipped yet", hint)
    return max(shipped)[1]


def _read(path: Path) -> dict[str, object]:
    try:
        found = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _keep_decision(cand: Path, comparison: Comparison) -> None:
    """A run folder keeps what was decided about it last."""
    from surefoot.report.comparison import as_json

    if not (cand / MANIFEST).is_file():
        return
    kept = {key: value for key, value in as_json(comparison).items() if key != "moved"}
    try:
        (cand / DECISION).write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")
    except OSError as error:
        # The decision stands, whoever may write into the run.
        click.echo(f"note: the decision is not kept in {printable(cand)}: {error.strerror}", err=True)


def _check_reports(reports: Sequence[str]) -> None:
    for path in reports:
        if Path(path).suffix.lower() not in _REPORTS:
            raise UsageError(f"the report {path} is of no known kind", f"let its name end in {' or '.join(_REPORTS)}")
        if not Path(path).resolve().parent.is_dir():
            raise UsageError(f"there is no folder to write {path} into", "make the folder first")


def _waivers(rules: Sequence[str], reasons: Sequence[str]) -> dict[str, str]:
    if len(rules) != len(reasons):
        waived = f"{counted(len(rules), 'rule')} {'is' if len(rules) == 1 else 'are'} waived"
        message = f"{waived} and {counted(len(reasons), 'reason')} given"
        raise UsageError(message, "give each --waive RULE its --reason TEXT")
    if twice := [rule for rule, count in Counter(rules).items() if count > 1]:
        raise UsageError(f"the rule {twice[0]!r} is waived more than once", "give one reason for it")
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
