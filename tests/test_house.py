"""The house may only shrink: limits on its size, and on the files that the main commands enter."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools import house

from .in_process import surefoot

_EXAMPLE = house.SOURCE / "examples"


def test_size_is_within_the_limits(capsys: pytest.CaptureFixture[str]) -> None:
    lines = house.passed()
    with capsys.disabled():
        print("\n" + "\n".join(lines))
    assert not [line for line in lines if line.endswith("PASSED")]


def test_main_commands_enter_few_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions, traces = _EXAMPLE / "questions.json", _EXAMPLE / "traces.jsonl"
    asked: list[str | Path] = ["run", "--questions", questions, "--pipeline", f"traces:{traces}", "--version"]
    walks = {
        "score": _entered(tmp_path, "score", "-q", questions, "-t", traces),
        "run": _entered(tmp_path, *asked, "a"),
        "grade": _entered(tmp_path, "grade", "a"),
    }
    assert surefoot(*asked, "b", cwd=tmp_path).code == 0 and surefoot("grade", "b", cwd=tmp_path).code in (0, 4)
    walks["gate"] = _entered(tmp_path, "gate", "a", "b")
    most = house.limits()["walks"]
    with capsys.disabled():
        print("\n" + ", ".join(f"{name} enters {count} files (at most {most[name]})" for name, count in walks.items()))
    assert {name: count for name, count in walks.items() if count > most[name]} == {}


def _entered(folder: Path, *arguments: str | Path) -> int:
    command = [sys.executable, str(house.ROOT / "tools" / "house.py"), "--walk", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = re.search(r"^(\d+) files.*exit code [0134]$", done.stderr, re.MULTILINE)
    assert found, done.stderr
    return int(found[1])
