"""The baseline moves to a run that may ship, and to no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from surefoot.core.errors import ExitCode
from surefoot.core.result import READER, Person
from surefoot.gate.overview import BASELINE, CHANGE
from surefoot.services.gate import GateResult, gate
from surefoot.services.runs import Name, Versions, current_baseline, latest_shipped, opened, step_of
from surefoot.store import Project, Run


class Moved(Struct, frozen=True):
    """Which run was the baseline, and which is; None where there is none."""

    before: str | None
    now: str | None
    moved: bool


class BaselineUpdate(GateResult, frozen=True, kw_only=True):
    """The decision on a run that wants to be the baseline, and which run is the baseline now."""

    baseline: Moved

    def in_words(self) -> str:
        """Which run is the baseline now, and since when."""
        before, now = self.baseline.before, self.baseline.now
        if self.baseline.moved:
            first = "itself" if self.against_itself else self.names["base"]
            was = f"it was {before}" if before else f"there was none; the run was compared with {first}"
            return f"the baseline is now {now} ({was})"
        if self.outcome == "SHIP":
            return f"the baseline is {now} already"
        if now:
            return f"the baseline stays {now}"
        hint = (
            f"; label some answers: surefoot label {self.runs['cand'][-1]}"
            if self.exit_code == ExitCode.INCONCLUSIVE
            else ""
        )
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
        was = before.id if before else None
        now = cand.id if decided.outcome == "SHIP" else was
        if now != was:
            rules = [check.rule for check in decided.comparison.decision.checks]
            versions = Versions((base,), (cand,))
            project.add(step_of(decided.comparison, versions, rules, decided.document, BASELINE))
    return BaselineUpdate(**asdict(decided), baseline=Moved(was, now, now != was))


def _decided_against(project: Project, cand: Run) -> Run | None:
    """A run that was blocked cannot begin anew, compared with itself."""
    steps = [step for step in project.decisions() if step.mode == CHANGE and step.release == cand.version]
    return project.run(steps[-1].base_run) if steps else None
