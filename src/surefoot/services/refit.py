"""The local grader fitted to labels of one's own: a new grader in a file, if it agrees with them more often."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from surefoot.calibration.answers import FACTUALITY, Joined
from surefoot.calibration.confusion import confusion_of, weights_of
from surefoot.calibration.refit import FEWEST, SHIFTS, Fitted, fit
from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.files import printable, replace_file
from surefoot.core.result import READER, Person, Result
from surefoot.core.rubric import BY_CITATIONS, Rubric
from surefoot.graders.grader import FindingsGrader, graded_by
from surefoot.graders.local import LocalJudge
from surefoot.graders.refit import RefitFile
from surefoot.services.calibrate import labelled
from surefoot.services.runs import check_texts, opened, run_items
from surefoot.store import Run


class Refitted(Result, frozen=True):
    """The new grader, and how much more often it agrees with the labels."""

    file: str
    grader: str  # that it was fitted to
    labels: int
    shift: float
    scale: float
    agreement: float  # with the labels, before
    gain: float
    low: float
    high: float

    @property
    def words(self) -> str:
        return (
            f"fitted to {self.labels} labels: shift {self.shift:+.2f}, scale {self.scale:.2f}\n"
            f"agreement with labels left out of the fit: {self.agreement:.1%} before, "
            f"{self.agreement + self.gain:.1%} after ({_gain(self.gain, self.low, self.high)})\n"
            f"use it: surefoot grade RUN --grader local@{self.file}"
        )


def refit(
    *runs: str | Path,
    out: str | Path,
    labels: str | Path | Sequence[str | Path] = (),
    db: str | Path | None = None,
    person: Person = READER,
) -> Refitted:
    """Fit the local grader to the labels on these runs, and write the new grader to `out`.

    Refused with fewer than 20 labels, and where cross-validation shows no gain.
    """
    if not runs:
        raise UsageError("a grader is refitted to a run", "pass RUN, which people have labelled")
    judge = LocalJudge()
    with opened(runs, db) as (project, named):
        check_texts(named)
        joined, by = labelled(project, named, labels, person)
        found = _fitted(joined, by, named, judge)
    if not found.is_better:
        shown = f"{_gain(found.gain, found.low, found.high)} on {found.labels} labels"
        message = f"labels left out of the fit show no gain beyond chance: {shown}"
        raise Incomplete(message, "nothing was written; the shipped grader fits as well")
    replace_file(Path(out), msgspec.json.format(msgspec.json.encode(RefitFile(judge.name, found)), indent=1) + b"\n")
    return Refitted(printable(Path(out)), judge.name, **msgspec.structs.asdict(found))


def _fitted(joined: Joined, by: Rubric, runs: Sequence[Run], judge: LocalJudge) -> Fitted:
    """To the labels that chance drew: others speak for themselves alone."""
    grader = next(
        (one for one in (FindingsGrader(judge, kind) for kind in BY_CITATIONS) if one.name == joined.grader), None
    )
    if grader is None:
        raise UsageError(f"the verdicts are by {joined.grader}, not by {graded_by(judge.name, 'required')}",
                         "grade the run first: surefoot grade RUN --grader local")  # fmt: skip
    answers = joined.axes.get(FACTUALITY, [])
    used = [one for one in answers if one.label is not None and one.verdict is not None and not one.chosen]
    if len(used) < FEWEST:
        message = f"{len(used)} labels on graded answers drawn by chance are too few to refit a grader"
        raise Incomplete(message, f"it takes {FEWEST}: surefoot label {runs[0].id}")
    items = {
        (number, item.question.id, item.trace.attempt): item
        for number, run in enumerate(sorted(runs, key=lambda run: (run.manifest.created, run.id)), 1)
        for item in run_items(run)
    }
    buckets = grader.buckets_at([items[one.run, one.question_id, one.attempt] for one in used], SHIFTS)
    axis = next(axis for axis in by.axes if axis.name == FACTUALITY)
    return fit(buckets, [str(one.label) for one in used], weights_of(used, confusion_of(answers, axis)))


def _gain(gain: float, low: float, high: float) -> str:
    return f"gain {100 * gain:+.1f} points, {100 * low:+.1f} to {100 * high:+.1f}"
