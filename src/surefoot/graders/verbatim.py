"""The one rule that is surer than a model: a passage that has the claim as a sentence of its own supports it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from surefoot.graders.judging import Asked, Judgement, Pair
from surefoot.graders.reading import why_not
from surefoot.text.normal import normalise
from surefoot.text.sentences import sentences
from surefoot.text.terms import terms

VERSION = 1
_ENDS, _FEWEST_TERMS = ".!?;", 3
_PROBABILITIES = (0.98, 0.01, 0.01)


class Verbatim:
    """Leaves everything open that is not plainly there."""

    name = f"verbatim@{VERSION}"

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return [_judgement(pair) for pair in pairs]

    def answering(self, asked: Sequence[Asked]) -> list[float | None]:
        return [None] * len(asked)


def _judgement(pair: Pair) -> Judgement:
    sentence = _bare(pair.claim)
    if len(terms(sentence)) < _FEWEST_TERMS or sentence not in _sentences(pair.passage):
        return Judgement(None)
    if why_not(claim=pair.claim, context=pair.passage):
        return Judgement(None)
    return Judgement("supported", _PROBABILITIES[0], pair.claim.strip(), Verbatim.name, _PROBABILITIES)


@lru_cache(maxsize=1_000)
def _sentences(passage: str) -> frozenset[str]:
    """Words inside a longer sentence may be a condition or denied: "unless", "it is not true that"."""
    return frozenset(_bare(piece) for line in passage.splitlines() for piece in sentences(line))


def _bare(text: str) -> str:
    return normalise(text).rstrip(_ENDS + " ")
