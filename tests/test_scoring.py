from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot
from surefoot import score
from surefoot.io import rows as sources
from surefoot.io import traces
from surefoot.scoring.run import ScoreResult

from .conftest import GOOD_TRACES, QUESTIONS, Write


def test_the_result_reads_like_the_json_object() -> None:
    result = score(QUESTIONS, GOOD_TRACES)
    out = io.BytesIO()
    result.write_json(out)
    printed = json.loads(out.getvalue())
    assert result.to_json() == printed
    rows = {"rows", "question_hashes"}
    assert set(printed) == {"metrics", "labels", "groups", "gate", "next", "input", "settings"} | rows
    assert printed["metrics"]["precision"] == {
        "value": 1.0, "numerator": 2, "denominator": 2, "low": pytest.approx(0.05**0.5), "high": 1.0,
        "reason": None,
    }  # fmt: skip
    assert printed["rows"][3]["refusal"] == "refused" and printed["rows"][3]["refusal_span"] == "Not in context"
    assert printed["gate"]["outcome"] == "SHIP"
    out = io.BytesIO()
    result.write_json(out, with_rows=False)
    assert set(json.loads(out.getvalue())) == set(printed) - rows


def test_public_names() -> None:
    assert {"ScoreResult", "__version__", "score"} <= set(surefoot.__all__)
    for name in surefoot.__all__:
        assert getattr(surefoot, name)
    with pytest.raises(AttributeError):
        _ = surefoot.nothing


def test_advice_follows_the_numbers_and_names_the_questions() -> None:
    assert score(QUESTIONS, GOOD_TRACES).next == ()
    shy = {"qid": "q1", "chunks": ["p1#1"], "answer": "I do not know."}
    blind = {"qid": "q2", "chunks": ["x"], "answer": "I do not know."}
    invented = {"qid": "q3", "chunks": ["x"], "answer": "It is so [y#1]."}
    found = {a.finding: a.questions for a in score(QUESTIONS, [shy, blind, invented]).next}
    assert found["refused although the gold source was retrieved"] == ("q1",)
    assert found["refused, and the gold source was not retrieved"] == ("q2",)
    assert found["answered although unanswerable"] == ("q3",)
    assert found["sources cited that were never retrieved"] == ("q3",)
    assert found["no usable answer"] == ("q4",)


def many(n: int, seed: int) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    answers = [
        "not in context",
        "So. citations: [p1#1]",
        "So [p2#1] (Plan, p. 4).",
        "",
        '{"claim": "So", "citations": []}',
    ]
    rows: list[dict[str, Any]] = []
    for _ in range(n):
        row: dict[str, Any] = {
            "q": rng.choice(QUESTIONS)["q"],
            "answer": rng.choice(answers),
            "chunks": [{"id": "p1#1"}],
        }
        row |= rng.choice([{}, {}, {"citations": ["p2#1"]}, {"error": None}, {"error": "x"}, {"chunks": ["p1#1", 3]}])
        rows.append(row)
    return rows


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rerun", ["error", "first", "last", "all"])
def test_rows_read_by_their_keys_alone_give_what_any_row_gives(
    rerun: Any, seed: int, write: Write, monkeypatch: pytest.MonkeyPatch  # noqa: ANN401
) -> None:  # fmt: skip
    rows = sorted(many(300, seed), key=lambda row: tuple(row))  # runs of equal shape
    path = write("rows.jsonl", rows)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 500)
    together = score(QUESTIONS, path, rerun=rerun)
    monkeypatch.setattr(traces, "_form", lambda *_: None)
    singly = score(QUESTIONS, path, rerun=rerun)
    assert together.to_json() == singly.to_json()


@pytest.mark.parametrize("rerun", ["error", "first", "last", "all"])
def test_many_blocks_on_many_cores_give_what_one_gives(
    rerun: Any, write: Write, monkeypatch: pytest.MonkeyPatch  # noqa: ANN401
) -> None:  # fmt: skip
    path = write("rows.jsonl", [*many(400, 1), "{broken", *many(50, 2), {"q": "Unknown?", "answer": "x"}])
    whole = score(QUESTIONS, path, rerun=rerun, settings={"jobs": 1})
    monkeypatch.setattr(sources, "BLOCK_BYTES", 4_000)
    assert score(QUESTIONS, path, rerun=rerun, settings={"jobs": 1}).to_json() == whole.to_json()
    assert score(QUESTIONS, path, rerun=rerun, settings={"jobs": 2}).to_json() == whole.to_json()


@given(st.permutations(GOOD_TRACES), st.sampled_from(["error", "all"]))
def test_the_order_of_rows_does_not_matter(rows: list[dict[str, Any]], rerun: Any) -> None:  # noqa: ANN401
    expected = score(QUESTIONS, GOOD_TRACES, rerun=rerun)
    found = score(QUESTIONS, rows, rerun=rerun)
    assert found.metrics == expected.metrics and found.gate == expected.gate
    without_line = [msgspec.structs.replace(row, line=0) for row in found.rows()]
    assert sorted(map(repr, without_line)) == sorted(
        repr(msgspec.structs.replace(row, line=0)) for row in expected.rows()
    )


def test_rows_wait_in_a_file_and_not_in_memory(write: Write, tmp_path: Path) -> None:
    path = write("rows.jsonl", many(3_000, 3))
    result = score(QUESTIONS, path, rerun="all")
    with (tmp_path / "out.json").open("wb") as out:
        result.write_json(out)
        result.write_json(out)  # reading twice gives the same twice
    half = (tmp_path / "out.json").read_bytes().splitlines()
    assert len(json.loads(b"\n".join(half[: len(half) // 2]))["rows"]) == 3_000
    assert half[: len(half) // 2] == half[len(half) // 2 :]


def test_progress_tells_the_share_of_plain_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", 100)
    questions = [{"qid": "a", "q": "A?", "answerable": False}]
    row = b'{"qid": "a", "answer": "not in context"}\n'
    (tmp_path / "log.jsonl").write_bytes(row * 10)
    (tmp_path / "log.jsonl.gz").write_bytes(gzip.compress(row * 10))
    told: list[tuple[int, float | None]] = []
    score(questions, tmp_path / "log.jsonl", rerun="all", settings={"jobs": 1}, progress=lambda *one: told.append(one))
    assert [rows for rows, _ in told] == [3, 6, 9, 10] and [share for _, share in told] == [0.3, 0.6, 0.9, 1.0]
    score(questions, tmp_path, rerun="all", settings={"jobs": 1}, progress=lambda *one: told.append(one))
    assert told[-1] == (20, None)


@pytest.mark.parametrize("is_file", [True, False], ids=["together", "one by one"])
def test_an_empty_field_that_hides_marks_is_noted(is_file: bool, tmp_path: Path) -> None:
    questions = [{"qid": "a", "q": "A?", "answerable": True, "gold_ids": ["d#1"]}]
    row = {"qid": "a", "answer": "It is X [d#1].", "citations": [], "chunks": ["d#1"]}

    def scored(row: Mapping[str, object]) -> ScoreResult:
        (tmp_path / "log.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        return score(questions, tmp_path / "log.jsonl" if is_file else [row], settings={"jobs": 1})

    found = scored(row)
    assert found.labels == {"ANS_NO_HIT": 1} and "an empty citations field" in str(found.problems.named["note"])
    assert "note" not in scored({**row, "answer": "It is X [sic]."}).problems.named
