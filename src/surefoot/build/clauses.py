"""A sentence of a document as subject, auxiliary and the rest, so that it can be asked about.

Only plain sentences are taken. A document has more facts than a question set needs, so whatever might give a crooked
question - lists, relative clauses, words that point outside the sentence - is left out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from surefoot.text.normal import words_of


def _text(name: str) -> str:
    """A pattern of `words/documents.toml`, in which <NUMBER> stands for the one of that name."""
    return re.sub("<([A-Z]+)>", lambda found: _text(found[1]), "".join(words_of("documents")[name]))


def patterns_of(names: str) -> list[re.Pattern[str]]:
    return [re.compile(_text(name)) for name in names.split()]


ABOUT, BINDING, DATE, KINDS, MEASURE, MONEY, NUMBER, SHARE, SIGNED, UNIT = map(
    _text, ("ABOUT", "BINDING", "DATE", "KINDS", "MEASURE", "MONEY", "NUMBER", "SHARE", "SIGNED", "UNIT")
)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
BE = frozenset({"is", "are", "was", "were"})
HAVE = {"has": "does", "have": "do", "had": "did"}
STATED = frozenset({"do", "does", "should"})  # what has no auxiliary of its own (clauses.py)

_AUXILIARY, _LABEL, _AMENDING, _HEADING, _TIMED = patterns_of("auxiliary label amending heading timed")
_BRACKETS, _COMMA, _FORBIDDEN, _WE, _BEFORE, _LET_GO = patterns_of("brackets comma forbidden we before let_go")
_NO_SUBJECT, _OUTSIDE, _AFTERTHOUGHT, _SLIPPED_IN = patterns_of("no_subject outside afterthought slipped_in")
_STATED, _ORDERED = (words_of("moulds")["verbs"][kind].split() for kind in ("stated", "ordered"))
_PRESENT = re.compile(
    rf"(?P<subject>(?:[\w'&/%-]+ ){{1,8}}?)(?P<adverb>(?:usually|normally|typically|generally|only|also) )?"
    rf"(?P<verb>{'|'.join(_STATED)})(?P<third>s|es)? (?P<rest>\S.*)"
)
_INSTRUCTION = re.compile(rf"(?P<rest>(?:{'|'.join(word.capitalize() for word in _ORDERED)})\b .*)")
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
    if not _is_subject(subject) or not rest or _has_heading(subject, around):
        return None
    if _TIMED.match(before):
        rest, before = f"{rest} {before[0].lower()}{before[1:]}", ""
    return Clause(before, subject, "can" if word == "cannot" else word, is_negated, rest, around)


def _statement_of(parts: tuple[str, str], around: str) -> Clause | None:
    """Without an auxiliary: "Batteries last" is read as "batteries do last", "Test the lamp" as "you should test"."""
    before, text = parts
    if found := _FORBIDDEN.fullmatch(text.rstrip(".")):
        return Clause(before, "you", "should", True, found["rest"], around)
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
    text = _HEADING.sub("", text, count=1) if _HEADING.match(text) else text
    if amending := _AMENDING.match(text):
        text = f"{text[amending.end()].upper()}{text[amending.end() + 1 :]}"
    return text


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


def _has_heading(subject: str, around: str) -> bool:
    """Whether a heading runs on into it: "Return of Papers Acme may ..."."""
    words = subject.split()
    is_title = len(words) > 2 and all(word[0].isupper() or word in ("of", "and", "the", "for") for word in words[1:])
    is_title &= words[0] not in ("The", "Each", "Either", "Any", "All", "No") and around.count(subject) == 1
    return is_title and any(around.count(" ".join(words[-most:])) > 2 for most in (1, 2))


def _is_subject(subject: str) -> bool:
    words = subject.split()
    return (
        0 < len(words) <= _SUBJECT_WORDS
        and not _NO_SUBJECT.search(subject)
        and not (points_outside(subject) or _SLIPPED_IN.match(subject))
    )
