"""The cells of a label as values: tables write numbers as text, and people write times in many ways."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from surefoot.importers.verdicts import BadVerdict, quoted
from surefoot.rubric import Axis, Rubric, read_score

_AHEAD = timedelta(days=1)  # as far as clocks may differ: the newest label counts, and a later one must be possible


def typed(row: dict[str, object], rubric: Rubric) -> dict[str, object]:
    """What a table can only write as text: numbers, and values in another case."""
    axis = rubric.axis(str(row.get("axis")))
    found = {"value": _value(axis, row["value"])} if axis is not None and "value" in row else {}
    attempt = row.get("attempt")
    return {**found, "attempt": int(attempt)} if isinstance(attempt, str) and attempt.isdecimal() else found


def _value(axis: Axis, given: object) -> object:
    if axis.is_dimension:
        score = read_score(given)
        return given if score is None else score
    if not isinstance(given, str):
        return given
    text = given.strip().casefold()
    whole = text.removesuffix(".0")
    if not axis.values:
        return int(whole) if whole.isdecimal() and len(whole) < 10 else given
    return next((value for value in axis.values if str(value).casefold() in (text, whole)), given)


def text_of(row: Mapping[str, object], key: str, default: str = "") -> str:
    value = row.get(key)
    if value is None or value == "":
        return default
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise BadVerdict(f"{key} must be a text, not {quoted(value)}")
    return str(value).strip()


def time_of(at: str, *, as_it_is: bool) -> tuple[str, str]:
    """A time in UTC, or what is wrong with it. Times are put in order as texts, so all are written in one way.

    `as_it_is`: a row of a ledger, with an id of its own, keeps its time if that is in UTC.
    """
    if not at:
        return "", ""
    try:
        given = datetime.fromisoformat(at)
        time = given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)
    except (ValueError, OverflowError):
        return "", f"at must be a date and time, not {quoted(at)}"
    if time - datetime.now(UTC) > _AHEAD:
        return "", f"at is in the future: {quoted(at)}"
    return at if as_it_is and at == time.isoformat() else time.isoformat(timespec="microseconds"), ""
