"""Which answers people should label next: those the gate waits for, then a sample of the runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import Drawn, Label, current
from surefoot.core.result import Result
from surefoot.core.types import Item, Verdict
from surefoot.core.words import counted
from surefoot.gate.next_steps import Place, Waiting, queue
from surefoot.services.runs import Name, check_texts, label_next, opened, run_items
from surefoot.store import Project, Run
from surefoot.text.normal import is_empty

_AXIS = "factuality"
_Key = tuple[str, int]  # question id and attempt
_Place = tuple[str, str, int]  # run, question id and attempt


class Sheet(Struct, frozen=True):
    """One answer to label. Answers that are the same to the letter are one sheet."""

    item: Item
    version: str  # the key of what was said
    run: str  # id

    @property
    def key(self) -> _Key:
        return self.item.question.id, self.item.trace.attempt


class LabelQueue(Result, frozen=True, kw_only=True):
    """The answers of a run that can be labelled, and the order in which they should be."""

    beside = ("newest", "sheets", "places")

    run: str  # or the version, where it is about several
    target: int
    wanted: int  # answers: as many as were asked for, and all that the gate waits for
    labelled: int
    notes: tuple[str, ...]
    rows: list[dict[str, Any]]  # the answers that nobody has labelled yet, the most useful first
    newest: str  # run
    sheets: tuple[Sheet, ...]  # in the order of the run
    places: tuple[Place, ...]  # in the order in which to label them


def label_queue(
    *runs: Name,
    target: int = 50,
    overlap: float = 0.2,
    only_gate: bool = False,
    db: str | Path | None = None,
) -> LabelQueue:
    """The answers of runs, or of all runs of a version, in the order in which people should label them.

    First come those that the last decision on them waits for, also of the other runs in it; `only_gate` leaves out
    all others. Then come answers that the grader is unsure of, and some that it flagged. A share of `overlap` goes to
    everyone who labels.
    """
    with opened(runs, db) as (project, named):
        return queue_of(project, named, target=target, overlap=overlap, only_gate=only_gate)


def queue_of(
    project: Project, runs: Sequence[Run], *, target: int = 50, overlap: float = 0.2, only_gate: bool = False
) -> LabelQueue:
    if not 0 <= overlap <= 1:
        raise UsageError(f"the overlap {overlap} is no share", "write a number from 0 to 1")
    check_texts(runs)
    sheets, verdicts, notes = dict[_Place, Sheet](), dict[_Place, Verdict](), list[str]()
    for run in runs:
        sheets |= _sheets(run)
        verdicts |= _verdicts(run, notes)
    asked_for = label_next(project, runs[-1].id)
    needed = list(_needed(project, asked_for, runs[-1], sheets))
    gate_needs = {sheet.version: drawn for sheet, drawn in needed}
    everything = {sheet.version: sheet for sheet in (*sheets.values(), *(sheet for sheet, _ in needed))}
    names = ", ".join(run.id for run in runs)
    if not everything:
        raise Incomplete(f"{names} has no answer to label", "ask its questions first: surefoot run")
    said = {sheets[place].version: verdict for place, verdict in verdicts.items() if place in sheets}
    places = queue(
        {version: str(said[version].value) if version in said and said[version].value is not None else None
         for version in everything},
        gate_needs, target=target, overlap=overlap, graded=bool(said), seed=runs[-1].id,
        unsure={version for version, verdict in said.items() if verdict.unsure},
    )  # fmt: skip
    if only_gate:
        places = [place for place in places if place.for_gate]
        if not places:
            raise Incomplete(f"the gate waits for no label on {names}", "decide first, or leave --only-gate out")
    notes += _left_out(runs, sheets, len(asked_for), len(gate_needs))
    done = labelled(project.labels(keys=everything))
    return LabelQueue(
        run=runs[-1].id if len(runs) == 1 else runs[-1].version, newest=runs[-1].id, target=target,
        wanted=min(max(target, sum(place.for_gate for place in places)), len(places)),
        labelled=sum(place.version in done for place in places), notes=tuple(notes),
        rows=[_row(place, everything[place.version]) for place in places if place.version not in done],
        sheets=tuple(everything.values()), places=tuple(places),
    )  # fmt: skip


def _row(place: Place, sheet: Sheet) -> dict[str, Any]:
    question, trace = sheet.item.question, sheet.item.trace
    return {
        "question_id": question.id, "attempt": trace.attempt, "run": sheet.run, "question": question.text,
        "answer": trace.answer, "drawn": place.drawn, "for_gate": place.for_gate, "for_everyone": place.shared,
        "unsure": place.unsure, "version": place.version,
    }  # fmt: skip


def labelled(labels: Iterable[Label]) -> frozenset[str]:
    """The versions of the answers that somebody has put into a bucket: what each count of labelled answers counts."""
    return frozenset(label.version for label in current(labels) if label.axis == _AXIS)


def _sheets(run: Run) -> dict[_Place, Sheet]:
    """The answers that have words in them."""
    keys, found = run.answer_keys(), dict[_Place, Sheet]()
    for item in run_items(run):
        if item.trace.error or item.trace.answer is None or is_empty(item.trace.answer):
            continue
        place = item.question.id, item.trace.attempt
        found[run.id, *place] = Sheet(item, keys[place], run.id)
    return found


def _left_out(runs: Sequence[Run], sheets: Mapping[_Place, Sheet], asked_for: int, found: int) -> Iterator[str]:
    if silent := sum(1 for run in runs for _ in run_items(run)) - len(sheets):
        yield f"missing, failed or empty, so left out: {counted(silent, 'answer')}"
    if same := len(sheets) - len({sheet.version for sheet in sheets.values()}):
        yield f"the same as another, so not asked for again: {counted(same, 'answer')}"
    if gone := asked_for - found:
        yield f"of the {asked_for} answers that the gate waits for, {gone} cannot be found or equal another"


def _verdicts(run: Run, notes: list[str]) -> dict[_Place, Verdict]:
    """The verdicts of the run's own grader. They order the queue and are shown to nobody."""
    found = {
        (run.id, verdict.question_id, verdict.attempt): verdict
        for verdict in run.verdicts()
        if verdict.axis == _AXIS and verdict.grader == run.manifest.grader
    }
    if not found:
        notes.append(f"{run.id} is not graded, so its answers come in random order")
    return found


def _needed(
    project: Project, wanted: Iterable[Waiting], own: Run, sheets: Mapping[_Place, Sheet]
) -> Iterator[tuple[Sheet, Drawn]]:
    """Of these runs, and of the others that they were compared with."""
    known = dict(sheets)
    for one in wanted:
        id = one.run or own.id
        if not any(place[0] == id for place in known) and (other := project.run(id)):
            known |= _sheets(other)
        if sheet := known.get((id, one.question_id, one.attempt)):
            yield sheet, one.drawn
