from __future__ import annotations

import pytest
from msgspec.structs import replace

from surefoot import trust
from surefoot.errors import UsageError
from surefoot.gate import Rule
from surefoot.measures import SideName
from surefoot.pairing import Side, stand_in
from surefoot.records import AxisRecord, Label, Value
from surefoot.types import Question, Trace, Verdict

from .sequential.helpers import GRADER, RUBRIC, certificate

LABELS, KAPPA = Rule.parse("labels >= 50"), Rule.parse("kappa[factuality].low >= 0.40")


def side(*graders: str) -> Side:
    rows = [Verdict(f"q{i}", "factuality", "correct", grader) for i, grader in enumerate(graders)]
    return Side("run", rows, rubric=RUBRIC, corpus="c")


def trusted(*graders: str, **certified: object) -> trust.Trust:
    given = [certificate(**{"corpus": "c", **certified})]  # type: ignore[arg-type]
    one = side(*(graders or (GRADER,)))
    return trust.trust_in({"base": one, "cand": one}, given)


def status(rule: Rule, known: trust.Trust, *, lifted: bool = False) -> str:
    return trust.judge(rule, known, lifted=lifted).status


def test_a_certificate_that_stands_lets_both_rules_pass() -> None:
    known = trusted()
    assert known.certificate is not None and status(LABELS, known) == status(KAPPA, known) == "pass"
    words = trust.in_words(known)
    assert "kappa 0.80 (0.60 to 0.90)" in words and "400 answers were labelled" in words
    assert "finds about 100% of what is wrong" in words


@pytest.mark.parametrize(
    ("graders", "certified", "words"),
    [
        ((), {"corpus": "other"}, "another corpus"),
        ((), {"rubric": "x"}, "rubric has changed"),
        ((), {"grader": "g/2"}, "is for the grader g/2"),
        (("g/1", "g/2"), {}, "one grader, not for g/1 and g/2"),
        (("g/1", ""), {}, "do not say who gave them"),
        (("",), {}, "do not say who gave them"),
    ],
)
def test_what_does_not_fit_is_no_certificate(graders: tuple[str, ...], certified: dict[str, str], words: str) -> None:
    known = trusted(*graders, **certified)
    for rule in (LABELS, KAPPA):
        check = trust.judge(rule, known, lifted=False)
        assert check.status == "undecidable" and words in check.reason and "surefoot calibrate" in check.reason
        assert status(rule, known, lifted=True) == "not_applicable"
    assert "not known" in trust.in_words(known)


def test_both_sides_have_to_fit() -> None:
    other = side(GRADER)
    other.corpus = "other"
    assert trust.trust_in({"base": other, "cand": side(GRADER)}, [certificate(corpus="c")]).certificate is None


def test_a_certificate_that_falls_short_leaves_it_undecidable() -> None:
    few = trusted(labels=30)
    assert status(LABELS, few) == "undecidable" and "30 labels" in trust.judge(LABELS, few, lifted=False).reason
    low = trusted(kappa=(0.5, 0.39, 0.7))
    assert status(KAPPA, low) == "undecidable" and "0.39" in trust.judge(KAPPA, low, lifted=False).reason
    assert status(Rule.parse("kappa[factuality] >= 0.5"), low) == "pass"
    known = trusted()
    assert "says nothing on tone" in trust.judge(Rule.parse("kappa[tone].low >= 0"), known, lifted=False).reason
    assert known.certificate is not None
    blank = AxisRecord(n=3, kappa=None, table={}, answers={})
    none = replace(known, certificate=replace(known.certificate, axes={"factuality": blank}))
    assert "too few or too much alike" in trust.judge(KAPPA, none, lifted=False).reason
    assert status(Rule.parse("labels[factuality] >= 3"), none) == "pass"


def test_people_need_no_certificate() -> None:
    known = trusted("human/ann", "human/bob")
    assert known.by_people and status(LABELS, known) == status(KAPPA, known) == "not_applicable"
    assert "ann, bob" in trust.in_words(known)
    assert status(LABELS, trusted("human/ann", GRADER)) == "pass", "beside a grader its certificate counts"


def test_without_a_name_it_is_nobody() -> None:
    for grader in ("human/", "human/  "):
        known = trusted(grader, grader)
        assert not known.by_people and status(LABELS, known) == "undecidable"
        assert "do not say who gave them" in trust.in_words(known)


def test_an_edited_certificate_lets_nothing_pass() -> None:
    edited = replace(certificate(corpus="c", at="2026-03-01"), labels=1_000)
    both: dict[SideName, Side] = {"base": side(GRADER), "cand": side(GRADER)}
    known = trust.trust_in(both, [edited])
    assert known.certificate is None and status(LABELS, known) == status(KAPPA, known) == "undecidable"
    assert "a certificate in the ledger was edited" in trust.judge(LABELS, known, lifted=False).reason
    beside = trust.trust_in(both, [edited, certificate(corpus="c")])
    assert status(LABELS, beside) == "pass" and "was edited" in trust.in_words(beside)


def test_labels_that_were_all_picked_do_not_say_what_is_found() -> None:
    picked = AxisRecord(n=79, kappa=None, table={}, answers={"wrong": 13, "correct": 117})
    assert "no labelled answer was drawn by chance" in trust.share_found(picked, "wrong")


def test_what_is_found_counts_all_answers_and_not_just_the_labelled_ones() -> None:
    """All 10 flagged answers were labelled and 1 in 10 of the other 100: those stand for ten times as many."""
    record = AxisRecord(
        n=20, kappa=None, table={"wrong": {"wrong": 8, "correct": 2}, "correct": {"correct": 9, "wrong": 1}},
        answers={"wrong": 10, "correct": 100},
    )  # fmt: skip
    assert trust.share_found(record, "wrong") == "it finds about 44% of what is wrong"
    assert trust.share_found(record, "refused") == "no label on an answer drawn by chance says refused"


@pytest.mark.parametrize("text", ["kappa.low >= 0.4", "labels >= baseline", "kappa[factuality] >= 40"])
def test_rules_on_the_grader_that_make_no_sense(text: str) -> None:
    with pytest.raises(UsageError) as error:
        Rule.parse(text)
    assert error.value.hint


def label(side: Side, question: str, value: Value, who: str = "ann", **more: str) -> Label:
    made = Label(
        id=f"{who}{question}{value}", at="2026-01-01", annotator=who, question_id="any", axis="factuality",
        value=value, version=side.versions[question, 1],
    )  # fmt: skip
    return replace(made, **more)


def answered() -> Side:
    found = side(GRADER, GRADER)
    found.questions = {f"q{i}": Question(f"q{i}", "?", "answer") for i in range(2)}
    found.traces = {(f"q{i}", 1): Trace(f"q{i}", answer=f"So {i}.") for i in range(2)}
    return found


def values(one: Side) -> list[object]:
    return [one.labels[key].value for key in sorted(one.labels)]


def test_labels_on_the_very_answer_stand_in_for_the_verdict() -> None:
    one = answered()
    stand_in(one, [label(one, "q0", "wrong")])
    assert values(one) == ["wrong"] and one.labels[("q0", 1), "factuality"].grader == "human/ann"
    one = answered()
    stand_in(one, [label(one, "q0", "wrong"), label(one, "q0", "wrong", "bob"), label(one, "q0", "correct", "eve")])
    assert values(one) == ["wrong"], "the majority counts"


def test_where_people_are_divided_the_verdict_stays_and_it_is_noted() -> None:
    one = answered()
    stand_in(one, [label(one, "q0", "wrong"), label(one, "q0", "correct", "bob")])
    assert values(one) == [] and "divided on factuality of q0:" in one.problems[0].message


def test_labels_on_other_answers_or_by_another_rubric_are_none() -> None:
    one = answered()
    stand_in(one, [label(one, "q0", "wrong", version="elsewhere"), label(one, "q1", "wrong", rubric_sha256="other")])
    assert values(one) == []
    withdrawn = replace(label(one, "q0", "wrong"), id="2", at="2026-01-02", value=None)
    stand_in(one, [label(one, "q0", "wrong"), withdrawn])
    assert values(one) == []
