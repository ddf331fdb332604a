"""The tables of words that come with the package: everything in them compiles and is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot
from surefoot.text.normal import nearest, phrase, rows, words_of

SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in Path(surefoot.__file__).parent.rglob("*.py"))
PHRASES, REFUSALS = words_of("phrases"), words_of("refusals")


@pytest.mark.parametrize("name", PHRASES["phrases"])
def test_every_phrase_compiles_and_is_used(name: str) -> None:
    assert not re.search(r"<[A-Z]+>", phrase(name).pattern)
    assert f'phrase("{name}")' in SOURCE


@pytest.mark.parametrize("table", [PHRASES, REFUSALS], ids=["phrases", "refusals"])
def test_every_part_is_used(table: dict[str, dict[str, str]]) -> None:
    texts = " ".join([*table["parts"].values(), *table.get("phrases", table.get("rules", {})).values(), SOURCE])
    assert [name for name in table["parts"] if f"<{name}>" not in texts] == []


def test_every_word_class_is_used() -> None:
    rules = " ".join([*REFUSALS["parts"].values(), *REFUSALS["rules"].values(), REFUSALS["hints"], SOURCE])
    assert [name for name in REFUSALS["classes"] if not re.search(rf"\b{name}\b", rules)] == []


SAID = "I cannot Tell you THE fee İt is not in Your Document, which however may See Café’s lease? Please ASK us 5"


@given(st.sampled_from(list(PHRASES["phrases"])), st.lists(st.sampled_from(SAID.split()), max_size=12).map(" ".join))
def test_a_phrase_stands_where_it_stands_in_any_case(name: str, text: str) -> None:
    expected = re.compile(phrase(name).pattern, re.IGNORECASE)
    for found, other in (
        (phrase(name).search(text), expected.search(text)),
        (phrase(name).match(text), expected.match(text)),
    ):
        assert (found and found.span()) == (other and other.span())


def test_an_indented_line_continues_the_row_before() -> None:
    assert rows("\nfirst|\n    second\nthird\n") == ["first|second", "third"]


def test_the_nearest_text_shares_most_words() -> None:
    texts = ["Bicycles travel free.", "A day ticket costs 18 marks.", "Children travel free."]
    assert nearest(texts, {"ticket", "18"}) == texts[1]
    assert nearest([], {"ticket"}) == ""
