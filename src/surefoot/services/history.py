"""The runs of a project over time. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from surefoot.core.errors import SurefootError
from surefoot.core.records import Step, where
from surefoot.gate.overview import BASELINE, CHANGE, History, LastDecision, Measured, PastRun, overview_of, trends
from surefoot.services.looks import labelled
from surefoot.services.runs import read_all
from surefoot.store import Project, Run

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
            runs, labels, steps = project.runs()[::-1], project.labels(), project.decisions()
            by_id, stamp = {run.id: run for run in runs}, _stamp(project)

            def measure(ids: tuple[str, ...]) -> Measured:
                """All of them together."""
                kept = self._measured.get(ids)
                if kept is None or kept[0] != stamp:
                    read = read_all(project, [by_id[id] for id in ids])
                    found = overview_of(read)
                    done = labelled(labels) & {key for run in read for key in run.versions.values()}
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
    moves = [step for step in steps if step.mode == BASELINE]
    return replace(
        run,
        decision=LastDecision(decided[-1].outcome, decided[-1].at, decided[-1].reference) if decided else None,
        labelled=run.measured.labelled if run.measured else 0,
        is_baseline=bool(moves) and moves[-1].cand_run == run.name,
    )
