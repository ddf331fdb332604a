"""All there is about a run, copied into a folder: the run, the one it was compared with, and what the ledger says."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from surefoot import rubric
from surefoot.auditing.checking import records_in
from surefoot.auditing.layout import BASE, DECISION, GATE, LEDGER, REPORTS, RUBRIC, RUN, RUN_FILES, object_in
from surefoot.errors import UsageError
from surefoot.ledger import Ledger
from surefoot.ledger.moving import write_records
from surefoot.ledger.places import run_id, versions_of
from surefoot.store import MANIFEST, RunStore


def gather(
    folder: Path, run: RunStore, base: RunStore | None, ledger: Ledger | None, attached: Sequence[Path] = ()
) -> None:
    _copy_run(run, folder / RUN)
    if base is not None:
        _copy_run(base, folder / BASE)
    if ledger is not None:
        _copy_records(folder, ledger, [store for store in (run, base) if store is not None])
    _copy_rubric(folder, run)
    _write_rules(folder, run)
    for path in attached:
        if (folder / REPORTS / path.name).exists():
            raise UsageError(f"two files to attach are called {path.name}", "rename one of them")
        _keep(folder / REPORTS / path.name, path.read_bytes())


def base_of(run: RunStore, ledger: Ledger) -> RunStore | None:
    """The run that the newest decision compared this one with, if it still lies where the ledger saw it."""
    compared = [step.base_run for step in ledger.steps() if step.cand_run == run_id(run.manifest)]
    places = [entry.path for entry in ledger.runs() if compared and entry.id == compared[-1]]
    for place in reversed(places):
        if (Path(place) / MANIFEST).is_file() and run_id((store := RunStore.open(place)).manifest) == compared[-1]:
            return store
    return None


def _copy_run(store: RunStore, to: Path) -> None:
    to.mkdir(parents=True)
    for name in RUN_FILES:
        if (store.path / name).is_file():
            shutil.copyfile(store.path / name, to / name)


def _copy_records(folder: Path, ledger: Ledger, runs: Sequence[RunStore]) -> None:
    ids = {run_id(store.manifest) for store in runs}
    history = ledger.steps()
    programmes = {step.programme for step in history if {step.base_run, step.cand_run} & ids}
    steps = [step for step in history if step.programme in programmes]
    known = {store.manifest.grader for store in runs}, {step.certificate for step in steps}
    certificates = [found for found in ledger.certificates()[::-1] if found.grader in known[0] or found.id in known[1]]
    labels = ledger.labels(versions={version for store in runs for version in versions_of(store).values()})
    with (folder / LEDGER).open("wb") as file:
        write_records(file, {"labels": labels, "certificates": certificates, "steps": steps})


def _copy_rubric(folder: Path, run: RunStore) -> None:
    """As it was used: one that has changed since would mislead."""
    name, sha256 = run.manifest.rubric, run.manifest.rubric_sha256
    if name in rubric.bundled() and rubric.load(name).sha256 == sha256:
        _keep(folder / RUBRIC, (files("surefoot") / "rubrics" / f"{name}.toml").read_bytes())


def _write_rules(folder: Path, run: RunStore) -> None:
    """The rules as they were used, so that it can be decided again. A text of JSON is a text of TOML."""
    checks = object_in(folder / RUN / DECISION).get("checks")
    rules = {
        str(check.get("name")): str(check.get("rule"))
        for check in (checks if isinstance(checks, list) else [])
        if isinstance(check, dict)
    }
    if not rules:
        return
    lines = ["[rules]", *(f"{_text(name)} = {_text(rule)}" for name, rule in rules.items())]
    steps = [step for step in records_in(folder).steps if step.cand_run == run_id(run.manifest)]
    if steps and steps[-1].mode == "sequential":
        last = steps[-1]
        given = {"alpha": last.alpha, "margin": last.margin, "programme": last.programme, "mode": last.mode}
        lines += ["", "[sequential]", *(f"{key} = {_text(value)}" for key, value in given.items() if value is not None)]
    _keep(folder / GATE, "\n".join([*lines, ""]).encode())


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _keep(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
