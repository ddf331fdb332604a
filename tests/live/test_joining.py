"""Spans that come late, twice, in any order, and without end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.io.traces import Span, traces_of
from surefoot.live import joining
from surefoot.live.joining import Joiner

ROOT = Span("t", "1", question="The fee?", answer="Forty euros.", start="5")
SEARCH = Span("t", "2", "1", "retrieval", start="1")  # by its clock it came before what called it
MODEL = Span("t", "3", "1", "model", answer="Forty.", start="9")


@given(st.permutations([ROOT, SEARCH, MODEL, ROOT, MODEL]))
def test_order_and_repetition_do_not_matter(spans: list[Span]) -> None:
    joiner = Joiner(10)
    for second, span in enumerate(spans):
        joiner.add(span, second, 0)
    assert joiner.quiet(13.9) == []
    (found,) = joiner.quiet(14)
    assert sorted(found, key=lambda span: span.span_id) == [ROOT, SEARCH, MODEL]
    assert traces_of(found)["t", ""].answer == "Forty euros."
    joiner.settle(["t"])
    joiner.add(MODEL, 15, 0)
    assert joiner.quiet(99) == [] and joiner.late == 1 and len(joiner) == 0


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "_MOST_CHARACTERS", 10_000)
    monkeypatch.setattr(joining, "_MOST_SPANS", 5)
    joiner, early = Joiner(10), 0
    for number in range(100):
        joiner.add(Span(f"t{number}", "1", answer="x" * 1_000), 0, number)
        done = [spans[0].trace_id for spans in joiner.quiet(0)]
        joiner.settle(done)
        early += len(done)
    assert len(joiner) + early == 100 and len(joiner) <= 8 and joiner.first == 100 - len(joiner)
    for number in range(9):
        joiner.add(Span("circle", str(number)), 1, 0)
    assert joiner.late == 4
