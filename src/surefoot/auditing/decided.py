"""The decision that a bundle is about: which runs it counted, and how to make it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.appending import UNREADABLE
from surefoot.auditing.layout import BASE, GATE, LEDGER, RUN
from surefoot.errors import UsageError
from surefoot.gate.rules import Rule
from surefoot.store import DECISION

_AGAIN = "again.db"


class Check(Struct, frozen=True):
    name: str
    rule: str
    status: str = ""
    reason: str = ""


class _Trust(Struct, frozen=True):
    in_words: str = ""


class Decision(Struct, frozen=True, kw_only=True):
    """What decision.json says, as far as a bundle needs it."""

    outcome: str
    at: str = ""  # later labels and steps had no part in it
    mode: str = ""  # of an earlier gate, whose decisions this one cannot make again
    alpha: float | None = None
    margin: float | None = None
    claim: str | None = None
    uncalibrated: bool = False
    against_itself: bool = False
    overridden: Mapping[str, float | str | tuple[str, ...]] = {}
    names: Mapping[str, str] = {}
    runs: Mapping[str, tuple[str, ...]] = {}  # by side: all that were counted
    checks: tuple[Check, ...] = ()
    waived: Mapping[str, str] = {}
    without: Mapping[str, str] = {}
    trust: _Trust = _Trust()

    @property
    def gate(self) -> dict[str, dict[str, float | str]]:
        """The gate file as it was used. A self-check of the grader is judged too, and is no rule of anybody's."""
        rules: dict[str, float | str] = {check.name: check.rule for check in self.checks if _is_rule(check.rule)}
        change = {"alpha": self.alpha, "margin": self.margin, "claim": self.claim}
        return {"rules": rules, "change": {key: value for key, value in change.items() if value is not None}}

    @property
    def counted(self) -> list[str]:
        """All runs it needs, each once, those that were named first."""
        return list(dict.fromkeys([*self.names.values(), *(name for side in self.runs.values() for name in side)]))

    def role_of(self, name: str) -> str:
        """What it has to do with a run."""
        if name in self.names.values():
            return "the candidate" if name == self.names.get("cand") else "the baseline"
        sides = {"base": "counted with the baseline", "cand": "counted with the candidate"}
        counted = [words for side, words in sides.items() if name in self.runs.get(side, ())]
        left_out = [f"left out: {reason}" for run, reason in self.without.items() if Path(run).name == Path(name).name]
        return next(iter([*counted, *left_out]), "labels on its answers tell how far the grader errs")

    def commands(self) -> Iterator[str]:
        """What to type in the folder that a bundle was unpacked into, to make it again."""
        yield f"surefoot import {LEDGER} --ledger {_AGAIN}"
        let_go = [("--waive", *one) for one in self.waived.items()]
        let_go += [("--without", Path(run).name, reason) for run, reason in self.without.items()]
        options = [word for option, name, reason in let_go for word in (option, name, "--reason", reason)]
        options += ["--uncalibrated"] if self.uncalibrated else []
        base = RUN if self.against_itself else BASE
        yield shlex.join(["surefoot", "compare", base, RUN, "--gate", GATE, "--ledger", _AGAIN, *options])


def decision_in(folder: Path) -> Decision | None:
    """The decision about the run in a folder; None where there is none, or none that can be read."""
    try:
        return msgspec.json.decode((folder / DECISION).read_bytes(), type=Decision)
    except (OSError, *UNREADABLE):
        return None


def _is_rule(text: str) -> bool:
    try:
        Rule.parse(text)
    except UsageError:
        return False
    return True
