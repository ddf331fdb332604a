"""What becomes of a question when somebody reviews it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from msgspec.structs import replace

from surefoot.core.types import Expects, Question
from surefoot.datasets.protocol import USUAL
from surefoot.io.questions import ACCEPTED, UNREAD, made_of

Decision = Literal["accepted", "rejected"]


def edited(
    question: Question, text: str, expects: Expects, gold_claims: tuple[str, ...] = (), gold_ids: tuple[str, ...] = ()
) -> Question:
    """As a reviewer leaves it."""
    changed = replace(question, text=text, expects=expects, gold_claims=gold_claims, gold_ids=gold_ids)
    if expects != question.expects:
        kind = USUAL[expects]
        changed = replace(changed, stratum=kind.stratum, probes=kind.probes, retrieval=kind.retrieval)
    return changed


def decided(question: Question, decision: Decision, by: str, edit: Question | None = None) -> Question:
    """How it was proposed stays in `made`, through any number of edits."""
    made = made_of(question)
    if edit is not None and edit != question:
        proposed = {
            "question": question.text, "expects": question.expects, "gold_claims": list(question.gold_claims),
            "gold_ids": list(question.gold_ids),
        }  # fmt: skip
        made = {"proposed": proposed, **made}
    return _reviewed(edit or question, decision, {**made, "reviewed": {"by": by, "at": _now()}})


def accepted_unread(question: Question) -> Question:
    return _reviewed(question, ACCEPTED, {**made_of(question), "accepted": f"{UNREAD}, {_now()[:10]}"})


def _reviewed(question: Question, review: str, made: dict[str, object]) -> Question:
    return replace(question, metadata={**question.metadata, "review": review, "made": made})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
