"""What a project has behind it: every run, the buckets from version to version, and labels."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from surefoot.core.records import BASELINE, CHANGE, Step
from surefoot.core.table import BUCKETS
from surefoot.core.types import Estimate, counted
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.sides import SELF_CHECK
from surefoot.jobs.gate import GATE
from surefoot.jobs.history import History, Measured, PastRun
from surefoot.jobs.history import Trend as Course
from surefoot.report.answers import MOST_ON_PAGE, filters_of, first_step
from surefoot.report.blocks import (
    Block,
    Case,
    Cases,
    Form,
    Headline,
    Items,
    Line,
    Paragraph,
    Report,
    Section,
    Span,
    Table,
    Trend,
    overridden,
    remarks,
    share,
)

_SHOWN: dict[Form, int] = {"terminal": 20, "markdown": 200, "page": MOST_ON_PAGE}
_LAST: dict[Form, int] = {"terminal": 20, "markdown": 50, "page": 200}


def report(found: History) -> Report:
    """The runs, how they moved, and what was decided about them."""
    newest, last = next((one for one in found.runs if one.measured), None), found.last_change
    versions = {one.version for one in found.runs if one.version}
    count = f"{counted(len(found.runs), 'run')} of {counted(len(versions), 'version')}."
    lines: list[Line] = [*_decision(*last), count] if last else []
    lines += [("Newest:", _link(newest), _said(newest))] if newest else []
    lines += [("Baseline:", _link(found.baseline), _said(found.baseline))] if found.baseline else []
    first = Headline(last[0].outcome, (_why(last[0]),)) if last else Headline("", (count,))
    return Report("Surefoot runs", (first, Items(lines)), tuple(_body(found)))


def _why(step: Step) -> str:
    """The sentence of the decision, as it was told when it was made."""
    told = str(step.document.get("headline", "")) or f"{step.release} against {step.reference}"
    return f"{told[:1].upper()}{told[1:]}"


def _decision(step: Step, base: PastRun, cand: PastRun) -> Iterator[Line]:
    """Which runs were compared, and when; by which other rules, and what to do."""
    link = Span(f"{cand.name} against {base.name}", "strong", link=comparison_address(base, cand))
    yield "Decided:", link, Span(f"({_when(step.at)})", "quiet")
    if step.overridden:
        yield f"Not as the gate file has it: {overridden(step.overridden)}."
    yield from ((Span("next:", "strong"), one) for one in _steps(step, cand))


def _steps(step: Step, cand: PastRun) -> Iterator[str | Span]:
    if step.outcome == "BLOCK":
        yield from first_step(cand.measured.faults if cand.measured else ())
    elif step.outcome == "INCONCLUSIVE":
        yield Span("look at what differs", link="/looks")


def comparison_address(base: PastRun, cand: PastRun) -> str:
    return f"/compare?{urlencode({'baseline': base.key, 'candidate': cand.key})}"


def _body(found: History) -> Iterator[Block]:
    for at, course in enumerate(found.trends):
        about = f"{counted(course.question_count, 'question')} ({course.questions[:8]}), graded by {course.grader}"
        shown = "Share of answers in each bucket, on a scale of its own, with 95 % intervals"
        drawn = Paragraph(f"{shown}: {about}.", "quiet")
        # Shares over different questions cannot be held against each other: each set has its own picture.
        title = "Trend" if not at else f"Trend over other questions or by another grader: {about}"
        yield Section(title, (drawn, _trend(course)), "folded" if at else "open")
    cases = [_case(one) for one in found.runs]
    heads = ("made", "run", "version", *BUCKETS, UNGRADED, "decision")
    listed = Cases(
        heads, cases, total=len(cases), limits=_SHOWN, more="more",
        filters=filters_of(("decision", "version", "questions"), cases),
    )  # fmt: skip
    yield Section(f"Runs ({len(cases)})", (listed,))
    if found.decisions:
        rows = [_decided(step, found) for step in found.decisions]
        heads = ("at", "outcome", "baseline", "candidate", "remarks")
        yield Section(f"Decisions ({len(rows)})", (Table(heads, rows, total=len(rows), limits=_LAST, more="earlier"),))


def _trend(course: Course) -> Trend:
    names = [one.version for one in course.versions]
    shares: dict[str, list[Estimate]] = {
        bucket: [one.measured.shares[bucket] for one in course.versions] for bucket in BUCKETS
    }
    rows = [
        (one.version, ", ".join(one.runs), *(share(one.measured.shares[bucket]) for bucket in BUCKETS))
        for one in course.versions
    ]
    return Trend(names, shares, Table(("version", "runs", *BUCKETS), rows))


def _case(one: PastRun) -> Case:
    outcome = one.decision.outcome if one.decision else "not decided"
    counts = one.measured.buckets if one.measured else {}
    version = one.version if one.version != one.name else ""
    told = (_said(one), f"{counted(one.labelled, 'answer')} labelled" if one.labelled else "")
    title = (_when(one.made), _link(one), version, *_outcome(one), Span("; ".join(filter(None, told)), "quiet"))
    cells = (
        _when(one.made), one.name, one.version, *(str(counts.get(bucket, "-")) for bucket in (*BUCKETS, UNGRADED)),
        outcome,
    )  # fmt: skip
    return Case(cells, title, (), (outcome, one.version, one.questions[:8]))


def run_address(one: PastRun) -> str:
    return f"/runs/{quote(one.key, safe='~')}"


def _link(one: PastRun) -> Span:
    return Span(one.name, "strong", link=run_address(one))


def _outcome(one: PastRun) -> Iterator[str | Span]:
    if one.decision:
        yield Span(one.decision.outcome, one.decision.outcome)
        yield f"against {one.decision.against}:"


def _said(one: PastRun) -> str:
    if one.measured is None:
        return one.problem
    found: Measured = one.measured
    if not found.is_graded:
        return "scored by a council, not graded" if one.council else "not graded"
    parts = ", ".join(f"{found.buckets[name]} {name}" for name in ("wrong", "unsupported") if found.buckets[name])
    left = f", {found.buckets[UNGRADED]} not graded" if found.buckets[UNGRADED] else ""
    return f"{found.bad} of {found.total} bad{f' ({parts})' if parts else ''}{left}"


def _when(at: str) -> str:
    return at[:16].replace("T", " ")


def _decided(step: Step, found: History) -> tuple[Line, ...]:
    base, cand = found.side(step.base_run), found.side(step.cand_run)
    link = comparison_address(base, cand) if base and cand else ""
    outcome = Span("new baseline") if step.mode == BASELINE else Span(step.outcome, step.outcome, link=link)
    before = _side(step.base_run, step.reference, base) if step.base_run != step.cand_run else ""
    return _when(step.at), outcome, before, _side(step.cand_run, step.release, cand), "; ".join(remarks(step))


def _side(name: str, version: str, run: PastRun | None) -> Line:
    return (version if version != name else "", Span(run.name, link=run_address(run)) if run else name)


def calibrations(found: History) -> Report:
    """How far each grader can be trusted."""
    graders: dict[str, PastRun] = {}
    for one in found.runs:
        if one.grader and one.measured and (one.grader not in graders or not graders[one.grader].labelled):
            graders[one.grader] = one
    about = [
        (grader, Span(f"on the labels on {one.name}", link=f"/calibrations/{quote(one.key, safe='~')}"))
        for grader, one in graders.items()
    ]
    return Report(
        "Surefoot calibrations",
        (Headline("", (Span(f"{counted(len(graders), 'grader')}.", "strong"),)),),
        (Section("How far each grader errs", (Items(about),)),),
    )


def councils(found: History) -> Report:
    """Which councils scored which runs."""
    rows = [
        (
            Span(key, "strong", link=f"/councils/{quote(key)}"), runs[0].council.rpartition("+")[0].rpartition("+")[2],
            counted(runs[0].question_count, "question"), tuple(Span(one.name, link=run_address(one)) for one in runs),
        )
        for key, runs in found.councils.items()
    ]  # fmt: skip
    nothing = (
        "None yet. A council scores the answers of runs:",
        Span("surefoot council RUN... --reviewer MODEL", "code"),
    )
    table = Table(("sitting", "rubric", "asked", "runs"), rows, total=len(rows), limits=_LAST, more="more")
    return Report(
        "Surefoot councils",
        (Headline("", (Span(f"{counted(len(rows), 'council')} scored runs.", "strong"),)),),
        (Section("Sittings", (table if rows else Paragraph(nothing),)),),
    )


def looks(found: History, can_label: bool) -> Report:
    """Where people look at what differs, or at answers of one run: here if the pages take labels."""
    runs = [one for one in found.runs if not one.problem]
    rows = [
        (Span(one.name, "strong", link=run_address(one)), one.version, str(one.labelled), _where(can_label, one.key))
        for one in runs
    ]
    differs: tuple[Line, ...] = (("Look at:", _where(can_label, *found.usual_pair)),) if all(found.usual_pair) else ()
    other = "Any other two: choose them above, or write surefoot label BASE CAND."
    table = Table(("run", "version", "labelled", "to label"), rows, total=len(rows), limits=_LAST, more="more")
    return Report(
        "Look at what differs", (Headline("", (*differs, Span(other, "quiet"))),),
        (Section("Answers of one run, to calibrate its grader", (table,)),),
    )  # fmt: skip


def look_address(*keys: str) -> str:
    """Where the look page of two runs, or of one, is served."""
    return f"/{'pairs' if keys[1:] else 'answers'}/{'/'.join(quote(key, safe='~') for key in keys)}/"


def _where(can_label: bool, *keys: str) -> Span:
    if can_label:
        return Span(" and ".join(keys) if keys[1:] else "label here", "strong", link=look_address(*keys))
    return Span(shlex.join(["surefoot", "label", *keys]), "code")


def rules_of(past: History) -> tuple[dict[str, str] | None, bool, str]:
    """Those that the project decided by last, else the usual ones; whether its verdicts were taken for the truth."""
    last = next((step for step in past.decisions if step.mode == CHANGE), None)
    found: Any = last.document.get("rules", ()) if last else ()
    rules = {rule["name"]: rule["rule"] for rule in found if rule["name"] != SELF_CHECK}
    if last is None or not rules:
        return None, False, f"the rules of the gate {GATE}"
    by = f"the rules of the last decision ({last.at[:10]}: {last.outcome} of {last.release})"
    by += f", which were not as the gate file has it: {overridden(last.overridden)}," if last.overridden else ""
    by += ", without what was waived there," if last.waived else ""
    return rules, last.uncalibrated, by


def unreadable(title: str, message: str, hint: str = "") -> Report:
    """What a page says where there is nothing to show."""
    lines: tuple[Line, ...] = (Span(message, "strong"), *([("hint:", hint)] if hint else []))
    return Report(title, (Headline("", lines),), ())
