"""One normal form for text that is compared: what looks the same to a reader compares equal."""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast
from unicodedata import normalize

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


def words_of(name: str) -> dict[str, Any]:
    """A table of words that comes with the package."""
    return tomllib.loads((files("surefoot") / "words" / f"{name}.toml").read_text("utf-8"))


def rows(table: str) -> list[str]:
    """One entry a line; an indented line continues the one before."""
    return table.strip("\n").replace("\n    ", "").splitlines()


_TABLE = words_of("phrases")
WORDS: dict[str, str] = _TABLE["words"]
_PARTS = {name: "|".join(rows(table)) for name, table in _TABLE["parts"].items()}
_PART = re.compile(r"<([A-Z]+)>")


class _Late:
    """A regular expression that is compiled on its first use: to compile all takes longer than many a command."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> object:
        value = self.__dict__[name] = getattr(re.compile(self._pattern, self._flags), name)  # at once from now on
        return value


class _Phrase(_Late):
    """Whatever its case. Whether it stands in a text is told in lower case, which is several times as fast."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern, re.IGNORECASE)
        self._lower = late(_LETTER.sub(lambda letter: letter[0].lower(), pattern))

    def search(self, text: str, *bounds: int) -> re.Match[str] | None:
        return self._lower.search(lowered(text), *bounds)

    def match(self, text: str, *bounds: int) -> re.Match[str] | None:
        return self._lower.match(lowered(text), *bounds)


_LETTER = re.compile(r"(?<!\\)(?<!\(\?)[A-Z]")  # but for those of \W and (?P<name>


def lowered(text: str) -> str:
    """In lower case, with every character where it was."""
    return text.lower() if text.isascii() else text.replace("İ", "I").lower()


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, compiled when it is first used."""
    return cast("re.Pattern[str]", _Late(pattern, flags))


def phrase(name: str) -> re.Pattern[str]:
    pattern = "|".join(rows(_TABLE["phrases"][name]))
    while _PART.search(pattern):
        pattern = _PART.sub(lambda part: _PARTS[part[1]], pattern)
    return late(pattern, re.IGNORECASE) if "(?-i:" in pattern else cast("re.Pattern[str]", _Phrase(pattern))


_LANGUAGE_TABLE = words_of("languages")
_ENGLISH = word_set(_LANGUAGE_TABLE["english"])

Unreadable = Literal["empty", "not text", "not English"]

_SAMPLE = 20_000  # characters of a longer text that are looked at, from both of its ends and its middle
_MOST_CONTROL, _MOST_FOREIGN_LETTERS = 0.02, 0.4
_FEWEST_WORDS, _FEWEST_BESIDE_NAMES, _ENGLISH_SHARE = 3, 2, 1 / 8
_LIKELIER, _LEAST = 12, 0.1  # fitted with benchmarks/language.py
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ud800-\udfff\ue000-\uf8ff]")
# Greek letters stand in English formulas, so they count as Latin unless they make whole words.
_LATIN = r"a-zA-Z\u00aa\u00b2-\u00be\u2070-\u218f\u00c0-\u024f\u1e00-\u1eff\ufb00-\ufb06\uff21-\uff5aµα-ωΑ-Ω"
_FOREIGN_RUN = re.compile(rf"[\u0370-\u03ff\u1f00-\u1fff]{{3,}}|(?:(?![{_LATIN}])[^\W\d_])+")
_MARK = re.compile(r"\[[^\[\]]{0,80}\]")  # a citation
_WORD = re.compile(r"(?<![\w.])[^\W\d_]+(?:['’-][^\W\d_]+)*(?!\w)")
_CAPITAL = r"(?:[ld]['’])?[A-ZÀ-ÖØ-Þ][\w'’]*"
_NAME = re.compile(rf"\b{_CAPITAL}(?:[ \-](?:(?:{'|'.join(_LANGUAGE_TABLE['particles'].split())})[ \-])+{_CAPITAL})+")


def unreadable(text: str) -> Unreadable | None:
    """Why a text cannot be graded, or None."""
    if is_empty(text):
        return "empty"
    seen = normalize("NFC", sample(text))
    if len(_CONTROL.findall(seen)) > max(1, _MOST_CONTROL * len(seen)):
        return "not text"
    return "not English" if _in_another_language(seen) else None


def sample(text: str) -> str:
    """Enough of a text to tell what it is made of."""
    if len(text) <= _SAMPLE:
        return text
    part, middle = _SAMPLE // 3, len(text) // 2
    return f"{text[:part]} {text[middle : middle + part]} {text[-part:]}"


def _in_another_language(text: str) -> bool:
    """Hardly a word that only English has, and another script or, names aside, a language far likelier than English."""
    words = _WORD.findall(text := _MARK.sub(" ", text))
    english = sum(word.lower() in _ENGLISH for word in words)
    if english and english >= _ENGLISH_SHARE * len(words):
        return False
    if sum(map(len, _FOREIGN_RUN.findall(text))) > _MOST_FOREIGN_LETTERS * sum(map(str.isalpha, text)):
        return True
    if sum(len(word) > 1 for word in words) < _FEWEST_WORDS:
        return False
    text = normalize("NFKC", text.lower() if text.isupper() else text)
    first, *rest = _WORD.findall(_NAME.sub(" ", text)) or [""]
    said = [first, *(word for word in rest if not word[0].isupper())]
    if len(said) < max(_FEWEST_BESIDE_NAMES, len(words) / 2):
        return False
    likely: dict[str, float] = dict(_identifier().rank(" ".join(said)))
    best = max(share for language, share in likely.items() if language not in _NO_SIGN)
    return best >= max(_LEAST, _LIKELIER * max(likely["en"], likely["pcm"]))


_NO_SIGN = frozenset({"en", "pcm", "la", "eo", "vo", "zxx"})  # English terms are taken for Latin or Pidgin


@cache
def _identifier() -> Any:  # noqa: ANN401 - it has no types
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - most texts do not need its model

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
