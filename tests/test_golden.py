"""Whole reports, compared with files that a person has looked at."""

from __future__ import annotations

import io
import re
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from rich.console import Console
from rich.terminal_theme import MONOKAI

from surefoot import ScoreResult, score
from surefoot.report import junit, markdown, terminal

from .golden_files import ROOT, check

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ScoreResult:
    with as_file(files("surefoot") / "examples") as folder:
        monkeypatch.chdir(folder)
        return score("questions.json", "traces.jsonl", by=["stratum"])


@pytest.fixture
def trouble() -> ScoreResult:
    """Missing, doubled, broken and unknown, in one run."""
    questions = [
        {"qid": "a|b", "q": "A?", "answerable": True, "gold_ids": ["x"], "stratum": "<b>"},
        {"qid": "double", "q": "B?", "answerable": True, "gold_ids": ["y"]},
        {"qid": "missing", "q": "C?", "answerable": False},
    ]
    traces: list[dict[str, object]] = [
        {"qid": "a|b", "answer": "I don’t know.", "chunks": ["x"]},
        {"qid": "double", "answer": "So [y]."},
        {"qid": "double", "answer": "So [z1]."},
        {"q": "Never asked?", "answer": "So."},
        {"answer": "nobody's"},
    ]
    return score(questions, traces, by=["stratum"], rules=["precision >= 0.8", "wrong <= baseline", "coverage >= 1"])


@pytest.mark.parametrize("name", ["example", "trouble"])
def test_markdown_and_junit(name: str, request: pytest.FixtureRequest) -> None:
    result: ScoreResult = request.getfixturevalue(name)
    check(GOLDEN / f"{name}.md", "\n".join(markdown.render(result.card, result.rows(), result.questions)) + "\n")
    check(GOLDEN / f"{name}.xml", "\n".join(junit.render(result.card, result.rows())) + "\n")


def test_the_picture_in_the_readme_is_what_the_terminal_shows(example: ScoreResult) -> None:
    console = Console(record=True, width=88, file=io.StringIO(), force_terminal=True, highlight=False)
    terminal.show(example.card, console)
    svg = console.export_svg(title="surefoot score", theme=MONOKAI, unique_id="surefoot")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # no fonts from elsewhere
    svg = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
    check(ROOT / "docs" / "images" / "score.svg", svg)
