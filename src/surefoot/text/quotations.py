"""Text in quotation marks that is said to come from a source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surefoot.text.normal import normalise

_QUOTED = re.compile(r"(?:(?<=[\s(\[:,—–-])|^)[\"“„«](?P<text>[^\"“”„«»]{8,2000}?)[\"”“»](?=[\s.,;:!?)\[\]…—–-]|$)")
_GAP = re.compile(r"\.{2,}|…|\[[^\[\]]*\]")
_TELLS = re.compile(
    r"\b(?:stat|sa(?:ys?|id)|read|quot|mention|not(?:e|es|ed|ing)\b|writ|word|accord|provid|specif|defin|explain|describ|"
    r"cit|confirm|indicat|clarif)\w*[^.]{0,60}$|[:,]\s*$|\[[^\[\]]*\]\s*$",
    re.IGNORECASE,
)
_PLAIN = str.maketrans("’‘ʼ‑–—", "'''---")
_FEWEST = 4  # words; fewer are a term


def quotations(answer: str) -> Iterator[tuple[int, int, str]]:
    """Where something is quoted as the words of a source, and what; names, titles and single terms are not."""
    for found in _QUOTED.finditer(answer):
        words = [word for word in found["text"].split() if word[:1].isalpha()]
        long = [word for word in words[1:] if len(word) > 3]
        is_title = long and sum(word[0].isupper() for word in long) > 0.6 * len(long)
        is_told = _TELLS.search(answer, max(0, found.start() - 120), found.start()) or "[" in answer[found.end() :][:12]
        if len(words) >= _FEWEST and is_told and not is_title:
            yield found.start(), found.end(), found["text"]


def stands_in(quotation: str, text: str) -> bool:
    """Word for word, but for white space, case, marks at its end, and what is left out or put in square brackets."""
    there, at = _bare(text), 0
    for part in filter(None, (_bare(piece) for piece in _GAP.split(quotation))):
        at = there.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _bare(text: str) -> str:
    return re.sub(r"\s+(?=[.,;:!?)%])|(?<=[($])\s+", "", normalise(text.translate(_PLAIN))).strip(" .,;:!?-'")
