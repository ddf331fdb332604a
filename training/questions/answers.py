"""Questions with a passage that answers them or does not, from questions that people asked of passages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from random import Random

from training.files import Row
from training.questions.edited import NameBank, negated, opposite, other_number
from training.questions.passages import deciding, sentences, window, without_answer
from training.questions.rows import Library, answers_row
from training.questions.support import any_or_all

_LEANS_BACK = re.compile(
    r"\b(?:it|they|them|this|that|these|those|he|she|his|her|their|there|its|one|ones|same)\b", re.IGNORECASE
)


_ASKS = re.compile(
    r"(?:who|what|which|when|where|why|how|is|are|can|do|does|did|was|were|will|should)\b", re.IGNORECASE
)


def span_answers(row: Row, library: Library, names: NameBank, rng: Random) -> Iterator[Row]:
    question, passage, golds = row["question"], row["passages"][0], row["gold_answer"]
    place = deciding(passage, question, golds)
    context = window(sentences(passage), [place], rng) if place is not None else None
    if context is None or place is None:
        return
    yield answers_row(context, question, 1, "gold", row, _said(context, golds))
    yield from _edited(row, context, sentences(passage)[place], names, rng)
    draw = rng.random()
    if draw < 0.35:
        near = library.near(row, rng, golds)
        other = any_or_all(near, question, rng) if near else None
        if other:
            yield answers_row(other, question, 0, "near", row)
    elif draw < 0.75:
        bare = without_answer(passage, question, golds, rng)
        if bare:
            yield answers_row(bare, question, 0, "answer-removed", row)


def _said(context: str, golds: list[str]) -> str:
    return next((gold for gold in golds if gold in context), "")


def _edited(row: Row, context: str, answer_sentence: str, names: NameBank, rng: Random) -> Iterator[Row]:
    """The same passage with a question that it does not answer."""
    question, passage = row["question"], row["passages"][0]
    edits = [
        ("edited-number", other_number(question, passage, rng)),
        ("edited-name", names.swap(question, passage, rng)),
        ("edited-opposite", opposite(question, rng)),
        (
            "edited-name-within",
            names.swap_within(question, context, answer_sentence, rng) if rng.random() < 0.3 else None,
        ),
        ("edited-negation", negated(question) if rng.random() < 0.12 else None),
    ]
    made = [(kind, edited) for kind, edited in edits if edited and edited != question]
    if made and rng.random() < 0.7:
        kind, edited = rng.choice(made)
        yield answers_row(context, edited, 0, kind, row)


def unanswerable(row: Row, rng: Random) -> Iterator[Row]:
    """Questions that people wrote, or looked at, as not answered by the passage."""
    context = any_or_all(row["passages"][0], row["question"], rng)
    plausible = row.get("plausible") or ()
    place = deciding(row["passages"][0], row["question"], plausible) if plausible else None
    if place is not None:
        context = window(sentences(row["passages"][0]), [place], rng)
    if context:
        yield answers_row(context, row["question"], 0, "unanswerable", row)


def long_answers(row: Row, rng: Random) -> Iterator[Row]:
    pieces = sentences(row["passages"][0])
    evidence = [
        at for at, piece in enumerate(pieces) if any(part.strip() in piece for part in row.get("evidence") or ())
    ]
    context = window(pieces, evidence, rng) if evidence else None
    if context:
        yield answers_row(context, row["question"], 1, "gold", row)
    bare = [piece for at, piece in enumerate(pieces) if at not in evidence]
    if evidence and len(bare) > 2 and len(" ".join(bare).split()) > 40:
        other = window(bare, [rng.randrange(len(bare))], rng)
        if other:
            yield answers_row(other, row["question"], 0, "answer-removed", row)


def dialogue_answers(rows: list[Row], library: Library, rng: Random) -> Iterator[Row]:
    """The last turn of a dialogue, where it stands on its own feet."""
    for row in rows:
        question = row["question"].rpartition("user:")[2].strip()
        stands_alone = _ASKS.match(question) and len(question.split()) > 4 and not _LEANS_BACK.search(question)
        if not stands_alone or row["answerable"] is None:
            continue
        if row["answerable"]:
            best = library_best(row, question, rng)
            if best:
                yield answers_row(best, question, 1, "gold", row)
        else:
            near = library.near(row, rng, [], question)
            context = any_or_all(near, question, rng) if near else None
            if context:
                yield answers_row(context, question, 0, "unanswerable", row)


def library_best(row: Row, question: str, rng: Random) -> str | None:
    """A window of the gold passage around what the gold answer says most of."""
    golds = " ".join(row["gold_answer"])
    passages = [row["passages"][at] for at in row["gold_passage_ids"] or ()]
    windows = [made for passage in passages if (made := any_or_all(passage, f"{question} {golds}", rng))]
    return max(windows, key=len, default=None) if windows else None


class Policies:
    """Passages of one privacy policy by what they are about."""

    def __init__(self, rows: list[Row]) -> None:
        self._topics: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for row in rows:
            self._topics[row["group"]][row["passages"][0]].add(_topic(row))

    def answers(self, row: Row, rng: Random) -> Iterator[Row]:
        question, passage, golds = row["question"], row["passages"][0], row["gold_answer"]
        place = deciding(passage, question, golds)
        context = window(sentences(passage), [place], rng) if place is not None else None
        if context:
            yield answers_row(context, question, 1, "gold", row, _said(context, golds))
        others = [text for text, topics in self._topics[row["group"]].items() if _topic(row) not in topics]
        other = any_or_all(rng.choice(others), question, rng) if others else None
        if other and rng.random() < 0.7:
            yield answers_row(other, question, 0, "other-topic", row)


def _topic(row: Row) -> str:
    return str(row.get("category") or "").partition("|||")[0]
