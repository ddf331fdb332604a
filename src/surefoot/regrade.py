"""Which verdicts of a grader count once it has graded again: a verdict is never replaced by nothing.

Where a grader finds no value this time, for whatever reason, what it found before stands, as long as the answer is
still the same. Each row has the version of the answer that it is on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import asdict

from surefoot.io.writer import UNREADABLE
from surefoot.types import Verdict

Key = tuple[str, int]  # question id, attempt


class VerdictRow(Verdict, frozen=True):
    """A verdict as it lies in a run."""

    answer_sha256: str = ""  # the version of the answer; empty in runs from before they had one


_ROWS = msgspec.json.Decoder(VerdictRow)


def regraded(
    earlier: Iterable[bytes],
    grader: str,
    rows: Iterable[Verdict],
    versions: Mapping[Key, str],
    is_unchanged: bool,
    failed: Collection[Key],
) -> tuple[list[bytes], list[VerdictRow], list[Key]]:
    """The lines that are not this grader's, its rows as they count now, and the answers on which earlier ones stand.

    `is_unchanged`: no answer has changed since it graded last. `failed`: where its new rows are not to count.
    """
    lines = [(line, _row_in(line)) for line in earlier]
    others = [line for line, row in lines if row is None or row.grader != grader]
    own = (row for _, row in lines if row is not None and row.grader == grader)
    before, new = _by_answer(row for row in own if _is_on(row, versions, is_unchanged)), _by_answer(rows)
    standing = [key for key in new if _says(before.get(key, ())) and (key in failed or not _says(new[key]))]
    kept = (row for key in new for row in (before if key in standing else new)[key])
    return others, [_signed(row, versions.get(_key(row), "")) for row in kept], standing


def _is_on(row: VerdictRow, versions: Mapping[Key, str], is_unchanged: bool) -> bool:
    """Whether a row is on the answer as it is now."""
    return row.answer_sha256 == versions.get(_key(row)) if row.answer_sha256 else is_unchanged


def _signed(row: Verdict, version: str) -> VerdictRow:
    return VerdictRow(**{**asdict(row), "answer_sha256": version})


def _row_in(line: bytes) -> VerdictRow | None:
    try:
        return _ROWS.decode(line)
    except UNREADABLE:
        return None


def _key(verdict: Verdict) -> Key:
    return verdict.question_id, verdict.attempt


def _by_answer(verdicts: Iterable[Verdict]) -> dict[Key, list[Verdict]]:
    found: dict[Key, list[Verdict]] = {}
    for verdict in verdicts:
        found.setdefault(_key(verdict), []).append(verdict)
    return found


def _says(verdicts: Sequence[Verdict]) -> bool:
    return any(verdict.value is not None for verdict in verdicts)
