"""Blocks of a document to passages of a size that a question can be answered from, each with an id that lasts.

An id is made of what the passage says, so it is the same when the document is read again or edited elsewhere. Where a
passage ends hangs on its own paragraphs alone: at every heading, behind every long paragraph and around every table.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import PurePosixPath

from msgspec import Struct

from surefoot.core.files import TRACE_SUFFIXES
from surefoot.core.types import Passage, document_in
from surefoot.corpus.blocks import Block, undivided
from surefoot.text.citations import label_of
from surefoot.text.normal import normalise, sentences

LONG = 300  # characters: a paragraph that ends its passage
ENOUGH = 900  # a passage of shorter ones ends here
MOST = 1_500  # no paragraph or table is longer: it is cut between sentences, or rows
_STRETCH = 20_000  # characters of a paragraph in which sentences are looked for at once
_DIGITS = 6  # of an id
_COMPRESSED = (".gz", ".zst")
_ROWS = 5  # of a long table make a passage, about, once they are enough


class Row(Struct, frozen=True, omit_defaults=True):
    """A passage as it lies in a corpus."""

    id: str
    text: str
    doc: str = ""
    page: int | None = None
    heading: str = ""  # those above it, as "Fees > Late payment"
    labels: tuple[str, ...] = ()  # which the document itself gives it, as "4.2"
    file: str = ""
    sha256: str = ""  # of the file

    @property
    def document(self) -> str:
        """A file of rows is none: its rows may be of many."""
        named = [name for name in (self.file, document_in(self.id), self.doc) if name]
        return next((name for name in named if not is_rows(name)), next(reversed(named), ""))

    @property
    def passage(self) -> Passage:
        """As pipelines take it."""
        return Passage(self.id, self.text, self.doc, self.page)


def is_rows(name: str) -> bool:
    """Whether a file holds passages that others have cut."""
    path = PurePosixPath(name.lower())
    return (path.with_suffix("") if path.suffix in _COMPRESSED else path).suffix in TRACE_SUFFIXES


def passages(blocks: Iterable[Block], name: str) -> list[Row]:
    """The passages of one document; `name` begins their ids."""
    every = undivided(blocks)
    heads = [block for block in every if block.kind == "heading" and block.level <= (2 if block is every[0] else 1)]
    title = min(heads, key=lambda head: head.level).text if heads else ""
    found, ids = [], Ids(name)
    for path, group in _groups(every):
        text = "\n".join([*path[-1:], *(block.text for block in group if block.kind != "heading")])
        labels = tuple(dict.fromkeys(filter(None, (label_of(block.text) for block in group))))
        above = next((label for heading in reversed(path) if (label := label_of(heading))), "")
        labels = labels or ((above,) if above else ())
        id_ = ids.of(labels[0] if len(labels) == 1 else above or next(iter(labels), ""), text)
        page = next((block.page for block in group if block.page is not None), None)
        found.append(Row(id_, text, title or PurePosixPath(name).stem, page, " > ".join(path), labels))
    return found


class Ids:
    """Ids for the passages of one document, made of what these say: `msa.pdf#4.2-3fa9c1`."""

    def __init__(self, name: str) -> None:
        self._name, self._taken = name, Counter[str]()

    def of(self, label: str, text: str) -> str:
        id_ = f"{self._name}#{label}-{_digest(text)}" if label else f"{self._name}#{_digest(text)}"
        self._taken[id_] += 1
        return id_ if self._taken[id_] == 1 else f"{id_}-{self._taken[id_]}"


def _digest(text: str) -> str:
    return hashlib.sha256(normalise(text).encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def _groups(blocks: Sequence[Block]) -> Iterator[tuple[list[str], list[Block]]]:
    """The blocks of each passage, with the headings above it. A heading with nothing below it is a passage too,
    unless it is the title."""
    path, group = list[Block](), list[Block]()
    for block, below in zip_longest(blocks, blocks[1:]):
        for piece in [block] if block.kind == "heading" else _pieces(block):
            is_full = group and (len(group[-1].text) >= LONG or sum(len(one.text) for one in group) >= ENOUGH)
            is_apart = (group and piece.kind != group[-1].kind) or piece.kind in ("table", "heading")
            if group and (is_full or is_apart):
                yield [heading.text for heading in path], group
                group = []
            group.append(piece)
        if block.kind == "heading":
            path = [*(heading for heading in path if heading.level < block.level), block]
            is_title = block is blocks[0] and not label_of(block.text)
            is_empty = below is None or (below.kind == "heading" and below.level <= block.level and not is_title)
            group = group if is_empty else []
    if group:
        yield [heading.text for heading in path], group


def _pieces(block: Block) -> Iterator[Block]:
    """The block, or pieces of it that are not too long: sentences of a paragraph, rows of a table under its header."""
    if len(block.text) <= MOST:
        yield block
        return
    lines = block.text.split("\n")
    head, parts = (lines[:2], lines[2:]) if block.kind == "table" else ([], _sentences(block.text))
    join = "\n" if head else ""
    found: list[str] = []
    for part in parts:
        size = sum(map(len, found))
        # A table has no paragraphs: its rows themselves say where to cut, so that a new one moves no cut far away.
        is_cut = size >= LONG and int(_digest(part), 16) % _ROWS == 0 if head else False
        if found and (is_cut or size + len(part) > (MOST if head else ENOUGH)):
            yield Block(block.kind, join.join([*head, *found]).strip(), 0, block.page)
            found = []
        found.append(part)
    yield Block(block.kind, join.join([*head, *found]).strip(), 0, block.page)


def _sentences(text: str) -> Iterator[str]:
    """Of a sentence without end, pieces of the longest length, cut at a space."""
    for stretch in _cut(text, _STRETCH):
        for sentence in sentences(stretch):
            yield from _cut(sentence, MOST)


def _cut(text: str, most: int) -> Iterator[str]:
    at = 0
    while len(text) - at > most:
        end = text.rfind(" ", at, at + most) + 1 or at + most
        yield text[at:end]
        at = end
    yield text[at:]
