"""Which answers people should label next: those the gate waits for, then a sample of the runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.gate.next_steps import Waiting
from surefoot.gate.queue import Place, queue
from surefoot.records import Drawn, Label, current
from surefoot.report.words import counted
from surefoot.services.decisions import label_next
from surefoot.services.result import Result
from surefoot.services.runs import Name, check_texts, opened, run_items
from surefoot.store import Project, Run
from surefoot.text.normal import is_empty
from surefoot.types import Item, Verdict

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


class LabelQueue(Result):
    """The answers of a run that can be labelled, and the order in which they should be."""

    def __init__(
        self, of: Sequence[Run], sheets: Sequence[Sheet], places: Sequence[Place], target: int, notes: Sequence[str],
        labelled: Collection[str],
    ) -> None:  # fmt: skip
        self.run = of[-1].id
        self.name = self.run if len(of) == 1 else of[-1].version
        self.sheets, self.places = sheets, places  # in the order of the run; in the order in which to label them
        self.target = target
        self.notes = notes
        self.labelled = labelled  # versions that somebody has labelled

    @property
    def wanted(self) -> int:
        """How many answers to label: as many as were asked for, and all that the gate waits for."""
        return min(max(self.target, sum(place.for_gate for place in self.places)), len(self.places))

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK

    def to_json(self) -> dict[str, Any]:
        done = sum(place.version in self.labelled for place in self.places)
        return {
            "run": self.name, "target": self.target, "wanted": self.wanted, "labelled": done, "notes": list(self.notes),
            "rows": list(self.table()),
        }  # fmt: skip

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The answers that nobody has labelled yet, the most useful first."""
        sheets = {sheet.version: sheet for sheet in self.sheets}
        return [_row(place, sheets[place.version]) for place in self.places if place.version not in self.labelled]

    def __repr__(self) -> str:
        return f"<LabelQueue {self.name}: {len(self.table())} of {len(self.places)} answers to label>"


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
    return LabelQueue(runs, tuple(everything.values()), tuple(places), target, tuple(notes), done)


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
