"""The baseline moves to a run that may ship, and to no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.gate.decide import Comparison
from surefoot.gate.history import CHANGE
from surefoot.io.writer import printable
from surefoot.ledger import Ledger
from surefoot.ledger.places import find
from surefoot.services.decisions import as_typed, current_baseline, folder_by_id, keep_baseline, shipped_beside
from surefoot.services.gate import GateResult, gate
from surefoot.services.result import READER, Person
from surefoot.services.runs import is_run
from surefoot.services.versions import version_in
from surefoot.store import RunStore


class BaselineUpdate(GateResult):
    """The decision on a run that wants to be the baseline, and which run is the baseline now."""

    def __init__(self, comparison: Comparison, before: str | None, run: str) -> None:
        super().__init__(comparison)
        self._run = run
        self.before = before  # None: there was no baseline
        self.baseline = run if self.outcome == "SHIP" else before

    @property
    def moved(self) -> bool:
        return self.baseline != self.before

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "baseline": {"before": self.before, "now": self.baseline, "moved": self.moved}}

    def in_words(self) -> str:
        """Which run is the baseline now, and since when."""
        if self.moved:
            first = "itself" if self.comparison.against_itself else self.comparison.names["base"]
            was = f"it was {self.before}" if self.before else f"there was none; the run was compared with {first}"
            return f"the baseline is now {self.baseline} ({was})"
        if self.outcome == "SHIP":
            return f"the baseline is {self.baseline} already"
        if self.baseline:
            return f"the baseline stays {self.baseline}"
        hint = f"; label some answers: surefoot label {self._run}" if self.exit_code == ExitCode.INCONCLUSIVE else ""
        return f"there is still no baseline{hint}"


def update_baseline(
    run: str | Path,
    *,
    ledger: str | Path | None = None,
    person: Person = READER,
    **options: Any,  # noqa: ANN401 - as `gate` takes them
) -> BaselineUpdate:
    """Move the baseline to a run if the gate says SHIP.

    The run is compared with the baseline of the ledger, else with the run that shipped last. Where there is neither,
    it is compared with what its version was last decided against, or with itself. `options` are those of `gate`.
    """
    if not is_run(run):
        raise UsageError(f"{printable(Path(run))} is not a run", "pass the folder of a run that `surefoot run` made")
    cand = Path(run)
    before = current_baseline(ledger, beside=cand) or shipped_beside(cand, by_own_rules=bool(options.get("rules")))
    base = Path(before) if before else _decided_against(cand, ledger) or cand
    decided = gate(base, cand, ledger=ledger, person=person, **options)
    made = BaselineUpdate(decided.comparison, before and as_typed(before), as_typed(cand))
    if made.moved:
        with Ledger.open(find(cand, ledger)) as opened:
            keep_baseline(opened, decided.comparison, base, cand)
    return made


def _decided_against(cand: Path, given: str | Path | None) -> Path | None:
    """A run that was blocked cannot begin anew, compared with itself."""
    ledger = Ledger.existing(find(cand, given))
    if ledger is None:
        return None
    version = version_in(RunStore.open(cand).manifest)
    with ledger:
        steps = [step for step in ledger.steps() if step.mode == CHANGE and step.release == version]
        folder = folder_by_id(ledger, steps[-1].base_run, cand) if steps else None
    if steps and folder is None:
        message = f"{version} was compared with the run {steps[-1].base_name}, and that is no longer where it was"
        raise Incomplete(message, "put it back, or a copy beside the other runs")
    return folder
