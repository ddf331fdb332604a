"""What every form of a comparison says in the same words: numbers, rules, the decision and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from surefoot.gate import trust
from surefoot.gate.counts import Counted, Pair
from surefoot.gate.decide import Comparison
from surefoot.gate.metrics import METRICS, UNGRADED
from surefoot.gate.rules import Change, Check
from surefoot.gate.sides import SIDES, Said, SideName
from surefoot.records import whose_by_name
from surefoot.report.words import STATUS_WORDS, counted, headline, overridden, percent, seen
from surefoot.types import Estimate, Passage

WAIVED = "waived"
ABOUT_CHANGES = (
    "Baseline and candidate are as graded and labelled; the change allows for what the grader may have got wrong."
)
_CLAIMS = {"set": "about this question set", "population": "about questions like these"}


def number(metric: str, estimate: Estimate | None) -> str:
    """A metric as people read it: a count as it is, a share in percent, a mean with two decimals."""
    if estimate is None or estimate.value is None:
        return "-"
    known = METRICS.get(metric)
    shape = known.shape if known else "share"
    if shape == "count":
        times = estimate.denominator
        return str(estimate.numerator) if times == 1 else f"{float(estimate.value):.1f} a run"
    if known and shape == "mean":
        scale = f" of {known.most}" if known.most else ""
        return f"{float(estimate.value):.2f}{scale} (over {estimate.denominator})"
    return seen(estimate)


def in_points(metric: str, value: float, digits: int = 1) -> str:
    """A change: `+0.8 points` of a share or count, `+0.12` of a mean."""
    if METRICS[metric].scale > 1:
        return f"{round(value, digits + 1) + 0.0:+.{digits + 1}f}"
    return f"{round(value * 100, digits) + 0.0:+g}"


def unit(metric: str) -> str:
    return "" if METRICS[metric].scale > 1 else " points"


def change_words(metric: str, change: Change | None, digits: int = 1) -> str:
    """`+0.8 points, between -1.1 and +3.6`."""
    if change is None:
        return "-"
    value = in_points(metric, change.change) + unit(metric)
    if change.low == change.high:
        return value
    low, high = (in_points(metric, end, digits) for end in (change.low, change.high))
    return f"{value}, between {low} and {high}"


def group_rows(changes: Mapping[str, Mapping[str, Change]]) -> Iterator[tuple[str, str, str, str, str]]:
    """What a metric was and is in each part of the questions, by all that is known, and its change."""
    for value, of in changes.items():
        for name, one in of.items():
            yield value, name, _level(name, one.baseline), _level(name, one.candidate), change_words(name, one)


def _level(metric: str, value: float) -> str:
    return f"{value:.2f}" if METRICS[metric].scale > 1 else f"{100 * value:.1f}%"


def allowed(check: Check) -> str:
    """What a rule would bear: a limit of its own, or the change up to limit and margin."""
    metric = check.rule.metric
    if check.change is not None:
        sign = 1 if check.rule.is_bounded_above else -1
        return in_points(metric, check.change.limit + sign * check.change.margin)
    if check.limit is None:
        return "-"
    if metric in METRICS and METRICS[metric].shape == "share":
        return percent(check.limit)
    return str(check.limit) if check.limit.denominator == 1 else f"{float(check.limit):.2f}"


def status(check: Check) -> str:
    return WAIVED if check.waiver is not None else STATUS_WORDS[check.status]


def why(check: Check) -> str:
    """What the status and the numbers do not say."""
    if check.waiver is None:
        return check.reason
    return f"{check.waiver} (without the waiver: {STATUS_WORDS[check.status]})"


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
    if check.change is None:
        return f"{check.rule.name} failed"
    metric, change = check.rule.metric, check.change
    if not change.change and change.low == change.high:
        return f"{metric} did not change"
    way = "rose" if change.change > 0 else "fell"
    sure = (
        ""
        if change.low == change.high
        else f" (between {in_points(metric, change.low)} and {in_points(metric, change.high)})"
    )
    return f"{metric} {way} by {in_points(metric, abs(change.change)).removeprefix('+')}{unit(metric)}{sure}"


def _unsure(check: Check) -> str:
    if check.change is None or check.reason:
        return f"{check.rule.name} cannot be decided"
    metric, limit = check.rule.metric, allowed(check)
    ends = check.change.low, check.change.high
    # Rounded to the very limit, an end of the interval would not show why it is not enough.
    digits = next((n for n in (1, 2, 3) if limit not in (in_points(metric, end, n) for end in ends)), 4)
    return f"{metric} {change_words(metric, check.change, digits)}; you allow {limit}"


def _lost(comparison: Comparison) -> list[str]:
    """What a change costs users although no rule may mind: fewer correct answers, or more refusals of what is known."""
    if any(check.status == "incomplete" for check in comparison.decision.checks):
        return []  # what is not graded is not lost
    correct, refused = comparison.changes.get("correct_rate"), comparison.changes.get("over_refusal")
    found = [f"correct fell by {_points(correct)}"] if correct and correct.high < 0 else []
    more = f"{_points(refused)} more of what could be answered is refused" if refused and refused.low > 0 else ""
    return [*found, *filter(None, [more])]


def _points(change: Change) -> str:
    return f"{round(abs(change.change) * 100, 1):g} points"


def background(comparison: Comparison) -> list[str]:
    """What the decision rests on: how far the grader can be trusted, whose labels count, which runs, how sure."""
    said = [f"{comparison.names['cand']} against {comparison.names['base']}"]
    said.append(f"trust: {trust.in_words(comparison.trust)}")
    for grader, words in comparison.failed_checks.items():
        said.append(f"self-check FAILED: the grader {grader} {words} among answers of known label")
    labelled = {name: count for name, count in comparison.labelled.items() if count}
    if labelled and not comparison.trust.by_people:
        first, *rest = labelled.items()
        counts = " and ".join((f"{counted(first[1], 'answer')} of {first[0]}", *(f"{n} of {name}" for name, n in rest)))
        by = whose_by_name(comparison.trust.annotators)
        said.append(f"labels: labels by {by} count instead of the grader's verdicts on {counts}")
    if any(len(names) > 1 for names in comparison.runs.values()):
        base, cand = (len(comparison.runs[side]) for side in SIDES)
        said.append(f"runs: {base} of the baseline and {cand} of the candidate count together")
    request = comparison.request
    look = f", look {request.look} at these versions (alpha {comparison.alpha:.4f})" if request.look > 1 else ""
    said.append(f"decided {_CLAIMS[request.claim]}: margin {request.margin:g}, alpha {request.alpha:g}{look}")
    return said


def mcnemar_line(comparison: Comparison) -> str:
    test = comparison.mcnemar
    return (
        f"{test.newly_wrong} newly wrong, {test.newly_fixed} no longer wrong;"
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


def groups(comparison: Comparison) -> list[tuple[str, dict[SideName, Counted]]]:
    """All answers, then each stratum."""
    strata = [(stratum or "(no stratum)", sides) for stratum, sides in comparison.by_stratum.items()]
    return [("all", comparison.buckets), *strata]


def place_of(said: Said) -> str:
    """The bucket of an answer and why it is there: `wrong (contradicted)`."""
    reason = reason_of(said)
    return f"{said.bucket or UNGRADED} ({reason})" if reason else said.bucket or UNGRADED


def asked_in(pair: Pair) -> str:
    """The question's text; files of labels do not have it."""
    return pair.question.text if pair.question else ""


def called(pair: Pair) -> str:
    return pair.question_id if pair.attempt == 1 else f"{pair.question_id} (attempt {pair.attempt})"
