"""A corpus: the file that `surefoot corpus add` makes, rows of a user's own, or documents as they are.

The file has a passage a line, in the order of the documents. Every row keeps the name and the hash of its file, so that
adding again reads only what has changed. Documents and rows that a user names are read as `corpus add` reads them, so
their passages have the same ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, Incomplete, UsageError, unknown
from surefoot.core.files import fault_in, make_folder, replacing
from surefoot.core.records import fingerprint
from surefoot.core.result import READER, Person, Result, Seen, Tell
from surefoot.core.types import Item, Passage, Problem, Retrieved, Trace, counted, names
from surefoot.corpus.files import OF_OFFICE_97, READERS, Source
from surefoot.corpus.passages import Row, is_rows
from surefoot.corpus.read import find_documents, read_documents, rows_of
from surefoot.io.rows import read_rows
from surefoot.text.citations import parse

FILE = "passages.jsonl"  # where a corpus is a folder
_NAMED = 5  # ids that a corpus lacks
_HINT = "pass documents, or rows of JSON with a `text` each"


def load_corpus(path: str | Path, *, with_texts: bool = True, tell: Tell = READER.tell) -> list[Passage]:
    return [row.passage for row in load_rows(path, with_texts=with_texts, tell=tell)]


def load_rows(path: str | Path, *, with_texts: bool = True, tell: Tell = READER.tell) -> list[Row]:
    """The passages. `tell` hears of documents and rows that cannot be read; without `with_texts` ids alone will do."""
    given = Path(path)
    if not given.exists():
        raise UsageError(f"the corpus {given} does not exist", _HINT)
    given = given / FILE if (given / FILE).is_file() else given
    source = Source(given.name, given)
    if given.is_file() and (is_rows(source.name) or not source.is_readable):  # a corpus may have any name and size
        rows, notes = rows_of(read_rows([given]), given.name, with_texts=with_texts)
        lines = [f"{given}: {note}" for note in notes]
    else:
        documents, skipped = find_documents([given])
        reads = list(read_documents(documents))
        apart = told_apart({read.name: list(read.rows) for read in reads})
        rows = [row for rows in apart.values() for row in rows]
        lines = [*skipped, *(line for read in reads for line in read.lines)]
    if not rows:
        raise UsageError("; ".join([f"the corpus {given} holds no passage", *lines]), _HINT)
    for line in lines:
        tell(f"warning: {line}")
    by_id: dict[str, Row] = {}  # a folder may also hold the corpus that was made of it
    for row in rows:
        if by_id.setdefault(row.id, row).text != row.text:
            hint = "a citation must lead to one passage: give each its own id"
            raise UsageError(f"the corpus {given} has two passages with the id {row.id!r}", hint)
    return list(by_id.values())


def told_apart(documents: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """Documents of one title have the names of their files behind it."""
    named = {name: rows for name, rows in documents.items() if rows and not is_rows(name)}
    titles = {name: rows[0].doc.removesuffix(f" ({name})") for name, rows in named.items()}
    times = Counter(titles.values())
    for name, title in titles.items():
        doc = f"{title} ({name})" if times[title] > 1 else title
        documents[name] = [replace(row, doc=doc) for row in documents[name]]
    return documents


def documents_in(path: Path) -> dict[str, list[Row]]:
    """The rows of each document, by its name; none where there is no file yet."""
    found: dict[str, list[Row]] = {}
    with path.open("rb") if path.is_file() else nullcontext(()) as file:
        for number, line in enumerate(file, 1):
            try:
                row = msgspec.json.decode(line, type=Row)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                what = f"{path}:{number}: this is not a row of a corpus: {fault_in(error, Row)}"
                raise UsageError(what, "make it with `surefoot corpus add`, or name another file with --out") from error
            found.setdefault(row.file, []).append(row)
    return found


def write_corpus(path: Path, documents: Mapping[str, Sequence[Row]]) -> None:
    """In the order of the documents' names, in one step."""
    encoder = msgspec.json.Encoder()
    with replacing(path, 0o666) as file:
        for name in sorted(documents):
            file.writelines(encoder.encode(row) + b"\n" for row in documents[name])


class PassageTexts:
    """The texts for logs that name passages by id alone, and the ids that traces name and the corpus lacks."""

    def __init__(self, passages: Iterable[Passage] = (), source: str = "") -> None:
        self._by_id = {passage.id: passage for passage in passages}
        self.source, self.sha256 = source, fingerprint(self._by_id.values())
        self.lacking: Counter[str] = Counter()  # in how many traces
        self._unlisted = 0  # traces that cite passages of the corpus, and do not say what was retrieved

    @classmethod
    def of(cls, corpus: str | Path, tell: Tell) -> PassageTexts:
        """`tell` hears what of the corpus could not be read."""
        return cls(load_corpus(corpus, tell=tell), str(corpus))

    @property
    def passages(self) -> list[Passage]:
        return list(self._by_id.values())

    def filled_item(self, item: Item) -> Item:
        return replace(item, trace=self.filled(item.trace))

    def filled(self, trace: Trace) -> Trace:
        """The trace with a text for every passage that the corpus has; a text that was logged stays."""
        if trace.retrieved is None:
            cited = trace.citations or parse(trace.answer or "") or ()
            self._unlisted += any(one in self._by_id for one in cited)
            return trace
        bare = {passage.id for passage in trace.retrieved if passage.id and not passage.text.strip()}
        if not bare:
            return trace
        self.lacking.update(bare - self._by_id.keys())
        passages = (one if one.text.strip() else self._by_id.get(one.id, one) for one in trace.retrieved)
        return replace(trace, retrieved=Retrieved(passages))

    def problems(self, lacking: Counter[str] | None = None) -> list[Problem]:
        """On what was lacking here, or in other processes."""
        found = self.lacking if lacking is None else lacking
        problems = []
        if self._unlisted:
            why = "no list of what was retrieved was found beside them; say where it lies with --map retrieved=PATH"
            what = f"{counted(self._unlisted, 'answer')} citing passages of the corpus cannot be graded: {why}"
            problems.append(Problem("unlisted", what, self.source))
        if found:
            ids = [name for name, _ in found.most_common(_NAMED)]
            what = f"{counted(len(found), 'retrieved passage')} not in the corpus: {names(ids, total=len(found))}"
            problems.append(Problem("unknown_passage", what, self.source))
        return problems


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
        return ExitCode.INCOMPLETE if any(one["problem"] for one in self.documents) else ExitCode.OK

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
    # A document with rows of two states is read again.
    known = {name: " ".join({row.sha256 for row in rows}) for name, rows in there.items()}
    brought = {row.id: name for name, rows in there.items() if is_rows(name) for row in rows}
    found, skipped = find_documents(given, apart_from=path)
    if not found:
        kinds = ", ".join(one for one in READERS if one not in OF_OFFICE_97)
        kinds += ", rows of JSON and Parquet, and archives, but not archives in archives"
        raise UsageError(f"there is no document at {given[0]}", f"these are read: {kinds}")
    for line in skipped:
        person.tell(f"note: {line}")
    documents, counts = list[dict[str, Any]](), Counter[str]()
    with closing(person.watch(len(found), "documents")) as watch:
        for read in read_documents(found, known, brought):
            watch.count(Seen(read.problem or None))
            kept = "; its earlier passages stay" if read.problem and read.name in known else ""
            for line in read.lines:
                person.tell(f"warning: {line}{kept}")
            rows = [replace(row, file=read.name, sha256=read.sha256) for row in read.rows]
            is_same = read.is_unchanged or [row.id for row in rows] == [row.id for row in there.get(read.name, ())]
            there |= {read.name: rows} if rows else {}
            seen = "unchanged" if is_same else "changed" if read.name in known else "added"
            status, passages = "unread" if read.problem else seen, len(there.get(read.name, ()))
            counts[status] += 1
            problem = read.problem or "; ".join(read.gaps) or None
            documents.append({"name": read.name, "status": status, "passages": passages, "problem": problem})
    if not there:
        hint = "pass documents with text in them, or rows with `text`; no corpus was written"
        raise Incomplete(f"nothing could be read from {' or '.join(map(str, given[:3]))}", hint)
    write_corpus(path, told_apart(there))
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
            shows = f"it has {', '.join(list(there)[:5])}"
            raise unknown(f"{corpus} has no document {name!r}", name, there, shows)
        removed |= found
    left = {name: rows for name, rows in there.items() if name not in removed}
    write_corpus(path, left)
    return Removed(str(path), sum(map(len, left.values())), sorted(removed))


def passages(corpus: str | Path, *, ids: Sequence[str] = (), doc: str = "", person: Person = READER) -> Passages:
    """The passages of a corpus: all, those with these ids, or those of one document."""
    every = {row.id: row for row in load_rows(corpus, tell=person.tell)}
    shows = f"`surefoot corpus list {corpus}` shows what it has"
    if missing := [one for one in ids if one not in every]:
        raise unknown(f"{corpus} has no passage {missing[0]!r}", missing[0], every, shows)
    found = [every[one] for one in ids] or [
        row for row in every.values() if doc.lower() in row.doc.lower() or row.document == doc
    ]
    if not found:
        raise UsageError(f"{corpus} has no document {doc!r}", shows)
    return Passages([shown(row) for row in found])


def _file(path: str | Path) -> Path:
    return Path(path) / FILE if Path(path).is_dir() else Path(path)


def shown(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("id", "doc", "page", "heading", "labels", "text")}
