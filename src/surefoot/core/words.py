"""Plain words for people: counts, names, reasons and problems, in one line each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from surefoot.core.types import ProblemLog, in_words

# Of the decision table, by the name of the row that decided.
_REASONS: Mapping[str, str] = {
    "contradicted": "a passage says something else",
    "conflicts_gold": "disagrees with the expected answer",
    "misattributed": "a refusal is expected, and it answers from passages about something else",
    "no_evidence": "no retrieved passage supports a claim",
    "uncited": "what answers the question has no citation",
    "misquoted": "it quotes words that do not stand in its source",
    "unknown_source": "it cites a source that was not retrieved",
    "miscited": "a passage supports it, but not the one it cites",
    "off_target": "it does not answer what was asked",
    "correct": "the passages it cites support it",
    "refused": "it declines to answer",
    "missing": "there is no answer",
    "error": "the pipeline failed",
    "empty": "the answer is empty",
    "language": "it is not in English",
    "unreadable": "the grader could not read it",
}

_FLAGS: Mapping[str, str] = {
    "partial refusal": "declines in part",
    "asks_back": "asks which of several things is meant",
    "conflicting_sources": "its sources disagree",
}


def in_plain_words(reason: str) -> str:
    """Why an answer is in its bucket; what a person noted stays as it is."""
    code, colon, detail = reason.partition(": ")
    if colon and code in ("language", "unreadable"):
        return detail
    code, *flags = reason.split(", ")
    if code not in _REASONS or any(flag not in _FLAGS for flag in flags):
        return reason
    return ", and ".join([_REASONS[code], *(_FLAGS[flag] for flag in flags)])


_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb\ufffe\uffff"
    r"\U000e0000-\U000e0fff]+"
)

_NAMED = 5  # problems of a kind


def plain(text: str, longest: int = 200) -> str:
    """One line without control or direction-changing characters, so that a log cannot steer a terminal."""
    text = " ".join(_UNPRINTABLE.sub(" ", text).split())
    return text if len(text) <= longest else text[: longest - 3] + "..."


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def counted_rows(rows: Mapping[str, int]) -> str:
    """Rows by table: "12 labels, 1 run and 3 replies"."""
    *first, last = (
        f"{count:,} {table if count != 1 else table.replace('replies', 'reply').removesuffix('s')}"
        for table, count in rows.items()
    )
    return f"{', '.join(first)} and {last}" if first else last


def names(ids: Sequence[str], total: int, most: int = 16) -> str:
    """Some question ids, and how many more there are."""
    more = total - len(ids[:most])
    return ", ".join(map(plain, ids[:most])) + (f" and {more} more" if more > 0 else "")


def problem_lines(problems: ProblemLog) -> Iterator[str]:
    """What of the input could not be used: the first of each kind, and how many more there are."""
    for kind, named in problems.named.items():
        for problem in named[:_NAMED]:
            yield f"{'note' if kind == 'note' else 'warning'}: {plain(str(problem), 500)}"
        if (more := problems.counts[kind] - _NAMED) > 0:
            yield f"  and {in_words(more, kind)} more"
