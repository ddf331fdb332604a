"""The runs of a project, one by one and over time. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, SurefootError
from surefoot.core.records import BASELINE, CHANGE, Step, current, where
from surefoot.core.result import Result
from surefoot.core.types import Estimate
from surefoot.gate import calibrate
from surefoot.gate.metrics import UNGRADED, Counted
from surefoot.gate.sides import BUCKET_AXIS
from surefoot.jobs.overview import Fault, Overview, headline, overview_of
from surefoot.jobs.runs import Name, is_file_of_verdicts, only_run, opened, read_all, read_file
from surefoot.store import Project, Run


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
    waiting: int = 0  # pairs that nobody had looked at when it was last decided on, and not for good
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


class History(Result, frozen=True):
    """Every run of a project, the buckets from version to version, and what was decided."""

    project: str
    runs: tuple[PastRun, ...]  # newest first
    trends: tuple[Trend, ...]  # that of the newest run first
    decisions: tuple[Step, ...]  # newest first

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if any(one.problem for one in self.runs) else ExitCode.OK

    def table(self) -> list[dict[str, Any]]:
        """The runs, each with its buckets."""
        kept = ("name", "version", "made", "labelled", "is_baseline", "problem")
        return [
            {**{key: getattr(one, key) for key in kept}, **(one.measured.buckets if one.measured else {})}
            for one in self.runs
        ]

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
    def usual_pair(self) -> tuple[str, str]:
        """By key: the last that was decided on; else the baseline, or the oldest, and the newest beside it."""
        if last := self.last_change:
            return last[1].key, last[2].key
        keys = [one.key for one in self.runs if one.measured]
        base = self.baseline.key if self.baseline else next(reversed(keys), "")
        return base, next((key for key in keys if key != base), "")

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


Stamp = tuple[object, ...]  # as long as it is the same, so is what it was taken of


def history(db: str | Path | None = None) -> History:
    """The runs of a project."""
    return Archive(db).read()


class Archive:
    """Reads a history again and again; a run is measured once, until something about the project changes."""

    def __init__(self, db: str | Path | None = None) -> None:
        self.db = where(db)
        self._measured: dict[tuple[str, ...], tuple[Stamp, Measured]] = {}

    def read(self) -> History:
        with Project.existing(self.db) as project:
            runs, steps = project.runs()[::-1], project.decisions()
            labelled = {label.version for label in current(project.labels()) if label.axis == BUCKET_AXIS}
            by_id, stamp = {run.id: run for run in runs}, _stamp(project)

            def measure(ids: tuple[str, ...]) -> Measured:
                """All of them together."""
                kept = self._measured.get(ids)
                if kept is None or kept[0] != stamp:
                    read = read_all(project, [by_id[id] for id in ids])
                    found = overview_of(read)
                    done = labelled & {key for run in read for key in run.versions.values()}
                    measured = Measured(found.buckets, found.shares[""], len(done), found.faults)
                    kept = self._measured[ids] = stamp, measured
                return kept[1]

            past = tuple(_with_fate(_past(run, measure), steps) for run in runs)
            return History(
                project.name, past, trends(past, lambda group: measure(tuple(one.name for one in group))),
                tuple(reversed(steps)),
            )  # fmt: skip

    def stamp(self) -> Stamp:
        """Of everything that a page may show."""
        with Project.existing(self.db) as project:
            return _stamp(project)


def _stamp(project: Project) -> Stamp:
    return (*project.counts().items(), *(msgspec.json.encode(run.manifest) for run in project.runs()))


def _past(run: Run, measure: Callable[[tuple[str, ...]], Measured]) -> PastRun:
    made, measured, problem = run.manifest, None, ""
    try:
        measured = measure((run.id,))
    except SurefootError as error:
        problem = str(error)
    return PastRun(
        key=run.id, name=run.id, version=run.version, made=made.created, grader=made.grader or "",
        council=made.council, questions=made.questions_sha256, question_count=made.question_count, measured=measured,
        problem=problem,
    )  # fmt: skip


def _with_fate(run: PastRun, steps: Sequence[Step]) -> PastRun:
    """What was decided about it and said of it."""
    decided = [step for step in steps if step.mode == CHANGE and run.name in step.cand_runs]
    moves, last = [step for step in steps if step.mode == BASELINE], decided[-1] if decided else None
    return replace(
        run,
        decision=LastDecision(last.outcome, last.at, last.reference) if last else None,
        labelled=run.measured.labelled if run.measured else 0,
        waiting=int(str(last.document.get("unseen", 0))) if last and last.outcome == "INCONCLUSIVE" else 0,
        is_baseline=bool(moves) and moves[-1].cand_run == run.name,
    )


class RunOverview(Result, frozen=True, kw_only=True):
    """What one run says."""

    beside = ("overview",)

    run: str
    headline: str
    buckets: dict[str, int]
    by_stratum: dict[str, dict[str, int]]
    shares: dict[str, dict[str, Estimate]]
    unsure: list[dict[str, Any]]
    axes: dict[str, dict[str, int]]
    next: tuple[Fault, ...]
    trust: dict[str, Any]
    problems: list[str]
    overview: Overview

    @property
    def exit_code(self) -> ExitCode:
        found = self.overview
        lacking = found.buckets[UNGRADED] or found.incomplete or found.failed_checks
        return ExitCode.OK if found.total and not lacking else ExitCode.INCOMPLETE

    def table(self) -> Sequence[Mapping[str, Any]]:
        """What to look into."""
        return list(self["next"])


def overview(run: Name, *, db: str | Path | None = None) -> RunOverview:
    """`run` is a graded run, a version for its newest one, or a file of verdicts, which knows no questions."""
    if is_file_of_verdicts(run):
        return _result(overview_of([read_file(run)]))
    with opened([run], db) as (project, _):
        return _result(overview_of(read_all(project, [only_run(project, run)])))


def _result(found: Overview) -> RunOverview:
    return RunOverview(
        run=found.name, headline=headline(found), buckets=found.buckets, by_stratum=found.by_stratum,
        shares=found.shares, axes=found.axes, next=found.faults, problems=[str(one) for one in found.problems],
        unsure=[{"question_id": one.question_id, "attempt": one.attempt} for one in found.unsure],
        trust={**msgspec.to_builtins(found.trust), "in_words": calibrate.in_words(found.trust)}, overview=found,
    )  # fmt: skip
