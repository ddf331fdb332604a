"""A row that is scored by its keys alone gets the outcome that `outcomes.read` gives the trace in it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core.types import Passage, Question, Retrieved, Trace
from surefoot.io import traces
from surefoot.io.rows import Lines
from surefoot.scoring.outcomes import Expected, read
from surefoot.scoring.run import BlockScorer
from surefoot.text.citations import locate, parse
from surefoot.text.refusals import MODES

IDS = ("a#1", "b#2", "doc 3", "7", "1", "§", "ſ", "İd", "p.4", "lease.pdf#4", "none1", "12-13")
PIECES = (
    "The fee is ten", "the FEE  is\nten", "It is not true that the fee is ten", " is false", "thirty days", "ten",
    "citations: [a#1]", "Citations: [b#2]", "citations: [a#1, b#2]", "citations: []", "citations: [z#9]", "[^b#2]",
    "sources: a#1", "[a#1]", "[ a#1 ]", "[z#9]", "[1]", "[1-2]", "【a#1】", "(a#1)", "(doc, p. 4)", "section 4", "§ 4",
    "citations: [1, 2]", "citations: [none, a#1]", "citations: [p.4, a#1]", "(entry 5)", "(see a#1)", "(a (b) c)",
    "[1] a#1", "[^1]: b#2", "ſource: a#1", "cited source = b#2", "references:\n- a#1\n- doc 3", "[a#1](http://x)",
    "not in context", "NOT in context.", "I don't know", "I don’t know.", "N/A", "na", "can t answer", "out of scope",
    "answer: none", '"found": false', "result = nıl", "The documents do not say.", "Nicht im Text.", "no", "knot", "İ",
    "Σ", "e\u0301no", "_na_", "{", "[", "]", ":", "\n", " ", "\u200b", "\0", ".", ",", "-", "", "'", "n't", "you", "ſ",
    "7not", "p. 4", "x = y",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=6).map(" ".join) | st.lists(
    st.sampled_from(PIECES) | st.text(max_size=3), max_size=5
).map("".join)
ids = st.lists(st.sampled_from(IDS) | st.text(min_size=1, max_size=3), max_size=4)
questions = st.builds(
    Question,
    id=st.just("q"),
    text=st.just("q?"),
    expects=st.sampled_from(["answer", "refusal"]),
    gold_ids=st.lists(st.sampled_from(IDS), max_size=2).map(tuple),
    gold_claims=st.lists(st.sampled_from(PIECES) | st.text(max_size=9), max_size=2).map(tuple),
)


def lines(*rows: dict[str, Any]) -> Lines:
    return Lines("log", 1, b"\n".join(json.dumps(row).encode("utf-8", "surrogatepass") for row in rows))


@pytest.mark.parametrize("mode", MODES)
@given(questions, texts, st.none() | ids, st.booleans())
@settings(max_examples=200)
def test_a_row_of_plain_texts_is_what_its_trace_is(
    mode: str, asked: Question, answer: str, retrieved: list[str] | None, bare: bool
) -> None:
    row: dict[str, Any] = {"q": "q?", "answer": answer}
    if retrieved is not None:
        row["chunks"] = retrieved if bare else [{"id": one, "text": "section 4\nfee"} for one in retrieved]
    scorer = pickle.loads(pickle.dumps(BlockScorer([asked], None, mode, keep_rows=False)))
    first, second = (next(iter(scorer(lines(row)).outcomes)) for _ in range(2))  # when it is new, and when it is known
    text = "" if bare else "section 4\nfee"
    passages = None if retrieved is None else Retrieved(Passage(one, text) for one in retrieved)
    if not answer.startswith(("{", "[")):
        assert read(Expected.of(asked), Trace("q", None, answer, passages), MODES[mode]).outcome == second
    assert first == second


FORMS: tuple[Callable[[str, list[str], Any], dict[str, Any]], ...] = (
    lambda text, ids, cited: {"question": "q?", "retrieval": {"topk": ids},
                              "answer": {"text": text, "citations": cited}},
    lambda text, ids, cited: {"q": "q?", "raw": json.dumps({"claim": text, "citations": cited}), "chunks": ids},
    lambda text, ids, cited: {"q": "q?", "answer": text, "chunks": ids, "citations": cited, "error": None},
    lambda text, ids, cited: {"q": "q?", "answer": text, "parsed": {"citations": cited}, "chunks": ids},
    lambda text, ids, cited: {"user_input": "q?", "response": text, "retrieved_context_ids": ids,
                              "retrieved_contexts": ["section 4"] * 2},
    lambda text, ids, cited: {"messages": [{"role": "user", "content": "q?"}, {"role": "assistant", "content": text}],
                              "chunks": ids},
    lambda text, ids, cited: {"question": "q?", "chunks": [{"id": one, "text": "ten"} for one in ids],
                              "response": {"role": "assistant", "content": [{"type": "text", "text": text,
                                           "citations": [{"document_title": one} for one in cited or ()]}]}},
    lambda text, ids, cited: {"question": "q?", "response": {"answer": text, "context": ids}, "citations": cited},
    lambda text, ids, cited: {"q": "q?", "answer": text, "chunks": ids, "error": cited and "timeout"},
    lambda text, ids, cited: {"question": ["q?"], "input": text, "output": text, "retrieved": ids, "sources": cited},
)  # fmt: skip


@given(questions, st.sampled_from(FORMS), st.lists(st.tuples(texts, ids, st.none() | ids), min_size=1, max_size=4))
@settings(max_examples=200)
def test_a_row_of_a_form_that_was_met_is_read_like_any_other(
    asked: Question, form: Callable[..., dict[str, Any]], told: list[Any]
) -> None:
    log = lines(*({"q": "q?", "answer": "ten"}, *(form(*one) for one in told), *(form(*one) for one in told)))
    by_form, singly = BlockScorer([asked], None, "detect", keep_rows=True), BlockScorer([asked], None, "detect", True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traces, "_form", lambda *_: None)
        expected = singly(log)
    assert by_form(log).table == expected.table


@given(texts, ids, ids)
@settings(max_examples=300)
def test_what_an_answer_cites_is_what_is_located_in_it(answer: str, retrieved: list[str], gold: list[str]) -> None:
    marks = locate(answer, retrieved, gold)
    found = tuple(dict.fromkeys(one for mark in marks for one in mark.ids)) if marks else None
    assert parse(answer, retrieved, gold) == found


def test_odd_rows_among_plain_ones_are_counted_where_they_stand() -> None:
    asked = [Question("q", "q?", "answer", gold_ids=("a#1",))]
    plain = {"q": "q?", "answer": "ten [a#1]", "chunks": ["a#1"]}
    odd: list[dict[str, Any]] = [
        {**plain, "answer": ["ten [a#1]"]},
        {**plain, "chunks": "a#1"},
        {**plain, "q": 5},
        {**plain, "chunks": [5]},
    ]
    found = BlockScorer(asked, None, "detect", keep_rows=True)(lines(plain, *odd, plain))
    assert (found.rows, list(found.lines), len(found.table)) == (6, [1, 2, 3, 5, 6], 5)
    assert [problem.line for problem in found.problems.all_named] == [4]
