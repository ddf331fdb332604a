"""Our own pipelines and the retriever under them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from surefoot.core.types import Ask, Passage, Retrieved, Trace
from surefoot.datasets import demo
from surefoot.pipelines.retriever import Retriever
from surefoot.pipelines.specs import load
from surefoot.text import citations, refusals

CORPUS = demo.corpus()
QUESTIONS = demo.questions()
SOME = QUESTIONS[::10]  # each takes the model half a second
PASSAGES = [
    Passage("a#1", "The tenant may end the lease on sixty (60) days' written notice.", "Lease of Unit 4"),
    Passage("a#2", "The rent is due on the first working day of each month.", "Lease of Unit 4"),
    Passage(
        "b#1", "The fees are:\n\n| Service | Fee (EUR) |\n|---|---|\n| Cleaning | 120 |\n| Guarding | 340 |", "Tariff"
    ),
]


def answers(name: str) -> dict[str, Trace]:
    pipeline = load(name, corpus=CORPUS)
    return {q.id: pipeline.answer(Ask(q.id, q.text, q.retrieval)) for q in SOME}


def said_rightly(traces: dict[str, Trace]) -> int:
    """Answers that cite a gold passage, less those to questions without an answer."""
    total = 0
    for question in SOME:
        answer = str(traces[question.id].answer)
        if refusals.detect(answer).value != "refused":
            cited = citations.parse(answer, (traces[question.id].retrieved or Retrieved()).ids or ()) or ()
            total += bool(set(cited) & set(question.gold_ids)) if question.answerable else -1
    return total


@pytest.mark.parametrize(
    "query", ['"open', "a AND (b OR", "text:[x TO y]", "~ ^ * ? \\ +-", "", "\x00", "😀", "lease" * 500]
)
def test_any_text_is_a_query(query: str) -> None:
    assert isinstance(Retriever(PASSAGES).search(query, 3), list)


def test_passages_are_found_by_word_and_by_title() -> None:
    retriever = Retriever(PASSAGES)
    assert [p.id for p, _ in retriever.search("how much notice?", 1)] == ["a#1"]
    assert [p.id for p, _ in retriever.search("the tariff", 5)] == ["b#1"]
    assert Retriever([]).search("x", 3) == []


def test_equal_scores_keep_the_order_of_the_corpus() -> None:
    same = [Passage(f"p{n}", "the same words") for n in range(50)]
    assert [p.id for p, _ in Retriever(same).search("words", 3)] == ["p0", "p1", "p2"]


def test_the_retriever_finds_most_gold_passages() -> None:
    retriever = Retriever(CORPUS)
    answerable = [q for q in QUESTIONS if q.answerable]
    found = sum(any(p.id in q.gold_ids for p, _ in retriever.search(q.text, 6)) for q in answerable)
    assert found >= 0.8 * len(answerable)


def test_a_sentence_a_table_row_and_a_refusal() -> None:
    pipeline = load("reference", corpus=PASSAGES)
    said = pipeline.answer(Ask("1", "How many days of written notice to end the lease?")).answer
    assert said == "The tenant may end the lease on sixty (60) days' written notice [a#1]."
    row = pipeline.answer(Ask("2", "What is the fee in EUR for guarding?")).answer
    assert row == "Service Guarding, Fee (EUR) 340 [b#1]."
    refused = str(pipeline.answer(Ask("3", "Who insures the tenant's boiler against frost damage?")).answer)
    assert refusals.detect(refused).value == "refused"
    assert "boiler" in refused and "[a#" in refused and "Next step" in refused


def test_it_quotes_and_refuses() -> None:
    refused, mistaken, traces = 0, 0, answers("reference")
    for qid, trace in traces.items():
        assert trace.retrieved is not None and trace.error is None
        if str(trace.answer).startswith(("The documents do not", "No passages")):
            refused += 1
            assert refusals.detect(str(trace.answer)).value == "refused", trace.answer
        else:
            cited = citations.parse(str(trace.answer), trace.retrieved.ids or ())
            assert cited and set(cited) <= set(trace.retrieved.ids or ()), qid
            mistaken += refusals.detect(str(trace.answer)).value == "refused"
    assert mistaken <= 1  # a quoted sentence may read like a refusal
    assert said_rightly(traces) >= 3 and 0 < refused < len(SOME)


def test_with_nothing_retrieved() -> None:
    null = next(q for q in QUESTIONS if q.retrieval == "null")
    trace = load("reference", corpus=CORPUS).answer(Ask(null.id, null.text, "null"))
    assert trace.retrieved == () and refusals.detect(str(trace.answer)).value == "refused"
    assert citations.parse(str(trace.answer)) is None


def test_the_same_every_time_also_from_many_threads() -> None:
    pipeline = load("reference", corpus=CORPUS)
    asks = [Ask(q.id, q.text, q.retrieval) for q in QUESTIONS[:4]]
    first = [pipeline.answer(ask) for ask in asks]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(pipeline.answer, asks)) == first
