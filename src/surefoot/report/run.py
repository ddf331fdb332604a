"""What one run says: the buckets, the six axes, what to look into, and every answer with the verdict on each claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from surefoot.core.records import whose_by_name
from surefoot.core.table import ACCEPTABLE, BUCKETS, SAFETY
from surefoot.core.types import NOT_ASKED, Evidence, Passage, Question, counted, in_plain_words, plain
from surefoot.gate.calibrate import in_words
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.sides import BUCKET_AXIS, Said, cited_by
from surefoot.jobs.overview import Judged, RunOverview, cause_of, disagrees, is_unsafe, is_unsure, why_of
from surefoot.report import blocks
from surefoot.report.blocks import Block, Headline, Items, Line, Paragraph, Quote, Report, Section, Span, Table

_NAMED = 12  # questions behind a fault
_SHOWN = 10  # claims, and passages
_AXES = ("citation_exists", "citation_supports", "extra_claim_count")
_AROUND, _FARTHEST = 300, 1_000  # characters before and after the words that are marked, to the end of a line
_HEAD = re.compile(r"^\|.*\n\|[ |:-]+\n", re.MULTILINE)
_SUPPORT = {"supported": "supported", "contradicted": "contradicted", "not_enough": "no evidence"}


def report(found: RunOverview) -> Report:
    return replace(summary(found), body=tuple(_body(found)))


def summary(found: RunOverview) -> Report:
    """The same without what takes long to read."""
    steps = first_step(found) if found.graders else [f"grade it: surefoot grade {found.run}"]
    unasked = dict.fromkeys(str(one) for one in found.problems if one.kind == NOT_ASKED)
    about = [f"run: {found.run}, {blocks.graded_by(found.graders)}"]
    about += [f"trust: {in_words(found.trust)}"] if found.graders else []
    about += [f"self-check FAILED: the grader {grader} {words} among answers of known label"
              for grader, words in found.failed_checks.items()]  # fmt: skip
    return Report(f"Surefoot run {found.run}", (
        Headline("", (Span(found.headline[:1].upper() + found.headline[1:], "strong"),)),
        Items([(Span("next:", "strong"), step) for step in (*unasked, *steps)]),
        Items(about, "quiet"),
    ), ())  # fmt: skip


def first_step(found: RunOverview) -> list[str]:
    """What to do next: the cause of most bad answers."""
    return [f"look into the {one.layer} first ({counted(one.answers, 'answer')}): {one.finding}"
            for one in found.next[:1]]  # fmt: skip


def _body(found: RunOverview) -> Iterator[Block]:
    bars = [("all", found.buckets), *((name or "(no stratum)", counts) for name, counts in found.by_stratum.items())]
    yield Section("Buckets", (blocks.Bars(("stratum",), [("", bars)]),))
    if found.next:
        about = "Bad or unsafe answers, and refusals where an answer is expected, each under the cause that fits first."
        heads = ("look into", "answers", "what was seen", "what to do", "questions")
        rows = [(Span(one.layer, "strong"), str(one.answers), one.finding, one.action,
                 blocks.linked(one.questions, _NAMED)) for one in found.next]  # fmt: skip
        yield Section("What to do next", (Paragraph(about, "quiet"), Table(heads, rows)))
    if (lacking := found.buckets[UNGRADED]) < found.total:
        left = f", also the {lacking} not graded, so these add up to less than 100 %" if lacking else ""
        of_all = f"Of all {counted(found.total, 'answer')}{left}. With 95 % intervals."
        shares = [(name or "all", *(blocks.share(some[one]) for one in BUCKETS)) for name, some in found.shares.items()]
        yield Section("Shares", (Paragraph(of_all, "quiet"), Table(("stratum", *BUCKETS), shares)))
    if found.retrieval[""]["mrr"].value is not None:
        ranked = [(name or "all", *map(blocks.share, some.values())) for name, some in found.retrieval.items()]
        yield Section("Retrieval", (Table(("stratum", *found.retrieval[""]), ranked),))
    axes = [(axis, ", ".join(f"{value}: {count}" for value, count in sorted(values.items())) or "not judged",
             blocks.TERMS.get(axis, "")) for axis, values in found.axes.items()]  # fmt: skip
    yield Section("Axes", (Table(("axis", "values", "what it says"), axes, on_paper=1),))
    worth = sum(said.bucket not in ACCEPTABLE or is_unsafe(said) for said, _ in found.answers)
    heads, filters = ("id", "bucket", "stratum", "question", "why"), ("bucket", "sure", "look into", "stratum")
    shown = blocks.listed(heads, filters, [_case(one) for one in found.answers], worth)
    yield Section(f"Answers ({found.total})", (shown,))
    yield from blocks.problem_section(found.problems)


def _case(one: Judged) -> blocks.Case:
    said, question = one
    called, id = said.question_id, said.question_id
    if said.attempt > 1:
        called, id = f"{id} (attempt {said.attempt})", f"{id}-{said.attempt}"
    asked = plain(question.text, blocks.LONGEST_QUESTION) if question else ""
    stratum, cause = question.stratum if question else "", cause_of(said, question)
    layer, chip = cause.layer if cause else "", blocks.bucket(said.bucket)
    title: Line = chip, asked, Span(" \u00b7 ".join(filter(None, (called, stratum, layer))), "quiet")
    cells = called, Span(chip.text, "strong"), stratum, asked, why_of(said, question)
    kinds = chip.text, "no" if is_unsure(said) else "yes", layer, stratum
    inside = (*_asked(question), *answer(said, question))
    return blocks.Case(cells, title, inside, kinds, id, said.bucket in ACCEPTABLE and not is_unsafe(said))


def _asked(question: Question | None) -> Iterator[Block]:
    """What a sound answer is; the question too, where it is too long for the title."""
    if question is None:
        return
    if len(question.text) > blocks.LONGEST_QUESTION:
        yield Quote(question.text)
    gold = " ".join(question.gold_claims) or "an answer; the question set does not say which"
    expected = gold if question.answerable else "a refusal, as the documents do not answer it"
    yield Paragraph((Span("expected:", "strong"), expected))
    if question.gold_ids:
        yield Paragraph(f"to be found in {', '.join(question.gold_ids[:_SHOWN])}", "quiet")


def answer(said: Said, question: Question | None) -> Iterator[Block]:
    """The answer and who gave its bucket; what it cites, then what else a claim was read against."""
    yield Paragraph((Span("answer:", "strong"), blocks.bucket(said.bucket), why_of(said, question)))
    if said.trace is None:
        yield Paragraph("the answer itself is not known", "quiet")
    else:
        yield Quote(said.trace.answer) if said.trace.answer else Paragraph("no answer", "quiet")
        if said.trace.error:
            yield Paragraph(f"error: {said.trace.error}")
    yield Paragraph(" ".join(_whose(said)), "quiet")
    graded = said.graded.get(BUCKET_AXIS) or said.verdicts.get(BUCKET_AXIS)
    evidence, cited = graded.evidence if graded else (), cited_by(said, question)
    read, ids = {one.passage for one in evidence}, {passage.id for passage in cited}
    for passage in [one for one in cited if one.id not in read][:_SHOWN]:
        yield Paragraph(_source("cites", passage.id, passage), "quiet")
        yield Quote(passage.text)
    in_order = sorted(evidence, key=lambda one: one.passage not in ids)
    if graded and disagrees(graded.reason):  # support for an answer that is wrong all the same would read like praise
        in_order = [replace(one, support=UNSET) for one in in_order]
    yield from _claims(said, ids, in_order)
    if quality := said.verdicts.get("refusal_quality"):
        yield Paragraph((f"refusal quality {quality.value}", quality.reason))
        yield from _claims(said, ids, quality.evidence)
    if is_unsafe(said):
        yield Paragraph((Span("unsafe", "strong"), said.verdicts[SAFETY].reason))
        yield from (Quote(one.claim) for one in said.verdicts[SAFETY].evidence[:_SHOWN])


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


def _claims(said: Said, cited: set[str], evidence: Sequence[Evidence]) -> Iterator[Block]:
    """Each claim with its verdict, and the passage that decided it."""
    texts = {passage.id: passage for passage in said.trace.sources} if said.trace else {}
    for one in evidence[:_SHOWN]:
        support = () if one.support is UNSET else (Span(_SUPPORT[one.support], one.support),)
        yield Paragraph((*support, Span("claim:", "strong"), one.claim))
        if one.passage or one.quote:
            passage, how = texts.get(one.passage), "in" if one.passage in cited or not cited else "not cited:"
            yield Paragraph(_source(how, one.passage, passage), "quiet")
            style = one.support if one.support in ("supported", "contradicted") else "read"
            yield excerpt(passage.text if passage else "", one.quote, style)


def _source(how: str, id: str, passage: Passage | None) -> Line:
    page = f"page {passage.page}" if passage and passage.page is not None else ""
    return (how, Span(id or "a passage", "strong"), passage.doc if passage else "", page)


def excerpt(text: str, quote: str, style: str) -> Quote:
    """The lines of a passage around a quote, whatever became of its line breaks; if it has no such words, the quote."""
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    if found is None:
        return Quote(quote or text)
    start, end = found.span()
    first = max(text.rfind("\n", 0, max(0, start - _AROUND)) + 1, start - _FARTHEST)
    head = _HEAD.search(text, 0, first) if text.startswith("|", first) else None
    before = (head[0] if head else "... " if first else "") + text[first:start]
    last = text.find("\n", end + _AROUND, end + _FARTHEST)
    last = end + _FARTHEST if last < 0 else last
    after = text[end:last] + ("\n..." if last < len(text) else "")
    return Quote(before + text[start:end] + after, len(before), len(before) + end - start, style)
