"""One normal form for text that is compared: what looks the same to a reader compares equal."""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Literal, cast
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

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


Numbers = NDArray[np.integer[Any]]

_PREFIX, _LETTERS = 4, 27  # letters by which a word is looked up; a to z, and 0 for all else
_LETTER_CODES = bytes(code - 96 if 97 <= code <= 122 else 0 for code in range(256))
_RUN = re.compile("[a-z]+")


class Texts:
    """Texts one behind the other, with a line end before and behind each."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.lengths: Numbers = np.fromiter(map(len, texts), np.int64, len(texts))
        self.starts: Numbers = np.cumsum(self.lengths + 1) - self.lengths
        self.ends: Numbers = self.starts + self.lengths
        self.joined = "\n".join(("", *texts, ""))
        self.is_ascii = self.joined.isascii()
        self.is_even = self.is_ascii or "İ" not in self.joined  # the one letter that becomes two
        # In lower case, every character stays where it was.
        self.lowered = self.joined.lower() if self.is_even else self.joined.replace("İ", "I").lower()
        self.characters: Numbers = (
            np.frombuffer(self.joined.encode(), np.uint8)
            if self.is_ascii
            else np.frombuffer(self.joined.encode("utf-32-le", "surrogatepass"), np.uint32)
        )

    @cached_property
    def plain(self) -> bytes:
        """In lower case, with a question mark for whatever is not ASCII."""
        return self.lowered.encode("ascii", "replace")

    def numbers_of(self, positions: Sequence[int] | Numbers) -> Numbers:
        """The texts in which some characters stand, each once."""
        is_one = np.zeros(len(self.starts), np.bool_)
        is_one[np.searchsorted(self.starts, positions, "right") - 1] = True
        return np.flatnonzero(is_one)

    def having(self, characters: str) -> NDArray[np.bool_]:
        """By position, whether one of the characters stands there."""
        is_one: NDArray[np.bool_] = self.characters == ord(characters[0])
        for one in characters[1:]:
            if one.isascii() or not self.is_ascii:
                is_one |= self.characters == ord(one)
        return is_one

    def first_of(self, characters: str) -> Numbers:
        """Where in each text the first of some characters stands, or the end of the text."""
        found = np.append(np.flatnonzero(self.having(characters)), len(self.characters))
        first: Numbers = np.minimum(found[np.searchsorted(found, self.starts)], self.ends)
        return first

    def stand_at(self, words: str, positions: Numbers) -> NDArray[np.bool_]:
        """Whether some words stand at each of the positions."""
        stand = positions > 0
        for place, one in enumerate(words):
            stand &= self.characters.take(positions + place, mode="clip") == ord(one)
        return stand


class WordScan:
    """Finds the texts that have one of many words, which consist of the letters a to z."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._is_prefix = np.zeros((_LETTERS,) * _PREFIX, np.bool_)
        for word in self._words:
            letters = [ord(letter) - 96 for letter in word[:_PREFIX]]
            self._is_prefix[(*letters, 0)[:_PREFIX]] = True  # behind a short word, anything may stand

    def numbers_in(self, texts: Texts) -> Numbers:
        """The texts with a word that no letter from a to z goes before or behind."""
        letters = np.frombuffer(texts.plain.translate(_LETTER_CODES) + bytes(_PREFIX), np.uint8)
        is_letter = letters > 0
        at = np.flatnonzero(is_letter[1:] > is_letter[:-1]) + 1
        prefix = letters[at].astype(np.int32)
        for place in range(1, _PREFIX):
            prefix = prefix * _LETTERS + letters[at + place]
        likely = at[self._is_prefix.ravel()[prefix]]
        is_whole = ~is_letter[likely + 1] | ~is_letter[likely + 2] | ~is_letter[likely + 3]
        run, lowered, words = _RUN.match, texts.lowered, self._words
        longer = [place for place in likely[~is_whole].tolist() if (found := run(lowered, place)) and found[0] in words]
        return texts.numbers_of(np.concatenate((likely[is_whole], np.array(longer, np.int64))))
