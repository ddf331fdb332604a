"""Runs as `surefoot run` and `surefoot grade` keep them, made at once."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from surefoot.core.records import Label, fingerprint, timestamp
from surefoot.core.types import Question, Trace, Verdict
from surefoot.store import Manifest, Project, Run

RUBRIC = "r" * 64


def keep_run(
    id: str, questions: Sequence[Question], traces: Iterable[Trace], verdicts: Iterable[Verdict] = (),
    db: Path | str | None = None, **manifest: Any,  # noqa: ANN401
) -> str:  # fmt: skip
    """Keep a run in the test's project, graded if there are verdicts; return its id."""
    said = list(verdicts)
    graded = {"grader": said[0].grader, "rubric_sha256": RUBRIC} if said else {}
    usual = {"version": id, "pipeline": "p", "repeats": 1, "questions_sha256": fingerprint(questions),
             "question_count": len(questions), "created": timestamp(), "finished": True}  # fmt: skip
    made = Manifest(id=id, **{**usual, **graded, **manifest})
    with Project.open(db) as project:
        run = project.create(made, questions)
        run.keep(traces)
        for grader in dict.fromkeys(one.grader for one in said):
            run.add_verdicts(grader, [one for one in said if one.grader == grader])
    return id


def kept(id: str, db: Path | str | None = None) -> Run:
    """A run of the test's project; the newest, where a version is named."""
    project = Project.existing(db)
    run = project.named(id)[-1]
    weakref.finalize(run, project.close)
    return run


def add_labels(*labels: Label, db: Path | str | None = None) -> int:
    with Project.open(db) as project:
        return project.add_new_labels((), lambda _: labels)
