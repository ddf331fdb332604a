"""The chat pipeline with a language model at the other end, and all that was sent to it."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest

from surefoot.core.types import Question, Trace
from surefoot.datasets import demo
from tests.in_process import surefoot
from tests.kept import kept
from tests.llm_server import LlmServer

NULL = ("c050",)  # the search finds nothing for it
# Few passages, for a small model on a busy machine reads slowly.
CORPUS = ("brenmark-foods-msa-2023#4.2", "brenmark-foods-msa-2023#3.2")


@pytest.fixture
def sent(llm_server: LlmServer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The URL of a server that passes everything on to the model, and what it has passed on."""
    bodies: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            # A few words, called whole: left to itself this model goes on for ever.
            data = json.dumps({**bodies[-1], "max_tokens": 24, "stream": False, "stream_options": None}).encode()
            target = llm_server.url.removesuffix("/v1") + self.path
            request = urllib.request.Request(target, data, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=600) as response:
                reply = response.read().replace(b'"length"', b'"stop"')
            self.send_response(200)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", bodies
        server.shutdown()


def ask(folder: Path, server: tuple[str, str], chosen: tuple[str, ...], prompt: str) -> dict[str, Trace]:
    """A run over some of the demo questions, as a user would make it."""
    url, model = server
    asked = [question for question in demo.questions() if question.id in chosen]
    corpus = [passage for passage in demo.corpus() if passage.id in CORPUS]
    for name, rows in (("q.jsonl", asked), ("corpus.jsonl", corpus)):
        (folder / name).write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    done = surefoot(
        "run", "-p", f"chat:{model}@{url}", "-q", "q.jsonl", "--corpus", "corpus.jsonl", "--prompt", prompt,
        "--set", "concurrency=1", "--set", "timeout=110", "--set", "retries=0", "--version", prompt, "--json",
        cwd=folder,
    )  # fmt: skip
    assert done.code == 0, (done.out, done.err)
    return {str(trace.question_id): trace for trace in kept(prompt).traces()}


def assert_no_more_was_sent(body: dict[str, Any], question: Question, trace: Trace, prompt: str) -> None:
    """The prompt, the passages that are on record and the question: nothing of the gold."""
    about = {"model", "temperature", "max_tokens", "stream", "stream_options"}
    assert set(body) == {"messages", *about} and len(body["messages"]) == 1
    shown = "\n\n".join(f"[{p.id}] ({p.doc})\n{p.text}" for p in trace.retrieved or ())
    template = (files("surefoot") / "prompts" / f"{prompt}.md").read_text("utf-8")
    passages = shown or "(the search found no passages)"
    content = template.replace("{passages}", passages).replace("{question}", question.text)
    assert body["messages"][0]["content"] == content


@pytest.mark.parametrize(
    ("prompt", "chosen"),
    [("with_licence", ("c050",)), ("without_licence", ("c021",))],
    ids=["with", "without"],
)
def test_a_run_over_demo_questions(
    sent: tuple[str, list[dict[str, Any]]], llm_server: LlmServer, tmp_path: Path, prompt: str, chosen: tuple[str, ...]
) -> None:
    url, bodies = sent
    traces = ask(tmp_path, (url, llm_server.model), chosen, prompt)
    questions = {question.id: question for question in demo.questions()}
    assert set(traces) == set(chosen) and len(bodies) == len(chosen)
    for body, qid in zip(bodies, chosen, strict=True):
        trace = traces[qid]
        assert trace.error is None and trace.answer and trace.seconds and trace.tokens and trace.tokens > 100
        found = () if trace.retrieved is None else trace.retrieved.ids
        assert trace.retrieved is not None and set(found or ()) == (set() if qid in NULL else set(CORPUS))
        assert_no_more_was_sent(body, questions[qid], trace, prompt)
        unseen = [claim for claim in questions[qid].gold_claims if not any(claim in p.text for p in trace.retrieved)]
        assert not any(claim in body["messages"][0]["content"] for claim in unseen)
        assert unseen or qid not in NULL
    graded = surefoot("grade", prompt, "--grader", "rules", "--json", cwd=tmp_path)
    assert graded.code == 0 and len(graded.out.splitlines()) == len(chosen)
