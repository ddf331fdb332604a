"""One run by itself, with the labels on its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from surefoot.core.errors import ExitCode
from surefoot.gate import trust
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.overview import Overview, overview_of
from surefoot.report.blocks import Report
from surefoot.report.comparison import estimate_json
from surefoot.report.run import headline, report
from surefoot.services.result import Reported
from surefoot.services.runs import Name, is_file_of_verdicts, opened, read_all, read_file
from surefoot.store import Project, Run


class RunOverview(Reported):
    """What one run says."""

    def __init__(self, found: Overview) -> None:
        self.found = found

    @property
    def exit_code(self) -> ExitCode:
        found = self.found
        lacking = found.buckets[UNGRADED] or found.incomplete or found.failed_checks
        return ExitCode.OK if found.total and not lacking else ExitCode.INCOMPLETE

    def to_json(self) -> dict[str, Any]:
        found = self.found
        return {
            "run": found.name,
            "headline": headline(found),
            "buckets": found.buckets,
            "by_stratum": found.by_stratum,
            "shares": {
                stratum: {bucket: estimate_json(one) for bucket, one in shares.items()}
                for stratum, shares in found.shares.items()
            },
            "unsure": [{"question_id": one.question_id, "attempt": one.attempt} for one in found.unsure],
            "axes": found.axes,
            "next": msgspec.to_builtins(found.faults),
            "trust": {**msgspec.to_builtins(found.trust), "in_words": trust.in_words(found.trust)},
            "problems": [str(problem) for problem in found.problems],
        }

    def table(self) -> Sequence[Mapping[str, Any]]:
        """What to look into."""
        return [msgspec.to_builtins(one) for one in self.found.faults]

    def report(self) -> Report:
        return report(self.found)

    def __repr__(self) -> str:
        return f"<RunOverview {headline(self.found)}>"


def overview(run: Name, *, db: str | Path | None = None) -> RunOverview:
    """`run` is a graded run, a version for its newest one, or a file of verdicts, which knows no questions."""
    if is_file_of_verdicts(run):
        return RunOverview(overview_of([read_file(run)]))
    with opened([run], db) as (project, runs):
        return overview_in(project, runs[-1])


def overview_in(project: Project, run: Run) -> RunOverview:
    return RunOverview(overview_of(read_all(project, [run])))


def trust_in(found: RunOverview) -> str:
    """How far the verdicts of a run can be trusted, by the labels on its answers."""
    told = found.found.trust
    return trust.in_words(told) + ("" if told.drawn else f"; to find out: surefoot label {found.found.name}")
