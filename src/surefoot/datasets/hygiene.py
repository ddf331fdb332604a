"""What is wrong with a question set, before any pipeline is measured with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from surefoot.datasets.locks import difference, hashes_of, lock_path, read_lock
from surefoot.io.questions import QuestionSet
from surefoot.stats import questions_to_be_sure
from surefoot.text.containment import contains, phrases_of
from surefoot.text.normal import normalise
from surefoot.types import Problem

# Errors make `questions check` fail; warnings are for a person to read.
ERRORS = frozenset(
    ["bad_question", "duplicate_question", "duplicate_text", "missing_gold", "changed_question", "one_sided", "empty"]
)
_NAMED = 3  # questions that a summary names
_ID_KEYS = ("id", "chunk_id", "passage_id", "doc_id", "document_id")


def problems_of(question_set: QuestionSet, corpus: Collection[str] | None = None) -> list[Problem]:
    """Errors and warnings, each naming file and line."""
    found = list(question_set.problems)
    found += _same_text(question_set)
    found += _sides(question_set)
    found += _gold(question_set, corpus)
    found += _without_claims(question_set)
    found += changed_questions(question_set)
    return found


def _same_text(given: QuestionSet) -> Iterable[Problem]:
    seen: dict[str, str] = {}
    for question in given.questions:
        earlier = seen.setdefault(normalise(question.text), question.id)
        if earlier != question.id:
            message = f"question {question.id!r} asks the same as {earlier!r}: traces without ids cannot be told apart"
            yield Problem("duplicate_text", message, given.source, given.lines.get(question.id))


def _sides(given: QuestionSet) -> Iterable[Problem]:
    if not given.questions:
        yield Problem("empty", "holds no question", given.source)
        return
    answerable = sum(question.answerable for question in given.questions)
    unanswerable = len(given.questions) - answerable
    if not unanswerable:
        message = "has no unanswerable question, so it cannot show whether the pipeline makes things up"
        yield Problem("one_sided", message, given.source)
    elif not answerable:
        yield Problem("one_sided", "has no answerable question, so refusing everything would pass", given.source)
    else:
        needed = questions_to_be_sure(0, 0.05) or 0
        if unanswerable < needed:
            message = (
                f"has {unanswerable} unanswerable questions; it takes {needed} to prove that at most 5 % are answered"
            )
            yield Problem("few_unanswerable", message, given.source)


def _gold(given: QuestionSet, corpus: Collection[str] | None) -> Iterable[Problem]:
    for question in given.questions:
        line = given.lines.get(question.id)
        if question.answerable and not question.gold_ids:
            message = f"question {question.id!r} is answerable but has no gold_ids: no answer can ever hit"
            yield Problem("no_gold", message, given.source, line)
        if any(contains(phrases_of([claim]), question.text) for claim in question.gold_claims):
            yield Problem("leak", f"question {question.id!r} repeats its gold claim", given.source, line)
        for gold in question.gold_ids if corpus is not None else ():
            if corpus is not None and gold not in corpus:
                message = f"question {question.id!r}: the gold id {gold!r} is not in the corpus"
                yield Problem("missing_gold", message, given.source, line)


def _without_claims(given: QuestionSet) -> Iterable[Problem]:
    answerable = [question for question in given.questions if question.answerable]
    without = [question for question in answerable if not question.gold_claims]
    if without:
        few = ", ".join(repr(question.id) for question in without[:_NAMED]) + (" ..." if len(without) > _NAMED else "")
        message = (
            f"{len(without)} of {len(answerable)} answerable questions have no gold_claim ({few}): `grade` then takes "
            "an answer for correct when its passage bears it out and it reads like an answer to the question, so a "
            "true sentence beside the point, or an outdated value from a retrieved passage, can pass"
        )
        yield Problem("no_gold_claim", message, given.source)


def changed_questions(given: QuestionSet) -> Iterable[Problem]:
    """Those that are not as they were when they were locked, though they have the same id."""
    path = lock_path(given.source)
    if not path.is_file():
        return
    for qid in difference(read_lock(path), hashes_of(given.questions)).changed:
        message = f"question {qid!r} changed under its old id since it was locked"
        yield Problem("changed_question", message, given.source, given.lines.get(qid))
