"""A grader against labels: how many of the answers it calls correct are not, and how many of the bad ones it finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from surefoot.core import rubric as rubrics
from surefoot.core.errors import Incomplete, UsageError, unknown
from surefoot.core.files import printable, replace_file
from surefoot.core.records import as_label, is_annotator
from surefoot.core.result import READER, Person, Result, tell_problems
from surefoot.core.rubric import BY_CITATIONS, Rubric
from surefoot.core.types import Problem, counted, names
from surefoot.gate.calibrate import Answer, Calibration, answers_of, weighed
from surefoot.gate.calibrate import calibrate as compare
from surefoot.gate.sides import BUCKET_AXIS, apply_labels, said_in
from surefoot.gate.sides import Run as ReadRun
from surefoot.graders.grader import FindingsGrader, graded_by
from surefoot.graders.local import LocalJudge
from surefoot.graders.refit import FEWEST, SHIFTS, Fitted, RefitFile, fit
from surefoot.io.labels import is_grader, load_labels, load_verdicts
from surefoot.jobs.project import import_
from surefoot.jobs.runs import Name, check_texts, graders_of, labelled_alike, opened, read_run, run_items
from surefoot.store import Project, Run

Labels = str | Path | Sequence[str | Path]


def calibrate(
    *runs: Name, verdicts: str | Path | None = None, labels: Labels = (), grader: str | None = None,
    rubric: str | None = None, db: str | Path | None = None, person: Person = READER,
) -> Calibration:  # fmt: skip
    """Compare a grader's verdicts with labels: those on `runs` or versions, or a file of `verdicts` and `labels`.

    Labels on other runs of the same grader, rubric and corpus count too, so each of its runs gives the same result.
    """
    if bool(runs) == bool(verdicts):
        raise UsageError("pass either RUN or --verdicts FILE", "labels for FILE are given with --labels FILE")
    if runs and rubric is not None:
        raise UsageError("--rubric goes with --verdicts FILE alone", "leave it out: a run is read by its own rubric")
    if verdicts:
        return _of_files(str(verdicts), rubrics.load(rubric or rubrics.DEFAULT), labels, grader, person)
    problems = _imported(labels, runs, db, person)
    with opened(runs, db) as (project, named):
        check_texts(named)
        like = named[0].manifest
        alike = labelled_alike(project, like) if grader in (None, like.grader) else []
        others = [run for run in alike if run.id not in {one.id for one in named}]
        sides, by = read_labelled(project, [*others, *named], grader)
        sides[-1].problems.extend(problems)
    if not any(side.labelled_by for side in sides):
        tell_problems([one for side in sides for one in side.problems], person.tell)
        ids = " or ".join(run.id for run in named)
        message = f"nobody has labelled an answer of {ids}, or of another run by {sides[0].graders[0]}"
        raise Incomplete(message, f"label some: surefoot label {named[0].id}, or pass --labels FILE")
    return compare(sides, by, sides[0].graders[0])


def _of_files(verdicts: str, by: Rubric, labels: Labels, grader: str | None, person: Person) -> Calibration:
    problems: list[Problem] = []
    rows = load_verdicts(verdicts, problems, by)
    told = [as_label(row) for row in rows if is_annotator(row.grader)]
    rows = [row for row in rows if not is_annotator(row.grader)]
    graders, files = {row.grader for row in rows}, [str(path) for path in _files(labels)]
    for path in files:
        if Path(path).exists() and Path(path).samefile(verdicts):
            raise UsageError(f"{path} holds the verdicts that are to be checked", "pass labels by people")
        told += load_labels(path, problems, rubric=by, graders=graders)
    side = _by_one_grader(ReadRun(verdicts, rows, rubric=by.sha256, problems=problems), grader)
    graded = {(row.question_id, row.attempt) for row in side.verdicts}
    strange = {(one.question_id, one.attempt) for one in told} - graded
    if strangers := [f"{id} ({attempt})" for id, attempt in sorted(strange)]:
        message = f"{counted(len(strangers), 'answer')} with a label and no verdict: {names(strangers)}"
        problems.append(Problem("unknown_question", message))
    apply_labels(side, told)
    if not side.labelled_by:
        where = " and ".join(files) or verdicts
        tell_problems(problems, person.tell)
        hint = "pass --labels FILE with labels that call questions by the same question_id (and attempt)"
        raise Incomplete(f"no label in {where} is on an answer that has a verdict in {verdicts}", hint)
    return compare([side], by, side.graders[0])


def read_labelled(project: Project, runs: Sequence[Run], grader: str | None = None) -> tuple[list[ReadRun], Rubric]:
    """Return the runs, oldest first, with the verdicts of one grader and all labels in place, and their rubric.

    They must have the same grader, rubric and corpus.
    """
    stores = sorted(runs, key=lambda run: (run.manifest.created, run.id))
    sides = [_by_one_grader(read_run(run), grader or run.manifest.grader) for run in stores]
    by = _rubric_of(stores[0])
    for store, side in zip(stores, sides, strict=True):
        for what, theirs, ours in (
            ("grader", sides[0].graders[0], side.graders[0]),
            ("rubric", by.sha256, _rubric_of(store).sha256),
            ("corpus", sides[0].corpus, side.corpus),
        ):
            if theirs != ours:
                message = f"{side.name} has another {what} than {sides[0].name}: {ours[:80]}, not {theirs[:80]}"
                raise UsageError(message, "calibrate runs with one of each")
        graders, keys = graders_of(store), set(side.versions.values())
        given = [label for label in project.labels(keys=keys) if not is_grader(label.annotator, graders)]
        if other := sum(label.rubric_sha256 not in ("", by.sha256) for label in given):
            side.problems.append(Problem("note", f"labels by another rubric ({other}) are not used"))
        apply_labels(side, given)
    return sides, by


def _imported(labels: Labels, runs: Sequence[Name], db: str | Path | None, person: Person) -> list[Problem]:
    """Add labels in files to the project; what of them could not be placed."""
    files = _files(labels)
    if files and len(runs) != 1:
        raise UsageError("labels in a file are on the answers of one run", "import them run by run first")
    found = [import_(path, run=runs[0], db=db, person=person) for path in files]
    return [Problem("unknown_question", words) for one in found if one.left_out for words in one.problems]


def _files(labels: Labels) -> Sequence[str | Path]:
    return (labels,) if isinstance(labels, (str, Path)) else labels


def _rubric_of(run: Run) -> Rubric:
    chosen = rubrics.load(run.manifest.rubric or rubrics.DEFAULT)
    if run.manifest.rubric_sha256 not in ("", chosen.sha256):
        message = f"the run {run.id} was graded by an earlier version of the rubric {chosen.name}"
        raise UsageError(message, f"grade it again: surefoot grade {run.id}")
    return chosen


def _by_one_grader(side: ReadRun, grader: str | None) -> ReadRun:
    """Return the run or file with the verdicts of one grader alone."""
    graders = sorted({verdict.grader for verdict in side.verdicts})
    if not graders:
        raise UsageError(f"{side.name} has no verdicts by a grader", "pass the verdicts that are to be checked")
    name = grader or ", ".join(graders)
    if name not in graders:
        message = f"{side.name} has no verdicts by {grader or 'a single grader'}"
        hint = f"name one with --grader: there are those of {', '.join(graders)}"
        raise unknown(message, grader or "", graders, hint)
    rows = [verdict for verdict in side.verdicts if verdict.grader == name]
    return replace(side, verdicts=rows, graders=(name,), council=name)


class Refitted(Fitted, Result, frozen=True, kw_only=True):
    """The new grader, and how much more often it agrees with the labels."""

    file: str
    grader: str  # that it was fitted to

    @property
    def words(self) -> str:
        return (
            f"fitted to {self.labels} labels: shift {self.shift:+.2f}, scale {self.scale:.2f}\n"
            f"agreement with labels left out of the fit: {self.agreement:.1%} before, "
            f"{self.agreement + self.gain:.1%} after ({_gain(self)})\n"
            f"use it: surefoot grade RUN --grader local@{self.file}"
        )


def refit(*runs: Name, out: str | Path, labels: Labels = (), db: str | Path | None = None) -> Refitted:
    """Fit the local grader to the labels on these runs, and write the new grader to `out`.

    Refused with fewer than 20 labels, and where cross-validation shows no gain.
    """
    if not runs:
        raise UsageError("a grader is refitted to a run", "pass RUN, which people have labelled")
    judge = LocalJudge()
    _imported(labels, runs, db, READER)
    with opened(runs, db) as (project, named):
        check_texts(named)
        sides, _ = read_labelled(project, named)
        found = _fitted(sides, named, judge)
    if not found.is_better:
        shown = f"{_gain(found)} on {found.labels} labels"
        message = f"labels left out of the fit show no gain beyond chance: {shown}"
        raise Incomplete(message, "nothing was written; the shipped grader fits as well")
    replace_file(Path(out), msgspec.json.format(msgspec.json.encode(RefitFile(judge.name, found)), indent=1) + b"\n")
    return Refitted(file=printable(Path(out)), grader=judge.name, **msgspec.structs.asdict(found))


def _fitted(sides: Sequence[ReadRun], runs: Sequence[Run], judge: LocalJudge) -> Fitted:
    """Fit to the labels that chance drew, each different answer once: others speak for themselves alone."""
    name = sides[0].graders[0]
    grader = next((one for one in (FindingsGrader(judge, kind) for kind in BY_CITATIONS) if one.name == name), None)
    if grader is None:
        raise UsageError(f"the verdicts are by {name}, not by {graded_by(judge.name, 'required')}",
                         "grade the run first: surefoot grade RUN --grader local")  # fmt: skip
    said = [one for side in sides for some in said_in(side, side.name).values() for one in some.values()]
    weights, used = Counter[str](), dict[str, Answer]()
    for one, weight in weighed(answers_of(said)):
        if one.is_drawn and one.said.graded[BUCKET_AXIS].value is not None:
            used.setdefault(one.said.key, one)
            weights[one.said.key] += weight  # type: ignore[assignment]
    if len(used) < FEWEST:
        message = f"{len(used)} labels on graded answers drawn by chance are too few to refit a grader"
        raise Incomplete(message, f"it takes {FEWEST}: surefoot label {runs[0].id}")
    items = {(run.id, item.question.id, item.trace.attempt): item for run in runs for item in run_items(run)}
    answers = [items[one.said.run, one.said.question_id, one.said.attempt] for one in used.values()]
    buckets = grader.buckets_at(answers, SHIFTS)
    return fit(buckets, [str(one.label) for one in used.values()], [weights[key] for key in used])


def _gain(found: Fitted) -> str:
    return f"gain {100 * found.gain:+.1f} points, {100 * found.low:+.1f} to {100 * found.high:+.1f}"
