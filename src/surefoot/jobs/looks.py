"""What people should look at: answers of two versions that differ, or answers of one, and in which order.

Of two versions it is pairs: as `gate.looks` orders them, then other readings of questions that got worse or better.
Of one it is single answers for `calibrate`: unsure ones first, then flagged ones and a sample by verdict.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import ceil, sqrt
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core import records
from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import (
    BAD,
    CANNOT_TELL,
    CHANGE,
    WITHOUT,
    Agreed,
    Drawn,
    Label,
    Step,
    Value,
    agreed,
    is_settler,
)
from surefoot.core.result import Result
from surefoot.core.table import ACCEPTABLE
from surefoot.core.types import Item, Verdict, counted
from surefoot.gate.looks import MORE_LOOKS, Diff, Reading, diff_of, lasting_of
from surefoot.gate.sides import BUCKET_AXIS, asked_of, readings_of, side_of
from surefoot.io.labels import time_after
from surefoot.jobs.runs import Name, check_texts, only_run, opened, read_all, run_items, runs_of, versions_of
from surefoot.store import Project, Run
from surefoot.store.export import is_export, read_export
from surefoot.text.normal import is_empty

_TARGET = 50  # answers of one version
_EVERYBODYS = 5  # of so many answers of one version, one goes to everybody: that is how far people agree


class Answer(Struct, frozen=True):
    """An answer to look at. Those that say the same on the same evidence are one."""

    item: Item
    key: str
    run: str  # id
    graded: str = ""  # the grader's bucket, which nobody sees before they have labelled the answer
    unsure: bool = False  # it is


def _answer(item: Item, key: str, run: str, graded: Verdict | None) -> Answer:
    bucket = "" if graded is None or graded.value is None else str(graded.value)
    return Answer(item, key, run, bucket, bool(graded and graded.unsure))


class Look(Struct, frozen=True):
    """What one person sees at once: two answers to a question, or one."""

    keys: tuple[str, ...]
    drawn: Drawn = "look"
    shared: bool = False  # it goes to everybody, whoever has labelled it


class Outlook(Struct, frozen=True):
    """What is left to look at, after all that was said."""

    left: tuple[Look, ...]  # pairs, or answers of one version
    others: tuple[Look, ...]  # readings that lasting changes wait for
    again: Mapping[str, Look]  # by key: readings that were called bad, which counts after a second look
    seen: int  # pairs, or answers of one version
    total: int  # of them that there are
    step: int  # how many to look at before the gate decides again
    words: Mapping[str, Agreed]  # by key: what people say of the answer


class LookList(Result, frozen=True, kw_only=True):
    """The answers of two versions, or of one, that people should look at."""

    beside = ("answers", "readings", "order", "runs")

    names: tuple[str, ...]  # of one version or run, or of baseline and candidate
    target: int | None
    looked_at: int = 0
    of: int = 0
    notes: tuple[str, ...]
    rows: list[dict[str, Any]]  # what is left, first things first
    answers: dict[str, Answer]  # by key
    readings: dict[str, list[Reading]]  # by question, of two versions
    order: tuple[Look, ...] = ()  # of one version
    runs: tuple[Run, ...]

    @property
    def is_of_two(self) -> bool:
        return len(self.names) > 1

    def outlook(self, words: Mapping[str, Agreed]) -> Outlook:
        """Return what is left, by what people say of each answer."""
        if not self.is_of_two:
            done = {key for key, word in words.items() if word.value is not None or word.disputed}
            left = tuple(one for one in self.order if one.shared or one.keys[0] not in done)
            seen = sum(one.keys[0] in done for one in self.order)
            step = max(0, (self.target or _TARGET) - seen) or MORE_LOOKS
            return Outlook(left, (), {}, seen, len(self.order), step, words)
        diff = self._diff(words)
        # Their order tells nobody which is which.
        pairs = (Look(tuple(sorted(filter(None, (one.base.key, one.cand.key))))) for one in diff.unseen)
        to_look = [one for bucket in BAD for one in lasting_of(diff, bucket, deterministic=False).to_look]
        others = (Look((one.key,)) for one in to_look if one.label is None)
        pending = (one for some in diff.readings.values() for one in some if one.pending)
        again = {one.key: Look((one.key,), "again") for one in (*pending, *to_look) if one.label is not None}
        seen = len(diff.pairs) - len(diff.unseen)
        step = diff.looks_wanted if self.target is None else max(0, self.target - seen) or MORE_LOOKS
        return Outlook(
            tuple(dict.fromkeys(pairs)), tuple(dict.fromkeys(others)), again, seen, len(diff.pairs), step, words,
        )  # fmt: skip

    def _diff(self, words: Mapping[str, Agreed]) -> Diff:
        def labelled(one: Reading) -> Reading:
            word = words.get(one.key)
            if word is None:
                return replace(one, label=None, pending="") if one.key else one  # nobody can look at what is silent
            label, pending = str(word.value or CANNOT_TELL), str(word.pending or "")
            return replace(one, label=label, pending=pending, looks=word.looks)

        return diff_of({id: list(map(labelled, some)) for id, some in self.readings.items()})


def look_list(*names: Name, target: int | None = None, db: str | Path | None = None) -> LookList:
    """Return what people should look at: where two versions differ, or answers of one run or version.

    A file that `export --decision` wrote stands for both versions of its decision. Of two versions the gate says how
    many pairs it wants; `target` says it instead. Of one, it is how many answers to label.
    """
    with opened(names, db) as (project, runs):
        return list_of(project, names, runs, target)


def list_of(project: Project, names: Sequence[Name], runs: Sequence[Run], target: int | None = None) -> LookList:
    """The same for names that are opened already."""
    if len(names) == 2:
        return _of_two(project, only_run(project, names[0]), only_run(project, names[1]), {}, target)
    if len(names) != 1:
        raise UsageError("name one version, or a baseline and a candidate", "surefoot label BASE CAND")
    if is_export(names[0]):
        steps = [one for one in read_export(Path(names[0])).of(Step) if one.mode == CHANGE]
        if steps:
            step = max(steps, key=lambda one: one.at)
            base, cand = (runs_of(project, id)[-1] for id in (step.base_run, step.cand_run))
            left_out = step.overridden.get(WITHOUT, ())
            without = {str(one).partition(" (")[0]: "as decided" for one in left_out}
            return _of_two(project, base, cand, without, target)
    return _of_one(project, runs, _TARGET if target is None else target)


def _of_two(project: Project, base: Run, cand: Run, without: Mapping[str, str], target: int | None) -> LookList:
    versions = versions_of(project, base, cand, without)
    runs = (*versions.base, *versions.cand)
    check_texts(runs)
    before, after = read_all(project, versions.base), read_all(project, versions.cand)
    asked, notes, _ = asked_of(before, after)
    sides = [side_of(some, asked, name) for some, name in ((before, "base"), (after, "cand"))]
    answers: dict[str, Answer] = {}
    for said in (one for side in sides for one in side.all_answers()):
        question = asked[said.question_id]
        if not said.is_silent and said.trace and question:
            item, graded = Item(question, said.trace), said.graded.get(BUCKET_AXIS)
            answers.setdefault(said.key, _answer(item, said.key, said.run, graded))
    found = LookList(
        names=versions.names, target=target, notes=(*versions.notes, *versions.not_counted, *notes), rows=[],
        answers=answers, readings=readings_of(*sides), runs=runs,
    )  # fmt: skip
    return _counted(project, found)


def _of_one(project: Project, runs: Sequence[Run], target: int) -> LookList:
    check_texts(runs)
    answers, notes, silent, same = dict[str, Answer](), list[str](), 0, 0
    for run in runs:
        keys, verdicts = run.answer_keys(), run.verdicts()
        graded = {(one.question_id, one.attempt): one for one in verdicts
                  if one.axis == BUCKET_AXIS and one.grader == run.manifest.grader}  # fmt: skip
        if not graded:
            notes.append(f"{run.id} is not graded, so its answers come in random order")
        for item in run_items(run):
            if item.trace.error or item.trace.answer is None or is_empty(item.trace.answer):
                silent += 1
            else:
                key = keys[place := (item.question.id, item.trace.attempt)]
                same += key in answers
                answers.setdefault(key, _answer(item, key, run.id, graded.get(place)))
    if not answers:
        names = ", ".join(run.id for run in runs)
        raise Incomplete(f"{names} has no answer to label", "ask its questions first: surefoot run")
    if silent:
        notes.append(f"missing, failed or empty, so left out: {counted(silent, 'answer')}")
    if same:
        notes.append(f"the same as another, so not asked for again: {counted(same, 'answer')}")
    name = runs[-1].id if len(runs) == 1 else runs[-1].version
    unsure = {key for key, one in answers.items() if one.unsure}
    order = single_order({key: one.graded for key, one in answers.items()}, runs[-1].id, target=target, unsure=unsure)
    found = LookList(
        names=(name,), target=target, notes=tuple(notes), rows=[], answers=answers, readings={}, order=tuple(order),
        runs=tuple(runs),
    )  # fmt: skip
    return _counted(project, found)


def _counted(project: Project, found: LookList) -> LookList:
    said = agreed_words(project.labels(keys=found.answers))
    now = found.outlook({key: word for (key, axis), word in said.items() if axis == BUCKET_AXIS})
    return replace(
        found, looked_at=now.seen, of=now.total if found.is_of_two else min(now.total, found.target or _TARGET),
        rows=[_row(one, [found.answers[key] for key in one.keys])
              for one in (*now.left, *now.others, *now.again.values())
              if not one.shared or one.keys[0] not in now.words],
    )  # fmt: skip


def _row(look: Look, answers: Sequence[Answer]) -> dict[str, Any]:
    question = answers[0].item.question
    each = [{"answer": one.item.trace.answer, "run": one.run, "attempt": one.item.trace.attempt, "key": one.key}
            for one in answers]  # fmt: skip
    return {"question_id": question.id, "question": question.text, "drawn": look.drawn, "answers": each}


def single_order(
    buckets: Mapping[str, str], seed: str, *, target: int, unsure: Collection[str] = ()
) -> Iterator[Look]:  # fmt: skip
    """Every answer once, by the bucket that a grader chose, which is "" where it chose none.

    It depends on nothing but its arguments, so a server that is started again goes on where it was.
    """
    by_lot = sorted(buckets, key=lambda key: hashlib.sha256(f"{seed}\0{key}".encode()).digest())
    doubted = [key for key in by_lot if key in unsure][: ceil(target / 2)]
    is_graded, taken, flagged = any(buckets.values()), {*doubted}, list[str]()
    others: defaultdict[str, list[str]] = defaultdict(list)  # by bucket
    for key in by_lot:
        if key not in taken:
            bad = is_graded and buckets[key] not in ACCEPTABLE
            (flagged if bad else others[buckets[key]]).append(key)
    # Answers of each verdict come as often as the root of their number: rare ones sooner than by chance alone.
    turns = [((number + 0.5) / sqrt(len(keys)), bucket, key)
             for bucket, keys in others.items() for number, key in enumerate(keys)]  # fmt: skip
    most = ceil((target - len(doubted)) / 2)  # flagged ones beyond come last
    order: list[tuple[str, Drawn]] = [(key, "flagged") for key in doubted]
    order += [(key, "flagged") for key in flagged[:most]]
    order += [(key, "sample") for *_, key in sorted(turns)]
    order += [(key, "flagged") for key in flagged[most:]]
    for number, (key, drawn_as) in enumerate(order, 1):
        yield Look((key,), drawn_as, number % _EVERYBODYS == 0)


def agreed_words(labels: Iterable[Label]) -> dict[tuple[str, str], Agreed]:
    """By key and axis: what the labels on an answer come to."""
    found: defaultdict[tuple[str, str], list[Label]] = defaultdict(list)
    for label in labels:
        found[label.version, label.axis].append(label)
    return {place: word for place, some in found.items() if (word := agreed(some))}


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
    question: str
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
        return Said(found[0].annotator if found else "", values, next(filter(None, map(records.reason_of, found)), ""))

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


def is_word(row: Label) -> bool:
    return row.value is not None or records.why_passed_over(row) == CANNOT_TELL


def disputes(rows: Sequence[Label], looks: LookList) -> list[Dispute]:
    """The answers that annotators call differently, those that somebody has settled last."""
    people = agreed_words(row for row in rows if not is_settler(row.annotator))
    disputed: dict[str, list[Label]] = {key: [] for (key, _), word in people.items() if word.disputed}
    for row in rows:
        if row.version in disputed:
            disputed[row.version].append(row)
    found = []
    for key, some in disputed.items():
        words, text = agreed_words(some), looks.answers[key].item.question.text
        axes = frozenset(axis for _, axis in words if (key, axis) in people and people[key, axis].disputed)
        said = [Past(some, name).said(key) for name in sorted({row.annotator for row in some})]
        settled = tuple(one for one in said if is_settler(one.who))
        others = tuple(one for one in said if one.values and one not in settled)
        found.append(Dispute(key, text, axes, others, settled, any(words[key, axis].disputed for axis in axes)))
    return sorted(found, key=lambda one: not one.is_open)
