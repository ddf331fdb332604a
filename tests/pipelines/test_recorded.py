"""The bundled pipelines say the same on every machine, and read live what is not bundled."""

from __future__ import annotations

from importlib.resources import files

import msgspec
import pytest
from msgspec.structs import replace

from surefoot.datasets import demo
from surefoot.graders.tiers import Tiers
from surefoot.pipelines import reference
from surefoot.pipelines.reference import FILE, MANNERS, PASSAGES_READ, Reading, reading_of
from surefoot.pipelines.retriever import Retriever

QUESTIONS = {question.id: question for question in demo.questions()}
CORPUS = list(demo.corpus())
BUNDLED = files("surefoot") / "demo"


@pytest.fixture
def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reference._ranked.cache_clear()
    monkeypatch.setattr(Tiers, "answers", None)


def test_what_was_read_of_other_words_is_not_taken() -> None:
    question = QUESTIONS["c002"].text
    passages = [passage for passage, _ in Retriever(CORPUS).search(question, PASSAGES_READ)]
    assert reading_of(question, passages) is not None
    assert reading_of(question + " ", passages) is None
    assert reading_of(question, [replace(passages[0], text="Other words."), *passages[1:]]) is None
    assert reading_of(question, passages[::-1]) is None


def test_clear_cases_are_read_here_as_they_were_recorded() -> None:
    rows = [msgspec.json.decode(line, type=Reading) for line in (BUNDLED / FILE).read_bytes().splitlines()]
    highest = MANNERS["reference-timid"].least
    clear = [row for row in rows if row.ranked[0][1] == highest][:4]
    assert len(clear) == 4
    for row in clear:
        question = QUESTIONS[row.question_id].text
        passages = [passage for passage, _ in Retriever(CORPUS).search(question, PASSAGES_READ)]
        place, probability = reference.read(question, passages)[0]
        assert place == row.ranked[0][0] and probability >= MANNERS["reference"].least
