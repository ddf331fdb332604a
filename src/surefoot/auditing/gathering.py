"""All there is about a run, copied into a folder: the run, the one it was compared with, and what the ledger says."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from surefoot import rubric
from surefoot.auditing.decided import certificate_of, decision_in, known_until, settings_of, step_of
from surefoot.auditing.layout import (
    BASE,
    GATE,
    LATER,
    LEDGER,
    REPORTS,
    RUBRIC,
    RUN,
    RUN_FILES,
    fault_in_name,
)
from surefoot.errors import UsageError
from surefoot.ledger import Ledger
from surefoot.ledger.moving import write_records
from surefoot.ledger.places import run_id, versions_of
from surefoot.records import Certificate, Label, Step
from surefoot.store import MANIFEST, RunStore


def gather(
    folder: Path, run: RunStore, base: RunStore | None, ledger: Ledger | None, attached: Sequence[Path] = ()
) -> None:
    _copy_run(run, folder / RUN)
    if base is not None:
        _copy_run(base, folder / BASE)
    step = None if ledger is None else step_of(run, ledger)
    if ledger is not None:
        _copy_records(folder, ledger, [store for store in (run, base) if store is not None], step)
    _copy_rubric(folder, run)
    _write_rules(folder, step)
    for path in attached:
        if fault := fault_in_name(path.name):
            raise UsageError(f"{path.name!r} cannot be attached: {fault}", "rename it")
        if (folder / REPORTS / path.name).exists():
            raise UsageError(f"two files to attach are called {path.name}", "rename one of them")
        (folder / REPORTS).mkdir(exist_ok=True)
        shutil.copyfile(path, folder / REPORTS / path.name)


def base_of(run: RunStore, ledger: Ledger) -> RunStore | None:
    """The run that the decision compared this one with, if it still lies where the ledger saw it."""
    if (step := step_of(run, ledger)) is None:
        return None
    for place in reversed([entry.path for entry in ledger.runs() if entry.id == step.base_run]):
        if (Path(place) / MANIFEST).is_file() and run_id((store := RunStore.open(place)).manifest) == step.base_run:
            return store
    return None


def _copy_run(store: RunStore, to: Path) -> None:
    to.mkdir(parents=True)
    for name in RUN_FILES:
        if (store.path / name).is_file():
            shutil.copyfile(store.path / name, to / name)


def _copy_records(folder: Path, ledger: Ledger, runs: Sequence[RunStore], step: Step | None) -> None:
    """What was known when it was decided, and apart from it what came later: else it could not be decided again."""
    decision = decision_in(folder / RUN)
    until = None if step is None else known_until(decision, step)
    ids = {run_id(store.manifest) for store in runs}
    history = [one for one in ledger.steps() if until is None or one.at <= until]
    programmes = {one.programme for one in history if {one.base_run, one.cand_run} & ids}
    steps = [one for one in history if one.programme in programmes]
    known = {store.manifest.grader for store in runs}, {one.certificate for one in steps}
    certificates = [found for found in ledger.certificates()[::-1] if found.grader in known[0] or found.id in known[1]]
    certificates += certificate_of(decision, certificates)
    labels = ledger.labels(versions={version for store in runs for version in versions_of(store).values()})
    tables: dict[str, Sequence[Label] | Sequence[Certificate]] = {"labels": labels, "certificates": certificates}
    later = {name: [row for row in rows if until is not None and row.at > until] for name, rows in tables.items()}
    before = {name: [row for row in rows if until is None or row.at <= until] for name, rows in tables.items()}
    with (folder / LEDGER).open("wb") as file:
        write_records(file, {**before, "steps": steps})
    if any(later.values()):
        with (folder / LATER).open("wb") as file:
            write_records(file, later)


def _copy_rubric(folder: Path, run: RunStore) -> None:
    """As it was used: one that has changed since would mislead."""
    name, sha256 = run.manifest.rubric, run.manifest.rubric_sha256
    if name in rubric.bundled() and rubric.load(name).sha256 == sha256:
        _keep(folder / RUBRIC, (files("surefoot") / "rubrics" / f"{name}.toml").read_bytes())


def _write_rules(folder: Path, step: Step | None) -> None:
    """The rules as they were used, so that it can be decided again."""
    decision = decision_in(folder / RUN)
    if decision is None or not decision.rules:
        return
    tables: dict[str, Mapping[str, object]] = {"rules": decision.rules, "sequential": settings_of(decision, step)}
    lines = [
        line for name, table in tables.items()
        for line in (f"[{name}]", *(f"{_text(key)} = {_text(value)}" for key, value in table.items()), "")
    ]  # fmt: skip
    _keep(folder / GATE, "\n".join(lines).encode())


def _text(value: object) -> str:
    """A text of JSON is a text of TOML."""
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")  # the one that TOML wants escaped


def _keep(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
