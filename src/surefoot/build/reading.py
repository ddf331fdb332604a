"""A question set read against its corpus: is what it says of the documents true?

The local model reads, so each finding says how sure it is. `benchmarks/check.py` damages the demo's questions, counts
what is found of that, and what is found although nothing is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from threading import Lock

from msgspec.structs import replace

from surefoot.build.names import later_of
from surefoot.build.proof import ANSWERS, Proof
from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.result import READER, Person, Result, Seen
from surefoot.core.types import Passage, Problem, Question, document_in
from surefoot.corpus.corpus import load_corpus
from surefoot.corpus.passages import Row
from surefoot.datasets.hygiene import ERRORS, SURE, Finding, findings_of, problem_of
from surefoot.datasets.protocol import USUAL, mix_of
from surefoot.datasets.question_file import QuestionFile
from surefoot.datasets.review import decided
from surefoot.io.questions import REJECTED, content_hash, load, lock_path, made_of, read_lock, review_of
from surefoot.pipelines.retriever import Retriever
from surefoot.text.normal import id_of_text, normalise, numbers, proper_names, sentences, vocabulary
from surefoot.text.numbers import quantities

_NEAREST = 5  # passages that are looked through for one that supports a claim
# The probabilities at which a finding is as likely right as wrong.
_SUPPORTED, _CONTRADICTED, _ANSWERS_IT, _ANSWERED = 0.28, 0.5, 0.075, 0.45
_LEAST_SURE = 0.25
_OTHER_DOCUMENT = 0.8  # how sure it is that a name is not the document's, if only other documents have it
_ALIKE = 0.5
_CHANGED = 0.8  # how sure it is that a later sentence about the same has another figure
_DIGITS = re.compile(r"\S*\d\S*")
_QUOTE = 160
_CAPITALISED = re.compile(r"[A-Z][\w.&'’-]*\w")
_NAME = re.compile(
    rf"(?<=\w)(?:,? (?:between|with|of|dated|from|by|and))?(?: (?:the )?{_CAPITALISED.pattern})+"
    r"(?:,? (?:\d{1,2}, )?\d{4})?"
)
_RIVALS = 3  # later passages that are read
# Two passages answer the first, and none the others, however they read.
_NOT_READ = frozenset({"ambiguous", "judgement", "no_record", "adjacent_entity", "wrong_date"})
_OF_MANY = frozenset({"point_in_time", "conflict", "comparison"})  # what held before, or in two documents, is asked

_NEIGHBOURS = 4
# Fitted to 30 questions of the demo in other words, and to the pairs of the demo that ask different things.
# The share of words that both have, rare ones counting for more, from which on they are one question rather than two.
_SAME_WORDS = 0.38
_SAME_GOLD = 0.1  # so much less is enough where both lead to one passage
_MOST = 0.95


class Reader:
    """Reads one question after the other; passages without a text are not read."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages: Mapping[str, Passage] = {one.id: one for one in passages if one.text.strip()}
        self._proof = Proof(list(self._passages.values()))
        self._told: set[tuple[str, str]] = set()  # the documents that could not be read, and why

    def nearest(self, text: str, limit: int) -> list[Passage]:
        return self._proof.nearest(text, limit)

    def proves(self, question: Question) -> bool:
        return all(one.confidence < SURE for one in self.findings(question))

    def findings(self, question: Question) -> Iterator[Finding]:
        gold = [self._passages[one] for one in question.gold_ids if one in self._passages]
        if question.answerable and gold:
            yield from self._claims(question, gold)
            if question.probes not in _OF_MANY:
                if not any(_is_said(claim, one.text) for claim in self._alike(question) for one in gold):
                    yield from self._gold(question, gold)
                if question.probes != "false_premise":  # which names what holds elsewhere
                    yield from self._document(question, gold)
                yield from self._superseded(question, gold)
        elif not question.answerable and question.retrieval == "normal" and question.probes not in _NOT_READ:
            yield from self._unanswerable(question)

    def _alike(self, question: Question) -> list[str]:
        """The gold claims that have most of the question's words: a passage that says one of these answers it."""
        words = vocabulary(question.text)
        return [claim for claim in question.gold_claims if len(words & vocabulary(claim)) >= _ALIKE * len(words)]

    def _document(self, question: Question, gold: Sequence[Passage]) -> Iterator[Finding]:
        if not any(self._proof.is_about(question.text, one) for one in gold):
            what = f"it names what only other documents speak of, and its gold id is of {gold[0].doc!r}"
            yield _finding(question, "other_document", what, _OTHER_DOCUMENT)

    def _claims(self, question: Question, gold: Sequence[Passage]) -> Iterator[Finding]:
        for claim in question.gold_claims:
            if any(_is_said(claim, one.text) for one in gold):
                continue
            found = self._proof.read(claim, [*gold, *_joined(gold)], question.text)
            read = [one.probabilities for one in found if one.probabilities]
            if not read:
                yield from self._not_read(question, gold[0], found[0].reason)
                continue
            sure = _too_low(max(one[0] for one in read), _SUPPORTED)
            if sure >= 0.5:
                is_denied = max(one[1] for one in read) >= _CONTRADICTED
                what = f"its gold passages {'contradict' if is_denied else 'do not support'} its gold claim {claim!r}"
                kind = "gold_contradicted" if is_denied else "gold_unsupported"
                yield _finding(question, kind, what + self._elsewhere(claim, question, gold), sure)

    def _elsewhere(self, claim: str, question: Question, gold: Sequence[Passage]) -> str:
        near = [one for one in self._proof.nearest(claim, _NEAREST) if one not in gold]
        read = zip(near, self._proof.read(claim, near, question.text), strict=True)
        found = [(judged.confidence, one, judged.quote) for one, judged in read if judged.label == "supported"]
        _, best, quote = max(found, key=lambda one: one[0], default=(0.0, None, ""))
        return f"; {best.id!r} supports it: {_short(quote)}" if best else ""

    def _gold(self, question: Question, gold: Sequence[Passage]) -> Iterator[Finding]:
        """As it is asked, and without the names that its passages lack: a document seldom says its own."""
        said = [Passage(gold[0].id, claim, gold[0].doc) for claim in question.gold_claims]
        read = [*gold, *_joined(gold), *said]
        known = {word for one in read for word in _CAPITALISED.findall(one.text)}
        bare = _NAME.sub(lambda one: one[0] if known & {*_CAPITALISED.findall(one[0])} else "", question.text)
        found = [self._proof.answering(asked, read)[0] for asked in dict.fromkeys((question.text, bare))]
        best = max(found, key=lambda one: one.probability or 0)
        if best.probability is None:
            yield from self._not_read(question, best.passage, best.reason)
        elif (sure := _too_low(best.probability, _ANSWERS_IT)) >= _LEAST_SURE:
            what = f"neither its gold passages nor its gold claims seem to answer it: {_short(best.quote)}"
            yield _finding(question, "gold_not_answering", what, sure)

    @cached_property
    def _later(self) -> dict[str, dict[str, bool]]:
        rows: dict[str, list[Row]] = {}
        for one in self._passages.values():
            rows.setdefault(document_in(one.id), []).append(Row(one.id, one.text, one.doc, file=document_in(one.id)))
        return later_of(rows) if "" not in rows else {}

    def _superseded(self, question: Question, gold: Sequence[Passage]) -> Iterator[Finding]:
        """What a document that amends or replaces its own says against the gold claims."""
        later = {one for passage in gold for one in self._later.get(document_in(passage.id), ())}
        bare = _NAME.sub("", question.text)
        near = [one for one in self._proof.nearest(bare) if document_in(one.id) in later][:_RIVALS] if later else []
        found = {one.passage.id for one in self._proof.answering(bare, near) if (one.probability or 0) >= SURE}
        for claim in question.gold_claims if near else ():
            for one, judged in zip(near, self._proof.read(claim, near), strict=True):
                changed = next((said for said in sentences(one.text) if _is_changed(claim, said)), "")
                sure = judged.probabilities[1] if judged.probabilities and one.id in found else 0.0
                if changed or sure >= _CONTRADICTED:
                    what = f"{one.id!r}, which is later, answers it otherwise: {_short(changed or judged.quote)}"
                    yield _finding(question, "superseded_gold", what, _CHANGED if changed else sure)
                    return

    def _unanswerable(self, question: Question) -> Iterator[Finding]:
        of = {document_in(one) for one in listed(question)} - {""}  # a question that was built names one of these
        found = self._proof.answered(question.text, of)
        if not (found or of):
            read = self._proof.answering(_NAME.sub("", question.text), self._proof.candidates(question.text))
            found = [one for one in read if one.probability is None or one.probability >= ANSWERS]
        for best in found[:1]:
            if best.probability is None:
                yield from self._not_read(question, best.passage, best.reason)
            else:
                best = self._proof.looked_at(question.text, best)
                what = f"it is unanswerable, but {best.passage.id!r} seems to answer it: {_short(best.quote)}"
                yield _finding(question, "answered", what, 1 - _too_low(best.probability or 0.0, _ANSWERED))

    def _not_read(self, question: Question, passage: Passage, reason: str) -> Iterator[Finding]:
        """Once for a document, however many questions come upon it."""
        document = document_in(passage.id) or passage.doc or passage.id
        if (document, reason) not in self._told:
            self._told.add((document, reason))
            what = f"{document!r} was not read for it, nor for others: {reason}"
            yield _finding(question, "not_read", what)


def _too_low(probability: float, even: float) -> float:
    """How sure it is that a probability is too low to be one of a sound question."""
    return even / (even + probability)


def _joined(gold: Sequence[Passage]) -> list[Passage]:
    """What is asked may stand in several passages, a part in each."""
    return [Passage(gold[0].id, "\n\n".join(one.text for one in gold), gold[0].doc)] if len(gold) > 1 else []


def _is_changed(claim: str, said: str) -> bool:
    """Whether a later sentence has another figure for what the claim says."""
    words, figures = vocabulary(_DIGITS.sub("", claim)), quantities(claim)
    kinds = {one.kind for one in figures}
    others = [one for one in quantities(said) if one.kind in kinds]
    is_alike = 2 * len(words & vocabulary(said)) >= len(words)
    return is_alike and bool(others) and not any(one.agrees(figure) for one in others for figure in figures)


def _is_said(claim: str, text: str) -> bool:
    """In these words, or in a row of a table under its headings."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [part.strip(" .") for part in claim.split(": ", 1)]
    in_row = len(cells) > 1 and any(
        row.startswith(f"| {cells[0]} |") and vocabulary(cells[1]) <= vocabulary(f"{rows[0]} {row}") for row in rows
    )
    return in_row or normalise(claim) in normalise(text)


def _finding(question: Question, kind: str, what: str, sure: float = 1.0) -> Finding:
    return Finding(question.id, kind, f"question {question.id!r}: {what}", round(sure, 4))


def _short(text: str) -> str:
    return text if len(text) <= _QUOTE else f"{text[: _QUOTE - 1]}…"


def duplicates_of(questions: Sequence[Question]) -> Iterator[Finding]:
    """Each pair once, the later question of it named."""
    retriever = Retriever(Passage(question.id, question.text) for question in questions)
    place = {question.id: number for number, question in enumerate(questions)}
    for question in questions:
        for near, _ in retriever.search(question.text, _NEIGHBOURS):
            earlier = questions[place[near.id]]
            if place[earlier.id] < place[question.id] and (sure := _sure(earlier, question, retriever)) >= 0.5:
                message = f"question {question.id!r} seems to ask the same as {earlier.id!r}: {earlier.text}"
                yield Finding(question.id, "duplicate", message, sure)


def _sure(one: Question, other: Question, retriever: Retriever) -> float:
    """How sure it is that both ask the same; 0.5 where their words are as alike as `_SAME_WORDS` says."""
    is_other = one.expects != other.expects or _differ(one.text, other.text) or _are_apart(one, other)
    if is_other or normalise(one.text) == normalise(other.text):
        return 0.0  # the first is told without any reading
    words, others = (_asked(question.text, retriever) for question in (one, other))
    shared, every = (sum(map(retriever.weight, found)) for found in (words & others, words | others))
    alike = shared / every if every else 0.0
    bonus = _SAME_GOLD if set(one.gold_ids) & set(other.gold_ids) else 0.0
    return round(min(_MOST, 0.5 + alike + bonus - _SAME_WORDS), 4)


def _are_apart(one: Question, other: Question) -> bool:
    """Asked of other documents, or built of other facts or to probe other things."""
    places = [{document_in(id_) for id_ in (*each.gold_ids, *listed(each))} for each in (one, other)]
    are_built = all(made_of(each).get("by") == "templates" for each in (one, other))
    are_built &= one.probes != other.probes or one.gold_claims != other.gold_claims or not one.gold_claims
    return are_built or ("" not in places[0] | places[1] and all(places) and places[0].isdisjoint(places[1]))


def listed(question: Question) -> list[str]:
    """The passages that it was built on."""
    evidence = made_of(question).get("evidence")
    return [one for one in evidence if isinstance(one, str)] if isinstance(evidence, list) else []


def _asked(text: str, retriever: Retriever) -> set[str]:
    """Its words but for names: they say whom a question is about, not what it asks."""
    return set(retriever.terms(text)) - set(retriever.terms(" ".join(proper_names(text))))


def _differ(one: str, other: str) -> bool:
    """Each has a number, or each a name, that the other lacks: two years, two parties."""
    pairs = ((set(find(one)), set(find(other))) for find in (numbers, proper_names))
    return any(left - right and right - left for left, right in pairs)


class Checked(Result, frozen=True):
    """`findings` are all errors and warnings with the question's id, and those that are less than 50 % sure too."""

    ok: bool
    questions: int
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if not self.questions else ExitCode.OK if self.ok else ExitCode.BLOCKED


def check_questions(
    file: str | Path,
    *,
    corpus: str | Path | None = None,
    prompt: str | Path | None = None,
    strict: bool = False,
    person: Person = READER,
) -> Checked:
    """Find what is wrong with a question set: duplicates, leaks, one-sidedness, changes under an id.

    With `corpus` the set is read against it: gold passages that lack or contradict the gold claim, unanswerable
    questions that a passage answers. `strict` accepts no finding that is at least 50 % sure; else only errors count.
    """
    found = load(file)
    warned: list[str] = []
    passages = None if corpus is None else load_corpus(corpus, with_texts=False, tell=warned.append)
    words = "" if prompt is None else Path(prompt).read_text("utf-8", "replace")
    findings = [*findings_of(found, passages, words), *mix_of(found.questions), *duplicates_of(found.questions)]
    if passages and not any(passage.text.strip() for passage in passages):
        findings.append(Finding(None, "not_read", "was not read against the corpus, which has ids and no texts"))
    elif passages:
        reader = Reader(passages)
        with closing(person.watch(len(found.questions), "questions read")) as watch:
            for question in found.questions:
                findings += reader.findings(question)
                watch.count(Seen())
    problems = [*found.problems, *(problem_of(one, found) for one in findings if one.confidence >= SURE)]
    problems += [Problem("corpus", warning.removeprefix("warning: ")) for warning in warned]
    errors = tuple(problem for problem in problems if problem.kind in ERRORS)
    warnings = tuple(problem for problem in problems if problem.kind not in ERRORS)
    findings = [*(Finding(None, one.kind, str(one)) for one in found.problems), *findings]
    ok = not errors and not (strict and any(one.confidence >= SURE and one.kind != "note" for one in findings))
    return Checked(ok, len(found.questions), errors, warnings, tuple(findings))


class Author:
    """Writes questions over one corpus into one file, for people who write or change them."""

    def __init__(self, file: QuestionFile, passages: Sequence[Passage]) -> None:
        self._file, self._reader = file, Reader(passages)
        self._reading = Lock()  # the model reads for one person at a time

    def nearest(self, text: str, limit: int) -> list[Passage]:
        return self._reader.nearest(text, limit)

    def against(self, question: Question) -> tuple[Finding, ...]:
        """What the documents, and the questions that are there already, say against a question."""
        others = [one for one in self._file.questions() if review_of(one) != REJECTED and one.id != question.id]
        again = (one for one in duplicates_of([*others, question]) if one.qid == question.id)
        with self._reading:
            return (*self._reader.findings(question), *again)

    def check_edit(self, question: Question, edit: Question) -> None:
        after, path = content_hash(edit), lock_path(self._file.path)
        if path.is_file() and read_lock(path).get(question.id, after) != after:
            hint = f"reject it, or make a new version of the set: surefoot questions clone {self._file.path} NEW"
            raise UsageError(f"{question.id} is locked, so its words may not change", hint)

    def new(self, given: Question) -> Question:
        """A question of somebody's own, with an id, and of the usual kind."""
        kind = USUAL[given.expects]
        return replace(
            given, id=id_of_text(given.text), stratum=kind.stratum, probes=kind.probes, retrieval=kind.retrieval
        )

    def add(self, question: Question, findings: Sequence[Finding], by: str) -> str:
        """Add the question, with whatever was found, and return its id."""

        def check(there: Sequence[Question]) -> None:
            kept = (one for one in there if review_of(one) != REJECTED)
            if same := next((one for one in kept if normalise(one.text) == normalise(question.text)), None):
                raise UsageError(f"question {same.id!r} asks the same", "ask something else, or edit that one")

        made: dict[str, object] = {"kind": "written", "by": by}
        if findings:
            made["findings"] = [{"kind": one.kind, "confidence": one.confidence} for one in findings]
        return self._file.add(decided(replace(question, metadata={"made": made}), "accepted", by), check).id
