"""surefoot baseline update"""

from __future__ import annotations

from typing import Any

import click

from surefoot.cli.gate import finish_decision, rule_options, rules_of
from surefoot.cli.options import json_option
from surefoot.cli.output import PERSON, report_option
from surefoot.report.comparison import gate_report
from surefoot.services.baseline import update_baseline


@click.group()
def baseline() -> None:
    """The run that candidates are compared with."""


@baseline.command(epilog="Example: surefoot baseline update v2")
@click.argument("run", type=click.Path(), metavar="RUN")
@rule_options
@report_option
@json_option()
def update(run: str, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Move the baseline to RUN if the gate says SHIP.

    RUN is compared with the current baseline; the first one with itself. The exit code is the decision.
    """
    made = update_baseline(run, person=PERSON, **rules_of(options))
    return finish_decision(made, options, lambda: gate_report(made.comparison), made.in_words())
