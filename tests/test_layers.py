"""What the import contracts in pyproject.toml and the linter cannot see."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import surefoot

ROOT = Path(surefoot.__file__).parent
PURE = (
    "gate",
    "scoring/outcomes",
    "text",
)
FILES = sorted(ROOT.rglob("*.py"))


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


@pytest.mark.parametrize("name", PURE)
def test_what_decides_opens_no_file_and_prints_nothing(name: str) -> None:
    files = [path for path in FILES if path.relative_to(ROOT).as_posix().startswith(name)]
    assert files
    for path in files:
        found = {called for called, _ in calls(ast.parse(path.read_text("utf-8")))}
        assert not found & {"open", "print", "input"}, path


def test_chance_has_a_seed() -> None:
    for path in FILES:
        for called, node in calls(ast.parse(path.read_text("utf-8"))):
            if called.endswith("default_rng"):
                assert node.args, f"{path}:{node.lineno}"
