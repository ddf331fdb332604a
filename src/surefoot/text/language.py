"""Can an English reader grade a text? Its letters, a few English words and, if those do not tell, py3langid decide.

Only text that is plainly in another language is turned away: names, tables, numbers and headings pass.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal
from unicodedata import normalize

from surefoot.text.normal import is_empty, word_set
from surefoot.text.phrases import words_of

_TABLE = words_of("languages")
_ENGLISH = word_set(_TABLE["english"])

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
_NAME = re.compile(rf"\b{_CAPITAL}(?:[ \-](?:(?:{'|'.join(_TABLE['particles'].split())})[ \-])+{_CAPITAL})+")


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
