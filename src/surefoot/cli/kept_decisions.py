"""What a run folder keeps of the last decision about it, and which run shipped last."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from surefoot.appending import printable
from surefoot.cli.sides import is_run
from surefoot.errors import UsageError
from surefoot.report.words import plain
from surefoot.store import DECISION, MANIFEST

if TYPE_CHECKING:
    from surefoot.gate.decide import Comparison

LATEST_SHIPPED = "latest-shipped"


def keep_decision(cand: Path, comparison: Comparison) -> None:
    """A run folder keeps what was decided about it last; a run against itself says nothing about it."""
    from surefoot.report.comparison_json import as_json

    if not is_run(cand):
        return
    before = _read(cand / DECISION)
    if comparison.against_itself and before.get("outcome") and not before.get("against_itself"):
        click.echo("note: a run against itself; the decision that it has against another is kept", err=True)
        return
    at = datetime.now(UTC).isoformat(timespec="microseconds")
    kept = {"at": at, **{key: value for key, value in as_json(comparison).items() if key != "moved"}}
    try:
        (cand / DECISION).write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")
    except OSError as error:
        # The decision stands, whoever may write into the run.
        click.echo(f"note: the decision is not kept in {plain(printable(cand))}: {error.strerror}", err=True)


def latest_shipped(cand: Path, *, by_own_rules: bool) -> str:
    """The newest run beside the candidate that shipped against another.

    Where none has, the first that was compared with itself: somewhere one has to begin. One that shipped by other rules
    than the gate file's is good enough only for who goes by rules of their own again.
    """
    shipped: list[tuple[str, str]] = []
    begun: list[tuple[str, str]] = []
    if not cand.exists():
        raise UsageError(f"there is no run {printable(cand)}", "pass the folder of a run")
    for folder in cand.resolve().parent.iterdir():
        decision = _read(folder / DECISION)
        itself = decision.get("against_itself")
        by_the_rules = itself or by_own_rules or not decision.get("overridden")
        if folder == cand.resolve() or decision.get("outcome") != "SHIP":
            continue
        if by_the_rules:
            kept = begun if itself else shipped
            kept.append((str(_read(folder / MANIFEST).get("created", "")), str(folder)))
    if not shipped and not begun:
        hint = "name the baseline: surefoot compare BASE CAND"
        raise UsageError(f"no run beside {cand} has shipped yet", hint)
    return (max(shipped) if shipped else min(begun))[1]


def _read(path: Path) -> dict[str, object]:
    try:
        found = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
