"""The matrix as a library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import surefoot
from surefoot.core.errors import ExitCode, Incomplete

MATRIX = 'questions = "q.jsonl"\ngrader = "rules"\n' + "".join(
    f'[[pipeline]]\nname = "{name}"\nspec = "traces:{name}.jsonl"\n' for name in ("plain", "shy")
)


def write(name: str, rows: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    answers = {"plain": "The fee is EUR {0} [h#{0}].", "shy": "The documents do not say."}
    asked = {"question": "What is the fee?", "expects": "answer"}
    write("q.jsonl", [{"id": f"q{n}", **asked, "gold_ids": [f"h#{n}"]} for n in range(12)])
    for name, answer in answers.items():
        passages = [[{"id": f"h#{n}", "text": f"The fee is EUR {n}."}] for n in range(12)]
        rows = [{"question_id": f"q{n}", "answer": answer.format(n), "retrieved": passages[n]} for n in range(12)]
        write(f"{name}.jsonl", rows)
    Path("m.toml").write_text(MATRIX)
    return Path("m.toml")


def test_cells_are_run_graded_and_reported(file: Path) -> None:
    found = surefoot.matrix(file)
    assert found.exit_code == ExitCode.OK and not found.interrupted
    assert [(row["cell"], row["refused"]) for row in found.table()] == [("plain", 0), ("shy", 12)]
    assert found["effects"][0]["differences"]["refused"]["value"] == 100
    assert "plain" in found._repr_html_()


def test_who_says_no_is_not_asked_for_anything(file: Path) -> None:
    class No(surefoot.Person):
        def agrees(self) -> bool:
            return False

    write("c.jsonl", [{"id": "h#0", "text": "The fee is EUR 0."}])
    paid = MATRIX.replace('"traces:shy.jsonl"', '"chat:m@http://models.invalid/v1"')
    file.write_text('corpus = "c.jsonl"\n' + paid)
    with pytest.raises(Incomplete, match="nothing was asked"):
        surefoot.matrix(file, person=No())
    assert not surefoot.history().runs
