"""The scripts in examples/ read public datasets as published, and write what the commands accept."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from . import published_files as published
from .golden_files import ROOT
from .in_process import surefoot

QUESTION_SETS: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "gov-report": ("gov_report", published.gov_report),
    "edgar-corpus": ("edgar", lambda path: published.edgar_corpus(path.with_suffix(".jsonl"))),
    "edgar-crawler": ("edgar", published.edgar_crawler),
    "squad": ("squad", published.squad),
    "cuad": ("squad", published.cuad),
    "finance-bench": ("finance_bench", published.finance_bench),
}


def run_example(name: str, data: Path, out: Path) -> str:
    program = [sys.executable, str(ROOT / "examples" / f"{name}.py"), str(data), str(out)]
    return subprocess.run(program, capture_output=True, text=True, timeout=300, check=True).stdout


@pytest.mark.parametrize("name", QUESTION_SETS)
def test_documents_become_a_corpus_and_questions_with_gold(name: str, tmp_path: Path) -> None:
    script, publish = QUESTION_SETS[name]
    out = tmp_path / "out"
    for command in run_example(script, publish(tmp_path / "data"), out).splitlines()[1:3]:
        done = surefoot(*command.split()[1:], cwd=out)
        assert done.code == 0, done.err
    rows = [json.loads(line) for line in (out / "questions.jsonl").read_text("utf-8").splitlines()]
    ids = {json.loads(line)["id"] for line in (out / "corpus.jsonl").read_text("utf-8").splitlines()}
    assert {row["answerable"] for row in rows} == {True, False}
    for row in rows:
        assert row["answerable"] == bool(row.get("gold_ids")) and ids.issuperset(row.get("gold_ids", []))


def test_the_offline_grader_is_calibrated_against_lawyers(tmp_path: Path) -> None:
    said = run_example("contract_nli", published.contract_nli(tmp_path / "test.json"), tmp_path / "out")
    assert "Of the answers it calls correct, " in said
    assert "18 answers labelled by people (lawyers)" in said
