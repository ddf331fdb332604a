"""Who made an agreement: "between Acme Ltd and Beta AG"."""

from __future__ import annotations

import re
from collections import Counter

_BETWEEN = re.compile(r"\b(?:between|among)\b|\(1\)(?=.{0,600}\(2\))", re.IGNORECASE)
_PARTIES = 600  # characters after "between" in which they are named
_WORD = r"(?:(?![a-zß-öø-ÿ])[^\W\d_]|[a-z][A-Z])[\w&.'’-]{0,40}"
_FORMS = (
    "Incorporated", "Inc", "Corporation", "Corp", "Limited", "Ltd", "LLC", "L.L.C", "LLP", "plc", "GmbH", "AG", "SE",
    "KG", "SA", "S.A", "SAS", "S.p.A", "AB", "Oyj", "N.V", "B.V", "LP", "L.P", "Co", "Company", "Pty", "Pte", "Pvt",
)  # fmt: skip
_COMPANY = rf"(?:{'|'.join(re.escape(form) for name in _FORMS for form in (name, name.upper()))})"
_PARTY = re.compile(  # a company by its form, or whoever is given a short name: Beta AG, John Doe ("Doe")
    rf"(?<!\w)({_WORD}(?: (?:of (?:the )?|and |& |- |de |for )?{_WORD}){{0,5}}?)"
    rf"(?:,? {_COMPANY}\b|(?=(?:, an? [^;()]{{0,90}}|,)? \((?:the |hereinafter |hereafter )?[\"“]))"
)
_JOINING = re.compile(r"^(?:(?:and|the|among|between)\b )+", re.IGNORECASE)
_NAMING = re.compile(
    r"(?:\b(?:between|among|and|by)|[:;)]|\b\d[.)])[\s:]*(?:the )?$|^$", re.IGNORECASE
)  # who comes next
_JOINS = re.compile(r"(?:\band|- and -|\(2\)|\b2[.)])[\s:]*(?:the )?$", re.IGNORECASE)
_ROLES = re.compile(  # whoever is called only this has no name yet
    r"(?:(?:the|first|second|other|potential|disclosing|receiving|disclos\w+|recei\w+|recipient|company|undersigned|entity|"
    r"participant|vendor|buyer|seller|supplier|customer|licens\w+|landlord|tenant|provider|operator|agent|contractor|"
    r"client|owner|investor|employee|employer|stockholder|franchis\w+|individual|corporation|bank|association|trust|acquir\w+|x+|"
    r"name|insert|full|address|of)s?\b ?)+",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"\b(?:by|part(?:y|ies)|agreements?|dated?|whereas|effective|this|exhibit|confidential\w*|information|hereinafter)\b",
    re.IGNORECASE,
)
_IS_WORD = re.compile(r"[^\W_]{3}|[^\W\d_]{2}.*[^\W\d_]{2}")  # "B.C." is none


def parties_in(text: str, whole: str) -> list[str]:
    """One or two of those who made a document, as the text at its beginning calls them."""
    between = _BETWEEN.search(text)
    region = text[between.start() : between.end() + _PARTIES] if between else ""
    found: list[str] = []
    for one in _PARTY.finditer(region):
        name, before = _called(one.group(1)), region[: one.start()]
        is_new = not any(name.lower() in other.lower() or other.lower() in name.lower() for other in found)
        is_other = not found or _JOINS.search(before)
        is_state = re.search(r"\ban? $", before)  # "a Delaware corporation"
        is_place = one.group() == one.group(1) and not _NAMING.search(before)  # "of Berlin, Germany (the ..."
        is_name = _IS_WORD.search(name) and not _ROLES.fullmatch(name) and not _NO_NAME.search(name)
        if is_name and is_new and is_other and not is_state and not is_place:
            found.append(_as_written(name, whole))
    return found[:2]


def _as_written(name: str, whole: str) -> str:
    """A name that the beginning shouts, as the document has it elsewhere: "Kallo", not "KALLO"."""
    for word in re.findall(r"\b[A-Z]{3,}\b", name):
        every = Counter(re.findall(rf"\b{word}\b", whole, re.IGNORECASE))
        spoken = [found for found, _ in every.most_common() if not found.isupper() and not found.islower()]
        name = name.replace(word, spoken[0] if spoken else word)
    return name


def _called(name: str) -> str:
    """Without "Inc."; not shouted."""
    short = _JOINING.sub("", re.sub(rf"(?:^|,? ){_COMPANY}\.?$", "", name.strip(" ,."))).strip(" ,.&")
    words = short.split()
    return " ".join(_spoken(word) for word in words) if short.isupper() and len(words) > 1 else short


def _spoken(word: str) -> str:
    if word in ("AND", "OF", "THE", "FOR"):
        return word.lower()
    return word.capitalize() if len(word) > 3 and word.isalpha() else word
