"""Documents to a corpus: a file of passages that pipelines search, answers cite and gold ids name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.result import READER, Person, Result, Seen
from surefoot.corpus.corpus import FILE, documents_in, load_rows, write_corpus
from surefoot.corpus.files import READERS
from surefoot.corpus.passages import Row, is_rows
from surefoot.corpus.read import Read, find_documents, read_documents
from surefoot.pipelines.retriever import Retriever


class Added(Result, frozen=True, kw_only=True):
    """What became of each document."""

    corpus: str
    passages: int
    added: int
    changed: int
    unchanged: int
    unread: int
    documents: list[dict[str, Any]]

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if self.unread else ExitCode.OK

    def table(self) -> Sequence[Mapping[str, Any]]:
        return self.documents


class Removed(Result, frozen=True):
    """How many passages are left, and which documents are gone."""

    corpus: str
    passages: int
    documents: list[str]


class Passages(Result, frozen=True):
    """Passages of a corpus, with their scores where they were searched for."""

    passages: list[dict[str, Any]]

    def table(self) -> Sequence[Mapping[str, Any]]:
        return self.passages


def add_documents(
    paths: Sequence[str | Path] | str | Path, *, out: str | Path, jobs: int | None = None, person: Person = READER
) -> Added:
    """Read documents - files, folders, archives - into the corpus `out`, which is made if there is none.

    A document that is there already and has not changed is not read again; one that cannot be read is named, and
    the others go on.
    """
    given = [Path(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]
    path = _file(Path(out))
    path.parent.mkdir(parents=True, exist_ok=True)
    there = documents_in(path)
    known, brought = _hashes(there), {row.id: name for name, rows in there.items() if is_rows(name) for row in rows}
    found = find_documents(given, apart_from=path)
    if not found.documents:
        kinds = f"{', '.join(READERS)}, rows of JSON and Parquet, and archives, but not archives in archives"
        raise UsageError(f"there is no document at {given[0]}", f"these are read: {kinds}")
    for line in found.lines:
        person.tell(f"note: {line}")
    documents = []
    watch = person.watch(len(found.documents), "documents")
    with closing(watch):
        for read in read_documents(found.documents, known, brought, jobs):
            watch.count(Seen(read.problem or None))
            kept = "; its earlier passages stay" if read.problem and read.name in known else ""
            for line in read.lines:
                person.tell(f"warning: {line}{kept}")
            if read.rows:
                there[read.name] = [replace(row, file=read.name, sha256=read.sha256) for row in read.rows]
            documents.append(_document(read, known, len(there.get(read.name, ()))))
    write_corpus(path, there)
    counts = Counter(str(document["status"]) for document in documents)
    return Added(
        corpus=str(path), passages=sum(map(len, there.values())), documents=documents,
        **{kind: counts[kind] for kind in ("added", "changed", "unchanged", "unread")},
    )  # fmt: skip


def _hashes(documents: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    """Of a document with rows of two states there is none: it is to be read again."""
    hashes = {name: {row.sha256 for row in rows} for name, rows in documents.items()}
    return {name: found.pop() if len(found) == 1 else "" for name, found in hashes.items()}


def remove_documents(corpus: str | Path, names: Sequence[str] | str) -> Removed:
    """Take documents out of a corpus: those with these names, and those in folders or archives with these names."""
    path, given = _file(Path(corpus)), [names] if isinstance(names, str) else list(names)
    there = documents_in(path)
    chosen = {name: [one for one in there if one == name or one.startswith(f"{name.rstrip('/')}/")] for name in given}
    if missing := [name for name, found in chosen.items() if not found]:
        near = next((one for one in there if missing[0].lower() in one.lower()), "")
        hint = f"is it {near}?" if near else f"it has {', '.join(list(there)[:5])}"
        raise UsageError(f"{corpus} has no document {missing[0]!r}", hint)
    removed = sorted({one for found in chosen.values() for one in found})
    left = {name: rows for name, rows in there.items() if name not in removed}
    write_corpus(path, left)
    return Removed(str(path), sum(map(len, left.values())), removed)


def passages(corpus: str | Path, *, ids: Sequence[str] = (), doc: str = "", person: Person = READER) -> Passages:
    """The passages of a corpus: all, those with these ids, or those of one document."""
    every = load_rows(corpus, tell=person.tell)
    if not ids:
        found = [passage for passage in every if doc.lower() in passage.doc.lower() or passage.document == doc]
        if doc and not found:
            raise UsageError(f"{corpus} has no document {doc!r}", f"`surefoot corpus list {corpus}` shows what it has")
        return Passages([_row(passage) for passage in found])
    by_id = {passage.id: passage for passage in every}
    if missing := [one for one in ids if one not in by_id]:
        near = next((known for known in by_id if missing[0].lower() in known.lower()), "")
        hint = f"is it {near}?" if near else f"`surefoot corpus list {corpus}` shows all"
        raise UsageError(f"{corpus} has no passage {missing[0]!r}", hint)
    return Passages([_row(by_id[one]) for one in ids])


def search_corpus(corpus: str | Path, words: str, *, limit: int = 10, person: Person = READER) -> Passages:
    """The passages that words fit best, the best first."""
    rows = {row.id: row for row in load_rows(corpus, tell=person.tell)}
    found = Retriever(row.passage for row in rows.values()).search(words, limit)
    return Passages([{**_row(rows[passage.id]), "score": score} for passage, score in found])


def _file(path: Path) -> Path:
    return path / FILE if path.is_dir() else path


def _row(passage: Row) -> dict[str, Any]:
    return {
        "id": passage.id, "doc": passage.doc, "page": passage.page, "heading": passage.heading,
        "labels": list(passage.labels), "text": passage.text,
    }  # fmt: skip


def _document(read: Read, known: Mapping[str, str], passages: int) -> dict[str, Any]:
    seen = "unchanged" if read.is_unchanged else "changed" if read.name in known else "added"
    status = "unread" if read.problem else seen
    return {"name": read.name, "status": status, "passages": passages, "problem": read.problem or None}
