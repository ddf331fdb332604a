"""A user's function, and a trace file asked again."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from surefoot.errors import Incomplete, UsageError
from surefoot.pipelines import Options, load
from surefoot.types import Ask, Pipeline, Retrieved
from tests.conftest import Write

NUMBER = itertools.count()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"user_pipeline_{next(NUMBER)}"
    (tmp_path / f"{name}.py").write_text(
        """
from surefoot.types import Ask, Trace
def text(question): return "said " + question
def ask(given: Ask) -> dict: return {"answer": given.retrieval, "retrieved": ["p1"], "citations": [{"id": "p1"}]}
async def later(question): return {"answer": "later", "usage": {"total_tokens": 7}}
def trace(question): return Trace(answer="traced")
def other(question): return {"question_id": "q9", "answer": "x"}
def odd(question): return [1]
def empty(question): return {"note": 1}
class Whole:
    def answer(self, ask): return Trace(answer="whole")
""",
        encoding="utf-8",
    )
    (tmp_path / "broken_module.py").write_text("1 / 0", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return name


def forces_null(pipeline: Pipeline) -> bool:
    return bool(getattr(pipeline, "forces_null", False))


def test_shapes(module: str) -> None:
    ask = Ask("q1", "What?")
    assert load(f"{module}:text").answer(ask).answer == "said What?"
    told = load(f"{module}:ask").answer(ask)
    assert (told.answer, told.citations) == ("normal", ("p1",))
    assert isinstance(told.retrieved, Retrieved) and told.retrieved.ids == ("p1",)
    assert load(f"{module}:later").answer(ask).tokens == 7
    assert load(f"{module}:trace").answer(ask).answer == "traced"
    assert load(f"{module}:Whole").answer(ask).answer == "whole"


def test_who_takes_the_ask_can_be_forced(module: str) -> None:
    assert not forces_null(load(f"{module}:text"))
    assert forces_null(load(f"{module}:ask")) and forces_null(load(f"{module}:Whole"))


@pytest.mark.parametrize(
    ("function", "message"),
    [("other", "'q9', which was not asked"), ("odd", "returned a list"), ("empty", "has no answer")],
)
def test_replies_that_are_none(module: str, function: str, message: str) -> None:
    with pytest.raises(Incomplete, match=message):
        load(f"{module}:{function}").answer(Ask("q1", "What?"))


def test_mapping(module: str) -> None:
    pipeline = load(f"{module}:empty", options=Options(mapping={"answer": "note"}))
    assert "not text" in str(pipeline.answer(Ask("q1", "?")).error)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("no_such_module:f", "no Python module"),
        ("json:nothing", "has no function 'nothing'"),
        ("broken_module:f", "ZeroDivisionError"),
        ("nonsense", "is no pipeline"),
        ("cmd:", "is no pipeline"),
        ("chat:model", "does not name a model and an endpoint"),
        ("reference", "needs a corpus"),
        ("traces:nowhere.jsonl", "does not exist"),
    ],
)
def test_what_cannot_be_loaded(module: str, spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        load(spec)
    assert caught.value.hint


def test_replay(write: Write) -> None:
    path = write("t.jsonl", [
        {"qid": "q1", "answer": "old"},
        {"qid": "q1", "answer": "by id", "chunks": ["p1"]},
        {"q": "What  IS it?", "answer": "by text", "chunks": []},
        "rubbish",
    ])  # fmt: skip
    pipeline = load(f"traces:{path}")
    assert pipeline.answer(Ask("q1", "x")).answer == "by id"
    found = pipeline.answer(Ask("q2", "what is it?", "null"))
    assert (found.answer, found.question_id) == ("by text", "q2")
    with pytest.raises(Incomplete, match="no answer to this question"):
        pipeline.answer(Ask("q3", "unheard of"))
    with pytest.raises(Incomplete, match="does not show that nothing was retrieved"):
        pipeline.answer(Ask("q1", "x", "null"))
