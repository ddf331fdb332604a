"""Which runs make up the two versions that are compared: all that the ledger knows, unless one is left out by name.

Whoever could choose among the runs of a version could run it again until one looks good.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.errors import Incomplete, UsageError
from surefoot.gate.metrics import Value
from surefoot.gate.sides import Run, apply_labels, some
from surefoot.io.writer import printable
from surefoot.ledger import Ledger
from surefoot.ledger.places import asking_of, entry_of, folder_of
from surefoot.records import RunEntry, corpus_of
from surefoot.services.runs import read_run
from surefoot.store import Manifest, RunStore

_WEIGHT, _MOST_EARLIER = 0.5, 30.0  # what a label on another answer counts, and all of them together


class Versions(Struct, frozen=True):
    """Folders of the runs of both versions, the one that was named last."""

    base: tuple[Path, ...]
    cand: tuple[Path, ...]
    notes: tuple[str, ...] = ()  # what whoever decides has to know
    asides: tuple[str, ...] = ()  # what there is besides
    left_out: tuple[str, ...] = ()  # by name, with the reason

    @property
    def key(self) -> tuple[str, str]:
        """What the two are called in the ledger."""
        return version_in(RunStore.open(self.base[-1]).manifest), version_in(RunStore.open(self.cand[-1]).manifest)

    @property
    def grader(self) -> str:
        return RunStore.open(self.cand[-1]).manifest.grader or ""

    @property
    def answers(self) -> tuple[str, str]:
        """A hash of all that each of them said: a decision on the same answers is the same look."""
        return _hash(self.base), _hash(self.cand)


def version_in(manifest: Manifest) -> str:
    """What a version is called; where nobody named it, a pipeline whose code and prompt are the same is the same."""
    if manifest.version:
        return manifest.version
    told = [manifest.code_sha256, manifest.versions.get("prompt", "")]
    return f"{manifest.pipeline} {'+'.join(part.removeprefix('sha256:')[:8] for part in told if part)}".strip()


def versions_of(ledger: Ledger, base: Path, cand: Path, without: Mapping[str, str], *, register: bool) -> Versions:
    """All complete runs of both versions. One that is lost, or not graded alike, has to be left out by name.

    A run against itself stands for itself alone. `register`: the ledger is to know both runs from now on.
    """
    stores = RunStore.open(base), RunStore.open(cand)
    for store in stores if register else ():
        ledger.add_run(entry_of(store))
    first, second = (store.manifest for store in stores)
    names, named = {version_in(first), version_in(second)}, {asking_of(first), asking_of(second)}
    is_itself = base.resolve() == cand.resolve()
    known = [one for one in known_runs(ledger, base, cand) if one.asking in named or not is_itself]
    for one in known:
        if {version_in(one.registered), version_in(one.manifest)} & names:
            _check_unchanged(one)
    others = [one for one in known if one.asking not in named]
    out = _left_out(without, others)
    mine = [one for one in others if version_in(one.manifest) in names]
    told = tuple(_in_words(name, reason, mine) for name, reason in without.items())
    notes, asides, kept = [f"left out: {one}" for one in told], list[str](), []
    for one in mine:
        if one.entry.name in out:
            continue
        if one.manifest.questions_sha256 not in (first.questions_sha256, second.questions_sha256):
            told_of, drops_some = _other_questions(one, stores[0])
            (notes if drops_some else asides).append(told_of)
        elif one.manifest.deterministic and one.folder is None:
            notes.append(f"not counted: {one.entry.name}, which is lost; it was deterministic, and so said the same")
        else:
            kept.append((one, _found(one, first)))
    notes += _changed_by_hand([*stores, *(RunStore.open(folder) for _, folder in kept)])
    notes += _of_other_code([*(one.manifest for one, _ in kept), first, second])
    before, after = _split_by_version(kept, first, second)
    if len(names) == 1 and kept:
        parted = "its runs up to the earlier of the two make one version, later ones the other"
        notes.append(f"both are {version_in(first)}: {parted}; name versions with run --version")
    return Versions((*before, base), (*after, cand), tuple(notes), tuple(asides), told)


class KnownRun(Struct, frozen=True):
    """A run that the ledger knows, where it lies now if it still does."""

    entry: RunEntry
    ids: frozenset[str]  # it gets another each time it is graded
    manifest: Manifest
    folder: Path | None
    registered: Manifest  # as it was first

    @property
    def asking(self) -> tuple[str, ...]:
        return asking_of(self.manifest)


def known_runs(ledger: Ledger, *beside: Path) -> Iterator[KnownRun]:
    """Each run once, in the order in which they were made."""
    entries: dict[tuple[str, ...], list[tuple[RunEntry, Manifest]]] = {}
    for entry in ledger.runs():
        try:
            manifest = msgspec.convert(entry.manifest, Manifest)
        except msgspec.ValidationError:
            continue  # of a later version of Surefoot, or of none
        entries.setdefault(asking_of(manifest), []).append((entry, manifest))
    for _, rows in sorted(entries.items(), key=lambda one: (one[1][0][1].created, one[0])):
        entry, manifest = rows[-1]
        folder = next(filter(None, (folder_of(row, ledger, beside) for row, _ in reversed(rows))), None)
        ids = frozenset(row.id for row, _ in rows)
        yield KnownRun(entry, ids, RunStore.open(folder).manifest if folder else manifest, folder, rows[0][1])


def _check_unchanged(one: KnownRun) -> None:
    """What a run was when it was registered, it stays."""
    for name in ("version", "code_sha256", "deterministic"):
        was, now = getattr(one.registered, name), getattr(one.manifest, name)
        if was != now:
            message = f"the run {one.entry.name} was registered with {name} {was!r}, and it is {now!r} now"
            raise Incomplete(message, "put its manifest.json back as it was, or run again under another name")


def _changed_by_hand(stores: Iterable[RunStore]) -> Iterator[str]:
    """Answers that are not as they came, or gone, graded again or not: whoever decides has to know."""
    for store in stores:
        came = store.manifest.answers_sha256
        if came and came != store.answers_sha256():
            yield f"the answers of {store.manifest.name} were changed by hand after it was run"
        yield from (f"answers of {store.manifest.name} were purged, {words}" for words in store.manifest.purged)


def _of_other_code(manifests: Iterable[Manifest]) -> Iterator[str]:
    """A version is one pipeline: where it is not, whoever decides has to know."""
    made: dict[str, dict[tuple[str, str], str]] = {}
    for one in manifests:
        made.setdefault(version_in(one), {}).setdefault((one.pipeline, one.code_sha256), one.name)
    for version, by_code in made.items():
        if len(by_code) > 1:
            yield f"runs of {version} are of different pipelines or code: {', '.join(by_code.values())}"


def _left_out(without: Mapping[str, str], others: Iterable[KnownRun]) -> set[str]:
    known = {one.entry.name for one in others}
    for name in without:
        if Path(name).name not in known:
            hint = f"there are {', '.join(sorted(known))}" if known else "no other run counts here"
            raise UsageError(f"no run named {name} can be left out", hint)
    return {Path(name).name for name in without}


def _in_words(name: str, reason: str, runs: Iterable[KnownRun]) -> str:
    """A name may be that of several runs, one made where the other was."""
    count = sum(one.entry.name == Path(name).name for one in runs)
    return f"{name}{f', {count} runs of this name' if count > 1 else ''} ({reason})"


def _found(one: KnownRun, like: Manifest) -> Path:
    what = f"the run {one.entry.name} of {version_in(one.manifest)} belongs to this decision"
    without = f"leave it out with --without {one.entry.name} --reason TEXT, which every decision will say"
    if one.folder is None:
        hint = f"put it back, or a copy beside the others, or {without}"
        raise Incomplete(f"{what} and is no longer at {one.entry.path}", hint)
    if (one.manifest.grader, one.manifest.rubric_sha256) != (like.grader, like.rubric_sha256):
        hint = f"surefoot grade {printable(one.folder)}, or {without}"
        raise Incomplete(f"{what} and is not graded by {like.grader}", hint)
    return one.folder


def _other_questions(one: KnownRun, asked: RunStore) -> tuple[str, bool]:
    """What a version was asked before, and whether questions were dropped since, which a decision has to say."""
    name, count = one.folder.name if one.folder else one.entry.name, one.manifest.question_count
    note = f"not counted: {name}, which was asked another question set"
    ids = {question.id for question in asked.questions()}
    missing = sorted({q.id for q in RunStore.open(one.folder).questions()} - ids) if one.folder else []
    if missing:
        return f"{note}; {len(missing)} of its {count} questions are missing here: {some(missing)}", True
    here = asked.manifest.question_count
    return f"{note} (of {count} questions, where here there are {here})", count > here


def _split_by_version(
    kept: Sequence[tuple[KnownRun, Path]], base: Manifest, cand: Manifest
) -> tuple[list[Path], list[Path]]:
    """By version. Two runs of one version part its runs in time: what came after the earlier is another version."""
    sides: tuple[list[Path], list[Path]] = [], []
    for one, folder in kept:
        if version_in(base) == version_in(cand):
            is_late = one.manifest.created > min(base.created, cand.created)
            is_cand = is_late == (base.created <= cand.created)
        else:
            is_cand = version_in(one.manifest) == version_in(cand)
        sides[is_cand].append(folder)
    return sides


def _hash(folders: Iterable[Path]) -> str:
    told = sorted({_answers(RunStore.open(folder)) for folder in folders})
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _answers(store: RunStore) -> str:
    return store.manifest.graded_sha256 or store.answers_sha256()


def read_all(folders: Iterable[Path], ledger: Ledger) -> list[Run]:
    """The runs with the labels on their answers in place."""
    runs = [read_run(folder) for folder in folders]
    versions = {version for run in runs for version in run.versions.values()}
    labels = ledger.labels(versions=versions) if versions else []
    for run in runs:
        apply_labels(run, labels)
    return runs


def earlier_labels(ledger: Ledger, chosen: Versions, runs: Sequence[Run]) -> dict[str, dict[Value, dict[Value, float]]]:
    """What people said of other answers by the same grader over the same documents: axis -> verdict -> label."""
    known = {version for run in runs for version in run.versions.values()}
    used = {folder.resolve() for folder in (*chosen.base, *chosen.cand)}
    found: dict[str, dict[Value, dict[Value, float]]] = {}
    seen: set[tuple[str, str]] = set()
    for folder in labelled_alike(ledger, RunStore.open(chosen.cand[-1]).manifest):
        if folder.resolve() in used:
            continue
        for run in read_all([folder], ledger):
            graded = {((v.question_id, v.attempt), v.axis): v.value for v in run.counted()}
            for place in run.drawn:
                version, verdict = run.versions[place[0]], graded.get(place)
                if version in known or (version, place[1]) in seen or verdict is None:
                    continue
                seen.add((version, place[1]))
                labels = found.setdefault(place[1], {}).setdefault(verdict, {})
                said = run.labels[place].value
                if said is not None:
                    labels[said] = labels.get(said, 0) + _WEIGHT
    return {axis: _at_most(tables) for axis, tables in found.items()}


def labelled_alike(ledger: Ledger, like: Manifest, until: str | None = None) -> Iterator[Path]:
    """The runs on which people had said something by then, of the grader of another and over the same documents."""
    labelled = {label.run for label in ledger.labels() if until is None or label.at <= until}
    for one in known_runs(ledger):
        if one.folder is not None and one.ids & labelled and _read_by(one.manifest) == _read_by(like):
            yield one.folder


def labelled_beside(ledger: Ledger, folder: Path, others: Iterable[Path] = ()) -> list[str]:
    """The other runs that people have labelled and that can be calibrated with this one, as one would type them."""
    own = {Path(run).resolve() for run in (folder, *others)}
    alike = labelled_alike(ledger, RunStore.open(folder).manifest)
    return [min(os.path.relpath(one), str(one), key=len) for one in alike if one.resolve() not in own]


def _read_by(manifest: Manifest) -> tuple[str | None, str, str]:
    return manifest.grader, manifest.rubric_sha256, corpus_of(manifest.corpus_sha256, manifest.questions_sha256)


def _at_most(tables: dict[Value, dict[Value, float]]) -> dict[Value, dict[Value, float]]:
    total = sum(sum(labels.values()) for labels in tables.values())
    scale = min(1.0, _MOST_EARLIER / total) if total else 1.0
    return {verdict: {label: count * scale for label, count in labels.items()} for verdict, labels in tables.items()}
