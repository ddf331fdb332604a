"""The runs of a project over time: what became of each, and how the buckets moved from version to version."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from surefoot.gate.causes import Fault
from surefoot.gate.counts import Counted
from surefoot.gate.metrics import UNGRADED
from surefoot.records import Certificate, Step
from surefoot.types import Estimate

CHANGE, BASELINE = "change", "baseline"  # modes of a step: a decision, or a move of the baseline


class Measured(Struct, frozen=True):
    """How many answers are in which bucket, and the share of each with its interval."""

    buckets: Counted
    shares: dict[str, Estimate]
    labelled: int = 0  # answers, in whichever run they were labelled
    faults: tuple[Fault, ...] = ()

    @property
    def bad(self) -> int:
        return self.buckets["wrong"] + self.buckets["unsupported"]

    @property
    def total(self) -> int:
        return sum(self.buckets.values())

    @property
    def is_graded(self) -> bool:
        """A council alone puts no answer into a bucket."""
        return self.buckets[UNGRADED] < self.total


class LastDecision(Struct, frozen=True):
    outcome: str
    at: str
    against: str  # the baseline that the run was held against


class PastRun(Struct, frozen=True, kw_only=True):
    """A run, and what became of it."""

    key: str  # what it is called in addresses
    name: str  # id
    version: str = ""
    made: str = ""
    grader: str = ""
    council: str = ""  # that scored its answers last
    questions: str = ""  # hash of the question set: only runs with the same one can be compared over time
    question_count: int = 0
    measured: Measured | None = None
    problem: str = ""  # why it is not measured
    decision: LastDecision | None = None
    labelled: int = 0
    waiting: int = 0  # answers whose labels the last decision asks for, and that nobody has labelled since
    is_baseline: bool = False


class VersionShares(Struct, frozen=True):
    version: str
    runs: tuple[str, ...]  # by key: all of the version count together
    measured: Measured


class Trend(Struct, frozen=True):
    """The versions that answered one question set, graded by one grader, in the order in which they were made."""

    questions: str
    question_count: int
    grader: str
    versions: tuple[VersionShares, ...]


class History(Struct, frozen=True):
    project: str
    runs: tuple[PastRun, ...]  # newest first
    trends: tuple[Trend, ...]  # that of the newest run first
    decisions: tuple[Step, ...]  # newest first
    certificates: tuple[Certificate, ...]  # newest first

    def run(self, key: str) -> PastRun | None:
        """By its key; the name alone is that of the newest run with it."""
        return next((one for one in self.runs if key == one.key), None) or next(
            (one for one in self.runs if key == one.name), None
        )

    def side(self, id: str) -> PastRun | None:
        """The run that a decision was about."""
        return next((one for one in self.runs if id == one.name), None)

    @property
    def last_change(self) -> tuple[Step, PastRun, PastRun] | None:
        """What was decided last about two runs that are still there."""
        for step in self.decisions:
            base, cand = self.side(step.base_run), self.side(step.cand_run)
            if step.mode == CHANGE and base and cand and base.measured and cand.measured:
                return step, base, cand
        return None

    @property
    def councils(self) -> dict[str, list[PastRun]]:
        """The runs that one council scored on the same questions, by what the sitting is called in addresses."""
        found: dict[str, list[PastRun]] = {}
        for one in self.runs:
            if one.council:
                found.setdefault(f"{one.council[-8:]}-{one.questions[:8]}", []).append(one)
        return found

    @property
    def baseline(self) -> PastRun | None:
        return next((one for one in self.runs if one.is_baseline), None)


def trends(runs: Sequence[PastRun], measure: Callable[[Sequence[PastRun]], Measured]) -> tuple[Trend, ...]:
    """`runs` are newest first; `measure` takes all runs of a version together. What is not graded is left out."""
    sets: dict[tuple[str, str], dict[str, list[PastRun]]] = {}
    for one in reversed(runs):
        if one.measured is not None and one.measured.is_graded:
            sets.setdefault((one.questions, one.grader), {}).setdefault(one.version, []).append(one)
    found = [
        Trend(
            questions, max(one.question_count for group in versions.values() for one in group), grader,
            tuple(VersionShares(version, tuple(one.key for one in group), measure(group))
                  for version, group in versions.items()),
        )
        for (questions, grader), versions in sets.items()
    ]  # fmt: skip
    newest = {(one.questions, one.grader): at for at, one in reversed(list(enumerate(runs)))}
    return tuple(sorted(found, key=lambda one: newest[one.questions, one.grader]))
