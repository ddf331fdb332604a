"""A corpus: the file that `surefoot corpus add` makes, rows of a user's own, or documents as they are.

The file has a passage a line, in the order of the documents. Every row keeps the name and the hash of its file, so that
adding again reads only what has changed. Documents and rows that a user names are read as `corpus add` reads them, so
their passages have the same ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from surefoot.core.errors import UsageError
from surefoot.core.files import replacing
from surefoot.core.records import fingerprint
from surefoot.core.result import READER, Tell
from surefoot.core.types import Item, Passage, Problem, Retrieved, Trace, counted, names
from surefoot.corpus.files import Source
from surefoot.corpus.passages import Row
from surefoot.corpus.read import find_documents, read_documents
from surefoot.corpus.rows import rows_of
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
    if (given / FILE).is_file():
        given = given / FILE
    rows, lines = _rows(given, with_texts) if _is_file_of_rows(given) else _documents(given)
    if not rows:
        raise UsageError("; ".join([f"the corpus {given} holds no passage", *lines]), _HINT)
    for line in lines:
        tell(f"warning: {line}")
    return _distinct(rows, given)


def _is_file_of_rows(given: Path) -> bool:
    """Whatever its name is, and however large: a corpus need not be as small as a document."""
    source = Source(given.name, given)
    return given.is_file() and (source.is_rows or not source.is_readable)


def _rows(given: Path, with_texts: bool) -> tuple[list[Row], list[str]]:
    rows, notes = rows_of(read_rows([given]), given.name, with_texts=with_texts)
    return rows, [f"{given}: {note}" for note in notes]


def _documents(given: Path) -> tuple[list[Row], list[str]]:
    found = find_documents([given])
    reads = list(read_documents(found.documents))
    lines = [*found.lines, *(line for read in reads for line in read.lines)]
    return [row for read in reads for row in read.rows], lines


def _distinct(rows: list[Row], given: Path) -> list[Row]:
    """A folder may also hold the corpus that was made of it; but no two passages may have one id."""
    by_id: dict[str, Row] = {}
    for row in rows:
        if by_id.setdefault(row.id, row).text != row.text:
            hint = "a citation must lead to one passage: give each its own id"
            raise UsageError(f"the corpus {given} has two passages with the id {row.id!r}", hint)
    return list(by_id.values())


def documents_in(path: Path) -> dict[str, list[Row]]:
    """The rows of each document, by its name; none where there is no file yet."""
    found: dict[str, list[Row]] = {}
    if path.is_file():
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                row = _decoded(line, path, number)
                found.setdefault(row.file, []).append(row)
    return found


def _decoded(line: bytes, path: Path, number: int) -> Row:
    try:
        return msgspec.json.decode(line, type=Row)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "make it with `surefoot corpus add`, or name another file with --out"
        raise UsageError(f"{path}:{number}: this is not a row of a corpus: {error}", hint) from error


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
    def of(cls, corpus: str | Path | None, tell: Tell) -> PassageTexts | None:
        """If a corpus is given; `tell` hears what of it could not be read."""
        return None if corpus is None else cls(load_corpus(corpus, tell=tell), str(corpus))

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
            what = f"{counted(len(found), 'retrieved passage')} not in the corpus: {names(ids, len(found))}"
            problems.append(Problem("unknown_passage", what, self.source))
        return problems
