from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.calibration.answers import Joined
from surefoot.calibration.calibrate import by_other_runs, sealed
from surefoot.calibration.calibrate import calibrate as calibrate_joined
from surefoot.calibration.results import PICKED
from surefoot.core.records import AxisRecord, Certificate, Interval

from .helpers import GRADER, RUBRIC, calibrate, from_table, join, label, unlabelled, verdict


def made(at: str = "2026-01-01T00:00:00+00:00") -> Certificate:
    rows = from_table({"correct": {"correct": 5}, "wrong": {"wrong": 3, "correct": 1}})
    found = calibrate(*rows, RUBRIC, corpus="c" * 64, at=at).certificate
    assert found is not None
    return found


def test_a_certificate_is_what_was_found_under_a_hash_of_it() -> None:
    certificate = made()
    assert (certificate.grader, certificate.rubric_sha256, certificate.corpus) == (GRADER, RUBRIC.sha256, "c" * 64)
    assert certificate.labels == 9
    assert certificate.annotators == ("anna",)
    assert certificate.axes["factuality"].table["wrong"]["correct"] == 1
    assert certificate.axes["factuality"].answers == {"correct": 5, "wrong": 4}
    assert sealed(certificate) == certificate
    assert sealed(replace(certificate, labels=900)).id != certificate.id
    assert made("2026-02-01").id != certificate.id


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
    assert read == certificate == sealed(read)


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


def test_what_labels_are_worth_is_left_out_where_it_is_what_they_count() -> None:
    before = AxisRecord(n=3, kappa=None, table={"wrong": {"wrong": 3}}, answers={"wrong": 4})
    assert set(msgspec.to_builtins(before)) == {"n", "kappa", "table", "answers"}, "the ids of certificates stay"
    less = replace(before, worth={"wrong": {"wrong": 1.5}}, answers_worth=2.0)
    again = msgspec.json.decode(msgspec.json.encode(less), type=AxisRecord)
    assert again == less


def test_a_run_read_by_the_labels_on_others_shows_their_certificate() -> None:
    known = join(*from_table({"correct": {"correct": 5}, "wrong": {"wrong": 3}}))
    found = by_other_runs(Joined(GRADER, unlabelled(["wrong", "correct"])), known, RUBRIC, ["runs/a"])
    assert found.certificate == calibrate_joined(known, RUBRIC).certificate
    assert "labels on other runs" in found.certificate_reason


values = st.sampled_from(["correct", "wrong", "unsupported", "refused", None])


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(values, values, st.sampled_from(["sample", "flagged", "chosen"])), min_size=1, max_size=25))
def test_whatever_calibrate_certifies_is_sound(answers: list[tuple[str | None, str | None, str]]) -> None:
    verdicts = [verdict(i, said) for i, (said, _, _) in enumerate(answers)]
    labels = [replace(label(i, said), drawn=drawn) for i, (_, said, drawn) in enumerate(answers) if said]
    found = calibrate(verdicts, labels, RUBRIC)
    if found.certificate is None:
        assert found.certificate_reason
        return
    assert sealed(found.certificate) == found.certificate
    for record in found.certificate.axes.values():
        assert all(sum(row.values()) <= record.answers[said] for said, row in record.table.items())
        assert all(count >= 0 for row in record.worth.values() for count in row.values())
