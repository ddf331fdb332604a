"""All there is about a decision, copied into a folder: every run that it counted, and what the ledger says of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from surefoot import rubric
from surefoot.auditing import layout
from surefoot.auditing.decided import Decision, decision_in
from surefoot.auditing.layout import BASE, OTHERS, REPORTS, RUN
from surefoot.errors import SurefootError, UsageError
from surefoot.ledger import Ledger
from surefoot.ledger.moving import write_records
from surefoot.ledger.places import run_id, versions_of
from surefoot.records import RunEntry
from surefoot.store import MANIFEST, RunStore

_LONG_AGO = "1970-01-01T00:00:00+00:00"
Parts = Mapping[str, tuple[str, RunStore]]  # folder of the bundle -> what the decision calls the run, and the run


def gather(folder: Path, parts: Parts, ledger: Ledger | None, attached: Sequence[Path] = ()) -> None:
    _, run = parts[RUN]
    decision = decision_in(run.path)
    for part, (_, store) in parts.items():
        _copy_run(store, folder / part)
    _write_records(folder, parts, decision, ledger)
    _copy_rubric(folder, run)
    if decision is not None and decision.gate["rules"]:
        _keep(folder / layout.GATE, _toml(decision.gate))
    for path in attached:
        if not layout.can_be_attached(path.name):
            raise UsageError(f"{path.name!r} cannot be attached: not every system has such names", "rename it")
        if (folder / REPORTS / path.name).exists():
            raise UsageError(f"two files to attach are called {path.name}", "rename one of them")
        (folder / REPORTS).mkdir(exist_ok=True)
        shutil.copyfile(path, folder / REPORTS / path.name)


def parts_of(
    run: RunStore, base: Path | None, ledger: Ledger | None, teaching: Iterable[Path]
) -> dict[str, tuple[str, RunStore]]:
    """The run, the one it was compared with, and all others that had a part in the decision, as far as they are found.

    `teaching` are the runs whose labels tell how far the grader errs.
    """
    decision = decision_in(run.path)
    names = decision.names if decision else {}
    parts = {RUN: (names.get("cand", run.manifest.name), run)}
    named = base or (
        _place(names["base"], run, ledger) if decision and not decision.against_itself and "base" in names else None
    )
    if named is not None:
        parts[BASE] = (names.get("base", named.name), RunStore.open(named))
    seen = {store.path.resolve() for _, store in parts.values()}
    for name, place in _others(run, decision, ledger, teaching):
        if place.resolve() not in seen:
            seen.add(place.resolve())
            parts[f"{OTHERS}/{len(parts)}"] = (name, RunStore.open(place))
    return parts


def _others(
    run: RunStore, decision: Decision | None, ledger: Ledger | None, teaching: Iterable[Path]
) -> Iterator[tuple[str, Path]]:
    for name in [*decision.counted, *decision.without] if decision else ():
        if (place := _place(name, run, ledger)) is not None:
            yield name, place
    yield from ((place.name, place) for place in teaching)


def _place(name: str, run: RunStore, ledger: Ledger | None) -> Path | None:
    """Where a run lies that a decision calls so: where the ledger saw it last, or beside the candidate, or here."""
    said = Path(name)
    called = tuple(part for part in said.parts if part not in (".", ".."))
    known = [Path(entry.path) for entry in reversed(ledger.runs())] if ledger else []
    places = [place for place in known if called and place.parts[-len(called) :] == called]
    places += [place for place in known if place.name == said.name]
    places += [run.path.resolve().parent / said.name, said]
    return next((place for place in places if _is_run(place)), None)


def _is_run(place: Path) -> bool:
    try:
        return (place / MANIFEST).is_file() and bool(RunStore.open(place))
    except (OSError, SurefootError):
        return False


def _copy_run(store: RunStore, to: Path) -> None:
    to.mkdir(parents=True)
    for name in layout.RUN_FILES:
        if (store.path / name).is_file():
            shutil.copyfile(store.path / name, to / name)


def _write_records(folder: Path, parts: Parts, decision: Decision | None, ledger: Ledger | None) -> None:
    """What was known when it was decided, and apart from it what came later: else it could not be decided again."""
    until = decision.at if decision and decision.at else None
    runs = [_entry(part, store) for part, (_, store) in parts.items()]
    labels, steps = [], []
    if ledger is not None:
        lost = {Path(name).name for name in decision.without} if decision else set()
        runs += [entry for entry in ledger.runs() if entry.name in lost - {one.name for one in runs}]
        labels = ledger.labels(versions={v for _, store in parts.values() for v in versions_of(store).values()})
        steps = [step for step in ledger.steps() if until is None or step.at <= until]
    later = [label for label in labels if until is not None and label.at > until]
    before = [label for label in labels if until is None or label.at <= until]
    with (folder / layout.LEDGER).open("wb") as file:
        # A copy of a run is the same run.
        write_records(file, {"runs": list({run.id: run for run in runs}.values()), "labels": before, "steps": steps})
    if later:
        with (folder / layout.LATER).open("wb") as file:
            write_records(file, {"labels": later})


def _entry(part: str, store: RunStore) -> RunEntry:
    """A run as the ledger would have it if the bundle were unpacked here."""
    manifest = store.manifest
    return RunEntry(
        id=run_id(manifest), at=_LONG_AGO, name=manifest.name, path=part, manifest=msgspec.to_builtins(manifest)
    )


def _copy_rubric(folder: Path, run: RunStore) -> None:
    """As it was used: one that has changed since would mislead."""
    name, sha256 = run.manifest.rubric, run.manifest.rubric_sha256
    if name in rubric.bundled() and rubric.load(name).sha256 == sha256:
        _keep(folder / layout.RUBRIC, (files("surefoot") / "rubrics" / f"{name}.toml").read_bytes())


def _toml(tables: Mapping[str, Mapping[str, object]]) -> bytes:
    lines = [
        line for name, table in tables.items()
        for line in (f"[{name}]", *(f"{_text(key)} = {_text(value)}" for key, value in table.items()), "")
    ]  # fmt: skip
    return "\n".join(lines).encode()


def _text(value: object) -> str:
    """A text of JSON is a text of TOML."""
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")  # the one that TOML wants escaped


def _keep(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
