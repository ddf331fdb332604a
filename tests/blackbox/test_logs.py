"""`score`: every shape of log gives the same facts, every fault of one is named, and metrics and gates follow."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import openpyxl  # type: ignore[import-untyped]
import pyarrow
import pyarrow.parquet
import pytest
import zstandard
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from tests.blackbox.facts import Facts, Project, expect
from tests.blackbox.town import FIRST, PASSAGES, QUESTIONS, SECOND, Answer, logged

LABELS = {
    "ferry": "OK", "ticket": "OK", "books": "ANS_NO_HIT", "rent": "OVER_REFUSAL", "dogs": "REFUSAL_OK",
    "fine": "HALLUCINATION",
}  # fmt: skip
UNNAMED = {**LABELS, "ferry": "ANS_UNKNOWN", "ticket": "ANS_UNKNOWN"}  # passages have no ids to compare with gold
CITED = {"ferry": ("ferry#1",), "ticket": ("ferry#2",), "books": None, "fine": ("library#2",)}

Row = Mapping[str, Any]


class Shape(NamedTuple):
    """How a log is written down. `unnamed`: it has the texts of passages, not their ids."""

    name: str
    content: Callable[[], object]
    unnamed: bool = False
    mapping: dict[str, str] | None = None


def lines(row: Callable[[Answer], Row]) -> Callable[[], object]:
    return lambda: [row(one) for one in FIRST]


def by_place(one: Answer) -> str:
    """The answer with numbers in place of ids."""
    text = one.text
    for place, name in enumerate(one.retrieved, 1):
        text = text.replace(f"[{name}]", f"[{place}]")
    return text


def bare(one: Answer) -> str:
    """The answer without its citation."""
    return one.text.partition(" [")[0] + ("." if "[" in one.text else "")


def ids_of(one: Answer) -> list[str]:
    return [one.text.partition("[")[2].partition("]")[0]] if "[" in one.text else []


def texts(one: Answer) -> list[str]:
    return [PASSAGES[name] for name in one.retrieved]


def table(rows: Sequence[Row]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def workbook() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Question", "Answer", "Chunks"])
    for one in FIRST:
        sheet.append([one.question, one.text, json.dumps(one.retrieved)])
    book.save(out)
    return out.getvalue()


def parquet() -> bytes:
    out = io.BytesIO()
    columns = {"qid": [one.qid for one in FIRST], "answer": [one.text for one in FIRST]}
    chunks = pyarrow.array([list(one.retrieved) for one in FIRST])
    pyarrow.parquet.write_table(pyarrow.table({**columns, "chunks": chunks}), out)
    return out.getvalue()


def plain_bytes(rows: Sequence[Row]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


GOOD = plain_bytes([logged(one) for one in FIRST])


def attributes(values: Row) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]


def spans(one: Answer, number: int) -> list[dict[str, Any]]:
    """A trace of two spans: the retriever lies below the chain, and is written first."""
    trace = f"{number:032x}"
    found = {f"retrieval.documents.{i}.document.{part}": value for i, passage in enumerate(one.passages)
             for part, value in (("id", passage["id"]), ("content", passage["text"]))}  # fmt: skip
    return [
        {"traceId": trace, "spanId": "b" * 16, "parentSpanId": "a" * 16, "name": "search",
         "attributes": attributes({"openinference.span.kind": "RETRIEVER", "input.value": "reworded query", **found})},
        {"traceId": trace, "spanId": "a" * 16, "name": "answer", "attributes": attributes({
            "openinference.span.kind": "CHAIN", "input.value": one.question, "output.value": one.text})},
    ]  # fmt: skip


def export() -> dict[str, Any]:
    every = [span for number, one in enumerate(FIRST, 1) for span in spans(one, number)]
    return {"resourceSpans": [{"scopeSpans": [{"spans": every}]}]}


def protobuf() -> bytes:
    data = TracesData()
    scope = data.resource_spans.add().scope_spans.add()
    for number, one in enumerate(FIRST, 1):
        for raw in spans(one, number):
            span = scope.spans.add(name=raw["name"], trace_id=bytes.fromhex(raw["traceId"]))
            span.span_id, span.parent_span_id = raw["spanId"].encode(), raw.get("parentSpanId", "").encode()
            for pair in raw["attributes"]:
                span.attributes.add(key=pair["key"]).value.string_value = pair["value"]["stringValue"]
    return bytes(data.SerializeToString())


def gen_ai(one: Answer) -> Row:
    said = {"user": one.question, "assistant": one.text}
    user, model = ([{"role": role, "parts": [{"type": "text", "content": text}]}] for role, text in said.items())
    found = [{"id": passage["id"], "content": passage["text"]} for passage in one.passages]
    return {"trace_id": one.qid, "span_id": "s1", "name": "chat", "attributes": {
        "gen_ai.input.messages": json.dumps(user), "gen_ai.output.messages": json.dumps(model),
        "gen_ai.retrieval.documents": json.dumps(found), "surefoot.question_id": one.qid}}  # fmt: skip


def langsmith(one: Answer) -> Row:
    found = [{"page_content": p["text"], "metadata": {"id": p["id"]}} for p in one.passages]
    return {"id": f"r-{one.qid}", "trace_id": f"t-{one.qid}", "run_type": "chain", "inputs": {"question": one.question},
            "outputs": {"answer": one.text}, "start_time": "2026-03-01T10:00:00", "child_runs": [
                {"id": f"c-{one.qid}", "run_type": "retriever", "inputs": {"query": "x"},
                 "outputs": {"documents": found}}]}  # fmt: skip


def langfuse(one: Answer) -> Row:
    return {"id": f"t-{one.qid}", "input": {"question": one.question}, "output": one.text, "observations": [
        {"id": f"o-{one.qid}", "traceId": f"t-{one.qid}", "type": "RETRIEVER", "input": "x",
         "output": {"documents": one.passages}}]}  # fmt: skip


SHAPES = [
    Shape("ids.jsonl", lines(logged)),
    Shape("question-texts.jsonl", lines(lambda one: {"q": one.question.upper(), "answer": one.text,
                                                     "retrieved": one.passages})),
    Shape("list.json", lines(logged)),
    Shape("wrapped.json", lambda: {"results": [logged(one) for one in FIRST]}),
    Shape("json-cells.csv", lambda: table([{**logged(one), "chunks": json.dumps(one.retrieved)} for one in FIRST])),
    Shape("plain-cells.csv", lambda: table([{"Question": one.question, "Answer": one.text,
                                             "Chunks": "; ".join(one.retrieved)} for one in FIRST])),
    Shape("book.xlsx", workbook),
    Shape("columns.parquet", parquet),
    Shape("packed.jsonl.gz", lambda: gzip.compress(GOOD)),
    Shape("packed.jsonl.zst", lambda: zstandard.compress(GOOD)),
    Shape("marked.jsonl", lambda: b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n")),
    Shape("answer-object.jsonl", lines(lambda one: {"qid": one.qid, "answer": {"text": bare(one),
                                       "citations": ids_of(one) or None}, "chunks": one.passages})),
    Shape("answer-as-json.jsonl", lines(lambda one: {"qid": one.qid, "chunks": one.retrieved, "raw": json.dumps(
        {"answer": bare(one), **({"citations": ids_of(one)} if ids_of(one) else {})})})),
    Shape("citation-objects.jsonl", lines(lambda one: {"qid": one.qid, "answer": bare(one), "chunks": one.retrieved,
        **({"citations": [{"document_id": i, "start": 0, "end": 9} for i in ids_of(one)]} if ids_of(one) else {})})),
    Shape("handoff.jsonl", lines(lambda one: {"handoff": {"question": one.question, "scope": {
        "allowed_ids": one.retrieved}, "scholar": {"claim": one.text}}})),
    Shape("messages.jsonl", lines(lambda one: {"messages": [{"role": "user", "content": one.question},
        {"role": "assistant", "content": [{"type": "text", "text": one.text}]}], "retrieved_ids": one.retrieved})),
    Shape("ragas.jsonl", lines(lambda one: {"user_input": one.question, "response": one.text,
        "retrieved_contexts": texts(one), "retrieved_context_ids": one.retrieved})),
    Shape("deepeval.json", lambda: {"testCases": [{"input": one.question, "actualOutput": by_place(one),
        "retrievalContext": texts(one), "context": ["gold"]} for one in FIRST]}, unnamed=True),
    Shape("promptfoo.json", lambda: {"results": {"results": [{"vars": {"question": one.question, "context": texts(one)},
        "response": {"output": by_place(one)}} for one in FIRST]}}, unnamed=True),
    Shape("langsmith.jsonl", lines(langsmith)),
    Shape("langfuse.json", lines(langfuse)),
    Shape("otlp.json", export),
    Shape("otlp.pb", protobuf),
    Shape("gen-ai-spans.jsonl", lines(gen_ai)),
    Shape("span-columns.jsonl", lines(lambda one: {"context.trace_id": one.qid, "context.span_id": "s",
        "attributes.input.value": one.question, "attributes.output.value": one.text,
        "attributes.retrieval.documents": [{"document.id": p["id"], "document.content": p["text"]}
                                           for p in one.passages]})),
    Shape("own.jsonl", lines(lambda one: {"ask": {"words": one.question}, "reply": [{"body": one.text}],
        "found": [{"doc": {"key": name}} for name in one.retrieved]}),
        mapping={"question": "ask.words", "answer": "reply.0.body", "retrieved": "found.*.doc.key"}),
    Shape("numbers.jsonl", lines(lambda one: {**logged(one), "answer": by_place(one)})),
    Shape("footnotes.jsonl", lines(lambda one: {**logged(one), "answer": one.text if "[" not in one.text else
        f"{bare(one)}[^1]\n\n[^1]: {ids_of(one)[0]}"})),
    Shape("end-list.jsonl", lines(lambda one: {**logged(one), "answer": one.text if "[" not in one.text else
        f"{bare(one)}\n\nSources:\n- {ids_of(one)[0]}\n"})),
    Shape("parentheses.jsonl", lines(lambda one: {**logged(one), "answer": one.text.translate({91: "(", 93: ")"})})),
    Shape("wide.jsonl", lines(lambda one: {**logged(one), "answer": one.text.translate({91: "【", 93: "】"})})),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_log_of_any_shape_scores_alike(shape: Shape, shared: Project) -> None:
    facts = shared.score(shared.write(shape.name, shape.content()), mapping=shape.mapping)
    expect(facts, exit=1, decision="BLOCK", labels=UNNAMED if shape.unnamed else LABELS, problems={})
    if not shape.unnamed:
        expect(facts, cited=CITED)


def test_stdin_folders_and_several_files_score_alike(shared: Project) -> None:
    rows = [logged(one) for one in FIRST]
    expect(shared.score("-", stdin=GOOD), exit=1, labels=LABELS, rows=6)
    shared.write("folder/a.jsonl", rows[:2])
    shared.write("folder/deeper/b.jsonl", rows[2:4])
    shared.write("rest.json", rows[4:])
    expect(shared.score(["folder", "rest.json"]), exit=1, labels=LABELS, rows=6)
    expect(shared.score(["folder/*.jsonl", "folder/deeper/b.jsonl", "rest.json"]), exit=1, labels=LABELS, scored=6)


class Fault(NamedTuple):
    """A log with something wrong in it, and what is told of it."""

    name: str
    content: bytes
    facts: dict[str, Any]


def with_row(row: object) -> bytes:
    return GOOD + (row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n"


def changed(qid: str, **fields: object) -> bytes:
    """The log with some fields of one answer changed; None takes a field away."""
    rows = [{**logged(one), **(fields if one.qid == qid else {})} for one in FIRST]
    return plain_bytes([{key: value for key, value in row.items() if value is not None} for row in rows])


FAULTS = [
    Fault("broken-line.jsonl", with_row(b'{"qid": "ferry", "answer": '),
          {"exit": 1, "problems": {"malformed": 1}, "labels": LABELS, "rows": 7}),
    Fault("bare-value.jsonl", with_row(12), {"exit": 1, "problems": {"malformed": 1}, "rows": 7, "scored": 6}),
    Fault("no-question.jsonl", with_row({"answer": "Yes."}), {"exit": 1, "problems": {"no_question": 1}, "rows": 7}),
    Fault("foreign-question.jsonl", with_row({"qid": "boats", "answer": "Yes."}),
          {"exit": 1, "problems": {"unknown_question": 1}, "scored": 6, "metrics": {"coverage": "6/6"}}),
    Fault("twice.jsonl", with_row(logged(SECOND[1])),
          {"exit": 1, "labels": {"ticket": "DUPLICATE", "ferry": "OK"}, "metrics": {"coverage": "5/6"}}),
    Fault("missing.jsonl", GOOD.partition(b"\n")[2],
          {"exit": 1, "labels": {"ferry": "MISSING"}, "metrics": {"coverage": "5/6", "compliance": "4/5"}}),
    Fault("error.jsonl", changed("ferry", error="timeout", answer=None),
          {"exit": 1, "labels": {"ferry": "ERROR"}, "metrics": {"coverage": "5/6", "precision": "1/3"}}),
    Fault("empty-answer.jsonl", changed("ferry", answer="  - \n"),
          {"exit": 1, "labels": {"ferry": "ERROR"}, "metrics": {"coverage": "5/6"}}),
    Fault("number-for-answer.jsonl", changed("ferry", answer=40),
          {"exit": 1, "labels": {"ferry": "ERROR"}, "metrics": {"coverage": "5/6"}}),
    Fault("empty.jsonl", b"", {"exit": 4, "problems": {"unreadable": 1}, "scored": 0, "decision": "INCONCLUSIVE"}),
    Fault("cut.jsonl.gz", gzip.compress(GOOD)[:-30],
          {"exit": 1, "rows": 6, "scored": 5, "problems": {"malformed": 1}, "labels": {"fine": "MISSING"}}),
    Fault("misnamed.parquet", GOOD, {"exit": 1, "labels": LABELS, "problems": {}}),
    Fault("no-gzip.jsonl.gz", gzip.compress(GOOD)[:12] + b"not so", {"exit": 4, "scored": 0}),
    Fault("binary.jsonl", bytes(range(256)) * 3, {"exit": 4, "scored": 0, "decision": "INCONCLUSIVE"}),
    Fault("latin.jsonl", with_row('{"qid": "ferry", "answer": "Caf\xe9"}'.encode("latin-1")),
          {"exit": 1, "rows": 7, "labels": {"dogs": "REFUSAL_OK"}}),
    Fault("misfit.jsonl", changed("ferry", retrieved_contexts=["only one"]),
          {"exit": 1, "labels": {"ferry": "ERROR"}, "metrics": {"coverage": "5/6"}}),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_faulty_log_is_scored_as_far_as_it_goes_and_the_fault_is_named(fault: Fault, shared: Project) -> None:
    expect(shared.score(shared.write(fault.name, fault.content)), **fault.facts)


def asked(*changes: object) -> list[object]:
    return [*QUESTIONS, *changes]


BAD_SETS: dict[str, tuple[object, dict[str, Any]]] = {
    "doubled.jsonl": (asked({**QUESTIONS[0], "gold_ids": ["ferry#2"]}),
                      {"exit": 1, "problems": {"duplicate_question": 1}, "scored": 5}),
    "untyped.jsonl": (asked({"qid": "x", "q": 7, "answerable": True}), {"problems": {"bad_question": 1}, "scored": 6}),
    "no-side.jsonl": (asked({"qid": "x", "q": "Who?"}), {"exit": 1, "problems": {"bad_question": 1}}),
    "alike.jsonl": (asked({**QUESTIONS[0], "qid": "again"}), {"labels": {"again": "MISSING"}, "exit": 1}),
    "nothing.jsonl": ([], {"exit": 4}),
    "broken.json": ("[{", {"exit": 4}),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_SETS)
def test_a_faulty_question_set_is_used_as_far_as_it_goes(name: str, shared: Project) -> None:
    content, facts = BAD_SETS[name]
    expect(shared.score("first.jsonl", shared.write(f"sets/{name}", content)), **facts)


WRONG_WORDS = {
    "no log": (["score", "-q", "questions.jsonl"], 2, "nothing given"),
    "log not there": (["score", "-q", "questions.jsonl", "-t", "nowhere.jsonl"], 2, "not there"),
    "questions not there": (["score", "-q", "nowhere.json", "-t", "first.jsonl"], 2, "not there"),
    "unknown option": (["score", "first.jsonl", "--colour", "red"], 2, "no such option"),
    "unknown choice": (["score", "first.jsonl", "--rerun", "maybe"], 2, "bad value"),
    "unknown command": (["improve"], 2, "no such command"),
    "rule without a limit": (["score", "first.jsonl", "--rule", "precision"], 2, "bad rule"),
    "rule on nothing known": (["score", "first.jsonl", "--rule", "beauty >= 1"], 2, "bad rule"),
    "gate not there": (["score", "first.jsonl", "--gate", "nowhere.toml"], 2, "not there"),
    "baseline not there": (["score", "first.jsonl", "--baseline", "nowhere.json"], 2, "not there"),
    "map without a path": (["score", "first.jsonl", "--map", "answer"], 2, "no such option"),
    "map of no field": (["score", "first.jsonl", "--map", "colour=x"], 2, "no such field"),
    "page of no kind": (["score", "first.jsonl", "--report", "page.pdf"], 2, "bad value"),
    "page into no folder": (["score", "first.jsonl", "--report", "first.jsonl/page.md"], 2, "bad value"),
    "nothing to grade": (["grade"], 2, "nothing given"),
    "two things to grade": (["grade", "runs/x", "--items", "first.jsonl"], 2, "nothing given"),
    "run not there": (["grade", "runs/nowhere"], 2, "not there"),
    "items not there": (["grade", "--items", "nowhere.jsonl"], 2, "not there"),
    "unknown grader": (["grade", "--items", "first.jsonl", "--grader", "wizard"], 2, "no such grader"),
    "no pipeline": (["run", "-q", "questions.jsonl"], 2, "nothing given"),
    "no such module": (["run", "-p", "nowhere:answer", "-q", "questions.jsonl"], 2, "no such pipeline"),
    "no such function": (["run", "-p", "pipeline:nowhere", "-q", "questions.jsonl"], 2, "no such pipeline"),
    "report of no run": (["report", "runs/nowhere"], 2, "not there"),
    "labels not there": (["import", "nowhere.csv", "--run", "runs/x"], 2, "not there"),
    "corpus not there": (["corpus", "list", "nowhere.jsonl"], 2, "not there"),
    "reviews not there": (["council", "score", "--reviews", "nowhere.json"], 2, "not there"),
    "nothing to monitor": (["monitor"], 2, "nothing given"),
    "matrix not there": (["matrix", "nowhere.toml"], 2, "not there"),
}


@pytest.mark.parametrize("name", WRONG_WORDS)
def test_a_wrong_command_says_what_is_wrong_and_what_to_do(name: str, shared: Project) -> None:
    words, code, kind = WRONG_WORDS[name]
    expect(shared.plain(*words), exit=code, message=kind, hint=True)


def test_every_metric_counts_what_its_name_says(shared: Project) -> None:
    expect(shared.score("first.jsonl", by=["stratum"]), metrics={
        "coverage": "6/6", "precision": "2/4", "over_refusal": "1/4", "under_refusal": "1/2", "refusal_rate": "2/6",
        "citation_hit_rate": "2/4", "claim_containment": "2/4", "compliance": "5/6", "citation_precision": "2/3",
        "citation_exists_rate": "3/3", "retrieval_hit_rate": "4/4", "wrong_citation_rate": "0/2",
    }, groups={
        "precision[sea]": "2/2", "precision[land]": "0/2", "under_refusal[sea]": "0/1", "under_refusal[land]": "1/1",
    })  # fmt: skip


def test_citations_are_measured_against_gold_and_what_was_retrieved(shared: Project) -> None:
    rows = [logged(one) for one in SECOND]
    rows[0] |= {"answer": "Every 40 minutes [ferry#1] [harbour#3]."}  # one is gold, one was never retrieved
    rows[1] |= {"answer": "It costs EUR 12 [ferry#1]."}  # another passage than the gold one
    rows[2] |= {"answer": "Eight books [library#7]."}  # was never retrieved
    rows[3] |= {"chunks": ["garden#2"]}  # the gold passage was not retrieved, yet it is cited
    facts = shared.score(shared.write("cites.jsonl", rows))
    expect(facts, labels={"ferry": "OK", "ticket": "ANS_NO_HIT", "books": "ANS_NO_HIT", "rent": "OK"}, metrics={
        "citation_precision": "2/5", "citation_exists_rate": "1/4", "retrieval_hit_rate": "3/4",
        "wrong_citation_rate": "2/4", "citation_hit_rate": "2/4", "compliance": "6/6", "precision": "2/4",
    })  # fmt: skip


def test_an_answer_that_declines_and_asserts_is_partial(shared: Project) -> None:
    rows = [logged(one) for one in SECOND]
    rows[4] |= {"answer": "The timetable does not mention dogs. Cats travel at half price [ferry#2]."}
    facts = shared.score(shared.write("partial.jsonl", rows))
    expect(facts, labels={"dogs": "PARTIAL_REFUSAL"}, metrics={"under_refusal": "1/2", "refusal_rate": "1/6"})
    exact = shared.score("second.jsonl", refusal="exact")
    expect(exact, labels={"dogs": "HALLUCINATION", "fine": "HALLUCINATION"}, metrics={"refusal_rate": "0/6"})


GATES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "all are met": ("second.jsonl", [], {"exit": 0, "decision": "SHIP", "rules": {
        "G1": "met", "G2": "met", "G3": "met", "G4": "met", "G5": "met", "coverage": "met"}}),
    "five are broken": ("first.jsonl", [], {"exit": 1, "decision": "BLOCK", "rules": {
        "G1": "broken", "G2": "broken", "G3": "met", "G4": "broken", "G5": "broken", "coverage": "met"},
        "blamed": {"G2": ("fine",), "G5": ("books",)}}),
    "on the limit": ("first.jsonl", ["over_refusal <= 0.25", "precision >= 0.5"], {"exit": 0, "decision": "SHIP"}),
    "over the limit": ("first.jsonl", ["over_refusal <= 0.24"], {"exit": 1, "decision": "BLOCK"}),
    "one stratum": ("first.jsonl", ["precision[sea] >= 1", "under_refusal[stratum=land] <= 0"], {"exit": 1, "rules": {
        "precision[sea]": "met", "under_refusal[stratum=land]": "broken"}}),
    "no such stratum": ("first.jsonl", ["precision[sky] >= 1"], {"exit": 3, "decision": "INCONCLUSIVE"}),
    "a broken rule outranks a missing answer": ("some.jsonl", ["under_refusal <= 0"], {"exit": 1, "rules": {
        "coverage": "broken"}}),
    "a missing answer outranks an open rule": ("less.jsonl", ["precision[sky] >= 1"], {"exit": 4}),
    "coverage is demanded unasked": ("less.jsonl", ["precision >= 0"], {"exit": 4, "rules": {"coverage": "broken"}}),
    "coverage can be lowered": ("less.jsonl", ["precision >= 0", "coverage >= 0.8"], {"exit": 0, "decision": "SHIP"}),
    "a bound of the interval": ("second.jsonl", ["precision.low >= 0.9"], {"exit": 1, "decision": "BLOCK"}),
}  # fmt: skip


@pytest.mark.parametrize("name", GATES)
def test_the_gate_of_a_score(name: str, shared: Project) -> None:
    log, rules, facts = GATES[name]
    shared.write("some.jsonl", [logged(one) for one in FIRST[1:]])
    shared.write("less.jsonl", [logged(one) for one in SECOND[1:]])
    expect(shared.score(log, rules=rules), **facts)


def test_a_gate_file_replaces_the_default_rules(shared: Project) -> None:
    gate = shared.write("gate.toml", '[rules]\ninventions = "under_refusal <= 0.5"\nright = "precision >= 0.9"\n')
    facts = shared.score("first.jsonl", gate=gate)
    expect(facts, exit=1, decision="BLOCK", rules={"inventions": "met", "right": "broken", "G1": None})
    expect(shared.score("first.jsonl", gate=shared.write("bad.toml", "[rules\n")), exit=2, hint=True)


@pytest.mark.parametrize(("rerun", "label", "facts"), [
    ("first", "ANS_NO_HIT", {"set aside": 1, "metrics": {"coverage": "6/6"}}),
    ("last", "OK", {"set aside": 1, "metrics": {"coverage": "6/6"}}),
    ("all", "OK", {"set aside": 0, "metrics": {"coverage": "7/7"}}),
])  # fmt: skip
def test_several_answers_to_a_question(rerun: str, label: str, facts: dict[str, Any], shared: Project) -> None:
    name = shared.write(f"again-{rerun}.jsonl", [*(logged(one) for one in FIRST), logged(SECOND[2])])
    expect(shared.score(name, rerun=rerun), labels={"books": label}, **facts)


def test_a_log_without_questions_tells_what_needs_no_gold(shared: Project) -> None:
    facts: Facts = shared.score("first.jsonl", None, rules=["citation_exists_rate >= 1"], corpus="passages.jsonl")
    expect(facts, exit=0, decision="SHIP", metrics={
        "citation_exists_rate": "3/3", "refusal_rate": "2/6", "precision": None, "under_refusal": None})  # fmt: skip
    expect(shared.score("first.jsonl", None), exit=1, rules={"G1": "open", "G2": "open", "G5": "broken"})


def test_a_later_score_is_compared_with_an_earlier_one(shared: Project) -> None:
    earlier = shared.save_score("earlier.json", "first.jsonl")
    facts = shared.score("second.jsonl", baseline=earlier, rules=["precision >= baseline", "refusal_rate <= baseline"])
    expect(facts, exit=0, moved={"books": "better", "rent": "better", "fine": "better"}, decision="SHIP")
    later = shared.save_score("later.json", "second.jsonl")
    back = shared.score("first.jsonl", baseline=later, rules=["precision >= baseline - 5%"])
    expect(back, exit=1, decision="BLOCK", moved={"books": "worse", "rent": "worse", "fine": "worse", "ferry": None})


def test_a_score_is_reported_in_every_format(shared: Project) -> None:
    shared.score("first.jsonl", report="score.html", junit="score.xml")
    expect(shared.score("first.jsonl", report="score.md"), exit=1, decision="BLOCK")
    kinds = {name: shared.page(name) for name in ("score.html", "score.xml", "score.md")}
    assert kinds == {"score.html": "html", "score.xml": "junit", "score.md": "markdown"}
