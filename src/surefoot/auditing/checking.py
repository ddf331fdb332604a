"""What a bundle lacks, and whether its parts fit each other. The same when it is made and when it is verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.auditing.decided import decision_in
from surefoot.auditing.layout import GATE, LATER, LEDGER, REPORTS, RUBRIC, RUN
from surefoot.errors import SurefootError
from surefoot.ledger.moving import read_records
from surefoot.ledger.places import run_id, versions_of
from surefoot.records import Label, Step
from surefoot.store import DECISION, TRACES, VERDICTS, RunStore, fingerprint


class Records(Struct, frozen=True):
    """What a bundle has of the ledger, and what cannot be read of it."""

    labels: list[Label] = []
    steps: list[Step] = []
    fault: str = ""


def records_in(folder: Path, members: Sequence[str] = (LEDGER, LATER)) -> Records:
    tables: dict[str, list[Struct]] = {"labels": [], "steps": []}
    for member in members:
        if not (folder / member).exists():
            continue
        try:
            with (folder / member).open("rb") as file:
                found = read_records(file, member)
        except SurefootError as error:
            return Records(fault=error.message)
        for name, rows in tables.items():
            rows += found[name]
    return msgspec.convert(tables, Records)


def gaps_in(folder: Path, parts: Mapping[str, str]) -> list[str]:
    """What a reviewer may look for in vain."""
    records, decision = records_in(folder), decision_in(folder / RUN)
    there = {
        "answers: nothing was asked": (folder / RUN / TRACES).exists(),
        "verdicts: the run is not graded": (folder / RUN / VERDICTS).exists(),
        "decision: the run was not compared with another": (folder / RUN / DECISION).exists(),
        "labels: nobody has labelled these answers": records.labels,
        "history of the gate: the ledger has no decision": records.steps,
        "rules: there is no decision to take them from": (folder / GATE).exists(),
        "rubric: none is named, or it has changed since the run was graded": (folder / RUBRIC).exists(),
        "report: none was attached": (folder / REPORTS).exists(),
    }
    found = [f"no {words}" for words, is_there in there.items() if not is_there]
    lost = [name for name in decision.counted if name not in parts.values()] if decision else []
    return found + [f"no run {name}, which the decision counted: it is not where it was" for name in lost]


def remarks_on(folder: Path, parts: Mapping[str, str]) -> list[str]:
    """What does not fit together. Nothing, in a sound bundle of a sound run."""
    remarks, versions, runs = [], set[str](), set[str]()
    for part in parts:
        try:
            store = RunStore.open(folder / part)
            remarks += [f"{part}: {remark}" for remark in _remarks_on_run(store)]
            versions |= set(versions_of(store).values())
            runs.add(run_id(store.manifest))
        except SurefootError as error:
            remarks.append(f"{part}: {error.message}")
    remarks += _remarks_on_records(folder, versions, runs)
    return [remark.replace(f"{folder}/", "") for remark in remarks]


def _remarks_on_run(store: RunStore) -> Iterator[str]:
    manifest, questions = store.manifest, store.questions()
    asked = {question.id for question in questions}
    graded = store.verdicts()
    if fingerprint(questions) != manifest.questions_sha256:
        yield "the questions are not those that the manifest names"
    if store.is_graded_otherwise():
        yield "the verdicts are on other answers than these"
    elif graded and manifest.verdicts_sha256 not in ("", store.verdicts_sha256(manifest.grader)):
        yield f"the verdicts are not those that {manifest.grader} gave"
    if strays := {verdict.question_id for verdict in graded} - asked:
        yield f"there are verdicts on questions that were not asked, such as {min(strays)!r}"
    if strays := {str(trace.question_id) for trace in store.traces()} - asked:
        yield f"there are answers to questions that were not asked, such as {min(strays)!r}"
    for problem in store.problems:
        yield str(problem)


def _remarks_on_records(folder: Path, versions: set[str], runs: set[str]) -> Iterator[str]:
    records, decision = records_in(folder), decision_in(folder / RUN)
    if records.fault:
        yield records.fault
    for label in records.labels:
        if label.version not in versions:
            yield f"{LEDGER}: the label {label.id} is on an answer that is not in the bundle"
    if decision is None:
        if (folder / RUN / DECISION).exists():
            yield f"{RUN}/{DECISION}: it cannot be read"
        return
    own = [step for step in records.steps if step.cand_run in runs and step.base_run in runs]
    if own and decision.outcome not in {step.outcome for step in own}:
        yield f"{RUN}/{DECISION}: it says {decision.outcome}, and the gate's history says {own[-1].outcome}"
