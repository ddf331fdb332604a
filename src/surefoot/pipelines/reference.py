"""Pipelines that answer by quoting: no model, no key, the same every time.

`reference` quotes the sentence that fits best and refuses when the evidence is weak. `reference-eager` never refuses,
`reference-timid` refuses whatever is not overwhelming: two ways to fail that a gate must notice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

from msgspec import Struct

from surefoot.pipelines.evidence import Evidence, wanted, weigh
from surefoot.pipelines.retriever import Retriever
from surefoot.types import Ask, Passage, Retrieved, Trace

_K = 6
_NAMED = 3
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
# Predictions, opinions and advice are in no document, whatever words they share with it.
_NO_DOCUMENT_SAYS = re.compile(
    r"^(?:will|do you think|would (?:a|the) (?:court|judge))\b|\bin your (?:view|opinion)\b|\bbetter buy\b|"
    r"\bshould (?:i|we) (?:buy|sell|invest|sue)\b|\bcould .* sue\b|\bwould a court\b|"
    r"\b(?:cheaper|stricter|better|worse|larger) .*\bthan (?:what|the|most|other)\b",
    re.IGNORECASE,
)
_TWO_THINGS = re.compile(r",? and (?:what|which|how|who|when|does|is)\b", re.IGNORECASE)
_FROM_NOTHING = (
    "In arrangements of this kind the usual period is thirty days.",
    "The rate that normally applies here is 5 per cent a year.",
    "As a rule this is decided by the management board and confirmed in writing.",
    "Standard practice sets the limit at EUR 1,000,000.",
)


class Manner(Struct, frozen=True):
    """How much evidence a pipeline asks for before it answers."""

    name: str
    least: float
    insists_on_kind: bool = True
    refuses: bool = True
    terse: bool = False


MANNERS = {
    manner.name: manner
    for manner in (
        Manner("reference", least=0.5),
        Manner("reference-eager", least=0.0, insists_on_kind=False, refuses=False),
        Manner("reference-timid", least=0.75, terse=True),
    )
}


class ReferencePipeline:
    forces_null = True
    deterministic = True

    def __init__(self, passages: Sequence[Passage], manner: Manner) -> None:
        self.name = manner.name
        self._manner = manner
        self._retriever = Retriever(passages)

    def answer(self, ask: Ask) -> Trace:
        hits = [] if ask.retrieval == "null" else self._retriever.search(ask.text, _K)
        passages = [passage for passage, _ in hits]
        found = weigh(wanted(ask.text, self._retriever), passages, self._retriever)
        if self._enough(ask, found):
            answer = " ".join(_quoted(evidence) for evidence in _chosen(ask.text, found))
        elif self._manner.refuses:
            answer = self._refusal(ask, passages)
        else:
            answer = _quoted(found[0]) if found else _FROM_NOTHING[crc32(ask.text.encode()) % len(_FROM_NOTHING)]
        return Trace(ask.id, answer=answer, retrieved=Retrieved(passages))

    def _enough(self, ask: Ask, found: list[Evidence]) -> bool:
        if not found or (self._manner.refuses and _NO_DOCUMENT_SAYS.search(ask.text)):
            return False
        return found[0].strength >= self._manner.least and (found[0].fits or not self._manner.insists_on_kind)

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


def _chosen(question: str, found: list[Evidence]) -> list[Evidence]:
    """The best sentence; for a question after two things also the best one of another passage."""
    best = found[0]
    if not _TWO_THINGS.search(question):
        return [best]
    others = [e for e in found[1:] if e.passage.id != best.passage.id and e.strength >= 0.8 * best.strength]
    return [best, *others[:1]]


def _quoted(evidence: Evidence) -> str:
    """The sentence with its citation before the full stop, so that the two stay together."""
    text = evidence.text.rstrip()
    stop = text[-1] if text[-1] in ".;:" else ""
    return f"{text.removesuffix(stop)} [{evidence.passage.id}]."
