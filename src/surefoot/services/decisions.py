"""Decisions are kept in the project, each with the rows it was made from."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.errors import Incomplete
from surefoot.gate.decide import Comparison
from surefoot.gate.history import BASELINE, CHANGE
from surefoot.gate.next_steps import Waiting
from surefoot.gate.rules import Rule
from surefoot.records import MORE_RULES, WITHOUT, Step, timestamp
from surefoot.report.comparison_json import as_json
from surefoot.services.result import Tell
from surefoot.services.versions import Versions
from surefoot.store import Project, Run


def label_next(project: Project, run: str) -> tuple[Waiting, ...]:
    """The answers whose labels would decide, by the last decision on a run that asked for any.

    One made without labels (--uncalibrated) does not end what another asked for.
    """
    steps = [step for step in project.decisions() if step.mode == CHANGE and run in step.cand_runs]
    asking = (step.document.get("label_next") for step in reversed(steps) if not step.uncalibrated)
    return msgspec.convert(next(asking, None) or (), tuple[Waiting, ...])


class PastDecisions:
    """What was decided so far, for a decision on two versions."""

    def __init__(self, steps: Sequence[Step], versions: Versions) -> None:
        self._all = [step for step in steps if step.mode == CHANGE]
        self._mine = [step for step in self._all if (step.reference, step.release) == versions.key]
        self._versions = versions

    @property
    def look(self) -> int:
        """How often these versions were decided on, with other answers or by another grader, this time included."""
        now = (*self._versions.answers, self._versions.grader)
        return len({(step.base_answers, step.cand_answers, step.grader) for step in self._mine} | {now})

    def notes(self) -> Iterator[str]:
        yield from self._left_out()
        yield from self._newer()

    def _left_out(self) -> Iterator[str]:
        """Runs that an earlier decision on these versions left out are named for ever."""
        told: dict[str, str] = {}
        for step in self._mine:
            for run in step.overridden.get(WITHOUT, ()):  # type: ignore[union-attr]
                told.setdefault(run, f"left out on {step.at[:10]}: {run}")
        return (words for run, words in told.items() if run not in self._versions.left_out)

    def _newer(self) -> Iterator[str]:
        """An older baseline, where a newer one has shipped since, as the gate file has it."""
        shipped = [step for step in self._all if step.outcome == "SHIP" and step.overridden.keys() <= {WITHOUT}]
        reference, release = self._versions.key
        is_known = any(reference in (step.release, step.reference) for step in self._all)
        if shipped and is_known and shipped[-1].release not in (reference, release):
            latest = shipped[-1]
            yield f"the baseline is {reference}, and {latest.release} has shipped since, on {latest.at[:10]}"

    def keep(self, project: Project, comparison: Comparison, rules: Sequence[Rule], tell: Tell) -> None:
        """Add the decision, unless it says the same as the last one."""
        step = step_of(comparison, self._versions, rules)
        if self._all and _said(self._all[-1]) == _said(step):
            return
        try:
            project.add(step)
        except Incomplete as error:
            if step.outcome == "SHIP":  # what is not kept could be tried for again and again
                raise
            tell(f"note: {error.message}; the decision is not kept")


def _said(step: Step) -> Step:
    return replace(step, id="", at="", document={})


def step_of(comparison: Comparison, versions: Versions, rules: Sequence[Rule], mode: str = CHANGE) -> Step:
    cand = versions.cand[-1].manifest
    request, (base_answers, cand_answers) = comparison.request, versions.answers
    left_out = {WITHOUT: versions.left_out} if versions.left_out else {}
    document = {key: value for key, value in as_json(comparison).items() if key != "moved"}
    return Step(
        id=uuid.uuid4().hex[:12],
        at=timestamp(),
        reference=versions.key[0],
        release=versions.key[1],
        base_runs=tuple(run.id for run in versions.base),
        cand_runs=tuple(run.id for run in versions.cand),
        grader=cand.grader or "",
        questions_sha256=cand.questions_sha256,
        mode=mode,
        base_answers=base_answers,
        cand_answers=cand_answers,
        alpha=request.alpha,
        margin=request.margin,
        outcome=comparison.decision.outcome,
        exit_code=int(comparison.decision.exit_code),
        waived=dict(request.waivers),
        uncalibrated=request.uncalibrated,
        overridden={**request.overridden, **left_out},
        deterministic=cand.deterministic,
        rules=tuple(sorted(rule.text for rule in rules)),
        document=msgspec.json.decode(msgspec.json.encode(document)),
        pinned=tuple(sorted({id for run in (*versions.base, *versions.cand) for id in run.verdict_ids()})),
    )


def current_baseline(project: Project) -> Run | None:
    """The run that the baseline was last moved to; None where it was never set."""
    moves = [step for step in project.decisions() if step.mode == BASELINE]
    if not moves:
        return None
    if (run := project.run(moves[-1].cand_run)) is None:
        message = f"the baseline is the run {moves[-1].cand_run}, and the project has it no longer"
        raise Incomplete(message, "import it again, or set another: surefoot baseline RUN")
    return run


def baseline(db: str | Path | None = None) -> str | None:
    """Return the id of the run that is the baseline, or None where there is none yet."""
    with Project.existing(db) as project:
        found = current_baseline(project)
        return found.id if found else None


def latest_shipped(project: Project, cand: Run, *, by_own_rules: bool) -> Run | None:
    """The newest run that shipped, other than the candidate.

    One that shipped by other rules than the gate file's is good enough only for who goes by rules of their own again.
    """
    for step in reversed(project.decisions()):
        is_fit = step.mode == CHANGE and step.outcome == "SHIP" and step.release != cand.version
        if is_fit and (by_own_rules or step.overridden.keys() <= {WITHOUT}):
            return project.run(step.cand_run)
    return None


class Decided(Struct, frozen=True):
    """A decision, and what of the gate file was not as at the one before."""

    step: Step
    changed: tuple[str, ...] = ()


def decisions(db: str | Path | None = None) -> list[Decided]:
    """Everything that was decided so far, oldest first."""
    with Project.existing(db) as project:
        return list(_with_changes(project.decisions()))


def _with_changes(steps: Sequence[Step]) -> Iterator[Decided]:
    before: dict[str, object] = {}
    for step in steps:
        taken = {"rules": step.rules, "alpha": step.alpha, "margin": step.margin}
        told = {"rules" if key == MORE_RULES else key for key in step.overridden}
        now = {key: value for key, value in taken.items() if value not in ((), None) and key not in told}
        yield Decided(step, tuple(key for key, value in now.items() if before.get(key, value) != value))
        before |= now
