from __future__ import annotations

from surefoot.compare import Comparison, Request, compare
from surefoot.gate import Rule
from surefoot.records import Discordant

from .helpers import changed, side, verdicts
from .test_judging import evidence, judge, release, status

RULES = [Rule.parse("wrong <= baseline", "wrong")]


def repeated(base: list[str], cand: list[str]) -> Comparison:
    sides = side(base[0], "base"), side(cand[0], "cand")
    for one, attempts in zip(sides, (base, cand), strict=True):
        one.verdicts += [v for number, said in enumerate(attempts[1:], 2) for v in verdicts(said, number)]
    return compare(*sides, RULES, Request(mode="sequential", uncalibrated=True))


def test_what_one_attempt_leaves_open_repeating_it_does_not_ship() -> None:
    good = "c" * 130
    assert status(repeated([good], [changed(good, [3])])) == "undecidable"
    found = repeated([good] * 6, [changed(good, [3])] * 6)
    assert status(found) == "undecidable" and "1 worse and 0 better of 130 questions" in found.judged[0].check.reason
    assert (evidence(found).worse, evidence(found).pairs) == (6, 780)
    assert status(repeated([good] * 7, [changed(good, [3])] * 7)) == "fail", "to block, attempts add up"


def test_a_question_got_worse_when_most_of_its_attempts_did() -> None:
    good = "c" * 130
    now_and_then = [changed(good, [3]), good, good]
    assert status(repeated([good] * 3, now_and_then)) == "pass"
    assert status(repeated([good] * 3, [changed(good, [3]), changed(good, [3]), good])) == "undecidable"
    assert status(repeated([changed(good, [3]), good, good], now_and_then)) == "pass"


def test_few_questions_never_ship_by_repeating() -> None:
    few = "c" * 50
    found = repeated([few] * 20, [few] * 20)
    assert status(found) == "undecidable" and "50 different questions are too few" in found.judged[0].check.reason
    needed = evidence(found).questions_needed
    assert (
        needed
        and needed > 50
        and found.next_steps == (f"wrong: ask more questions, at least {needed}; repeats do not replace them",)
    )
    enough = "c" * needed
    assert status(repeated([enough] * 2, [enough] * 2)) == "pass"
    assert status(repeated([few] * 20, [changed(few, range(9))] * 20)) == "fail"


def test_runs_do_not_replace_questions_either() -> None:
    few = "c" * 50
    found = judge(few, few, place=release(*[Discordant(0, 0, 50)] * 9), uncalibrated=True)
    assert status(found) == "undecidable" and evidence(found).pairs == 500


def test_one_attempt_at_each_question_is_judged_by_its_pairs_alone() -> None:
    few = "w" * 12 + "c" * 68
    found = judge(few, "c" * 80, uncalibrated=True)
    assert status(found) == "pass", "80 would be too few if they were asked again; so many mended ones tell enough"
