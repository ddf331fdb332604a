"""What LlamaIndex, LangChain and Haystack return, by shape: stand-ins with the attributes of the real objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from surefoot.core.errors import Incomplete
from surefoot.core.types import Ask, Passage, Trace
from surefoot.io.traces import TraceReader
from surefoot.pipelines.traces import plain, trace_of_reply

ANSWER = "X is a tight mapping [p1#1]."
PASSAGES = (Passage("p1#1", "X is a tight mapping."), Passage("p2#1", "Y is another thing."))


class Model:
    """Attributes, and no more, as models of pydantic have them."""

    def __init__(self, **attributes: object) -> None:
        self.__dict__.update(attributes)


class MediaNode(Model):
    """LlamaIndex: a node with media refuses to tell its text in the short way."""

    @property
    def text(self) -> str:
        raise ValueError("Node must be a TextNode to get text.")


@dataclass
class Response:
    """LlamaIndex."""

    response: str | None
    source_nodes: list[Any] = field(default_factory=list)
    metadata: dict[str, Any] | None = None


@dataclass
class GeneratedAnswer:
    """Haystack."""

    data: str
    query: str
    documents: list[Any]
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass
class ChatMessage:
    """Haystack: what it holds lies behind properties."""

    _role: str
    _content: list[Any]

    @property
    def text(self) -> str:
        return str(self._content[0])


def document(passage: Passage) -> Model:
    return Model(id=None, page_content=passage.text, metadata={"id": passage.id, "source": "a.pdf"}, type="Document")


NODES = [Model(node=Model(node_id=p.id, text=p.text), node_id=p.id, text=p.text, score=0.5) for p in PASSAGES]
MEDIA = [MediaNode(node=Model(node_id=p.id, text_resource=Model(text=p.text)), score=0.5) for p in PASSAGES]
DOCUMENTS = [document(passage) for passage in PASSAGES]
FOUND = [Model(id=passage.id, content=passage.text, meta={}) for passage in PASSAGES]
MESSAGE = Model(content=ANSWER, type="ai", id="run-1")


def read(reply: object) -> Trace:
    return trace_of_reply(plain(reply), Ask("q1", "What is X?"), TraceReader())


@pytest.mark.parametrize(
    "reply",
    [
        Response(ANSWER, NODES),
        Response(ANSWER, MEDIA),
        {"input": "What is X?", "context": DOCUMENTS, "answer": ANSWER},
        {"context": DOCUMENTS, "answer": MESSAGE},
        {"query": "What is X?", "result": ANSWER, "source_documents": DOCUMENTS},
        {"messages": [Model(content="What is X?", type="human"), MESSAGE], "context": DOCUMENTS},
        {"answer_builder": {"answers": [GeneratedAnswer(ANSWER, "What is X?", FOUND)]}},
        {"llm": {"replies": [ANSWER], "meta": [{}]}, "retriever": {"documents": FOUND}},
        {"llm": {"replies": [ChatMessage("assistant", [ANSWER])]}, "retriever": {"documents": FOUND}},
        GeneratedAnswer(ANSWER, "What is X?", FOUND),
    ],
)
def test_the_answer_and_its_passages_are_found(reply: object) -> None:
    trace = read(reply)
    found = tuple(Passage(passage.id, passage.text) for passage in trace.retrieved or ())
    assert (trace.question_id, trace.answer, found) == ("q1", ANSWER, PASSAGES)


@pytest.mark.parametrize(
    "reply",
    [
        MESSAGE,
        Model(content=[{"type": "reasoning", "text": "Hm."}, {"type": "text", "text": ANSWER}]),
        Model(message=Model(content=ANSWER), usage={"total_tokens": 9}),
        Model(text=ANSWER),
    ],
)
def test_a_message_is_an_answer(reply: object) -> None:
    assert (read(reply).answer, read(reply).retrieved) == (ANSWER, None)


@pytest.mark.parametrize(
    "reply", [Response(None, NODES), {"retriever": {"documents": FOUND}}, {"llm": {"replies": []}}]
)
def test_passages_are_no_answer(reply: object) -> None:
    with pytest.raises(Incomplete, match="has no answer"):
        read(reply)


def test_a_reply_that_lacks_what_is_mapped_is_named() -> None:
    with pytest.raises(Incomplete, match="no field names the question"):
        trace_of_reply({"answer": ANSWER}, Ask("q1", "What is X?"), TraceReader({"question_id": "foo"}))
