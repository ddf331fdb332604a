"""Assertions for tests: is one answer grounded in its passages, may a run ship?

A test records nothing: `surefoot gate` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from surefoot.core.errors import UsageError
from surefoot.core.types import Ask, Item, Question, counted, plain
from surefoot.gate.metrics import UNGRADED
from surefoot.graders.grader import Reader
from surefoot.io.traces import TraceReader
from surefoot.jobs.gate import GateResult, gate
from surefoot.jobs.grade import DEFAULT, open_grader
from surefoot.jobs.settings import settings_from
from surefoot.pipelines.traces import plain as as_json
from surefoot.pipelines.traces import trace_of_reply
from surefoot.report.comparison import in_words, sentences

__all__ = ["assert_grounded", "assert_ships"]
_BAD = ("wrong", "unsupported")
_MOST_SHOWN = 5  # answers that became bad
_LONGEST = 300


def assert_grounded(
    answer: str, passages: Iterable[object], *, question: str = "", grader: str | Reader = DEFAULT
) -> None:
    """Fail unless the passages support every claim of the answer, and what it cites supports its claims.

    Passages are texts, `{"id", "text"}`, or what LangChain, LlamaIndex and Haystack retrieve. With a question, the
    answer must answer it, too. A refusal fails: it claims nothing. `grader` is what `surefoot grade --grader` takes.
    """
    __tracebackhide__ = True
    chosen = _opened(grader) if isinstance(grader, str) else grader
    row = chosen.read([_item(answer, passages, question)])[0].row
    if faults := list(_faults(row, question)):
        told = [f"not grounded: {faults[0]}", *faults[1:], f"answer: {plain(answer, _LONGEST)}"]
        raise AssertionError("\n  ".join([*told, *_sureness(row, chosen)]))


def assert_ships(
    candidate: str | Path,
    baseline: str | Path,
    *,
    db: str | Path | None = None,
    **options: Any,  # noqa: ANN401 - as `surefoot.gate` takes them
) -> GateResult:
    """Fail unless the gate says SHIP of the candidate, compared with the baseline: versions, runs, or files.

    Labels and other runs of the project count. `options` are those of `surefoot.gate`.
    """
    __tracebackhide__ = True
    found = gate(baseline, candidate, db=db, keep=False, **options)
    if found.outcome != "SHIP":
        raise AssertionError("\n  ".join(_why(found)))
    return found


@cache
def _opened(grader: str) -> Reader:
    """Models are loaded once in a process."""
    return open_grader(grader, settings_from({"citations": "optional"}))


def _item(answer: str, passages: Iterable[object], question: str) -> Item:
    if isinstance(passages, (str, Mapping)):
        raise UsageError("the passages are one text or object", "pass a list of them")
    texts = [{"text": one} if isinstance(one, str) else one for one in passages]
    ask = Ask("answer", question)
    trace = trace_of_reply(as_json({"answer": answer, "passages": texts}), ask, TraceReader())
    if any(not passage.text for passage in trace.sources):
        raise UsageError("a passage has no text", "pass texts, or objects with id and text")
    return Item(Question(ask.id, question, "answer"), trace)


def _faults(row: Mapping[str, Any], question: str) -> Iterator[str]:
    """Why an answer is not grounded: first in one sentence, then claim by claim."""
    claims = row["claims"]
    open_claims = [claim for claim in claims if claim["support"] != "supported"]
    if row["factuality"] is None:
        yield f"the answer could not be graded ({row['detail'] or row['reason']})"
    elif row["factuality"] == "refused":
        yield "the answer is a refusal, and claims nothing"
    elif not claims:
        yield "the answer claims nothing that a passage could support"
    elif open_claims:
        yield f"the passages do not support {len(open_claims)} of {counted(len(claims), 'claim')}"
        yield from map(_claim, open_claims)
    elif row["citation_exists"] == "no":
        yield "the answer cites a passage that was not given"
    elif row["citation_supports"] not in (None, "yes"):
        yield "a cited passage does not support the claim that cites it"
    elif question and row["factuality"] != "correct":
        yield "the passages support the answer, but it does not answer the question"


def _claim(claim: Mapping[str, Any]) -> str:
    evidence = claim["evidence"]
    against = f' ({evidence["passage"]}: "{plain(evidence["quote"], _LONGEST)}")' if evidence["quote"] else ""
    what = "contradicted" if claim["support"] == "contradicted" else "no evidence"
    return f'{what}: "{plain(claim["text"], _LONGEST)}"{against}'


def _sureness(row: Mapping[str, Any], grader: Reader) -> Iterator[str]:
    sure = f", {row['confidence']:.0%} sure" if row["confidence"] is not None else ""
    yield f"graded by {grader.name}{sure}"


def _why(found: GateResult) -> Iterator[str]:
    yield f"{found.outcome} - {' '.join(sentences(found))}"
    for rule in found.rules:
        if rule.status not in ("pass", "not_applicable"):
            yield plain(in_words(rule, found), 500)
    worse = [one for one in found.changed if one["cand"]["bucket"] in _BAD]
    for one in worse[:_MOST_SHOWN]:
        was, now = one["base"], one["cand"]
        asked = f"{plain(one['question_id'])} was {was['bucket'] or UNGRADED}, is {now['bucket']}"
        yield f"{asked}: {plain(one['question'])}"
        why = f" ({plain(now['reason'])})" if now["reason"] else ""
        yield f"    {plain(now['answer'] or '', _LONGEST)}{why}"
    if len(worse) > _MOST_SHOWN:
        yield f"and {counted(len(worse) - _MOST_SHOWN, 'more question')} like these"
    yield from (plain(f"next: {step}", 500) for step in found.next)
