"""Questions worth keeping, out of graded answers of a log: what went wrong, what was refused, what nobody else asks.

What users ask is what a set should ask. Whether an answer or a refusal is right is proposed by what the passages say,
never by what the pipeline said, and a person decides.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing

from msgspec import Struct

from surefoot.build.facts import facts_of
from surefoot.build.proof import Answering, Proof
from surefoot.build.reading import duplicates_of
from surefoot.core.result import Person
from surefoot.core.types import Passage, Question, Trace, counted
from surefoot.corpus.passages import Row
from surefoot.datasets.protocol import USUAL, proposed
from surefoot.graders.grader import Graded
from surefoot.pipelines.retriever import Retriever
from surefoot.text.normal import is_row, nearest, normalise, vocabulary
from surefoot.text.tables import cells_of

_WORST = ("wrong", "unsupported", "refused", "correct")
_ANSWER_IS = {
    "wrong": "The answer in the log contradicts a passage",
    "unsupported": "The answer in the log has no support",
    "refused": "The pipeline refused to answer",
    "correct": "Nobody else asked anything like it",
}
_SURE = 0.5  # from here on a passage is proposed as gold
_NEAREST = 3  # passages kept as evidence that nothing answers
_NEIGHBOURS = 4
_LONGEST_HEADING = 6  # words
_SAYS = re.compile(r"\d|[.!?;:]")
_ALIKE = 0.25  # share of words that two questions have in common, where one is like the other


class Logged(Struct, frozen=True):
    """A question to propose, for the worst of its answers."""

    graded: Graded
    times: int  # it was asked

    @property
    def question(self) -> Question:
        return self.graded.item.question

    @property
    def trace(self) -> Trace:
        return self.graded.item.trace

    @property
    def retrieved(self) -> list[Passage]:
        """Of which the log has the text."""
        return [passage for passage in self.trace.sources if passage.text.strip()]

    @property
    def ids(self) -> set[str]:
        """What the log itself calls passages: their places in a list say nothing outside of it."""
        return {passage.id for passage in self.trace.retrieved or () if passage.id}


def wanted_of(graded: Sequence[Graded]) -> list[Logged]:
    """The questions worth keeping, those with the worst answers first; one of several that ask the same."""
    by_question: defaultdict[str, list[Graded]] = defaultdict(list)
    for one in graded:
        if one.bucket is not None:
            by_question[one.item.question.id].append(one)
    found = [Logged(min(ones, key=_badness), len(ones)) for ones in by_question.values()]
    found.sort(key=lambda one: (_badness(one.graded), -one.times))
    again = {finding.qid for finding in duplicates_of([one.question for one in found])}
    rare = rare_among([one.question for one in found])
    return [
        one
        for one in found
        if one.question.id not in again and (one.graded.bucket != "correct" or one.question.id in rare)
    ]


def rare_among(questions: Sequence[Question]) -> set[str]:
    """The ids of questions that share few words with any other."""
    retriever = Retriever(Passage(question.id, question.text) for question in questions)
    words = {question.id: vocabulary(question.text) for question in questions}

    def is_alike(one: str, other: str) -> bool:
        return len(words[one] & words[other]) >= _ALIKE * len(words[one] | words[other])

    return {
        one.id
        for one in questions
        if not any(
            is_alike(one.id, near.id) for near, _ in retriever.search(one.text, _NEIGHBOURS) if near.id != one.id
        )
    }


def proposals(
    graded: Sequence[Graded], corpus: Sequence[Passage] | None, most: int, known: Collection[str], person: Person
) -> list[Question]:
    """Questions to review, each once, the worst first.

    Without a corpus, only what was retrieved tells whether there is an answer, and gold ids are those that the log has.
    Whatever is left out, the person is told.
    """
    if left := sum(one.bucket is None for one in graded):
        person.tell(f"note: {counted(left, 'answer')} could not be graded, and nothing is proposed for them")
    new = [one for one in wanted_of(graded) if normalise(one.question.text) not in known]
    wanted = new if corpus else [one for one in new if one.retrieved]  # where there is no text, nothing is known
    if left := len(new) - len(wanted):
        why = "the log has no text of a passage to look for an answer in; give the corpus as well"
        person.tell(f"note: {counted(left, 'question')} left out: {why}")
    if len(wanted) > most:
        person.tell(f"note: the {most} questions with the worst answers are proposed, of {len(wanted)}")
    found, proof = list[Question](), Proof(corpus) if corpus else None
    with closing(person.watch(min(most, len(wanted)), "proposed")) as watch:
        for one in wanted[:most]:
            found.append(_proposal(one, proof) if proof else _proposal(one, Proof(one.retrieved), one.ids))
            watch.count(one.trace)
    if left := sum(one.answerable and not one.gold_ids for one in found):
        why = "the log has no id of the passage that answers; give the corpus as well"
        person.tell(f"note: {counted(left, 'question')} without gold ids: {why}")
    return found


def _proposal(one: Logged, proof: Proof, ids: Collection[str] | None = None) -> Question:
    """`ids` are those that may be named; None for all."""
    question = one.question

    def named(passages: Iterable[Passage]) -> tuple[str, ...]:
        return tuple(passage.id for passage in passages if ids is None or passage.id in ids)

    answers = proof.answered(question.text)
    sure = [found for found in answers if (found.probability or 0) >= _SURE] or answers[:1]
    read = [found for found in sure if found.probability is not None]
    gold = named(found.passage for found in read)
    claim = _claim(question.text, read[0]) if read else ""
    kind = USUAL["answer" if answers else "refusal"]
    made: dict[str, object] = {
        "kind": "log", "by": one.graded.verdicts[0].grader, "why": _why(one, answers, ids),
        "evidence": list(gold or named(proof.nearest(question.text, _NEAREST))), "bucket": one.graded.bucket,
        "asked": one.times,
    }  # fmt: skip
    return proposed(question.id, question.text, kind, gold, (claim,) if claim else (), made)


def _claim(question: str, found: Answering) -> str:
    """What the passage says, as a sentence: of a row of a table, the cell that is asked for. A heading says nothing."""
    if not is_row(found.quote):
        return "" if _is_heading(found.quote) else found.quote
    name = cells_of(found.quote)[0]
    facts = facts_of(Row(found.passage.id, found.passage.text, found.passage.doc))
    cells = [fact.claim for fact in facts if fact.kind == "cell" and fact.claim.startswith(f"{name}: ")]
    return nearest(cells, vocabulary(question))


def _is_heading(text: str) -> bool:
    return len(text.split()) <= _LONGEST_HEADING and not _SAYS.search(text)


def _why(one: Logged, answers: Sequence[Answering], ids: Collection[str] | None) -> str:
    said = _ANSWER_IS[one.graded.bucket or "unsupported"]
    if not answers:
        return f"{said}. No passage was found to answer it."
    best = answers[0]
    passage = f"passage {best.passage.id}" if ids is None or best.passage.id in ids else "retrieved passage"
    if best.probability is None:
        return f"{said}. Whether the {passage} answers it could not be read: {best.reason}"
    return f"{said}. The {passage} seems to answer it: {best.quote}".rstrip(": ")


def _badness(graded: Graded) -> int:
    return _WORST.index(graded.bucket or "correct")
