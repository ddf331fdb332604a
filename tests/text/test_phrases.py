"""The tables of words that come with the package: everything in them compiles and is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import surefoot
from surefoot.text.normal import nearest, phrase, rows, words_of
from surefoot.text.personal import _FORMS as FORMS

SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in Path(surefoot.__file__).parent.rglob("*.py"))
PHRASES, REFUSALS, PRIVATE = words_of("phrases"), words_of("refusals"), words_of("private")


@pytest.mark.parametrize("name", PHRASES["phrases"])
def test_every_phrase_compiles_and_is_used(name: str) -> None:
    assert not re.search(r"<[A-Z]+>", phrase(name).pattern)
    assert f'phrase("{name}")' in SOURCE


@pytest.mark.parametrize("name", PRIVATE["forms"])
def test_every_form_of_personal_data_compiles_and_is_used(name: str) -> None:
    assert re.compile(FORMS[name].pattern) and not re.search(r"<[A-Z]+>", FORMS[name].pattern)
    assert f'_FORMS["{name}"]' in SOURCE or re.search(rf"\b{name}=", SOURCE)


@pytest.mark.parametrize(
    ("table", "inside"),
    [(PHRASES, "phrases"), (REFUSALS, "rules"), (PRIVATE, "forms")],
    ids=["phrases", "refusals", "private"],
)
def test_every_part_is_used(table: dict[str, dict[str, str]], inside: str) -> None:
    texts = " ".join([*table["parts"].values(), *table[inside].values(), SOURCE])
    assert [name for name in table["parts"] if f"<{name}>" not in texts] == []


def test_every_word_class_is_used() -> None:
    rules = " ".join([*REFUSALS["parts"].values(), *REFUSALS["rules"].values(), REFUSALS["hints"], SOURCE])
    assert [name for name in REFUSALS["classes"] if not re.search(rf"\b{name}\b", rules)] == []


def test_an_indented_line_continues_the_row_before() -> None:
    assert rows("\nfirst|\n    second\nthird\n") == ["first|second", "third"]


def test_the_nearest_text_shares_most_words() -> None:
    texts = ["Bicycles travel free.", "A day ticket costs 18 marks.", "Children travel free."]
    assert nearest(texts, {"ticket", "18"}) == texts[1]
    assert nearest([], {"ticket"}) == ""
