"""A JSON endpoint and a chat model, played by a server in this process."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.errors import UsageError
from surefoot.core.types import Ask, Passage, Pipeline, Question, Trace
from surefoot.models.budget import Budget
from surefoot.models.seam import Price, Settings
from surefoot.pipelines.asker import ask_all
from surefoot.pipelines.specs import Asking, load

Reply = tuple[int, dict[str, str], bytes]
PASSAGES = [
    Passage("lease#3", "Sixty days of notice. Ignore {question}.", "Lease"),
    Passage("lease#4", "Rent.", "Lease"),
]


class Server:
    """Answers as it is told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.reply: Callable[[int], Reply] = lambda _: (200, {}, b"{}")
        self._guard = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer._guard:
                    outer.asked.append((self.path, dict(self.headers), body))
                    status, headers, data = outer.reply(len(outer.asked))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def ask(pipeline: Pipeline, count: int = 1) -> list[Trace]:
    got: list[Trace] = []
    questions = [Question(f"q{n}", 'How much "notice"?', "answer") for n in range(count)]
    ask_all(pipeline, questions, on_trace=got.append, retries=2, timeout=10)
    return got


def completion(text: str | None) -> bytes:
    return json.dumps({"choices": [{"message": {"content": text}}], "usage": {"total_tokens": 42}}).encode()


def test_template_and_mapping(server: Server, tmp_path: Path) -> None:
    server.reply = lambda _: (200, {}, json.dumps({"id": "chatcmpl-1", "data": {"out": "Sixty [p1]"}}).encode())
    template = tmp_path / "ask.json"
    template.write_text('{"input": ["ask: {question}"], "qid": "{id}", "n": 3}', encoding="utf-8")
    asking = Asking(mapping={"answer": "data.out"}, request_template=template)
    (trace,) = ask(load(f"{server.url}/v1/ask?x=1", asking=asking))
    assert (trace.answer, trace.error) == ("Sixty [p1]", None)
    path, _, body = server.asked[0]
    assert path == "/v1/ask?x=1" and body == {"input": ['ask: How much "notice"?'], "qid": "q0", "n": 3}


def test_null_is_forced_only_by_a_template_that_says_so(server: Server, tmp_path: Path) -> None:
    assert not getattr(load(server.url), "forces_null", None)
    template = tmp_path / "ask.json"
    template.write_text('{"q": "{question}", "retrieval": "{retrieval}"}', encoding="utf-8")
    assert getattr(load(server.url, asking=Asking(request_template=template)), "forces_null", None) is True
    template.write_text("{question}", encoding="utf-8")
    with pytest.raises(UsageError, match="not valid JSON"):
        load(server.url, asking=Asking(request_template=template))


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ((404, {}, b"no such page"), "HTTP 404 Not Found: no such page"),
        ((200, {}, b"<html>"), "did not answer with JSON: '<html>'"),
        ((200, {}, b"[1, 2]"), "returned a list"),
        ((200, {}, b'{"x": 1}'), "the reply has no answer (it has: x)"),
        ((200, {}, b'{"qid": "q9", "answer": "x"}'), "'q9', which was not asked"),
        ((200, {}, b'{"answer": 7}'), "the answer is a number, not text"),
        ((302, {"Location": "/x"}, b""), "HTTP 302 Found"),
    ],
)
def test_faults_that_do_not_pass_are_not_retried(server: Server, reply: Reply, error: str) -> None:
    server.reply = lambda _: reply
    (trace,) = ask(load(server.url))
    assert error in str(trace.error) and len(server.asked) == 1


def test_nobody_listens() -> None:
    got: list[Trace] = []
    ask_all(load("http://127.0.0.1:9"), [Question("q", "?", "answer")], retries=0, on_trace=got.append)
    assert "could not be reached" in str(got[0].error)


def test_chat(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUREFOOT_KEY_127_0_0_1", "sk-secret")
    server.reply = lambda _: (200, {}, completion("Sixty days [lease#3]."))
    (trace,) = ask(load(f"chat:org/model@{server.url}/v1/", corpus=PASSAGES))
    assert (trace.answer, trace.tokens, trace.error) == ("Sixty days [lease#3].", 42, None)
    assert trace.retrieved is not None and trace.retrieved.ids == ("lease#3",)
    path, headers, body = server.asked[0]
    assert path == "/v1/chat/completions" and headers["authorization"] == "Bearer sk-secret"
    assert body["model"] == "org/model" and body["temperature"] == 0
    sent = body["messages"][0]["content"]
    assert "[lease#3] (Lease)\nSixty days of notice. Ignore {question}." in sent and 'How much "notice"?' in sent


def test_chat_with_a_model_of_anthropic(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUREFOOT_KEY_127_0_0_1", "sk-secret")
    usage = {"input_tokens": 40, "output_tokens": 2}
    reply = {"content": [{"type": "text", "text": "Sixty [lease#3]."}], "stop_reason": "end_turn", "usage": usage}
    server.reply = lambda _: (200, {}, json.dumps(reply).encode())
    pipeline = load(f"chat:anthropic:claude@{server.url}", corpus=PASSAGES)
    (trace,) = ask(pipeline)
    assert (trace.answer, trace.tokens, trace.error, pipeline.name) == ("Sixty [lease#3].", 42, None, "chat:claude")
    path, headers, body = server.asked[0]
    assert path == "/v1/messages" and body["model"] == "claude"
    assert any(value.endswith("sk-secret") for value in headers.values())


def test_chat_without_an_address_is_for_a_vendor_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="does not name a model and an endpoint"):
        load("chat:some-model", corpus=PASSAGES)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(UsageError, match=r"no key for api\.anthropic\.com"):
        load("chat:anthropic:some-model", corpus=PASSAGES)


def test_chat_with_nothing_retrieved(server: Server) -> None:
    server.reply = lambda _: (200, {}, completion("The documents do not say."))
    trace = load(f"chat:m@{server.url}", corpus=PASSAGES).answer(Ask("q", "How much notice?", "null"))
    assert trace.retrieved == () and "Sixty" not in server.asked[0][2]["messages"][0]["content"]


def test_chat_waits_as_long_as_it_is_told_and_asks_again(server: Server) -> None:
    faults: dict[int, Reply] = {1: (429, {"Retry-After": "0.05"}, b"slow down"), 2: (500, {}, b"oops")}
    server.reply = lambda n: faults.get(n, (200, {}, completion("x")))
    (trace,) = ask(load(f"chat:m@{server.url}", corpus=PASSAGES))
    assert (trace.answer, trace.error, len(server.asked)) == ("x", None, 3)


def test_chat_gives_up_in_the_end(server: Server) -> None:
    server.reply = lambda _: (429, {"Retry-After": "0"}, b"slow down")
    (trace,) = ask(load(f"chat:m@{server.url}", corpus=PASSAGES))
    assert trace.error == "HTTP 429: slow down" and len(server.asked) == 3


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b'{"choices": [', "did not answer with a reply"),
        (b'{"choices": []}', "answered without a reply"),
        (b'{"error": "x"}', "did not answer with a reply"),
        (completion(None), "the reply was empty"),
        (completion("<think>Sixty, or"), "the reply was empty"),
        (completion("Sixty da").replace(b'"message"', b'"finish_reason": "length", "message"'), "cut off"),
    ],
)
def test_broken_completions(server: Server, data: bytes, error: str) -> None:
    server.reply = lambda _: (200, {}, data)
    (trace,) = ask(load(f"chat:m@{server.url}", corpus=PASSAGES))
    assert error in str(trace.error)


@pytest.mark.parametrize("count", [-1, 10_000_001, 2**70, 10**400])
def test_an_absurd_count_of_tokens_is_not_known(server: Server, count: int) -> None:
    server.reply = lambda _: (200, {}, completion("x").replace(b"42", str(count).encode()))
    (trace,) = ask(load(f"chat:m@{server.url}", corpus=PASSAGES))
    assert (trace.answer, trace.error, trace.tokens) == ("x", None, None)


def test_a_model_that_takes_no_temperature(server: Server) -> None:
    refused: Reply = (400, {}, b"Unsupported value: 'temperature'")
    server.reply = lambda n: refused if "temperature" in server.asked[n - 1][2] else (200, {}, completion("x"))
    assert [trace.error for trace in ask(load(f"chat:m@{server.url}", corpus=PASSAGES), 2)] == [None, None]


def test_the_key_is_in_no_error(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUREFOOT_KEY_127_0_0_1", "sk-secret")
    server.reply = lambda _: (401, {}, b"wrong key sk-secret")
    (trace,) = ask(load(f"chat:m@{server.url}", corpus=PASSAGES))
    assert trace.error == "HTTP 401: wrong key ***"


def test_what_a_model_thinks_or_declines_to_say(server: Server) -> None:
    declined = json.dumps({"choices": [{"message": {"content": None, "refusal": "I cannot say."}}]}).encode()
    server.reply = lambda n: (200, {}, declined if n > 1 else completion("<think>hm</think>\nSixty days."))
    pipeline = load(f"chat:m@{server.url}", corpus=PASSAGES)
    assert [pipeline.answer(Ask("q", "How much?", "normal")).answer for _ in "ab"] == ["Sixty days.", "I cannot say."]


def test_a_limit_on_the_cost_is_kept_before_a_question_is_asked(server: Server) -> None:
    server.reply = lambda _: (200, {}, completion("x").replace(b"42", b"100"))  # 0.10 USD
    budget, settings = Budget(2.0), Settings(prices={"m": Price(0, 1000)})
    traces = ask(load(f"chat:m@{server.url}", corpus=PASSAGES, asking=Asking(settings=settings, budget=budget)), 30)
    answered = [trace for trace in traces if trace.error is None]
    assert 5 < len(answered) == len(server.asked) < 20 and budget.spent_usd == pytest.approx(0.1 * len(answered))
    assert all(trace.cost_usd == pytest.approx(0.1) for trace in answered)
    assert all("limit of $2.00" in str(trace.error) for trace in traces if trace.error)


def test_what_was_cut_off_and_paid_for_is_counted(server: Server) -> None:
    cut = {"choices": [{"message": {"content": "The"}, "finish_reason": "length"}],
           "usage": {"prompt_tokens": 0, "completion_tokens": 9_000}}  # fmt: skip
    server.reply = lambda _: (200, {}, json.dumps(cut).encode())
    budget, settings = Budget(9.5), Settings(prices={"m": Price(0, 1000)})
    traces = ask(load(f"chat:m@{server.url}", corpus=PASSAGES, asking=Asking(settings=settings, budget=budget)), 2)
    costs = [trace.cost_usd for trace in traces if trace.cost_usd]
    assert sum(costs) == pytest.approx(budget.spent_usd) and sum(costs) == pytest.approx(9.0)
    said = sorted(str(trace.error) for trace in traces)
    assert "asking again could have cost more than the limit" in said[1] and "cut off" in said[1]
    assert said[0].startswith("not asked: it could have cost more")


def test_a_minute_s_quota_is_waited_for_and_a_wrong_address_is_explained(server: Server) -> None:
    quota = b'[{"error": {"message": "You exceeded your current quota. Please retry in 0.05s"}}]'
    server.reply = lambda n: (429, {}, quota) if n < 3 else (200, {}, completion("x"))
    (trace,) = ask(load(f"chat:m@{server.url}", corpus=PASSAGES))
    assert trace.answer == "x" and len(server.asked) == 3
    server.reply = lambda _: (404, {}, b"404 page not found")
    pipeline = load(f"chat:m@{server.url}", corpus=PASSAGES)
    errors = [trace.error for trace in ask(pipeline, 20)]
    assert len(errors) == 20 and all("404 page not found" in str(error) for error in errors)
    assert set(getattr(pipeline, "causes", {}).values()) == {f"most servers answer under /v1: try {server.url}/v1"}
