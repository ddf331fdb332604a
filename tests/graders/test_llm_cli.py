"""`surefoot grade` with a model: a real client, a real cache, and a server that reads by rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from surefoot.cli.grade import grade
from surefoot.cli.main import _run
from surefoot.cli.output import PERSON
from surefoot.core.errors import SurefootError, UsageError
from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.llm import ModelGrader
from surefoot.jobs.grade import open_grader
from surefoot.jobs.settings import Settings
from surefoot.models.seam import Prompt

from ..attacks.judges import obedient, sound
from ..conftest import Write, surefoot
from ..fault_server import Call, Fault, FaultServer
from ..kept import keep_run, kept

PASSAGES = [{"id": "p", "text": "The fee is EUR 5."}]
ITEMS: list[dict[str, Any]] = [
    {"id": "right", "question": "What is the fee?", "passages": PASSAGES, "answer": "The fee is EUR 5 [p]."},
    {"id": "wrong", "question": "What is the fee?", "passages": PASSAGES, "answer": "The fee is EUR 9 [p]."},
    {"id": "refused", "question": "What is the fee?", "passages": PASSAGES, "answer": "I do not know what the fee is."},
]


def asked(call: Call) -> Prompt:
    return Prompt(str(call.body["messages"][-1]["content"]))


def reads(call: Call) -> Fault:
    return Fault(text=json.dumps(sound(asked(call))))


def obeys(call: Call) -> Fault:
    return Fault(text=json.dumps(obedient(asked(call))))


def breaks_on_nine(call: Call) -> Fault:
    return Fault(text="It is correct.") if "EUR 9" in asked(call).text else reads(call)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(reads) as running:
        yield running


class Done:
    def __init__(self, *arguments: str | Path) -> None:
        done = CliRunner().invoke(grade, [str(a) for a in (*arguments, "--json")], standalone_mode=False)
        if done.exception:
            raise done.exception
        self.code: Any = done.return_value
        self.rows = {row["id"]: row for row in map(json.loads, done.stdout.splitlines())}
        self.err = done.stderr

    @property
    def buckets(self) -> dict[str, str | None]:
        return {name: row["factuality"] for name, row in self.rows.items()}


def by_model(server: FaultServer, tmp_path: Path, grader: str = "llm:m@{}") -> list[str | Path]:
    return ["--grader", grader.format(server.url), "--set", f"cache={tmp_path / 'replies.sqlite'}"]


def test_grading_with_a_model_and_a_repeat_that_costs_nothing(
    server: FaultServer, tmp_path: Path, write: Write
) -> None:
    arguments = ["--items", write("items.jsonl", ITEMS), *by_model(server, tmp_path)]
    done = Done(*arguments)
    assert done.code == 0 and done.buckets == {"right": "correct", "wrong": "wrong", "refused": "refused"}
    assert (
        "8 calls to llm:m@" in done.err
        and ", 5 of them canaries: " in done.err
        and "asked 8 calls" in done.err
        and "warning" not in done.err
    )
    assert done.rows["right"]["via"].startswith("llm:m@http") and done.rows["right"]["confidence"] is None
    again = Done(*arguments)
    assert again.rows == done.rows and "asked 0 calls" in again.err and "this costs nothing" in again.err
    assert server.counts()["calls"] == 8


def test_models_are_asked_from_this_machine_whatever_the_engine(
    server: FaultServer, tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")  # where nothing answers
    monkeypatch.chdir(tmp_path)
    Path("surefoot.toml").write_text('[prices]\n"m" = { in = 1000, out = 1000 }\n')
    rows = [{**row, "question": f"What is the fee, {row['id']}?"} for row in ITEMS]
    options = ["--engine", "ray", *by_model(server, tmp_path)]
    poor = Done("--traces", write("log.jsonl", rows), *options, "--set", "max_cost=0.01")
    assert poor.code == 4 and server.counts()["calls"] == 0 and "at most $" in poor.err
    done = Done("--traces", tmp_path / "log.jsonl", *options)
    assert done.code == 0 and server.counts()["calls"] == 8 and "budget hold; ray is not used" in done.err
    assert -1 < done.err.find("8 calls to llm:m@") < done.err.find("asked 8 calls for $")


def sloppy(prompt: Prompt) -> Any:  # noqa: ANN401
    """With further keys, numbers in strings, and other cases."""
    found = sound(prompt)
    claims = [
        {**one, "claim": str(one["claim"]), "reading": one["reading"].upper(), "note": "so"} for one in found["claims"]
    ]
    return {**found, "claims": claims, "confidence": 0.9}


def test_a_reply_in_a_form_of_its_own_is_read_and_paid_for_once(tmp_path: Path, write: Write) -> None:
    with FaultServer(lambda call: Fault(text=f"Here you are: {json.dumps(sloppy(asked(call)))}")) as server:
        done = Done("--items", write("items.jsonl", ITEMS), *by_model(server, tmp_path))
        assert server.counts()["calls"] == 8
    assert done.code == 0 and done.buckets == {"right": "correct", "wrong": "wrong", "refused": "refused"}


def test_calls_that_all_failed_are_not_called_free(tmp_path: Path, write: Write) -> None:
    with FaultServer(lambda call: Fault(401)) as server:
        done = Done("--items", write("items.jsonl", ITEMS), *by_model(server, tmp_path))
    assert done.code == 4 and "in vain: nothing was answered; 0 of 8 replies" in done.err and "$0" not in done.err


def test_ctrl_c_says_that_replies_are_kept(
    server: FaultServer,
    tmp_path: Path,
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("surefoot.graders.llm.ModelGrader.carry_out", interrupted)
    arguments = ["--items", write("items.jsonl", ITEMS), *by_model(server, tmp_path)]
    assert _run(["grade", *map(str, arguments)]) == 130
    assert "the same command goes on from there" in capsys.readouterr().err


def run_with(answer: str) -> str:
    trace = Trace("q1", answer=answer, retrieved=Retrieved([Passage("p", "The fee is EUR 5.")]))
    return keep_run("run", [Question("q1", "What is the fee?", "answer")], [trace])


def test_a_run_keeps_who_graded_it_and_how_the_canaries_fared(server: FaultServer, tmp_path: Path) -> None:
    assert Done(run_with("The fee is EUR 5 [p]."), *by_model(server, tmp_path)).code == 0
    run = kept("run")
    assert (run.manifest.grader or "").startswith("llm:m@127.0.0.1:")
    assert {(verdict.grader, verdict.self_check) for verdict in run.verdicts()} == {(run.manifest.grader, "")}


def test_a_grader_that_does_as_it_is_told_is_reported_and_marked(tmp_path: Path, write: Write) -> None:
    with FaultServer(obeys) as server:
        done = Done("--items", write("items.jsonl", ITEMS), *by_model(server, tmp_path))
    assert done.buckets["wrong"] is None and "misread contradicted" in done.rows["wrong"]["self_check"]
    assert done.code == 4 and "failed its self-check (misread contradicted" in done.err
    assert "hint: grade again" in done.err


def test_what_stays_broken_is_counted_and_named(tmp_path: Path, write: Write) -> None:
    with FaultServer(breaks_on_nine) as server:
        done = Done("--items", write("items.jsonl", ITEMS), *by_model(server, tmp_path))
    assert done.code == 4 and done.buckets == {"right": "correct", "wrong": None, "refused": "refused"}
    assert done.rows["wrong"]["reason"] == "unreadable" and "not graded, unreadable: wrong" in done.err


def test_a_limit_on_the_cost_stops_and_names_what_was_not_graded(
    server: FaultServer, tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("surefoot.toml").write_text('[prices]\n"m" = { in = 1000, out = 1000 }\n')
    more: list[str | Path] = ["--set", "max_cost=0.5"]
    done = Done("--items", write("items.jsonl", ITEMS), *by_model(server, tmp_path), *more)
    assert done.code == 4 and set(done.buckets.values()) == {None} and server.counts()["calls"] == 0
    assert "not graded, unreadable: right, wrong, refused" in done.err
    assert "it could have cost more" in done.rows["right"]["detail"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--grader", "gpt"], "there is no grader 'gpt'"),
        (["--grader", "openai:gpt-4o"], "did you mean llm:gpt-4o"),
        (["--grader", "gpt,llm:m@http://localhost:1/v1"], "there is no grader"),
        (["--grader", "llm:m@localhost"], "does not begin with http"),
        (["--grader", "rules,llm:m@http://localhost:1/v1", "--set", "sure_from=7"], "sure_from cannot be '7'"),
        (["--grader", "llm:m@http://localhost:1/v1", "--set", "max_cost=-1"], "max_cost cannot be '-1'"),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(arguments: list[str], words: str, write: Write, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        Done("--items", write("items.jsonl", ITEMS), *arguments, "--set", f"cache={tmp_path / 'c.sqlite'}")


def test_on_a_terminal_a_person_is_asked_before_anything_is_spent(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grader = open_grader("llm:m@http://models.invalid/v1", Settings(cache=str(tmp_path / "c.sqlite")), person=PERSON)
    assert isinstance(grader, ModelGrader)
    questions: list[str] = []

    def declines(text: str, **_: object) -> bool:
        questions.append(text)
        return False

    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    monkeypatch.setattr(click, "confirm", declines)
    item = (
        Question("q", "What is the fee?", "answer"),
        Trace("q", answer="It is 5.", retrieved=Retrieved([Passage("p", "x")])),
    )

    with pytest.raises(SurefootError, match="nothing was asked"):
        grader.read([Item(*item)])
    assert questions and server.counts()["calls"] == 0


def test_the_command_in_a_process_of_its_own(server: FaultServer, tmp_path: Path, write: Write) -> None:
    done = surefoot("grade", "--items", write("items.jsonl", ITEMS), *by_model(server, tmp_path))
    assert done.code == 0 and "1 correct, 1 wrong, 0 unsupported, 1 refused, 0 not graded" in done.out
