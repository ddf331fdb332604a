"""Reviewers with known faults, and runs that they have scored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from surefoot.core.rubric import COUNCIL, load
from surefoot.core.types import Verdict
from surefoot.council.evaluate import Sheet
from surefoot.council.rows import OWN, AnswerKey, Scores, axis_of, grader_of

from ..kept import kept
from .runs import make_run, question

WEIGHTS = load(COUNCIL).weights
HONEST = ("ada", "ben", "cid", "dot")


def reviewed(questions: int, faulty: Sequence[str] = (), seed: int = 5, honest: Sequence[str] = HONEST) -> Scores:
    """Two runs, scored by honest reviewers and by those that are named after their fault."""
    luck = np.random.default_rng(seed)
    answers = [AnswerKey(run, f"q{n}") for n in range(questions) for run in ("one", "two")]
    worth = np.array([6 + 2 * np.sin(at) for at in range(len(answers))])[:, None]
    deserved = worth + luck.normal(0, 1, (len(answers), len(WEIGHTS)))
    found: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = {}
    for who in (*honest, *faulty):
        said = deserved + luck.normal(0, 1, deserved.shape)
        if who == "harsh":
            said -= 1.5
        if who == "length":
            said += np.array([length_of(answer) / 100 for answer in answers])[:, None] - 2
        if who == "random":
            said = luck.uniform(1, 10, deserved.shape)
        if who == "proud":
            said += np.array([2.0 * (answer.run == "one") for answer in answers])[:, None]
        found[who] = found[honest[0]] if who == "copy" else np.clip(np.rint(said), 1, 10)
    return {
        who: {
            answer: {**dict(zip(WEIGHTS, map(float, row), strict=True)), "overall": float(row @ list(WEIGHTS.values()))}
            for answer, row in zip(answers, table, strict=True)
        }
        for who, table in found.items()
    }


def length_of(answer: AnswerKey) -> int:
    return 100 + 37 * int(answer.question[1:]) % 300 + 100 * (answer.run == "two")


def sheet_of(scores: Scores) -> Sheet:
    lengths = {answer: length_of(answer) for given in scores.values() for answer in given}
    own = {answer: {**given, OWN: 1.0} if answer.run == "one" else given
           for answer, given in scores.get("proud", {}).items()}  # fmt: skip
    return Sheet({**scores, "proud": own} if own else scores, lengths)


def kept_runs(scores: Scores, db: Path | None = None) -> tuple[str, str]:
    """The same as runs with the rows of a council."""
    answers = {answer for given in scores.values() for answer in given}
    runs = []
    for run in ("one", "two"):
        mine = sorted(answer for answer in answers if answer.run == run)
        questions = [question(int(answer.question[1:])) for answer in mine]
        runs.append(make_run(run, questions, {answer.question: "x" * length_of(answer) for answer in mine}, db=db))
        for reviewer, given in scores.items():
            grader = grader_of(reviewer, "0123abcd")
            rows = [Verdict(answer.question, axis_of(name), value, grader)
                    for answer in mine for name, value in given[answer].items()]  # fmt: skip
            kept(run, db).add_verdicts(grader, rows)
        kept(run, db).amend(reviewers=tuple(grader_of(reviewer, "0123abcd") for reviewer in scores))
    return runs[0], runs[1]
