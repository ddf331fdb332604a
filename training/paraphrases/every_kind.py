"""Faithful rewrites of a sentence, so that other words and other number forms do not look like errors.

Every rewrite follows from the sentence: it says the same, or less. A rewrite is made of one to three small ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from training.edits.names import initials
from training.edits.negation import PERSON
from training.english.lists import listed
from training.english.rewriting import folded, lowered, spliced, tidy, well_formed
from training.paraphrases.clauses import may_and_must, moved_adverbial, one_conjunct, voice, weakened, without_aside
from training.paraphrases.numbers import number_forms
from training.paraphrases.plain_words import plain_words

Rewrite = Callable[[str, str, random.Random], str | None]

_LEAD_INS = listed(
    "According to the document, |According to the text, |The document says that |Yes, "
    "|Based on the passage, |The passage indicates that |As stated in the document, |It is stated that "
    "|The text notes that |The document provides that |Under the document, |As described, |The source says "
    "|The document makes clear that |Per the document, |In short, |Specifically, |It says that |The record shows that ",
    "|",
)
_CONTRACT_LEAD_INS = listed(
    "The agreement states that |The agreement provides that "
    "|Under the agreement, |According to the contract, |The contract states that "
    "|Under the terms, |Yes, under the agreement, |The clause provides that |As per the agreement, ",
    "|",
)
_OPENING = re.compile(
    r"^(?:However|Accordingly|Therefore|Thus|Furthermore|Moreover|In addition|Additionally|Also|Further|Consequently|"
    r"For example|As a result|Finally|Similarly|Nevertheless|Meanwhile|Instead|Indeed|Hence|In particular|Then), "
    r"|^(?:But|And|Yet|So|Or) "
)
_AFTER_MODAL = r"(?<=\bto )|(?<=\bshall )|(?<=\bwill )|(?<=\bmay )|(?<=\bmust )|(?<=\bcan )|(?<=\bnot )|(?<=\bwould )"
_DEFINED = re.compile(
    r"\b((?:[A-Z][\w&-]+ (?:of |for |and |the )*){1,6}[A-Z][\w&-]+) \((?:the )?[\"“]?([A-Z]{2,6})[\"”]?\)"
)


def _alternatives(words: dict[str, tuple[str, ...]]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_ANYWHERE, _VERBS_ONLY = plain_words()
_PLAIN = re.compile(
    rf"(?<![\w-])(?:{_alternatives(_ANYWHERE)})(?![\w-])|(?:{_AFTER_MODAL})(?:{_alternatives(_VERBS_ONLY)})(?![\w-])"
)


def paraphrases(sentence: str, passage: str, rng: random.Random) -> list[str]:
    """Some different rewrites of the sentence, each of one to three steps; none equal to it."""
    start = without_opening(sentence)
    found: dict[str, str] = {}
    for _ in range(6):
        text = _rewritten(start, passage, rng, rng.choice((1, 1, 2, 2, 3)))
        if folded(text) != folded(sentence) and well_formed(text):
            found.setdefault(folded(text), text)
    return list(found.values())


def paraphrase(
    sentence: str, passage: str, rng: random.Random, *, exact: bool = False, lead_in: bool = True
) -> str | None:
    """One rewrite; an exact one keeps every amount as it is, so that it can be edited further."""
    text = _rewritten(without_opening(sentence), passage, rng, rng.choice((1, 1, 2, 2, 3)), exact)
    text = _with_lead_in(text, passage, rng) if lead_in and rng.random() < 0.15 else text
    return text if folded(text) != folded(sentence) and well_formed(text) else None


def _rewritten(text: str, passage: str, rng: random.Random, steps: int, exact: bool = False) -> str:
    ways = list(_WAYS if exact else (*_WAYS, _WEAKER))
    rng.shuffle(ways)
    for way in ways:
        new = way(text, passage, rng) if steps else None
        if new and new != text and well_formed(new):
            text, steps = new, steps - 1
    return text


def without_opening(sentence: str) -> str:
    text = _OPENING.sub("", tidy(sentence))
    return text[:1].upper() + text[1:]


def plainer(sentence: str, passage: str, rng: random.Random) -> str | None:  # noqa: ARG001
    """One to three words or phrases replaced by others that mean the same."""
    found = list(_PLAIN.finditer(sentence))
    if not found:
        return None
    for match in sorted(rng.sample(found, min(len(found), rng.choice((1, 2, 3)))), key=lambda m: -m.start()):
        options = _ANYWHERE.get(match[0]) or _VERBS_ONLY[match[0]]
        sentence = spliced(sentence, *match.span(), rng.choice(options))
    return sentence


def _with_lead_in(sentence: str, passage: str, rng: random.Random) -> str:
    contract = re.search(r"\b(?:Agreement|hereto|hereunder)\b", passage) is not None
    return rng.choice(_CONTRACT_LEAD_INS if contract and rng.random() < 0.5 else _LEAD_INS) + lowered(sentence)


def expanded(sentence: str, passage: str, rng: random.Random) -> str | None:  # noqa: ARG001
    """An abbreviation that the passage defines is written out, or the other way round."""
    for match in _DEFINED.finditer(passage):
        long, short = match[1], match[2]
        if initials(long) != short or match[0] in sentence:
            continue
        for old, new in ((short, long), (long, short)):
            if re.search(rf"\b{re.escape(old)}(?!\w)", sentence) and new not in sentence:
                return re.sub(rf"\b{re.escape(old)}(?!\w)", lambda _, new=new: new, sentence)  # type: ignore[misc]
    return None


def _alone(way: Callable[[str, random.Random], str | None]) -> Rewrite:
    return lambda sentence, _, rng: way(sentence, rng)


_WAYS: tuple[Rewrite, ...] = (
    plainer, plainer, expanded, _alone(number_forms), _alone(voice), _alone(moved_adverbial), _alone(without_aside),
    _alone(one_conjunct), lambda sentence, _, rng: may_and_must(sentence, rng, PERSON),
)  # fmt: skip
_WEAKER = _alone(weakened)
