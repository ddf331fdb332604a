"""A user's own corpus, in the forms it comes in."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot
from surefoot.core.errors import UsageError
from surefoot.core.types import Passage
from surefoot.corpus import corpus as load
from surefoot.corpus.read import rows_of
from surefoot.io.rows import Row
from tests.conftest import Write
from tests.in_process import surefoot as command


class Loaded(NamedTuple):
    passages: list[Passage]
    warnings: list[str]


def load_corpus(path: Path) -> Loaded:
    heard: list[str] = []
    found = load.load_corpus(path, tell=heard.append)
    return Loaded(found, [line.removeprefix("warning: ") for line in heard])


def test_rows(write: Write) -> None:
    path = write("c.jsonl", [{"id": "a#1", "text": "x", "doc": "A", "page": 2}, {"chunk_id": 7, "content": "y"}])
    assert load_corpus(path).passages == [Passage("a#1", "x", "A", 2), Passage("7", "y")]


def test_array(write: Write) -> None:
    path = write("c.json", ['[{"id": "a", "text": "x"},', '{"id": "b", "text": "y"}]'])
    assert [passage.id for passage in load_corpus(path).passages] == ["a", "b"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"_id": "7", "title": "MSA", "body": "x"}, Passage("7", "x", "MSA")),
        ({"passage_id": 3, "content": "x", "source": "msa.pdf"}, Passage("3", "x", "msa.pdf")),
        (
            {"id": "a", "page_content": "x", "metadata": {"source": "msa.pdf", "page": 4, "page_label": "5"}},
            Passage("a", "x", "msa.pdf", 5),
        ),
        ({"_id": "a", "_source": {"text": "x", "title": "MSA"}}, Passage("a", "x", "MSA")),
        ({"kwargs": {"page_content": "x", "metadata": {"id": "a"}}}, Passage("a", "x")),
    ],
)
def test_rows_as_others_write_them(write: Write, row: object, expected: Passage) -> None:
    assert load_corpus(write("c.jsonl", [row])).passages == [expected]


def test_what_is_given_directly_is_read_as_corpus_add_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.md").write_text(
        "# Title\n\n1.1 The first\nparagraph.\n\n## Part\n\nSecond.\n", encoding="utf-8"
    )
    (folder / "b.txt").write_text("Only one.\n", encoding="utf-8")
    (folder / "rows.jsonl").write_text('{"id": "own", "text": "Of a row."}\n{"text": "Without an id."}\n')
    (folder / "picture.png").write_bytes(b"\x89PNG")
    direct = load_corpus(folder)
    surefoot.add_documents(folder, out=tmp_path / "c.jsonl")
    assert direct.passages == load_corpus(tmp_path / "c.jsonl").passages
    assert [passage.text for passage in direct.passages] == [
        "Only one.", "Of a row.", "Without an id.", "Title\n1.1 The first paragraph.", "Part\nSecond.",
    ]  # fmt: skip
    assert direct.passages[1].id == "own" and direct.passages[3].id.startswith("sub/a.md#1.1-")
    assert direct.warnings == ["1 file of other formats skipped: picture.png"]


def test_a_damaged_file_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("# Leave\n\nThere are 28 days.\n")
    (tmp_path / "cut.pdf").write_bytes(b"%PDF-1.7\n")
    loaded = load_corpus(tmp_path)
    assert len(loaded.passages) == 1
    assert loaded.warnings == [
        "cut.pdf was not read: the PDF is damaged or cut off (open it in a viewer and save it again)"
    ]
    questions = tmp_path / "q.json"
    questions.write_text(json.dumps([{"qid": "a", "q": "How many days?", "answerable": False, "gold_ids": []}]))
    ran = command("run", "-p", "reference", "-q", questions, "--corpus", tmp_path)
    assert ran.code == 0 and "warning: cut.pdf was not read" in ran.err
    assert "this is a question, not a passage" in ran.err
    checked = command("questions", "check", questions, "--corpus", tmp_path, "--json")
    assert any("cut.pdf" in warning["message"] for warning in checked.json["warnings"])


def test_a_corpus_comes_back_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Fees\n\n## 4. Late payment\n\n4.1 Interest is 8 %.\n\n## 5. Term\n\nTwo years.\n")
    first = tmp_path / "c.jsonl"
    surefoot.add_documents(tmp_path / "a.md", out=first)
    listed = tmp_path / "listed.jsonl"
    listed.write_text(command("corpus", "list", first, "--json").out)
    for source in (first, listed):
        again = tmp_path / f"again-{source.name}"
        surefoot.add_documents(source, out=again)
        assert surefoot.passages(again).table() == surefoot.passages(first).table()


def test_the_corpus_is_no_document_of_itself(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Fees\n\nThe fee is 40 EUR.\n")
    for _ in range(2):
        surefoot.add_documents(tmp_path, out=tmp_path / "c.jsonl")
    assert len(surefoot.passages(tmp_path / "c.jsonl").rows) == 1
    assert len(load_corpus(tmp_path).passages) == 1, (
        "the folder holds its passage twice, in the document and in the corpus"
    )


def test_ids_that_are_not_unique_are_made_of_the_texts(write: Write, tmp_path: Path) -> None:
    one = write("one.jsonl", [{"id": "1", "text": "a"}, {"id": "1", "text": "b"}, {"id": "2", "text": "c"}])
    loaded = load_corpus(one)
    assert [row.id.partition("#")[0] for row in loaded.passages] == ["one.jsonl", "one.jsonl", "2"]
    assert "such as '1'" in loaded.warnings[0]
    other = write("other.jsonl", [{"id": "2", "text": "d"}])
    corpus = tmp_path / "corpus" / "c.jsonl"
    added = command("corpus", "add", one, other, "--out", corpus)
    assert added.code == 0 and "ids that another file has: 1;" in added.err
    ids = [row["id"] for row in surefoot.passages(corpus).rows]
    other.write_text('{"id": "2", "text": "d"}\n{"id": "3", "text": "e"}\n')
    surefoot.add_documents([one, other], out=corpus)
    assert [row["id"] for row in surefoot.passages(corpus).rows] == [*ids, "3"]


@given(st.lists(st.tuples(st.sampled_from(["", "1", "2", "a#b"]), st.sampled_from(["x", "y", "z"]))))
def test_every_passage_has_an_id_of_its_own(rows: list[tuple[str, str]]) -> None:
    given = [Row("r", line, {"id": id_, "text": text}) for line, (id_, text) in enumerate(rows, 1)]
    found, _ = rows_of(given, "r.jsonl")
    ids = [row.id for row in found]
    assert len(set(ids)) == len(ids) and "" not in ids
    assert {row.text for row in found} == {text for _, text in rows}


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "rows").mkdir()
    parquet.write_table(pyarrow.table({"id": ["a"], "text": ["x"]}), tmp_path / "rows" / "c.parquet")
    (tmp_path / "rows" / "d.jsonl.gz").write_bytes(gzip.compress(b'{"id": "b", "text": "y"}\n'))
    for path in (tmp_path / "rows" / "c.parquet", tmp_path / "rows"):
        assert load_corpus(path).passages[0] == Passage("a", "x")
    assert load_corpus(tmp_path / "rows").passages[1:] == [Passage("b", "y")]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "a"}, "has no text"),
        (["a"], "must be an object"),
        ({"id": "q", "text": "How many?", "expects": "answer"}, "a question, not a passage"),
        ("{broken", "not valid JSON"),
    ],
)
def test_a_row_that_is_no_passage_is_named(write: Write, row: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_corpus(write("c.jsonl", [row]))
    loaded = load_corpus(write("d.jsonl", [{"id": "a", "text": "x"}, row]))
    assert len(loaded.passages) == 1 and message in loaded.warnings[0] and "line 2" in loaded.warnings[0]


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        load_corpus(tmp_path / "nothing")


def test_documents_can_be_removed(tmp_path: Path) -> None:
    for name in ("a.md", "old/b.md", "old/c.md"):
        (tmp_path / "d" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "d" / name).write_text(f"The rule of {name}.")
    corpus = tmp_path / "c.jsonl"
    surefoot.add_documents(tmp_path / "d", out=corpus)
    wrong = command("corpus", "remove", corpus, "b.md")
    assert wrong.code == 2 and "did you mean old/b.md?" in wrong.err
    done = command("corpus", "remove", corpus, "old/", "--json")
    assert done.json == {"corpus": str(corpus), "passages": 1, "documents": ["old/b.md", "old/c.md"]}
    assert [row["id"].partition("#")[0] for row in surefoot.passages(corpus).table()] == ["a.md"]
    assert surefoot.add_documents(tmp_path / "d", out=corpus)["added"] == 2


def test_rows_keep_the_files_they_name_also_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    path, corpus = tmp_path / "rows" / "c.jsonl", tmp_path / "d.jsonl"
    path.write_text('{"id": "1", "text": "x", "file": "a.md", "sha256": "0"}\n{"id": "2", "text": "y"}\n')
    assert [(row.file, row.sha256) for row in load.load_rows(path)] == [("a.md", "0"), ("", "")]
    assert [row.file for row in load.load_rows(path.parent)] == ["a.md", "c.jsonl"]
    surefoot.add_documents(path, out=corpus)
    assert surefoot.add_documents(path, out=corpus)["unchanged"] == 1
    assert [row.file for row in load.load_rows(corpus)] == ["c.jsonl", "c.jsonl"]
