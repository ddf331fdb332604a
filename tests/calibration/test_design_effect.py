from __future__ import annotations

import re
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.calibration.answers import FACTUALITY, Answer
from surefoot.calibration.calibrate import calibrate_axis
from surefoot.calibration.confusion import confusion_of
from surefoot.calibration.estimates import corrected, only
from surefoot.calibration.results import Rate
from surefoot.core.intervals import Labelled, alikeness, each_counts, labels_count

from .helpers import RUBRIC

AXIS, COUNT = (next(axis for axis in RUBRIC.axes if axis.name == name) for name in (FACTUALITY, "extra_claim_count"))


def apart(answers: list[Answer]) -> list[Answer]:
    """The same answers as if each were to a question of its own."""
    return [answer._replace(question_id=f"{answer.run}/{i}", attempt=1) for i, answer in enumerate(answers)]


def width(rate: Rate) -> float:
    assert rate.low is not None and rate.high is not None
    return rate.high - rate.low


def six_by_ten(labelled: int) -> list[Answer]:
    """Six questions, one of them always wrong, and a grader that is always right."""
    values = ["wrong" if question == 0 else "correct" for _ in range(10) for question in range(6)]
    return [
        Answer(f"q{i % 6}", 1 + i // 6, value, value if i < labelled else None, {"anna": value} if i < labelled else {})
        for i, value in enumerate(values)
    ]


def test_an_answer_counts_for_its_share_of_a_question() -> None:
    each_own = {(name, name): 1 for name in "abc"}
    assert each_counts(each_own, 0.7) == each_counts({}, 0.7) == 1
    assert each_counts({("a", "a"): 5, ("b", "b"): 5}, 0.0) == pytest.approx(1 / 5)
    uneven = {("a", "a"): 10, **{(f"q{i}", f"q{i}"): 1 for i in range(10)}}
    assert 20 * each_counts(uneven, 0.0) < 4, "one question speaks for half of them"


def test_questions_on_one_document_count_for_less_the_more_alike_they_are() -> None:
    members = {(f"d{i % 20}", f"q{i}"): 1 for i in range(200)}
    assert each_counts(members, 0.0) == 1
    assert each_counts(members, 0.3) == pytest.approx(1 / (1 + 9 * 0.3)), "the usual design effect"
    assert each_counts(members, 1.0) == pytest.approx(1 / 10)


def test_alikeness_is_the_correlation_within_documents() -> None:
    members = [(f"d{i % 20}", f"q{i}") for i in range(200)]
    by_document = np.array([[float(i % 20 < 5)] for i in range(200)])
    assert alikeness(by_document, members) == 1
    assert alikeness(np.random.default_rng(1).random((200, 1)), members) < 0.1
    assert alikeness(by_document, [(f"q{i}", f"q{i}") for i in range(200)]) == 0, "a document each"
    assert alikeness(by_document, [("d", f"q{i}") for i in range(200)]) == 0, "one document tells nothing of others"
    assert alikeness(np.ones((200, 1)), members) == 0
    attempts = [(f"d{i % 20}", f"q{i % 20}") for i in range(200)]
    assert alikeness(by_document, attempts) == 0, "attempts at one question are not several on a document"


member = st.tuples(st.sampled_from("xyz"), st.sampled_from("abcdefgh")).map(lambda two: (two[0], two[0] + two[1]))
attempts = st.dictionaries(member, st.integers(1, 9), min_size=1)


@given(st.lists(st.builds(Labelled, st.integers(50, 900), attempts), min_size=1, max_size=5), st.floats(0, 1))
def test_labels_count_so_that_the_error_over_all_cells_is_right(cells: list[Labelled], alike: float) -> None:
    """If the truth is one for all attempts at a question, and goes together on a document, whichever cells it is in."""
    counts = labels_count(cells, alike)
    labels = [sum(cell.members.values()) for cell in cells]
    worth = [each * m for each, m in zip(counts, labels, strict=True)]
    assert all(0 < one <= len(cell.members) + 1e-9 for one, cell in zip(worth, cells, strict=True))
    by_question, by_document = dict[object, float](), dict[object, float]()
    for cell, m in zip(cells, labels, strict=True):
        for (document, question), count in cell.members.items():
            weight = cell.size * count / m
            by_question[question] = by_question.get(question, 0) + weight
            by_document[document] = by_document.get(document, 0) + weight
    variance = sum(cell.size**2 / one for cell, one in zip(cells, worth, strict=True))
    squares = [sum(weight**2 for weight in sums.values()) for sums in (by_question, by_document)]
    assert isclose(variance, (1 - alike) * squares[0] + alike * squares[1], rel_tol=1e-9)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=6))
def test_without_repeats_every_label_counts_for_exactly_one(sizes: list[int]) -> None:
    cells = [Labelled(size + 7, {(f"{at}/{i}",) * 2: 1 for i in range(size)}) for at, size in enumerate(sizes)]
    assert labels_count(cells, 0.0) == [1.0] * len(cells)


@pytest.mark.parametrize("labelled", [54, 60])
def test_ten_attempts_at_six_questions_are_six_questions(labelled: int) -> None:
    """Estimates stay, intervals are those of six answers, and a sentence says so."""
    answers = six_by_ten(labelled)
    found, plain = calibrate_axis(answers, AXIS), calibrate_axis(apart(answers), AXIS)
    assert found.kappa is not None and plain.kappa is not None
    assert found.kappa.value == plain.kappa.value == 1
    assert found.kappa.low < 0.45 and plain.kappa.low > 0.7
    for bucket, rate in found.corrected.items():
        assert rate.value == plain.corrected[bucket].value
        assert width(rate) > 1.5 * width(plain.corrected[bucket])
    for name in ("correct", "wrong"):
        mine, other = found.per_bucket[name].sensitivity, plain.per_bucket[name].sensitivity
        assert mine is not None and other is not None and mine.value == other.value and mine.low < other.low
    assert found.table == plain.table and found.answers == plain.answers and found.n == labelled
    assert any("60 answers are attempts at 6 questions, which count as no more than 6" in note for note in found.notes)
    assert not any("attempts at" in note for note in plain.notes)


def test_more_answers_to_the_same_questions_narrow_nothing() -> None:
    found = calibrate_axis(six_by_ten(60), AXIS)
    assert "only more questions can narrow" in found.labels_needed


def test_runs_of_the_same_questions_are_repeats_too() -> None:
    """Ten runs of six questions tell what ten attempts in one run do."""
    answers = [answer._replace(run=answer.attempt, attempt=1) for answer in six_by_ten(60)]
    found = calibrate_axis(answers, AXIS)
    assert found.kappa is not None and found.kappa.low < 0.45


def test_more_labels_on_the_same_questions_promise_little() -> None:
    said = calibrate_axis(six_by_ten(30), AXIS).labels_needed
    before, after = map(float, re.findall(r"±([\d.]+)", said))
    assert after > 0.9 * before, said


def test_means_allow_for_repeats() -> None:
    counts = [i % 4 for i in range(20) for _ in range(10)]
    answers = [Answer(f"q{i // 10}", 1 + i % 10, n, n if i % 2 else None, {"a": n}) for i, n in enumerate(counts)]
    found, plain = (calibrate_axis(some, COUNT).corrected["mean"] for some in (answers, apart(answers)))
    assert found.value == plain.value and width(found) > 2 * width(plain)


values = st.sampled_from(["correct", "wrong", "refused", None])


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), values, values, st.integers(1, 2)), min_size=1, max_size=40), st.randoms())
def test_whatever_is_repeated_intervals_hold_their_estimates(
    rows: list[tuple[int, str | None, str | None, int]], order: object
) -> None:
    answers = [Answer(f"q{q}", i, said, label, {"a": label} if label else {}, run=run)
               for i, (q, said, label, run) in enumerate(rows)]  # fmt: skip
    found = calibrate_axis(answers, AXIS)
    order.shuffle(answers)  # type: ignore[attr-defined]
    assert calibrate_axis(answers, AXIS) == found
    for rate in found.corrected.values():
        if rate.value is not None and rate.low is not None and rate.high is not None:
            assert 0 <= rate.low <= rate.value <= rate.high <= 1 + 1e-9


def test_intervals_cover_where_the_truth_is_one_for_all_attempts() -> None:
    """20 questions, 10 attempts, half of the answers labelled; as 200 questions they would miss it half of the time."""
    generator = np.random.default_rng(11)
    runs, hits = 30, {"repeats": 0, "as if apart": 0}

    def holds(answers: list[Answer]) -> bool:
        rate = corrected(confusion_of(answers, AXIS, only("wrong")), "wrong")
        return rate.low is not None and rate.high is not None and rate.low <= 0.2 <= rate.high

    for _ in range(runs):
        truth = np.repeat(generator.random(20) < 0.2, 10)
        graded = np.where(truth, generator.random(200) < 0.8, generator.random(200) < 0.1)
        drawn = set(generator.permutation(200)[:100].tolist())
        said = [["correct", "wrong"][int(value)] for value in truth]
        answers = [
            Answer(f"q{i // 10}", 1 + i % 10, "wrong" if graded[i] else "correct", said[i] if i in drawn else None)
            for i in range(200)
        ]
        hits["repeats"] += holds(answers)
        hits["as if apart"] += holds(apart(answers))
    assert hits["repeats"] >= 0.86 * runs and hits["as if apart"] <= 0.7 * runs, hits
