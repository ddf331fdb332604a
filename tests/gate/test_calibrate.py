"""How far a grader can be trusted, by the labels on its answers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from surefoot.core import rubric
from surefoot.core.records import Interval, Label, Value
from surefoot.core.table import BUCKETS
from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict
from surefoot.gate.calibrate import (
    NO_VERDICT,
    PICKED,
    UNSETTLED,
    AxisCalibration,
    Calibration,
    answers_of,
    calibrate,
    in_words,
    sample_of,
    trust_in,
)
from surefoot.gate.sides import Run, apply_labels, asked_of, said_in, side_of

RUBRIC = rubric.load()
GRADER = "g/1"


def verdict(number: int | str, value: Value, axis: str = "factuality", **more: Any) -> Verdict:  # noqa: ANN401
    return Verdict(f"q{number}", axis, value, GRADER, **more)


def label(number: int | str, value: Value, who: str = "anna", **more: Any) -> Label:  # noqa: ANN401
    fields = {"axis": "factuality", "at": "", "question_id": f"q{number}", **more}
    return Label(id=f"{who}/{number}/{fields['axis']}/{fields['at']}", annotator=who, value=value, **fields)


def calibrated(verdicts: Sequence[Verdict], labels: Sequence[Label], by: rubric.Rubric = RUBRIC) -> Calibration:
    run = Run("v", list(verdicts), rubric=by.sha256)
    apply_labels(run, labels)
    return calibrate([run], by, GRADER)


def from_table(
    table: Mapping[str, Mapping[str, int]], answers: Mapping[str, int] | None = None
) -> tuple[list[Verdict], list[Label]]:
    """`table[verdict][label]` labelled answers, and as many unlabelled ones as `answers` has beyond them."""
    verdicts: list[Verdict] = []
    labels: list[Label] = []
    for graded, row in table.items():
        values = [value for value, count in row.items() for _ in range(count)]
        for value in [*values, *[None] * ((answers or {}).get(graded, 0) - len(values))]:
            number = len(verdicts)
            verdicts.append(verdict(number, None if graded == "ungraded" else graded))
            labels += [label(number, value)] if value is not None else []
    return verdicts, labels


def factuality(table: dict[str, dict[str, int]], answers: dict[str, int] | None = None) -> AxisCalibration:
    return calibrated(*from_table(table, answers)).axes["factuality"]


def value(found: Interval | None) -> float:
    assert found is not None and 0 <= found.low <= found.value <= found.high <= 1
    return found.value


def test_rates_from_labels_drawn_by_verdict() -> None:
    """13 flagged answers, all labelled, 9 of them bad; 37 of the 117 others, 1 bad."""
    table = {"wrong": {"wrong": 9, "correct": 4}, "correct": {"wrong": 1, "correct": 36}}
    found = calibrated(*from_table(table, {"wrong": 13, "correct": 117}))
    wrong = found.axes["factuality"].buckets["wrong"]
    assert wrong.rate is not None and wrong.graded == 0.1
    assert [wrong.rate.value, wrong.rate.low, wrong.rate.high] == pytest.approx([0.105, 0.050, 0.187], abs=0.001)
    # Read from the labelled answers alone it would be 9 of 10: the wrong ones among 80 unlabelled are not seen.
    assert value(found.bad_found) == value(wrong.sensitivity) == pytest.approx(9 / (9 + 117 / 37))
    assert value(found.false_correct) == pytest.approx(1 / 37)
    assert found.headline.startswith("Of the answers it calls correct, 2.7% (")
    assert "are not; of the bad ones, it finds 74.0% (" in found.headline and "(50 labels by people" in found.headline


def test_refusals_are_no_answers_called_correct() -> None:
    """80 refusals, all in order, and 20 answers called correct, of which 4 are bad: 20 % of them, not 4 % of all."""
    found = calibrated(*from_table({"refused": {"refused": 80}, "correct": {"correct": 16, "wrong": 4}}))
    assert value(found.false_correct) == pytest.approx(4 / 20)


def test_kappa_is_cohens_and_stands_beside_sensitivity_and_specificity() -> None:
    found = factuality({"correct": {"correct": 20, "wrong": 5}, "wrong": {"correct": 10, "wrong": 15}})
    assert found.kappa == pytest.approx(0.4) == cohens_kappa(np.array([[20, 5], [10, 15]])).kappa
    assert value(found.buckets["wrong"].sensitivity) == 15 / 20
    assert value(found.buckets["wrong"].specificity) == 20 / 30
    assert value(found.buckets["wrong"].rate) == 20 / 50, "every answer is labelled: it is counted"
    rare = factuality({"correct": {"correct": 118, "wrong": 5}, "wrong": {"correct": 2}})
    assert rare.kappa == pytest.approx(-0.023, abs=0.001) and value(rare.agreement) == pytest.approx(118 / 125)


def test_what_the_grader_decides_alone() -> None:
    """10 of 40 verdicts are unsure, and half of those are wrong; of the sure ones, 1 of 10 labelled is."""
    verdicts = [verdict(n, "correct", confidence=0.5 if n < 10 else 0.9, unsure=n < 10) for n in range(40)]
    labels = [label(n, "wrong" if n < 5 or n == 10 else "correct") for n in range(20)]
    found = calibrated(verdicts, labels)
    assert found.alone is not None and found.alone.share == 30 / 40
    assert value(found.alone.right) == pytest.approx(0.9)
    # Unsure answers are labelled three times as often, and are weighed back.
    assert value(found.false_correct) == pytest.approx((10 * 0.5 + 30 * 0.1) / 40)
    assert calibrated(*from_table({"correct": {"correct": 3}})).alone is None, "it never says how sure it is"


def a_run(name: str, told: Mapping[str, str], attempts: int = 1, graded: Mapping[str, str] | None = None) -> Run:
    """A run with the answers `told`, by question, each given at every attempt."""
    asked = {id: Question(id, f"What is {id}?", "answer") for id in told}
    cited = Retrieved([Passage("p", "The passage.", "doc")])
    traces = {(id, n): Trace(id, answer=f"{words} [p]", citations=("p",), retrieved=cited, attempt=n)
              for id, words in told.items() for n in range(1, attempts + 1)}  # fmt: skip
    verdicts = [
        Verdict(id, "factuality", (graded or {}).get(id, "correct"), GRADER, n, confidence=0.9) for id, n in traces
    ]
    versions = {(id, n): f"{id}/{told[id]}" for id, n in traces}
    return Run(name, verdicts, asked, traces, versions, graders=(GRADER,), attempts=attempts)


def test_answers_are_counted_and_one_label_covers_all_repetitions() -> None:
    """One answer was given in three runs, three others once: of six answers called correct, three are wrong."""
    runs = [a_run(name, {"a": "same", "b": name}) for name in ("one", "two", "three")]
    labels = [label("", "correct", question_id="b", version=f"b/{one.name}") for one in runs]
    for run in runs:
        apply_labels(run, [label("", "wrong", question_id="a", version="a/same"), *labels])
    found = calibrate(runs, RUBRIC, GRADER)
    assert value(found.false_correct) == 3 / 6 and found.labels == 4
    assert found.axes["factuality"].table["correct"] == {"correct": 3, "wrong": 3, "unsupported": 0, "refused": 0}
    assert len(found.differ) == 1, "shown once"


def test_ten_attempts_at_a_question_tell_no_more_than_one() -> None:
    told, labels = {f"q{n}": "x" for n in range(40)}, []
    for n in range(40):
        labels += [label(n, "wrong" if n < 4 else "correct", version=f"q{n}/x")] if n < 20 else []
    once, often = a_run("one", told), a_run("ten", told, 10)
    for run in (once, often):
        apply_labels(run, labels)
    first, second = (calibrate([run], RUBRIC, GRADER) for run in (once, often))
    assert first.false_correct == second.false_correct
    assert any("400 answers to 40 questions" in note for note in second.notes)


def test_differences_show_question_answer_and_what_it_cites() -> None:
    run = a_run("run", {"a": "Four weeks", "b": "Five"}, graded={"b": "wrong"})
    apply_labels(run, [label("", "unsupported", question_id="a", version="a/Four weeks", note="no such rule"),
                       label("", "wrong", question_id="b", version="b/Five")])  # fmt: skip
    [one] = calibrate([run], RUBRIC, GRADER).differ
    assert (one.question, one.answer) == ("What is a?", "Four weeks [p]")
    assert [passage.text for passage in one.cited] == ["The passage."]
    assert (one.graded, one.label, one.note, one.confidence) == ("correct", "unsupported", "no such rule", 0.9)


def test_labels_by_choice_settle_their_answer_and_teach_no_rate() -> None:
    verdicts, labels = from_table({"correct": {"correct": 30}, "wrong": {"wrong": 10}}, {"correct": 100, "wrong": 20})
    for drawn in ("chosen", "look", "again"):
        picked = [label(40 + i, "wrong", drawn=drawn) for i in range(10)]  # graded correct, picked because they are not
        found = calibrated(verdicts, [*labels, *picked])
        if drawn != "chosen":
            assert value(found.false_correct) == 0, "what one look calls bad does not count yet"
            continue
        assert value(found.false_correct) == pytest.approx(10 / 100)
        taught = calibrated(verdicts, [*labels, *(msgspec.structs.replace(one, drawn="sample") for one in picked)])
        assert value(taught.false_correct) == pytest.approx(10 / 40)


def test_where_nothing_can_be_said_the_reason_is() -> None:
    verdicts, labels = from_table({"correct": {"correct": 5}}, {"correct": 50})
    picked = calibrated(verdicts, [msgspec.structs.replace(one, drawn="chosen") for one in labels])
    assert picked.axes["factuality"].reason == PICKED and picked.false_correct is None
    assert picked.exit_code == 4 and PICKED in picked.headline
    none = calibrated([verdict(n, None) for n in range(9)], [label(n, "wrong") for n in range(9)])
    assert none.axes["factuality"].reason == NO_VERDICT
    torn = [label(i, value, who) for i in range(4) for who, value in (("a", "wrong"), ("b", "correct"))]
    divided = calibrated([verdict(i, "correct") for i in range(4)], torn)
    assert divided.axes["factuality"].reason == UNSETTLED and divided.disputed == 4
    whole = [msgspec.structs.replace(one, drawn="chosen") for one in from_table({"correct": {"correct": 5}})[1]]
    assert value(calibrated([verdict(i, "correct") for i in range(5)], whole).false_correct) == 0


def test_ungraded_answers_agree_with_nobody_and_those_without_a_text_have_no_bucket() -> None:
    found = factuality({"correct": {"correct": 10}, "wrong": {"wrong": 10}, "ungraded": {"wrong": 10}})
    assert found.table["ungraded"]["wrong"] == 10 and value(found.buckets["wrong"].sensitivity) == 0.5
    silent = calibrated([verdict(1, None, reason="error"), verdict(2, "correct")], [label(2, "correct")])
    assert silent.axes["factuality"].answers == {"correct": 1}
    assert "missing, empty or errors (1) are in no bucket" in str(silent.problems[0])


def test_other_axes_have_agreement_table_and_kappa_weighed_by_how_flagged_answers_were_drawn() -> None:
    """20 flagged answers, all labelled, and 20 of 80 others; all 100 citations are graded yes."""
    verdicts, labels = [], []
    for number in range(100):
        flagged = number < 20
        verdicts += [verdict(number, "wrong" if flagged else "correct"), verdict(number, "yes", "citation_supports")]
        if number < 40:
            labels.append(label(number, "no" if flagged else "yes", axis="citation_supports"))
    axis = calibrated(verdicts, labels).axes["citation_supports"]
    assert value(axis.agreement) == pytest.approx(0.8), "where the labels as they are say a half"
    assert axis.table["yes"]["no"] == 20 and axis.kappa == 0 and not axis.buckets


def test_numbers_have_the_mean_of_labels_and_of_verdicts() -> None:
    verdicts = [verdict(n, 2, "extra_claim_count") for n in range(30)]
    labels = [label(n, n % 2, axis="extra_claim_count") for n in range(10)]
    axis = calibrated(verdicts, labels).axes["extra_claim_count"]
    assert (axis.mean_label, axis.mean_verdict, axis.kappa, axis.table) == (0.5, 2.0, None, {})
    quality = [verdict(n, n % 4, "refusal_quality") for n in range(20)]
    told = [label(n, n % 4, axis="refusal_quality") for n in range(20)]
    axis = calibrated(quality, told).axes["refusal_quality"]
    assert axis.kappa == 1 and axis.mean_label == axis.mean_verdict == 1.5
    scores = [verdict(n, 5.0 + n % 4, "accuracy") for n in range(40)]
    council = calibrated(scores, [label(n, 6.5, axis="accuracy") for n in range(20)], rubric.load("council"))
    assert council.axes["accuracy"].mean_label == 6.5


def test_few_labels_and_verdicts_without_any_are_pointed_out() -> None:
    one = calibrated([verdict(i, "correct") for i in range(9)], [label(0, "correct")])
    assert "1 label on 1 question: at least 50 are needed" in one.notes[0]
    assert one.axes["factuality"].kappa is None and one.axes["factuality"].buckets["wrong"].rate.high > 0.5  # type: ignore[union-attr]
    easy = calibrated(*from_table({"correct": {"correct": 55}, "wrong": {}}, {"correct": 73, "wrong": 8}))
    assert any("8 of 81 answers are graded wrong and have no label" in note for note in easy.notes)
    assert "0 labels on bad answers: too few to say how many it finds" in easy.headline
    assert "of the answers it calls correct, 0.0% (" in easy.headline.lower() and "1 label on" in one.headline


def test_skipped_and_cannot_tell_are_counted() -> None:
    labels = [label(n, "correct") for n in range(5)]
    labels += [label(5, None, note="skipped"), label(6, None, note="cannot tell: cut off")]
    found = calibrated([verdict(n, "correct") for n in range(9)], labels)
    assert (found.labels, found.skipped, found.cannot_tell) == (5, 1, 1)
    assert any("not labelled: 1 skipped, 1 nobody could tell" in note for note in found.notes)


COUNTS = st.fixed_dictionaries({v: st.fixed_dictionaries({b: st.integers(0, 6) for b in BUCKETS}) for v in BUCKETS})


@settings(max_examples=8)
@given(COUNTS, st.integers(0, 30), st.randoms(use_true_random=False))
def test_whatever_is_labelled_the_numbers_are_numbers_and_order_does_not_matter(
    table: dict[str, dict[str, int]], more: int, order: random.Random
) -> None:
    verdicts, labels = from_table(table, {graded: sum(row.values()) + more for graded, row in table.items()})
    if not labels:
        return
    found = calibrated(verdicts, labels)
    mixed, others = list(verdicts), list(labels)
    order.shuffle(mixed)
    order.shuffle(others)
    assert calibrated(mixed, others).axes == found.axes
    msgspec.json.encode(found)
    for bucket in found.axes["factuality"].buckets.values():
        for share in (bucket.rate, bucket.sensitivity, bucket.specificity):
            assert share is None or value(share) <= 1


def test_a_report_of_a_run_says_the_same_two_numbers() -> None:
    run = a_run("run", {f"q{n}": "x" for n in range(50)}, graded={f"q{n}": "wrong" for n in range(10)})
    apply_labels(run, [label(n, "wrong" if n < 8 or n == 20 else "correct", version=f"q{n}/x") for n in range(30)])
    asked = asked_of([run], [run])[0]
    side = side_of([run], asked)
    trust, known = trust_in(side), calibrate([run], RUBRIC, GRADER)
    assert (trust.false_correct, trust.bad_found) == (known.false_correct, known.bad_found)
    words = in_words(trust)
    assert "30 answers were labelled by people (anna); of the answers it calls correct, 5.0% (" in words
    assert "; 9 labels on bad answers: too few to say how many it finds" in words
    assert words.partition("; ")[2] in known.headline.replace("Of the", "of the")


def test_without_drawn_labels_nothing_is_known_and_people_need_no_proof() -> None:
    def told(run: Run) -> str:
        asked = asked_of([run], [run])[0]
        side = side_of([run], asked)
        return in_words(trust_in(side))

    run = a_run("run", {"a": "x", "b": "x"})
    assert "nobody has labelled a random sample of its answers" in told(run)
    apply_labels(run, [label("", "correct", question_id="a", version="a/x", drawn="chosen")])
    assert "1 answer labelled by choice" in told(run)
    assert "people gave the verdicts (ann)" in told(Run("a", [Verdict("q", "factuality", "correct", "human/ann")]))


def test_intervals_of_four_buckets_cover_the_truth() -> None:
    """Labels drawn as the queue draws them; a smaller sibling of benchmarks/calibration.py, with all four verdicts."""
    generator = np.random.default_rng(7)
    shares = np.array([0.75, 0.04, 0.06, 0.15])
    errs = np.array([[0.94, 0.02, 0.03, 0.01], [0.2, 0.7, 0.1, 0], [0.15, 0.1, 0.72, 0.03], [0.01, 0.01, 0.01, 0.97]])
    joint, runs, hits = shares[:, None] * errs, 40, [0, 0, 0]
    true = (0.04, 1 - joint[0, 0] / joint[:, 0].sum(), joint[1:3, 1:3].sum() / joint[1:3].sum())
    for _ in range(runs):
        truth = generator.choice(4, 200, p=shares)
        graded = np.array([generator.choice(4, p=errs[one]) for one in truth])
        order = generator.permutation(200)
        flagged = [i for i in order if graded[i] in (1, 2)][:30]
        drawn = {*flagged, *[i for i in order if graded[i] in (0, 3)][: 60 - len(flagged)]}
        run = Run("v", [verdict(i, BUCKETS[graded[i]]) for i in range(200)])
        apply_labels(run, [label(i, BUCKETS[truth[i]]) for i in drawn])
        sample = sample_of(answers_of([one for some in said_in(run, "").values() for one in some.values()]))
        found = calibrate([run], RUBRIC, GRADER)
        wrong = sample.share(lambda _, label: label == "wrong", mean=True)
        for at, one in enumerate((wrong, found.false_correct, found.bad_found)):
            hits[at] += one is not None and one.low <= true[at] <= one.high
    assert min(hits) >= 0.875 * runs, hits  # 35 of 40: what 95 % gives all but a few times in a hundred
