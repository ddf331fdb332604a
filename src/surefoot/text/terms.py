"""The words that carry a text's meaning, in a form in which inflections of one word are equal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import lru_cache

from surefoot.text.normal import word_set

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FEWEST = 3  # content words that let a claim be read without its question
_YES_NO = re.compile(r"^\s*(?:yes|no)\b[.,;:]?\s+(?=[^\W_])", re.IGNORECASE)
_STOP = word_set("""a about above after all also an and any are as at be been before being below between both but by can
        could did do does each either for from further had has have having he her here his how if in into is
        it its itself may me might more most must my nor of on once only or other our out over own per s
        same shall she should so some such than that the their them then there these they this those through
        to too under until up upon was we were what when where which while who whom whose why will with
        within would you your yes no not never according states state stated says said following accordance
        pursuant thereof therein hereby respect regard regarding namely january february march april june
        july august september october november december i""")
# Not "A": it may be a class.
_FILLER = re.compile(
    r"\b(?:a|(?i:yes|also|an|the|this|that|these|those|it|its|they|them|their|there|is|are|was|were|be|been"
    r"|has|have|had|do|does|did|of|in|on|at|for|to|by|with|from|as|and))\b"
)
_SUFFIXES = tuple(re.findall("[a-z]+", "ations ation ments ment ings ing ities ity ies ers er ed es s ly e y"))
# Different words that documents and answers use for one thing.
_SAME = {
    "cost": "fee", "charg": "fee", "price": "fee", "pric": "fee", "amount": "fee", "terminat": "end", "expir": "end",
    "finish": "end", "ceas": "end", "begin": "start", "commenc": "start", "compan": "firm", "buy": "purchas",
    "maximum": "limit", "cap": "limit", "ceil": "limit", "minimum": "least", "employe": "staff", "worker": "staff",
    "notif": "report", "inform": "report", "tell": "report", "annual": "year", "year": "year", "month": "month",
    "permit": "allow", "entitl": "allow", "authori": "allow", "requir": "oblig", "oblig": "oblig", "need": "oblig",
    "forbid": "prohibit", "forbidden": "prohibit", "ban": "prohibit", "increas": "rise", "rose": "rise", "grew": "rise",
    "decreas": "fall", "fell": "fall", "declin": "fall", "drop": "fall", "last": "durat", "length": "durat",
    "long": "durat", "can't": "cannot", "can’t": "cannot",
    "period": "durat", "term": "durat", "paid": "pay", "agre": "contract", "contract": "contract",
}  # fmt: skip


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return _SAME.get(word, word)


def without_yes_no(text: str) -> str:
    """A claim without the bare yes or no in front of it."""
    return _YES_NO.sub("", text, count=1)


def is_terse(claim: str) -> bool:
    """Of hardly a word ("8 hours."): it says something only behind the question it answers."""
    return len(set(terms(without_yes_no(claim)))) < _FEWEST


def terms(text: str) -> list[str]:
    """Content words, stemmed, in order."""
    return [stem(word) for word in _TOKEN.findall(text.lower()) if word not in _STOP]


def telling_words(text: str) -> set[str]:
    """All words but those that a sentence cannot do without, stemmed: "either" may be what an answer tells."""
    return {stem(word) for word in _TOKEN.findall(_FILLER.sub(" ", text).lower())}


@lru_cache(maxsize=10_000)
def vocabulary(text: str) -> frozenset[str]:
    """Content words, stemmed, and numbers as they are written."""
    return frozenset(terms(text)) | frozenset(numbers(text))


def numbers(text: str) -> list[str]:
    """As they are written."""
    return _NUMBER.findall(text)


def nearest(texts: Iterable[str], wanted: Set[str]) -> str:
    """The text that has most of the wanted words; "" where there is no text."""
    return max(texts, key=lambda text: len(wanted & vocabulary(text)), default="")


def names(text: str) -> list[str]:
    """Words written with a capital inside a sentence: names of parties, people, places, defined terms."""
    found = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        before = text[: match.start()].rstrip(" \"'“‘(*-|")
        if word[0].isupper() and len(word) > 1 and before and before[-1] not in ".!?:\n":
            found.append(stem(word.lower()))
    return [name for name in found if name not in _STOP]


_STOP_STEMS = frozenset(map(stem, _STOP))


def proper_names(text: str) -> list[str]:
    """Those of the names that tell whom or what a text is about: no months, and no "State"."""
    return [name for name in names(text) if name not in _STOP_STEMS]
