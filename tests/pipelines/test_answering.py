"""Passages ranked by how likely they answer a question."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.core.errors import Incomplete
from surefoot.core.types import Passage
from surefoot.graders.encoder import weights_folder
from surefoot.graders.local import LocalJudge
from surefoot.pipelines import reference
from surefoot.pipelines.reference import Ranker

RENT = Passage("a#2", "The rent is due on the first working day of each month.", "Lease of Unit 4")
NOTICE = Passage("a#1", "The tenant may end the lease on sixty (60) days' written notice.", "Lease of Unit 4")
FOREIGN = Passage("c#1", "租客可提前六十天书面通知终止租约。")
QUESTION = "How many days' notice must the tenant give to end the lease?"


def test_the_passage_that_answers_comes_first_and_the_unreadable_last() -> None:
    ranked = Ranker().ranked(QUESTION, [FOREIGN, RENT, NOTICE])
    assert [candidate.passage for candidate in ranked] == [NOTICE, RENT, FOREIGN]
    assert ranked[0].probability > 0.5 > ranked[1].probability > ranked[2].probability == 0
    assert Ranker().ranked(QUESTION, []) == []
    assert [c.probability for c in Ranker().ranked("?", [RENT])] == [0.0]


def test_a_title_says_whose_lease_it_is() -> None:
    question = "How many days' notice must the tenant of Unit 4 give to end the lease?"
    mine, other = NOTICE, Passage("b#1", NOTICE.text, "Lease of Unit 9")
    assert Ranker().ranked(question, [other, mine])[0].passage == mine


def test_the_answer_may_stand_at_the_end_of_a_long_passage() -> None:
    filler = " ".join(f"Clause {number} deals with the upkeep of machine {number}." for number in range(60))
    long = Passage("d#1", f"{filler} {NOTICE.text}", NOTICE.doc)
    without = Passage("d#2", filler, NOTICE.doc)
    ranked = Ranker().ranked(QUESTION, [without, long])
    assert ranked[0].passage == long and ranked[0].probability > 2 * ranked[1].probability


def test_nothing_is_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Ranker().ranked(QUESTION, [RENT, NOTICE])
    monkeypatch.setattr(reference, "LocalJudge", None)
    assert reference._ranked(None, QUESTION, (RENT, NOTICE)) == tuple(first)


def test_the_strong_tier_reads_the_best_and_a_likely_second() -> None:
    assert reference._best({}) == []
    assert reference._best({0: 0.1, 2: 0.2, 3: 0.15}) == [2]
    assert reference._best({0: 0.4, 2: 0.2, 3: 0.9, 4: 0.35}) == [3, 0]


def test_one_reading_of_a_passage_and_a_question() -> None:
    passage = Passage("e#1", NOTICE.text)
    (alone,) = LocalJudge().answers([(passage.text, QUESTION)])
    assert Ranker().ranked(QUESTION, [passage])[0].probability == alone.probability and alone.strong


def test_weights_that_are_missing_or_broken(tmp_path: Path) -> None:
    with pytest.raises(Incomplete, match=r"quick\.onnx is missing"):
        Ranker(tmp_path)
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in weights_folder().iterdir():
        (broken / file.name).write_text("version: a pointer") if file.suffix == ".onnx" else shutil.copy(file, broken)
    with pytest.raises(Incomplete, match=r"quick\.onnx: the file is damaged") as caught:
        Ranker(broken)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("module", "unused"),
    [
        ("specs", {"numpy", "onnxruntime", "tokenizers"}),
        ("process", {"numpy", "surefoot.pipelines.reference", "surefoot.models.endpoint", "surefoot.text.numbers"}),
    ],
)
def test_importing_pipelines_loads_nothing_heavy(module: str, unused: set[str]) -> None:
    code = f"import sys, surefoot.pipelines.{module}; sys.exit(', '.join({unused} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], timeout=600, capture_output=True, text=True)
    assert not done.stderr.strip()
