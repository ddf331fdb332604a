"""The baseline moves to a run that may ship, and to no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from surefoot.core.errors import ExitCode
from surefoot.gate.decide import Comparison
from surefoot.gate.overview import BASELINE, CHANGE
from surefoot.services.gate import GateResult, gate
from surefoot.services.result import READER, Person
from surefoot.services.runs import Name, Versions, current_baseline, latest_shipped, opened, step_of
from surefoot.store import Project, Run


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
    run: Name,
    *,
    db: str | Path | None = None,
    person: Person = READER,
    **options: Any,  # noqa: ANN401 - as `gate` takes them
) -> BaselineUpdate:
    """Move the baseline to a run if the gate says SHIP.

    The run is compared with the baseline, else with the version that shipped last. Where there is neither, it is
    compared with what its version was last decided against, or with itself. `options` are those of `gate`.
    """
    with opened([run], db) as (project, runs):
        cand = runs[-1]
        before = current_baseline(project) or latest_shipped(project, cand, by_own_rules=bool(options.get("rules")))
        base = before or _decided_against(project, cand) or cand
        decided = gate(base.id, cand.id, db=db, person=person, **options)
        made = BaselineUpdate(decided.comparison, before.id if before else None, cand.id)
        if made.moved:
            rules = [check.rule for check in decided.comparison.decision.checks]
            project.add(step_of(decided.comparison, Versions((base,), (cand,)), rules, BASELINE))
    return made


def _decided_against(project: Project, cand: Run) -> Run | None:
    """A run that was blocked cannot begin anew, compared with itself."""
    steps = [step for step in project.decisions() if step.mode == CHANGE and step.release == cand.version]
    return project.run(steps[-1].base_run) if steps else None
