"""An answer that declines, and says more: is that the nearest evidence, or an answer of its own?

Telling what the passages do say, or where to ask, is part of declining. What they do not bear out is a claim, and it is
decided by the table like any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from surefoot.graders.refusal_clauses import clauses_of
from surefoot.graders.refusal_elements import Subject, next_step, reported
from surefoot.table import ClaimFinding
from surefoot.text.quantities import Quantity
from surefoot.text.talk import figures, is_talk, leads_on, substance, without_references
from surefoot.text.terms import terms
from surefoot.types import Passage, Question, Trace

# How much of what a claim adds to the question stands in the passages. A citation, or figures that all stand there,
# show where it is from, so that its words may be freer.
_GROUNDED, _FREER = 0.6, 0.4
_PLAINLY = 0.75
_ABSENCE = re.compile(
    r"\b(?:not|no|nothing|none|neither|nowhere|never|without|\w+n['’]t|cannot|nobody|no one|absent|missing|lack\w*|"
    r"silent|un(?:clear|known|resolved|answered|specified|mentioned|regulated)|outside|beyond|in vain|blank|gap|"
    r"in the dark|thin|doubt|absence|instead)\b",
    re.IGNORECASE,
)
_OF_SOURCES = re.compile(
    r"\bI\b|^\W*(?:[Ii]t|[Tt]hey)\b|\b(?:[Nn]either|[Nn]one|me|my|we|us|here\W*$|there\W*$|excerpts?|passages?|"
    r"sections?|clauses?|rules?|articles?|points?|pages?|paragraphs?|texts?|documents?|materials?|extracts?|conditions|"
    r"guides?|manuals?|reports?|leaflets?|polic(?:y|ies)|agreements?|bulletins?|terms|wording|instructions|information|"
    r"questions?|words?|statements?|mention\w*|sources?|said|trace|answer)\b"
)
_CLAUSES = re.compile(r"[;:]\s|,?\s(?:but|yet|so|though)\s")
# "No, ..." answers; "no mention of it" does not.
_YES_NO = re.compile(
    r"\W*(?:and |but |so )?(?:yes|no)\b(?! (?:\w+ ){0,2}?(?:source|mention|information|word|answer|figure|statement|"
    r"rule|clause|passage|trace|sign|hint|detail)s?\b)",
    re.IGNORECASE,
)
# What rules do: "the lease does not allow dogs" is an answer, "dogs are no topic of the lease" is none.
_RULING = re.compile(
    r"\b(?:allow|permit|requir|prohibit|forbid|ban|cover|includ|exclud|insur|refund|entitl|must|may|shall|oblig|liable|"
    r"valid|appl)\w*",
    re.IGNORECASE,
)


class Declining:
    """A question and the passages that were found for it: what declining it looks like."""

    def __init__(self, question: Question, passages: Sequence[Passage]) -> None:
        self._asked, self._question, self._passages = question, question.text, passages
        self._terms = set(terms(question.text))
        self._titles = {term for passage in passages for term in terms(passage.doc)} - self._terms

    @cached_property
    def _sources(self) -> str:
        return " ".join(f"{passage.doc} {passage.text}" for passage in self._passages)

    @cached_property
    def _subject(self) -> Subject:
        return Subject.of(self._asked, self._passages)

    def is_declined_in(self, text: str) -> bool:
        """Whether a sentence says of the thing asked that it is not in the sources."""
        return any(map(self._is_absent, _CLAUSES.split(text)))

    def _is_absent(self, text: str) -> bool:
        said = set(terms(text))
        if figures(text) or _RULING.search(text) or _YES_NO.match(text) or self._terms.isdisjoint(said):
            return False
        names_source = _OF_SOURCES.search(text) or not self._titles.isdisjoint(said)
        return bool(_ABSENCE.search(text) and names_source)

    def is_hint(self, text: str) -> bool:
        """Part of declining, and no claim: that it is not there, who may know, where to look."""
        return self.is_declined_in(text) or leads_on(text, self._question)

    def is_near_evidence(self, claim: ClaimFinding) -> bool:
        """Borne out by the passages, told in their words and figures, or a hint where to look further."""
        talks = is_talk(claim.text) and not figures(claim.text)
        if claim.supported or talks or leads_on(claim.text, self._question):
            return True
        contradicted = claim.by_retrieved == "contradicted" and (claim.confidence or 1) >= _PLAINLY
        amounts = _without(figures(claim.text), figures(self._question))
        if contradicted or _without(amounts, figures(self._sources)):
            return False
        return self._is_told_in_words(claim, amounts) or self._helps_on(claim.text)

    def _helps_on(self, text: str) -> bool:
        """Every clause reports what a passage says, or tells where to turn."""
        clauses = clauses_of(Trace("", answer=text))
        return bool(clauses) and all(
            next_step(clause, self._subject) or reported(clause, self._subject) for clause in clauses
        )

    def _is_told_in_words(self, claim: ClaimFinding, amounts: list[Quantity]) -> bool:
        """What the claim adds to the question stands in the passages."""
        words = substance(without_references(claim.text)) - self._terms
        if not (words or amounts):
            return False
        wanted = _FREER if amounts or (claim.citations and claim.known) else _GROUNDED
        return len(words & set(terms(self._sources))) >= wanted * len(words)


def _without(found: Sequence[Quantity], known: Sequence[Quantity]) -> list[Quantity]:
    return [one for one in found if not any(one.agrees(other) for other in known)]
