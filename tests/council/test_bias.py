"""Reviewers over a question set: their bias, and whose votes add nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.council.evaluate import (
    FEWEST_QUESTIONS,
    ReviewerBias,
    Sheet,
    redundant,
    reviewer_bias,
)
from surefoot.council.rows import AnswerKey
from surefoot.jobs.council import evaluate_council

from .planted import kept_runs, reviewed, sheet_of


def clear(found: tuple[ReviewerBias, ...]) -> set[tuple[str, str]]:
    return {(one.reviewer, one.kind) for one in found if one.stands_out}


def test_honest_reviewers_have_no_bias_and_all_count() -> None:
    sheet = sheet_of(reviewed(60))
    assert (clear(reviewer_bias(sheet)), redundant(sheet)) == (set(), {})


def test_planted_faults_are_found_and_nobody_else_is_blamed() -> None:
    sheet = sheet_of(reviewed(80, ("harsh", "length", "random", "proud", "copy")))
    useless = redundant(sheet)
    assert useless.keys() == {"random", "copy"}
    found = reviewer_bias(sheet, useless)
    expected = {("harsh", "shift"), ("length", "length"), ("proud", "self_preference")}
    assert expected <= clear(found)
    assert not {who for who, _ in clear(found)} & {"ada", "ben", "cid", "dot"}
    shift = next(one for one in found if (one.reviewer, one.kind, one.dimension) == ("harsh", "shift", "accuracy"))
    assert shift.figure is not None
    assert shift.figure.low < -1.5 < shift.figure.high or shift.figure.value == pytest.approx(-1.5, abs=0.4)


def test_who_stands_beside_a_lover_of_length_is_not_blamed_for_it() -> None:
    found = reviewer_bias(sheet_of(reviewed(60, ("harsh", "length"), honest=("ada",))))
    assert {who for who, kind in clear(found) if kind == "length"} == {"length"}


def test_reviewers_are_judged_by_what_they_said_and_not_by_ceilings(tmp_path: Path) -> None:
    scores = {
        who: {
            answer: {**given, "overall": 3.0, "uncapped": given["overall"]}
            if int(answer.question[1:]) % 3 == 0 and given["overall"] > 3
            else given
            for answer, given in by_answer.items()
        }
        for who, by_answer in reviewed(60, ("random",)).items()
    }
    found = evaluate_council(*kept_runs(scores))
    assert list(found.redundant) == ["random"]
    variance = found.success.variance
    assert variance["overall"].figure and "uncapped" not in variance and "capped" not in variance


def test_with_few_questions_nothing_is_said() -> None:
    sheet = sheet_of(reviewed(FEWEST_QUESTIONS - 1, ("harsh",)))
    found = reviewer_bias(sheet)
    assert all(one.figure is None and one.reason for one in found)
    assert any("not enough data: needs 15 questions" in one.reason for one in found)
    assert redundant(sheet) == {}


def test_what_does_not_apply_is_said() -> None:
    found = reviewer_bias(sheet_of(reviewed(20)))
    reasons = {one.kind: one.reason for one in found if one.figure is None}
    assert reasons["position"] == "does not apply: each answer was reviewed alone"
    assert reasons["self_preference"].startswith("does not apply")


def test_one_reviewer_has_nobody_to_be_held_against() -> None:
    sheet = sheet_of(reviewed(30, honest=("ada",)))
    assert {one.reason for one in reviewer_bias(sheet)} == {"needs another reviewer"}
    assert redundant(sheet) == {}


def test_reviewers_who_always_give_the_same_score_are_no_copies() -> None:
    scores = {who: {AnswerKey("one", f"q{n}"): {"accuracy": 9.0} for n in range(40)} for who in ("ada", "ben", "cid")}
    assert redundant(Sheet(scores)) == {}
    assert clear(reviewer_bias(Sheet(scores))) == set()


def test_missing_scores_are_not_made_up() -> None:
    scores = {who: dict(rows) for who, rows in reviewed(60, ("harsh",)).items()}
    for answer in list(scores["harsh"])[::2]:
        del scores["harsh"][answer]
    found = reviewer_bias(sheet_of(scores))
    assert clear(found) >= {("harsh", "shift")}
    assert {who for who, _ in clear(found)} == {"harsh"}
