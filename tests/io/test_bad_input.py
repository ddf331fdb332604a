"""Bad input is named with file and line, counted, and never kills the rest of the run."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from surefoot import score
from surefoot.core.errors import Incomplete
from surefoot.io import rows as sources

from ..conftest import GOOD_TRACES, QUESTIONS, Write

GOOD = [json.dumps(trace) for trace in GOOD_TRACES]


def bytes_of(*lines: str | bytes) -> bytes:
    return b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (b'{"q": "What is X?", "answer": ', "malformed"),
        (b"not json at all", "malformed"),
        (b"[1, 2", "malformed"),
        (b"null", "malformed"),
        (b"42", "malformed"),
        (b'"text"', "malformed"),
        (b"[]", "malformed"),
        (b"{}", "no_question"),
        (b'{"answer": "lost"}', "no_question"),
        (b'{"q": ["What is", "X?"], "answer": "x"}', "no_question"),
        (b'{"q": "__proto__", "answer": "x"}', "unknown_question"),
        (b'{"qid": "constructor", "answer": "x"}', "unknown_question"),
        (b'{"q": "Nobody", "answer": "\\ud800", "x": NaN}', "note"),
        (b'{"q": "Nobody asked \xff\xfe", "answer": "x"}', "note"),
        (b'{"messages": [{"role": "user"}], "response": {"output": null}}', "no_question"),
        (b'{"inputs": "[{\\"role\\": 1}]", "outputs": [[[1]]]}', "unknown_question"),
        (b'{"inputs": {"inputs": {"inputs": 1}}, "child_runs": [1, {"id": 2}]}', "no_question"),
        (
            b'{"trace_id": 7, "parent_id": null, "input": "What is X?", "output": "x", "q": "Nobody"}',
            "unknown_question",
        ),
        (b'{"data": {"spans": [{"attributes": 5, "trace_id": null}]}}', "malformed"),
        (b'{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": 1}]}]}]}', "malformed"),
        (b'{"q": "' + b"[{" * 4_000 + b'", "answer": "x"}', "unknown_question"),
        (b'{"q":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "malformed"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_is_scored(bad: bytes, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_bytes(bytes_of(GOOD[0], GOOD[1], bad, GOOD[2], GOOD[3]))
    result = score(QUESTIONS, path)
    assert result.labels == {"OK": 2, "REFUSAL_OK": 2}
    problem = result.problems.named[kind][0]
    assert (problem.source, problem.line) == (str(path), 3)
    given = result.accounting
    assert given.rows == 5 == given.scored + sum(given.left_out.values())
    assert result.exit_code == (4 if kind in ("malformed", "no_question") else 0)


def test_nbsp_and_odd_spaces_in_questions_still_join() -> None:
    traces = [dict(GOOD_TRACES[0], q=" what\u00a0IS\tX?\u200b ")]
    assert score(QUESTIONS, traces).labels["OK"] == 1


def test_two_values_on_one_line_are_two_rows(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_text(GOOD[0] + GOOD[1] + "\n" + GOOD[2] + "\n" + GOOD[3] + "\n")
    assert score(QUESTIONS, path).accounting.scored == 4


def test_a_gigantic_line_is_skipped_by_name_and_answers_of_megabytes_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "LONGEST_LINE", 3 << 20)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 1 << 20)
    large = json.dumps(dict(GOOD_TRACES[0], answer=GOOD_TRACES[0]["answer"] + " and" * 500_000))
    gigantic = '{"q": "' + "x" * (9 << 20) + '"}'
    for lines in ([gigantic, large, *GOOD[1:]], [large, gigantic, *GOOD[1:]], [large, *GOOD[1:], gigantic]):
        path = tmp_path / "traces.jsonl"
        path.write_text("\n".join(lines) + "\n")
        result = score(QUESTIONS, path)
        problem = result.problems.named["malformed"][0]
        assert "too long" in problem.message and problem.line == lines.index(gigantic) + 1
        assert result.accounting.scored == 4 and result.exit_code == 4
        assert sorted(row.line or 0 for row in result.rows()) == [n for n, x in enumerate(lines, 1) if x != gigantic]


@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\x00\x01\x02binary" * 99, "utf-16".encode("utf-16")])
def test_files_without_traces_are_named(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_bytes(content)
    result = score(QUESTIONS, path)
    assert result.exit_code == 4
    assert str(path) in str(result.problems.named["unreadable"][0])
    assert "nothing was scored" in result.decision.incomplete


def test_a_missing_file_an_empty_folder_and_a_damaged_archive_do_not_stop_the_others(
    write: Write, tmp_path: Path
) -> None:
    good = write("good.jsonl", GOOD)
    (tmp_path / "empty").mkdir()
    damaged = tmp_path / "damaged.jsonl.gz"
    damaged.write_bytes(gzip.compress(bytes_of(*GOOD))[:-20])
    result = score(QUESTIONS, [tmp_path / "none.jsonl", tmp_path / "empty", damaged, good], rerun="last")
    assert result.labels == {"OK": 2, "REFUSAL_OK": 2}
    assert result.exit_code == 4
    assert result.problems.counts["unreadable"] == 2
    assert result.problems.counts["no_traces"] == 1


def test_a_link_that_leads_nowhere_is_named(write: Write, tmp_path: Path) -> None:
    write("logs/good.jsonl", GOOD)
    (tmp_path / "logs" / "gone.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
    result = score(QUESTIONS, tmp_path / "logs")
    assert result.accounting.scored == 4 and result.exit_code == 4
    assert "gone.jsonl: cannot be read: no such file" in str(result.problems.named["unreadable"][0])


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_an_archive_that_breaks_off_before_its_first_row_is_one_fault(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    (tmp_path / "cut.jsonl.gz").write_bytes(pack(bytes_of(*GOOD))[:14])
    assert score(QUESTIONS, tmp_path / "cut.jsonl.gz").problems.counts == {"unreadable": 1}


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_rows_before_a_break_are_scored(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    noise = [json.dumps({"q": "What is X?", "answer": random.Random(n).randbytes(400).hex()}) for n in range(999)]
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(pack(bytes_of(*GOOD, *noise))[:-9_000])
    result = score(QUESTIONS, path, rerun="first")
    assert result.labels == {"OK": 2, "REFUSAL_OK": 2} and 500 < result.accounting.rows < 1_000
    assert result.exit_code == 4 and result.problems.counts["unreadable"] == 1


def test_half_a_table_is_not_scored(tmp_path: Path) -> None:
    rows = "".join(f"q1,{random.Random(n).randbytes(400).hex()}\n" for n in range(999))
    path = tmp_path / "cut.csv.gz"
    path.write_bytes(gzip.compress(f"qid,answer\n{rows}".encode())[:-9_000])
    result = score(QUESTIONS, path)
    assert result.accounting.rows == 0 and result.problems.counts["unreadable"] == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6) | st.sampled_from(
        ["q", "qid", "answer", "chunks", "citations", "error", "parsed", "attributes", "traceId", "resourceSpans", "id",
         "testCases", "answer_json", "handoff", "retrieval", "label", "contexts", "text", "claim", "inputs", "outputs",
         "messages", "role", "child_runs", "data", "spans", "trace_id", "parent_id", "events", "results", "context",
         "observations", "retrieval_context", "trace"]), inner, max_size=5),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(json_values.filter(lambda value: not isinstance(value, str)), max_size=8), st.randoms())
def test_arbitrary_rows_never_fail_and_none_is_lost(rows: list[object], rng: object) -> None:
    result = score(QUESTIONS, [*rows, *GOOD_TRACES], rerun="all")  # type: ignore[list-item]
    given = result.accounting
    assert given.rows == given.scored + given.set_aside + given.spans + sum(given.left_out.values())
    assert given.rows >= len(GOOD_TRACES)
    shuffled = [*rows, *GOOD_TRACES]
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    again = score(QUESTIONS, shuffled, rerun="all")  # type: ignore[arg-type]
    assert again.metrics == result.metrics
    assert again.labels == result.labels
    assert again.problems.counts == result.problems.counts


@given(st.lists(json_values, max_size=6))
def test_arbitrary_questions_never_fail(rows: list[object]) -> None:
    result = score([*rows, *QUESTIONS], GOOD_TRACES)
    assert result.settings.questions + sum(
        result.problems.counts[kind] for kind in ("bad_question", "duplicate_question")
    ) >= len(QUESTIONS)


@given(st.binary(max_size=300), st.sampled_from(["", "PK\x03\x04", "\n\x05\n\x03"]), st.sampled_from(["jsonl", "csv"]))
def test_arbitrary_bytes_never_fail(tmp_path: Path, content: bytes, magic: str, suffix: str) -> None:
    path = tmp_path / f"any.{suffix}"
    path.write_bytes(magic.encode() + content)
    assert score(QUESTIONS, path).exit_code == 4
    with pytest.raises(Incomplete, match="no usable question"):
        score(path, GOOD_TRACES)
