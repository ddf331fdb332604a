"""A sentence of a document as subject, auxiliary and the rest, so that it can be asked about.

Only plain sentences are taken. A document has more facts than a question set needs, so whatever might give a crooked
question - lists, relative clauses, words that point outside the sentence - is left out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_AUXILIARY = re.compile(
    r"\b(agrees? to|undertakes to|(?:is|are) required to|shall|must|will|may|can|cannot|is|are|was|were|has|have|"
    r"had)\b(?: (not|only|also|at all times)\b)?"
)
_LABEL = re.compile(
    r"(?:(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})(?:\.\d{1,3}){0,3}[.)]+|\d{1,3}(?:\.\d{1,3})+|[-*•§])\s+)+"
)
_HEADING = re.compile(r"(?:[A-Z][\w'&/-]*(?: (?:[A-Z][\w'&/-]*|of|and|or|the|for|to|on|by|in|with))*[.:]\s+)+(?=[A-Z])")
_BEFORE = re.compile(
    r"(If|Upon|After|During|In the event|On|At|For|Within|Before|Following|In|Under|Where|When|From|By|As of|Until|"
    r"Once|"
    r"Subject to|Except|Unless|Notwithstanding)\b[^,;]{2,110}, (?=[A-Z\"“a-z])"
)
_LET_GO = re.compile(  # said of the sentence, not of what is asked
    r"(?:Subject to|Except|Notwithstanding|Unless|In addition|In general|In consideration|For (?:clarity|the avoidance|"
    r"purposes|the purposes?|example)|In connection|In furtherance|At its|In no event|In accordance|By way)\b"
)
_TIMED = re.compile(r"(?:Within|For|On|By|Until|As of|Upon|In|At|From) .*(?:\d|\b(?:days|months|years|weeks|hours)\b)")
_NO_SUBJECT = re.compile(
    r"\b(?:it|they|he|she|there|that|those|such|which|who|whom|whose|what|if|when|where|unless|because|as|but|same|"
    r"said|"
    r"foregoing|following|above|below|neither|nor|no|none|nothing|i|thereof|hereof|herein|therein)\b|[,;:()\"“”\[\]]",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"\b(?:such|said|foregoing|following|preceding|aforesaid|above|below|herein\w*|hereof|hereby|hereto|hereunder|therein\w*|"
    r"thereof|"
    r"thereto|thereunder|thereafter|hereafter|hereinafter|whereof|wherein|respective|respectively|the same|set forth|"
    r"(?:sub)?sections?|clauses?|articles?|exhibits?|schedules?|annex|appendix|paragraphs?|addendum|attachments?|"
    r"items?|"
    r"former|latter|these|those|his|her|him|them|therefore|thereupon|itself|otherwise|accordingly|deemed|have no|"
    r"(?:and|but|or) (?:[A-Z][\w ]{1,25} )?(?:shall|will|must|may|is|are|was|were|has)|"
    r"and (?:continue|end|the remaining)|whether|\w+/\w+)\b|[\[\]{}*_…|<>=#§•]|\.\.",
    re.IGNORECASE,
)
_AFTERTHOUGHT = re.compile(
    r"\s+(?:unless|commencing|compared to|as compared)\b.*|[,;]\s+(?:provided|which|including|unless|except|subject|"
    r"if|but|whether|as well|and (?:shall|will|must|may|is|are|"
    r"the|such|any|all|each|it|they)|or (?:shall|will|must|may|such|as)|with|without|in (?:each|any|which|accordance)|"
    r"excluding|regardless|where|when|while|whereupon|after|at which|so|being|having|to the extent|other than|by|"
    r"irrespective|however|notwithstanding|save|pursuant|until)\b.*|;.*",
    re.DOTALL,
)
_SLIPPED_IN = re.compile(  # a heading before the subject, or no subject at all
    r"(?:For|In|On|At|By|Upon|During|Under|With|From|Agreement|Contract|Term|Policy)\b(?! [Oo]f\b)"
    r"|.*\b(?!of|to|under|in|for|by|with|from|and|or|at|on|per|upon|against|that|all|both)\w+ (?:[Tt]he|[Aa]n?|"
    r"[Ii]ts|This)\b"
)
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_COMMA = re.compile(r",(?! ?\d)")
_STATED = (
    "accept", "allow", "apply", "begin", "carry", "charge", "close", "contain", "cost", "cover", "deliver", "earn",
    "employ", "end", "expire", "get", "give", "grant", "hold", "include", "insure", "last", "measure", "need",
    "offer", "open", "operate", "pay", "produce", "provide", "receive", "refund", "reimburse", "repay", "require",
    "run", "send", "serve", "start", "store", "supply", "support", "take", "use", "weigh", "work",
)  # fmt: skip
_ORDERED = (
    "add", "allow", "apply", "avoid", "boil", "bring", "call", "change", "charge", "check", "clean", "close",
    "complete", "connect", "contact", "cook", "cool", "cover", "dilute", "disconnect", "drink", "drive", "eat",
    "enter", "fill", "hold", "insert", "inspect", "install", "keep", "leave", "let", "mix", "open", "pay", "place",
    "press", "put", "read", "remove", "rename", "repeat", "replace", "report", "reset", "rest", "return", "rinse",
    "send", "set", "shake", "sign", "stir", "stop", "store", "submit", "switch", "take", "test", "turn", "unplug",
    "use", "wait", "wash", "wear", "wipe", "write",
)  # fmt: skip
_PRESENT = re.compile(
    rf"(?P<subject>(?:[\w'&/%-]+ ){{1,8}}?)(?P<adverb>(?:usually|normally|typically|generally|only|also) )?"
    rf"(?P<verb>{'|'.join(_STATED)})(?P<third>s|es)? (?P<rest>\S.*)"
)
_INSTRUCTION = re.compile(rf"(?P<rest>(?:{'|'.join(word.capitalize() for word in _ORDERED)})\b .*)")
_WE = re.compile(r"We\b")
_LONGEST = 420  # characters of a sentence
_WORDS = range(4, 60)
_SUBJECT_WORDS = 11


class Clause(NamedTuple):
    """`before`, `subject` `auxiliary` `rest`."""

    before: str
    subject: str
    auxiliary: str
    is_negated: bool
    rest: str
    around: str  # the passage


def clause_of(sentence: str, around: str) -> Clause | None:
    """None of a sentence that is not plain enough."""
    parts = _parts(sentence)
    return None if parts is None else _with_auxiliary(parts, around) or _statement_of(parts, around)


def _with_auxiliary(parts: tuple[str, str], around: str) -> Clause | None:
    before, text = parts
    found = _AUXILIARY.search(text)
    if found is None:
        return None
    subject, word, more = text[: found.start()].strip(), found.group(1), found.group(2) or ""
    is_negated = more == "not" or word == "cannot"
    rest = _BRACKETS.sub("", text[found.end() :].strip().rstrip("."))
    rest = _without_afterthought(rest) if ": " not in rest else ""
    rest = f"{more} {rest}" if more in ("only", "also", "at all times") else rest
    if not _is_subject(subject) or not rest:
        return None
    if _TIMED.match(before):
        rest, before = f"{rest} {before[0].lower()}{before[1:]}", ""
    return Clause(before, subject, "can" if word == "cannot" else word, is_negated, rest, around)


def _statement_of(parts: tuple[str, str], around: str) -> Clause | None:
    """Without an auxiliary: "Batteries last" is read as "batteries do last", "Test the lamp" as "you should test"."""
    before, text = parts
    if found := _INSTRUCTION.fullmatch(text.rstrip(".")):
        order = found["rest"]
        return Clause(before, "you", "should", False, f"{order[0].lower()}{order[1:]}", around)
    found = _PRESENT.fullmatch(text.rstrip("."))
    if not found:
        return None
    subject = found["subject"].strip()
    helper = "does" if found["third"] else "do"
    if _WE.fullmatch(subject):  # of a policy: what it pays
        subject, helper = "this policy", "does"
    elif not _is_subject(subject):
        return None
    return Clause(before, subject, helper, False, f"{found['verb']} {found['rest']}", around)


def _parts(sentence: str) -> tuple[str, str] | None:
    """What a whole sentence says before its clause ("If the goods are late"), and the clause."""
    whole = plain(sentence)
    return _divided(whole) if is_whole(whole) else None


def plain(sentence: str) -> str:
    """Without the label and the heading it may begin with."""
    text = " ".join(sentence.replace("’", "'").split())
    text = _LABEL.sub("", text, count=1) if _LABEL.match(text) else text
    return _HEADING.sub("", text, count=1) if _HEADING.match(text) else text


def is_whole(text: str) -> bool:
    """A sentence, from its capital to its full stop."""
    if not (text[:1].isupper() or text[:1] in '"“') or not text.endswith(".") or len(text) > _LONGEST:
        return False
    letters = [letter for letter in text if letter.isalpha()]
    is_shouted = sum(letter.isupper() for letter in letters) > len(letters) / 3
    are_closed = text.count("(") == text.count(")") and text.count('"') % 2 == 0
    return not is_shouted and are_closed and len(text.split()) in _WORDS and "__" not in text and "[" not in text


def asked(rest: str) -> str | None:
    """What remains of the rest in a question: without afterthoughts; None where it would be crooked."""
    text = _without_afterthought(rest)
    text = re.sub(r"\s+(?:hereunder|hereto|herein|hereof)\b(?! (?:or|and)\b)", "", text)
    text = " ".join(text.split()).strip(" ,.")
    return None if _COMMA.search(text) or points_outside(text) else text


def points_outside(text: str) -> bool:
    """Whether it can be understood only beside its document: "such notice", "as set forth above"."""
    return _OUTSIDE.search(text) is not None


def _without_afterthought(rest: str) -> str:
    return _AFTERTHOUGHT.sub("", rest)


def _divided(text: str) -> tuple[str, str]:
    found = _BEFORE.match(text)
    if not found:
        return "", text
    before = found.group().rstrip(", ")
    rest = text[found.end() :]
    return ("" if _LET_GO.match(before) else before), rest[:1].upper() + rest[1:]


def _is_subject(subject: str) -> bool:
    words = subject.split()
    return (
        0 < len(words) <= _SUBJECT_WORDS
        and not _NO_SUBJECT.search(subject)
        and not (points_outside(subject) or _SLIPPED_IN.match(subject))
    )
