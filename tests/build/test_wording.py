"""Which wordings of a model are taken."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import surefoot
from surefoot.build.wording import reworded
from tests.build.documents import write_documents
from tests.fault_server import Call, Fault, FaultServer
from tests.in_process import surefoot as command

TEMPLATE = (
    "Under the Travel Policy of Quarry Data, within how many days of their return must Employees submit receipts?"
)


@pytest.mark.parametrize(
    ("reply", "is_taken"),
    [
        (
            "How many days after their return do Employees have to submit receipts under Quarry Data's Travel Policy?",
            True,
        ),
        ('"In the Quarry Data Travel Policy, how soon must Employees hand in receipts?"', True),
        ("How soon must receipts be submitted?", False),  # whose, and under what
        ("Must Employees submit receipts within 20 days under the Travel Policy of Quarry Data?", False),
        ("Under the Travel Policy of Quarry Data and Vireo, when must Employees submit receipts on return?", False),
        ("Under the Travel Policy of Quarry Data, must Employees submit receipts on return in twenty days?", False),
        ("Employees must submit receipts under the Travel Policy of Quarry Data within twenty days.", False),
        ("", False),
    ],
)
def test_a_wording_is_taken_if_it_loses_and_adds_nothing(reply: str, is_taken: bool) -> None:
    assert (reworded(TEMPLATE, reply) is not None) == is_taken


CLAIM = "Employees must submit all receipts by registered post within twenty (20) days of their return."


def test_a_wording_with_words_of_the_answer_is_not_taken() -> None:
    asks = "How must Employees submit receipts?"
    assert reworded(asks, "In what way must Employees submit receipts?", CLAIM)
    assert reworded(asks, "Must Employees submit receipts by registered post?", CLAIM) is None


def _rows(path: Path) -> dict[str, dict[str, Any]]:
    return {row["qid"]: row for row in map(json.loads, path.read_text("utf-8").splitlines())}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    surefoot.build_questions(write_documents(tmp_path / "texts"), out=tmp_path / "q.jsonl", size=6, mix={"plain": 1})
    return tmp_path / "q.jsonl"


@pytest.mark.parametrize(
    ("reply", "taken"),
    [
        (lambda asks: f"For Vireo Holdings, {asks[0].lower()}{asks[1:]}", 0),
        (lambda asks: f"{asks.rstrip('?')}, is it EUR 4,250, Delaware or ninety days?", 0),
        (lambda asks: f"{asks.rstrip('?')} after 77 days?", 0),
        (lambda asks: f"Please tell me: {asks[0].lower()}{asks[1:]}", 6),
    ],
    ids=["another entity", "a leaked answer", "another figure", "good"],
)
def test_what_a_model_words_is_proven_or_dropped(built: Path, reply: Callable[[str], str], taken: int) -> None:
    before = _rows(built)

    def worded(call: Call) -> Fault:
        return Fault(text=reply(str(call.body["messages"][-1]["content"]).rpartition("\n")[2]))

    with FaultServer(worded) as server:
        asked = ("--size", "6", "--mix", "plain=1", "--model", f"llm:m@{server.url}", "--yes")
        done = command("questions", "build", built.with_name("texts"), "--out", built, *asked)
    assert done.code == 0, done.err
    assert "replies wanted: 6" in done.err.partition("wordings")[0]
    assert ("6 questions kept the words of the template" in done.err) == (not taken)
    after = _rows(built)
    assert after.keys() == before.keys()
    for qid, row in after.items():
        is_new = row["made"]["by"] != "templates"
        assert (row["question"] != before[qid]["question"]) == is_new == bool(taken)
        assert not is_new or row["made"]["template"] == before[qid]["question"]


def test_ctrl_c_says_what_is_kept_and_the_same_command_goes_on(tmp_path: Path) -> None:
    write_documents(tmp_path / "texts")
    arguments = [sys.executable, "-m", "surefoot", "questions", "build", "texts", "--out", "q.jsonl", "--size", "30"]
    process = subprocess.Popen(arguments, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    file, ends = tmp_path / "q.jsonl", time.monotonic() + 120
    while time.monotonic() < ends and not (file.exists() and file.read_bytes().count(b"\n") > 1):
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    there = _rows(file)
    assert process.returncode == 130, said
    assert f"q.jsonl keeps its {len(there)} questions; give the same command again for the rest" in said
    assert len(there) < 30
    assert subprocess.run(arguments, cwd=tmp_path, capture_output=True, check=False).returncode in (0, 4)
    after = _rows(file)
    assert {qid: after[qid] for qid in there} == there
    whole = surefoot.build_questions(tmp_path / "texts", out=tmp_path / "whole.jsonl", size=30)
    assert len(after) == whole["questions"]
