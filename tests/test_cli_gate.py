"""The gate as a team uses it: runs of versions, a project that remembers, labels that stand in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from surefoot.cli.gate import gate
from surefoot.core.errors import SurefootError
from surefoot.services.baseline import update_baseline

from .conftest import Write
from .gate.helpers import changed, kept_run, label_of
from .kept import add_labels

GOOD = "c" * 117 + "r" * 13
TRUTH = "--uncalibrated"


def call(command: Any, *arguments: str | Path) -> tuple[int, Result]:  # noqa: ANN401
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    if isinstance(result.exception, SurefootError):
        return int(result.exception.exit_code), result
    if result.exception:
        raise result.exception
    return int(result.return_value or 0), result


def decided(*arguments: str | Path) -> tuple[int, Any]:
    code, result = call(gate, *arguments, "--json")
    return code, json.loads(result.stdout)


def pair(number: int, newly_wrong: int = 0, version: str = "v2", **more: Any) -> tuple[str, str]:  # noqa: ANN401
    base = kept_run(f"ref{number}", GOOD, version="v1", **more)
    cand = kept_run(f"{version}-{number}", changed(GOOD, range(newly_wrong)), version=version, **more)
    return base, cand


def check(found: Any, name: str = "wrong") -> dict[str, Any]:  # noqa: ANN401
    return next(one for one in found["checks"] if one["name"] == name)


def test_in_brief_the_same_decision_is_printed_alone(tmp_path: Path) -> None:
    base, cand = pair(2, 30, "v3", deterministic=True)
    code, brief = call(gate, base, cand, TRUTH, "--brief")
    again, whole = call(gate, base, cand, TRUTH)
    assert code == again == 1 and len(brief.stdout.splitlines()) < 12 < len(whole.stdout.splitlines())
    for result in (brief, whole):
        assert result.stdout.splitlines()[-1].startswith("BLOCK - 30 answers became wrong; no bad")
    _, shown = call(gate, base, cand, TRUTH, "--brief", "--json")
    assert json.loads(shown.stdout) == decided(base, cand, TRUTH)[1]


def test_without_runs_the_newest_version_is_compared_with_the_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(gate)[0] == 2, "there is no project"
    base = kept_run("ref1", GOOD, version="v1")
    update_baseline(base, uncalibrated=True)
    code, result = call(gate, TRUTH)
    assert code == 2 and "not the baseline's" in str(result.exception)
    kept_run("v2-1", GOOD, version="v2")
    kept_run("again", GOOD, version="v1", created="2027-01-01")
    code, found = decided(TRUTH)
    assert code == 0 and found["names"] == {"base": "ref1", "cand": "v2-1"}, "a newer run is of the baseline's version"


def test_nothing_ships_or_blocks_by_a_grader_nobody_checked(tmp_path: Path) -> None:
    for number, newly_wrong in enumerate((0, 40)):
        base, cand = pair(number, newly_wrong, f"v{number + 2}", deterministic=True)
        code, found = decided(base, cand)
        assert code == 3 and "nobody has labelled factuality" in check(found)["reason"]
        assert len(found["label_next"]) == 60 and f"surefoot label {cand}" in found["next_steps"][0]


def test_all_runs_of_both_versions_count(tmp_path: Path) -> None:
    base, cand = pair(1)
    assert decided(base, cand, TRUTH)[1]["look"] == 1
    pair(2), pair(3), kept_run("other", GOOD, version="v9")
    found = decided(base, cand, TRUTH)[1]
    assert [len(names) for names in found["runs"].values()] == [3, 3]
    assert found["look"] == 2, "other answers, another look"
    assert "runs: 3 of" in call(gate, base, cand, TRUTH)[1].stdout


def test_runs_of_one_version_part_in_time(tmp_path: Path) -> None:
    runs = [kept_run(name, GOOD, version="v1") for name in "abcd"]
    found = decided(runs[1], runs[2], TRUTH)[1]
    assert [sorted(names) for names in found["runs"].values()] == [["a", "b"], ["c", "d"]]
    assert any("both are v1" in note and "run --version" in note for note in found["notes"])


def test_peoples_labels_on_the_very_answers_stand_in(tmp_path: Path) -> None:
    base, cand = pair(1, 2, deterministic=True)
    assert decided(base, cand, TRUTH)[0] == 1
    add_labels(label_of(cand, "q000", "correct"), label_of(cand, "q001", "correct"))
    code, found = decided(base, cand, TRUTH)
    assert code == 0 and found["labelled"] == {"base": 0, "cand": 2} and found["look"] == 1, (
        "labels are no other answers"
    )
    said = call(gate, base, cand, TRUTH)[1].stdout
    assert "labels by people (ann) count instead of the grader's verdicts on 2 answers of the candidate" in said
    add_labels(label_of(cand, "q000", "wrong", "bob"))
    code, found = decided(base, cand, TRUTH)
    assert code == 1 and any("divided on factuality of q000" in problem["message"] for problem in found["problems"])


def test_labels_on_other_runs_say_nothing_of_these_versions(tmp_path: Path) -> None:
    other = kept_run("elsewhere", GOOD, version="v0")
    base, cand = pair(1, 1, deterministic=True)
    add_labels(*(label_of(other, f"q{i:03}", "correct") for i in range(50)))
    assert "nobody has labelled" in check(decided(base, cand)[1])["reason"]


def test_what_shipped_last_is_the_baseline(tmp_path: Path) -> None:
    base, cand = pair(1)
    assert call(gate, cand, TRUTH)[0] == 2, "nothing has shipped yet"
    assert decided(base, cand, TRUTH)[0] == 0
    newer = kept_run("newer", GOOD, version="v3")
    code, found = decided(newer, TRUTH)
    assert code == 0 and found["names"] == {"base": cand, "cand": newer}


def test_a_run_against_itself_says_nothing_about_it(tmp_path: Path) -> None:
    base, cand = pair(1, deterministic=True)
    assert decided(base, cand, TRUTH)[0] == 0
    code, found = decided(cand, cand, TRUTH)
    assert code == 0 and found["against_itself"]
    assert len(decided("--history")[1]["decisions"]) == 1


def test_files_make_no_project(write: Write) -> None:
    rows = [{"question_id": f"q{i}", "axis": "factuality", "value": "correct", "grader": "human/a"} for i in range(9)]
    base, cand = write("a.jsonl", rows), write("b.jsonl", [*rows[:-1], {**rows[-1], "value": "wrong"}])
    assert decided(base, base)[0] == 0 and decided(base, cand)[0] == 1
    assert not list(base.parent.glob("*.db"))


def test_a_run_with_fewer_questions_is_named_under_the_runs_and_not_in_the_verdict(tmp_path: Path) -> None:
    base, cand = pair(1, deterministic=True)
    kept_run("typo", GOOD[:-9], version="v1", deterministic=True)
    found = decided(base, cand, "--uncalibrated")[1]
    [named] = found["not_counted"]
    assert named.startswith("typo, made 2026-01-01") and "another question set" in named and not found["notes"]
    first, _, rest = call(gate, base, cand, "--uncalibrated")[1].stdout.partition("baseline:")
    assert "typo" not in first and f"not counted: {named}" in " ".join(rest.split())


def test_a_margin_that_nobody_set_is_explained(tmp_path: Path) -> None:
    said = " ".join(call(gate, *pair(1, deterministic=True), "--uncalibrated")[1].stdout.split())
    assert "acceptable: margin 0.06 where 0.03 is set: wrong and unsupported answers may each rise by it" in said
