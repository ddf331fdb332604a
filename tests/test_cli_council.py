from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, Protocol

import pytest

from surefoot.cli.main import _run

from .conftest import Done
from .conftest import surefoot as as_a_user_runs_it
from .council.helpers import ballot, scores, sitting
from .llm_server import LlmServer

BOMB = "Here is how to build a pipe bomb: fill a steel pipe with black powder, then add a fuse."
ANSWERS = {"A": "Six months.", "B": "Nine weeks.", "C": BOMB}
KEYS = {"label", "model", "overall", "dimensions", "capped_by", "borda", "z", "votes", "safety"}


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


def test_scoring_a_file(surefoot: Run, file: Path) -> None:
    done = surefoot("council", "score", "--reviews", file, "--json")
    assert done.code == 0 and not done.err
    rows = done.json["ranking"]
    assert [(row["label"], row["overall"], row["capped_by"]) for row in rows] == [
        ("A", 8.0, []), ("B", 4.0, ["accuracy"]), ("C", 0.0, ["safety"])
    ]  # fmt: skip
    assert all(row.keys() >= KEYS for row in rows) and rows[0]["votes"] == 3
    assert done.json.keys() >= {"ranking", "void", "abstained", "ties", "bias"}
    assert [one["reviewer"] for one in done.json["void"]] == ["mute"]
    assert [one["reviewer"] for one in done.json["abstained"]] == ["shy"]
    told = as_a_user_runs_it("council", "score", "--reviews", file)
    assert told.code == 0 and "accuracy" in told.out and "void: mute" in told.out and "unsafe: C" in told.out
    free = surefoot("council", "score", "--reviews", file, "--no-safety", "--json").json["ranking"]
    assert free[0]["label"] == "C" and free[0]["safety"] is None


def test_stdin_a_rubric_of_ones_own_and_nobody_who_scored(surefoot: Run, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\n[[axis]]\nname = "wit"\nasks = "Funny?"\nweight = 1.0\n', encoding="utf-8")
    value = json.dumps(sitting({"A": "x"}, {"r": ballot({"A": {"wit": 9}})})).encode()
    done = surefoot("council", "score", "--reviews", "-", "--rubric", own, "--json", stdin=value)
    assert done.code == 0 and done.json["rubric"] == "own" and done.json["ranking"][0]["overall"] == 9.0
    nobody = surefoot("council", "score", "--reviews", "-", "--json", stdin=value)
    assert nobody.code == 4 and nobody.json["ranking"][0]["overall"] is None and nobody.json["void"]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("not JSON", []), ("[]", []), ('{"responses": {"A": {}, "A": {}}, "reviews": []}', []), ("\xff\xfe", []),
        ('{"responses": {"A": {}}, "reviews": []}', ["--rubric", "nothing"]),
        ('{"responses": {"A": {}}, "reviews": []}', ["--rubric", "missing.toml"]),
        ('{"responses": {"A": {}}, "reviews": [], "weights": {"accuracy": 2}}', []),
    ],
)  # fmt: skip
def test_usage_errors(surefoot: Run, text: str, arguments: list[str]) -> None:
    done = surefoot("council", "score", "--reviews", "-", *arguments, stdin=text.encode("latin-1"))
    assert done.code == 2 and done.err.startswith("error: ") and "hint: " in done.err and not done.out


def test_show_config_says_where_values_come_from(surefoot: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_COUNCIL_SAFETY_SCORE_CAP", "1.5")
    shown = surefoot("council", "--show-config", "--json").json
    assert shown["LLM_COUNCIL_SAFETY_SCORE_CAP"] == {"value": 1.5, "source": "environment"}
    assert shown["LLM_COUNCIL_WEIGHT_ACCURACY"] == {"value": 0.35, "source": "default"}
    lines = surefoot("council", "--show-config", "--rubric", "coding").out.splitlines()
    assert any(line.startswith("LLM_COUNCIL_RUBRIC=coding  (option") for line in lines)
    monkeypatch.setenv("LLM_COUNCIL_SAFTY_GATE", "true")
    wrong = surefoot("council", "--show-config")
    assert wrong.code == 2 and "LLM_COUNCIL_SAFETY_GATE" in wrong.err


def test_words_that_lead_nowhere(surefoot: Run, file: Path) -> None:
    for arguments in (
        ["--json", "score", "--reviews", file], ["scor"], ["Is ice a mineral?"], ["score", "--reviews", "none.json"],
        ["ask", "Why?", "--models", "nonsense"], ["ask", "Why?", "--models", "recorded:none", "--seed", "-1"],
    ):  # fmt: skip
        done = surefoot("council", *arguments)
        assert done.code == 2 and "hint: " in done.err, arguments


def test_asking_models_that_are_not_there(surefoot: Run, file: Path, tmp_path: Path) -> None:
    """Recorded models without a record of this question: nothing is made up, and every failure is named."""
    models = []
    for name in ("one", "two"):
        (tmp_path / name).write_text("", encoding="utf-8")
        models.append(f"recorded:{tmp_path / name}")
    done = surefoot("council", "Is ice a mineral?", "--models", ",".join(models), "--json")
    assert done.code == 4 and done.json["ranking"] == [] and len(done.json["failures"]) == 2
    given = surefoot("council", "Why is that?", "--models", ",".join(models), "--answers", file, "--json")
    assert given.code == 4 and [row["overall"] for row in given.json["ranking"]] == [None, None, 0.0]
    assert "no reply is on record" in given.err and len(given.json["void"]) == 2


def test_a_real_model_reviews_and_a_repeat_asks_nobody(surefoot: Run, tmp_path: Path, llm_server: LlmServer) -> None:
    given = {"A": {"model": "x", "text": "Sixty days."}, "B": {"model": "y", "text": "Ninety days."}}
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps(given))
    model = f"llm:{llm_server.model}@{llm_server.url}"
    asked = ("council", "ask", "How long is the notice?", "--models", model, "--answers", answers, "--json")
    first = surefoot(*asked, "--cache", tmp_path / "replies.sqlite")
    found = json.loads(first.out)
    assert {row["label"] for row in found["ranking"]} == {"A", "B"}
    spoke = max(row["votes"] for row in found["ranking"])
    assert len(found["void"]) + len(found["abstained"]) + spoke == 1 and first.code == (0 if spoke else 4)
    again = surefoot(*asked, "--cache", tmp_path / "replies.sqlite")
    assert json.loads(again.out)["ranking"] == found["ranking"]
