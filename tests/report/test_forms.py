"""Every form of a report shows every block, and a terminal never runs over its edge."""

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from surefoot.report import blocks, html, markdown, terminal
from surefoot.report.blocks import Block, Report, Section, Span, Table


def on_terminal(report: Report, width: int = 80) -> str:
    out = StringIO()
    terminal.show(report, Console(file=out, width=width, force_terminal=True, color_system=None, highlight=False))
    return out.getvalue()


def all_forms(*body: Block) -> tuple[str, str, str]:
    def made() -> Report:
        return Report("title", (blocks.Headline("SHIP", ("the sentence",)),), body)

    return on_terminal(made()), "\n".join(markdown.lines(made())), html.page(made())


@pytest.mark.parametrize(
    "block",
    [
        blocks.Paragraph(("before", Span("the words", "strong"))),
        blocks.Quote("the words"),
        blocks.Items([Span("the words", "quiet")]),
        Table(("head",), [("the words",)]),
        blocks.Bars(("side",), [("", [("the words", {"correct": 1, "refused": 0, "unsupported": 0, "wrong": 0})])]),
        blocks.Columns(((blocks.Paragraph("the words"),), (blocks.Paragraph("others"),))),
        blocks.Cases(("head",), [blocks.Case(("the words",), "the words", (blocks.Quote("inside"),))], total=1),
        Section("the words", (blocks.Paragraph("inside"),)),
    ],
    ids=lambda block: type(block).__name__,
)
def test_every_form_shows_every_block(block: Block) -> None:
    for shown in all_forms(block):
        assert "the words" in shown and "SHIP" in shown and "the sentence" in shown


def test_the_decision_comes_first_on_paper_and_last_on_a_terminal() -> None:
    shown, text, page = all_forms(blocks.Paragraph("the body"))
    assert shown.rstrip().endswith("SHIP - the sentence")
    assert text.index("**SHIP** - the sentence") < text.index("the body")
    assert page.index("SHIP") < page.index("the body") and "<title>title: SHIP</title>" in page


def test_a_terminal_says_how_to_see_what_is_folded() -> None:
    shown, text, page = all_forms(Section("more", (blocks.Paragraph("inside"),), "folded", "more: --details"))
    assert "inside" not in shown and "more: --details" in shown
    assert "<details><summary>more</summary>" in text and "inside" in text and "inside" in page


def test_what_is_cut_is_counted() -> None:
    lines = [f"line {number}" for number in range(9)]
    shown, text, page = all_forms(blocks.Items(lines, total=1_009, limits={"terminal": 2, "markdown": 3}))
    assert "line 1" in shown and "line 2" not in shown and "and 1,007 more, all of them in --json" in shown
    assert "line 2" in text and "line 3" not in text and "- and 1,006 more" in text
    assert "line 8" in page and " more" not in page.partition("<body>")[2]


def test_cells_are_wrapped_for_a_person_and_whole_in_a_log() -> None:
    table = Table(("rule", "why", "on paper"), [("a rule", "words " * 20, "p")], on_paper=1)
    shown = on_terminal(Report("t", (), (table,)), 40).splitlines()
    assert shown[:2] == ["rule    why", "a rule  words words words words words"] and len(shown) == 5
    out = StringIO()
    terminal.show(Report("t", (), (table,)), Console(file=out, width=40, highlight=False))
    assert out.getvalue().splitlines()[1] == ("a rule  " + "words " * 20).rstrip()


CELL = st.text("ab (", max_size=30)


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=4), st.integers(36, 120))
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost(rows: list[tuple[str, ...]], width: int) -> None:
    shown = on_terminal(Report("t", (), (Table(("one", "two", "three"), rows),)), width)
    assert all(len(line) <= width for line in shown.splitlines())
    for row in rows:
        assert sum(shown.count(letter) for letter in "ab") >= sum(cell.count(letter) for cell in row for letter in "ab")
