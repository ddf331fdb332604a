"""One answer as a person checks it: what was asked and expected, what was said, and the verdict on each claim."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from surefoot.core.records import whose_by_name
from surefoot.core.types import Evidence, Passage, Question, counted, in_plain_words
from surefoot.gate.calibrate import Trust, in_words
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.sides import BUCKET_AXIS, Said, cited_by
from surefoot.jobs.overview import Fault, disagrees, why_of
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
    linked,
)
from surefoot.text.normal import telling_words

LONGEST_QUESTION = 160
_MOST: Mapping[Form, int] = {"terminal": 12, "markdown": 200}  # answers, and only those worth a look
MOST_ON_PAGE = 5_000
_MORE = "more, all of them on the page (.html)"
_NAMED = 12  # questions behind a fault
_SHOWN = 10  # claims, and passages
_AXES = ("citation_exists", "citation_supports", "extra_claim_count")
_AROUND = 300  # characters before and after the words that are marked
_VALUE = re.compile(r"\d+(?:[.,/:]\d+)*(?: \d+/\d+)?")  # 1,200 and 1 1/2 are one each
_CELL = re.compile(r"[^|\s](?:[^|]*[^|\s])?")
_ROWS = re.compile(r"(?:^\|.*\n)+\Z", re.MULTILINE)  # of a table, up to the one at hand
_HEAD = re.compile(r"\|.*\n\|[ |:-]+\n")
_SUPPORT = {"supported": "supported", "contradicted": "contradicted", "not_enough": "no evidence"}


def answer_id(question_id: str, attempt: int) -> str:
    return question_id if attempt == 1 else f"{question_id}-{attempt}"


def bucket_of(said: Said) -> str:
    return said.bucket or UNGRADED


def chip(said: Said) -> Span:
    """The bucket of an answer, in its colour on a page."""
    return Span(bucket_of(said), f"bucket {bucket_of(said)}")


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


def answer(said: Said, question: Question | None, heading: str = "") -> Iterator[Block]:
    yield Paragraph((Span(heading, "strong"), chip(said), why_of(said, question)))
    if said.trace is None:
        yield Paragraph("the answer itself is not known", "quiet")
    else:
        yield Quote(said.trace.answer) if said.trace.answer else Paragraph("no answer", "quiet")
        if said.trace.error:
            yield Paragraph(f"error: {said.trace.error}")
    yield Paragraph(" ".join(_whose(said)), "quiet")
    graded = said.graded.get(BUCKET_AXIS) or said.verdicts.get(BUCKET_AXIS)
    yield from _evidence(said, question, graded.evidence if graded else (), bool(graded and disagrees(graded.reason)))
    if quality := said.verdicts.get("refusal_quality"):
        yield Paragraph((f"refusal quality {quality.value}", quality.reason))
        yield from _claims(said, question, quality.evidence)


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


def _evidence(said: Said, question: Question | None, evidence: Sequence[Evidence], disagrees: bool) -> Iterator[Block]:
    """What the answer cites comes first, then what else a claim was read against."""
    cited = cited_by(said, question)
    ids, read = {passage.id for passage in cited}, {one.passage for one in evidence}
    for passage in [one for one in cited if one.id not in read][:_SHOWN]:
        yield Paragraph(_source("cites", passage.id, passage), "quiet")
        yield excerpt(passage.text, "", "")
    in_order = sorted(evidence, key=lambda one: one.passage not in ids)
    # Support for an answer that is wrong all the same would read like praise.
    yield from _claims(said, question, [replace(one, support=UNSET) for one in in_order] if disagrees else in_order)


def _claims(said: Said, question: Question | None, evidence: Sequence[Evidence]) -> Iterator[Block]:
    """Each claim with its verdict, and the passage that decided it."""
    texts = {passage.id: passage for passage in said.trace.sources} if said.trace else {}
    cited = {passage.id for passage in cited_by(said, question)}
    for one in evidence[:_SHOWN]:
        support = () if one.support is UNSET else (Span(_SUPPORT[one.support], one.support),)
        yield Paragraph((*support, Span("claim:", "strong"), one.claim))
        if one.passage or one.quote:
            passage = texts.get(one.passage)
            how = "in" if one.passage in cited or not cited else "not cited:"
            yield Paragraph(_source(how, one.passage, passage), "quiet")
            yield excerpt(passage.text if passage else "", one.quote, *_deciding(one, question))


def _deciding(one: Evidence, question: Question | None) -> tuple[str, frozenset[str]]:
    """The style of the mark, and the values, or else the words, of which a marked cell has to hold one."""
    if one.support == "contradicted" and question:
        style, told = "contradicted", " ".join(question.gold_claims)
    else:
        style, told = "supported" if one.support == "supported" else "read", one.claim
    known = question.text if question else ""
    return style, (_values(told) - _values(known)) or frozenset(telling_words(told) - telling_words(known))


def _values(text: str) -> frozenset[str]:
    return frozenset(found.replace(",", "") for found in _VALUE.findall(text))


def _source(how: str, id: str, passage: Passage | None) -> Line:
    page = f"page {passage.page}" if passage and passage.page is not None else ""
    return (how, Span(id or "a passage", "strong"), passage.doc if passage else "", page)


def excerpt(text: str, quote: str, style: str, deciding: frozenset[str] = frozenset()) -> Quote:
    """The part of a passage around a quote, whatever became of its line breaks; if it has no such words, the quote.

    Of a row of a table only the cell is marked that holds what decides; if there is none, nothing is.
    """
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    if found is None:
        return Quote(quote or text)
    start, end = found.span()
    end = min(end, start + LONGEST_QUOTE)
    before, after = _before(text, start), _after(text, end)
    first, last = _cell(quote, deciding, text[start:end])
    return Quote(before + text[start:end] + after, len(before) + first, len(before) + last, style)


def _cell(quote: str, deciding: frozenset[str], row: str) -> tuple[int, int]:
    if not quote.lstrip().startswith("|"):
        return 0, len(row)
    for cell in _CELL.finditer(row):
        if deciding & (_values(cell[0]) | telling_words(cell[0])):
            return cell.span()
    return 0, 0


def _before(text: str, start: int) -> str:
    """From the beginning of a word or, in a table, of a row, which its head then precedes."""
    first = start - _AROUND
    if first <= 0:
        return text[:start]
    rows = _ROWS.search(text[:start])
    if rows is None or rows.start() >= first:
        word = re.compile(r"\s").search(text, first - 1, start)
        return "... " + text[word.end() if word else start : start]
    head = _HEAD.match(text, rows.start(), start)
    row = text.find("\n", first, start) + 1 or text.rfind("\n", 0, start) + 1
    return f"{head[0]}| ... |\n{text[row:start]}" if head and head.end() < row else text[rows.start() : start]


def _after(text: str, end: int) -> str:
    """Up to the end of a word or, in a table, of a row."""
    last = end + _AROUND
    if last >= len(text):
        return text[end:]
    row = text.find("\n", last)
    if text[text.rfind("\n", 0, last) + 1 :].startswith("|"):
        return f"{text[end:row]}\n| ... |" if row >= 0 else text[end:]
    kept = re.match(r".*(?=\s)", text[end : last + 1], re.DOTALL)
    return (kept[0].rstrip() if kept else "") + " ..."


def listed(heads: Sequence[str], filters: Sequence[str], cases: Sequence[Case], worth: int) -> Cases:
    """On a page every case, to be filtered by its kinds; elsewhere the first of the `worth` that lead the list."""
    limits = {form: min(most, worth) for form, most in _MOST.items()} | {"page": MOST_ON_PAGE}
    return Cases(heads, cases, total=len(cases), limits=limits, more=_MORE, filters=filters_of(filters, cases))


def filters_of(names: Sequence[str], cases: Sequence[Case]) -> tuple[tuple[str, Mapping[str, int]], ...]:
    """What the cases can be filtered by: how many there are of each kind."""
    columns = zip(*(case.kinds for case in cases), strict=True)
    return tuple((name, Counter(column)) for name, column in zip(names, columns, strict=False))


def graded_by(graders: Sequence[str]) -> str:
    """A file of verdicts may not say by whom they are."""
    named = ", ".join(filter(None, graders))
    return f"graded by {named}" if named else "its grader is not named" if graders else "not graded"


def rests_on(known: Trust, failed_checks: Mapping[str, str]) -> Iterator[str]:
    """How far the verdicts can be trusted."""
    yield f"trust: {in_words(known)}"
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
            linked(one.questions, len(one.questions), _NAMED),
        )
        for one in faults
    ]
    if rows:
        about = Paragraph(f"{whose}, each under the first cause that fits what its verdicts say.", "quiet")
        heads = ("look into", "answers", "what was seen", "what to do", "questions")
        yield Section("What to do next", (about, Table(heads, rows)))
