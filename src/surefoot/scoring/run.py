"""`score`: read, join, count, decide. The only place where the parts of the deterministic tier meet.

`BlockScorer` finds the question of each trace in a block and reads its answer (`outcomes.read`), wherever the block is
read; `Attempts` keeps what counts of several answers; then outcomes are counted and the rules decide.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count, repeat
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any, Literal, get_args
from weakref import finalize

import msgspec
from msgspec import Struct, field
from msgspec.structs import force_setattr, replace

from surefoot.core.errors import ExitCode, Incomplete, UsageError
from surefoot.core.files import UNREADABLE, fault_in
from surefoot.core.intervals import difference, wilson
from surefoot.core.records import fingerprint
from surefoot.core.result import Result
from surefoot.core.types import (
    GOOD,
    Estimate,
    Item,
    Outcome,
    Problem,
    ProblemLog,
    Question,
    Retrieved,
    Trace,
    check_group_fields,
    in_words,
)
from surefoot.gate import metrics
from surefoot.gate.metrics import COMPLETENESS, SCORED, Decision, Rule, Tally
from surefoot.io import questions as question_sets
from surefoot.io import rows as sources
from surefoot.io.cluster import Engine, Part, blocks_in, check_engine, map_on_ray, parts_from
from surefoot.io.items import Asked
from surefoot.io.questions import content_hash, fingerprint_of, hashes_of, verify_lock
from surefoot.io.rows import Block, Lines, Row, are_ids, decode, decode_lines, may_be_json, rows_in, said
from surefoot.io.traces import LOOKED_FOR, SPANS, Form, Span, TraceReader, traces_in, traces_of
from surefoot.jobs.settings import DEFAULT_GATE, Given, chosen_rules, settings_from
from surefoot.scoring import outcomes
from surefoot.scoring.outcomes import CASES, Expected, Facts, Reading, ScoredRow, label, outcome_of, read_answer, row_of
from surefoot.text import citations
from surefoot.text.citations import Passages
from surefoot.text.normal import id_of_text, normalise
from surefoot.text.refusals import MODES, Refusal

if TYPE_CHECKING:
    from surefoot.corpus.corpus import PassageTexts


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
    outcomes: dict[Facts, int] = field(default_factory=dict)  # each with its code
    lacking: Counter[str] = field(default_factory=Counter)  # ids of passages that are not in the corpus
    table: list[bytes] = field(default_factory=list)  # rows as lines of JSON

    def add(self, place: int, outcome: Outcome, line: int) -> None:
        self.places.append(place)
        self.codes.append(self.outcomes.setdefault(outcome, len(self.outcomes)))
        self.lines.append(line)


Found = tuple[int, Expected, str, tuple[Facts, tuple[str, ...] | None, Refusal]]
_OPENS = frozenset("{[")
_EXPECTED_KEPT, _FOUND_KEPT = 20_000, 20_000
_HIDDEN = (
    "some rows have an empty citations field, which counts, and answers that cite passages: leave the field out where"
    " it is not filled, and the marks in the text are read"
)


class BlockScorer:
    """Scores blocks against a question set, or against the questions of the log itself, which have no gold. Sent to
    worker processes once, called per block."""

    def __init__(
        self, questions: Sequence[Question], mapping: Mapping[str, str] | None, refusal: str, keep_rows: bool,
        is_log: bool = False, texts: PassageTexts | None = None,
    ) -> None:  # fmt: skip
        self._index, self._is_log = QuestionIndex(questions), is_log
        self._questions = questions
        self._expected: dict[int, Expected] = {}
        self._joined: dict[tuple[str | None, str | None], tuple[int, Expected]] = {}  # by what rows say
        self.reader = TraceReader(mapping)
        self._refusal_of = MODES[refusal]
        self._keep_rows = keep_rows
        self._texts = texts
        self.found_fields, self.remarks = self.reader.found_fields, self.reader.remarks
        self.lacking: Counter[str] = Counter()  # of all blocks

    def __call__(self, block: Block) -> BlockResult:
        result = self._result(block.source)
        if isinstance(block, Lines):
            result.size = block.size
        if isinstance(block, Lines) and self._texts is None:  # else every passage is looked for in the corpus
            self._score_lines(block.data(), block.first_line, result)
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

    def _score_lines(self, data: bytes, first_line: int, result: BlockResult) -> None:
        """Nearly all rows are of a form, and ask a question, that were met before; `_score_rows` reads the others."""
        forms, learn, codes = self.reader.forms, self.reader.learn, result.outcomes
        for line, raw in enumerate(data.split(b"\n"), first_line):
            row = found = None
            try:
                row = decode(raw)
                objects, by_keys = forms.get(tuple(row)) or learn(row)
                inside = tuple([tuple(row[key]) for key in objects]) if objects else ()
                if form := by_keys[inside] if inside in by_keys else learn(row)[1].get(inside):
                    found = self._read_by(form, row)
            except (KeyError, TypeError, AttributeError, *UNREADABLE):
                pass
            if found is None:
                is_read = type(row) is dict
                rows = [Row(result.source, line, row)] if is_read else decode_lines(raw, result.source, line)
                self._score_rows(rows, result)
                continue
            place, expected, answer, (facts, cited, refusal) = found
            result.rows += 1
            result.places.append(place)
            result.codes.append(codes.setdefault(facts, len(codes)))
            result.lines.append(line)
            if self._keep_rows:
                reading = Reading(Outcome(*facts), cited, refusal)
                result.table.append(_encode(row_of(expected.id, reading, answer, result.source, line)) + b"\n")

    def _read_by(self, form: Form, row: dict[str, Any]) -> Found | None:
        """What is read of a row where it lies; None, or an error, where only `_score_rows` can tell."""
        qid, question, answer, ids, given, texts, error = [
            row[at] if type(at) is str else None if at is None else row[at[0]][at[1]] for at in form.places
        ]
        if error:
            return None
        if type(question) is list and form.is_whole:
            question = said(question, "user")
        place, expected = self._joined[qid, question]
        if given is not None:
            given = sources.citations_in(given)
        if type(answer) is not str or (answer[:1] in _OPENS and may_be_json(answer)):
            answer, given, told = sources.unwrapped(answer, given, None) if form.is_whole else (None, None, None)
            if type(answer) is not str or (told and not ids):
                return None
        if given == () and "[" in answer:
            return None
        if not ids:
            if texts is not None or (ids is not None and type(ids) is not list):
                return None
            found = read_answer(expected, answer, (), (), given, self._refusal_of)
            if found and ids is None:
                found = (*found[0][:-2], None, None), *found[1:]
            return found and (place, expected, answer, found)
        passages: Passages = partial(_passages, ids)
        if type(ids[0]) is dict:
            ids = [one["id"] for one in ids]
        if type(ids) is not list or not are_ids(ids):
            return None
        if texts is not None:
            if type(texts) is not list or len(texts) != len(ids):
                return None
            passages = partial(self._retrieved, row)
        found = read_answer(expected, answer, ids, passages, given, self._refusal_of)
        return found and (place, expected, answer, found)

    def _retrieved(self, row: dict[str, object]) -> Retrieved:
        found = self.reader.read(row)
        return (found.retrieved if isinstance(found, Trace) else None) or Retrieved()

    def _score_rows(self, rows: Iterable[Row], result: BlockResult) -> None:
        for row in rows:
            if row.repairs:
                result.problems.add(Problem("note", row.repairs, row.source, row.line))
            for _, found in self.reader.read_row(row):
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
        expected = self._expected.get(place) or self._expected_at(place)
        if trace.citations is not None and not trace.citations and trace.answer:
            self._note_hidden(trace.answer, trace.names, expected.gold)
        reading = outcomes.read(expected, trace, self._refusal_of)
        result.add(place, reading.outcome, line)
        if self._keep_rows:
            result.table.append(_encode(row_of(expected.id, reading, trace.answer, result.source, line)) + b"\n")

    def _note_hidden(self, answer: str, retrieved: Sequence[str], gold: Collection[str]) -> None:
        """An empty field of citations counts, also where some pipeline writes it whatever its answer cites."""
        if "[" in answer and _HIDDEN not in self.remarks:
            marked = citations.parse(answer, retrieved, gold) or ()
            if any(one in retrieved or one in gold for one in marked):
                self.remarks.add(_HIDDEN)

    def _expected_at(self, place: int) -> Expected:
        if len(self._expected) >= _EXPECTED_KEPT:
            self._expected.clear()
        question = self._questions[place]
        made = self._expected[place] = Expected(id=question.id) if self._is_log else Expected.of(question)
        return made

    def _join(self, qid: str | None, text: str | None, line: int, result: BlockResult) -> int:
        """The place of the question; below 0 when there is none, which is then named."""
        place = self._index.find(None if self._is_log and text is not None else qid, text)
        if place < 0:
            self._name_missing(place, qid, text, line, result)
        elif qid is None or text is None or self._is_log or self._is_asked_so(text, place, line, result):
            if len(self._joined) >= _FOUND_KEPT:
                self._joined.clear()
            if text is None or not may_be_json(text):
                self._joined[qid, text] = place, self._expected.get(place) or self._expected_at(place)
        return place

    def _name_missing(self, place: int, qid: str | None, text: str | None, line: int, result: BlockResult) -> None:
        kind, message = "unknown_question", f"no question has the {_name(qid, text)}"
        if place == QuestionIndex.AMBIGUOUS:
            kind = "ambiguous_question"
            message = f"several questions have the {_name(qid, text)}: give the traces a question id"
        elif qid is None and text is None:
            message = f"the spans of this trace name no question (looked for {LOOKED_FOR})"
        result.problems.add(Problem(kind, message, result.source, line))

    def _is_asked_so(self, text: str, place: int, line: int, result: BlockResult) -> bool:
        """A trace joined by id whose question reads otherwise: it may have been changed under its id."""
        if self._index.find_text(text) in (place, QuestionIndex.AMBIGUOUS):
            return True
        message = f"question {self._questions[place].id!r} was asked in other words: {_shortened(text)!r}"
        result.problems.add(Problem("note", message, result.source, line))
        return False


def _passages(value: object) -> Retrieved:
    return sources.passages_in(value) or Retrieved()


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
        self._by_id = {question.id: place for place, question in enumerate(questions)}
        self._by_text = self._places([question.text for question in questions])
        self._by_normal_text = self._places([normalise(question.text) for question in questions])

    def _places(self, texts: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for place, text in enumerate(texts):
            found[text] = self.AMBIGUOUS if text in found else place
        return found

    def find(self, qid: str | None, text: str | None) -> int:
        """The place of a question, UNKNOWN or AMBIGUOUS."""
        if qid is not None and (place := self._by_id.get(qid)) is not None:
            return place
        return self.UNKNOWN if text is None else self.find_text(text)

    def find_text(self, text: str) -> int:
        if (place := self._by_text.get(text)) is not None:
            return place
        return self._by_normal_text.get(normalise(text), self.UNKNOWN)


_LINES_AT_A_TIME, _KEPT_IN_MEMORY = 1 << 16, 8 << 20  # bytes

Rerun = Literal["error", "first", "last", "all"]


class Attempts:
    """Takes block results in order and keeps, per question, what the rerun rule leaves.

    Memory grows with the questions, not with the traces: rows wait in a temporary file.
    """

    def __init__(self, questions: Sequence[Question], rerun: Rerun) -> None:
        self._questions = questions
        self._rerun = rerun
        self._times = array("q", bytes(8 * len(questions)))
        self._known: dict[Outcome, int] = {}  # every outcome that was met, with its number
        self._kept = array("q", self._times)  # the outcome that counts, but for `all`
        self._all: Counter[tuple[int, int]] = Counter()  # of questions with outcomes, for `all`
        self._spool = SpooledTemporaryFile(_KEPT_IN_MEMORY)  # noqa: SIM115 - rows wait in it as long as the result lives
        finalize(self, self._spool.close)
        self._row_at = array("q", self._times)  # where a question's row starts in it
        self.problems = ProblemLog()
        self.traces = 0

    def add(self, result: BlockResult) -> None:
        self.traces += len(result.places)
        numbers = [self._known.setdefault(Outcome(*facts), len(self._known)) for facts in result.outcomes]
        if self._rerun == "all":
            for (place, code), times in Counter(zip(result.places, result.codes, strict=True)).items():
                self._all[place, numbers[code]] += times
                self._times[place] += times
        else:
            self._keep(result, numbers)
        self._spool.writelines(result.table)

    @property
    def set_aside(self) -> int:
        """Traces that the rule `first` or `last` passes over."""
        return sum(times - 1 for times in self._times if times) if self._rerun in ("first", "last") else 0

    @property
    def duplicates(self) -> int:
        """Traces left out because their question has several."""
        return sum(times for times in self._times if times > 1) if self._rerun == "error" else 0

    def outcomes(self) -> Iterator[tuple[Question, Outcome, int]]:
        """Each question with an outcome and how many attempts had it; every question at least once."""
        met = list(self._known)
        for (place, number), times in sorted(self._all.items()):
            yield self._questions[place], met[number], times
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
                yield _encode(ScoredRow(question.id, label(outcome), reason=reason)) + b"\n"
            else:
                self._spool.seek(self._row_at[place])
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
        return met[self._kept[place]]

    def _keep(self, result: BlockResult, numbers: Sequence[int]) -> None:
        """One trace of each question: its last, or the first that was ever met."""
        at, columns = self._spool.tell(), (result.places, result.codes, result.lines, result.table or repeat(b""))
        for place, code, line, row in zip(*columns, strict=False):
            if not self._times[place] or self._rerun == "last":
                self._kept[place], self._row_at[place] = numbers[code], at
            elif self._rerun == "error":
                message = f"question {self._questions[place].id!r} has a trace already: --rerun says which one counts"
                self.problems.add(Problem("duplicate_trace", message, result.source, line))
            self._times[place] += 1
            at += len(row)


Outcomes = Iterable[tuple[Question, Outcome, int]]  # each question with an outcome and how many attempts had it
QUESTIONS_NAMED = 50  # a check names this many questions and counts the rest
ADVICE_NAMED = 20
_WIDEST = 0.5  # of a 95 % interval; five out of five good answers give a narrower one
Groups = dict[str, dict[str, dict[str, Estimate]]]  # field -> value -> metric -> estimate


class Accounting(Struct, frozen=True):
    """Rows in = rows accounted for: rows is the sum of everything below it."""

    rows: int
    scored: int
    set_aside: int  # other attempts at a question, under --rerun first or last
    spans: int  # span rows, put together into traces that are rows of their own
    left_out: dict[str, int]  # by kind of problem


class Settings(Struct, frozen=True):
    questions: int
    questions_sha256: str
    rerun: str
    refusal: str
    by: tuple[str, ...]
    has_gold: bool = True  # False for a log without a question set


class Advice(Struct, frozen=True):
    finding: str
    action: str
    questions: tuple[str, ...]
    question_count: int


class Baseline(Struct):
    """What `surefoot score --json` printed for an earlier run."""

    metrics: dict[str, Estimate]
    groups: Groups = {}
    settings: dict[str, Any] = {}
    rows: list[ScoredRow] = []
    question_hashes: dict[str, str] = {}

    def find(self, rule: Rule) -> Estimate | None:
        """None for what the earlier run did not measure."""
        name, value = rule.group_key or ("", "")
        return (self.groups.get(name, {}).get(value, {}) if name else self.metrics).get(rule.metric)

    def alike(self, questions: Iterable[Question]) -> dict[str, str]:
        """The questions that the earlier run was asked too, by content: their ids now and then."""
        ids = {sha256: qid for qid, sha256 in self.question_hashes.items()} if self.rows else {}
        found = ((one.id, content_hash(one)) for one in questions)
        return {qid: qid if self.question_hashes.get(qid) == sha else ids[sha] for qid, sha in found if sha in ids}

    def notes(self, rules: Sequence[Rule]) -> Iterator[str]:
        if not any(rule.on_baseline for rule in rules):
            yield "no rule compares with the baseline: it is shown, and decides nothing"
        if not self.rows:
            yield "the baseline has no rows to tell which labels changed (hint: write it by --json without --no-rows)"

    def over(self, questions: Mapping[str, Question], rules: Sequence[Rule], by: Sequence[str]) -> Baseline:
        """The same over some of its questions, as far as rows tell: not what was retrieved."""
        asked = ((questions[row.qid], row) for row in self.rows if row.qid in questions)
        counted = count_outcomes(((question, outcome_of(row, question), 1) for question, row in asked), rules, by)
        groups = {name: counted.estimates(name) for name in counted.groups}
        return replace(self, metrics=metrics.estimates(counted.total), groups=groups)


def load_baseline(path: str | Path) -> Baseline:
    try:
        earlier = msgspec.json.decode(Path(path).read_bytes(), type=Baseline)
        parts = (earlier.metrics, *(numbers for values in earlier.groups.values() for numbers in values.values()))
        if any(min(one.numerator, one.denominator) < 0 for numbers in parts for one in numbers.values()):
            raise msgspec.ValidationError("a number of answers is below 0")
    except (OSError, *UNREADABLE) as error:
        hint = "write it with `surefoot score ... --json > baseline.json`"
        raise UsageError(f"the baseline {path} cannot be read: {fault_in(error)}", hint) from error
    return earlier


def pair(before: Baseline, outcomes: Outcomes, alike: Mapping[str, str]) -> tuple[int, tuple[dict[str, str], ...]]:
    """How many questions have a label in both runs, and those whose labels differ. An edited question is paired with
    the one that it replaces."""
    then, now = defaultdict[str, list[str]](list), defaultdict[tuple[str, str], list[str]](list)
    for row in before.rows:
        then[row.qid].append(row.label)
    for question, outcome, times in outcomes:
        if (was := alike.get(question.id, str(question.metadata.get("replaces", "")))) in then:
            now[question.id, was] += [label(outcome)] * times
    moved = []
    for (qid, was), labels in now.items():
        a, b = (", ".join(sorted(some)) for some in (then[was], labels))
        good, better = (sum(one in GOOD for one in some) / len(some) for some in (then[was], labels))
        way = "worse" if better < good else "better" if better > good else "other"
        if a != b:
            moved.append({"question_id": qid, "was": was, "baseline": a, "candidate": b, "way": way})
    return len(now), tuple(moved)


class Behind(Struct):
    """The questions behind a failed rule, or a piece of advice: the first of them by name, all of them counted."""

    most: int
    named: list[str] = field(default_factory=list)
    count: int = 0
    last: str | None = None

    def add(self, question_id: str) -> None:
        """Attempts at one question come one after the other."""
        if question_id == self.last:
            return
        self.last = question_id
        self.count += 1
        if len(self.named) < self.most:
            self.named.append(question_id)


class Counted(Struct):
    groups: dict[str, dict[str, Tally]]
    behind: list[Behind]  # each rule
    advice: list[Behind]  # each of CASES
    total: Tally = field(default_factory=Counter)

    @property
    def labels(self) -> dict[str, int]:
        found: Counter[str] = Counter()
        for outcome, times in self.total.items():
            found[label(outcome)] += times
        return dict(found)

    def estimates(self, name: str) -> dict[str, dict[str, Estimate]]:
        """All metrics for each group of questions that share a value of a field."""
        return {value: metrics.estimates(tally) for value, tally in sorted(self.groups[name].items())}


def count_outcomes(outcomes: Outcomes, rules: Sequence[Rule], by: Sequence[str]) -> Counted:
    names = dict.fromkeys([*by, *(rule.group_key[0] for rule in rules if rule.group_key)])
    counted = Counted(
        {name: {} for name in names}, [Behind(QUESTIONS_NAMED) for _ in rules], [Behind(ADVICE_NAMED) for _ in CASES]
    )
    told_by: dict[Outcome, list[tuple[Behind, tuple[str, str] | None]]] = {}  # what names questions with an outcome
    for question, outcome, times in outcomes:
        if not question.gold_claims:
            outcome = outcome._replace(contained=None)
        counted.total[outcome] += times
        for name, tallies in counted.groups.items():
            tallies.setdefault(question.group(name), Counter())[outcome] += times
        if outcome not in told_by:
            scored = [(rule, one) for rule, one in zip(rules, counted.behind, strict=True) if rule.metric in SCORED]
            told_by[outcome] = [(one, rule.group_key) for rule, one in scored if SCORED[rule.metric].fails(outcome)]
            cases = zip(CASES, counted.advice, strict=True)
            told_by[outcome] += [(one, None) for case, one in cases if case.seen_in(outcome)]
        for one, group in told_by[outcome]:
            if group is None or question.group(group[0]) == group[1]:
                one.add(question.id)
    return counted


def decide(
    rules: Sequence[Rule], counted: Counted, shared: Counted, before: Baseline | None, problems: ProblemLog
) -> Decision:
    """`shared` are the questions that the baseline was asked too: rules against it are judged by these."""
    incomplete = [in_words(times, kind) for kind, times in problems.serious.items()]
    is_scored = any(outcome.usable for outcome in counted.total)
    checks = []
    for place, rule in enumerate(rules):
        of = shared if rule.on_baseline else counted
        found = metrics.check(rule, _fact(rule, of), before.find(rule) if before else None)
        if not is_scored and found.status in ("fail", "pass"):  # it says nothing about the pipeline
            found = replace(found, status="undecidable", reason="nothing was scored")
        behind = of.behind[place]
        checks.append(replace(found, questions=tuple(behind.named), question_count=behind.count))
    return metrics.decide(checks, incomplete if is_scored else [*incomplete, "nothing was scored"])


def _fact(rule: Rule, counted: Counted) -> Estimate | None:
    if rule.metric not in SCORED:
        return None
    if rule.group_key is None:
        return metrics.estimate(SCORED[rule.metric], counted.total)
    (name, value), groups = rule.group_key, counted.groups
    if value not in groups[name]:
        known = ", ".join(sorted(filter(None, groups[name]))) or "none"
        return Estimate(0, 0, reason=f"no question has {name} {value!r} (there are: {known})")
    return metrics.estimate(SCORED[rule.metric], groups[name][value])


_encode = msgspec.json.Encoder().encode
_decode_rows = msgspec.json.Decoder(ScoredRow).decode_lines


class ScoreResult(Result, frozen=True, kw_only=True):
    """What scoring found; `--json` prints its fields, the rows, and a hash of every question.

    Rows are made on the way out, so `rows()` and `write_json` cost no memory however many there are.
    """

    beside = ("decision", "accounting", "problems", "shared", "baseline_groups", "attempts", "questions")

    metrics: dict[str, Estimate]
    baseline: dict[str, Estimate] | None  # as the next two, None and not printed where no earlier run is compared
    changes: dict[str, Any] | None = None  # by metric, and under `groups` the same by field and value
    label_changes: dict[str, Any] | None  # `compared` is None where the earlier run has no rows
    labels: dict[str, int]
    groups: Groups
    gate: dict[str, Any] = field(default_factory=dict)
    next: tuple[Advice, ...]
    input: dict[str, Any] = field(default_factory=dict)
    settings: Settings
    decision: Decision
    accounting: Accounting
    problems: ProblemLog
    shared: dict[str, Estimate]  # metrics over the questions that the earlier run was asked too
    baseline_groups: Groups
    attempts: Attempts
    questions: Sequence[Question]

    def __post_init__(self) -> None:
        """What is printed and not kept by itself."""
        checks = [{**one.row(), "questions_to_be_sure": one.to_be_sure} for one in self.decision.checks]
        gate = {
            "outcome": self.outcome, "exit_code": int(self.exit_code), "checks": checks,
            "incomplete": list(self.decision.incomplete), "too_few": self.too_few,
        }  # fmt: skip
        seen = {"problem_counts": dict(self.problems.counts), "problems": self.problems.all_named}
        force_setattr(self, "gate", gate)
        force_setattr(self, "input", {**msgspec.to_builtins(self.accounting), **seen})
        if self.baseline is not None:
            changes = {name: difference(now, self.baseline.get(name)) for name, now in self.shared.items()}
            force_setattr(self, "changes", {**changes, "groups": {
                field: {value: {name: difference(now, self.before(field, value, name)) for name, now in some.items()}
                        for value, some in values.items()}
                for field, values in self.groups.items()
            }})  # fmt: skip

    @property
    def exit_code(self) -> ExitCode:
        return self.decision.exit_code

    @property
    def outcome(self) -> str:
        return self.decision.outcome

    @property
    def too_few(self) -> str | None:
        """Return why a SHIP is not meaningful: a rate it rests on has an interval wider than half."""
        rates = {one.rule.metric: one.seen for one in self.decision.checks if one.seen}
        widths = {name: (rate.high or 0.0) - (rate.low or 0.0) for name, rate in rates.items() if name != COMPLETENESS}
        metric = max(widths, key=lambda name: widths[name], default="")
        if self.outcome != "SHIP" or not metric or widths[metric] <= _WIDEST:
            return None
        rate, few = rates[metric], rates[metric].denominator
        ends = ((n, wilson((rate.value or 0) * n, n)) for n in count(few + 1))
        least = next(n for n, (low, high) in ends if high - low <= _WIDEST)
        return (
            f"{few} question{' is' if few == 1 else 's are'} too few to mean anything: {metric} is "
            f"{round(rate.numerator, 2)}/{few}, which may be anything from {rate.low:.0%} to {rate.high:.0%}"
            f" (hint: score at least {least} questions of each kind)"
        )

    def before(self, field: str, value: str, metric: str) -> Estimate | None:
        """What an earlier run had for a part of the questions."""
        return self.baseline_groups.get(field, {}).get(value, {}).get(metric)

    def table(self) -> Sequence[Mapping[str, Any]]:
        """A question a row."""
        return [msgspec.json.decode(_encode(row)) for row in self.rows()]

    def printed(self) -> list[str]:
        absent = ("baseline", "changes", "label_changes") if self.baseline is None else ()
        return [name for name in super().printed() if name not in absent]

    def rows(self) -> Iterator[ScoredRow]:
        for lines in self.attempts.rows():
            yield from _decode_rows(lines)

    def write_json(self, out: IO[bytes], with_rows: bool = True) -> None:
        head = _encode(super().to_json())
        if not with_rows:
            out.write(head + b"\n")
            return
        out.write(head[:-1] + b',"rows":[')
        separator = b"\n"
        for lines in self.attempts.rows():
            # A newline inside a text is written as \\n, so these are only the ends of rows.
            out.write(separator + lines[:-1].replace(b"\n", b",\n"))
            separator = b",\n"
        out.write(b'],"question_hashes":' + _encode(self._hashes()) + b"}\n")

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "rows": self.table(), "question_hashes": self._hashes()}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - as JSON has it
        made = {"rows": self.table, "question_hashes": self._hashes}.get(name)
        return made() if made else super().__getitem__(name)

    def _hashes(self) -> dict[str, str]:
        """Of what is asked, by which a later run over another version of the set is compared; a log has no gold."""
        return hashes_of(self.questions) if self.settings.has_gold else {}


FILE_PROBLEMS = frozenset({"note", "unreadable", "no_traces"})  # not about a single row

TraceInput = str | Path | Sequence[str | Path | Mapping[str, object]]
Progress = Callable[[int, float | None], None]  # rows, and the share of all that was read, if that can be told


def score(
    questions: str | Path | Sequence[object] | None,
    traces: TraceInput,
    *,
    gate: str | Path | None = None,
    rules: Sequence[str] = (),
    rerun: Rerun = "error",
    refusal: Literal["detect", "exact"] = "detect",
    by: Sequence[str] = (),
    mapping: Mapping[str, str] | None = None,
    baseline: str | Path | None = None,
    corpus: str | Path | None = None,
    engine: Engine = "local",
    settings: Given = None,
    keep_rows: bool = True,
    progress: Progress | None = None,
) -> ScoreResult:
    """Score traces against a question set and decide by the gate.

    The rules are those of `gate` and of `rules` together; without a gate those of `rules` alone, and without either
    those of the default gate.

    `questions` is a file or a list of dictionaries, or None to score what a log tells without gold; with `corpus`,
    retrieved passages that it lacks are named. `traces` a file, a folder, an address such as s3://..., "-", several of
    these, or a list of dictionaries. With the engine "ray" a cluster scores them. `settings` are those of
    surefoot.toml: `jobs` are processes, and what a cluster has done stays in the folder `work`. The result reads like
    the object that `surefoot score --json` prints.
    """
    for name, value, choices in (("rerun", rerun, get_args(Rerun)), ("refusal", refusal, tuple(MODES))):
        if value not in choices:
            raise UsageError(f"{name} cannot be {value!r}", f"choose from {', '.join(choices)}")
    if engine != "local":
        check_engine(engine)
    how = settings_from(settings, map=mapping)
    mapping = how.map
    by = (by,) if isinstance(by, str) else tuple(by)
    is_log = questions is None
    given = [traces] if isinstance(traces, (str, Path)) else traces
    paths = [item for item in given if isinstance(item, (str, Path))]
    rows: list[object] = [item for item in given if not isinstance(item, (str, Path))]
    values = [sources.Values("traces", rows)] if rows else []
    if not any(str(path) == "-" or sources.is_there(path) for path in paths):
        sources.check_logs(paths)  # where one of several is there, the others are named
    decided_by = _rules(gate, rules)
    problems = ProblemLog()
    asked = _questions_in(paths, values, mapping) if questions is None else _questions(questions, problems)
    identity = "" if is_log else fingerprint_of(asked)
    rerun = "all" if is_log and rerun == "error" else rerun
    told = list[str]()
    texts = _texts_of(corpus, told) if corpus is not None else None
    before = load_baseline(baseline) if baseline is not None else None
    check_group_fields(by if asked else (), asked)

    attempts = Attempts(asked, rerun)
    scorer = BlockScorer(asked, mapping, refusal, keep_rows, is_log, texts)
    if engine == "local":
        results = sources.map_blocks(scorer, chain(values, sources.blocks_from(paths)), how.jobs)
    else:  # `plan`: all that outcomes depend on beside the log
        plan = repr((fingerprint(asked), mapping, refusal, keep_rows, is_log, texts.sha256 if texts else ""))
        work, parts = partial(_score_part, scorer), parts_from(paths, values)
        results = chain.from_iterable(map_on_ray(work, parts, plan, how.work, how.jobs))
    size = sources.size_of_lines(paths) if progress else None
    accounting = _read_all(scorer, results, attempts, problems, progress, size)
    if accounting.rows:
        scorer.reader.check_mapping()
    notes = [*sorted(scorer.remarks), *told, *(before.notes(decided_by) if before else ())]
    problems.extend(Problem("note", note) for note in notes)
    problems.extend(texts.problems(scorer.lacking) if texts else ())
    counted = shared = count_outcomes(attempts.outcomes(), decided_by, by)
    alike = {one.id: one.id for one in asked}
    if before is not None and before.settings.get("questions_sha256", "") not in ("", identity):
        if not (alike := before.alike(asked)):
            hint = "score the baseline's traces again with this question set, and keep the rows of --json"
            raise UsageError(f"the baseline {baseline} was scored on other questions", hint)
        words = f"was scored on another question set; only the {len(alike)} unchanged questions are compared"
        problems.add(Problem("note", words, str(baseline)))
        before = before.over({alike[one.id]: one for one in asked if one.id in alike}, decided_by, by)
        shared = count_outcomes((one for one in attempts.outcomes() if one[0].id in alike), decided_by, by)
    compared, changed = pair(before, attempts.outcomes(), alike) if before and before.rows else (None, ())
    return ScoreResult(
        metrics=metrics.estimates(counted.total),
        baseline=before.metrics if before else None,
        label_changes={"compared": compared, "changed": changed} if before else None,
        labels=counted.labels,
        groups={name: counted.estimates(name) for name in by},
        next=tuple(
            Advice(case.finding, case.action, tuple(behind.named), behind.count)
            for case, behind in zip(CASES, counted.advice, strict=True) if behind.count
        ),
        settings=Settings(len(asked), identity, rerun, refusal, by, has_gold=not is_log),
        decision=decide(decided_by, counted, shared, before, problems),
        accounting=accounting,
        problems=problems,
        shared=metrics.estimates(shared.total),
        baseline_groups=before.groups if before and shared is counted else {},
        attempts=attempts,
        questions=asked,
    )  # fmt: skip


def _rules(gate: str | Path | None, more: Sequence[str]) -> list[Rule]:
    """Coverage is asked for even where nothing says so."""
    rules = [Rule.parse(text, name) for name, text in chosen_rules(gate, more, DEFAULT_GATE)]
    is_asked = any(rule.metric == COMPLETENESS for rule in rules)
    return rules if is_asked else [*rules, Rule.parse(f"{COMPLETENESS} >= 1.0")]


def _texts_of(corpus: str | Path, told: list[str]) -> PassageTexts:
    from surefoot.corpus.corpus import PassageTexts  # noqa: PLC0415 - readers of documents take long to load

    return PassageTexts.of(corpus, told.append)


def _questions(given: str | Path | Sequence[object], problems: ProblemLog) -> Sequence[Question]:
    found = question_sets.load(given)
    if not found.questions:
        why = next((str(problem) for problem in found.problems if problem.kind != "note"), "it is empty")
        if found.source.lower().endswith((".csv", ".tsv")):
            why = f"{found.source} is a table"
        hint = "pass JSON, JSON lines or YAML with questions"
        raise Incomplete(f"the question set has no usable question: {why}", hint)
    problems.extend([*found.problems, *verify_lock(found)])
    return found.questions


def _questions_in(
    paths: Sequence[str | Path], values: Sequence[sources.Values], mapping: Mapping[str, str]
) -> Sequence[Question]:
    """What a log asks, in place of a question set."""
    if "-" in map(str, paths):
        message = "without a question set a log is read twice, and stdin can be read only once"
        raise UsageError(message, "write it to a file")
    asked, ids = Asked(), dict[str, Question]()  # what is known by its id alone
    rows = (row for block in chain(values, sources.blocks_from(paths)) for row in rows_in(block))
    for trace in (logged.found for logged in traces_in(rows, mapping)):
        if isinstance(trace, Problem):
            continue
        if trace.question is not None:
            name = trace.question_id or id_of_text(trace.question)
            asked.answered(Item(Question(name, trace.question, "answer"), trace))
        elif trace.question_id is not None:
            ids.setdefault(trace.question_id, Question(trace.question_id, "", "answer"))
    with_text = {question.id: question for question in asked.questions.values()}
    return list((ids | with_text).values())


def _score_part(scorer: BlockScorer, part: Part) -> list[BlockResult]:
    return [scorer(block) for block in blocks_in(part)]


def _read_all(
    scorer: BlockScorer, results: Iterable[BlockResult], attempts: Attempts, problems: ProblemLog,
    progress: Progress | None, total: int | None,
) -> Accounting:  # fmt: skip
    """What was found in every block, in order; spans wait until all of them are there."""
    spans: list[Span] = []
    rows, size, found = 0, 0, ProblemLog()
    for result in results:
        attempts.add(result)
        found.merge(result.problems)
        spans += result.spans
        rows, size = rows + result.rows, size + result.size
        scorer.found_fields |= result.found_fields
        scorer.remarks |= result.remarks
        scorer.lacking.update(result.lacking)
        if progress:
            progress(rows, size / total if total else None)
    if spans:
        joined = scorer.score_traces(list(traces_of(spans).values()), SPANS)
        attempts.add(joined)
        found.merge(joined.problems)
        rows += joined.rows
        scorer.lacking.update(joined.lacking)
    left_out = {kind: times for kind, times in found.counts.items() if kind not in FILE_PROBLEMS}
    problems.merge(found)
    problems.merge(attempts.problems)
    if attempts.duplicates:
        left_out["several_traces"] = attempts.duplicates
    scored = attempts.traces - attempts.set_aside - attempts.duplicates
    return Accounting(rows, scored, attempts.set_aside, len(spans), left_out)
