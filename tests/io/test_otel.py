from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from surefoot import score
from surefoot.core.types import Passage, Retrieved, Trace
from surefoot.io.rows import Row
from surefoot.io.traces import read_traces, spans_in, traces_in, traces_of

from ..conftest import QUESTIONS, Write

ANSWER = "X is a tight mapping [p1#1]."


def keyed(**attributes: object) -> list[dict[str, Any]]:
    return [{"key": key.replace("__", "."), "value": {"stringValue": str(value)}} for key, value in attributes.items()]


def text_of(value: object) -> str:
    return msgspec.json.encode(value).decode()


def openinference(trace_id: str = "t1") -> list[dict[str, Any]]:
    return [
        {
            "traceId": trace_id, "spanId": "b", "parentSpanId": "a", "name": "retrieve",
            "attributes": keyed(
                openinference__span__kind="RETRIEVER", input__value="What is X?",
                retrieval__documents__0__document__id="p1#1", retrieval__documents__1__document__id="p2#1",
            ),
        },
        {"traceId": trace_id, "spanId": "c", "parentSpanId": "a", "attributes": keyed(output__value="{}")},
        {
            "traceId": trace_id, "spanId": "a", "name": "chain",
            "attributes": keyed(input__value='{"query": "What is X?"}', output__value=ANSWER),
        },
    ]  # fmt: skip


def genai(trace_id: str = "t2") -> list[dict[str, Any]]:
    messages = [{"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
                {"role": "user", "parts": [{"type": "text", "content": "What is X?"}]}]  # fmt: skip
    said = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    return [
        {
            "traceId": trace_id, "spanId": "a",
            "attributes": [
                {"key": "gen_ai.input.messages", "value": {"stringValue": text_of(messages)}},
                {"key": "gen_ai.output.messages", "value": {"stringValue": text_of(said)}},
                {"key": "gen_ai.retrieval.documents", "value": {"stringValue": text_of([{"id": "p1#1", "score": 1}])}},
            ],
        }
    ]  # fmt: skip


@pytest.mark.parametrize("spans", [openinference(), genai()], ids=["OpenInference", "GenAI"])
def test_an_otlp_export_is_put_together(spans: list[dict[str, Any]]) -> None:
    export = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    result = score(QUESTIONS, [export])
    row = next(iter(result.rows()))
    assert (row.qid, row.label, row.citations) == ("q1", "OK", ("p1#1",))
    assert result.metrics["retrieval_hit_rate"].numerator == 1
    given = result.accounting
    assert given.rows == given.scored + given.spans + sum(given.left_out.values())


def test_spans_of_one_trace_may_lie_apart(write: Write) -> None:
    first, second = openinference("t1"), [dict(s, traceId="t9") for s in genai()]
    second[0]["attributes"] = keyed(input__value="What is Z?", output__value="I do not know.")
    path = write("spans.jsonl", [first[0], second[0], first[2], first[1]])
    assert score(QUESTIONS, path).labels == {"OK": 1, "MISSING": 2, "REFUSAL_OK": 1}


def test_flattened_spans_as_dataframes_export_them(tmp_path: Path) -> None:
    row = {
        "context.trace_id": "t1", "parent_id": None, "attributes.input.value": "What is X?",
        "attributes.output.value": ANSWER, "attributes.retrieval.documents": [{"id": "p1#1"}], "status_code": "OK",
    }  # fmt: skip
    assert score(QUESTIONS, [row]).labels["OK"] == 1


def test_a_failed_root_span_is_an_error() -> None:
    spans = openinference()
    spans[2]["status"] = {"code": 2, "message": "deadline exceeded"}
    row = next(iter(score(QUESTIONS, [{"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}]).rows()))
    assert row.label == "ERROR" and row.reason == "deadline exceeded"


def test_spans_that_cannot_be_read_are_accounted_for() -> None:
    spans = [*openinference(), {"noid": 1}, 5, None]
    export = {"resourceSpans": [{"scopeSpans": [{"spans": spans}, "odd"]}, 7]}
    result = score(QUESTIONS, [export])
    given = result.accounting
    assert result.labels["OK"] == 1 and given.left_out == {"malformed": 5}
    assert given.rows == given.scored + given.spans + sum(given.left_out.values())


SYSTEM = "Answer from the passages only."


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": SYSTEM,
            "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "What is Y?",
            "gen_ai.prompt.2.role": "assistant", "gen_ai.prompt.2.content": "Y is another thing.",
            "gen_ai.prompt.3.role": "user", "gen_ai.prompt.3.content": "What is X?",
            "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": ANSWER,
        },
        {
            "llm.input_messages": [
                {"message.role": "system", "message.content": SYSTEM},
                {"message.role": "user", "message.content": "What is X?"},
            ],
            "llm.output_messages": [{"message.role": "assistant", "message.content": ANSWER}],
        },
        {
            "input.value": text_of(
                {"messages": [{"role": "user", "content": "What is X?"}, {"role": "system", "content": SYSTEM}]}
            ),
            "output.value": ANSWER,
        },
    ],
    ids=["numbered", "dotted", "in input.value"],
)  # fmt: skip
def test_the_question_is_what_the_user_said_last(attributes: dict[str, object]) -> None:
    row = {"context.trace_id": "t1", **{f"attributes.{key}": value for key, value in attributes.items()}}
    assert score(QUESTIONS, [row]).labels["OK"] == 1


def joined(*rows: dict[str, Any]) -> Trace:
    spans = [span for row in rows for span in spans_in(row) or [] if span is not None]
    (trace,) = traces_of(spans).values()
    return trace


def run(name: str, kind: str, parent: str | None, start: str, given: object, found: object) -> dict[str, Any]:
    return {"id": name, "trace_id": "t", "parent_run_id": parent, "run_type": kind, "start_time": start,
            "inputs": given, "outputs": found}  # fmt: skip


REWRITE = run("a", "llm", "r", "2026-01-01T10:00:01", "Write a search query for: What is X?", "definition of X")
SEARCH = run("b", "retriever", "r", "2026-01-01T10:00:02", {"query": "What is X?"}, {"documents": [{"id": "p1#1"}]})
WRITE = run("c", "llm", "r", "2026-01-01T10:00:03", "p1#1: ... Question: What is X?", ANSWER)
ROOT = {"id": "r", "trace_id": "t", "parent_run_id": None, "start_time": "2026-01-01T10:00:00", "inputs": None}


def test_of_several_models_the_last_one_answers_and_the_query_is_the_question() -> None:
    trace = joined(WRITE, SEARCH, REWRITE, ROOT)
    assert (trace.question, trace.answer, trace.retrieved) == ("What is X?", ANSWER, (Passage("p1#1"),))


def test_what_a_retriever_found_is_no_answer_and_nothing_is_not_unknown() -> None:
    found = run("b", "retriever", "r", "", {"query": "What is X?"}, [{"id": "p1#1", "content": "X is so."}])
    assert joined(ROOT, found).answer is None
    nothing = {"trace_id": "t", "attributes": {"gen_ai.retrieval.documents": "[]", "input.value": "What is X?"}}
    assert joined(nothing).retrieved == () and joined(ROOT, WRITE).retrieved is None


def test_a_row_of_a_log_with_times_and_a_trace_id_keeps_its_passages() -> None:
    row = {"trace_id": "t", "start_time": 1, "input": "What is X?", "output": ANSWER, "contexts": ["X is so."]}
    assert score(QUESTIONS, [row]).labels["OK"] == 1
    assert joined(row).retrieved == (Passage("", "X is so."),)


def test_a_page_of_an_interface_holds_spans() -> None:
    page = {"data": [WRITE, SEARCH, {**ROOT, "outputs": {"answer": ANSWER}}], "meta": {"page": 1}}
    result = score(QUESTIONS, [page])
    assert result.labels["OK"] == 1 and result.accounting.spans == 3


def test_a_span_of_a_depth_without_end_is_read(write: Write) -> None:
    deep: dict[str, Any] = {"input": "What is X?"}
    for name in ("attributes", "input", "message", "messages") * 40:
        deep = {name: deep, "child_runs": [{"input": 1, "id": "x"}]}
    assert score(QUESTIONS, write("deep.jsonl", [{"trace_id": "t", "parent_id": None, **deep}])).exit_code == 4
    runs: dict[str, Any] = {"input": 1}
    for _ in range(200):
        runs = {"id": "x", "child_runs": [runs], "input": "What is X?"}
    assert score(QUESTIONS, write("runs.jsonl", [runs])).exit_code == 4


def test_spans_at_the_top_that_answer_other_questions_are_other_traces(write: Write) -> None:
    def row(name: str, parent: str | None, question: str, answer: str) -> dict[str, Any]:
        return {"id": name, "trace_id": "t", "parent_id": parent, "input": question, "output": answer}

    below = {**row("c", "b", "What is Z?", ""), "type": "retriever", "output": [{"id": "p1#1"}]}
    rows = [row("a", None, "What is X?", ANSWER), below, row("b", None, "What is Z?", "I do not know.")]
    found = {logged.name: logged.found for logged in read_traces([write("s.jsonl", rows)])}
    assert found == {
        "t: What is X?": Trace(question="What is X?", answer=ANSWER),
        "t: What is Z?": Trace(question="What is Z?", answer="I do not know.", retrieved=Retrieved([Passage("p1#1")])),
    }


@pytest.mark.parametrize("name", ["user.id", "enduser.id", "enduser.pseudo.id", "langfuse.user.id", "session.id"])
def test_the_person_is_named_by_any_span(name: str) -> None:
    root = {"input.value": "What is X?", "output.value": ANSWER}
    below = {"parent_id": "1", "attributes": {name: "u-1", "gen_ai.prompt": "X?"}}
    rows = {"trace_id": "t", "span_id": "1", "attributes": root}, {"trace_id": "t", "span_id": "2", **below}
    assert (joined(*rows).subject or "") == ("" if name == "session.id" else "u-1")


def test_a_map_of_the_subject_leaves_spans_spans() -> None:
    told = [
        {"key": "input.value", "value": {"stringValue": "What is X?"}},
        {"key": "app.who", "value": {"intValue": 7}},
    ]
    row = Row("", 1, {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t", "attributes": told}]}]}]})
    for path in ("app.who", "attributes.app.who"):
        (found,) = traces_in([row], {"subject": path})
        assert isinstance(found.found, Trace) and (found.found.question, found.found.subject) == ("What is X?", "7")
