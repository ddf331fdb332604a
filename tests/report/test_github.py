"""A decision for build servers: annotations, the step summary and JUnit."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot import gate
from surefoot.gate.decide import RuleResult
from surefoot.jobs.gate import GateResult
from surefoot.report import comparison as github
from surefoot.report import markdown
from tests.gate.helpers import changed, kept_run
from tests.in_process import surefoot

GOOD = "c" * 38 + "r" * 2
TRUTH = "--uncalibrated"


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.chdir(tmp_path)
    cand = kept_run("cand", changed(GOOD, range(6)), version="v2", deterministic=True)
    return kept_run("base", GOOD, version="v1", deterministic=True), cand


def test_annotations_and_summary(runs: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    (tmp_path / "summary").write_text("said before\n")
    done = surefoot("gate", *runs, TRUTH, "--format", "github")
    assert done.code == 1
    first, *rest = done.out.splitlines()
    assert first.startswith("::error title=surefoot%3A BLOCK::") and "6 questions newly wrong for good (q000, " in first
    assert rest[0].startswith(
        "::error title=surefoot%3A wrong::wrong 0 \u2192 6 of 40, +6, you allow +1.2; by the grader"
    )
    assert [line.partition("%3A ")[2].partition("::")[0] for line in rest] == ["wrong", "acceptable", "lasting_wrong"]
    said = (tmp_path / "summary").read_text().splitlines()
    assert said[0] == "said before" and any(line.startswith("**BLOCK**") for line in said)
    assert any("6 newly, 0 mended" in line for line in said) and sum(bool(line) for line in said[1:]) <= 12
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert surefoot("gate", *runs, TRUTH, "--format", "github", "--report", "page.html").out == done.out
    assert "BLOCK" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(("buckets", "outcome", "level"), [(GOOD, "SHIP", "notice"), (GOOD[:-1] + "-", "", "warning")])
def test_what_does_not_fail_is_no_error(buckets: str, outcome: str, level: str, runs: tuple[str, str]) -> None:
    cand = kept_run("v3", buckets, version="v3", deterministic=True)
    lines = surefoot("gate", runs[0], cand, TRUTH, "--format", "github").out.splitlines()
    assert outcome in lines[0] and {line.split()[0] for line in lines} == {f"::{level}"}


@given(st.text(), st.text())
def test_nothing_in_a_name_ends_an_annotation(runs: tuple[str, str], name: str, reason: str) -> None:
    failed = RuleResult(name=name, rule="wrong <= 3", metric="wrong", status="fail", reason=reason)
    found = replace(_decided(*runs), rules=(failed,), headline=reason, next=(reason,))
    lines = list(github.commands(found))
    assert len(lines) == 2 and all(line.startswith("::") and len(line.splitlines()) == 1 for line in lines)
    assert all(line.split("::")[1].count(",") == line.split("::")[1].count(":") == 0 for line in lines)
    assert sum(bool(line) for line in markdown.lines(github.summary(found))) <= 12


@cache
def _decided(base: str, cand: str) -> GateResult:
    return gate(base, cand, uncalibrated=True, keep=False)


def test_junit_is_red_when_the_gate_is(runs: tuple[str, str], tmp_path: Path) -> None:
    assert surefoot("gate", *runs, TRUTH, "--report", "gate.xml").code == 1
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    failed = {str(case.get("name")).partition(":")[0]: case[0].get("message", "") for case in suite
              if case.find("failure") is not None}  # fmt: skip
    assert list(failed) == ["wrong", "acceptable", "lasting_wrong"]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("11", "3", "0")
    assert "6 questions behind it: q000, q001" in failed["lasting_wrong"]
    waived = [word for name in failed for word in ("--waive", name)] + ["--reason", "known"] * 3
    assert surefoot("gate", *runs, TRUTH, "--report", "gate.xml", *waived).code == 0
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    skipped = [case[0].get("message", "") for case in suite if case.find("skipped") is not None]
    assert suite.get("failures") == "0" and sum("waived (known)" in words for words in skipped) == 3


def test_junit_of_a_run_that_is_unfinished_has_an_error(runs: tuple[str, str], tmp_path: Path) -> None:
    kept_run("v3", GOOD[:-1] + "-", deterministic=True)
    assert surefoot("gate", runs[0], "v3", TRUTH, "--report", "gate.xml").code == 4
    cases = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    assert {str(case.get("name")).partition(":")[0] for case in cases if case.find("error") is not None} >= {
        "complete", "coverage"}  # fmt: skip


@pytest.mark.parametrize(
    "options", [("--json",), ("--report", "-")], ids=["json", "report"]
)  # fmt: skip
def test_only_one_thing_goes_to_stdout(options: tuple[str, ...], runs: tuple[str, str]) -> None:
    done = surefoot("gate", *runs, "--format", "github", *options)
    assert done.code == 2 and "cannot both go to stdout" in done.err and not done.out


def test_a_file_is_not_written_over_another(runs: tuple[str, str]) -> None:
    for name in ("surefoot.db", "x.html"):
        done = surefoot("gate", *runs, "--report", name, "--report", "x.html")
        assert done.code == 2 and "hint: " in done.err and not Path("x.html").exists()
