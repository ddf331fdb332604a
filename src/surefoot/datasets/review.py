"""What becomes of a question's row when somebody reviews it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from surefoot.datasets.locks import UNREAD
from surefoot.datasets.protocol import USUAL
from surefoot.datasets.question_file import Entry, Row
from surefoot.io.questions import ACCEPTED, text_key
from surefoot.types import Expects, Question

Decision = Literal["accepted", "rejected"]


class Edit(Struct, frozen=True):
    """A question as the reviewer leaves it."""

    text: str
    expects: Expects
    gold_claims: tuple[str, ...] = ()
    gold_ids: tuple[str, ...] = ()

    @classmethod
    def none(cls, question: Question) -> Edit:
        return cls(question.text, question.expects, question.gold_claims, question.gold_ids)


def decided(entry: Entry, decision: Decision, by: str, edit: Edit | None = None) -> Row:
    row = _edited(entry, edit) if edit is not None and edit != Edit.none(entry.question) else entry.row
    return _with_review(row, decision, reviewed={"by": by, "at": _now()})


def accepted_unread(entry: Entry) -> Row:
    return _with_review(entry.row, ACCEPTED, accepted=f"{UNREAD}, {_now()[:10]}")


def edited_question(question: Question, edit: Edit) -> Question:
    changed = replace(
        question, text=edit.text, expects=edit.expects, gold_claims=edit.gold_claims, gold_ids=edit.gold_ids
    )
    if edit.expects != question.expects:
        kind = USUAL[edit.expects]
        changed = replace(changed, stratum=kind.stratum, probes=kind.probes, retrieval=kind.retrieval)
    return changed


def _edited(entry: Entry, edit: Edit) -> Row:
    """The row with its own names for things; how it was proposed stays in `made`, through any number of edits."""
    before, now = entry.question, edited_question(entry.question, edit)
    row: Row = {**entry.row, text_key(entry.row): now.text, "gold_ids": list(now.gold_ids)}
    row.pop("gold_claim", None)
    row |= {
        "gold_claims": list(now.gold_claims), "stratum": now.stratum, "probes": now.probes, "retrieval": now.retrieval,
    }  # fmt: skip
    if "expects" in row:
        row["expects"] = now.expects
    if "answerable" in row or "expects" not in row:
        row["answerable"] = now.answerable
    proposed = {
        "question": before.text, "expects": before.expects, "gold_claims": list(before.gold_claims),
        "gold_ids": list(before.gold_ids),
    }  # fmt: skip
    return {**row, "made": {"proposed": proposed, **entry.made}}


def _with_review(row: Row, review: str, **notes: object) -> Row:
    made = row.get("made")
    return {**row, "review": review, "made": {**(made if isinstance(made, dict) else {}), **notes}}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
