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
from surefoot.io import sources
from surefoot.io.traces import Shape
from surefoot.scorecard import Scorecard

from .conftest import GOOD_TRACES, QUESTIONS, Write

TWICE = [*GOOD_TRACES, dict(GOOD_TRACES[0], answer="I do not know.")]


def test_good_traces_ship() -> None:
    result = score(QUESTIONS, GOOD_TRACES)
    assert (result.card.decision.outcome, result.exit_code) == ("SHIP", 0)
    assert all(check.status == "pass" for check in result.card.decision.checks)


def test_the_result_reads_like_the_json_object() -> None:
    result = score(QUESTIONS, GOOD_TRACES)
    out = io.BytesIO()
    result.write_json(out)
    printed = json.loads(out.getvalue())
    assert result.to_json() == printed
    rows = {"rows", "question_hashes"}
    of_a_baseline = {"baseline", "changes", "label_changes"}
    assert set(printed) == {"metrics", "labels", "groups", "gate", "next", "input", "settings"} | of_a_baseline | rows
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


def test_several_traces_are_an_error_by_default() -> None:
    result = score(QUESTIONS, TWICE)
    assert result.exit_code == 4
    assert result.card.labels == {"DUPLICATE": 1, "OK": 1, "REFUSAL_OK": 2}
    assert result.card.problems.named["duplicate_trace"][0].line == 5
    assert "q1" in result.card.problems.named["duplicate_trace"][0].message
    assert result.card.metrics["citation_hit_rate"].denominator == 1  # left out of the metrics
    assert result.card.metrics["coverage"].value == pytest.approx(0.75)
    given = result.card.accounting
    assert (given.rows, given.scored, given.left_out) == (5, 3, {"several_traces": 2})
    assert [row.label for row in result.rows()] == ["DUPLICATE", "OK", "REFUSAL_OK", "REFUSAL_OK"]


@pytest.mark.parametrize(("rerun", "label"), [("first", "OK"), ("last", "OVER_REFUSAL")])
def test_first_and_last_take_one(rerun: Any, label: str) -> None:  # noqa: ANN401
    result = score(QUESTIONS, TWICE, rerun=rerun)
    rows = list(result.rows())
    assert rows[0].label == label and len(rows) == 4
    given = result.card.accounting
    assert (given.rows, given.scored, given.set_aside) == (5, 4, 1)
    assert result.exit_code in (0, 1)


def test_all_counts_each_as_an_attempt() -> None:
    result = score(QUESTIONS, TWICE[1:], rerun="all")
    assert result.card.metrics["over_refusal"].denominator == 2
    result = score(QUESTIONS, TWICE, rerun="all")
    assert result.card.metrics["over_refusal"].denominator == 3
    assert result.card.labels == {"OK": 2, "OVER_REFUSAL": 1, "REFUSAL_OK": 2}
    assert [row.line for row in result.rows()] == [1, 2, 3, 4, 5]
    missing = score(QUESTIONS, TWICE[:1], rerun="all")
    assert [row.label for row in missing.rows()] == ["OK", "MISSING", "MISSING", "MISSING"]


def test_missing_answers_fail_coverage_and_only_coverage_makes_it_incomplete() -> None:
    result = score(QUESTIONS, GOOD_TRACES[:3], rules=["precision >= 0.8", "coverage >= 1"])
    assert result.card.labels["MISSING"] == 1
    assert (result.card.decision.outcome, result.exit_code) == ("INCONCLUSIVE", 4)
    assert [check.status for check in result.card.decision.checks] == ["pass", "incomplete"]
    assert score(QUESTIONS, GOOD_TRACES[:3]).exit_code == 4  # also by the default gate
    tolerant = score(QUESTIONS, GOOD_TRACES[:3], rules=["coverage >= 0.75"])
    assert tolerant.exit_code == 0


@pytest.mark.parametrize("traces", [[], [{"q": "Unknown?", "answer": "x"}], [{"qid": "q1", "answer": ""}]])
def test_nothing_scored_is_never_green(traces: list[Any]) -> None:
    result = score(QUESTIONS, traces)
    assert result.exit_code == 4
    assert all(check.status in ("undecidable", "incomplete") for check in result.card.decision.checks)


def test_an_empty_question_set_is_never_green() -> None:
    assert score([], GOOD_TRACES).exit_code == 4


def test_refusals_by_the_exact_token_or_by_reading() -> None:
    traces = [
        *GOOD_TRACES[:2],
        {"qid": "q3", "answer": "I could not find that."},
        {"qid": "q4", "answer": " NOT in context "},
    ]
    assert score(QUESTIONS, traces).card.metrics["under_refusal"].numerator == 0
    assert score(QUESTIONS, traces, refusal="exact").card.metrics["under_refusal"].numerator == 1


def test_breakdown_by_any_field() -> None:
    questions = [dict(q, stratum="a" if i < 2 else "b", lang=i % 2) for i, q in enumerate(QUESTIONS)]
    result = score(questions, GOOD_TRACES, by=["stratum", "lang"])
    assert set(result.card.groups["stratum"]) == {"a", "b"} and set(result.card.groups["lang"]) == {"0", "1"}
    parts = [group["coverage"].denominator for group in result.card.groups["lang"].values()]
    assert sum(parts) == result.card.metrics["coverage"].denominator == 4


def test_each_rule_names_the_questions_behind_it() -> None:
    traces = [
        GOOD_TRACES[0],
        {"qid": "q2", "answer": "I do not know."},
        {"qid": "q3", "answer": "It is so."},
        GOOD_TRACES[3],
    ]
    checks = {check.rule.name: check for check in score(QUESTIONS, traces).card.decision.checks}
    assert checks["G2"].questions == ("q3",) and checks["G3"].questions == ("q2",)
    assert checks["G1"].questions == ("q3",) and checks["G4"].questions == ("q2",)
    assert checks["G5"].question_count == 1


def test_advice_follows_the_numbers_and_names_the_questions() -> None:
    assert score(QUESTIONS, GOOD_TRACES).card.advice == ()
    shy = {"qid": "q1", "chunks": ["p1#1"], "answer": "I do not know."}
    blind = {"qid": "q2", "chunks": ["x"], "answer": "I do not know."}
    invented = {"qid": "q3", "chunks": ["x"], "answer": "It is so [y#1]."}
    found = {a.finding: a.questions for a in score(QUESTIONS, [shy, blind, invented]).card.advice}
    assert found["refused although the gold source was retrieved"] == ("q1",)
    assert found["refused, and the gold source was not retrieved"] == ("q2",)
    assert found["answered although unanswerable"] == ("q3",)
    assert found["sources cited that were never retrieved"] == ("q3",)
    assert found["no usable answer"] == ("q4",)


def test_a_partial_refusal_has_its_own_label_and_advice_and_counts_as_answered() -> None:
    hedged = {"qid": "q3", "chunks": ["x"], "answer": "The documents do not say. Overtime is paid double."}
    result = score(QUESTIONS, [*GOOD_TRACES[:2], hedged, GOOD_TRACES[3]])
    assert result.card.labels["PARTIAL_REFUSAL"] == 1 and "HALLUCINATION" not in result.card.labels
    found = {advice.finding: advice.questions for advice in result.card.advice}
    assert found["declined an unanswerable question, and asserted something all the same"] == ("q3",)
    assert "answered although unanswerable" not in found
    assert result.card.metrics["under_refusal"].numerator == 1


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


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("rerun", ["error", "first", "last", "all"])
def test_like_rows_read_together_give_what_single_rows_give(
    rerun: Any, seed: int, write: Write, monkeypatch: pytest.MonkeyPatch  # noqa: ANN401
) -> None:  # fmt: skip
    rows = sorted(many(300, seed), key=lambda row: tuple(row))  # runs of equal shape
    path = write("rows.jsonl", rows)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 500)
    together = score(QUESTIONS, path, rerun=rerun)
    monkeypatch.setattr(Shape, "of", classmethod(lambda cls, reader, row: None))
    singly = score(QUESTIONS, path, rerun=rerun)
    assert together.to_json() == singly.to_json()


@pytest.mark.parametrize("rerun", ["error", "first", "last", "all"])
def test_many_blocks_on_many_cores_give_what_one_gives(
    rerun: Any, write: Write, monkeypatch: pytest.MonkeyPatch  # noqa: ANN401
) -> None:  # fmt: skip
    path = write("rows.jsonl", [*many(400, 1), "{broken", *many(50, 2), {"q": "Unknown?", "answer": "x"}])
    whole = score(QUESTIONS, path, rerun=rerun, jobs=1)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 4_000)
    assert score(QUESTIONS, path, rerun=rerun, jobs=1).to_json() == whole.to_json()
    assert score(QUESTIONS, path, rerun=rerun, jobs=2).to_json() == whole.to_json()


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
    score(questions, tmp_path / "log.jsonl", rerun="all", jobs=1, progress=lambda *one: told.append(one))
    assert [rows for rows, _ in told] == [3, 6, 9, 10] and [share for _, share in told] == [0.3, 0.6, 0.9, 1.0]
    score(questions, tmp_path, rerun="all", jobs=1, progress=lambda *one: told.append(one))
    assert told[-1] == (20, None)


@pytest.mark.parametrize("is_file", [True, False], ids=["together", "one by one"])
def test_an_empty_field_that_hides_marks_is_noted(is_file: bool, tmp_path: Path) -> None:
    questions = [{"qid": "a", "q": "A?", "answerable": True, "gold_ids": ["d#1"]}]
    row = {"qid": "a", "answer": "It is X [d#1].", "citations": [], "chunks": ["d#1"]}

    def scored(row: Mapping[str, object]) -> Scorecard:
        (tmp_path / "log.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        return score(questions, tmp_path / "log.jsonl" if is_file else [row], jobs=1).card

    found = scored(row)
    assert found.labels == {"ANS_NO_HIT": 1} and "an empty citations field" in str(found.problems.named["note"])
    assert "note" not in scored({**row, "answer": "It is X [sic]."}).problems.named
