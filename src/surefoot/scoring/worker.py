"""The work done on one block of rows, in whatever process: rows in, outcomes out."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field, json

from surefoot import outcomes
from surefoot.io.rows import Row, decode_lines, rows_in, slices
from surefoot.io.shapes import LikeRow, Shape
from surefoot.io.sources import Block, Lines
from surefoot.io.spans import LOOKED_FOR, Span
from surefoot.io.traces import TraceReader
from surefoot.outcomes import Expected, Outcome, row_head
from surefoot.problems import ProblemLog
from surefoot.services.passage_texts import PassageTexts
from surefoot.text.normal import normalise
from surefoot.text.refusals import Refusal, detect, exact
from surefoot.types import Problem, Question, Trace

REFUSAL_MODES: Mapping[str, Callable[[str], Refusal]] = {"detect": detect, "exact": exact}

_SHAPES_KEPT, _SCORED_KEPT, _EXPECTED_KEPT = 100, 20_000, 50_000


class Scored(Struct, frozen=True, gc=False):
    """An answer after reading: its outcome, and its row as far as it is the same on every line."""

    outcome: Outcome
    row: bytes


class BlockResult(Struct):
    """What one block gave. `places`, `outcomes`, `lines`, `table`: an entry per trace that found its question."""

    source: str
    found_fields: set[str]  # of the user's mapping
    remarks: set[str]  # on rows in which a field is not found
    rows: int = 0  # rows seen, whatever became of them
    spans: list[Span] = field(default_factory=list)
    problems: ProblemLog = field(default_factory=ProblemLog)
    places: array[int] = field(default_factory=lambda: array("L"))
    outcomes: list[Outcome] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("Q"))
    lacking: Counter[str] = field(default_factory=Counter)  # ids of passages that are not in the corpus
    table: list[bytes] = field(default_factory=list)  # rows as lines of JSON, where they are wanted

    def add(self, place: int, scored: Scored, line: int) -> None:
        self.places.append(place)
        self.outcomes.append(scored.outcome)
        self.lines.append(line)
        if scored.row:
            self.table.append(b'%b,"source":%b,"line":%d}\n' % (scored.row, json.encode(self.source), line))


class QuestionIndex:
    """Finds the question of a trace: by id, else by its text in normal form. Questions are known by place."""

    UNKNOWN, AMBIGUOUS = -1, -2

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = questions
        self._by_id = {question.id: place for place, question in enumerate(questions)}
        self._by_text = self._places(question.text for question in questions)
        self._by_normal_text: dict[str, int] | None = None  # made when a text is first met that differs from all

    def find(self, qid: str | None, text: str | None) -> int:
        """The place of a question, UNKNOWN or AMBIGUOUS."""
        place = self._by_id.get(qid) if qid is not None else None
        if place is not None:
            return place
        return self.UNKNOWN if text is None else self.find_text(text)

    def find_text(self, text: str) -> int:
        place = self._by_text.get(text)
        if place is not None:
            return place
        if self._by_normal_text is None:
            self._by_normal_text = self._places(normalise(question.text) for question in self._questions)
        return self._by_normal_text.get(normalise(text), self.UNKNOWN)

    def _places(self, texts: Iterable[str]) -> dict[str, int]:
        places: dict[str, int] = {}
        for place, text in enumerate(texts):
            places[text] = self.AMBIGUOUS if text in places else place
        return places


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
        self._refusal_of = REFUSAL_MODES[refusal]
        self._keep_rows = keep_rows
        self._has_mapping, self._texts = bool(mapping), texts
        self.found_fields, self.remarks = self._reader.found_fields, self._reader.remarks
        self._shape: Shape | None = None  # what the rows before looked like
        self._shapes: dict[tuple[str, ...], Shape | None] = {}
        self._scored: dict[tuple[object, ...], Scored] = {}
        self._remember = True
        self.lacking: Counter[str] = Counter()  # of all blocks

    def __call__(self, block: Block) -> BlockResult:
        result = self._result(block.source)
        if isinstance(block, Lines):
            for first_line, count, data in slices(block.data(), block.first_line):
                self._score_slice(data, first_line, count, result)
        else:
            self._score_rows(rows_in(block), result)
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

    def _score_slice(self, data: bytes, first_line: int, count: int, result: BlockResult) -> None:
        if self._shape:
            alike = self._shape.decode_lines(data)
            if alike is not None and len(alike) == count:
                self._score_alike(alike, self._shape, first_line, result)
                return
        rows = decode_lines(data, result.source, first_line)
        self._score_rows(rows, result)
        self._shape = self._shape_of(rows[-1].value) if rows else None

    def _shape_of(self, row: object) -> Shape | None:
        if self._has_mapping or not isinstance(row, dict) or not self._reader.is_one_trace(row):
            return None
        keys = tuple(row)
        if keys not in self._shapes and len(self._shapes) < _SHAPES_KEPT:
            self._shapes[keys] = Shape.of(self._reader, row)
        return self._shapes.get(keys)

    def _score_alike(self, rows: list[LikeRow], shape: Shape, first_line: int, result: BlockResult) -> None:
        """Rows of one shape. The same answer to the same question over the same passages is read once - as
        long as that pays: where every answer is new, looking it up costs more than it saves."""
        result.rows += len(rows)
        known, new = self._scored, 0
        for line, row in enumerate(rows, first_line):
            place = self._join(row.question_id, row.question, line, result)
            if place < 0:
                continue
            if not self._remember:
                result.add(place, self._read(place, shape.trace(row)), line)
                continue
            key = (place, row.answer, bytes(row.retrieved or row.contexts), bytes(row.citations), bytes(row.error))
            scored = known.get(key)
            if scored is None:
                new += 1
                scored = known[key] = self._read(place, shape.trace(row))
            result.add(place, scored, line)
        if len(known) > _SCORED_KEPT:
            self._remember = new * 2 < len(rows)
            known.clear()

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
        if place >= 0:
            result.add(place, self._read(place, trace), line)

    def _read(self, place: int, trace: Trace) -> Scored:
        expected = self._expected.get(place)
        if expected is None:
            if len(self._expected) >= _EXPECTED_KEPT:
                self._expected.clear()
            known = Expected() if self._is_log else Expected.of(self._questions[place])
            expected = self._expected[place] = known
        if self._texts:
            self._texts.filled(trace)  # to learn which ids the corpus lacks
        reading = outcomes.read(expected, trace, self._refusal_of)
        row = row_head(self._questions[place].id, reading, trace.answer) if self._keep_rows else b""
        return Scored(reading.outcome, row)

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
