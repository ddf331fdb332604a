"""The addresses of a monitor: where exporters send traces, what Prometheus reads, and whether all is well."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from surefoot.core.errors import Incomplete, SurefootError
from surefoot.live.monitor import Monitor
from surefoot.live.receiver import JSON, LARGEST_BODY, PROTOBUF, OtherFormat, TooLarge

_RETRY_SECONDS = "5"
_LONGEST_HEARD = 1 << 30  # bytes of a body that is refused anyway
_TEXT = "text/plain; version=0.0.4; charset=utf-8"


def app_for(monitor: Monitor, *, takes_traces: bool) -> Starlette:
    def health(reasons: Callable[[], list[str]]) -> Callable[[Request], Response]:
        def reply(_: Request) -> Response:
            found = reasons()
            return PlainTextResponse("".join(f"{line}\n" for line in found or ["ok"]), 503 if found else 200)

        return reply

    async def traces(request: Request) -> Response:
        kind = request.headers.get("content-type", "")
        try:
            body = await _body(request)
            packing = request.headers.get("content-encoding", "")
            export = await run_in_threadpool(monitor.take_export, body, kind, packing)
        except ClientDisconnect:  # in the middle of it: nothing was taken, and nobody waits for a reply
            return Response(status_code=400)
        except SurefootError as error:
            if not isinstance(error, Incomplete):
                monitor.count_refusal()
            return _refusal(kind, error)
        return Response(_success(kind, export.unreadable), media_type=PROTOBUF if PROTOBUF in kind else JSON)

    routes = [
        Route("/metrics", lambda _: Response(monitor.metrics(), media_type=_TEXT)),
        Route("/livez", health(monitor.why_not_alive)),
        Route("/readyz", health(monitor.why_not_ready)),
    ]
    return Starlette(routes=[*routes, Route("/v1/traces", traces, methods=["POST"])] if takes_traces else routes)


async def _body(request: Request) -> bytes:
    """One that is too large is heard to its end: many clients look for a reply only when they have sent all."""
    parts, size = list[bytes](), 0
    async for part in request.stream():
        size += len(part)
        if size <= LARGEST_BODY:
            parts.append(part)
        elif size > _LONGEST_HEARD:
            break
    if size > LARGEST_BODY:
        raise TooLarge(f"the body has over {LARGEST_BODY >> 20} MiB", "send smaller batches")
    return b"".join(parts)


def _success(kind: str, unreadable: int) -> bytes:
    """What could not be read is said, and need not be sent again."""
    why = "spans without a trace id of 16 bytes"
    if PROTOBUF not in kind:
        told = {"partialSuccess": {"rejectedSpans": str(unreadable), "errorMessage": why}} if unreadable else {}
        return msgspec.json.encode(told)
    return _field(1, b"\x08" + _varint(unreadable) + _field(2, why.encode())) if unreadable else b""


def _refusal(kind: str, error: SurefootError) -> Response:
    """A Status of OTLP. What fails for want of a disk is to be sent again, anything else is not."""
    code = {TooLarge: 413, OtherFormat: 415, Incomplete: 503}.get(type(error), 400)
    packed = PROTOBUF in kind
    body = _field(2, str(error).encode()) if packed else msgspec.json.encode({"message": str(error)})
    headers = {"Retry-After": _RETRY_SECONDS} if code == 503 else {}
    return Response(body, code, headers, PROTOBUF if packed else JSON)


def _field(number: int, content: bytes) -> bytes:
    """Of a protobuf message: the two messages that are sent are too small to need the library."""
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    small = bytearray()
    while value > 0x7F:
        small.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*small, value])
