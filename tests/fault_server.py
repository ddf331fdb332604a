"""A server that speaks like a model's and fails on request: what it is asked, it counts.

In a test: `with FaultServer(script) as server`, where the script says what happens to the n-th call of a prompt.
In a process of its own: `python -m tests.fault_server --latency .2 --faults .2`; GET /counts says what was asked.
It knows /v1/chat/completions and /v1/messages.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import threading
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from email.utils import formatdate
from pathlib import Path
from random import Random
from time import time
from typing import Any, NamedTuple, Self

ROOT = Path(__file__).parents[1]
GOOD = json.dumps({"verdict": "yes", "score": 7})
BROKEN_TEXTS = {
    "cut_json": GOOD[:-6],
    "malformed": "Sure! {'verdict': yes,, 'score': }",
    "wrong_schema": json.dumps({"verdict": "perhaps", "score": 99}),
    "empty": "",
}


class Call(NamedTuple):
    """One request: its path, its body, the prompt it asks, its authorisation, and how often it came before."""

    path: str
    body: dict[str, Any]
    prompt: str
    authorization: str
    earlier: int


class Fault(NamedTuple):
    """What goes wrong. A status is an HTTP error; a kind is one of those in `_Connection.answer`."""

    status: int = 200
    kind: str = ""
    message: str = "no"
    retry_after: str | None = None
    text: str | None = None  # what the model says instead, in an answer that is otherwise fine
    usage: bool = True
    thinks: int = 0  # tokens before the model says anything: with less room than that it says nothing
    body: Any = None  # of an error, in place of one around the message
    pause: float = 0.05  # between the pieces of a "slow" reply
    tokens_out: int = 10  # as the server counts them, besides those of thinking


Script = Callable[[Call], Fault | None]
MIXED = (
    Fault(429, retry_after="0.2"), Fault(429), Fault(500), Fault(503), Fault(kind="drop"), Fault(kind="truncated_body"),
    Fault(kind="drip"), Fault(kind="stall"), *(Fault(kind=kind) for kind in BROKEN_TEXTS),
)  # fmt: skip


def in_turn(*faults: Fault | None) -> Script:
    """The first call of a prompt meets the first of these, and so on; after the last all is well."""
    return lambda call: faults[call.earlier] if call.earlier < len(faults) else None


def at_random(share: float, seed: int, among: Sequence[Fault] = MIXED) -> Script:
    """Every call fails with this chance, the same calls in every run."""

    def script(call: Call) -> Fault | None:
        chance = Random(f"{seed}/{call.prompt}/{call.earlier}")
        return chance.choice(among) if chance.random() < share else None

    return script


class FaultServer:
    def __init__(self, script: Script | None = None, latency: float = 0.0) -> None:
        self.script: Script = script or (lambda call: None)
        self.latency = latency
        self.calls: list[Call] = []
        self.asked: Counter[str] = Counter()  # calls by prompt
        self.good: Counter[str] = Counter()  # usable answers by prompt: more than one was paid for twice
        self.active = self.most_active = 0
        self.keep_calls = True
        self.key: Callable[[str], str] = lambda content: content.partition("\n\n")[0]  # what tells prompts apart
        self.connections: set[asyncio.Transport] = set()
        self._loop = asyncio.new_event_loop()
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Self:
        listening = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(listening.set,), daemon=True)
        self._thread.start()
        assert listening.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self, on_listening: Callable[[], object]) -> None:
        asyncio.set_event_loop(self._loop)
        make = self._loop.create_server(lambda: _Connection(self), "127.0.0.1", 0, backlog=1_000)
        server = self._loop.run_until_complete(make)
        self._port = server.sockets[0].getsockname()[1]
        on_listening()
        self._loop.run_forever()
        server.close()
        for transport in list(self.connections):
            transport.abort()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def counts(self) -> dict[str, int]:
        return {
            "calls": sum(self.asked.values()),
            "prompts": len(self.asked),
            "good": sum(self.good.values()),
            "paid_twice": sum(count > 1 for count in self.good.values()),
            "most_active": self.most_active,
        }

    def run_here(self) -> None:
        """In this process, until stdin is closed; says its URL first."""
        self.keep_calls = False
        with self:
            sys.stdout.write(f"{self.url}\n")
            sys.stdout.flush()
            sys.stdin.read()


class _Connection(asyncio.Protocol):
    """One connection, one request at a time: a protocol, for streams cost as much again as all the rest."""

    def __init__(self, server: FaultServer) -> None:
        self._server = server
        self._got = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.connections.add(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._server.connections.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, gap, rest = self._got.partition(b"\r\n\r\n")
        if not gap:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self._got = rest[length:]
        method, path, _ = first.split(" ")
        if method == "GET":
            self._send(200, self._server.counts())
        else:
            self._take(path, rest[:length], headers)

    def _take(self, path: str, data: bytes, headers: dict[str, str]) -> None:
        body = json.loads(data)
        server = self._server
        prompt = server.key(str(body["messages"][-1]["content"]))
        authorization = headers.get("authorization", headers.get("x-api-key", ""))
        call = Call(path, body, prompt, authorization, server.asked[prompt])
        server.asked[prompt] += 1
        if server.keep_calls:
            server.calls.append(call)
        server.active += 1
        server.most_active = max(server.active, server.most_active)
        asyncio.get_running_loop().call_later(server.latency, self._answer, call, server.script(call) or Fault())

    def _answer(self, call: Call, fault: Fault) -> None:
        self._server.active -= 1
        if self._transport.is_closing():
            return
        message = fault.message.replace("{key}", call.authorization)
        if fault.status != 200:
            extra = {"Retry-After": fault.retry_after} if fault.retry_after else {}
            self._send(fault.status, fault.body or {"error": {"message": message, "type": "error"}}, extra)
        elif fault.kind == "drop":
            self._transport.abort()
        elif fault.kind == "stall":
            pass  # never a word
        elif fault.kind == "not_json":
            self._send(200, b"<html>" + message.encode())
        elif fault.kind in ("truncated_body", "drip"):
            self._begin(call, endless=fault.kind == "drip")
        else:
            text = BROKEN_TEXTS.get(fault.kind, GOOD) if fault.text is None else fault.text
            kind = "cut_json" if fault.thinks and fault.thinks + 10 > _room(call) else fault.kind
            if kind not in BROKEN_TEXTS:
                self._server.good[call.prompt] += 1
            text = "" if kind != fault.kind else text.replace("{key}", call.authorization)
            tokens = min(fault.tokens_out + fault.thinks, _room(call)) if fault.thinks else fault.tokens_out
            reply = _reply(call, text, fault.usage, kind, tokens)
            if fault.kind == "slow":
                self._slowly(call, reply, text, fault.pause)
            else:
                self._send(200, reply)

    def _slowly(self, call: Call, reply: dict[str, Any], text: str, pause: float) -> None:
        """In pieces where pieces were asked for, else in one at the end: either way it takes as long."""
        pieces = [text[start : start + 4] for start in range(0, len(text), 4)]
        later = asyncio.get_running_loop().call_later
        if not call.body.get("stream"):
            later(pause * len(pieces), self._send, 200, reply)
            return
        self._transport.write(b"HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        for number, event in enumerate(_events(call, reply, pieces)):
            later(pause * number, self._transport.write, event)
        later(pause * (len(pieces) + 3), self._transport.close)

    def _begin(self, call: Call, endless: bool) -> None:
        data = json.dumps(_reply(call, GOOD, True, "")).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        self._transport.write(head.encode() + data[: len(data) // 2])
        if endless:
            self._drip(len(data) // 2 - 2)
        else:
            self._transport.close()

    def _drip(self, left: int) -> None:
        """A byte now and then, so that the connection never is silent and the answer never whole."""
        if left > 0 and not self._transport.is_closing():
            self._transport.write(b" ")
            asyncio.get_running_loop().call_later(0.05, self._drip, left - 1)

    def _send(self, status: int, body: object, extra: dict[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in (extra or {}).items()]
        self._transport.write("\r\n".join([*lines, "", ""]).encode() + data)


def _room(call: Call) -> int:
    return int(call.body.get("max_tokens") or call.body.get("max_completion_tokens") or 0)


def _events(call: Call, reply: dict[str, Any], pieces: Sequence[str]) -> Iterator[bytes]:
    """The reply in pieces, as the two vendors send them."""
    usage = reply.get("usage")
    if call.path.endswith("/messages"):
        yield _event({"type": "message_start", "message": {**reply, "content": []}})
        for piece in pieces:
            yield _event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
        yield _event({"type": "message_delta", "delta": {"stop_reason": reply["stop_reason"]}, "usage": usage})
        return
    for piece in pieces:
        yield _event({"choices": [{"index": 0, "delta": {"content": piece, "reasoning_content": "hm"}}]})
    yield _event({"choices": [{"index": 0, "delta": {}, "finish_reason": reply["choices"][0]["finish_reason"]}]})
    yield _event({"choices": [], "usage": usage}) + b"data: [DONE]\n\n"


def _event(content: dict[str, Any]) -> bytes:
    return b": keep-alive\nevent: x\ndata: " + json.dumps(content).encode() + b"\n\n"


def _reply(call: Call, text: str, usage: bool, kind: str, tokens: int = 10) -> dict[str, Any]:
    if call.path.endswith("/messages"):
        stop = "max_tokens" if kind == "cut_json" else "end_turn"
        used = {"usage": {"input_tokens": 100, "output_tokens": tokens}} if usage else {}
        content = [{"type": "text", "text": text}]
        return {"id": "m", "type": "message", "role": "assistant", "model": call.body["model"], "content": content,
                "stop_reason": stop, **used}  # fmt: skip
    stop = "length" if kind == "cut_json" else "stop"
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": stop}
    used = {"usage": {"prompt_tokens": 100, "completion_tokens": tokens, "total_tokens": 100 + tokens}} if usage else {}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": call.body["model"], "choices": [choice],
            **used}  # fmt: skip


def http_date(seconds_from_now: float) -> str:
    return formatdate(time() + seconds_from_now, usegmt=True)


class Elsewhere(NamedTuple):
    """A server in a process of its own."""

    url: str

    def counts(self) -> dict[str, int]:
        with urllib.request.urlopen(f"{self.url.removesuffix('/v1')}/counts", timeout=10) as response:
            found: dict[str, int] = json.loads(response.read())
            return found


@contextlib.contextmanager
def elsewhere(*, latency: float, faults: float = 0.0, seed: int = 0) -> Iterator[Elsewhere]:
    command = [sys.executable, "-m", "tests.fault_server", "--latency", str(latency), "--faults", str(faults)]
    with subprocess.Popen(
        [*command, "--seed", str(seed)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield Elsewhere(process.stdout.readline().strip())
        finally:
            process.kill()


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--faults", type=float, default=0.0, help="share of calls that fail")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    FaultServer(at_random(given.faults, given.seed) if given.faults else None, given.latency).run_here()


if __name__ == "__main__":
    _main()
