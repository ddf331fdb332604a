from __future__ import annotations

from collections.abc import Sequence

import pytest

from surefoot.calibration.answers import Graded, by_people
from surefoot.calibration.answers import join as join_runs

from .helpers import join, label, verdict


def messages(problems: Sequence[object]) -> str:
    return "\n".join(map(str, problems))


def test_a_label_belongs_to_its_question_and_attempt() -> None:
    verdicts = [verdict(1, "wrong"), verdict(1, "correct", attempt=2)]
    joined = join(verdicts, [label(1, "correct", attempt=2)])
    assert [answer.label for answer in joined.axes["factuality"]] == [None, "correct"]
    assert joined.labelled == 1


def test_with_versions_a_label_follows_the_answer_and_not_the_question() -> None:
    verdicts = [verdict(1, "wrong"), verdict(2, "correct")]
    versions = {("q1", 1): "v1", ("q2", 1): "v2"}
    joined = join(
        verdicts, [label("old", "refused", version="v2"), label(1, "wrong", version="gone")], versions=versions
    )
    assert [answer.label for answer in joined.axes["factuality"]] == [None, "refused"]
    assert "'q1' (attempt 1) has a label, and no verdict" in messages(joined.problems)


def test_most_votes_count_and_a_tie_is_named() -> None:
    labels = [label(1, "wrong", "a"), label(1, "wrong", "b"), label(1, "correct", "c")]
    labels += [label(2, "wrong", "a"), label(2, "correct", "b")]
    joined = join([verdict(1, "wrong"), verdict(2, "wrong")], labels)
    first, second = joined.axes["factuality"]
    assert (first.label, second.label) == ("wrong", None)
    assert second.votes == {"a": "wrong", "b": "correct"}
    assert [problem.kind for problem in joined.problems] == ["tie"]
    assert "people are divided (a 'wrong', b 'correct')" in messages(joined.problems)


def test_a_later_label_of_the_same_person_counts_and_none_takes_it_back() -> None:
    changed = [label(1, "wrong", at="2026-01-01"), label(1, "correct", at="2026-01-02")]
    taken = [label(2, "wrong", at="2026-01-01"), label(2, None, at="2026-01-02")]
    joined = join([verdict(1, "wrong"), verdict(2, "wrong")], [*changed, *taken])
    assert [answer.label for answer in joined.axes["factuality"]] == ["correct", None]
    assert not joined.problems


def test_one_person_who_contradicts_herself_is_not_used() -> None:
    # Two labels of the same moment on two versions that a plain file cannot tell apart.
    labels = [label(1, "wrong", version="a"), label(1, "correct", version="b"), label(1, "wrong", "ben")]
    joined = join([verdict(1, "wrong")], labels)
    assert joined.axes["factuality"][0].votes == {"ben": "wrong"}
    assert joined.problems[0].kind == "contradicting_label"


def test_drawn_by_chance_for_one_is_drawn_by_chance() -> None:
    labels = [label(1, "wrong", "a", drawn="gate"), label(1, "wrong", "b", drawn="sample")]
    labels += [label(2, "wrong", "a", drawn="gate")]
    joined = join([verdict(1, "wrong"), verdict(2, "wrong")], labels)
    assert [answer.chosen for answer in joined.axes["factuality"]] == [False, True]


def test_answers_without_a_text_have_no_bucket_and_say_so() -> None:
    joined = join([verdict(1, None, reason="error"), verdict(2, None, reason="odd")], [label(1, "wrong")])
    assert [answer.question_id for answer in joined.axes["factuality"]] == ["q2"]
    told = messages(joined.problems)
    assert "missing, empty or errors (1) are in no bucket" in told
    assert "labels on answers that are missing, empty or errors (1) are not used" in told


def test_the_same_answer_again_is_no_news_within_a_run_and_across_runs() -> None:
    versions = {("q1", 1): "same", ("q1", 2): "same", ("q2", 1): "other"}
    verdicts = [verdict(1, "wrong"), verdict(1, "wrong", attempt=2), verdict(2, "correct")]
    labels = [label(1, "wrong", version="same")]
    once = join(verdicts, labels, versions=versions)
    assert len(once.axes["factuality"]) == 2
    twice = join_runs([Graded(verdicts, labels, versions)] * 2)
    assert len(twice.axes["factuality"]) == 2
    assert twice.labelled == 1
    assert "unknown_question" not in [problem.kind for problem in twice.problems]


def test_a_label_on_an_axis_that_the_grader_left_out_is_counted() -> None:
    joined = join([verdict(1, "correct")], [label(1, 2, axis="refusal_quality")])
    assert "refusal_quality: labels on answers without a verdict on it (1)" in messages(joined.problems)


def test_people_in_the_file_of_verdicts_are_people() -> None:
    machine, labels = by_people([verdict(1, "wrong"), verdict(1, "correct", grader="human/zoe")])
    assert [one.grader for one in machine] == ["g/1"]
    assert [(one.annotator, one.value) for one in labels] == [("zoe", "correct")]


def test_one_grader_at_a_time() -> None:
    with pytest.raises(ValueError, match="g/1, g/2"):
        join([verdict(1, "wrong"), verdict(1, "wrong", grader="g/2")], [])
