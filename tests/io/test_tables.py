"""Tables, and other files that are read whole."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot import score
from surefoot.core.types import Item, Passage, Problem, Trace
from surefoot.io import rows as sources
from surefoot.io.items import load_items
from surefoot.io.rows import decoded, said
from surefoot.io.traces import read_traces

from ..conftest import QUESTIONS

EXPORTS = Path(__file__).parent / "exports"
CSV = """qid,answer,retrieved_ids,contexts
q1,"X is so
[p1#1].","p1#1, p2#1","[""one two"", ""three four""]"

q3,N/A,,
"""


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def traces_in(path: Path) -> list[Trace | Problem]:
    return [logged.found for logged in read_traces([path])]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV.encode()),
        ("t.CSV", b"\xef\xbb\xbf" + CSV.encode()),
        ("t.csv", CSV.replace("\n", "\r\n").encode()),
        ("t.csv", CSV.encode("utf-16")),
        ("t.csv.gz", gzip.compress(CSV.encode())),
    ],
)
def test_a_table_is_read_with_lists_in_its_cells(name: str, content: bytes, tmp_path: Path) -> None:
    first, second = traces_in(written(tmp_path / name, content))
    assert isinstance(first, Trace) and isinstance(second, Trace)
    assert first.retrieved is not None and [(p.id, p.text) for p in first.retrieved] == [
        ("p1#1", "one two"), ("p2#1", "three four"),
    ]  # fmt: skip
    assert (first.question_id, second.answer, second.retrieved) == ("q1", "N/A", None)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators(separator: str, tmp_path: Path) -> None:
    rows = [["q", "answer", "citations"], ["What is X?", "X, and so on", "[p1#1]"]]
    path = written(tmp_path / "t.tsv", "\n".join(separator.join(row) for row in rows))
    assert traces_in(path) == [Trace(None, "What is X?", "X, and so on", citations=("p1#1",))]


def test_rows_are_named_by_the_line_they_start_on_and_bad_ones_do_not_stop_the_rest(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", 'qid,answer\nq1,"a\nb"\nq2,x,y\nq4,N/A\n')
    card = score(QUESTIONS, path)
    problem = card.problems.named["malformed"][0]
    assert (problem.line, card.accounting.scored) == (4, 2) and "has more cells than the first line" in problem.message
    assert card.decision.incomplete


@pytest.mark.parametrize("content", ["", "\n\n", "qid,answer\n"])
def test_a_table_without_rows_is_incomplete(content: str, tmp_path: Path) -> None:
    assert score(QUESTIONS, written(tmp_path / "t.csv", content)).exit_code == 4


def test_columns_with_one_name_are_noted(tmp_path: Path) -> None:
    note, trace = traces_in(written(tmp_path / "t.csv", "qid,answer,answer\nq1,a,b\n"))
    assert isinstance(note, Problem) and note.kind == "note" and "'answer'" in note.message
    assert isinstance(trace, Trace) and trace.answer == "b"


def test_a_table_is_graded_by_the_gold_in_its_cells(tmp_path: Path) -> None:
    header = "id,user_input,response,retrieved_contexts,reference_context_ids,gold_claims,passages"
    cells = """7,What is X?,So.,"['one two']","['p1', 'p2']","[""X is so.""]","[{'id': 'p1', 'text': 'one two'}]\""""
    (item,) = load_items(written(tmp_path / "t.csv", f"{header}\n{cells}\n"))
    assert isinstance(item, Item) and item.question.gold_ids == ("p1", "p2")
    assert (item.question.gold_claims, item.trace.sources) == (("X is so.",), (Passage("p1", "one two"),))


def test_a_log_written_as_parquet_holds_json_in_texts(tmp_path: Path) -> None:
    import pyarrow  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.parquet  # type: ignore[import-untyped, unused-ignore]

    lines = (EXPORTS / "langsmith.jsonl").read_text("utf-8").splitlines()
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    kept = ("id", "trace_id", "parent_run_id", "run_type", "error")
    table = [{key: row[key] for key in kept} | {k: json.dumps(row[k]) for k in ("inputs", "outputs")} for row in rows]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table), tmp_path / "runs.parquet")
    assert traces_in(tmp_path / "runs.parquet") == traces_in(EXPORTS / "langsmith.jsonl")


def test_an_excel_file(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in ([], ["qid", "answer", "at"], [7, "x" * 32_767, date(2026, 1, 2)], [None, " ", None], [8.5, "y", None]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    note, *traces = traces_in(tmp_path / "t.xlsx")
    assert isinstance(note, Problem) and "may be cut off" in note.message
    assert [trace.question_id for trace in traces if isinstance(trace, Trace)] == ["7", "8.5"]


def archive(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xlsx", archive(x="not a workbook")),
        ("a.xlsx", (EXPORTS / "table.xlsx").read_bytes()[:2_000]),
        ("a.binpb", (EXPORTS / "openinference.binpb").read_bytes()[:-20]),
        ("a.binpb", (EXPORTS / "genai_events.binpb").read_bytes()[:-20]),
    ],
)
def test_damaged_files_are_named(name: str, content: bytes, tmp_path: Path) -> None:
    (problem,) = traces_in(written(tmp_path / name, content))
    assert (
        isinstance(problem, Problem) and problem.kind == "unreadable" and problem.message.startswith("cannot be read")
    )


def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.io.rows.LARGEST_DOCUMENT", 5_000)
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("x", "0" * 50_000)
    (problem,) = traces_in(tmp_path / "a.xlsx")
    assert isinstance(problem, Problem) and "unpacks to over" in problem.message


def test_a_table_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", 10)
    monkeypatch.setattr(sources, "LARGEST_DOCUMENT", 10)
    (problem,) = traces_in(written(tmp_path / "a.csv", CSV))
    assert isinstance(problem, Problem) and "write JSON lines instead" in problem.message


@pytest.mark.parametrize(("name", "package"), [("table.xlsx", "openpyxl"), ("genai_events.binpb", "opentelemetry")])
def test_a_missing_package_is_named(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (package, "opentelemetry.proto.trace.v1.trace_pb2"):
        monkeypatch.setitem(sys.modules, module, None)
    (problem,) = traces_in(EXPORTS / name)
    assert isinstance(problem, Problem) and f"needs the package {package} (hint: install" in problem.message


@given(st.text(max_size=40) | st.from_regex(r"[\[{]['\"\\\\d:, 1)}\]]{0,20}[\]}]", fullmatch=True))
def test_any_text_is_its_own_meaning_or_that_of_its_json(text: str) -> None:
    found = decoded(text)
    assert found == text or isinstance(found, (dict, list))
    for role in ("user", "assistant"):
        assert isinstance(said(text, role), str)


@pytest.mark.parametrize(
    ("value", "user", "assistant"),
    [
        ({"input": "Q?", "context": [], "answer": "A."}, "Q?", "A."),
        ('{"question": "Q?", "chat_history": []}', "Q?", None),
        ([{"role": "user", "content": "Q?"}, {"role": "assistant", "content": "A."}], "Q?", "A."),
        ({"messages": [[{"lc": 1, "id": ["x"], "kwargs": {"type": "human", "content": "Q?"}}]]}, "Q?", None),
        ({"generations": [[{"text": "A.", "message": {"kwargs": {"content": "A."}}}]]}, None, "A."),
        ({"choices": [{"index": 0, "message": {"role": "assistant", "content": "A."}}]}, None, "A."),
        ([{"role": "model", "parts": [{"type": "text", "text": "A"}, {"type": "text", "text": "."}]}], None, "A."),
        ({"topic": "Q?"}, "Q?", "Q?"),
        ({"documents": [{"page_content": "x"}], "n": 1}, None, None),
        (7, None, None),
    ],
)  # fmt: skip
def test_what_was_said(value: object, user: str | None, assistant: str | None) -> None:
    if user or not isinstance(value, str):
        assert said(value, "user") == user
    if assistant or not isinstance(value, str):
        assert said(value, "assistant") == assistant


def test_a_sloppy_quote_costs_no_row_of_a_log(tmp_path: Path) -> None:
    log = written(tmp_path / "log.csv", 'qid,answer\nq1,a\nq2,"b" c\nq3,d\n')
    found = [one.found for one in read_traces([log])]
    assert [one.question_id for one in found if isinstance(one, Trace)] == ["q1", "q2", "q3"]
    assert any("not valid CSV from line 3" in str(one) for one in found if isinstance(one, Problem))
