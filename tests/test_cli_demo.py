"""The first minute of a new user: one command, offline, that tells the whole story."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.cli.start import BASE, CANDIDATE
from surefoot.datasets import demo
from surefoot.graders.grader import graded_by
from surefoot.graders.local import LocalJudge
from surefoot.store import Project
from tests.conftest import Done, surefoot


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """Where there is an earlier demo."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / "surefoot-demo").mkdir()
    Project.open(folder / "surefoot-demo" / "surefoot.db").close()
    (folder / "surefoot-demo" / "report.html").touch()
    return folder, surefoot("demo", cwd=folder)


def test_it_tells_the_story_in_a_few_lines(shown: tuple[Path, Done]) -> None:
    _, done = shown
    assert done.code == 0
    assert len(done.out.splitlines()) <= 20
    assert "BLOCK" in done.out
    assert all(len(line) <= 120 for line in done.out.splitlines())


def test_its_project_can_be_worked_with(shown: tuple[Path, Done]) -> None:
    folder, _ = shown
    project = folder / "surefoot-demo"
    decided = surefoot("gate", BASE, CANDIDATE, "--json", "--db", project / "surefoot.db")
    assert decided.json["outcome"] == "BLOCK"
    assert (project / "report.html").stat().st_size > 100_000
    with Project.existing(project / "surefoot.db") as kept:
        assert [len(kept.runs(version)) for version in (BASE, CANDIDATE)] == [5, 5]
        assert {label.annotator for label in kept.labels()} == {"ai/reader-1", "ai/reader-2"}
        asked = {question.id for question in demo.questions()}
        assert all({key[0] for key in run.answer_keys()} == asked for run in kept.runs())


def test_its_verdicts_are_of_the_grader_that_comes_with_it(shown: tuple[Path, Done]) -> None:
    """After a change of the grader: python -m training.demo_verdicts"""
    folder, _ = shown
    with Project.existing(folder / "surefoot-demo" / "surefoot.db") as project:
        assert {run.manifest.grader for run in project.runs()} == {graded_by(LocalJudge().name, "required")}


def test_it_replaces_no_project_but_an_earlier_demo(tmp_path: Path) -> None:
    (tmp_path / "surefoot-demo").mkdir()
    Project.open(tmp_path / "surefoot-demo" / "surefoot.db").close()
    other = surefoot("demo", cwd=tmp_path)
    assert other.code == 2
    assert "hint:" in other.err
