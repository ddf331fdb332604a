"""Is a text one that an English reader can grade? Told by its letters and its function words.

Only text that plainly is something else is turned away: names, tables, numbers, headings and short texts pass.
"""

from __future__ import annotations

import re
from typing import Literal

from surefoot.text.normal import is_empty

Unreadable = Literal["empty", "not text", "not English"]

_SAMPLE = 20_000  # characters of a longer text that are looked at, from both of its ends and its middle
_MOST_CONTROL, _MOST_FOREIGN_LETTERS = 0.02, 0.4
_FEWEST_WORDS, _FEWEST_FOREIGN = 6, 2
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ud800-\udfff\ue000-\uf8ff]")
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"[a-zA-Z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\ufb00-\ufb06\uff21-\uff5aµα-ωΑ-Ω]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = _words(
    """the of and to in is are was were be been being that this these those it its for on with as by at from or an not
    which who whom whose what when where why how has have had having he she they them their his her we our you your i
    will would shall should may might must can could do does did if than then there here into about after before
    between under over during without within any all each every some such other another more most no only also but
    because while until against through per upon both either neither up out so very said says my me us him"""
)
# Frequent in another language, neither English words nor parts of names: "in", "die", "la", "de", "van" are not here.
_FOREIGN = _words(
    """der und von zu mit sich des auf für ist im dem nicht ein eine eines einem einen als auch es werden aus hat dass
    sie nach wird bei einer sind noch wie über zum zur oder kann wurde durch
    le les une du et est que qui dans pas sur au avec ce il elle sont par ne se leur aux cette ces ont été être mais ou
    nous vous
    el los las una del por su para es al lo como más pero sus este esta entre cuando muy sobre también desde donde
    durante todos uno ni contra otros fue
    gli di della dei delle che è un non sono si dal nel alla più anche come questo ma
    uma da dos das em nas não mais foi ao ele seu ou quando muito já
    het een te dat niet zijn op aan met voor er maar hem zou wat mijn wordt naar ook bij werd deze
    się nie że jest jak po co tak za od przez dla są jego przy lub oraz które który
    och att det som på är av inte till för har ett hade jag var från vid ska eller
    og ikke jeg et være blir skal også etter
    ve bir bu için ile çok daha olarak gibi olan kadar ancak sonra değil
    ja ei että hän oli joka mutta ovat sekä és hogy nem az egy meg volt csak mint
    je si byl jako jsou nebo podle și nu este în cu pe sau din"""
)


def unreadable(text: str) -> Unreadable | None:
    """Why a text cannot be graded, or None."""
    if is_empty(text):
        return "empty"
    sample = _sample(text)
    if len(_CONTROL.findall(sample)) > max(1, _MOST_CONTROL * len(sample)):
        return "not text"
    return "not English" if _in_another_script(sample) or _in_another_language(sample) else None


def _sample(text: str) -> str:
    if len(text) <= _SAMPLE:
        return text
    part, middle = _SAMPLE // 3, len(text) // 2
    return f"{text[:part]} {text[middle : middle + part]} {text[-part:]}"


def _in_another_script(text: str) -> bool:
    """Greek letters stand in English formulas, so they count as Latin unless they make whole words."""
    if text.isascii():
        return False
    letters = len(_LETTER.findall(text))
    other = letters - len(_LATIN.findall(text))
    return other > _MOST_FOREIGN_LETTERS * letters or _greek_words(text) > _MOST_FOREIGN_LETTERS * letters


def _greek_words(text: str) -> int:
    return sum(len(run) for run in re.findall(r"[\u0370-\u03ff]{3,}", text))


def _in_another_language(text: str) -> bool:
    """Hardly an English function word, but several of another language's."""
    words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < _FEWEST_WORDS:
        return False
    english = sum(word in _ENGLISH for word in words)
    found = [word for word in words if word in _FOREIGN]
    # A foreign word that comes again and again is a name: "Dan", "NOS".
    return len(set(found)) >= _FEWEST_FOREIGN and len(found) > 2 * english and len(found) >= len(words) / 12
