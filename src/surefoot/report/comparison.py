"""What a comparison of two versions says: the decision, what it rests on, and every number and answer behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from surefoot.core.records import whose_by_name
from surefoot.core.words import counted, names, plain
from surefoot.gate.counts import Pair
from surefoot.gate.decide import Comparison
from surefoot.gate.judge import ALPHA, GroupChange
from surefoot.gate.metrics import metric_named
from surefoot.gate.overview import cause_of, why_of
from surefoot.gate.rules import Change, Check
from surefoot.gate.sides import SIDES, SideName
from surefoot.report.answers import (
    LONGEST_QUESTION,
    answer,
    answer_id,
    asked,
    bucket_of,
    chip,
    first_step,
    graded_by,
    listed,
    look_into,
    rests_on,
)
from surefoot.report.blocks import (
    ORDER,
    STATUS_WORDS,
    Bars,
    Block,
    Case,
    Columns,
    Headline,
    Items,
    Line,
    NumberLine,
    NumberLines,
    Paragraph,
    Report,
    Section,
    Span,
    Table,
    allowed,
    around,
    bound_words,
    change_words,
    headline,
    in_points,
    linked,
    margin_words,
    number,
    overridden,
    problem_section,
    rule_words,
    status,
    unit,
)


def in_one_sentence(comparison: Comparison) -> str:
    """What the decision says after its outcome."""
    return " ".join(verdict_lines(comparison))


def verdict_lines(comparison: Comparison) -> tuple[str, str]:
    """Why, in answers; then in numbers, with what users lose by it, and what was waived or left out for it."""
    request, decision = comparison.request, comparison.decision
    used = [check.rule.name for check in decision.checks if check.waiver is not None]
    needless = [name for name in request.waivers if name not in used]
    said = [_reason(comparison)]
    said += [f"Users lose: {lost}." for lost in _lost(comparison)]
    said += [f"Waived: {', '.join(used)}."] if used else []
    said += [f"Waived without need: {', '.join(needless)}."] if needless else []
    said += ["Uncalibrated: verdicts were taken for the truth."] if request.uncalibrated else []
    said += [f"Not as the gate file has it: {overridden(request.overridden)}."] if request.overridden else []
    said += [f"{note[:1].upper()}{note[1:]}." for note in request.notes]
    return _in_answers(comparison), " ".join(said)


def _in_answers(comparison: Comparison) -> str:
    """`54 answers became wrong and 23 unsupported; no bad answer got better.`"""
    if not any(pair.base.bucket or pair.cand.bucket for pair in comparison.pairs):
        return "the answers are in no buckets: neither run is graded."
    if not any(pair.has_moved for pair in comparison.pairs):
        return "no answer changed its bucket."
    pairs = [pair for pair in comparison.pairs if pair.base.bucket]
    wrong = sum(pair.cand.bucket == "wrong" != pair.base.bucket for pair in pairs)
    unsupported = sum(pair.cand.bucket == "unsupported" and pair.turn == "became bad" for pair in pairs)
    better = sum(pair.turn == "became acceptable" for pair in pairs)
    worse = [(wrong, "wrong"), (unsupported, "unsupported")]
    (first, kind), *rest = [one for one in worse if one[0]] or [(0, "wrong or unsupported")]
    became = f"{counted(first, 'answer') if first else 'no answer'} became {kind}"
    became += "".join(f" and {count} {kind}" for count, kind in rest)
    return f"{became}; {counted(better, 'bad answer') if better else 'no bad answer'} got better."


def _reason(comparison: Comparison) -> str:
    """What decided: by how much a metric changed, and what lacks its data."""
    decision = comparison.decision
    if decision.outcome == "SHIP":
        return headline(decision).capitalize()
    open_ = [check for check in decision.checks if check.waiver is None]
    failed = [check for check in open_ if check.status == "fail"]
    told = [_changed(check) for check in failed]
    if not failed:
        unsure = [check for check in open_ if check.status == "undecidable"]
        told += _unsure(unsure, comparison.request.margin)
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


def _unsure(checks: Sequence[Check], margin: float) -> Iterator[str]:
    """What may or may not be too much, in numbers; then what there are no numbers for."""
    for check in checks:
        if check.change is None or check.reason:
            continue
        metric, limit = check.rule.metric, allowed(check)
        ends = check.change.low, check.change.high
        # Rounded to the very limit, an end of the interval would not show why it is not enough.
        digits = next((n for n in (1, 2, 3) if limit not in (in_points(metric, end, n) for end in ends)), 4)
        why = margin_words(check, margin)
        yield f"{metric} {change_words(metric, check.change, digits)}; you allow {limit}{f' ({why})' if why else ''}"
    if unknown := [check.rule.name for check in checks if check.change is None or check.reason]:
        yield f"{', '.join(unknown)} cannot be decided"


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


_ABOUT_CHANGES = (
    "Baseline and candidate are as graded and labelled; the change allows for what the grader may have got wrong."
)
_SIDE_WORDS: dict[SideName, str] = {"base": "baseline", "cand": "candidate"}
_LINES_DRAWN = 4
_NAMED_BY_GATE = 4  # questions behind a rule


def report(comparison: Comparison) -> Report:
    return Report("Surefoot comparison", _summary(comparison), tuple(_body(comparison)))


def gate_report(comparison: Comparison) -> Report:
    """What does not hold, and the decision."""
    told = [in_one_line(check) for check in broken_rules(comparison)]
    return Report("Surefoot gate", _summary(comparison), (Items(told),))


def bucket_bars(comparison: Comparison) -> Bars:
    """The buckets of both versions, over all questions."""
    return Bars(("version",), [("", [(_SIDE_WORDS[side], comparison.buckets[side]) for side in SIDES])])


def broken_rules(comparison: Comparison) -> list[Check]:
    return [check for check in comparison.decision.checks if check.status not in ("pass", "not_applicable")]


def in_one_line(check: Check) -> Span:
    """A rule that does not hold, the questions behind it, and why."""
    change = change_words(check.rule.metric, check.change) if check.change else _seen(check)
    told = names(check.questions, check.question_count, _NAMED_BY_GATE), change, _why(check)
    name, rule = rule_words(check.rule)
    words = f"{name} {rule.text}: {status(check).text}: {'; '.join(filter(None, told))}"
    return Span(words, status(check).style)


def _seen(check: Check) -> str:
    """What a rule with a limit of its own was held against."""
    return f"is {number(check.rule.metric, check.seen)}" if check.seen and check.seen.value is not None else ""


def _summary(comparison: Comparison) -> tuple[Block, ...]:
    blocked = comparison.decision.outcome == "BLOCK"
    steps = comparison.next_steps or (first_step(comparison.faults) if blocked else [])
    why, in_numbers = verdict_lines(comparison)
    lines = NumberLines(_decisive(comparison))
    return (
        Headline(comparison.decision.outcome, ((why, Span(in_numbers, "detail")),)),
        Items([(Span("next:", "strong"), step) for step in steps]),
        *([Section("How sure this is", (lines,), "paper")] if lines.entries else []),
        Items(list(_background(comparison)), "quiet"),
    )


def _decisive(comparison: Comparison) -> list[NumberLine]:
    """The rules on a change that decided; where all hold, the first."""
    checks = [check for check in comparison.decision.checks if check.change is not None]
    by_status = [[check for check in checks if check.status == status] for status in ("fail", "undecidable")]
    chosen = next(filter(None, by_status), checks)
    return [_number_line(check, check.change) for check in chosen[:_LINES_DRAWN] if check.change]


def _number_line(check: Check, change: Change) -> NumberLine:
    above, metric = check.rule.is_bounded_above, check.rule.metric
    edge = change.limit + (change.margin if above else -change.margin)
    worse = "rise" if above else "fall"
    beyond = f"{worse} beyond {in_points(metric, change.limit)}" if change.limit else worse
    sure = {
        "fail": f"a {beyond} is certain",
        "pass": f"a {worse} beyond {in_points(metric, edge)} is excluded",
        "undecidable": f"a {beyond} is not certain, and one beyond {in_points(metric, edge)} is not excluded",
    }
    name = Span(metric, "strong"), check.rule.group or "", status(check)
    told = check.reason or sure.get(check.status, "")
    words = "; ".join(filter(None, (change_words(metric, change), told)))
    return NumberLine(name, words, change.low, change.change, change.high, change.limit, edge, not check.reason)


def _body(comparison: Comparison) -> Iterator[Block]:
    strata = [(stratum or "(no stratum)", sides) for stratum, sides in comparison.by_stratum.items()]
    groups = [("all", comparison.buckets), *strata]
    bars = [(name, [(_SIDE_WORDS[side], sides[side]) for side in SIDES]) for name, sides in groups]
    moves = Counter((bucket_of(pair.base), bucket_of(pair.cand)) for pair in comparison.pairs)
    columns = [bucket for bucket in ORDER if any(bucket in pair for pair in moves)]
    rows = [(before, *(str(moves[before, after]) for after in columns)) for before in columns]
    yield Section("What became of the answers", (Table(("from / to", *columns), rows),), "paper")
    yield Section("Buckets", (Bars(("stratum", "side"), bars), Paragraph(_turned(comparison), "quiet")))
    yield from look_into(comparison.faults, "The candidate's bad answers, and refusals where an answer is expected")
    heads = ("rule", "result", "baseline", "candidate", "change", "limit or margin", "why", "questions")
    checks = comparison.decision.checks
    yield Section("Rules", (Table(heads, [_rule(check) for check in checks]),))
    yield Section("Metrics", (Paragraph(_ABOUT_CHANGES, "quiet"), _metrics(comparison)))
    for field, values in comparison.by_group.items():
        if values or field in comparison.request.by:
            asked_for = field in comparison.request.by
            yield Section(f"Changes by {field}", _changes_by(field, values), "open" if asked_for else "folded")
    yield _answers(comparison)
    yield from problem_section(comparison.problems)


def _rule(check: Check) -> tuple[Line, ...]:
    metric = check.rule.metric
    return (
        rule_words(check.rule),
        status(check),
        number(metric, check.before),
        number(metric, check.seen) + bound_words(check),
        Span(change_words(metric, check.change), change=None if check.reason else check.change),
        allowed(check),
        _why(check),
        linked(check.questions, check.question_count),
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
         metric.unit)
        for name in base
        if (metric := metric_named(name)) is not None
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


def _answers(comparison: Comparison) -> Section:
    """On a page every answer, the worst first; elsewhere the first of those that are bad or have moved."""
    pairs = comparison.pairs
    if not any(pair.base.bucket or pair.cand.bucket for pair in pairs):
        return Section(f"Answers ({len(pairs)})", (Paragraph("Neither run is graded."),))
    turns = Counter(pair.turn for pair in pairs)
    worth = len(pairs) - turns["as before"]
    cases = [_case(pair) for pair in pairs]
    heads = ("id", "from", "to", "stratum", "question", "why before", "why now")
    shown = listed(heads, ("change", "now", "look into", "stratum"), cases, worth)
    told = ", ".join(f"{count} {turn}" for turn, count in turns.items()) + "."
    moved = any(pair.has_moved for pair in pairs)
    return Section(f"Answers ({len(pairs)})", (Paragraph(told if moved else "No answer changed its bucket."), shown))


def _case(pair: Pair) -> Case:
    """A question with both answers; where they are the same, it stands once."""
    called = pair.question_id if pair.attempt == 1 else f"{pair.question_id} (attempt {pair.attempt})"
    asked_for = plain(pair.question.text, LONGEST_QUESTION) if pair.question else ""
    cause = cause_of(pair.cand, pair.question)
    layer = cause.layer if cause else ""
    title = (
        *((chip(pair.base), "\u2192") if pair.has_moved else ()), chip(pair.cand), asked_for,
        Span(" \u00b7 ".join(filter(None, (called, pair.stratum, layer))), "quiet"),
    )  # fmt: skip
    sides = Columns(tuple(tuple(answer(pair.side(side), pair.question, f"{_SIDE_WORDS[side]}:")) for side in SIDES))
    both = Columns((tuple(answer(pair.cand, pair.question, "both versions:")),)) if _is_same(pair) else sides
    why = why_of(pair.base, pair.question), why_of(pair.cand, pair.question)
    cells = (called, bucket_of(pair.base), Span(bucket_of(pair.cand), "strong"), pair.stratum, asked_for, *why)
    kinds = pair.turn, bucket_of(pair.cand), layer, pair.stratum
    calm = pair.turn == "as before"
    return Case(cells, title, (*asked(pair.question), both), kinds, answer_id(pair.question_id, pair.attempt), calm)


def _is_same(pair: Pair) -> bool:
    return pair.base.key == pair.cand.key and pair.base.verdicts == pair.cand.verdicts


def _background(comparison: Comparison) -> Iterator[str]:
    """What the decision rests on: which runs, how far the grader can be trusted, whose labels count, how sure."""
    for side in SIDES:
        yield f"{_SIDE_WORDS[side]}: {comparison.names[side]}, {graded_by(comparison.graders[side])}"
    yield from rests_on(comparison.trust, comparison.failed_checks)
    labelled = {_SIDE_WORDS[side]: count for side, count in comparison.labelled.items() if count}
    if labelled and not comparison.trust.by_people:
        first, *rest = labelled.items()
        counts = " and ".join(
            (f"{counted(first[1], 'answer')} of the {first[0]}", *(f"{n} of the {name}" for name, n in rest))
        )
        by = whose_by_name(comparison.trust.annotators)
        yield f"labels: labels by {by} count instead of the grader's verdicts on {counts}"
    if any(len(runs) > 1 for runs in comparison.runs.values()):
        base, cand = (len(comparison.runs[side]) for side in SIDES)
        yield f"runs: {base} of the baseline and {cand} of the candidate count together"
    request = comparison.request
    yield from (f"not counted: {run}" for run in request.not_counted)
    margins = ((check.rule.metric, margin_words(check, request.margin)) for check in comparison.decision.checks)
    yield from (f"{metric}: {words}" for metric, words in dict.fromkeys(margins) if words)
    look = f", look {request.look} at these versions (alpha {comparison.alpha:.4f})" if request.look > 1 else ""
    yield f"decided about this question set: margin {request.margin:g}, alpha {ALPHA:g}{look}"


def _turned(comparison: Comparison) -> str:
    moved = [(pair.base.bucket, pair.cand.bucket) for pair in comparison.moved if pair.base.bucket and pair.cand.bucket]
    worse, better = sum(after == "wrong" for _, after in moved), sum(before == "wrong" for before, _ in moved)
    return f"wrong: {worse} newly wrong, {better} no longer wrong"
