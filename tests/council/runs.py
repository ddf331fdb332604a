"""Runs, and reviewers behind a server, who score by words that stand in an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from surefoot.core.types import Passage, Question, Retrieved, Trace
from surefoot.models.seam import Prompt, Reply

from ..fault_server import Call, Fault, FaultServer, Script
from ..kept import keep_run

PASSAGE = Passage("lease#4", "Either party may end the lease with six months' notice.", "lease")
SAYS = {"Nine weeks": (2, 10, 10, 10, 10), "perhaps": (6, 10, 10, 10, 10), "pipe bomb": (10, 10, 10, 10, 10)}
_DIMENSIONS = ("accuracy", "relevance", "completeness", "conciseness", "clarity")
_CODE, _MARK = re.compile(r'"ballot" must be the code (\w+)'), re.compile(r"<<<question (\w+)>>>")


def question(number: int, *, answerable: bool = True) -> Question:
    expects, claims = ("answer", ("six months",)) if answerable else ("refusal", ())
    return Question(f"q{number}", f"How long is notice {number}?", expects, gold_claims=claims)  # type: ignore[arg-type]


def make_run(
    id: str, questions: Sequence[Question], answers: Mapping[str, str], pipeline: str = "mine",
    passage: Passage = PASSAGE, db: Path | None = None,
) -> str:  # fmt: skip
    traces = [Trace(q, answer=answer, retrieved=Retrieved([passage]), citations=("lease#4",))
              for q, answer in answers.items()]  # fmt: skip
    return keep_run(id, questions, traces, (), db, pipeline=pipeline, deterministic=True)


def mark_of(content: str) -> str:
    found = _MARK.search(content)
    return found[1] if found else content


def ballot_on(content: str, scores: Callable[[str], Sequence[int]]) -> str:
    """A reviewer's reply: scores by what stands in the response."""
    code = _CODE.search(content)
    assert code is not None
    shown = content.partition("<<<Response A")[2].partition("<<<end of")[0]
    if '"score": N' in content:
        entry: dict[str, object] = {"score": scores(shown)[0]}
    else:
        entry = {**dict(zip(_DIMENSIONS, scores(shown), strict=True)), "declining": 8}
    return json.dumps({"ballot": code[1], "evaluations": {"Response A": {"notes": "read", **entry}}})


def by_words(shown: str) -> Sequence[int]:
    return next((said for word, said in SAYS.items() if word in shown), (8, 8, 8, 8, 8))


class Reviewer:
    """A model without a server."""

    def __init__(self, name: str, scores: Callable[[str], Sequence[int]] = by_words) -> None:
        self.name, self._scores, self.asked = name, scores, list[Prompt]()

    def complete(self, prompt: Prompt) -> Reply:
        self.asked.append(prompt)
        return Reply(ballot_on(prompt.text, self._scores), asked=1)

    def complete_all(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Reply]]:
        return ((place, self.complete(prompt)) for place, prompt in enumerate(prompts))


def reviewing(script: Script | None = None) -> FaultServer:
    """A server whose models are reviewers, where the script lets them."""

    def answer(call: Call) -> Fault:
        fault = script(call) if script else None
        return fault or Fault(text=ballot_on(str(call.body["messages"][-1]["content"]), by_words))

    server = FaultServer(answer)
    server.key, server.keep_calls = mark_of, False
    return server
