"""One run by itself, with the labels on its answers."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from surefoot.errors import ExitCode
from surefoot.gate import trust
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.overview import Overview, overview_of
from surefoot.ledger import Ledger
from surefoot.ledger.places import find
from surefoot.report.blocks import Report
from surefoot.report.comparison_json import estimate_json
from surefoot.report.run import headline, report
from surefoot.services.result import Reported
from surefoot.services.runs import is_run, read_run
from surefoot.services.versions import read_all


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


def overview(run: str | Path, *, ledger: str | Path | None = None) -> RunOverview:
    """`run` is the folder of a graded run, or a file of verdicts, which knows no questions."""
    if not is_run(run):
        return RunOverview(overview_of([read_run(run)]))
    opened = Ledger.existing(find(Path(run), ledger))
    with opened or contextlib.nullcontext():
        return RunOverview(overview_of(read_all([Path(run)], opened) if opened else [read_run(run)]))
