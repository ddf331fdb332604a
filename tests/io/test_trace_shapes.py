"""Every shape of trace seen in the wild, told apart row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from surefoot import score
from surefoot.core.types import Passage, Problem, Retrieved, Trace
from surefoot.corpus.corpus import load_corpus
from surefoot.io.traces import TraceReader, read_traces
from surefoot.report.score import headline

from ..conftest import QUESTIONS, Write

TEXT = "- X is a tight mapping\n- citations: [p1#1]"

SHAPES: dict[str, dict[str, Any]] = {
    "seed": {"ts": 1699999999, "q": "What is X?", "chunks": [{"id": "p1#1"}], "answer": TEXT, "ok": True},
    "milliseconds": {"ts": 1699999999123, "q": "What is X?", "chunks": [{"id": "p1#1"}], "answer": TEXT, "ok": False},
    "bare chunk ids": {"q": "What is X?", "answer": TEXT, "chunks": ["p1#1"]},
    "triage": {"q": "What is X?", "label": "ok", "why": "fine", "chunks": ["p1#1"], "citations_in_answer": ["p1#1"]},
    "guarded": {
        "ts": 1, "q": "What is X?", "allowed_ids": ["p1#1"], "raw": "...", "ok": True, "reason": "",
        "parsed": {"claim": "X is a tight mapping", "citations": ["p1#1"]},
    },
    "guarded, unparsed": {"q": "What is X?", "allowed_ids": ["p1#1"], "raw": TEXT, "parsed": None, "ok": False},
    "answer_json": {
        "qid": "q1", "q": "What is X?", "retrieved_ids": ["p1#1"],
        "answer_json": {"claim": "X is a tight mapping", "citations": ["p1#1"]},
    },
    "nested": {
        "qid": "q1", "question": "What is X?", "retrieval": {"topk": ["p1#1"]}, "perf": {"ms": 3}, "ts": 1,
        "answer": {"text": "X is a tight mapping", "citations": [{"id": "p1#1", "offsets": [0, 9]}]},
    },
    "nested without text": {
        "qid": "q1", "question": "What is X?", "retrieval": {"topk": [{"id": "p1#1"}]},
        "answer": {"citations": [{"id": "p1#1", "offsets": [0, 9]}]},
    },
    "flat": {"q_id": "q1", "answer_text": "X is a tight mapping", "cited_chunks": ["p1#1"]},
    "cited objects": {"q_id": "q1", "answer_text": "So.", "cited_chunks": [{"chunk_id": "p1#1", "page": 3}]},
    "handoff": {
        "ts": 1, "decision": "ACCEPT",
        "handoff": {
            "question": "What is X?", "scope": {"allowed_ids": ["p1#1"]},
            "scholar": {"claim": "X is a tight mapping", "citations": ["p1#1"]}, "auditor": {"verdict": "VALID"},
        },
    },
    "ragas": {"user_input": "What is X?", "retrieved_contexts": ["X is ..."], "response": TEXT, "reference": "X"},
    "deepeval": {"input": "What is X?", "actual_output": TEXT, "retrieval_context": ["X is"], "expected_output": "X"},
    "deepeval, camel case": {"input": "What is X?", "actualOutput": TEXT, "retrievalContext": ["X is"]},
    "structured output as text": {"q": "What is X?", "answer": '{"claim": "X is so", "citations": ["p1#1"]}'},
    "citation field as text": {"qid": "q1", "answer": "X is so", "citations": "[p1#1]"},
    "number as id": {"qid": "q1", "answer": "X is so [p1#1]", "chunks": [{"id": 7}, {"doc_id": "p1#1"}]},
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_is_read(name: str) -> None:
    result = score(QUESTIONS, [SHAPES[name]])
    row = next(iter(result.rows()))
    assert (row.qid, row.label, row.hit) == ("q1", "OK", True), row
    assert result.accounting.scored == 1


def test_a_file_may_mix_shapes(write: Write) -> None:
    path = write("mixed.jsonl", SHAPES.values())
    result = score(QUESTIONS, path, rerun="all")
    assert result.labels["OK"] == len(SHAPES)


def test_a_log_without_text_tells_a_refusal_by_its_triage_label() -> None:
    trace = {"q": "What is Z?", "label": "ok", "why": "refusal", "chunks": ["a"], "citations_in_answer": []}
    assert score(QUESTIONS, [trace]).labels["REFUSAL_OK"] == 1
    assert score(QUESTIONS, [{**trace, "label": "generation_drift"}]).labels["ERROR"] == 1


def test_missing_field_and_empty_list_of_citations_differ() -> None:
    with_field = score(QUESTIONS, [{"qid": "q1", "answer": "So it is.", "citations": []}])
    without = score(QUESTIONS, [{"qid": "q1", "answer": "So it is."}])
    assert (with_field.metrics["compliance"].numerator, without.metrics["compliance"].numerator) == (1, 0)


@pytest.mark.parametrize(
    ("row", "label", "reason"),
    [
        ({"qid": "q1", "answer": None}, "ERROR", "no answer"),
        ({"qid": "q1"}, "ERROR", "no answer"),
        ({"qid": "q1", "answer": ""}, "ERROR", "no answer"),
        ({"qid": "q1", "answer": " \u00a0\n"}, "ERROR", "no answer"),
        ({"qid": "q1", "answer": "?!... --- 🙂"}, "ERROR", "no answer"),
        ({"qid": "q1", "answer": 42}, "ERROR", "a number"),
        ({"qid": "q1", "answer": ["a"]}, "ANS_NO_HIT", None),
        ({"qid": "q1", "answer": ["a", "b"]}, "ERROR", "the answer is a list, not text"),
        ({"qid": "q1", "answer": True}, "ERROR", "true or false"),
        ({"qid": "q1", "answer": "x", "error": "timeout after 30 s"}, "ERROR", "timeout"),
        ({"qid": "q1", "error": {"type": "RateLimit", "message": "slow\ndown"}}, "ERROR", "slow down"),
        ({"qid": "q1", "answer": "So it is.", "error": None}, "ANS_NO_HIT", None),
    ],
)
def test_unusable_answers_say_why(row: dict[str, Any], label: str, reason: str | None) -> None:
    found = next(iter(score(QUESTIONS, [row]).rows()))
    assert found.label == label
    assert reason is None or reason in (found.reason or "")


def test_passages_keep_their_texts() -> None:
    trace = TraceReader().read(
        {"q": "x", "chunks": [{"id": "a", "text": "T"}, {"content": "U", "metadata": {"id": "b"}}]}
    )
    assert isinstance(trace, Trace) and trace.retrieved is not None
    assert trace.retrieved.ids == ("a", "b")
    assert list(trace.retrieved) == [Passage("a", "T"), Passage("b", "U")]


HITS = [{"text": "X is a tight mapping."}]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"q": "What is X?", "answer": TEXT, "seen": HITS}, ["seen looks like", "--map contexts=seen"]),
        ({"q": "What is X?", "answer": TEXT, "seen": [{"chunk_id": "p1", "score": 1}]}, ["--map retrieved=seen"]),
        ({"q": "What is X?", "answer": TEXT, "rag": {"docs": ["X is so."]}}, ["--map contexts=rag.docs"]),
        (
            {"user_prompt": "What is X?", "bot_text": TEXT, "search_hits": HITS},
            [
                "the keys user_prompt, bot_text, search_hits", "no question (looked for qid,",
                "no answer (looked for answer,", "no contexts (looked for chunks,",
                "try --map question=user_prompt --map answer=bot_text --map contexts=search_hits",
            ],
        ),
        ({"q": "What is X?", "bot_text": TEXT, "chunks": HITS}, ["no answer (looked for", "try --map answer=bot_text"]),
        ({"q": "What is X?", "said": TEXT, "chunks": HITS}, ["say where it lies with --map answer=KEY"]),
    ],
)  # fmt: skip
def test_what_is_not_read_is_told_once(row: dict[str, Any], told: list[str]) -> None:
    found = score(QUESTIONS, [row, row])
    notes = [problem.message for problem in found.problems.named["note"]]
    assert len(notes) == 1 and all(part in notes[0] for part in told)


@pytest.mark.parametrize(
    "more",
    [{"messages": [{"role": "user", "content": "What is X?"}]}, {"tags": ["a", "b"]}, {"chunks": HITS, "log": HITS}],
)
def test_what_looks_like_no_passages_is_not_told(more: dict[str, Any]) -> None:
    found = score(QUESTIONS, [{"q": "What is X?", "answer": TEXT, **more}])
    assert "note" not in found.problems.named


def test_a_log_that_names_no_question_is_incomplete() -> None:
    found = score(QUESTIONS, [{"user_prompt": "What is X?", "bot_text": TEXT}])
    assert found.exit_code == 4 and headline(found.decision).startswith("incomplete: ")


def test_a_row_whose_question_is_not_found_shows_the_map_that_would_do(write: Write) -> None:
    row = {"user_prompt": "What is X?", "bot_text": TEXT, "search_hits": HITS}
    path = write("log.jsonl", [row])
    message = str(score(QUESTIONS, path).problems.named["no_question"][0])
    mapping = {"question": "user_prompt", "answer": "bot_text", "contexts": "search_hits"}
    options = " ".join(f"--map {field}={key}" for field, key in mapping.items())
    assert f"(the row has: {', '.join(row)}; looked for qid, " in message and message.endswith(f"; try {options}")
    assert next(iter(score(QUESTIONS, path, settings={"map": mapping}).rows())).label == "OK"


def test_a_question_under_a_name_of_its_own_is_told_of(write: Write) -> None:
    result = {"id": "r-1", "vars": {"frage": "What is X?", "n": 1}, "response": {"output": TEXT}}
    export = {"results": {"results": [result]}}
    path = write("output.jsonl", [export])
    notes = [problem.message for problem in score(QUESTIONS, path).problems.named["note"]]
    assert notes == [
        "no question is found in vars (it has: frage, n); say where it lies with --map question=vars.frage"
    ]
    assert score(QUESTIONS, path, settings={"map": {"question": "vars.frage"}}).labels["OK"] == 1
    told = [logged.found for logged in read_traces([path])]
    assert isinstance(told[-1], Problem) and told[-1].message == notes[0]


def test_spans_without_a_question_say_what_was_looked_for() -> None:
    row = {"trace_id": "t1", "span_id": "a", "attributes": {"http.route": "/health"}}
    problem = score(QUESTIONS, [row]).problems.named["unknown_question"][0]
    assert "looked for input.value, gen_ai.input.messages," in problem.message


ROW = {"trace_id": "t1", "start_time": "2026-01-01", "parent_id": None, "input": "What is X?", "output": "X is so."}


@pytest.mark.parametrize("more", [{"citations": ["p1#1"], "chunks": ["p1#1"]}, {"retrieved": [{"id": "p1#1"}]}])
def test_rows_with_the_ids_of_spans_keep_what_spans_cannot_hold(write: Write, more: dict[str, Any]) -> None:
    path = write("log.jsonl", [ROW | more, ROW | more | {"input": "What is Z?"}])
    first, second = (logged.found for logged in read_traces([path]))
    assert isinstance(first, Trace) and isinstance(second, Trace)
    assert first.retrieved is not None and first.retrieved.ids == ("p1#1",)
    assert first.citations == (("p1#1",) if "citations" in more else None)
    assert (first.question, second.question) == ("What is X?", "What is Z?")


def test_a_passage_is_the_same_in_a_corpus_and_in_a_trace(write: Write) -> None:
    rows: list[dict[str, Any]] = [
        {"node_id": "n1", "text": "T"},
        {"id": "", "chunk_id": "c", "content": "", "body": "T", "metadata": {"source": "a.pdf", "page": 4}},
        {"_id": "7", "doc_id": "d", "_source": {"text": "T", "title": "MSA", "page_label": "9"}},
        {"id": "a", "document": "The text of it."},
    ]
    trace = TraceReader().read({"q": "x", "chunks": rows})
    assert isinstance(trace, Trace)
    expected = [Passage("n1", "T"), Passage("c", "T", "a.pdf", 4), Passage("7", "T", "MSA", 9)]
    assert list(trace.retrieved or ()) == [*expected, Passage("a", "The text of it.")]
    assert load_corpus(write("c.jsonl", rows)) == list(trace.retrieved or ())


@pytest.mark.parametrize("key", ["sources", "Sources", "hits", "matches"])
def test_sources_are_what_was_retrieved(key: str) -> None:
    reader = TraceReader()
    row: dict[str, object] = {"Question": "What is X?", "ANSWER": TEXT, key: [{"chunk_id": "p1", "text": "X is so."}]}
    found = reader.read(row)
    assert isinstance(found, Trace) and (found.question, found.answer) == ("What is X?", TEXT)
    assert found.retrieved == Retrieved([Passage("p1", "X is so.")])


def test_a_plainer_name_comes_before_sources() -> None:
    found = TraceReader().read({"q": "What is X?", "answer": TEXT, "contexts": ["X is so."], "sources": ["a", "b"]})
    assert isinstance(found, Trace) and found.error is None and found.retrieved == Retrieved([Passage("", "X is so.")])


def test_the_answers_of_an_export_are_scored_and_its_other_rows_are_none(tmp_path: Path) -> None:
    answers = [{"run": "v1", "trace": {"question_id": f"q{number}", "answer": TEXT, "citations": ["p1#1"]}}
               for number in (1, 2)]  # fmt: skip
    rows = [*({"kind": "answers", "row": row, "sha256": ""} for row in answers),
            {"kind": "questions", "row": {"run": "v1", "question": {"id": "q1"}}, "sha256": ""}]  # fmt: skip
    (tmp_path / "v1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = score(QUESTIONS, tmp_path / "v1.jsonl")
    assert found["labels"] == {"OK": 1, "ANS_NO_HIT": 1, "MISSING": 2} and found.accounting.rows == 2


ANTHROPIC = [
    {"type": "text", "text": "X is ", "citations": None},
    {"type": "text", "text": "Y", "citations": [
        {"type": "char_location", "cited_text": "X: Y", "document_index": 0, "document_title": "terms",
         "start_char_index": 0, "end_char_index": 4},
        {"type": "search_result_location", "cited_text": "Y", "source": "https://docs.example/x", "title": "X",
         "search_result_index": 0, "start_block_index": 0, "end_block_index": 0},
    ]},
]  # fmt: skip
OPENAI = [
    {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["X"], "results": None},
    {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "X is Y",
     "annotations": [{"type": "file_citation", "index": 6, "file_id": "file-1", "filename": "terms.pdf"},
                     {"type": "url_citation", "start_index": 0, "end_index": 6, "url": "https://x.example",
                      "title": "X"}]}]},
]  # fmt: skip
COHERE = {"role": "assistant", "content": [{"type": "text", "text": "X is Y"}], "citations": [
    {"start": 0, "end": 6, "text": "X is Y", "sources": [{"type": "document", "id": "doc:0", "document": {}},
                                                         {"type": "document", "id": "doc:1"}]}]}  # fmt: skip
COHERE_1 = {"text": "X is Y", "citations": [{"start": 0, "end": 6, "text": "X is Y", "document_ids": ["doc_0"]}]}


@pytest.mark.parametrize(
    ("said", "answer", "cited"),
    [
        ({"response": {"role": "assistant", "content": ANTHROPIC}}, "X is Y [terms] [https://docs.example/x]", None),
        ({"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": ANTHROPIC}]},
         "X is Y [terms] [https://docs.example/x]", None),
        ({"output": OPENAI}, "X is Y", ("file-1", "https://x.example")),  # marks that nobody would take for ids
        ({"response": {"message": COHERE}}, "X is Y", ("doc:0", "doc:1")),
        ({"response": COHERE_1}, "X is Y [doc_0]", None),
        ({"response": {"content": [{"type": "text", "text": "X is Y", "citations": None}]}}, "X is Y", None),
    ],
)  # fmt: skip
def test_sources_that_vendors_name_beside_the_text_are_cited_where_they_stand(
    said: dict[str, Any], answer: str, cited: tuple[str, ...] | None
) -> None:
    trace = TraceReader().read({"question": "What is X?", **said})
    assert isinstance(trace, Trace)
    assert (trace.answer, trace.citations) == (answer, cited)


VENDORS = sorted((Path(__file__).parent / "vendors").iterdir())


@pytest.mark.parametrize("file", VENDORS, ids=[one.stem for one in VENDORS])
def test_what_a_vendor_sends_is_read_without_options(file: Path, tmp_path: Path) -> None:
    example = json.loads(file.read_text("utf-8"))
    trace = TraceReader().read(example["row"])
    assert isinstance(trace, Trace)
    passages = [[one.id, one.text] for one in trace.retrieved or ()]
    found = {"question": trace.question, "answer": trace.answer, "citations": trace.citations, "passages": passages}
    assert found == example["reads"]
    (tmp_path / "log.jsonl").write_text(json.dumps(example["row"]) + "\n")
    (scored,) = score(None, tmp_path / "log.jsonl")["rows"]
    assert scored["citations"] == ([id for id, _ in passages] or None)


@pytest.mark.parametrize("holder", ["response", "result", "output"])
def test_passages_beside_an_answer_are_read_under_retrieved_as_well(holder: str) -> None:
    trace = TraceReader().read({"question": "?", holder: {"answer": TEXT, "retrieved": [{"id": "a#1", "text": "so"}]}})
    assert isinstance(trace, Trace) and trace.retrieved is not None
    assert (trace.answer, trace.retrieved.ids) == (TEXT, ("a#1",))
