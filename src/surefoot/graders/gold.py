"""Does an answer say what the gold claims say? Numbers decide where there are some, names and words otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surefoot.graders.figures import (
    Figure,
    FigureAsked,
    asked_in,
    comparable,
    figures_given,
    gold_figures,
    is_bare,
    same_figure,
)
from surefoot.graders.mismatches import misnamed
from surefoot.graders.rules import turned_round
from surefoot.table import Gold
from surefoot.text.amounts import worded_alike
from surefoot.text.claims import Claim
from surefoot.text.numbered import numbered
from surefoot.text.quantities import MOMENTS, Quantity, quantities
from surefoot.text.terms import names, terms

_COVERED, _NAMED, _FULL = 0.5, 0.75, 0.8
_SENTENCE = 5  # content words that make an answer speak for itself
_YES_NO = re.compile(r"\W*(?P<word>yes|no)\b(?!\. ?(?:\d|[A-Z]+-?\d))", re.IGNORECASE)
_ASKS_YES_NO = re.compile(
    r"(?:^|[.!?,:;] )(?:and |or |but )?(?:is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|must|shall|"
    r"should|will|would)\b",
    re.IGNORECASE,
)
_ASKS_MORE = re.compile(r"\b(?:who|what|when|where|why|how|which|whose|whom)\b", re.IGNORECASE)


def agreement(question: str, gold_claims: Sequence[str], answer: str, claims: Sequence[Claim]) -> Gold:
    """Agreement with one gold claim is enough; conflict counts only where none agrees."""
    if not gold_claims:
        return "none"
    said = [claim.text for claim in claims] or [answer]
    found = [_one(part, question, said, answer) for gold in gold_claims for part in (gold, *re.split(r"; ", gold)[:1])]
    if "agrees" in found:
        return "agrees"
    return "conflicts" if "conflicts" in found else "silent"


def of_other_dimensions(question: str, gold_claims: Sequence[str], claims: Sequence[Claim]) -> bool:
    """Both give figures, and none of the answer's can be held against one of the gold's: a length for a price."""
    asked, known = asked_in(question), quantities(question)
    pairs = [
        comparable(wanted.amount, given.amount, asked, is_bare(gold))
        for gold in gold_claims
        for wanted in _wanted(gold, question)
        for given in figures_given([claim.text for claim in claims])[0]
        if not _is_known(given, known)
    ]
    return bool(pairs) and not any(pairs)


def _one(gold: str, asked: str, sentences: Sequence[str], answer: str) -> Gold:
    ours, theirs = _yes_or_no(asked, answer), _yes_or_no(asked, gold)
    if ours and theirs and ours != theirs:
        return "conflicts"
    said = worded_alike(" ".join(sentences), gold)
    figures = _wanted(gold, asked)
    found = _by_figures(gold, asked, figures, sentences) if figures else None
    if ours and theirs and not _ASKS_MORE.search(asked):
        return found or "agrees"
    if figures:
        covers = not is_bare(gold) and not _gives_figures(asked, sentences) and _coverage(gold, asked, said) >= _FULL
        return found or ("agrees" if covers else "silent")
    if _names_another(gold, asked, said):
        return "conflicts" if _on_subject(gold, asked, said) else "silent"
    if not _new_terms(gold, asked):
        return _without_news(gold, said)
    if _coverage(gold, asked, said) >= _COVERED or _named(gold, asked, said) >= _NAMED:
        return "conflicts" if turned_round(said, gold) else "agrees"
    return "silent"


def _without_news(gold: str, said: str) -> Gold:
    """A gold that repeats the question: the answer must say so too."""
    own = terms(gold)
    if not own or sum(term in set(terms(said)) for term in own) < _FULL * len(own):
        return "silent"
    return "conflicts" if turned_round(said, gold) else "agrees"


def _names_another(gold: str, asked: str, said: str) -> bool:
    """Of a name that the gold tells apart by a number, the answer has only other numbers: Q1 for Q3."""
    wanted, there = numbered(gold) - numbered(asked), numbered(said)
    return any(one not in there and any(one.name == other.name for other in there) for one in wanted)


def _yes_or_no(asked: str, text: str) -> str:
    match = _YES_NO.match(text) if _ASKS_YES_NO.search(asked) else None
    return match["word"].lower() if match else ""


def _wanted(gold: str, asked: str) -> list[Figure]:
    """The figures that the gold adds to the question; all of them where it adds nothing else."""
    found = gold_figures(gold, asked_in(asked))
    known = quantities(asked)
    new = [one for one in found if not _is_known(one, known)]
    return new or ([] if _new_terms(gold, asked) else found)


def _by_figures(gold: str, asked: str, wanted: Sequence[Figure], sentences: Sequence[str]) -> Gold | None:
    """A single figure is held against what the answer concludes with, several against all that it says. None where the
    answer gives nothing to compare."""
    unit, bare = asked_in(asked), is_bare(gold)
    known = () if all(_is_known(one, quantities(asked)) for one in wanted) else quantities(asked)
    concluded, all_said = figures_given(sentences)
    pool = concluded if len({one.amount.value for one in wanted}) == 1 else all_said
    given = [one for one in pool if not _is_known(one, known)]
    said = " ".join(sentences)
    if misnamed(gold, said) or (bare and misnamed(f"{asked.rstrip('?!. ')}: {gold}", said)):
        return "conflicts"
    if any(_told_otherwise(kind, wanted, given, unit, bare) for kind in {one.amount.kind for one in wanted}):
        return "conflicts" if _on_subject(gold, asked, said) else "silent"
    return "agrees" if any(same_figure(w, g, unit, bare) for w in wanted for g in given) else None


def _gives_figures(asked: str, sentences: Sequence[str]) -> bool:
    """Others than the question has, and than dates."""
    known = quantities(asked)
    return any(one.amount.kind not in MOMENTS and not _is_known(one, known) for one in figures_given(sentences)[0])


def _told_otherwise(
    kind: str, wanted: Sequence[Figure], given: Sequence[Figure], unit: FigureAsked, bare: bool
) -> bool:
    """The answer gives values of a kind that the gold gives too, and none of them is the gold's. A 1 beside others
    tells nothing: it is the second half of "2.75 : 1"."""
    theirs = [one for one in wanted if one.amount.kind == kind]
    ours = [g for g in given if comparable(theirs[0].amount, g.amount, unit, bare)]
    telling = [one for one in theirs if one.amount.value != 1] or theirs
    return bool(ours) and not any(same_figure(w, g, unit, bare) for w in telling for g in ours)


def _is_known(figure: Figure, known: Sequence[Quantity]) -> bool:
    return any(figure.amount.agrees(other) for other in known)


def _on_subject(gold: str, asked: str, said: str) -> bool:
    """A full sentence that names nobody the gold and the question name is about something else."""
    wanted = set(names(gold)) & set(terms(asked))
    there = set(terms(said))
    return not wanted or len(there) < _SENTENCE or 2 * len(wanted & there) > len(wanted)


def _new_terms(gold: str, asked: str) -> list[str]:
    told = set(terms(asked))
    return [term for term in dict.fromkeys(terms(gold)) if term not in told]


def _named(gold: str, asked: str, said: str) -> float:
    """The share of the names that the gold adds to the question and the answer repeats."""
    new = set(names(gold)) - set(terms(asked))
    return len(new & set(terms(said))) / len(new) if new else 0.0


def _coverage(gold: str, asked: str, said: str) -> float:
    """How much of what the gold adds to the question the answer repeats; nothing where it adds nothing."""
    new = _new_terms(gold, asked)
    weights = {term: 2.0 if term in set(names(gold)) else 1.0 for term in new}
    there = set(terms(said))
    return sum(weights[term] for term in new if term in there) / (sum(weights.values()) or 1.0)
