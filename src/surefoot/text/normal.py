"""One normal form for text that is compared: what looks the same to a reader compares equal."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_WORD_CHARACTER = re.compile(r"[^\W_]")
_CITATION_MARK = re.compile(r"\[\^?(?=[^\[\]]*\d)[\w#.:/-]+(?:[,;] ?[\w#.:/-]+)*\]")
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))


def word_set(text: str) -> frozenset[str]:
    """Words that are written one behind the other."""
    return frozenset(text.split())


def normalise(text: str) -> str:
    """NFC, case folded, invisible characters removed, white space (NBSP too) folded."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(_INVISIBLE).casefold())
    return " ".join(text.casefold().split())


def id_of_text(question: str) -> str:
    """An id that a question keeps wherever it is asked in these words."""
    return f"q-{hashlib.sha256(normalise(question).encode('utf-8', 'replace')).hexdigest()[:10]}"


def is_empty(text: str) -> bool:
    """Nothing but white space, symbols and citation marks."""
    if "[" in text[:20]:
        text = _CITATION_MARK.sub("", text)
    return _WORD_CHARACTER.search(text) is None


# Signs that turn a sentence round and that a model's vocabulary may lack.
_SPOKEN = str.maketrans({"≤": " at most ", "≥": " at least ", "≠": " is not ", "⩽": " at most ", "⩾": " at least "})


def spoken(text: str) -> str:
    """As a model can read it: signs in words, and digits of other scripts in the usual ones."""
    return text if text.isascii() else _FOREIGN_DIGIT.sub(_digit, text.translate(_SPOKEN))


def _digit(match: re.Match[str]) -> str:
    return str(unicodedata.digit(match.group()))


HASHED = "sha256:"  # before the hash of a person's id


def hashed_subject(subject: str) -> str:
    """What stands for a person where their id, perhaps an e-mail address, must not: it can still be compared."""
    is_hashed = subject.startswith(HASHED)
    return subject if is_hashed else HASHED + hashlib.sha256(subject.encode("utf-8", "replace")).hexdigest()
