"""Every vendor as its documentation has it: what is sent there, and what is made of what comes back.

Each file in `exchanges/` is one vendor: how a model is named, which variable holds the key, and the calls in order,
each with the body that must be sent and what the server answers. A local server plays its part.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.models.dialects import Manner, OllamaDialect
from surefoot.models.endpoint import open_model
from surefoot.models.failures import CallFailed
from surefoot.models.seam import Prompt, Settings
from surefoot.models.spec import VENDORS

ROOT = Path(__file__).parents[2]
FILES = sorted((Path(__file__).parent / "exchanges").glob("*.json"))
KEY = "sk-made-up-0123456789"
SCHEMA = {
    "title": "review",
    "type": "object",
    "properties": {
        "notes": {"type": "string", "maxLength": 300},
        "score": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 10}, {"type": "null"}]},
    },
    "required": ["notes", "score"],
    "additionalProperties": False,
}
PROMPT = Prompt("Is this answer right?", "You review answers.", SCHEMA, longest=200)


class Playing(ThreadingHTTPServer):
    """Gives the recorded answers in turn, and keeps what it was sent."""

    def __init__(self, calls: list[dict[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.calls, self.got = calls, list[tuple[str, dict[str, str], dict[str, Any]]]()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Playing)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        call = server.calls[len(server.got) - 1]
        is_stream = call["type"] != "application/json"
        data = ("\n".join(call["answer"]) if is_stream else json.dumps(call["answer"])).encode()
        self.send_response(call["status"])
        self.send_header("Content-Type", call["type"])
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def playing(calls: list[dict[str, Any]]) -> Iterator[Playing]:
    with Playing(calls) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_sent_and_what_is_made_of_the_answer(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = json.loads(file.read_text())
    if told["key"]:
        monkeypatch.setenv(told["key"], KEY)
    model = open_model(told["model"], Settings(thinking=told["thinking"]))
    request = model._terms.client._model_of_requests
    assert str(request.url) == told["url"]
    with playing(told["calls"]) as server:
        # The very request that would have gone to the vendor, delivered here.
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=server.server_port)
        reply = model.complete(PROMPT)
    sent = [body for _, _, body in server.got]
    assert sent == [call["body"] for call in told["calls"]]
    for path, headers, _ in server.got:
        assert told["url"].endswith(path)
        assert {name: headers.get(name) for name in told["headers"]} == told["headers"]
        key = headers.get("authorization", headers.get("x-api-key", ""))  # the vendor's SDK chooses
        assert key.removeprefix("Bearer ") == (KEY if told["key"] else "")
    assert {name: getattr(reply, name) for name in told["reply"]} == told["reply"], reply


LONG = Prompt("The fee is due within 30 days of receipt. " * 400, schema=SCHEMA, longest=200)  # about 4,800 tokens
WHOLE = {"content": '{"notes": "It is.", "score": 9}'}


def read_by_ollama(tokens: int) -> dict[str, Any]:
    last = {"message": WHOLE, "done": True, "done_reason": "stop", "prompt_eval_count": tokens, "eval_count": 9}
    return {"status": 200, "type": "application/json", "answer": last}


def read_by_another(tokens: int, **more: object) -> dict[str, Any]:
    usage = {"prompt_tokens": tokens, "completion_tokens": 9}
    chat = {"choices": [{"message": WHOLE, "finish_reason": "stop"}], "usage": usage, **more}
    return {"status": 200, "type": "application/json", "answer": chat}


@pytest.mark.parametrize(
    ("model", "answer", "said"),
    [
        ("ollama:m@{}", read_by_ollama(4_810), ""),
        ("ollama:m@{}", read_by_ollama(2_048), "has dropped a part of the prompt: it read 2,048 of about"),
        ("ollama:m@{}", read_by_ollama(16_383), "may have dropped a part"),  # all of the context that was asked for
        ("llm:m@{}/v1", read_by_another(4_810), ""),
        ("llm:m@{}/v1", read_by_another(2_048), "has dropped a part"),
        ("llm:m@{}/v1", read_by_another(4_096, system_fingerprint="fp_ollama"), "may have dropped a part"),
        ("llm:m@{}/v1", read_by_another(0), ""),  # not counted
    ],
)
def test_a_reply_to_a_part_of_the_prompt_is_an_error(model: str, answer: dict[str, Any], said: str) -> None:
    with playing([answer]) as server:
        reply = open_model(model.format(f"http://127.0.0.1:{server.server_port}")).complete(LONG)
    assert (said in reply.error and "ollama:MODEL" in reply.hint) if said else reply.value["score"] == 9, reply


def test_the_context_that_ollama_is_asked_for_only_grows_and_holds_prompt_and_reply() -> None:
    dialect = OllamaDialect()
    asked = [dialect.body("m", prompt, Manner(), Settings())["options"]["num_ctx"] for prompt in (PROMPT, LONG, PROMPT)]
    assert asked == [8_192, 8_192, 8_192]
    very = Prompt(LONG.text * 3, longest=200)
    assert dialect.body("m", very, Manner(), Settings())["options"]["num_ctx"] == 32_768
    assert dialect.body("m", PROMPT, Manner(), Settings(effort="none"))["think"] is False
    assert dialect.body("m", PROMPT, Manner(), Settings())["options"]["num_ctx"] == 32_768


@given(st.binary(max_size=100))
def test_what_is_no_reply_of_ollama_s_is_a_failed_call(data: bytes) -> None:
    with pytest.raises(CallFailed):
        OllamaDialect().answer(data)


def test_an_error_of_ollama_s_in_the_middle_of_a_reply() -> None:
    with pytest.raises(CallFailed, match="unexpected server status"):
        OllamaDialect().answer(b'{"message": {"content": "x"}}\n\n{"error": "unexpected server status: 500"}\n')


def test_the_table_of_vendors_has_a_row_for_each_exchange() -> None:
    rows = [line for line in (ROOT / "docs" / "models.md").read_text().splitlines() if line.startswith("| ")]
    for file in FILES:
        told = json.loads(file.read_text())
        kind = told["model"].partition(":")[0]
        assert [row for row in rows if f"`{kind}:" in row and told["title"] in row], told["title"]
        key = told["key"] if told["key"] in {one.key for one in VENDORS.values()} else ""
        assert not key or any(told["title"] in row and key in row for row in rows), key
