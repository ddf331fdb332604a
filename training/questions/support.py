"""Claims with a passage that supports, contradicts or does not decide them, from questions that people answered."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

from surefoot.text.normal import terms
from surefoot.text.refusals import detect
from training.files import Row, read_usable
from training.questions.declarative import beside, declare, render
from training.questions.passages import LIMIT, any_window, deciding, sentences, window, without_answer
from training.questions.rows import Library, agree, support_row
from training.questions.spans import asks_for_one_of_many, changed_number, kind_of, other_answer

_FACTS = ("year", "date", "money", "percent", "number", "name")
_YES_NO = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|may|must|am)\b", re.IGNORECASE
)
_OPEN = re.compile(
    r"(?:why|how (?!many|much|long|old|far|often|tall|large|big)|what (?:happen|do|does|did)\b)", re.IGNORECASE
)


_ASKS_THING = re.compile(r"(?:what|which|who|how|where|for what|with whom)\b", re.IGNORECASE)
_LOOSE = re.compile(r"^(?:if|when|or|and|which)\b|[?-]$", re.IGNORECASE)  # a piece that answers nothing
_CHAT = re.compile(r"\?|\b(?:i|my|me)\b", re.IGNORECASE)  # talk about oneself: no claim on the passage


def span_support(row: Row, library: Library, rng: Random) -> Iterator[Row]:
    """From a question with a short answer in one passage."""
    golds = [gold for gold in row["gold_answer"] if gold.strip()]
    question, passage = row["question"], row["passages"][0]
    if not golds or _YES_NO.match(question) or not agree(golds):
        return
    short = [gold for gold in golds if len(gold.split()) <= 10]
    place = deciding(passage, question, golds)
    if not short or place is None:
        return
    context = window(sentences(passage), [place], rng)
    if context is None:
        return
    gold = rng.choice(short)
    yield support_row(context, render(question, gold, rng), "supported", "gold", row)
    yield from _contradicted(row, gold, short, context, library, rng)
    yield from _undecided(row, gold, golds, library, rng)


def _contradicted(row: Row, gold: str, golds: list[str], context: str, library: Library, rng: Random) -> Iterator[Row]:
    question = row["question"]
    several = asks_for_one_of_many(question)
    wrong = None if several else other_answer(context, question, [gold, *golds], library.peers(row), rng)
    if wrong:
        answer, kind = wrong
        label = "contradicted" if kind in _FACTS and not _OPEN.match(question) else "unsupported"
        yield support_row(context, render(question, answer, rng), label, f"other-{kind}", row)
    if kind_of(gold) in _FACTS[:5] and (wrong is None or rng.random() < 0.5):
        changed = changed_number(gold, rng, row["passages"][0])
        if changed:
            yield support_row(context, render(question, changed, rng), "contradicted", "changed-number", row)


def _undecided(row: Row, gold: str, golds: list[str], library: Library, rng: Random) -> Iterator[Row]:
    draw, question = rng.random(), row["question"]
    if draw < 0.42:
        passage = library.near(row, rng, golds, f"{question} {gold}")
        context, kind = (any_or_all(passage, question, rng) if passage else None), "near"
    elif draw < 0.9:
        context, kind = without_answer(row["passages"][0], question, golds, rng), "answer-removed"
    else:
        passage = library.random(row, rng, golds)
        context, kind = (any_window(passage, rng) if passage else None), "random"
    if context:
        yield support_row(context, render(question, gold, rng), "not_enough", kind, row)


def any_or_all(passage: str, question: str, rng: Random) -> str | None:
    """A window around the sentence of the passage that is closest to the question."""
    pieces, wanted = sentences(passage), set(terms(question))
    if not pieces:
        return None
    return window(pieces, [max(range(len(pieces)), key=lambda at: len(wanted & set(terms(pieces[at]))))], rng)


def plausible_support(row: Row, rng: Random) -> Iterator[Row]:
    """What looks like an answer to a question that the passage does not answer."""
    for answer in row.get("plausible") or ():
        place = deciding(row["passages"][0], row["question"], [answer])
        context = window(sentences(row["passages"][0]), [place], rng) if place is not None else None
        if context and len(answer.split()) <= 10:
            yield support_row(context, render(row["question"], answer, rng), "unsupported", "plausible", row)
            return


def policy_support(row: Row, library: Library, rng: Random) -> Iterator[Row]:
    """Privacy policies: questions come from a list, so only those that ask for a thing make a claim."""
    golds = [gold for gold in row["gold_answer"] if 5 <= len(gold.split()) <= 25 and not _LOOSE.search(gold)]
    if not _ASKS_THING.match(row["question"]) or not golds:
        return
    gold = max(golds, key=len)
    place = deciding(row["passages"][0], row["question"], [gold])
    context = window(sentences(row["passages"][0]), [place], rng) if place is not None else None
    if context:
        yield support_row(context, beside(row["question"], gold), "supported", "gold", row)
        bare = without_answer(row["passages"][0], row["question"], golds, rng)
        if bare:
            yield support_row(bare, beside(row["question"], gold), "not_enough", "answer-removed", row)
        near = library.near(row, rng, golds)
        other = any_or_all(near, row["question"], rng) if near else None
        if other and not set(terms(gold)) <= set(terms(other)):
            yield support_row(other, beside(row["question"], gold), "not_enough", "near", row)


def long_support(row: Row, others: list[Row], rng: Random) -> Iterator[Row]:
    """Long answers: whole, with a sentence of another answer in them, or with another number."""
    answer = " ".join(row["gold_answer"][0].split())
    pieces = sentences(row["passages"][0])
    evidence = [
        at for at, piece in enumerate(pieces) if any(part.strip() in piece for part in row.get("evidence") or ())
    ]
    context = window(pieces, evidence or [0], rng)
    if context is None or len(answer.split()) > 120 or (not evidence and len(context) < len(row["passages"][0]) - 80):
        return
    yield support_row(context, answer, "supported", "long", row)
    changed = changed_number(answer, rng, row["passages"][0])
    if changed:
        yield support_row(context, changed, "unsupported", "long-changed-number", row)
    own, foreign = list(sentences(answer)), sentences(rng.choice(others)["gold_answer"][0])
    if foreign:
        at = rng.randrange(len(own)) if len(own) > 1 else 1
        own[at : at + 1] = [rng.choice(foreign)]
        yield support_row(context, " ".join(own), "unsupported", "long-foreign-sentence", row)


def response_support(data: Path, rng: Random) -> Iterator[Row]:
    """Whole answers that people judged against their passages."""
    for row in read_usable(data / "response.jsonl.gz"):
        answer = " ".join(row["answer"].split())
        if not 4 <= len(answer.split()) <= 120 or detect(answer).value == "refused" or _CHAT.search(answer):
            continue
        pieces = [piece for passage in row["passages"] for piece in sentences(passage)]
        context = _closest(pieces, answer)
        label = "supported" if row["label"] == "faithful" else "unsupported"
        if context and rng.random() < 0.95:
            yield support_row(context, answer, label, "answer", row)


def _closest(pieces: list[str], answer: str) -> str:
    """The sentences that share most with the answer, in their order, within the limit."""
    wanted = set(terms(answer))
    order = sorted(range(len(pieces)), key=lambda at: (-len(wanted & set(terms(pieces[at]))), at))
    kept, size = [], 0
    for at in order:
        if size + len(pieces[at].split()) <= LIMIT:
            kept.append(at)
            size += len(pieces[at].split())
    return " ".join(pieces[at] for at in sorted(kept))


def short_answer_support(data: Path, rng: Random, most: int = 6000) -> Iterator[Row]:
    """Short answers against the right one: do the two say the same?"""
    sources = ("evouna_nq", "nq301")
    rows = [row for row in read_usable(data / "correctness.jsonl.gz") if row["source"] in sources and row["answer"]]
    right: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["label"] == "correct" and len(row["answer"].split()) <= 10:
            right[row["group"]].append(row["answer"])
    made: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        gold = _right_answer(row, right[row["group"]], rng)
        if gold and 0 < len(row["answer"].split()) <= 25 and detect(row["answer"]).value != "refused":
            label = "supported" if row["label"] == "correct" else "contradicted"
            made[label].append(_agreement(row, gold, label, rng))
    for found in made.values():
        rng.shuffle(found)
        yield from found[: most // 2]


def _right_answer(row: Row, right: list[str], rng: Random) -> str | None:
    if row["gold_answer"]:
        golds = [gold.strip() for gold in row["gold_answer"].split("/") if len(gold.strip()) > 1]
        return rng.choice(golds) if golds else None
    others = [answer for answer in right if answer != row["answer"]]
    return rng.choice(others) if others else None


def _agreement(row: Row, gold: str, label: str, rng: Random) -> Row:
    question = row["question"].strip().rstrip("?") + "?"
    answer = re.sub(r"(?<=[a-z.])\d(?=[.\s]|$)|\[\^?\d+\^?\]", "", " ".join(row["answer"].split()))
    context = (declare(question, gold) if rng.random() < 0.7 else None) or beside(question, gold)
    whole = len(answer.split()) > 8 or answer.endswith(".")
    claim = answer if whole else (declare(question, answer) if rng.random() < 0.7 else None) or beside(question, answer)
    return support_row(context, claim, label, "short-answer", row)
