"""What the labels of a certificate are worth where some answers were labelled more often than others."""

from __future__ import annotations

import pytest

from surefoot.calibration import calibrate as package
from surefoot.calibration.answers import Graded, join
from surefoot.calibration.results import Calibration, Weighed
from surefoot.core.records import AxisRecord, Label
from surefoot.core.types import Verdict

from .helpers import RUBRIC, calibrate, label, verdict

Rows = tuple[list[Verdict], list[Label]]


def run(start: int, answers: dict[str, int], said: dict[str, list[str]]) -> Rows:
    """Answers by verdict, of which the first have these labels."""
    rows: Rows = ([], [])
    for graded, count in answers.items():
        for at in range(count):
            number = start + len(rows[0])
            rows[0].append(verdict(number, graded))
            rows[1].extend([label(number, said[graded][at])] if at < len(said.get(graded, ())) else [])
    return rows


def certified(found: Calibration, axis: str = "factuality") -> AxisRecord:
    assert found.certificate is not None
    return found.certificate.axes[axis]


def weighed(record: AxisRecord) -> Weighed:
    """All rows; those that are worth what they count are in the table alone."""
    return {verdict: record.worth.get(verdict, dict(row)) for verdict, row in record.table.items()}


def together(*runs: Rows) -> Calibration:
    return package.calibrate(join([Graded(*one) for one in runs]), RUBRIC)


def two_runs() -> Calibration:
    """Of 980 answers 10 are labelled, half of them truly wrong; of 80 all, and all are right. Both have 8 flagged."""
    flagged = ["wrong"] * 8
    large = run(0, {"correct": 980, "wrong": 8}, {"correct": ["wrong", "correct"] * 5, "wrong": flagged})
    small = run(5_000, {"correct": 80, "wrong": 8}, {"correct": ["correct"] * 80, "wrong": flagged})
    return together(large, small)


def test_labels_of_two_runs_are_weighed_by_the_answers_they_stand_for() -> None:
    found = two_runs()
    record = certified(found)
    assert record.table["correct"] == {"correct": 85, "wrong": 5, "unsupported": 0, "refused": 0}, "shown as counted"
    worth = 1 / ((980 / 1060) ** 2 / 10 + (80 / 1060) ** 2 / 80)
    assert record.worth.keys() == {"correct"}, "of the flagged ones all are labelled: worth what they count"
    assert sum(weighed(record)["correct"].values()) == pytest.approx(worth)
    assert weighed(record)["correct"]["wrong"] == pytest.approx(worth * 980 / 1060 / 2)
    assert weighed(record)["wrong"] == record.table["wrong"]


def test_a_few_labels_that_speak_for_many_answers_are_not_drowned() -> None:
    large = run(0, {"correct": 980}, {"correct": ["wrong"] * 4})
    small = run(5_000, {"correct": 80}, {"correct": ["correct"] * 80})
    record = certified(together(large, small))
    wrong, all_ = weighed(record)["correct"]["wrong"], sum(weighed(record)["correct"].values())
    assert wrong / all_ == pytest.approx(980 / 1060) and all_ < 5


def test_flagged_answers_drawn_more_often_weigh_less_within_one_run() -> None:
    """20 flagged answers, all labelled, and 20 of 80 others; all 100 citations are graded yes."""
    verdicts, labels = [], []
    for number in range(100):
        verdicts += [
            verdict(number, "wrong" if number < 20 else "correct"),
            verdict(number, "yes", "citation_supports"),
        ]
        labels += [label(number, "no" if number < 20 else "yes", axis="citation_supports")] if number < 40 else []
        labels += [label(number, "correct")] if number < 40 else []
    record = certified(calibrate(verdicts, labels, RUBRIC), "citation_supports")
    assert record.table["yes"]["no"] == 20
    assert weighed(record)["yes"]["no"] / sum(weighed(record)["yes"].values()) == pytest.approx(0.2)
    assert sum(weighed(record)["yes"].values()) == pytest.approx(1 / (0.2**2 / 20 + 0.8**2 / 20))


def test_runs_that_are_all_labelled_are_worth_what_they_count() -> None:
    rows = {"correct": ["correct"] * 7, "wrong": ["wrong"] * 3}
    first, second = (run(start, {"correct": 7, "wrong": 3}, rows) for start in (0, 50))
    record = certified(together(first, second))
    assert record.worth == {} and record.answers_worth is None and weighed(record) == record.table


def test_attempts_at_one_question_are_worth_one_label() -> None:
    verdicts = [verdict(q, "correct", attempt=a) for q in range(10) for a in range(1, 11)]
    labels = [label(q, "correct", attempt=a) for q in range(10) for a in range(1, 11)]
    record = certified(calibrate(verdicts, labels, RUBRIC))
    assert sum(weighed(record)["correct"].values()) == pytest.approx(10)
