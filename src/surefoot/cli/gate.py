"""surefoot gate"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from surefoot.cli.decision_options import decide, decision_options, finish_decision
from surefoot.cli.options import json_option
from surefoot.cli.output import print_json, quiet_if_nobody_reads
from surefoot.errors import ExitCode
from surefoot.gate.history import BASELINE, CHANGE
from surefoot.records import Step
from surefoot.report.comparison import gate_report
from surefoot.report.words import overridden, plain
from surefoot.services.decisions import decisions


@click.command(epilog="Example: surefoot gate runs/base runs/cand")
@decision_options
@json_option()
def gate(**options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Decide as `compare` does, and print only the decision.

    CAND alone is compared with the baseline. Without runs, lists past decisions.
    """
    if not options["paths"] and options["baseline"] is None:
        return _history(options["ledger"], options["as_json"])
    compared = decide(options)
    return finish_decision(compared, options, lambda: gate_report(compared.comparison))


def _history(ledger: str | None, as_json: bool) -> int:
    decided = decisions(ledger)
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
    flags = "  uncalibrated" if step.uncalibrated else ""
    flags += f"  waived: {plain(', '.join(step.waived))}" if step.waived else ""
    flags += f"  not as the gate file: {plain(overridden(step.overridden))}" if step.overridden else ""
    flags += f"  the gate file has changed: {', '.join(changed)}" if changed else ""
    earlier = "" if step.mode in (CHANGE, BASELINE) else f"  ({step.mode} mode of an earlier gate)"
    sides = f"{step.reference} ({step.base_name}) -> {step.release} ({step.cand_name})"
    what = "new baseline" if step.mode == BASELINE else step.outcome
    return f"{step.at[:16]}  {what:12}  {plain(sides)}{flags}{earlier}"
