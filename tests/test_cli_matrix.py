"""surefoot matrix, as a user meets it: with chat endpoints that are made up, and with a real model."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from msgspec.structs import replace

from surefoot.cli.main import _run
from surefoot.core.types import Item, Passage, Question
from surefoot.graders.grader import FindingsGrader, Graded
from surefoot.graders.rules import Rules
from surefoot.jobs.matrix import matrix as run_cells
from tests.fault_server import Fault, FaultServer
from tests.graders.test_llm_cli import asked, reads
from tests.in_process import surefoot
from tests.llm_server import LlmServer

COUNT = 24
COMMAND = str(Path(sys.executable).parent / "surefoot")
MATRIX = """
name = "made up"
questions = "q.json"
corpus = "corpus.json"
grader = "rules"

[[pipeline]]
name = "rag"
spec = "chat"

[[pipeline]]
name = "log"
spec = "traces:traces.jsonl"

[[model]]
name = "first"
spec = "llm:first@{url}"

[[model]]
name = "second"
spec = "llm:second@{other}"

[[prompt]]
name = "none"
bundled = "without_licence"

[[prompt]]
name = "licence"
bundled = "with_licence"
"""
REAL = """
grader = "rules"
questions = "q.jsonl"
corpus = "corpus.jsonl"
pipeline = [{{ name = "rag", spec = "chat" }}]
model = [{{ name = "small", spec = "llm:{model}@{url}" }}]
prompt = [{{ name = "without", file = "without.md" }}, {{ name = "with", file = "with.md" }}]
"""


class Chat:
    """An endpoint that answers from the first passage, and refuses every other question if it is licensed to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.broken = False
        chat = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = json.dumps(chat.reply(body)).encode()
                self.send_response(500 if chat.broken else 200)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 64  # fewer, and the ninth caller at once waits a second

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        prompt = body["messages"][0]["content"]
        number = int(prompt.rstrip().removesuffix("?").rpartition(" ")[2])
        licensed = "A refusal is better than a guess" in prompt
        self.asked.append(f"{body['model']} {licensed} {number}")
        value = number if body["model"] == "first" or number % 12 else 999
        text = f"The fee of house {number} is EUR {value} [h#{number}]."
        if licensed and number % 2:
            text = "The documents do not say."
        return {"choices": [{"message": {"content": text}}], "usage": {"total_tokens": 100}}


@pytest.fixture
def chat() -> Iterator[Chat]:
    made = Chat()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Odd houses have no fee in the documents."""
    numbers = range(1, COUNT + 1)
    questions = [
        {"qid": f"q{n}", "q": f"What is the fee of house {n}?", "answerable": n % 2 == 0,
         "gold_ids": [f"h#{n}"] if n % 2 == 0 else [], "gold_claim": f"EUR {n}" if n % 2 == 0 else None}
        for n in numbers
    ]  # fmt: skip
    passages = [
        {"id": f"h#{n}", "text": f"The fee of house {n} is EUR {n}." if n % 2 == 0 else f"House {n} has a red roof."}
        for n in numbers
    ]
    traces = [{"qid": f"q{n}", "chunks": [passages[n - 1]], "answer": "The documents do not say."} for n in numbers]
    (tmp_path / "q.json").write_text(json.dumps(questions), encoding="utf-8")
    (tmp_path / "corpus.json").write_text(json.dumps(passages), encoding="utf-8")
    (tmp_path / "traces.jsonl").write_text("".join(json.dumps(row) + "\n" for row in traces), encoding="utf-8")
    return tmp_path


class Called(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.out)


def matrix(folder: Path, text: str, *options: str) -> Called:
    """The command, in this process: starting one takes longer than most of what is tested."""
    (folder / "m.toml").write_text(text, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _run(["matrix", "m.toml", "--set", "retries=0", *options])
    assert "unexpected" not in err.getvalue(), err.getvalue()
    return Called(code, out.getvalue(), err.getvalue())


def test_two_models_two_prompts_and_a_log(folder: Path, chat: Chat) -> None:
    text = MATRIX.format(url=chat.url, other=chat.url)
    done = matrix(folder, text, "--json", "--report", "report.html", "--report", "report.md")
    assert done.code == 0, done.err
    assert f"5 cells x {COUNT} questions x 1 time = {5 * COUNT} answers: {5 * COUNT} to ask" in done.err
    assert f"{2 * COUNT} calls to first@{chat.url}" in done.err
    assert len(chat.asked) == len(set(chat.asked)) == 4 * COUNT
    found = done.json
    names = [one["name"] for one in found["cells"]]
    assert names[0] == "rag / first / none" and names[-1] == "log" and len(names) == 5
    half = COUNT // 2
    buckets = {one["name"]: one["buckets"] for one in found["cells"]}
    assert buckets["rag / first / licence"]["refused"] == half and buckets["rag / first / none"]["refused"] == 0
    assert buckets["log"]["refused"] == COUNT
    prompt = next(effect for effect in found["effects"] if effect["axis"] == "prompt")
    assert (prompt["value"], prompt["reference"], prompt["pairs"]) == ("licence", "none", 2)
    assert prompt["differences"]["refused"]["value"] == 50 and prompt["differences"]["refused"]["low"] > 0
    assert prompt["differences"]["under_refusal"]["value"] == -100
    assert "model: which of second and first is better cannot be told" in found["conclusions"]
    _the_cells_are_ordinary_runs()
    _the_reports_are_whole(folder)
    again = matrix(folder, text)
    assert again.code == 0 and len(chat.asked) == 4 * COUNT and "0 to ask" in again.err
    assert "prompt: licence against none (2 pairs of cells, 24 questions)" in again.out


def _the_cells_are_ordinary_runs() -> None:
    done = surefoot("gate", "made-up/rag--first--none", "made-up/rag--first--licence", "--uncalibrated", "--json")
    assert done.code in (0, 1, 3) and done.json["buckets"]["cand"]["refused"] == COUNT // 2


def _the_reports_are_whole(folder: Path) -> None:
    page, text = ((folder / f"report.{kind}").read_text(encoding="utf-8") for kind in ("html", "md"))
    assert page.count("<script") == 1 and page.count('<div class="side"') == 5
    assert "rag / second / licence" in page and "rag / second / licence" in text


def test_an_endpoint_that_is_down_is_named_and_spoils_nothing(folder: Path, chat: Chat) -> None:
    other = Chat()
    other.broken = True
    text = MATRIX.format(url=chat.url, other=other.url)
    done = matrix(folder, text, "--json")
    assert done.code == 4
    down = [one for one in done.json["cells"] if one["values"].get("model") == "second"]
    assert [one["buckets"]["ungraded"] for one in down] == [COUNT] * 2
    assert all("HTTP 500" in one["notes"][0] and not one["rates"] for one in down)
    prompt = next(effect for effect in done.json["effects"] if effect["axis"] == "prompt")
    assert (prompt["pairs"], prompt["pairs_lost"]) == (1, 1) and prompt["differences"]["refused"]["value"] == 50
    model = next(effect for effect in done.json["effects"] if effect["axis"] == "model")
    assert model["differences"]["wrong"]["value"] is None
    assert "model: second and first have no two cells with verdicts to compare" in done.json["conclusions"]
    other.broken = False
    mended = matrix(folder, text, "--json")
    other.server.shutdown()
    other.server.server_close()
    assert mended.code == 0 and len(chat.asked) == 2 * COUNT
    assert all(one["buckets"]["ungraded"] == 0 for one in mended.json["cells"])


def test_ctrl_c_and_the_same_command_again_ask_nothing_twice(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import time\nfrom pathlib import Path\n\ndef answer(question):\n    time.sleep(0.05)\n"
        "    with Path(__file__).with_name('asked.log').open('a') as log:\n        log.write(question + '\\n')\n"
        "    return 'The documents do not say.'\n",
        encoding="utf-8",
    )
    text = 'questions = "q.json"\ngrader = "rules"\n' + "".join(
        f'[[pipeline]]\nname = "{name}"\nspec = "slow:answer"\n' for name in "ab"
    )
    (folder / "m.toml").write_text(text, encoding="utf-8")
    arguments = [COMMAND, "matrix", "m.toml", "--set", "concurrency=1"]
    with subprocess.Popen(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for _ in range(6_000):
            if (folder / "asked.log").exists() and len((folder / "asked.log").read_text().splitlines()) > 3:
                break
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=600)
    assert process.returncode == 130 and b"Traceback" not in err and b"goes on from here" in err
    before = len((folder / "asked.log").read_text().splitlines())
    assert before < COUNT
    done = matrix(folder, text, "--json")
    assert done.code == 0, done.err
    asked = len((folder / "asked.log").read_text().splitlines())
    assert asked <= 2 * COUNT + 1  # the one under way when it was stopped may have been asked twice
    [effect] = done.json["effects"]
    assert all(one["value"] in (0.0, None) for one in effect["differences"].values())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no [[pipeline]]"),
        ('questions = "none.json"\n[[pipeline]]\nname = "a"\nspec = "reference"', "none.json"),
        (MATRIX.replace('bundled = "with_licence"', 'file = "none.md"').format(url="http://x", other="http://x"),
         "none.md is not a file"),
        (MATRIX.replace('bundled = "with_licence"', 'file = "q.json"').format(url="http://x", other="http://x"),
         "does not contain {passages}"),
        (MATRIX.replace('"rules"', '"nobody"').format(url="http://x", other="http://x"), "there is no grader"),
        (MATRIX.replace('corpus = "corpus.json"', "").format(url="http://x", other="http://x"),
         "m.toml: the pipeline 'rag' needs a corpus to search, and there is none"),
    ],
)  # fmt: skip
def test_mistakes_are_told_before_anything_is_asked(folder: Path, text: str, says: str) -> None:
    done = matrix(folder, text)
    assert done.code == 2 and says in done.err and "hint:" in done.err


class Moody:
    """Reads by rule, but leaves the first answer open when it is read for the first time."""

    name = "moody"

    def __init__(self) -> None:
        self.times = 0

    def read(self, items: Sequence[Item]) -> list[Graded]:
        self.times += 1
        first, *others = FindingsGrader(Rules()).read(items)
        if self.times == 1:
            first = replace(first, verdicts=tuple(replace(v, value=None, reason="cut off") for v in first.verdicts))
        return [
            replace(one, verdicts=tuple(replace(v, grader=self.name) for v in one.verdicts)) for one in (first, *others)
        ]


def test_what_a_grader_left_open_is_graded_again_and_nothing_else(folder: Path) -> None:
    text = 'questions = "q.json"\n[[pipeline]]\nname = "log"\nspec = "traces:traces.jsonl"\n'
    (folder / "m.toml").write_text(text, encoding="utf-8")
    grader, ungraded = Moody(), []
    with contextlib.chdir(folder):
        for _ in range(3):
            found = run_cells("m.toml", grader=grader)
            [result] = found.cells
            ungraded.append((result.buckets["ungraded"], result.notes))
    assert ungraded == [(1, ("1 not graded: cut off",)), (0, ()), (0, ())] and grader.times == 2


def test_a_changed_matrix_does_not_go_on_with_other_runs(folder: Path) -> None:
    text = 'questions = "q.json"\ngrader = "rules"\n[[pipeline]]\nname = "log"\nspec = "traces:traces.jsonl"\n'
    assert matrix(folder, text).code == 0
    done = matrix(folder, "repeats = 2\n" + text)
    assert done.code == 2 and "log: the run was made with --repeats 1" in done.err
    assert "hint: choose another name for the matrix file" in done.err


def test_a_grader_that_failed_its_self_check_or_never_answered_leaves_a_matrix_incomplete(folder: Path) -> None:
    text = 'questions = "q.json"\ngrader = "llm:m@{}"\n[[pipeline]]\nname = "log"\nspec = "traces:traces.jsonl"\n'
    with FaultServer(lambda call: reads(call) if "harbour guild" not in asked(call).text else Fault(400)) as server:
        shy = matrix(folder, text.format(server.url), "--set", "cache=c.sqlite")
        assert shy.code == 4 and "failed its self-check: did not answer unsupported" in " ".join(shy.out.split())
        server.script = lambda call: Fault(401)
        dead = matrix(
            folder, 'name = "other"\n' + text.format(server.url), "--set", "cache=d.sqlite", "--db", "other.db"
        )
    assert dead.code == 4 and "nothing was graded: no reply of the grader could be used" in dead.err
    assert "self-check" not in dead.err and "\nerror: HTTP 401" in dead.err


def test_a_changed_prompt_is_another_matrix(folder: Path, chat: Chat) -> None:
    (folder / "own.md").write_text("{passages}\n{question}", encoding="utf-8")
    text = MATRIX.replace('bundled = "with_licence"', 'file = "own.md"').format(url=chat.url, other=chat.url)
    assert matrix(folder, text).code == 0
    (folder / "own.md").write_text("Briefly.\n{passages}\n{question}", encoding="utf-8")
    done = matrix(folder, text)
    assert done.code == 2 and "hint: choose another name for the matrix file" in done.err
    assert "--prompt" not in done.err + done.out


def test_a_limit_on_the_cost_needs_prices(folder: Path, chat: Chat) -> None:
    text = MATRIX.format(url=chat.url, other=chat.url)
    assert matrix(folder, text, "--set", "max_cost=1").code == 2 and not chat.asked
    (folder / "surefoot.toml").write_text('[prices]\n"first" = { in = 1, out = 2 }\n"second" = { in = 1, out = 2 }\n')
    done = matrix(folder, text, "--set", "max_cost=0.006", "--json")
    asked = len(chat.asked)  # 100 tokens at 2 USD a million: 0.0002 for each
    assert done.code == 4 and COUNT / 2 < asked <= 30
    assert "limit of $0.006" in done.err and done.err.count("hint: --set max_cost=USD allows for more") == 1
    none = matrix(folder, text, "--set", "max_cost=0", "--json")
    assert len(chat.asked) == asked and none.code == 4
    assert not none.json["cells"][4]["failed"] and none.json["cells"][4]["buckets"]  # a log costs nothing


def test_pipelines_and_graders_share_one_budget(folder: Path) -> None:
    """Every call costs 0.11 USD, whoever makes it."""
    with FaultServer(lambda call: Fault(text="The fee of house 1 is EUR 1 [h#1].")) as server:
        models = "m", "n", "o"
        prices = "".join(f'"{name}" = {{ in = 1000, out = 1000 }}\n' for name in models)
        (folder / "surefoot.toml").write_text(f"[prices]\n{prices}")
        text = (
            MATRIX.format(url=server.url, other=server.url).replace("llm:first", "llm:m").replace("llm:second", "llm:n")
        )
        text = text.replace('grader = "rules"', f'grader = "llm:o@{server.url}"')
        cache = folder / "c.sqlite"
        matrix(folder, text, "--set", "max_cost=20", "--set", f"cache={cache}", "--json")
        assert 10 < sum(server.asked.values()) <= 20 / 0.11


def test_two_prompts_with_a_real_model(llm_server: LlmServer, tmp_path: Path) -> None:
    # Short prompts and passages, for a small model on a busy machine reads slowly.
    asked = [Question("fee", "What is the fee?", "answer"), Question("rent", "What is the rent?", "refusal")]
    for name, rows in (("q.jsonl", asked), ("corpus.jsonl", [Passage("p#1", "The fee is EUR 5.", "Fees")])):
        (tmp_path / name).write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    for name, licence in (("with", "If they do not say it, say so. "), ("without", "Always answer. ")):
        asks = f"{licence}Use the passages.\n\n{{passages}}\n\nQuestion: {{question}}\n"
        (tmp_path / f"{name}.md").write_text(asks, encoding="utf-8")
    text = REAL.format(url=llm_server.url, model=llm_server.model)
    done = matrix(tmp_path, text, "--set", "concurrency=1", "--set", "timeout=110", "--json")
    for _ in range(2):  # the small server now and then drops a connection: the same command goes on from there
        done = matrix(tmp_path, text, "--set", "concurrency=1", "--set", "timeout=110", "--json") if done.code else done
    assert done.code == 0, done.err
    assert [sum(one["buckets"].values()) for one in done.json["cells"]] == [2, 2]
    assert all(one["tokens"] > 50 for one in done.json["cells"])
    [effect] = done.json["effects"]
    wrong = effect["differences"]["wrong"]
    assert wrong["value"] is not None and wrong["low"] < wrong["value"] < wrong["high"], "a few questions tell little"
    assert any("model: no effect can be measured, it has one value only" in one for one in done.json["conclusions"])
