"""What an OpenTelemetry exporter sends: bodies of OTLP over HTTP, as JSON or protobuf, packed or not.

Whether a trace may be graded is known by its id, so the spans of all others are counted and not looked at.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from surefoot.core.errors import Incomplete, SurefootError, UsageError
from surefoot.core.files import library
from surefoot.core.types import Problem
from surefoot.io import traces as otel
from surefoot.io.rows import Document, decode_one, packed_rows
from surefoot.io.traces import Span, spans_in

LARGEST_BODY = 20 << 20  # as it is sent, and unpacked
JSON, PROTOBUF = "application/json", "application/x-protobuf"
_ID_DIGITS = 32


class TooLarge(UsageError):
    """Nobody should send this again as it is."""


class OtherFormat(UsageError):
    """Neither JSON nor protobuf, or packed in a way that is not known."""


class Export(Struct, frozen=True):
    """The traces in which a body says what was asked, the spans of those that are wanted, and how many could not be
    read. Spans of services that answer no questions are not counted."""

    ids: list[str]
    spans: list[Span]
    unreadable: int = 0


def read_export(body: bytes, kind: str, packing: str, wanted: Callable[[str], bool], subject: str = "") -> Export:
    """`subject` is the attribute that names the person, if it is none that is known."""
    kind = kind.partition(";")[0].strip().lower()
    if kind not in (JSON, PROTOBUF):
        raise OtherFormat(f"the content type is {kind[:100]!r}", f"send {JSON} or {PROTOBUF}")
    data = _unpacked(body, packing.strip().lower())
    return _from_json(data, wanted, subject) if kind == JSON else _from_protobuf(data, wanted, subject)


def _unpacked(body: bytes, packing: str) -> bytes:
    if packing in ("", "identity"):
        return body
    if packing != "gzip":
        raise OtherFormat(f"the body is packed with {packing[:50]!r}", "use gzip, or no compression")
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        data = stream.decompress(body, LARGEST_BODY)
    except zlib.error as error:
        raise UsageError(f"the body cannot be unpacked: {error}", "it should be one gzip stream") from error
    if stream.unconsumed_tail:
        raise TooLarge(f"the body unpacks to over {LARGEST_BODY >> 20} MiB", "send smaller batches")
    if not stream.eof:
        raise UsageError("the body cannot be unpacked: it breaks off", "it should be one gzip stream")
    return data


def _from_json(data: bytes, wanted: Callable[[str], bool], subject: str) -> Export:
    row = decode_one(data).value
    if isinstance(row, Problem):
        raise UsageError(f"the body is {row.message}", "send an ExportTraceServiceRequest")
    if not isinstance(row, dict) or (row and not any(key in row for key in otel.EXPORTS)):
        raise UsageError("the body has no resourceSpans", "send an ExportTraceServiceRequest")
    ids, asked, kept, unreadable = dict[str, bool](), dict[str, None](), list[object](), 0
    for raw in otel.raw_spans(row):
        name = raw.get("traceId") if isinstance(raw, dict) else None
        if not isinstance(raw, dict) or not isinstance(name, str) or len(name) != _ID_DIGITS:
            unreadable += 1
            continue
        if name not in ids:
            ids[name] = wanted(name.lower())
        if otel.is_asked(raw):
            asked[name.lower()] = None
        if ids[name]:
            kept.append(raw)
    row = {"resourceSpans": [{"scopeSpans": [{"spans": kept}]}]}
    return Export([*asked], list(_spans_of(row, subject)), unreadable)


def _from_protobuf(data: bytes, wanted: Callable[[str], bool], subject: str) -> Export:
    traces: Any = library("opentelemetry.proto.trace.v1.trace_pb2", "monitor")
    try:
        message = traces.TracesData.FromString(data)
    except Exception as error:  # of protobuf, which is imported only here
        raise UsageError("the body is not valid protobuf", "send an ExportTraceServiceRequest") from error
    ids, asked, unreadable, kept = dict[bytes, bool](), dict[str, None](), 0, traces.TracesData()
    there = kept.resource_spans.add().scope_spans.add().spans
    for span in (span for one in message.resource_spans for scope in one.scope_spans for span in scope.spans):
        name = span.trace_id
        if len(name) != _ID_DIGITS // 2:
            unreadable += 1
            continue
        if name not in ids:
            ids[name] = wanted(name.hex())
        if any(map(otel.tells_question, (one.key for one in span.attributes))) or any(
            map(otel.tells_question, (event.name for event in span.events))
        ):
            asked[name.hex()] = None
        if ids[name]:
            there.append(span)
    rows = [row for _, row in packed_rows(Document("", "otlp", kept.SerializeToString()))] if there else []
    spans = [span for row in rows for span in _spans_of(row, subject)]
    return Export([*asked], spans, unreadable)


def _spans_of(row: object, subject: str) -> Iterator[Span]:
    if isinstance(row, Problem):
        raise UsageError(f"the body {row.message}", "send an ExportTraceServiceRequest")
    found = spans_in(row, subject) if isinstance(row, dict) else None
    return (msgspec.structs.replace(span, trace_id=span.trace_id.lower()) for span in found or () if span is not None)


def success(kind: str, unreadable: int) -> bytes:
    """What could not be read is said, and need not be sent again."""
    why = "spans without a trace id of 16 bytes"
    if PROTOBUF not in kind:
        told = {"partialSuccess": {"rejectedSpans": str(unreadable), "errorMessage": why}} if unreadable else {}
        return msgspec.json.encode(told)
    return _field(1, b"\x08" + _varint(unreadable) + _field(2, why.encode())) if unreadable else b""


def refusal(kind: str, error: SurefootError) -> tuple[int, bytes]:
    """A Status of OTLP. What fails for want of a disk is to be sent again, anything else is not."""
    code = {TooLarge: 413, OtherFormat: 415, Incomplete: 503}.get(type(error), 400)
    words = str(error)
    return code, _field(2, words.encode()) if PROTOBUF in kind else msgspec.json.encode({"message": words})


def _field(number: int, content: bytes) -> bytes:
    """Of a protobuf message: the two messages that are sent are too small to need the library."""
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    small = bytearray()
    while value > 0x7F:
        small.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*small, value])
