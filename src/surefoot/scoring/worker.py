"""The work done on one block of rows, in whatever process: rows in, outcomes out."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field, json

from surefoot import outcomes
from surefoot.importers.fields import CONTAINERS, TraceReader
from surefoot.importers.jsontext import Repaired
from surefoot.importers.otel import Span, spans_in
from surefoot.importers.questions import QuestionIndex
from surefoot.importers.sources import Block
from surefoot.outcomes import Expected, Outcome, Reading, ScoredRow
from surefoot.problems import ProblemLog
from surefoot.text.normal import normalise
from surefoot.text.refusals import Refusal, detect, exact
from surefoot.types import Problem, Question, Trace

REFUSAL_MODES: Mapping[str, Callable[[str], Refusal]] = {"detect": detect, "exact": exact}


class BlockResult(Struct):
    """What one block gave. The arrays run in step: one entry per trace that found its question."""

    source: str
    rows: int = 0  # rows seen, whatever became of them
    spans: list[Span] = field(default_factory=list)
    problems: ProblemLog = field(default_factory=ProblemLog)
    places: array[int] = field(default_factory=lambda: array("L"))
    lines: array[int] = field(default_factory=lambda: array("Q"))
    codes: array[int] = field(default_factory=lambda: array("L"))
    codes_of: dict[Outcome, int] = field(default_factory=dict)  # what the codes stand for, in order
    encoded: list[bytes] = field(default_factory=list)  # the ScoredRows, when they are wanted


class BlockScorer:
    """Scores blocks against a question set. Sent to worker processes once, called per block."""

    def __init__(
        self, questions: Sequence[Question], mapping: Mapping[str, str] | None, refusal: str, keep_rows: bool
    ) -> None:
        self._ids = [question.id for question in questions]
        self._index = QuestionIndex(questions)
        self._expected = [Expected.of(question) for question in questions]
        self._reader = TraceReader(mapping)
        self._refusal_of = REFUSAL_MODES[refusal]
        self._keep_rows = keep_rows
        self._has_mapping = bool(mapping)

    def __call__(self, block: Block) -> BlockResult:
        result = BlockResult(block.source)
        lines, values = block.rows()
        read = self._reader.read
        for line, value in zip(lines, values, strict=True):
            if type(value) is not dict or (_SPECIAL_KEYS & value.keys() and not self._has_mapping):
                self._special(value, line, result)
                continue
            result.rows += 1
            trace = read(value)
            if type(trace) is Trace:
                self._score(trace, line, result)
            else:
                result.problems.add(Problem("no_question", str(trace), block.source, line))
        return result

    def score_traces(self, traces: Sequence[Trace], source: str) -> BlockResult:
        """The same for traces that were put together from several rows."""
        result = BlockResult(source, rows=len(traces))
        for number, trace in enumerate(traces, 1):
            self._score(trace, number, result)
        return result

    def _score(self, trace: Trace, line: int, result: BlockResult) -> None:
        """The hot path: everything that happens to every trace."""
        place = self._index.find(trace)
        if place < 0:
            self._unjoined(trace, place, line, result)
            return
        if trace.question is not None and trace.question_id is not None:
            self._check_wording(trace, place, line, result)
        reading = outcomes.read(self._expected[place], trace, self._refusal_of)
        codes = result.codes_of
        code = codes.get(reading.outcome)
        if code is None:
            code = codes[reading.outcome] = len(codes)
        result.places.append(place)
        result.codes.append(code)
        result.lines.append(line)
        if self._keep_rows:
            result.encoded.append(json.encode(_scored_row(self._ids[place], reading, trace, result.source, line)))

    def _special(self, value: object, line: int, result: BlockResult) -> None:
        """Whatever is not a plain row of one trace: repaired text, problems, spans, lists of traces."""
        if isinstance(value, Repaired):
            note = value.repairs or "not quite JSON, but readable"
            result.problems.add(Problem("note", note, result.source, line))
            value = value.value
        if isinstance(value, Problem):
            result.rows += value.line is not None and value.kind != "note"
            result.problems.add(value)
            return
        if isinstance(value, dict) and not self._has_mapping and (spans := spans_in(value)):
            result.rows += len(spans)
            result.spans += spans
            return
        for row in _unpacked(value):
            result.rows += 1
            trace = self._reader.read(row) if isinstance(row, dict) else None
            if isinstance(trace, Trace):
                self._score(trace, line, result)
            elif trace is None:
                message = f"a trace must be an object, not {_json_kind(row)}"
                result.problems.add(Problem("malformed", message, result.source, line))
            else:
                result.problems.add(Problem("no_question", trace, result.source, line))

    def _unjoined(self, trace: Trace, place: int, line: int, result: BlockResult) -> None:
        name = f"id {trace.question_id!r}" if trace.question_id is not None else f"text {_shortened(trace.question)!r}"
        if place == QuestionIndex.AMBIGUOUS:
            message = f"several questions have the {name}: give the traces a question id"
            result.problems.add(Problem("ambiguous_question", message, result.source, line))
        else:
            result.problems.add(Problem("unknown_question", f"no question has the {name}", result.source, line))

    def _check_wording(self, trace: Trace, place: int, line: int, result: BlockResult) -> None:
        """A trace joined by id whose question reads otherwise: the question may have been changed under its id."""
        text = trace.question or ""
        if self._index.by_text.get(text) != place and normalise(text) not in self._index.by_text:
            message = f"question {self._ids[place]!r} was asked in other words: {_shortened(text)!r}"
            result.problems.add(Problem("note", message, result.source, line))


_SPECIAL_KEYS = frozenset(
    {
        *CONTAINERS,
        "resourceSpans",
        "resource_spans",
        "attributes",
        "attributes.input.value",
        "attributes.output.value",
    }
)


def _unpacked(row: object) -> list[object]:
    for key in CONTAINERS:
        inner = row.get(key) if isinstance(row, dict) else None
        if isinstance(inner, list):
            return inner
    return [row]


def _scored_row(qid: str, reading: Reading, trace: Trace, source: str, line: int) -> ScoredRow:
    outcome, refusal, span = reading.outcome, reading.refusal, None
    if refusal is not None and refusal.value != "answered" and trace.answer is not None:
        span = trace.answer[refusal.start : refusal.end]
    return ScoredRow(
        qid, outcomes.label(outcome), outcome.refusal, outcome.hit, outcome.contained, reading.citations,
        span, reading.reason, source, line,
    )  # fmt: skip


def _shortened(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= 60 else text[:57] + "..."


def _json_kind(value: object) -> str:
    kinds = {
        type(None): "null",
        bool: "true or false",
        str: "a text",
        list: "a list",
        int: "a number",
        float: "a number",
    }
    return kinds.get(type(value), type(value).__name__)
