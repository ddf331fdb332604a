"""Pipelines that answer by quoting: no key, no network, the same every time.

Words find passages, the trained model says how likely each of them answers, and words choose the sentence to quote.
`reference` refuses when no passage is likely enough. `reference-eager` never refuses, `reference-timid` refuses
whatever is not overwhelming: two ways to fail that a gate must notice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

from msgspec import Struct

from surefoot.pipelines.answering import Answering
from surefoot.pipelines.evidence import Evidence, wanted, weigh
from surefoot.pipelines.retriever import Retriever
from surefoot.types import Ask, Passage, Retrieved, Trace

PASSAGES_READ = 5
_NAMED = 3
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_TWO_THINGS = re.compile(r",? and (?:what|which|how|who|when|does|is)\b", re.IGNORECASE)
_FROM_NOTHING = (
    "In arrangements of this kind the usual period is thirty days.",
    "The rate that normally applies here is 5 per cent a year.",
    "As a rule this is decided by the management board and confirmed in writing.",
    "Standard practice sets the limit at EUR 1,000,000.",
)


class Manner(Struct, frozen=True):
    """How likely a passage must answer before a pipeline does."""

    name: str
    least: float
    refuses: bool = True
    terse: bool = False


# With titles in front, the model is rather too unsure of the passage it likes best: of those it gave .4 to .5, four in
# five did answer.
MANNERS = {
    manner.name: manner
    for manner in (
        Manner("reference", least=0.4),
        Manner("reference-eager", least=0.0, refuses=False),
        Manner("reference-timid", least=0.75, terse=True),
    )
}


class ReferencePipeline:
    forces_null = True
    deterministic = True

    def __init__(self, passages: Sequence[Passage], manner: Manner, weights: Path | None = None) -> None:
        self.name = manner.name
        self._manner = manner
        self._retriever = Retriever(passages)
        self._answering = Answering(weights)

    def answer(self, ask: Ask) -> Trace:
        hits = [] if ask.retrieval == "null" else self._retriever.search(ask.text, PASSAGES_READ)
        candidates = self._answering.ranked(ask.text, [passage for passage, _ in hits])
        passages = [candidate.passage for candidate in candidates]
        likely = [c.passage for c in candidates if c.probability >= self._manner.least or not self._manner.refuses]
        if chosen := self._chosen(ask.text, likely):
            answer = " ".join(_quoted(evidence) for evidence in chosen)
        elif self._manner.refuses:
            answer = self._refusal(ask, passages)
        else:
            answer = _FROM_NOTHING[crc32(ask.text.encode()) % len(_FROM_NOTHING)]
        return Trace(ask.id, answer=answer, retrieved=Retrieved(passages))

    def _chosen(self, question: str, passages: list[Passage]) -> list[Evidence]:
        """The best sentence of the likeliest passage; for a question after two things also that of the next."""
        want = wanted(question, self._retriever)
        weighed = (weigh(want, [passage], self._retriever) for passage in passages)
        best = [found[0] for found in weighed if found]
        if len(best) > 1 and _TWO_THINGS.search(question) and best[1].strength >= 0.8 * best[0].strength:
            return best[:2]
        return best[:1]

    def _refusal(self, ask: Ask, passages: list[Passage]) -> str:
        if self._manner.terse and crc32(ask.text.encode()) % 2:
            return "Not in context."
        if not passages:
            return (
                f"No passages were found, so the documents do not say anything about {self._missing(ask, '')} here. "
                "Closest evidence: none. Next step: check that the search reaches the documents, and ask again."
            )
        best = passages[0]
        closest = " and ".join(f"[{passage.id}]" for passage in passages[:2])
        return (
            f"The documents do not say enough about {self._missing(ask, f'{best.doc} {best.text}')} to answer this. "
            f"The closest passages found are {closest}. "
            "Next step: check the whole document that the first of them comes from, or ask its owner."
        )

    def _missing(self, ask: Ask, evidence: str) -> str:
        """Words of the question that the evidence lacks; where it lacks none, those that tell most."""
        there = set(self._retriever.terms(evidence))
        words = {term: word for word in _WORD.findall(ask.text) for term in self._retriever.terms(word)}
        telling = sorted(words, key=lambda term: (term in there, -self._retriever.weight(term), term))
        named = [words[term] for term in words if term in telling[:_NAMED]]
        return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named) or "this"


def _quoted(evidence: Evidence) -> str:
    """The sentence with its citation before the full stop, so that the two stay together."""
    text = evidence.text.rstrip()
    stop = text[-1] if text[-1] in ".;:" else ""
    return f"{text.removesuffix(stop)} [{evidence.passage.id}]."
