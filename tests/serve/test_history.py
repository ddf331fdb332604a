from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of, run_id

import surefoot
from surefoot.errors import UsageError
from surefoot.records import Label
from surefoot.report import markdown
from surefoot.report.history import calibrations
from surefoot.services.council_runs import council_runs
from surefoot.services.gate import gate
from surefoot.services.history import Archive
from surefoot.types import Verdict
from tests.conftest import append_verdicts
from tests.ledger.rows import CERTIFICATE
from tests.reviewers.runs import Reviewer, question
from tests.reviewers.runs import make_run as reviewed_run
from tests.serve.conftest import COUNT, GRADER, make_run


def test_every_run_is_there_newest_first_and_says_what_became_of_it(project: Path) -> None:
    found = surefoot.history(project).found
    assert [one.name for one in found.runs[1:]] == [
        "fourth",
        "gone",
        "third",
        "second-again",
        "second",
        "first",
        "broken",
    ]
    runs = {one.name: one for one in found.runs}
    assert "no longer at" in runs["gone"].problem and runs["gone"].measured is None
    assert "manifest.json" in runs["broken"].problem
    third = runs["third"]
    assert third.decision is not None and third.decision.against == "first" and third.labelled == 12
    assert third.measured is not None and third.measured.buckets["wrong"] == 14
    assert runs["fourth"].decision is None


def test_labels_are_counted_alike_everywhere(tmp_path: Path) -> None:
    """Also those that were given on the same answers in another run."""
    first, again = make_run(tmp_path / "a", "v1", 3, 1), make_run(tmp_path / "b", "v1", 3, 2)
    versions = first.versions()
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        for store in (first, again):
            ledger.add_run(entry_of(store))
        ledger.add([
            Label(id=f"l{n}", at="2026-03-05", annotator="ann", question_id=f"q{n}", axis="factuality",
                  value="correct", version=versions[f"q{n}", 1], run=run_id(first.manifest))
            for n in range(COUNT - 4)
        ])  # fmt: skip
    place = tmp_path / "surefoot.db"
    assert {one.labelled for one in surefoot.history(place).found.runs} == {COUNT - 4}
    assert surefoot.label_queue(again.path)["labelled"] == COUNT - 4
    assert surefoot.calibrate(again.path)["labels"] == COUNT - 4


def test_runs_of_a_version_make_one_point_of_the_trend(project: Path) -> None:
    (trend,) = surefoot.history(project).found.trends
    assert [one.version[:2] for one in trend.versions] == ["v1", "v2", "v3", "v4", "v5"]
    second = trend.versions[1]
    assert second.runs == ("second", "second-again")
    share = second.measured.shares["wrong"]
    assert (share.numerator, share.denominator) == (14, 2 * COUNT)
    assert share.low is not None and share.high is not None and share.low < 14 / 48 < share.high


def test_other_questions_have_a_trend_of_their_own(tmp_path: Path) -> None:
    make_run(tmp_path / "a", "v1", 3, 1)
    other = make_run(tmp_path / "b", "v2", 4, 2)
    with other:
        other.amend(questions_sha256="1" * 64)
    found = surefoot.history(tmp_path / "surefoot.db")
    assert [[one.version for one in trend.versions] for trend in found.found.trends] == [["v2"], ["v1"]]
    lines = "\n".join(markdown.lines(found.report()))
    assert "| v2 | b | 83.3% (" in lines and "Trend over other questions" in lines
    assert not (tmp_path / "surefoot.db").exists(), "it only reads"


def test_the_first_page_says_by_which_rules_it_was_decided_and_what_to_do(tmp_path: Path) -> None:
    first, second = (
        make_run(tmp_path / name, name, wrong, n) for n, (name, wrong) in enumerate((("a", 2), ("b", 20)), 1)
    )
    gate(first.path, second.path, rules=["wrong <= baseline"], uncalibrated=True)
    lines = "\n".join(markdown.lines(surefoot.history(tmp_path / "surefoot.db").report()))
    assert "**BLOCK** - **b against a: 18 more wrong**" in lines
    assert "Not as the gate file has it: other rules (wrong &lt;= baseline)." in lines
    assert "**next:** look into the " in lines
    gate(first.path, second.path)
    lines = "\n".join(markdown.lines(surefoot.history(tmp_path / "surefoot.db").report()))
    assert "**next:** label the 48 answers that the gate waits for" in lines
    assert "Not as the gate file has it" not in lines


def test_what_only_a_council_has_scored_is_not_graded(tmp_path: Path) -> None:
    run = reviewed_run(tmp_path / "a", [question(1), question(2)], {"q1": "Six months.", "q2": "Nine weeks."})
    council_runs(run, reviewers=[Reviewer("mild")])
    found = surefoot.history(tmp_path / "surefoot.db")
    assert found.found.trends == () and "a** scored by a council, not graded" in "\n".join(
        markdown.lines(found.report())
    )
    lines = "\n".join(markdown.lines(surefoot.overview(run).report()))
    assert "None of 2 answers is graded." in lines and f"**next:** grade it: surefoot grade {run}" in lines
    assert f"run: {run}, not graded" in lines and "trust:" not in lines
    compared = surefoot.gate(run, run, rules=["council.overall >= 1"])
    assert f"baseline: {run}, not graded" in "\n".join(markdown.lines(compared.report()))


def test_a_council_is_no_grader_and_a_certificate_shows_the_buckets(project: Path) -> None:
    compared = surefoot.gate(project.parent / "first", project.parent / "third", ledger=project, keep=False)
    assert compared["graders"] == {"base": [GRADER], "cand": [GRADER]}
    of_buckets = CERTIFICATE.axes["factuality"]
    axes = {"citation_supports": replace(of_buckets, kappa=None), "factuality": of_buckets}
    found = replace(surefoot.history(project).found, certificates=(replace(CERTIFICATE, axes=axes),))
    assert "| factuality | 0.60 (0.45 to 0.75) |" in "\n".join(markdown.lines(calibrations(found)))


def test_runs_of_one_name_have_addresses_of_their_own(tmp_path: Path) -> None:
    make_run(tmp_path / "a", "v1", 3, 1, "same")
    make_run(tmp_path / "runs" / "b", "v2", 4, 2, "same")
    make_run(tmp_path / "c", "v3", 4, 3, "..")
    found = surefoot.history(tmp_path / "surefoot.db").found
    keys = [one.key for one in found.runs]
    assert len(set(keys)) == 3 and all(key.startswith("~") for key in keys)
    newest = found.run("same")
    assert newest is not None and newest.version == "v2"


def test_a_run_that_was_moved_is_found_under_its_new_name(tmp_path: Path) -> None:
    stores = [make_run(tmp_path / name, name, wrong, day) for name, wrong, day in (("v1", 3, 1), ("v2", 9, 2))]
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        for store in stores:
            ledger.add_run(entry_of(store))
    gate(tmp_path / "v1", tmp_path / "v2", uncalibrated=True)
    shutil.move(tmp_path / "v1", tmp_path / "v1-typo")
    make_run(tmp_path / "v1", "v1", 5, 3)
    found = surefoot.history(tmp_path / "surefoot.db").found
    assert [(one.name, one.problem) for one in found.runs] == [("v1", ""), ("v2", ""), ("v1-typo", "")]
    assert found.last_change is not None and [one.name for one in found.last_change[1:]] == ["v1-typo", "v2"]
    lines = "\n".join(markdown.lines(surefoot.history(tmp_path / "surefoot.db").report()))
    assert " - **v2 against v1-typo: 6 more wrong**" in lines


def test_a_run_is_measured_again_when_it_changes(tmp_path: Path) -> None:
    store = make_run(tmp_path / "a", "v1", 3, 1)
    archive = Archive(tmp_path / "surefoot.db")
    before = archive.stamp()
    assert archive.read().table()[0]["wrong"] == 3 and archive.stamp() == before
    append_verdicts(store, [Verdict("q20", "factuality", "wrong", GRADER)])
    assert archive.stamp() != before
    assert archive.read().table()[0]["wrong"] == 4
    shutil.rmtree(tmp_path / "a")
    with Ledger.open(tmp_path / "surefoot.db"):
        assert archive.read().table() == []


def test_where_there_is_nothing_it_says_where_to_go(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no ledger .* and no run beside it") as said:
        surefoot.history(tmp_path / "surefoot.db")
    assert "--ledger" in said.value.hint
