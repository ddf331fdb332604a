"""Numbers, rules and decisions in the words that every report uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from surefoot.errors import ExitCode
from surefoot.gate.metrics import metric_named
from surefoot.gate.rules import Change, Check, Decision, Rule
from surefoot.problems import ProblemLog, in_words
from surefoot.records import WITHOUT
from surefoot.report.blocks import Span
from surefoot.scorecard import difference as difference_of
from surefoot.types import Estimate

WAIVED = "waived"
STATUS_WORDS = {
    "pass": "pass",
    "fail": "FAIL",
    "incomplete": "INCOMPLETE",
    "undecidable": "undecidable",
    "not_applicable": "not applicable",
}
_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb\ufffe\uffff"
    r"\U000e0000-\U000e0fff]+"
)
_NAMED = 5  # problems of a kind
_NEARLY_ALL = 0.995


def plain(text: str, longest: int = 200) -> str:
    """One line without control or direction-changing characters, so that a log cannot steer a terminal."""
    text = " ".join(_UNPRINTABLE.sub(" ", text).split())
    return text if len(text) <= longest else text[: longest - 3] + "..."


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def counted_rows(rows: Mapping[str, int]) -> str:
    """Rows by table: "12 labels, 1 run and 3 replies"."""
    *first, last = (
        f"{count:,} {table if count != 1 else table.replace('replies', 'reply').removesuffix('s')}"
        for table, count in rows.items()
    )
    return f"{', '.join(first)} and {last}" if first else last


def percent(value: Fraction | float) -> str:
    """One decimal, halves to even, computed on the exact value."""
    tenths = round(Fraction(value) * 1000)
    return f"{tenths // 10}.{tenths % 10}%"


def seen(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return "-"
    return f"{percent(estimate.value)} ({estimate.numerator}/{estimate.denominator})"


def number(metric: str, estimate: Estimate | None) -> str:
    """A metric as people read it: a count as it is, a share in percent, a mean with two decimals."""
    known = metric_named(metric)
    if known is None or known.shape == "share" or estimate is None or estimate.value is None:
        return seen(estimate)
    if known.shape == "count":
        return str(estimate.numerator) if estimate.denominator == 1 else f"{float(estimate.value):.1f} a run"
    scale = f" of {known.most}" if known.most else ""
    return f"{float(estimate.value):.2f}{scale} (over {estimate.denominator})"


def bound_words(check: Check) -> str:
    """The end of the interval that a rule is on: `, low 7.21`."""
    which = check.rule.bound
    bound = None if which is None or check.seen is None else (check.seen.low if which == "low" else check.seen.high)
    if bound is None:
        return ""
    return f", {which} {f'{bound:.2f}' if _has_scale(check.rule.metric) else percent(bound)}"


def in_points(metric: str, value: float, digits: int = 1) -> str:
    """`+0.8` points of a share or count, `+0.12` of a mean."""
    if _has_scale(metric):
        return f"{round(value, digits + 1) + 0.0:+.{digits + 1}f}"
    return f"{round(value * 100, digits) + 0.0:+g}"


def unit(metric: str) -> str:
    return "" if _has_scale(metric) else " points"


def _has_scale(metric: str) -> bool:
    known = metric_named(metric)
    return known is not None and known.scale > 1


def change_words(metric: str, change: Change | None, digits: int = 1) -> str:
    """`+0.8 points (-1.1 to +3.6)`"""
    if change is None:
        return "-"
    return f"{in_points(metric, change.change)}{unit(metric)}{around(metric, change, digits)}"


def around(metric: str, change: Change, digits: int = 1) -> str:
    """The interval of a change, unless the change is exact."""
    low, high = (in_points(metric, end, digits) for end in (change.low, change.high))
    return "" if change.low == change.high else f" ({low} to {high})"


def allowed(check: Check) -> str:
    """What a rule would bear: a limit of its own, or the change up to limit and margin."""
    metric = check.rule.metric
    if check.change is not None:
        sign = 1 if check.rule.is_bounded_above else -1
        return in_points(metric, check.change.limit + sign * check.change.margin)
    if check.limit is None:
        return "-"
    if (known := metric_named(metric)) is not None and known.shape == "share":
        return percent(check.limit)
    return str(check.limit) if check.limit.denominator == 1 else f"{float(check.limit):.2f}"


def margin_words(check: Check, asked_for: float) -> str:
    """Where the margin of a rule comes from, unless it is the very one that was asked for."""
    metric = metric_named(check.rule.metric)
    if check.change is None or metric is None or check.change.margin in (0.0, asked_for):
        return ""
    of_all = metric.margin_factor * metric.scale * asked_for / check.change.margin
    reasons = {
        "wrong and unsupported answers may each rise by it": metric.margin_factor > 1,
        f"its values go up to {metric.scale}": metric.scale > 1 and metric.most is not None,
        "it counts claims, of which an answer may have several": metric.scale > 1 and metric.most is None,
        f"only {percent(of_all)} of the answers count in it": of_all < _NEARLY_ALL,
    }
    why = ", and ".join(words for words, holds in reasons.items() if holds)
    return f"margin {check.change.margin:.2g} where {asked_for:g} is set: {why}"


def seen_since(estimate: Estimate, before: Estimate | None) -> str:
    """What was seen, and how it has changed where something was seen before."""
    return seen(estimate) if before is None else f"{seen(estimate)}, {change(estimate, before)}"


def change(now: Estimate, before: Estimate | None) -> str:
    """In points, exact until it is shown: `+3.2 points (-1.0 to +7.4)`."""
    if now.value is None or before is None or before.value is None:
        return "-"
    difference = now.value - before.value
    tenths = round(abs(difference) * 1000)
    between = difference_of(now, before)
    told = "none" if not difference else f"{'-' if difference < 0 else '+'}{tenths // 10}.{tenths % 10} points"
    return told if between is None else f"{told} ({between['low'] * 100:+.1f} to {between['high'] * 100:+.1f})"


def share(estimate: Estimate) -> str:
    """`12.5% (8.1% to 18.3%)`"""
    return "-" if estimate.value is None else f"{percent(estimate.value)} ({interval(estimate)})"


def interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "-"
    return f"{percent(estimate.low)} to {percent(estimate.high)}"


def to_be_sure(check: Check) -> str:
    """How far the observation is from settling the rule."""
    if check.status not in ("pass", "fail", "incomplete") or check.seen is None:
        return "-"
    if check.to_be_sure is None:
        return "counted in full" if check.limit in (0, 1) else "on the limit"
    return "sure" if check.seen.denominator >= check.to_be_sure else f"from {check.to_be_sure:,} on"


def rule_words(rule: Rule) -> tuple[str, Span]:
    """What to call a rule, unless it begins with that anyway, and the rule."""
    name = " ".join(rule.name.split())
    return "" if f"{rule.text} ".startswith(f"{name} ") else f"{name}:", Span(rule.text, "code")


def status(check: Check) -> Span:
    return Span(WAIVED, WAIVED) if check.waiver is not None else Span(STATUS_WORDS[check.status], check.status)


def overridden(flags: Mapping[str, float | str | Sequence[str]]) -> str:
    """What the command line changed or added: `--alpha 0.4, other rules (wrong <= 3), without v2-1 (disk lost)`."""
    told = []
    for name, value in flags.items():
        if isinstance(value, str):
            told.append(f"--{name} {value}")
        elif isinstance(value, (int, float)):
            told.append(f"--{name} {value:g}")
        else:
            what = "other rules" if name == "rules" else name
            told.append(f"{what} {', '.join(value)}" if name == WITHOUT else f"{what} ({', '.join(value)})")
    return ", ".join(told)


def names(ids: Sequence[str], total: int, most: int = 16) -> str:
    """Some question ids, and how many more there are."""
    more = total - len(ids[:most])
    return ", ".join(map(plain, ids[:most])) + (f" and {more} more" if more > 0 else "")


def linked(ids: Sequence[str], total: int, most: int = 16) -> Span:
    """The same, each leading to its answer on a page."""
    return Span(names(ids, total, most), answers=tuple(ids[:most]))


def headline(decision: Decision) -> str:
    """The decision in one sentence."""
    by_status = {
        status: [c.rule.name for c in decision.checks if c.status == status]
        for status in ("fail", "incomplete", "undecidable", "pass")
    }
    if decision.outcome == "SHIP":
        count = len(by_status["pass"])
        return f"all {count} rules hold." if count != 1 else "the rule holds."
    unfinished = [*decision.incomplete, *(f"{name} is not met" for name in by_status["incomplete"])]
    if decision.outcome == "BLOCK":
        beside = f"; the run is incomplete too: {'; '.join(unfinished)}" if unfinished else ""
        return f"{', '.join(by_status['fail'])} failed{beside}."
    if by_status["undecidable"]:
        unfinished.append(f"{', '.join(by_status['undecidable'])} cannot be decided")
    said = "; ".join(unfinished) or "no rule applies"
    return f"incomplete: {said}." if decision.exit_code == ExitCode.INCOMPLETE else f"{said}."


def problem_lines(problems: ProblemLog) -> Iterator[str]:
    """What of the input could not be used: the first of each kind, and how many more there are."""
    for kind, named in problems.named.items():
        for problem in named[:_NAMED]:
            yield f"{'note' if kind == 'note' else 'warning'}: {plain(str(problem), 500)}"
        if (more := problems.counts[kind] - _NAMED) > 0:
            yield f"  and {in_words(more, kind)} more"
