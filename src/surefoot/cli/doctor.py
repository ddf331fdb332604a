"""surefoot doctor"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from typing import Any

import click
import msgspec

from surefoot.cli.run import Closer, load_corpus, load_pipeline, load_questions
from surefoot.engine.asking import ask_all
from surefoot.errors import ExitCode, UsageError
from surefoot.report.words import plain
from surefoot.text import citations, refusals
from surefoot.types import Question, Trace


@click.command(epilog="Example: surefoot doctor --pipeline reference")
@click.option("--pipeline", "-p", "spec", required=True, metavar="P", help="As for `surefoot run`.")
@click.option("--questions", "-q", metavar="FILE", help="Question set. [default: the bundled demo set]")
@click.option("--corpus", metavar="PATH", help="Passages to search: JSON, Parquet, or a folder of texts.")
@click.option(
    "--timeout", type=click.FloatRange(min=0.1), default=60.0, show_default=True, help="Seconds per question."
)
@click.option("--request-template", metavar="FILE", help="JSON to POST, with {question}, {id}, {retrieval} in it.")
@click.option("--prompt", metavar="NAME|FILE", default="answer_with_licence", show_default=True, help="For chat:.")
@click.option("--map", "mapping", multiple=True, metavar="FIELD=PATH", help="Where a field lies in the replies.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor(spec: str, questions: str | None, corpus: str | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401
    """Is a pipeline ready for a run? Ask it one answerable and one unanswerable question, and compare with gold.

    Exits 0 when ready, 1 when an answer is not what it should be, 4 when the pipeline fails.
    """
    chosen = choose(load_questions(questions))
    pipeline = load_pipeline(spec, load_corpus(corpus, questions), options)
    traces: dict[str, Trace] = {}
    with contextlib.closing(Closer(pipeline)), contextlib.redirect_stdout(sys.stderr):
        ask_all(
            pipeline, chosen, timeout=options["timeout"], on_trace=lambda t: traces.update({str(t.question_id): t}),
        )  # fmt: skip
    findings = [_examined(question, traces[question.id]) for question in chosen]
    ready = all(finding["ok"] for finding in findings)
    if as_json:
        click.echo(msgspec.json.encode({"ready": ready, "pipeline": spec, "findings": findings}).decode())
    else:
        _show(findings, ready)
    if any(finding["failed"] for finding in findings):
        return ExitCode.INCOMPLETE
    return ExitCode.OK if ready else ExitCode.BLOCKED


def choose(questions: Sequence[Question]) -> list[Question]:
    """The first plain question with an answer, and the first without one."""
    answerable = [question for question in questions if question.answerable and question.gold_ids]
    plain = [question for question in answerable if question.probes in ("", "plain")]
    unanswerable = [question for question in questions if not question.answerable and question.retrieval == "normal"]
    if not answerable or not unanswerable:
        missing = "answerable question with gold_ids" if not answerable else "unanswerable question"
        raise UsageError(f"the question set has no {missing}", "the doctor needs one of each")
    return [(plain or answerable)[0], unanswerable[0]]


def _examined(question: Question, trace: Trace) -> dict[str, Any]:
    reason, ok = _judged(question, trace)
    return {
        "question_id": question.id, "question": question.text, "expects": question.expects, "ok": ok,
        "failed": trace.error is not None, "reason": reason, "answer": trace.answer,
    }  # fmt: skip


def _judged(question: Question, trace: Trace) -> tuple[str, bool]:
    if trace.error is not None:
        return f"the pipeline failed: {trace.error}", False
    answer = trace.answer or ""
    refused = refusals.detect(answer).value == "refused"
    if not question.answerable:
        return ("refused, as it should", True) if refused else ("answered what the documents do not say", False)
    if refused:
        return "refused although the documents have the answer", False
    retrieved = (trace.retrieved.ids or ()) if trace.retrieved is not None else ()
    cited = citations.parse(answer, retrieved, question.gold_ids)
    if trace.citations is not None:
        cited = (*(cited or ()), *citations.resolve(trace.citations, retrieved, question.gold_ids))
    if not cited:
        return "answered without a citation", False
    if set(cited) & set(question.gold_ids):
        return "cited a passage that has the answer", True
    found = "" if trace.retrieved is None else _whether_found(question, retrieved)
    return f"cited {', '.join(cited[:3])}, not {' or '.join(question.gold_ids)}{found}", False


def _whether_found(question: Question, retrieved: Sequence[str]) -> str:
    there = set(retrieved) & set(question.gold_ids)
    return ", which was retrieved" if there else ", which was not retrieved"


def _show(findings: list[dict[str, Any]], ready: bool) -> None:
    for finding in findings:
        click.echo(f"{'ok ' if finding['ok'] else 'NOT'} {finding['question_id']} (expects {finding['expects']})")
        click.echo(f"    {plain(finding['question'])}")
        click.echo(f"    {plain(finding['reason'], 500)}")
        if not finding["ok"] and finding["answer"]:
            click.echo(f"    it said: {plain(finding['answer'], 300)}")
    click.echo("ready" if ready else "not ready")
