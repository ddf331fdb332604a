"""Does an answer say what the gold claims say? Numbers decide where there are some, names and words otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surefoot.graders.sense import turned_round
from surefoot.table import Gold
from surefoot.text.claims import Claim
from surefoot.text.quantities import CURRENCIES, Quantity, quantities
from surefoot.text.terms import names, terms

_COVERED, _NAMED, _FULL = 0.5, 0.75, 0.8
_SENTENCE = 5  # content words that make an answer speak for itself


def agreement(question: str, gold_claims: Sequence[str], answer: str, claims: Sequence[Claim]) -> Gold:
    """Agreement with one gold claim is enough; conflict counts only where none agrees."""
    if not gold_claims:
        return "none"
    said = " ".join(claim.text for claim in claims) or answer
    found = [_one(part, question, said) for gold in gold_claims for part in (gold, *re.split(r"; ", gold)[:1])]
    if "agrees" in found:
        return "agrees"
    return "conflicts" if "conflicts" in found else "silent"


def _one(gold: str, asked: str, said: str) -> Gold:
    wanted = _new(quantities(gold), quantities(asked))
    given = _new(quantities(said), quantities(asked))
    covered = _coverage(gold, asked, said)
    if wanted:
        if any(_told_otherwise(kind, wanted, given) for kind in {w.kind for w in wanted}):
            return "conflicts" if _on_subject(gold, asked, said) else "silent"
        if any(w.agrees(g) for w in wanted for g in given):
            return "agrees"
        return "agrees" if covered >= _FULL else "silent"
    if covered >= _COVERED or _named(gold, asked, said) >= _NAMED:
        return "conflicts" if turned_round(said, gold) else "agrees"
    return "silent"


def _told_otherwise(kind: str, wanted: list[Quantity], given: list[Quantity]) -> bool:
    """The answer gives values of a kind that the gold gives too, and none of them is the gold's. A 1 beside others
    tells nothing: it is the second half of "2.75 : 1"."""
    ours = [g for g in given if _alike(kind, g.kind)]
    theirs = [w for w in wanted if w.kind == kind]
    telling = [w for w in theirs if w.value != 1] or theirs
    return bool(ours) and not any(w.agrees(g) for w in telling for g in ours)


def _alike(one: str, other: str) -> bool:
    return one == other or (one in CURRENCIES and other in CURRENCIES)


def _on_subject(gold: str, asked: str, said: str) -> bool:
    """A full sentence that names nobody the gold and the question name is about something else."""
    wanted = set(names(gold)) & set(terms(asked))
    there = set(terms(said))
    return not wanted or len(there) < _SENTENCE or 2 * len(wanted & there) > len(wanted)


def _new(found: list[Quantity], known: list[Quantity]) -> list[Quantity]:
    """Quantities that the question does not already name."""
    return [q for q in found if not any(q.agrees(k) for k in known)]


def _named(gold: str, asked: str, said: str) -> float:
    """The share of the names that the gold adds to the question and the answer repeats."""
    new = set(names(gold)) - set(terms(asked))
    return len(new & set(terms(said))) / len(new) if new else 0.0


def _coverage(gold: str, asked: str, said: str) -> float:
    """How much of what the gold adds to the question the answer repeats."""
    told = set(terms(asked))
    new = [term for term in dict.fromkeys(terms(gold)) if term not in told]
    if not new:
        return 1.0
    weights = {term: 2.0 if term in set(names(gold)) else 1.0 for term in new}
    there = set(terms(said))
    return sum(weights[term] for term in new if term in there) / sum(weights.values())
