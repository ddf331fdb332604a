"""Documents to a corpus: a file of passages that pipelines search, answers cite and gold ids name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from surefoot.corpus.corpus import FILE, Documents, Read, named_sources, read_documents, write_corpus
from surefoot.corpus.files import READERS
from surefoot.corpus.load import load_rows
from surefoot.corpus.passages import Row
from surefoot.errors import ExitCode, UsageError
from surefoot.pipelines.retriever import Retriever
from surefoot.report.words import counted
from surefoot.services.result import READER, Person, Result


class Added(Result):
    """What became of each document."""

    def __init__(self, path: Path, documents: Sequence[Mapping[str, Any]], passages: int) -> None:
        self.path, self.documents, self.passages = path, documents, passages

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if self.counts["unread"] else ExitCode.OK

    @property
    def counts(self) -> Counter[str]:
        return Counter(str(document["status"]) for document in self.documents)

    def to_json(self) -> dict[str, Any]:
        kinds = ("added", "changed", "unchanged", "unread")
        return {
            "corpus": str(self.path), "passages": self.passages, **{kind: self.counts[kind] for kind in kinds},
            "documents": list(self.documents),
        }  # fmt: skip

    def table(self) -> Sequence[Mapping[str, Any]]:
        return self.documents

    def __repr__(self) -> str:
        return f"<Added {counted(len(self.documents), 'document')} to {self.path}>"


class Passages(Result):
    """Passages of a corpus, with their scores where they were searched for."""

    exit_code = ExitCode.OK

    def __init__(self, found: Sequence[tuple[Row, float | None]]) -> None:
        self.found = found

    def to_json(self) -> dict[str, Any]:
        return {"passages": list(self.table())}

    def __repr__(self) -> str:
        return f"<Passages: {len(self.found):,}>"

    def table(self) -> Sequence[Mapping[str, Any]]:
        return [_row(passage, score) for passage, score in self.found]


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
    before = Documents(path)
    known = before.hashes
    found = named_sources(given)
    if not any(source.is_readable for source in found):
        raise UsageError(f"there is no document at {given[0]}", f"these are read: {', '.join(READERS)}, and archives")
    if skipped := [source.name for source in found if not source.is_readable]:
        some = ", ".join(skipped[:5]) + (" ..." if len(skipped) > 5 else "")
        person.tell(f"note: {counted(len(skipped), 'file')} of other formats skipped: {some}")
        found = [source for source in found if source.is_readable]
    documents = []
    watch = person.watch(len(found), "documents")
    try:
        for read in write_corpus(path, read_documents(found, known, jobs)):
            watch.count(_Seen(read.problem or None))
            if read.problem:
                hint = f" ({read.hint})" if read.hint else ""
                kept = "; its earlier passages stay" if read.name in known else ""
                person.tell(f"warning: {read.name} was not read: {read.problem}{hint}{kept}")
            documents.append(_document(read, known, before.counts))
    finally:
        watch.close()
    return Added(path, documents, sum(Documents(path).counts.values()))


def passages(corpus: str | Path, *, ids: Sequence[str] = (), doc: str = "") -> Passages:
    """The passages of a corpus: all, those with these ids, or those of one document."""
    every = load_rows(corpus)
    if not ids:
        found = [passage for passage in every if doc.lower() in passage.doc.lower() or passage.id.startswith(f"{doc}#")]
        if doc and not found:
            raise UsageError(f"{corpus} has no document {doc!r}", f"`surefoot corpus list {corpus}` shows what it has")
        return Passages([(passage, None) for passage in found])
    by_id = {passage.id: passage for passage in every}
    if missing := [one for one in ids if one not in by_id]:
        near = next((known for known in by_id if missing[0].lower() in known.lower()), "")
        hint = f"is it {near}?" if near else f"`surefoot corpus list {corpus}` shows all"
        raise UsageError(f"{corpus} has no passage {missing[0]!r}", hint)
    return Passages([(by_id[one], None) for one in ids])


def search_corpus(corpus: str | Path, words: str, *, limit: int = 10) -> Passages:
    """The passages that words fit best, the best first."""
    rows = {row.id: row for row in load_rows(corpus)}
    found = Retriever(row.passage for row in rows.values()).search(words, limit)
    return Passages([(rows[passage.id], score) for passage, score in found])


def _file(path: Path) -> Path:
    return path / FILE if path.is_dir() else path


def _row(passage: Row, score: float | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": passage.id, "doc": passage.doc, "page": passage.page, "heading": passage.heading,
        "labels": list(passage.labels), "text": passage.text,
    }  # fmt: skip
    return row if score is None else {**row, "score": score}


def _document(read: Read, known: Mapping[str, str], counts: Mapping[str, int]) -> dict[str, Any]:
    seen = "unchanged" if read.is_unchanged else "changed" if read.name in known else "added"
    status = "unread" if read.problem else seen
    return {
        "name": read.name,
        "status": status,
        "passages": len(read.rows) or counts.get(read.name, 0),
        "problem": read.problem or None,
    }


class _Seen(Struct, frozen=True):
    error: str | None
