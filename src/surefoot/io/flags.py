"""What users, or a check of the pipeline's own, said against an answer, as rows and attributes of spans have it."""

from __future__ import annotations

from collections.abc import Mapping

_YES = ("flagged", "is_flagged", "thumbs_down", "user_flagged")
_NO = ("ok", "thumbs_up")  # false is said against the answer
_SAID = ("feedback", "user_feedback", "thumbs", "vote", "user_score", "user_rating")
_INSIDE = ("value", "score", "rating", "label", "type", "thumbs")
_AGAINST = frozenset({
    "down", "thumbs_down", "thumbsdown", "negative", "bad", "dislike", "disliked", "downvote", "no", "false", "wrong",
    "incorrect", "unhelpful", "-1", "👎",
})  # fmt: skip
_PREFIXES = ("", "metadata.", "surefoot.")


def is_flagged(row: Mapping[str, object]) -> bool:
    """True where somebody said that the answer is bad; a row that says nothing is not flagged."""
    inside = row.get("metadata")
    rows = (row, inside) if isinstance(inside, dict) else (row,)
    return any(_is_flagged(one, prefix) for one in rows for prefix in _PREFIXES)


def _is_flagged(row: Mapping[str, object], prefix: str) -> bool:
    return (
        any(row.get(prefix + key) in (True, "true", "True") for key in _YES)
        or any(row.get(prefix + key) is False for key in _NO)
        or any(_is_against(row[prefix + key]) for key in _SAID if prefix + key in row)
    )


def _is_against(said: object) -> bool:
    if isinstance(said, dict):
        return any(_is_against(said[key]) for key in _INSIDE if key in said)
    if isinstance(said, str):
        return said.strip().lower().replace(" ", "_") in _AGAINST
    return said is False or (isinstance(said, (int, float)) and said <= 0)
