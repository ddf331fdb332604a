"""What can be scored can be graded too: the same rows, with the same passages under the same names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.types import Item, Passage, Retrieved, Trace
from surefoot.io.items import Ungradable, load_items
from tests.items import item_of

from ..conftest import Write
from .test_otel import genai, openinference
from .test_trace_shapes import SHAPES

RENT, NOTICE = "The annual rent is EUR 48,000.", "The tenant gives six months' notice."


def passages(retrieved: object, **more: object) -> list[tuple[str, str]]:
    item = item_of({"id": "i", "question": "What is the rent?", "answer": "x", "passages": retrieved, **more})
    return [(passage.id, passage.text) for passage in item.trace.sources]


@pytest.mark.parametrize(
    ("retrieved", "named"),
    [
        ([{"text": RENT}, {"text": NOTICE}], [("1", RENT), ("2", NOTICE)]),
        ([{"id": "a", "text": RENT}, {"id": None, "text": NOTICE}], [("a", RENT), ("2", NOTICE)]),
        ([{"id": "2", "text": RENT}, {"id": "", "text": NOTICE}], [("2", RENT), ("#2", NOTICE)]),
        ([{"id": "a", "text": RENT}, {"id": "a", "text": NOTICE}], [("a", f"{RENT}\n\n{NOTICE}")]),
        ([{"id": "a", "text": RENT}, {"id": "a", "text": RENT}], [("a", RENT)]),
        ([RENT, NOTICE], [("1", RENT), ("2", NOTICE)]),
        ([{"page_content": RENT, "metadata": {"source": "lease.pdf"}}], [("lease.pdf", RENT)]),
        ([{"page_content": RENT, "id": None, "metadata": {"source": "l.pdf", "chunk_id": 7}}], [("7", RENT)]),
        ([{"lc": 1, "id": ["langchain"], "kwargs": {"page_content": RENT, "metadata": {"id": "c"}}}], [("c", RENT)]),
        ([{"node": {"id_": "n", "text": RENT}, "score": 0.5}], [("n", RENT)]),
        ([{"id": "n", "payload": {"text": RENT}}], [("n", RENT)]),
        ([{"document": {"id": "d", "content": RENT}}], [("d", RENT)]),
        ([{"context": RENT, "source": "lease.pdf"}], [("lease.pdf", RENT)]),
    ],
)  # fmt: skip
def test_each_passage_has_a_name_of_its_own(retrieved: object, named: list[tuple[str, str]]) -> None:
    assert passages(retrieved) == named


def test_ids_and_texts_in_two_lists_belong_together() -> None:
    row = {"user_input": "What is the rent?", "response": "x", "retrieved_contexts": [RENT, NOTICE]}
    both = item_of({"id": "i", **row, "retrieved_context_ids": ["a", 7]})
    assert both.trace.sources == (Passage("a", RENT), Passage("7", NOTICE))
    nothings: list[object] = [[], None]
    for nothing in nothings:
        bare = item_of({"id": "i", **row, "retrieved_context_ids": nothing})
        assert [passage.text for passage in bare.trace.sources] == [RENT, NOTICE] and not bare.trace.error
    one = item_of({"id": "i", **row, "retrieved_context_ids": ["a"]})
    assert one.trace.error == "the log has 1 ids of retrieved passages and 2 texts"


def test_a_passage_keeps_its_document_and_page() -> None:
    item = item_of(
        {"id": "i", "question": "q", "answer": "x", "passages": [{"id": "a", "text": RENT, "doc": "Lease", "page": 2}]}
    )
    assert item.trace.retrieved == (Passage("a", RENT, "Lease", 2),)


def test_a_log_of_texts_has_names_but_no_ids() -> None:
    retrieved = Retrieved([Passage("", RENT), Passage("b", NOTICE)])
    assert retrieved.ids is None and retrieved.names == ("1", "b")
    assert Trace().sources == () and Trace().names == ()


def test_the_answer_that_was_wanted_is_the_gold() -> None:
    ragas = {"user_input": "q", "response": "x", "retrieved_contexts": [RENT], "reference_context_ids": ["a"]}
    known = item_of({"id": "i", **ragas, "reference": "EUR 48,000"}).question
    assert (known.gold_claims, known.gold_ids, known.expects) == (("EUR 48,000",), ("a",), "answer")
    silent = item_of({"id": "i", **ragas, "reference": "The documents do not say."}).question
    assert (silent.gold_claims, silent.expects) == ((), "refusal")


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_scored_can_be_graded(name: str, write: Write) -> None:
    """The same shapes; where a log has only the ids of passages, that is said and nothing is graded."""
    (found,) = load_items(write("traces.jsonl", [SHAPES[name]]))
    if isinstance(found, Ungradable):
        message = found.problem.message
        assert "number 1 has no text" in message or ("the row has no question" in message and found.id == "q1")
    else:
        assert found.question.text == "What is X?" and found.trace.answer


@pytest.mark.parametrize("spans", [openinference(), genai()], ids=["OpenInference", "GenAI"])
@pytest.mark.parametrize("kind", ["export", "lines"])
def test_spans_are_graded_under_the_id_of_their_trace(spans: list[dict[str, Any]], kind: str, tmp_path: Path) -> None:
    text = json.dumps(spans).replace("retrieval.documents.0.document.id", "retrieval.documents.0.document.content")
    told = json.loads(
        text.replace("retrieval.documents.1.document.id", "x").replace('\\"score\\":1', '\\"content\\":\\"X.\\"')
    )
    path = tmp_path / "spans.jsonl"
    export = {"resourceSpans": [{"scopeSpans": [{"spans": told}]}]}
    path.write_text("\n".join(map(json.dumps, [export] if kind == "export" else told)), encoding="utf-8")
    (item,) = load_items(path)
    assert isinstance(item, Item), item
    assert (item.question.id, item.question.text) == (spans[0]["traceId"], "What is X?")
    assert [bool(passage.text) for passage in item.trace.sources] == [True]


def test_phoenix_rows_and_rows_without_an_id(write: Write) -> None:
    documents = [{"document.content": RENT, "document.score": 0.5}, {"document.content": NOTICE}]
    rows = [
        {"context.trace_id": "t", "parent_id": "a", "attributes.retrieval.documents": documents},
        {"context.trace_id": "t", "attributes": json.dumps({"input.value": "q", "output.value": "x"})},
        {"user_input": "q", "response": "x", "retrieved_contexts": [RENT]},
    ]  # fmt: skip
    plain, joined = load_items(write("rows.jsonl", rows))
    assert isinstance(plain, Item) and isinstance(joined, Item)
    assert (plain.question.id, joined.question.id) == ("1", "t")
    assert joined.trace.sources == (Passage("1", RENT), Passage("2", NOTICE))
