"""The grader: refusal, claims, citations and support become findings; the decision table turns them into verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from surefoot import table
from surefoot.graders.gold import agreement
from surefoot.graders.judging import Judge, Judgement, Pair
from surefoot.graders.refusal_quality import refusal_quality
from surefoot.table import ClaimFinding, Findings, Support
from surefoot.text.citations import resolve
from surefoot.text.claims import Claim, Claims, claims_of
from surefoot.text.normal import is_empty
from surefoot.text.refusals import Refusal, detect
from surefoot.types import Evidence, Item, Passage, Question, Verdict

PLAINLY = 0.75


class Graded(Struct, frozen=True):
    """One answer with everything that was found about it."""

    item: Item
    findings: Findings
    refusal: Refusal | None
    bucket: table.Bucket | None
    reason: str
    verdicts: tuple[Verdict, ...]


class FindingsGrader:
    """A grader around any judge: the same findings and the same table whoever reads the passages."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.name = judge.name

    def grade(self, items: Sequence[Item]) -> list[tuple[Verdict, ...]]:
        return [graded.verdicts for graded in self.read(items)]

    def read(self, items: Sequence[Item]) -> list[Graded]:
        """All pairs of all answers go to the judge as one batch."""
        readings = [_Reading.of(item) for item in items]
        pairs = [pair for reading in readings for pair in reading.pairs]
        judgements = iter(self._judge.judge(pairs))
        return [self._graded(reading, judgements) for reading in readings]

    def _graded(self, reading: _Reading, judgements: Iterator[Judgement]) -> Graded:
        findings = reading.findings(judgements)
        bucket, reason = table.decide(findings)
        verdicts = tuple(_verdicts(reading, findings, bucket, reason, self.name))
        return Graded(reading.item, findings, reading.refusal, bucket, reason, verdicts)


class _Reading(Struct, frozen=True):
    """An answer taken apart, before any judge has seen it."""

    item: Item
    unusable: str | None
    refusal: Refusal | None
    claims: tuple[Claim, ...]
    citations: tuple[str, ...] | None
    passages: tuple[Passage, ...]

    @classmethod
    def of(cls, item: Item) -> _Reading:
        question, trace = item.question, item.trace
        passages = tuple(trace.retrieved or ())
        answer = trace.answer or ""
        if trace.error or trace.answer is None:
            return cls(item, "error" if trace.error else "missing", None, (), None, passages)
        if is_empty(answer):
            return cls(item, "empty", None, (), None, passages)
        ids = [passage.id for passage in passages]
        field = None if trace.citations is None else resolve(trace.citations, ids, question.gold_ids)
        found: Claims = claims_of(answer, ids, question.gold_ids, field)
        return cls(item, None, detect(answer), found.claims, found.citations, passages)

    @property
    def pairs(self) -> list[Pair]:
        """Every claim against every retrieved passage, then against its cited passages read together."""
        if self.unusable or (self.refusal and self.refusal.value == "refused"):
            return []
        found = []
        for claim in self.claims:
            found += [self._pair(claim, passage.text, passage.doc) for passage in self.passages]
            cited = self._cited(claim)
            if len(cited) > 1:
                joined = "\n".join(passage.text for passage in cited)
                found.append(self._pair(claim, joined, " ".join(passage.doc for passage in cited)))
        return found

    def _pair(self, claim: Claim, passage: str, title: str) -> Pair:
        return Pair(passage, claim.text, title, self.item.question.text)

    def _cited(self, claim: Claim) -> list[Passage]:
        return [passage for passage in self.passages if passage.id in claim.citations]

    def findings(self, judgements: Iterator[Judgement]) -> Findings:
        question = self.item.question
        if self.unusable or self.refusal is None:
            return Findings(self.unusable, "answered", question.expects)
        known = {passage.id for passage in self.passages}
        refused = self.refusal.value == "refused"
        claims = () if refused else tuple(self._claim(claim, judgements) for claim in self.claims)
        if self.refusal.value == "partial" and _only_near_evidence(question, claims):
            refused, claims = True, ()
        return Findings(
            unusable=None,
            refusal="refused" if refused else self.refusal.value,
            expects=question.expects,
            claims=claims,
            gold="none" if refused else self._agreement(),
            off_subject=question.expects == "refusal",
            citations=self.citations,
            unknown=tuple(i for i in self.citations or () if i not in known),
        )

    def _agreement(self) -> table.Gold:
        question = self.item.question
        return agreement(question.text, question.gold_claims, self.item.trace.answer or "", self.claims)

    def _claim(self, claim: Claim, judgements: Iterator[Judgement]) -> ClaimFinding:
        by_passage = {passage.id: next(judgements) for passage in self.passages}
        cited = [by_passage[passage.id] for passage in self._cited(claim)]
        together = next(judgements) if len(cited) > 1 else cited[0] if cited else Judgement("not_enough")
        alone = tuple(_label(judgement) for judgement in cited)
        support = _best(by_passage, "supported")
        against = self._contradiction(claim, by_passage)
        together_label = "supported" if "supported" in alone else _label(together)
        retrieved: Support = "not_enough"
        if support or together_label == "supported":
            retrieved = "supported"
        elif against:
            retrieved = "contradicted"
        decisive = support or against
        return ClaimFinding(
            claim.text,
            claim.citations,
            known=all(i in by_passage for i in claim.citations),
            by_cited=alone,
            by_cited_together=together_label,
            by_retrieved=retrieved,
            evidence=Evidence(claim.text, decisive[0], decisive[1].quote) if decisive else Evidence(claim.text),
            contradicted_by_cited="contradicted" in alone,
            confidence=decisive[1].confidence if decisive else None,
        )

    def _contradiction(self, claim: Claim, judged: dict[str, Judgement]) -> tuple[str, Judgement] | None:
        """A passage that was not cited must be plainly about the claim to contradict it; where the documents are
        silent, only a cited one can."""
        cited = {name: judgement for name, judgement in judged.items() if name in claim.citations}
        if (found := _best(cited, "contradicted")) or self.item.question.expects == "refusal":
            return found
        found = _best(judged, "contradicted")
        return found if found and found[1].confidence >= PLAINLY else None


def _only_near_evidence(question: Question, claims: tuple[ClaimFinding, ...]) -> bool:
    """Declining what the documents do not say, and telling what they do say instead, is a refusal as a whole."""
    return not claims or (question.expects == "refusal" and all(claim.supported for claim in claims))


def _label(judgement: Judgement) -> Support:
    return judgement.label or "not_enough"


def _best(judged: dict[str, Judgement], label: Support) -> tuple[str, Judgement] | None:
    found = [(name, judgement) for name, judgement in judged.items() if judgement.label == label]
    return max(found, key=lambda pair: pair[1].confidence) if found else None


def _verdicts(
    reading: _Reading, findings: Findings, bucket: table.Bucket | None, reason: str, grader: str
) -> Iterator[Verdict]:
    """The five axes; one that does not apply to the answer is absent."""
    trace = reading.item.trace
    evidence = tuple(claim.evidence for claim in findings.claims)
    sure = [claim.confidence for claim in findings.claims if claim.confidence is not None]

    def row(axis: str, value: str | int | None, why: str = "") -> Verdict:
        return Verdict(reading.item.question.id, axis, value, grader, trace.attempt, reason=why)

    factuality = row("factuality", bucket, reason)
    yield Verdict(
        factuality.question_id, "factuality", bucket, grader, trace.attempt, reason=reason,
        confidence=min(sure) if sure else None, evidence=evidence,
    )  # fmt: skip
    if findings.unusable:
        return
    if findings.citations:
        yield row("citation_exists", "no" if findings.unknown else "yes", ", ".join(findings.unknown))
        if findings.claims:
            yield row("citation_supports", citation_supports(findings))
    uncited = sum(not claim.citations for claim in reading.claims)
    if reading.refusal is not None and findings.refusal == "refused":
        level, why = refusal_quality(
            reading.item.question.text, trace.answer or "", reading.refusal, len(findings.citations or ()), uncited
        )
        yield row("refusal_quality", level, why)
    yield row("extra_claim_count", uncited)


def citation_supports(findings: Findings) -> str:
    """yes only if every cited passage, read alone, supports the claim it is attached to."""
    alone = [label for claim in findings.claims for label in claim.by_cited]
    if not alone or not any(label == "supported" for label in alone):
        return "no"
    complete = all(label == "supported" for label in alone) and not findings.unknown
    return "yes" if complete else "partly"
