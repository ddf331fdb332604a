"""Question sets kept honest: checked, locked, reviewed, compared, cloned."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import asdict

from surefoot.build.duplicates import duplicates_of
from surefoot.build.reading import Reader
from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.result import READER, Person, Result, Seen
from surefoot.core.types import Passage, Problem, Question
from surefoot.core.words import counted
from surefoot.corpus.corpus import load_corpus
from surefoot.datasets.hygiene import ERRORS, SURE, Finding, changed_questions, findings_of, problem_of
from surefoot.datasets.locks import difference, hashes_in, lock_path, since_locked, write_lock
from surefoot.datasets.protocol import mix_of
from surefoot.datasets.question_file import Entry, QuestionFile
from surefoot.datasets.review import Decision, accepted_unread, decided
from surefoot.io.questions import ACCEPTED, NAMES, PROPOSED, REJECTED, load, load_sound, question_of, review_of, rows_of

_VERSION = re.compile(r"(?P<stem>.+)@v(?P<number>\d{1,9})")


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


class Diff(Result, frozen=True):
    """What came, what went, and what changed under its id, by id."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: int

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
    findings = findings_of(found, passages, _text(prompt))
    findings += mix_of(found.questions)
    findings += duplicates_of(found.questions)
    findings += _read(found.questions, passages or (), person)
    problems = [*found.problems, *(problem_of(one, found) for one in findings if one.confidence >= SURE)]
    problems += [Problem("corpus", warning.removeprefix("warning: ")) for warning in warned]
    errors = tuple(problem for problem in problems if problem.kind in ERRORS)
    warnings = tuple(problem for problem in problems if problem.kind not in ERRORS)
    findings = [*(Finding(None, one.kind, str(one)) for one in found.problems), *findings]
    ok = not errors and not (strict and any(one.confidence >= SURE and one.kind != "note" for one in findings))
    return Checked(ok, len(found.questions), errors, warnings, tuple(findings))


def _read(questions: Sequence[Question], passages: Sequence[Passage], person: Person) -> Iterator[Finding]:
    """What reading the corpus finds, where it has texts."""
    if not any(passage.text.strip() for passage in passages):
        if passages:
            yield Finding(None, "not_read", "was not read against the corpus, which has ids and no texts")
        return
    reader, watch = Reader(passages), person.watch(len(questions), "questions read")
    try:
        for question in questions:
            yield from reader.findings(question)
            watch.count(Seen())
    finally:
        watch.close()


def _text(prompt: str | Path | None) -> str:
    if prompt is None:
        return ""
    try:
        return Path(prompt).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"the prompt {prompt} cannot be read: {error.strerror}", "pass a text file") from error


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
        accept_unread(file)
        found = load_sound(file)
    return Locked(str(path), len(found.questions), accepted_unread=write_lock(path, found.questions))


def diff_questions(old: str | Path, new: str | Path | None = None) -> Diff:
    """Compare two sets, or a set with its lock file."""
    before, after = (lock_path(old), Path(old)) if new is None else (Path(old), Path(new))
    if not before.exists():
        raise UsageError(f"{old} has no lock file to compare with", f"make one with `surefoot questions lock {old}`")
    return Diff(**asdict(difference(hashes_in(before), hashes_in(after))))


def clone_questions(file: str | Path, new: str | Path, *, change: Collection[str] = ()) -> Cloned:
    """Make a new version of a set: changed questions get new ids, untouched ones keep theirs.

    Changed are those in `change`, which are then to be edited, and those that differ from FILE.lock already. NEW.lock
    is written too; it leaves the former open, and those that nobody has reviewed.
    """
    target = Path(new)
    if target.exists():
        raise UsageError(f"{new} exists already", "choose another name: a version is never overwritten")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", "make it first, or choose another place")
    found = load_sound(file)
    ids, locked = [question.id for question in found.questions], since_locked(file, found.questions)
    if unknown := sorted({*change} - {*ids}):
        raise UsageError(f"there is no question {unknown[0]!r} to change", "name the ids as they stand in the set")
    renamed: dict[str, str] = {}
    for qid in sorted({*change, *(locked.changed if locked else ())}, key=ids.index):
        renamed[qid] = next_id(qid, {*ids, *renamed.values()})
    target.write_bytes(encoded(target, _renamed(file, renamed)))
    cloned = load_sound(new).questions
    to_edit = tuple(sorted(renamed[qid] for qid in set(change)))
    is_open = {*to_edit, *(question.id for question in cloned if review_of(question) == PROPOSED)}
    write_lock(lock_path(new), [question for question in cloned if question.id not in is_open])
    return Cloned(str(new), len(cloned), renamed, to_edit, found.rejected)


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


def accept_unread(file: str | Path) -> None:
    """Accept all that is proposed, and write down that nobody read it."""
    QuestionFile(file).change(
        lambda entry: accepted_unread(entry.question) if review_of(entry.question) == PROPOSED else None
    )


def _renamed(file: str | Path, ids: Mapping[str, str]) -> list[object]:
    """The rows as they stand in a file, each question once, with other ids for some; rejected ones stay behind."""
    kept: dict[str, object] = {}
    for value in (row.value for row in rows_of(str(file)) if isinstance(row.value, dict)):
        question = question_of(value)
        if question.id in ids:
            key = next(name for name in NAMES["id"] if value.get(name) is not None)
            value = {**value, key: ids[question.id], "replaces": question.id}
        if review_of(question) != REJECTED:
            kept.setdefault(question.id, value)
    return [*kept.values()]


def next_id(qid: str, taken: Collection[str]) -> str:
    """q7 -> q7@v2 -> q7@v3, skipping ids that exist."""
    match = _VERSION.fullmatch(qid)
    stem, number = (match["stem"], int(match["number"])) if match else (qid, 1)
    while (fresh := f"{stem}@v{number + 1}") in taken:
        number += 1
    return fresh


def encoded(path: Path, rows: Sequence[object]) -> bytes:
    """In the format that the file's name asks for: .jsonl, .yaml, or a JSON array."""
    if path.suffix in (".yaml", ".yml"):
        return msgspec.yaml.encode(rows, enc_hook=str)
    if path.suffix in (".jsonl", ".ndjson"):
        return msgspec.json.Encoder(enc_hook=str).encode_lines(rows)
    return b"[\n" + b",\n".join(b"  " + msgspec.json.encode(row, enc_hook=str) for row in rows) + b"\n]\n"
