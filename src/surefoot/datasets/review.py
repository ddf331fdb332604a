"""What becomes of questions when people review them, and of sets from version to version."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, UsageError, unknown
from surefoot.core.files import make_folder, replace_file
from surefoot.core.result import READER, Person, Result, Tell
from surefoot.core.types import Expects, Passage, Problem, Question, counted
from surefoot.corpus.corpus import load_corpus
from surefoot.datasets.hygiene import changed_questions, problem_of, successors
from surefoot.datasets.protocol import USUAL, WHOLE
from surefoot.datasets.question_file import Entry, QuestionFile
from surefoot.graders.features import deciding_sentence
from surefoot.io.questions import (
    ACCEPTED,
    NAMES,
    PROPOSED,
    REJECTED,
    UNREAD,
    Difference,
    difference,
    hashes_in,
    load_sound,
    lock_path,
    made_of,
    question_of,
    review_of,
    row_of,
    rows_of,
    since_locked,
    write_lock,
)

Decision = Literal["accepted", "rejected"]


def edited(
    question: Question, text: str, expects: Expects, gold_claims: tuple[str, ...] = (), gold_ids: tuple[str, ...] = ()
) -> Question:
    """As a reviewer leaves it."""
    changed = replace(question, text=text, expects=expects, gold_claims=gold_claims, gold_ids=gold_ids)
    if expects != question.expects:
        kind = USUAL[expects]
        changed = replace(changed, stratum=kind.stratum, probes=kind.probes, retrieval=kind.retrieval)
    return changed


def decided(question: Question, decision: Decision, by: str, edit: Question | None = None) -> Question:
    """How it was proposed stays in `made`, through any number of edits."""
    made = made_of(question)
    if edit is not None and edit != question:
        proposed = {
            "question": question.text, "expects": question.expects, "gold_claims": list(question.gold_claims),
            "gold_ids": list(question.gold_ids),
        }  # fmt: skip
        made = {"proposed": proposed, **made}
    return _reviewed(edit or question, decision, {**made, "reviewed": {"by": by, "at": _now()}})


def wordings_of(question: Question) -> Iterator[str]:
    """As it is worded now, and as it was made."""
    made = made_of(question)
    proposed = made.get("proposed")
    before = proposed.get("question") if isinstance(proposed, dict) else None
    yield from (str(text) for text in (question.text, made.get("template"), before) if text)


def usual_size(file: QuestionFile, tell: Tell) -> int:
    """130 questions, or, of a locked set, as many as it has."""
    kept = sum(review_of(one) != REJECTED for one in file.questions())
    if not kept or not lock_path(file.path).exists():
        return WHOLE
    tell(f"note: {file.path} is locked, so nothing is added; --size adds to its {counted(kept, 'question')}")
    return kept


def accepted_unread(question: Question) -> Question:
    return _reviewed(question, ACCEPTED, {**made_of(question), "accepted": f"{UNREAD}, {_now()[:10]}"})


def _reviewed(question: Question, review: str, made: dict[str, object]) -> Question:
    return replace(question, metadata={**question.metadata, "review": review, "made": made})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


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
    proposed: tuple[str, ...] = ()  # to be reviewed: their gold passages changed


class Reviewed(Result, frozen=True):
    """How many questions of the file are in each state of the review."""

    file: str
    proposed: int
    accepted: int
    rejected: int


_IDS = "name the ids as they stand in the set"


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


def clone_questions(
    file: str | Path, new: str | Path, *, change: Collection[str] = (), corpus: str | Path | None = None,
    person: Person = READER,
) -> Cloned:  # fmt: skip
    """Make a new version of a set: changed questions get new ids, untouched ones keep theirs.

    Changed are those in `change`, which are then to be edited, and those that differ from FILE.lock already. Questions
    whose gold the corpus no longer has are proposed anew, with the closest. NEW.lock is written too; it leaves open
    what is to be edited or reviewed.
    """
    target = Path(new)
    if target.exists():
        raise UsageError(f"{new} exists already", "choose another name: a version is never overwritten")
    found = load_sound(file)
    moved = {} if corpus is None else successors(found.questions, load_corpus(corpus, tell=person.tell))
    ids, locked = [question.id for question in found.questions], since_locked(file, found.questions)
    if strange := sorted({*change} - {*ids}):
        raise unknown(f"there is no question {strange[0]!r} to change", strange[0], ids, _IDS)
    renamed: dict[str, str] = {}
    for qid in sorted({*change, *moved, *(locked.changed if locked else ())}, key=ids.index):
        match = re.fullmatch(r"(.+)@v(\d{1,9})", qid)  # q7 -> q7@v2 -> q7@v3
        stem, number = (match[1], int(match[2])) if match else (qid, 1)
        versions = (f"{stem}@v{one}" for one in itertools.count(number + 1))
        renamed[qid] = next(one for one in versions if one not in {*ids, *renamed.values()})
    kept: dict[str, object] = {}  # the rows as they stand in the file, each question once
    for value in (row.value for row in rows_of(str(file)) if isinstance(row.value, dict)):
        question = question_of(value)
        if question.id in renamed:
            key = next(name for name in NAMES["id"] if value.get(name) is not None)
            if question.id in moved:
                value, key = row_of(_succeeding(question, moved[question.id])), NAMES["id"][0]
            value = {**value, key: renamed[question.id], "replaces": question.id}
        if review_of(question) != REJECTED:
            kept.setdefault(question.id, value)
    make_folder(target)
    replace_file(target, _encoded(target.suffix, [*kept.values()]))
    cloned = load_sound(new).questions
    to_edit = tuple(sorted(renamed[qid] for qid in set(change)))
    is_open = {*to_edit, *(question.id for question in cloned if review_of(question) == PROPOSED)}
    write_lock(lock_path(new), [question for question in cloned if question.id not in is_open])
    proposed = tuple(renamed[qid] for qid in moved)
    return Cloned(str(new), len(cloned), renamed, to_edit, found.rejected, proposed)


def _succeeding(question: Question, instead: Passage) -> Question:
    """With the closest passage for gold, and of that the closest sentences for claims."""
    claims = tuple(deciding_sentence(instead.text, claim) for claim in question.gold_claims)
    made = {
        **made_of(question),
        "why": f"Its gold passage changed: {', '.join(question.gold_ids)}",
        "evidence": [instead.id],
    }
    return _reviewed(replace(question, gold_ids=(instead.id,), gold_claims=claims), PROPOSED, made)


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
    ids = [question.id for question in questions.questions()]
    if strange := sorted({*accept, *reject} - {*ids}):
        raise unknown(f"there is no question {strange[0]!r} to review", strange[0], ids, _IDS)
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
