from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surefoot.text.sentences import sentences


@given(st.text(alphabet=st.characters(codec=None), max_size=60))
def test_no_text_is_lost_and_none_breaks_it(text: str) -> None:
    assert sum(map(len, sentences(text))) == len(text)


def test_what_once_broke_the_library() -> None:
    assert sentences("B\u00a0. a\ud800") == ["B . a\ufffd"]


def test_sentences_are_cut() -> None:
    assert [piece.strip() for piece in sentences("It costs 5.2 EUR. Mr. Hall pays.")] == [
        "It costs 5.2 EUR.",
        "Mr. Hall pays.",
    ]
