"""A rule against the answers of two versions: it holds, fails, or cannot be decided yet."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import pi

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.types import Estimate, Question
from surefoot.gate import rules as gate
from surefoot.gate.change import DRAWS, Draws, Evidence, draw, evidence_on
from surefoot.gate.counts import Asked
from surefoot.gate.metrics import GRADED, UNKNOWN, Metric, Value, measured, of_council
from surefoot.gate.rules import Change, Check, Rule
from surefoot.gate.sides import SIDES, Side, SideName

ALPHA = 0.05  # how often to be wrong, at most, where a change is certain or excluded
QUESTIONS_NAMED = 50  # a check names this many questions and counts the rest
_BY_GROUP = 1_000  # draws for each part of the questions: shown, not decided by
_SAME = 1e-9
_CAN_BE_WAIVED = frozenset({"fail", "incomplete", "undecidable"})


class Request(Struct, frozen=True, kw_only=True):
    """What a comparison is decided by, beside its rules."""

    waivers: Mapping[str, str] = {}
    uncalibrated: bool = False  # take verdicts for the truth
    margin: float = 0.03
    look: int = 1  # how often these two versions were decided on, each time with other answers
    by: Sequence[str] = ()  # fields of the questions to break down by
    overridden: Mapping[str, float | str | tuple[str, ...]] = {}  # of the gate file, by the command line
    without: Mapping[str, str] = {}  # runs that were left out, with the reason
    notes: tuple[str, ...] = ()  # what has to be said of how the runs were chosen
    not_counted: tuple[str, ...] = ()  # runs that have no part in it, and why


class GroupChange(Struct, frozen=True):
    """A metric of both sides on a part of the questions, as graded and labelled, and its change or why it has none."""

    before: Estimate
    seen: Estimate
    change: Change | None
    reason: str = ""


class Opened(Struct, frozen=True):
    """A rule that could not be decided, and what is known about it."""

    rule: Rule
    change: Change
    evidence: Evidence
    draws: Draws
    alpha_ship: float
    alpha_block: float


def spent(look: int) -> float:
    """What a look may use of alpha, so that all looks together use no more than alpha."""
    return 6 * ALPHA / (pi * look) ** 2


class Judge:
    """Rules against the answers of two sides."""

    def __init__(self, sides: Mapping[SideName, Side], asked: Asked, request: Request, against: int) -> None:
        self.sides, self.asked, self.request = sides, asked, request
        self.alpha, self.against = spent(request.look), max(against, 1)
        self.axes = {axis for side in sides.values() for said in side.all_answers() for axis in said.verdicts}
        scores = {axis: of_council(axis) for axis in sorted(self.axes) if axis.startswith(AXIS_PREFIX)}
        scores.pop(f"{AXIS_PREFIX}safety", None)  # which is no score
        self._metrics = {**GRADED, **scores}
        self._by_people = all(run.is_by_people for side in sides.values() for run in side.runs)
        self.opened: dict[str, Opened] = {}
        self.unchecked: dict[str, Evidence] = {}  # by rule with a limit of its own: what nobody has labelled
        self._seen: dict[tuple[str, SideName], tuple[Estimate, int]] = {}  # over all questions
        self._known: dict[str, tuple[Evidence, Draws]] = {}

    def check(self, rule: Rule) -> Check:
        metric = self._metrics.get(rule.metric)
        axis = str(metric.axis) if metric is not None else rule.metric
        if axis.startswith(AXIS_PREFIX) and axis not in self.axes:
            return Check(rule, "undecidable", reason=gate.unscored(rule, axis, self._metrics))
        if metric is None:
            return Check(rule, "not_applicable", reason="a comparison does not measure it")
        if metric.axis and metric.axis not in self.axes:
            return Check(rule, "not_applicable", reason=f"neither side has verdicts on {metric.axis}")
        chosen, lacking = self._chosen(rule)
        if lacking:
            return Check(rule, "undecidable", reason=lacking)
        check = self._against_baseline(rule, metric, chosen) if rule.on_baseline else self._alone(rule, metric, chosen)
        return self._with_questions(check, metric, chosen)

    def waived(self, check: Check) -> Check:
        reason = self.request.waivers.get(check.rule.name)
        return replace(check, waiver=reason) if reason and check.status in _CAN_BE_WAIVED else check

    def measures(self, side: SideName) -> dict[str, Estimate]:
        """What is measured on this side; an axis that neither side has is left out."""
        return {
            name: self._measured(metric, side, self.asked)[0]
            for name, metric in self._metrics.items()
            if not metric.axis or metric.axis in self.axes
        }

    def changes(self, asked: Asked, draws: int) -> dict[str, Change]:
        """Of every metric that both sides have, with the interval of a rule that stands alone."""
        return {metric.name: self._change(metric, asked, draws) for metric in self._on_both_sides(asked)}

    def _on_both_sides(self, asked: Asked) -> list[Metric]:
        return [
            metric
            for metric in self._metrics.values()
            if metric.axis in self.axes and all(self._measured(metric, side, asked)[0].value is not None
                                                for side in SIDES)
        ]  # fmt: skip

    def _change(self, metric: Metric, asked: Asked, draws: int) -> Change:
        evidence, known = self._drawn(metric, asked, draws)
        low, high = known.quantile(self.alpha), known.quantile(1 - self.alpha)
        return Change(*known.means, known.mean, low, high, 0.0, self._margin(metric, evidence, len(asked)))

    def by_group(self, field: str) -> dict[str, dict[str, GroupChange]]:
        groups: dict[str, dict[str, Question | None]] = {}
        for id, question in self.asked.items():
            if question is not None and (value := question.group(field)):
                groups.setdefault(value, {})[id] = question
        return {
            value: {one.name: self._of_group(one, asked, _group(field, value)) for one in self._on_both_sides(asked)}
            for value, asked in sorted(groups.items())
        }

    def _of_group(self, metric: Metric, asked: Asked, group: str) -> GroupChange:
        """As sure as a rule on these questions: verdicts of which no label tells anything show no change."""
        base, cand = (self._measured(metric, side, asked)[0] for side in SIDES)
        evidence = self._evidence(metric, asked, certain=self.request.uncalibrated)
        if not evidence.labels and evidence.unchecked - {None}:
            return GroupChange(base, cand, None, self._unknown(metric, set(), 0, group))
        return GroupChange(base, cand, self._change(metric, asked, _BY_GROUP))

    def _chosen(self, rule: Rule) -> tuple[Asked, str]:
        """The questions a rule is about, or why there are none."""
        if rule.group_key is None:
            return self.asked, ""
        name, value = rule.group_key
        chosen = {id: question for id, question in self.asked.items() if question and question.group(name) == value}
        known = sorted({question.group(name) for question in self.asked.values() if question} - {""})
        return chosen, "" if chosen else f"no question has {name} {value!r} (there are: {', '.join(known) or 'none'})"

    def _measured(self, metric: Metric, side: SideName, asked: Asked) -> tuple[Estimate, int]:
        """As it stands; a count is that of one run, however many there are."""
        if asked is self.asked and (metric.name, side) in self._seen:
            return self._seen[metric.name, side]
        answers = [(said, question) for id, question in asked.items() for said in self.sides[side].answers[id]]
        estimate, unknown = measured(metric, answers)
        if metric.shape == "count":
            estimate = Estimate(estimate.numerator, self.sides[side].attempts)
        if asked is self.asked:
            self._seen[metric.name, side] = estimate, unknown
        return estimate, unknown

    def _drawn(self, metric: Metric, asked: Asked, draws: int = DRAWS) -> tuple[Evidence, Draws]:
        if asked is self.asked and metric.name in self._known:
            return self._known[metric.name]
        evidence = shown = self._evidence(metric, asked, certain=self.request.uncalibrated)
        if not evidence.labels:
            shown = self._evidence(metric, asked, certain=True)  # nothing is known of the grader: the change as graded
        found = evidence, draw(shown, draws)
        if asked is self.asked:
            self._known[metric.name] = found
        return found

    def _evidence(self, metric: Metric, asked: Asked, *, certain: bool) -> Evidence:
        return evidence_on(metric, (self.sides["base"], self.sides["cand"]), asked, taken_for_truth=certain)

    def _alone(self, rule: Rule, metric: Metric, asked: Asked) -> Check:
        """A rule with a limit of its own: the candidate as it stands."""
        limit = rule.limit * (len(asked) if rule.is_in_shares and metric.shape == "count" else 1)
        counted = replace(rule, limit=limit)
        (base, _), (cand, unknown) = (self._measured(metric, side, asked) for side in SIDES)
        check = replace(gate.check(counted, cand, base), rule=rule)
        if rule.metric == gate.COMPLETENESS and check.status == "pass":
            # A baseline with gaps is no baseline: the rule holds for both sides or not at all.
            other = gate.check(rule, base, base)
            return check if other.status == "pass" else replace(other, reason="of the baseline")
        if unchecked := self._unchecked(metric, asked):
            self.unchecked[rule.name] = unchecked
            reason = self._unknown(metric, set(), unknown, _of(rule))
            return replace(check, status="undecidable", reason=reason, to_be_sure=None)
        if not unknown:
            nothing = replace(check, status="not_applicable", reason=cand.reason or "")
            return check if cand.value is not None else nothing
        fails = check.status == "fail" and _with_the_rest_good(counted, metric, cand, unknown) == "fail"
        status = "fail" if fails else "undecidable"
        return replace(check, status=status, reason=_no_verdict(unknown), to_be_sure=None)

    def _unchecked(self, metric: Metric, asked: Asked) -> Evidence | None:
        """What is measured, where it rests on verdicts of which no label tells anything."""
        if not metric.axis or metric.needs_no_labels or self.request.uncalibrated or self._by_people:
            return None
        evidence = self._evidence(metric, asked, certain=False)
        opened = any(one.label is None and one.verdict is not None for one in evidence.answers)
        return evidence if opened and not evidence.labels else None

    def _against_baseline(self, rule: Rule, metric: Metric, asked: Asked) -> Check:
        (base, lack_base), (cand, lack_cand) = (self._measured(metric, side, asked) for side in SIDES)
        empty = [estimate for estimate in (cand, base) if estimate.value is None]
        if not metric.axis:
            return gate.check(rule, cand, base)
        lacking = lack_base + lack_cand
        if empty:
            is_needless = not lacking and (len(empty) == 2 or metric.shape == "mean")
            one = "candidate" if cand.value is None else "baseline"
            where = "on either side" if len(empty) == 2 else f"of the {one}"
            reason = _no_verdict(lacking) if lacking else f"{empty[0].reason} {where}"
            return Check(rule, "not_applicable" if is_needless else "undecidable", cand, reason=reason, before=base)
        evidence, known = self._drawn(metric, asked)
        change = self._interval(rule, metric, evidence, known, len(asked))
        status, reason = self._status(rule, change), ""
        unchecked, labels = evidence.unchecked, evidence.labels
        if unchecked and (status == "fail" or not labels):
            best = draw(_at_best(evidence, rule, unchecked))
            proven = metric.most is not None and self._interval(rule, metric, evidence, best, len(asked))
            if proven and self._status(rule, proven) == "fail":
                status = "fail"
            else:
                reason = self._unknown(metric, unchecked if labels else set(), lacking, _of(rule))
                status = "undecidable"
        if status == "undecidable":
            reason = reason or (_no_verdict(lacking) if lacking else "")
            block = self.alpha / self.against
            self.opened[rule.name] = Opened(rule, change, evidence, known, self.alpha, block)
        return Check(rule, status, cand, reason=reason, before=base, change=change)  # type: ignore[arg-type]

    def _unknown(self, metric: Metric, unchecked: set[Value | None], lacking: int, group: str) -> str:
        """Why verdicts that nobody has checked neither ship nor block; `group` is the part of the answers meant."""
        if self._by_people or (unchecked == {None} and lacking):
            return _no_verdict(lacking)
        which = " or ".join(sorted(str(one) for one in unchecked if one is not None))
        of, called = f" of {group}" if group else "", f" called {which}" if which else ""
        what = f"{metric.axis} of an answer{of}{called}" if group or which else metric.axis
        return f"nobody has labelled {what}, so how far the grader errs{' there' if group else ''} is not known"

    def _margin(self, metric: Metric, evidence: Evidence, questions: int) -> float:
        """What that share of all answers could do to a metric: the more to a mean of few."""
        is_of_all = metric.shape == "count" or not evidence.occurrences
        of_all = 1.0 if is_of_all else len(evidence.occurrences) / sum(evidence.attempts) / questions
        return min(1.0, metric.margin_factor * self.request.margin / of_all) * metric.scale

    def _interval(self, rule: Rule, metric: Metric, evidence: Evidence, known: Draws, questions: int) -> Change:
        limit = float(rule.limit)
        if metric.shape == "count" and not rule.is_in_shares:
            limit /= questions
        block, ship = self.alpha / self.against, self.alpha
        low, high = (block, 1 - ship) if rule.is_bounded_above else (ship, 1 - block)
        margin = self._margin(metric, evidence, questions) if rule.op in ("<=", ">=", "==") else 0.0
        return Change(*known.means, known.mean, known.quantile(low), known.quantile(high), limit, margin)

    def _status(self, rule: Rule, change: Change) -> str:
        """Fails where a change for the worse is established, passes where one beyond the margin is excluded."""
        low, high, limit, margin = change.low, change.high, change.limit, change.margin
        if rule.op in (">=", ">"):
            low, high, limit = -high, -low, -limit
        if rule.op == "==":
            fails = low > limit + _SAME or high < limit - _SAME
            passes = max(high - limit, limit - low) <= margin + _SAME
        elif rule.op in ("<", ">"):
            fails, passes = low >= limit - _SAME, high < limit - _SAME
        else:
            fails, passes = low > limit + _SAME, high <= limit + margin + _SAME
        return "fail" if fails else "pass" if passes else "undecidable"

    def _with_questions(self, check: Check, metric: Metric, asked: Asked) -> Check:
        """Names the questions to look at: those without the verdict it takes, or those that pull the wrong way."""
        if check.status in ("pass", "not_applicable"):
            return check
        behind = [id for id, question in asked.items() if self._pulls(check, metric, id, question)]
        return replace(check, questions=tuple(behind[:QUESTIONS_NAMED]), question_count=len(behind))

    def _pulls(self, check: Check, metric: Metric, id: str, question: Question | None) -> bool:
        if not metric.axis:
            return any(said.lacks_verdicts for side in self.sides.values() for said in side.answers[id])
        parts = {name: [metric.part(said, question) for said in self.sides[name].answers[id]] for name in SIDES}
        if check.status == "undecidable" and check.change is None:
            return UNKNOWN in (*parts["cand"], *(parts["base"] if check.rule.on_baseline else ()))
        before, after = (_mean(parts[name]) for name in SIDES)
        if not check.rule.on_baseline:
            best = Fraction(0) if check.rule.is_bounded_above else Fraction(metric.most or 0)
            before = check.rule.limit if metric.shape == "mean" else best
        elif before is None and metric.shape != "count" and check.before is not None:
            before = check.before.exact  # where the baseline has nothing of the kind, its mean
        gain = (after or 0) - (before or 0)
        return after is not None and (gain > 0 if check.rule.is_bounded_above else gain < 0)


def _of(rule: Rule) -> str:
    return _group(*rule.group_key) if rule.group_key else ""


def _group(field: str, value: str) -> str:
    """What to call a part of the questions: a stratum by its name alone, as in a rule."""
    return value if field == gate.DEFAULT_GROUP else f"{field}={value}"


def _with_the_rest_good(rule: Rule, metric: Metric, cand: Estimate, unknown: int) -> str:
    """What came of a rule if every missing verdict were in the candidate's favour."""
    gain = 0 if rule.is_bounded_above else (metric.most or 0) * unknown
    below = cand.denominator + (unknown if metric.shape == "mean" else 0)
    best = Estimate(cand.numerator + gain, max(below, 1), cand.low, cand.high)
    return gate.check(rule, best, None).status


def _mean(parts: Sequence[object]) -> Fraction | None:
    known = [part for part in parts if isinstance(part, (int, Fraction))]
    return Fraction(sum(known, 0), len(known)) if known else None


def _at_best(evidence: Evidence, rule: Rule, unchecked: Collection[Value | None]) -> Evidence:
    """As if all whose verdicts nobody has checked were in the candidate's favour."""
    worth = sorted(evidence.worth, key=lambda value: evidence.worth[value], reverse=rule.is_bounded_above)
    answers = [
        replace(one, label=worth[-one.side])
        if one.label is None and one.side is not None and one.verdict in unchecked
        else one
        for one in evidence.answers
    ]
    return replace(evidence, answers=answers)


def _no_verdict(count: int) -> str:
    return f"{count} answer{'s have' if count > 1 else ' has'} no verdict on it"
