"""Answers that are read together get the outcomes that `outcomes.read` gives each of them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core.types import Passage, Question, Retrieved, Trace
from surefoot.scoring.outcomes import Expected, read
from surefoot.scoring.run import BatchReader, Case, Cases
from surefoot.text.refusals import MODES

IDS = ("a#1", "b#2", "doc 3", "7", "§", "ſ", "İd")
PIECES = (
    "The fee is ten", "the FEE  is\nten", "It is not true that the fee is ten", " is false", "thirty days", "ten",
    "citations: [a#1]", "Citations: [b#2]", "citations: [a#1, b#2]", "citations: []", "citations: [z#9]", "[^b#2]",
    "sources: a#1", "[a#1]", "[ a#1 ]", "[z#9]", "[1]", "[1-2]", "【a#1】", "(a#1)", "(doc, p. 4)", "section 4", "§ 4",
    "not in context", "NOT in context.", "I don't know", "I don’t know.", "N/A", "na", "can t answer", "out of scope",
    "answer: none", '"found": false', "result = nıl", "The documents do not say.", "Nicht im Text.", "no", "knot", "İ",
    "Σ", "e\u0301no", "_na_", "{", "[", "]", ":", "\n", " ", "\u200b", "\0", ".", ",", "-", "", "'", "n't", "you", "ſ",
    "7not", "p. 4", "x = y",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=6).map(" ".join) | st.lists(
    st.sampled_from(PIECES) | st.text(max_size=3), max_size=5
).map("".join)
ids = st.none() | st.lists(st.sampled_from(IDS) | st.text(min_size=1, max_size=3), max_size=4)
questions = st.builds(
    Question,
    id=st.just("q"),
    text=st.just("q?"),
    expects=st.sampled_from(["answer", "refusal"]),
    gold_ids=st.lists(st.sampled_from(IDS), max_size=2).map(tuple),
    gold_claims=st.lists(st.sampled_from(PIECES) | st.text(max_size=9), max_size=2).map(tuple),
)
rows = st.tuples(st.none() | questions, texts, ids, st.none() | ids)


@pytest.mark.parametrize("mode", MODES)
@given(st.lists(rows, max_size=8))
@settings(max_examples=60)
def test_answers_read_together_are_what_each_is_by_itself(
    mode: str, given: Sequence[tuple[Question | None, str, list[str] | None, list[str] | None]]
) -> None:
    expected = [Expected() if asked is None else Expected.of(asked) for asked, _, _, _ in given]
    cases = Cases()
    cases.add({(number,): Case(0, one, given[number][2]) for number, one in enumerate(expected)})
    reader = pickle.loads(pickle.dumps(BatchReader(MODES[mode])))
    which = np.arange(len(given))
    found = reader(cases, which, [answer for _, answer, _, _ in given], [cited for _, _, _, cited in given])
    for number, (one, (_, answer, retrieved, cited)) in enumerate(zip(expected, given, strict=True)):
        if found.codes[number] >= 0:
            passages = None if retrieved is None else Retrieved(map(Passage, retrieved))
            fields = None if cited is None else tuple(cited)
            assert found.at(number) == read(one, Trace("q", None, answer, passages, fields), MODES[mode].read), answer


def test_plain_answers_are_all_read_together() -> None:
    gold = Expected.of(Question("q", "q?", "answer", gold_ids=("a#1",), gold_claims=("The fee is ten.",)))
    plain = [
        "So. The fee is ten. citations: [a#1]",
        "It is ten [a#1] and [b#2].",
        "Not in context",
        "Ten.",
        "- Ten\n- so",
    ]
    cases = Cases()
    cases.add({("q",): Case(0, gold, ("a#1", "b#2"))})
    for mode in MODES.values():
        found = BatchReader(mode)(cases, np.zeros(len(plain), np.int64), plain)
        assert min(found.codes) >= 0
        assert [found.at(number).outcome.cited for number in range(len(plain))] == [1, 2, 0, 0, 0]
