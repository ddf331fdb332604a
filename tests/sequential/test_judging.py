"""The three ends, held against the worked numbers, and what must hold whatever the answers are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import log10

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.compare import Comparison, Request, compare
from surefoot.gate import Rule
from surefoot.importers import gatefiles
from surefoot.records import Certificate, Discordant, Step
from surefoot.sequential.counting import is_chance
from surefoot.sequential.history import Place
from surefoot.sequential.judging import Evidence

from .helpers import certificate, changed, side, sure, verdicts

SHIP = [Rule.parse(text, name) for name, text in gatefiles.load("ship").items()]
GOOD = "c" * 117 + "r" * 13


def judge(
    base: str, cand: str, *rules: str, certificates: Sequence[Certificate] = (), place: Place | None = None,
    mode: str = "sequential", uncalibrated: bool = False, margin: float = 0.02,
) -> Comparison:  # fmt: skip
    chosen = [Rule.parse(rule) for rule in rules] or SHIP
    request = Request(
        certificates=certificates, mode=mode, place=place, uncalibrated=uncalibrated, margin=margin, alpha=0.05
    )
    return compare(side(base, "base"), side(cand, "cand"), chosen, request)


def evidence(comparison: Comparison, key: str = "wrong") -> Evidence:
    assert comparison.sequential is not None
    return comparison.sequential.rules[key]


def status(comparison: Comparison, name: str = "wrong") -> str:
    return {one.check.rule.name: one.check.status for one in comparison.judged}[name]


def release(*earlier: Discordant, number: int = 1) -> Place:
    steps = tuple(
        Step(
            id=str(i), at="", programme="p", reference="v1", release="v2", base_run=f"a{i}", cand_run=f"b{i}",
            mode="sequential", counts={"wrong": counts, "unsupported": Discordant(0, 0, counts.pairs)},
            outcome="INCONCLUSIVE", exit_code=3,
        )
        for i, counts in enumerate(earlier)
    )  # fmt: skip
    return Place("p", "v1", "v2", number, len(steps) + 1, True, "", steps, steps)


@pytest.mark.parametrize(
    ("newly_wrong", "e", "end"),
    [(0, 1, "pass"), (1, 1.5, "undecidable"), (5, 10.5, "undecidable"), (7, 31.875, "fail")],
)
def test_the_three_ends_at_130_questions(newly_wrong: int, e: float, end: str) -> None:
    found = judge(GOOD, changed(GOOD, range(newly_wrong)), uncalibrated=True)
    assert evidence(found).e_value == pytest.approx(e) and status(found) == end
    assert evidence(found).log10_e_value == pytest.approx(log10(e))
    assert found.decision.outcome == {"pass": "SHIP", "undecidable": "INCONCLUSIVE", "fail": "BLOCK"}[end]


def test_an_undecided_rule_names_the_next_step() -> None:
    found = judge(GOOD, changed(GOOD, [0]), uncalibrated=True)
    assert evidence(found).more_runs == 1 and "2 times as many questions" in found.next_steps[0]
    assert judge(GOOD, changed(GOOD, range(3)), uncalibrated=True).next_steps[0].startswith("wrong: perhaps ")


def test_an_undecided_rule_says_how_far_it_is_from_a_block() -> None:
    found = judge(GOOD, changed(GOOD, range(5)), uncalibrated=True)
    assert next(one for one in found.judged if one.check.rule.metric == "wrong").check.reason.endswith(
        "; e = 10.5, and 20 blocks"
    )


@pytest.mark.parametrize(
    ("newly_wrong", "said"),
    [(0, "no evidence that it got worse"), (5, "too little evidence that it got worse, e = 10.5, and 20 blocks")],
)
def test_a_little_evidence_is_not_none(newly_wrong: int, said: str) -> None:
    found = judge(GOOD, changed(GOOD, range(newly_wrong)), "acceptable >= baseline", uncalibrated=True)
    assert found.judged[0].check.reason.endswith(said)


def test_counts_add_up_over_the_steps_of_a_release() -> None:
    """Four of 130 newly wrong block nothing; four again and four again do."""
    worse, seen = changed(GOOD, range(4)), Discordant(4, 0, 130)
    ends = [status(judge(GOOD, worse, place=release(*[seen] * times), uncalibrated=True)) for times in range(3)]
    assert ends == ["undecidable", "fail", "fail"]
    assert evidence(judge(GOOD, worse, place=release(seen, seen), uncalibrated=True)).worse == 12


def test_each_release_and_each_look_may_use_its_part_of_alpha_only() -> None:
    first, tenth = (judge(GOOD, GOOD, place=release(number=k), uncalibrated=True).sequential for k in (1, 10))
    assert first is not None and tenth is not None
    assert first.alpha_block == pytest.approx(0.0304, abs=1e-4) and tenth.alpha_block == pytest.approx(
        first.alpha_block / 100
    )
    fifth = judge(GOOD, GOOD, place=release(*[Discordant(0, 0, 130)] * 4), uncalibrated=True).sequential
    assert fifth is not None and fifth.alpha_ship == pytest.approx(first.alpha_ship / 25)
    assert status(judge(GOOD, changed(GOOD, range(8)), place=release(number=10), uncalibrated=True)) == "undecidable"


def test_what_adds_nothing_is_shown_and_ships_nothing() -> None:
    again = Place("p", "v1", "v2", 1, 1, False, "used before", (), ())
    found = judge(GOOD, GOOD, place=again, uncalibrated=True)
    assert status(found) == "undecidable" and evidence(found).pairs == 0


def test_attempts_are_paired_and_add_up() -> None:
    base, cand = side(GOOD), side(changed(GOOD, [0]))
    base.verdicts += verdicts(GOOD, attempt=2)
    cand.verdicts += verdicts(changed(GOOD, [1]), attempt=2)
    found = compare(base, cand, SHIP, Request(mode="sequential", uncalibrated=True))
    assert (evidence(found).worse, evidence(found).pairs) == (2, 260)


def test_the_slack_of_a_rule_is_its_margin() -> None:
    worse = changed(GOOD, range(2))
    assert status(judge(GOOD, worse, "wrong <= baseline"), "wrong <= baseline") == "undecidable"
    assert status(judge(GOOD, worse, "wrong <= baseline + 0.06"), "wrong <= baseline + 0.06") == "pass"
    # A rise within it blocks nothing, however sure it is.
    assert status(judge(GOOD * 20, changed(GOOD * 20, range(10)), rule := "wrong <= baseline + 2%"), rule) == "pass"
    assert status(judge(GOOD * 20, changed(GOOD * 20, range(10)), rule := "wrong <= baseline"), rule) == "fail"


def test_other_rules_fail_on_evidence_alone() -> None:
    few, many = changed(GOOD, range(7), "r"), changed(GOOD, range(14), "r")
    rules = ("correct_rate >= baseline - 0.05", "correct_rate >= baseline")
    assert [status(judge(GOOD, few, *rules), rule) for rule in rules] == ["pass", "pass"]
    assert "too little evidence" in judge(GOOD, few, *rules).judged[1].check.reason
    assert [status(judge(GOOD, many, *rules), rule) for rule in rules] == ["fail", "fail"]
    # Sure, and yet within what the rule bears.
    assert status(judge(GOOD * 9, changed(GOOD * 9, range(14), "r"), *rules), rules[0]) == "pass"


def test_absolute_rules_and_odd_ones_are_judged_as_they_are() -> None:
    odd = ("wrong <= 3", "wrong < baseline", "wrong == baseline", "wrong <= baseline - 1", "coverage >= baseline",
           "acceptable.low >= baseline")  # fmt: skip
    assert not any(is_chance(Rule.parse(rule)) for rule in odd)
    worse = changed(GOOD, range(4))
    sequential, strict = (judge(GOOD, worse, *odd, mode=mode) for mode in ("sequential", "strict"))
    assert [one.check for one in sequential.judged] == [one.check for one in strict.judged]


def test_missing_verdicts_leave_it_open_unless_it_fails_anyway() -> None:
    assert status(judge(GOOD, changed(GOOD, [0], "_"), uncalibrated=True)) == "undecidable"
    blocked = judge(GOOD, changed(changed(GOOD, range(12)), [50], "_"), uncalibrated=True)
    assert status(blocked) == "fail" and blocked.decision.outcome == "BLOCK"


def test_a_grader_whose_errors_could_explain_a_rise_does_not_block() -> None:
    worse = changed(GOOD, range(8))
    assert status(judge(GOOD, worse, certificates=[certificate()])) == "fail"
    poor = certificate({**sure(100), "wrong": {"correct": 8, "wrong": 2}})
    found = judge(GOOD, worse, certificates=[poor])
    assert status(found) == "undecidable"
    assert "could explain it" in next(one.check.reason for one in found.judged if one.check.rule.name == "wrong")


def test_the_doubtful_answers_are_asked_for() -> None:
    """People who confirm the verdicts on the newly wrong ones would settle it, and no others are asked for."""
    found = judge(GOOD, changed(GOOD, range(9)), "wrong <= baseline", certificates=[
        certificate({**sure(3000), "wrong": {"correct": 6, "wrong": 4}})
    ])  # fmt: skip
    asked = {answer.question_id for answer in found.label_next}
    assert status(found, "wrong <= baseline") == "undecidable" and 1 <= len(asked) <= 9
    assert asked <= {f"q{i:03}" for i in range(9)} and {answer.side for answer in found.label_next} == {"cand"}
    assert any("could decide it" in line for line in found.next_steps)


def test_without_a_certificate_nothing_ships() -> None:
    for mode in ("strict", "sequential"):
        assert judge(GOOD, GOOD, mode=mode).decision.outcome == "INCONCLUSIVE"
        assert judge(GOOD, GOOD, mode=mode, uncalibrated=True).decision.outcome == "SHIP"
        assert judge(GOOD, changed(GOOD, range(12)), mode=mode).decision.outcome == "BLOCK"


CERTIFICATES = {
    "none": (),
    "good": (certificate(sure(2000)),),
    "poor": (certificate({**sure(50), "wrong": {"correct": 5, "wrong": 15}}),),
    "absurd": (certificate({**sure(50), "wrong": {"correct": 50}}),),
}


@cache
def outcome(base: str, cand: str, mode: str, which: str, margin: float) -> str:
    found = judge(base, cand, mode=mode, certificates=CERTIFICATES[which], uncalibrated=which == "none", margin=margin)
    return found.decision.outcome


modes = st.sampled_from(["strict", "sequential"])
which = st.sampled_from(sorted(CERTIFICATES))
margins = st.sampled_from([0.02, 0.2, 0.6])


@st.composite
def sides(draw: st.DrawFn) -> tuple[str, str]:
    size = draw(st.integers(8, 40))
    base = draw(st.text("cccccwur", min_size=size, max_size=size))
    cand = list(base)
    for place in draw(st.lists(st.integers(0, size - 1), max_size=16)):
        cand[place] = draw(st.sampled_from("cwwwur_"))
    return base, "".join(cand)


@settings(max_examples=40)
@given(sides(), st.data(), modes, which, margins)
def test_a_wrong_answer_more_never_turns_block_into_ship(
    both: tuple[str, str], data: st.DataObject, mode: str, which: str, margin: float
) -> None:
    base, cand = both
    places = [i for i, letter in enumerate(cand) if letter in "c_"] or [len(cand)]
    place = data.draw(st.sampled_from(places))
    worse = f"{cand[:place]}w{cand[place + 1 :]}"
    if outcome(base, cand, mode, which, margin) == "BLOCK":
        assert outcome(base, worse, mode, which, margin) != "SHIP"


@settings(max_examples=20)
@given(sides(), modes, which)
def test_the_same_answers_on_both_sides_are_never_blocked_for_the_baseline(
    both: tuple[str, str], mode: str, which: str
) -> None:
    against = [rule.text for rule in SHIP if rule.on_baseline]
    found = judge(both[0], both[0], *against, mode=mode, certificates=CERTIFICATES[which])
    assert found.decision.outcome != "BLOCK"


@settings(max_examples=15)
@given(sides(), st.randoms(use_true_random=False), modes, which)
def test_the_order_of_rows_does_not_matter(both: tuple[str, str], random: st.DataObject, mode: str, which: str) -> None:
    base, cand = side(both[0], "base"), side(both[1], "cand")
    request = Request(certificates=CERTIFICATES[which], mode=mode, uncalibrated=which == "none")
    first = compare(base, cand, SHIP, request)
    for one in (base, cand):
        random.shuffle(one.verdicts)  # type: ignore[attr-defined]
    assert compare(base, cand, SHIP, request) == first


@settings(max_examples=40)
@given(sides(), modes, margins)
def test_without_a_certificate_the_ship_gate_never_ships(both: tuple[str, str], mode: str, margin: float) -> None:
    assert judge(*both, mode=mode, margin=margin).decision.outcome != "SHIP"
