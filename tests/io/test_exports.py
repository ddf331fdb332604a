"""Files of other tools, as they wrote them: whoever scores, grades or replays reads the same answers from each."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from surefoot import score
from surefoot.core.types import Ask, Problem, Trace
from surefoot.io.items import Ungradable, load_items
from surefoot.io.rows import read_rows
from surefoot.io.traces import read_traces
from surefoot.pipelines.traces import ReplayPipeline

from ..conftest import QUESTIONS

EXPORTS = Path(__file__).parent / "exports"
FILES = sorted(path.name for path in EXPORTS.iterdir() if path.suffix != ".md")
ANSWERS = {"What is X?": "X is a tight mapping [p1#1].", "What is Z?": "I could not find that in the documents."}
TEXTS = ("X is a tight mapping.", "Y is another thing.")
WITH_IDS = (
    "braintrust", "genai.json", "langfuse", "langsmith", "mlflow", "openinference", "phoenix", "ragas.", "table",
)  # fmt: skip
WITHOUT_PASSAGES = ("genai_events", "genai_logs", "ragas_turns", "trulens.jsonl")
PACKAGES = {".xlsx": "openpyxl", ".binpb": "opentelemetry.proto"}


@pytest.fixture(params=FILES)
def export(request: pytest.FixtureRequest) -> Path:
    path = EXPORTS / str(request.param)
    if path.suffix in PACKAGES:
        pytest.importorskip(PACKAGES[path.suffix])
    return path


def traces_in(path: Path) -> list[Trace]:
    found = [logged.found for logged in read_traces([path])]
    assert not [one for one in found if isinstance(one, Problem) and one.kind != "note"]
    return [one for one in found if isinstance(one, Trace)]


def test_every_answer_is_read_with_its_passages(export: Path) -> None:
    traces = traces_in(export)
    told = {trace.question or "": trace.answer for trace in traces}
    assert told == ({"What is X?": ANSWERS["What is X?"]} if "turns" in export.name else ANSWERS)
    for trace in traces:
        assert trace.error is None
        if export.name.startswith(WITHOUT_PASSAGES):
            assert trace.retrieved is None
            continue
        assert trace.retrieved is not None and tuple(passage.text for passage in trace.retrieved) == TEXTS
        assert trace.retrieved.ids == (("p1#1", "p2#1") if export.name.startswith(WITH_IDS) else None)


def test_every_export_is_scored_and_all_of_it_accounted_for(export: Path) -> None:
    card = score(QUESTIONS, export)
    assert card.labels["OK"] == 1 and card.labels.get("REFUSAL_OK", 0) == ("turns" not in export.name)
    assert set(card.problems.counts) <= {"note"}
    counted = card.accounting
    assert counted.rows == counted.scored + counted.spans


def test_every_export_is_graded_and_replayed(export: Path) -> None:
    items = list(load_items(export))
    assert not [item for item in items if isinstance(item, Ungradable)]
    replay = ReplayPipeline(str(export), {})
    assert replay.answer(Ask("q1", "What is X?")).answer == ANSWERS["What is X?"]


def test_json_and_protobuf_are_one_trace() -> None:
    pytest.importorskip("opentelemetry.proto")
    for name in ("openinference", "genai_events"):
        found = [list(read_traces([EXPORTS / f"{name}.{suffix}"])) for suffix in ("json", "binpb")]
        assert found[0] == found[1] and found[0]


def test_what_promptfoo_says_of_an_answer_is_no_error_of_the_pipeline(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (EXPORTS / "promptfoo.jsonl").read_text("utf-8").splitlines()]
    failed = next(row for row in rows if not row["success"])
    assert "Expected output" in failed["error"]
    path = tmp_path / "failed.json"
    path.write_text(json.dumps({**failed, "failureReason": 2, "error": "backend down"}))
    assert traces_in(path)[0].error == "backend down"


def test_the_context_of_a_deepeval_case_is_gold_and_was_not_retrieved(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    case = {"input": "What is X?", "actual_output": "So.", "context": ["gold"], "retrieval_context": None}
    path.write_text(json.dumps([case]))
    assert traces_in(path)[0].retrieved is None


def rows_of(path: Path) -> list[object]:
    return [row.value for row in read_rows([path])]


def parts_of(value: object) -> list[tuple[Any, object]]:
    """Every place in a value where another could stand."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, inner in pairs for found in [(value, key), *parts_of(inner)]]


ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1.5,
    "",
    "x",
    "[",
    "{}",
    '[{"role": []}]',
    "['a', 1]",
    [],
    {},
    [[]],
    [None],
    {"id": {}},
    {"": [{}]},
)


@given(
    st.sampled_from([name for name in FILES if name.endswith((".json", ".jsonl"))]),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, len(ODD) - 1)), min_size=1, max_size=4),
)
@settings(max_examples=40)
def test_no_odd_value_anywhere_in_an_export_is_a_crash(name: str, changes: list[tuple[int, int]]) -> None:
    rows = rows_of(EXPORTS / name)
    for place, odd in changes:
        parts = parts_of(rows)
        holder, key = parts[place % len(parts)]
        holder[key] = deepcopy(ODD[odd])
    assume(not any(isinstance(row, str) for row in rows))  # texts are paths
    counted = score(QUESTIONS, rows, rerun="all").accounting  # type: ignore[arg-type]
    assert counted.rows == counted.scored + counted.spans + sum(counted.left_out.values())
