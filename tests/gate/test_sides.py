from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot import trust
from surefoot.calibration.certificates import left_out
from surefoot.errors import UsageError
from surefoot.gate import Rule
from surefoot.measures import SideName
from surefoot.pairing import Side, stand_in
from surefoot.records import AxisRecord, Interval, Label, Value
from surefoot.report.comparison_words import number
from surefoot.stats import wilson
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


def test_where_everything_labelled_would_be_too_few_more_questions_are_asked_for() -> None:
    known = trusted(table={"correct": {"correct": 20}})
    assert "surefoot" in trust.judge(LABELS, known, lifted=False).reason
    few = trust.judge(LABELS, replace(known, answers=23), lifted=False).reason
    assert few.startswith("20 labels drawn by chance are too few; these runs have no more than 23 different answers")


def test_a_certificate_that_stands_lets_both_rules_pass() -> None:
    known = trusted()
    assert known.certificate is not None and status(LABELS, known) == status(KAPPA, known) == "pass"
    words = trust.in_words(known)
    assert "factuality 0.80 (0.60 to 0.90)" in words and "400 answers were labelled by people (ann)" in words
    assert "of the answers it calls correct, 0.0% (0.0% to 3.0%) are not" in words


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
    few = trusted(table={"correct": {"correct": 28}}, labels=70)
    assert (
        status(LABELS, few) == "undecidable"
        and "28 labels drawn by chance" in trust.judge(LABELS, few, lifted=False).reason
    )
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


def test_people_who_are_divided_are_mentioned() -> None:
    known = trusted()
    assert known.certificate is not None and "divided" not in trust.in_words(known)
    record = replace(known.certificate.axes["factuality"], divided=40)
    torn = replace(known, certificate=replace(known.certificate, axes={"factuality": record}))
    assert "400 answers were labelled by people (ann), they were divided on 40 more; kappa" in trust.in_words(torn)


def test_zero_has_no_sign() -> None:
    known = trusted(kappa=(-0.001, -0.004, 0.002))
    assert "factuality 0.00 (0.00 to 0.00)" in trust.in_words(known)
    check = trust.judge(KAPPA, known, lifted=False)
    assert "it is 0.00: more labels" in check.reason
    assert number("kappa", check.seen) == "0.00 (0.00 to 0.00)"


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


def test_how_many_of_the_answers_called_correct_are_not() -> None:
    table = {"wrong": {"wrong": 12}, "correct": {"correct": 25, "wrong": 4, "unsupported": 2}}
    record = AxisRecord(n=43, kappa=None, table=table, answers={"wrong": 12, "correct": 100})
    low, high = wilson(6, 31)
    said = f"of the answers it calls correct, 19.4% ({low:.1%} to {high:.1%}) are not"
    assert trust.called_correct(record) == said == "of the answers it calls correct, 19.4% (9.2% to 36.3%) are not"
    few = replace(record, worth={"correct": {"correct": 1.25, "wrong": 1.25, "unsupported": 0.0}})
    low, high = wilson(1.25, 2.5)
    assert trust.called_correct(few) == f"of the answers it calls correct, 50.0% ({low:.1%} to {high:.1%}) are not"
    undrawn = replace(record, table={"wrong": {"wrong": 12}})
    assert "is not known: none of them has a label that counts" in trust.called_correct(undrawn)
    assert trust.called_correct(replace(undrawn, answers={"wrong": 12})) == "it calls no answer correct"


@pytest.mark.parametrize(
    ("labels", "answers", "picked", "said"),
    [
        (
            {"correct": 55},
            {"correct": 73, "wrong": 8},
            0,
            "none of the 8 answers graded wrong has a label that counts: label",
        ),
        (
            {"correct": 55},
            {"correct": 73, "ungraded": 8},
            0,
            "none of the 8 answers without a verdict has a label that",
        ),
        (
            {"correct": 55},
            {"correct": 73, "wrong": 12},
            2,
            "none of the 12 answers graded wrong has a label that counts, beside those that were picked",
        ),
        ({"correct": 55}, {"correct": 73, "wrong": 8}, 8, ""),  # they may be on these very eight
        ({"correct": 54, "wrong": 1}, {"correct": 73, "wrong": 8}, 0, ""),
        ({"correct": 55}, {"correct": 73, "wrong": 4}, 0, ""),  # 2.9 of 55 labels: by bad luck, perhaps
        ({"correct": 55}, {"correct": 73, "wrong": 0}, 0, ""),
        ({"correct": 55}, {"correct": 73}, 0, ""),  # the buckets that nobody used are no gap
        ({}, {"correct": 73, "wrong": 8}, 60, ""),
    ],
)
def test_labels_that_pass_over_a_verdict_are_no_sample(
    labels: dict[str, int], answers: dict[str, int], picked: int, said: str
) -> None:
    table = {verdict: {verdict: count} for verdict, count in labels.items()}
    n = sum(labels.values()) + picked
    record = AxisRecord(n=n, kappa=Interval(1.0, 0.67, 1.0), table=table, answers=answers)
    known = trusted()
    assert known.certificate is not None
    known = replace(known, certificate=replace(known.certificate, labels=n, axes={"factuality": record}))
    for rule in (LABELS, KAPPA, Rule.parse("labels[factuality] >= 50")):
        check = trust.judge(rule, known, lifted=False)
        assert check.status == ("undecidable" if said else "pass")
        assert said in check.reason
        assert status(rule, known, lifted=True) == ("not_applicable" if said else "pass")
    assert said in trust.in_words(known)


@given(st.integers(1, 80), st.integers(1, 80), st.integers(1, 80), st.integers(0, 80))
def test_a_verdict_is_left_out_only_where_a_fair_draw_would_meet_it(m: int, n: int, other: int, picked: int) -> None:
    table, answers = {"correct": {"correct": min(m, n)}}, {"correct": n, "wrong": other}
    if left_out(table, answers, picked):
        assert min(m, n) * other / (n + other) >= 3
        assert not left_out({**table, "wrong": {"correct": 1}}, answers, picked)
    assert not left_out(table, {"correct": n}, picked)


def test_one_label_is_one() -> None:
    known = trusted(table={"correct": {"correct": 1}})
    assert "one answer was labelled" in trust.in_words(known)
    assert "1 label drawn by chance is too few" in trust.judge(LABELS, known, lifted=False).reason


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
