"""What a council has before it: answers, and the raw texts of those who reviewed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from surefoot.council.ballots import Labels
from surefoot.errors import UsageError

_KEYS = ("question", "responses", "reviews", "weights", "safety", "rubric")
_HINT = 'write {"responses": {"A": {"model": "m1", "text": "..."}}, "reviews": [{"reviewer": "m2", "text": "..."}]}'


class Answer(Struct, frozen=True):
    label: str
    model: str = ""
    text: str = ""


class Review(Struct, frozen=True):
    """`text` is whatever came back: a reviewer that sends something else spoils its own ballot only."""

    reviewer: str
    text: object = None
    shown: tuple[str, ...] = ()  # the order in which the reviewer saw the answers, where it is known
    code: str = ""  # that the ballot must carry, where the reviewer was given one
    error: str = ""  # why there is no text


class Sitting(Struct, frozen=True):
    answers: tuple[Answer, ...]
    reviews: tuple[Review, ...]
    question: str = ""
    weights: object = None
    rubric: str = ""
    gate: bool | None = None
    cap: float | None = None
    problems: tuple[str, ...] = ()


def sitting_of(value: object) -> Sitting:
    """A sitting as it stands in a file; UsageError if the answers cannot be told from it."""
    if not isinstance(value, dict):
        raise UsageError("the file of reviews is not a JSON object", _HINT)
    problems = [f"the key {str(key)[:40]!r} is not used" for key in value if key not in _KEYS]
    answers = tuple(_answers(value.get("responses")))
    problems += [f"{answer.label[:40]} has no text" for answer in answers if not answer.text.strip()]
    labels = Labels(answer.label for answer in answers)
    reviews = value.get("reviews")
    if not isinstance(reviews, list):
        raise UsageError("the file has no list of reviews", _HINT)
    gate, cap = _safety(value.get("safety"))
    read = [_review(review, place, labels) for place, review in enumerate(reviews, 1)]
    for one, review in zip(read, reviews, strict=True):
        problems += [f"{one.reviewer}: shown: {what}" for what in _wrong_order(review, labels)]
    return Sitting(
        answers,
        tuple(read),
        _text(value, "question"),
        value.get("weights"),
        _text(value, "rubric"),
        gate,
        cap,
        tuple(problems),
    )


def _answers(responses: object) -> Iterator[Answer]:
    if not isinstance(responses, dict) or not responses:
        raise UsageError("the file has no responses", _HINT)
    for label, response in responses.items():
        if not isinstance(response, dict):
            raise UsageError(f"the response {label[:40]!r} is not an object", _HINT)
        if not label.strip():
            raise UsageError("a response has no label", _HINT)
        yield Answer(label, _text(response, "model"), _text(response, "text"))


def _review(review: object, place: int, labels: Labels) -> Review:
    if not isinstance(review, dict):
        return Review(f"review {place}", None)
    reviewer = review.get("reviewer")
    name = reviewer.strip() if isinstance(reviewer, str) else ""
    return Review(name or f"review {place}", review.get("text"), _shown(review.get("shown"), labels))


def _shown(order: object, labels: Labels) -> tuple[str, ...]:
    if not isinstance(order, Sequence) or isinstance(order, str):
        return ()
    found = [labels.find(label) for label in order]
    return tuple(dict.fromkeys(label for label in found if label is not None))


def _wrong_order(review: object, labels: Labels) -> Iterator[str]:
    """What is wrong with the order in which a reviewer saw the answers."""
    order = review.get("shown") if isinstance(review, dict) else None
    if order is not None and not isinstance(order, list):
        yield "it is not a list of labels"
    seen: set[str] = set()
    for written in order if isinstance(order, list) else ():
        label = labels.find(written)
        if label is None or label in seen:
            yield f"{str(written)[:40]} {'is no label of an answer' if label is None else 'stands there twice'}"
        seen.add(label or "")


def _safety(value: object) -> tuple[bool | None, float | None]:
    """true, false, or an object with `gate` and `cap`."""
    if value is None or isinstance(value, bool):
        return value, None
    if isinstance(value, dict) and value.keys() <= {"gate", "cap"}:
        gate, cap = value.get("gate"), value.get("cap")
        if isinstance(gate, bool | None) and isinstance(cap, int | float | None) and not isinstance(cap, bool):
            return gate, None if cap is None else float(cap)
    raise UsageError("`safety` is not understood", 'write true, false, or {"gate": true, "cap": 0}')


def _text(value: Mapping[str, object], key: str) -> str:
    found = value.get(key)
    if found is not None and not isinstance(found, str):
        raise UsageError(f"`{key}` is not a text", _HINT)
    return found or ""
