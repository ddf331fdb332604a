"""Everything that was wrong with the input: counted without exception, named up to a limit per kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from surefoot.types import Problem

NAMED_PER_KIND = 200
NOT_ASKED = "not_asked"  # the coverage rule decides on these
# Shown, but no reason of their own to call a run incomplete.
HARMLESS = frozenset({"note", "unknown_question", "unknown_passage", NOT_ASKED})

_IN_WORDS = {
    "malformed": ("unreadable row", "unreadable rows"),
    "no_question": ("row that names no question", "rows that name no question"),
    "unknown_question": ("trace of a question that is not in the set", "traces of questions that are not in the set"),
    "ambiguous_question": ("trace that fits several questions", "traces that fit several questions"),
    "duplicate_trace": ("trace too many for its question", "traces too many for their question"),
    "several_traces": ("trace left out: its question has several", "traces left out: their question has several"),
    "set_aside": ("trace set aside by --rerun", "traces set aside by --rerun"),
    "unreadable": ("unreadable file", "unreadable files"),
    "no_traces": ("folder without traces", "folders without traces"),
    "no_questions": ("question set without a usable question",) * 2,
    "bad_question": ("unusable question", "unusable questions"),
    "duplicate_question": ("question with a doubled id", "questions with a doubled id"),
    "unknown_passage": ("note on passages that the corpus lacks",) * 2,
    "map_unmatched": ("--map that leads nowhere", "--map that lead nowhere"),
    "spans": ("span", "spans"),
    "note": ("note", "notes"),
}


def in_words(count: int, kind: str) -> str:
    """A count of problems as a person would say it."""
    single, several = _IN_WORDS.get(kind, (kind.replace("_", " "),) * 2)
    return f"{count:,} {single if count == 1 else several}"


class ProblemLog(Struct):
    counts: Counter[str] = field(default_factory=Counter)
    named: dict[str, list[Problem]] = field(default_factory=dict)

    def add(self, problem: Problem) -> None:
        self.counts[problem.kind] += 1
        named = self.named.setdefault(problem.kind, [])
        if len(named) < NAMED_PER_KIND:
            named.append(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.add(problem)

    def merge(self, other: ProblemLog) -> None:
        self.counts.update(other.counts)
        for kind, problems in other.named.items():
            named = self.named.setdefault(kind, [])
            named.extend(problems[: NAMED_PER_KIND - len(named)])

    @property
    def all_named(self) -> list[Problem]:
        return [problem for problems in self.named.values() for problem in problems]

    @property
    def serious(self) -> dict[str, int]:
        return {kind: count for kind, count in self.counts.items() if kind not in HARMLESS}
