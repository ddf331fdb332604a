"""A pipeline that answers by quoting: no key, no network.

Words find passages, the model in the box says how likely each of them answers, and words choose the sentence or table
row to quote. Where no passage is likely enough, it refuses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from surefoot.core.types import Ask, Passage, Retrieved, Trace
from surefoot.graders.judges import Asked
from surefoot.graders.local import LocalJudge
from surefoot.pipelines.retriever import Retriever
from surefoot.text.tables import units_of

_READ, _READ_AGAIN, _NAMED = 5, 2, 3
# With titles in front, the model is rather too unsure of the passage it likes best: of those it gave .4 to .5, four in
# five did answer.
_LEAST = 0.4
_RUNNER_UP_FROM = 0.3  # a second best that is less likely is not worth the time
_LONGEST_TITLE = 200
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_LOADING = Lock()


class ReferencePipeline:
    name = "reference"
    forces_null = True
    deterministic = True

    def __init__(self, passages: Sequence[Passage], weights: Path | None = None) -> None:
        self._retriever, self._judge = Retriever(passages), LocalJudge(weights)
        with _LOADING:  # at once, so that weights that are missing or broken are told before anything is asked
            self._judge.load()

    def answer(self, ask: Ask) -> Trace:
        hits = [] if ask.retrieval == "null" else self._retriever.search(ask.text, _READ)
        # A passage is read behind the title of its document: nothing else says which contract or year it is about.
        asked = [Asked(passage.text, ask.text, passage.doc[:_LONGEST_TITLE]) for passage, _ in hits]
        likely = [(one.strong, one.probability or 0.0) for one in self._judge.answers(asked, _best)]
        order = sorted(range(len(hits)), key=lambda place: likely[place], reverse=True)
        passages = [hits[place][0] for place in order]
        quoted = self._quoted(ask.text, passages[0]) if order and likely[order[0]][1] >= _LEAST else ""
        return Trace(ask.id, answer=quoted or self._refusal(ask.text, passages), retrieved=Retrieved(passages))

    def _quoted(self, question: str, passage: Passage) -> str:
        """The sentence or row that has most of the question's words, its citation before the full stop."""
        wanted = set(self._retriever.terms(question))
        found = [unit.text.strip() for unit in units_of(passage.text) if len(unit.sentences) == 1]
        best = max(
            found,
            key=lambda text: sum(map(self._retriever.weight, wanted & {*self._retriever.terms(text)})),
            default="",
        )
        return f"{best.rstrip('.;:')} [{passage.id}]." if best else ""

    def _refusal(self, question: str, passages: Sequence[Passage]) -> str:
        """It names words of the question that the best passage lacks; where it lacks none, those that tell most."""
        there = set(self._retriever.terms(f"{passages[0].doc} {passages[0].text}")) if passages else set()
        words = {term: word for word in _WORD.findall(question) for term in self._retriever.terms(word)}
        telling = sorted(words, key=lambda term: (term in there, -self._retriever.weight(term), term))[:_NAMED]
        named = ", ".join(words[term] for term in words if term in telling) or "this"
        if not passages:
            return f"No passages were found, so the documents do not say anything about {named} here."
        closest = " and ".join(f"[{passage.id}]" for passage in passages[:2])
        return (
            f"The documents do not say enough about {named} to answer this. The closest passages found are {closest}. "
            "Next step: check the whole document that the first of them comes from, or ask its owner."
        )


def _best(left_open: dict[int, float]) -> list[int]:
    """The best, and the second best if it is likely enough; none where the quick tier rules out all."""
    order = sorted(left_open, key=lambda place: -left_open[place])[:_READ_AGAIN]
    return [place for place in order if place == order[0] or left_open[place] >= _RUNNER_UP_FROM]
