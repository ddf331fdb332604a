"""What people should look at: answers of two versions that differ, or answers of one, and in which order.

Of two versions it is pairs: as `gate.looks` orders them, then other readings of questions that got worse or better.
Of one it is single answers for `calibrate`: unsure ones first, then flagged ones and a sample by verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import BAD, CANNOT_TELL, CHANGE, WITHOUT, Agreed, Step, agreed_words
from surefoot.core.result import Result
from surefoot.core.types import Item, Verdict, counted
from surefoot.gate.looks import MORE_LOOKS, Diff, Look, diff_of, lasting_of, single_order
from surefoot.gate.sides import BUCKET_AXIS, Reading, asked_of, readings_of, side_of
from surefoot.jobs.runs import Name, check_texts, only_run, opened, read_all, run_items, runs_of, versions_of
from surefoot.store import Project, Run
from surefoot.store.export import is_export, read_export
from surefoot.text.normal import is_empty

_TARGET = 50  # answers of one version


class Answer(Struct, frozen=True):
    """An answer to look at. Those that say the same on the same evidence are one."""

    item: Item
    key: str
    run: str  # id
    verdict: Verdict | None  # the grader's, which nobody sees before they have labelled the answer

    @property
    def graded(self) -> str:
        return "" if self.verdict is None or self.verdict.value is None else str(self.verdict.value)


class Outlook(Struct, frozen=True):
    """What is left to look at, after all that was said."""

    left: tuple[Look, ...]  # pairs, or answers of one version
    others: tuple[Look, ...]  # readings that lasting changes wait for
    again: Mapping[str, Look]  # by key: readings that were called bad, which counts after a second look
    seen: int  # pairs, or answers of one version
    total: int  # of them that there are
    step: int  # how many to look at before the gate decides again
    words: Mapping[str, Agreed]  # by key: what people say of the answer


class LookList(Result, frozen=True, kw_only=True):
    """The answers of two versions, or of one, that people should look at."""

    beside = ("answers", "readings", "order", "runs")

    names: tuple[str, ...]  # of one version or run, or of baseline and candidate
    target: int | None
    looked_at: int = 0
    of: int = 0
    notes: tuple[str, ...]
    rows: list[dict[str, Any]]  # what is left, first things first
    answers: dict[str, Answer]  # by key
    readings: dict[str, list[Reading]]  # by question, of two versions
    order: tuple[Look, ...] = ()  # of one version
    runs: tuple[Run, ...]

    @property
    def is_of_two(self) -> bool:
        return len(self.names) > 1

    def outlook(self, words: Mapping[str, Agreed]) -> Outlook:
        """Return what is left, by what people say of each answer."""
        if not self.is_of_two:
            done = {key for key, word in words.items() if not word.pending}
            left = tuple(one for one in self.order if one.shared or one.keys[0] not in done)
            seen = sum(one.keys[0] in done for one in self.order)
            step = max(0, (self.target or _TARGET) - seen) or MORE_LOOKS
            return Outlook(left, (), {}, seen, len(self.order), step, words)
        diff = self._diff(words)
        # Their order tells nobody which is which.
        pairs = (Look(tuple(sorted(filter(None, (one.base.key, one.cand.key))))) for one in diff.unseen)
        to_look = [one for bucket in BAD for one in lasting_of(diff, bucket, deterministic=False).to_look]
        others = (Look((one.key,)) for one in to_look if one.label is None)
        pending = (one for some in diff.readings.values() for one in some if one.pending)
        again = {one.key: Look((one.key,), "again") for one in (*pending, *to_look) if one.label is not None}
        seen = len(diff.pairs) - len(diff.unseen)
        step = diff.looks_wanted if self.target is None else max(0, self.target - seen) or MORE_LOOKS
        return Outlook(
            tuple(dict.fromkeys(pairs)), tuple(dict.fromkeys(others)), again, seen, len(diff.pairs), step, words,
        )  # fmt: skip

    def _diff(self, words: Mapping[str, Agreed]) -> Diff:
        def labelled(one: Reading) -> Reading:
            word = words.get(one.key)
            if word is None:
                return replace(one, label=None, pending="") if one.key else one  # nobody can look at what is silent
            label, pending = str(word.value or CANNOT_TELL), str(word.pending or "")
            return replace(one, label=label, pending=pending, looks=word.looks)

        return diff_of({id: list(map(labelled, some)) for id, some in self.readings.items()})


def look_list(*names: Name, target: int | None = None, db: str | Path | None = None) -> LookList:
    """Return what people should look at: where two versions differ, or answers of one run or version.

    A file that `export --decision` wrote stands for both versions of its decision. Of two versions the gate says how
    many pairs it wants; `target` says it instead. Of one, it is how many answers to label.
    """
    with opened(names, db) as (project, runs):
        return list_of(project, names, runs, target)


def list_of(project: Project, names: Sequence[Name], runs: Sequence[Run], target: int | None = None) -> LookList:
    """The same for names that are opened already."""
    if len(names) == 2:
        return _of_two(project, only_run(project, names[0]), only_run(project, names[1]), {}, target)
    if len(names) != 1:
        raise UsageError("name one version, or a baseline and a candidate", "surefoot label BASE CAND")
    if is_export(names[0]):
        steps = [one for one in read_export(Path(names[0])).of(Step) if one.mode == CHANGE]
        if steps:
            step = max(steps, key=lambda one: one.at)
            base, cand = (runs_of(project, id)[-1] for id in (step.base_run, step.cand_run))
            without = {str(one).partition(" (")[0]: "as decided" for one in step.overridden.get(WITHOUT, ())}
            return _of_two(project, base, cand, without, target)
    return _of_one(project, runs, _TARGET if target is None else target)


def _of_two(project: Project, base: Run, cand: Run, without: Mapping[str, str], target: int | None) -> LookList:
    versions = versions_of(project, base, cand, without)
    runs = (*versions.base, *versions.cand)
    check_texts(runs)
    before, after = read_all(project, versions.base), read_all(project, versions.cand)
    asked, notes, _ = asked_of(before, after)
    sides = [side_of(some, asked, name) for some, name in ((before, "base"), (after, "cand"))]
    answers: dict[str, Answer] = {}
    for said in (one for side in sides for one in side.all_answers()):
        question = asked[said.question_id]
        if not said.is_silent and said.trace and question:
            found = Answer(Item(question, said.trace), said.key, said.run, said.graded.get(BUCKET_AXIS))
            answers.setdefault(said.key, found)
    return _counted(project, LookList(
        names=versions.names, target=target, notes=(*versions.notes, *notes), rows=[], answers=answers,
        readings=readings_of(*sides), runs=runs,
    ))  # fmt: skip


def _of_one(project: Project, runs: Sequence[Run], target: int) -> LookList:
    check_texts(runs)
    answers, notes, silent, same = dict[str, Answer](), list[str](), 0, 0
    for run in runs:
        keys, verdicts = run.answer_keys(), run.verdicts()
        graded = {(one.question_id, one.attempt): one for one in verdicts
                  if one.axis == BUCKET_AXIS and one.grader == run.manifest.grader}  # fmt: skip
        if not graded:
            notes.append(f"{run.id} is not graded, so its answers come in random order")
        for item in run_items(run):
            if item.trace.error or item.trace.answer is None or is_empty(item.trace.answer):
                silent += 1
            else:
                key = keys[place := (item.question.id, item.trace.attempt)]
                same += key in answers
                answers.setdefault(key, Answer(item, key, run.id, graded.get(place)))
    if not answers:
        names = ", ".join(run.id for run in runs)
        raise Incomplete(f"{names} has no answer to label", "ask its questions first: surefoot run")
    if silent:
        notes.append(f"missing, failed or empty, so left out: {counted(silent, 'answer')}")
    if same:
        notes.append(f"the same as another, so not asked for again: {counted(same, 'answer')}")
    unsure = {key for key, one in answers.items() if one.verdict and one.verdict.unsure}
    order = single_order({key: one.graded for key, one in answers.items()}, runs[-1].id, target=target, unsure=unsure)
    return _counted(project, LookList(
        names=(runs[-1].id if len(runs) == 1 else runs[-1].version,), target=target, notes=tuple(notes), rows=[],
        answers=answers, readings={}, order=tuple(order), runs=tuple(runs),
    ))  # fmt: skip


def _counted(project: Project, found: LookList) -> LookList:
    said = agreed_words(project.labels(keys=found.answers))
    now = found.outlook({key: word for (key, axis), word in said.items() if axis == BUCKET_AXIS})
    return replace(
        found, looked_at=now.seen, of=now.total if found.is_of_two else min(now.total, found.target or _TARGET),
        rows=[_row(one, found.answers) for one in (*now.left, *now.others, *now.again.values())
              if not one.shared or one.keys[0] not in now.words],
    )  # fmt: skip


def _row(look: Look, known: Mapping[str, Answer]) -> dict[str, Any]:
    each = [{"answer": one.item.trace.answer, "run": one.run, "attempt": one.item.trace.attempt, "key": one.key}
            for one in map(known.__getitem__, look.keys)]  # fmt: skip
    question = known[look.keys[0]].item.question
    return {"question_id": question.id, "question": question.text, "drawn": look.drawn, "answers": each}
