"""Is a pipeline ready? Its sentinels tell: questions of known answer, all of which it must pass."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from surefoot.errors import ExitCode, UsageError
from surefoot.graders.grader import Graded
from surefoot.pipelines.asker import CANNOT_FORCE_NULL, ask_all, askable
from surefoot.pipelines.specs import Asking
from surefoot.report.glossary import in_plain_words
from surefoot.report.words import counted
from surefoot.services.grade import DEFAULT
from surefoot.services.graders import Reader, open_grader
from surefoot.services.inputs import Source, closing, load_corpus, load_pipeline, load_questions, name_of
from surefoot.services.result import READER, Person, Result
from surefoot.types import Item, Pipeline, Question, Trace

_OF_EACH = 3  # sentinels with an answer and without, where nobody has marked any
_NO_PASSAGES = "so `surefoot grade` has nothing to read its answers against (`surefoot score` can do without)"


class Finding(Struct, frozen=True):
    """What one sentinel brought to light."""

    question_id: str
    question: str
    expects: str
    retrieval: str
    ok: bool
    reason: str
    answer: str | None
    failed: bool = False  # without an answer


class Diagnosis(Result):
    """Whether a pipeline is ready, and why not."""

    def __init__(
        self, pipeline: str, questions: str, findings: list[Finding], faults: list[str], limits: list[str]
    ) -> None:
        self.pipeline, self.questions, self.findings = pipeline, questions, findings
        self.faults = faults  # what is wrong with all answers alike
        self.limits = limits  # which questions cannot be asked, ready or not

    @property
    def ready(self) -> bool:
        return not self.faults and all(finding.ok for finding in self.findings)

    @property
    def exit_code(self) -> ExitCode:
        if self.faults or any(not finding.ok and not finding.failed for finding in self.findings):
            return ExitCode.BLOCKED
        return ExitCode.OK if self.ready else ExitCode.INCOMPLETE

    def to_json(self) -> dict[str, Any]:
        return {
            "ready": self.ready, "pipeline": self.pipeline, "questions": self.questions,
            "findings": list(self.table()), "faults": self.faults, "limits": self.limits,
        }  # fmt: skip

    def table(self) -> Sequence[Mapping[str, Any]]:
        return [msgspec.structs.asdict(finding) for finding in self.findings]


def doctor(
    pipeline: Source,
    *,
    questions: str | Path | None = None,
    corpus: str | Path | None = None,
    asking: Asking | None = None,
    grader: str | Reader = DEFAULT,
    person: Person = READER,
) -> Diagnosis:
    """Ask a pipeline its sentinels, a second time where it fails, and compare the answers with gold.

    Sentinels are the questions with `"sentinel": true`; where there are none, three answerable and three unanswerable
    ones. The pipeline must pass them all, and return the passages it found.
    """
    how, asked, reader = asking or Asking(), load_questions(questions, person.tell), open_grader(grader, None)
    loaded = load_pipeline(pipeline, load_corpus(corpus, questions, person.tell), how, person.tell)
    with closing(loaded):
        can_be_asked = askable(loaded, asked)
        sentinels = [question for question in asked if question.metadata.get("sentinel")] or choose(can_be_asked)
        found = _tried(loaded, sentinels, how, reader)
        again = [question for question in sentinels if not found[question.id][0].ok]
        found |= _tried(loaded, again, how, reader)
    named = f"{questions or 'the bundled demo set'} ({counted(len(asked), 'question')})"
    fault = _fault_of_passages([found[question.id][1] for question in sentinels if question.answerable])
    lost = f"{len(asked) - len(can_be_asked)} of {len(asked)} questions cannot be asked: {CANNOT_FORCE_NULL}"
    return Diagnosis(
        pipeline if isinstance(pipeline, str) else name_of(pipeline), named,
        [found[question.id][0] for question in sentinels],
        [fault] if fault else [], [lost] if len(can_be_asked) < len(asked) else [],
    )  # fmt: skip


def choose(questions: Sequence[Question]) -> list[Question]:
    """Up to three with an answer, those with gold first, and three without, one of them with nothing retrieved."""
    answerable = [question for question in questions if question.answerable]
    normal, null = (
        [question for question in questions if not question.answerable and question.retrieval == kind]
        for kind in ("normal", "null")
    )
    if not answerable or not normal + null:
        missing = "unanswerable" if answerable else "answerable"
        hint = 'the doctor needs one of each, or questions marked with "sentinel": true'
        raise UsageError(f"the question set has no {missing} question", hint)
    answerable.sort(key=lambda one: (not one.gold_ids, not one.gold_claims, one.probes not in ("", "plain")))
    return [*answerable[:_OF_EACH], *[*normal[:1], *null[:1], *normal[1:], *null[1:]][:_OF_EACH]]


def _tried(
    pipeline: Pipeline, questions: Sequence[Question], how: Asking, grader: Reader
) -> dict[str, tuple[Finding, Trace]]:
    """What comes of asking each question once."""
    traces = {question.id: Trace(question.id, error=CANNOT_FORCE_NULL) for question in questions}
    with contextlib.redirect_stdout(sys.stderr):
        ask_all(
            pipeline, askable(pipeline, questions), timeout=how.timeout,
            on_trace=lambda trace: traces.update({str(trace.question_id): trace}),
        )  # fmt: skip
    read = grader.read([Item(question, traces[question.id]) for question in questions])
    return {question.id: (_finding(one), one.item.trace) for question, one in zip(questions, read, strict=True)}


def _finding(read: Graded) -> Finding:
    question, trace = read.item.question, read.item.trace
    reason, ok = _judged(read)
    answer, failed = (trace.answer, False) if trace.error is None else (None, True)
    return Finding(question.id, question.text, question.expects, question.retrieval, ok, reason, answer, failed)


def _judged(read: Graded) -> tuple[str, bool]:
    """A remark on an answer, and whether the answer is as it should be."""
    question, trace, found = read.item.question, read.item.trace, read.findings
    if trace.error is not None:
        return f"the pipeline failed: {trace.error}", False
    if read.bucket is None and (question.answerable or read.reason == "empty"):
        return f"cannot be read: {in_plain_words(read.reason)}", False
    if not question.answerable:
        kept = "nothing was to be retrieved" if question.retrieval == "null" else "the documents do not say it"
        is_refused = read.bucket == "refused"
        return ("refused, as it should", True) if is_refused else (f"answered although {kept}", False)
    if read.bucket == "refused":
        return "refused although the documents have the answer", False
    if found.gold == "conflicts" or read.bucket == "wrong":
        return f"wrong: {in_plain_words(read.reason)}", False
    if found.gold == "silent" or read.reason == "off_target":
        return "does not say what was asked for" + (
            f": {question.gold_claims[0]}" if question.gold_claims else ""
        ), False
    return _cited(question, trace, found.citations or ())


def _cited(question: Question, trace: Trace, cited: Sequence[str]) -> tuple[str, bool]:
    if not cited:
        return "answered without a citation", False
    gold = set(question.gold_ids)
    if not gold:
        return "answered with a citation; the question has no gold_ids to compare it with", True
    if gold & set(cited):
        return "cited a passage that has the answer", True
    retrieved = None if trace.retrieved is None else trace.retrieved.ids
    found = "" if retrieved is None else f", which was {'' if gold & set(retrieved) else 'not '}retrieved"
    return f"cited {', '.join(cited[:3])}, not {' or '.join(question.gold_ids)}{found}", False


def _fault_of_passages(traces: Sequence[Trace]) -> str | None:
    """Grading reads answers against the passages found, so there must be some, and they must have texts."""
    logged = [trace.retrieved for trace in traces if trace.error is None]
    passages = [passage for retrieved in logged for passage in retrieved or ()]
    if not logged or any(passage.text.strip() for passage in passages):
        return None
    if passages:
        return f"the passages it returns have ids but no text, {_NO_PASSAGES}"
    if all(retrieved is None for retrieved in logged):
        return f"it does not return the passages it found (`retrieved`), {_NO_PASSAGES}"
    return "it found no passage for any of the answerable questions, or does not return it"
