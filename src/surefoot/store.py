"""A run is a folder of append-only rows, so a killed run loses no finished answer and repeats none.

    manifest.json     what was run: hashes, versions, seed
    questions.jsonl   what was asked
    traces.jsonl      one row per (question, attempt)
    verdicts.jsonl    one row per (question, attempt, axis, grader)

Each row is one write of a whole line. Where a key occurs again, the last row counts: to correct is to append.
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from surefoot.errors import Incomplete, UsageError
from surefoot.types import Passage, Problem, Question, Retrieved, Trace, Verdict

MANIFEST, QUESTIONS, TRACES, VERDICTS = "manifest.json", "questions.jsonl", "traces.jsonl", "verdicts.jsonl"
LOCK = ".lock"
_SYNC_SECONDS = 1.0
_ENCODER = msgspec.json.Encoder()

Row = TypeVar("Row")


class Manifest(Struct, frozen=True, kw_only=True):
    """What was run, so that two runs can be told comparable or not."""

    surefoot_run: int = 1
    name: str
    pipeline: str
    repeats: int
    seed: int
    questions_sha256: str
    question_count: int
    corpus_sha256: str | None = None
    rubric: str = ""
    rubric_sha256: str = ""
    grader: str | None = None
    versions: dict[str, str] = {}
    deterministic: bool = False
    created: str = ""


class _TraceRow(Struct, frozen=True):
    question_id: str
    attempt: int = 1
    answer: str | None = None
    retrieved: tuple[Passage, ...] | None = None
    citations: tuple[str, ...] | None = None
    error: str | None = None
    seconds: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None


_TRACES = msgspec.json.Decoder(_TraceRow)
_VERDICTS = msgspec.json.Decoder(Verdict)
_QUESTIONS = msgspec.json.Decoder(Question)


class RunStore:
    """The rows of one run. Reading needs no lock; the first write, or `writing=True`, takes the only one."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self.problems: list[Problem] = []
        self._writer: _Writer | None = None

    @classmethod
    def create(cls, path: str | Path, manifest: Manifest, questions: Iterable[Question]) -> RunStore:
        folder = Path(path)
        if (folder / MANIFEST).exists():
            raise UsageError(f"{folder} holds a run already", "go on with it by --resume, or choose another --out")
        if folder.is_dir() and {entry.name for entry in folder.iterdir()} - {QUESTIONS, LOCK}:
            raise UsageError(f"the folder {folder} is not empty", "choose another --out")
        folder.mkdir(parents=True, exist_ok=True)
        store = cls(folder, manifest)
        store._lock()
        _replace_file(folder / QUESTIONS, b"".join(_line(question) for question in questions))
        # The manifest comes last: where it stands, the questions are whole.
        _replace_file(folder / MANIFEST, _pretty(manifest))
        return store

    @classmethod
    def open(cls, path: str | Path, *, writing: bool = False) -> RunStore:
        folder = Path(path)
        try:
            manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        except FileNotFoundError as error:
            raise UsageError(f"{folder} is not a run: it has no {MANIFEST}", "`surefoot run` makes one") from error
        except msgspec.DecodeError as error:
            raise Incomplete(f"{folder / MANIFEST} cannot be read: {error}", "restore it, or run again") from error
        store = cls(folder, manifest)
        if writing:
            store._lock()
        return store

    def amend(self, **changes: object) -> None:
        """Write the manifest anew, as when a run is graded."""
        self._lock()
        self.manifest = msgspec.structs.replace(self.manifest, **changes)
        _replace_file(self.path / MANIFEST, _pretty(self.manifest))

    def append_trace(self, trace: Trace) -> None:
        self._lock().append(TRACES, _line(_row(trace)))

    def append_verdicts(self, rows: Iterable[Verdict]) -> None:
        if data := b"".join(map(_line, rows)):
            self._lock().append(VERDICTS, data)

    def questions(self) -> list[Question]:
        return self._rows(QUESTIONS, _QUESTIONS.decode, lambda question: question.id)

    def traces(self) -> list[Trace]:
        rows = self._rows(TRACES, _TRACES.decode, lambda row: (row.question_id, row.attempt))
        return [_trace(row) for row in rows]

    def verdicts(self) -> list[Verdict]:
        return self._rows(VERDICTS, _VERDICTS.decode, lambda v: (v.question_id, v.attempt, v.axis, v.grader))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lock(self) -> _Writer:
        if self._writer is None:
            self._writer = _Writer(self.path, self.problems)
        return self._writer

    def _rows(self, name: str, decode: Callable[[bytes], Row], key: Callable[[Row], Hashable]) -> list[Row]:
        """By key, the last row of each, in the order of the first."""
        found: dict[Hashable, Row] = {}
        for number, line in _lines(self.path / name):
            try:
                row = decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                kind = "malformed" if line.endswith(b"\n") else "torn"
                message = f"not a row of a run: {error}" if line.endswith(b"\n") else "the last line breaks off"
                problem = Problem(kind, message, str(self.path / name), number)
                self.problems += [] if problem in self.problems else [problem]
                continue
            found[key(row)] = row
        return list(found.values())


class _Writer:
    """The one writer of a folder: holds its lock, appends whole lines, and makes them durable every second."""

    def __init__(self, folder: Path, problems: list[Problem]) -> None:
        self._folder = folder
        self._lock_file = _locked(folder / LOCK)
        self._files: dict[str, int] = {}
        self._unsynced: set[int] = set()
        self._guard = threading.Lock()
        self._closing = threading.Event()
        self._syncing: threading.Thread | None = None
        for name in (TRACES, VERDICTS):
            problems += _cut_torn_line(folder / name)

    def append(self, name: str, data: bytes) -> None:
        with self._guard:
            file = self._files.get(name)
            if file is None:
                file = os.open(self._folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
                self._files[name] = file
            _write_whole(file, data)
            self._unsynced.add(file)
            if self._syncing is None:
                self._syncing = threading.Thread(target=self._sync_until_closed, name="surefoot-sync", daemon=True)
                self._syncing.start()

    def close(self) -> None:
        self._closing.set()
        if self._syncing is not None:
            self._syncing.join()
        self._sync()
        for file in (*self._files.values(), self._lock_file):
            os.close(file)

    def _sync_until_closed(self) -> None:
        while not self._closing.wait(_SYNC_SECONDS):
            self._sync()

    def _sync(self) -> None:
        with self._guard:
            waiting, self._unsynced = self._unsynced, set()
        # Outside the guard: a slow disk must not hold up the answers.
        for file in waiting:
            os.fsync(file)


def fingerprint(items: Iterable[Struct]) -> str:
    """The sha256 of some questions or passages, whatever file they came from."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(_line(item))
    return digest.hexdigest()


def _locked(path: Path) -> int:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(file)
        hint = "wait for it to end, or choose another --out"
        raise Incomplete(f"another process is writing to the run {path.parent}", hint) from error
    return file


def _cut_torn_line(path: Path) -> Iterator[Problem]:
    """What a crash left of a line is no row; the next one must not be glued to it."""
    size = path.stat().st_size if path.exists() else 0
    if not size:
        return
    with path.open("r+b") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            whole = content.rfind(b"\n") + 1
        if whole < size:
            file.truncate(whole)
            yield Problem("torn", f"the last line broke off; its {size - whole} bytes were cut off", str(path))


def _write_whole(file: int, data: bytes) -> None:
    """All of it or nothing: on a full disk what was begun is taken back."""
    start = os.fstat(file).st_size
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(file, view) :]
    except BaseException:
        os.ftruncate(file, start)
        raise


def _replace_file(path: Path, data: bytes) -> None:
    with (beside := path.with_name(f".{path.name}.new")).open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    if path.exists():
        with path.open("rb") as file:
            yield from enumerate(file, 1)


def _line(row: Struct) -> bytes:
    try:
        return _ENCODER.encode(row) + b"\n"
    except UnicodeEncodeError:
        # Half of a surrogate pair, as a pipeline that cuts texts may leave it, cannot be written as UTF-8.
        return _ENCODER.encode(_without_surrogates(msgspec.to_builtins(row))) + b"\n"


def _without_surrogates(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, (list, tuple)):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def _pretty(manifest: Manifest) -> bytes:
    return msgspec.json.format(_ENCODER.encode(manifest), indent=1) + b"\n"


def _row(trace: Trace) -> _TraceRow:
    if trace.question_id is None:
        raise ValueError("a trace of a run names its question")
    return _TraceRow(**{field: getattr(trace, field) for field in _TraceRow.__struct_fields__})


def _trace(row: _TraceRow) -> Trace:
    fields = msgspec.structs.asdict(row)
    return Trace(**{**fields, "retrieved": None if row.retrieved is None else Retrieved(row.retrieved)})
