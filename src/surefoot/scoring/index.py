"""Which question a trace answers: found by its id, else by its text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from surefoot.text.normal import normalise
from surefoot.types import Question


class QuestionIndex:
    """Finds the question of a trace: by id, else by its text in normal form. Questions are known by place."""

    UNKNOWN, AMBIGUOUS = -1, -2

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = questions
        self._by_id: dict[str, int] = {question.id: place for place, question in enumerate(questions)}
        self._by_text = self._places(question.text for question in questions)
        self.is_plain = not any(question.text.startswith(("{", "[")) for question in questions)  # none may be JSON
        self._by_normal_text: dict[str, int] | None = None  # made when a text is first met that differs from all

    def find(self, qid: str | None, text: str | None) -> int:
        """The place of a question, UNKNOWN or AMBIGUOUS."""
        place = self._by_id.get(qid) if qid is not None else None
        if place is not None:
            return place
        return self.UNKNOWN if text is None else self.find_text(text)

    def find_text(self, text: str) -> int:
        place = self._by_text.get(text)
        if place is not None:
            return place
        if self._by_normal_text is None:
            self._by_normal_text = self._places(normalise(question.text) for question in self._questions)
        return self._by_normal_text.get(normalise(text), self.UNKNOWN)

    def _places(self, texts: Iterable[str]) -> dict[str, int]:
        places: dict[str, int] = {}
        for place, text in enumerate(texts):
            places[text] = self.AMBIGUOUS if text in places else place
        return places
