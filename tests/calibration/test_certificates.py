from __future__ import annotations

from msgspec.structs import replace

from surefoot.calibration.axes import calibrate
from surefoot.calibration.certificates import certificate_of, says_the_same, sealed, standing, why_none
from surefoot.records import Certificate

from .helpers import GRADER, RUBRIC, from_table, label, verdict


def made(at: str = "2026-01-01T00:00:00+00:00", **bound_to: str) -> Certificate:
    found = calibrate(*from_table({"correct": {"correct": 5}, "wrong": {"wrong": 3, "correct": 1}}), RUBRIC)
    fields = {"grader": GRADER, "rubric_sha256": "r" * 64, "corpus": "c" * 64, **bound_to}
    return certificate_of(found, **fields, at=at)


def test_a_certificate_is_what_was_found_under_a_hash_of_it() -> None:
    certificate = made()
    assert certificate.labels == 9
    assert certificate.annotators == ("anna",)
    assert certificate.axes["factuality"].table["wrong"]["correct"] == 1
    assert certificate.axes["factuality"].answers == {"correct": 5, "wrong": 4}
    assert sealed(certificate) == certificate
    assert sealed(replace(certificate, labels=900)).id != certificate.id


def test_the_newest_that_fits_stands() -> None:
    older, newer = made(), made("2026-02-01T00:00:00+00:00")
    found, why = standing([older, newer], GRADER, "r" * 64, "c" * 64)
    assert found == newer
    assert why == ""
    assert says_the_same(older, newer)


def test_why_none_stands() -> None:
    assert standing([], GRADER, "r", "c") == (None, "there is no certificate for the grader g/1")
    for change, said in (
        ({"grader": "g/2"}, "is for the grader g/2, and this is g/1"),
        ({"rubric_sha256": "s" * 64}, "the rubric has changed"),
        ({"corpus": "d" * 64}, "is for another corpus (dddd"),
        ({"corpus": ""}, "one that is not named"),
    ):
        found, why = standing([made(**change)], GRADER, "r" * 64, "c" * 64)
        assert found is None
        assert why.startswith("expired: ")
        assert said in why
    assert "do not name their grader" in standing([made()], "", "r", "c")[1]


def test_nothing_is_certified_without_a_name_or_without_buckets() -> None:
    nameless = calibrate([verdict(0, "correct", grader="")], [label(0, "correct")], RUBRIC)
    assert "do not name their grader" in why_none(nameless)
    rows = [verdict(0, 1, "extra_claim_count")], [label(0, 1, axis="extra_claim_count")]
    assert "no answer into a bucket" in why_none(calibrate(*rows, RUBRIC))
