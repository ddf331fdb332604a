"""Is a pipeline ready for a run? A few questions tell: what they should bring, and what it does with them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.errors import ExitCode, UsageError
from surefoot.pipelines.asker import CANNOT_FORCE_NULL, ask_all, askable
from surefoot.pipelines.specs import Asking
from surefoot.report.words import counted
from surefoot.services.inputs import Source, closing, load_corpus, load_pipeline, load_questions, name_of
from surefoot.services.result import READER, Person, Result
from surefoot.text import citations, refusals
from surefoot.types import Question, Trace

# A sound pipeline may miss one question; one that misses three has a loose wire.
_TRIES = 3
_NO_PASSAGES = "so `surefoot grade` has nothing to read its answers against (`surefoot score` can do without)"


class Finding(Struct, frozen=True):
    """What one question brought to light."""

    question_id: str
    question: str
    expects: str
    retrieval: str
    ok: bool
    reason: str
    answer: str | None
    failed: bool = False
    blocks: bool = False  # it alone keeps the pipeline from being ready


class Diagnosis(Result):
    """Whether a pipeline is ready, and why not."""

    def __init__(
        self, pipeline: str, questions: str, findings: list[Finding], faults: list[str], limits: list[str]
    ) -> None:
        self.pipeline, self.questions, self.findings = pipeline, questions, findings
        self.faults = faults  # what is wrong with all answers alike
        self.limits = limits  # which questions cannot be run, ready or not

    @property
    def ready(self) -> bool:
        return not self.faults and not any(finding.blocks for finding in self.findings)

    @property
    def exit_code(self) -> ExitCode:
        if any(finding.failed for finding in self.findings):
            return ExitCode.INCOMPLETE
        return ExitCode.OK if self.ready else ExitCode.BLOCKED

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
    person: Person = READER,
) -> Diagnosis:
    """Ask a pipeline a few questions, and compare with gold.

    It must answer one of up to three answerable questions from its source, refuse an unanswerable one, refuse when it
    is told to retrieve nothing, and return the passages it found.
    """
    how, asked = asking or Asking(), load_questions(questions, person.tell)
    probes = choose(asked)
    name = pipeline if isinstance(pipeline, str) else name_of(pipeline)
    if name.startswith("traces:"):  # a log has no answer to what the doctor makes up
        probes = [probe for probe in probes if any(question.id == probe.id for question in asked)]
    loaded = load_pipeline(pipeline, load_corpus(corpus, questions, person.tell), how, person.tell)
    cannot = [] if askable(loaded, probes) == probes else [CANNOT_FORCE_NULL]
    probes = askable(loaded, probes)
    traces: dict[str, Trace] = {}
    with closing(loaded), contextlib.redirect_stdout(sys.stderr):
        ask_all(loaded, probes, timeout=how.timeout, on_trace=lambda t: traces.update({str(t.question_id): t}))
    probed = [(probe, traces[probe.id]) for probe in probes]
    named = f"{questions or 'the bundled demo set'} ({counted(len(asked), 'question')})"
    fault = _fault_of_passages([trace for question, trace in probed if question.answerable])
    cannot += [trace.error for probe, trace in probed if probe.retrieval == "null" and trace.error]
    limits = [_limit(asked, why) for why in cannot]
    return Diagnosis(name, named, _findings(probed), [fault] if fault else [], limits)


def choose(questions: Sequence[Question]) -> list[Question]:
    """Up to three with an answer, those with gold ids first; one without; and one for which nothing is retrieved."""
    normal = [question for question in questions if question.retrieval == "normal"]
    answerable = [question for question in normal if question.answerable]
    unanswerable = [question for question in normal if not question.answerable]
    if not answerable or not unanswerable:
        missing = "unanswerable" if answerable else "answerable"
        raise UsageError(f"the question set has no {missing} question", "the doctor needs one of each")
    answerable.sort(key=lambda question: (not question.gold_ids, question.probes not in ("", "plain")))
    made = replace(answerable[0], id=f"{answerable[0].id}, nothing retrieved", retrieval="null")
    nothing = next((question for question in questions if question.retrieval == "null"), made)
    return [*answerable[:_TRIES], unanswerable[0], replace(nothing, expects="refusal")]


def _findings(probed: Sequence[tuple[Question, Trace]]) -> list[Finding]:
    found = []
    for question, trace in probed:
        reason, ok = _judged(question, trace)
        failed = trace.error is not None and question.retrieval == "normal"
        answer = trace.answer if trace.error is None else None
        found.append(
            Finding(question.id, question.text, question.expects, question.retrieval, ok, reason, answer, failed)
        )
    enough = any(finding.ok for finding in found if finding.expects == "answer")
    return [replace(finding, blocks=_blocks(finding, enough)) for finding in found]


def _blocks(finding: Finding, enough: bool) -> bool:
    if finding.ok or finding.failed:
        return finding.failed
    if finding.expects == "answer":
        return not enough
    return finding.answer is not None  # an error where nothing is retrieved limits the run and does not stop it


def _judged(question: Question, trace: Trace) -> tuple[str, bool]:
    """A remark on an answer, and whether the answer is as it should be."""
    if trace.error is not None:
        return (trace.error if question.retrieval == "null" else f"the pipeline failed: {trace.error}"), False
    refused = refusals.detect(trace.answer or "").value == "refused"
    if not question.answerable:
        kept = "nothing was to be retrieved" if question.retrieval == "null" else "the documents do not say it"
        return ("refused, as it should", True) if refused else (f"answered although {kept}", False)
    if refused:
        return "refused although the documents have the answer", False
    return _cited(question, trace)


def _cited(question: Question, trace: Trace) -> tuple[str, bool]:
    retrieved, texts = None if trace.retrieved is None else trace.retrieved.ids, trace.retrieved or ()
    cited = citations.parse(trace.answer or "", trace.names, question.gold_ids, texts) or ()
    if trace.citations is not None:
        cited = (*cited, *citations.resolve(trace.citations, trace.names, question.gold_ids, texts))
    if not cited:
        return "answered without a citation", False
    gold = set(question.gold_ids)
    if not gold:
        return "answered with a citation; the question has no gold_ids to compare it with", True
    if gold & set(cited):
        return "cited a passage that has the answer", True
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


def _limit(asked: Sequence[Question], why: str) -> str:
    """Which questions the run will not have an answer to, and why."""
    cannot = sum(question.retrieval == "null" for question in asked)
    return f"retrieval-null questions ({cannot} of this set) cannot be run: {why}"
