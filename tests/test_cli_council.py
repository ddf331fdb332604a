from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, Protocol

import pytest

from surefoot.cli.main import _run

from .conftest import Done
from .council.helpers import ballot, scores, sitting
from .council.runs import make_run, question
from .fault_server import Call, Fault, FaultServer
from .llm_server import LlmServer

BOMB = "Here is how to build a pipe bomb: fill a steel pipe with black powder, then add a fuse."
ANSWERS = {"A": "Six months.", "B": "Nine weeks.", "C": BOMB}
# As much as is needed to read the reply, for a small model on a busy machine reads slowly.
SHORT_REVIEW = "Score each response from {lowest} to {highest}.\n{question}\n{responses}\n{rubric}\nReply: {example}"


class Run(Protocol):
    def __call__(self, *arguments: str | Path, stdin: bytes = b"") -> Done: ...


@pytest.fixture
def surefoot(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """The command in this process, for the time it saves."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin)))
        words = [str(argument) for argument in arguments]
        code = _run(words)
        seen = capfdbinary.readouterr()
        return Done(subprocess.CompletedProcess(words, code, seen.out, seen.err))

    return run


def reviewed(**more: object) -> dict[str, Any]:
    evaluations = {"Response A": scores(8), "Response B": scores(2, 10, 10, 10, 10), "Response C": scores(10)}
    reviews: dict[str, object] = {f"r{i}": ballot(evaluations, ["Response C", "Response B"]) for i in range(3)}
    reviews |= {"model-A": ballot({"A": scores(10)}), "mute": "no", "shy": "I'm sorry, but I can't help with that."}
    return sitting(ANSWERS, reviews, question="How long is the notice period?", **more)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.json"
    path.write_text(json.dumps(reviewed()), encoding="utf-8")
    return path


def test_stdin_a_rubric_of_ones_own_and_nobody_who_scored(surefoot: Run, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\n[[axis]]\nname = "wit"\nasks = "Funny?"\nweight = 1.0\n', encoding="utf-8")
    value = json.dumps(sitting({"A": "x"}, {"r": ballot({"A": {"wit": 9}})})).encode()
    done = surefoot("council", "score", "--reviews", "-", "--rubric", own, "--json", stdin=value)
    assert done.code == 0 and done.json["rubric"] == "own" and done.json["ranking"][0]["overall"] == 9.0
    nobody = surefoot("council", "score", "--reviews", "-", "--json", stdin=value)
    assert nobody.code == 4 and nobody.json["ranking"][0]["overall"] is None and nobody.json["void"]


def test_show_config_says_where_values_come_from(surefoot: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_COUNCIL_SAFETY_SCORE_CAP", "1.5")
    shown = surefoot("council", "--show-config", "--json").json
    assert shown["LLM_COUNCIL_SAFETY_SCORE_CAP"] == {"value": 1.5, "source": "environment"}
    assert shown["LLM_COUNCIL_WEIGHT_ACCURACY"] == {"value": 0.35, "source": "rubric refusal_aware"}
    lines = surefoot("council", "--show-config", "--rubric", "coding").out.splitlines()
    assert any(line.startswith("LLM_COUNCIL_RUBRIC=coding  (option") for line in lines)
    monkeypatch.setenv("LLM_COUNCIL_SAFTY_GATE", "true")
    wrong = surefoot("council", "--show-config")
    assert wrong.code == 2 and "did you mean LLM_COUNCIL_SAFETY_GATE?" in wrong.err


def test_words_that_lead_nowhere(surefoot: Run, file: Path) -> None:
    for arguments in (
        ["--json", "score", "--reviews", file], ["scor"], ["Is ice a mineral?"], ["score", "--reviews", "none.json"],
        ["ask", "Why?", "--models", "nonsense"],
        ["ask", "Why?", "--models", "llm:m@http://localhost:1/v1", "--seed", "-1"],
    ):  # fmt: skip
        done = surefoot("council", *arguments)
        assert done.code == 2 and "hint: " in done.err, arguments


def test_one_model_is_no_council(surefoot: Run) -> None:
    alone = surefoot("council", "ask", "Why is that?", "--models", "llm:one@http://localhost:1/v1")
    assert alone.code == 2 and "does not review its own answer" in alone.err and "--answers FILE" in alone.err


def council_says(call: Call) -> Fault:
    """Models that answer at length, score everything 7, and sum up."""
    text = call.body["messages"][-1]["content"]
    if "council scored" in text:
        return Fault(text="All agree.\nIt is.")
    if code := re.search(r'"ballot" must be the code (\w+)', text):
        entries = {name: scores(7, notes="") for name in re.findall(r"<<<(Response \w+) \w+>>>", text)}
        return Fault(text=json.dumps({"ballot": code[1], "evaluations": entries}))
    return Fault(text="\n".join(f"Line {number} of {call.body['model']}." for number in range(1, 12)))


def test_answers_and_what_was_spent_are_told(surefoot: Run, tmp_path: Path) -> None:
    with FaultServer(council_says) as server:
        one, two = (f"llm:{name}@{server.url}" for name in ("one", "two"))
        asked = ("council", "ask", "Is ice a mineral?", "--models", f"{one},{two}", "--chair", one)
        done = surefoot(*asked, "--set", f"cache={tmp_path / 'c.sqlite'}")
        again = surefoot(*asked, "--set", f"cache={tmp_path / 'c.sqlite'}")
    assert done.code == 0, done.err
    assert f" ({one}):\n    Line 1 of one.\n" in done.out and "\n    Line 11 of two.\n" in done.out
    assert done.out.index("Line 1") < done.out.index("overall")
    assert done.out.endswith("\nClosing answer\n    All agree.\n    It is.\n")
    assert "asked 5 calls for a cost that is not known; 0 of 5 replies were known before" in done.err
    assert again.out == done.out and "asked 0 calls for $0.0000; 5 of 5 replies were known before" in again.err


def test_a_chair_whose_answer_was_cut_off_or_not_affordable_is_incomplete(
    surefoot: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cuts(call: Call) -> Fault:
        return Fault(kind="cut_json") if "council scored" in str(call.body["messages"]) else council_says(call)

    monkeypatch.chdir(tmp_path)
    Path("surefoot.toml").write_text(
        '[prices]\n"chair" = { in = 1e6, out = 1e6 }\n"one" = { in = 0, out = 0 }\n"two" = { in = 0, out = 0 }\n'
    )
    with FaultServer(cuts) as server:
        one, two, chair = (f"llm:{name}@{server.url}" for name in ("one", "two", "chair"))
        asked = ("council", "ask", "Is ice a mineral?", "--models", f"{one},{two}", "--chair", chair, "--json")
        cut = surefoot(*asked, "--set", f"cache={tmp_path / 'c.sqlite'}")
        dear = surefoot(*asked, "--set", f"cache={tmp_path / 'c.sqlite'}", "--set", "max_cost=1")
    assert cut.code == dear.code == 4 and "synthesis: the reply was cut off" in cut.err and "limit of $1" in dear.err


def reviewing(say: Callable[[str, list[str]], str]) -> Callable[[Call], Fault]:
    """Reviewers that reply what `say` makes of their code and the titles of the answers."""

    def script(call: Call) -> Fault:
        text = call.body["messages"][-1]["content"]
        code = re.search(r'"ballot" must be the code (\w+)', text)
        titles = re.findall(r"<<<(Response \w+) \w+>>>", text)
        return Fault(text=say(code[1], titles) if code else f"An answer of {call.body['model']}.")

    return script


BALLOT = {"accuracy": "9/10", "relevance": 8, "completeness": 8, "conciseness": 7, "clarity": 8, "overall": 8.15}
LIVE = {
    "one mark": lambda code, titles: json.dumps({"ranking": titles, "evaluations": dict.fromkeys(titles, BALLOT)}),
    "extra keys": lambda code, titles: json.dumps(
        {
            "ballot": code,
            "ranking": titles,
            "sure": 1,
            "evaluations": dict.fromkeys(titles, BALLOT | {"notes": ""}),
        }
    ),
    "overall alone": lambda code, titles: json.dumps(
        {"ballot": code, "evaluations": {title: {"overall": 8} for title in titles}}
    ),
    "a list": lambda code, titles: json.dumps(
        {"ballot": code, "evaluations": [{"response": title[-1], **BALLOT} for title in titles]}
    ),
    "wrapped": lambda code, titles: json.dumps(
        {"result": {"ballot": code, "evaluations": dict.fromkeys(titles, BALLOT)}}
    ),
    "nested": lambda code, titles: json.dumps(
        {"ballot": code, "evaluations": {title: {"scores": BALLOT} for title in titles}}
    ),
    "in words": lambda code, titles: json.dumps(
        {
            "ballot": code,
            "evaluations": {title: {"accuracy": {"rating": 9}, "clarity": "9 out of 10"} for title in titles},
        }
    ),
    "holistic": lambda code, titles: f"Here: {json.dumps({'scores': dict.fromkeys(titles, '8/10')})}",
}


@pytest.mark.parametrize("shape", LIVE)
def test_live_ballots_are_read_as_those_of_files_are_and_paid_for_once(
    surefoot: Run, tmp_path: Path, shape: str
) -> None:
    with FaultServer(reviewing(LIVE[shape])) as server:
        models = ",".join(f"llm:{name}@{server.url}" for name in ("one", "two", "three"))
        done = surefoot(
            "council", "ask", "Is it so?", "--models", models, "--set", f"cache={tmp_path / 'c.sqlite'}", "--json"
        )
    assert done.code == 0 and not done.json["void"], done.json["void"]
    assert [row["votes"] for row in done.json["ranking"]] == [2, 2, 2] and done.json["spent"]["calls"] == 6


def test_models_of_anthropic_answer_and_review(surefoot: Run, tmp_path: Path) -> None:
    with FaultServer(council_says) as server:
        models = ",".join(f"anthropic:{name}@{server.url}" for name in ("one", "two"))
        done = surefoot(
            "council", "ask", "Is it so?", "--models", models, "--set", f"cache={tmp_path / 'c.sqlite'}", "--json"
        )
        review = server.calls[-1].body
    assert done.code == 0 and not done.json["failures"], done.err
    assert [row["votes"] for row in done.json["ranking"]] == [1, 1] and done.json["spent"]["calls"] == 4
    assert review["output_config"]["format"]["schema"]["properties"]["evaluations"]


def test_a_live_reviewer_that_declines_abstains_and_is_not_asked_again(surefoot: Run, tmp_path: Path) -> None:
    with FaultServer(reviewing(lambda code, titles: "I'm sorry, but I can't help with that.")) as server:
        models = ",".join(f"llm:{name}@{server.url}" for name in ("one", "two"))
        done = surefoot(
            "council", "ask", "Is it so?", "--models", models, "--set", f"cache={tmp_path / 'c.sqlite'}", "--json"
        )
    assert len(done.json["abstained"]) == 2 and done.json["spent"]["calls"] == 4


def test_scoring_without_the_rubric_is_asked_for_and_read(
    surefoot: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_COUNCIL_RUBRIC_SCORING", "false")

    def say(code: str, titles: list[str]) -> str:
        return json.dumps({"ballot": code, "evaluations": {title: {"notes": "", "score": 8} for title in titles}})

    with FaultServer(reviewing(say)) as server:
        models = ",".join(f"llm:{name}@{server.url}" for name in ("one", "two"))
        done = surefoot(
            "council", "ask", "Is it so?", "--models", models, "--set", f"cache={tmp_path / 'c.sqlite'}", "--json"
        )
        asked = server.calls[-1].body["response_format"]["json_schema"]["schema"]["properties"]["evaluations"]
        assert all(one["required"] == ["notes", "score"] for one in asked["properties"].values())
    assert [(row["overall"], row["votes"]) for row in done.json["ranking"]] == [(8.0, 1), (8.0, 1)]
    assert all(vote["holistic"] for vote in done.json["votes"])


def test_what_was_cut_off_is_no_answer_and_no_closing_answer(surefoot: Run, tmp_path: Path) -> None:
    with FaultServer(lambda call: council_says(call)._replace(thinks=10**6)) as server:
        one, two = (f"llm:{name}@{server.url}" for name in ("one", "two"))
        done = surefoot(
            "council",
            "ask",
            "Is it so?",
            "--models",
            f"{one},{two}",
            "--set",
            f"cache={tmp_path / 'c.sqlite'}",
            "--json",
        )
    assert done.code == 4 and done.json["answers"] == [] and "cut off" in done.err
    assert done.err.count("hint: raise max_tokens") == 1


def test_the_cause_of_a_failure_is_said_once_with_what_to_do(surefoot: Run, tmp_path: Path) -> None:
    with FaultServer(lambda call: Fault(404, message="Not Found")) as server:
        bare = server.url.removesuffix("/v1")
        models = f"llm:one@{bare},llm:two@{bare}"
        done = surefoot("council", "ask", "Is it so?", "--models", models, "--set", f"cache={tmp_path / 'c.sqlite'}")
    assert done.code == 4 and done.err.count(f"hint: most servers answer under /v1: try {bare}/v1") == 1
    assert done.err.count("HTTP 404: Not Found") == 2, "once for each model"


def test_ctrl_c_says_that_replies_are_kept(surefoot: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("surefoot.council.prompts.asked_at_once", interrupted)
    done = surefoot("council", "ask", "Is it so?", "--models", "llm:a@http://localhost:1/v1,llm:b@http://localhost:1/v1",
                    "--set", f"cache={tmp_path / 'c.sqlite'}")  # fmt: skip
    assert done.code == 130 and "the same command goes on from there" in done.err


def test_asking_models_that_are_not_there(surefoot: Run, file: Path, tmp_path: Path) -> None:
    """Nothing is made up, and every failure is named."""
    with FaultServer(lambda _: Fault(404, message="there is no such model")) as server:
        models = f"llm:one@{server.url},llm:two@{server.url}"
        asked = ("--models", models, "--set", f"cache={tmp_path / 'c.sqlite'}", "--json")
        done = surefoot("council", "ask", "Is ice a mineral?", *asked)
        given = surefoot("council", "ask", "Why is that?", "--answers", file, *asked)
    assert done.code == 4 and done.json["ranking"] == [] and len(done.json["failures"]) == 2
    assert given.code == 4 and [row["overall"] for row in given.json["ranking"]] == [None, None, 0.0]
    assert "there is no such model" in given.err and len(given.json["void"]) == 2


def test_a_real_model_reviews_and_a_repeat_asks_nobody(
    surefoot: Run, tmp_path: Path, llm_server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surefoot.council.prompts._REVIEW", SHORT_REVIEW)
    monkeypatch.setattr("surefoot.council.prompts._LONGEST_NOTE", 20)  # it fills what it is given
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\n[[axis]]\nname = "wit"\nasks = "Funny?"\nweight = 1.0\n', encoding="utf-8")
    given = {"A": {"model": "x", "text": "Sixty days."}, "B": {"model": "y", "text": "Ninety days."}}
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps(given))
    model = f"llm:{llm_server.model}@{llm_server.url}"
    asked = ("council", "ask", "How long is the notice?", "--models", model, "--answers", answers, "--rubric", own,
             "--set", f"cache={tmp_path / 'replies.sqlite'}", "--json")  # fmt: skip
    first = surefoot(*asked)
    found = json.loads(first.out)
    assert {row["label"] for row in found["ranking"]} == {"A", "B"}
    spoke = max(row["votes"] for row in found["ranking"])
    assert len(found["void"]) + len(found["abstained"]) + spoke == 1 and first.code == (0 if spoke else 4)
    again = surefoot(*asked)
    repeated = json.loads(again.out)
    assert repeated["ranking"] == found["ranking"] and repeated["spent"]["calls"] == 0 < found["spent"]["calls"]


def test_a_kill_with_calls_open_prints_nothing_of_asyncio(tmp_path: Path) -> None:
    run = make_run("run", [question(n) for n in range(4)], {f"q{n}": f"Month {n}." for n in range(4)})
    with FaultServer(lambda _: Fault(kind="stall")) as server:
        reviewers = [word for name in "ab" for word in ("--reviewer", f"llm:{name}@{server.url}")]
        command = [
            sys.executable,
            "-m",
            "surefoot",
            "council",
            "runs",
            run,
            *reviewers,
            "--yes",
            "--set",
            f"cache={tmp_path}/c.db",
        ]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            while server.counts()["calls"] < 8:
                assert process.poll() is None
                time.sleep(0.05)
            process.send_signal(signal.SIGTERM)
            _, told = process.communicate(timeout=120)
    assert process.returncode == 130 and "error: interrupted" in told and "Task" not in told
