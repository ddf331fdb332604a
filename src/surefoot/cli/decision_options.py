"""The options of `compare` and `gate`, which decide alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from surefoot.cli.options import gate_option, ledger_option, rule_option, together
from surefoot.cli.terminal import PERSON
from surefoot.errors import UsageError
from surefoot.gate.rules import CLAIMS
from surefoot.services.compare import Compared, compare
from surefoot.services.decisions import LATEST_SHIPPED

_PASSED_ON = ("gate", "rules", "margin", "alpha", "claim", "uncalibrated", "ledger")

decision_options = together(
    click.argument("paths", nargs=-1, metavar="BASE CAND"),
    gate_option("ship"),
    rule_option,
    click.option("--margin", type=float, metavar="SHARE", help="The change for the worse that you accept."),
    click.option("--alpha", type=float, metavar="SHARE", help="How often to be wrong at most."),
    click.option(
        "--claim", type=click.Choice(CLAIMS),
        help="Decide about these questions, or about questions like them.",
    ),
    click.option("--uncalibrated", is_flag=True, help="Take verdicts for the truth; the decision says so."),
    click.option("--waive", multiple=True, metavar="RULE", help="Lift this rule; needs --reason. Repeatable."),
    click.option("--without", multiple=True, metavar="RUN", help="Leave this run out; needs --reason. Repeatable."),
    click.option(
        "--reason", "reasons", multiple=True, metavar="TEXT", help="Why: first for each --waive, then each --without."
    ),
    click.option("--baseline", metavar="RUN", help="Instead of BASE: a run, or `latest-shipped`."),
    ledger_option,
)  # fmt: skip


def decide(options: dict[str, Any], by: Sequence[str] = ()) -> Compared:
    base, cand = two_of(options["paths"], options["baseline"])
    waive, without = _reasons(options["waive"], options["without"], options["reasons"])
    given = {name: options[name] for name in _PASSED_ON}
    return compare(base, cand, waive=waive, without=without, by=by, person=PERSON, **given)


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
