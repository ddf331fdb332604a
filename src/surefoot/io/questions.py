"""Question sets: JSON arrays, JSON lines or YAML, checked row by row."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.files import fault_in
from surefoot.core.result import Result
from surefoot.core.types import Expects, Problem, Question
from surefoot.io.rows import (
    FLAG,
    IDENTIFIER,
    IDENTIFIERS,
    OBJECT,
    TEXT,
    WORD,
    BadRow,
    Row,
    Values,
    converted,
    fields_of,
    one_of,
    quoted,
    read_rows,
    rows_in,
    shown,
)

# Where a question that was not written by a person stands; any other word in the field `review` is the user's own.
PROPOSED, ACCEPTED, REJECTED = "proposed", "accepted", "rejected"
NAMES = {"id": ("qid", "id", "question_id", "q_id"), "text": ("q", "question", "text", "query", "user_input")}
_KINDS = {
    "id": IDENTIFIER, "text": TEXT, "answerable": FLAG, "expects": one_of("answer", "refusal"),
    "gold_ids": IDENTIFIERS, "gold_claim": TEXT, "gold_claims": IDENTIFIERS, "stratum": WORD, "probes": WORD,
    "retrieval": one_of("normal", "null"), "metadata": OBJECT, "sentinel": FLAG,
}  # fmt: skip
_KNOWN = tuple(dict.fromkeys((*_KINDS, *NAMES["id"], *NAMES["text"])))
_MISSPELT = 0.85  # so alike a known field that it must be meant; other fields are the user's own
_BAD = "bad_question"
_NO_METADATA: dict[str, object] = {}  # shared by the many questions that have none


class QuestionSet(Struct):
    """The questions that could be read, the line each stands on, and what was wrong with the others."""

    source: str
    questions: list[Question]
    lines: Sequence[int]
    problems: list[Problem]
    rejected: int = 0  # by a reviewer; these are not among the questions

    @property
    def proposed(self) -> int:
        """How many nobody has accepted yet."""
        return sum(review_of(question) == PROPOSED for question in self.questions)

    def line_of(self, qid: str) -> int | None:
        found = (line for question, line in zip(self.questions, self.lines, strict=True) if question.id == qid)
        return next(found, None)


def load_sound(given: str | Path) -> QuestionSet:
    """Questions of a file of which every row can be used: what is asked, locked or cloned loses none on the way."""
    found = load(given)
    errors = [problem for problem in found.problems if problem.kind != "note"]
    if errors:
        more = f"`surefoot questions check {given}` lists all {len(errors)} errors"
        one = "correct the row" if errors[0].line else "put questions into it, one JSON object a line"
        raise UsageError(str(errors[0]), more if len(errors) > 1 else f"{one}; nothing was done")
    return found


def review_of(question: Question) -> object:
    return question.metadata.get("review")


def made_of(question: Question) -> dict[str, Any]:
    """How it came about, where it was not written by a person."""
    made = question.metadata.get("made")
    return made if isinstance(made, dict) else {}


def load(given: str | Path | Sequence[object]) -> QuestionSet:
    """Questions from a file, from `-`, or from Python dictionaries."""
    if isinstance(given, (str, Path)):
        source = str(given)
        if source != "-" and (not os.path.exists(given) or Path(given).is_dir()):  # noqa: PTH110 - never raises
            raise UsageError(f"the question set {shown(source)} is not a file", "pass the file with --questions")
        return _collect(source, rows_of(source))
    return _collect("questions", rows_in(Values("questions", list(given))))


def _collect(source: str, rows: Iterable[Row]) -> QuestionSet:
    problems: list[Problem] = []
    questions, lines, rejected = list[Question](), list[int](), 0
    for row, question in converted(rows, question_of, _BAD, problems):
        if review_of(question) == REJECTED:
            rejected += 1
            continue
        questions.append(question)
        lines.append(row.line)
    problems = [problem if problem.kind == "note" else replace(problem, kind=_BAD) for problem in problems]
    repeated = dict(_repeated(questions, lines, source))
    problems = sorted([*problems, *filter(None, repeated.values())], key=lambda problem: problem.line or 0)
    kept = [place for place in range(len(questions)) if place not in repeated]
    made = QuestionSet(source, [questions[at] for at in kept], [lines[at] for at in kept], problems, rejected)
    problems += _review_notes(made)
    return made


def _repeated(questions: Sequence[Question], lines: Sequence[int], source: str) -> Iterator[tuple[int, Problem | None]]:
    """The places of questions that do not count because their id is taken, with what is to be said of each."""
    by_id: dict[str, list[int]] = {}
    for place, question in enumerate(questions):
        by_id.setdefault(question.id, []).append(place)
    for qid, (first, *others) in by_id.items():
        message = f"the question id {qid!r} stands on line {lines[first]} already"
        differing = [place for place in others if questions[place] != questions[first]]
        if differing:
            yield first, None
        for place in others:
            is_other = place in differing
            words = f"{message} with other content; both are left out" if is_other else f"{message}, word for word"
            yield place, Problem("duplicate_question" if is_other else "note", words, source, lines[place])


def _review_notes(given: QuestionSet) -> Iterator[Problem]:
    notes = {
        "rejected and left out": given.rejected,
        "proposed and not reviewed yet: `surefoot questions review` shows them": given.proposed,
    }
    for words, count in notes.items():
        if count:
            what = "1 question is" if count == 1 else f"{count} questions are"
            yield Problem("note", f"{what} {words}", given.source)


def question_of(value: object) -> Question:
    """One question, or BadRow with the field and what is wrong with it."""
    given: dict[object, object] = value if isinstance(value, dict) else {}
    for key in given:
        if (meant := _meant_by(str(key))) and meant not in given:
            raise BadRow(f"unknown field {quoted(key)}: did you mean {meant!r}?")
    row = fields_of(value, "question", _KINDS, NAMES, required=("id", "text"))
    gold_ids, claim = _texts(row.get("gold_ids")), row.get("gold_claim")
    own = {str(key): item for key, item in (row.get("metadata") or {}).items()}
    rest = {str(key): item for key, item in row.items() if key not in _KINDS or key == "sentinel"}
    return Question(
        id=str(row["id"]), text=row["text"], expects=_expects(row, gold_ids), stratum=str(_given(row, "stratum")),
        probes=str(_given(row, "probes")), gold_ids=gold_ids,
        gold_claims=(*([claim] if claim else []), *_texts(row.get("gold_claims"))),
        retrieval=row.get("retrieval") or "normal", metadata={**own, **rest} or _NO_METADATA,
    )  # fmt: skip


@lru_cache(maxsize=1_000)
def _meant_by(key: str) -> str:
    """The known field that a misspelt one must be."""
    return "" if key in _KNOWN else next(iter(get_close_matches(key.lower(), _KNOWN, 1, _MISSPELT)), "")


def _expects(row: Mapping[str, Any], gold_ids: tuple[str, ...]) -> Expects:
    expects, answerable = row.get("expects"), row.get("answerable")
    if expects is None and answerable is None and not gold_ids:
        raise BadRow(f"question {row['id']!r} says neither answerable nor expects, and has no gold_ids")
    if expects is not None and answerable is not None and (expects == "answer") != answerable:
        raise BadRow(f"question {row['id']!r}: expects {expects!r} and answerable {answerable} disagree")
    return "refusal" if expects == "refusal" or answerable is False else "answer"


def row_of(question: Question) -> dict[str, Any]:
    """The row of a question in any file that we write."""
    named = {"stratum": question.stratum, "probes": question.probes}
    own = {
        "qid": question.id, "question": question.text, "answerable": question.answerable,
        **{name: word for name, word in named.items() if word}, "gold_ids": list(question.gold_ids),
        "gold_claims": list(question.gold_claims), "retrieval": question.retrieval,
    }  # fmt: skip
    return own | question.metadata | own


def _given(row: Mapping[str, Any], field: str) -> object:
    return "" if row.get(field) is None else row[field]


def _texts(values: Sequence[object] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(str, values or ())))


def rows_of(path: str) -> Iterator[Row]:
    """The rows of a file as they stand in it."""
    for row in _yaml_rows(path) if path.endswith((".yaml", ".yml")) else read_rows([path]):
        inside = row.value.get("questions") if isinstance(row.value, dict) else None
        yield from [row._replace(value=item) for item in inside] if isinstance(inside, list) else [row]


def _yaml_rows(path: str) -> Iterator[Row]:
    import yaml  # noqa: PLC0415 - seldom needed

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        root, value = yaml.compose(text, Loader=loader), yaml.load(text, Loader=loader)
        msgspec.json.encode(value, enc_hook=str)  # fails if something in it holds itself
    except Exception as error:  # noqa: BLE001 - besides its own, the library lets through whatever a tag's value causes
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        reason = getattr(error, "problem", None) or "not UTF-8 text or not YAML"
        yield Row(path, line, Problem("malformed", f"not valid YAML: {reason}", path, line))
        return
    if isinstance(value, dict) and isinstance(value.get("questions"), list):
        root = next((node for key, node in root.value if key.value == "questions"), None) if root else None
        value = value["questions"]
    if not isinstance(value, list):
        message = "is empty" if value is None else "holds no list of questions"
        yield Row(path, 1, Problem("malformed", message, path, 1))
        return
    nodes = root.value if root is not None and len(root.value) == len(value) else [None] * len(value)
    for node, item in zip(nodes, value, strict=True):
        yield Row(path, node.start_mark.line + 1 if node else 1, item)


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
    return hashlib.sha256(msgspec.json.encode(sorted(hashes_of(questions).items()))).hexdigest()[:32]


def difference(old: Hashes, new: Hashes) -> Difference:
    common = [qid for qid in new if qid in old]
    changed = tuple(qid for qid in common if old[qid] != new[qid])
    return Difference(
        added=tuple(qid for qid in new if qid not in old), removed=tuple(qid for qid in old if qid not in new),
        changed=changed, unchanged=len(common) - len(changed),
    )  # fmt: skip


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
        hint = "make a new one with `surefoot questions lock`"
        raise UsageError(f"the lock file {path} cannot be read: {fault_in(error, Lock)}", hint) from error


def hashes_in(path: Path) -> Hashes:
    """Of a lock file, or of a question set."""
    return read_lock(path) if path.suffix == ".lock" else hashes_of(load_sound(path).questions)


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
