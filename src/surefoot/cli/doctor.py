"""surefoot doctor"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from surefoot.cli.options import SECONDS
from surefoot.cli.output import say
from surefoot.cli.score import read_mapping
from surefoot.errors import ExitCode, UsageError
from surefoot.pipelines.asker import ask_all
from surefoot.report.words import counted, plain
from surefoot.services.inputs import Asking, closing, load_corpus, load_pipeline, load_questions
from surefoot.text import citations, refusals
from surefoot.types import Question, Trace

# A sound pipeline may miss one question; one that misses three has a loose wire.
_TRIES = 3
_DEMO_SET = "the bundled demo set"
_NO_PASSAGES = "so `surefoot grade` has nothing to read its answers against (`surefoot score` can do without)"


class Finding(msgspec.Struct, frozen=True):
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


class Diagnosis(msgspec.Struct, frozen=True):
    ready: bool
    pipeline: str
    questions: str
    findings: list[Finding]
    faults: list[str]  # what is wrong with all answers alike
    limits: list[str]  # which questions cannot be run, ready or not


@click.command(epilog="Example: surefoot doctor --pipeline reference")
@click.option("--pipeline", "-p", "spec", required=True, metavar="P", help="As for `surefoot run`.")
@click.option("--questions", "-q", metavar="FILE", help="Question set. [default: the bundled demo set]")
@click.option("--corpus", metavar="PATH", help="Passages to search: JSON, Parquet, or a folder of texts.")
@click.option("--timeout", type=SECONDS, default=60.0, show_default=True, help="Seconds per question.")
@click.option("--request-template", metavar="FILE", help="JSON to POST, with {question}, {id}, {retrieval} in it.")
@click.option("--prompt", metavar="NAME|FILE", default="answer_with_licence", show_default=True, help="For chat:.")
@click.option("--map", "mapping", multiple=True, metavar="FIELD=PATH", help="Where a field lies in the replies.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor(spec: str, questions: str | None, corpus: str | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401
    """Is a pipeline ready for a run? Ask it a few questions, and compare with gold.

    It must answer one of up to three answerable questions from its source, refuse an unanswerable one, refuse when it
    is told to retrieve nothing, and return the passages it found.

    Exits 0 when ready, 1 when an answer is not what it should be, 4 when the pipeline fails.
    """
    asked = load_questions(questions, say)
    probes = choose(asked)
    if spec.startswith("traces:"):  # a log has no answer to what the doctor makes up
        probes = [probe for probe in probes if any(question.id == probe.id for question in asked)]
    asking = Asking(mapping=read_mapping(options.pop("mapping")), **options)
    pipeline = load_pipeline(spec, load_corpus(corpus, questions), asking, say)
    traces: dict[str, Trace] = {}
    with closing(pipeline), contextlib.redirect_stdout(sys.stderr):
        ask_all(
            pipeline, probes, timeout=asking.timeout, on_trace=lambda t: traces.update({str(t.question_id): t}),
        )  # fmt: skip
    named = f"{questions or _DEMO_SET} ({counted(len(asked), 'question')})"
    diagnosis = diagnose(spec, named, asked, [(probe, traces[probe.id]) for probe in probes])
    if as_json:
        click.echo(msgspec.json.encode(diagnosis).decode())
    else:
        _show(diagnosis, on_demo_set=questions is None)
    if any(finding.failed for finding in diagnosis.findings):
        return ExitCode.INCOMPLETE
    return ExitCode.OK if diagnosis.ready else ExitCode.BLOCKED


def choose(questions: Sequence[Question]) -> list[Question]:
    """Up to three with an answer, plain ones first; one without; and one for which nothing is to be retrieved."""
    normal = [question for question in questions if question.retrieval == "normal"]
    answerable = [question for question in normal if question.answerable and question.gold_ids]
    unanswerable = [question for question in normal if not question.answerable]
    if not answerable or not unanswerable:
        missing = "answerable question with gold_ids" if not answerable else "unanswerable question"
        raise UsageError(f"the question set has no {missing}", "the doctor needs one of each")
    answerable.sort(key=lambda question: question.probes not in ("", "plain"))
    made = replace(answerable[0], id=f"{answerable[0].id}, nothing retrieved", retrieval="null")
    nothing = next((question for question in questions if question.retrieval == "null"), made)
    return [*answerable[:_TRIES], unanswerable[0], replace(nothing, expects="refusal")]


def diagnose(spec: str, named: str, asked: Sequence[Question], probed: Sequence[tuple[Question, Trace]]) -> Diagnosis:
    """What the answers to the probes say about the pipeline."""
    found = [_examined(question, trace) for question, trace in probed]
    enough = any(finding.ok for finding in found if finding.expects == "answer")
    found = [replace(finding, blocks=_blocks(finding, enough)) for finding in found]
    fault = _fault_of_passages([trace for question, trace in probed if question.answerable])
    limits = [_limit(asked, trace.error) for question, trace in probed if question.retrieval == "null" and trace.error]
    ready = fault is None and not any(finding.blocks for finding in found)
    return Diagnosis(ready, spec, named, found, [fault] if fault else [], limits)


def _blocks(finding: Finding, enough: bool) -> bool:
    if finding.ok or finding.failed:
        return finding.failed
    if finding.expects == "answer":
        return not enough
    return finding.answer is not None  # without one it was not asked, which limits the run and does not stop it


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


def _limit(asked: Sequence[Question], error: str) -> str:
    """Which questions the run will not have an answer to, and why."""
    cannot = [question for question in asked if question.retrieval == "null"]
    strata = " and ".join(sorted({question.stratum for question in cannot} - {""}))
    which = f"of the stratum {strata}" if strata else 'with "retrieval": "null"'
    count = counted(len(cannot), "question") if cannot else "questions"
    none = "" if cannot else " (this set has none)"
    return f"{count} {which} cannot be run{none}: {error.removeprefix('not run: ')}"


def _examined(question: Question, trace: Trace) -> Finding:
    reason, ok = _judged(question, trace)
    failed = trace.error is not None and question.retrieval == "normal"
    answer = trace.answer if trace.error is None else None
    return Finding(question.id, question.text, question.expects, question.retrieval, ok, reason, answer, failed)


def _judged(question: Question, trace: Trace) -> tuple[str, bool]:
    if trace.error is not None:
        return (trace.error if question.retrieval == "null" else f"the pipeline failed: {trace.error}"), False
    answer = trace.answer or ""
    refused = refusals.detect(answer).value == "refused"
    if not question.answerable:
        kept = "nothing was to be retrieved" if question.retrieval == "null" else "the documents do not say it"
        return ("refused, as it should", True) if refused else (f"answered although {kept}", False)
    if refused:
        return "refused although the documents have the answer", False
    return _cited(question, trace, answer)


def _cited(question: Question, trace: Trace, answer: str) -> tuple[str, bool]:
    retrieved = (trace.retrieved.ids or ()) if trace.retrieved is not None else ()
    cited = citations.parse(answer, retrieved, question.gold_ids)
    if trace.citations is not None:
        cited = (*(cited or ()), *citations.resolve(trace.citations, retrieved, question.gold_ids))
    if not cited:
        return "answered without a citation", False
    if set(cited) & set(question.gold_ids):
        return "cited a passage that has the answer", True
    found = "" if trace.retrieved is None or trace.retrieved.ids is None else _whether_found(question, retrieved)
    return f"cited {', '.join(cited[:3])}, not {' or '.join(question.gold_ids)}{found}", False


def _whether_found(question: Question, retrieved: Sequence[str]) -> str:
    there = set(retrieved) & set(question.gold_ids)
    return ", which was retrieved" if there else ", which was not retrieved"


def _show(diagnosis: Diagnosis, on_demo_set: bool) -> None:
    click.echo(f"question set: {plain(diagnosis.questions)}")
    for finding in diagnosis.findings:
        mark = "ok " if finding.ok else "NOT" if finding.blocks else "-- "
        told = ", told to retrieve nothing" if finding.retrieval == "null" else ""
        click.echo(f"{mark} {plain(finding.question_id)} (expects {finding.expects}{told})")
        click.echo(f"    {plain(finding.question)}")
        click.echo(f"    {plain(finding.reason, 500)}")
        if not finding.ok and finding.answer:
            click.echo(f"    it said: {plain(finding.answer, 300)}")
    for fault in diagnosis.faults:
        click.echo(f"NOT {fault}")
    click.echo(_conclusion(diagnosis))
    if on_demo_set and not diagnosis.ready:
        click.echo("these questions are about the bundled documents; for yours, pass --questions")


def _conclusion(diagnosis: Diagnosis) -> str:
    if not diagnosis.ready:
        return "".join(["not ready", *(f"; also, {plain(limit, 500)}" for limit in diagnosis.limits)])
    answerable = [finding for finding in diagnosis.findings if finding.expects == "answer"]
    sound = [finding.question_id for finding in answerable if finding.ok]
    share = f"{len(sound)} of {counted(len(answerable), 'answerable question')} answered from the source: "
    but = "".join(f", but {plain(limit, 500)}" for limit in diagnosis.limits)
    return f"ready ({share}{', '.join(map(plain, sound))}){but}"
