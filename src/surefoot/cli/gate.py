"""surefoot gate"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click
import msgspec

from surefoot.cli.deciding import decide, deciding_options
from surefoot.cli.output import console, quiet_if_nobody_reads
from surefoot.errors import ExitCode, UsageError
from surefoot.records import MORE_RULES, Step
from surefoot.report.words import overridden, plain


@click.command(epilog="Example: surefoot gate runs/base runs/cand")
@deciding_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def gate(**options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Decide whether a candidate may ship, exactly as `compare` does, and print the decision alone.

    With CAND alone the baseline is what shipped last. Without any run, list what was decided so far.
    """
    if not options["paths"] and options["baseline"] is None:
        return _history(options["ledger"], options["as_json"])
    comparison = decide(options)
    with quiet_if_nobody_reads():
        if options["as_json"]:
            from surefoot.report.comparison_json import as_json

            click.echo(msgspec.json.encode(as_json(comparison)))
        else:
            from surefoot.report.comparison import show_gate

            show_gate(comparison, console())
    return int(comparison.decision.exit_code)


def _history(given: str | None, as_json: bool) -> int:
    from surefoot.ledger import Ledger
    from surefoot.ledger.places import find

    ledger = Ledger.existing(find(None, given))
    if ledger is None:
        raise UsageError("there is no ledger here", "write surefoot gate BASE CAND, or name a ledger with --ledger")
    with ledger:
        steps = ledger.steps()
    with quiet_if_nobody_reads():
        if as_json:
            rows = [{**msgspec.to_builtins(step), "file_changed": changed} for step, changed in _with_changes(steps)]
            click.echo(msgspec.json.encode({"decisions": rows}))
        else:
            for step, changed in _with_changes(steps):
                click.echo(_line(step, changed))
            if not steps:
                click.echo("nothing was decided yet")
    return ExitCode.OK


def _with_changes(steps: Sequence[Step]) -> Iterator[tuple[Step, list[str]]]:
    """Every decision, and what of the gate file was not as at the one before."""
    before: dict[str, object] = {}
    for step in steps:
        taken = {"rules": step.rules, "alpha": step.alpha, "margin": step.margin}
        told = {"rules" if key == MORE_RULES else key for key in step.overridden}
        now = {key: value for key, value in taken.items() if value not in ((), None) and key not in told}
        yield step, [key for key, value in now.items() if before.get(key, value) != value]
        before |= now


def _line(step: Step, changed: Sequence[str]) -> str:
    flags = "  uncalibrated" if step.uncalibrated else ""
    flags += f"  waived: {plain(', '.join(step.waived))}" if step.waived else ""
    flags += f"  not as the gate file: {plain(overridden(step.overridden))}" if step.overridden else ""
    flags += f"  the gate file has changed: {', '.join(changed)}" if changed else ""
    earlier = "" if step.mode == "change" else f"  ({step.mode} mode of an earlier gate)"
    sides = f"{step.reference} ({step.base_name}) -> {step.release} ({step.cand_name})"
    return f"{step.at[:16]}  {step.outcome:12}  {plain(sides)}{flags}{earlier}"
