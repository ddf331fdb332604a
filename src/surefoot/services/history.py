"""The runs of a project over time. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from surefoot.errors import ExitCode, SurefootError
from surefoot.gate.history import BASELINE, CHANGE, History, LastDecision, Measured, PastRun, trends
from surefoot.gate.overview import overview_of
from surefoot.records import Step, where
from surefoot.report.blocks import Report
from surefoot.report.comparison_json import estimate_json
from surefoot.report.history import report
from surefoot.services.decisions import label_next
from surefoot.services.label_queue import labelled, queue_of
from surefoot.services.result import Reported
from surefoot.services.runs import read_all
from surefoot.store import Project, Run

Stamp = tuple[object, ...]  # as long as it is the same, so is what it was taken of


class ProjectHistory(Reported):
    """Every run, the buckets from version to version, and what was decided."""

    def __init__(self, found: History) -> None:
        self.found = found

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if any(one.problem for one in self.found.runs) else ExitCode.OK

    def to_json(self) -> dict[str, Any]:
        found = self.found
        return {
            "project": found.project,
            "runs": [{**msgspec.to_builtins(one), "measured": _json(one.measured)} for one in found.runs],
            "trends": [
                {"questions": trend.questions, "grader": trend.grader,
                 "versions": [{"version": one.version, "runs": list(one.runs), **(_json(one.measured) or {})}
                              for one in trend.versions]}
                for trend in found.trends
            ],
            "decisions": msgspec.to_builtins(found.decisions),
            "certificates": msgspec.to_builtins(found.certificates),
        }  # fmt: skip

    def table(self) -> list[dict[str, Any]]:
        """The runs, each with its buckets."""
        kept = ("name", "version", "made", "labelled", "is_baseline", "problem")
        return [
            {**{key: getattr(one, key) for key in kept}, **(one.measured.buckets if one.measured else {})}
            for one in self.found.runs
        ]

    def report(self) -> Report:
        return report(self.found)

    def __repr__(self) -> str:
        return f"<ProjectHistory of {len(self.found.runs)} runs>"


def history(db: str | Path | None = None) -> ProjectHistory:
    """The runs of a project."""
    return Archive(db).read()


def _json(measured: Measured | None) -> dict[str, Any] | None:
    if measured is None:
        return None
    return {"buckets": measured.buckets, "shares": {key: estimate_json(one) for key, one in measured.shares.items()}}


class Archive:
    """Reads a history again and again; a run is measured once, until something about the project changes."""

    def __init__(self, db: str | Path | None = None) -> None:
        self.db = where(db)
        self._measured: dict[tuple[str, ...], tuple[Stamp, Measured]] = {}

    def read(self) -> ProjectHistory:
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

            past = tuple(_with_fate(project, _past(run, measure), steps) for run in runs)
            found = History(
                project.name, past, trends(past, lambda group: measure(tuple(one.name for one in group))),
                tuple(reversed(steps)), tuple(project.certificates()),
            )  # fmt: skip
        return ProjectHistory(found)

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


def _with_fate(project: Project, run: PastRun, steps: Sequence[Step]) -> PastRun:
    """What was decided about it and said of it."""
    decided = [step for step in steps if step.mode == CHANGE and run.name in step.cand_runs]
    moves = [step for step in steps if step.mode == BASELINE]
    return replace(
        run,
        decision=LastDecision(decided[-1].outcome, decided[-1].at, decided[-1].reference) if decided else None,
        labelled=run.measured.labelled if run.measured else 0,
        waiting=_waiting(project, run) if label_next(project, run.name) else 0,
        is_baseline=bool(moves) and moves[-1].cand_run == run.name,
    )


def _waiting(project: Project, run: PastRun) -> int:
    """As many as the label page has left of them."""
    rows = queue_of(project, project.named(run.name)).table() if run.measured else ()
    return sum(row["for_gate"] for row in rows)
