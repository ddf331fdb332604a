"""Whether a row from elsewhere is one that surefoot could have written. The rows of a ledger stay for good."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta
from functools import cache

from msgspec import Struct

from surefoot import rubric
from surefoot.records import Label, Step

_LONGEST = 1_000  # of ids and names: a server can hold no longer ones in its indices
_LONGEST_TEXT = 100_000
_BOUNDED = ("id", "digest", "version", "annotator", "axis", "rubric_sha256", "run", "grader", "programme", "model")
_AHEAD = timedelta(days=1)  # as far as clocks may differ: the newest label counts, and a later one must be possible
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
_OUTCOMES = {"SHIP": (0,), "BLOCK": (1,), "INCONCLUSIVE": (3, 4)}  # with their exit codes
_MODES = ("change", "strict", "sequential")  # the last two are of an earlier gate
_NAMED = ("reference", "release", "base_run", "cand_run")
_LARGEST_ALPHA = 0.5


def fault_of(row: Struct) -> str:
    """What is wrong with it, or nothing."""
    for name in _BOUNDED:
        if len(str(getattr(row, name, ""))) > _LONGEST:
            return f"{name} has over {_LONGEST:,} characters"
    if fault := _fault_of_time(str(getattr(row, "at", ""))):
        return fault
    if isinstance(row, Label):
        return _fault_of_label(row)
    return _fault_of_step(row) if isinstance(row, Step) else ""


def _fault_of_time(at: str) -> str:
    """Times are put in order as texts, so they must be written as surefoot writes them: in UTC."""
    if not at:
        return ""  # said where rows are kept
    try:
        time = datetime.fromisoformat(at)
    except ValueError:
        return f"at must be a date and time, not {at[:60]!r}"
    if time.tzinfo != UTC or at not in (time.isoformat(), time.isoformat(timespec="microseconds")):
        return f"at must be a time in UTC such as 2026-01-31T09:30:00.000000+00:00, not {at[:60]!r}"
    return f"at is in the future: {at}" if time - datetime.now(UTC) > _AHEAD else ""


def _fault_of_label(label: Label) -> str:
    if not label.annotator.strip():
        return "the label does not say who gave it"
    if any(unicodedata.category(character) in _UNPRINTABLE for character in label.annotator):
        return "the annotator has a name that cannot be printed"
    if label.attempt < 1:
        return f"attempt must be a whole number from 1, not {label.attempt}"
    if not label.question_id or len(label.question_id) > _LONGEST_TEXT:
        return "question_id is empty, or too long"
    by = _bundled().get(label.rubric_sha256)
    if by is None:
        return ""
    if (axis := by.axis(label.axis)) is None:
        return f"the rubric {by.name} has no axis {label.axis!r}"
    value = int(label.value) if isinstance(label.value, float) and label.value.is_integer() else label.value
    return "" if value is None or axis.accepts(value) else f"{label.axis} cannot be {str(label.value)[:60]!r}"


def _fault_of_step(step: Step) -> str:
    if step.outcome not in _OUTCOMES:
        return f"outcome must be one of {', '.join(_OUTCOMES)}, not {step.outcome[:60]!r}"
    if step.exit_code not in _OUTCOMES[step.outcome]:
        return f"exit_code of {step.outcome} cannot be {step.exit_code}"
    if lacking := next((name for name in _NAMED if not getattr(step, name)), ""):
        return f"{lacking} is empty"
    if step.mode not in _MODES:
        return f"mode must be {' or '.join(_MODES)}, not {step.mode[:60]!r}"
    if step.alpha is not None and not 0 < step.alpha <= _LARGEST_ALPHA:
        return f"alpha must lie between 0 and {_LARGEST_ALPHA}, not {step.alpha}"
    if step.margin is not None and not 0 <= step.margin < 1:
        return f"margin must lie between 0 and 1, not {step.margin}"
    return ""


@cache
def _bundled() -> dict[str, rubric.Rubric]:
    return {found.sha256: found for found in map(rubric.load, rubric.bundled())}
