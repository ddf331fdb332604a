"""Replacing a piece of a sentence so that what comes out still reads well."""

from __future__ import annotations

import re

from training.english.lists import words

NEGATIVE = re.compile(
    r"\b(?:not|no|never|nor|neither|none|nothing|nobody|without|cannot|unless|except|fails?|failed|un\w+able|"
    r"prohibit\w*|hardly|rarely|lacks?|absence|exclud\w*|forbid\w*|prevent\w*|refus\w*|den(?:y|ied|ies)|"
    r"unable|unlikely)\b|n't\b|n’t\b",
    re.IGNORECASE,
)
CONDITIONAL = re.compile(
    r"\b(?:if|unless|whether|provided that|in the event|except|only|until|when|where|should|subject to|whenever|"
    r"to the extent|so long as|as long as)\b",
    re.IGNORECASE,
)
_LOWERABLE = words(
    "the a an this that these those such each any all every no some both either neither if in on at upon "
    "under during "
    "for to with without from by as after before prior it its he she his her they their we our you your there here "
    "except unless subject notwithstanding when where while although because since until within pursuant according "
    "following many most several one two three four five six seven eight nine ten additionally however certain "
    "neither nothing other another whenever once more less approximately about only even based"
)


def spliced(text: str, start: int, end: int, new: str) -> str:
    """`text` with `new` at the place, in the case of what it replaces, with "a"/"an" and spaces put right."""
    old = text[start:end]
    if old[:1].isupper() and new[:1].islower() and (start == 0 or (old.isalpha() and (old.istitle() or old.isupper()))):
        new = new.upper() if len(old) > 2 and old.isupper() else new[0].upper() + new[1:]
    before = text[:start]
    article = re.search(r"\b([Aa])n? $", before)
    if article and new:
        vowel = bool(re.match(r"(?:[aeio]|u(?!ni|se|ti))|hour|honou?r|8|11\b|18\b", new.lower()))
        before = before[: article.start()] + article[1] + ("n " if vowel else " ")
    return tidy(before + new + text[end:])


def tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ([,.;:)])(?!\d)", r"\1", text)
    text = re.sub(r",(?: ?,)+", ",", text)
    text = re.sub(r",([.;])", r"\1", text)
    return text.strip(" ,")


def lowered(text: str) -> str:
    """The sentence as it reads behind a lead-in: small first letter unless the first word may be a name."""
    first = re.match(r"[A-Za-z]+", text)
    if first and first[0].lower() in _LOWERABLE and (len(first[0]) == 1 or first[0][1:].islower()):
        return text[0].lower() + text[1:]
    return text


def raised(text: str) -> str:
    return text[:1].upper() + text[1:]


def detokenised(text: str) -> str:
    """Text written as tokens ("Smith 's ( born 1950 ) ,") as people write it."""
    text = re.sub(r" ([,.;:!?%)\]’])(?=\s|$|[,.;])", r"\1", text)
    text = re.sub(r"([(\[$£€]) (?=\w)", r"\1", text)
    text = re.sub(r" (n't|'s|'re|'ve|'ll|'d)\b", r"\1", text)
    text = re.sub(r"`` ?| ?''", '"', text)
    text = re.sub(r"-LRB- ?", "(", text)
    text = re.sub(r" ?-RRB-", ")", text)
    return re.sub(r"(\w) - (?=(?:year|day|month|old|time|term|based|up|off|one|two)\b)", r"\1-", text)


def folded(text: str) -> str:
    """For telling whether two texts say the same in the same words."""
    return " ".join(re.findall(r"[a-z0-9.%$€£]+", text.lower())).replace(". ", " ").rstrip(".")


def well_formed(text: str) -> bool:
    if re.search(r"\bnot not\b|\b(\w{3,}) \1\b|\( ?\)|[,;] ?[,;]|^\W*$|\bthe (?:a|an|the)\b|\ba the\b", text):
        return False
    return text.count("(") == text.count(")") and 4 <= len(text.split()) <= 130


def content_words(text: str) -> set[str]:
    """Rough stems of the longer words and the numbers."""
    return {word[:6] for word in re.findall(r"[a-z]{4,}|\d[\d.,]*", text.lower()) if word not in _COMMON}


_COMMON = words(
    "that this with from have been will shall such other which their under upon than these those were would into "
    "also only each some more most when where there they them about between during after before"
)
