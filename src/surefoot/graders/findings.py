"""An answer taken apart: its refusal, claims, citations and support become findings."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, MutableMapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from surefoot import table
from surefoot.graders.declines import Declining
from surefoot.graders.gold import agreement, of_other_dimensions
from surefoot.graders.judges import Judgement, Pair, best
from surefoot.graders.rules import Rules
from surefoot.graders.sums import figures_written, with_sources, without_method, worked_out, working_of
from surefoot.table import ClaimFinding, Findings
from surefoot.text.citations import resolve
from surefoot.text.claims import Claim, Claims, claims_of
from surefoot.text.language import unreadable
from surefoot.text.normal import is_empty
from surefoot.text.refusals import Refusal
from surefoot.text.sentences import sentences
from surefoot.text.terms import terms
from surefoot.types import Evidence, Item, Passage, RefusalValue, Support, Trace

PLAINLY = 0.75
LIKELY_WITH_GOLD = 0.3
Judged = MutableMapping[Pair, Judgement]
WORDS = Rules()  # reads where no model should
_UNREAD = Judgement("not_enough")
_agreement = lru_cache(maxsize=1_000)(agreement)  # needed to choose pairs, and again once they are read


class AnswerParts(Struct, frozen=True):
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
    def of(cls, item: Item) -> AnswerParts:
        question, trace = item.question, item.trace
        passages = trace.sources
        answer = trace.answer or ""
        declining = Declining(question, passages)
        if trace.error or trace.answer is None:
            return cls(item, "error" if trace.error else "missing", None, (), None, passages, declining)
        if is_empty(answer):
            return cls(item, "empty", None, (), None, passages, declining)
        ids, texts = trace.names, trace.retrieved or ()
        field = None if trace.citations is None else resolve(trace.citations, ids, question.gold_ids, texts)
        # Gold claims tell whether a bare yes or no is right; without them it has to be read.
        asked = "" if question.gold_claims or question.expects == "refusal" else question.text
        found: Claims = claims_of(answer, ids, question.gold_ids, field, texts, asked)
        claims = with_sources(without_method(question.text, found.claims))
        refusal = declining.refusal_in(answer)
        declines = refusal.value != "answered" or any(map(declining.is_declined_in, sentences(answer)))
        reading = cls(item, None, refusal, claims, found.citations, passages, declining, declines)
        return replace(reading, computed=dict(reading._worked_out()))

    @property
    def is_read_in_words(self) -> bool:
        """Where the documents are silent nothing supports an answer; words show what was taken from which passage."""
        return self.unusable is None and not self.declines and self.item.question.expects == "refusal"

    def is_hint(self, claim: Claim) -> bool:
        return self.declines and self.declining.is_hint(claim.text)

    def cited_pairs(self, judged: Judged) -> list[Pair]:
        """Every claim against each passage it cites."""
        return self._fresh((pair for claim in self._to_be_read for pair in self._alone(claim)), judged)

    def joined_pairs(self, judged: Judged) -> list[Pair]:
        """Claims that no passage they cite supports alone, against all of these read together."""
        return self._fresh((pair for claim in self._open(judged) for pair in self._together(claim)), judged)

    def further_pairs(self, judged: Judged) -> list[Pair]:
        """What is left open: the passages that were not cited, and the gold where words do not tell agreement."""
        found = [self._pair(claim, passage) for claim in self._open(judged) for passage in self.passages]
        if self._to_be_read and self._agreement_in_words() == "silent":
            found += self._gold_pairs
        return self._fresh(found, judged)

    def _fresh(self, pairs: Iterable[Pair], judged: Judged) -> list[Pair]:
        return [pair for pair in pairs if pair not in self.computed and pair not in judged]

    @property
    def _to_be_read(self) -> tuple[Claim, ...]:
        return () if self.unusable or _lacks_sources(self.item.trace) else self.claims

    def _open(self, judged: Judged) -> list[Claim]:
        """The claims that nothing they cite supports, as far as it was read."""
        known = ChainMap(self.computed, judged)

        def is_supported(claim: Claim) -> bool:
            pairs = (*self._alone(claim), *self._together(claim))
            return any(known.get(pair, _UNREAD).label == "supported" for pair in pairs)

        return [claim for claim in self._to_be_read if not is_supported(claim)]

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
        """Declining with the nearest evidence is a refusal; whatever else is asserted, the table decides."""
        declining = self.declining
        openings = dict(zip(claims, map(self._opening, self.claims), strict=False))
        asserted = tuple(claim for claim in claims if claim.supported or not declining.only_declines(claim.text))
        if len(asserted) == len(claims) and not self._still_declines(claims):
            return "answered", claims
        near = {claim for claim in asserted if declining.is_near_evidence(claim, openings[claim])}
        is_on_topic = (
            any(declining.is_about(claim.text) for claim in asserted) and self.item.question.expects == "answer"
        )
        answers = is_on_topic and (gold == "agrees" or (gold == "none" and self._answers_first))
        if len(near) == len(set(asserted)) and not answers:
            return "refused", ()
        return "partial", tuple(claim for claim in asserted if claim.supported or claim not in near)

    def _still_declines(self, claims: tuple[ClaimFinding, ...]) -> bool:
        """What only sounds like declining is an answer where the passages bear it out."""
        denied = [claim for claim in claims if self.declining.is_declined_in(claim.text)]
        sounds = self.refusal is not None and self.refusal.value == "answered" and bool(denied)
        return self.declines and not (sounds and all(map(self.declining.is_denial, denied)))

    def _opening(self, claim: Claim) -> str:
        """What the sentence of a claim says before it."""
        sentence = (self.item.trace.answer or "")[claim.start : claim.end]
        return sentence.partition(" ".join(claim.text.split()[:3]))[0]

    @property
    def _answers_first(self) -> bool:
        """The answer comes before it is declined: an answer in part rather than the nearest evidence."""
        before = [claim for claim in self.claims if self.refusal and claim.end <= self.refusal.start]
        return any(self.declining.is_about(claim.text) for claim in before)

    def _unread(self, judged: Judged) -> str:
        """Why a claim stays open: the judge could not read it or its passages, and no other passage decides."""
        if self.refusal is not None and self.refusal.value != "refused" and (reason := _lacks_sources(self.item.trace)):
            return reason
        for claim in self._to_be_read:
            pairs = (*self._together(claim), *(self._pair(claim, passage) for passage in self.passages))
            found = [judged[pair] for pair in pairs if pair in judged]
            reasons = [one.reason for one in found if one.label is None and one.reason]
            if reasons and not any(one.label in ("supported", "contradicted") for one in found):
                return reasons[0]
        return ""

    def _agreement_in_words(self) -> table.Gold:
        question = self.item.question
        return _agreement(question.text, question.gold_claims, self.item.trace.answer or "", self.claims)

    def _agreement(self, judged: Judged) -> table.Gold:
        """By words; where those are silent, by what the judge reads in the gold. A claim that only repeats words of the
        question answers nothing, whatever the gold says."""
        found, asked = self._agreement_in_words(), set(terms(self.item.question.text))
        pairs = [pair for pair in self._gold_pairs if pair in judged and not asked >= set(terms(pair.claim))]
        read = [judged[pair] for pair in pairs] if found == "silent" else []
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
        joined = [_reconciled(pair, judged[pair], gold) for pair in self._together(claim) if pair in judged]
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
        read_in, quote = (decisive[0], decisive[1].quote) if decisive else ("", "")
        return ClaimFinding(
            claim.text,
            claim.citations,
            known=all(i in by_passage for i in claim.citations),
            by_cited=alone,
            by_cited_together=together_label,
            by_retrieved=retrieved,
            evidence=Evidence(claim.text, read_in, quote, retrieved),
            confidence=decisive[1].confidence if decisive else None,
            supporting=tuple(name for name, judgement in by_passage.items() if judgement.label == "supported"),
        )

    def _contradiction(self, claim: Claim, judged: dict[str, Judgement]) -> tuple[str, Judgement] | None:
        """A passage that was not cited must be plainly about the claim to contradict it; where the documents are
        silent, only a cited one can."""
        cited = {name: judgement for name, judgement in judged.items() if name in claim.citations}
        if (found := best(cited, "contradicted")) or self.item.question.expects == "refusal":
            return found
        found = best(judged, "contradicted")
        return found if found and found[1].confidence >= PLAINLY else None


def _lacks_sources(trace: Trace) -> str:
    """Why there is nothing to read an answer against, or nothing. An empty list says that nothing was retrieved."""
    if trace.retrieved is None:
        return "it is not known what was retrieved: give the texts of the passages, or an empty list if there were none"
    blank = [passage for passage in trace.retrieved if not passage.text.strip()]
    if lacking := next((passage for passage in blank if passage.id), None):
        return f"the passage {lacking.id[:80]!r} has no text: give the texts of the passages, or --corpus"
    return "the passages have no text" if blank and len(blank) == len(trace.retrieved) else ""


def _reconciled(pair: Pair, judgement: Judgement, gold: table.Gold) -> Judgement:
    """What agrees with the gold needs less support: a judge that is not sure against it is overruled."""
    unsure = judgement.label != "supported" and judgement.probabilities and judgement.confidence < PLAINLY
    if gold != "agrees" or not unsure or not judgement.probabilities:
        return judgement
    if judgement.probabilities[0] >= LIKELY_WITH_GOLD or figures_written(f"{pair.title}\n{pair.passage}", pair.claim):
        return replace(judgement, label="supported", confidence=judgement.probabilities[0])
    by_words = WORDS.judge([pair])[0]
    return by_words if judgement.label == "contradicted" and by_words.label == "supported" else judgement
