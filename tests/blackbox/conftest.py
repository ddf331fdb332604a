"""Projects that many cases read: made once, and never written to by a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.blackbox import town
from tests.blackbox.facts import Project, Run


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of the town for one case alone."""
    return town.settle(tmp_path)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project of the town for cases that only read it, or write files of their own names."""
    return town.settle(tmp_path_factory.mktemp("town"))


@pytest.fixture(scope="session")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Run, Run]:
    """A project with a run of each version, both graded by rules."""
    project = town.settle(tmp_path_factory.mktemp("graded"))
    runs = Run("first"), Run("second")
    for run in runs:
        assert project.run(run.name, f"pipeline:{run.name}", version=run.name)["exit"] == 0
        assert project.grade(run)["exit"] == 0
    return project, *runs


@pytest.fixture
def fresh(graded: tuple[Project, Run, Run], tmp_path: Path) -> tuple[Project, Run, Run]:
    """The same for one case alone."""
    project, first, second = graded
    return project.copied(tmp_path), first, second
