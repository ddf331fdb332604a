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
from itertools import islice, takewhile
from pathlib import Path, PurePosixPath
from typing import IO
from zlib import error as ZlibError

from msgspec import Struct

from surefoot.core.errors import SurefootError, UsageError
from surefoot.core.files import library
from surefoot.corpus import markup
from surefoot.corpus.blocks import Block, Line, paragraphs, table
from surefoot.corpus.passages import is_rows

LARGEST = 256 * 1024 * 1024  # bytes of one file, unpacked
_LARGEST_TEXT = 64 * 1024 * 1024  # of one that is nothing but text
_HEADING = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*\s*$")
_UNDERLINED = re.compile(r"(?:\A|(?<=\n\n))(?![#|>`~]|[-*+] )(\S.{0,98})\n(=+|-{2,})[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"\|?[\s:|-]+\|[\s:|-]*")
_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})")
_CONTROL, _MOST_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]"), 0.05
MOST_MEMBERS = 100_000  # of one archive
_PACKED = (".pdf", ".docx", ".pptx", ".odt", ".xlsx", ".eml")
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
        return self.suffix in READERS or self.is_rows or self._is_archive

    @property
    def is_rows(self) -> bool:
        """Passages that others have cut."""
        return is_rows(self.name)

    @property
    def _most(self) -> int:
        return LARGEST if self.is_rows or self.suffix in _PACKED else _LARGEST_TEXT

    @property
    def _is_archive(self) -> bool:
        return not self.member and self.name.lower().endswith(_ARCHIVES)

    def read(self) -> bytes:
        if not self.member:
            if self._is_archive:
                raise UsageError("the archive cannot be opened", "is it whole, and without a password?")
            return _limited(self.path.open("rb"), self.path.stat().st_size, self._most)
        try:
            if self.path.name.lower().endswith(".zip"):
                with zipfile.ZipFile(self.path) as archive:
                    return _limited(archive.open(self.member), archive.getinfo(self.member).file_size, self._most)
            archive_, member = _in_tar(self.path, self.member)
            file = archive_.extractfile(member)
            return b"" if file is None else _limited(file, member.size, self._most)
        except (zipfile.BadZipFile, tarfile.TarError, ZlibError, EOFError, NotImplementedError, RuntimeError) as error:
            raise UsageError(f"cannot be unpacked: {error}", "pack it again, without a password") from error


_OPEN_TAR: dict[tuple[object, ...], tuple[tarfile.TarFile, dict[str, tarfile.TarInfo]]] = {}


def _in_tar(path: Path, member: str) -> tuple[tarfile.TarFile, tarfile.TarInfo]:
    """The tar that was read last stays open in each process: its members are found only by reading all of it."""
    stat = path.stat()
    now = (os.getpid(), path, stat.st_ino, stat.st_size, stat.st_mtime_ns)  # forks would share a place in the file
    if now not in _OPEN_TAR:
        for archive, _ in _OPEN_TAR.values():
            archive.close()
        _OPEN_TAR.clear()
        archive = tarfile.open(path)  # noqa: SIM115 - closed by the next
        _OPEN_TAR[now] = archive, {one.name: one for one in archive}
    archive, members = _OPEN_TAR[now]
    if member not in members:
        raise tarfile.ReadError(f"there is no {member} in it any more")
    return archive, members[member]


def _limited(file: IO[bytes], said: int, most: int) -> bytes:
    """What an archive says of a member's size need not be true."""
    with file:
        data = b"" if said > most else file.read(most + 1)
    if said > most or len(data) > most:
        raise UsageError(f"it has more than {most:,} bytes", "split it")
    return data


def sources(given: Path) -> Iterator[Source]:
    """The documents at a path, in the order of their names, those that cannot be read among them.

    Those of a tar come in its own order: a packed one can be read only from its start on.
    """
    if not given.exists():
        raise UsageError(f"{given} does not exist", "pass files, folders or archives")
    for file in sorted(given.rglob("*")) if given.is_dir() else [given]:
        name = file.relative_to(given).as_posix() if given.is_dir() else file.name
        if file.is_file() and not _is_hidden(name):
            yield from _members(file, name) if name.lower().endswith(_ARCHIVES) else [Source(name, file)]


def _members(file: Path, name: str) -> Iterator[Source]:
    try:
        if name.lower().endswith(".zip"):
            with zipfile.ZipFile(file) as archive:
                names = sorted(member.filename for member in archive.infolist() if not member.is_dir())
        else:
            with tarfile.open(file) as archive_:
                names = [member.name for member in islice(archive_, MOST_MEMBERS + 1) if member.isfile()]
    except (zipfile.BadZipFile, tarfile.TarError, ZlibError, EOFError, OSError):
        names = [""]  # reading it says what is wrong
    if len(names) > MOST_MEMBERS:
        raise UsageError(f"{file} holds more than {MOST_MEMBERS:,} files", "unpack it, and add its folders one by one")
    for member in names:
        if not _is_hidden(member):
            yield Source(f"{name}/{member}" if member else name, file, member)


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def read_text(data: bytes) -> Iterator[Block]:
    yield from _lines(_decoded(data))


def _lines(text: str) -> Iterator[Block]:
    lines = [line.strip() for line in text.splitlines()]
    widest = max(map(len, lines), default=0) or 1
    yield from paragraphs([Line(line, reach=len(line) / widest) for line in lines])


def read_markdown(data: bytes) -> Iterator[Block]:
    lines: list[Line] = []
    rows: list[str] = []
    text = _UNDERLINED.sub(lambda found: f"{'#' if found[2][0] == '=' else '##'} {found[1]}", _decoded(data))
    every = iter([*text.splitlines(), ""])
    for line in every:
        is_row = line.lstrip().startswith("|")
        if rows and not is_row:
            yield _markdown_table(rows)
            rows = []
        heading, fence = _HEADING.match(line), _FENCE.match(line)
        if heading or is_row or fence:
            yield from paragraphs(lines)
            lines = []
        if heading:
            yield Block("heading", heading[2], len(heading[1]))
        elif fence:
            yield from _code(every, fence[1])
        elif is_row:
            rows.append(line.strip())
        else:
            lines.append(Line(line.strip()))
    yield from paragraphs(lines)


def _code(lines: Iterator[str], fence: str) -> Iterator[Block]:
    """What stands between fences, line by line as it is; a fence that is never closed reaches to the end."""
    inside = takewhile(lambda line: not (line.strip().startswith(fence) and not line.strip(fence[0] + " ")), lines)
    if text := "\n".join(line.rstrip() for line in inside).strip("\n"):
        yield Block("text", text)


def _markdown_table(rows: list[str]) -> Block:
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if not _RULE.fullmatch(row)]
    return table(cells or [[""]])


def read_table(data: bytes) -> Iterator[Block]:
    text = _decoded(data)
    first = text.partition("\n")[0]
    delimiter = max(",\t;|", key=first.count)
    try:
        every = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows = [row for row in every if any(map(str.strip, row))]
    except csv.Error as error:
        raise UsageError(f"the table cannot be read: {error}", "save it as CSV with commas and quotes") from error
    if rows:
        yield table(rows)


def _decoded(data: bytes) -> str:
    text = _as_text(data)
    if len(_CONTROL.findall(text)) > _MOST_CONTROL * len(text):
        raise UsageError("it is not text: it is full of control characters", "is it what its name says?")
    return text


def _as_text(data: bytes) -> str:
    """UTF-8, or what the first bytes say it is, or else the code page of Western Windows, which fits any bytes."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _read_pdf(data: bytes) -> Iterator[Block]:
    library("pypdfium2", "documents")
    from surefoot.corpus import pdf  # noqa: PLC0415

    return pdf.read_pdf(data)


def _read_mail(data: bytes) -> Iterator[Block]:
    """Subject, sender and date, the text, and what is attached."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    yield Block("heading", str(message["subject"] or "").strip() or "Message", 1)
    yield Block("text", ", ".join(f"{name}: {message[name]}" for name in ("From", "To", "Date") if message[name]))
    body = message.get_body(("html", "plain"))
    if body is not None:
        yield from (markup.read_html if body.get_content_subtype() == "html" else _lines)(body.get_content())
    for part in message.iter_attachments():
        name = part.get_filename() or "without a name"
        read, attached = READERS.get(PurePosixPath(name.lower()).suffix), part.get_payload(decode=True)
        try:
            if read is None or not isinstance(attached, bytes):
                raise UsageError("its format is not read")
            yield from list(read(attached))
        except SurefootError as error:
            yield Block("unread", f"the attachment {name} was not read: {error.message}")


READERS: dict[str, Callable[[bytes], Iterator[Block]]] = {
    ".pdf": _read_pdf, ".docx": markup.read_office, ".pptx": markup.read_office, ".odt": markup.read_office,
    ".xlsx": markup.read_workbook, ".rtf": lambda data: markup.read_rtf(_decoded(data)), ".eml": _read_mail,
    **dict.fromkeys((".html", ".htm", ".xhtml"), lambda data: markup.read_html(_decoded(data))),
    **dict.fromkeys((".md", ".markdown"), read_markdown), **dict.fromkeys((".txt", ".text"), read_text),
    **dict.fromkeys((".csv", ".tsv"), read_table),
}  # fmt: skip
