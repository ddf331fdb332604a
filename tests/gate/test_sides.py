"""Two versions with all their runs: labels stand in, copies count once, what is missing is ungraded."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import Label, Value
from surefoot.core.types import Question, Trace, Verdict
from surefoot.gate.counts import pairs_of
from surefoot.gate.sides import Run, apply_labels, asked_of, check_alike, document_of, labels_apart, side_of

from ..kept import RUBRIC
from .helpers import GRADER, run_of, verdicts


def answered() -> Run:
    found = Run("run", verdicts("cc"), rubric=RUBRIC)
    found.questions = {f"q00{i}": Question(f"q00{i}", "?", "answer") for i in range(2)}
    found.traces = {(f"q00{i}", 1): Trace(f"q00{i}", answer=f"So {i}.") for i in range(2)}
    found.versions = {key: f"version of {key[0]}" for key in found.traces}
    return found


def label(run: Run, question: str, value: Value, who: str = "ann", **more: str) -> Label:
    made = Label(
        id=f"{who}{question}{value}", at="2026-01-01", annotator=who, question_id="any", axis="factuality",
        value=value, version=run.versions[question, 1],
    )  # fmt: skip
    return replace(made, **more)


def values(run: Run) -> list[object]:
    return [run.labels[key].value for key in sorted(run.labels)]


def test_labels_on_the_very_answer_stand_in_for_the_verdict() -> None:
    one = answered()
    apply_labels(one, [label(one, "q000", "wrong")])
    assert values(one) == ["wrong"] and one.labels[("q000", 1), "factuality"].grader == "human/ann"
    one = answered()
    given = [label(one, "q000", "wrong"), label(one, "q000", "wrong", "bob"), label(one, "q000", "correct", "eve")]
    apply_labels(one, given)
    assert values(one) == ["wrong"], "the majority counts"


@pytest.mark.parametrize(("drawn", "teaches"), [("sample", True), ("flagged", True), ("gate", True), ("chosen", False)])
def test_what_somebody_picked_teaches_nothing(drawn: str, teaches: bool) -> None:
    one = answered()
    apply_labels(one, [label(one, "q000", "wrong", drawn=drawn)])
    assert values(one) == ["wrong"] and bool(one.drawn) == teaches


def test_where_people_are_divided_the_verdict_stays_and_it_is_noted() -> None:
    one = answered()
    apply_labels(one, [label(one, "q000", "wrong"), label(one, "q000", "correct", "bob")])
    assert values(one) == [] and "divided on factuality of q000:" in one.problems[0].message


def test_where_people_in_a_file_are_divided_the_verdict_stays_as_well() -> None:
    people = [
        Verdict("q000", "factuality", value, who) for who, value in (("human/a", "wrong"), ("human/b", "correct"))
    ]
    apart = labels_apart(Run("file", [*verdicts("cc"), *people]))
    assert values(apart) == [] and apart.disputed == 1 and {one.grader for one in apart.verdicts} == {GRADER}
    assert "people are divided on factuality of q000: the grader's verdict stays" in apart.problems[0].message
    assert side_of([apart], ["q000"]).answers["q000"][0].bucket == "correct"


def test_labels_on_other_answers_or_by_another_rubric_are_none() -> None:
    one = answered()
    apply_labels(
        one, [label(one, "q000", "wrong", version="other"), label(one, "q001", "wrong", rubric_sha256="other")]
    )
    assert values(one) == []
    withdrawn = replace(label(one, "q000", "wrong"), id="2", at="2026-01-02", value=None)
    apply_labels(one, [label(one, "q000", "wrong"), withdrawn])
    assert values(one) == []


def test_labels_signed_by_a_grader_do_not_count() -> None:
    one = answered()
    apply_labels(one, [label(one, "q000", "wrong", "local@1+deadbeef")])
    assert values(one) == [] and "under the name of a grader (1) do not count" in one.problems[0].message


def test_in_a_file_with_both_people_give_labels() -> None:
    people = [Verdict("q000", "factuality", "wrong", "human/ann"),
              Verdict("q001", "factuality", "wrong", "human/ann", via="chosen")]  # fmt: skip
    apart = labels_apart(Run("file", [*verdicts("cc"), *people]))
    assert values(apart) == ["wrong", "wrong"] and {one.grader for one in apart.verdicts} == {GRADER}
    assert apart.drawn == {(("q000", 1), "factuality")}, "the other was picked"
    alone = Run("file", people)
    assert labels_apart(alone) is alone and side_of([alone], ["q000"]).deterministic, "people alone are exact"


def test_the_same_answers_again_count_once() -> None:
    first, other = run_of("first", "ccw"), run_of("other", "ccc")
    copy = replace(first, name="copy")
    assert [run.name for run in side_of([copy, other, first], first.questions).runs] == ["copy", "other"]
    assert side_of([copy, other, first], first.questions).name == "first", "it is called by the run that was named"


def test_a_deterministic_pipeline_is_one_run_however_often_it_is_repeated() -> None:
    runs = [run_of(name, "cw", told="the same", deterministic=True) for name in "abc"]
    side = side_of(runs, runs[0].questions)
    assert len(side.runs) == 1 and side.deterministic
    other = side_of([*runs, run_of("d", "cw", deterministic=True)], runs[0].questions)
    assert len(other.runs) == 2 and not other.deterministic, "what says so and answers otherwise is not"


def test_what_a_side_lacks_is_ungraded_there() -> None:
    side = side_of([run_of("a", "cc_"), run_of("b", "c_c")], ["q000", "q001", "q002"])
    assert [[said.bucket for said in side.answers[id]] for id in sorted(side.answers)] == [
        ["correct", "correct"], ["correct", None], [None, "correct"],
    ]  # fmt: skip


def test_questions_that_only_one_side_knows_are_named_and_the_rest_compared() -> None:
    base, cand = run_of("base", "cccc"), run_of("cand", "ccc")
    cand.questions["q000"] = replace(cand.questions["q000"], text="Another?")
    cand.questions["q9"] = Question("q9", "New?", "answer")
    asked, notes = asked_of([base], [cand])
    assert sorted(asked) == ["q001", "q002"]
    assert "2 questions are the same" in notes[0]
    assert "1 changed (in text): q000" in notes[0] and "1 new: q9" in notes[0] and "1 gone: q003" in notes[0]
    with pytest.raises(UsageError, match="share no question"):
        asked_of([run_of("a", "c")], [Run("b", verdicts("c"), {"x": Question("x", "?", "answer")})])


def test_files_know_no_questions_and_are_asked_what_either_has() -> None:
    assert asked_of([Run("a", verdicts("cc"))], [Run("b", verdicts("ccc"))]) == (
        {"q000": None, "q001": None, "q002": None},
        [],
    )


def test_a_run_without_verdicts_by_its_own_grader_is_incomplete() -> None:
    strange = replace(run_of("b", "cc"), verdicts=verdicts("cc", grader="ballot/1"))
    with pytest.raises(Incomplete, match="no verdicts by its grader"):
        check_alike(run_of("a", "cc"), strange)


def test_answers_lie_beside_each_other_as_far_as_both_have_as_many() -> None:
    one, two = run_of("a", "cw"), run_of("b", "cc")
    asked = one.questions
    pairs = pairs_of(side_of([one, two], asked), side_of([two], asked), asked)
    assert [(pair.question_id, pair.attempt) for pair in pairs] == [("q000", 1), ("q001", 1)]


def test_the_document_of_a_question() -> None:
    assert document_of(Question("q", "?", "answer", gold_ids=("handbook#3",)), {}) == "handbook"
    assert document_of(Question("q", "?", "answer", gold_ids=("p3",)), {"p3": "guide"}) == "guide"
    assert document_of(Question("q", "?", "refusal"), {}) is None


def test_of_an_uneven_log_only_what_was_answered_counts() -> None:
    log = replace(run_of("log", "cw"), attempts=1_000, uneven=True)
    assert [len(said) for said in side_of([log], ["q000", "q001", "q002"]).answers.values()] == [1, 1, 0]
    even = replace(log, attempts=2, uneven=False)
    assert [len(said) for said in side_of([even], ["q000", "q002"]).answers.values()] == [2, 2]
