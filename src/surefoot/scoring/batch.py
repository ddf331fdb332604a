"""Many answers read together, a column at a time: what `outcomes.read` says of each, at a fraction of the work.

Whatever a scan of the columns cannot settle is left to `outcomes.read`, which stays the definition of every outcome.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from operator import getitem

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from surefoot.core.types import Outcome, ProblemLog, RefusalValue
from surefoot.io.spans import Span
from surefoot.outcomes import Expected, Phrases, Reading
from surefoot.text import citations
from surefoot.text.citations import Cited, ids_in
from surefoot.text.normal import is_empty
from surefoot.text.refusals import ANSWERED, Mode, Refusal
from surefoot.text.scan import Texts

_REFUSALS_KEPT = 4_096  # the same few sentences decline again and again
_MOST_CITED = 31  # by an answer that is read here
_REFUSALS: tuple[RefusalValue, ...] = ("answered", "partial", "refused")
_REFUSED = _REFUSALS.index("refused")
_ANSWERABLE = (False, True, None)
_BITS = 22  # of what a case says but for the place
_ALL_BUT_PLACE = (1 << _BITS) - 1

Numbers = NDArray[np.int64]


class Case(dict[Cited, int]):
    """All that is known of a row but its answer, and what it makes of the ids that an answer cites: in one number,
    below 0 where that cannot be told here.

    From the lowest bits on, it says whether the question is answerable (2 bits), whether gold was retrieved (2, from 1,
    0 if nobody knows), how many of the ids were retrieved (6, the same), how many are gold (6), how many there are
    (6, from 1, 0 for no citation), and the place of the question.
    """

    __slots__ = ("expected", "place", "retrieved")

    def __init__(self, place: int = -1, expected: Expected | None = None, retrieved: Sequence[str] | None = ()) -> None:
        super().__init__()
        self.place = place  # of its question; below 0 where each answer has to be read by itself
        self.expected = expected or Expected()
        self.retrieved = retrieved

    def __missing__(self, cited: Cited) -> int:
        gold, ids, found = self.expected.gold, self.retrieved or (), ids_in(cited) or ()
        is_known = all(one in gold or one in ids for one in found)
        if self.place < 0 or not is_known or len(found) > _MOST_CITED:
            return -1
        facts = self.place << 6 | (0 if cited is None else len(found) + 1)
        facts = facts << 6 | sum(one in gold for one in found)
        inside, reached = 1 + sum(one in ids for one in found), 1 if gold.isdisjoint(ids) else 2
        facts = facts << 8 | (0 if self.retrieved is None else inside << 2 | reached)
        facts = facts << 2 | _ANSWERABLE.index(self.expected.answerable)
        if len(found) < 2:
            self[cited] = facts
        return facts


class Cases:
    """Cases by number, in columns."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[object, ...], int] = {}  # by what rows say of them
        self._all: list[Case] = []
        self.add({})

    def add(self, cases: Mapping[tuple[object, ...], Case]) -> None:
        self.numbers.update(zip(cases, count(len(self._all)), strict=False))
        self._all += cases.values()
        self.phrases = Phrases([case.expected.phrases for case in self._all])
        self.has_passages = np.array([bool(case.retrieved) for case in self._all], np.bool_)
        self._column = np.array(self._all, object)

    def at(self, number: int) -> Case:
        return self._all[number]

    def numbers_of(self, columns: Sequence[Sequence[object]]) -> Numbers:
        """Those of rows, of which some columns say all that their cases are known by."""
        return np.fromiter(map(self.numbers.__getitem__, zip(*columns, strict=True)), np.int64, len(columns[0]))

    def facts(self, which: Numbers, cited: Sequence[Cited]) -> Numbers:
        """What some of the cases make of cited ids."""
        return np.fromiter(map(getitem, self._column[which].tolist(), cited), np.int64, len(cited))


class Readings(Struct, frozen=True):
    """The places of questions and the outcomes of answers, as codes, and what a person wants to see beside them."""

    places: Numbers
    codes: Numbers  # below 0 where an answer has to be read by itself
    citations: list[Cited]
    refusals: dict[int, Refusal]  # by the number of the answer; all others are answered

    def at(self, number: int) -> Reading:
        refusal = self.refusals.get(number, ANSWERED)
        return Reading(outcome_of(int(self.codes[number])), ids_in(self.citations[number]), refusal)


class BatchReader:
    """Reads answers to cases. A citation field is None where the row has none."""

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._known: dict[str, Refusal] = {}

    def __call__(
        self,
        cases: Cases,
        which: Numbers,
        answers: Sequence[str],
        fields: Sequence[Sequence[str] | None] | None = None,
    ) -> Readings:
        """`which` of the cases each answer is about."""
        texts = Texts(answers)
        refusals = self._refusals(answers, texts)
        values = np.zeros(len(answers), np.int64)
        values[list(refusals)] = [_REFUSALS.index(refusal.value) for refusal in refusals.values()]
        contained = cases.phrases.stand_in(answers, which, texts, values != _REFUSED)
        cited = citations.parse_all(answers, texts, cases.has_passages[which])
        if fields is not None:
            cited = [
                found if given is None else tuple(dict.fromkeys(map(str.strip, given)))
                for found, given in zip(cited, fields, strict=True)
            ]
        facts = cases.facts(which, cited)
        codes = ((facts & _ALL_BUT_PLACE) * 2 + contained) * 3 + values
        codes[(facts < 0) | _is_odd(answers, texts, contained)] = -1
        return Readings(facts >> _BITS, codes, cited, refusals)

    def _refusals(self, answers: Sequence[str], texts: Texts) -> dict[int, Refusal]:
        """Those of answers that decline, in whole or in part."""
        refusals, known = dict[int, Refusal](), self._known
        for number in self._mode.suspects(texts).tolist():
            answer = answers[number]
            refusal = known.get(answer)
            if refusal is None:
                if len(known) >= _REFUSALS_KEPT:
                    known.clear()
                refusal = known[answer] = self._mode.read(answer)
            if refusal is not ANSWERED:
                refusals[number] = refusal
        return refusals


def outcome_of(code: int) -> Outcome:
    """What a code stands for."""
    outcome = _OUTCOMES.get(code)
    if outcome is None:
        rest, declined = divmod(code, 3)
        facts, contained = divmod(rest, 2)
        answerable, reached, inside = facts & 3, facts >> 2 & 3, facts >> 4 & 63
        hits, count = facts >> 10 & 63, facts >> 16
        outcome = _OUTCOMES[code] = Outcome(
            _ANSWERABLE[answerable], "usable", _REFUSALS[declined], hits > 0, bool(contained), count > 0,
            max(count - 1, 0), hits, inside - 1 if inside else None, reached == 2 if reached else None,
        )  # fmt: skip
    return outcome


_OUTCOMES: dict[int, Outcome] = {}


def _is_odd(answers: Sequence[str], texts: Texts, contained: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True for answers that may be JSON, or may be empty: that there are words in them is clear from a phrase, or
    mostly from their first character."""
    first = texts.characters[texts.starts]
    is_odd: NDArray[np.bool_] = (first == ord("{")) | (first == ord("["))
    is_letter = ((first | 32) - ord("a") < 26) | (first - ord("0") < 10)  # of unsigned numbers
    for number in np.flatnonzero(~(is_letter | contained)).tolist():
        is_odd[number] |= is_empty(answers[number])
    return is_odd


class BlockResult(Struct):
    """`places`, `codes`, `lines` and, where it is wanted, `table` have an entry per trace that found its question."""

    source: str
    found_fields: set[str]  # of the user's mapping
    remarks: set[str]  # on rows in which a field is not found
    rows: int = 0  # rows seen, whatever became of them
    size: int = 0  # in bytes, where it is a stretch of a file
    spans: list[Span] = field(default_factory=list)
    problems: ProblemLog = field(default_factory=ProblemLog)
    places: array[int] = field(default_factory=lambda: array("q"))  # of questions
    codes: array[int] = field(default_factory=lambda: array("q"))  # of outcomes
    lines: array[int] = field(default_factory=lambda: array("q"))
    outcomes: dict[Outcome, int] = field(default_factory=dict)  # each with its code
    lacking: Counter[str] = field(default_factory=Counter)  # ids of passages that are not in the corpus
    table: list[bytes] = field(default_factory=list)  # rows as lines of JSON

    def add(self, place: int, outcome: Outcome, line: int) -> None:
        self.places.append(place)
        self.codes.append(self.outcomes.setdefault(outcome, len(self.outcomes)))
        self.lines.append(line)

    def extend(self, places: Numbers, codes: Numbers, lines: Numbers) -> None:
        """Many traces at once, by the codes of a batch."""
        distinct, which = np.unique(codes, return_inverse=True)
        own = [self.outcomes.setdefault(outcome_of(code), len(self.outcomes)) for code in distinct.tolist()]
        self.rows += len(places)
        self.places.frombytes(places.tobytes())
        self.codes.frombytes(np.array(own, np.int64)[which].tobytes())
        self.lines.frombytes(lines.tobytes())

    def put_in_order(self) -> None:
        """Of lines: rows that are read by themselves come after the others of their slice."""
        order = np.argsort(self.lines, kind="stable")
        if (order[1:] > order[:-1]).all():
            return
        self.places, self.codes, self.lines = (
            array("q", np.array(column)[order].tobytes()) for column in (self.places, self.codes, self.lines)
        )
        self.table = [self.table[number] for number in order] if self.table else []
