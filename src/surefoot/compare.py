"""Two runs over the same questions: their buckets side by side, every answer that moved, and the gate's decision.

An answer is one attempt at one question. What one side lacks is ungraded there and still counts, so nothing is
gained by leaving something out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from surefoot import gaps, gate, self_checks, trust
from surefoot.balance import Scales, held_even, held_unsearched, is_one_sided
from surefoot.counted import countable, counts_of
from surefoot.doubts import Answer
from surefoot.errors import UsageError
from surefoot.gate import Check, Decision, Rule
from surefoot.judging import Judged, Subject, judge, subject_of
from surefoot.measures import BUCKET_AXIS, MEASURES, SIDES, UNGRADED, McNemar, Pair, SideName, mcnemar, measure_side
from surefoot.next_steps import MAY_BE_CHANCE, certificate_needed, next_steps
from surefoot.pairing import Side, check_alike, pairs_of, with_labels_apart
from surefoot.records import Certificate, Discordant
from surefoot.sequential.counting import ALWAYS_COUNTED, failing, key_of, moves_of
from surefoot.sequential.history import SEQUENTIAL, Earlier, Place
from surefoot.table import ACCEPTABLE, BUCKETS
from surefoot.trust import Trust
from surefoot.types import Estimate, Problem

if TYPE_CHECKING:
    from surefoot.sequential.judging import Evidence, Terms

Counts = dict[str, int]
STRICT = "strict"
_CAN_BE_WAIVED = frozenset({"fail", "incomplete", "undecidable"})


class Request(Struct, frozen=True, kw_only=True):
    """What a comparison is decided by, beside its rules. `mode` None: as the answers themselves suggest."""

    waivers: Mapping[str, str] = {}
    certificates: Sequence[Certificate] = ()
    uncalibrated: bool = False
    mode: str | None = None
    why_this_mode: str = ""  # where somebody else than the caller chose it
    alpha: float = 0.05
    margin: float = 0.02
    overridden: Mapping[str, float | tuple[str, ...]] = {}  # of the gate file, by the command line
    place: Place | None = None  # among the steps of its release; None where there is no history
    deterministic: bool = False  # both pipelines say that they always answer alike


class Sequential(Struct, frozen=True, kw_only=True):
    """What the sequential mode decided by."""

    alpha: float
    margin: float
    alpha_block: float
    alpha_ship: float
    place: Place | None
    rules: dict[str, Evidence]  # by metric, as `counts`


class Comparison(Struct, frozen=True):
    names: dict[SideName, str]
    graders: dict[SideName, list[str]]
    mode: str
    decision: Decision  # by the rules that are not waived
    judged: tuple[Judged, ...]
    waived: Mapping[str, str]
    buckets: dict[SideName, Counts]
    by_stratum: dict[str, dict[SideName, Counts]]
    measures: dict[SideName, dict[str, Estimate]]
    moved: tuple[Pair, ...]
    mcnemar: McNemar
    problems: tuple[Problem, ...] = ()
    trust: Trust = Trust()
    uncalibrated: bool = False
    labelled: dict[SideName, int] = {}  # answers on which labels count instead of verdicts
    labelled_by: tuple[str, ...] = ()  # whose labels these are
    why_this_mode: str = ""
    sequential: Sequential | None = None
    label_next: tuple[Answer, ...] = ()  # answers whose labels could decide
    next_steps: tuple[str, ...] = ()
    counts: dict[str, Discordant] = {}  # of these two runs, by rule against the baseline
    moves: dict[str, dict[str, int]] = {}
    overridden: Mapping[str, float | tuple[str, ...]] = {}
    against_itself: bool = False  # the two runs are one
    failed_checks: dict[str, str] = {}  # by grader: what it misread of answers of known label
    blocked_before: tuple[Earlier, ...] = ()  # where the very same answers were blocked in the strict mode

    @property
    def blocked_by(self) -> dict[str, float]:
        """The rules that block by evidence, with the e-value it took."""
        known = self.sequential.rules if self.sequential else {}
        failed = failing(self.judged)
        return {key: found.blocks_from for key, found in known.items() if key in failed}

    @property
    def closes(self) -> bool:
        """True for a SHIP that ends a release: by the gate file as it is, `wrong` judged and nothing like it waived."""
        known = self.sequential.rules if self.sequential else {}
        judges_wrong = "wrong" in known and known["wrong"].margin is not None
        waived = any(one.waiver is not None and one.check.rule.metric in ALWAYS_COUNTED for one in self.judged)
        return self.decision.outcome == "SHIP" and judges_wrong and not waived and not self.overridden


def compare(base: Side, cand: Side, rules: Sequence[Rule], request: Request) -> Comparison:
    """Hold the candidate against the baseline and decide by the rules."""
    _check_request(rules, request)
    base, cand = with_labels_apart(base, cand)
    check_alike(base, cand)
    sides: dict[SideName, Side] = {"base": base, "cand": cand}
    pairs = pairs_of(base, cand)
    axes = {axis for pair in pairs for side in SIDES for axis in pair.side(side).verdicts}
    trusted = trust.trust_in(sides, request.certificates)
    mode, why = mode_of(sides.values(), request.mode)
    subjects = {rule.name: subject_of(rule, pairs, axes) for rule in rules if rule.metric not in gate.TRUST}
    terms = _terms(rules, trusted, request) if mode == SEQUENTIAL else None
    judged, evidence = _judge(rules, subjects, trusted, request, terms)
    scales = Scales.of(sides, pairs)
    judged = _held_even(judged, scales, axes, terms)
    judged = [_waived(one, request.waivers.get(one.check.rule.name)) for one in judged]
    against = countable(rules, subjects, pairs, axes)
    counts = counts_of(against, scales, axes, weighed=terms is None or terms.record is not None)
    failed = self_checks.failed_checks(sides.values())
    judged += [*_blocked_before(judged, counts, request, mode), *self_checks.judge(failed)]
    decision = _decision(judged, sides, pairs)
    # What is open does not matter any more where something has failed.
    blocked = decision.outcome == "BLOCK"
    matter = [one for one in judged if not blocked or one.check.status == "fail" or is_one_sided(one)]
    label_next, steps = next_steps(matter, subjects, scales, terms, evidence)
    steps += [*certificate_needed(matter, trusted), *_may_be_chance(judged, sides, request, mode)]
    return Comparison(
        names={name: side.name for name, side in sides.items()},
        graders={name: sorted({verdict.grader for verdict in side.counted()}) for name, side in sides.items()},
        mode=mode,
        decision=decision,
        judged=tuple(judged),
        waived=dict(request.waivers),
        buckets=_buckets(pairs),
        by_stratum=_by_stratum(pairs),
        measures={name: _measures(pairs, axes, name) for name in SIDES},
        moved=tuple(sorted((pair for pair in pairs if pair.base.bucket != pair.cand.bucket), key=_worst_first)),
        mcnemar=mcnemar(pairs),
        problems=gaps.problems_of(sides),
        trust=trusted,
        uncalibrated=request.uncalibrated,
        labelled={name: len({key for key, _ in side.labels}) for name, side in sides.items()},
        labelled_by=tuple(sorted({name for side in sides.values() for name in side.labelled_by})),
        why_this_mode=request.why_this_mode or why,
        sequential=None if terms is None else _terms_shown(terms, rules, evidence),
        label_next=label_next,
        next_steps=(*steps, *self_checks.steps(sides.values())),
        counts=counts,
        moves={group: moves_of(chosen) for group, chosen in {r.group or "": s.pairs for r, s in against}.items()},
        overridden=dict(request.overridden),
        failed_checks=failed,
    )


def mode_of(sides: Iterable[Side], asked: str | None) -> tuple[str, str]:
    """The mode, and why it was chosen where nobody asked for one."""
    if asked is not None:
        return asked, ""
    varying = [side.name for side in sides if side.varies]
    if not varying:
        return STRICT, ""
    return SEQUENTIAL, f"{varying[0]} answers the same question differently, so chance has to be allowed for"


def _check_request(rules: Sequence[Rule], request: Request) -> None:
    if request.mode not in (None, STRICT, SEQUENTIAL):
        raise UsageError(f"there is no mode {request.mode!r}", f"choose {STRICT} or {SEQUENTIAL}")
    names = [rule.name for rule in rules]
    for name, reason in request.waivers.items():
        if name not in names:
            raise UsageError(f"no rule is named {name!r}, so it cannot be waived", f"the rules are {', '.join(names)}")
        if not reason.strip():
            raise UsageError(f"the waiver of {name!r} gives no reason", "say why with --reason")


def _judge(
    rules: Sequence[Rule],
    subjects: Mapping[str, Subject | Check],
    trusted: Trust,
    request: Request,
    terms: Terms | None,
) -> tuple[list[Judged], dict[str, Evidence]]:
    judged: list[Judged] = []
    evidence: dict[str, Evidence] = {}
    for rule in rules:
        if rule.metric in gate.TRUST:
            judged.append(Judged(trust.judge(rule, trusted, lifted=request.uncalibrated)))
            continue
        subject = subjects[rule.name]
        one, found = (Judged(subject), None) if isinstance(subject, Check) else _judge_one(rule, subject, terms)
        evidence |= {} if found is None else {rule.name: found}
        judged.append(one)
    return judged, evidence


def _judge_one(rule: Rule, subject: Subject, terms: Terms | None) -> tuple[Judged, Evidence | None]:
    one = judge(rule, subject)
    if terms is None:
        return one, None
    from surefoot.sequential.judging import judge as judge_by_chance

    return judge_by_chance(one, subject, terms)


def _held_even(judged: Sequence[Judged], scales: Scales, axes: set[str], terms: Terms | None) -> list[Judged]:
    """Labels on one side alone decide nothing, unless a certificate says what unlabelled verdicts are worth.

    What somebody went to look for on the baseline decides nothing either way.
    """

    def again(rule: Rule, subject: Subject) -> Judged:
        return _judge_one(rule, subject, terms)[0]

    def is_weighed(one: Judged) -> bool:
        if terms is None or terms.record is None:
            return False
        from surefoot.sequential.judging import has_three_ends

        return has_three_ends(one.check.rule)

    even = [one if is_weighed(one) else held_even([one], scales, axes, again)[0] for one in judged]
    return [held_unsearched(one, scales, axes, again) for one in even]


def _decision(judged: Sequence[Judged], sides: Mapping[SideName, Side], pairs: list[Pair]) -> Decision:
    decision = gate.decide([one.check for one in judged if one.waiver is None], gaps.unusable(sides, pairs))
    if any(check.status == "incomplete" for check in decision.checks):
        return replace(decision, incomplete=(*decision.incomplete, *gaps.ungraded(sides, pairs)))
    return decision


def _may_be_chance(judged: Sequence[Judged], sides: Mapping[SideName, Side], request: Request, mode: str) -> list[str]:
    """A hint for who did not choose the strict mode, where its rules fail and the answers may vary."""
    failed = any(one.check.rule.on_baseline and one.check.status == "fail" for one in judged)
    known = request.deterministic or all(side.attempts > 1 for side in sides.values())
    return [MAY_BE_CHANCE] if failed and mode == STRICT and request.mode is None and not known else []


def _blocked_before(
    judged: Sequence[Judged], counts: Mapping[str, Discordant], request: Request, mode: str
) -> list[Judged]:
    if mode != SEQUENTIAL:
        return []
    from surefoot.sequential.blocks import standing_blocks

    return standing_blocks(judged, counts, request.place.blocks if request.place else (), request.waivers)


def _terms(rules: Sequence[Rule], trusted: Trust, request: Request) -> Terms:
    from surefoot.sequential.judging import terms_of

    known = None if request.uncalibrated else trusted.certificate
    record = known.axes.get(BUCKET_AXIS) if known else None
    grader = trusted.graders[0] if len(trusted.graders) == 1 else ""
    return terms_of(rules, request.alpha, request.margin, request.place, record, grader)


def _terms_shown(terms: Terms, rules: Sequence[Rule], evidence: dict[str, Evidence]) -> Sequential:
    shown: dict[str, Evidence] = {}
    for rule in rules:
        if rule.name in evidence:
            shown.setdefault(key_of(rule), evidence[rule.name])
    return Sequential(
        alpha=terms.alpha, margin=terms.margin, alpha_block=terms.alpha_block, alpha_ship=terms.alpha_ship,
        place=terms.place, rules=shown,
    )  # fmt: skip


def _waived(judged: Judged, reason: str | None) -> Judged:
    return replace(judged, waiver=reason) if reason and judged.check.status in _CAN_BE_WAIVED else judged


def _by_stratum(pairs: Sequence[Pair]) -> dict[str, dict[SideName, Counts]]:
    strata = sorted({pair.stratum for pair in pairs}) if any(pair.stratum for pair in pairs) else []
    return {stratum: _buckets(pair for pair in pairs if pair.stratum == stratum) for stratum in strata}


def _buckets(pairs: Iterable[Pair]) -> dict[SideName, Counts]:
    chosen = list(pairs)
    counted = {name: Counter(pair.side(name).bucket or UNGRADED for pair in chosen) for name in SIDES}
    return {name: {bucket: counted[name][bucket] for bucket in (*BUCKETS, UNGRADED)} for name in SIDES}


def _measures(pairs: list[Pair], axes: set[str], side: SideName) -> dict[str, Estimate]:
    """What is measured on this side; an axis that neither side has is left out."""
    return {
        name: measure_side(measure, pairs, side).estimate
        for name, measure in MEASURES.items()
        if not measure.axis or measure.axis in axes
    }


def _worst_first(pair: Pair) -> tuple[int, str, int]:
    was, now = pair.base.bucket in ACCEPTABLE, pair.cand.bucket in ACCEPTABLE
    rank = 1 if pair.cand.bucket is None else 0 if was and not now else 3 if now and not was else 2
    return rank, pair.question_id, pair.attempt
