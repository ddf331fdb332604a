"""How far a grader can be believed, in the two numbers that a release manager needs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from surefoot.core.types import Verdict
from surefoot.gate import trust
from surefoot.gate.decide import Comparison
from surefoot.gate.judge import Request
from surefoot.gate.sides import Run

from .helpers import SHIP, decide, run_of, verdicts


def labelled(verdict: str, said: str) -> Comparison:
    """All answers of the baseline are labelled, none of the candidate's."""
    return decide(run_of("a", verdict, said), run_of("b", verdict))


def test_where_all_is_labelled_the_shares_are_counted() -> None:
    """Of 40 called acceptable 2 are not; of 10 bad ones 8 are found. Intervals are for further answers like these."""
    both = run_of("a", "c" * 40 + "w" * 10, "w" * 2 + "c" * 38 + "w" * 8 + "c" * 2)
    found = decide(both, replace(both, name="b")).trust
    assert found.accepted_but_bad is not None and found.bad_caught is not None
    assert found.accepted_but_bad.value == 2 / 40 and found.bad_caught.value == pytest.approx(8 / 10)
    words = trust.in_words(found)
    assert "of the answers it calls acceptable, 5.0% (" in words and "of the bad ones, it finds 80.0% (" in words
    assert "50 answers were labelled by people (ann)" in words


def test_a_sample_has_an_interval() -> None:
    found = labelled("c" * 40 + "w" * 10, "w" * 2 + "c" * 38 + "w" * 8 + "c" * 2).trust
    assert found.accepted_but_bad is not None and found.bad_caught is not None
    for share in (found.accepted_but_bad, found.bad_caught):
        assert share.low < share.value < share.high
    assert "(" in trust.in_words(found).partition("acceptable, ")[2]


def test_a_grader_that_sees_nothing_is_told_as_such() -> None:
    found = labelled("c" * 60, "w" * 10 + "c" * 50).trust
    assert found.bad_caught is not None and found.bad_caught.value == 0, "it raised no alarm"
    assert found.bad_caught.high < 0.3
    assert found.accepted_but_bad is not None and found.accepted_but_bad.value > 0.1


def test_where_nobody_has_seen_a_bad_answer_nothing_is_said_of_those_it_finds() -> None:
    found = labelled("c" * 60, "c" * 60).trust
    assert found.bad_caught is None and "of the bad ones" not in trust.in_words(found)


def test_without_drawn_labels_nothing_is_known() -> None:
    none, picked = decide(run_of("a", "cc"), run_of("b", "cc")), run_of("a", "cc", "cc", drawn=False)
    assert "nobody has labelled a random sample of its answers" in trust.in_words(none.trust)
    assert "2 were labelled by choice" in trust.in_words(decide(picked, run_of("b", "cc")).trust)


def test_people_need_no_proof_and_without_a_name_it_is_nobody() -> None:
    people = Run("a", verdicts("cc", grader="human/ann"))
    assert "people gave the verdicts (ann)" in trust.in_words(decide(people, people).trust)
    for grader in ("human/", "human/  ", ""):
        nobody = Run("a", verdicts("cw", grader=grader))
        found = decide(nobody, Run("b", verdicts("ww", grader=grader)))
        assert not found.trust.by_people and found.decision.outcome == "INCONCLUSIVE"


def test_a_grader_that_misread_known_answers_ships_nothing() -> None:
    rows = [replace(one, self_check="misread 2 of 8") for one in verdicts("cc")]
    failed = replace(run_of("a", "cc", deterministic=True), verdicts=rows)
    found = decide(failed, replace(failed, name="b"), Request(uncalibrated=True))
    assert found.decision.outcome == "INCONCLUSIVE" and found.failed_checks == {"g/1": "misread 2 of 8"}
    assert any("grade" in step and "again" in step for step in found.next_steps)


def test_graded_questions_that_nobody_asked_make_it_incomplete() -> None:
    strange = run_of("a", "cc")
    strange.verdicts = [*strange.verdicts, Verdict("x", "factuality", "correct", "g/1")]
    found = decide(strange, run_of("b", "cc"), rules=SHIP)
    assert (
        int(found.decision.exit_code) == 4 and "1 graded question not in the question set" in found.decision.incomplete
    )
