"""Two versions with all their runs: labels stand in, what is missing is ungraded, what says the same is one reading."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import CANNOT_TELL, Label, Value
from surefoot.core.types import Question, Trace, Verdict
from surefoot.gate.sides import (
    Run,
    apply_labels,
    asked_of,
    check_alike,
    document_of,
    labels_apart,
    readings_of,
    side_of,
)

from ..kept import RUBRIC
from .helpers import GRADER, questions, verdicts


def run_of(name: str, buckets: str, told: str = "") -> Run:
    """A graded run as it is read, in its own words or as told."""
    asked = {one.id: one for one in questions(len(buckets))}
    traces = {(id, 1): Trace(id, answer=f"{told or name} {id}") for id in asked}
    versions = {key: str(trace.answer) for key, trace in traces.items()}
    return Run(name, verdicts(buckets), asked, traces, versions, graders=(GRADER,), rubric=RUBRIC)


def label(run: Run, question: str, value: Value, who: str = "ann", **more: str) -> Label:
    made = Label(
        id=f"{who}{question}{value}", at="2026-01-01", annotator=who, question_id="any", axis="factuality",
        value=value, version=run.versions[question, 1],
    )  # fmt: skip
    return replace(made, **more)


def labelled(*labels: tuple[str, Value, str], **more: str) -> Run:
    found = run_of("run", "cc")
    apply_labels(found, [label(found, question, value, who, **more) for question, value, who in labels])
    return found


def values(run: Run) -> list[object]:
    return [run.labels[key].value for key in sorted(run.labels)]


def test_labels_on_the_very_answer_stand_in_for_the_verdict() -> None:
    one = labelled(("q000", "wrong", "ann"))
    assert values(one) == ["wrong"] and one.labels[("q000", 1), "factuality"].grader == "human/ann"
    assert side_of([one], ["q000"]).answers["q000"][0].bucket == "wrong"


def test_where_people_differ_the_verdict_stays() -> None:
    one = labelled(("q000", "wrong", "ann"), ("q000", "correct", "bob"))
    assert values(one) == [] and one.disputed == 1
    people = [Verdict("q000", "factuality", said, who) for who, said in (("human/a", "wrong"), ("human/b", "correct"))]
    apart = labels_apart(Run("file", [*verdicts("cc"), *people]))
    assert values(apart) == [] and apart.disputed == 1 and {one.grader for one in apart.verdicts} == {GRADER}
    assert side_of([apart], ["q000"]).answers["q000"][0].bucket == "correct"


@pytest.mark.parametrize("other", [{"version": "other"}, {"rubric_sha256": "other"}, {"annotator": "local@1+deadbeef"}])
def test_labels_on_other_answers_by_another_rubric_or_by_a_grader_are_none(other: dict[str, str]) -> None:
    one = labelled(("q000", "wrong", "ann"), **other)
    assert values(one) == [] and bool(one.problems) == ("annotator" in other)


def test_in_a_file_with_both_people_give_labels() -> None:
    people = [Verdict("q000", "factuality", "wrong", "human/ann"),
              Verdict("q001", "factuality", "wrong", "human/ann", via="chosen")]  # fmt: skip
    apart = labels_apart(Run("file", [*verdicts("cc"), *people]))
    assert values(apart) == ["wrong", "wrong"] and {one.grader for one in apart.verdicts} == {GRADER}
    alone = Run("file", people)
    assert labels_apart(alone) is alone and side_of([alone], ["q000"]).deterministic, "people alone are exact"


def test_what_says_the_same_in_both_versions_is_one_reading() -> None:
    base, cand = [run_of("a", "cw", told="x"), run_of("b", "cw")], [run_of("c", "cw", told="x")]
    apply_labels(base[1], [label(base[1], "q000", "wrong", drawn="look")])
    cand[0].traces["q001", 1] = Trace("q001", error="timeout")
    sides = [side_of(runs, ["q000", "q001"], key) for runs, key in ((base, "base"), (cand, "cand"))]
    first, second = readings_of(*sides).values()
    assert [(len(one.base), len(one.cand), one.label, one.pending) for one in first] == [
        (1, 1, None, ""), (1, 0, CANNOT_TELL, "wrong")]  # fmt: skip
    assert [(len(one.base), len(one.cand), one.label, one.graded) for one in second][-1] == (0, 1, CANNOT_TELL, "wrong")
    by_grader = readings_of(*sides, by_grader=True)
    assert [one.label for one in by_grader["q000"]] == ["correct", "correct"], "one look is not enough"


def test_what_says_that_it_is_deterministic_and_answers_otherwise_is_not() -> None:
    runs = [replace(run_of(name, "cw", told="x"), deterministic=True) for name in "abc"]
    assert side_of(runs, runs[0].questions).deterministic
    other = side_of([*runs, replace(run_of("d", "cw"), deterministic=True)], runs[0].questions)
    assert not other.deterministic and other.unsteady == ["q000", "q001"]


def test_what_a_side_lacks_is_ungraded_there() -> None:
    side = side_of([run_of("a", "cc_"), run_of("b", "c_c")], ["q000", "q001", "q002"])
    assert [[said.bucket for said in side.answers[id]] for id in sorted(side.answers)] == [
        ["correct", "correct"], ["correct", None], [None, "correct"],
    ]  # fmt: skip


def test_questions_that_only_one_side_knows_are_named_and_the_rest_compared() -> None:
    base, cand = run_of("base", "cccc"), run_of("cand", "ccc")
    cand.questions["q000"] = replace(cand.questions["q000"], text="Another?")
    cand.questions["q9"] = Question("q9", "New?", "answer")
    asked, notes, gone = asked_of([base], [cand])
    assert sorted(asked) == ["q001", "q002"] and gone == ["q000", "q003"] and "2 questions are the same" in notes[0]
    assert "1 changed (in text): q000" in notes[0] and "1 new: q9" in notes[0] and "1 gone: q003" in notes[0]
    with pytest.raises(UsageError, match="share no question"):
        asked_of([run_of("a", "c")], [Run("b", verdicts("c"), {"x": Question("x", "?", "answer")})])
    files = asked_of([Run("a", verdicts("cc"))], [Run("b", verdicts("ccc"))])
    assert files == ({"q000": None, "q001": None, "q002": None}, [], []), "files know no questions"


def test_questions_asked_again_belong_to_those_that_were_asked() -> None:
    """Only some were asked again: the others have fewer answers, and none is missing."""
    whole, again = run_of("a", "ccc"), replace(run_of("b", "c"), partial=True)
    assert sorted(asked_of([again, whole], [whole])[0]) == ["q000", "q001", "q002"]
    side = side_of([again, whole], ["q000", "q001"])
    assert [len(side.answers[id]) for id in ("q000", "q001")] == [2, 1] and side.attempts == 1


def test_a_run_without_verdicts_by_its_own_grader_is_incomplete() -> None:
    strange = replace(run_of("b", "cc"), verdicts=verdicts("cc", grader="ballot/1"))
    with pytest.raises(Incomplete, match="no verdicts by its grader"):
        check_alike(run_of("a", "cc"), strange)


def test_the_document_of_a_question() -> None:
    assert document_of(Question("q", "?", "answer", gold_ids=("handbook#3",)), {}) == "handbook"
    assert document_of(Question("q", "?", "answer", gold_ids=("p3",)), {"p3": "guide"}) == "guide"
    assert document_of(Question("q", "?", "refusal"), {}) is None


def test_of_an_uneven_log_only_what_was_answered_counts() -> None:
    log = replace(run_of("log", "cw"), attempts=1_000, uneven=True)
    assert [len(said) for said in side_of([log], ["q000", "q001", "q002"]).answers.values()] == [1, 1, 0]
    even = replace(log, attempts=2, uneven=False)
    assert [len(said) for said in side_of([even], ["q000", "q002"]).answers.values()] == [2, 2]
