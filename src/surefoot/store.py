"""A run is a folder of append-only rows, so a killed run loses no finished answer and repeats none.

    manifest.json     what was run: hashes, versions, seed
    questions.jsonl   what was asked
    traces.jsonl      one row per (question, attempt)
    verdicts.jsonl    one row per (question, attempt, axis, grader)
    replies.jsonl     what models replied when they graded it, which was paid for

Each row is one write of a whole line. Where a key occurs again, the last row counts: to correct is to append. Only a
grader that grades again has its own verdicts replaced, lest an axis that no longer applies keeps its old value; and
where it finds nothing this time, what it found before on the very same answer stands.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from surefoot.errors import Incomplete, UsageError
from surefoot.io.sources import RUN_MANIFEST, RUN_TRACES
from surefoot.io.writer import BYTE_ORDER_MARK, LOCK, UNREADABLE, ReplyFile, Writer, printable, replace_file
from surefoot.records import version_of
from surefoot.regrade import Key, regraded
from surefoot.text.normal import without_surrogates
from surefoot.types import Passage, Problem, Question, Retrieved, Trace, Verdict

MANIFEST, QUESTIONS, TRACES, VERDICTS = RUN_MANIFEST, "questions.jsonl", RUN_TRACES, "verdicts.jsonl"
REPLIES = "replies.jsonl"
DECISION = "decision.json"  # what was decided about the run last
_ENCODER = msgspec.json.Encoder()

Row = TypeVar("Row")
Answered = TypeVar("Answered", bound="_TraceRow | Verdict")


class Manifest(Struct, frozen=True, kw_only=True):
    """What was run, so that two runs can be told comparable or not."""

    surefoot_run: int = 1
    name: str
    pipeline: str
    version: str = ""  # of the pipeline, as its people call it
    code_sha256: str = ""  # of the files that the pipeline's name leads to
    repeats: int
    uneven: bool = False  # some questions of a log were answered less often than `repeats`
    seed: int
    questions_sha256: str
    question_count: int
    question_notes: list[str] = []  # how the questions differ from those that were given or locked
    corpus_sha256: str | None = None
    log_sha256: str = ""  # of the log that the answers were taken from
    rubric: str = ""
    rubric_sha256: str = ""
    grader: str | None = None
    answers_sha256: str = ""  # of the answers as they came
    graded_sha256: str = ""  # of the answers its verdicts are on
    verdicts_sha256: str = ""  # of the verdicts as they were given
    council: str = ""  # the grader of what all reviewers said together
    council_answers_sha256: str = ""  # of the answers they scored
    council_verdicts_sha256: str = ""  # of what all said together, as it was said
    versions: dict[str, str] = {}
    deterministic: bool = False
    created: str = ""
    purged: list[str] = []  # when, and how many answers


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
    subject: str | UnsetType = UNSET


_TRACES = msgspec.json.Decoder(_TraceRow)
_VERDICTS = msgspec.json.Decoder(Verdict)
_QUESTIONS = msgspec.json.Decoder(Question)


class RunStore:
    """The rows of one run. Reading needs no lock; the first write, or `writing=True`, takes the only one."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self.problems: list[Problem] = []
        self._writer: Writer | None = None

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
        replace_file(folder / QUESTIONS, b"".join(_line(question) for question in questions))
        # The manifest comes last: where it stands, the questions are whole.
        replace_file(folder / MANIFEST, _pretty(manifest))
        return store

    @classmethod
    def open(cls, path: str | Path, *, writing: bool = False) -> RunStore:
        folder = Path(path)
        try:
            manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        except (FileNotFoundError, NotADirectoryError) as error:
            what = f"is not a run: it has no {MANIFEST}" if folder.exists() else "does not exist"
            raise UsageError(f"{printable(folder)} {what}", "`surefoot run` makes a run") from error
        except UNREADABLE as error:
            where = printable(folder / MANIFEST)
            raise Incomplete(f"{where} cannot be read: {error}", "restore it, or run again") from error
        store = cls(folder, manifest)
        if writing:
            store._lock()
        return store

    def amend(self, **changes: object) -> None:
        """Write the manifest anew, as when a run is graded."""
        self._lock()
        self.manifest = replace(self.manifest, **changes)
        replace_file(self.path / MANIFEST, _pretty(self.manifest))

    def append_trace(self, trace: Trace) -> None:
        self._lock().append(TRACES, _line(_row(trace)))

    def replace_verdicts(self, grader: str, rows: Iterable[Verdict], failed: Collection[Key] = ()) -> list[Key]:
        """Put a grader's verdicts in place of its earlier ones; what others wrote stays as it is.

        Gives back the answers on which the earlier verdicts stand, because there is no value now, or because the new
        ones are said to have `failed`.
        """
        writer = self._lock()
        is_unchanged = self.manifest.grader == grader and self.manifest.graded_sha256 == self.answers_sha256()
        earlier = [line for _, line in _lines(self.path / VERDICTS)]
        others, mine, standing = regraded(earlier, grader, rows, self.versions(), is_unchanged, failed)
        writer.replace(VERDICTS, b"".join((*others, *map(_line, mine))))
        return standing

    def versions(self) -> dict[Key, str]:
        """Of every answer, by all that graders and people see of it: what labels are bound to."""
        questions = {question.id: question for question in self.questions()}
        asked = (trace for trace in self.traces() if trace.question_id in questions)
        return {(str(t.question_id), t.attempt): version_of(questions[str(t.question_id)], t) for t in asked}

    def subjects(self) -> dict[str, str]:
        """By version of an answer, whose data it is."""
        whose = {(str(one.question_id), one.attempt): one.subject for one in self.traces() if one.subject}
        return {version: str(whose[key]) for key, version in self.versions().items() if key in whose}

    @property
    def replies(self) -> ReplyFile:
        """What models replied when they graded this run."""
        return ReplyFile(self.path / REPLIES, lambda line: self._lock().append(REPLIES, line), self.problems)

    def answers_sha256(self) -> str:
        """A hash of all that graders see of the answers, whatever order they came in."""
        traces = sorted(self.traces(), key=lambda trace: (str(trace.question_id), trace.attempt))
        unseen = {"seconds": None, "tokens": None, "cost_usd": None, "subject": UNSET}
        return fingerprint(_row(replace(trace, **unseen)) for trace in traces)

    def verdicts_sha256(self, grader: str | None) -> str:
        """A hash of what a grader said, whatever order it came in."""
        mine = [verdict for verdict in self.verdicts() if verdict.grader == grader]
        mine.sort(key=lambda one: (one.question_id, one.attempt, one.axis))
        return fingerprint(mine)

    def is_graded_otherwise(self) -> bool:
        """True when the verdicts are on other answers than those that are there now."""
        graded = self.manifest.graded_sha256
        return bool(graded) and graded != self.answers_sha256()

    def people(self) -> dict[Key, str]:
        """Whose data each answer is; "" where its trace names nobody."""
        return {key: row.subject or "" for key, _, row in self._decoded(TRACES, _TRACES.decode)}

    def purge(self, keys: Collection[Key], when: str) -> None:
        """Erase answers and what was said of them: verdicts, all replies of models, and of a log the questions that
        nobody else asked. The manifest keeps the hash of what was asked, and says that something is missing."""
        writer = self._lock()
        left = {key: row for key, _, row in self._decoded(TRACES, _TRACES.decode) if key not in keys}
        for name, decode in ((TRACES, _TRACES.decode), (VERDICTS, _VERDICTS.decode)):
            if (self.path / name).exists():
                writer.replace(name, b"".join(line for key, line, _ in self._decoded(name, decode) if key not in keys))
        if self.manifest.log_sha256:
            asked = {question_id for question_id, _ in left}
            kept = [question for question in self.questions() if question.id in asked]
            replace_file(self.path / QUESTIONS, b"".join(map(_line, kept)))
        (self.path / REPLIES).unlink(missing_ok=True)
        self.amend(
            uneven=self.manifest.uneven or bool(self.manifest.log_sha256),
            question_count=len(kept) if self.manifest.log_sha256 else self.manifest.question_count,
            answers_sha256=self.manifest.answers_sha256 and self.answers_sha256(),
            graded_sha256=self.manifest.graded_sha256 and self.answers_sha256(),
            verdicts_sha256=self.manifest.verdicts_sha256 and self.verdicts_sha256(self.manifest.grader),
            council_answers_sha256=self.manifest.council_answers_sha256 and self.answers_sha256(),
            council_verdicts_sha256=self.manifest.council and self.verdicts_sha256(self.manifest.council),
            purged=[*self.manifest.purged, f"{when}: {len(keys)} answers"],
        )

    def questions(self) -> list[Question]:
        found = self._rows(QUESTIONS, _QUESTIONS.decode, lambda question: question.id)
        if len(found) != self.manifest.question_count:
            message = f"holds {len(found)} of the {self.manifest.question_count} questions that were to be asked"
            self._name(Problem("malformed", message, printable(self.path / QUESTIONS)))
        return found

    def traces(self) -> list[Trace]:
        rows = self._rows(TRACES, _TRACES.decode, lambda row: (row.question_id, row.attempt))
        return [_trace(row) for row in rows]

    def verdicts(self) -> list[Verdict]:
        return [verdict for _, verdict in self.numbered_verdicts()]

    def numbered_verdicts(self) -> list[tuple[int, Verdict]]:
        """With the line each stands on."""
        return self._numbered(VERDICTS, _VERDICTS.decode, lambda v: (v.question_id, v.attempt, v.axis, v.grader))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lock(self) -> Writer:
        if self._writer is None:
            self._writer = Writer(self.path, (TRACES, VERDICTS, REPLIES), self.problems)
        return self._writer

    def _name(self, problem: Problem) -> None:
        """Once, however often the rows are read."""
        if problem not in self.problems:
            self.problems.append(problem)

    def _decoded(self, name: str, decode: Callable[[bytes], Answered]) -> Iterator[tuple[Key, bytes, Answered]]:
        """Every row that can be read, also those that later ones correct."""
        for _, line in _lines(self.path / name):
            with contextlib.suppress(*UNREADABLE):
                row = decode(line)
                yield (row.question_id, row.attempt), line, row

    def _rows(self, name: str, decode: Callable[[bytes], Row], key: Callable[[Row], Hashable]) -> list[Row]:
        return [row for _, row in self._numbered(name, decode, key)]

    def _numbered(
        self, name: str, decode: Callable[[bytes], Row], key: Callable[[Row], Hashable]
    ) -> list[tuple[int, Row]]:
        """By key, the last row of each, in the order of the first."""
        found: dict[Hashable, tuple[int, Row]] = {}
        for number, line in _lines(self.path / name):
            try:
                row = decode(line)
            except UNREADABLE as error:
                kind = "malformed" if line.endswith(b"\n") else "torn"
                message = f"not a row of a run: {error}" if line.endswith(b"\n") else "the last line breaks off"
                self._name(Problem(kind, message, printable(self.path / name), number))
                continue
            found[key(row)] = (number, row)
        return list(found.values())


def timestamp() -> str:
    """As manifests and ledgers write a time: in UTC, so that texts are in the order of the times."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def fingerprint(items: Iterable[Struct]) -> str:
    """The sha256 of some questions or passages, whatever file they came from."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(_line(item))
    return digest.hexdigest()


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank; an editor may have put a byte order mark before them."""
    if path.exists():
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                bare = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
                if bare.strip():
                    yield number, bare


def _line(row: Struct) -> bytes:
    try:
        return _ENCODER.encode(row) + b"\n"
    except UnicodeEncodeError:
        # Half of a surrogate pair, as a pipeline that cuts texts may leave it, cannot be written as UTF-8.
        return _ENCODER.encode(without_surrogates(msgspec.to_builtins(row))) + b"\n"


def _pretty(manifest: Manifest) -> bytes:
    return msgspec.json.format(_ENCODER.encode(manifest), indent=1) + b"\n"


def _row(trace: Trace) -> _TraceRow:
    if trace.question_id is None:
        raise ValueError("a trace of a run names its question")
    return _TraceRow(**{field: getattr(trace, field) for field in _TraceRow.__struct_fields__})


def _trace(row: _TraceRow) -> Trace:
    fields = msgspec.structs.asdict(row)
    return Trace(**{**fields, "retrieved": None if row.retrieved is None else Retrieved(row.retrieved)})
