"""Runs made for the purpose: one letter, one answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from surefoot.core.records import Drawn, Label
from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict
from tests.conftest import Done
from tests.in_process import surefoot
from tests.kept import add_labels, keep_run, kept

GRADER = "g/1"
SHORT = {"c": "correct", "w": "wrong", "u": "unsupported", "r": "refused", "-": None}
_FOUND = Retrieved([Passage("d0#1", "The passage.", "d0")])
_times = count()


def questions(number: int) -> list[Question]:
    """Every other one is about the sea, in seven documents."""
    return [Question(f"q{i:03}", f"Question {i}?", "answer", gold_ids=(f"d{i % 7}#1",), stratum=("sea", "land")[i % 2])
            for i in range(number)]  # fmt: skip


def verdicts(buckets: str, attempt: int = 1, grader: str = GRADER) -> list[Verdict]:
    """`_` is an answer without a verdict, `-` one that could not be graded."""
    return [
        Verdict(f"q{i:03}", "factuality", SHORT[letter], grader, attempt, confidence=0.9)
        for i, letter in enumerate(buckets)
        if letter != "_"
    ]


def changed(buckets: str, places: Iterable[int], letter: str = "w") -> str:
    chosen = set(places)
    return "".join(letter if i in chosen else old for i, old in enumerate(buckets))


def kept_run(
    id: str, *attempts: str, version: str = "", told: str | None = None, found: Retrieved = _FOUND,
    asked: list[Question] | None = None, db: Path | None = None, also: Iterable[Verdict] = (), **manifest: Any,  # noqa: ANN401
) -> str:  # fmt: skip
    """A graded run of the test's project. Each attempt has its own words unless `told` says which they are."""
    asked = asked or questions(len(attempts[0]))
    traces = [
        Trace(question.id, answer=f"{told if told is not None else f'{id} {attempt}'} {letter} {question.id}",
              retrieved=found, attempt=attempt)
        for attempt, buckets in enumerate(attempts, 1) for question, letter in zip(asked, buckets, strict=True)
    ]  # fmt: skip
    said = [one for attempt, buckets in enumerate(attempts, 1) for one in verdicts(buckets, attempt)]
    said += also
    usual = {"version": version or id, "repeats": len(attempts), "created": f"2026-01-01T00:00:00 {id}"}
    return keep_run(id, asked, traces, said, db, **{**usual, **manifest})


def say(id: str, words: Mapping[str, str], who: str = "ann", drawn: Drawn = "sample", attempt: int = 1) -> int:
    """Label a run's answers by question, one letter each: `?` is "cannot tell". Return how many labels are new."""
    keys = kept(id).answer_keys()
    return add_labels(*(
        Label(id=f"label{(number := next(_times)):06}", at=f"2026-01-01T00:00:00.{number:06}+00:00", annotator=who,
              question_id=question, axis="factuality", value=SHORT.get(letter), version=keys[question, attempt], run=id,
              drawn=drawn, note="cannot tell" if letter == "?" else "")
        for question, letter in words.items()
    ))  # fmt: skip


def people_say(id: str, *attempts: str, who: str = "ann", drawn: Drawn = "sample") -> int:
    """The same in the order of the questions: `.` gets no label."""
    words = ({f"q{i:03}": one for i, one in enumerate(letters) if one != "."} for letters in attempts)
    return sum(say(id, said, who, drawn, attempt) for attempt, said in enumerate(words, 1))


def gate(*words: str | Path) -> Done:
    return surefoot("gate", *words)


def decided(*words: str | Path) -> Any:  # noqa: ANN401
    """What `gate --json` says; its exit code is that of the command."""
    done = gate(*words, "--json")
    assert done.out, done.err
    assert done.json["exit_code"] == done.code
    return done.json


def rule(found: Any, name: str = "wrong") -> dict[str, Any]:  # noqa: ANN401
    return next(one for one in found["rules"] if one["name"] == name)
