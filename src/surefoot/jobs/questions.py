"""Documents to passages, which pipelines search, answers cite and gold ids name; and question sets, kept honest."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
from msgspec.structs import replace

from surefoot.build.duplicates import duplicates_of
from surefoot.build.reading import Reader
from surefoot.core.errors import ExitCode, UsageError, nearest
from surefoot.core.files import make_folder, replace_file
from surefoot.core.result import READER, Person, Result, Seen
from surefoot.core.types import Passage, Problem, Question, counted
from surefoot.corpus.corpus import FILE, documents_in, load_corpus, load_rows, write_corpus
from surefoot.corpus.files import READERS
from surefoot.corpus.passages import Row, is_rows
from surefoot.corpus.read import find_documents, read_documents
from surefoot.datasets.hygiene import ERRORS, SURE, Finding, changed_questions, findings_of, problem_of
from surefoot.datasets.protocol import USUAL, mix_of
from surefoot.datasets.question_file import Entry, QuestionFile
from surefoot.datasets.review import Decision, accepted_unread, decided
from surefoot.io.questions import (
    ACCEPTED,
    NAMES,
    PROPOSED,
    REJECTED,
    Difference,
    content_hash,
    difference,
    hashes_in,
    load,
    load_sound,
    lock_path,
    question_of,
    read_lock,
    review_of,
    rows_of,
    since_locked,
    write_lock,
)
from surefoot.pipelines.retriever import Retriever
from surefoot.text.normal import id_of_text, normalise


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


class Checked(Result, frozen=True):
    """`findings` are all errors and warnings with the question's id, and those that are less than 50 % sure too."""

    ok: bool
    questions: int
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK if self.ok else ExitCode.BLOCKED


class Locked(Result, frozen=True):
    """Nothing was locked where questions have `changed` under their ids."""

    lock: str
    questions: int
    changed: tuple[Problem, ...] = ()
    accepted_unread: int = 0

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.BLOCKED if self.changed else ExitCode.OK


class Cloned(Result, frozen=True):
    file: str
    questions: int
    renamed: dict[str, str]
    to_edit: tuple[str, ...]  # not locked until they are edited and `lock_questions` is called
    rejected: int = 0  # left behind in the old file


class Reviewed(Result, frozen=True):
    """How many questions of the file are in each state of the review."""

    file: str
    proposed: int
    accepted: int
    rejected: int


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


def check_questions(
    file: str | Path,
    *,
    corpus: str | Path | None = None,
    prompt: str | Path | None = None,
    strict: bool = False,
    person: Person = READER,
) -> Checked:
    """Find what is wrong with a question set: duplicates, leaks, one-sidedness, changes under an id.

    With `corpus` the set is read against it: gold passages that lack or contradict the gold claim, unanswerable
    questions that a passage answers. `strict` accepts no finding that is at least 50 % sure; else only errors count.
    """
    found = load(file)
    warned: list[str] = []
    passages = None if corpus is None else load_corpus(corpus, with_texts=False, tell=warned.append)
    words = "" if prompt is None else Path(prompt).read_text("utf-8", "replace")
    findings = [*findings_of(found, passages, words), *mix_of(found.questions), *duplicates_of(found.questions)]
    if passages and not any(passage.text.strip() for passage in passages):
        findings.append(Finding(None, "not_read", "was not read against the corpus, which has ids and no texts"))
    elif passages:
        reader = Reader(passages)
        with closing(person.watch(len(found.questions), "questions read")) as watch:
            for question in found.questions:
                findings += reader.findings(question)
                watch.count(Seen())
    problems = [*found.problems, *(problem_of(one, found) for one in findings if one.confidence >= SURE)]
    problems += [Problem("corpus", warning.removeprefix("warning: ")) for warning in warned]
    errors = tuple(problem for problem in problems if problem.kind in ERRORS)
    warnings = tuple(problem for problem in problems if problem.kind not in ERRORS)
    findings = [*(Finding(None, one.kind, str(one)) for one in found.problems), *findings]
    ok = not errors and not (strict and any(one.confidence >= SURE and one.kind != "note" for one in findings))
    return Checked(ok, len(found.questions), errors, warnings, tuple(findings))


def lock_questions(file: str | Path, *, accept_changes: bool = False, accept_all: bool = False) -> Locked:
    """Write FILE.lock with a content hash per question id.

    Without `accept_changes` no question may have changed, and without `accept_all` none may be merely proposed: it
    accepts those unread, and both the rows and the lock say so.
    """
    found, path = load_sound(file), lock_path(file)
    changed = () if accept_changes else tuple(problem_of(one, found) for one in changed_questions(found))
    if changed:
        return Locked(str(path), len(found.questions), changed)
    if found.proposed and not accept_all:
        message = f"{file}: nobody has reviewed {counted(found.proposed, 'proposed question')}"
        hint = f"`surefoot questions review {file} --corpus CORPUS` shows them; --accept-all accepts them unread"
        raise UsageError(message, hint)
    if found.proposed:
        accept_unread(QuestionFile(file))
        found = load_sound(file)
    return Locked(str(path), len(found.questions), accepted_unread=write_lock(path, found.questions))


def accept_unread(file: QuestionFile) -> None:
    """Accept all that is proposed, and write down that nobody read it."""
    file.change(lambda entry: accepted_unread(entry.question) if review_of(entry.question) == PROPOSED else None)


def diff_questions(old: str | Path, new: str | Path | None = None) -> Difference:
    """Compare two sets, or a set with its lock file."""
    before, after = (lock_path(old), Path(old)) if new is None else (Path(old), Path(new))
    if not before.exists():
        raise UsageError(f"{old} has no lock file to compare with", f"make one with `surefoot questions lock {old}`")
    return difference(hashes_in(before), hashes_in(after))


def clone_questions(file: str | Path, new: str | Path, *, change: Collection[str] = ()) -> Cloned:
    """Make a new version of a set: changed questions get new ids, untouched ones keep theirs.

    Changed are those in `change`, which are then to be edited, and those that differ from FILE.lock already. NEW.lock
    is written too; it leaves the former open, and those that nobody has reviewed.
    """
    target = Path(new)
    if target.exists():
        raise UsageError(f"{new} exists already", "choose another name: a version is never overwritten")
    found = load_sound(file)
    ids, locked = [question.id for question in found.questions], since_locked(file, found.questions)
    if unknown := sorted({*change} - {*ids}):
        raise UsageError(f"there is no question {unknown[0]!r} to change", "name the ids as they stand in the set")
    renamed: dict[str, str] = {}
    for qid in sorted({*change, *(locked.changed if locked else ())}, key=ids.index):
        match = re.fullmatch(r"(.+)@v(\d{1,9})", qid)  # q7 -> q7@v2 -> q7@v3
        stem, number = (match[1], int(match[2])) if match else (qid, 1)
        versions = (f"{stem}@v{one}" for one in itertools.count(number + 1))
        renamed[qid] = next(one for one in versions if one not in {*ids, *renamed.values()})
    kept: dict[str, object] = {}  # the rows as they stand in the file, each question once
    for value in (row.value for row in rows_of(str(file)) if isinstance(row.value, dict)):
        question = question_of(value)
        if question.id in renamed:
            key = next(name for name in NAMES["id"] if value.get(name) is not None)
            value = {**value, key: renamed[question.id], "replaces": question.id}
        if review_of(question) != REJECTED:
            kept.setdefault(question.id, value)
    make_folder(target)
    replace_file(target, _encoded(target.suffix, [*kept.values()]))
    cloned = load_sound(new).questions
    to_edit = tuple(sorted(renamed[qid] for qid in set(change)))
    is_open = {*to_edit, *(question.id for question in cloned if review_of(question) == PROPOSED)}
    write_lock(lock_path(new), [question for question in cloned if question.id not in is_open])
    return Cloned(str(new), len(cloned), renamed, to_edit, found.rejected)


def _encoded(suffix: str, rows: Sequence[object]) -> bytes:
    if suffix in (".yaml", ".yml"):
        return msgspec.yaml.encode(rows, enc_hook=str)
    if suffix in (".jsonl", ".ndjson"):
        return msgspec.json.Encoder(enc_hook=str).encode_lines(rows)
    return b"[\n" + b",\n".join(b"  " + msgspec.json.encode(row, enc_hook=str) for row in rows) + b"\n]\n"


def review_questions(
    file: str | Path, *, accept: Collection[str] = (), reject: Collection[str] = (), by: str = "python"
) -> Reviewed:
    """Accept and reject questions by their ids, and say how many are in each state; `surefoot questions review` is
    the page for it."""
    questions = QuestionFile(file)
    if strange := sorted({*accept, *reject} - {question.id for question in questions.questions()}):
        raise UsageError(f"there is no question {strange[0]!r} to review", "name the ids as they stand in the set")
    if both := sorted({*accept} & {*reject}):
        raise UsageError(f"the question {both[0]!r} cannot be both accepted and rejected", "name it once")
    decisions: dict[str, Decision] = {**dict.fromkeys(accept, "accepted"), **dict.fromkeys(reject, "rejected")}

    def make(entry: Entry) -> Question | None:
        decision = decisions.get(entry.question.id)
        return decided(entry.question, decision, by) if decision else None

    if decisions:
        questions.change(make)
    found = Counter(map(review_of, questions.questions()))
    return Reviewed(str(file), found[PROPOSED], found[ACCEPTED], found[REJECTED])


class Author:
    """Writes questions over one corpus into one file, for people who write or change them."""

    def __init__(self, file: QuestionFile, passages: Sequence[Passage]) -> None:
        self._file, self._reader = file, Reader(passages)
        self._reading = Lock()  # the model reads for one person at a time

    def nearest(self, text: str, limit: int) -> list[Passage]:
        return self._reader.nearest(text, limit)

    def against(self, question: Question) -> tuple[Finding, ...]:
        """What the documents, and the questions that are there already, say against a question."""
        others = [one for one in self._file.questions() if review_of(one) != REJECTED and one.id != question.id]
        again = (one for one in duplicates_of([*others, question]) if one.qid == question.id)
        with self._reading:
            return (*self._reader.findings(question), *again)

    def check_edit(self, question: Question, edit: Question) -> None:
        after, path = content_hash(edit), lock_path(self._file.path)
        if path.is_file() and read_lock(path).get(question.id, after) != after:
            hint = f"reject it, or make a new version of the set: surefoot questions clone {self._file.path} NEW"
            raise UsageError(f"{question.id} is locked, so its words may not change", hint)

    def new(self, given: Question) -> Question:
        """A question of somebody's own, with an id, and of the usual kind."""
        kind = USUAL[given.expects]
        return replace(
            given, id=id_of_text(given.text), stratum=kind.stratum, probes=kind.probes, retrieval=kind.retrieval
        )

    def add(self, question: Question, findings: Sequence[Finding], by: str) -> str:
        """Add the question, with whatever was found, and return its id."""

        def check(there: Sequence[Question]) -> None:
            kept = (one for one in there if review_of(one) != REJECTED)
            if same := next((one for one in kept if normalise(one.text) == normalise(question.text)), None):
                raise UsageError(f"question {same.id!r} asks the same", "ask something else, or edit that one")

        made: dict[str, object] = {"kind": "written", "by": by}
        if findings:
            made["findings"] = [{"kind": one.kind, "confidence": one.confidence} for one in findings]
        return self._file.add(decided(replace(question, metadata={"made": made}), "accepted", by), check).id
