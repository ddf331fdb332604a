"""Which answers should be labelled next, as Python programs see it."""

from __future__ import annotations

import pytest

import surefoot
from surefoot.core.errors import UsageError

from .page import Sit, next_of, sent, trace, wait_for


def test_the_queue_of_a_run_has_the_flagged_answers_first(mill: str) -> None:
    queue = surefoot.label_queue(mill, target=10)
    rows = queue.table()
    assert len(rows) == 40 and [row["drawn"] for row in rows[:6]] == ["flagged"] * 5 + ["sample"]
    assert list(rows[0]) == [
        "question_id", "attempt", "run", "question", "answer", "drawn", "for_gate", "for_everyone", "unsure",
        "version",
    ]  # fmt: skip
    number = int(rows[0]["question_id"][1:])
    assert rows[0]["answer"] == trace(number).answer and rows[0]["run"] == "mill" and not rows[0]["for_gate"]
    assert (queue["target"], queue["labelled"], len(queue["rows"])) == (10, 0, 40)


def test_what_somebody_has_labelled_is_not_in_the_queue_any_more(sit: Sit, mill: str) -> None:
    desk = sit()
    number = next_of(desk, "Ana")
    desk.save("Ana", sent(desk, number, factuality="wrong"))
    desk.skip("Ana", next_of(desk, "Ana"))
    queue = surefoot.label_queue(mill)
    assert queue["labelled"] == 1 and len(queue.table()) == 39
    assert desk.queue.sheets[number - 1].version not in {row["version"] for row in queue.table()}


def test_the_queue_of_the_gate_has_what_the_last_comparison_asked_for(mill: str) -> None:
    needed = [{"question_id": "q5", "attempt": 1, "side": "cand", "run": mill, "drawn": "sample"}]
    wait_for(mill, needed)
    [row] = surefoot.label_queue(mill, only_gate=True).table()
    assert (row["question_id"], row["drawn"], row["for_gate"]) == ("q5", "sample", True)


@pytest.mark.parametrize("overlap", [float("nan"), -0.1, 1.1])
def test_an_overlap_is_a_share(mill: str, overlap: float) -> None:
    with pytest.raises(UsageError, match="is no share"):
        surefoot.label_queue(mill, overlap=overlap)
