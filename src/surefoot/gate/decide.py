"""A candidate against a baseline: what differs, every rule, and the decision with its next step."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, Incomplete, UsageError
from surefoot.core.records import BAD, CANNOT_TELL, whose
from surefoot.core.result import Result
from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.types import Estimate, Problem, Question, check_group_fields
from surefoot.core.words import counted
from surefoot.gate import rules as gates
from surefoot.gate import sides as versions
from surefoot.gate import trust
from surefoot.gate.looks import (
    Diff,
    Lasting,
    Pair,
    Reading,
    askings,
    change_of,
    diff_of,
    lasting_of,
    mean_change,
    noise_of,
)
from surefoot.gate.metrics import GRADED, UNKNOWN, Counted, Metric, buckets, measured, metric_named, of_council, strata
from surefoot.gate.rules import LASTING, Rule, Status, Verdict
from surefoot.gate.sides import BUCKET_AXIS, SIDES, Run, Said, Side, SideName, cited_by

SECONDS_A_KEY = 8
GRADER = "the grader"
_NAMED = 50  # questions behind a rule
_REASONS = 3  # for a block, in one sentence
_CAN_BE_WAIVED = frozenset({"fail", "incomplete", "undecidable"})
Asked = Mapping[str, Question | None]


class Request(Struct, frozen=True, kw_only=True):
    """What a comparison is decided by, beside its rules."""

    called: tuple[str, str]  # what base and candidate are called in commands
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


class GateResult(Result, frozen=True, kw_only=True):
    """Two versions, what differs between them, and the decision."""

    outcome: Verdict
    exit_code: ExitCode
    headline: str  # the verdict's reason in one sentence
    lean: str  # what the grader alone would decide, where people have not looked at enough
    rules: tuple[RuleResult, ...]
    newly_wrong: tuple[str, ...]  # question ids, for good
    newly_unsupported: tuple[str, ...]
    mended_wrong: tuple[str, ...]
    mended_unsupported: tuple[str, ...]
    pairs: int
    differing: int
    looked_at: int
    unseen: int
    unseen_questions: int
    minutes: int  # to look at all that nobody has looked at
    cannot_tell: tuple[str, ...]  # questions with an answer of which people cannot tell
    next: tuple[str, ...]  # commands and steps
    names: dict[SideName, str]
    runs: dict[SideName, list[str]]
    graders: dict[SideName, list[str]]
    questions: int
    times: dict[SideName, int]  # how often every question was asked
    buckets: dict[SideName, Counted]
    by_stratum: dict[str, dict[SideName, Counted]]
    by: dict[str, dict[str, tuple[RuleResult, ...]]]  # field -> value -> the rules on buckets, there
    changed: tuple[dict[str, Any], ...]  # questions whose answers moved, the worst first
    annotators: tuple[str, ...]
    uncalibrated: bool
    waived: dict[str, str]
    notes: tuple[str, ...]
    incomplete: tuple[str, ...]
    problems: tuple[Problem, ...]
    failed_checks: dict[str, str]  # by grader: what it misread of answers of known label
    baseline: str = ""  # what the baseline is, and which command would move it
    not_counted: tuple[str, ...] = ()  # runs that have no part in it, and why
    # What of the gate file the command line has changed.
    overridden: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The rules, each with its change and interval."""
        kept = ("name", "rule", "status", "before", "after", "change", "low", "high", "margin", "by", "reason")
        return [{key: getattr(rule, key) for key in kept} for rule in self.rules]


def compare(base: Sequence[Run], cand: Sequence[Run], rules: Sequence[Rule], request: Request) -> GateResult:
    """Hold the candidate's runs against the baseline's and decide by the rules."""
    for name, reason in request.waivers.items():
        if name not in (known := [rule.name for rule in rules]):
            raise UsageError(f"no rule is named {name!r}, so it cannot be waived", f"the rules are {', '.join(known)}")
        if not reason.strip():
            raise UsageError(f"the waiver of {name!r} gives no reason", "say why with --reason")
    base, cand = [versions.labels_apart(run) for run in base], [versions.labels_apart(run) for run in cand]
    _check_runs(base, cand, rules)
    asked, notes, gone = versions.asked_of(base, cand)
    check_group_fields(request.by, filter(None, asked.values()))
    keys = ("both", "both") if base == cand else ("base", "cand")
    sides = versions.side_of(base, asked, keys[0]), versions.side_of(cand, asked, keys[1])
    judge = _Judge(sides, asked, request, rules, gone)
    lean = None if judge.is_seen else _Judge(sides, asked, replace(request, uncalibrated=True), rules, gone)
    return judge.comparison(lean, notes)


def _check_runs(base: Sequence[Run], cand: Sequence[Run], rules: Sequence[Rule]) -> None:
    """All are of one kind, and graded: a council's scores put no answer into a bucket, and serve its own rules only."""
    for run in (*base[:-1], *cand):
        versions.check_alike(base[-1], run)
    of_council = [(metric_named(rule.metric) or GRADED["wrong"]).axis for rule in rules]
    of_buckets = [rule for rule, axis in zip(rules, of_council, strict=True) if not str(axis).startswith(AXIS_PREFIX)]
    for run in (*base, *cand) if of_buckets else ():
        if run.verdicts and all(verdict.axis.startswith(AXIS_PREFIX) for verdict in run.verdicts):
            message = f"the run {run.name} has only a council's scores, and the rule {of_buckets[0].text!r} asks for"
            raise Incomplete(f"{message} verdicts", f"grade it first: surefoot grade {run.name}")


class _Judge:
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
        self.axes = {axis for side in sides for said in side.all_answers() for axis in said.verdicts}
        council = {axis: of_council(axis) for axis in sorted(self.axes) if axis.startswith(AXIS_PREFIX)}
        council.pop(f"{AXIS_PREFIX}safety", None)  # which is no score
        self.metrics = {**GRADED, **council}
        self.lasting = {bucket: self._lasting(bucket) for bucket in BAD}
        self.failed = trust.failed_checks(runs)
        self.rules = tuple(map(self._waived, self._results(rules)))
        self.incomplete = (*trust.unusable(runs), *self._ungraded(), *self._not_asked(gone))
        self.outcome, self.code = gates.outcome_of([(one.metric, one.stands) for one in self.rules], self.incomplete)

    @property
    def _both(self) -> dict[SideName, Side]:
        return {"base": self.sides[0], "cand": self.sides[1]}

    @property
    def leaning(self) -> Verdict:
        more_bad = any(len(found.newly) > len(found.mended) for found in self.lasting.values())
        return "BLOCK" if more_bad or self.outcome == "BLOCK" else "SHIP"

    @property
    def is_seen(self) -> bool:
        """Whether people looked at enough, or there is nothing to look at."""
        return self.request.uncalibrated or self.diff.enough

    def _results(self, rules: Sequence[Rule]) -> Iterator[RuleResult]:
        """In their order; what changed for good is judged when the rest is."""
        found = {rule.name: self._result(rule) for rule in rules if rule.metric not in LASTING}
        by_looks = [
            found[rule.name]
            for rule in rules
            if rule.name in found and rule.on_baseline and self.metrics[rule.metric].axis == BUCKET_AXIS
        ]
        rest_holds = all(self._waived(one).stands in ("pass", "not_applicable") for one in by_looks)
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

    def _result(self, rule: Rule) -> RuleResult:
        metric = self.metrics.get(rule.metric)
        axis = str(metric.axis) if metric is not None else rule.metric
        bare = RuleResult(name=rule.name, rule=rule.text, metric=rule.metric, status="not_applicable")
        if rule.metric.startswith(AXIS_PREFIX) and axis not in self.axes:
            return replace(bare, status="undecidable", reason=gates.unscored(rule, axis, self.metrics))
        if metric is None:
            return replace(bare, reason="a comparison does not measure it")
        if metric.axis and metric.axis not in self.axes:
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
        sums, below, unknown = dict[int, int | Fraction](), 0, 0  # by how often a question was asked
        for id, question in asked.items():
            answers = side.answers[id]
            for said in answers:
                part = metric.part(said, question)
                if part is UNKNOWN:
                    unknown += metric.axis == BUCKET_AXIS or not said.is_labelled(BUCKET_AXIS)
                elif part is not None:
                    below += 1
                    sums[len(answers)] = sums.get(len(answers), 0) + part
        if metric.shape == "count":
            total = sum((Fraction(one) / times for times, one in sums.items()), Fraction(0))
            return Estimate(total.numerator, total.denominator), unknown
        below += unknown if metric.shape == "share" and metric.axis in ("", BUCKET_AXIS) else 0
        if not below:
            return Estimate(0, 0, reason=f"no {metric.unit}" + (" with a verdict" if unknown else "")), unknown
        return Estimate(float(sum(sums.values())), below), unknown

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
        elif cand.value is None:
            check = replace(check, status="not_applicable", reason=cand.reason or "")
        behind = [] if check.status in ("pass", "not_applicable") else self._behind(rule, metric, asked)
        return replace(
            bare, status=check.status, before=base.value, after=cand.value, limit=float(limit), reason=check.reason,
            by=self._whose(metric, asked), questions=tuple(behind[:_NAMED]),
        )  # fmt: skip

    def _whose(self, metric: Metric, asked: Asked) -> str:
        """People, where they said everything that counts here; else the grader."""
        if not metric.axis:
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
            by = GRADER if self.request.uncalibrated else whose(self.annotators) if self.annotators else "people"
            about = {id for id, question in asked.items() if self._is_about(metric, id, question)}
            if not about:
                return replace(shown, reason=f"no {metric.unit}")
            part = self.diff.among(about)
            if not (self.request.uncalibrated or part.enough):
                reason = "too few looks"
                return replace(shown, status="undecidable", by=GRADER, reason=reason)
            values = askings(part, metric.bad, 0), askings(part, metric.bad, 1)
            change = change_of(part, metric.bad, noise_of(*values, self.documents, self.fixed))
            in_units = len(about) if metric.shape == "count" else 1
        else:
            by = self._whose(metric, asked)
            if lacking := lack_base + lack_cand:
                return replace(shown, status="undecidable", by=by, reason=_no_verdict(lacking))
            if base.value is None or cand.value is None:
                return replace(shown, reason=(cand if cand.value is None else base).reason or "")
            sign = 1 if metric.better == "lower" else -1
            before, after = ({id: [_number(metric, said, question, sign) for said in side.answers[id]]
                              for id, question in asked.items()} for side in self.sides)  # fmt: skip
            change = mean_change(before, after, self.documents, self.fixed if self.diff.pairs else (True, True))
        status: Status = "undecidable"
        if change.low > min(0.0, margin) + _SAME:
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

    def _is_about(self, metric: Metric, id: str, question: Question | None) -> bool:
        return any(metric.over(said, question) for side in self.sides for said in side.answers[id])

    def _lasting(self, bucket: str) -> Lasting:
        return lasting_of(
            self.diff, lambda word: float(word == bucket), deterministic=all(self.fixed), fixed=self.request.cannot_ask
        )

    def _for_good(self, rule: Rule, rest_holds: bool) -> RuleResult:
        """What changed for good is counted once the rest would ship, or all has been looked at."""
        found = self.lasting[rule.metric.removeprefix("newly_")]
        status: Status = "pass"
        reason = ""
        if BUCKET_AXIS not in self.axes:
            status, reason = "not_applicable", f"neither side has verdicts on {BUCKET_AXIS}"
        elif not rest_holds and self.diff.unseen:
            status, reason = "undecidable", "it is counted once the rest is settled"
        elif found.to_look:
            status, reason = "undecidable", f"{counted(len(found.to_look), 'answer')} to look at first"
        elif len(found.newly) > len(found.mended):
            status, reason = ("undecidable", "too few runs to be sure") if found.to_ask else ("fail", "")
        by = GRADER if self.request.uncalibrated else whose(self.annotators) if self.annotators else "people"
        return RuleResult(
            name=rule.name, rule=rule.text, metric=rule.metric, status=status, before=float(len(found.mended)),
            after=float(len(found.newly)), by=by, reason=reason, questions=found.newly,
        )  # fmt: skip

    def comparison(self, lean: _Judge | None, notes: Sequence[str]) -> GateResult:
        both, unseen = self._both, self.diff.unseen
        said = {(one.question_id, "" if one.is_silent else one.key): one for side in self.sides
                for one in side.all_answers()}  # fmt: skip
        return GateResult(
            outcome=self.outcome,
            exit_code=self.code,
            headline="",
            lean=lean.leaning if lean and self.outcome == "INCONCLUSIVE" else "",
            rules=self.rules,
            newly_wrong=(lean or self).lasting["wrong"].newly,
            newly_unsupported=(lean or self).lasting["unsupported"].newly,
            mended_wrong=(lean or self).lasting["wrong"].mended,
            mended_unsupported=(lean or self).lasting["unsupported"].mended,
            pairs=len(self.diff.pairs) + self.diff.alike,
            differing=len(self.diff.pairs),
            looked_at=0 if self.request.uncalibrated else len(self.diff.pairs) - len(unseen),
            unseen=len(self.diff.pairs) if self.request.uncalibrated else len(unseen),
            unseen_questions=len({pair.question for pair in unseen}),
            minutes=minutes_for(unseen),
            cannot_tell=tuple(sorted({one.question for some in self.diff.readings.values() for one in some
                                      if one.label == CANNOT_TELL and not one.pending and one.key})),
            next=tuple(self._next()),
            names=dict(zip(SIDES, self.request.called, strict=True)),
            runs={name: [run.name for run in side.runs] for name, side in both.items()},
            graders={name: sorted(trust.graders_of(side.runs)) for name, side in both.items()},
            questions=len(self.asked),
            times={name: side.attempts for name, side in both.items()},
            buckets={name: buckets(side, self.asked) for name, side in both.items()},
            by_stratum={name: {side: buckets(of, ids) for side, of in both.items()}
                        for name, ids in strata(self.asked).items()},
            by={field: dict(self._by_group(field)) for field in self.request.by},
            changed=tuple(changed_questions(self.diff, (lean or self).lasting, said, self.asked)),
            annotators=self.annotators,
            uncalibrated=self.request.uncalibrated,
            waived=dict(self.request.waivers),
            notes=(*notes, *self._about_runs()),
            incomplete=self.incomplete,
            problems=trust.problems_of(both),
            failed_checks=self.failed,
        )  # fmt: skip

    def _ungraded(self) -> Iterator[str]:
        """Say which answers lack a verdict where a coverage rule fails, or there is none and some were not asked."""
        coverage = [rule.stands for rule in self.rules if rule.metric == gates.COMPLETENESS]
        if "incomplete" not in coverage and (coverage or not trust.unasked(trust.problems_of(self._both))):
            return
        for side in self.sides:
            answers = list(side.all_answers())
            if lacking := [said.question_id for said in answers if said.lacks_verdicts]:
                are = "is" if len(lacking) == 1 else "are"
                ids = versions.some(list(dict.fromkeys(lacking)))
                yield f"{len(lacking)} of {len(answers)} answers of {side.name} {are} not graded: {ids}"

    def _not_asked(self, gone: Sequence[str]) -> Iterator[str]:
        """A question that only the baseline was asked is missing, and not left out."""
        waived = {rule.metric for rule in self.rules if rule.name in self.request.waivers}
        if gone and gates.COMPLETENESS not in waived:
            (base, cand), were = self.request.called, "was" if len(gone) == 1 else "were"
            yield f"{counted(len(gone), 'question')} of {base} {were} not asked of {cand}: {versions.some(gone)}"

    def _about_runs(self) -> Iterator[str]:
        """Say which version is not as it was declared, or was asked too seldom and cannot be asked again."""
        for side, called in zip(self.sides, self.request.called, strict=True):
            if side.unsteady:
                ids = versions.some(side.unsteady)
                yield f"{called} was declared deterministic, and gave different answers to {ids}"
            if self.diff.pairs and side.attempts < 2 and not side.deterministic:
                yield f"one run of {called} is hardly enough to decide by, as its answers may vary: five are"
        for place in self.request.cannot_ask:
            answers = self.sides[place].answers
            if any(len(answers[id]) < found.times for found in self.lasting.values() for id in found.newly):
                runs = counted(self.sides[place].attempts, "run")
                yield f"{self.request.called[place]} cannot be asked again: its {runs} count as they are"

    def _by_group(self, name: str) -> Iterator[tuple[str, tuple[RuleResult, ...]]]:
        values = sorted({question.group(name) for question in self.asked.values() if question} - {""})
        for value in values:
            texts = [f"{bucket}[{name}={value}] <= baseline" for bucket in BAD]
            yield value, tuple(self._result(Rule.parse(text)) for text in texts)

    def _next(self) -> Iterator[str]:
        """What to do about what is not decided."""
        yield from trust.unasked(trust.problems_of(self._both))
        yield from trust.self_check_step(run for side in self.sides for run in side.runs)
        to_ask = sorted({id for found in self.lasting.values() for id in found.to_ask})
        undecided = [one for one in self.rules if one.stands == "undecidable" and one.metric != trust.SELF_CHECK]
        if self.outcome == "BLOCK" or not undecided:
            return
        to_look = [one for found in self.lasting.values() for one in found.to_look]
        (base, cand), label = self.request.called, f"surefoot label {' '.join(map(shlex.quote, self.request.called))}"
        by_looks = [one for one in undecided if one.margin is not None and self.metrics[one.metric].axis == BUCKET_AXIS]
        if by_looks and self.diff.unseen:
            first = self.diff.unseen[: self.diff.looks_wanted]
            price = _about(minutes_for(first))
            yield f"look at {counted(len(first), 'pair')}, {price}: {label}"
        elif to_look or any(one.pending for some in self.diff.readings.values() for one in some):
            count = len({one.key for one in to_look}) or 1
            price = _about(ceil(count * SECONDS_A_KEY / 60))
            yield f"look at {counted(count, 'answer')}, {price}: {label}"
        elif to_ask:
            times = max(found.times for found in self.lasting.values() if found.to_ask)
            for side in sorted({0, 1} - {*self.request.cannot_ask}):
                more = times - min(len(self.sides[side].answers[id]) for id in to_ask)
                if more > 0:
                    version = shlex.quote(self.request.called[side])
                    yield f"surefoot run {version} --only {','.join(to_ask)} --repeats {more}"
        elif by_looks or any(one.change is not None for one in undecided):
            each = (f"surefoot run {shlex.quote(version)} --repeats 5" for version in (base, cand))
            yield f"more runs of both: {'; '.join(each)}"


_SAME = 1e-9


def minutes_for(pairs: Sequence[Pair]) -> int:
    """How long it takes to look at pairs, at one key for each answer that has no label."""
    keys = {(one.question, one.key) for pair in pairs for one in (pair.base, pair.cand) if one.label is None}
    return ceil(len(keys) * SECONDS_A_KEY / 60)


def _about(minutes: int) -> str:
    return f"about {counted(max(1, minutes), 'minute')}"


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


_TURNS = ("newly wrong", "newly unsupported", "became wrong", "became unsupported", "not graded", "still bad", "mended",
          "other change")  # fmt: skip


def changed_questions(
    diff: Diff, lasting: Mapping[str, Lasting], said: Mapping[tuple[str, str], Said], asked: Asked
) -> list[dict[str, Any]]:
    """The questions whose answers moved to another bucket, each with the pair that tells most, the worst first."""
    newly = {id: f"newly {bucket}" for bucket in reversed(BAD) for id in lasting[bucket].newly}
    found: dict[str, tuple[int, Pair]] = {}
    for pair in diff.pairs:
        before, after = _bucket(pair.base), _bucket(pair.cand)
        if before == after:
            continue
        turn = _turn(before, after)
        if turn == f"became {after}" and pair.question in newly:
            turn = newly[pair.question]
        rank = _TURNS.index(turn)
        if pair.question not in found or rank < found[pair.question][0]:
            found[pair.question] = rank, pair
    rows = []
    for id, (rank, pair) in sorted(found.items(), key=lambda one: (one[1][0], one[0])):
        question = asked[id]
        rows.append({
            "question_id": id, "turn": _TURNS[rank], "stratum": question.stratum if question else "",
            "question": question.text if question else "",
            "expected": " ".join(question.gold_claims) if question else "",
            "base": _shown(pair.base, said, question), "cand": _shown(pair.cand, said, question),
        })  # fmt: skip
    return rows


def _bucket(reading: Reading) -> str | None:
    return reading.graded if reading.label in (None, CANNOT_TELL) else reading.label


def _turn(before: str | None, after: str | None) -> str:
    if after is None:
        return "not graded"
    if after in BAD:
        return "still bad" if before in BAD and after == "unsupported" else f"became {after}"
    return "mended" if before in BAD else "other change"


def _shown(reading: Reading, said: Mapping[tuple[str, str], Said], question: Question | None) -> dict[str, Any]:
    one = said[reading.question, reading.key]
    verdict = one.graded.get(BUCKET_AXIS)
    return {
        "bucket": _bucket(reading), "graded": reading.graded,
        "by": "people" if one.is_labelled(BUCKET_AXIS) else GRADER,
        "answer": one.trace.answer if one.trace else None, "error": one.trace.error if one.trace else None,
        "runs": len(reading.base) + len(reading.cand), "reason": verdict.reason if verdict else "",
        "evidence": [to_builtins(part) for part in verdict.evidence] if verdict else [],
        "cited": [to_builtins(passage) for passage in cited_by(one, question)],
    }  # fmt: skip
