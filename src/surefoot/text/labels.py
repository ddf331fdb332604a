"""The labels that documents give their own parts: "4.2", "ARTICLE IV", "(b)", "Schedule A"."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,5}"
_SECTION = re.compile(
    rf"(?:(?P<kind>section|article|clause|part|chapter|schedule|annex|appendix|exhibit|item|sec\.|art\.|§{{1,2}})\s*"
    rf"(?P<named>{_NUMBER}[A-Z]?|[IVXLC]{{1,7}}|[A-Z])|(?P<bare>{_NUMBER}))(?P<end>[.):]|(?=\s|$))",
    re.IGNORECASE,
)
ITEM = re.compile(r"\((?P<item>[a-z]{1,4}|[A-Z]|\d{1,3})\)\s|(?P<letter>[a-z])[.)]\s|[•◦▪‣*–-]\s")
APART = frozenset({"part", "chapter", "schedule", "annex", "appendix", "exhibit"})  # each counted by itself
# What a number before it is an amount of, and what leaves a line unfinished: the next one begins with no label.
_AMOUNT = re.compile(r"\s*(?:[a-z%€$£°]|(?:Million|Billion|Percent|Per|EUR|USD|GBP)\b)")
_UNFINISHED = re.compile(
    r"(?:,|\b(?:sections?|articles?|clauses?|parts?|chapters?|schedules?|annex|appendix|exhibits?|paragraphs?|items?|and|or|"
    r"to|of|in|by|the|see|under|with|than|is|are|EUR|USD|GBP)|§|\bs\.|\bart\.|\bsec\.|\bno\.)\s*$",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"(?<=[.;:!?] )\d{1,3}(?:\.\d{1,3}){1,5}(?=\s[A-Z(\"“])")


def label_of(text: str) -> str:
    """The label a paragraph bears in its document: "4.2" of "4.2 Late payments", "IV" of "ARTICLE IV. TERM"."""
    match = _SECTION.match(text)
    return "" if match is None else _label(match)


def _label(match: re.Match[str]) -> str:
    label = match["named"] or match["bare"]
    if match["named"] is None and "." not in label and not match["end"]:
        return ""  # "30 days after": a number, not a label
    return str(label)


def item_of(text: str) -> str:
    """The letter of an item in a list: "a" of "(a) the Supplier"."""
    match = ITEM.match(text)
    return "" if match is None else match["item"] or match["letter"] or ""


def labels_in(text: str) -> Iterator[tuple[str, str]]:
    """All labels a passage bears: what they count ("schedule", or "" for sections, clauses and articles), and which."""
    before = ""
    for line in text.splitlines():
        line = line.strip().lstrip("#*_ ")
        match = None if _UNFINISHED.search(before) else _SECTION.match(line)
        if match is not None and (label := _label(match)) and not _is_amount(match, line):
            kind = (match["kind"] or "").lower()
            yield kind if kind in APART else "", label.lower()
        for within in _WITHIN.findall(line):
            yield "", within
        before = line


def _is_amount(match: re.Match[str], line: str) -> bool:
    return match["bare"] is not None and not match["end"] and _AMOUNT.match(line, match.end()) is not None
