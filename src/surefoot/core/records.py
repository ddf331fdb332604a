"""Rows that a project keeps: labels, decisions, purges. They are added, never changed.

A label is a verdict by an annotator: a person, or an AI that says so (`ai/NAME`). It belongs to the key of what was
said, so it follows an answer that another run gives again, and never sticks to one that has changed.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.types import Verdict, without_surrogates

UNNAMED = "unnamed"  # who gave a label that does not say by whom it is
_NOBODY = "unnamed annotators"
_MOST_NAMED = 5  # of each kind
PEOPLE, AI = "human/", "ai/"  # before the name of whoever gave a label, where it stands beside names of graders
SETTLED = "settled/"  # before the name of whoever settled a disagreement, which outweighs other labels
_GRADER = re.compile(r"(?:rules|local|council|cascade|recorded)@\d.*|.*\+[0-9a-f]{8,}", re.IGNORECASE | re.DOTALL)


def signed(annotator: str) -> str:
    """The name as it stands beside names of graders."""
    return annotator if is_ai(annotator) else f"{PEOPLE}{annotator}"


def is_annotator(grader: str) -> bool:
    """Whether a verdict is a label: `human/` or `ai/` and a name. Without the name it is nobody's."""
    return grader.startswith((PEOPLE, AI)) and bool(bare_name(grader))


def is_person(grader: str) -> bool:
    return grader.startswith(PEOPLE) and bool(bare_name(grader))


def is_ai(annotator: str) -> bool:
    return annotator.startswith(AI)


def bare_name(name: str) -> str:
    return name.removeprefix(PEOPLE).removeprefix(AI).strip()


def whose(annotators: Iterable[str]) -> str:
    """Who gave some labels, in the words of every report: people, unnamed annotators, AI annotators."""
    return _joined(list(_by_kind(annotators)))


def whose_by_name(annotators: Iterable[str]) -> str:
    """The same with their names: `AI annotators (a, b)`, or `people (ann) and AI annotators (a, b)`."""
    groups = _by_kind(annotators)
    return _joined([kind if kind == _NOBODY else f"{kind} ({_listed(names)})" for kind, names in groups.items()])


def _by_kind(annotators: Iterable[str]) -> dict[str, list[str]]:
    """In the order of the words. Who says no name may be a person or not."""
    found: dict[str, list[str]] = {"people": [], _NOBODY: [], "AI annotators": []}
    for name in sorted(set(annotators)):
        unnamed = bare_name(name) in ("", UNNAMED)
        found[_NOBODY if unnamed else "AI annotators" if is_ai(name) else "people"].append(name)
    return {kind: names for kind, names in found.items() if names} or {_NOBODY: []}


def _joined(kinds: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))


def _listed(annotators: list[str]) -> str:
    more = len(annotators) - _MOST_NAMED
    shown = ", ".join(called(name) for name in sorted(annotators, key=is_settler)[:_MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown


def is_settler(annotator: str) -> bool:
    """Whether a label settles what annotators disagree on."""
    return bare_name(annotator).startswith(SETTLED)


def called(annotator: str) -> str:
    """The name of an annotator as reports write it."""
    name = bare_name(annotator)
    return f"settled by {name.removeprefix(SETTLED)}" if is_settler(name) else name


def is_called_like_a_grader(name: str) -> bool:
    """Whether this is a name that our graders have and no person has by accident."""
    return _GRADER.fullmatch(name) is not None


NAME, VARIABLE = "surefoot.db", "SUREFOOT_DB"  # the database of a project, and what may name another
WITHOUT = "without"  # of a decision: runs that were left out, with the reason
CHANGE, BASELINE = "change", "baseline"  # modes of a step: a decision, or a move of the baseline
MORE_RULES = "more rules"  # of a decision: what the command line added to those of the gate file
# Why an answer was put before a person: as one of a pair that differs, the same once more and blind, because the grader
# flagged it, by chance, or somebody picked it.
Drawn = Literal["look", "again", "flagged", "sample", "chosen"]
# They are no sample of a run, and speak for themselves alone.
BY_CHOICE: frozenset[str] = frozenset({"look", "again", "chosen"})
Value = str | int | float | None
PassedOver = Literal["skipped", "cannot tell"]  # how the note begins where somebody saw an answer and gave no label
SKIPPED: Final = "skipped"
CANNOT_TELL: Final = "cannot tell"
BAD = ("wrong", "unsupported")
MOST_LOOKS = 3  # at one answer


class Label(Struct, frozen=True, kw_only=True):
    """One axis of one answer, by one annotator, at one time.

    `value` None takes an earlier label back; with the note SKIPPED or CANNOT_TELL (": " and a reason may follow) it
    says why there is none.
    """

    id: str  # made by whoever sends it, so that what is sent twice is one label
    at: str  # ISO 8601, UTC
    annotator: str
    question_id: str
    attempt: int = 1
    axis: str
    value: Value
    note: str = ""
    version: str = ""  # the key of what was said; "" where a file did not say
    rubric_sha256: str = ""
    run: str = ""
    drawn: Drawn | Literal[""] = "sample"  # "" where a file did not say, which counts as chosen
    subject: str = ""  # whose data the answer is, where its trace says so


class Interval(Struct, frozen=True):
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


class Step(Struct, frozen=True, kw_only=True):
    """One decision of the gate, or a move of the baseline (`mode`), with the rows it was made from."""

    id: str
    at: str
    mode: str
    reference: str  # the version that is frozen
    release: str  # the version that wants to ship
    code: str = ""  # of the release: a block is final for it, whatever the version is called
    base_runs: tuple[str, ...]  # ids of all runs that were counted, the one that was named last
    cand_runs: tuple[str, ...]
    grader: str = ""
    questions_sha256: str = ""
    outcome: str
    exit_code: int
    waived: dict[str, str] = {}
    uncalibrated: bool = False
    overridden: dict[str, str | tuple[str, ...]] = {}  # what the command line put in place of the gate file's
    rules: tuple[str, ...] = ()  # what it was decided by
    document: dict[str, object] = {}  # the whole comparison as `--json` prints it, but for the answers
    pinned: tuple[str, ...] = ()  # ids of the verdicts and labels that were there

    @property
    def base_run(self) -> str:
        return self.base_runs[-1]

    @property
    def cand_run(self) -> str:
        return self.cand_runs[-1]


class Purge(Struct, frozen=True, kw_only=True):
    """That rows were erased: when, by whom, and how many of each kind; never what they said."""

    id: str
    at: str
    by: str
    before: str = ""  # everything older than this time
    subject_sha256: str = ""  # or everything about one person
    rows: dict[str, int]


def attempts_in(given: Iterable[int], repeats: int, uneven: bool) -> Sequence[int]:
    """The attempts at a question that count: all, or where questions were asked unequally often, those given."""
    every = range(1, repeats + 1)
    return sorted(attempt for attempt in given if attempt in every) if uneven else every


def corpus_of(corpus_sha256: str | None, questions_sha256: str) -> str:
    """What a calibration is about: the corpus, or the questions where nobody knows the corpus."""
    return corpus_sha256 or (f"questions:{questions_sha256}" if questions_sha256 else "")


def as_verdict(label: Label) -> Verdict:
    """A label beside verdicts; `via` says if its answer was not drawn by chance."""
    value = int(label.value) if isinstance(label.value, float) and label.value.is_integer() else label.value
    return Verdict(
        question_id=label.question_id, axis=label.axis, value=value, grader=signed(label.annotator),
        attempt=label.attempt, via=label.drawn if label.drawn in BY_CHOICE else "", reason=label.note,
    )  # fmt: skip


def as_label(verdict: Verdict) -> Label:
    """What an annotator says in a file of verdicts."""
    who = verdict.grader.removeprefix(PEOPLE)
    return Label(
        id=f"{who}/{verdict.question_id}/{verdict.attempt}/{verdict.axis}", at="", annotator=who,
        question_id=verdict.question_id, attempt=verdict.attempt, axis=verdict.axis, value=verdict.value,
        note=verdict.reason, drawn="chosen" if verdict.via in BY_CHOICE else "sample",
    )  # fmt: skip


def place_of(label: Label) -> Hashable:
    """A person, an axis and an answer: of the labels with one place the newest counts."""
    return label.annotator, label.axis, label.version or (label.run, label.question_id, label.attempt)


def current(labels: Iterable[Label]) -> list[Label]:
    """The newest label of each person on each axis of each answer, without those taken back."""
    return [label for label in _newest(labels) if label.value is not None]


def passed_over(labels: Iterable[Label]) -> list[Label]:
    """The newest rows by which people say that they skipped an answer, or that they cannot tell."""
    return [label for label in _newest(labels) if why_passed_over(label)]


def why_passed_over(label: Label) -> PassedOver | None:
    """Why whoever saw the answer gave no label; None where they gave one, or took it back."""
    if label.value is not None:
        return None
    if label.note == SKIPPED:
        return SKIPPED
    return CANNOT_TELL if label.note == CANNOT_TELL or label.note.startswith(f"{CANNOT_TELL}: ") else None


def cannot_tell_because(reason: str) -> str:
    """The note of a row that says so."""
    return f"{CANNOT_TELL}: {reason}" if reason else CANNOT_TELL


def reason_of(label: Label) -> str:
    """What whoever labelled an answer wrote beside it."""
    return label.note.removeprefix(CANNOT_TELL).removeprefix(": ") if why_passed_over(label) else label.note


def is_word(label: Label) -> bool:
    """Whether it says something, be it that nobody can tell."""
    return label.value is not None or why_passed_over(label) == CANNOT_TELL


def _newest(labels: Iterable[Label]) -> list[Label]:
    """What a person has once picked by hand stays picked, whatever they said of it before or after."""
    newest: dict[Hashable, Label] = {}
    picked: dict[Hashable, Drawn] = {}
    for label in sorted(labels, key=lambda label: (label.at, label.id)):
        place = place_of(label)
        newest[place] = label
        if label.drawn in BY_CHOICE or not label.drawn:
            picked[place] = label.drawn or "chosen"
    return [replace(one, drawn=picked[place]) if place in picked else one for place, one in newest.items()]


class Agreed(Struct, frozen=True):
    """What annotators say together of one axis of one answer."""

    value: Value = None  # None where nobody can tell
    pending: Value = None  # what it was called in a look: that counts only after another blind one
    disputed: bool = False  # they differ, and nobody has settled it
    looks: int = 0  # that called it so; what was not said in a look needs no other, and counts as three

    @property
    def cannot_tell(self) -> bool:
        return self.value is None


def agreed(labels: Iterable[Label]) -> Agreed | None:
    """What the labels on one axis of one answer come to; None where nobody has said anything.

    Who settles it has the last word, and an AI none where a person has spoken. What a look calls bad has to be called
    so twice: two who said the same did that already.
    """
    votes: dict[str, list[tuple[Value, int]]] = {}  # by annotator: what they said, and for how many looks that counts
    for label in sorted(labels, key=lambda label: (label.at, label.id)):
        mine = votes.setdefault(label.annotator, [])
        if label.drawn != "again":
            mine.clear()
        elif not is_word(label) and len(mine) > 1:
            mine.pop()
        if is_word(label):
            mine.append((label.value, 1 if label.drawn in ("look", "again") else MOST_LOOKS))
    spoken = {who: said for who, said in votes.items() if said}
    people = {who: said for who, said in spoken.items() if not is_ai(who)} or spoken
    last_words = [said[-1][0] for who, said in people.items() if is_settler(who) and said[-1][0] is not None]
    if not people or last_words:
        return Agreed(last_words[-1], looks=MOST_LOOKS) if last_words else None
    words = {who: _word_of(said) for who, said in people.items()}
    values = {one.pending if one.value is None else one.value for one in words.values()} - {None}
    if len(values) > 1:
        return Agreed(disputed=True, looks=MOST_LOOKS)
    if not values:
        return Agreed(looks=sum(count for said in people.values() for _, count in said))
    telling = [one for one in words.values() if (one.value, one.pending) != (None, None)]
    is_enough = len(telling) > 1 or telling[0].value is not None
    value = values.pop()
    looks = sum(count for said in people.values() for word, count in said if word == value)
    return Agreed(value, looks=looks) if is_enough else telling[0]


def _word_of(said: Sequence[tuple[Value, int]]) -> Agreed:
    """What one annotator says: once where that is enough, else the same twice; as many words on either side, or three
    different ones, say nothing.
    """
    (first, looks), counts = said[0], Counter(value for value, _ in said if value is not None).most_common(2)
    if len(said) == 1:
        return Agreed(first) if looks > 1 or first not in BAD else Agreed(pending=first)
    if counts and counts[0][1] > max([1, *(count for _, count in counts[1:])]):
        return Agreed(counts[0][0])
    return Agreed(pending=first) if len(said) < MOST_LOOKS else Agreed()


def agreed_words(labels: Iterable[Label]) -> dict[tuple[str, str], Agreed]:
    """By key and axis: what the labels on an answer come to."""
    found: defaultdict[tuple[str, str], list[Label]] = defaultdict(list)
    for label in labels:
        found[label.version, label.axis].append(label)
    return {place: word for place, some in found.items() if (word := agreed(some))}


def where(given: str | Path | None = None) -> str:
    """Return the project's database: as given, else $SUREFOOT_DB, else surefoot.db in this folder."""
    return str(given or os.environ.get(VARIABLE) or NAME)


def timestamp() -> str:
    """Return the time as a project writes it: in UTC, so that texts are in the order of the times."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def plain_json(item: object) -> Any:  # noqa: ANN401
    """Return a struct as JSON gives it back; half of a surrogate pair, which has no UTF-8, becomes "?"."""
    return msgspec.json.decode(msgspec.json.encode(without_surrogates(msgspec.to_builtins(item))))


def fingerprint(items: Iterable[Struct]) -> str:
    """Return the sha256 of some questions, passages or traces, whatever file they came from."""
    digest = hashlib.sha256()
    for item in items:
        try:
            digest.update(msgspec.json.encode(item) + b"\n")
        except UnicodeEncodeError:
            digest.update(msgspec.json.encode(plain_json(item)) + b"\n")
    return digest.hexdigest()
