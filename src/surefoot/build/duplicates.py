"""Questions that ask one thing in other words. Search pairs them up: a large set is not compared all with all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from surefoot.core.types import Passage, Question, document_in
from surefoot.datasets.hygiene import Finding
from surefoot.io.questions import made_of
from surefoot.pipelines.retriever import Retriever
from surefoot.text.normal import normalise, numbers, proper_names

_NEIGHBOURS = 4
# Fitted to 30 questions of the demo in other words, and to the pairs of the demo that ask different things.
_ALIKE = 0.38  # share of words that both have, rare ones counting for more: from here on rather one question than two
_SAME_GOLD = 0.1  # so much less is enough where both lead to one passage
_MOST = 0.95


def duplicates_of(questions: Sequence[Question]) -> Iterator[Finding]:
    """Each pair once, the later question of it named."""
    retriever = Retriever(Passage(question.id, question.text) for question in questions)
    place = {question.id: number for number, question in enumerate(questions)}
    for question in questions:
        for near, _ in retriever.search(question.text, _NEIGHBOURS):
            earlier = questions[place[near.id]]
            if place[earlier.id] < place[question.id] and (sure := _sure(earlier, question, retriever)) >= 0.5:
                message = f"question {question.id!r} seems to ask the same as {earlier.id!r}: {earlier.text}"
                yield Finding(question.id, "duplicate", message, sure)


def _sure(one: Question, other: Question, retriever: Retriever) -> float:
    """How sure it is that both ask the same; 0.5 where their words are as alike as `_ALIKE` says."""
    is_other = one.expects != other.expects or _differ(one.text, other.text) or _are_apart(one, other)
    if is_other or normalise(one.text) == normalise(other.text):
        return 0.0  # the first is told without any reading
    words, others = (_asked(question.text, retriever) for question in (one, other))
    shared, every = (sum(map(retriever.weight, found)) for found in (words & others, words | others))
    alike = shared / every if every else 0.0
    bonus = _SAME_GOLD if set(one.gold_ids) & set(other.gold_ids) else 0.0
    return round(min(_MOST, 0.5 + alike + bonus - _ALIKE), 4)


def _are_apart(one: Question, other: Question) -> bool:
    """Asked of other documents, or built of other facts or to probe other things."""
    places = [{document_in(id_) for id_ in (*each.gold_ids, *listed(each))} for each in (one, other)]
    are_built = all(made_of(each).get("by") == "templates" for each in (one, other))
    are_built &= one.probes != other.probes or one.gold_claims != other.gold_claims or not one.gold_claims
    return are_built or ("" not in places[0] | places[1] and all(places) and places[0].isdisjoint(places[1]))


def listed(question: Question) -> list[str]:
    """The passages that it was built on."""
    evidence = made_of(question).get("evidence")
    return [one for one in evidence if isinstance(one, str)] if isinstance(evidence, list) else []


def _asked(text: str, retriever: Retriever) -> set[str]:
    """Its words but for names: they say whom a question is about, not what it asks."""
    return set(retriever.terms(text)) - set(retriever.terms(" ".join(proper_names(text))))


def _differ(one: str, other: str) -> bool:
    """Each has a number, or each a name, that the other lacks: two years, two parties."""
    pairs = ((set(find(one)), set(find(other))) for find in (numbers, proper_names))
    return any(left - right and right - left for left, right in pairs)
