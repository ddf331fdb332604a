"""The question-answer rows that data is made from, and the shape of what is made."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from random import Random

from training.files import Row
from training.questions.passages import Nearest, hints_at, holds_any
from training.questions.spans import overlaps


def support_row(context: str, claim: str, label: str, kind: str, row: Row) -> Row:
    made = {"context": context, "claim": " ".join(claim.split()), "label": label, "kind": f"{row['source']}-{kind}"}
    return made | {"group": row["group"], "source": row["source"]}


def answers_row(context: str, question: str, answers: int, kind: str, row: Row, said: str = "") -> Row:
    """`said`: the words of the context that give the answer, where they are known."""
    made = {"context": context, "question": " ".join(question.split()), "answers": answers, "said": said}
    return made | {"kind": f"{row['source']}-{kind}", "group": row["group"], "source": row["source"]}


def agree(golds: list[str]) -> bool:
    """Did the people who answered mean one thing?"""
    return all(overlaps(golds[0], gold) for gold in golds)


class Library:
    """The passages of a pool of rows: whose answers each gives, and which are near a question."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._answers: dict[str, list[Row]] = defaultdict(list)
        self._pools: dict[str, dict[str, None]] = defaultdict(dict)
        for row in rows:
            for passage in row["passages"] or ():
                self._pools[pool_of(row)][passage] = None
                self._answers[passage] += [row] if row["answerable"] and row["gold_answer"] else []
        self._indexes: dict[str, Nearest] = {}

    def peers(self, row: Row) -> list[str]:
        """What answers other questions on the row's passage that open with the same question word."""
        opening = question_word(row["question"])
        others = (other for other in self._answers[row["passages"][0]] if other["id"] != row["id"])
        return [other["gold_answer"][0] for other in others if question_word(other["question"]) == opening]

    def near(self, row: Row, rng: Random, banned: Iterable[str], query: str = "") -> str | None:
        """A passage close to the question that does not say the answer."""
        pool = pool_of(row)
        if pool not in self._indexes:
            self._indexes[pool] = Nearest(list(self._pools[pool]))
        own, banned = set(row["passages"] or ()), list(banned)
        ranked = self._indexes[pool].ranked(query or row["question"])
        others = [text for text in ranked if text not in own and not holds_any(text, banned)]
        usable = [text for text in others if not hints_at(text, banned)][:4]
        return usable[min(int(rng.random() ** 2 * len(usable)), len(usable) - 1)] if usable else None

    def random(self, row: Row, rng: Random, banned: Iterable[str]) -> str | None:
        passage = rng.choice(list(self._pools[pool_of(row)]))
        return None if passage in row["passages"] or holds_any(passage, banned) else passage


def question_word(question: str) -> str:
    match = re.search(
        r"\b(?:who|whom|what|which|when|where|why|how(?: (?:many|much|long|old|often))?)\b", question.lower()
    )
    return match.group() if match else ""


def pool_of(row: Row) -> str:
    """Rows whose passages may stand in for each other: of one article, policy or kind of text."""
    source = str(row["source"])
    if source in ("squad2", "policyqa"):
        return str(row["group"])
    return f"{source}-{row.get('domain', '')}"
