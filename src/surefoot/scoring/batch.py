"""Many answers read together, a column at a time: what `outcomes.read` says of each, at a fraction of the work.

Whatever a scan of the columns cannot settle is left to `outcomes.read`, which stays the definition of every outcome.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from operator import getitem
from tempfile import SpooledTemporaryFile
from typing import Any, Literal
from weakref import finalize

import numpy as np
from msgspec import Struct, field, json
from numpy.typing import NDArray

from surefoot.core.types import Outcome, Problem, ProblemLog, Question, RefusalValue, Trace
from surefoot.corpus.corpus import PassageTexts
from surefoot.io.questions import Places
from surefoot.io.rows import Row, citations_in, decode_lines, decode_one, error_in, passages_in, rows_in
from surefoot.io.sources import Block, Lines
from surefoot.io.traces import LOOKED_FOR, LikeRow, Shape, Span, TraceReader, value_of
from surefoot.scoring import outcomes
from surefoot.scoring.outcomes import Expected, Phrases, Reading, ScoredRow, label, row_head
from surefoot.text import citations
from surefoot.text.citations import Cited, ids_in
from surefoot.text.normal import is_empty, normalise
from surefoot.text.refusals import ANSWERED, MODES, Mode, Refusal, Texts

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


_CASES_KEPT, _EXPECTED_KEPT, _HEADS_KEPT, _FOUND_KEPT = 20_000, 20_000, 20_000, 20_000
_HIDDEN = (
    "some rows have an empty citations field, which counts, and answers that cite passages: leave the field out where"
    " it is not filled, and the marks in the text are read"
)
_OF_CASES = ("question_id", "question", "retrieved", "error")


class BlockScorer:
    """Scores blocks against a question set, or against the questions of the log itself, which have no gold. Sent to
    worker processes once, called per block."""

    def __init__(
        self,
        questions: Sequence[Question],
        mapping: Mapping[str, str] | None,
        refusal: str,
        keep_rows: bool,
        is_log: bool = False,
        texts: PassageTexts | None = None,
    ) -> None:
        self._index, self._is_log = QuestionIndex(questions), is_log
        self._questions = questions
        self._expected: dict[int, Expected] = {}
        self._reader = TraceReader(mapping)
        mode = MODES[refusal]
        self._refusal_of, self._read_batch = mode.read, BatchReader(mode)
        self._keep_rows = keep_rows
        self._cases: dict[tuple[str, ...], Cases] = {}  # by the fields they are known by
        self._heads: dict[tuple[object, ...], bytes] = {}  # of rows of the table
        self._texts = texts
        self._is_batched = not mapping and not texts and self._index.is_plain
        self.found_fields, self.remarks = self._reader.found_fields, self._reader.remarks
        self._shape: Shape | None = None  # what the rows before looked like
        self.lacking: Counter[str] = Counter()  # of all blocks

    def __call__(self, block: Block) -> BlockResult:
        result = self._result(block.source)
        if isinstance(block, Lines):
            result.size = block.size
            self._score_lines(block.data(), block.first_line, result)
        else:
            self._score_rows(rows_in(block), result)
        result.put_in_order()
        return self._with_lacking(result)

    def score_traces(self, traces: Sequence[Trace], source: str) -> BlockResult:
        """The same for traces that were put together from several rows."""
        result = self._result(source)
        result.rows = len(traces)
        for number, trace in enumerate(traces, 1):
            self._score(trace, number, result)
        return self._with_lacking(result)

    def _with_lacking(self, result: BlockResult) -> BlockResult:
        if self._texts:
            result.lacking, self._texts.lacking = self._texts.lacking, Counter()
        return result

    def _result(self, source: str) -> BlockResult:
        return BlockResult(source, self.found_fields, self.remarks)

    def _score_lines(self, data: bytes, first_line: int, result: BlockResult) -> None:
        if self._shape is None:  # guessed from the first row
            self._shape = self._shape_of(decode_one(data.partition(b"\n")[0]).value)
        if self._shape is None:
            self._score_rows(decode_lines(data, result.source, first_line), result)
            return
        alike, unlike = self._shape.decode_lines(data)
        numbers = np.delete(np.arange(len(alike) + len(unlike)), unlike)
        if left := sorted([*unlike, *self._score_alike(self._shape, alike, numbers, first_line, result)]):
            lines = data.split(b"\n")
            for number in left:
                self._score_rows(decode_lines(lines[number], result.source, first_line + number), result)
        if unlike:  # what follows may look otherwise
            self._shape = None

    def _shape_of(self, row: object) -> Shape | None:
        if not self._is_batched or not isinstance(row, dict) or not self._reader.is_one_trace(row):
            return None
        return Shape.of(self._reader, row)

    def _score_alike(
        self, shape: Shape, rows: Sequence[LikeRow], numbers: Numbers, first_line: int, result: BlockResult
    ) -> list[int]:
        """The numbers of the rows that could not be scored: with an error, with a question that takes more than a look
        to find, or with an answer that has to be read by itself."""
        cases, which = self._cases_of(shape, rows)
        answers = shape.column("answer", rows)
        given = shape.column("citations", rows) if "citations" in shape.fields else None
        fields = given and [citations_in(value_of(raw)) for raw in given]
        for number, cited in enumerate(fields or ()):
            if cited is not None and not cited:
                case = cases.at(which[number])
                self._note_hidden(answers[number], case.retrieved or (), case.expected.gold)
        readings = self._read_batch(cases, which, answers, fields)
        kept = np.flatnonzero(readings.codes >= 0)
        places, lines = readings.places[kept], first_line + numbers[kept]
        result.extend(places, readings.codes[kept], lines)
        if self._keep_rows:
            read = zip(kept.tolist(), places.tolist(), strict=True)
            heads = [self._head(place, readings.at(number), answers[number]) for number, place in read]
            self._tabulate(heads, lines.tolist(), result)
        left: list[int] = numbers[readings.codes < 0].tolist()
        return left

    def _cases_of(self, shape: Shape, rows: Sequence[LikeRow]) -> tuple[Cases, Numbers]:
        """Rows of the same question, with the same passages, have one case."""
        fields = tuple(field for field in _OF_CASES if field in shape.fields)
        columns = [shape.column(field, rows) for field in fields]
        cases = self._cases.setdefault(fields, Cases())
        try:
            return cases, cases.numbers_of(columns)
        except KeyError:
            if len(cases.numbers) > _CASES_KEPT:
                cases = self._cases[fields] = Cases()
        new = set(zip(*columns, strict=True)).difference(cases.numbers)
        cases.add({key: self._case(**dict(zip(fields, key, strict=True))) for key in new})
        return cases, cases.numbers_of(columns)

    def _case(self, question_id: str | None = None, question: str | None = None, **raws: bytes) -> Case:
        """Without a place where a row has to be read by itself: something failed, a passage has no id, or the question
        takes more than a look to tell."""
        place = self._index.find(None if self._is_log and question is not None else question_id, question)
        passages = passages_in(value_of(raws.get("retrieved", b"null")))
        is_named = passages is None or passages.ids is not None
        as_worded = question_id is None or question is None or self._is_log or self._index.find_text(question) == place
        if place < 0 or not is_named or not as_worded or error_in(value_of(raws.get("error", b"null"))):
            return Case()
        return Case(place, self._expected_at(place), None if passages is None else passages.ids)

    def _score_rows(self, rows: Iterable[Row], result: BlockResult) -> None:
        for row in rows:
            if row.repairs:
                result.problems.add(Problem("note", row.repairs, row.source, row.line))
            for _, found in self._reader.read_row(row):
                if isinstance(found, Problem):
                    result.rows += found.line is not None and found.kind != "note"
                    result.problems.add(found)
                    continue
                result.rows += 1
                if isinstance(found, Span):
                    result.spans.append(found)
                else:
                    self._score(found, row.line, result)

    def _score(self, trace: Trace, line: int, result: BlockResult) -> None:
        place = self._join(trace.question_id, trace.question, line, result)
        if place < 0:
            return
        if self._texts:
            self._texts.filled(trace)  # to learn which ids the corpus lacks
        if trace.citations is not None and not trace.citations and trace.answer:
            self._note_hidden(trace.answer, trace.names, self._expected_at(place).gold)
        reading = outcomes.read(self._expected_at(place), trace, self._refusal_of)
        result.add(place, reading.outcome, line)
        if self._keep_rows:
            self._tabulate([self._head(place, reading, trace.answer)], [line], result)

    def _note_hidden(self, answer: str, retrieved: Sequence[str], gold: Collection[str]) -> None:
        """An empty field of citations counts, also where some pipeline writes it whatever its answer cites."""
        if "[" in answer and _HIDDEN not in self.remarks:
            marked = citations.parse(answer, retrieved, gold) or ()
            if any(one in retrieved or one in gold for one in marked):
                self.remarks.add(_HIDDEN)

    def _expected_at(self, place: int) -> Expected:
        if place not in self._expected:
            if len(self._expected) >= _EXPECTED_KEPT:
                self._expected.clear()
            self._expected[place] = Expected() if self._is_log else Expected.of(self._questions[place])
        return self._expected[place]

    def _head(self, place: int, reading: Reading, answer: str | None) -> bytes:
        """A row of the table without where its trace stands, which leaves much that is the same."""
        span = reading.span_in(answer)
        key = (place, reading.outcome, reading.citations, span, reading.reason)
        head = self._heads.get(key)
        if head is None:
            if len(self._heads) >= _HEADS_KEPT:
                self._heads.clear()
            head = self._heads[key] = row_head(self._questions[place].id, reading, span)
        return head

    def _tabulate(self, heads: Iterable[bytes], lines: Iterable[int], result: BlockResult) -> None:
        form = b'%%b,"source":%b,"line":%%d}\n' % json.encode(result.source).replace(b"%", b"%%")
        result.table += [form % pair for pair in zip(heads, lines, strict=True)]

    def _join(self, qid: str | None, text: str | None, line: int, result: BlockResult) -> int:
        """The place of the question; below 0 when there is none, which is then named."""
        place = self._index.find(None if self._is_log and text is not None else qid, text)
        if place < 0:
            if place == QuestionIndex.AMBIGUOUS:
                message = f"several questions have the {_name(qid, text)}: give the traces a question id"
                result.problems.add(Problem("ambiguous_question", message, result.source, line))
            elif qid is None and text is None:
                message = f"the spans of this trace name no question (looked for {LOOKED_FOR})"
                result.problems.add(Problem("unknown_question", message, result.source, line))
            else:
                message = f"no question has the {_name(qid, text)}"
                result.problems.add(Problem("unknown_question", message, result.source, line))
        elif qid is not None and text is not None and not self._is_log:
            self._check_wording(text, place, line, result)
        return place

    def _check_wording(self, text: str, place: int, line: int, result: BlockResult) -> None:
        """A trace joined by id whose question reads otherwise: it may have been changed under its id."""
        if self._index.find_text(text) not in (place, QuestionIndex.AMBIGUOUS):
            message = f"question {self._questions[place].id!r} was asked in other words: {_shortened(text)!r}"
            result.problems.add(Problem("note", message, result.source, line))


def _name(qid: str | None, text: str | None) -> str:
    """What a trace calls its question."""
    names = [f"id {qid!r}"] * (qid is not None) + [f"text {_shortened(text or '')!r}"] * (text is not None)
    return " or the ".join(names)


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


class QuestionIndex:
    """Finds the question of a trace: by id, else by its text in normal form. Questions are known by place."""

    UNKNOWN, AMBIGUOUS = -1, -2

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = questions
        self._by_id = Places(question.id for question in questions)
        self._by_text = Places(question.text for question in questions)
        self.is_plain = not any(question.text.startswith(("{", "[")) for question in questions)  # none may be JSON
        self._by_normal_text: Places | None = None  # made when a text is first met that differs from all
        self._found: dict[tuple[str | None, str | None], int] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return QuestionIndex, (self._questions,)  # hashes differ from process to process

    def find(self, qid: str | None, text: str | None) -> int:
        """The place of a question, UNKNOWN or AMBIGUOUS."""
        found = self._found.get((qid, text))
        if found is None:
            if len(self._found) >= _FOUND_KEPT:
                self._found.clear()
            places = () if qid is None else self._by_id.of(qid)
            found = next((place for place in places if self._questions[place].id == qid), None)
            if found is None:
                found = self.UNKNOWN if text is None else self._find_text(text)
            self._found[qid, text] = found
        return found

    def find_text(self, text: str) -> int:
        return self.find(None, text)

    def _find_text(self, text: str) -> int:
        found = [place for place in self._by_text.of(text) if self._questions[place].text == text]
        if not found:
            if self._by_normal_text is None:
                self._by_normal_text = Places(normalise(question.text) for question in self._questions)
            normal = normalise(text)
            found = self._by_normal_text.of(normal)
            found = [place for place in found if normalise(self._questions[place].text) == normal]
        return self.AMBIGUOUS if len(found) > 1 else next(iter(found), self.UNKNOWN)


Integers = NDArray[np.integer[Any]]
_LINES_AT_A_TIME, _KEPT_IN_MEMORY = 1 << 16, 8 << 20  # bytes
_MADE = 1 << 24  # more than are ever told apart

Rerun = Literal["error", "first", "last", "all"]


class Attempts:
    """Takes block results in order and keeps, per question, what the rerun rule leaves.

    Memory grows with the questions, not with the traces: rows wait in a temporary file.
    """

    def __init__(self, questions: Sequence[Question], rerun: Rerun) -> None:
        self._questions = questions
        self._rerun = rerun
        self._times: Integers = np.zeros(len(questions), np.int64)
        self._known: dict[Outcome, int] = {}  # every outcome that was met, with its number
        self._kept: Integers = np.zeros(len(questions), np.int32)  # the outcome that counts, but for `all`
        self._all: Counter[int] = Counter()  # of questions with outcomes, for `all`
        self._spool = SpooledTemporaryFile(_KEPT_IN_MEMORY)  # noqa: SIM115 - rows wait in it as long as the result lives
        finalize(self, self._spool.close)
        self._row_at: Integers = np.zeros(len(questions), np.int64)  # where a question's row starts in it
        self.problems = ProblemLog()
        self.traces = 0

    def add(self, result: BlockResult) -> None:
        if not result.places:
            return
        self.traces += len(result.places)
        places, codes = np.array(result.places, np.int64), np.array(result.codes, np.int64)
        numbers = [self._known.setdefault(outcome, len(self._known)) for outcome in result.outcomes]
        outcomes = np.array(numbers, np.int64)[codes]
        if self._rerun == "all":
            met, times = np.unique(places * _MADE + outcomes, return_counts=True)
            self._all.update(dict(zip(met.tolist(), times.tolist(), strict=True)))
        else:
            self._keep(places, outcomes, result)
        np.add.at(self._times, places, 1)
        self._spool.writelines(result.table)

    @property
    def set_aside(self) -> int:
        """Traces that the rule `first` or `last` passes over."""
        return int(np.maximum(self._times - 1, 0).sum()) if self._rerun in ("first", "last") else 0

    @property
    def duplicates(self) -> int:
        """Traces left out because their question has several."""
        return int(self._times[self._times > 1].sum()) if self._rerun == "error" else 0

    def outcomes(self) -> Iterator[tuple[Question, Outcome, int]]:
        """Each question with an outcome and how many attempts had it; every question at least once."""
        met = list(self._known)
        for key, times in sorted(self._all.items()):
            yield self._questions[key // _MADE], met[key % _MADE], times
        for place, question in enumerate(self._questions):
            single = self._single(place, question.answerable, met)
            if single is not None:
                yield question, single, 1

    def rows(self) -> Iterator[bytes]:
        """The per-question table as JSON lines, some at a time: in question order, or with `all` as the traces
        came and then the missing."""
        if self._rerun == "all":
            self._spool.seek(0)
            while lines := self._spool.readlines(_LINES_AT_A_TIME):
                yield b"".join(lines)
        met = list(self._known)
        for place, question in enumerate(self._questions):
            outcome = self._single(place, question.answerable, met)
            if outcome is None:
                continue
            if outcome.state in ("missing", "duplicate"):
                times = self._times[place]
                reason = f"{times} traces for one question" if times else "no trace"
                yield json.encode(ScoredRow(question.id, label(outcome), reason=reason)) + b"\n"
            else:
                self._spool.seek(int(self._row_at[place]))
                yield self._spool.readline()

    def _single(self, place: int, answerable: bool, met: Sequence[Outcome]) -> Outcome | None:
        """The one outcome a question ends with; None where every attempt counts by itself."""
        times = self._times[place]
        if times == 0:
            return Outcome(answerable, "missing")
        if self._rerun == "all":
            return None
        if times > 1 and self._rerun == "error":
            return Outcome(answerable, "duplicate")
        return met[int(self._kept[place])]

    def _keep(self, places: Integers, outcomes: Integers, result: BlockResult) -> None:
        """One trace of each question: its last, or the first that was ever met."""
        sizes = np.fromiter(map(len, result.table), np.int64) if result.table else np.zeros(len(places), np.int64)
        rows = self._spool.tell() + np.cumsum(sizes) - sizes
        if self._rerun == "last":
            _, from_end = np.unique(places[::-1], return_index=True)
            chosen = len(places) - 1 - from_end
        else:
            _, first = np.unique(places, return_index=True)
            chosen = first[self._times[places[first]] == 0]
        self._kept[places[chosen]], self._row_at[places[chosen]] = outcomes[chosen], rows[chosen]
        if self._rerun == "error":
            for number in np.setdiff1d(np.arange(len(places)), chosen).tolist():
                asked = self._questions[places[number]].id
                message = f"question {asked!r} has a trace already: --rerun says which one counts"
                self.problems.add(Problem("duplicate_trace", message, result.source, result.lines[number]))
