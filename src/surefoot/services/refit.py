"""The local grader fitted to labels of one's own: a new grader in a file, if it agrees with them more often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.files import printable, replace_file
from surefoot.core.result import Result
from surefoot.core.rubric import BY_CITATIONS
from surefoot.gate.calibrate import Answer, answers_of, weighed
from surefoot.gate.sides import BUCKET_AXIS, said_in
from surefoot.gate.sides import Run as ReadRun
from surefoot.graders.grader import FindingsGrader, graded_by
from surefoot.graders.local import LocalJudge
from surefoot.graders.refit import FEWEST, SHIFTS, Fitted, RefitFile, fit
from surefoot.services.calibrate import read_labelled
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
) -> Refitted:
    """Fit the local grader to the labels on these runs, and write the new grader to `out`.

    Refused with fewer than 20 labels, and where cross-validation shows no gain.
    """
    if not runs:
        raise UsageError("a grader is refitted to a run", "pass RUN, which people have labelled")
    judge = LocalJudge()
    with opened(runs, db) as (project, named):
        check_texts(named)
        sides, _ = read_labelled(project, named, labels)
        found = _fitted(sides, named, judge)
    if not found.is_better:
        shown = f"{_gain(found.gain, found.low, found.high)} on {found.labels} labels"
        message = f"labels left out of the fit show no gain beyond chance: {shown}"
        raise Incomplete(message, "nothing was written; the shipped grader fits as well")
    replace_file(Path(out), msgspec.json.format(msgspec.json.encode(RefitFile(judge.name, found)), indent=1) + b"\n")
    return Refitted(printable(Path(out)), judge.name, **msgspec.structs.asdict(found))


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


def _gain(gain: float, low: float, high: float) -> str:
    return f"gain {100 * gain:+.1f} points, {100 * low:+.1f} to {100 * high:+.1f}"
