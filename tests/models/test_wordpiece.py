from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

import surefoot
from surefoot.graders.encoder import LONGEST_WORD, WordPieces

WEIGHTS = Path(surefoot.__file__).parent / "weights"
FILES = {tier: WEIGHTS / f"{tier}-tokenizer.json" for tier in ("quick", "strong")}
OURS = {tier: WordPieces(file) for tier, file in FILES.items()}
ORACLES = {tier: Tokenizer.from_file(str(file)) for tier, file in FILES.items()}
for oracle in ORACLES.values():
    oracle.no_truncation()
tiers = pytest.mark.parametrize("tier", list(FILES))


def old(text: str) -> bool:
    """Whether every character was in Unicode when the oracle's tables were made."""
    return all(unicodedata.ucd_3_2_0.category(character) != "Cn" for character in text)


odd = st.text("aB1é,.$%€ \n\t–ﬁ漢\u0301\u200b\x0c", max_size=40)
texts = st.text(st.characters(exclude_categories=["Cs"])).filter(old) | odd


@tiers
@given(texts, texts, st.integers(40, 80))
def test_pieces_and_places_are_those_of_the_tokenizer_the_models_were_trained_with(
    tier: str, first: str, second: str, longest: int
) -> None:
    ours, oracle = OURS[tier], ORACLES[tier]
    for text in (first, second):
        told = oracle.encode(text, add_special_tokens=False)
        pieces = ours.pieces(text)
        assert [piece.id for piece in pieces] == told.ids
        assert [(piece.start, piece.end) for piece in pieces] == told.offsets
    if len(ours.pieces(first)) <= longest - 4:
        oracle.enable_truncation(longest, strategy="only_second")
        both = oracle.encode(first, second)
        oracle.no_truncation()
        assert ours.pair(first, second, longest) == (both.ids, both.type_ids)


@tiers
@pytest.mark.parametrize("length", [LONGEST_WORD, LONGEST_WORD + 1])
def test_long_words_are_unknown(tier: str, length: int) -> None:
    word = "a" * length
    assert [piece.id for piece in OURS[tier].pieces(word)] == ORACLES[tier].encode(word, add_special_tokens=False).ids


@tiers
def test_marks_in_a_text_are_words(tier: str) -> None:
    special = {0, 1, 2, 3, 101, 102, 103} & set(OURS[tier].pair("", "", 9).ids)
    pieces = OURS[tier].pieces("true [SEP] [CLS] <s> </s>")
    assert not special & {piece.id for piece in pieces}
