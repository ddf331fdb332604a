"""The fields of the review page, and what a reviewer changed in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from surefoot.core.types import Expects, Question
from surefoot.datasets.review import edited
from surefoot.report.prose import visible
from surefoot.review.writing import written_question
from surefoot.web.pages import BadForm

_LONGEST = 4_000


class Fields(Struct, frozen=True):
    """What stands in the fields, changed or not."""

    text: str = ""
    expects: Expects = "answer"
    claims: list[str] = []
    gold: list[str] = []


class NewFields(Fields, frozen=True):
    """Those of a new question; `gold` are ids as they are in the corpus."""

    anyway: bool = False

    def question(self) -> Question:
        text, claims = _kept((), self.text), [_kept((), one) for one in self.claims]
        if self.expects == "refusal":
            return written_question(text)
        return _checked(written_question(text, self.gold, claims))


def edit_of(question: Question, fields: Fields, ids: Mapping[str, str]) -> Question:
    """`ids` are those that the page shows, by how it shows them. What was not touched stays as it was."""
    if _is_untouched(question, fields):
        return question
    text = _kept((question.text,), fields.text)
    if not text:
        raise BadForm("the question has no text", "write one, or reject it")
    if fields.expects == "refusal":
        stays = question.expects == "refusal"
        gold = (question.gold_claims, question.gold_ids) if stays else ((), ())
        return edited(question, text, "refusal", *gold)
    claims = dict.fromkeys(claim for one in fields.claims if (claim := _kept(question.gold_claims, one)))
    gold_ids = dict.fromkeys(ids[one] for one in fields.gold if one in ids)
    edit = edited(question, text, "answer", tuple(claims), tuple(gold_ids))
    return edit if edit == question else _checked(edit)


def _is_untouched(question: Question, fields: Fields) -> bool:
    """Told by all fields together: two claims or ids may be shown alike."""
    before = (question.expects, question.text, question.gold_claims, question.gold_ids)
    return _all_shown(*before) == _all_shown(fields.expects, fields.text, fields.claims, fields.gold)


def _all_shown(expects: Expects, text: str, claims: Iterable[str], gold: Iterable[str]) -> tuple[object, ...]:
    return expects, _shown(text), [*map(_shown, claims)], [*map(visible, gold)]


def _checked(question: Question) -> Question:
    if not question.gold_ids:
        raise BadForm("an answer must stand in some passage", "mark the gold passage, or expect a refusal")
    if not question.gold_claims:
        raise BadForm("nothing says what the answer is", "write what a right answer says, or expect a refusal")
    return question


def _kept(originals: Iterable[str], given: str) -> str:
    """The original that a field still shows, for a field cannot hold every character; else what was written."""
    flat = " ".join(given.split())
    original = next((one for one in originals if _shown(one) == flat), None)
    if original is None and len(flat) > _LONGEST:
        raise BadForm(f"a field holds up to {_LONGEST:,} characters", "shorten it")
    return visible(flat) if original is None else original


def _shown(text: str) -> str:
    return " ".join(visible(text).split())
