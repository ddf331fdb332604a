"""The answer's place in a statement: whether it fits the question, and in what form it stands there."""

from __future__ import annotations

import re

from training.english import grammar as en
from training.questions.question_parts import Question

_TIME = re.compile(
    r"\d|\b(?:day|days|week|weeks|month|months|year|years|century|centuries|decade|decades|after|before|during|since|"
    r"later|ago|when|until|mon|tues|wednes|thurs|fri|satur|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"spring|summer|autumn|fall|winter|morning|evening|night|today|tomorrow|yesterday|january|february|march|april|may|"
    r"june|july|august|september|october|november|december|recently|last|next|early|late|now|midnight|noon)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    r"seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|"
    r"billions?|half|third|quarter|dozens?|no|none|zero|several|few|many|most|all|double|twice|once|both)\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b"
    r"|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
_BARE_TIME = re.compile(
    r"(?:the )?(?:(?:early|late|mid)[- ])?(?:\d{4}s?|'?\d0s|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|spring|summer|autumn|fall|winter|[\w-]+ century)\b",
    re.IGNORECASE,
)
_OPENS_TIME = re.compile(
    r"(?:in|on|at|by|from|since|until|after|before|during|between|around|about|when|every|each|last|next|as|today|now|"
    r"tomorrow|yesterday|once|while|within|for|over|throughout|early|late|upon|through|prior|recently)\b",
    re.IGNORECASE,
)
_FINITE_OPENING = en.AUXILIARIES | {"it", "he", "she", "they", "we", "i", "you", "there", "because"}


def clean_answer(answer: str) -> str:
    answer = " ".join(answer.split()).strip(" ,;:–—")
    answer = (
        answer.removesuffix(".") if not re.search(r"\b\w\.\w?\.?$|\b(?:Inc|Ltd|Co|Jr|Sr|Mr|St)\.$", answer) else answer
    )
    for opening, closing in ("()", "[]", "“”", '""'):
        if answer.count(opening) + answer.count(closing) == 1:
            answer = answer.replace(opening, "").replace(closing, "")
    return answer.strip()


def fits(question: Question, answer: str) -> bool:
    """Is the answer of the kind that the question word asks for?"""
    first = answer.split()[0].lower()
    if first in _FINITE_OPENING and question.word not in ("why", "when"):
        return False
    if question.word == "when":
        return bool(_TIME.search(answer))
    if question.word.startswith("how ") and question.word != "how often":
        return bool(_NUMBER.search(answer))
    if question.word == "why":
        return first in ("because", "due", "to", "for") and len(answer.split()) > 1
    if question.word == "how":
        return first in ("by", "through", "via", "with", "using", "as", "in", "on") or (first.endswith("ly"))
    return not _is_clause(answer)


def _is_clause(answer: str) -> bool:
    """Does the answer hold a verb of its own, so that it fits no place for a noun?"""
    words = answer.lower().split()
    if len(words) < 2:
        return False
    if answer[0].islower():
        bare = words[0] in en.BASE_VERBS - en.SHY_VERBS or (words[0] in en.BASE_VERBS and words[1] in en.DETERMINERS)
        if bare or en.is_third_person(words[0]) or (en.is_past(words[0]) and words[1] in en.DETERMINERS):
            return True
        if words[0] in ("led", "made", "became", "took", "helped", "used", "went", "lost", "won"):
            return True
    relatives = ("who", "that", "which", "where", "when")
    helpers = [at for at, word in enumerate(words) if word in en.AUXILIARIES - {"may", "will", "can", "might"} and at]
    return any(not set(words[:at]) & set(relatives) for at in helpers)


def slot_of(question: Question, answer: str) -> str:
    """The answer as the noun phrase or adverbial that stands for the question phrase."""
    word, noun = question.word, " ".join(question.noun)
    if word == "whose":
        owner = answer if answer.lower().endswith(("'s", "’s", "s'", "s’")) else answer + "'s"
        return f"{owner} {noun}".strip()
    if word in ("how many", "how much") and noun:
        return _counted(answer, question.noun)
    kind = re.match(
        r"(?:percentage|percent|proportion|portion|share|fraction|type|types|kind|kinds|sort) of (.+)", noun
    )
    if word in ("what", "which") and kind and noun.startswith(("per", "pro", "por", "sha", "fra")):
        return f"{answer} of {kind[1]}" if not re.search(r"\bof\b", answer) else answer
    if word in ("what", "which") and kind and not _shares_word(answer, kind[1]) and len(kind[1].split()) == 1:
        return f"{answer} {kind[1]}" if answer[0].islower() and len(answer.split()) < 3 else answer
    return answer


def _counted(answer: str, noun: list[str]) -> str:
    if _shares_word(answer, noun[-1]) or _shares_word(answer, noun[0]):
        return answer
    if re.fullmatch(r"[\W\d]+|(?:[\w,.$-]+ ){0,3}[\w,.-]+", answer) and not re.search(r"[a-z]+s$", answer):
        return f"{answer} {' '.join(noun)}"
    return answer


def _shares_word(one: str, other: str) -> bool:
    stems = {word.lower().rstrip("s") for word in re.findall(r"\w+", one)}
    return any(word.lower().rstrip("s") in stems for word in re.findall(r"\w+", other))


def without_double(slot: str, tail: list[str]) -> str:
    first, _, others = slot.partition(" ")
    return others if tail and first.lower() == tail[-1].lower() and others else slot


def timed(answer: str) -> str:
    if _OPENS_TIME.match(answer):
        return inner(answer)
    if _DAY.search(answer) and not answer.lower().startswith("the "):
        return f"on {answer}"
    return f"in {inner(answer)}" if _BARE_TIME.match(answer) else inner(answer)


def inner(answer: str) -> str:
    """The answer as it looks inside a sentence."""
    first, _, others = answer.partition(" ")
    lowers = first in ("The", "A", "An", "In", "On", "At", "By", "His", "Her", "Its", "Their", "It", "From", "To")
    return (
        f"{first.lower()} {others}"
        if (lowers and others and not others[0].isupper()) or first in ("The", "In")
        else answer
    )
