"""What commands that ask models have in common: a budget, a limit on silence, and errors that say what to do."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from surefoot.cli.main import _run
from surefoot.models import client as pace
from surefoot.models.seam import Prompt
from tests.attacks.judges import sound
from tests.conftest import Write
from tests.fault_server import Call, Fault, FaultServer, in_turn

PASSAGES = [{"id": "p", "text": "The fee is EUR 5."}]
ITEMS = [
    {"id": f"q{n}", "question": "What is the fee?", "passages": PASSAGES, "answer": f"The fee of {n} is EUR 5 [p]."}
    for n in range(30)
]
Grade = Callable[..., tuple[int, str]]


@pytest.fixture
def grade(tmp_path: Path, write: Write, capfd: pytest.CaptureFixture[str]) -> Grade:
    """The code, and what is said on stderr."""
    items = write("items.jsonl", ITEMS)

    def run(grader: str, *more: str) -> tuple[int, str]:
        code = _run(
            ["grade", "--items", str(items), "--grader", grader, "--set", f"cache={tmp_path / 'c.sqlite'}", *more]
        )
        return code, capfd.readouterr().err

    return run


def reads(call: Call) -> Fault:
    return Fault(text=json.dumps(sound(Prompt(str(call.body["messages"][-1]["content"])))))


def test_a_model_that_thinks_grades_every_row(grade: Grade) -> None:
    with FaultServer(lambda call: reads(call)._replace(thinks=6_000)) as server:
        code, said = grade(f"llm:m@{server.url}")
    assert code == 0 and "a model that thinks first may add up to" in said


@pytest.mark.parametrize(
    ("fault", "path", "hint"),
    [
        (Fault(401, message="no such key"), "/v1", "no key was sent: set SUREFOOT_KEY_127_0_0_1"),
        (Fault(404, message="Not Found"), "", "most servers answer under /v1"),
        (Fault(404, message="The model does not exist"), "/v1", "check the name of the model"),
        (Fault(400, message="Missing required query parameter: api-version"), "/v1", "for Azure write"),
    ],
)
def test_the_cause_is_said_once_with_what_to_do(grade: Grade, fault: Fault, path: str, hint: str) -> None:
    with FaultServer(lambda call: fault) as server:
        code, said = grade(f"llm:m@{server.url.removesuffix('/v1')}{path}")
    assert code == 4 and said.count(f"error: HTTP {fault.status}: {fault.message}") == 1 == said.count(f"hint: {hint}")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(400, message="API key not valid. Please pass a valid API key."), "HTTP 400: API key not valid"),
        (Fault(400, message="foo/bar is not a valid model ID"), "not a valid model ID"),
        (Fault(403, message="Country, region, or territory not supported"), "territory not supported"),
        (Fault(kind="cut_json"), "cut off"),
        (Fault(text="no"), "the reply held no whole JSON object"),
    ],
)
def test_why_rows_failed_is_always_said(grade: Grade, fault: Fault, words: str) -> None:
    with FaultServer(lambda call: fault) as server:
        code, said = grade(f"llm:m@{server.url}", "--set", "concurrency=1")
        asked = sum(server.asked.values())
    errors = [line for line in said.splitlines() if line.startswith("error: ")]
    assert code == 4 and len(errors) == 1 and words in errors[0]
    assert asked <= 2 or fault.status == 200, "what no prompt will get past stops the rest"


def test_a_server_that_is_down_is_named_once(grade: Grade) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        code, said = grade(f"llm:m@{url}")
    assert code == 4 and said.count(f"hint: is a server running at {url}?") == 1 == said.count("could not be reached")


def test_the_limit_on_silence_is_an_option(grade: Grade, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "_FIRST_WAIT", 0.005)
    with FaultServer(lambda call: Fault(kind="stall")) as server:
        code, said = grade(f"llm:m@{server.url}", "--set", "timeout=0.1", "--set", "concurrency=64")
    assert (
        code == 4 and "the server sent nothing for 0.1 s" in said and "hint: --set timeout=SECONDS allows for" in said
    )


def test_a_run_says_why_nothing_was_answered(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with FaultServer(lambda call: Fault(401, message="no such key")) as server:
        code = _run(["run", "-p", f"chat:m@{server.url}", "--set", "concurrency=1"])
        assert code == 4 and sum(server.asked.values()) == 1
    said = capfd.readouterr().err
    assert said.count("error: HTTP 401: no such key") == 1 == said.count("hint: no key was sent")


def test_what_has_passed_is_not_said(tmp_path: Path, write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    questions = write("q.jsonl", [{"qid": "a", "q": "What is the fee?", "answerable": True, "gold_ids": ["p"]}])
    corpus = write("c.jsonl", PASSAGES)
    with FaultServer(in_turn(Fault(429, message="You exceeded your current quota, retry in 0.01s"))) as server:
        arguments = ["run", "-p", f"chat:m@{server.url}", "-q", str(questions), "--corpus", str(corpus)]
        assert _run(arguments) == 0
    assert "hint" not in capfd.readouterr().err
