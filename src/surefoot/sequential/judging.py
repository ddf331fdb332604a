"""Rules against the baseline where answers vary by chance.

`wrong` and `unsupported` have three ends: they fail when a fair bet on "nothing has changed" would have lost badly
(the e-value), pass when a rise by more than the margin is unlikely, and are undecidable in between. The other rules
fail on evidence alone, and otherwise pass. Rules that do not look at the baseline are judged as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from msgspec import Struct
from msgspec.structs import replace

from surefoot.gate import Check, Rule
from surefoot.judging import Judged, Subject, no_verdict, with_questions
from surefoot.measures import MEASURES
from surefoot.records import AxisRecord, Discordant
from surefoot.sequential.counting import Counted, Moves, added, counted, is_chance, key_of, moves_of
from surefoot.sequential.grader_error import chances_of_rise
from surefoot.sequential.history import Place
from surefoot.sequential.repeats import Asked, Shortfall, asked_in, shortfall
from surefoot.stats.sequential import chance_of_rise, log_e_value, spent

THREE_ENDS = ("wrong", "unsupported")
_RUNS_LOOKED_AHEAD = (1, 2, 3, 5, 8, 12, 20, 30)
_LARGEST_E = 1e12  # what is printed; the logarithm says the rest
_LN10 = log(10)


class Terms(Struct, frozen=True, kw_only=True):
    """By what a sequential gate decides."""

    alpha: float
    margin: float
    others: int = 1  # rules against the baseline that have two ends
    place: Place | None = None  # None: files, which have no history
    record: AxisRecord | None = None  # of the grader's errors
    grader: str = ""

    @property
    def alpha_block(self) -> float:
        return spent(self.alpha, self.place.number) if self.place else self.alpha

    @property
    def alpha_first(self) -> float:
        """What one look at as many questions may use."""
        return spent(self.alpha, 1) if self.place else self.alpha

    @property
    def alpha_ship(self) -> float:
        return self.alpha_ship_after(0)

    def alpha_ship_after(self, runs: int) -> float:
        return spent(self.alpha, self.place.look + runs) if self.place else self.alpha


class Evidence(Struct, frozen=True, kw_only=True):
    """What is known of one rule, over all steps that count."""

    worse: int
    better: int
    pairs: int
    e_value: float
    log10_e_value: float
    blocks_from: float
    margin: float | None = None
    chance_of_rise: float | None = None  # above the margin
    chance_worse: float | None = None  # above 0
    ships_up_to: float | None = None
    more_runs: int | None = None  # pairs of runs that would decide, if it goes on like this
    questions_needed: int | None = None  # where repeats cannot make up for questions


def has_three_ends(rule: Rule) -> bool:
    return is_chance(rule) and rule.metric in THREE_ENDS and rule.op == "<="


def terms_of(
    rules: Sequence[Rule], alpha: float, margin: float, place: Place | None, record: AxisRecord | None, grader: str
) -> Terms:
    others = sum(is_chance(rule) and not has_three_ends(rule) for rule in rules)
    return Terms(alpha=alpha, margin=margin, others=max(1, others), place=place, record=record, grader=grader)


def in_shares(rule: Rule, subject: Subject) -> Rule:
    """The rule with what it bears as a share of the answers of one run: so it means the same over all steps."""
    if rule.is_in_shares or subject.measure.shape != "count":
        return rule
    return replace(rule, limit=rule.limit / max(1, len(subject.pairs)))


def judge(strict: Judged, subject: Subject, terms: Terms) -> tuple[Judged, Evidence | None]:
    """The same rule as `strict` has judged it, by chance; and the numbers behind that."""
    if not is_chance(strict.check.rule) or strict.check.status == "not_applicable":
        return strict, None
    rule = in_shares(strict.check.rule, subject)
    place = terms.place
    seen = counted(rule, subject, place.earlier if place else (), adds=place is None or place.adds)
    check = replace(strict.check, rule=rule, limit=None, to_be_sure=None, reason="", questions=(), question_count=0)
    if has_three_ends(rule):
        behind_it = moves_behind(rule, subject, terms)
        check, evidence = _three_ends(check, seen, behind_it, asked_in(rule, subject), terms)
    else:
        check, evidence = _two_ends(check, seen, strict.check, terms)
    if seen.unknown and check.status != "fail":
        check = replace(check, status="undecidable", reason=no_verdict(seen.unknown))
    if place and not place.adds and check.status == "pass" and has_three_ends(rule):
        check = replace(check, status="undecidable", reason=place.note)
        evidence = replace(evidence, more_runs=1)  # all it lacks is a pair that adds something
    behind = check if seen.unknown or check.status != "undecidable" else replace(check, status="fail")
    named = with_questions(behind, subject)  # of an open rule those that got worse, as of a failed one
    check = replace(check, rule=strict.check.rule, questions=named.questions, question_count=named.question_count)
    return replace(strict, check=check), evidence


def moves_behind(rule: Rule, subject: Subject, terms: Terms) -> tuple[Moves, Discordant]:
    """The verdicts behind the pairs that count, and the counts of those that are not this grader's."""
    place = terms.place
    moves = dict(moves_of(subject.pairs)) if place is None or place.adds else {}
    fixed = Discordant(0, 0, 0)
    for step in place.earlier if place else ():
        if step.grader == terms.grader and (rule.group or "") in step.moves:
            for move, count in step.moves[rule.group or ""].items():
                moves[move] = moves.get(move, 0) + count
        elif key_of(rule) in step.counts:
            fixed = added((fixed, step.counts[key_of(rule)]))
    return moves, fixed


def end_of(
    rule: Rule, total: Discordant, behind: tuple[Moves, Discordant], terms: Terms, *, unknown: int = 0, runs: int = 0
) -> tuple[str, Evidence]:
    """Which of the three ends the counts reach, `runs` pairs of runs from now."""
    slack = float(rule.limit)
    margin = max(slack, terms.margin)
    alpha_ship = terms.alpha_ship_after(runs)
    above = (margin, 0.0, slack)
    plain = tuple(chance_of_rise(total.worse, total.better, total.pairs, rise) for rise in above)
    found = plain if terms.record is None else chances_of_rise(*_arguments(rule, behind, terms.record), above)
    chance, chance_worse, beyond_slack = found
    log_e = log_e_value(total.worse, total.better + unknown)
    evidence = Evidence(
        worse=total.worse, better=total.better, pairs=total.pairs, e_value=min(_LARGEST_E, _exp(log_e)),
        log10_e_value=log_e / _LN10, blocks_from=1 / terms.alpha_block, margin=margin, chance_of_rise=chance,
        chance_worse=chance_worse, ships_up_to=alpha_ship,
    )  # fmt: skip
    # A rise within what the rule itself bears blocks nothing, however sure it is.
    seen = (total.worse - total.better) / max(1, total.pairs)
    borne = bool(slack) and (seen <= slack or max(plain[2], beyond_slack) <= alpha_ship)
    if log_e >= -log(terms.alpha_block) and not borne:
        return ("fail" if terms.record is None or chance_worse >= 1 - terms.alpha else "doubted"), evidence
    return ("pass" if chance <= alpha_ship else "open"), evidence


def lacking_questions(rule: Rule, seen: Counted, asked: Asked, terms: Terms) -> Shortfall | None:
    """Why the rule cannot pass, whatever the pairs say: repeats were counted, and the questions are too few."""
    return shortfall(asked, seen.total.pairs, max(float(rule.limit), terms.margin), terms.alpha_first)


def _three_ends(
    check: Check, seen: Counted, behind: tuple[Moves, Discordant], asked: Asked, terms: Terms
) -> tuple[Check, Evidence]:
    end, evidence = end_of(check.rule, seen.total, behind, terms, unknown=seen.unknown)
    tally = _tally(evidence)
    rise = f"a rise above {evidence.margin:.1%} has a chance of {evidence.chance_of_rise:.2%}"
    if end == "fail":
        return replace(check, status="fail", reason=f"{tally}: {_e_words(evidence)}"), evidence
    if end != "doubted" and (lacking := lacking_questions(check.rule, seen, asked, terms)):
        atleast = f"; it takes at least {lacking.needed}" if lacking.needed else ""
        evidence = replace(evidence, questions_needed=lacking.needed)
        return replace(check, status="undecidable", reason=f"{lacking.reason}{atleast}; {_e_words(evidence)}"), evidence
    if end == "pass":
        return replace(check, status="pass", reason=f"{tally}: {rise}"), evidence
    if end == "doubted":
        reason = f"{tally}: {_e_words(evidence)}, but the grader's own errors could explain it"
    else:
        reason = f"{tally}: {rise}; it ships at {evidence.ships_up_to:.2%} or less; {_e_words(evidence)}"
    evidence = replace(evidence, more_runs=_more_runs(check.rule, seen.total, behind, terms))
    return replace(check, status="undecidable", reason=reason), evidence


def _two_ends(check: Check, seen: Counted, strict: Check, terms: Terms) -> tuple[Check, Evidence]:
    total, rule = seen.total, check.rule
    log_e = log_e_value(total.worse, total.better + seen.unknown)
    blocks_from = terms.others / terms.alpha_block
    evidence = Evidence(
        worse=total.worse, better=total.better, pairs=total.pairs, e_value=min(_LARGEST_E, _exp(log_e)),
        log10_e_value=log_e / _LN10, blocks_from=blocks_from,
    )  # fmt: skip
    if log_e < log(blocks_from):
        little = f"too little evidence that it got worse, {_e_words(evidence)}"
        lacking = little if log_e > 0 else "no evidence that it got worse"
    elif _beyond_slack(rule, seen, strict):
        return replace(check, status="fail", reason=f"{_tally(evidence)}: {_e_words(evidence)}"), evidence
    else:
        lacking = "it got worse, by no more than the rule bears"
    return replace(check, status="pass", reason=f"{_tally(evidence)}: {lacking}"), evidence


def _beyond_slack(rule: Rule, seen: Counted, strict: Check) -> bool:
    """True when it got worse by more than the rule itself bears."""
    if not rule.limit:
        return True
    measure = MEASURES[rule.metric]
    if measure.shape == "mean" or measure.most != 1:
        return strict.status == "fail"  # pairs do not say by how much a mean has moved
    total = seen.total
    pairs = total.pairs + seen.unknown
    return (total.worse - total.better - seen.unknown) / max(1, pairs) > abs(rule.limit)


def _more_runs(rule: Rule, total: Discordant, behind: tuple[Moves, Discordant], terms: Terms) -> int | None:
    """How many more pairs of runs would decide if their counts go on like this; None when not even many would."""
    looks = terms.place.look if terms.place else 1
    for runs in _RUNS_LOOKED_AHEAD:
        grown = (looks + runs) / looks
        moves = {move: round(count * grown) for move, count in behind[0].items()}
        ahead = end_of(rule, _grown(total, grown), (moves, _grown(behind[1], grown)), terms, runs=runs)[0]
        if ahead in ("pass", "fail"):
            return runs
    return None


def _grown(counts: Discordant, by: float) -> Discordant:
    worse, better = round(counts.worse * by), round(counts.better * by)
    return Discordant(worse, better, max(round(counts.pairs * by), worse + better))


def _arguments(
    rule: Rule, behind: tuple[Moves, Discordant], record: AxisRecord
) -> tuple[Moves, str, AxisRecord, Discordant]:
    return behind[0], rule.metric, record, behind[1]


def _tally(evidence: Evidence) -> str:
    return f"{evidence.worse} worse and {evidence.better} better of {evidence.pairs} pairs"


def _e_words(evidence: Evidence) -> str:
    return f"e = {evidence.e_value:.3g}, and {evidence.blocks_from:.3g} blocks"


def _exp(value: float) -> float:
    return float(10 ** min(12.0, value / _LN10))
