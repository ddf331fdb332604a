"""Which runs make up the two versions that are compared: all of them, unless one is left out by name.

All runs of a version count; otherwise you could rerun until one looks good.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from surefoot.errors import Incomplete, UsageError
from surefoot.gate.metrics import Value
from surefoot.gate.sides import Run as ReadRun
from surefoot.gate.sides import some
from surefoot.records import corpus_of
from surefoot.services.runs import read_all
from surefoot.store import Manifest, Project, Run

_WEIGHT, _MOST_EARLIER = 0.5, 30.0  # what a label on another answer counts, and all of them together


class Versions(Struct, frozen=True):
    """The runs of both versions, the one that was named last."""

    base: tuple[Run, ...]
    cand: tuple[Run, ...]
    notes: tuple[str, ...] = ()
    not_counted: tuple[str, ...] = ()  # runs that were asked fewer questions, or are not finished
    left_out: tuple[str, ...] = ()  # by name, with the reason

    @property
    def key(self) -> tuple[str, str]:
        return self.base[-1].version, self.cand[-1].version

    @property
    def grader(self) -> str:
        return self.cand[-1].manifest.grader or ""

    @property
    def answers(self) -> tuple[str, str]:
        """A hash of all that each of them said: a decision on the same answers is the same look."""
        return _hash(self.base), _hash(self.cand)


def versions_of(project: Project, base: Run, cand: Run, without: Mapping[str, str]) -> Versions:
    """All finished runs of both versions. One that is not graded alike has to be left out by name.

    A run against itself stands for itself alone.
    """
    named, names = {base.id, cand.id}, {base.version, cand.version}
    others = [] if base.id == cand.id else [run for run in project.runs(*names) if run.id not in named]
    for name in without:
        if name not in {run.id for run in others}:
            hint = f"there are {', '.join(run.id for run in others)}" if others else "no other run counts here"
            raise UsageError(f"no run {name} can be left out", hint)
    left_out = tuple(f"{name} ({reason})" for name, reason in without.items())
    notes, kept, skipped = [f"left out: {one}" for one in left_out], [], list[str]()
    for run in others:
        if run.id in without:
            continue
        if not run.manifest.finished:
            skipped.append(f"{_called(run)}, which is not finished")
        elif run.manifest.questions_sha256 not in (base.manifest.questions_sha256, cand.manifest.questions_sha256):
            dropped, words = _other_questions(run, base)
            (notes if dropped else skipped).append(words)
        else:
            _check_graded_alike(run, base.manifest)
            kept.append(run)
    notes += [
        f"answers of {run.id} were purged, {words}" for run in (*kept, base, cand) for words in run.manifest.purged
    ]
    notes += _of_other_code([*(run.manifest for run in kept), base.manifest, cand.manifest])
    before, after = _split_by_version(kept, base, cand)
    if len(names) == 1 and kept:
        parted = "its runs up to the earlier of the two make one version, later ones the other"
        notes.append(f"both are {base.version}: {parted}; name versions with run --version")
    return Versions((*before, base), (*after, cand), tuple(notes), tuple(skipped), left_out)


def _of_other_code(manifests: Iterable[Manifest]) -> Iterator[str]:
    """A version is one pipeline: where it is not, whoever decides has to know."""
    made: dict[str, dict[tuple[str, str], str]] = {}
    for one in manifests:
        made.setdefault(one.version, {}).setdefault((one.pipeline, one.code_sha256), one.id)
    for version, by_code in made.items():
        if len(by_code) > 1:
            yield f"runs of {version} are of different pipelines or code: {', '.join(by_code.values())}"


def _check_graded_alike(run: Run, like: Manifest) -> None:
    if (run.manifest.grader, run.manifest.rubric_sha256) != (like.grader, like.rubric_sha256):
        without = f"leave it out with --without {run.id} --reason TEXT, which every decision will say"
        message = f"the run {run.id} of {run.version} belongs to this decision and is not graded by {like.grader}"
        raise Incomplete(message, f"surefoot grade {run.id}, or {without}")


def _called(run: Run) -> str:
    return f"{run.id}, made {run.manifest.created[:16].replace('T', ' ')}"


def _other_questions(run: Run, asked: Run) -> tuple[bool, str]:
    """What a version was asked before: the decision itself has to say so when the hard questions were dropped."""
    note, count = f"{_called(run)}, which was asked another question set", run.manifest.question_count
    missing = sorted({q.id for q in run.questions()} - {q.id for q in asked.questions()})
    if missing:
        return True, f"not counted: {note}; {len(missing)} of its {count} questions are missing here: {some(missing)}"
    return False, f"{note} (of {count} questions, where here there are {asked.manifest.question_count})"


def _split_by_version(kept: Sequence[Run], base: Run, cand: Run) -> tuple[list[Run], list[Run]]:
    """By version. Two runs of one version part its runs in time: what came after the earlier is another version."""
    sides: tuple[list[Run], list[Run]] = [], []
    for run in kept:
        if base.version == cand.version:
            is_late = run.manifest.created > min(base.manifest.created, cand.manifest.created)
            is_cand = is_late == (base.manifest.created <= cand.manifest.created)
        else:
            is_cand = run.version == cand.version
        sides[is_cand].append(run)
    return sides


def _hash(runs: Iterable[Run]) -> str:
    said = sorted({repr(sorted(run.answer_keys().items())) for run in runs})
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def earlier_labels(
    project: Project, chosen: Versions, runs: Sequence[ReadRun]
) -> dict[str, dict[Value, dict[Value, float]]]:
    """What people said of other answers by the same grader over the same documents: axis -> verdict -> label."""
    known = {key for run in runs for key in run.versions.values()}
    used = {run.id for run in (*chosen.base, *chosen.cand)}
    found: dict[str, dict[Value, dict[Value, float]]] = {}
    seen: set[tuple[str, str]] = set()
    others = [run for run in labelled_alike(project, chosen.cand[-1].manifest) if run.id not in used]
    for run in read_all(project, others):
        graded = {((v.question_id, v.attempt), v.axis): v.value for v in run.counted()}
        for place in run.drawn:
            key, verdict = run.versions[place[0]], graded.get(place)
            if key in known or (key, place[1]) in seen or verdict is None:
                continue
            seen.add((key, place[1]))
            labels = found.setdefault(place[1], {}).setdefault(verdict, {})
            said = run.labels[place].value
            if said is not None:
                labels[said] = labels.get(said, 0) + _WEIGHT
    return {axis: _at_most(tables) for axis, tables in found.items()}


def labelled_alike(project: Project, like: Manifest) -> list[Run]:
    """The labelled runs with this grader, rubric and corpus, oldest first."""
    labelled = {label.version for label in project.labels()}
    alike = (run for run in project.runs() if _read_by(run.manifest) == _read_by(like))
    return [run for run in alike if labelled & set(run.answer_keys().values())]


def _read_by(manifest: Manifest) -> tuple[str | None, str, str]:
    return manifest.grader, manifest.rubric_sha256, corpus_of(manifest.corpus_sha256, manifest.questions_sha256)


def _at_most(tables: dict[Value, dict[Value, float]]) -> dict[Value, dict[Value, float]]:
    total = sum(sum(labels.values()) for labels in tables.values())
    scale = min(1.0, _MOST_EARLIER / total) if total else 1.0
    return {verdict: {label: count * scale for label, count in labels.items()} for verdict, labels in tables.items()}
