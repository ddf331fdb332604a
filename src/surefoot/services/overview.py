"""One run by itself, with the labels on its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from surefoot.core.errors import ExitCode
from surefoot.core.result import Result
from surefoot.core.types import Estimate
from surefoot.gate import trust
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.overview import Fault, Overview, headline, overview_of
from surefoot.services.runs import Name, is_file_of_verdicts, only_run, opened, read_all, read_file


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
        trust={**msgspec.to_builtins(found.trust), "in_words": trust.in_words(found.trust)}, overview=found,
    )  # fmt: skip


def trust_in(found: Overview) -> str:
    """How far the verdicts of a run can be trusted, by the labels on its answers."""
    told = found.trust
    return trust.in_words(told) + ("" if told.drawn else f"; to find out: surefoot label {found.name}")
