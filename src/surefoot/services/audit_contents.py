"""What an audit bundle is made of: every run that the decision counted, and what the ledger knows of them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot import rubric
from surefoot.errors import UsageError
from surefoot.gate.rules import Rule
from surefoot.io.writer import printable
from surefoot.ledger import Ledger
from surefoot.ledger.exports import write_records
from surefoot.ledger.places import asking_id, folder_of, run_id
from surefoot.records import Certificate, Label, Purge, RunEntry, Score, Step
from surefoot.report.words import counted_rows
from surefoot.reviewers.rows import kept
from surefoot.services.decisions import KeptDecision, decision_in
from surefoot.services.runs import is_run
from surefoot.services.versions import labelled_alike
from surefoot.store import DECISION, MANIFEST, QUESTIONS, TRACES, VERDICTS, RunStore, fingerprint

RUN, BASE, OTHERS, ATTACHED = "run", "base", "others", "attached"
LEDGER, LATER = "ledger.jsonl", "later.jsonl"
GATE, RUBRIC = "rules/gate.toml", "rules/rubric.toml"
_LONG_AGO = "1970-01-01T00:00:00+00:00"


class Part(Struct, frozen=True):
    """A run in the bundle: what the decision calls it, and what it was in the decision."""

    name: str
    role: str
    store: RunStore


class Contents(Struct, frozen=True, kw_only=True):
    runs: Mapping[str, Part]  # by folder in the bundle
    decision: KeptDecision | None
    entries: Sequence[RunEntry]
    labels: Sequence[Label]  # known at the decision
    later: Sequence[Label]
    certificates: Sequence[Certificate]
    steps: Sequence[Step]
    scores: Mapping[str, Sequence[Score]]  # of councils, by folder in the bundle
    purges: Sequence[Purge]
    attached: Mapping[str, Path]

    @property
    def lost(self) -> list[str]:
        """Runs that the decision counted and that are not where they were."""
        there = {part.name for part in self.runs.values()}
        return [name for name in counted_by(self.decision) if name not in there] if self.decision else []

    def members(self) -> dict[str, Path | bytes]:
        names = (MANIFEST, QUESTIONS, TRACES, VERDICTS, DECISION)
        places = {f"{folder}/{name}": part.store.path / name for folder, part in self.runs.items() for name in names}
        found: dict[str, Path | bytes] = {name: path for name, path in places.items() if path.is_file()}
        scores = [score for some in self.scores.values() for score in some]
        until = until_when(self.decision)
        known: dict[str, Sequence[Struct]] = {
            "labels": self.labels, "certificates": self.certificates, "steps": self.steps,
            "scores": [score for score in scores if score.at <= until],
        }  # fmt: skip
        known |= {"purges": self.purges} if self.purges else {}
        later = {"labels": self.later, "scores": [score for score in scores if score.at > until]}
        found[LEDGER] = _lines({"runs": self.entries, **known})
        found[LATER] = _lines(later) if any(later.values()) else b""
        found[GATE] = gate_file(self.decision) if self.decision else b""
        found[RUBRIC] = _rubric_of(self.runs[RUN].store)
        found |= {f"{ATTACHED}/{name}": path for name, path in self.attached.items()}
        return {name: source for name, source in sorted(found.items()) if source != b""}

    def gaps(self, members: Mapping[str, object]) -> list[str]:
        """What a reviewer may look for in vain."""
        there = {
            "answers: nothing was asked": f"{RUN}/{TRACES}" in members,
            "verdicts: the run is not graded": f"{RUN}/{VERDICTS}" in members,
            "decision: the run was not compared with another": f"{RUN}/{DECISION}" in members,
            "labels: nobody has labelled these answers": self.labels or self.later,
            "history of the gate: the ledger has no decision": self.steps,
            "rules: there is no decision to take them from": GATE in members,
            "rubric: none is named, or it has changed since the run was graded": RUBRIC in members,
            "report: none was attached": self.attached,
        }
        found = [f"no {words}" for words, is_there in there.items() if not is_there]
        found += [f"purged by {one.by} at {one.at}: {counted_rows(one.rows)}" for one in self.purges]
        return found + [f"no run {name}, which the decision counted: it is not where it was" for name in self.lost]

    def remarks(self) -> list[str]:
        """What does not fit together. Nothing, for a sound run."""
        found = [f"{folder}: {words}" for folder, part in self.runs.items() for words in _remarks_on(part.store)]
        for folder, part in self.runs.items():
            if _differs(part.store, self.scores.get(folder, ())):
                found.append(f"{folder}: the scores of {part.store.manifest.council} are not those in the ledger")
        if self.decision is None:
            is_there = (self.runs[RUN].store.path / DECISION).exists()
            return [*found, f"{RUN}/{DECISION}: it cannot be read"] if is_there else found
        ids = {run_id(part.store.manifest) for part in self.runs.values()}
        kept = [step.outcome for step in self.steps if step.cand_run in ids and step.base_run in ids]
        if kept and self.decision.outcome not in kept:
            words = f"it says {self.decision.outcome}, and the gate's history says {kept[-1]}"
            found.append(f"{RUN}/{DECISION}: {words}")
        return found


def collect(run: RunStore, base: Path | None, ledger: Ledger | None, attached: Sequence[Path]) -> Contents:
    """All there is about the decision on a run."""
    decision = decision_in(run.path)
    until = until_when(decision)
    runs = _parts(run, base, decision, ledger, until)
    entries = [_entry(folder, part.store) for folder, part in runs.items()]
    labels, certificates, steps, purges = list[Label](), list[Certificate](), list[Step](), list[Purge]()
    scores: dict[str, list[Score]] = {}
    if ledger is not None:
        left_out = {Path(name).name for name in decision.without} if decision else set()
        entries += [one for one in ledger.runs() if one.name in left_out - {entry.name for entry in entries}]
        labels = ledger.labels(versions={v for part in runs.values() for v in part.store.versions().values()})
        certificates = ledger.certificates(run.manifest.grader)[::-1] if run.manifest.grader else []
        steps, purges = ledger.steps(), ledger.purges()
        scores = {folder: ledger.scores(asking_id(part.store.manifest)) for folder, part in runs.items()}
    return Contents(
        runs=runs, decision=decision, attached=_attached(attached),
        entries=list({entry.id: entry for entry in entries}.values()),  # a copy of a run is the same run
        labels=[label for label in labels if label.at <= until],
        later=[label for label in labels if label.at > until],
        certificates=[one for one in certificates if one.at <= until],
        steps=[step for step in steps if step.at <= until],
        scores=scores,
        purges=purges,
    )  # fmt: skip


def _parts(
    run: RunStore, base: Path | None, decision: KeptDecision | None, ledger: Ledger | None, until: str
) -> dict[str, Part]:
    """The run, the one it was compared with, and all others that had a part in the decision and can be found."""
    names, roles = (decision.names, counted_by(decision)) if decision else ({}, {})
    found = {RUN: Part(names.get("cand", run.manifest.name), roles.get(names.get("cand", ""), ""), run)}
    if base is None and decision and "base" in names and not decision.against_itself:
        base = _place(names["base"], run, ledger)
    if base is not None:
        found[BASE] = Part(names.get("base", base.name), "the baseline", RunStore.open(base))
    others = [(name, role, _place(name, run, ledger)) for name, role in roles.items()]
    for name, reason in decision.without.items() if decision else ():
        others.append((name, f"left out: {reason}", _place(name, run, ledger)))
    for alike in labelled_alike(ledger, run.manifest, until) if ledger else ():
        others.append((alike.name, "labels on its answers tell how far the grader errs", alike))
    for name, role, place in others:
        if place and place.resolve() not in {part.store.path.resolve() for part in found.values()}:
            found[f"{OTHERS}/{len(found)}"] = Part(name, role, RunStore.open(place))
    return found


def _place(name: str, run: RunStore, ledger: Ledger | None) -> Path | None:
    """Where a run lies that a decision calls so: as the ledger knows it, or beside the candidate, or here."""
    alike = [entry for entry in reversed(ledger.runs()) if Path(entry.path).name == Path(name).name] if ledger else []
    alike.sort(key=lambda entry: not entry.path.endswith(name.lstrip("./")))
    known = (folder_of(entry, ledger) for entry in alike if ledger)
    unknown = (run.path.resolve().parent / Path(name).name, Path(name))
    return next((place for place in (*known, *unknown) if place and is_run(place)), None)


def _entry(folder: str, store: RunStore) -> RunEntry:
    """A run as the ledger would have it if the bundle were unpacked here."""
    manifest = store.manifest
    fields = msgspec.to_builtins(manifest)
    return RunEntry(id=run_id(manifest), at=_LONG_AGO, name=manifest.name, path=folder, manifest=fields)


def _attached(paths: Sequence[Path]) -> dict[str, Path]:
    for path in paths:
        if not path.name.isprintable() or "\\" in path.name:
            raise UsageError(f"{path.name!r} cannot be attached: not every system has such names", "rename it")
        if [other.name for other in paths].count(path.name) > 1:
            raise UsageError(f"two files to attach are called {path.name}", "rename one of them")
    return {path.name: path for path in paths}


def _rubric_of(run: RunStore) -> bytes:
    """As it was used: one that has changed since would mislead."""
    name, sha256 = run.manifest.rubric, run.manifest.rubric_sha256
    if name not in rubric.bundled() or rubric.load(name).sha256 != sha256:
        return b""
    return rubric.text_of(name).encode()


def _lines(tables: Mapping[str, Sequence[Struct]]) -> bytes:
    file = io.BytesIO()
    write_records(file, tables)
    return file.getvalue()


def counted_by(decision: KeptDecision) -> dict[str, str]:
    """All runs that a decision needs, and as what."""
    sides = {"base": "the baseline", "cand": "the candidate"}
    others = {name: f"counted with {role}" for side, role in sides.items() for name in decision.runs.get(side, ())}
    return others | {decision.names[side]: role for side, role in sides.items() if side in decision.names}


def gate_file(decision: KeptDecision) -> bytes:
    """The rules as they were used."""
    change = {"alpha": decision.alpha, "margin": decision.margin, "claim": decision.claim}
    tables: dict[str, dict[str, float | str]] = {
        "rules": {check.name: check.rule for check in decision.checks if _is_rule(check.rule)},
        "change": {key: value for key, value in change.items() if value is not None},
    }
    lines = []
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{_toml(key)} = {_toml(value)}" for key, value in table.items()), ""]
    return "\n".join(lines).encode() if tables["rules"] else b""


def _is_rule(text: str) -> bool:
    """A self-check of the grader is among the checks too, but in no gate file."""
    try:
        return bool(Rule.parse(text))
    except UsageError:
        return False


def _toml(value: object) -> str:
    """A text of JSON is a text of TOML, but for one character that TOML wants escaped."""
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


def until_when(decision: KeptDecision | None) -> str:
    return decision.at if decision and decision.at else "9999"


def _differs(store: RunStore, known: Sequence[Score]) -> bool:
    """Whether the ledger has heard of the run's council, and not what the run says that it said."""
    heard, council = {score.id for score in known}, store.manifest.council
    if not council or not any(score.grader == council for score in known):
        return False
    return any(score.id not in heard for score in kept(store.verdicts(), known[0].run, store.versions(), ""))


def _remarks_on(store: RunStore) -> Iterator[str]:
    manifest, questions, graded = store.manifest, store.questions(), store.verdicts()
    if fingerprint(questions) != manifest.questions_sha256 and not manifest.purged:
        yield "the questions are not those that the manifest names"
    if store.is_graded_otherwise():
        yield "the verdicts are on other answers than these"
    elif graded and manifest.verdicts_sha256 not in ("", store.verdicts_sha256(manifest.grader)):
        yield f"the verdicts are not those that {manifest.grader} gave"
    if manifest.council and manifest.council_verdicts_sha256 != store.verdicts_sha256(manifest.council):
        yield f"the scores are not those that {manifest.council} gave"
    asked = {question.id for question in questions}
    given = {one.question_id for one in graded} | {str(trace.question_id) for trace in store.traces()}
    if strays := given - asked:
        yield f"there are rows on questions that were not asked, such as {min(strays)!r}"
    for problem in store.problems:
        yield str(problem).replace(f"{printable(store.path)}/", "")
