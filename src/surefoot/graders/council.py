"""A grader of graders: each grades alone, more than half of those that speak decide, and every ballot is kept.

A member that leaves an answer open abstains. Where no bucket has more than half of the votes the answer is left to a
person: two graders that disagree know no more than one of them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from statistics import median_low
from typing import Protocol

from msgspec.structs import replace

from surefoot.graders.grader import FOR_A_PERSON, Graded, SelfCheck, left_open
from surefoot.records import MEMBER
from surefoot.rubric import Citations
from surefoot.types import Item, Verdict

VERSION = 1


class Member(Protocol):
    @property
    def name(self) -> str: ...

    def read(self, items: Sequence[Item]) -> list[Graded]: ...


class CouncilGrader:
    """The name holds a digest of the members' names: another member, or a newer one, is another council."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._members = tuple(members)
        self.ballots: dict[str, list[Verdict]] = {}  # of the last reading, by member

    @property
    def name(self) -> str:
        names = "\n".join(sorted(member.name for member in self._members))
        return f"council@{VERSION}:{len(self._members)}+{hashlib.sha256(names.encode()).hexdigest()[:12]}"

    @property
    def citations(self) -> Citations:
        return getattr(self._members[0], "citations", "required")

    @property
    def versions(self) -> dict[str, str]:
        """Who sat in it, for the manifest."""
        return {f"{MEMBER} {number}": member.name for number, member in enumerate(self._members, 1)}

    @property
    def self_checks(self) -> dict[str, SelfCheck]:
        """How its members read answers of known label, those that were asked."""
        return {name: check for member in self._members for name, check in getattr(member, "self_checks", {}).items()}

    def keeping(self, replies: object) -> CouncilGrader:
        """The same council, the replies to its members kept there as well."""
        return CouncilGrader(
            [member.keeping(replies) if hasattr(member, "keeping") else member for member in self._members]
        )

    def read(self, items: Sequence[Item]) -> list[Graded]:
        by_member = [member.read(items) for member in self._members]
        self.ballots = {
            member.name: [verdict for one in graded for verdict in one.verdicts]
            for member, graded in zip(self._members, by_member, strict=True)
        }
        return [self._together(ballots) for ballots in zip(*by_member, strict=True)]

    def _together(self, ballots: tuple[Graded, ...]) -> Graded:
        votes = Counter(ballot.bucket for ballot in ballots if ballot.bucket is not None)
        counted = ", ".join(f"{number} {bucket}" for bucket, number in sorted(votes.items()))
        leading = [bucket for bucket, number in votes.items() if 2 * number > votes.total()]
        if not leading:
            why = f"no bucket has more than half of the votes ({counted})"
            # What no member could grade keeps its own reason: missing, empty, an error.
            graded = left_open(ballots[0], FOR_A_PERSON, why) if votes else ballots[0]
            return replace(graded, verdicts=tuple(replace(row, grader=self.name) for row in graded.verdicts))
        agreeing = [ballot for ballot in ballots if ballot.bucket == leading[0]]
        misread = dict.fromkeys(row.self_check for ballot in ballots for row in ballot.verdicts if row.self_check)
        verdicts = (self._axis(verdict, agreeing, counted) for verdict in agreeing[0].verdicts)
        return replace(agreeing[0], verdicts=tuple(replace(row, self_check="; ".join(misread)) for row in verdicts))

    def _axis(self, first: Verdict, agreeing: Sequence[Graded], counted: str) -> Verdict:
        """The other axes come from those who agree on the bucket: of numbers the middle, of words the most frequent."""
        if first.axis == "factuality":
            return replace(first, grader=self.name, via=counted)
        values = [verdict.value for one in agreeing for verdict in one.verdicts if verdict.axis == first.axis]
        numbers = [value for value in values if isinstance(value, int)]
        words = Counter(value for value in values if isinstance(value, str))
        value = median_low(numbers) if numbers else words.most_common(1)[0][0] if words else None
        return replace(first, value=value, grader=self.name, via=counted)
