"""A decision for build servers: annotations, the step summary and JUnit."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.gate.rules import Check, Decision, Rule
from surefoot.report import github, junit, markdown
from tests.gate.helpers import SHIP, changed, decide, kept_run, run_of
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
    assert first.startswith("::error title=surefoot%3A BLOCK::") and "15 points" in first
    assert rest[0].startswith("::error title=surefoot%3A wrong::wrong <= baseline: FAIL: q000, q001") and len(rest) == 2
    said = (tmp_path / "summary").read_text().splitlines()
    assert said[0] == "said before" and any(line.startswith("**BLOCK**") for line in said)
    assert "| baseline | 38 | 0 | 0 | 2 | 0 |" in said and "| candidate | 32 | 6 | 0 | 2 | 0 |" in said
    assert sum(bool(line) for line in said[1:]) <= 10
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert surefoot("gate", *runs, TRUTH, "--format", "github", "--report", "page.html").out == done.out
    assert "BLOCK" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(("buckets", "outcome", "level"), [(GOOD, "SHIP", "notice"), (GOOD[:-1] + "-", "", "warning")])
def test_what_does_not_fail_is_no_error(
    buckets: str, outcome: str, level: str, runs: tuple[str, str], tmp_path: Path
) -> None:
    cand = kept_run("v3", buckets, version="v3", deterministic=True)
    lines = surefoot("gate", runs[0], cand, TRUTH, "--format", "github").out.splitlines()
    assert outcome in lines[0] and {line.split()[0] for line in lines} == {f"::{level}"}


@given(st.text(), st.text())
def test_nothing_in_a_name_ends_an_annotation(name: str, reason: str) -> None:
    comparison = decide(run_of("a", GOOD), run_of("b", GOOD), rules=SHIP)
    check = Check(replace(Rule.parse("wrong <= 3"), name=name), "fail", reason=reason)
    comparison = replace(comparison, decision=replace(comparison.decision, outcome="BLOCK", checks=(check,)))
    lines = list(github.commands(comparison, [reason]))
    assert len(lines) == 2 and all(line.startswith("::") and len(line.splitlines()) == 1 for line in lines)
    assert all(line.split("::")[1].count(",") == line.split("::")[1].count(":") == 0 for line in lines)
    assert sum(bool(line) for line in markdown.lines(github.summary(comparison, [reason]))) <= 10


def test_junit_is_red_when_the_gate_is(runs: tuple[str, str], tmp_path: Path) -> None:
    assert surefoot("gate", *runs, TRUTH, "--junit", "gate.xml").code == 1
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["wrong: wrong <= baseline", "acceptable: acceptable >= baseline"]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("8", "2", "0")
    message = suite[0].find("failure")
    assert message is not None and "+15 points; 6 questions behind it: q000" in message.get("message", "")


def test_a_waived_rule_is_skipped_and_a_run_that_is_unfinished_an_error() -> None:
    rule = Rule.parse("wrong <= 3")
    made = Decision("INCONCLUSIVE", 4, (Check(rule, "fail", waiver="known"), Check(rule, "pass")), ("a row is lost",))  # type: ignore[arg-type]
    waived, passed, unfinished = ElementTree.fromstring("".join(junit.of_decision(made)).partition("?>")[2])[0]
    assert waived.find("skipped") is not None and "known" in waived[0].get("message", "")
    assert not len(passed) and unfinished.find("error") is not None


@pytest.mark.parametrize(
    "options", [("--json",), ("--report", "-")], ids=["json", "report"]
)  # fmt: skip
def test_only_one_thing_goes_to_stdout(options: tuple[str, ...], runs: tuple[str, str]) -> None:
    done = surefoot("gate", *runs, "--format", "github", *options)
    assert done.code == 2 and "cannot both go to stdout" in done.err and not done.out


def test_a_file_is_not_written_over_another(runs: tuple[str, str]) -> None:
    for name in ("surefoot.db", "x.html"):
        done = surefoot("gate", *runs, "--junit", name, "--report", "x.html")
        assert done.code == 2 and "hint: " in done.err and not Path("x.html").exists()
