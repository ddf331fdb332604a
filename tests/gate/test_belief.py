"""What may be true of answers, given verdicts and labels."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.gate.change import DRAWS, FEWEST_DRAWS, Answer, truths
from surefoot.gate.metrics import Value

WORTH: dict[Value, float] = {"correct": 0.0, "wrong": 1.0}


def answers(count: int, verdict: str, label: str | None = None, *, side: int = 1, drawn: bool = True) -> list[Answer]:
    return [Answer(f"{verdict}{label}{side}{i}", side, verdict, label, drawn and label is not None)
            for i in range(count)]  # fmt: skip


def mean_of(given: list[Answer]) -> float:
    """How many of the answers without a label are wrong, on average."""
    found = truths(given, WORTH)
    opened = [number for number, one in enumerate(given) if one.label is None]
    return float(found.values[:, opened].mean(axis=1) @ found.weights)


def test_what_people_said_is_the_truth_and_needs_no_draws() -> None:
    found = truths([*answers(3, "wrong", "correct"), *answers(2, "correct", "wrong")], WORTH)
    assert found.values.tolist() == [[0, 0, 0, 1, 1]] and found.weights.tolist() == [1]


def test_without_a_label_nothing_is_known_of_a_verdict() -> None:
    assert mean_of(answers(10, "wrong")) == pytest.approx(0.5, abs=0.03), "an alarm is not yet a wrong answer"


def test_drawn_labels_teach_what_their_verdict_means() -> None:
    """Beta(9.5, 1.5): nine alarms of ten were right."""
    known = [*answers(9, "wrong", "wrong"), *answers(1, "wrong", "correct")]
    assert mean_of([*known, *answers(20, "wrong")]) == pytest.approx(9.5 / 11, abs=0.02)
    assert mean_of([*known, *answers(20, "correct")]) == pytest.approx(0.5, abs=0.03), "and nothing of another verdict"


def test_picked_labels_teach_nothing() -> None:
    picked = answers(40, "wrong", "wrong", drawn=False)
    assert mean_of([*picked, *answers(20, "wrong")]) == pytest.approx(0.5, abs=0.03)


def test_a_side_may_differ_from_the_other_as_far_as_its_own_labels_allow() -> None:
    """All alarms on the baseline are false. Of the candidate's, some still may be right."""
    labelled = answers(40, "wrong", "correct", side=0)
    other = mean_of([*labelled, *answers(10, "wrong", side=1)])
    same = mean_of([*labelled, *answers(10, "wrong", side=0)])
    assert 0 < same < other < 0.1
    mine = mean_of([*answers(20, "wrong", "wrong", side=0), *answers(20, "wrong", "correct", side=1),
                    *answers(10, "wrong", side=1)])  # fmt: skip
    assert mine < 0.45, "its own labels weigh more than the other's"


def test_draws_are_seeded_even_and_bounded_by_memory() -> None:
    given = answers(30, "wrong")
    first, again = truths(given, WORTH), truths(given, WORTH)
    assert np.array_equal(first.values, again.values) and first.values.shape == (DRAWS, 30)
    assert truths(answers(60_000, "wrong"), WORTH).values.shape[0] == FEWEST_DRAWS
    assert truths(given, WORTH, most=501).values.shape[0] == 500


def test_values_of_more_than_two_kinds_come_as_often_as_they_were_labelled() -> None:
    worth: dict[Value, float] = {0: 0, 1: 1, 2: 2, 3: 3}
    known = [Answer(f"k{i}", 1, 2, label, True) for i, label in enumerate([0, 2, 2, 2, 3, 3] * 20)]
    given = [*known, *(Answer(f"o{i}", 1, 2) for i in range(50))]
    found = truths(given, worth)
    share = [float(((found.values[:, 120:] == number).mean(axis=1)) @ found.weights) for number in range(4)]
    assert share == pytest.approx([1 / 6, 0, 1 / 2, 1 / 3], abs=0.03)
