"""What is wrong with a question set, before any pipeline is measured with it: all that needs no reading."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct

from surefoot.core.intervals import questions_to_be_sure
from surefoot.core.types import Passage, Problem, Question, document_in
from surefoot.io.questions import QuestionSet, since_locked
from surefoot.text.normal import nearest, normalise, stem, vocabulary
from surefoot.text.numbers import quantities

# Errors make `questions check` fail; warnings are for a person to read.
ERRORS = frozenset(
    ["bad_question", "duplicate_question", "duplicate_text", "missing_gold", "changed_question", "one_sided", "empty"]
)
SURE = 0.5  # findings from here on count where only sound questions will do
_YES_OR_NO = re.compile(
    r"(?:^|, )(?:may|must|can|could|shall|should|will|would|is|are|was|were|do|does|did|has|have)\b", re.I
)
_DENIES = re.compile(r"\b(?:not|never|nobody|cannot)\b")
_FIGURE = re.compile(r"(\d+(?:[.,]\d+)*)[\s-]*([^\W\d_]*)")
_NAMED = 3  # questions that a summary names


class Finding(Struct, frozen=True):
    """What is wrong with a question, or, where `qid` is None, with the set; and how sure that is."""

    qid: str | None
    kind: str
    message: str
    confidence: float = 1.0


def problem_of(finding: Finding, given: QuestionSet) -> Problem:
    """With its place in the file, and in words how sure it is."""
    line = given.line_of(finding.qid) if finding.qid is not None else None
    sure = f" ({finding.confidence:.0%} sure)" if finding.confidence < 1 else ""
    return Problem(finding.kind, finding.message + sure, given.source, line)


def findings_of(given: QuestionSet, corpus: Collection[Passage] | None, prompt: str) -> list[Finding]:
    """All that the questions tell, the passages of their corpus, and the prompt of the pipeline."""
    found = list(_same_text(given.questions))
    is_told = not given.questions and any(one.kind != "note" for one in given.problems)
    found += [] if is_told else _sides(given.questions)
    found += _gold(given.questions)
    found += [] if corpus is None else _gone(given.questions, corpus)
    found += [*_leaks(given.questions, prompt), *_without_claims(given.questions)]
    return [*found, *changed_questions(given)]


def _same_text(questions: Iterable[Question]) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for question in questions:
        earlier = seen.setdefault(normalise(question.text), question.id)
        if earlier != question.id:
            message = f"question {question.id!r} asks the same as {earlier!r}: traces without ids cannot be told apart"
            yield Finding(question.id, "duplicate_text", message)


def _sides(questions: Collection[Question]) -> Iterator[Finding]:
    if not questions:
        yield Finding(None, "empty", "holds no question")
        return
    answerable = sum(question.answerable for question in questions)
    unanswerable = len(questions) - answerable
    if not unanswerable:
        message = "has no unanswerable question, so it cannot show whether the pipeline makes things up"
        yield Finding(None, "one_sided", message)
    elif not answerable:
        yield Finding(None, "one_sided", "has no answerable question, so refusing everything would pass")
    else:
        needed = questions_to_be_sure(0, 0.05) or 0
        if unanswerable < needed:
            few = f"has few unanswerable questions ({unanswerable})"
            message = f"{few}; it takes {needed} to prove that at most 5 % are answered"
            yield Finding(None, "few_unanswerable", message)


def _gold(questions: Iterable[Question]) -> Iterator[Finding]:
    for question in questions:
        if question.answerable and not question.gold_ids:
            message = f"question {question.id!r} is answerable but has no gold_ids: no answer can ever hit"
            yield Finding(question.id, "no_gold", message)


def _gone(questions: Iterable[Question], corpus: Collection[Passage]) -> Iterator[Finding]:
    """Gold ids that the corpus does not have, and what seems to stand in the place of each."""
    ids, instead = {passage.id for passage in corpus}, successors(questions, corpus)
    for question in questions:
        for gold in question.gold_ids:
            if gold not in ids:
                message = f"question {question.id!r}: the gold id {gold!r} is not in the corpus"
                found = instead.get(question.id)
                hint = f"; the closest passage in that document is {found.id!r}" if found else ""
                yield Finding(question.id, "missing_gold", message + hint)


def successors(questions: Iterable[Question], corpus: Collection[Passage]) -> dict[str, Passage]:
    """By id of a question whose gold is gone: the passage of that document that shares most words with its claims, or
    else with the question."""
    ids, by_document = {passage.id for passage in corpus}, defaultdict[str, dict[str, Passage]](dict)
    for passage in corpus:
        by_document[document_in(passage.id)][passage.text] = passage
    found = {}
    for question in questions:
        for gold in question.gold_ids:
            texts = by_document[document_in(gold)] if document_in(gold) and gold not in ids else {}
            wanted = vocabulary(" ".join(question.gold_claims) or question.text)
            best = nearest(texts, wanted)
            if wanted & vocabulary(best):
                found[question.id] = texts[best]
    return found


def _leaks(questions: Iterable[Question], prompt: str) -> Iterator[Finding]:
    for question in questions:
        if any(_repeats(claim, question.text) for claim in question.gold_claims):
            yield Finding(question.id, "leak", f"question {question.id!r} repeats its gold claim")
        for gold in question.gold_ids:
            if normalise(gold) in normalise(question.text).split():
                yield Finding(question.id, "leak", f"question {question.id!r} names its gold id {gold!r}")
        if any(normalise(claim) in normalise(prompt) for claim in question.gold_claims):
            yield Finding(question.id, "leak", f"the prompt has the gold claim of question {question.id!r}")


def _repeats(claim: str, question: str) -> bool:
    """All its words, in whatever order. Where yes or no is asked for, they give nothing away but a figure."""
    said = vocabulary(claim)
    gives_away = (quantities(claim) and not _DENIES.search(claim)) or not _YES_OR_NO.search(question)
    return len(said) > 1 and said <= vocabulary(question) and bool(gives_away) and _has_figures(claim, question)


def _has_figures(claim: str, question: str) -> bool:
    said = _figures(question)
    return all(one in said or (not one[1] and one[0] in dict(said)) for one in _figures(claim))


def _figures(text: str) -> set[tuple[str, str]]:
    """Each number with the word behind it: "4 mg" does not give "4 tablets" away."""
    return {(number, stem(word)) for number, word in _FIGURE.findall(text.lower())}


def _without_claims(questions: Iterable[Question]) -> Iterator[Finding]:
    answerable = [question for question in questions if question.answerable]
    without = [question for question in answerable if not question.gold_claims]
    if without:
        few = ", ".join(repr(question.id) for question in without[:_NAMED]) + (" ..." if len(without) > _NAMED else "")
        message = (
            f"{len(without)} of {len(answerable)} answerable questions have no gold_claim ({few}): `grade` then takes "
            "an answer for correct when its passage bears it out and it reads like an answer to the question, so a "
            "true sentence beside the point, or an outdated value from a retrieved passage, can pass"
        )
        yield Finding(None, "no_gold_claim", message)


def changed_questions(given: QuestionSet) -> Iterator[Finding]:
    """Those that are not as they were when they were locked, though they have the same id."""
    found = since_locked(given.source, given.questions)
    for qid in found.changed if found else ():
        yield Finding(qid, "changed_question", f"question {qid!r} changed under its old id since it was locked")
