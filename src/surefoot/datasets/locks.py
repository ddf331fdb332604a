"""A lock file holds a content hash per question id, so that no question changes under its old id unnoticed.

The hash covers what decides a score: text, expectation, gold ids and claims, stratum, probes, retrieval. Notes, the
review and other metadata may change freely.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.result import Result
from surefoot.core.types import Problem, Question
from surefoot.io import questions as question_sets
from surefoot.io.questions import QuestionSet, made_of

Hashes = Mapping[str, str]
UNREAD = "unread"  # how `made.accepted` begins where nobody read the question


class Lock(msgspec.Struct, omit_defaults=True):
    surefoot_lock: int
    questions: dict[str, str]
    accepted_unread: int = 0


class Difference(Result, frozen=True):
    """What came, what went, and what changed under its id, by id."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: int

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.BLOCKED if self.changed else ExitCode.OK


def content_hash(question: Question) -> str:
    content = [
        " ".join(question.text.split()), question.expects, sorted(question.gold_ids), list(question.gold_claims),
        question.stratum, question.probes, question.retrieval,
    ]  # fmt: skip
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:32]


def hashes_of(questions: Sequence[Question]) -> dict[str, str]:
    return {question.id: content_hash(question) for question in questions}


def fingerprint_of(questions: Sequence[Question]) -> str:
    """One hash for a whole set, whatever the order of its questions: that of the JSON of ids and their hashes."""
    ids, hashes = list[str](), bytearray()  # a million questions fit
    for question in questions:
        ids.append(question.id)
        hashes += bytes.fromhex(content_hash(question))
    digest = hashlib.sha256(b"[")
    for number, place in enumerate(sorted(range(len(ids)), key=ids.__getitem__)):
        pair = msgspec.json.encode((ids[place], hashes[place * 16 : place * 16 + 16].hex()))
        digest.update(b"," + pair if number else pair)
    digest.update(b"]")
    return digest.hexdigest()[:32]


def difference(old: Hashes, new: Hashes) -> Difference:
    common = [qid for qid in new if qid in old]
    changed = tuple(qid for qid in common if old[qid] != new[qid])
    return Difference(
        added=tuple(qid for qid in new if qid not in old),
        removed=tuple(qid for qid in old if qid not in new),
        changed=changed,
        unchanged=len(common) - len(changed),
    )


def lock_path(questions: str | Path) -> Path:
    return Path(f"{questions}.lock")


def since_locked(file: str | Path, questions: Sequence[Question]) -> Difference | None:
    """What came, went and changed since a set was locked; None where it was not."""
    path = lock_path(file)
    return difference(read_lock(path), hashes_of(questions)) if path.is_file() else None


def write_lock(path: Path, questions: Sequence[Question]) -> int:
    """Returns how many of the questions were accepted without being read, which the lock says too."""
    unread = sum(map(was_accepted_unread, questions))
    data = msgspec.json.encode(Lock(1, dict(sorted(hashes_of(questions).items())), unread))
    path.write_bytes(msgspec.json.format(data, indent=1) + b"\n")
    return unread


def was_accepted_unread(question: Question) -> bool:
    return str(made_of(question).get("accepted", "")).startswith(UNREAD)


def read_lock(path: Path) -> Hashes:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Lock).questions
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        hint = "make a new one with `surefoot questions lock`"
        raise UsageError(f"the lock file {path} cannot be read: {reason}", hint) from error


def hashes_in(path: Path) -> Hashes:
    """Of a lock file, or of a question set."""
    return read_lock(path) if path.suffix == ".lock" else hashes_of(question_sets.load(path).questions)


def verify_lock(question_set: QuestionSet) -> list[Problem]:
    """Refuse a set whose questions changed under their ids since they were locked; note what came and went."""
    found = since_locked(question_set.source, question_set.questions)
    if found is None:
        return []
    if found.changed:
        names = ", ".join(found.changed[:5]) + (" ..." if len(found.changed) > 5 else "")
        count = len(found.changed)
        what = "1 question changed under its old id" if count == 1 else f"{count} questions changed under their old ids"
        raise UsageError(
            f"{question_set.source}: {what} since the lock: {names}",
            f"give them new ids with `surefoot questions clone {question_set.source} NEW`, or undo the change",
        )
    notes = [
        ("is not in the lock file", found.added),
        ("is in the lock file but not in the set any more", found.removed),
    ]
    return [
        Problem("note", f"question {qid!r} {what}", question_set.source, question_set.line_of(qid))
        for what, qids in notes
        for qid in qids
    ]
