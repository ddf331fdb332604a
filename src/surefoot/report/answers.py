"""One answer as a person checks it: what was asked and expected, what was said, and the verdict on each claim."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET

from surefoot.annotators import whose_by_name
from surefoot.gate import trust
from surefoot.gate.causes import Fault
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.sides import BUCKET_AXIS, Said
from surefoot.report.blocks import (
    LONGEST_QUOTE,
    Block,
    Case,
    Cases,
    Form,
    Line,
    Paragraph,
    Quote,
    Section,
    Span,
    Table,
)
from surefoot.report.glossary import in_plain_words
from surefoot.report.words import counted, names
from surefoot.types import Evidence, Passage, Question, Verdict

LONGEST_QUESTION = 160
_MOST: Mapping[Form, int] = {"terminal": 12, "markdown": 200}  # answers, and only those worth a look
MOST_ON_PAGE = 5_000
_MORE = "more, all of them on the page (.html)"
_NAMED = 12  # questions behind a fault
_SHOWN = 10  # claims, and passages
_AXES = ("citation_exists", "citation_supports", "extra_claim_count")
_AROUND = 300  # characters before and after the words that are marked
_SUPPORT = {"supported": "supported", "contradicted": "contradicted", "not_enough": "no evidence"}


def bucket_of(said: Said) -> str:
    return said.bucket or UNGRADED


def chip(said: Said) -> Span:
    """The bucket of an answer, in its colour on a page."""
    return Span(bucket_of(said), f"bucket {bucket_of(said)}")


def reason_of(said: Said) -> str:
    """Why an answer is in its bucket, unless the bucket says it all: as verdicts have it, for programs."""
    verdict = said.verdicts.get(BUCKET_AXIS)
    if verdict is not None and verdict.reason:
        return "" if verdict.reason == verdict.value else verdict.reason
    return (said.trace.error or "") if said.trace else ""


def cited_by(said: Said) -> list[Passage]:
    """The passages an answer cites, as far as its log has them."""
    trace = said.trace
    if trace is None or not trace.citations:
        return []
    return [passage for passage in trace.sources if passage.id in trace.citations]


def why_of(said: Said) -> str:
    """The reason in plain words; where a label gives none, that of a grader who agrees with it."""
    verdict, graded = said.verdicts.get(BUCKET_AXIS), said.graded.get(BUCKET_AXIS)
    if verdict is None or (verdict.value is None and said.trace and said.trace.error):
        return (said.trace.error or "") if said.trace else ""
    agrees = graded is not None and graded.value == verdict.value
    return in_plain_words(verdict.reason or (graded.reason if graded and agrees else ""))


def asked(question: Question | None) -> Iterator[Block]:
    """What a sound answer is; the question too, where it is too long for the title."""
    if question is None:
        return
    if len(question.text) > LONGEST_QUESTION:
        yield Quote(question.text)
    if not question.answerable:
        yield Paragraph((Span("expected:", "strong"), "a refusal, as the documents do not answer it"))
    elif question.gold_claims:
        yield Paragraph((Span("expected:", "strong"), " ".join(question.gold_claims)))
    else:
        yield Paragraph((Span("expected:", "strong"), "an answer; the question set does not say which"))
    if question.gold_ids:
        yield Paragraph(f"to be found in {', '.join(question.gold_ids[:_SHOWN])}", "quiet")


def answer(said: Said, heading: str = "") -> Iterator[Block]:
    yield Paragraph((Span(heading, "strong"), chip(said), why_of(said)))
    if said.trace is None:
        yield Paragraph("the answer itself is not known", "quiet")
    else:
        yield Quote(said.trace.answer) if said.trace.answer else Paragraph("no answer", "quiet")
        if said.trace.error:
            yield Paragraph(f"error: {said.trace.error}")
    yield Paragraph(" ".join(_whose(said)), "quiet")
    graded = said.graded.get(BUCKET_AXIS) or said.verdicts.get(BUCKET_AXIS)
    yield from _claims(said, graded)
    if quality := said.verdicts.get("refusal_quality"):
        yield Paragraph((f"refusal quality {quality.value}", quality.reason))
        yield from _claims(said, quality)
    shown = {one.passage for one in graded.evidence} if graded else set()
    for passage in [one for one in cited_by(said) if one.id not in shown][:_SHOWN]:
        yield Section(f"also cites {passage.id} {passage.doc}", (Quote(passage.text),), "folded")


def _whose(said: Said) -> Iterator[str]:
    """Who gave the bucket, what the grader said beside a label, how sure it was, and the axes on citations."""
    verdict, graded = said.verdicts.get(BUCKET_AXIS), said.graded.get(BUCKET_AXIS)
    if verdict is not None and said.is_labelled(BUCKET_AXIS):
        yield f"Labelled by {whose_by_name([verdict.grader])}."
    if verdict is not None and graded is not None and graded is not verdict:
        why = in_plain_words(graded.reason)
        yield f"The grader says {graded.value or UNGRADED}{f': {why}' if why else ''}."
    if graded is not None and graded.confidence is not None:
        yield f"Grader's confidence: {graded.confidence:.0%}."
    told = [f"{axis} {said.verdicts[axis].value}" for axis in _AXES if axis in said.verdicts]
    yield f"{', '.join(told)}." if told else ""


def _claims(said: Said, verdict: Verdict | None) -> Iterator[Block]:
    """Each claim with its verdict, and the passage that decided it."""
    texts = {passage.id: passage for passage in said.trace.sources} if said.trace else {}
    for one in (verdict.evidence if verdict else ())[:_SHOWN]:
        yield Paragraph((*_support(one), Span("claim:", "strong"), one.claim))
        if one.passage or one.quote:
            passage = texts.get(one.passage)
            yield Paragraph(_source(one.passage, passage), "quiet")
            yield excerpt(passage.text if passage else "", one.quote, _style(one))


def _support(one: Evidence) -> tuple[Span, ...]:
    return () if one.support is UNSET else (Span(_SUPPORT[one.support], one.support),)


def _style(one: Evidence) -> str:
    return "contradicted" if one.support == "contradicted" else "supported"


def _source(id: str, passage: Passage | None) -> Line:
    page = f"page {passage.page}" if passage and passage.page is not None else ""
    return ("in", Span(id or "a passage", "strong"), passage.doc if passage else "", page)


def excerpt(text: str, quote: str, style: str) -> Quote:
    """The part of a passage around a quote, whatever became of its line breaks; if it has no such words, the quote."""
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    if found is None:
        return Quote(quote or text)
    start, end = found.span()
    end = min(end, start + LONGEST_QUOTE)
    first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
    before = ("... " if first else "") + text[first:start]
    after = text[end:last] + (" ..." if last < len(text) else "")
    return Quote(before + text[start:end] + after, len(before), len(before) + end - start, style)


def listed(heads: Sequence[str], filters: Sequence[str], cases: Sequence[Case], worth: int) -> Cases:
    """On a page every case, to be filtered by its kinds; elsewhere the first of the `worth` that lead the list."""
    limits = {form: min(most, worth) for form, most in _MOST.items()} | {"page": MOST_ON_PAGE}
    return Cases(heads, cases, total=len(cases), limits=limits, more=_MORE, filters=filters_of(filters, cases))


def filters_of(names: Sequence[str], cases: Sequence[Case]) -> tuple[tuple[str, Mapping[str, int]], ...]:
    """What the cases can be filtered by: how many there are of each kind."""
    columns = zip(*(case.kinds for case in cases), strict=True)
    return tuple((name, Counter(column)) for name, column in zip(names, columns, strict=False))


def rests_on(known: trust.Trust, failed_checks: Mapping[str, str]) -> Iterator[str]:
    """How far the verdicts can be trusted."""
    yield f"trust: {trust.in_words(known)}"
    for grader, words in failed_checks.items():
        yield f"self-check FAILED: the grader {grader} {words} among answers of known label"


def first_step(faults: Sequence[Fault]) -> list[str]:
    """What to do next: the cause of most bad answers."""
    return [f"look into the {one.layer} first ({counted(one.answers, 'answer')}): {one.finding}" for one in faults[:1]]


def look_into(faults: Sequence[Fault], whose: str) -> Iterator[Section]:
    """What to do next, by the layer of the pipeline that the answers point to."""
    rows = [
        (
            Span(one.layer, "strong"),
            str(one.answers),
            one.finding,
            one.action,
            names(one.questions, len(one.questions), _NAMED),
        )
        for one in faults
    ]
    if rows:
        about = Paragraph(f"{whose}, each under the first cause that fits what its verdicts say.", "quiet")
        heads = ("look into", "answers", "what was seen", "what to do", "questions")
        yield Section("What to do next", (about, Table(heads, rows)))
