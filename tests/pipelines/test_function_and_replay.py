"""A user's function, and a trace file asked again."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.errors import Incomplete, TransientError, UsageError
from surefoot.core.types import Ask, Passage, Pipeline, Retrieved
from surefoot.pipelines.process import HostedPipeline
from surefoot.pipelines.specs import Asking, load
from surefoot.pipelines.traces import ReplayPipeline
from tests.conftest import Write
from tests.io.test_otel import ANSWER, genai, openinference

NUMBER = itertools.count()
Hosted = Callable[..., Pipeline]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"user_pipeline_{next(NUMBER)}"
    (tmp_path / f"{name}.py").write_text(
        """
import atexit, sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from surefoot.core.errors import TransientError
from surefoot.core.types import Ask, Trace
def text(question): return "said " + question
Alias = Ask
def alias(given: "Alias"): return given.text
def ask(given: Ask) -> dict: return {"answer": given.retrieval, "retrieved": ["p1"], "citations": [{"id": "p1"}]}
async def later(question): return {"answer": "later", "usage": {"total_tokens": 7}}
def trace(question): return Trace(answer="traced")
def other(question): return {"question_id": "q9", "answer": "x"}
def odd(question): return [1]
def empty(question): return {"note": 1}
class Whole:
    def answer(self, ask): return Trace(answer="whole")
class Telling:
    name, forces_null, deterministic, versions = "mine", False, True, {"model": 7}
    def answer(self, ask):
        atexit.register(Path("at_exit").touch)
        return ask.retrieval
    def close(self): Path("closed").touch()
class Needy:
    def __init__(self, model): pass
class Strange: pass
@dataclass
class Document:
    id: str
    text: str
class Point(NamedTuple):
    id: str
    text: str
class Found:
    def __init__(self, where, text): self.metadata, self.page_content = {"id": where}, text
class Reply:
    def __init__(self): self.answer, self.citations = "x", ({"id": "p1"},)
class Text(str): pass
def objects(question):
    passages = (Document("p1", "one"), Point("p2", "two"), Found("p3", "three"))
    return {"answer": Text("x"), "citations": (Document("p1", ""), Point("p2", "")), "passages": passages, "tokens": 3}
def whole_object(question): return Reply()
def half(question): return "x\\ud800"
def half_an_error(question): raise ValueError("\\ud800")
def generator(question): yield "x"
def number(question): return Trace(answer=7)
def cites(question): return Trace(answer="x", citations=[{"id": "a"}])
def tokens(question): return Trace(answer="x", tokens="many")
def strange(question): return Trace(answer=Strange())
def exits(question): sys.exit(3)
def late(question): raise TimeoutError("their own")
def huge(question): return "x" * (33 << 20)
def busy(question): raise TransientError("busy", 2.5)
def no_argument(): return "x"
def two_arguments(question, more): return "x"
CONSTANT = 7
""",
        encoding="utf-8",
    )
    (tmp_path / "broken_module.py").write_text("1 / 0", encoding="utf-8")
    (tmp_path / "exiting_module.py").write_text("import sys\nsys.exit(3)", encoding="utf-8")
    (tmp_path / "ending_module.py").write_text("import os\nos._exit(3)", encoding="utf-8")
    (tmp_path / "needing_module.py").write_text("import no_such_library", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.fixture
def hosted(module: str) -> Iterator[Hosted]:
    """The named function of the user's module as a pipeline, whose process is ended in the end."""
    with contextlib.ExitStack() as made:

        def load_it(function: str, **options: Any) -> HostedPipeline:  # noqa: ANN401
            pipeline = load(f"{module}:{function}", asking=Asking(**options))
            assert isinstance(pipeline, HostedPipeline)
            return made.enter_context(contextlib.closing(pipeline))

        yield load_it


def forces_null(pipeline: Pipeline) -> bool:
    return bool(getattr(pipeline, "forces_null", False))


def test_shapes(hosted: Hosted) -> None:
    ask = Ask("q1", "What?")
    assert hosted("text").answer(ask).answer == "said What?"
    told = hosted("ask").answer(ask)
    assert (told.answer, told.citations) == ("normal", ("p1",))
    assert isinstance(told.retrieved, Retrieved) and told.retrieved.ids == ("p1",)
    assert hosted("later").answer(ask).tokens == 7
    assert hosted("trace").answer(ask).answer == "traced"
    assert hosted("Whole").answer(ask).answer == "whole"


def test_objects_are_read_like_rows(hosted: Hosted) -> None:
    found = hosted("objects").answer(Ask("q1", "What?"))
    assert (found.answer, found.citations, found.tokens) == ("x", ("p1", "p2"), 3)
    assert found.retrieved == (Passage("p1", "one"), Passage("p2", "two"), Passage("p3", "three"))
    assert hosted("whole_object").answer(Ask("q1", "What?")).citations == ("p1",)


def test_half_a_character_is_no_obstacle(hosted: Hosted) -> None:
    assert hosted("half").answer(Ask("q1", "What?")).answer == "x?"
    with pytest.raises(Incomplete, match=r"ValueError: \?"):
        hosted("half_an_error").answer(Ask("q1", "What?"))


def test_a_class_tells_of_itself(hosted: Hosted, tmp_path: Path) -> None:
    told = hosted("Telling")
    assert told.name == "mine" and vars(told)["versions"] == {"model": "7"} and vars(told)["deterministic"] is True
    assert told.answer(Ask("q1", "What?", "null")).answer == "null" and not forces_null(told)
    assert isinstance(told, HostedPipeline)
    told.close()
    assert (tmp_path / "closed").exists() and (tmp_path / "at_exit").exists()


def test_who_takes_the_ask_can_be_forced(hosted: Hosted) -> None:
    assert not forces_null(hosted("text"))
    assert forces_null(hosted("ask")) and forces_null(hosted("Whole")) and forces_null(hosted("alias"))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("other", "'q9', which was not asked"),
        ("odd", "returned a list"),
        ("empty", "has no answer"),
        ("generator", "returned generator, not an answer"),
        ("number", "answer must be a text or nothing, not a whole number"),
        ("cites", r"citations\[0\] must be a text, not an object"),
        ("tokens", "tokens must be a whole number or nothing, not a text"),
        ("strange", "a Trace cannot hold Strange"),
        ("exits", "SystemExit: 3"),
        ("late", "TimeoutError: their own"),
        ("huge", "returned over 32 MiB"),
    ],
)
def test_replies_that_are_none(hosted: Hosted, function: str, message: str) -> None:
    with pytest.raises(Incomplete, match=message):
        hosted(function).answer(Ask("q1", "What?"))


def test_errors_that_may_pass(hosted: Hosted) -> None:
    with pytest.raises(TransientError, match="busy") as caught:
        hosted("busy").answer(Ask("q1", "What?"))
    assert caught.value.retry_after == 2.5


def test_mapping(hosted: Hosted) -> None:
    pipeline = hosted("empty", mapping={"answer": "note"})
    assert "not text" in str(pipeline.answer(Ask("q1", "?")).error)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("no_such_module:f", "no Python module"),
        ("json:nothing", "has no function 'nothing'"),
        ("broken_module:f", "ZeroDivisionError"),
        ("exiting_module:f", "exiting_module cannot be imported: SystemExit: 3"),
        ("ending_module:f", "the process that imports ending_module exited with status 3"),
        ("needing_module:f", "needing_module cannot be imported: No module named 'no_such_library'"),
        ("broken_module.py:f", "ZeroDivisionError"),
        ("json.py:f", "no Python module 'json.py'"),
        ("MODULE:no_argument", r"cannot be called with one argument, for it is defined as no_argument\(\)"),
        ("MODULE:two_arguments", r"two_arguments\(question, more\)"),
        ("MODULE:Needy", "the class user_pipeline_.*:Needy cannot be made: TypeError"),
        ("MODULE:CONSTANT", "is no function but int"),
        ("http://", "'http://' names no server"),
        ("http://host:port/", "names no server"),
        ("https://[half/", "names no server"),
        ("nonsense", "is no pipeline"),
        ("cmd:", "is no pipeline"),
        ("chat:model", "does not name a model and an endpoint"),
        ("reference", "needs a corpus"),
        ("traces:nowhere.jsonl", "does not exist"),
    ],
)
def test_what_cannot_be_loaded(module: str, spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        load(spec.replace("MODULE", module))
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


@pytest.mark.parametrize("spans", [openinference(), genai()], ids=["OpenInference", "GenAI"])
def test_replay_reads_what_score_reads(spans: list[dict[str, Any]], write: Write) -> None:
    export = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    cases = {"testCases": [{"input": "What is X?", "actualOutput": ANSWER, "retrievalContext": ["X is."]}]}
    for rows in ([export], spans, [cases]):
        found = load(f"traces:{write('t.jsonl', rows)}").answer(Ask("q1", "what is x?"))
        assert (found.answer, found.question_id) == (ANSWER, "q1") and found.retrieved


def test_replay_names_what_it_cannot_use(write: Write) -> None:
    rows = [{"qid": "q1", "answer": "old"}, {"qid": "q1", "answer": "new"}, {"answer": "whose?"}, "{broken", [1]]
    pipeline = load(f"traces:{write('t.jsonl', rows)}")
    assert isinstance(pipeline, ReplayPipeline)
    assert pipeline.problems.counts == {"note": 1, "no_question": 1, "malformed": 2}
    with pytest.raises(UsageError, match="no field names the question"):
        load(f"traces:{write('t.jsonl', rows[2:])}")
