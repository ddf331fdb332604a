"""Markdown in foreign texts: shown as it is meant, and unable to do anything."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from surefoot.report.prose import Piece, plain_markdown, rendered

_SIGNS = st.sampled_from(
    ["*", "**", "_", "`", "```", "#", "> ", "- ", "1. ", "|", "|---|", "\n", "\n\n", "    ", "\t", "\\"]
)
MARKDOWN = st.lists(_SIGNS | st.text("ab1é <&[]()!:/", max_size=6), max_size=40).map("".join)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It is **red** and *old*.", "<p>It is <strong>red</strong> and <em>old</em>.</p>"),
        ("## Doors\nThe `hinges`", '<p class="heading">Doors</p><p>The <code>hinges</code></p>'),
        ("- red\n- blue", "<ul><li>red</li><li>blue</li></ul>"),
        ("3. red\n4. blue", '<ul class="numbered"><li>3. red</li><li>4. blue</li></ul>'),
        ("one\ntwo", "<p>one\ntwo</p>"),
        ("```\na  b\n```", "<pre>a  b</pre>"),
        ("~~~json\n{}\n~~~\nend", "<pre>~~~json\n{}</pre><p>end</p>"),
        ("2 * 3 * 4, a_b_c, #5", "<p>2 * 3 * 4, a_b_c, #5</p>"),
        ("2*3 and 4*5, **no *it***", "<p>2*3 and 4*5, <strong>no </strong><strong><em>it</em></strong></p>"),
        ("[a](//x) ![b](//y) <i>c</i>", "<p>[a](//x) ![b](//y) &lt;i&gt;c&lt;/i&gt;</p>"),
        ("[a]: //x", "<p>[a]: //x</p>"),
        ("    indented", "<p>indented</p>"),
    ],
)
def test_what_is_written_is_what_is_meant(text: str, shown: str) -> None:
    assert plain_markdown(text) == shown


def test_a_table_is_a_table_and_an_empty_head_is_none() -> None:
    shown = plain_markdown("| | Colour |\n|---|---|\n| Door | **red** |")
    assert '<tr><td></td><th scope="col">Colour</th></tr>' in shown
    assert "<tr><td>Door</td><td><strong>red</strong></td></tr>" in shown


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("| a |\n|---|\n| b | lost |", "<tr><td>a</td></tr><tr><td>b</td><td>lost</td></tr>"),
        ("| a \\| b |\n|---|\n| c |", "<tr><td>a \\| b</td></tr><tr><td>c</td></tr>"),
        ("Sizes:\n| a | 1 |\n| b | 2 |\nEnd", "<tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr>"),
    ],
)
def test_rows_between_pipes_are_a_table_even_where_markdown_has_none(text: str, rows: str) -> None:
    assert f"<table>{rows}</table>" in plain_markdown(text)


@pytest.mark.parametrize("text", ["> " * 200 + "deep", "x " * 20_000])
def test_a_text_that_would_lose_words_is_shown_as_it_is(text: str) -> None:
    assert plain_markdown(text) == escape(text)


@given(MARKDOWN)
def test_pieces_come_in_order_and_have_every_word(text: str) -> None:
    seen: list[Piece] = []

    def paint(pieces: Sequence[Piece]) -> Markup:
        seen.extend(pieces)
        return Markup("").join(escape(text[piece.start : piece.end]) for piece in pieces)

    shown = rendered(text, paint)
    if seen[-1:] != [Piece(0, len(text))]:  # else it is shown as it is
        assert all(before.end <= after.start for before, after in pairwise(seen))
    assert list(filter(str.isalnum, shown.striptags())) == list(filter(str.isalnum, text))
