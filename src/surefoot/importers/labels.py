"""Labels made elsewhere: a CSV file, or JSON lines, of `{question_id, axis, value[, annotator, attempt, note, ...]}`.

A table with a column for each axis is read as well, as people keep them in spreadsheets. An empty cell says nothing;
a row that cannot be used is named with its line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import get_args

import msgspec
from msgspec.structs import replace

from surefoot.errors import UsageError
from surefoot.importers.annotators import WHO, Author, author_of, fault_in
from surefoot.importers.dating import time_after
from surefoot.importers.label_fields import text_of, time_of, typed
from surefoot.importers.label_tables import NOTES, Row, is_table, one_per_axis, table_rows
from surefoot.importers.verdicts import BadVerdict, checked, file_rows, quoted, verdict_of
from surefoot.problems import HARMLESS
from surefoot.records import BY_CHOICE, PEOPLE, UNNAMED, Drawn, Label, place_of
from surefoot.rubric import Rubric
from surefoot.rubric import load as load_rubric
from surefoot.types import Problem

_OF_VERDICTS_ALONE = frozenset({"via", "confidence", "evidence"})
_DRAWN = get_args(Drawn)
_BY_A_GRADER = "by_a_grader"


def load_labels(
    path: str | Path,
    problems: list[Problem] | None = None,
    *,
    rubric: Rubric | None = None,
    graders: Collection[str] = (),
) -> list[Label]:
    """The labels of a file, as they stand there. `at` is "" where it says no time.

    `graders` are those that the labels will be held against: their own verdicts are no labels, nor are those of any
    other grader. What is wrong with a file goes to `problems`, or is an error when nobody takes it.
    """
    where, log = Path(path), list[Problem]() if problems is None else problems
    if str(path) != "-" and not where.is_file():
        raise UsageError(f"there is no file {path}", "pass labels as CSV with a header, or one JSON object per line")
    by = rubric or load_rubric()
    rows = table_rows(where, by, log) if is_table(where) else file_rows(str(path), log)
    known = len(log)
    labels = _without_contradictions(str(path), _labels(str(path), rows, by, log, graders), log)
    serious = [problem for problem in log[known:] if problem.kind not in HARMLESS]
    if not labels and serious and all(problem.kind == _BY_A_GRADER for problem in serious):
        hint = "pass labels by people, annotator NAME or human/NAME; those of an AI that is no grader are by ai/NAME"
        raise UsageError(f"{path} has no label by a person: {serious[0].message}", hint)
    if not labels and not serious:
        log.append(Problem("no_labels", "not one label can be read", str(path)))
    if problems is None and (serious := [problem for problem in log if problem.kind not in HARMLESS]):
        raise UsageError(str(serious[0]), f"{len(serious)} rows of {path} cannot be used")
    return labels


def bound(
    labels: Iterable[Label],
    versions: Mapping[tuple[str, int], str],
    problems: list[Problem],
    *,
    run: str = "",
    rubric_sha256: str = "",
) -> list[Label]:
    """The labels as labels on the answers of a run, of which `versions` has the version by question and attempt.

    One on an answer that the run does not have is named and left out.
    """
    known = set(versions.values())
    found = []
    for label in labels:
        version = label.version or versions.get((label.question_id, label.attempt), "")
        if version not in known:
            problems.append(Problem("unknown_question", f"{_called(label)} is on an answer that the run does not have"))
            continue
        bare = replace(label, version=version, run=label.run or run, rubric_sha256=label.rubric_sha256 or rubric_sha256)
        found.append(_sealed(bare) if label == _sealed(label) else bare)
    return found


def not_yet_in(known: Iterable[Label], labels: Iterable[Label], now: str) -> list[Label]:
    """The labels that say something new, so that a file may be read in again; those without a time count from `now`.

    New is what differs from what the person said last, or was said later. What a person has once picked by hand stays
    picked: no later file makes a random sample of it.
    """
    rows, told, when = list(known), list(labels), datetime.fromisoformat(now)
    by_id = {row.id: row for row in rows}
    newest = {place_of(row): row for row in sorted(rows, key=lambda row: (row.at, row.id))}
    picked = {place_of(row): row.drawn for row in (*told, *rows) if row.drawn in BY_CHOICE}
    fresh = []
    for label in sorted(told, key=lambda label: (not label.at, label.at)):  # what has no time is said after the rest
        one, before = _kept_picked(label, picked), newest.get(place_of(label))
        if any(_is_among(by_id, said) for said in (label, one)) or not _is_new(one, before):
            continue
        fresh.append(_counting(_sealed(one) if one.id in by_id else one, before, when))
        newest[place_of(label)] = max(before or fresh[-1], fresh[-1], key=lambda row: (row.at, row.id))
    # A pick may be told with a time before that of what stands.
    standing = [newest[place] for place in dict.fromkeys(map(place_of, told)) if place in newest and place in picked]
    late = [row for row in standing if row.drawn not in BY_CHOICE and row.value is not None]
    return fresh + [_counting(replace(row, drawn=picked[place_of(row)], at=""), row, when) for row in late]


def _kept_picked(label: Label, picked: Mapping[Hashable, Drawn]) -> Label:
    if label.drawn in BY_CHOICE or (drawn := picked.get(place_of(label))) is None:
        return label
    return _sealed(replace(label, drawn=drawn))


def _is_among(by_id: Mapping[str, Label], label: Label) -> bool:
    """Whether it is there as it is. A row with an id of its own may have been edited since."""
    there = by_id.get(label.id) if label.at else None
    return there is not None and not _differ(label, there)


def _is_new(label: Label, before: Label | None) -> bool:
    if before is None:
        return bool(label.at) or label.value is not None  # without a time, there is nothing to take back
    return _differ(label, before) or label.at > before.at


def _differ(label: Label, before: Label) -> bool:
    """Whether it says something else. A file without notes says nothing about them."""
    is_picked = [one.drawn in BY_CHOICE for one in (label, before)]
    other_note = bool(label.note) and label.note.strip() != before.note.strip()
    return label.value != before.value or is_picked[0] != is_picked[1] or other_note


def _counting(label: Label, before: Label | None, now: datetime) -> Label:
    """At its own time if it has one, but for the correction of a label of that very time; else so that it counts."""
    if label.at and (before is None or label.at != before.at):
        return label
    if (at := time_after(before.at if before else "", now)) is None:
        message = f"{_called(label)} cannot be changed: it has the time {quoted(before and before.at)}"
        raise UsageError(message, "no time is later; nothing was imported: give the label under another name")
    return _sealed(replace(label, at=at))


def _labels(
    source: str, rows: Iterable[Row], rubric: Rubric, problems: list[Problem], graders: Collection[str]
) -> Iterator[tuple[int, Label]]:
    found, marked = _with_authors(source, rows, rubric, problems, graders)
    unnamed = 0
    for line, author, label in found:
        if author.written in marked and not author.is_surely_no_grader:
            problems.append(Problem(_BY_A_GRADER, _as_graders_write(author, marked[author.written]), source, line))
            continue
        unnamed += label.annotator == UNNAMED
        yield line, label
    if unnamed:
        message = f"labels that do not say who gave them ({unnamed}) count as by one annotator, {UNNAMED!r}"
        problems.append(Problem("note", message, source))


def _with_authors(
    source: str, rows: Iterable[Row], rubric: Rubric, problems: list[Problem], graders: Collection[str]
) -> tuple[list[tuple[int, Author, Label]], dict[str, str]]:
    """Labels with their authors, and which of these gave rows with something that only graders write, and what."""
    found: list[tuple[int, Author, Label]] = []
    marked: dict[str, str] = {}
    empty = 0
    for line, row in rows:
        parts = list(one_per_axis(row, rubric))
        empty += not parts
        for part in parts:
            try:
                author = _author(part, graders)
                if mark := _mark(part, author):
                    marked.setdefault(author.written, f"{mark} (as on line {line})")
                label, fault = _label(part, author.name, rubric)
            except _NotByAPerson as error:
                problems.append(Problem(_BY_A_GRADER, str(error), source, line))
                continue
            except BadVerdict as error:
                label, fault = None, str(error).replace("the verdict", "the label")
            if fault:
                problems.append(Problem("bad_label", fault, source, line))
            if label is not None:
                found.append((line, author, label))
    if empty:
        problems.append(Problem("note", f"rows without a label ({empty}) are left out", source))
    return found, marked


class _NotByAPerson(ValueError):
    """A verdict of a grader, where a label is asked for."""


def _author(row: object, graders: Collection[str]) -> Author:
    author = author_of({key: text_of(row, key) for key in WHO} if isinstance(row, dict) else {}, graders)
    if author.grader:
        raise _NotByAPerson(f"this is a verdict by {quoted(author.grader)}, a grader, and no label by a person")
    return author


def _mark(row: object, author: Author) -> str:
    """What of a row only graders write: its verdict came from elsewhere, or rests on quotes.

    People write evidence as a text, and tables can hold the graders' in no other way.
    """
    if author.is_surely_no_grader or not isinstance(row, dict):
        return ""
    evidence = row.get("evidence")
    quotes = evidence if isinstance(evidence, list) else []
    as_text = isinstance(evidence, str) and evidence.lstrip().startswith("[{")
    rests_on_quotes = as_text or any(isinstance(quote, dict) for quote in quotes)
    return "via" if row.get("via") else "evidence" if rests_on_quotes else ""


def _as_graders_write(author: Author, mark: str) -> str:
    who = "that do not say who gave them" if author.name == UNNAMED else f"by {quoted(author.name)}"
    cure = f"if a person gave them, let them say {PEOPLE}{'NAME' if author.name == UNNAMED else author.name[:60]}"
    return f"rows {who} have {mark}, which graders write: they are verdicts of a grader, and no labels; {cure}"


def _label(row: object, name: str, rubric: Rubric) -> tuple[Label | None, str]:
    given = row
    if isinstance(row, dict):
        given = {key: value for key, value in row.items() if key not in _OF_VERDICTS_ALONE} | typed(row, rubric)
    verdict, fault = checked(verdict_of(given), rubric)
    if verdict is None or fault or not isinstance(given, dict):
        return None, fault
    # Rows of a ledger have a version; a column `id` that people add numbers their rows.
    own_id = text_of(given, "id") if ("question_id" in given or "qid" in given) and text_of(given, "version") else ""
    drawn, (at, bad_time) = text_of(given, "drawn", "sample"), time_of(text_of(given, "at"), as_it_is=bool(own_id))
    if drawn not in _DRAWN:
        fault = f"drawn must be one of {', '.join(_DRAWN)}, not {drawn!r}"
    if drawn == "gate" and not own_id:
        drawn = "chosen"  # which answers the gate asked for, only the label page knows
    axis = rubric.axis(verdict.axis)
    if axis is not None and name.casefold() in {value for value in axis.values if isinstance(value, str)}:
        fault = f"the annotator is called {quoted(name)}, like a label: the cells are in the wrong columns"
    if fault := fault or bad_time or fault_in(name):
        return None, f"question {quoted(verdict.question_id)}: {fault}"
    label = Label(
        id=own_id, at=at, annotator=name,
        question_id=verdict.question_id, attempt=verdict.attempt, axis=verdict.axis, value=verdict.value,
        note=next(filter(None, (text_of(given, key) for key in NOTES)), ""), version=text_of(given, "version"),
        rubric_sha256=text_of(given, "rubric_sha256"), run=text_of(given, "run"), drawn=drawn,  # type: ignore[arg-type]
    )  # fmt: skip
    return label if own_id else _sealed(label), ""


def _without_contradictions(source: str, numbered: Iterable[tuple[int, Label]], problems: list[Problem]) -> list[Label]:
    """Two different labels by one person at one time leave none; with times, the later one is a change of mind."""
    found: dict[object, tuple[int, Label]] = {}
    against: set[object] = set()
    for line, label in numbered:
        key = (place_of(label), label.at)
        first_line, first = found.setdefault(key, (line, label))
        if first is label:
            continue
        if first.value == label.value:
            if label.drawn in BY_CHOICE:
                found[key] = (first_line, label)
            problems.append(Problem("note", f"{_called(label)} repeats line {first_line}", source, line))
            continue
        against.add(key)
        fault = f"{_called(label)} is {first.value!r} on line {first_line} and {label.value!r} on line {line}"
        problems.append(Problem("contradicting_label", f"{fault}; neither is used", source, line))
    return [label for key, (_, label) in found.items() if key not in against]


def _called(label: Label) -> str:
    attempt = f" (attempt {label.attempt})" if label.attempt > 1 else ""
    return f"{label.annotator}'s {label.axis} label on question {quoted(label.question_id)}{attempt}"


def _sealed(label: Label) -> Label:
    """The label with the hash of all it says as its id."""
    said = msgspec.json.encode({**msgspec.to_builtins(label), "id": ""}, order="deterministic")
    return replace(label, id=hashlib.sha256(said).hexdigest())
