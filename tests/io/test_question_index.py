"""Questions are found by id and text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.types import Question
from surefoot.scoring.run import QuestionIndex
from surefoot.text.normal import normalise

WORDS = st.sampled_from(["a", "A", "b", "b ", "c  d", "C d", "é", "e\u0301"])


@given(st.lists(st.tuples(WORDS, WORDS), unique_by=lambda pair: pair[0]), WORDS | st.none(), WORDS | st.none())
def test_a_question_is_found_by_id_else_by_text_else_by_normal_text(
    made: list[tuple[str, str]], qid: str | None, text: str | None
) -> None:
    questions = [Question(name, words, "answer") for name, words in made]
    found = QuestionIndex(questions).find(qid, text)
    by_id = [place for place, one in enumerate(questions) if one.id == qid]
    by_text = [place for place, one in enumerate(questions) if one.text == text]
    alike = [place for place, one in enumerate(questions) if text and normalise(one.text) == normalise(text)]
    expected = by_id or by_text or alike
    assert found == (expected[0] if len(expected) == 1 else QuestionIndex.AMBIGUOUS if expected else -1)
