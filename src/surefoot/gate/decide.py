"""A candidate against a baseline: every rule, and the decision they lead to."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.records import BAD, whose
from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.types import NOT_ASKED, Estimate, Question, counted, names
from surefoot.gate import metrics as gates
from surefoot.gate import sides as trust
from surefoot.gate import sides as versions
from surefoot.gate.looks import askings, change_of, diff_of, lasting_of, mean_change, noise_of
from surefoot.gate.metrics import GRADED, LASTING, UNKNOWN, Metric, Rule, Status, measured, of_council
from surefoot.gate.sides import BUCKET_AXIS, Reading, Said, Side

GRADER = "the grader"
_NAMED = 50  # questions behind a rule
_CAN_BE_WAIVED = frozenset({"fail", "incomplete", "undecidable"})
Asked = Mapping[str, Question | None]


class Request(Struct, frozen=True, kw_only=True):
    """What a comparison is decided by, beside its rules."""

    called: tuple[str, str] = ("", "")  # what base and candidate are called in commands
    waivers: Mapping[str, str] = {}
    uncalibrated: bool = False  # take the grader's word for what people would say
    by: Sequence[str] = ()  # fields of the questions to break down by
    cannot_ask: Collection[int] = ()  # sides (0 and 1) whose pipeline cannot be asked again


class RuleResult(Struct, frozen=True, kw_only=True):
    """What came of one rule. Counts are answers of one run; `low` and `high` are the 1 % and 97.5 % ends."""

    name: str
    rule: str
    metric: str
    status: Status
    before: float | None = None
    after: float | None = None
    change: float | None = None
    low: float | None = None
    high: float | None = None
    margin: float | None = None
    limit: float | None = None  # of a rule with a limit of its own
    by: str = ""  # whose word it rests on
    reason: str = ""  # why it cannot be decided
    questions: tuple[str, ...] = ()
    waiver: str | None = None  # why it does not count
    holds: bool | None = None

    @property
    def stands(self) -> Status:
        """What it adds to the decision."""
        return "not_applicable" if self.waiver is not None else self.status

    @property
    def worst(self) -> float:
        """The worse end of its interval."""
        metric = gates.metric_named(self.metric)
        return (self.high if metric is None or metric.better == "lower" else self.low) or 0.0

    def value_words(self, value: float | None) -> str:
        """A value as people read it: of a share in percent."""
        words = self.change_words(value)
        return f"{value:.1%}" if value is not None and words.endswith("points") else words

    def change_words(self, value: float | None) -> str:
        """A change as people read it: of a share in points."""
        metric = gates.metric_named(self.metric)
        shape = metric.shape if metric else "count"
        if value is None:
            return "-"
        if shape == "share":
            return f"{round(value * 100, 1) + 0.0:g} points"
        return f"{(round(value, 2 if shape == 'mean' else 1) or round(value, 2)) + 0.0:g}"


class Judge:
    """Rules against the answers of two sides."""

    def __init__(
        self, sides: tuple[Side, Side], asked: Asked, request: Request, rules: Sequence[Rule], gone: Sequence[str]
    ) -> None:
        self.sides, self.asked, self.request = sides, asked, request
        self.diff = diff_of(versions.readings_of(*sides, by_grader=request.uncalibrated))
        self.fixed = sides[0].deterministic, sides[1].deterministic
        runs = [run for side in sides for run in side.runs]
        self.documents = {id: document for run in runs for id, document in versions.documents_of(run).items()}
        self.annotators = tuple(sorted({name for run in runs for name in run.labelled_by}))
        nobody = "people" if self.diff.pairs and not self.diff.unseen else ""  # "": none differ, or nobody looked
        self.lookers = GRADER if request.uncalibrated else whose(self.annotators) if self.annotators else nobody
        self.axes = {axis for side in sides for said in side.all_answers() for axis in said.verdicts}
        council = {axis: of_council(axis) for axis in sorted(self.axes) if axis.startswith(AXIS_PREFIX)}
        council.pop(f"{AXIS_PREFIX}safety", None)  # which is no score
        self.metrics = {**GRADED, **council}
        self.lasting = {bucket: lasting_of(self.diff, bucket, deterministic=all(self.fixed), fixed=request.cannot_ask)
                        for bucket in BAD}  # fmt: skip
        self.failed = trust.failed_checks(runs)
        self.rules = tuple(map(self._waived, self._results(rules)))
        self.incomplete = (*trust.unusable(runs), *self._ungraded(), *self._not_asked(gone))
        self.outcome, self.code = gates.outcome_of([(one.metric, one.stands) for one in self.rules], self.incomplete)

    def _results(self, rules: Sequence[Rule]) -> Iterator[RuleResult]:
        """In their order; what changed for good is judged when the rest is."""
        found = {rule.name: self.result(rule) for rule in rules if rule.metric not in LASTING}
        by_looks = (rule.name for rule in rules if rule.on_baseline and rule.name in found
                    and self.metrics[rule.metric].axis == BUCKET_AXIS)  # fmt: skip
        rest_holds = all(self._waived(found[name]).stands in ("pass", "not_applicable") for name in by_looks)
        for rule in rules:
            yield found[rule.name] if rule.name in found else self._for_good(rule, rest_holds)
        if self.failed:
            told = "; ".join(f"{name} {words}" for name, words in self.failed.items())
            yield RuleResult(name=trust.SELF_CHECK, rule="the grader reads answers of known label well",
                             metric=trust.SELF_CHECK, status="undecidable", reason=told)  # fmt: skip

    def _waived(self, found: RuleResult) -> RuleResult:
        reason = self.request.waivers.get(found.name)
        waived = reason if found.status in _CAN_BE_WAIVED else None
        holds = {"pass": True, "fail": False, "incomplete": False}.get(found.status)
        return replace(found, waiver=waived, holds=holds)

    def result(self, rule: Rule) -> RuleResult:
        metric = self.metrics.get(rule.metric)
        axis = str(metric.axis) if metric is not None else rule.metric
        bare = RuleResult(name=rule.name, rule=rule.text, metric=rule.metric, status="not_applicable")
        if rule.metric.startswith(AXIS_PREFIX) and axis not in self.axes:
            return replace(bare, status="undecidable", reason=gates.unscored(rule, axis, self.metrics))
        if metric is None:
            return replace(bare, reason="a comparison does not measure it")
        if metric.axis and metric.axis not in self.axes and not metric.ranked:
            return replace(bare, reason=f"neither side has verdicts on {metric.axis}")
        asked = self.asked
        if rule.group_key is not None:
            field, value = rule.group_key
            asked = {id: question for id, question in self.asked.items() if question and question.group(field) == value}
            if not asked:
                there = sorted({question.group(field) for question in self.asked.values() if question} - {""})
                reason = f"no question has {field} {value!r} (there are: {', '.join(there) or 'none'})"
                return replace(bare, status="undecidable", reason=reason)
        if not rule.on_baseline or not metric.axis:
            return self._alone(rule, metric, asked, bare)
        return self._against_baseline(rule, metric, asked, bare)

    def _measured(self, metric: Metric, side: Side, asked: Asked) -> tuple[Estimate, int]:
        """As it stands, and how many answers lack the verdict; a count is that of one run.

        Where people chose another bucket than the grader, it had no reason to judge the rest: that is left out.
        """
        times = math.lcm(*{len(side.answers[id]) or 1 for id in asked})
        above, below, unknown = Fraction(0), 0, 0  # every question counts alike, however often it was asked
        for id, question in asked.items():
            answers = side.answers[id]
            for said in answers:
                part = metric.part(said, question)
                if part is UNKNOWN and (metric.axis == BUCKET_AXIS or not said.is_labelled(BUCKET_AXIS)):
                    unknown += 1
                    below += (metric.axis in ("", BUCKET_AXIS)) * times // len(answers)
                elif part is not None and part is not UNKNOWN:
                    above, below = above + part * (times // len(answers)), below + times // len(answers)
        if metric.shape == "count":
            return Estimate(above.numerator, above.denominator * times), unknown
        if not below:
            return Estimate(0, 0, reason=f"no {metric.unit}" + (" with a verdict" if unknown else "")), unknown
        return Estimate(float(above), below), unknown

    def _alone(self, rule: Rule, metric: Metric, asked: Asked, bare: RuleResult) -> RuleResult:
        """A rule with a limit of its own: the candidate as it stands."""
        limit = rule.limit * (len(asked) if rule.is_in_shares and metric.shape == "count" else 1)
        (base, _), (cand, unknown) = (self._measured(metric, side, asked) for side in self.sides)
        if rule.bound is not None:
            cand = measured(metric, [(said, asked[id]) for id in asked for said in self.sides[1].answers[id]])[0]
        check = gates.check(replace(rule, limit=limit), cand, base)
        if rule.metric == gates.COMPLETENESS and check.status == "pass":
            # A baseline with gaps is no baseline: the rule holds for both sides or not at all.
            other = gates.check(rule, base, base)
            check = check if other.status == "pass" else replace(other, reason="of the baseline")
        elif unknown and metric.axis:
            gain = 0 if rule.is_bounded_above else (metric.most or 0) * unknown
            below = max(cand.denominator + (unknown if metric.shape == "mean" else 0), 1)
            best = gates.check(replace(rule, limit=limit), Estimate(cand.numerator + gain, below), None).status
            fails = check.status == "fail" == best
            check = replace(check, status="fail" if fails else "undecidable", reason=_no_verdict(unknown))
        elif cand.value is None and not metric.ranked:
            check = replace(check, status="not_applicable", reason=cand.reason or "")
        behind = [] if check.status in ("pass", "not_applicable") else self._behind(rule, metric, asked)
        return replace(
            bare, status=check.status, before=base.value, after=cand.value, limit=float(limit), reason=check.reason,
            by=self._whose(metric, asked), questions=tuple(behind[:_NAMED]),
        )  # fmt: skip

    def _whose(self, metric: Metric, asked: Asked) -> str:
        """People, where they said everything that counts here; else the grader."""
        if not metric.axis or metric.ranked:
            return ""
        said = [one for side in self.sides for id in asked for one in side.answers[id] if metric.axis in one.verdicts]
        by_people = bool(said) and all(one.is_labelled(str(metric.axis)) for one in said)
        return (whose(self.annotators) if self.annotators else "people") if by_people else GRADER

    def _behind(self, rule: Rule, metric: Metric, asked: Asked) -> list[str]:
        """The questions that pull the candidate the wrong way, or lack the verdict that it takes."""
        found = []
        for id, question in asked.items():
            parts = [metric.part(said, question) for said in self.sides[1].answers[id]]
            if rule.on_baseline and metric.axis != "":
                values = [_mean([metric.part(said, question) for said in side.answers[id]]) for side in self.sides]
                gain = (values[1] or 0) - (values[0] or 0)
                pulls = gain > 0 if rule.is_bounded_above else gain < 0
            elif not metric.axis:
                pulls = any(said.lacks_verdicts for side in self.sides for said in side.answers[id])
            else:
                best = 0 if rule.is_bounded_above else metric.most or 0
                pulls = any(part is UNKNOWN or (part is not None and part != best) for part in parts)
            found += [id] if pulls else []
        return found

    def _against_baseline(self, rule: Rule, metric: Metric, asked: Asked, bare: RuleResult) -> RuleResult:
        (base, lack_base), (cand, lack_cand) = (self._measured(metric, side, asked) for side in self.sides)
        in_units = len(asked) if metric.shape == "count" else 1
        limit = rule.limit / in_units if metric.shape == "count" and not rule.is_in_shares else rule.limit
        margin = float(limit if rule.is_bounded_above else -limit)
        shown = replace(bare, before=base.value, after=cand.value, margin=float(limit) * in_units)
        if metric.axis == BUCKET_AXIS:
            by = self.lookers
            said = ((id, one) for side in self.sides for id in asked for one in side.answers[id])
            about = {id for id, one in said if metric.over(one, asked[id])}
            if not about:
                return replace(shown, reason=f"no {metric.unit}")
            part = self.diff.among(about)
            if not (self.request.uncalibrated or part.enough):
                return replace(shown, status="undecidable", by=GRADER, reason="too few looks")
            values = askings(part, metric.bad, 0), askings(part, metric.bad, 1)
            change = change_of(part, metric.bad, noise_of(*values, self.documents, self.fixed))
            in_units = len(about) if metric.shape == "count" else 1
            first = [one for bucket in BAD if metric.bad(bucket) for one in self.lasting[bucket].to_look]
            if first and all(self.fixed) and change.low > 0:
                return replace(shown, status="undecidable", by=by, reason=_to_look(first))
        else:
            by = self._whose(metric, asked)
            if lacking := lack_base + lack_cand:
                return replace(shown, status="undecidable", by=by, reason=_no_verdict(lacking))
            if base.value is None or cand.value is None:
                told: Status = "undecidable" if metric.ranked else "not_applicable"
                return replace(shown, status=told, reason=(cand if cand.value is None else base).reason or "")
            sign = 1 if metric.better == "lower" else -1
            before, after = ({id: [_number(metric, said, question, sign) for said in side.answers[id]]
                              for id, question in asked.items()} for side in self.sides)  # fmt: skip
            change = mean_change(before, after, self.documents, self.fixed if self.diff.pairs else (True, True))
        status: Status = "undecidable"
        # People's word blocks on any certain rise; a grader's on one beyond what is allowed.
        if change.low > (min(0.0, margin) if metric.axis == BUCKET_AXIS else margin) + _SAME:
            status = "fail"
        elif change.high <= margin + _SAME:
            status = "pass"
        low, high = (change.low, change.high) if metric.better == "lower" else (-change.high, -change.low)
        value = change.value if metric.better == "lower" else -change.value
        behind = self._behind(rule, metric, asked) if status == "fail" else []
        return replace(
            shown, status=status, by=by, questions=tuple(behind[:_NAMED]),
            **{end: round(one * in_units, 6) + 0.0 for end, one in (("change", value), ("low", low), ("high", high))},
        )  # fmt: skip

    def _for_good(self, rule: Rule, rest_holds: bool) -> RuleResult:
        """What changed for good is counted once the rest would ship, or all has been looked at."""
        bare = RuleResult(name=rule.name, rule=rule.text, metric=rule.metric, status="undecidable", by=self.lookers)
        if BUCKET_AXIS not in self.axes:
            return replace(bare, status="not_applicable", reason=f"neither side has verdicts on {BUCKET_AXIS}")
        if not rest_holds and self.diff.unseen:
            return replace(bare, reason="it is counted once the rest is settled")
        found, status, reason = self.lasting[rule.metric.removeprefix("newly_")], "pass", ""
        if found.to_look:
            status, reason = "undecidable", _to_look(found.to_look)
        elif len(found.newly) > len(found.mended):
            status, reason = ("undecidable", "too few runs to be sure") if found.to_ask else ("fail", "")
        return replace(
            bare, status=status, before=float(len(found.mended)), after=float(len(found.newly)), reason=reason,
            questions=found.newly,
        )  # fmt: skip

    def _ungraded(self) -> Iterator[str]:
        """Say which answers lack a verdict where a coverage rule fails, or there is none and some were not asked."""
        coverage = [rule.stands for rule in self.rules if rule.metric == gates.COMPLETENESS]
        not_asked = any(one.kind == NOT_ASKED for side in self.sides for run in side.runs for one in run.problems)
        if "incomplete" not in coverage and (coverage or not not_asked):
            return
        for side in self.sides:
            answers = list(side.all_answers())
            if lacking := [said.question_id for said in answers if said.lacks_verdicts]:
                ids = names(list(dict.fromkeys(lacking)))
                yield f"no verdict on {len(lacking)} of {len(answers)} answers of {side.name}: {ids}"

    def _not_asked(self, gone: Sequence[str]) -> Iterator[str]:
        """A question that only the baseline was asked is missing, and not left out."""
        waived = {rule.metric for rule in self.rules if rule.name in self.request.waivers}
        if gone and gates.COMPLETENESS not in waived:
            (base, cand), were = self.request.called, "was" if len(gone) == 1 else "were"
            ids = names(gone)
            yield f"{counted(len(gone), 'question')} of {base} {were} not asked of {cand} as before: {ids}"


_SAME = 1e-9


def _to_look(readings: Sequence[Reading]) -> str:
    return f"{counted(len({one.key for one in readings}), 'answer')} to look at first"


def _no_verdict(count: int) -> str:
    return f"{count} answer{'s have' if count > 1 else ' has'} no verdict on it"


def _mean(parts: Sequence[object]) -> Fraction | None:
    known = [part for part in parts if isinstance(part, (int, Fraction))]
    return Fraction(sum(known, 0), len(known)) if known else None


def _number(metric: Metric, said: Said, question: Question | None, sign: int) -> float | None:
    """What an answer adds to a mean; one that a count is not about adds nothing."""
    part = metric.part(said, question)
    if part is UNKNOWN or (part is None and metric.shape != "count"):
        return None
    return sign * float(part or 0)
