"""Two versions to one decision: every run of both, what differs, what people said of it, the next step, and why in one
sentence. And the baseline."""

from __future__ import annotations

import re
import shlex
import uuid
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any

from msgspec import field, to_builtins
from msgspec.structs import replace

from surefoot.core import records
from surefoot.core.errors import ExitCode, Incomplete, UsageError, unknown
from surefoot.core.records import BAD, BASELINE, CANNOT_TELL, CHANGE, MORE_RULES, WITHOUT, Step
from surefoot.core.result import READER, Person, Result, Tell
from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.table import SAFETY
from surefoot.core.types import HARMLESS, NOT_ASKED, Problem, Question, check_group_fields, counted, names
from surefoot.gate import sides
from surefoot.gate.decide import GRADER, Asked, Judge, Request, RuleResult
from surefoot.gate.looks import Diff, Lasting, Pair
from surefoot.gate.metrics import GRADED, LASTING, Counted, Rule, Verdict, buckets, metric_named, strata
from surefoot.gate.sides import BUCKET_AXIS, SELF_CHECK, SIDES, Reading, Said, Side, SideName
from surefoot.gate.sides import Run as ReadRun
from surefoot.jobs.overview import overview_of
from surefoot.jobs.runs import Name, Versions, is_file_of_verdicts, only_run, opened, read_all, read_one, versions_of
from surefoot.jobs.settings import Gate, chosen_rules
from surefoot.store import Project, Run

GATE = "ship"  # what decides where nothing else is named
SECONDS_A_KEY = 8  # of somebody whose own pace is not known
_RUNS, _MOST_RUNS = 5, 30  # to be asked for: fewer do not tell how much answers vary; beyond, questions are too few
_REASONS = 3  # for a block, in one sentence


class GateResult(Result, frozen=True, kw_only=True):
    """Two versions, what differs between them, and the decision."""

    framed = "rules"

    outcome: Verdict
    exit_code: ExitCode
    headline: str  # the verdict's reason in one sentence
    lean: str  # what the grader alone would decide, where people have not looked at enough
    rules: tuple[RuleResult, ...]
    newly_wrong: tuple[str, ...]  # question ids, for good
    newly_unsupported: tuple[str, ...]
    mended_wrong: tuple[str, ...]
    mended_unsupported: tuple[str, ...]
    pairs: int
    differing: int
    looked_at: int
    unseen: int
    minutes: int  # to look at all that nobody has looked at
    cannot_tell: tuple[str, ...]  # questions with an answer of which people cannot tell
    next: tuple[str, ...]  # commands and steps
    names: dict[SideName, str]
    runs: dict[SideName, list[str]]
    graders: dict[SideName, list[str]]
    questions: int
    times: dict[SideName, int]  # how often every question was asked
    buckets: dict[SideName, Counted]
    by_stratum: dict[str, dict[SideName, Counted]]
    by: dict[str, dict[str, tuple[RuleResult, ...]]]  # field -> value -> the rules on buckets, there
    changed: tuple[dict[str, Any], ...]  # questions whose answers moved, the worst first
    annotators: tuple[str, ...]
    uncalibrated: bool
    waived: dict[str, str]
    notes: tuple[str, ...]
    incomplete: tuple[str, ...]
    problems: tuple[Problem, ...]
    baseline: str = ""  # what the baseline is, and which command would move it
    # What of the gate file the command line has changed.
    overridden: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)


def gate(
    *runs: Name, gate: Gate | None = None, rules: Sequence[str] = (), uncalibrated: bool = False,
    waive: Mapping[str, str] | None = None, without: Mapping[str, str] | None = None, by: str | Sequence[str] = (),
    db: str | Path | None = None, keep: bool = True, person: Person = READER,
) -> GateResult:  # fmt: skip
    """Decide whether the candidate may ship: by the rules of `gate`, and of `rules`, each one line.

    `runs` are base and candidate: versions, runs, files that `export` wrote, or files of verdicts. A candidate alone is
    compared with the baseline; without runs, the newest version is the candidate. `waive` and `without` give reasons,
    by rule and by run. The decision is kept; without `keep`, it is not.
    """
    parsed = [Rule.parse(text, name) for name, text in chosen_rules(gate, rules, GATE)]
    added = {"rules" if gate is None else MORE_RULES: tuple(rule.text for rule in parsed[-len(rules) :])}
    changed = added if rules else {}
    if len(runs) > 2:
        raise UsageError(f"two versions are compared, not {len(runs)}", "write surefoot gate BASE CAND")
    request = Request(waivers=waive or {}, uncalibrated=uncalibrated, by=(by,) if isinstance(by, str) else tuple(by))
    if any(map(is_file_of_verdicts, runs)):
        if without or len(runs) < 2:
            raise UsageError("a file of verdicts has no baseline, and no other runs to leave out",
                             "write surefoot gate BASE CAND")  # fmt: skip
        base, cand = (read_one(name, db) for name in runs)
        request = replace(request, called=(base.name, cand.name))
        return replace(compare([base], [cand], parsed, request), overridden=changed)
    with opened(runs, db) as (project, _):
        versions = versions_of(project, *_two_of(project, runs), without or {})
        request = replace(request, called=versions.names, cannot_ask=cannot_ask(versions))
        found = compare(read_all(project, versions.base), read_all(project, versions.cand), parsed, request)
        notes = (*found.notes, *versions.notes, *notes_on(project, versions, parsed))
        found = replace(found, overridden=changed, notes=notes)
        if versions.base[-1].id == versions.cand[-1].id:
            return replace(found, notes=(f"both sides are the run {versions.names[1]}", *notes))
        found = _with_blocks(project, versions, found)
        found = replace(found, baseline=_anchor(project, versions, found))
        if keep:
            _keep(project, found, versions, parsed, person.tell)
        return found


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
    counting = {rule.name for rule in found.rules} - found.waived.keys()
    for step in reversed(project.decisions()):
        of = step.mode, step.outcome, step.reference, step.code, step.uncalibrated
        rows: Any = step.document.get("rules", ())
        if of == (CHANGE, "BLOCK", versions.key[0], versions.code, False) and any(
            row["name"] in counting and row["holds"] is False and row["waiver"] is None and row["by"] != GRADER
            for row in rows
        ):
            break
    else:
        return found
    if not found.differing:
        note = f"this code was blocked on {step.at[:10]}, and every answer is the baseline's now"
        return replace(found, notes=(note, *found.notes))
    if corrected := _corrected(project, versions, step):
        told = f"reopened by a corrected label on {names(corrected, 4)}"
        return replace(found, notes=(f"blocked on {step.at[:10]} and {told}", *found.notes))
    if found.outcome == "BLOCK":
        return found
    why = f"this code was blocked on {step.at[:10]}: {step.document.get('headline', '')}"
    notes = (f"decided afresh, it would be {found.outcome}: {found.headline}", *found.notes)
    back = f"change the code of {versions.key[1]}, or correct a label: surefoot label {' '.join(found.names.values())}"
    return replace(found, outcome="BLOCK", exit_code=ExitCode.BLOCKED, headline=why, notes=notes, next=(back,))


def _corrected(project: Project, versions: Versions, step: Step) -> list[str]:
    """The questions on whose answers people have changed their word since a decision."""
    keys = {key: id for run in (*versions.base, *versions.cand) for (id, _), key in run.answer_keys().items()}
    labels = [label for label in project.labels(keys=keys) if label.axis == BUCKET_AXIS]
    now, then = records.agreed_words(labels), records.agreed_words(label for label in labels if label.id in step.pinned)
    return sorted({keys[place[0]] for place, word in then.items() if word.value is not None
                   and (place not in now or now[place].value not in (None, word.value))})  # fmt: skip


def _anchor(project: Project, versions: Versions, found: GateResult) -> str:
    """What the baseline is, and which command would move it."""
    anchor, (base, cand) = current_baseline(project), versions.key
    if anchor is None:
        return f"there is no baseline yet; to set one: surefoot baseline {base}"
    if anchor.version != base:
        return f"the baseline is {anchor.version}, not {base}: surefoot gate {cand} compares with it"
    if found.outcome != "SHIP":
        return f"the baseline stays {base}"
    return f"the baseline stays {base}; to move it: surefoot baseline {cand}"


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
        yield f"other rules than on {other.at[:10]}: {names(on, 4)}"


def _keep(project: Project, found: GateResult, versions: Versions, rules: Sequence[Rule], tell: Tell) -> None:
    """Add the decision, unless it says the same as the last one."""
    left_out = {WITHOUT: versions.left_out} if versions.left_out else {}
    step = _step(
        versions, mode=CHANGE, outcome=found.outcome, exit_code=int(found.exit_code), waived=found.waived,
        uncalibrated=found.uncalibrated, overridden={**found.overridden, **left_out},
        rules=tuple(sorted(rule.text for rule in rules)),
        document={name: found[name] for name in found.printed() if name != "changed"},
    )  # fmt: skip
    last = next((one for one in reversed(project.decisions()) if one.mode == CHANGE), None)
    if last is not None and replace(last, id="", at="", document={}) == replace(step, id="", at="", document={}):
        return
    try:
        project.add(step)
    except Incomplete as error:
        if step.outcome == "SHIP":  # what is not kept could be tried for again and again
            raise Incomplete(f"it would be SHIP, and that cannot be kept: {error.message}", error.hint) from error
        tell(f"note: {error.message}; the decision is not kept")


def _step(versions: Versions, **told: Any) -> Step:  # noqa: ANN401 - fields of it
    made, runs = versions.cand[-1].manifest, (*versions.base, *versions.cand)
    return Step(
        id=uuid.uuid4().hex[:12], at=records.timestamp(), reference=versions.key[0], release=versions.key[1],
        code=versions.code, base_runs=tuple(run.id for run in versions.base),
        cand_runs=tuple(run.id for run in versions.cand), grader=made.grader or "",
        questions_sha256=made.questions_sha256, pinned=tuple(sorted({id for run in runs for id in run.verdict_ids()})),
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
        waived: dict[str, str] = {}
        if before is not None:
            found = gate(before.id, cand.id, db=db, person=person)
            worse = [rule.metric for rule in found.rules if rule.metric in BAD and (rule.change or 0) > 0]
            if accept_worse is None and (found.outcome != "SHIP" or worse):
                why = f"has more {' and '.join(worse)} than it" if worse else f"is {found.outcome} against it"
                return replace(
                    _told(project, before, before, moved=False),
                    warning=f'{found.headline} To move it all the same: --accept-worse "REASON"',
                    headline=f"the baseline stays {before.version}: {cand.version} {why}",
                    exit_code=ExitCode.BLOCKED if worse else found.exit_code,
                )  # fmt: skip
            waived = {"worse": str(accept_worse)} if found.outcome != "SHIP" or worse else {}
        versions = versions_of(project, before or cand, cand, {})
        project.add(_step(versions, mode=BASELINE, outcome="BASELINE", exit_code=0, waived=waived))
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
        warning=most if bad > total / 2 else "",
    )  # fmt: skip


def compare(base: Sequence[ReadRun], cand: Sequence[ReadRun], rules: Sequence[Rule], request: Request) -> GateResult:
    """Hold the candidate's runs against the baseline's and decide by the rules."""
    for name, reason in request.waivers.items():
        if name not in (known := [rule.name for rule in rules]):
            raise unknown(f"no rule is named {name!r}, so it cannot be waived", name, known)
        if not reason.strip():
            raise UsageError(f"the waiver of {name!r} gives no reason", "say why with --reason")
    base, cand = [sides.labels_apart(run) for run in base], [sides.labels_apart(run) for run in cand]
    _check_runs(base, cand, rules)
    asked, notes, gone = sides.asked_of(base, cand)
    check_group_fields(request.by, filter(None, asked.values()))
    keys = ("both", "both") if base == cand else ("base", "cand")
    pair = sides.side_of(base, asked, keys[0]), sides.side_of(cand, asked, keys[1])
    judge = Judge(pair, asked, request, rules, gone)
    by_grader = replace(request, uncalibrated=True)
    lean = None if request.uncalibrated or judge.diff.enough else Judge(pair, asked, by_grader, rules, gone)
    both = dict(zip(SIDES, pair, strict=True))
    unseen = list(judge.diff.pairs) if request.uncalibrated else judge.diff.unseen
    lasting = (lean or judge).lasting
    more_bad = any(len(one.newly) > len(one.mended) for one in lasting.values()) or (lean or judge).outcome == "BLOCK"
    said = {(one.question_id, "" if one.is_silent else one.key): one for side in pair
            for one in side.all_answers()}  # fmt: skip
    found = GateResult(
        outcome=judge.outcome,
        exit_code=judge.code,
        headline="",
        lean="" if not lean or judge.outcome != "INCONCLUSIVE" else "BLOCK" if more_bad else "SHIP",
        rules=judge.rules,
        newly_wrong=lasting["wrong"].newly,
        newly_unsupported=lasting["unsupported"].newly,
        mended_wrong=lasting["wrong"].mended,
        mended_unsupported=lasting["unsupported"].mended,
        pairs=len(judge.diff.pairs) + judge.diff.alike,
        differing=len(judge.diff.pairs),
        looked_at=len(judge.diff.pairs) - len(unseen),
        unseen=len(unseen),
        minutes=minutes_for(unseen),
        cannot_tell=_cannot_tell(judge),
        next=tuple(_next(judge)),
        names=dict(zip(SIDES, request.called, strict=True)),
        runs={name: [run.name for run in side.runs] for name, side in both.items()},
        graders={name: sorted(sides.graders_of(side.runs)) for name, side in both.items()},
        questions=len(asked),
        times={name: side.attempts for name, side in both.items()},
        buckets={name: buckets(side, asked) for name, side in both.items()},
        by_stratum={name: {side: buckets(of, ids) for side, of in both.items()}
                    for name, ids in strata(asked).items()},
        by={field: dict(_by_group(judge, field)) for field in request.by},
        changed=tuple(changed_questions(judge.diff, lasting, said, asked)),
        annotators=judge.annotators,
        uncalibrated=request.uncalibrated,
        waived=dict(request.waivers),
        notes=(*notes, *_about_runs(judge)),
        incomplete=judge.incomplete,
        problems=problems_of(pair),
    )  # fmt: skip
    return replace(found, headline=f"{'; '.join(_reasons(found)) or 'no rule applies'}.")


def _check_runs(base: Sequence[ReadRun], cand: Sequence[ReadRun], rules: Sequence[Rule]) -> None:
    """All are of one kind, and graded: a council's scores put no answer into a bucket, and serve its own rules only."""
    for run in (*base[:-1], *cand):
        sides.check_alike(base[-1], run)
    axes = [str((metric_named(rule.metric) or GRADED["wrong"]).axis) for rule in rules]
    of_buckets = [rule for rule, axis in zip(rules, axes, strict=True) if not axis.startswith((AXIS_PREFIX, SAFETY))]
    for run in (*base, *cand) if of_buckets else ():
        if run.verdicts and all(verdict.axis.startswith(AXIS_PREFIX) for verdict in run.verdicts):
            message = f"the run {run.name} has only a council's scores, and the rule {of_buckets[0].text!r} asks for"
            raise Incomplete(f"{message} verdicts", f"grade it first: surefoot grade {run.name}")


def _cannot_tell(judge: Judge) -> tuple[str, ...]:
    open_ = (one for some in judge.diff.readings.values() for one in some if one.label == CANNOT_TELL and one.key)
    return tuple(sorted({one.question for one in open_ if not one.pending}))


def _about_runs(judge: Judge) -> Iterator[str]:
    """Say which version is not as it was declared, or was asked too seldom and cannot be asked again."""
    once = []
    for place, (side, called) in enumerate(zip(judge.sides, judge.request.called, strict=True)):
        if side.unsteady:
            yield f"{called} was declared deterministic, and gave different answers to {names(side.unsteady)}"
        once += [called] if judge.diff.pairs and side.attempts < 2 and not side.deterministic else []
        seldom = (len(side.answers[id]) < found.times for found in judge.lasting.values() for id in found.newly)
        if place in judge.request.cannot_ask and any(seldom):
            yield f"{called} cannot be asked again: its {counted(side.attempts, 'run')} count as they are"
    if once:
        yield f"{' and '.join(once)} {'was' if len(once) == 1 else 'were'} run only once: run each version five times"


def _by_group(judge: Judge, name: str) -> Iterator[tuple[str, tuple[RuleResult, ...]]]:
    values = sorted({question.group(name) for question in judge.asked.values() if question} - {""})
    for value in values:
        texts = [f"{bucket}[{name}={value}] <= baseline" for bucket in BAD]
        yield value, tuple(judge.result(Rule.parse(text)) for text in texts)


def _next(judge: Judge) -> Iterator[str]:
    """What to do about what is not decided."""
    yield from dict.fromkeys(str(one) for one in problems_of(judge.sides) if one.kind == NOT_ASKED)
    if misread := dict.fromkeys(run.name for side in judge.sides for run in side.runs if next(sides.failed(run), None)):
        again = "if answers are misread again, grade both runs with another model"
        yield f"{SELF_CHECK}: grade {' and '.join(misread)} again; {again}"
    undecided = [one for one in judge.rules if one.stands == "undecidable" and one.metric != SELF_CHECK]
    if judge.outcome == "BLOCK" or not undecided:
        return
    lasting, called = judge.lasting.values(), [shlex.quote(name) for name in judge.request.called]
    to_look, to_ask = ({one.key for found in lasting for one in found.to_look}, sorted(
        {id for found in lasting for id in found.to_ask}))  # fmt: skip
    label, least = f"surefoot label {' '.join(called)}", min(side.attempts for side in judge.sides)
    by_looks = any(one.margin is not None and judge.metrics[one.metric].axis == BUCKET_AXIS for one in undecided)
    wide = [one for one in undecided if one.change is not None and one.margin is not None]
    if by_looks and judge.diff.unseen:
        first = judge.diff.unseen[: judge.diff.looks_wanted]
        yield f"look at {counted(len(first), 'pair')}, {_about(minutes_for(first))}: {label}"
    elif to_look or any(one.pending for some in judge.diff.readings.values() for one in some):
        count = len(to_look) or 1
        yield f"look at {counted(count, 'answer')}, {_about(ceil(count * SECONDS_A_KEY / 60))}: {label}"
    elif to_ask:
        times = max(found.times for found in lasting if found.to_ask)
        for side in sorted({0, 1} - {*judge.request.cannot_ask}):
            more = times - min(len(judge.sides[side].answers[id]) for id in to_ask)
            if more > 0:
                again = f"surefoot run {called[side]} --only {','.join(to_ask)} --repeats {more}"
                yield f"{again} && surefoot grade {called[side]}"
    elif by_looks and (open_ := _cannot_tell(judge)):
        yield f"settle {names(open_, 4)}, of which people differ or cannot tell: {label}"
    elif wide:
        needed, rule = max(((_runs_for(one, least), one) for one in wide), key=lambda one: one[0])
        if needed > _MOST_RUNS:
            there = f"{counted(len(judge.asked), 'question')} in all"
            yield f"too few questions for the margin of {rule.name}, {there}: add questions, or allow more"
        else:
            varying = [name for name, is_fixed in zip(called, judge.fixed, strict=True) if not is_fixed]
            each = "; ".join(f"surefoot run {version} --repeats {needed - least}" for version in varying)
            yield f"{counted(needed - least, 'more run')} of {' and '.join(varying)}: {each}"


def _runs_for(rule: RuleResult, times: int) -> int:
    """How many runs would do if the change stays: the interval's width falls with the root of their number."""
    width, room = rule.worst - (rule.change or 0), (rule.margin or 0) - (rule.change or 0)
    enough = ceil(times * (width / room) ** 2) if width * room > 0 else _MOST_RUNS + 1
    return enough if times >= _RUNS else _RUNS


def minutes_for(pairs: Sequence[Pair]) -> int:
    """How long it takes to look at pairs, at one key for each answer that has no label."""
    keys = {(one.question, one.key) for pair in pairs for one in (pair.base, pair.cand) if one.label is None}
    return ceil(len(keys) * SECONDS_A_KEY / 60)


def _about(minutes: int) -> str:
    return f"about {counted(max(1, minutes), 'minute')}"


def problems_of(pair: Sequence[Side]) -> tuple[Problem, ...]:
    """The serious ones first. Files of labels by different people can be compared, but not without saying so."""
    found = [problem for side in pair for run in side.runs for problem in run.problems]
    base, cand = (", ".join(sorted(sides.graders_of(side.runs) - {""})) for side in pair)
    if base and cand and base != cand:
        found.append(Problem("note", f"the sides were not graded alike: base by {base}, cand by {cand}"))
    return tuple(sorted(found, key=lambda problem: problem.kind in HARMLESS))


_TURNS = ("newly wrong", "newly unsupported", "became wrong", "became unsupported", "not graded", "other change",
          "mended")  # fmt: skip


def changed_questions(
    diff: Diff, lasting: Mapping[str, Lasting], said: Mapping[tuple[str, str], Said], asked: Asked
) -> list[dict[str, Any]]:
    """The questions whose answers moved to another bucket, each with the pair that tells most, the worst first."""
    newly = {id: f"newly {bucket}" for bucket in reversed(BAD) for id in lasting[bucket].newly}
    ranked = []
    for pair in diff.pairs:
        before, after = _bucket(pair.base), _bucket(pair.cand)
        if before != after:
            turn = "mended" if before in BAD and after else "other change" if after else "not graded"
            turn = newly.get(pair.question, f"became {after}") if after in BAD else turn
            ranked.append((_TURNS.index(turn), pair.question, pair))
    found: dict[str, dict[str, Any]] = {}
    for rank, id, pair in sorted(ranked, key=lambda one: one[:2]):
        question = asked[id]
        found.setdefault(id, {
            "question_id": id, "turn": _TURNS[rank], "stratum": question.stratum if question else "",
            "question": question.text if question else "",
            "expected": " ".join(question.gold_claims) if question else "",
            "base": _shown(pair.base, said, question), "cand": _shown(pair.cand, said, question),
        })  # fmt: skip
    return list(found.values())


def _bucket(reading: Reading) -> str | None:
    return reading.graded if reading.label in (None, CANNOT_TELL) else reading.label


def _shown(reading: Reading, said: Mapping[tuple[str, str], Said], question: Question | None) -> dict[str, Any]:
    one = said[reading.question, reading.key]
    verdict = one.graded.get(BUCKET_AXIS)
    return {
        "bucket": _bucket(reading), "graded": reading.graded,
        "by": records.whose([one.verdicts[BUCKET_AXIS].grader]) if one.is_labelled(BUCKET_AXIS) else GRADER,
        "answer": one.trace.answer if one.trace else None, "error": one.trace.error if one.trace else None,
        "reason": verdict.reason if verdict else "",
        "cited": [to_builtins(passage) for passage in sides.cited_by(one, question)],
    }  # fmt: skip


def _reasons(found: GateResult) -> list[str]:
    open_ = [rule for rule in found.rules if rule.waiver is None]
    if found.outcome == "SHIP":
        if not found.differing:
            same = f"every answer of {found.names['cand']} is one that {found.names['base']} gave too"
            return [f"{same} to the {counted(found.questions, 'question')} that both were asked: nothing changed"]
        margins = [f"{rule.metric} by more than {rule.change_words(rule.margin)}" for rule in open_
                   if rule.metric in BAD and rule.margin is not None and rule.change is not None]  # fmt: skip
        kept = f"a rise of {' or '.join(margins)} is excluded, and no more questions are newly bad than mended"
        told = [kept if margins else "all rules hold"]
        if found.unseen:
            told.append(f"nobody looked at {found.unseen} of {counted(found.differing, 'differing pair')}")
        if found.cannot_tell:
            told.append(f"people cannot tell about {names(found.cannot_tell, 4)}")
        return told
    if found.outcome == "BLOCK":
        told = _first([_moved_words(rule, found) for rule in open_ if rule.status == "fail"], ("fails", "fail"))
        return told + [f"the run is incomplete too: {one}" for one in found.incomplete]
    if told := [*found.incomplete, *(f"{rule.name} is not met" for rule in open_ if rule.status == "incomplete")]:
        return told
    step = found.next[0].partition(": ")[0] if found.next else ""
    if found.lean:
        counts = {"newly wrong": found.newly_wrong, "newly unsupported": found.newly_unsupported,
                  "mended": {*found.mended_wrong, *found.mended_unsupported}}  # fmt: skip
        by_grader = ", ".join(f"{len(ids)} {what}" for what, ids in counts.items() if ids)
        by_grader = by_grader or "no question is newly bad or mended"
        return [f"leaning {found.lean}: by the grader, {by_grader}", step or "nothing can be looked at"]
    for rule in open_:
        if rule.status == "undecidable" and rule.change is not None and rule.margin is not None:
            way = "risen" if rule.worst == rule.high else "fallen"
            by, allowed = rule.change_words(abs(rule.worst)), rule.change_words(abs(rule.margin))
            by = by if by != allowed else f"a little more than {by}"
            told.append(f"{_called(rule)} may have {way} by up to {by}; you allow {allowed}")
        elif rule.status == "undecidable" and not (told and rule.metric in LASTING):
            told.append(f"{rule.name}: {rule.reason}")
    step = "ask the questions in doubt again" if step.startswith("surefoot run") else step
    return [*_first(told, ("is open", "are open")), *([step] if step else [])]


def _first(told: list[str], verbs: tuple[str, str]) -> list[str]:
    more = len(told) - _REASONS
    return told if more <= 0 else [*told[:_REASONS], f"{counted(more, 'more rule')} {verbs[more > 1]}"]


def _moved_words(rule: RuleResult, found: GateResult) -> str:
    if rule.metric in LASTING:
        ids, bucket = names(rule.questions, 4), rule.metric.removeprefix("newly_")
        mended = found[f"mended_{bucket}"]
        better = f"{len(mended)} mended ({names(mended, 4)})" if mended else "none mended"
        return f"{counted(len(rule.questions), 'question')} newly {bucket} for good ({ids}), {better}"
    if rule.change is None:
        limit = f" ({rule.value_words(rule.after)}, the limit is {rule.value_words(rule.limit)})"
        return f"{rule.name} does not hold" + ("" if rule.limit is None or rule.after is None else limit)
    by, *both = (rule.change_words(abs(one or 0)) for one in (rule.change, rule.low, rule.high))
    least, most = both if rule.change > 0 else both[::-1]
    ends = f" ({least.removesuffix(' points')} to {most})" if rule.low != rule.high else ""
    if rule.metric in BAD:
        return f"{by} more of {found.questions} answers {'is' if by == '1' else 'are'} {rule.metric}{ends}"
    return f"{_called(rule)} {'rose' if rule.change > 0 else 'fell'} by {by}{ends}"


def _called(rule: RuleResult) -> str:
    return (rule.metric if " " in rule.name else rule.name).replace("_", " ")
