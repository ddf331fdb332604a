"""Traces as exporters send them: a question, its retrieval and its answer, in spans of one trace."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from google.protobuf import json_format  # type: ignore[import-untyped]
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

START = 1_700_000_000_000_000_000
Span = dict[str, Any]


def span(trace: int, number: int, parent: int, seconds: float, attributes: dict[str, str]) -> Span:
    found = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {
        "traceId": f"{trace:032x}", "spanId": f"{trace * 10 + number:016x}",
        "parentSpanId": f"{trace * 10 + parent:016x}" if parent else "", "name": "step",
        "startTimeUnixNano": str(START), "endTimeUnixNano": str(START + int(seconds * 1e9)), "attributes": found,
    }  # fmt: skip


def trace(number: int, amount: int = 40, more: str = "", seconds: float = 1.5) -> list[Span]:
    """The source says 40 euros."""
    question, passage = f"What is the fee of contract {number}?", f"The fee of contract {number} is 40 euros. {more}"
    answer = f"The fee of contract {number} is {amount} euros [msa#{number}]. {more}"
    asked = {"input.value": question, "output.value": answer, "openinference.span.kind": "CHAIN"}
    found = {
        "openinference.span.kind": "RETRIEVER", "input.value": question,
        "retrieval.documents.0.document.id": f"msa#{number}", "retrieval.documents.0.document.content": passage,
    }  # fmt: skip
    return [span(number, 1, 0, seconds, asked), span(number, 2, 1, 0.1, found)]


def export(spans: list[Span]) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


def packed(spans: list[Span]) -> bytes:
    """As protobuf."""
    binary = [
        {**one, **{key: b64encode(bytes.fromhex(one[key])).decode() for key in ("traceId", "spanId", "parentSpanId")}}
        for one in spans
    ]
    data = json_format.ParseDict({"resourceSpans": [{"scopeSpans": [{"spans": binary}]}]}, TracesData())
    return bytes(data.SerializeToString())
