"""Whether a monitor is ready: its grader tells a good answer from a bad one, and the pipeline passes its sentinels."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from surefoot.core.errors import words_of
from surefoot.core.result import NOBODY
from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.grader import Reader
from surefoot.jobs.doctor import doctor
from surefoot.jobs.inputs import closing, load_corpus, load_pipeline
from surefoot.pipelines.specs import Asking

_PAUSE = 60.0  # seconds until all is tried again
_SOURCE = Retrieved([Passage("lease#4", "The monthly rent is 900 euros, and it is due on the third working day.")])


class Sentinels(Struct, frozen=True):
    """A pipeline to be asked questions of known answer, as `surefoot doctor` does."""

    pipeline: str
    questions: str | Path | None = None
    corpus: str | Path | None = None


def check_pipeline(sentinels: Sentinels) -> None:
    """One that is not there at the start is a slip of whoever named it."""
    corpus = load_corpus(sentinels.corpus, sentinels.questions, NOBODY.tell)
    with closing(load_pipeline(sentinels.pipeline, corpus, Asking(), NOBODY.tell)):
        pass


class Readiness:
    """Found out in a thread of its own, again and again: `why_not` is empty while every check passes."""

    def __init__(self, grader: Reader, sentinels: Sentinels | None, ending: threading.Event) -> None:
        self._checks: list[Callable[[], str]] = [lambda: _fault_of_grader(grader)]
        if sentinels is not None:
            self._checks.append(lambda: _fault_of_pipeline(sentinels, grader))
        self.why_not = "the grader and the sentinels are being tried"
        self._ending = ending

    def find_out(self) -> None:
        while True:
            self.why_not = next(filter(None, map(_fault_of, self._checks)), "")
            if self._ending.wait(_PAUSE):
                return


def _fault_of(check: Callable[[], str]) -> str:
    try:
        return check()
    except Exception as error:  # noqa: BLE001 - a pipeline of the user's own, or weights that cannot be read
        return words_of(error)


def _fault_of_grader(grader: Reader) -> str:
    question = Question("sentinel", "How much is the monthly rent?", "answer")
    said = [f"The monthly rent amounts to {amount} euros [lease#4]." for amount in (900, 700)]
    good, bad = grader.read([Item(question, Trace("sentinel", answer=one, retrieved=_SOURCE)) for one in said])
    if good.bucket == "correct" and bad.bucket in ("wrong", "unsupported"):
        return ""
    return f"the grader calls a correct answer {good.bucket or 'ungraded'}, and a wrong one {bad.bucket or 'ungraded'}"


def _fault_of_pipeline(given: Sentinels, grader: Reader) -> str:
    found = doctor(given.pipeline, questions=given.questions, corpus=given.corpus, grader=grader, person=NOBODY)
    faults = [f"{one.question_id}: {one.reason}" for one in found.findings if not one.ok]
    return f"{given.pipeline} does not pass its sentinels: {'; '.join(faults)}" if faults else ""
