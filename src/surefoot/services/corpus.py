"""Documents to a corpus: a file of passages that pipelines search, answers cite and gold ids name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from surefoot.core.errors import ExitCode, UsageError, nearest
from surefoot.core.files import make_folder
from surefoot.core.result import READER, Person, Result, Seen
from surefoot.corpus.corpus import FILE, documents_in, load_rows, write_corpus
from surefoot.corpus.files import READERS
from surefoot.corpus.passages import Row, is_rows
from surefoot.corpus.read import find_documents, read_documents
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

    rows: list[dict[str, Any]]


def add_documents(paths: Sequence[str | Path] | str | Path, *, out: str | Path, person: Person = READER) -> Added:
    """Read documents - files, folders, archives - into the corpus `out`, which is made if there is none.

    A document that is there already and has not changed is not read again; one that cannot be read is named, and
    the others go on.
    """
    given = [Path(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]
    if Path(out).resolve() in {one.resolve() for one in given}:
        raise UsageError(f"{out} is also what is to be read", "name a file of its own, such as --out corpus.jsonl")
    path = _file(out)
    make_folder(path)
    there = documents_in(path)
    hashes = {name: {row.sha256 for row in rows} for name, rows in there.items()}
    # A document with rows of two states is read again.
    known = {name: found.pop() if len(found) == 1 else "" for name, found in hashes.items()}
    brought = {row.id: name for name, rows in there.items() if is_rows(name) for row in rows}
    found = find_documents(given, apart_from=path)
    if not found.documents:
        kinds = f"{', '.join(READERS)}, rows of JSON and Parquet, and archives, but not archives in archives"
        raise UsageError(f"there is no document at {given[0]}", f"these are read: {kinds}")
    for line in found.lines:
        person.tell(f"note: {line}")
    documents, counts = list[dict[str, Any]](), Counter[str]()
    with closing(person.watch(len(found.documents), "documents")) as watch:
        for read in read_documents(found.documents, known, brought):
            watch.count(Seen(read.problem or None))
            kept = "; its earlier passages stay" if read.problem and read.name in known else ""
            for line in read.lines:
                person.tell(f"warning: {line}{kept}")
            if read.rows:
                there[read.name] = [replace(row, file=read.name, sha256=read.sha256) for row in read.rows]
            seen = "unchanged" if read.is_unchanged else "changed" if read.name in known else "added"
            status, passages = "unread" if read.problem else seen, len(there.get(read.name, ()))
            counts[status] += 1
            documents.append(
                {"name": read.name, "status": status, "passages": passages, "problem": read.problem or None}
            )
    write_corpus(path, there)
    return Added(
        corpus=str(path), passages=sum(map(len, there.values())), documents=documents,
        **{kind: counts[kind] for kind in ("added", "changed", "unchanged", "unread")},
    )  # fmt: skip


def remove_documents(corpus: str | Path, names: Sequence[str] | str) -> Removed:
    """Take documents out of a corpus: those with these names, and those in folders or archives with these names."""
    path, removed = _file(corpus), set[str]()
    there = documents_in(path)
    for name in [names] if isinstance(names, str) else names:
        found = {one for one in there if one == name or one.startswith(f"{name.rstrip('/')}/")}
        if not found:
            hint = nearest(name, there) or f"it has {', '.join(list(there)[:5])}"
            raise UsageError(f"{corpus} has no document {name!r}", hint)
        removed |= found
    left = {name: rows for name, rows in there.items() if name not in removed}
    write_corpus(path, left)
    return Removed(str(path), sum(map(len, left.values())), sorted(removed))


def passages(corpus: str | Path, *, ids: Sequence[str] = (), doc: str = "", person: Person = READER) -> Passages:
    """The passages of a corpus: all, those with these ids, or those of one document."""
    every = {row.id: row for row in load_rows(corpus, tell=person.tell)}
    shows = f"`surefoot corpus list {corpus}` shows what it has"
    if missing := [one for one in ids if one not in every]:
        raise UsageError(f"{corpus} has no passage {missing[0]!r}", nearest(missing[0], every) or shows)
    found = [every[one] for one in ids] or [
        row for row in every.values() if doc.lower() in row.doc.lower() or row.document == doc
    ]
    if not found:
        raise UsageError(f"{corpus} has no document {doc!r}", shows)
    return Passages([_shown(row) for row in found])


def search_corpus(corpus: str | Path, words: str, *, limit: int = 10, person: Person = READER) -> Passages:
    """The passages that words fit best, the best first."""
    rows = {row.id: row for row in load_rows(corpus, tell=person.tell)}
    found = Retriever(row.passage for row in rows.values()).search(words, min(limit, len(rows)))
    return Passages([{**_shown(rows[passage.id]), "score": score} for passage, score in found])


def _file(path: str | Path) -> Path:
    return Path(path) / FILE if Path(path).is_dir() else Path(path)


def _shown(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("id", "doc", "page", "heading", "labels", "text")}
