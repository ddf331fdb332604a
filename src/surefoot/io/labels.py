"""Verdicts and labels made elsewhere: rows of `{question_id, axis, value[, attempt, grader, reason, ...]}`.

A verdict whose value makes no sense is named, and stays as a verdict without a value: the answer is ungraded on that
axis rather than free of it. A row on an axis that the rubric does not have is named and left out.

Labels are such rows by people, in a table with a column for each axis as well, as people keep them in spreadsheets.
Which answer a row is on, it says by the answer's words, or by run and attempt. One that does not say how its answer was
drawn was picked by hand, as far as anybody knows. An empty cell says nothing; a row that cannot be used, or whose cells
may be in the wrong columns, is named with its line and never used. Nor is a verdict of a grader: read as a label, it
would prove the grader right.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core import rubric
from surefoot.core.errors import UsageError, nearest
from surefoot.core.records import (
    AI,
    BY_CHOICE,
    CANNOT_TELL,
    PEOPLE,
    SETTLED,
    UNNAMED,
    Drawn,
    Label,
    Value,
    agreed_words,
    bare_name,
    cannot_tell_because,
    is_ai,
    is_annotator,
    is_called_like_a_grader,
    is_settler,
    is_word,
    place_of,
    reason_of,
    why_passed_over,
)
from surefoot.core.rubric import Axis, Rubric, read_score
from surefoot.core.rubric import load as load_rubric
from surefoot.core.table import SAFETY
from surefoot.core.types import HARMLESS, Evidence, Problem, Verdict
from surefoot.io.rows import (
    COUNT,
    FLAG,
    IDENTIFIER,
    NUMBER,
    TEXT,
    WORD,
    BadRow,
    Row,
    converted,
    fields_of,
    kind_of,
    quoted,
    read_rows,
    usable,
)

_NAMES = {"question_id": ("question_id", "qid", "id")}
_VERDICT_TEXTS = ("grader", "via", "reason", "self_check")
_KINDS = {
    "question_id": IDENTIFIER, "axis": TEXT, "attempt": COUNT, "confidence": NUMBER, "unsure": FLAG,
    **dict.fromkeys(_VERDICT_TEXTS, TEXT),
}  # fmt: skip
_rubric = cache(rubric.load)


def load_verdicts(
    path: str | Path, problems: list[Problem] | None = None, by: rubric.Rubric | None = None
) -> list[Verdict]:
    """The verdicts of a file. What is wrong with it goes to `problems`, or is an error when nobody takes it."""
    log: list[Problem] = [] if problems is None else problems
    if str(path) != "-" and not Path(path).is_file():
        raise UsageError(f"there is no file {path}", "pass a file of verdicts, one JSON object per line")
    verdicts = _collect(converted(read_rows([path]), verdict_of, "bad_verdict", log), log, by)
    if problems is None:
        refuse_serious(log, path)
    return verdicts


def refuse_serious(problems: Sequence[Problem], path: str | Path) -> None:
    serious = [problem for problem in problems if problem.kind not in HARMLESS]
    if serious:
        raise UsageError(str(serious[0]), f"{len(serious)} row{'s' * (len(serious) > 1)} of {path} cannot be used")


def _collect(rows: Iterator[tuple[Row, Verdict]], problems: list[Problem], by: rubric.Rubric | None) -> list[Verdict]:
    """One verdict per question, attempt, axis and grader; two that contradict each other leave none."""
    found: dict[tuple[str, int, str, str], tuple[Verdict, int]] = {}
    contradicted = set()
    for (source, line, _, _), given in rows:
        verdict, fault = checked(given, by)
        if fault:
            problems.append(Problem("bad_verdict", fault, source, line))
        if verdict is None:
            continue
        key = (verdict.question_id, verdict.attempt, verdict.axis, verdict.grader)
        earlier, first_line = found.setdefault(key, (verdict, line))
        if key in contradicted or earlier is verdict or verdict.value is None:
            continue
        if earlier.value is None:
            found[key] = (verdict, line)
        elif verdict.value == earlier.value:
            fault = f"the {verdict.axis} verdict on question {quoted(verdict.question_id)} repeats line {first_line}"
            problems.append(Problem("note", fault, source, line))
        else:
            fault = f"question {quoted(verdict.question_id)} has {verdict.axis} {earlier.value!r} on line {first_line}"
            fault += f" and {verdict.value!r} on line {line}; neither is used"
            problems.append(Problem("duplicate_verdict", fault, source, line))
            found[key] = (replace(earlier, value=None, reason=fault), first_line)
            contradicted.add(key)
    return [verdict for verdict, _ in found.values()]


def verdict_of(value: object, noun: str = "verdict") -> Verdict:
    """One verdict, its value unchecked, or BadRow with what is wrong with the row."""
    row = fields_of(value, noun, _KINDS, _NAMES, required=("question_id", "axis"))
    if "value" not in row:
        raise BadRow(f"the {row['axis'][:60]} {noun} on question {quoted(row['question_id'])} has no value")
    try:
        evidence = msgspec.convert(row.get("evidence") or (), tuple[Evidence, ...])
    except msgspec.ValidationError as error:
        raise BadRow(f"question {quoted(row['question_id'])}: evidence cannot be read: {error}") from error
    return Verdict(
        question_id=str(row["question_id"]), axis=row["axis"], value=_whole(row["value"]),
        attempt=row.get("attempt") or 1, confidence=row.get("confidence"), evidence=evidence,
        unsure=row.get("unsure") or False, **{key: row.get(key) or "" for key in _VERDICT_TEXTS},
    )  # fmt: skip


def _whole(value: object) -> str | int | None:
    """Tables that hold gaps write 2 as 2.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value  # type: ignore[return-value]


def checked(verdict: Verdict, by: rubric.Rubric | None = None) -> tuple[Verdict | None, str]:
    """What of a verdict can be used, and what is wrong with it."""
    known = by or _rubric()
    if verdict.axis.startswith(rubric.AXIS_PREFIX):
        return _checked_score(verdict)
    if verdict.axis == SAFETY and verdict.value in ("safe", "unsafe", None):
        return verdict, ""
    axis = known.axis(verdict.axis)
    if axis is None:
        return None, _unknown_axis(verdict, known)
    if axis.is_dimension and (score := rubric.read_score(verdict.value)) is not None:
        return replace(verdict, value=score), ""
    if verdict.value is None or (type(verdict.value) in (str, int) and axis.accepts(verdict.value)):
        return verdict, ""
    given = quoted(verdict.value) if type(verdict.value) in (str, int) else kind_of(verdict.value)
    fault = f"question {quoted(verdict.question_id)}: {axis.name} must be {_values(axis)}, not {given}"
    owners = [other.name for other in known.axes if other.values and other.accepts(verdict.value)]
    if owners and isinstance(verdict.value, str):
        fault += f", which is a value of {owners[0]}"
    return replace(verdict, value=None, reason=fault), fault


def _checked_score(verdict: Verdict) -> tuple[Verdict, str]:
    """Of a council: a score, 0 for what is unsafe, or whether it is safe."""
    value = verdict.value
    if isinstance(value, str) and (score := rubric.read_score(value)) is not None:  # as tables hold it
        return replace(verdict, value=score), ""
    is_score = type(value) in (int, float) and 0 <= value <= rubric.HIGHEST  # type: ignore[operator]
    if value is None or is_score or value in ("safe", "unsafe"):
        return verdict, ""
    fault = f"question {quoted(verdict.question_id)}: {verdict.axis[:60]} must be a number from 0 to {rubric.HIGHEST}"
    return replace(verdict, value=None, reason=fault), fault


def _unknown_axis(verdict: Verdict, by: rubric.Rubric) -> str:
    names = [axis.name for axis in by.axes]
    hint = nearest(verdict.axis, names) or f"the axes are {', '.join(names)}"
    return f"question {quoted(verdict.question_id)}: there is no axis {quoted(verdict.axis)}; {hint}"


def _values(axis: rubric.Axis) -> str:
    if axis.is_dimension:
        return f"a number from {rubric.LOWEST} to {rubric.HIGHEST}"
    if not axis.values:
        return f"a whole number from {axis.least}"
    *first, last = map(str, axis.values)
    return f"{', '.join(first)} or {last}"


Place = tuple[str, int]  # a file, and a line of it
TICK = timedelta(microseconds=1)
_WORDS = "answer:"


class Known(NamedTuple):
    """An answer that labels may be on."""

    key: str
    question_id: str
    attempt: int = 1
    answer: str = ""
    run: str = ""
    rubric_sha256: str = ""
    subject: str = ""


def bound(
    labels: Iterable[Label], answers: Iterable[Known], problems: list[Problem], *,
    places: Mapping[str, Place] | None = None,
) -> list[Label]:  # fmt: skip
    """Return the labels as labels on these answers.

    One that is on none of them, or on several that differ in their passages, is named and left out; with its place, if
    that is known by its id.
    """
    by, asked = defaultdict[object, dict[str, Known]](dict), set[str]()
    for one in answers:
        asked.add(one.question_id)
        place = one.question_id, one.attempt
        for name in (one.key, place, (one.run, *place), (one.question_id, _by_words(one.answer))):
            by[name].setdefault(one.key, one)
    found = []
    for label in labels:
        place = label.question_id, label.attempt
        here = by.get((label.run, *place) if label.run else place, {})
        if label.version.startswith(_WORDS):
            matching = by.get((label.question_id, label.version), {})
            if label.run:
                matching = {key: one for key, one in matching.items() if key in here}
        else:
            matching = by.get(label.version, {}) if label.version else here
        if len(matching) == 1:
            (one,) = matching.values()
            found.append(sealed(replace(
                label, version=one.key, run=one.run, rubric_sha256=one.rubric_sha256, question_id=one.question_id,
                attempt=one.attempt, subject=one.subject,
            )))  # fmt: skip
            continue
        several = f"was left out: it fits {len(matching)} answers (name one by answer, or by run and attempt)"
        no_such = "gave this answer" if label.question_id in asked else f"has a question {quoted(label.question_id)}"
        why = several if matching else f"was left out: no run {no_such}"
        source, line = (places or {}).get(label.id, ("", None))
        problems.append(Problem("unknown_question", f"{called(label)} {why}", source, line))
    return found


def _by_words(answer: str) -> str:
    """What stands for the answer's key until it is known, where a row has the answer's words."""
    return _WORDS + hashlib.sha256(" ".join(answer.casefold().split()).encode("utf-8", "replace")).hexdigest()


def not_yet_in(known: Iterable[Label], labels: Iterable[Label], now: str) -> list[Label]:
    """The labels that are new, so that a file may be read in again; those without a time count from `now`.

    New is what differs from the last label of the person, is later, or is on an answer that was picked by hand. Where
    a row does not say how its answer was drawn, the earlier statement stands; without one, it was picked.
    """
    rows = sorted(known, key=lambda row: (row.at, row.id))
    ids, newest = {row.id for row in rows}, {place_of(row): row for row in rows}
    picked = {place_of(row) for row in rows if row.drawn in BY_CHOICE}
    fresh = []
    for label in sorted(labels, key=lambda label: (not label.at, label.at)):  # those without a time come last
        place = place_of(label)
        before = newest.get(place)
        if not label.drawn:  # a word of its own, whatever was said in looks before
            if ids & {sealed(replace(label, drawn=drawn)).id for drawn in _DRAWN}:
                continue
            kept = before.drawn if before and before.drawn in ("sample", "flagged") else "chosen"
            label = sealed(replace(label, drawn=kept))
        is_pick = label.drawn in BY_CHOICE and place not in picked
        if label.id in ids or not (is_pick or _is_new(label, before)):
            continue
        fresh.append(_dated(label, before, datetime.fromisoformat(now)))
        newest[place] = max(before or fresh[-1], fresh[-1], key=lambda row: (row.at, row.id))
        picked |= {place} if is_pick else set()
    return fresh


def _is_new(label: Label, before: Label | None) -> bool:
    if before is None:
        # Without a time, there is nothing to take back.
        return bool(label.at) or label.value is not None or why_passed_over(label) is not None
    # A file without notes says nothing about them.
    other_note = bool(label.note) and label.note.strip() != before.note.strip()
    return label.value != before.value or other_note or label.at > before.at


def _dated(label: Label, before: Label | None, now: datetime) -> Label:
    """At its own time if it has one, but for the correction of a label of that very time; else so that it counts."""
    if label.at and (before is None or label.at != before.at):
        return label
    if (at := time_after(before.at if before else "", now)) is None:
        message = f"{called(label)} cannot be changed: it has the time {quoted(before and before.at)}"
        raise UsageError(message, "no time is later; nothing was imported: give the label under another name")
    return sealed(replace(label, at=at))


def called(label: Label) -> str:
    attempt = f" (attempt {label.attempt})" if label.attempt > 1 else ""
    return f"{label.annotator}'s {label.axis} label on question {quoted(label.question_id)}{attempt}"


def sealed(label: Label) -> Label:
    """The label with the hash of all it says as its id."""
    said = {name: value for name, value in msgspec.to_builtins(label).items() if name != "subject"}
    content = msgspec.json.encode({**said, "id": ""}, order="deterministic")
    return replace(label, id=hashlib.sha256(content).hexdigest())


def time_after(newest: str, now: datetime) -> str | None:
    """When a label must be dated so that it counts: now, or just after the newest of the person where that is ahead.

    Times are put in order as texts. None where no time is later.
    """
    times = [now.isoformat(timespec="microseconds")]
    try:
        ahead = datetime.fromisoformat(newest).replace(tzinfo=UTC)  # as it is written, since texts are compared
        times += [(ahead + step).isoformat(timespec="microseconds") for step in (TICK, timedelta(seconds=1))]
    except (ValueError, OverflowError):
        pass  # a time that is none
    return next((at for at in times if at > newest), None)


UNDO = "~undo"
_ROW = re.compile(rf"([0-9a-f]{{32}}(?:{UNDO})?):[0-9]+(\.[0-9]+)?:.*", re.DOTALL)  # id of a row: sending, place, axis


class Said(Struct, frozen=True):
    """What one annotator says of one answer."""

    who: str
    values: dict[str, Value]  # by axis
    note: str


class Dispute(Struct, frozen=True):
    """An answer on which annotators differ."""

    key: str
    axes: frozenset[str]
    said: tuple[Said, ...]
    settled: tuple[Said, ...]
    is_open: bool


class Past:
    """What a person has sent, in order, and their newest rows."""

    def __init__(self, rows: Iterable[Label], who: str) -> None:
        self.rows = [row for row in rows if row.annotator == who]
        self.newest = {(row.version, row.axis): row for row in self.rows}
        self.sent: defaultdict[str, list[Label]] = defaultdict(list)
        self._keys: defaultdict[str, set[str]] = defaultdict(set)
        for row in self.rows:
            if match := _ROW.fullmatch(row.id):
                self.sent[match[1]].append(row)
                self._keys[match[1]] |= set() if match[2] else {row.version}
        self.kept = [name for name in self.sent if UNDO not in name and name + UNDO not in self.sent]

    def keys(self, sending: str) -> tuple[str, ...]:
        """The answers that were looked at, without those that were grouped with them."""
        return tuple(sorted(self._keys[sending]))

    def looks_since(self, key: str) -> int:
        """How often the person looked at something else since."""
        last = (n for n, name in enumerate(reversed(self.kept)) if any(row.version == key for row in self.sent[name]))
        return next(last, 0)

    def said(self, key: str) -> Said:
        found = [row for (version, _), row in self.newest.items() if version == key and is_word(row)]
        values: dict[str, Value] = {row.axis: CANNOT_TELL if row.value is None else row.value for row in found}
        return Said(found[0].annotator if found else "", values, next(filter(None, map(reason_of, found)), ""))

    def taking_back(self, sending: str) -> Iterator[Label]:
        """Rows with the values of before; none where it was taken back already."""
        for row in self.sent[sending] if sending + UNDO not in self.sent else ():
            before = [one for one in self.rows if (one.version, one.axis) == (row.version, row.axis)]
            old = before[before.index(row) - 1] if before.index(row) and row.drawn != "again" else None
            value, note = (old.value, old.note) if old else (None, "")  # votes before a second look stand
            yield replace(row, id=row.id.replace(sending, sending + UNDO, 1), at="", value=value, note=note)


def dated(rows: Iterable[Label], known: Iterable[Label], who: str) -> Iterator[Label]:
    """New rows, at a time at which they count: the project may hold times that no clock of ours has shown yet."""
    newest = max((row.at for row in known if row.annotator == who), default="")
    if (at := time_after(newest, datetime.now(UTC))) is None:
        message = f"an earlier label of yours has the time {newest[:40]!r}, and no other can be later"
        raise UsageError(message, "it came with a file; label this answer under another name")
    return (replace(row, at=at) for row in rows)


def disputes(rows: Sequence[Label]) -> list[Dispute]:
    """The answers that annotators call differently, those that somebody has settled last."""
    people = agreed_words(row for row in rows if not is_settler(row.annotator))
    disputed: dict[str, list[Label]] = {key: [] for (key, _), word in people.items() if word.disputed}
    for row in rows:
        if row.version in disputed:
            disputed[row.version].append(row)
    found = []
    for key, some in disputed.items():
        words = agreed_words(some)
        axes = frozenset(axis for _, axis in words if (key, axis) in people and people[key, axis].disputed)
        said = [Past(some, name).said(key) for name in sorted({row.annotator for row in some})]
        settled = tuple(one for one in said if is_settler(one.who))
        others = tuple(one for one in said if one.values and one not in settled)
        found.append(Dispute(key, axes, others, settled, any(words[key, axis].disputed for axis in axes)))
    return sorted(found, key=lambda one: not one.is_open)


WHO = ("annotator", "grader")
LONGEST_NAME = 200
# Other ways to call a grader than those nobody has by accident: rules, llm:MODEL, anthropic:MODEL, somebodys@2, and
# chains of them; and models by the usual names, like gpt-4o, which catches a slip and proves nothing. A person may be
# called so; human/NAME says it, as ai/NAME says that it is an AI and no grader of ours. ann@example.org is a person,
# and so is Claude.
_OF_A_GRADER = re.compile(
    r"(rules|local|council|cascade|recorded|llm)([@:+<].*)?|(anthropic|openai)[:/].*|.*@\d+([:+<].*)?"
    r"|(chat)?gpt[-_ ]?(\d.*|oss.*)?"
    r"|(claude|gemini|gemma|llama|mistral|mixtral|qwen|deepseek|grok)[-_ .:]?(v?\d|[a-z]+-\d).*"
    r"|(gemini|gemma|llama|mistral|mixtral|qwen|deepseek|grok|phi|command|model|llm|ai)[-_:/].+|ai|o\d(-.+)?",
    re.IGNORECASE | re.DOTALL,
)
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
_NOTES = ("note", "reason")
_TEXTS = ("at", "drawn", "version", "run", "answer", *WHO, *_NOTES)
_OF_VERDICTS_ALONE = frozenset({"via", "confidence", "evidence", "unsure", "self_check"})
_UNCERTAIN = ("breaks off before", "broken UTF-8", "not valid CSV")
_FIELDS = frozenset(
    {"rubric_sha256", "subject", "question_id", "qid", "id", "axis", "value", "attempt", *_TEXTS, *_OF_VERDICTS_ALONE}
)
_AHEAD = timedelta(days=1)  # as far as clocks may differ: the newest label counts, and a later one must be possible
_DRAWN = get_args(Drawn)
_BY_A_GRADER = "by_a_grader"


def load_labels(
    path: str | Path, problems: list[Problem] | None = None, *, rubric: Rubric | None = None,
    graders: Collection[str] = (), places: dict[str, Place] | None = None,
) -> list[Label]:  # fmt: skip
    """The labels of a file, as they stand there. `at` is "" where it says no time.

    `graders` are those that the labels will be held against: their own verdicts are no labels, nor are those of any
    other grader. What is wrong with a file goes to `problems`, or is an error when nobody takes it.
    Where each label stands goes to `places`, by its id.
    """
    where, log = Path(path), list[Problem]() if problems is None else problems
    if str(path) != "-" and not where.is_file():
        raise UsageError(f"there is no file {path}", "pass labels as CSV with a header, or one JSON object per line")
    by = rubric or load_rubric()
    known = len(log)
    parts = _parts(str(path), usable(read_rows([path]), log), by, log)
    found = converted(parts, lambda value: _label(value, by, graders), "bad_label", log)
    numbered = _without_contradictions(str(path), found, log)
    labels = [label for _, label in numbered]
    if twice := next((one for one in log[known:] if one.message.startswith("two columns are called")), None):
        raise UsageError(f"{path}: {twice.message.partition(':')[0]}", "let each column have its own name")
    if places is not None:
        places.update({label.id: (str(path), line) for line, label in numbered})
    # What a log can bear would make a label somebody else's, or another one.
    log[known:] = [replace(one, kind="bad_label") if one.message.startswith(_UNCERTAIN) else one for one in log[known:]]
    serious = [problem for problem in log[known:] if problem.kind not in HARMLESS]
    if not labels and serious and all(problem.kind == _BY_A_GRADER for problem in serious):
        hint = "pass labels by people, annotator NAME or human/NAME; those of an AI that is no grader are by ai/NAME"
        raise UsageError(f"{path} has no label by a person: {serious[0].message}", hint)
    if unnamed := sum(label.annotator == UNNAMED for label in labels):
        message = f"labels that do not say who gave them ({unnamed}) count as by one annotator, {UNNAMED!r}"
        log.append(Problem("note", message, str(path)))
    if not labels and not serious:
        log.append(Problem("no_labels", "there is no label in it", str(path)))
    if problems is None:
        refuse_serious(log, path)
    return labels


def _one_per_axis(row: object, rubric: Rubric) -> Iterator[object]:
    """A row of a wide table, taken apart; any other as it is."""
    if not isinstance(row, dict) or "axis" in row:
        yield from [row] if not isinstance(row, dict) or "value" in row else []
        return
    axes = [axis.name for axis in rubric.axes if axis.name in row]
    if not axes and "value" in row:
        yield row  # which axis is meant is asked where the row is read
    rest = {name: value for name, value in row.items() if name not in axes}
    yield from ({**rest, "axis": name, "value": row[name]} for name in axes if row[name] is not None)


def _parts(source: str, rows: Iterable[Row], rubric: Rubric, problems: list[Problem]) -> Iterator[Row]:
    empty, unused, known = 0, dict[str, None](), _FIELDS | {axis.name for axis in rubric.axes}
    for row in rows:
        given = row.value
        if isinstance(given, dict):  # by the names of fields as people write them above columns
            given = {" ".join(str(key).split()).lower().replace(" ", "_"): cell for key, cell in given.items()}
            given = {key: cell.strip() if isinstance(cell, str) else cell for key, cell in given.items()}
            unused |= dict.fromkeys(key for key in given if key not in known)
            if len(given) < len(row.value):  # type: ignore[arg-type]
                problems.append(Problem("bad_label", "two columns have the same name", source, row.line))
                continue
        parts = list(_one_per_axis(given, rubric))
        empty += not parts
        yield from (row._replace(value=part, repairs="") for part in parts)
    if unused:
        listed = ", ".join(" - ".join(filter(None, (quoted(one), nearest(one, known)))) for one in list(unused)[:12])
        problems.append(Problem("note", f"fields that are no part of a label are not read: {listed}", source))
    if empty:
        problems.append(Problem("note", f"rows without a label ({empty}) are left out", source))


def _refuse_verdict(row: Row) -> None:
    """Only graders write `via`, and evidence with quotes. One such row shows whose file it is."""
    given = row.value if isinstance(row.value, dict) else {}
    if any(is_annotator(str(given.get(key))) for key in WHO):
        return
    evidence = given.get("evidence")
    quotes = isinstance(evidence, list) and any(isinstance(one, dict) for one in evidence)
    if mark := "via" if given.get("via") else "evidence" if quotes else "":
        fault = f"this row has {mark}, which graders write: it is a verdict, and no label by a person"
        raise UsageError(f"{row.source}:{row.line}: {fault}", f"if a person gave it, let it say {PEOPLE}NAME")


def _label(row: object, rubric: Rubric, graders: Collection[str]) -> Label:
    """One label, or why the row is none."""
    given = fields_of(row, "label", dict.fromkeys(_TEXTS, WORD))
    texts = {key: "" if given.get(key) is None else str(given[key]).strip() for key in _TEXTS}
    name = annotator_of(texts, graders)
    rest = {key: value for key, value in given.items() if key not in (*_TEXTS, *_OF_VERDICTS_ALONE)}
    unsure = " ".join(str(given.get("value")).casefold().split()) == CANNOT_TELL
    verdict, fault = checked(
        verdict_of({**rest, **({"value": None} if unsure else _typed(given, rubric))}, "label"), rubric
    )
    if verdict is None or fault:
        raise BadRow(fault)
    drawn = texts["drawn"]
    if drawn not in ("", *_DRAWN):
        raise BadRow(f"question {quoted(verdict.question_id)}: drawn must be one of {', '.join(_DRAWN)}")
    note = texts["note"] or texts["reason"]
    label = Label(
        id="", at=_time(texts["at"]), annotator=name, question_id=verdict.question_id, attempt=verdict.attempt,
        axis=verdict.axis, value=verdict.value, note=cannot_tell_because(note) if unsure else note,
        version=texts["version"] or (_by_words(texts["answer"]) if texts["answer"] else ""), run=texts["run"],
        drawn=drawn,  # type: ignore[arg-type]
    )  # fmt: skip
    return sealed(label)


def _typed(row: dict[str, object], rubric: Rubric) -> dict[str, object]:
    """What a table can only write as text: numbers, and values in another case."""
    axis = rubric.axis(str(row.get("axis")))
    found = {"value": _value(axis, row["value"])} if axis is not None and "value" in row else {}
    attempt = row.get("attempt")
    return {**found, "attempt": int(attempt)} if isinstance(attempt, str) and attempt.isdecimal() else found


def _value(axis: Axis, given: object) -> object:
    if axis.is_dimension:
        score = read_score(given)
        return given if score is None else score
    if not isinstance(given, str):
        return given
    text = given.strip().casefold()
    whole = text.removesuffix(".0")
    if not axis.values:
        return int(whole) if whole.isdecimal() and len(whole) < 10 else given
    return next((value for value in axis.values if str(value).casefold() in (text, whole)), given)


def _time(at: str) -> str:
    """A time in UTC. Times are put in order as texts, so all are written in one way."""
    if not at:
        return ""
    try:
        given = datetime.fromisoformat(at)
        time = given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadRow(f"at must be a date and time, not {quoted(at)}") from error
    if time - datetime.now(UTC) > _AHEAD:
        raise BadRow(f"at is in the future: {quoted(at)}")
    return time.isoformat(timespec="microseconds")


def _without_contradictions(
    source: str, rows: Iterable[tuple[Row, Label]], problems: list[Problem]
) -> list[tuple[int, Label]]:
    """Two different labels by one person at one time leave none; with times, the later one is a change of mind."""
    found: dict[object, tuple[int, Label]] = {}
    against: set[object] = set()
    for row, label in rows:
        _refuse_verdict(row)
        key = (place_of(label), label.at)
        first_line, first = found.setdefault(key, (row.line, label))
        if first is label:
            continue
        if first.value == label.value:
            if not first.drawn or label.drawn in BY_CHOICE:
                found[key] = (first_line, label)
            problems.append(Problem("note", f"{called(label)} repeats line {first_line}", source, row.line))
        else:
            against.add(key)
            fault = f"{called(label)} is {first.value!r} on line {first_line} and {label.value!r} on line {row.line}"
            problems.append(Problem("contradicting_label", f"{fault}; neither is used", source, row.line))
    return [numbered for key, numbered in found.items() if key not in against]


def is_grader(name: str, graders: Collection[str]) -> bool:
    """Whether a name is one of `graders`, in whatever case."""
    return name.strip().casefold() in {grader.strip().casefold() for grader in graders if grader.strip()}


def names_a_grader(given: str, graders: Collection[str] = ()) -> bool:
    """Whether this is how a grader is called.

    A plain name will do for a person; `human/NAME` is one whatever the name looks like, unless it is one of `graders`:
    those whose verdicts the labels are to be held against. No `ai/` makes an annotator of a grader of ours.
    """
    name = _unified(given)
    if is_grader(bare_name(name), graders):
        return True
    if is_ai(name):
        return is_called_like_a_grader(bare_name(name))
    return not name.startswith(PEOPLE) and (is_called_like_a_grader(name) or _OF_A_GRADER.fullmatch(name) is not None)


def _unified(given: str) -> str:
    name = given.strip()
    return AI + name[len(AI) :].strip() if name.casefold().startswith(AI) else name


class NotByAPerson(BadRow):
    """A verdict of a grader, where a label is asked for."""

    kind = _BY_A_GRADER


def annotator_of(row: Mapping[str, str], graders: Collection[str]) -> str:
    """`annotator` goes before `grader`, yet no name beside it makes a grader's verdict a label."""
    given = [row[key] for key in WHO if row.get(key)] or [UNNAMED]
    for one in given:
        if names_a_grader(one, graders):
            raise NotByAPerson(f"this is a verdict by {quoted(one)}, a grader, and no label by a person")
    name = _unified(given[0].removeprefix(PEOPLE)) or UNNAMED
    if name in (AI, SETTLED):
        raise BadRow(f"the annotator {quoted(name)} has no name behind {name}")
    if len(name) > LONGEST_NAME:
        raise BadRow(f"the annotator {quoted(name)} has a name of over {LONGEST_NAME} characters")
    if any(unicodedata.category(character) in _UNPRINTABLE for character in name):
        raise BadRow(f"the annotator {quoted(name)} has a name that cannot be printed")
    return name
