"""The parts of a question: its question word, the noun that is asked for, and where subject and verb stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from training.english import grammar as en
from training.english.lists import words

QUESTION_WORDS = words("who whom what which whose when where why how")
ADVERBS = words("not also first ever still currently now most usually often always originally primarily "
                     "mainly commonly generally typically actually initially finally officially")  # fmt: skip


class Question(NamedTuple):
    lead: str  # what stands before the question word ("In 1990, ")
    preposition: str  # the preposition of "in which year"
    word: str  # "who", "how many", ...
    noun: list[str]  # the noun asked for ("year" in "which year")
    rest: list[str]  # everything from the auxiliary or verb on


def plain_question(question: str) -> str:
    text = " ".join(question.split()).rstrip(" ?.!")
    if "?" in text or re.search(r"[a-z]{4,}\. |^[Ww]ho['’]s (?!the|that|this|a )", text):
        return ""
    return re.sub(r"^([Ww]h(?:o|at|ere|en)|[Hh]ow)['’]s\b", r"\1 is", text)


def parse(text: str) -> Question | None:
    lead, text = _split_lead(text)
    tokens = text.split()
    preposition = ""
    if tokens[0].lower() in en.PREPOSITIONS and len(tokens) > 3 and tokens[1].lower() in (*QUESTION_WORDS, "how"):
        preposition, tokens = tokens[0].lower(), tokens[1:]
    word = tokens[0].lower()
    if word not in QUESTION_WORDS or len(tokens) < 2:
        return None
    tokens = tokens[1:]
    if word == "how" and tokens[0].lower() in ("many", "much", "long", "old", "often", "far", "tall", "large", "big"):
        word, tokens = f"how {tokens[0].lower()}", tokens[1:]
    at = _verb_at(word, tokens)
    if at is None or (at + 1 < len(tokens) and _has_second_verb(tokens[at:])):
        return None
    while at > 1 and (tokens[at - 1].lower() in ADVERBS or tokens[at - 1].endswith("ly")):
        at -= 1  # "which sister always won": the adverb goes with the verb
    return Question(lead, preposition, word, tokens[:at], tokens[at:])


def _has_second_verb(rest: Sequence[str]) -> bool:
    """Garbled questions ("what country mentioned suffers", "are the names are combined") and negated ones."""
    words = [word.lower() for word in rest]
    if "not" in words or (words[0] in en.BE and words[0] in words[1:] and not {"that", "who", "which"} & set(words)):
        return True
    return words[0] not in en.AUXILIARIES and (en.is_third_person(words[1]) and words[1] not in en.SHY_THIRD)


def _split_lead(text: str) -> tuple[str, str]:
    """ "In 1990, who won" as "In 1990, " and "who won"."""
    match = re.match(r"(.{3,90}?), ((?:[a-z]+ )?(?:who|what|which|when|where|how)\b.*)$", text, re.IGNORECASE)
    if not match or match[1].split()[0].lower() in QUESTION_WORDS | en.AUXILIARIES:
        return "", text
    first = match[2].split()[0].lower()
    if first not in QUESTION_WORDS and first not in en.PREPOSITIONS:
        return "", text
    return match[1] + ", ", match[2]


def _verb_at(word: str, tokens: Sequence[str]) -> int | None:
    """Where the noun that is asked for ends and the verb begins."""
    lowered = [token.lower().strip(",") for token in tokens]
    takes_noun = word in ("what", "which", "whose", "how many", "how much")
    for at, token in enumerate(lowered[:9]):
        if token in en.AUXILIARIES or (token in ("isn't", "wasn't", "didn't", "doesn't")):
            return at if at == 0 or takes_noun else None
        helped = any(near in en.AUXILIARIES for near in lowered[at + 1 : at + 3])
        finite = en.is_past(token) or (en.is_third_person(token) and not helped)
        if finite and ((at > 0) == takes_noun or (word == "what" and not helped)):
            return at
        if not takes_noun:
            return None
    return None


def base_verb_at(tokens: list[str]) -> int | None:
    """Where the main verb stands behind the subject: the first sure base form, or else a doubtful one."""
    doubtful = None
    for at in range(1, len(tokens)):
        token, before = tokens[at], tokens[at - 1].lower()
        if token in ("that", "which", "who") and doubtful is not None:
            break
        if token not in en.BASE_VERBS or before in en.DETERMINERS - {"these", "those", "this", "that"} | {"to", "of"}:
            continue
        if before.endswith(("'s", "’s")) or before in en.PREPOSITIONS | {"and", "or", "who", "that"}:
            continue
        if token not in en.SHY_VERBS or before in en.PRONOUNS:
            return at
        if doubtful is None:
            doubtful = at
        elif at == doubtful + 1:
            doubtful = at  # "did the film star in": the later of two
    return doubtful


def is_adverb(word: str) -> bool:
    return word.lower() in ADVERBS or (word.endswith("ly") and word[0].islower() and word not in ("family", "only"))


def opens_predicate(auxiliary: str, rest: list[str]) -> bool:
    """Does what follows the auxiliary have no subject of its own, as in "who was killed"?"""
    words = [word.lower().strip(",") for word in rest]
    at = 1 if words[0] in ADVERBS or (words[0].endswith("ly") and len(words) > 1) else 0
    if at >= len(words):
        return False
    first = words[at]
    if auxiliary in en.MODALS:
        return first in en.BASE_VERBS or first in ("be", "have")
    if auxiliary in en.HAVE:
        return en.is_participle(first) or first in ("been", "had", "a", "an", "the", "no")
    return en.is_participle(first) or first in en.ADJECTIVES_AFTER_BE or first in en.PREPOSITIONS or first == "being"


def predicate_at(auxiliary: str, rest: list[str], nominal: bool = False) -> int | None:
    """Where the participle or verb stands behind a subject of one word or more."""
    if auxiliary in en.MODALS:
        return next((1 + i for i, word in enumerate(rest[1:]) if word == "be"), base_verb_at(rest))
    for at in range(1, len(rest)):
        word, before = rest[at], rest[at - 1].lower()
        if before in en.DETERMINERS | en.PREPOSITIONS | {"and", "who", "that", "which"} or before.endswith(
            ("'s", "’s")
        ):
            continue
        attributive = before.endswith("ly") and at > 1 and rest[at - 2].lower() in en.DETERMINERS
        if word[0].islower() and en.is_participle(word) and before != "be" and not attributive:
            follows = rest[at + 1].lower() if at + 1 < len(rest) else ""
            reduced = follows == "by" and rest[-1].lower() not in en.PREPOSITIONS and at + 4 < len(rest)
            return None if reduced else at
        clauses = ("who", "that", "which", "where", "when", "whose", *(("of",) if nominal else ()))
        if word.lower() in clauses and auxiliary in en.BE and rest[-1].lower() not in en.PREPOSITIONS:
            return None
    return None


def adjective_at(rest: list[str]) -> int | None:
    """Where the predicate of "is the fee refundable" stands, when that is plain to see."""
    words = [word.lower() for word in rest]
    known = [at for at in range(1, len(words)) if words[at] in en.ADJECTIVES_AFTER_BE]
    if known:
        return known[0]
    articles = [at for at in range(1, len(words)) if words[at] in ("a", "an", "the")]
    if articles and words[articles[0] - 1] not in en.PREPOSITIONS:
        return articles[0]
    return len(words) - 1 if len(words) in (2, 3) and words[0] in en.DETERMINERS | en.PRONOUNS else None
