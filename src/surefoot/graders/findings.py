"""An answer taken apart: its refusal, claims, citations and support become findings."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core import table
from surefoot.core.table import ClaimFinding, Findings
from surefoot.core.types import Evidence, Expects, Item, Passage, Question, RefusalValue, Support, Trace
from surefoot.graders.cells import cell_check
from surefoot.graders.figures import sums_of, worked_out
from surefoot.graders.gold import agreement
from surefoot.graders.judges import Judgement, Pair, best
from surefoot.graders.refusals import Declining
from surefoot.graders.rules import Rules
from surefoot.text.citations import resolve
from surefoot.text.claims import Claim, Claims, claims_of, quotations, stands_in, unwrapped
from surefoot.text.normal import is_terse, names, normalise, opens_with_yes_no, phrase, terms, unreadable, vocabulary
from surefoot.text.numbers import amounts_of, quantities
from surefoot.text.refusals import NEAR_SOURCE, Refusal, asks_back, before_verb, figures, stated
from surefoot.text.tables import units_of

PLAINLY, LIKELY, LIKELY_WITH_GOLD = 0.75, 0.5, 0.3
_TOLD_BY, _AT_ODDS = phrase("told_by"), phrase("at_odds")
_MODEL = re.compile(r"\b[A-Z][\w-]*[ -]\d+\b")
_ASKED, _TOUCHED = 0.5, 0.2  # of the question's words
_TAKEN, _TAKEN_WITH_FIGURES = 0.8, 0.4  # of the words that a claim adds to the question
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
    text: str = ""  # of the answer, without its citations
    marked: str = ""  # the same with a sign for each citation
    quotations: tuple[tuple[int, int, str], ...] = ()
    computed: dict[Pair, Judgement] = {}  # what sums decide, which no judge is asked

    @classmethod
    def of(cls, item: Item, in_english: bool = False) -> AnswerParts:
        """With `in_english`, an answer in another language is left unread, unless it is a refusal."""
        question, trace = item.question, item.trace
        passages = trace.sources
        answer = trace.answer or ""
        declining = Declining(question, passages)
        if trace.error or trace.answer is None:
            return cls(item, "error" if trace.error else "missing", None, (), None, passages, declining)
        ids, texts = trace.names, trace.retrieved or ()
        field = None if trace.citations is None else resolve(trace.citations, ids, question.gold_ids, texts)
        # Gold claims tell whether a bare yes or no is right; without them it has to be read.
        asked = "" if question.gold_claims or question.expects == "refusal" else question.text
        found: Claims = claims_of(answer, ids, question.gold_ids, field, texts, asked)
        if not found.text:
            return cls(item, "empty", None, (), None, passages, declining)
        claims = tuple(_without_source(claim, question, passages) for claim in found.claims)
        refusal = declining.refusal_in(found.marked)
        declines = refusal.value != "answered"
        is_foreign = in_english and refusal.value != "refused" and unreadable(found.text) == "not English"
        why, quoted = "language" if is_foreign else None, tuple(quotations(unwrapped(answer)))
        texts_read = (found.text, found.marked, quoted)
        reading = cls(item, why, refusal, claims, found.citations, passages, declining, declines, *texts_read)
        return replace(reading, computed=dict(reading._worked_out()))

    def is_hint(self, claim: Claim) -> bool:
        return self.declines and bool(NEAR_SOURCE.match(claim.sentence) or self.declining.is_hint(claim.text))

    def cited_pairs(self, judged: Judged) -> list[Pair]:
        """Every claim against each passage it cites."""
        return self._fresh((pair for claim in self.to_be_read for pair in self._alone(claim)), judged)

    def joined_pairs(self, judged: Judged) -> list[Pair]:
        """Claims that no passage they cite supports alone, against all of these read together."""
        return self._fresh((pair for claim in self._open(judged) for pair in self._together(claim)), judged)

    def further_pairs(self, judged: Judged) -> list[Pair]:
        """What is left open: the passages that were not cited, and the gold where words do not tell agreement."""
        found = [self._pair(claim, passage) for claim in self._open(judged) for passage in self.passages]
        if self.to_be_read and self._agreement_in_words(self.claims) == "silent":
            found += self._gold_pairs
        return self._fresh(found, judged)

    def _fresh(self, pairs: Iterable[Pair], judged: Judged) -> list[Pair]:
        return [pair for pair in pairs if pair not in self.computed and pair not in judged]

    @property
    def to_be_read(self) -> tuple[Claim, ...]:
        return () if self.unusable or _lacks_sources(self.item.trace) else self.claims

    def _open(self, judged: Judged) -> list[Claim]:
        """The claims that nothing they cite supports, as far as it was read."""
        known = ChainMap(self.computed, judged)

        def is_supported(claim: Claim) -> bool:
            pairs = (*self._alone(claim), *self._together(claim))
            return any(known.get(pair, _UNREAD).label == "supported" for pair in pairs)

        return [claim for claim in self.to_be_read if not is_supported(claim)]

    def _worked_out(self) -> Iterator[tuple[Pair, Judgement]]:
        """Every claim with a sum, or with the result of one, against each passage and against all that it cites."""
        said = "\n".join(claim.text for claim in self.claims)
        for claim in self.claims if sums_of(said) or "%" in said else ():
            for pair in (*(self._pair(claim, passage) for passage in self.passages), *self._together(claim)):
                if found := worked_out(self.item.question.text, said, claim.text, pair.passage):
                    yield pair, found

    def _pair(self, claim: Claim, passage: Passage) -> Pair:
        return Pair(passage.text, claim.text, passage.doc, self._context(claim))

    def _context(self, claim: Claim) -> str:
        """The question, for a claim that cannot be read without it; it must not sway how any other is read."""
        asked = self.item.question.text
        repeats = any(one.agrees(other) for one in figures(asked) for other in figures(claim.text))
        has_own_subject = bool(vocabulary(before_verb(claim.text)) - vocabulary(asked))
        return asked if repeats or (is_terse(claim.text) and not has_own_subject) else ""

    def _alone(self, claim: Claim) -> list[Pair]:
        return [self._pair(claim, passage) for passage in self._cited(claim)]

    def _together(self, claim: Claim) -> list[Pair]:
        cited = self._cited(claim)
        texts, titles = "\n".join(passage.text for passage in cited), " ".join(passage.doc for passage in cited)
        return [Pair(texts, claim.text, titles, self._context(claim))] if len(cited) > 1 else []

    @property
    def _gold_pairs(self) -> list[Pair]:
        gold = "\n".join(self.item.question.gold_claims)
        return [Pair(gold, claim.text, context=self.item.question.text) for claim in self.claims] if gold else []

    def _cites_gold(self) -> bool:
        """A gold passage is cited, or one that has its text or speaks of the same thing."""
        question, cited = self.item.question, [one for one in self.passages if one.id in (self.citations or ())]
        gold = [passage for passage in self.passages if passage.id in question.gold_ids]
        if not question.gold_ids or not question.gold_claims or not cited or any(one in gold for one in cited):
            return True
        texts = [normalise(passage.text) for passage in gold if passage.text.strip()]
        return any(
            any(text in normalise(one.text) for text in texts) or not _is_about_another(one, question, gold)
            for one in cited
        )

    def _cited(self, claim: Claim) -> list[Passage]:
        return [passage for passage in self.passages if passage.id in claim.citations]

    def findings(self, judged: Judged) -> Findings:
        question = self.item.question
        judged = ChainMap(self.computed, judged)
        if self.unusable or self.refusal is None:
            why = "the answer is not English" if self.unusable == "language" else ""
            return Findings(self.unusable, "answered", question.expects, detail=why)
        # A refusal in another language says the rest of it in that language too.
        refused = self.refusal.value == "refused" and all(unreadable(claim.text) for claim in self.claims)
        if not refused and (unread := self._unread(judged)):
            why = "language" if unread.endswith("is not English") else "unreadable"
            return Findings(why, self.refusal.value, question.expects, detail=unread)
        gold = self._agreement(judged, self.claims)
        claims = tuple(self._claim(claim, judged, gold) for claim in self.to_be_read)
        refusal, claims = ("refused", ()) if refused else self._refusal(claims, gold)
        return Findings(
            unusable=None,
            refusal=refusal,
            expects=question.expects,
            claims=claims,
            gold="none" if refusal == "refused" else gold,
            gold_of_cited=self._agreement(judged, tuple(claim for claim in self.claims if claim.citations)),
            cites_gold=self._cites_gold(),
            citations=self.citations,
            unknown=tuple(i for i in self.citations or () if i not in {one.id for one in self.passages}),
            flags=tuple(self._flags(refusal, claims)),
        )

    def _flags(self, refusal: RefusalValue, claims: tuple[ClaimFinding, ...]) -> Iterator[str]:
        if refusal == "partial":
            yield "partial refusal"
        if refusal == "refused" and asks_back(self.text):
            yield "asks_back"
        sources = {claim.citations for claim in claims if claim.citations}
        if any(len(set(claim.by_cited)) > 1 and "contradicted" in claim.by_cited for claim in claims) or (
            len(sources) > 1 and _AT_ODDS.search(self.text)
        ):
            yield "conflicting_sources"

    def _refusal(
        self, claims: tuple[ClaimFinding, ...], gold: table.Gold
    ) -> tuple[RefusalValue, tuple[ClaimFinding, ...]]:
        """Declining with the nearest evidence is a refusal; whatever else is asserted, the table decides."""
        declining = self.declining
        if not self.declines:
            return "answered", claims
        if asks_back(self.text):
            return "refused", ()
        sentences = dict(zip(claims, (claim.sentence for claim in self.claims), strict=False))
        asserted = tuple(claim for claim in claims if not NEAR_SOURCE.match(sentences[claim]))
        near = {claim for claim in asserted if declining.is_near_evidence(claim)}
        is_on_topic = bool(asserted) and self.item.question.expects != "refusal"
        answers = is_on_topic and (gold == "agrees" or (gold == "none" and self._answers_first))
        if len(near) == len(set(asserted)) and not answers:
            return "refused", ()
        return "partial", tuple(claim for claim in asserted if claim.supported or claim not in near)

    @property
    def _answers_first(self) -> bool:
        """The answer comes before it is declined: an answer in part rather than the nearest evidence."""
        declined = re.sub(r"\s*\[\*\]", "", self.marked[: self.refusal.start]) if self.refusal else ""
        return any(claim.sentence in declined for claim in self.claims)

    def _unread(self, judged: Judged) -> str:
        """Why a claim stays open: the judge could not read it or its passages, and no other that it cites decides."""
        if self.refusal is not None and self.refusal.value != "refused" and (reason := _lacks_sources(self.item.trace)):
            return reason
        for claim in self.to_be_read:
            cited = (*self._alone(claim), *self._together(claim))
            for pairs in (cited, (*cited, *(self._pair(claim, passage) for passage in self.passages))):
                found = [judged[pair] for pair in pairs if pair in judged]
                reasons = [one.reason for one in found if one.label is None and one.reason]
                if reasons and not any(one.label in ("supported", "contradicted") for one in found):
                    return reasons[0]
        return ""

    def _agreement_in_words(self, claims: tuple[Claim, ...]) -> table.Gold:
        question = self.item.question
        return _agreement(question.text, question.gold_claims, self.text, claims)

    def _agreement(self, judged: Judged, claims: tuple[Claim, ...]) -> table.Gold:
        """By words; where those are silent, by what the judge reads in the gold. A claim that only repeats words of the
        question answers nothing, whatever the gold says."""
        if not claims and not opens_with_yes_no(self.text):
            return "silent" if self.item.question.gold_claims else "none"
        found, asked = self._agreement_in_words(claims), set(terms(self.item.question.text))
        if found == "conflicts" and len({claim.citations for claim in claims if claim.citations}) > 1:
            # Sources that disagree are told side by side.
            alone = [self._agreement_in_words((claim,)) for claim in claims if claim.citations]
            found = "agrees" if "agrees" in alone else found
        said = {claim.text for claim in claims}
        pairs = [pair for pair in self._gold_pairs if pair in judged and not asked >= set(terms(pair.claim))]
        read = [judged[pair] for pair in pairs if pair.claim in said] if found == "silent" else []
        if any(one.label == "contradicted" and one.confidence >= PLAINLY for one in read):
            return "conflicts"
        return "agrees" if any(one.label == "supported" for one in read) else found

    def _claim(self, claim: Claim, judged: Judged, gold: table.Gold) -> ClaimFinding:
        by_passage = {
            passage.id: _reconciled(pair, judged.get(pair, _UNREAD), gold, self.item.question.expects)
            for passage in self.passages
            for pair in [self._pair(claim, passage)]
        }
        cited = [by_passage[passage.id] for passage in self._cited(claim)]
        joined = [
            _reconciled(pair, judged[pair], gold, self.item.question.expects)
            for pair in self._together(claim)
            if pair in judged
        ]
        together = joined or cited[:1] or [_UNREAD]
        alone = tuple(judgement.support for judgement in cited)
        support = best(by_passage, "supported")
        against = self._contradiction(claim, by_passage)
        together_label = "supported" if "supported" in alone else together[0].support
        taken = self.item.question.expects == "refusal" and self._is_misattributed(claim, bool(support))
        retrieved: Support = "not_enough"
        if support or together_label == "supported":
            retrieved = "supported"
        elif against and not taken:
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
            is_misattributed=taken,
            is_misquoted=self._is_misquoted(claim),
        )

    def _is_misquoted(self, claim: Claim) -> bool:
        """It quotes what neither its sources have nor the question; without a citation any passage may have it."""
        sources = [*(passage.text for passage in self._cited(claim) or self.passages), self.item.question.text]
        return any(
            start < claim.end and claim.start < end and not any(stands_in(quotation, text) for text in sources)
            for start, end, quotation in self.quotations
        )

    def _is_misattributed(self, claim: Claim, is_supported: bool) -> bool:
        """It says of what was asked what a passage says of something else: it has the passage's words, but leaves out
        whom they are about, or puts in the question's subject."""
        asked, said = set(terms(self.item.question.text)), set(terms(claim.text))
        known = quantities(self.item.question.text)
        values = [one for one in amounts_of(claim.text) if not any(one.agrees(other) for other in known)]
        new, least = said - asked, _TAKEN_WITH_FIGURES if values else _TAKEN
        from_passage = [
            unit
            for passage in self.passages
            for unit in units_of(passage.text)
            if len(new & unit.terms) >= least * len(new)
            and all(any(one.agrees(other) for other in unit.quantities) for one in values)
        ]
        if not (new or values) or not from_passage:
            return False
        if is_terse(claim.text) or not before_verb(claim.text):
            return len(self.claims) == 1
        shared = len(asked & said) / max(1, len(asked))
        if not is_supported:
            return shared >= _ASKED
        source = max(from_passage, key=lambda unit: (len(unit.terms & said), -len(unit.terms)))
        is_quoted = len(source.terms & said) >= _TAKEN * len(source.terms)
        return not (is_quoted or self._has_own_subject(claim, source.text)) and shared >= _TOUCHED

    def _has_own_subject(self, claim: Claim, source: str) -> bool:
        """Of its source, told apart from what was asked: by a name, a number behind one, or in the source's words."""
        asked, subject = self.item.question.text, before_verb(claim.text)
        new = vocabulary(subject) - vocabulary(asked)
        is_other = any(name in new for name in names(f"- {subject}"))
        is_numbered = any(found not in asked for found in _MODEL.findall(subject))
        return is_other or is_numbered or (bool(new) and new <= vocabulary(before_verb(source)))

    def _contradiction(self, claim: Claim, judged: dict[str, Judgement]) -> tuple[str, Judgement] | None:
        """A passage that was not cited must be plainly about the claim to contradict it; where the documents are
        silent, only a cited one can."""
        cited = {name: judgement for name, judgement in judged.items() if name in claim.citations}
        found = best(cited, "contradicted")
        if (found and found[1].confidence >= LIKELY) or self.item.question.expects == "refusal":
            return found
        found = best(judged, "contradicted")
        return found if found and found[1].confidence >= PLAINLY else None


def _without_source(claim: Claim, question: Question, passages: Sequence[Passage]) -> Claim:
    """What a claim says, where it names its source in words of neither that nor the question ("Report A gives")."""
    told = _TOLD_BY.match(claim.text) if claim.citations else None
    around = [question.text, *(passage.text for passage in passages if passage.id in claim.citations)]
    source = set(terms(told["source"])) if told else set()
    return replace(claim, text=told["said"]) if told and source and not source & set(terms(" ".join(around))) else claim


def _is_about_another(passage: Passage, question: Question, gold: Sequence[Passage]) -> bool:
    """A name of the question that gold passages have is not in it; or what it says in words or figures of the gold has
    a subject that stands in neither question nor gold."""
    known = set(terms(" ".join([question.text, *question.gold_claims, *map(_with_title, gold)])))
    named = set(names(question.text)) & set(terms(" ".join(map(_with_title, gold))))
    wanted = vocabulary(" ".join(question.gold_claims))
    units = [unit.text for unit in units_of(passage.text) if len(unit.sentences) == 1]
    said = max(units, key=lambda unit: len(wanted & vocabulary(unit)), default="")
    subject = before_verb(stated(said.rpartition(": ")[2]) or said)
    there, of_gold = _with_title(passage), " ".join(map(_with_title, gold))
    is_other = any(model in of_gold and model not in there for model in _MODEL.findall(question.text))
    return is_other or any(term not in known for term in terms(subject)) or not named <= set(terms(there))


def _with_title(passage: Passage) -> str:
    return f"{passage.id} {passage.doc} {passage.text}"


def _lacks_sources(trace: Trace) -> str:
    """Why there is nothing to read an answer against, or nothing. An empty list says that nothing was retrieved."""
    if trace.retrieved is None:
        return "it is not known what was retrieved: give the texts of the passages, or an empty list if there were none"
    blank = [passage for passage in trace.retrieved if not passage.text.strip()]
    if lacking := next((passage for passage in blank if passage.id), None):
        return f"the passage {lacking.id[:80]!r} has no text: give the texts of the passages, or --corpus"
    return "the passages have no text" if blank and len(blank) == len(trace.retrieved) else ""


def _reconciled(pair: Pair, judgement: Judgement, gold: table.Gold, expects: Expects = "answer") -> Judgement:
    """What agrees with the gold needs less support: a judge that is not sure against it is overruled. Where a refusal
    is expected, words overrule one that is not sure: to quote a passage is not to invent. However sure a judge is, the
    figure of another cell of a table is not the one that was named."""
    is_other_cell = cell_check(pair.passage, pair.claim, pair.context) == "conflicts"
    if judgement.label == "supported":
        is_open = gold != "agrees" and judgement.confidence < PLAINLY
        by_words = WORDS.judge([pair])[0] if is_open or is_other_cell else judgement
        return by_words if by_words.label == "contradicted" else judgement
    silent, given = expects == "refusal", judgement.probabilities
    if not given or judgement.confidence >= PLAINLY or (gold != "agrees" and not silent):
        return judgement
    if not silent and given[0] >= LIKELY_WITH_GOLD and not is_other_cell:
        return replace(judgement, label="supported", confidence=given[0])
    by_words = WORDS.judge([pair])[0]
    return by_words if (silent or judgement.label == "contradicted") and by_words.label == "supported" else judgement
