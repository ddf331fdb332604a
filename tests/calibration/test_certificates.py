from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.calibration.certificates import fault_in, says_the_same, sealed, standing
from surefoot.calibration.results import PICKED
from surefoot.records import AxisRecord, Certificate, Interval

from .helpers import GRADER, RUBRIC, calibrate, from_table, label, verdict

FITS = (GRADER, "r" * 64, "c" * 64)


def made(at: str = "2026-01-01T00:00:00+00:00", **bound_to: str) -> Certificate:
    rows = from_table({"correct": {"correct": 5}, "wrong": {"wrong": 3, "correct": 1}})
    found = calibrate(*rows, RUBRIC, corpus="c" * 64, at=at).certificate
    assert found is not None
    return sealed(replace(found, **{"rubric_sha256": "r" * 64, **bound_to}))


def test_a_certificate_is_what_was_found_under_a_hash_of_it() -> None:
    certificate = made()
    assert certificate.labels == 9
    assert certificate.annotators == ("anna",)
    assert certificate.axes["factuality"].table["wrong"]["correct"] == 1
    assert certificate.axes["factuality"].answers == {"correct": 5, "wrong": 4}
    assert sealed(certificate) == certificate
    assert sealed(replace(certificate, labels=900)).id != certificate.id


def test_divided_people_are_counted_and_without_them_the_id_is_that_of_before() -> None:
    record = AxisRecord(n=3, kappa=Interval(0.5, 0.25, 0.75), table={"wrong": {"wrong": 3}}, answers={"wrong": 4})
    fields = {"grader": "g/1", "rubric_sha256": "r", "corpus": "c", "at": "2026-01-01"}
    before = sealed(Certificate(id="", labels=3, annotators=("anna",), axes={"factuality": record}, **fields))
    assert before.id == "9ad263ffc27ac83047b99641475b264ed380b34c17dddc218929aafd23bd5916"
    torn = [
        *(label(i, "correct", who) for i in range(3) for who in "ab"),
        label(0, "wrong", "c"),
        label(0, "wrong", "d"),
    ]
    found = calibrate([verdict(i, "correct") for i in range(3)], torn, RUBRIC)
    certificate = found.certificate
    assert certificate is not None
    assert (certificate.labels, certificate.axes["factuality"].divided) == (2, 1)
    read = msgspec.json.decode(msgspec.json.encode(certificate), type=Certificate)
    assert read == certificate and fault_in(read) == ""


def test_the_newest_that_fits_stands() -> None:
    older, newer = made(), made("2026-02-01T00:00:00+00:00")
    found, why = standing([older, newer], FITS)
    assert found == newer
    assert why == ""
    assert says_the_same(older, newer)


def test_why_none_stands() -> None:
    assert standing([], FITS) == (None, "there is no certificate for the grader g/1")
    for change, said in (
        ({"rubric_sha256": "s" * 64}, "the rubric has changed"),
        ({"corpus": "d" * 64}, "is for another corpus (dddd"),
        ({"corpus": ""}, "one that is not named"),
    ):
        found, why = standing([made(**change)], FITS)
        assert found is None
        assert why.startswith("expired: ")
        assert said in why
    assert standing([made(grader="g/2")], FITS) == (None, "there is no certificate for the grader g/1")
    assert "a grader without a name" in standing([made()], ("", "r", "c"))[1]


def test_nothing_is_certified_without_a_name_or_without_buckets() -> None:
    nameless = calibrate([verdict(0, "correct", grader="")], [label(0, "correct")], RUBRIC)
    assert "do not name their grader" in nameless.certificate_reason
    empty_name = calibrate([verdict(0, "correct", grader="human/")], [label(0, "correct")], RUBRIC)
    assert "do not name their grader" in empty_name.certificate_reason
    rows = [verdict(0, 1, "extra_claim_count")], [label(0, 1, axis="extra_claim_count")]
    assert "nobody put an answer into a bucket" in calibrate(*rows, RUBRIC).certificate_reason


def test_nothing_is_certified_where_no_label_was_drawn_by_chance() -> None:
    verdicts, labels = from_table({"correct": {"correct": 5}, "wrong": {"wrong": 5}}, {"correct": 70, "wrong": 11})
    picked = [replace(one, drawn="gate") for one in labels]
    found = calibrate(verdicts, picked, RUBRIC)
    assert found.labels == 10 and (found.certificate, found.certificate_reason) == (None, PICKED)
    beside = [verdict(i, "yes", "citation_supports") for i in range(20)]
    one = label(0, "no", axis="citation_supports", drawn="chosen")
    found = calibrate([*verdicts, *beside], [*labels, one], RUBRIC)
    assert found.certificate is not None and found.axes["citation_supports"].n == 1
    assert found.certificate.axes.keys() == {"factuality"}, "an axis with a picked label alone is not certified"


def test_one_that_was_edited_does_not_stand_and_is_named() -> None:
    sound = made()
    edited = replace(made("2026-02-01T00:00:00+00:00"), labels=900)
    found, why = standing([edited], FITS)
    assert found is None
    assert why.startswith("a certificate in the ledger was edited: that of 2026-02-01")
    assert edited.id[:16] in why
    found, why = standing([edited, sound], FITS)
    assert found == sound, "an older one that is sound stands"
    assert "was edited" in why
    assert standing([replace(edited, grader="g/2")], FITS) == (None, "there is no certificate for the grader g/1")


def with_record(**changes: object) -> Certificate:
    certificate = made()
    record = replace(certificate.axes["factuality"], **changes)
    return sealed(replace(certificate, axes={"factuality": record}))


@pytest.mark.parametrize(
    "certificate",
    [
        with_record(n=-1),
        with_record(table={"wrong": {"wrong": -50}}),
        with_record(answers={"correct": 5, "wrong": -4}),
        with_record(table={"wrong": {"wrong": 10**18}}),
        with_record(answers={"correct": 5, "wrong": 3}),
        with_record(divided=-1),
        with_record(worth={"wrong": {"wrong": -0.5}}),
        with_record(worth={"wrong": {"wrong": float("nan")}}),
        with_record(worth={"wrong": {"wrong": float("inf")}}),
        with_record(answers_worth=-1.0),
        with_record(answers_worth=float("nan")),
    ],
)
def test_what_cannot_be_is_no_certificate_even_under_its_hash(certificate: Certificate) -> None:
    assert "its counts on factuality cannot be" in fault_in(certificate)
    assert standing([certificate], FITS)[0] is None


def test_what_labels_are_worth_is_left_out_where_it_is_what_they_count() -> None:
    before = AxisRecord(n=3, kappa=None, table={"wrong": {"wrong": 3}}, answers={"wrong": 4})
    assert set(msgspec.to_builtins(before)) == {"n", "kappa", "table", "answers"}, "the ids of certificates stay"
    assert before.weighed == before.table
    less = replace(before, worth={"wrong": {"wrong": 1.5}}, answers_worth=2.0)
    again = msgspec.json.decode(msgspec.json.encode(less), type=AxisRecord)
    assert again == less and again.weighed == {"wrong": {"wrong": 1.5}} and again.table == before.table


def test_a_certificate_whose_labels_are_worth_less_is_sound() -> None:
    less = with_record(worth={"wrong": {"wrong": 1.5, "correct": 0.5}}, answers_worth=4.5)
    assert fault_in(less) == ""


def test_one_whose_table_is_empty_shows_no_fault() -> None:
    assert fault_in(with_record(table={}, answers={})) == ""


values = st.sampled_from(["correct", "wrong", "unsupported", "refused", None])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(values, values, st.sampled_from(["sample", "flagged", "chosen"])), min_size=1, max_size=25))
def test_whatever_calibrate_certifies_is_sound(answers: list[tuple[str | None, str | None, str]]) -> None:
    verdicts = [verdict(i, said) for i, (said, _, _) in enumerate(answers)]
    labels = [replace(label(i, said), drawn=drawn) for i, (_, said, drawn) in enumerate(answers) if said]
    found = calibrate(verdicts, labels, RUBRIC)
    assert found.certificate_reason or (found.certificate and fault_in(found.certificate) == "")
