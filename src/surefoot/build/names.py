"""What people call a document: "the services agreement between Acme Ltd and Beta AG"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

from surefoot.corpus.passages import Row
from surefoot.corpus.rows import is_rows

_BEGINNING = 2_500  # characters, where documents say what they are
_LONGEST = 100  # characters of a title that serves as a name
_KINDS = (
    "agreement|contract|lease|licence|license|policy|handbook|deed|amendment|addendum|undertaking|plan|report|"
    "statement|guide|"
    "guideline|manual|terms|letter|charter|protocol|notice|programme|procedure|standard"
)
_KIND = re.compile(rf"\b((?:[a-z&/-]+ ){{0,4}}(?:{_KINDS}))\b", re.IGNORECASE)
_PARTY = r"([A-Z][\w&.'’-]{0,40}(?:,? (?:(?:of|and|the|&|de) )?[A-Z][\w&.'’-]{0,40}){0,5}?)"
_BETWEEN = re.compile(
    rf"\b(?i:by and between|between|by and among|among):? (?:the )?{_PARTY}(?=,| \(| and\b)[^;]{{0,300}}?\band "
    rf"(?:the )?{_PARTY}(?=[,.;(]| \(| and\b|$)"
)
_SUFFIX = re.compile(
    r",? (?:Inc|Incorporated|Corp|Corporation|Ltd|Limited|LLC|L\.L\.C|PLC|plc|GmbH|AG|N\.V|S\.A|LP|L\.P|Co)\b\.?.*"
)
_NO_NAME = re.compile(
    r"\b(?:party|parties|disclos\w*|recei\w*|recipient|company|undersigned|agreement|date|its|entit\w+|definitions?|participants?|whereas)\b",
    re.IGNORECASE,
)
_BREAKS = re.compile(r"(?:the|this|an?|for|to|by|in|not|is|sample|form|of|\W+|\d+|ex|exhibit|\w*\d\w*)", re.IGNORECASE)
_NOISE = re.compile(
    r"(?:\d+|ex|exhibit|k|q|f|s|v|vf|final|draft|copy|document|doc|signed|dex\w*|[a-z]?\d\w*|of|and)\b", re.IGNORECASE
)


def document_of(row: Row) -> str:
    """The document a passage is from. A file of rows is none: its rows may be of many."""
    named = [name for name in (row.file, row.id.rpartition("#")[0], row.doc) if name]
    return next((name for name in named if not is_rows(name)), next(reversed(named), ""))


def names_of(rows: Sequence[Row]) -> dict[str, str]:
    """A name for each document that no other has; "" where there is only one document, which needs none."""
    documents: dict[str, list[Row]] = {}
    for row in rows:
        documents.setdefault(document_of(row), []).append(row)
    if len(documents) == 1:
        return dict.fromkeys(documents, "")
    found: dict[str, str] = {}
    choices = {name: _choices(name, passages) for name, passages in documents.items()}
    while choices:
        times = Counter(options[0].lower() for options in choices.values())
        taken = {name.lower() for name in found.values()}
        sole = {name: options[0] for name, options in choices.items() if _is_free(options, times, taken)}
        found |= sole
        choices = {name: options[1:] for name, options in choices.items() if name not in sole}
    return found


def _is_free(options: Sequence[str], times: Mapping[str, int], taken: set[str]) -> bool:
    """The last of them is the document's own, whatever the others are called."""
    name = options[0].lower()
    return len(options) == 1 or (times[name] == 1 and name not in taken)


def _choices(document: str, passages: Sequence[Row]) -> list[str]:
    """The best first; the last is the name of the file."""
    beginning = " ".join(" ".join(row.text for row in passages[:4])[:_BEGINNING].split())
    stem = PurePosixPath(unquote(document)).stem
    title = passages[0].doc if passages[0].doc != stem else ""
    title = title if len(title) <= _LONGEST else re.split(r": | \(", title, maxsplit=1)[0]
    kind = _kind(title) or _kind(stem.replace("_", " ").replace("-", " ")) or _kind(beginning[:200])
    parties = _parties(beginning)
    found = []
    if _is_title(title):
        found.append(_with_article(title))
    if kind and len(parties) == 2:
        found.append(f"the {kind} between {parties[0]} and {parties[1]}")
    if own := _worded(stem):
        found.append(_with_article(own))
    return [*found, f"“{PurePosixPath(document).name}”", f"“{document}”"]


def _is_title(title: str) -> bool:
    """Neither shouted, nor a clause's heading, nor "Agreement" alone."""
    has_words = len(re.findall(r"[^\W\d_]{3,}", title)) >= 2 and not re.match(r"\d|exhibit|annex|appendix", title, re.I)
    return has_words and not title.isupper() and len(title) <= _LONGEST and not _KIND.fullmatch(title)


def _kind(text: str) -> str:
    found = _KIND.search(" ".join(re.sub(r"[^\w&/ -]", " ", text).split()))
    if not found:
        return ""
    words = found.group(1).split()
    after = max((place for place, word in enumerate(words) if _BREAKS.fullmatch(word)), default=-1)
    words = words[after + 1 :]
    return " ".join(words).lower()


def _parties(text: str) -> list[str]:
    found = _BETWEEN.search(text)
    names = (
        [_SUFFIX.sub("", re.split(r"(?<=\w{3})\. ", name.strip(" ,"))[0]) for name in found.groups()] if found else []
    )
    fit = [name for name in names if len(name) > 2 and " and " not in name and not _NO_NAME.search(name)]
    return fit if len(fit) == 2 and fit[0] not in fit[1] and fit[1] not in fit[0] else []


def _worded(stem: str) -> str:
    """A file's name without its numbers, if words remain: "acme_06_15_2020_ex_10_services_agreement"."""
    words = [word for word in re.split(r"[\s_]+|-(?=\D)", stem) if word and not _NOISE.fullmatch(word)]
    return " ".join(words) if sum(len(word) > 2 and word.isalpha() for word in words) >= 2 else ""


def _with_article(name: str) -> str:
    return name if re.match(r"(?:the|an?|your|our)\b", name, re.IGNORECASE) else f"the {name}"
