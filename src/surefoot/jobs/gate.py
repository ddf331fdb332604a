"""Two versions to one decision: every run of both, what differs, and what people said of it. And the baseline."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from surefoot.core.errors import ExitCode, Incomplete, UsageError
from surefoot.core.records import BAD, BASELINE, CHANGE, MORE_RULES, WITHOUT, Label, Step, agreed, timestamp
from surefoot.core.result import READER, Person, Result, Tell
from surefoot.core.types import counted, names
from surefoot.gate.decide import GRADER, Request
from surefoot.gate.metrics import Rule
from surefoot.gate.sides import BUCKET_AXIS
from surefoot.gate.sides import Run as ReadRun
from surefoot.jobs.decision import GateResult, compare, words_for
from surefoot.jobs.overview import overview_of
from surefoot.jobs.runs import Name, Versions, is_file_of_verdicts, only_run, opened, read_all, read_file, versions_of
from surefoot.jobs.settings import Gate, chosen_rules, load_gate
from surefoot.store import Project, Run

GATE = "ship"  # what decides where nothing else is named
_MOSTLY = 0.5  # of the answers


def gate(
    *runs: Name,
    gate: Gate | None = None,
    rules: Sequence[str] = (),
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
    compared with the baseline; without runs, the newest version is the candidate. `waive` and `without` give reasons,
    by rule and by run. The decision is kept; without `keep`, it is not.
    """
    parsed = [Rule.parse(text, name) for name, text in chosen_rules(gate, rules, GATE)]
    added = tuple(rule.text for rule in parsed[len(parsed) - len(rules) :])
    changed = {"rules" if gate is None else MORE_RULES: added} if rules else {}
    if len(runs) > 2:
        raise UsageError(f"two versions are compared, not {len(runs)}", "write surefoot gate BASE CAND")
    request = Request(
        called=("", ""), waivers=waive or {}, uncalibrated=uncalibrated, by=(by,) if isinstance(by, str) else tuple(by)
    )
    if files := [name for name in runs if is_file_of_verdicts(name)]:
        if without:
            raise UsageError("--without leaves out a run of the project", "files of verdicts have none")
        if len(runs) < 2:
            raise UsageError(f"the file of verdicts {files[0]} has no baseline", "write surefoot gate BASE CAND")
        base, cand = (_read(name, db) for name in runs)
        return replace(compare([base], [cand], parsed, replace(request, called=(base.name, cand.name))),
                       overridden=changed)  # fmt: skip
    with opened(runs, db) as (project, _):
        versions = versions_of(project, *_two_of(project, runs), without or {})
        found = replace(_decided(project, versions, parsed, request), overridden=changed)
        if keep and versions.base[-1].id != versions.cand[-1].id:
            keep_decision(project, step_of(found, versions, parsed), person.tell)
        return found


def _decided(project: Project, versions: Versions, rules: Sequence[Rule], request: Request) -> GateResult:
    """All runs of both versions, by the rules and by what was decided before."""
    is_itself = versions.base[-1].id == versions.cand[-1].id
    request = replace(request, called=versions.names, cannot_ask=cannot_ask(versions))
    found = compare(read_all(project, versions.base), read_all(project, versions.cand), rules, request)
    notes = [f"both sides are the run {versions.names[1]}"] if is_itself else []
    notes += [*found.notes, *versions.notes, *notes_on(project, versions, rules)]
    found = replace(found, not_counted=versions.not_counted, notes=tuple(notes))
    if is_itself:
        return found
    found = _with_blocks(project, versions, found)
    return replace(found, baseline=_anchor(project, versions, found))


def _read(name: Name, db: str | Path | None) -> ReadRun:
    if is_file_of_verdicts(name):
        return read_file(name)
    with opened([name], db) as (project, runs):
        return read_all(project, runs)[-1]


def _two_of(project: Project, names: Sequence[Name]) -> tuple[Run, Run]:
    """Return base and candidate, finding those that are not named."""
    if len(names) == 2:
        return only_run(project, names[0]), only_run(project, names[1])
    base = current_baseline(project)
    if base is None:
        hint = "name one: surefoot gate BASE CAND; set one: surefoot baseline BASE; or import one: surefoot import FILE"
        raise Incomplete("there is no baseline yet to compare with", hint)
    if names:
        cand = only_run(project, names[0])
        if cand.version == base.version:
            hint = f"name a new version, or two runs; `surefoot baseline` says what {base.version} answers"
            raise UsageError(f"{cand.version} is the baseline, so there is nothing to compare it with", hint)
        return base, cand
    whole = (run for run in project.runs() if run.manifest.finished and not run.manifest.partial)
    # What only a council scored, as the answers of `council ask`, is no version of the pipeline.
    others = [run for run in whole if run.version != base.version and (run.manifest.grader or not run.manifest.council)]
    if not others:
        raise UsageError("no version was run but the baseline's", "write surefoot gate BASE CAND")
    return base, others[-1]


def _with_blocks(project: Project, versions: Versions, found: GateResult) -> GateResult:
    """A block by people is final for its code: changed code, a corrected label or a waiver opens the decision again.

    Where every answer is one that the baseline gave, whatever was wrong was elsewhere, and is mended.
    """
    step = next((one for one in reversed(project.decisions()) if _blocks(one, versions, found)), None)
    if step is None:
        return found
    if not found.differing:
        note = f"this code was blocked on {step.at[:10]}, and every answer is the baseline's now"
        return replace(found, notes=(note, *found.notes))
    if corrected := _corrected(project, versions, step):
        told = f"reopened by a corrected label on {names(corrected, len(corrected), 4)}"
        return replace(found, notes=(f"blocked on {step.at[:10]} and {told}", *found.notes))
    if found.outcome == "BLOCK":
        return found
    why = f"this code was blocked on {step.at[:10]}: {step.document.get('headline', '')}"
    notes = (f"decided afresh, it would be {found.outcome}: {found.headline}", *found.notes)
    back = f"change the code of {versions.key[1]}, or correct a label: surefoot label {' '.join(found.names.values())}"
    return replace(found, outcome="BLOCK", exit_code=ExitCode.BLOCKED, headline=why, notes=notes, next=(back,))


def _blocks(step: Step, versions: Versions, found: GateResult) -> bool:
    is_mine = step.mode == CHANGE and step.outcome == "BLOCK" and step.reference == versions.key[0]
    if not is_mine or step.code != versions.code or step.uncalibrated:
        return False
    rows: list[dict[str, object]] = step.document.get("rules", [])  # type: ignore[assignment]
    failed = [row for row in rows if row["holds"] is False and row["waiver"] is None and row["by"] != GRADER]
    return bool({row["name"] for row in failed} & {rule.name for rule in found.rules} - found.waived.keys())


def _corrected(project: Project, versions: Versions, step: Step) -> list[str]:
    """The questions on whose answers people have changed their word since a decision."""
    keys = {key: id for run in (*versions.base, *versions.cand) for (id, _), key in run.answer_keys().items()}
    rows: dict[str, list[Label]] = {}
    for label in project.labels(keys=keys):
        if label.axis == BUCKET_AXIS:
            rows.setdefault(label.version, []).append(label)
    found = set[str]()
    for key, labels in rows.items():
        then, now = agreed(label for label in labels if label.id in step.pinned), agreed(labels)
        if then and then.value is not None and (now is None or now.value not in (None, then.value)):
            found.add(keys[key])
    return sorted(found)


def _anchor(project: Project, versions: Versions, found: GateResult) -> str:
    """How far this version is from the baseline, and which command would move that."""
    anchor, (base, cand) = current_baseline(project), versions.key
    if anchor is None:
        return f"there is no baseline yet; to set one: surefoot baseline {base}"
    if anchor.version != base:
        return f"the baseline is {anchor.version}, not {base}: surefoot gate {cand} compares with it"
    if found.outcome != "SHIP":
        return f"the baseline stays {base}"
    counts = [rule for rule in found.rules if rule.metric in BAD and rule.change]
    moved = [f"{rule.metric} {words_for(rule, rule.change)}" for rule in counts]
    far = f"{cand} is estimated at {', '.join(moved)} from it" if moved else f"{cand} is as good"
    return f"the baseline stays {base}; {far}; to move it: surefoot baseline {cand}"


def cannot_ask(versions: Versions) -> list[int]:
    """The sides whose pipeline cannot be asked again: logs, and a baseline whose code the candidate has replaced.

    Whatever code lies in this folder: everywhere the same answers lead to the same decision.
    """
    base, cand = made = versions.base[-1].manifest, versions.cand[-1].manifest
    is_replaced = base.pipeline == cand.pipeline and base.code_sha256 != cand.code_sha256
    logs = [bool(one.log_sha256) or one.pipeline.startswith("traces:") for one in made]
    return [side for side, is_log in enumerate(logs) if is_log or (side == 0 and is_replaced)]


def notes_on(project: Project, versions: Versions, rules: Sequence[Rule]) -> Iterator[str]:
    """What a decision has to say of those before it: what was left out, is gone, or was decided by."""
    steps = [step for step in project.decisions() if step.mode == CHANGE]
    mine = [step for step in steps if (step.reference, step.release) == versions.key]
    runs = {run.id for run in project.runs()}
    there = {id for run in (*versions.base, *versions.cand) for id in run.verdict_ids()} if mine else set()
    told: dict[str, str] = {}
    for step in mine:
        for run in step.overridden.get(WITHOUT, ()):
            told.setdefault(run, f"left out on {step.at[:10]}: {run}")
        for run in {*step.base_runs, *step.cand_runs} - runs:
            told.setdefault(run, f"the run {run}, which was counted on {step.at[:10]}, is gone")
        if {*step.base_runs, *step.cand_runs} <= runs and (lost := {*step.pinned} - there):
            told["lost"] = f"{len(lost)} verdicts or labels that were there on {step.at[:10]} are gone"
    yield from (words for run, words in told.items() if run not in versions.left_out)
    by = tuple(sorted(rule.text for rule in rules))
    # However often it was decided by other rules since: as long as the baseline is the same, that is told.
    related = [step for step in steps if step is steps[-1] or step.reference == versions.key[0]]
    usual = (step for step in reversed(related) if not {"rules", MORE_RULES} & step.overridden.keys())
    if other := next((step for step in usual if step.rules != by), None):
        on = sorted({re.split("[<>=]", text)[0].strip() for text in {*by} ^ {*other.rules}})
        yield f"other rules than on {other.at[:10]}: {names(on, len(on), 4)}"


def keep_decision(project: Project, step: Step, tell: Tell) -> None:
    """Add the decision, unless it says the same as the last one."""
    last = next((one for one in reversed(project.decisions()) if one.mode == CHANGE), None)
    if last is not None and replace(last, id="", at="", document={}) == replace(step, id="", at="", document={}):
        return
    try:
        project.add(step)
    except Incomplete as error:
        if step.outcome == "SHIP":  # what is not kept could be tried for again and again
            raise
        tell(f"note: {error.message}; the decision is not kept")


def step_of(found: GateResult | None, versions: Versions, rules: Sequence[Rule] = ()) -> Step:
    """A decision to keep; the first baseline has none."""
    made = versions.cand[-1].manifest
    left_out = {WITHOUT: versions.left_out} if versions.left_out else {}
    told: dict[str, Any] = {"outcome": "", "exit_code": 0} if found is None else {
        "outcome": found.outcome, "exit_code": int(found.exit_code), "waived": found.waived,
        "uncalibrated": found.uncalibrated, "overridden": {**found.overridden, **left_out},
        "document": {name: found[name] for name in found.printed() if name != "changed"},
    }  # fmt: skip
    return Step(
        id=uuid.uuid4().hex[:12], at=timestamp(), mode=CHANGE, reference=versions.key[0], release=versions.key[1],
        code=versions.code, base_runs=tuple(run.id for run in versions.base),
        cand_runs=tuple(run.id for run in versions.cand), grader=made.grader or "",
        questions_sha256=made.questions_sha256, rules=tuple(sorted(rule.text for rule in rules)),
        pinned=tuple(sorted({id for run in (*versions.base, *versions.cand) for id in run.verdict_ids()})),
        **told,
    )  # fmt: skip


def current_baseline(project: Project) -> Run | None:
    """The run that the baseline was last moved to; None where it was never set."""
    moves = [step for step in project.decisions() if step.mode == BASELINE]
    if not moves:
        return None
    if (run := project.run(moves[-1].cand_run)) is None:
        message = f"the baseline is the run {moves[-1].cand_run}, and the project has it no longer"
        raise Incomplete(message, "import it again, or set another: surefoot baseline RUN")
    return run


def decisions(db: str | Path | None = None) -> list[Step]:
    """Everything that was decided so far, oldest first."""
    with Project.existing(db) as project:
        return project.decisions()


class BaselineResult(Result, frozen=True, kw_only=True):
    """Which version is the baseline, and what it answers."""

    run: str | None  # id
    version: str
    before: str | None  # the run that was the baseline
    moved: bool
    headline: str
    warning: str
    buckets: dict[str, int]
    exit_code: ExitCode = ExitCode.OK


def baseline(
    run: Name | None = None, *, accept_worse: str | None = None, db: str | Path | None = None, person: Person = READER
) -> BaselineResult:
    """Move the baseline to a run, or say which it is.

    The first has nothing to be compared with. Later ones must have shipped against the baseline of now, and no count of
    bad answers may be estimated above its own, unless `accept_worse` says why.
    """
    if accept_worse is not None and not accept_worse.strip():
        raise UsageError("--accept-worse needs a reason", 'write --accept-worse "REASON"')
    with opened([run] if run else [], db) as (project, _):
        before = current_baseline(project)
        if run is None:
            if before is None:
                raise UsageError("there is no baseline yet", "set one: surefoot baseline RUN")
            return _told(project, before, before, moved=False)
        cand = only_run(project, run)
        told = _told(project, cand, before, moved=before is None or before.version != cand.version)
        if not told.moved:
            return told
        if lacking := told.buckets["ungraded"]:
            are = f"{counted(lacking, 'answer')} of {cand.id} {'is' if lacking == 1 else 'are'} not graded"
            raise Incomplete(f"{are}, so it cannot be the baseline", f"surefoot grade {cand.id}")
        versions, found, waived = versions_of(project, before or cand, cand, {}), None, {}
        if before is not None:
            rules = [Rule.parse(text, name) for name, text in load_gate(GATE).items()]
            found = _decided(project, versions, rules, Request(called=("", "")))
            keep_decision(project, step_of(found, versions, rules), person.tell)
            worse = [rule.metric for rule in found.rules if rule.metric in BAD and (rule.change or 0) > 0]
            if found.outcome != "SHIP" or worse:
                if accept_worse is None:
                    why = f"has more {' and '.join(worse)} than it" if worse else f"is {found.outcome} against it"
                    hint = f'{found.headline} To move it all the same: --accept-worse "REASON"'
                    return replace(
                        _told(project, before, before, moved=False), warning=hint,
                        headline=f"the baseline stays {before.version}: {cand.version} {why}",
                        exit_code=ExitCode.BLOCKED if worse else found.exit_code,
                    )  # fmt: skip
                waived = {"worse": accept_worse}
        step = step_of(found, versions)
        project.add(replace(step, mode=BASELINE, outcome="BASELINE", exit_code=0, waived=waived))
        return told


def _told(project: Project, run: Run, before: Run | None, *, moved: bool) -> BaselineResult:
    runs = [one for one in project.runs(run.version) if one.manifest.finished] or [run]
    counts = overview_of(read_all(project, runs)).buckets
    total, bad = sum(counts.values()), counts["wrong"] + counts["unsupported"]
    each = ", ".join(f"{count} {bucket}" for bucket, count in counts.items() if count or bucket != "ungraded")
    said = "baseline" if not moved else "baseline moved" if before else "baseline set; nothing to compare with"
    most = f"most of its answers are bad ({bad} of {total}): hardly any change can be worse"
    return BaselineResult(
        run=run.id, version=run.version, before=before.id if before else None, moved=moved, buckets=counts,
        headline=f"{said}: {run.version} ({counted(len(runs), 'run')}), {each}",
        warning=most if bad > _MOSTLY * total else "",
    )  # fmt: skip
