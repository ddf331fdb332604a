"""What every form of a comparison says in the same words: numbers, rules, the decision and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from surefoot import trust
from surefoot.compare import STRICT, Comparison, Counts
from surefoot.gate import TRUST
from surefoot.judging import Judged
from surefoot.measures import MEASURES, UNGRADED, Pair, Said, SideName
from surefoot.records import whose_by_name
from surefoot.report.words import STATUS_WORDS, counted, headline, overridden, percent, seen
from surefoot.sequential.history import SEQUENTIAL
from surefoot.types import Estimate, Passage

WAIVED = "waived"
_MODES = {STRICT: "any increase counts", SEQUENTIAL: "chance is allowed for"}


def number(metric: str, estimate: Estimate | None) -> str:
    """A measure as people read it: a count as it is, a share in percent, a mean with two decimals."""
    if estimate is None or estimate.value is None:
        return "-"
    if metric == "kappa":
        return f"{float(estimate.value):z.2f} ({estimate.low:z.2f} to {estimate.high:z.2f})"
    shape = _shape(metric)
    if shape == "count":
        return str(estimate.numerator)
    if shape == "mean":
        most = MEASURES[metric].most
        scale = f" of {most}" if most else ""
        return f"{float(estimate.value):.2f}{scale} (over {estimate.denominator})"
    return seen(estimate)


def _shape(metric: str) -> str:
    if metric in TRUST:
        return "count" if metric == "labels" else "mean"
    return MEASURES[metric].shape if metric in MEASURES else "share"


def limit(metric: str, value: Fraction | None) -> str:
    if value is None:
        return "-"
    shape = _shape(metric)
    if shape == "share":
        return f"-{percent(-value)}" if value < 0 else percent(value)
    return str(value) if value.denominator == 1 else f"{float(value):.2f}"


def status(judged: Judged) -> str:
    return WAIVED if judged.waiver is not None else STATUS_WORDS[judged.check.status]


def why(judged: Judged) -> str:
    """What the status alone does not say."""
    if judged.waiver is None:
        return judged.check.reason
    return f"{judged.waiver} (without the waiver: {STATUS_WORDS[judged.check.status]})"


def verdict_line(comparison: Comparison) -> str:
    """The decision in one sentence, with what was waived or lifted for it."""
    used = [judged.check.rule.name for judged in comparison.judged if judged.waiver is not None]
    needless = [name for name in comparison.waived if name not in used]
    said = [headline(comparison.decision)]
    said += [f"Waived: {', '.join(used)}."] if used else []
    said += [f"Waived without need: {', '.join(needless)}."] if needless else []
    said += ["--uncalibrated: the grader's error was left out of account."] if comparison.uncalibrated else []
    said += [f"Not as the gate file has it: {overridden(comparison.overridden)}."] if comparison.overridden else []
    said += [f"Blocked before: {_blocked_before(comparison)}."] if comparison.blocked_before else []
    place = comparison.sequential and comparison.sequential.place
    said += [_left_out(place.left_out)] if place and place.left_out else []
    return " ".join(said)


def _blocked_before(comparison: Comparison) -> str:
    """The strict mode goes by two runs alone, so whoever changes the reference has to be told what the other said."""
    against = dict.fromkeys(f"against {one.base_name} on {one.at[:10]}" for one in comparison.blocked_before)
    return f"the same answers, {' and '.join(against)}"


def _left_out(references: Sequence[str]) -> str:
    steps = f"{counted(len(references), 'earlier step')} of this release {'is' if len(references) == 1 else 'are'}"
    return f"{steps} LEFT OUT: against another reference, {', '.join(dict.fromkeys(references))}."


def background(comparison: Comparison) -> list[str]:
    """What the decision rests on: how far the grader can be trusted, whose labels count, and in which mode."""
    said = [f"trust: {trust.in_words(comparison.trust)}"]
    for grader, words in comparison.failed_checks.items():
        said.append(f"self-check FAILED: the grader {grader} {words} among answers of known label")
    labelled = {name: count for name, count in comparison.labelled.items() if count}
    if labelled:
        first, *rest = labelled.items()
        counts = " and ".join((f"{counted(first[1], 'answer')} of {first[0]}", *(f"{n} of {name}" for name, n in rest)))
        by = whose_by_name(comparison.labelled_by)
        said.append(f"labels: labels by {by} count instead of the grader's verdicts on {counts}")
    said.append(f"mode: {comparison.mode}: {comparison.why_this_mode or _MODES[comparison.mode]}")
    return [*said, *_sequential_lines(comparison)]


def _sequential_lines(comparison: Comparison) -> Iterator[str]:
    used = comparison.sequential
    if used is None:
        return
    place = used.place
    if place is None:
        yield f"sequential: alpha {used.alpha:g}, margin {used.margin:g}; files have no history, so nothing adds up"
        return
    yield (
        f"sequential: release {place.release}, number {place.number} of programme {place.programme}, look {place.look};"
        f" blocks at e = {1 / used.alpha_block:.4g}, ships when a rise above {used.margin:g} has a chance of at most"
        f" {used.alpha_ship:.4f}"
    )
    if place.note:
        yield f"sequential: {place.note}"


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


def groups(comparison: Comparison) -> list[tuple[str, dict[SideName, Counts]]]:
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
