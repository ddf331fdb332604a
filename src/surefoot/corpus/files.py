"""Folders and archives to documents, and documents of any format to blocks."""

from __future__ import annotations

import csv
import email
import email.policy
import io
import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any
from zlib import error as ZlibError

from msgspec import Struct

from surefoot.core.errors import SurefootError, UsageError
from surefoot.core.files import library
from surefoot.corpus import markup
from surefoot.corpus.blocks import Block, Line, paragraphs, table
from surefoot.corpus.passages import is_rows

LARGEST = 256 * 1024 * 1024  # bytes of one file, unpacked
_LARGEST_TEXT = 64 * 1024 * 1024  # of one that is nothing but text
_MARKDOWN = re.compile(
    r"^(?P<marks>#{1,6})[ \t]+(?P<heading>\S.*?)[ \t]*#*[ \t]*$|^(?P<rows>[ \t]*\|.*(?:\n[ \t]*\|.*)*)"
    r"|^[ \t]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}).*(?:\n|\Z)(?P<code>(?s:.*?))(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE,
)
_UNDERLINED = re.compile(r"(?:\A|(?<=\n\n))(?![#|>`~]|[-*+] )(\S.{0,98})\n(=+|-{2,})[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"[\s:|-]+")
_CONTROL, _MOST_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]"), 0.05
MOST_MEMBERS = 100_000  # of one archive
_OPEN_XML = (".docx", ".pptx", ".odt", ".ods", ".odp")
_PACKED = (".pdf", ".xlsx", ".eml", *_OPEN_XML)
_BROKEN = (zipfile.BadZipFile, tarfile.TarError, ZlibError, EOFError, OSError, NotImplementedError, RuntimeError)
_ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")


class Source(Struct, frozen=True):
    """A file, or a member of an archive."""

    name: str  # of the document, whatever folder it lies in
    path: Path
    member: str = ""

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name.lower()).suffix

    @property
    def is_readable(self) -> bool:
        """By its name. An archive stands for itself only if it cannot be opened, which `read` then tells."""
        return self.suffix in READERS or is_rows(self.name) or self._is_archive

    @property
    def _is_archive(self) -> bool:
        return not self.member and self.name.lower().endswith(_ARCHIVES)

    def read(self) -> bytes:
        if self._is_archive:
            raise UsageError("the archive cannot be opened", "is it whole, and without a password?")
        most = LARGEST if is_rows(self.name) or self.suffix in _PACKED else _LARGEST_TEXT
        plain = None if self.member else self.path.open("rb")
        try:
            with plain or _opened(self.path)[self.member]() as file:
                data: bytes = file.read(most + 1)  # what an archive says of a member's size need not be true
        except KeyError as error:
            raise UsageError(f"there is no {self.member} in the archive any more", "add it again") from error
        except _BROKEN as error:
            raise UsageError(f"cannot be unpacked: {error}", "pack it again, without a password") from error
        if len(data) > most:
            raise UsageError(f"it has more than {most:,} bytes", "split it")
        return data


_Members = dict[str, Callable[[], Any]]  # what opens each
_OPEN: dict[tuple[object, ...], tuple[Any, _Members]] = {}


def _opened(path: Path) -> _Members:
    """The archive that was read last stays open in each process: a tar can be read only from its start on."""
    stat = path.stat()
    now = (os.getpid(), path, stat.st_ino, stat.st_size, stat.st_mtime_ns)  # forks would share a place in the file
    if now not in _OPEN:
        for archive, _ in _OPEN.values():
            archive.close()
        _OPEN.clear()
        if path.name.lower().endswith(".zip"):
            packed = zipfile.ZipFile(path)
            _OPEN[now] = packed, {name: partial(packed.open, name) for name in packed.namelist() if name[-1:] != "/"}
        else:
            tar = tarfile.open(path)  # noqa: SIM115 - closed by the next
            some = [one for one in islice(tar, MOST_MEMBERS + 1) if one.isfile()]
            _OPEN[now] = tar, {one.name: partial(tar.extractfile, one) for one in some}
    return _OPEN[now][1]


def sources(given: Path) -> Iterator[Source]:
    """The documents at a path, in the order of their names or their archive, those that cannot be read among them."""
    if not given.exists():
        raise UsageError(f"{given} does not exist", "pass files, folders or archives")
    for file in sorted(given.rglob("*")) if given.is_dir() else [given]:
        name = file.relative_to(given).as_posix() if given.is_dir() else file.name
        if file.is_file() and not _is_hidden(name):
            yield from _members(file, name) if name.lower().endswith(_ARCHIVES) else [Source(name, file)]


def _members(file: Path, name: str) -> Iterator[Source]:
    try:
        members = list(_opened(file))
    except _BROKEN:
        yield Source(name, file)  # reading it says what is wrong
        return
    if len(members) > MOST_MEMBERS:
        raise UsageError(f"{file} holds more than {MOST_MEMBERS:,} files", "unpack it, and add its folders one by one")
    yield from (Source(f"{name}/{member}", file, member) for member in members if not _is_hidden(member))


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def read_text(text: str) -> Iterator[Block]:
    lines = [line.strip() for line in text.splitlines()]
    widest = max(map(len, lines), default=0) or 1
    yield from paragraphs([Line(line, reach=len(line) / widest) for line in lines])


def read_markdown(data: bytes) -> Iterator[Block]:
    """Code is kept line by line as it is; a fence that is never closed reaches to the end."""
    text, at = "\n".join(_decoded(data).splitlines()), 0
    text = _UNDERLINED.sub(lambda found: f"{'#' if found[2][0] == '=' else '##'} {found[1]}", text)
    for found in [*_MARKDOWN.finditer(text), None]:
        between = text[at : found.start() if found else len(text)]
        yield from paragraphs([Line(line.strip()) for line in between.split("\n")])
        if found is None:
            return
        at = found.end()
        if found["marks"]:
            yield Block("heading", found["heading"], len(found["marks"]))
        elif found["rows"]:
            rows = [row.strip().strip("|").split("|") for row in found["rows"].split("\n") if not _RULE.fullmatch(row)]
            yield from table(rows)
        elif code := "\n".join(map(str.rstrip, found["code"].split("\n"))).strip("\n"):
            yield Block("text", code)


def read_table(data: bytes) -> Iterator[Block]:
    text = _decoded(data)
    first = text.partition("\n")[0]
    try:
        yield from table(csv.reader(io.StringIO(text, newline=""), delimiter=max(",\t;|", key=first.count)))
    except csv.Error as error:
        raise UsageError(f"the table cannot be read: {error}", "save it as CSV with commas and quotes") from error


def _decoded(data: bytes) -> str:
    """UTF-8, or what the first bytes say it is, or else the code page of Western Windows, which fits any bytes."""
    try:
        text = data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    if len(_CONTROL.findall(text)) > _MOST_CONTROL * len(text):
        raise UsageError("it is not text: it is full of control characters", "is it what its name says?")
    return text


def _read_rtf(data: bytes) -> Iterator[Block]:
    """As Markdown, for the library drops styles; it puts a bar behind each cell, also behind one of several lines."""
    text = _decoded(data)
    levels = dict(re.findall(r"\{\\s(\d+)\\[^{};]* heading (\d)", text, re.IGNORECASE))
    marked = re.sub(r"\\s(\d+)(?!\d)", lambda style: f"{style[0]} {'#' * int(levels.get(style[1], 0))} ", text)
    text = library("striprtf.striprtf", "office").rtf_to_text(marked, errors="ignore").strip()
    lines = re.sub(r"(\|[^|\n]*)\n(?=[^|\n]+\|)(?<!\|\n)", r"\1 ", text).splitlines()
    lines = [f"|{line}" if line.endswith("|") else f"{line.strip()}\n" for line in lines if line.strip()]
    yield from read_markdown("\n".join(["# " * (text[:1] != "#") + lines[0], *lines[1:]] if lines else []).encode())


def _read_pdf(data: bytes) -> Iterator[Block]:
    from surefoot.corpus import pdf  # noqa: PLC0415

    return pdf.read_pdf(data)


def _read_mail(data: bytes) -> Iterator[Block]:
    """Subject, sender and date, the text, and what is attached."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    yield Block("heading", str(message["subject"] or "").strip() or "Message", 1)
    yield Block("text", ", ".join(f"{name}: {message[name]}" for name in ("From", "To", "Date") if message[name]))
    body = message.get_body(("html", "plain"))
    if body is not None:
        yield from (markup.read_html if body.get_content_subtype() == "html" else read_text)(body.get_content())
    for part in message.iter_attachments():
        name = part.get_filename() or "without a name"
        read, attached = READERS.get(PurePosixPath(name.lower()).suffix), part.get_payload(decode=True)
        try:
            if read is None or not isinstance(attached, bytes):
                raise UsageError("its format is not read")
            yield from list(read(attached))
        except SurefootError as error:
            yield Block("unread", f"the attachment {name} was not read: {error.message}")


OF_OFFICE_97 = (".doc", ".xls", ".ppt")  # not read, but named with what to do
READERS: dict[str, Callable[[bytes], Iterator[Block]]] = {
    ".pdf": _read_pdf, ".xlsx": markup.read_workbook, ".rtf": _read_rtf,
    ".eml": _read_mail, **dict.fromkeys((*_OPEN_XML, *OF_OFFICE_97), markup.read_office),
    **dict.fromkeys((".html", ".htm", ".xhtml"), lambda data: markup.read_html(_decoded(data))),
    **dict.fromkeys((".md", ".markdown"), read_markdown), **dict.fromkeys((".csv", ".tsv"), read_table),
    **dict.fromkeys((".txt", ".text"), lambda data: read_text(_decoded(data))),
}  # fmt: skip
