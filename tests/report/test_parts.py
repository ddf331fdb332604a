"""The parts of which pages are drawn: bands and ribbons, number lines, and the words that are marked."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.report.answers import excerpt
from surefoot.report.blocks import FLOW_ORDER, NumberLine
from surefoot.report.flow import HEIGHT, picture
from surefoot.report.glossary import TERMS, in_plain_words
from surefoot.table import TABLE

BUCKET = st.sampled_from(FLOW_ORDER)
NUMBER = st.floats(-3, 3)


@given(st.dictionaries(st.tuples(BUCKET, BUCKET), st.integers(1, 10_000)))
def test_a_flow_shows_every_answer_once_on_each_side(counts: dict[tuple[str, str], int]) -> None:
    drawn = picture(counts)
    assert {(one.before, one.after): one.count for one in drawn.ribbons} == counts
    for bands in (drawn.left, drawn.right):
        assert sum(band.count for band in bands) == sum(counts.values())
        assert all(one.y + one.height < other.y for one, other in pairwise(bands))
        assert all(band.y + band.height <= HEIGHT for band in bands)


def test_an_answer_that_became_bad_is_told_from_one_that_stayed() -> None:
    drawn = picture({("correct", "wrong"): 2, ("wrong", "wrong"): 1, ("wrong", "refused"): 1, ("wrong", "ungraded"): 1})
    kinds = {(one.before, one.after): one.kind for one in drawn.ribbons}
    assert kinds == {
        ("correct", "wrong"): "worse", ("wrong", "wrong"): "same", ("wrong", "refused"): "other",
        ("wrong", "ungraded"): "worse",
    }  # fmt: skip


@given(st.tuples(NUMBER, NUMBER, NUMBER), NUMBER, NUMBER)
def test_a_number_line_has_room_for_all_it_shows(ends: tuple[float, ...], limit: float, edge: float) -> None:
    low, value, high = sorted(ends)
    line = NumberLine("wrong", "", low, value, high, limit, edge)
    places = [line.at(one) for one in (low, value, high, limit, edge, 0.0)]
    assert all(0 <= place <= 100 for place in places)
    assert places[0] <= places[1] <= places[2]


@pytest.mark.parametrize("gap", [" ", "\n", "\n\n  "])
def test_a_quote_is_marked_in_its_passage_whatever_its_line_breaks(gap: str) -> None:
    passage = f"{'before ' * 200}The rent{gap}is EUR 900.{' after' * 200}"
    shown = excerpt(passage, "The rent is EUR 900.", "contradicted")
    before, marked, after = shown.pieces()
    assert marked == f"The rent{gap}is EUR 900." and shown.style == "contradicted"
    assert before.startswith("... ") and after.endswith(" ...") and len(shown.text) < 700


def test_a_quote_that_is_nowhere_stands_alone() -> None:
    shown = excerpt("The fee is EUR 5.", "The rent is EUR 900.", "supported")
    assert shown.pieces() == ("", "", "The rent is EUR 900.")
    assert excerpt("The fee is EUR 5.", "", "supported").text == "The fee is EUR 5."


@given(st.text(max_size=400), st.text(max_size=40), st.text(max_size=400))
def test_an_excerpt_marks_the_quote_and_changes_nothing(before: str, quote: str, after: str) -> None:
    shown = excerpt(before + quote + after, quote, "supported")
    assert "".join(shown.pieces()) == shown.text
    if quote.split():
        assert shown.pieces()[1].split() == quote.split()
        assert shown.pieces()[1] in before + quote + after


def test_every_reason_has_plain_words() -> None:
    for row in TABLE:
        assert in_plain_words(row.reason) != row.reason and "_" not in in_plain_words(row.reason)
    assert in_plain_words("contradicted, partial refusal") == "a passage says something else, and declines in part"
    assert in_plain_words("seen by Ann") == "seen by Ann"
    assert all(re.fullmatch(r"[A-Z].*\.", meaning) for meaning in TERMS.values())
