"""An answer that declines, and says more: is that the nearest evidence, or an answer of its own?

To report what the passages do say, or where to ask, is part of declining. What they do not support is a claim, and the
table decides it like any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

from surefoot.core.table import ClaimFinding
from surefoot.core.types import Passage, Question
from surefoot.text.normal import phrase, terms
from surefoot.text.numbers import Quantity
from surefoot.text.refusals import ANSWERED, Refusal, detect
from surefoot.text.talk import (
    figures,
    is_absence,
    is_topic,
    leads_on,
    names_source,
    points,
    reports,
    states,
    stating,
    substance,
    without_references,
)

# How much of what a claim adds to the question stands in the passages. A citation, or figures that all stand there,
# show where it is from, so that its words may be freer.
_GROUNDED, _FREER = 0.6, 0.4
_PLAINLY = 0.75
_YES_NO, _PRONOUN, _GUESS, _SEEN = phrase("yes_no"), phrase("pronoun"), phrase("guess"), phrase("seen")
_PERSON = re.compile(r"\b(?:i|we|my)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_QUOTED, _LEAST_QUOTED = 0.6, 4  # of the runs of words in a sentence that stand in a passage
_OPEN = re.compile(r"\W*(?:and |but |so )?whether\b", re.IGNORECASE)


class Declining:
    """A question and the passages that were found for it: what declining it looks like."""

    def __init__(self, question: Question, passages: Sequence[Passage]) -> None:
        self._question, self._passages = question.text, passages
        self._terms = set(terms(question.text))

    @cached_property
    def _sources(self) -> str:
        return " ".join(f"{passage.doc} {passage.text}" for passage in self._passages)

    def refusal_in(self, answer: str) -> Refusal:
        """Whether an answer refuses by its words; one that quotes a passage answers, as does "No, it is not stated"."""
        found = ANSWERED if self._is_quoted(answer) else detect(answer)
        answers = _YES_NO.match(answer) and not _PERSON.search(answer, found.start, found.end)
        return ANSWERED if answers or (found.value == "partial" and self._is_of_another(answer, found)) else found

    def _is_of_another(self, answer: str, found: Refusal) -> bool:
        """Behind an answer, it declines what was not asked: "No exceptions are mentioned." """
        start = max(answer.rfind(". ", 0, found.start), answer.rfind("; ", 0, found.start)) + 1
        own = substance(answer[start:].partition(". ")[0])
        return bool(start and own) and own.isdisjoint(self._terms)

    def _is_quoted(self, text: str) -> bool:
        runs = _runs(without_references(text))
        if len(runs) < _LEAST_QUOTED:
            return False
        known = [_runs(passage.text) for passage in self._passages]
        return sum(any(run in one for one in known) for run in runs) >= _QUOTED * len(runs)

    def is_about(self, text: str) -> bool:
        """Whether it speaks of the thing asked."""
        return not self._terms.isdisjoint(terms(text))

    def only_declines(self, text: str) -> bool:
        return self.refusal_in(text).value == "refused"

    def is_hint(self, text: str) -> bool:
        """Part of declining, and no claim: that it is not there, who may know, where to look."""
        return self.only_declines(text) or leads_on(text)

    def is_near_evidence(self, claim: ClaimFinding, opening: str = "") -> bool:
        """Supported by the passages, in their words and figures, or a hint where to look further.

        `opening` is what its sentence says before the claim: "I only see that ...".
        """
        if self._answers(claim.text) and not _SEEN.search(opening):
            return not _GUESS.search(claim.text) and self._is_supported(claim)
        return claim.supported or (not _is_denied(claim) and self._is_near(claim))

    def _is_supported(self, claim: ClaimFinding) -> bool:
        """An answer to the question is near evidence only if the passages have it."""
        news = self._news(claim.text)
        if claim.supported:
            return news <= 1 - _FREER or (claim.confidence or 1) >= _PLAINLY
        return claim.by_retrieved != "contradicted" and news == 0 and self._is_near(claim)

    def _is_near(self, claim: ClaimFinding) -> bool:
        amounts = _without(figures(claim.text), figures(self._question))
        if _without(amounts, figures(self._sources)) or _YES_NO.match(claim.text):
            return False
        is_cited = bool(claim.citations) and claim.known
        parts = stating(claim.text) or [claim.text]
        return self._is_from_passages(claim.text, is_cited) or all(
            self._needs_no_source(part, is_cited) for part in parts
        )

    def _needs_no_source(self, part: str, is_cited: bool) -> bool:
        if is_absence(part) or is_topic(part) or not substance(part) or _OPEN.match(part):
            return True
        if points(part) and not _without(figures(part), figures(self._question)):
            return True
        return self._is_from_passages(part, is_cited) or (self._news(part) == 0 and self._is_beside(part))

    def _is_beside(self, part: str) -> bool:
        """No statement, or one about something else than the question."""
        return not states(part) or not (self.is_about(part) or _PRONOUN.match(part))

    def _is_from_passages(self, text: str, is_cited: bool) -> bool:
        """What a text adds to the question is in the passages: it is cited, names a source, or has their figures."""
        amounts = figures(text)
        if not (is_cited or amounts or names_source(text) or reports(text)):
            return False
        return self._news(text) <= 1 - (_FREER if amounts or is_cited else _GROUNDED)

    def _answers(self, text: str) -> bool:
        """Whether it states something of the thing asked, by itself rather than as what a source says."""
        if reports(text) or names_source(text):
            return False
        parts = [part for part in stating(text) if not points(part)]
        return any(map(self.is_about, parts)) and not any(is_absence(part) or is_topic(part) for part in parts)

    def _news(self, text: str) -> float:
        """The share of words beyond the question's that no passage has."""
        words = substance(without_references(text)) - self._terms
        known = set(terms(self._sources))
        return len(words - known) / len(words) if words else float(not figures(text) and states(text))


@lru_cache(maxsize=200)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """Every three words in a row."""
    words = _WORD.findall(text.casefold())
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def _is_denied(claim: ClaimFinding) -> bool:
    return claim.by_retrieved == "contradicted" and (claim.confidence or 1) >= _PLAINLY


def _without(found: Sequence[Quantity], known: Sequence[Quantity]) -> list[Quantity]:
    return [one for one in found if not any(one.agrees(other) for other in known)]
