"""The runs of a project over time. Nothing is written."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, SurefootError
from surefoot.core.records import BASELINE, CHANGE, Step, where
from surefoot.core.result import Result
from surefoot.gate.metrics import UNGRADED
from surefoot.jobs.overview import RunOverview, overview_of
from surefoot.jobs.runs import read_all
from surefoot.store import Manifest, Project


class PastRun(Struct, frozen=True):
    """A run and what it says; where it cannot be read, the `problem` says why."""

    name: str  # id
    manifest: Manifest
    overview: RunOverview | None  # without its answers
    problem: str = ""

    @property
    def version(self) -> str:
        return self.manifest.version

    @property
    def labelled(self) -> int:
        """Answers that people put into a bucket, in whichever run."""
        return self.overview.trust.labels if self.overview else 0

    @property
    def sitting(self) -> str:
        """The council that scored it, and its questions: runs with the same are ranked together."""
        return f"{self.manifest.council} {self.manifest.questions_sha256}" if self.manifest.council else ""


class Trend(Struct, frozen=True):
    """The versions that answered one question set, graded by one grader, in the order in which they were made."""

    questions: str  # hash of the question set: only runs with the same one can be compared over time
    question_count: int
    grader: str
    versions: dict[str, RunOverview]  # of all runs of a version together


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
        return [
            {"name": one.name, "version": one.version, "made": one.manifest.created, "labelled": one.labelled,
             "is_baseline": one == self.baseline, "problem": one.problem,
             **(one.overview.buckets if one.overview else {})}
            for one in self.runs
        ]  # fmt: skip

    def run(self, name: str) -> PastRun | None:
        return next((one for one in self.runs if name == one.name), None)

    def decision_on(self, run: PastRun) -> Step | None:
        """What was decided last with this run as the candidate."""
        return next((step for step in self.decisions if step.mode == CHANGE and run.name in step.cand_runs), None)

    @property
    def last_change(self) -> tuple[Step, PastRun, PastRun] | None:
        """What was decided last about two runs that are still there."""
        for step in self.decisions:
            base, cand = self.run(step.base_run), self.run(step.cand_run)
            if step.mode == CHANGE and base and cand and base.overview and cand.overview:
                return step, base, cand
        return None

    @property
    def usual_pair(self) -> tuple[str, str]:
        """By name: the last that was decided on; else the baseline, or the oldest, and the newest beside it."""
        if last := self.last_change:
            return last[1].name, last[2].name
        names = [one.name for one in self.runs if one.overview]
        base = self.baseline.name if self.baseline else next(reversed(names), "")
        return base, next((name for name in names if name != base), "")

    @property
    def baseline(self) -> PastRun | None:
        return next((self.run(step.cand_run) for step in self.decisions if step.mode == BASELINE), None)


Stamp = tuple[object, ...]  # as long as it is the same, so is what it was taken of


def history(db: str | Path | None = None) -> History:
    """The runs of a project."""
    return Archive(db).read()


class Archive:
    """Reads a history again and again, anew when something about the project has changed."""

    def __init__(self, db: str | Path | None = None) -> None:
        self.db = where(db)
        self._kept: tuple[Stamp, History] | None = None

    def read(self) -> History:
        with Project.existing(self.db) as project:
            stamp = _stamp(project)
            if self._kept is None or self._kept[0] != stamp:
                self._kept = stamp, _history(project)
            return self._kept[1]

    def stamp(self) -> Stamp:
        """Of everything that a page may show."""
        with Project.existing(self.db) as project:
            return _stamp(project)


def _stamp(project: Project) -> Stamp:
    return (*project.counts().items(), *(msgspec.json.encode(run.manifest) for run in project.runs()))


def _history(project: Project) -> History:
    runs, past = {run.id: run for run in project.runs()[::-1]}, list[PastRun]()

    @cache
    def measure(*ids: str) -> RunOverview:
        """All of them together."""
        return replace(overview_of(read_all(project, [runs[id] for id in ids])), answers=())

    sets: dict[tuple[str, str], dict[str, list[PastRun]]] = {}
    for run in runs.values():
        made = run.manifest
        try:
            past.append(one := PastRun(run.id, made, found := measure(run.id)))
            if found.buckets[UNGRADED] < found.total:  # a council alone puts no answer into a bucket
                of_set = sets.setdefault((made.questions_sha256, made.grader or ""), {})
                of_set.setdefault(run.version, []).append(one)
        except SurefootError as error:
            past.append(PastRun(run.id, made, None, str(error)))
    trends = (
        Trend(
            questions, max(one.manifest.question_count for group in versions.values() for one in group), grader,
            {name: measure(*(one.name for one in reversed(group))) for name, group in reversed(versions.items())},
        )
        for (questions, grader), versions in sets.items()
    )  # fmt: skip
    return History(project.name, tuple(past), tuple(trends), tuple(reversed(project.decisions())))
