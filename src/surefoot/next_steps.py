"""What would decide an open comparison: which answers to label, how many more runs or questions, a certificate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from surefoot import gate
from surefoot.balance import OTHER, Chosen, Scales, is_one_sided, lacking_a_label
from surefoot.doubts import Answer, answers_of, distinct, hanging, lacking
from surefoot.doubts import in_words as asking_for
from surefoot.gate import Check, Rule
from surefoot.judging import Judged, Subject, is_without_verdict
from surefoot.trust import Trust, remedy_for

if TYPE_CHECKING:
    from surefoot.sequential.judging import Evidence, Terms

MAY_BE_CHANCE = (
    "if it does not answer the same twice, any increase may be chance: ask with --repeats, or decide with"
    " --mode sequential (docs/gate.md)"
)

_HANGS = "hangs on few verdicts"
_NAMED = 12


def next_steps(
    judged: Sequence[Judged],
    subjects: Mapping[str, Subject | Check],
    scales: Scales,
    terms: Terms | None,
    evidence: Mapping[str, Evidence],
) -> tuple[tuple[Answer, ...], list[str]]:
    """Which answers to label, and what else would decide, rule by rule."""
    asked: dict[tuple[str, tuple[Answer, ...]], list[str]] = {}
    runs_needed: list[str] = []
    fails_anyway = False  # a rule that no few labels could turn
    for one in judged:
        check, subject = one.check, subjects.get(one.check.rule.name)
        if not isinstance(subject, Subject) or one.waiver is not None:
            continue
        what, chosen = _to_label(one, subject, scales, terms)
        if answers := answers_of(chosen, scales.sides):
            asked.setdefault((what, answers), []).append(check.rule.name)
        fails_anyway |= check.status == "fail" and not answers
        found = evidence.get(check.rule.name)
        is_about_labels = bool(lacking(check, subject)) or is_one_sided(one)
        if check.status == "undecidable" and not is_about_labels and is_without_verdict(check):
            runs_needed.append(_verdicts_needed(check, subject))
        elif found and check.status == "undecidable" and not is_about_labels:
            runs_needed += _runs_needed(check.rule, found, terms)
    if fails_anyway:
        asked = {key: names for key, names in asked.items() if key[0] != _HANGS}
    side = scales.sides["cand"]
    run = side.name if side.traces else ""
    steps = [f"{', '.join(names)}, which {what}: {asking_for(these, run)}" for (what, these), names in asked.items()]
    return distinct(answer for _, these in asked for answer in these), [*steps, *runs_needed]


def certificate_needed(judged: Sequence[Judged], trusted: Trust) -> list[str]:
    open_ = [one.check.rule for one in judged if one.check.rule.metric in gate.TRUST and one.waiver is None
             and one.check.status == "undecidable"]  # fmt: skip
    rules_by_remedy: dict[str, list[str]] = {}
    for rule in open_:
        rules_by_remedy.setdefault(remedy_for(rule, trusted), []).append(rule.name)
    return [f"{', '.join(names)}: {remedy}" for remedy, names in rules_by_remedy.items() if remedy]


def _to_label(one: Judged, subject: Subject, scales: Scales, terms: Terms | None) -> tuple[str, Iterable[Chosen]]:
    """The answers whose labels could decide a rule, and how it hangs on them."""
    check = one.check
    if is_one_sided(one):
        return "holds by labels on one side alone", lacking_a_label(check.rule, subject, scales)
    if missing := lacking(check, subject):
        return "waits for verdicts", missing
    if terms is None:
        return _HANGS, _with_counterparts(hanging(check, subject))
    from surefoot.sequential.deciding import labels_that_decide

    open_ = check.status == "undecidable"
    return "is open", labels_that_decide(check.rule, subject, terms) if open_ else []


def _with_counterparts(chosen: Sequence[Chosen]) -> list[Chosen]:
    """The other side's answers to the same questions too: labels on one side alone decide nothing."""
    others = [(pair, OTHER[side]) for pair, side in chosen]
    return [*chosen, *((p, side) for p, side in others if not p.side(side).by_people and not p.is_one_answer)]


def _verdicts_needed(check: Check, subject: Subject) -> str:
    named = ", ".join(check.questions[:_NAMED]) + (" and more" if check.question_count > _NAMED else "")
    return f"{check.rule.name}: give {subject.measure.axis or 'verdicts'} to {named}: grade or label them on it"


def _runs_needed(rule: Rule, evidence: Evidence, terms: Terms | None) -> list[str]:
    if evidence.questions_needed is not None:
        return [f"{rule.name}: ask more questions, at least {evidence.questions_needed:,}; repeats do not replace them"]
    place = terms and terms.place
    if place and not place.adds:
        return []  # the note on the step says what would add to it
    if evidence.more_runs is None:
        return [
            f"{rule.name}: not even 30 more pairs of runs would decide it; more questions may (surefoot gate --plan)"
        ]
    looks = place.look if place else 1
    questions = f"{1 + -(-evidence.more_runs // looks)} times as many questions"
    count = f"{evidence.more_runs} more pair{'s' if evidence.more_runs > 1 else ''} of runs"
    enough = f"{count}, or {questions}," if place else questions
    return [f"{rule.name}: perhaps {enough} would decide it; it often takes more"]
