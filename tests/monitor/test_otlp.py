"""Bodies as exporters send them, and as nobody should."""

from __future__ import annotations

import gzip
import zlib

import pytest

from surefoot.core.errors import UsageError
from surefoot.monitor import otlp
from surefoot.monitor.otlp import JSON, PROTOBUF, OtherFormat, TooLarge, read_export
from tests.monitor.exports import export, packed, trace

SPANS = [*trace(1), *trace(2)]


@pytest.mark.parametrize(
    ("body", "kind", "packing"),
    [(export(SPANS), f"{JSON}; charset=utf-8", ""), (packed(SPANS), PROTOBUF, ""),
     (gzip.compress(export(SPANS)), JSON, "gzip"), (gzip.compress(packed(SPANS)), PROTOBUF, "gzip")],
)  # fmt: skip
def test_every_way_to_send_is_the_same_and_only_wanted_spans_are_read(body: bytes, kind: str, packing: str) -> None:
    found = read_export(body, kind, packing, lambda name: name.endswith("2"))
    assert found.ids == [f"{number:032x}" for number in (1, 2)] and found.unreadable == 0
    root, search = found.spans
    assert root.trace_id == search.trace_id == f"{2:032x}" and search.parent == root.span_id
    assert root.question == "What is the fee of contract 2?" and root.seconds == 1.5
    assert search.retrieved is not None and search.retrieved.ids == ("msa#2",)


def test_half_a_character_does_not_cost_the_batch() -> None:
    """As exporters send that cut texts at a length."""
    body = export(SPANS).replace(b"contract 2?", b"contract 2? \\ud83d")
    found = read_export(body, JSON, "", lambda _: True)
    assert found.spans[2].question == "What is the fee of contract 2? ?" and len(found.spans) == 4


def test_what_cannot_be_read_is_counted_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    nameless = [{**SPANS[0], "traceId": ""}, {**SPANS[1], "traceId": "12"}]
    assert read_export(export([*nameless, SPANS[0]]), JSON, "", lambda _: True).unreadable == 2
    for body, kind, packing, fault, words in (
        (b"{", JSON, "", UsageError, "not valid JSON"),
        (b"[1]", JSON, "", UsageError, "no resourceSpans"),
        (b"\x0a\xff", PROTOBUF, "", UsageError, "not valid protobuf"),
        (b"", "text/plain", "", OtherFormat, "send application/json"),
        (b"", JSON, "br", OtherFormat, "use gzip"),
        (b"no gzip", JSON, "gzip", UsageError, "cannot be unpacked"),
        (gzip.compress(export(SPANS))[:-9], JSON, "gzip", UsageError, "breaks off"),
    ):
        with pytest.raises(fault, match=words):
            read_export(body, kind, packing, lambda _: True)
    monkeypatch.setattr(otlp, "LARGEST_BODY", 1 << 20)
    bomb = zlib.compressobj(wbits=31)
    data = bomb.compress(b" " * (50 << 20)) + bomb.flush()
    with pytest.raises(TooLarge, match="unpacks to over 1 MiB"):
        read_export(data, JSON, "gzip", lambda _: True)
