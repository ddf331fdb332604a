"""The decision that a bundle is about: what it says, and what was known when it was made."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.appending import UNREADABLE
from surefoot.auditing.layout import BASE, GATE, LEDGER, RUN
from surefoot.errors import UsageError
from surefoot.gate.rules import Rule
from surefoot.ledger import Ledger
from surefoot.ledger.places import run_id
from surefoot.records import Certificate, Step
from surefoot.store import DECISION, RunStore

_AGAIN = "again.db"


class Check(Struct, frozen=True):
    name: str
    rule: str
    status: str = ""
    reason: str = ""
    waiver: str | None = None


class _Seen(Struct, frozen=True):
    at: str


class _Sequential(Struct, frozen=True):
    alpha: float | None = None
    margin: float | None = None
    programme: str | None = None
    steps: tuple[_Seen, ...] = ()  # the others of the release


class _Trust(Struct, frozen=True):
    certificate: Certificate | None = None


class Decision(Struct, frozen=True, kw_only=True):
    """What decision.json says, as far as a bundle needs it."""

    outcome: str
    mode: str = "strict"
    uncalibrated: bool = False
    overridden: Mapping[str, float | tuple[str, ...]] = {}
    names: Mapping[str, str] = {}
    checks: tuple[Check, ...] = ()
    waived: Mapping[str, str] = {}
    sequential: _Sequential | None = None
    trust: _Trust = _Trust()

    @property
    def rules(self) -> dict[str, str]:
        """By name. That a block of the release stands is judged too, and is no rule of anybody's."""
        return {check.name: check.rule for check in self.checks if _is_rule(check.rule)}


def decision_in(folder: Path) -> Decision | None:
    """The decision about the run in a folder; None where there is none, or none that can be read."""
    try:
        return msgspec.json.decode((folder / DECISION).read_bytes(), type=Decision)
    except (OSError, *UNREADABLE):
        return None


def step_of(run: RunStore, ledger: Ledger) -> Step | None:
    """The decision about a run as the ledger has it: the newest that says what the run's folder says."""
    about = [step for step in ledger.steps() if step.cand_run == run_id(run.manifest)]
    if decision := decision_in(run.path):
        called = Path(decision.names.get("base", "")).name
        bases = {entry.id for entry in ledger.runs() if Path(entry.path).name == called}
        said = (decision.outcome, decision.mode)
        about = [step for step in about if step.base_run in bases and (step.outcome, step.mode) == said] or about
    return about[-1] if about else None


def known_until(decision: Decision | None, step: Step) -> str:
    """When it was decided: a later label, certificate or step had no part in it.

    A comparison that says the same again adds no row, and may have seen steps that are newer than its own.
    """
    seen = decision.sequential.steps if decision and decision.sequential else ()
    return max([step.at, *(one.at for one in seen)])


def settings_of(decision: Decision, step: Step | None) -> dict[str, float | str]:
    """[sequential] as it was used, in a strict decision too: else the mode would be chosen anew."""
    used = decision.sequential or _Sequential()
    given = {
        "mode": decision.mode,
        "alpha": used.alpha if step is None else step.alpha,
        "margin": used.margin if step is None else step.margin,
        "programme": used.programme or (step.programme if step else None),
    }
    return {key: value for key, value in given.items() if value is not None}


def commands_to_repeat(decision: Decision, *, has_ledger: bool) -> Iterator[str]:
    """What to type in the folder that a bundle was unpacked into."""
    if has_ledger:
        yield f"surefoot import {LEDGER} --ledger {_AGAIN}"
    options: list[str] = ["--uncalibrated"] if decision.uncalibrated else []
    for rule, reason in decision.waived.items():
        options += ["--waive", rule, "--reason", reason]
    yield shlex.join(["surefoot", "compare", BASE, RUN, "--gate", GATE, "--ledger", _AGAIN, *options])


def certificate_of(decision: Decision | None, known: Sequence[Certificate]) -> list[Certificate]:
    """The one that a decision went by, where the ledger does not have it: it came in a file."""
    used = decision.trust.certificate if decision else None
    return [used] if used is not None and used.id not in {one.id for one in known} else []


def _is_rule(text: str) -> bool:
    try:
        Rule.parse(text)
    except UsageError:
        return False
    return True
