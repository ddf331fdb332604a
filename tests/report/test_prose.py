"""Markdown in foreign texts: shown as it is meant, and unable to do anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from surefoot.report.prose import Mark, rendered

_SIGNS = st.sampled_from(
    ["*", "**", "_", "`", "```", "#", "> ", "- ", "1. ", "|", "|---|", "\n", "\n\n", "    ", "\t", "\\"]
)
MARKDOWN = st.lists(_SIGNS | st.text("ab1é <&[]()!:/", max_size=6), max_size=40).map("".join)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It is **red** and *old*.", "It is <strong>red</strong> and <em>old</em>."),
        ("## Doors\nThe `hinges`", "<strong>Doors</strong>\nThe <code>hinges</code>"),
        ("- red\n- blue", "- red\n- blue"),
        ("```\na  b\n```", "```\na  b\n```"),
        ("2 * 3 * 4, a_b_c, #5", "2 * 3 * 4, a_b_c, #5"),
        ("2*3 and 4*5, **no**t", "2*3 and 4*5, **no**t"),
        ("[a](//x) ![b](//y) <i>c</i>", "[a](//x) ![b](//y) &lt;i&gt;c&lt;/i&gt;"),
    ],
)
def test_what_is_written_is_what_is_meant(text: str, shown: str) -> None:
    assert rendered(text) == shown


def test_a_table_is_a_table_and_an_empty_head_is_none() -> None:
    shown = rendered("| | Colour |\n|---|---|\n| Door | **red** |")
    assert '<tr><td></td><th scope="col">Colour</th></tr>' in shown
    assert "<tr><td>Door</td><td><strong>red</strong></td></tr>" in shown


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("| a |\n|---|\n| b | lost |", '<tr><th scope="col">a</th></tr><tr><td>b</td><td>lost</td></tr>'),
        ("| a \\| b |\n|---|\n| c |", '<tr><th scope="col">a \\| b</th></tr><tr><td>c</td></tr>'),
        ("Sizes:\n| a | 1 |\n| b | 2 |\nEnd", "<tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr>"),
    ],
)
def test_rows_between_pipes_are_a_table(text: str, rows: str) -> None:
    assert f"<table>{rows}</table>" in rendered(text)


def test_marks_go_around_and_into_bold_words() -> None:
    around, inside = Mark(0, 9, Markup("<i>{}</i>")), Mark(4, 5, Markup("<b>{}</b>"))
    assert rendered("a **bcd** e", [around], [inside]) == "<i>a <strong><b>b</b>cd</strong></i> e"


@given(MARKDOWN)
def test_every_word_is_shown_in_its_place(text: str) -> None:
    marks = [Mark(at, at + 3, Markup("<mark>{}</mark>")) for at in range(0, len(text), 5)]
    for shown in (rendered(text), rendered(text, marks), rendered(text, (), marks)):
        assert list(filter(str.isalnum, shown.striptags())) == list(filter(str.isalnum, text))
