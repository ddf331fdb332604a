"""Question sets: JSON arrays, JSON lines or YAML, checked row by row, and the index that traces are joined by."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from surefoot.errors import UsageError
from surefoot.io.rows import Row, read_rows, rows_in
from surefoot.io.sources import Values
from surefoot.text.normal import normalise
from surefoot.types import Expects, Problem, Question

_ID = ("qid", "id", "question_id", "q_id")
_TEXT = ("q", "question", "text", "query", "user_input")
_KNOWN = {*_ID, *_TEXT, "answerable", "expects", "gold_ids", "gold_claim", "gold_claims", "metadata"}
_PLAIN = ("stratum", "probes")
_NO_METADATA: dict[str, object] = {}  # shared by the many questions that have none


class QuestionSet(Struct):
    """The questions that could be read, the line each stands on, and what was wrong with the others."""

    source: str
    questions: list[Question]
    lines: dict[str, int]
    problems: list[Problem]


class BadQuestion(ValueError):
    """Why a row is no question."""


def load(given: str | Path | Sequence[object]) -> QuestionSet:
    """Questions from a file, from `-`, or from Python dictionaries."""
    if isinstance(given, (str, Path)):
        source = str(given)
        if source != "-" and (not os.path.exists(given) or Path(given).is_dir()):  # noqa: PTH110 - never raises
            raise UsageError(f"the question set {source} is not a file", "pass the file with --questions")
        rows = _yaml_rows(Path(given)) if source.endswith((".yaml", ".yml")) else _json_rows(source)
    else:
        source = "questions"
        return _collect(source, rows_in(Values(source, list(given))))
    return _collect(source, rows)


def _collect(source: str, rows: Iterable[Row]) -> QuestionSet:
    found: dict[str, tuple[Question, int]] = {}
    problems: list[Problem] = []
    spoiled: set[str] = set()
    for _, line, value, repairs in rows:
        if repairs:
            problems.append(Problem("note", repairs, source, line))
        if isinstance(value, Problem):
            kind = value.kind if value.kind == "note" else "bad_question"
            problems.append(Problem(kind, value.message, source, value.line))
            continue
        try:
            question = question_of(value)
        except BadQuestion as error:
            problems.append(Problem("bad_question", str(error), source, line))
            continue
        earlier = found.setdefault(question.id, (question, line))
        if earlier[1] != line or earlier[0] != question:
            same = earlier[0] == question
            spoiled |= set() if same else {question.id}
            message = f"the question id {question.id!r} stands on line {earlier[1]} already"
            message += ", word for word" if same else " with other content; both are left out"
            problems.append(Problem("note" if same else "duplicate_question", message, source, line))
    kept = {qid: pair for qid, pair in found.items() if qid not in spoiled}
    questions = [question for question, _ in kept.values()]
    return QuestionSet(source, questions, {qid: line for qid, (_, line) in kept.items()}, problems)


def question_of(value: object) -> Question:
    """One question, or BadQuestion with the field and what is wrong with it."""
    if not isinstance(value, dict):
        raise BadQuestion(f"a question must be an object, not {type(value).__name__}")
    row = {str(key): item for key, item in value.items()}
    identifier = _identifier(row)
    text = next((row[key] for key in _TEXT if row.get(key) is not None), None)
    if not isinstance(text, str) or not text.strip():
        raise BadQuestion(f"question {identifier!r} has no text: {' or '.join(_TEXT[:2])} must hold it")
    gold_ids = _strings(row.get("gold_ids"), identifier, "gold_ids")
    retrieval = row.get("retrieval", "normal")
    if retrieval not in ("normal", "null"):
        raise BadQuestion(f"question {identifier!r}: retrieval must be 'normal' or 'null', not {retrieval!r}")
    metadata = row.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise BadQuestion(f"question {identifier!r}: metadata must be an object")
    extra = {key: item for key, item in row.items() if key not in _KNOWN and key not in (*_PLAIN, "retrieval")}
    return Question(
        id=identifier,
        text=text,
        expects=_expects(row, identifier, gold_ids),
        stratum=_word(row, "stratum", identifier),
        probes=_word(row, "probes", identifier),
        gold_ids=gold_ids,
        gold_claims=_claims(row, identifier),
        retrieval="null" if retrieval == "null" else "normal",
        metadata={**{str(k): v for k, v in metadata.items()}, **extra} or _NO_METADATA,
    )


def _identifier(row: dict[str, object]) -> str:
    value = next((row[key] for key in _ID if row.get(key) is not None), None)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise BadQuestion("the question has no id: qid must be a text or a whole number")
    return value


def _expects(row: dict[str, object], identifier: str, gold_ids: tuple[str, ...]) -> Expects:
    said, answerable = row.get("expects"), row.get("answerable")
    if said is not None and said not in ("answer", "refusal"):
        raise BadQuestion(f"question {identifier!r}: expects must be 'answer' or 'refusal', not {said!r}")
    if answerable is not None and not isinstance(answerable, bool):
        raise BadQuestion(f"question {identifier!r}: answerable must be true or false, not {answerable!r}")
    if said is not None and answerable is not None and (said == "answer") != answerable:
        raise BadQuestion(f"question {identifier!r}: expects {said!r} and answerable {answerable} disagree")
    if said is None and answerable is None and not gold_ids:
        raise BadQuestion(f"question {identifier!r} says neither answerable nor expects, and has no gold_ids")
    return "refusal" if said == "refusal" or answerable is False else "answer"


def _claims(row: dict[str, object], identifier: str) -> tuple[str, ...]:
    single, several = row.get("gold_claim"), row.get("gold_claims")
    if single is not None and not isinstance(single, str):
        raise BadQuestion(f"question {identifier!r}: gold_claim must be a text")
    return (*((single,) if single else ()), *_strings(several, identifier, "gold_claims"))


def _strings(value: object, identifier: str, field: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise BadQuestion(f"question {identifier!r}: {field} must be a list, not {type(value).__name__}")
    texts = [str(item) if isinstance(item, int) and not isinstance(item, bool) else item for item in value]
    if not all(isinstance(item, str) and item for item in texts):
        raise BadQuestion(f"question {identifier!r}: {field} must hold texts only")
    return tuple(dict.fromkeys(texts))


def _word(row: dict[str, object], field: str, identifier: str) -> str:
    value = row.get(field)
    if value is not None and isinstance(value, (dict, list, bool)):
        raise BadQuestion(f"question {identifier!r}: {field} must be a text")
    return "" if value is None else str(value)


def _json_rows(path: str) -> Iterator[Row]:
    for row in read_rows([path]):
        inside = row.value.get("questions") if isinstance(row.value, dict) else None
        yield from [row._replace(value=item) for item in inside] if isinstance(inside, list) else [row]


def _yaml_rows(path: Path) -> Iterator[Row]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = path.read_text(encoding="utf-8-sig")
        root, value = yaml.compose(text, Loader=loader), yaml.load(text, Loader=loader)
    except Exception as error:  # noqa: BLE001 - besides its own, the library lets through whatever a tag's value causes
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        reason = getattr(error, "problem", None) or "not UTF-8 text or not YAML"
        yield Row(str(path), line, Problem("malformed", f"not valid YAML: {reason}", str(path), line))
        return
    if isinstance(value, dict) and isinstance(value.get("questions"), list):
        root = next((node for key, node in root.value if key.value == "questions"), None)
        value = value["questions"]
    if not isinstance(value, list):
        message = "is empty" if value is None else "holds no list of questions"
        yield Row(str(path), 1, Problem("malformed", message, str(path), 1))
        return
    nodes = root.value if root is not None and len(root.value) == len(value) else [None] * len(value)
    for node, item in zip(nodes, value, strict=True):
        yield Row(str(path), node.start_mark.line + 1 if node else 1, item)


class QuestionIndex:
    """Finds the question of a trace: by id, else by its text in normal form. Questions are known by place."""

    UNKNOWN, AMBIGUOUS = -1, -2

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = questions
        self._by_id = {question.id: place for place, question in enumerate(questions)}
        self._by_text = self._places(question.text for question in questions)
        self._by_normal_text: dict[str, int] | None = None  # made when a text is first met that differs from all

    def find(self, qid: str | None, text: str | None) -> int:
        """The place of a question, UNKNOWN or AMBIGUOUS."""
        if qid is not None:
            place = self._by_id.get(qid)
            if place is not None:
                return place
        return self.UNKNOWN if text is None else self.find_text(text)

    def find_text(self, text: str) -> int:
        place = self._by_text.get(text)
        if place is not None:
            return place
        if self._by_normal_text is None:
            self._by_normal_text = self._places(normalise(question.text) for question in self._questions)
        return self._by_normal_text.get(normalise(text), self.UNKNOWN)

    def _places(self, texts: Iterable[str]) -> dict[str, int]:
        places: dict[str, int] = {}
        for place, text in enumerate(texts):
            places[text] = self.AMBIGUOUS if text in places else place
        return places
