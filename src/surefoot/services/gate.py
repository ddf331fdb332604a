"""Two runs, or two files of verdicts, to one decision: every run of both versions, and what people said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.records import MORE_RULES, whose
from surefoot.core.result import READER, Person, Result, Tell
from surefoot.core.types import Estimate, Problem, Question
from surefoot.gate import decide, trust
from surefoot.gate.counts import Pair
from surefoot.gate.decide import Comparison
from surefoot.gate.judge import GroupChange, Request
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.next_steps import Waiting
from surefoot.gate.overview import cited_by, reason_of
from surefoot.gate.rules import WAIVED, Change, Check, Rule
from surefoot.gate.sides import Run as ReadRun
from surefoot.gate.sides import Said
from surefoot.io import gatefiles
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
    step_of,
    versions_of,
)
from surefoot.store import Project, Run

GATE = "ship"  # what decides where nothing else is named
_OF_THE_REQUEST = ("notes", "not_counted", "margin", "look", "uncalibrated", "overridden", "without")
_AS_IT_IS = (
    "against_itself", "names", "runs", "graders", "buckets", "by_stratum", "labelled", "label_next", "next_steps",
    "problems", "measures",
)  # fmt: skip


class GateResult(Result, frozen=True, kw_only=True):
    """Two versions compared, and the decision."""

    beside = ("comparison",)

    outcome: str
    exit_code: ExitCode
    incomplete: tuple[str, ...]
    notes: tuple[str, ...]
    not_counted: tuple[str, ...]
    margin: float
    look: int
    uncalibrated: bool
    overridden: dict[str, Any]
    without: dict[str, str]
    alpha_left: float
    waived: dict[str, str]
    trust: dict[str, Any]
    against_itself: bool
    names: dict[str, str]
    runs: dict[str, list[str]]
    graders: dict[str, list[str]]
    buckets: dict[str, dict[str, int]]
    by_stratum: dict[str, dict[str, dict[str, int]]]
    labelled: dict[str, int]
    label_next: tuple[Waiting, ...]
    next_steps: tuple[str, ...]
    problems: tuple[Problem, ...]
    labelled_by: dict[str, Any] | None
    checks: list[dict[str, Any]]
    measures: dict[str, dict[str, Estimate]]
    changes: dict[str, dict[str, Any]]
    by_group: dict[str, dict[str, dict[str, dict[str, Any]]]]
    moved: list[dict[str, Any]]
    comparison: Comparison

    @property
    def document(self) -> dict[str, Any]:
        """What a project keeps of it: all but the answers, which it has."""
        return {name: self[name] for name in self.printed() if name != "moved"}

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The rules, each with its change and interval."""
        kept = ("name", "rule", "status", "baseline", "candidate", "change", "low", "high", "limit", "margin", "reason")
        return [{key: check[key] for key in kept} for check in self.checks]


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
        return _result(decide.compare([_read(runs[0], db)], [_read(runs[1], db)], parsed, request))
    with opened(runs, db) as (project, _):
        versions = versions_of(project, *_two_of(project, runs, by_own_rules=bool(rules)), request.without)
        return _by_versions(project, versions, parsed, request, person.tell if keep else None)


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
) -> GateResult:
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
        return _result(replace(comparison, against_itself=True))
    found = _result(comparison)
    if keeping is not None:
        before.keep(project, step_of(comparison, versions, rules, found.document), keeping)
    return found


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


def _result(comparison: Comparison) -> GateResult:
    decision, request, annotators = comparison.decision, comparison.request, comparison.trust.annotators
    known = msgspec.to_builtins(comparison.trust)
    return GateResult(
        outcome=decision.outcome,
        exit_code=decision.exit_code,
        incomplete=tuple(decision.incomplete),
        **{name: getattr(request, name) for name in _OF_THE_REQUEST},
        alpha_left=comparison.alpha,
        waived=dict(request.waivers),
        trust={**known, "failed_checks": comparison.failed_checks, "in_words": trust.in_words(comparison.trust)},
        **{name: getattr(comparison, name) for name in _AS_IT_IS},
        labelled_by={"who": whose(annotators), "annotators": list(annotators)} if annotators else None,
        checks=[_check(check) for check in decision.checks],
        changes={name: _change(change) for name, change in comparison.changes.items()},
        by_group={
            field: {value: {name: _group(one) for name, one in changes.items()} for value, changes in values.items()}
            for field, values in comparison.by_group.items()
        },
        moved=[_moved(pair) for pair in comparison.moved],
        comparison=comparison,
    )


def _check(check: Check) -> dict[str, Any]:
    seen = {"baseline": check.before and check.before.value, "candidate": check.seen and check.seen.value}
    numbers = _change(check.change) if check.change else {**dict.fromkeys(("change", "low", "high", "margin")), **seen}
    waived = {"status": WAIVED, "waiver": check.waiver, "without_waiver": check.status} if check.waiver else {}
    return {**check.row(), **numbers, **waived, "before": check.before}


def _change(change: Change) -> dict[str, object]:
    return {name: round(getattr(change, name), 6) for name in change.__struct_fields__}


def _group(one: GroupChange) -> dict[str, object]:
    numbers = _change(one.change) if one.change else dict.fromkeys(Change.__struct_fields__)
    return {**numbers, "seen": one.seen, "before": one.before, "reason": one.reason}


def _moved(pair: Pair) -> dict[str, object]:
    return {
        "question_id": pair.question_id,
        "attempt": pair.attempt,
        "stratum": pair.stratum,
        "question": pair.question.text if pair.question else None,
        "from": pair.base.bucket or UNGRADED,
        "to": pair.cand.bucket or UNGRADED,
        "base": _said(pair.base, pair.question),
        "cand": _said(pair.cand, pair.question),
    }


def _said(said: Said, question: Question | None) -> dict[str, object]:
    verdict, quality = said.verdicts.get("factuality"), said.verdicts.get("refusal_quality")
    return {
        "answer": said.trace.answer if said.trace else None,
        "reason": reason_of(said),
        "by": verdict.grader if verdict else None,
        "evidence": msgspec.to_builtins(verdict.evidence) if verdict else [],
        "refusal_quality_reason": quality.reason if quality else None,
        "refusal_quality_evidence": msgspec.to_builtins(quality.evidence) if quality else None,
        "cited": msgspec.to_builtins(cited_by(said, question)),
        "verdicts": {axis: verdict.value for axis, verdict in said.verdicts.items()},
    }
