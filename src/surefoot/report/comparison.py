"""What a comparison of two versions says: the decision, what it rests on, and every number and answer behind it."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.gate import trust
from surefoot.gate.counts import Pair
from surefoot.gate.decide import Comparison
from surefoot.gate.judge import GroupChange
from surefoot.gate.metrics import METRICS, UNGRADED
from surefoot.gate.rules import Change, Check
from surefoot.gate.sides import SIDES, Said, SideName
from surefoot.records import whose_by_name
from surefoot.report.blocks import (
    Bars,
    Block,
    Case,
    Cases,
    Columns,
    Form,
    Headline,
    Items,
    Line,
    Paragraph,
    Quote,
    Report,
    Section,
    Span,
    Table,
    problem_section,
)
from surefoot.report.words import (
    STATUS_WORDS,
    allowed,
    around,
    change_words,
    counted,
    headline,
    in_points,
    names,
    number,
    overridden,
    plain,
    rule_words,
    status,
    unit,
)
from surefoot.types import Passage, Verdict

_ABOUT_CHANGES = (
    "Baseline and candidate are as graded and labelled; the change allows for what the grader may have got wrong."
)
_CLAIMS = {"set": "about this question set", "population": "about questions like these"}
_SIDE_WORDS: dict[SideName, str] = {"base": "baseline", "cand": "candidate"}
_MOVED: dict[Form, int] = {"terminal": 12, "markdown": 200, "page": 500}
_LONGEST_QUESTION = 100
_PASSAGES_SHOWN = 10
_NAMED_BY_GATE = 4  # questions behind a rule


def report(comparison: Comparison) -> Report:
    return Report("Surefoot comparison", _summary(comparison), tuple(_body(comparison)))


def gate_report(comparison: Comparison) -> Report:
    """What does not hold, and the decision."""
    broken = [check for check in comparison.decision.checks if check.status not in ("pass", "not_applicable")]
    return Report("Surefoot gate", _summary(comparison), (Items([_broken(check) for check in broken]),))


def _broken(check: Check) -> Span:
    change = change_words(check.rule.metric, check.change) if check.change else ""
    told = names(check.questions, check.question_count, _NAMED_BY_GATE), change, _why(check)
    name, rule = rule_words(check.rule)
    words = f"{name} {rule.text}: {status(check).text}: {'; '.join(filter(None, told))}"
    return Span(words, status(check).style)


def _summary(comparison: Comparison) -> tuple[Block, ...]:
    return (
        Headline(comparison.decision.outcome, (verdict_line(comparison),)),
        Items([(Span("next:", "strong"), step) for step in comparison.next_steps]),
        Items(list(_background(comparison)), "quiet"),
    )


def _body(comparison: Comparison) -> Iterator[Block]:
    strata = [(stratum or "(no stratum)", sides) for stratum, sides in comparison.by_stratum.items()]
    groups = [("all", comparison.buckets), *strata]
    bars = [(name, [(_SIDE_WORDS[side], sides[side]) for side in SIDES]) for name, sides in groups]
    yield Section("Buckets", (Bars(("stratum", "side"), bars), Paragraph(_mcnemar(comparison), "quiet")))
    heads = ("rule", "result", "baseline", "candidate", "change", "limit or margin", "why", "questions")
    yield Section("Rules", (Table(heads, [_rule(check) for check in comparison.decision.checks]),))
    yield Section("Metrics", (Paragraph(_ABOUT_CHANGES, "quiet"), _metrics(comparison)))
    for field, values in comparison.by_group.items():
        if values or field in comparison.request.by:
            asked_for = field in comparison.request.by
            yield Section(f"Changes by {field}", _changes_by(field, values), "open" if asked_for else "folded")
    yield _moved(comparison)
    yield from problem_section(comparison.problems)


def _rule(check: Check) -> tuple[Line, ...]:
    metric = check.rule.metric
    return (
        rule_words(check.rule),
        status(check),
        number(metric, check.before),
        number(metric, check.seen),
        Span(change_words(metric, check.change), change=check.change),
        allowed(check),
        _why(check),
        names(check.questions, check.question_count),
    )


def _why(check: Check) -> str:
    """What the status and the numbers do not say."""
    if check.waiver is None:
        return check.reason
    return f"{check.waiver} (without the waiver: {STATUS_WORDS[check.status]})"


def _metrics(comparison: Comparison) -> Table:
    base, cand = comparison.measures["base"], comparison.measures["cand"]
    rows = [
        (name, number(name, base[name]), number(name, cand[name]), change_words(name, comparison.changes.get(name)),
         METRICS[name].unit)
        for name in base
    ]  # fmt: skip
    return Table(("metric", "baseline", "candidate", "change", "over"), rows, on_paper=1)


def _changes_by(field: str, values: dict[str, dict[str, GroupChange]]) -> tuple[Block, ...]:
    """What a part of the questions has of each metric; why some have no change is told once, below."""
    rows = [
        (value, name, number(name, one.before), number(name, one.seen), change_words(name, one.change))
        for value, changes in values.items()
        for name, one in changes.items()
    ]
    reasons = dict.fromkeys(one.reason for changes in values.values() for one in changes.values() if one.reason)
    table = Table((field, "metric", "baseline", "candidate", "change"), rows)
    return Paragraph(_ABOUT_CHANGES, "quiet"), table, Items([f"change not shown: {one}" for one in reasons], "quiet")


def _moved(comparison: Comparison) -> Section:
    moved = comparison.moved
    heads = ("id", "from", "to", "stratum", "question", "why before", "why now")
    cases = Cases(heads, map(_case, moved), total=len(moved), limits=_MOVED)
    return Section(f"Moved ({len(moved)})", (cases if moved else Paragraph("No answer changed its bucket."),))


def _case(pair: Pair) -> Case:
    """A question whose answer changed its bucket; on a page, with both answers and what they rest on."""
    called = pair.question_id if pair.attempt == 1 else f"{pair.question_id} (attempt {pair.attempt})"
    asked = plain(pair.question.text, _LONGEST_QUESTION) if pair.question else ""
    title = (
        f"{called}:", f"{_bucket(pair.base)} \u2192", Span(_bucket(pair.cand), "strong"), Span(asked, "quiet"),
        Span(pair.stratum, "quiet"),
    )  # fmt: skip
    question = (
        (Paragraph(f"question, expects {pair.question.expects}", "quiet"), Quote(pair.question.text))
        if pair.question
        else ()
    )
    answers = Columns(tuple(tuple(_answer(side, pair.side(side))) for side in SIDES))
    why = (reason_of(pair.base), reason_of(pair.cand))
    cells = (called, _bucket(pair.base), Span(_bucket(pair.cand), "strong"), pair.stratum, asked, *why)
    return Case(cells, title, (*question, answers))


def _answer(side: SideName, said: Said) -> Iterator[Block]:
    verdict = said.verdicts.get("factuality")
    labelled = verdict is not None and said.is_labelled("factuality")
    by = f"(labelled by {whose_by_name([verdict.grader])})" if verdict and labelled else ""
    yield Paragraph((Span(f"{_SIDE_WORDS[side]}: {_bucket(said)}", "strong"), by, reason_of(said)))
    if said.trace is None:
        yield Paragraph("the answer itself is not known", "quiet")
    else:
        yield Quote(said.trace.answer) if said.trace.answer else Paragraph("no answer", "quiet")
        if said.trace.error:
            yield Paragraph(f"error: {said.trace.error}")
    yield from _evidence(verdict)
    if quality := said.verdicts.get("refusal_quality"):
        yield Paragraph((f"refusal quality {quality.value}", quality.reason))
        yield from _evidence(quality)
    for passage in cited_by(said)[:_PASSAGES_SHOWN]:
        yield Section(f"cites {passage.id} {passage.doc}", (Quote(passage.text),), "folded")


def _evidence(verdict: Verdict | None) -> Iterator[Block]:
    for one in (verdict.evidence if verdict else ())[:_PASSAGES_SHOWN]:
        about = [f"claim: {one.claim}" if one.claim else "", f"against {one.passage}" if one.passage else ""]
        quote = (Quote(one.quote),) if one.quote else ()
        yield Section("evidence", (*(Paragraph(line) for line in about if line), *quote), "folded")


def verdict_line(comparison: Comparison) -> str:
    """The decision in one sentence, what users lose by it, and what was waived or left out for it."""
    request, decision = comparison.request, comparison.decision
    used = [check.rule.name for check in decision.checks if check.waiver is not None]
    needless = [name for name in request.waivers if name not in used]
    said = [_reason(comparison)]
    said += [f"Users lose: {lost}." for lost in _lost(comparison)]
    said += [f"Waived: {', '.join(used)}."] if used else []
    said += [f"Waived without need: {', '.join(needless)}."] if needless else []
    said += ["--uncalibrated: verdicts were taken for the truth."] if request.uncalibrated else []
    said += [f"Not as the gate file has it: {overridden(request.overridden)}."] if request.overridden else []
    said += [f"{note[:1].upper()}{note[1:]}." for note in request.notes]
    return " ".join(said)


def _reason(comparison: Comparison) -> str:
    """What decided: by how much a metric changed, and what lacks its data."""
    decision = comparison.decision
    if decision.outcome == "SHIP":
        return headline(decision)
    open_ = [check for check in decision.checks if check.waiver is None]
    failed = [check for check in open_ if check.status == "fail"]
    told = [_changed(check) for check in failed]
    if not failed:
        told += [_unsure(check) for check in open_ if check.status == "undecidable"]
    told += decision.incomplete
    told += [f"{check.rule.name} is not met" for check in open_ if check.status == "incomplete"]
    return f"{'; '.join(told) or 'no rule applies'}."


def _changed(check: Check) -> str:
    metric, change = check.rule.metric, check.change
    if change is None:
        return f"{check.rule.name} failed"
    if not change.change and change.low == change.high:
        return f"{metric} did not change"
    way = "rose" if change.change > 0 else "fell"
    size = in_points(metric, abs(change.change)).removeprefix("+")
    return f"{metric} {way} by {size}{unit(metric)}{around(metric, change)}"


def _unsure(check: Check) -> str:
    if check.change is None or check.reason:
        return f"{check.rule.name} cannot be decided"
    metric, limit = check.rule.metric, allowed(check)
    ends = check.change.low, check.change.high
    # Rounded to the very limit, an end of the interval would not show why it is not enough.
    digits = next((n for n in (1, 2, 3) if limit not in (in_points(metric, end, n) for end in ends)), 4)
    return f"{metric} {change_words(metric, check.change, digits)}; you allow {limit}"


def _lost(comparison: Comparison) -> Iterator[str]:
    """What a change costs users although no rule may mind: fewer correct answers, or more refusals of what is known."""
    if any(check.status == "incomplete" for check in comparison.decision.checks):
        return  # what is not graded is not lost
    correct, refused = comparison.changes.get("correct_rate"), comparison.changes.get("over_refusal")
    if correct and correct.high < 0:
        yield f"correct fell by {_points(correct)}"
    if refused and refused.low > 0:
        yield f"{_points(refused)} more of what could be answered is refused"


def _points(change: Change) -> str:
    return f"{round(abs(change.change) * 100, 1):g} points"


def _background(comparison: Comparison) -> Iterator[str]:
    """What the decision rests on: which runs, how far the grader can be trusted, whose labels count, how sure."""
    for side in SIDES:
        graders = ", ".join(filter(None, comparison.graders[side]))
        by = f"graded by {graders}" if graders else "its grader is not named"
        yield f"{_SIDE_WORDS[side]}: {comparison.names[side]}, {by}"
    yield f"trust: {trust.in_words(comparison.trust)}"
    for grader, words in comparison.failed_checks.items():
        yield f"self-check FAILED: the grader {grader} {words} among answers of known label"
    labelled = {name: count for name, count in comparison.labelled.items() if count}
    if labelled and not comparison.trust.by_people:
        first, *rest = labelled.items()
        counts = " and ".join((f"{counted(first[1], 'answer')} of {first[0]}", *(f"{n} of {name}" for name, n in rest)))
        by = whose_by_name(comparison.trust.annotators)
        yield f"labels: labels by {by} count instead of the grader's verdicts on {counts}"
    if any(len(runs) > 1 for runs in comparison.runs.values()):
        base, cand = (len(comparison.runs[side]) for side in SIDES)
        yield f"runs: {base} of the baseline and {cand} of the candidate count together"
    request = comparison.request
    look = f", look {request.look} at these versions (alpha {comparison.alpha:.4f})" if request.look > 1 else ""
    yield f"decided {_CLAIMS[request.claim]}: margin {request.margin:g}, alpha {request.alpha:g}{look}"


def _mcnemar(comparison: Comparison) -> str:
    test = comparison.mcnemar
    return (
        f"wrong: {test.newly_wrong} newly wrong, {test.newly_fixed} no longer wrong;"
        f" exact McNemar p = {test.p:.3g} (for information, the rules decide)"
    )


def cited_by(said: Said) -> list[Passage]:
    """The passages an answer cites, as far as its log has them."""
    trace = said.trace
    if trace is None or not trace.citations:
        return []
    return [passage for passage in trace.sources if passage.id in trace.citations]


def reason_of(said: Said) -> str:
    """Why an answer is in its bucket, unless the bucket says it all."""
    verdict = said.verdicts.get("factuality")
    if verdict is not None and verdict.reason:
        return "" if verdict.reason == verdict.value else verdict.reason
    return (said.trace.error or "") if said.trace else ""


def _bucket(said: Said) -> str:
    return said.bucket or UNGRADED
