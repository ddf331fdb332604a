"""Is a pipeline ready? Its sentinels tell: questions of known answer, all of which it must pass."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from surefoot.core.errors import WORST_FIRST, ExitCode, UsageError
from surefoot.core.result import READER, Person, Result
from surefoot.core.types import Item, Pipeline, Question, Trace, counted, in_plain_words
from surefoot.graders.grader import Graded, Reader
from surefoot.jobs.grade import DEFAULT, open_grader
from surefoot.jobs.run import Source, asking_of, closing, load_corpus, load_pipeline, load_questions, name_of
from surefoot.jobs.settings import Given, settings_from
from surefoot.pipelines.asker import CANNOT_FORCE_NULL, ask_all, askable
from surefoot.pipelines.specs import PROMPTS, Asking

_OF_EACH = 3  # sentinels with an answer and without, where nobody has marked any


class Finding(Struct, frozen=True):
    """What one sentinel brought to light."""

    question_id: str
    question: str
    expects: str
    retrieval: str
    ok: bool
    reason: str
    answer: str | None
    failed: bool = False  # the pipeline raised an error


class Diagnosis(Result, frozen=True):
    """Whether a pipeline is ready, and why not."""

    framed = "findings"

    ready: bool
    pipeline: str
    questions: str
    findings: list[Finding]
    limits: list[str]  # which questions cannot be asked, ready or not

    @property
    def exit_code(self) -> ExitCode:
        codes = (ExitCode.INCOMPLETE if one.failed else ExitCode.BLOCKED for one in self.findings if not one.ok)
        return min(codes, key=WORST_FIRST.index, default=ExitCode.OK)


def doctor(
    pipeline: Source, *, questions: str | Path | None = None, corpus: str | Path | None = None,
    request_template: str | Path | None = None, prompt: str = PROMPTS[0], mapping: Mapping[str, str] | None = None,
    settings: Given = None, grader: str | Reader = DEFAULT, person: Person = READER,
) -> Diagnosis:  # fmt: skip
    """Ask a pipeline its sentinels, a second time where it fails, and compare the answers with gold.

    Sentinels are the questions with `"sentinel": true`; where there are none, three answerable and three unanswerable
    ones. The pipeline must pass them all, and return the passages it found.
    """
    given = settings_from(settings, map=mapping)
    how = asking_of(given, request_template=request_template, prompt=prompt)
    asked, reader = load_questions(questions, person.tell), open_grader(grader, given)
    loaded = load_pipeline(pipeline, load_corpus(corpus, questions, person.tell), how, person.tell)
    with closing(loaded):
        can_be_asked = askable(loaded, asked)
        sentinels = [question for question in asked if question.metadata.get("sentinel")] or choose(can_be_asked)
        found = _examined(loaded, sentinels, how, reader)
        found |= _examined(loaded, [question for question in sentinels if not found[question.id].ok], how, reader)
    named = f"{questions or 'the bundled demo set'} ({counted(len(asked), 'question')})"
    lost = f"{len(asked) - len(can_be_asked)} of {len(asked)} questions cannot be asked: {CANNOT_FORCE_NULL}"
    findings, limits = [*found.values()], [lost] if can_be_asked != asked else []
    return Diagnosis(all(one.ok for one in findings), name_of(pipeline), named, findings, limits)


def choose(questions: Sequence[Question]) -> list[Question]:
    """Up to three with an answer, those with gold first, and three without, one of them with nothing retrieved."""
    answerable = [question for question in questions if question.answerable]
    others = sorted((one for one in questions if not one.answerable), key=lambda one: one.retrieval == "null")
    if not answerable or not others:
        missing = "unanswerable" if answerable else "answerable"
        hint = 'the doctor needs one of each, or questions marked with "sentinel": true'
        raise UsageError(f"the question set has no {missing} question", hint)
    answerable.sort(key=lambda one: (not one.gold_ids, not one.gold_claims, one.probes not in ("", "plain")))
    others.insert(1, others.pop())  # the last is one with nothing retrieved, if there is any
    return [*answerable[:_OF_EACH], *others[:_OF_EACH]]


def _examined(pipeline: Pipeline, questions: Sequence[Question], how: Asking, grader: Reader) -> dict[str, Finding]:
    """What comes of asking each question once."""
    traces = {question.id: Trace(question.id, error=CANNOT_FORCE_NULL) for question in questions}
    with contextlib.redirect_stdout(sys.stderr):
        ask_all(pipeline, askable(pipeline, questions), timeout=how.timeout,
                on_trace=lambda trace: traces.update({str(trace.question_id): trace}))  # fmt: skip
    found = {}
    for read in grader.read([Item(question, traces[question.id]) for question in questions]):
        one, trace = read.item.question, read.item.trace
        reason, ok = _judged(read)
        answer, failed = (trace.answer, False) if trace.error is None else (None, True)
        found[one.id] = Finding(one.id, one.text, one.expects, one.retrieval, ok, reason, answer, failed)
    return found


def _judged(read: Graded) -> tuple[str, bool]:
    """A remark on an answer, and whether the answer is as it should be."""
    question, trace, found = read.item.question, read.item.trace, read.findings
    if trace.error is not None:
        return f"the pipeline failed: {trace.error}", False
    if read.bucket is None and (question.answerable or read.reason == "empty"):
        return found.detail or in_plain_words(read.reason), False
    if not question.answerable:
        kept = "nothing was to be retrieved" if question.retrieval == "null" else "the documents do not say it"
        return ("refused, as it should", True) if read.bucket == "refused" else (f"answered although {kept}", False)
    if read.bucket == "refused":
        return "refused although the documents have the answer", False
    if found.gold == "conflicts" or read.bucket == "wrong":
        return f"wrong: {in_plain_words(read.reason)}", False
    if found.gold == "silent" or read.reason == "off_target":
        return f"does not say what was asked for: {'; '.join(question.gold_claims) or question.text}", False
    if not found.citations:
        return "answered without a citation", False
    if found.unknown:
        return f"cited {', '.join(found.unknown[:3])}, which was not retrieved", False
    if not question.gold_ids:
        return "answered with a citation; the question has no gold_ids to compare it with", True
    if {*question.gold_ids} & {*found.citations}:
        return "cited a passage that has the answer", True
    was = "was" if trace.retrieved and {*question.gold_ids} & {*trace.names} else "was not"
    return f"cited {', '.join(found.citations[:3])}, not {' or '.join(question.gold_ids)}, which {was} retrieved", False
