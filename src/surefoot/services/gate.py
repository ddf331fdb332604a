"""Two runs, or two files of verdicts, to one decision: every run of both versions, and what people said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.records import MORE_RULES
from surefoot.gate import decide
from surefoot.gate.decide import Comparison
from surefoot.gate.judge import Request
from surefoot.gate.rules import Rule
from surefoot.gate.sides import Run as ReadRun
from surefoot.io import gatefiles
from surefoot.report import comparison as comparison_json
from surefoot.report.blocks import Report
from surefoot.report.comparison import report
from surefoot.services.result import READER, Person, Reported, Tell
from surefoot.services.runs import (
    Name,
    PastDecisions,
    Versions,
    current_baseline,
    is_file_of_verdicts,
    latest_shipped,
    only_run,
    opened,
    read_all,
    read_file,
    versions_of,
)
from surefoot.store import Project, Run

GATE = "ship"  # what decides where nothing else is named


class GateResult(Reported):
    """Two versions compared, and the decision."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

    @property
    def outcome(self) -> str:
        return self.comparison.decision.outcome

    @property
    def exit_code(self) -> ExitCode:
        return self.comparison.decision.exit_code

    def to_json(self) -> dict[str, Any]:
        return comparison_json.as_json(self.comparison)

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The rules, each with its change and interval."""
        kept = ("name", "rule", "status", "baseline", "candidate", "change", "low", "high", "limit", "margin", "reason")
        return [{key: check[key] for key in kept} for check in self.to_json()["checks"]]

    def report(self) -> Report:
        return report(self.comparison)

    def __repr__(self) -> str:
        return f"<GateResult {self.outcome}: {' and '.join(self.comparison.names.values())}>"


def gate(
    *runs: Name,
    gate: str | Path | gatefiles.GateFile | None = None,
    rules: Sequence[str] = (),
    margin: float | None = None,
    uncalibrated: bool = False,
    waive: Mapping[str, str] | None = None,
    without: Mapping[str, str] | None = None,
    by: str | Sequence[str] = (),
    db: str | Path | None = None,
    keep: bool = True,
    person: Person = READER,
) -> GateResult:
    """Decide whether the candidate may ship: by the rules of `gate`, and of `rules`, each one line.

    `runs` are base and candidate: versions, runs, files that `export` wrote, or files of verdicts. A candidate alone is
    compared with the baseline, else with the version that shipped last; without runs, the newest version is the
    candidate. `waive` and `without` give reasons, by rule and by run. The decision is kept; without `keep`, it is not.
    """
    file = gatefiles.read(gate or GATE)
    chosen = file.margin if margin is None else margin
    gatefiles.check_margin(chosen)
    parsed = [Rule.parse(text, name) for name, text in gatefiles.chosen(gate, rules, GATE)]
    request = Request(
        waivers=waive or {}, uncalibrated=uncalibrated, margin=chosen, without=without or {},
        by=(by,) if isinstance(by, str) else tuple(by), overridden=_overridden(parsed, chosen, file),
    )  # fmt: skip
    if len(runs) > 2:
        raise UsageError(f"two runs are compared, not {len(runs)}", "write surefoot gate BASE CAND")
    files = [name for name in runs if is_file_of_verdicts(name)]
    if files and without:
        raise UsageError("--without leaves out a run of the project", "files of verdicts have none")
    if files:
        if len(runs) < 2:
            raise UsageError("a file of verdicts has no baseline", "write surefoot gate BASE CAND")
        return GateResult(decide.compare([_read(runs[0], db)], [_read(runs[1], db)], parsed, request))
    with opened(runs, db) as (project, _):
        versions = versions_of(project, *_two_of(project, runs, by_own_rules=bool(rules)), request.without)
        return GateResult(_by_versions(project, versions, parsed, request, person.tell if keep else None))


def _read(name: Name, db: str | Path | None) -> ReadRun:
    if is_file_of_verdicts(name):
        return read_file(name)
    with opened([name], db) as (project, runs):
        return read_all(project, runs)[-1]


def _two_of(project: Project, names: Sequence[Name], *, by_own_rules: bool) -> tuple[Run, Run]:
    """Return base and candidate, finding those that are not named."""
    if len(names) == 2:
        return only_run(project, names[0]), only_run(project, names[1])
    base = current_baseline(project)
    if names:
        cand = only_run(project, names[0])
    else:
        others = [run for run in project.runs() if run.manifest.finished and (not base or run.version != base.version)]
        if not others:
            raise UsageError("no version was run that is not the baseline's", "write surefoot gate BASE CAND")
        cand = others[-1]
    base = base or latest_shipped(project, cand, by_own_rules=by_own_rules)
    if base is None:
        hint = "name the baseline: surefoot gate BASE CAND; or begin with one: surefoot baseline update BASE"
        raise UsageError("there is no baseline yet, and no version has shipped", hint)
    return base, cand


def _by_versions(
    project: Project, versions: Versions, rules: Sequence[Rule], request: Request, keeping: Tell | None
) -> Comparison:
    """All runs of both versions, with what people said of them and what was decided about them before.

    `keeping` is told where the decision cannot be kept; None keeps nothing.
    """
    base, cand = read_all(project, versions.base), read_all(project, versions.cand)
    before = PastDecisions(project.decisions(), versions)
    request = replace(
        request, look=before.look, notes=(*versions.notes, *before.notes()), not_counted=versions.not_counted,
    )  # fmt: skip
    comparison = decide.compare(base, cand, rules, request)
    if versions.base[-1].id == versions.cand[-1].id:
        return replace(comparison, against_itself=True)
    if keeping is not None:
        before.keep(project, comparison, rules, keeping)
    return comparison


def _overridden(
    rules: Sequence[Rule], margin: float, file: gatefiles.GateFile
) -> dict[str, float | str | tuple[str, ...]]:
    """What the command line puts in place of the gate file's, where it differs."""
    found: dict[str, float | str | tuple[str, ...]] = {} if margin == file.margin else {"margin": margin}
    texts = tuple(rule.text for rule in rules)
    of_the_file = tuple(" ".join(text.split()) for text in file.rules.values())
    if texts[: len(of_the_file)] != of_the_file:
        found["rules"] = texts
    elif added := texts[len(of_the_file) :]:
        found[MORE_RULES] = added
    return found
