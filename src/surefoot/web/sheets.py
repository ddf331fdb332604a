"""What a run puts before people: its answers, what the gate waits for, and the order they come in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.errors import Incomplete, SurefootError
from surefoot.gate.queue import Place, queue
from surefoot.graders.judges import items_of
from surefoot.io.writer import UNREADABLE, printable
from surefoot.ledger.places import run_id
from surefoot.records import Drawn, version_of
from surefoot.report.words import counted
from surefoot.store import DECISION, RunStore
from surefoot.text.normal import is_empty
from surefoot.types import Item

_AXIS = "factuality"
Key = tuple[str, int]  # question id and attempt


class Sheet(Struct, frozen=True):
    """One answer as it lies before a person. Answers that are the same to the letter are one sheet."""

    item: Item
    version: str
    run: str  # id

    @property
    def key(self) -> Key:
        return self.item.question.id, self.item.trace.attempt


class Pile(Struct, frozen=True):
    """All sheets of a run, in the run's order, and their queue."""

    name: str
    run: str
    sheets: tuple[Sheet, ...]
    places: tuple[Place, ...]
    notes: tuple[str, ...]


def pile_of(folder: Path, *, target: int, overlap: float, only_gate: bool = False) -> Pile:
    store = RunStore.open(folder)
    sheets = _sheets(store)
    verdicts, notes = _verdicts(store)
    asked_for = list(_label_next(folder))
    needed = {sheet.version: (sheet, drawn) for sheet, drawn in _needed(asked_for, folder, sheets)}
    everything = {sheet.version: sheet for sheet in sheets.values()}
    everything |= {version: sheet for version, (sheet, _) in needed.items()}
    if not everything:
        raise Incomplete(f"the run {printable(folder)} has no answer to label", "ask its questions first: surefoot run")
    places = queue(
        {version: verdicts.get(sheet.key) for version, sheet in everything.items()},
        {version: drawn for version, (_, drawn) in needed.items()},
        target=target, overlap=overlap, graded=bool(verdicts), seed=run_id(store.manifest),
    )  # fmt: skip
    if only_gate:
        places = [place for place in places if place.for_gate]
        if not places:
            hint = "compare the run first, or leave --only-gate out"
            raise Incomplete(f"the gate waits for no label on {printable(folder)}", hint)
    notes += _counts(store, sheets, asked_for, needed)
    return Pile(store.manifest.name, run_id(store.manifest), tuple(everything.values()), tuple(places), tuple(notes))


def _sheets(store: RunStore) -> dict[Key, Sheet]:
    """What has words in it, by question and attempt."""
    found: dict[str, Sheet] = {}
    by_key: dict[Key, Sheet] = {}
    run = run_id(store.manifest)
    for item in items_of(store.questions(), store.traces(), store.manifest.repeats):
        if item.trace.error or item.trace.answer is None or is_empty(item.trace.answer):
            continue
        version = version_of(item.question, item.trace)
        by_key[item.question.id, item.trace.attempt] = found.setdefault(version, Sheet(item, version, run))
    return by_key


def _counts(
    store: RunStore, sheets: Mapping[Key, Sheet], asked_for: Sequence[object], needed: Collection[str]
) -> Iterator[str]:
    """What is not put before people, and why."""
    yield from (str(problem) for problem in store.problems)
    if silent := store.manifest.question_count * store.manifest.repeats - len(sheets):
        yield f"missing, failed or empty, so left out: {counted(silent, 'answer')}"
    if same := len(sheets) - len({sheet.version for sheet in sheets.values()}):
        yield f"the same to the letter as another, so not asked for again: {counted(same, 'answer')}"
    if gone := len(asked_for) - len(needed):
        yield f"of the {len(asked_for)} answers that the gate waits for, {gone} cannot be found or equal another"


def _verdicts(store: RunStore) -> tuple[dict[tuple[str, int], str | None], list[str]]:
    """What the run's own grader said. It orders the queue and is shown to nobody."""
    grader = store.manifest.grader
    found = {
        (verdict.question_id, verdict.attempt): None if verdict.value is None else str(verdict.value)
        for verdict in store.verdicts()
        if verdict.axis == _AXIS and verdict.grader == grader
    }
    if not found:
        return {}, ["the run is not graded, so its answers come in random order"]
    if store.is_graded_otherwise():
        return {}, ["the answers have changed since they were graded, so they come in random order"]
    return found, []


def _label_next(folder: Path) -> Iterator[Mapping[str, object]]:
    """The answers whose labels would decide, as the last comparison of the run named them."""
    path = folder / DECISION
    if not path.exists():
        return
    try:
        content = msgspec.json.decode(path.read_bytes(), type=dict[str, object])
        yield from msgspec.convert(content.get("label_next") or [], list[dict[str, object]])
    except (*UNREADABLE, msgspec.ValidationError) as error:
        raise Incomplete(f"{printable(path)} cannot be read: {error}", "compare the run again") from error


def _needed(
    rows: Iterable[Mapping[str, object]], folder: Path, sheets: Mapping[Key, Sheet]
) -> Iterator[tuple[Sheet, Drawn]]:
    """Of this run, and of the others that it was compared with where they are still to be found."""
    elsewhere: dict[str, Mapping[Key, Sheet]] = {}
    for row in rows:
        known, other = sheets, str(row.get("run") or "")
        if other and Path(other).name != folder.resolve().name:
            if other not in elsewhere:
                elsewhere[other] = _other_run(folder, other)
            known = elsewhere[other]
        attempt = row.get("attempt", 1)
        sheet = known.get((str(row.get("question_id")), attempt if isinstance(attempt, int) else 1))
        if sheet is not None:
            drawn = row.get("drawn")
            yield sheet, "flagged" if drawn == "flagged" else "sample" if drawn == "sample" else "gate"


def _other_run(folder: Path, name: str) -> Mapping[Key, Sheet]:
    for place in (Path(name), folder.parent / name, folder.parent / Path(name).name):
        try:
            return _sheets(RunStore.open(place))
        except SurefootError:
            continue
    return {}
