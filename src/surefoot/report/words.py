"""Numbers and foreign text, made safe and readable for a report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from surefoot.errors import ExitCode
from surefoot.gate.rules import Check, Decision, Rule
from surefoot.problems import ProblemLog, in_words
from surefoot.records import WITHOUT
from surefoot.scorecard import difference as difference_of
from surefoot.types import Estimate

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
_LINKED = re.compile(r"(:|www)(//|\.)", re.IGNORECASE)  # what readers of Markdown make a link of by themselves
_MARKUP = re.compile(r"([\\`*_\[\]|#~])")


def plain(text: str, longest: int = 200) -> str:
    """One line without control or direction-changing characters, so that a log cannot steer a terminal."""
    text = " ".join(_UNPRINTABLE.sub(" ", text).split())
    return text if len(text) <= longest else text[: longest - 3] + "..."


def cell(text: str, longest: int = 200) -> str:
    """Foreign text inside a Markdown table: no markup, no HTML, no links, no column breaks."""
    unlinked = _LINKED.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", plain(text, longest)))
    return unlinked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def percent(value: Fraction | float) -> str:
    """One decimal, halves to even, computed on the exact value."""
    tenths = round(Fraction(value) * 1000)
    return f"{tenths // 10}.{tenths % 10}%"


def fraction(estimate: Estimate) -> str:
    return f"{estimate.numerator}/{estimate.denominator}"


def seen(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    return "-" if estimate.value is None else f"{percent(estimate.value)} ({fraction(estimate)})"


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


def rule_words(rule: Rule) -> str:
    """A rule with the name it has in the decision's sentence in front, unless it begins with that anyway."""
    name = " ".join(rule.name.split())
    return rule.text if f"{rule.text} ".startswith(f"{name} ") else f"{name}: {rule.text}"


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


def names(ids: Sequence[str], total: int, shown: int = 12, show: Callable[[str], str] = cell) -> str:
    """Some question ids, and how many more there are."""
    listed = ", ".join(show(i) for i in ids[:shown])
    return listed + (f" and {total - min(shown, len(ids))} more" if total > min(shown, len(ids)) else "")


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
