"""What a project has behind it: every run, the buckets from version to version, and labels."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from surefoot.core.records import BASELINE, CHANGE, Step
from surefoot.core.table import BUCKETS
from surefoot.core.types import counted
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.sides import SELF_CHECK
from surefoot.jobs.gate import GATE
from surefoot.jobs.overview import History, PastRun
from surefoot.report import blocks
from surefoot.report.blocks import Block, Headline, Items, Line, Paragraph, Report, Section, Span, Table
from surefoot.report.run import first_step

_SHOWN: dict[blocks.Form, int] = {"terminal": 20, "markdown": 200, "page": blocks.MOST_ON_PAGE}
_LAST: dict[blocks.Form, int] = {"terminal": 20, "markdown": 50, "page": 200}


def report(found: History) -> Report:
    """The runs, how they moved, and what was decided about them."""
    newest, last = next((one for one in found.runs if one.overview), None), found.last_change
    count = f"{counted(len(found.runs), 'run')} of {counted(len({one.version for one in found.runs}), 'version')}."
    first, lines = Headline("", (count,)), list[Line]()
    if last:
        told = str(last[0].document.get("headline", "")) or f"{last[0].release} against {last[0].reference}"
        first, lines = Headline(last[0].outcome, (f"{told[:1].upper()}{told[1:]}",)), [*_decision(*last), count]
    marked = {"Newest:": newest, "Baseline:": found.baseline}
    lines += [(words, _link(one), _said(one)) for words, one in marked.items() if one]
    return Report("Surefoot runs", (first, Items(lines)), tuple(_body(found)))


def _decision(step: Step, base: PastRun, cand: PastRun) -> Iterator[Line]:
    """Which runs were compared, and when; by which other rules, and what to do."""
    link = Span(f"{cand.name} against {base.name}", "strong", link=_comparison(base, cand))
    yield "Decided:", link, Span(f"({_when(step.at)})", "quiet")
    if step.overridden:
        yield f"Not as the gate file has it: {blocks.overridden(step.overridden)}."
    if step.outcome == "BLOCK" and cand.overview:
        yield from ((Span("next:", "strong"), one) for one in first_step(cand.overview))
    elif step.outcome == "INCONCLUSIVE":
        yield Span("next:", "strong"), Span("look at what differs", link="/looks")


def _body(found: History) -> Iterator[Block]:
    for at, trend in enumerate(found.trends):
        about = f"{counted(trend.question_count, 'question')} ({trend.questions[:8]}), graded by {trend.grader}"
        drawn = Paragraph(f"Answers in each bucket, and their share with its 95 % interval: {about}.", "quiet")
        bars = blocks.Bars(("version",), [("", [(name, one.buckets) for name, one in trend.versions.items()])])
        rows = [(name, ", ".join(one.runs), *(blocks.share(one.shares[""][bucket]) for bucket in BUCKETS))
                for name, one in trend.versions.items()]  # fmt: skip
        # Shares over different questions cannot be held against each other: each set has its own picture.
        title = "Trend" if not at else f"Trend over other questions or by another grader: {about}"
        yield Section(title, (drawn, bars, Table(("version", "runs", *BUCKETS), rows)), "folded" if at else "open")
    cases = [_case(one, found) for one in found.runs]
    heads = ("made", "run", "version", *BUCKETS, UNGRADED, "decision")
    listed = blocks.Cases(heads, cases, ("decision", "version", "questions"), limits=_SHOWN, more="more")
    yield Section(f"Runs ({len(cases)})", (listed,))
    if found.decisions:
        decided = [_decided(step, found) for step in found.decisions]
        heads = ("at", "outcome", "baseline", "candidate", "remarks")
        yield Section(f"Decisions ({len(decided)})", (Table(heads, decided, limits=_LAST, more="earlier"),))


def _case(one: PastRun, found: History) -> blocks.Case:
    step, made, counts = found.decision_on(one), one.manifest, one.overview.buckets if one.overview else {}
    decided = (Span(step.outcome, step.outcome), f"against {step.reference}:") if step else ()
    told = (_said(one), f"{counted(one.labelled, 'answer')} labelled" if one.labelled else "")
    more = (
        ("calibrations", "how far its grader errs", made.grader),
        ("councils", "what its council says", made.council),
    )
    title = (_when(made.created), _link(one), one.version if one.version != one.name else "", *decided,
             Span("; ".join(filter(None, told)), "quiet"),
             *(Span(words, link=f"/{page}/{_quoted(one.name)}") for page, words, by in more if by))  # fmt: skip
    outcome = step.outcome if step else "not decided"
    cells = (_when(made.created), one.name, one.version, *(str(counts.get(name, "-")) for name in (*BUCKETS, UNGRADED)),
             outcome)  # fmt: skip
    return blocks.Case(cells, title, (), (outcome, one.version, made.questions_sha256[:8]))


def _quoted(name: str) -> str:
    return quote(name, safe="~")


def run_address(name: str) -> str:
    return f"/runs/{_quoted(name)}"


def _comparison(base: PastRun, cand: PastRun) -> str:
    return f"/compare?{urlencode({'baseline': base.name, 'candidate': cand.name})}"


def _link(one: PastRun) -> Span:
    return Span(one.name, "strong", link=run_address(one.name))


def _said(one: PastRun) -> str:
    if one.overview is None:
        return one.problem
    counts, total = one.overview.buckets, one.overview.total
    if counts[UNGRADED] == total:
        return "scored by a council, not graded" if one.manifest.council else "not graded"
    parts = ", ".join(f"{counts[name]} {name}" for name in ("wrong", "unsupported") if counts[name])
    left = f", {counts[UNGRADED]} not graded" if counts[UNGRADED] else ""
    return f"{counts['wrong'] + counts['unsupported']} of {total} bad{f' ({parts})' if parts else ''}{left}"


def _when(at: str) -> str:
    return at[:16].replace("T", " ")


def _decided(step: Step, found: History) -> tuple[Line, ...]:
    base, cand = found.run(step.base_run), found.run(step.cand_run)
    link = _comparison(base, cand) if base and cand else ""
    outcome = Span("new baseline") if step.mode == BASELINE else Span(step.outcome, step.outcome, link=link)
    before = _side(step.base_run, step.reference, base) if step.base_run != step.cand_run else ""
    return _when(step.at), outcome, before, _side(step.cand_run, step.release, cand), "; ".join(blocks.remarks(step))


def _side(name: str, version: str, run: PastRun | None) -> Line:
    return version if version != name else "", Span(name, link=run_address(name) if run else "")


def looks(found: History, can_label: bool) -> Report:
    """Where people look at what differs, or at answers of one run: here if the pages take labels."""
    rows = [(_link(one), one.version, str(one.labelled), _where(can_label, one.name))
            for one in found.runs if not one.problem]  # fmt: skip
    differs: tuple[Line, ...] = (("Look at:", _where(can_label, *found.usual_pair)),) if all(found.usual_pair) else ()
    other = "Any other two: choose them above, or write surefoot label BASE CAND."
    table = Table(("run", "version", "labelled", "to label"), rows, limits=_LAST, more="more")
    return Report(
        "Look at what differs", (Headline("", (*differs, Span(other, "quiet"))),),
        (Section("Answers of one run, to calibrate its grader", (table,)),),
    )  # fmt: skip


def _where(can_label: bool, *names: str) -> Span:
    """The look page of two runs, or of one, or the command that opens it."""
    if not can_label:
        return Span(shlex.join(["surefoot", "label", *names]), "code")
    address = f"/{'pairs' if names[1:] else 'answers'}/{'/'.join(map(_quoted, names))}/"
    return Span(" and ".join(names) if names[1:] else "label here", "strong", link=address)


def rules_of(past: History) -> tuple[dict[str, str] | None, bool, str]:
    """Those that the project decided by last, else the usual ones; whether its verdicts were taken for the truth."""
    last = next((step for step in past.decisions if step.mode == CHANGE), None)
    found: Any = last.document.get("rules", ()) if last else ()
    rules = {rule["name"]: rule["rule"] for rule in found if rule["name"] != SELF_CHECK}
    if last is None or not rules:
        return None, False, f"the rules of the gate {GATE}"
    by = f"the rules of the last decision ({last.at[:10]}: {last.outcome} of {last.release})"
    by += f", which were not as the gate file has it: {blocks.overridden(last.overridden)}," if last.overridden else ""
    by += ", without what was waived there," if last.waived else ""
    return rules, last.uncalibrated, by
