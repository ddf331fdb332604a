"""Assertions for tests, and the plugin for pytest, as a project's own tests use them."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from surefoot import decisions, pytest_plugin
from surefoot.core.errors import UsageError
from surefoot.core.types import Passage
from surefoot.testing import assert_grounded, assert_ships

from .gate.helpers import changed, kept_run, people_say
from .golden_files import ROOT
from .in_process import surefoot

FEES = [
    {"id": "fees#1", "text": "The fee is 40 EUR a month."},
    {"id": "fees#2", "text": "Invoices are sent by post."},
]
GOOD = "c" * 38 + "r" * 2


class Document:
    """As a framework would return it."""

    def __init__(self, page_content: str) -> None:
        self.page_content, self.metadata = page_content, {"source": "fees.md"}


@pytest.mark.parametrize(
    "passages",
    [FEES, tuple(FEES), [one["text"] for one in FEES], [Passage(one["id"], one["text"]) for one in FEES],
     [Document(one["text"]) for one in FEES]],
    ids=["objects", "tuple", "texts", "passages", "documents"],
)  # fmt: skip
def test_an_answer_that_its_passages_support_is_grounded(passages: list[object]) -> None:
    assert_grounded("The fee is 40 EUR.", passages, grader="rules")
    assert_grounded("The fee is 40 EUR.", passages, question="What is the fee?", grader="rules")


def test_the_local_grader_reads_by_default() -> None:
    assert_grounded("The fee is 40 EUR a month [fees#1].", FEES, question="How much is the fee?")
    with pytest.raises(AssertionError) as failed:
        assert_grounded("The fee is 50 EUR a month [fees#1].", FEES)
    first, *rest = str(failed.value).splitlines()
    assert first == "not grounded: the passages do not support 1 of 1 claim"
    assert rest[0] == '  contradicted: "The fee is 50 EUR a month." (fees#1: "The fee is 40 EUR a month.")'
    assert rest[1] == "  answer: The fee is 50 EUR a month [fees#1]." and "graded by local@" in rest[2]


@pytest.mark.parametrize(
    ("answer", "question", "why"),
    [
        ("The fee is 50 EUR.", "", "do not support 1 of 1 claim"),
        ("The fee is 40 EUR. The deposit is 900 EUR.", "", "do not support 1 of 2 claims"),
        ("The fee is 40 EUR [fees#2].", "", "a cited passage does not support"),
        ("The fee is 40 EUR [fees#9].", "", "cites a passage that was not given"),
        ("The documents do not say.", "", "is a refusal, and claims nothing"),
        ("Yes.", "", "claims nothing that a passage could support"),
        ("", "", "could not be graded (empty)"),
        ("Invoices are sent by post.", "How much is the fee?", "does not answer the question"),
    ],
)
def test_an_answer_that_is_not_grounded_fails_and_says_why(answer: str, question: str, why: str) -> None:
    with pytest.raises(AssertionError, match=r"^not grounded: ") as failed:
        assert_grounded(answer, FEES, question=question, grader="rules")
    assert why in str(failed.value).splitlines()[0]


@pytest.mark.parametrize("passages", ["The fee is 40 EUR.", {"id": "a", "text": "b"}, [{"id": "a"}]])
def test_passages_that_cannot_be_read_are_no_failure_but_a_mistake(passages: list[object]) -> None:
    with pytest.raises(UsageError, match="passage"):
        assert_grounded("The fee is 40 EUR.", passages, grader="rules")


def test_a_run_that_may_not_ship_fails_and_says_why() -> None:
    made: dict[str, Any] = {"told": "x", "deterministic": True}
    base, same = kept_run("v1", GOOD, **made), kept_run("v2", GOOD, **made)
    worse = kept_run("v3", changed(GOOD, range(7)), **made)
    assert assert_ships(same, base).outcome == "SHIP"
    with pytest.raises(AssertionError, match=r"^INCONCLUSIVE - [^\n]+\n(.+\n)*  next: look at 7 pairs.*surefoot label"):
        assert_ships(worse, base)
    people_say("v1", "c" * 7), people_say("v3", "w" * 7)
    with pytest.raises(AssertionError) as failed:
        assert_ships(worse, base)
    lines = str(failed.value).splitlines()
    assert lines[0].startswith("BLOCK - ") and "7 questions newly wrong for good (q000, q001, q002, q003" in lines[0]
    assert any(line.startswith("  wrong 0 \u2192 7 of 40, +7, you allow +1.2; by people: FAIL") for line in lines)
    assert "  q000 was correct, is wrong: Question 0?" in lines and "      x w q000" in lines
    assert "  and 2 more questions like these" in lines
    waived = assert_ships(worse, base, rules=["correct >= 1"])
    assert waived.overridden == {"rules": ("correct >= 1",)}
    assert not decisions(), "a test records nothing"


PROJECT_TESTS = """
import os
from pathlib import Path
from typing import Any

import pytest
from surefoot.testing import assert_grounded, assert_ships

ASKED = Path(__file__).with_name("asked")


def answer(question):
    with ASKED.open("a") as file:
        file.write(f"{question}\\n")
    return answer_of("The fee is 40 EUR [f].")


def answer_of(text):
    return {"answer": text, "retrieved": [{"id": "f", "text": "The fee is 40 EUR a month."}]}


answer.deterministic = True


@pytest.fixture
def candidate(surefoot_run):
    return surefoot_run(answer, questions="questions.json", grader="rules")


@pytest.mark.parametrize("number", range(4))
def test_each_worker_sees_the_same_run(candidate, number):
    assert candidate.is_file()
    assert len(ASKED.read_text().splitlines()) == 1


def made_with(price):
    def pipeline(question):
        return answer_of(f"The fee is {price} EUR [f].")

    pipeline.deterministic = True
    return pipeline


def test_ships(candidate, surefoot_run, surefoot_baseline):
    assert surefoot_baseline == "v1"
    assert_ships(surefoot_run(made_with(40), questions="questions.json", grader="rules"), candidate, uncalibrated=True)
    assert_ships(surefoot_run(made_with(50), questions="questions.json", grader="rules"), candidate, uncalibrated=True)
"""


def project_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Plugins by name: whether this one is installed does not matter here."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    environment = {**ours, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "SUREFOOT_DB": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "surefoot.pytest_plugin", "-p", "xdist.plugin", *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "test_mine.py").write_text(PROJECT_TESTS)
    asked = [{"qid": "q1", "q": "What is the fee?", "answerable": True, "gold_ids": ["f"]}]
    (tmp_path / "questions.json").write_text(json.dumps(asked))
    return tmp_path


def test_without_a_baseline_a_test_says_how_to_get_one(project: Path) -> None:
    done = project_pytest(project, "-k", "test_ships")
    assert "there is no project surefoot.db (hint: " in done.stdout and "1 error" in done.stdout, done.stdout


def test_a_pipeline_is_asked_once_however_many_workers_test_it(project: Path) -> None:
    kept_run("v1", GOOD, deterministic=True)
    surefoot("baseline", "v1")
    done = project_pytest(project, "-n", "2")
    assert "1 failed, 4 passed" in done.stdout, done.stdout + done.stderr
    assert "AssertionError: BLOCK - " in done.stdout and "q1 was correct, is wrong" in done.stdout
    assert "testing.py" not in done.stdout, "the failure is shown in the test, not in our code"


def test_the_plugin_is_declared_and_light() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert importlib.import_module(declared["surefoot"]) is pytest_plugin
    code = (
        "import sys, pytest, surefoot.pytest_plugin; print(*sorted(m for m in sys.modules if m.startswith('surefoot')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == ["surefoot", "surefoot.pytest_plugin"]
    code = "import sys, surefoot, surefoot.testing; print('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
