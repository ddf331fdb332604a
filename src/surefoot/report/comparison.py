"""What a decision says: why, each rule, what nobody looked at, the questions that changed, and closed details."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from surefoot.core.records import is_ai, whose, whose_by_name
from surefoot.core.types import counted, in_plain_words, names, plain
from surefoot.gate.decide import RuleResult
from surefoot.gate.metrics import LASTING, UNGRADED, metric_named
from surefoot.gate.sides import SIDES
from surefoot.jobs.gate import GateResult
from surefoot.report import blocks
from surefoot.report.blocks import Block, Headline, Items, Line, Paragraph, Quote, Report, Section, Span, Table

_NAMED = 6  # questions in a line
_PRINTED = 2  # questions with both answers on paper; the others have a line
_PASSAGES = 2  # that an answer cites, of those shown beside it
_LONGEST_PASSAGE = 600


def report(found: GateResult, *, written: bool = False) -> Report:
    """`written`: the page is in a file already."""
    return replace(brief(found), body=tuple(_body(found, written)))


def brief(found: GateResult) -> Report:
    """The decision alone."""
    return Report("Surefoot decision", (
        Headline(found.outcome, tuple(sentences(found))),
        Items([rule_line(one, found) for one in found.rules]),
        *([Paragraph(unseen(found))] if found.differing else []),
        Items([(Span("next:", "strong"), step) for step in found.next]),
        Items([found.baseline] if found.baseline else [], "quiet"),
    ), ())  # fmt: skip


def sentences(found: GateResult) -> Iterator[str]:
    """Why, and what else nobody may overlook: whose word it rests on, what was waived, left out, or not told."""
    first, *rest = found.headline.split(" ")  # which may be the name of a rule or a file
    yield " ".join([first.capitalize() if first.isalpha() and first.islower() else first, *rest])
    if found.uncalibrated:
        yield "Uncalibrated: the grader's verdicts were taken for the truth."
    elif found.annotators and all(map(is_ai, found.annotators)) and found.looked_at:
        yield f"The labels are by {whose_by_name(found.annotators)}, not by people."
    used = [f"{rule.name} ({rule.waiver})" for rule in found.rules if rule.waiver is not None]
    needless = [name for name in found.waived if not any(one.startswith(f"{name} (") for one in used)]
    yield from [f"Waived: {', '.join(used)}."] if used else []
    yield from [f"Waived without need: {', '.join(needless)}."] if needless else []
    yield from [f"Not as the gate file has it: {blocks.overridden(found.overridden)}."] if found.overridden else []
    if found.cannot_tell and found.outcome != "SHIP":  # of which the first sentence says it
        ids = names(found.cannot_tell, _NAMED)
        yield f"Labels differ, or say that nobody can tell, on {counted(len(found.cannot_tell), 'question')}: {ids}."
    yield from (f"{note.rstrip('.')}." for note in found.notes)


def rule_line(rule: RuleResult, found: GateResult) -> tuple[str | Span, ...]:
    """`wrong: 3 -> 5 of 130, +2 (-0.4 to +4.1), you allow 3.9; by people: holds`"""
    waived = f"waived ({rule.waiver}), else {blocks.STATUS_WORDS[rule.status]}" if rule.waiver is not None else ""
    result = Span(waived or blocks.STATUS_WORDS[rule.status], "waived" if waived else rule.status)
    is_within = rule.status == "fail" and rule.margin is not None and abs(rule.change or 0) <= abs(rule.margin)
    reason = rule.reason or ("small, and certain" if is_within else "")
    return Span(rule.name, "strong"), f"{_numbers(rule, found)}:", result, *([f"({reason})"] if reason else [])


def in_words(rule: RuleResult, found: GateResult) -> str:
    return " ".join(one.text if isinstance(one, Span) else one for one in rule_line(rule, found))


def _numbers(rule: RuleResult, found: GateResult) -> str:
    metric = metric_named(rule.metric)
    if rule.metric in LASTING and rule.after is not None:
        ids = f" ({names(rule.questions, _NAMED)})" if rule.questions else ""
        return f"{rule.after:g} newly, {rule.before:g} mended{ids}" + (f"; by {rule.by}" if rule.by else "")
    if metric is None or rule.after is None:
        return f"({rule.rule})"
    of = f" of {found.questions}" if metric.shape == "count" and metric.most else ""
    told = [f"{rule.value_words(rule.before)} \u2192 {rule.value_words(rule.after)}{of}"]
    if rule.change is not None:
        is_sum = rule.before is None or rule.change_words(rule.after - rule.before) == rule.change_words(rule.change)
        told.append(_change(rule) + ("" if is_sum else " where both can be compared"))
    if rule.margin is not None:
        told.append(f"you allow {_signed(rule, rule.margin)}")
    elif rule.limit is not None:
        told.append(f"the rule is {rule.rule}")
    return ", ".join(told) + (f"; by {rule.by}" if rule.by else "")


def _signed(rule: RuleResult, value: float | None) -> str:
    return f"{'+' if (value or 0) > 0 else ''}{rule.change_words(value)}"


def unseen(found: GateResult) -> str:
    """What nobody looked at, and what it would take to close that."""
    alike = f"{found.pairs - found.differing} of {found.pairs} pairs of answers say the same"
    if found.uncalibrated or not found.unseen:
        who = whose(found.annotators) if found.annotators else "people"
        seen = "nobody looked at" if found.uncalibrated else f"{who} looked at"
        which = "the pair that differs" if found.differing == 1 else f"all {found.differing} that differ"
        return f"{alike}; {seen} {which}."
    left = f"nobody has looked at both answers of {found.unseen} of {counted(found.differing, 'differing pair')}"
    time = counted(found.minutes, "minute")
    return f"{alike}; {left}: an error there would go unseen; about {time} would close it."


def _body(found: GateResult, written: bool) -> Iterator[Block]:
    if found.changed:
        cases = [_case(one, calm=place >= _PRINTED) for place, one in enumerate(found.changed)]
        heads = ("id", "change", "stratum", "question", "before", "now")
        shown = blocks.listed(heads, ("change", "stratum"), cases, len(cases))
        yield Section(f"Questions that changed ({len(cases)})", (shown,))
    strata = [(stratum or "(no stratum)", sides) for stratum, sides in found.by_stratum.items()]
    groups = [("all", found.buckets), *strata]
    bars = [(name, [(found.names[side], sides[side]) for side in SIDES]) for name, sides in groups]
    yield Section("Buckets", (blocks.Bars(("stratum", "version"), bars[:1]),))
    behind = "" if written else "Everything behind it: --report page.html"
    yield Section("Details", tuple(_details(found, bars)), "folded", behind)
    yield from blocks.problem_section(found.problems)


def _details(found: GateResult, bars: Sequence[tuple[str, Any]]) -> Iterator[Block]:
    yield Items(list(_background(found)), "quiet")
    if bars[1:]:
        yield Section("Buckets by stratum", (blocks.Bars(("stratum", "version"), bars[1:]),))
    for field, values in found.by.items():
        rows = [(value, rule.metric, rule.value_words(rule.before), rule.value_words(rule.after), _change(rule))
                for value, rules in values.items() for rule in rules]  # fmt: skip
        yield Section(f"Changes by {field}", (Table((field, "metric", "baseline", "candidate", "change"), rows),))


def _change(rule: RuleResult) -> str:
    if rule.change is None:
        return rule.reason or "-"
    if not rule.change and rule.low == rule.high:
        return "no change"
    ends = f" ({_signed(rule, rule.low)} to {_signed(rule, rule.high)})" if rule.low != rule.high else ""
    return f"{_signed(rule, rule.change)}{ends}"


def _background(found: GateResult) -> Iterator[str]:
    for side in SIDES:
        times = f", every question asked {counted(found.times[side], 'time')}" if found.times[side] > 1 else ""
        yield f"{found.names[side]}: {', '.join(found.runs[side])}{times}, {blocks.graded_by(found.graders[side])}"
    if found.annotators:
        yield f"labels by {whose_by_name(found.annotators)}"
    yield "an interval ends at its 1 % and 97.5 % points: the first above 0 blocks, the other within the margin ships"
    yield ("a rise just as large as the margin ships at most about 1 time in 8 (1 in 5 where a deterministic pipeline"
           " changes much both ways and the grader is blind), one of twice the margin 1 in 100; an unchanged version"
           " is blocked about 1 time in 60 at five runs; faults shared by a whole run or document are known only"
           " from the runs there are")  # fmt: skip


def _case(one: Mapping[str, Any], *, calm: bool) -> blocks.Case:
    """A question with both answers, what they cite, and whose word their buckets are."""
    asked = plain(one["question"], blocks.LONGEST_QUESTION)
    base, cand = one["base"], one["cand"]
    about = " \u00b7 ".join(filter(None, (one["question_id"], one["stratum"], one["turn"])))
    before, after = blocks.bucket(base["bucket"]), blocks.bucket(cand["bucket"])
    title = (before, "\u2192", after, asked, Span(about, "quiet"))
    inside: list[Block] = [Quote(one["question"])] if len(one["question"]) > blocks.LONGEST_QUESTION else []
    inside += [Paragraph((Span("expected:", "strong"), one["expected"]))] if one["expected"] else []
    columns = blocks.Columns(
        tuple(tuple(_answer(side, words)) for side, words in ((base, "baseline"), (cand, "candidate")))
    )
    cells = one["question_id"], one["turn"], one["stratum"], asked, before.text, after.text
    return blocks.Case(cells, title, (*inside, columns), (one["turn"], one["stratum"]), one["question_id"], calm)


def _answer(side: Mapping[str, Any], heading: str) -> Iterator[Block]:
    why = in_plain_words(side["reason"]) if side["bucket"] == side["graded"] else f"graded {side['graded'] or UNGRADED}"
    yield Paragraph((Span(f"{heading}:", "strong"), blocks.bucket(side["bucket"]), f"by {side['by']}; {why}"))
    yield Quote(side["answer"] or side["error"] or "(no answer)")
    for passage in side["cited"][:_PASSAGES]:
        yield Paragraph((Span(passage["id"], "strong"), plain(passage["text"], _LONGEST_PASSAGE)), "quiet")


_LEVELS = {"SHIP": "notice", "BLOCK": "error", "INCONCLUSIVE": "warning"}
_MOST = 10  # annotations of a kind that GitHub shows of one step
_LONGEST = 500
_LINES = 10
_ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})


def commands(found: GateResult) -> Iterator[str]:
    """The decision, and each rule that does not hold; GitHub reads them from what a step prints."""
    yield _annotation(_LEVELS[found.outcome], f"surefoot: {found.outcome}", " ".join(sentences(found)))
    broken = [rule for rule in found.rules if rule.status not in ("pass", "not_applicable")]
    for rule in broken[: _MOST - 1]:
        level = "error" if rule.status == "fail" and rule.waiver is None else "warning"
        yield _annotation(level, f"surefoot: {rule.name}", in_words(rule, found))


def _annotation(level: str, title: str, message: str) -> str:
    head = plain(title).translate(_ESCAPES).replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={head}::{plain(message, _LONGEST).translate(_ESCAPES)}"


def summary(found: GateResult) -> Report:
    """The first ten lines of the decision's page."""
    # Where the summary is read there is no project, so the workflow says how to look.
    steps = [(Span("next:", "strong"), step.partition(": surefoot label ")[0]) for step in found.next[:1]]
    decisive = sorted(found.rules, key=lambda rule: rule.status in ("pass", "not_applicable"))
    rules = [rule_line(rule, found) for rule in decisive if rule.status != "not_applicable"]
    shown: list[Line] = [*rules[: _LINES - 3], *([unseen(found)] if found.differing else []), *steps]
    return Report("Surefoot", (Headline(found.outcome, (" ".join(sentences(found)),)),), (Items(shown),))
