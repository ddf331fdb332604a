"""Questions outside memory read like a list of them, from any process, and are found by id and text."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.types import Question
from surefoot.io import questions as question_store
from surefoot.io.questions import Places, Questions
from surefoot.scoring.run import QuestionIndex
from surefoot.text.normal import normalise

ASKED = [Question(f"q{n}", f"What is {n}?", "answer", gold_ids=(f"d#{n}",), metadata={"n": n}) for n in range(50)]


@pytest.fixture(params=[0, 300, 8 << 20], ids=["all on disk", "some on disk", "in memory"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Questions:
    monkeypatch.setattr(question_store, "_KEPT_IN_MEMORY", request.param)
    return Questions(ASKED)


def test_they_read_like_a_list(kept: Questions) -> None:
    assert list(kept) == ASKED == kept[:] and kept == ASKED
    assert (kept[0], kept[-1], kept[3:5], len(kept)) == (ASKED[0], ASKED[-1], ASKED[3:5], 50)
    assert list(kept.without([1, 3])) == [one for one in ASKED if one.id not in ("q1", "q3")]
    with pytest.raises(IndexError):
        kept[50]


def test_they_are_read_from_other_processes(kept: Questions) -> None:
    assert pickle.loads(pickle.dumps(kept)) == ASKED
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(kept.__getitem__, range(50))) == ASKED


WORDS = st.sampled_from(["a", "A", "b", "b ", "c  d", "C d", "é", "e\u0301"])


@given(st.lists(st.tuples(WORDS, WORDS), unique_by=lambda pair: pair[0]), WORDS | st.none(), WORDS | st.none())
def test_a_question_is_found_by_id_else_by_text_else_by_normal_text(
    made: list[tuple[str, str]], qid: str | None, text: str | None
) -> None:
    questions = [Question(name, words, "answer") for name, words in made]
    found = QuestionIndex(Questions(questions)).find(qid, text)
    by_id = [place for place, one in enumerate(questions) if one.id == qid]
    by_text = [place for place, one in enumerate(questions) if one.text == text]
    alike = [place for place, one in enumerate(questions) if text and normalise(one.text) == normalise(text)]
    expected = by_id or by_text or alike
    assert found == (expected[0] if len(expected) == 1 else QuestionIndex.AMBIGUOUS if expected else -1)


@given(st.lists(WORDS))
def test_shared_places_are_all_that_texts_share(texts: list[str]) -> None:
    shared = [group for group in Places(texts).shared() if len({texts[place] for place in group}) == 1]
    expected = [[place for place, one in enumerate(texts) if one == text] for text in dict.fromkeys(texts)]
    assert sorted(shared) == [group for group in expected if len(group) > 1]
