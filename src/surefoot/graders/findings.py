"""The grader: refusal, claims, citations and support become findings; the decision table turns them into verdicts."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, MutableMapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from surefoot import table
from surefoot.graders import target
from surefoot.graders.declining import Declining
from surefoot.graders.gold import agreement, of_other_dimensions
from surefoot.graders.judging import Judge, Judgement, Pair, ReadsWhole, best
from surefoot.graders.refusal_quality import refusal_quality
from surefoot.graders.rules import Rules
from surefoot.graders.working import figures_written, with_sources, without_method, worked_out, working_of
from surefoot.table import ClaimFinding, Findings, Support
from surefoot.text.citations import resolve
from surefoot.text.claims import Claim, Claims, claims_of
from surefoot.text.language import unreadable
from surefoot.text.normal import is_empty
from surefoot.text.refusals import Refusal
from surefoot.text.sentences import sentences
from surefoot.types import Evidence, Item, Passage, RefusalValue, Trace, Verdict

PLAINLY = 0.75
LIKELY_WITH_GOLD = 0.3
Judged = MutableMapping[Pair, Judgement]
_WORDS = Rules()
_UNREAD = Judgement("not_enough")


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

    def read(self, items: Sequence[Item]) -> list[Graded]:
        """Two batches for the judge: the cited passages, then all others for the claims those do not bear out."""
        readings = [_Reading.of(item) for item in items]
        judged = self._judged(readings, lambda reading: reading.cited_pairs)
        judged |= self._judged(readings, lambda reading: reading.further_pairs(judged))
        found = self._on_target([(reading.item, reading.findings(judged)) for reading in readings])
        return [self._graded(reading, findings) for reading, findings in zip(readings, found, strict=True)]

    def _on_target(self, found: Sequence[tuple[Item, Findings]]) -> list[Findings]:
        """With whether the question is answered: as told by who has read it whole; else by scores, or by words."""
        if isinstance(self._judge, ReadsWhole):
            return [target.as_told(item, findings, self._judge.answers) for item, findings in found]
        asked = list(dict.fromkeys(one for item, findings in found for one in target.to_ask(item, findings)))
        said = self._judge.answering(asked) if asked else []
        words = iter(_WORDS.answering([one for one, score in zip(asked, said, strict=True) if score is None]))
        scores = {one: next(words) if score is None else score for one, score in zip(asked, said, strict=True)}
        return [target.settled(item, findings, scores) for item, findings in found]

    def _judged(self, readings: Sequence[_Reading], wanted: Callable[[_Reading], list[Pair]]) -> dict[Pair, Judgement]:
        found: dict[Pair, Judgement] = {}
        for judge, in_words in ((self._judge, False), (_WORDS, True)):
            pairs = [pair for reading in readings if reading.is_read_in_words == in_words for pair in wanted(reading)]
            distinct = list(dict.fromkeys(pairs))
            found.update(zip(distinct, judge.judge(distinct), strict=True))
        return found

    def _graded(self, reading: _Reading, findings: Findings) -> Graded:
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
    declining: Declining
    declines: bool = False  # as a whole or in part
    computed: dict[Pair, Judgement] = {}  # what sums decide, which no judge is asked

    @classmethod
    def of(cls, item: Item) -> _Reading:
        question, trace = item.question, item.trace
        passages = trace.sources
        answer = trace.answer or ""
        declining = Declining(question, passages)
        if trace.error or trace.answer is None:
            return cls(item, "error" if trace.error else "missing", None, (), None, passages, declining)
        if is_empty(answer):
            return cls(item, "empty", None, (), None, passages, declining)
        ids = trace.names
        field = None if trace.citations is None else resolve(trace.citations, ids, question.gold_ids)
        found: Claims = claims_of(answer, ids, question.gold_ids, field)
        claims = with_sources(without_method(question.text, found.claims))
        refusal = declining.refusal_in(answer)
        declines = refusal.value != "answered" or any(map(declining.is_declined_in, sentences(answer)))
        reading = cls(item, None, refusal, claims, found.citations, passages, declining, declines)
        return replace(reading, computed=dict(reading._worked_out()))

    @property
    def is_read_in_words(self) -> bool:
        """Where the documents are silent no answer is borne out; words tell what was taken from which passage."""
        return self.unusable is None and not self.declines and self.item.question.expects == "refusal"

    def is_hint(self, claim: Claim) -> bool:
        return self.declines and self.declining.is_hint(claim.text)

    @property
    def cited_pairs(self) -> list[Pair]:
        """Every claim against each passage it cites, and against all of those read together."""
        pairs = [pair for claim in self._to_be_read for pair in (*self._alone(claim), *self._together(claim))]
        return [pair for pair in pairs if pair not in self.computed]

    def further_pairs(self, judged: Judged) -> list[Pair]:
        """What is left open: the passages that were not cited, and the gold where words do not tell agreement."""
        judged = ChainMap(self.computed, judged)
        open_claims = [claim for claim in self._to_be_read if not self._borne_out(claim, judged)]
        found = [self._pair(claim, passage) for claim in open_claims for passage in self.passages]
        if self._to_be_read and self._agreement_in_words() == "silent":
            found += self._gold_pairs
        return [pair for pair in found if pair not in judged]

    @property
    def _to_be_read(self) -> tuple[Claim, ...]:
        return () if self.unusable or _untold(self.item.trace) else self.claims

    def _borne_out(self, claim: Claim, judged: Judged) -> bool:
        return any(judged[pair].label == "supported" for pair in (*self._alone(claim), *self._together(claim)))

    def _worked_out(self) -> Iterator[tuple[Pair, Judgement]]:
        """Every claim with a sum, or with the result of one, against each passage and against all that it cites."""
        working = working_of(self.item.question.text, self.claims)
        for place, claim in enumerate(self.claims if working.sums else ()):
            for pair in (*(self._pair(claim, passage) for passage in self.passages), *self._together(claim)):
                if found := worked_out(working, place, pair.passage):
                    yield pair, found

    def _pair(self, claim: Claim, passage: Passage) -> Pair:
        return Pair(passage.text, claim.text, passage.doc, self.item.question.text)

    def _alone(self, claim: Claim) -> list[Pair]:
        return [self._pair(claim, passage) for passage in self._cited(claim)]

    def _together(self, claim: Claim) -> list[Pair]:
        cited = self._cited(claim)
        texts, titles = "\n".join(passage.text for passage in cited), " ".join(passage.doc for passage in cited)
        return [Pair(texts, claim.text, titles, self.item.question.text)] if len(cited) > 1 else []

    @property
    def _gold_pairs(self) -> list[Pair]:
        gold = "\n".join(self.item.question.gold_claims)
        return [Pair(gold, claim.text, context=self.item.question.text) for claim in self.claims] if gold else []

    def _cited(self, claim: Claim) -> list[Passage]:
        return [passage for passage in self.passages if passage.id in claim.citations]

    def findings(self, judged: Judged) -> Findings:
        question = self.item.question
        judged = ChainMap(self.computed, judged)
        if self.unusable or self.refusal is None:
            return Findings(self.unusable, "answered", question.expects)
        # A refusal in another language says the rest of it in that language too.
        refused = self.refusal.value == "refused" and all(unreadable(claim.text) for claim in self.claims)
        if not refused and (unread := self._unread(judged)):
            return Findings("unreadable", self.refusal.value, question.expects, detail=unread)
        known = {passage.id for passage in self.passages}
        gold = self._agreement(judged)
        claims = tuple(self._claim(claim, judged, gold) for claim in self._to_be_read)
        refusal, claims = ("refused", ()) if refused else self._refusal(claims, gold)
        return Findings(
            unusable=None,
            refusal=refusal,
            expects=question.expects,
            claims=claims,
            gold="none" if refusal == "refused" else gold,
            off_subject=question.expects == "refusal",
            citations=self.citations,
            unknown=tuple(i for i in self.citations or () if i not in known),
        )

    def _refusal(
        self, claims: tuple[ClaimFinding, ...], gold: table.Gold
    ) -> tuple[RefusalValue, tuple[ClaimFinding, ...]]:
        """Declining and telling the nearest evidence is a refusal; what else is asserted is decided by the table."""
        declining = self.declining
        openings = dict(zip(claims, map(self._opening, self.claims), strict=False))
        asserted = tuple(claim for claim in claims if claim.supported or not declining.only_declines(claim.text))
        if len(asserted) == len(claims) and not self.declines:
            return "answered", claims
        near = {claim for claim in asserted if declining.is_near_evidence(claim, openings[claim])}
        is_told = any(declining.is_about(claim.text) for claim in asserted) and self.item.question.expects == "answer"
        answers = is_told and (gold == "agrees" or (gold == "none" and self._answers_first))
        if len(near) == len(set(asserted)) and not answers:
            return "refused", ()
        return "partial", tuple(claim for claim in asserted if claim.supported or claim not in near)

    def _opening(self, claim: Claim) -> str:
        """What the sentence of a claim says before it."""
        sentence = (self.item.trace.answer or "")[claim.start : claim.end]
        return sentence.partition(" ".join(claim.text.split()[:3]))[0]

    @property
    def _answers_first(self) -> bool:
        """Whether the thing asked is told before it is declined: an answer in part rather than the nearest evidence."""
        told = [claim for claim in self.claims if self.refusal and claim.end <= self.refusal.start]
        return any(self.declining.is_about(claim.text) for claim in told)

    def _unread(self, judged: Judged) -> str:
        """Why a claim stays open: the judge could not read it or its passages, and no other passage decides."""
        if self.refusal is not None and self.refusal.value != "refused" and (untold := _untold(self.item.trace)):
            return untold
        for claim in self._to_be_read:
            pairs = (*self._together(claim), *(self._pair(claim, passage) for passage in self.passages))
            found = [judged[pair] for pair in pairs if pair in judged]
            reasons = [one.reason for one in found if one.label is None and one.reason]
            if reasons and not any(one.label in ("supported", "contradicted") for one in found):
                return reasons[0]
        return ""

    def _agreement_in_words(self) -> table.Gold:
        question = self.item.question
        return agreement(question.text, question.gold_claims, self.item.trace.answer or "", self.claims)

    def _agreement(self, judged: Judged) -> table.Gold:
        """By words; where those are silent, by what the judge reads in the gold."""
        found = self._agreement_in_words()
        read = [judged[pair] for pair in self._gold_pairs if pair in judged] if found == "silent" else []
        if any(one.label == "contradicted" and one.confidence >= PLAINLY for one in read):
            question = self.item.question
            is_other = of_other_dimensions(question.text, question.gold_claims, self.claims)
            return "silent" if is_other else "conflicts"
        return "agrees" if any(one.label == "supported" for one in read) else found

    def _claim(self, claim: Claim, judged: Judged, gold: table.Gold) -> ClaimFinding:
        by_passage = {
            passage.id: _reconciled(pair, judged.get(pair, _UNREAD), gold)
            for passage in self.passages
            for pair in [self._pair(claim, passage)]
        }
        cited = [by_passage[passage.id] for passage in self._cited(claim)]
        joined = [_reconciled(pair, judged[pair], gold) for pair in self._together(claim)]
        together = joined or cited[:1] or [_UNREAD]
        alone = tuple(judgement.support for judgement in cited)
        support = best(by_passage, "supported")
        against = self._contradiction(claim, by_passage)
        together_label = "supported" if "supported" in alone else together[0].support
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
        if (found := best(cited, "contradicted")) or self.item.question.expects == "refusal":
            return found
        found = best(judged, "contradicted")
        return found if found and found[1].confidence >= PLAINLY else None


def _untold(trace: Trace) -> str:
    """Why there is nothing to read an answer against, or nothing. An empty list says that nothing was retrieved."""
    if trace.retrieved is None:
        return "what was retrieved is not told: give the texts of the passages, or an empty list if there were none"
    blank = [passage for passage in trace.retrieved if not passage.text.strip()]
    if lacking := next((passage for passage in blank if passage.id), None):
        return f"the passage {lacking.id[:80]!r} has no text: give the texts of the passages, not their ids alone"
    return "the passages have no text" if blank and len(blank) == len(trace.retrieved) else ""


def _reconciled(pair: Pair, judgement: Judgement, gold: table.Gold) -> Judgement:
    """What agrees with the gold needs less to be borne out: a judge that is not sure against it is overruled."""
    unsure = judgement.label != "supported" and judgement.probabilities and judgement.confidence < PLAINLY
    if gold != "agrees" or not unsure or not judgement.probabilities:
        return judgement
    if judgement.probabilities[0] >= LIKELY_WITH_GOLD or figures_written(f"{pair.title}\n{pair.passage}", pair.claim):
        return replace(judgement, label="supported", confidence=judgement.probabilities[0])
    by_words = _WORDS.judge([pair])[0]
    return by_words if judgement.label == "contradicted" and by_words.label == "supported" else judgement


def _verdicts(
    reading: _Reading, findings: Findings, bucket: table.Bucket | None, reason: str, grader: str
) -> Iterator[Verdict]:
    """The five axes; one that does not apply to the answer is absent."""
    trace = reading.item.trace
    evidence = tuple(claim.evidence for claim in findings.claims)
    sure = [claim.confidence for claim in findings.claims if claim.confidence is not None]

    def row(axis: str, value: str | int | None, why: str = "") -> Verdict:
        return Verdict(reading.item.question.id, axis, value, grader, trace.attempt, reason=why)

    reason = f"{reason}, partial refusal" if findings.refusal == "partial" else reason
    factuality = row("factuality", bucket, reason)
    yield replace(factuality, confidence=min(sure) if sure else None, evidence=evidence)
    if findings.unusable:
        return
    if findings.citations:
        yield row("citation_exists", "no" if findings.unknown else "yes", ", ".join(findings.unknown))
        if findings.claims:
            yield row("citation_supports", citation_supports(findings))
    uncited = sum(not claim.citations for claim in reading.claims if not reading.is_hint(claim))
    if reading.refusal is not None and findings.refusal == "refused":
        quality = refusal_quality(reading.item)
        yield replace(row("refusal_quality", quality.level, quality.reason), evidence=quality.evidence)
    yield row("extra_claim_count", uncited)


def citation_supports(findings: Findings) -> str:
    """yes only if every cited passage, read alone, supports the claim it is attached to."""
    alone = [label for claim in findings.claims for label in claim.by_cited]
    if not alone or not any(label == "supported" for label in alone):
        return "no"
    complete = all(label == "supported" for label in alone) and not findings.unknown
    return "yes" if complete else "partly"
