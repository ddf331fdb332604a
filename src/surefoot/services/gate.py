"""Two runs, or two files of verdicts, to one decision: every run of both versions, and what people said of them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.gate import decide
from surefoot.gate.decide import Comparison
from surefoot.gate.judge import Request
from surefoot.gate.rules import Rule
from surefoot.io import gatefiles
from surefoot.io.writer import printable
from surefoot.ledger import Ledger
from surefoot.ledger.places import find
from surefoot.records import MORE_RULES
from surefoot.report import comparison_json
from surefoot.report.blocks import Report
from surefoot.report.comparison import report
from surefoot.services.decisions import (
    PastDecisions,
    current_baseline,
    keep_in_folder,
    latest_shipped,
    newest_run,
)
from surefoot.services.result import READER, Person, Reported, Tell
from surefoot.services.runs import is_run, read_run
from surefoot.services.versions import earlier_labels, read_all, versions_of

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
    *runs: str | Path,
    gate: str | Path | gatefiles.GateFile | None = None,
    rules: Sequence[str] = (),
    margin: float | None = None,
    alpha: float | None = None,
    claim: str | None = None,
    uncalibrated: bool = False,
    waive: Mapping[str, str] | None = None,
    without: Mapping[str, str] | None = None,
    by: str | Sequence[str] = (),
    ledger: str | Path | None = None,
    keep: bool = True,
    person: Person = READER,
) -> GateResult:
    """Decide whether the candidate may ship: by the rules of `gate`, and of `rules`, each one line.

    `runs` are base and candidate: folders of runs or files of verdicts. A candidate alone is compared with the baseline
    of the ledger, else with the run beside it that shipped last; without runs, the newest version is the candidate.
    `waive` and `without` give reasons, by rule and by run. What is decided is kept in the candidate's folder and in the
    ledger; without `keep`, nothing is.
    """
    tell = person.tell
    base, cand = _two_of(runs, ledger, by_own_rules=bool(rules))
    file = gatefiles.read(gate or GATE)
    given = {"alpha": alpha, "margin": margin, "claim": claim}
    chosen = replace(file.change, **{key: value for key, value in given.items() if value is not None})
    gatefiles.check(chosen)
    parsed = [Rule.parse(text, name) for name, text in gatefiles.chosen(gate, rules, GATE)]
    request = Request(
        waivers=waive or {}, uncalibrated=uncalibrated, alpha=chosen.alpha, margin=chosen.margin, claim=chosen.claim,
        by=(by,) if isinstance(by, str) else tuple(by), overridden=_overridden(parsed, chosen, file),
        without=without or {},
    )  # fmt: skip
    with _ledger((base, cand), ledger, tell, keep) as opened:
        if opened is not None and is_run(base) and is_run(cand):
            comparison = _by_versions(opened, (Path(base), Path(cand)), parsed, request, tell if keep else None)
        elif without:
            raise UsageError("--without leaves out a run that a ledger knows", "files of verdicts have none")
        else:
            comparison = decide.compare([read_run(base)], [read_run(cand)], parsed, request)
    if keep:
        keep_in_folder(Path(cand), comparison, tell)
    return GateResult(comparison)


def _two_of(
    runs: Sequence[str | Path], ledger: str | Path | None, *, by_own_rules: bool
) -> tuple[str | Path, str | Path]:
    """Return base and candidate, finding those that are not named."""
    if len(runs) == 2:
        return runs[0], runs[1]
    if len(runs) > 2:
        raise UsageError(f"two runs are compared, not {len(runs)}", "write surefoot gate BASE CAND")
    cand = runs[0] if runs else newest_run(ledger)
    return current_baseline(ledger, beside=cand) or latest_shipped(Path(cand), by_own_rules=by_own_rules), cand


def _by_versions(
    ledger: Ledger, paths: tuple[Path, Path], rules: Sequence[Rule], request: Request, keeping: Tell | None
) -> Comparison:
    """All runs of both versions, with what people said of them and what was decided about them before.

    `keeping` is told where the decision cannot be kept; None keeps nothing.
    """
    versions = versions_of(ledger, *paths, request.without, register=keeping is not None)
    base, cand = read_all(versions.base, ledger), read_all(versions.cand, ledger)
    before = PastDecisions(ledger.steps(), versions)
    request = replace(
        request, look=before.look, earlier=earlier_labels(ledger, versions, [*base, *cand]),
        notes=(*versions.notes, *before.notes()), not_counted=versions.not_counted,
    )  # fmt: skip
    comparison = decide.compare(base, cand, rules, request)
    if paths[0].resolve() == paths[1].resolve():
        return replace(comparison, against_itself=True)
    if keeping is not None:
        before.keep(ledger, comparison, rules, keeping)
    return comparison


def _overridden(
    rules: Sequence[Rule], chosen: gatefiles.Sureness, file: gatefiles.GateFile
) -> dict[str, float | str | tuple[str, ...]]:
    """What the command line puts in place of the gate file's, where it differs."""
    numbers = {key: (getattr(chosen, key), getattr(file.change, key)) for key in ("alpha", "margin", "claim")}
    found: dict[str, float | str | tuple[str, ...]] = {key: now for key, (now, was) in numbers.items() if now != was}
    texts = tuple(rule.text for rule in rules)
    of_the_file = tuple(" ".join(text.split()) for text in file.rules.values())
    if texts[: len(of_the_file)] != of_the_file:
        found["rules"] = texts
    elif added := texts[len(of_the_file) :]:
        found[MORE_RULES] = added
    return found


@contextlib.contextmanager
def _ledger(paths: Sequence[str | Path], given: str | Path | None, tell: Tell, keep: bool) -> Iterator[Ledger | None]:
    """The project's ledger; files of verdicts have none unless it is named."""
    runs = [path for path in paths if is_run(path)]
    if not runs and not given:
        yield None
        return
    where = find(Path(runs[-1]) if runs else None, given)
    with _opened(where, tell, make=bool(runs), keep=keep) as ledger:
        yield ledger


def _opened(where: str, tell: Tell, *, make: bool, keep: bool) -> contextlib.AbstractContextManager[Ledger | None]:
    """A ledger that is there has to be read: its runs and labels may decide. A new one is made where that can be."""
    try:
        opened = Ledger.existing(where)
    except OSError as error:  # a folder that may not even be looked into
        message = f"the ledger {printable(Path(where))} cannot be read: {error.strerror}"
        raise Incomplete(message, "ask for the right to read it: its runs and labels may decide") from error
    if opened is not None:
        return opened
    if not make:
        raise UsageError("there is no ledger at the place that was named", "leave --ledger out: files need none")
    if not keep:
        return contextlib.nullcontext()
    try:
        return Ledger.open(where)
    except Incomplete as error:
        if "://" in where or os.path.lexists(where):
            raise
        tell(f"note: {error.message}; the decision is not kept in it")
        return contextlib.nullcontext()
