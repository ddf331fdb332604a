"""A proposed question as a person reads it: beside it the passages it rests on, with the words of its claims marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from surefoot.core.types import Passage, Question
from surefoot.io.questions import made_of
from surefoot.web.passages import Source, source_of, unknown_source, word_keys


class Shown(Struct, frozen=True):
    """A passage beside a question; `id` is as it stands in the corpus."""

    id: str
    source: Source
    is_gold: bool


class View(Struct, frozen=True):
    """`evidence` is what the question rests on; where nothing answers it, the passages that come nearest."""

    evidence: tuple[Shown, ...]
    others: tuple[Shown, ...]
    why: str
    kind: str
    proposed: str  # the text before somebody edited it, where somebody did


def view_of(question: Question, passages: Mapping[str, Passage], nearest: Sequence[Passage]) -> View:
    made = made_of(question)
    named = tuple(dict.fromkeys([*question.gold_ids, *_texts(made.get("evidence"))]))
    close = tuple(passage.id for passage in nearest if passage.id not in named)
    marks = _marks(question)

    def shown(identifier: str) -> Shown:
        passage = passages.get(identifier)
        source = source_of(passage, marks) if passage else unknown_source(identifier)
        return Shown(identifier, source, identifier in question.gold_ids)

    before = made.get("proposed")
    text = str(before.get("question", "")) if isinstance(before, dict) else ""
    return View(
        evidence=tuple(map(shown, named or close)),
        others=tuple(map(shown, close if named else ())),
        why=_text(made.get("why")),
        kind=_text(made.get("kind")),
        proposed=text if text != question.text else "",
    )


def _marks(question: Question) -> dict[str, list[int]]:
    """The words of the claims; where there are none, those of the question."""
    marks: dict[str, list[int]] = {}
    for number, text in enumerate(question.gold_claims or (question.text,)):
        for key in word_keys(text):
            marks.setdefault(key, []).append(number)
    return marks


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
