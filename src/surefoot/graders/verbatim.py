"""The one rule that is surer than a model: a passage that has the claim as a sentence of its own supports it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from surefoot.graders.judging import Judgement, Pair
from surefoot.text.normal import normalise
from surefoot.text.terms import terms

VERSION = 1
_ENDS, _FEWEST_TERMS = ".!?;", 3
_PROBABILITIES = (0.98, 0.01, 0.01)


class Verbatim:
    """Leaves everything open that is not plainly there."""

    name = f"verbatim@{VERSION}"

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return [_judgement(pair) for pair in pairs]


def _judgement(pair: Pair) -> Judgement:
    sentence = normalise(pair.claim).rstrip(_ENDS + " ")
    if not sentence or not _is_a_sentence_of(sentence, _normal(pair.passage)) or len(terms(sentence)) < _FEWEST_TERMS:
        return Judgement(None)
    return Judgement("supported", _PROBABILITIES[0], pair.claim.strip(), Verbatim.name, _PROBABILITIES)


@lru_cache(maxsize=1_000)
def _normal(passage: str) -> str:
    return normalise(passage)


def _is_a_sentence_of(sentence: str, passage: str) -> bool:
    """Words inside a longer sentence may be a condition or denied: "unless", "it is not true that"."""
    at = passage.find(sentence)
    while at >= 0:
        before, after = passage[:at].rstrip(), passage[at + len(sentence) :].lstrip()
        if (not before or before[-1] in _ENDS) and (not after or after[0] in _ENDS):
            return True
        at = passage.find(sentence, at + 1)
    return False
