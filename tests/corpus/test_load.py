"""A user's own corpus, in the forms it comes in."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.corpus.load import load_corpus
from surefoot.errors import UsageError
from surefoot.types import Passage
from tests.conftest import Write


def test_rows(write: Write) -> None:
    path = write("c.jsonl", [{"id": "a#1", "text": "x", "doc": "A", "page": 2}, {"chunk_id": 7, "content": "y"}])
    assert load_corpus(path) == [Passage("a#1", "x", "A", 2), Passage("7", "y")]


def test_array(write: Write) -> None:
    path = write("c.json", ['[{"id": "a", "text": "x"},', '{"id": "b", "text": "y"}]'])
    assert [passage.id for passage in load_corpus(path)] == ["a", "b"]


def test_folder_of_texts(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_text("# Title\n\nFirst\nparagraph.\n\n## Part\n\nSecond.\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Only one.\n", encoding="utf-8")
    assert load_corpus(tmp_path) == [
        Passage("b.txt#1", "Only one.", "b"),
        Passage("sub/a.md#1", "Title\nFirst\nparagraph.", "Title"),
        Passage("sub/a.md#2", "Part\nSecond.", "Title"),
    ]


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"id": ["a"], "text": ["x"]}), tmp_path / "c.parquet")
    assert load_corpus(tmp_path / "c.parquet") == [Passage("a", "x")]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "a"}], "has no text"),
        ([{"text": "a"}], "has no id"),
        ([["a"]], "must be an object"),
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "two passages with the id 'a'"),
        (["{broken"], "cannot be read"),
    ],
)
def test_what_cannot_be_cited_is_refused(write: Write, rows: list[object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_corpus(write("c.jsonl", rows))


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        load_corpus(tmp_path / "nothing")
