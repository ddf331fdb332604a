"""Passages ranked by how likely they answer a question."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.core.errors import Incomplete
from surefoot.core.types import Ask, Passage
from surefoot.graders.local import weights_folder
from surefoot.pipelines.retriever import ReferencePipeline

RENT = Passage("a#2", "The rent is due on the first working day of each month.", "Lease of Unit 4")
NOTICE = Passage("a#1", "The tenant may end the lease on sixty (60) days' written notice.", "Lease of Unit 4")
QUESTION = "How many days' notice must the tenant give to end the lease?"


def retrieved(question: str, *passages: Passage) -> list[Passage]:
    return list(ReferencePipeline(passages).answer(Ask("q", question)).retrieved or ())


def test_the_passage_that_answers_comes_first() -> None:
    assert retrieved(QUESTION, RENT, NOTICE)[0] == NOTICE


def test_a_title_says_whose_lease_it_is() -> None:
    question = "How many days' notice must the tenant of Unit 4 give to end the lease?"
    assert retrieved(question, Passage("b#1", NOTICE.text, "Lease of Unit 9"), NOTICE)[0] == NOTICE


def test_the_answer_may_stand_at_the_end_of_a_long_passage() -> None:
    filler = " ".join(f"Clause {number} deals with the upkeep of machine {number}." for number in range(60))
    long = Passage("d#1", f"{filler} {NOTICE.text}", NOTICE.doc)
    assert retrieved(QUESTION, Passage("d#2", filler, NOTICE.doc), long)[0] == long


def test_weights_that_are_missing_or_broken(tmp_path: Path) -> None:
    with pytest.raises(Incomplete, match=r"quick\.onnx is missing"):
        ReferencePipeline([], tmp_path)
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in weights_folder().iterdir():
        (broken / file.name).write_text("version: a pointer") if file.suffix == ".onnx" else shutil.copy(file, broken)
    with pytest.raises(Incomplete, match=r"quick\.onnx: the file is damaged") as caught:
        ReferencePipeline([], broken)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("module", "unused"),
    [
        ("specs", {"numpy", "onnxruntime", "tokenizers"}),
        ("process", {"numpy", "surefoot.pipelines.retriever", "surefoot.models.endpoint", "surefoot.text.numbers"}),
    ],
)
def test_importing_pipelines_loads_nothing_heavy(module: str, unused: set[str]) -> None:
    code = f"import sys, surefoot.pipelines.{module}; sys.exit(', '.join({unused} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], timeout=600, capture_output=True, text=True)
    assert not done.stderr.strip()
