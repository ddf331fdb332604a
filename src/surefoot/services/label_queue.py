"""Which answers people should label next: those the gate waits for, then a sample of the run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from surefoot.errors import ExitCode, Incomplete, SurefootError, UsageError
from surefoot.gate.next_steps import Waiting
from surefoot.gate.queue import Place, queue
from surefoot.io.writer import printable
from surefoot.ledger import Ledger
from surefoot.ledger.places import find, run_id
from surefoot.records import Drawn, Label, current, version_of
from surefoot.report.words import counted
from surefoot.services.decisions import last_decision
from surefoot.services.result import Result
from surefoot.services.runs import run_items
from surefoot.store import Manifest, RunStore
from surefoot.text.normal import is_empty
from surefoot.types import Item, Verdict

_AXIS = "factuality"
_Key = tuple[str, int]  # question id and attempt


class Sheet(Struct, frozen=True):
    """One answer to label. Answers that are the same to the letter are one sheet."""

    item: Item
    version: str
    run: str  # id
    run_name: str

    @property
    def key(self) -> _Key:
        return self.item.question.id, self.item.trace.attempt


class LabelQueue(Result):
    """The answers of a run that can be labelled, and the order in which they should be."""

    def __init__(
        self, of: Manifest, sheets: Sequence[Sheet], places: Sequence[Place], target: int, notes: Sequence[str],
        labelled: Collection[str],
    ) -> None:  # fmt: skip
        self.name, self.run = of.name, run_id(of)
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
    run: str | Path,
    *,
    target: int = 50,
    overlap: float = 0.2,
    only_gate: bool = False,
    ledger: str | Path | None = None,
) -> LabelQueue:
    """The answers of a run folder in the order in which people should label them.

    First come those that the last comparison of the run waits for, also of the other runs in it; `only_gate` leaves out
    all others. Then come answers that the grader is unsure of, and some that it flagged. A share of `overlap` goes to
    everyone who labels.
    """
    if not 0 <= overlap <= 1:
        raise UsageError(f"the overlap {overlap} is no share", "write a number from 0 to 1")
    folder = Path(run)
    store = RunStore.open(folder)
    sheets = _sheets(store)
    given, notes = _verdicts(store)
    verdicts = {key: None if verdict.value is None else str(verdict.value) for key, verdict in given.items()}
    last = last_decision(folder)
    asked_for = (last.label_next if last else None) or ()  # the answers whose labels would decide
    needed = list(_needed(asked_for, folder, sheets))
    gate_needs = {sheet.version: drawn for sheet, drawn in needed}
    everything = {sheet.version: sheet for sheet in (*sheets.values(), *(sheet for sheet, _ in needed))}
    if not everything:
        raise Incomplete(f"the run {printable(folder)} has no answer to label", "ask its questions first: surefoot run")
    places = queue(
        {version: verdicts.get(sheet.key) for version, sheet in everything.items()},
        gate_needs, target=target, overlap=overlap, graded=bool(verdicts), seed=run_id(store.manifest),
        unsure={sheets[key].version for key, verdict in given.items() if verdict.unsure and key in sheets},
    )  # fmt: skip
    if only_gate:
        places = [place for place in places if place.for_gate]
        if not places:
            hint = "compare the run first, or leave --only-gate out"
            raise Incomplete(f"the gate waits for no label on {printable(folder)}", hint)
    notes += _left_out(store, sheets, len(asked_for), len(gate_needs))
    done = _labelled(find(folder, ledger), everything)
    return LabelQueue(store.manifest, tuple(everything.values()), tuple(places), target, tuple(notes), done)


def _row(place: Place, sheet: Sheet) -> dict[str, Any]:
    question, trace = sheet.item.question, sheet.item.trace
    return {
        "question_id": question.id, "attempt": trace.attempt, "run": sheet.run_name, "question": question.text,
        "answer": trace.answer, "drawn": place.drawn, "for_gate": place.for_gate, "for_everyone": place.shared,
        "unsure": place.unsure, "version": place.version,
    }  # fmt: skip


def _labelled(where: str, versions: Collection[str]) -> frozenset[str]:
    ledger = Ledger.existing(where)
    if ledger is None:
        return frozenset()
    with ledger:
        return labelled(ledger.labels(versions=versions))


def labelled(labels: Iterable[Label]) -> frozenset[str]:
    """The versions of the answers that somebody has put into a bucket: what each count of labelled answers counts."""
    return frozenset(label.version for label in current(labels) if label.axis == _AXIS)


def _sheets(store: RunStore) -> dict[_Key, Sheet]:
    """The answers that have words in them, by question and attempt."""
    found: dict[str, Sheet] = {}
    by_key: dict[_Key, Sheet] = {}
    for item in run_items(store):
        if item.trace.error or item.trace.answer is None or is_empty(item.trace.answer):
            continue
        version = version_of(item.question, item.trace)
        sheet = found.setdefault(version, Sheet(item, version, run_id(store.manifest), store.manifest.name))
        by_key[item.question.id, item.trace.attempt] = sheet
    return by_key


def _left_out(store: RunStore, sheets: Mapping[_Key, Sheet], asked_for: int, found: int) -> Iterator[str]:
    yield from (str(problem) for problem in store.problems)
    if silent := sum(1 for _ in run_items(store)) - len(sheets):
        yield f"missing, failed or empty, so left out: {counted(silent, 'answer')}"
    if same := len(sheets) - len({sheet.version for sheet in sheets.values()}):
        yield f"the same to the letter as another, so not asked for again: {counted(same, 'answer')}"
    if gone := asked_for - found:
        yield f"of the {asked_for} answers that the gate waits for, {gone} cannot be found or equal another"


def _verdicts(store: RunStore) -> tuple[dict[_Key, Verdict], list[str]]:
    """The verdicts of the run's own grader. They order the queue and are shown to nobody."""
    grader = store.manifest.grader
    found = {
        (verdict.question_id, verdict.attempt): verdict
        for verdict in store.verdicts()
        if verdict.axis == _AXIS and verdict.grader == grader
    }
    if not found:
        return {}, ["the run is not graded, so its answers come in random order"]
    if store.is_graded_otherwise():
        return {}, ["the answers have changed since they were graded, so they come in random order"]
    return found, []


def _needed(wanted: Iterable[Waiting], folder: Path, sheets: Mapping[_Key, Sheet]) -> Iterator[tuple[Sheet, Drawn]]:
    """Of this run, and of the others that it was compared with where they are still to be found."""
    elsewhere: dict[str, Mapping[_Key, Sheet]] = {}
    for one in wanted:
        known = sheets
        if one.run and Path(one.run).name != folder.resolve().name:
            if one.run not in elsewhere:
                elsewhere[one.run] = _other_run(folder, one.run)
            known = elsewhere[one.run]
        if sheet := known.get((one.question_id, one.attempt)):
            yield sheet, one.drawn


def _other_run(folder: Path, name: str) -> Mapping[_Key, Sheet]:
    for place in (Path(name), folder.parent / name, folder.parent / Path(name).name):
        try:
            return _sheets(RunStore.open(place))
        except SurefootError:
            continue
    return {}
