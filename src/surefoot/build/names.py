"""What people call a document: "the services agreement between Acme Ltd and Beta AG"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

from surefoot.corpus.passages import Row
from surefoot.corpus.rows import is_rows
from surefoot.types import document_in

_BEGINNING = 2_500  # characters, where documents say what they are
_LONGEST = 100  # characters of a title that serves as a name
_KINDS = (
    "agreement|contract|lease|licence|license|policy|handbook|deed|amendment|addendum|undertaking|plan|report|"
    "statement|guide|"
    "guideline|manual|terms|letter|charter|protocol|notice|programme|procedure|standard"
)
_AGREED = r"(?:agreement|contract|lease|licen[cs]e|policy|deed|amendment|addendum|undertaking|plan|charter)"
_KIND = re.compile(rf"\b((?:[a-z&/-]+ ){{0,4}}(?:{_KINDS}))\b", re.IGNORECASE)
_ITSELF = re.compile(r"\b(?:This|THIS) ((?:[A-Z][\w/-]* |and |AND |of ){1,6}(?:Agreement|AGREEMENT|Lease|LEASE))\b")
_BETWEEN = re.compile(r"\b(?:between|among)\b|\(1\)|\bpotential (?:acquisition|transaction)\b", re.IGNORECASE)
_PARTIES = 600  # characters after "between" in which they are named
_WORD = r"[A-Z][\w&.'’-]{0,40}"
_COMPANY = (
    r"(?:Inc|Incorporated|Corp|Corporation|Ltd|Limited|LLC|L\.L\.C|LLP|PLC|GmbH|AG|N\.V|S\.A|B\.V|LP|L\.P|Co|Company|Pty|"
    r"PTE|Pvt)"
)
_PARTY = re.compile(  # a company by its form, or whoever is given a short name: Beta AG, John Doe ("Doe")
    rf"({_WORD}(?: (?:of (?:the )?|and |& |de |for )?{_WORD}){{0,5}}?)"
    rf"(?:,? (?i:{_COMPANY})\b|(?=(?:, an? [^;()]{{0,90}}|,)? \((?:the |hereinafter |hereafter )?[\"“]))"
)
_JOINING = re.compile(r"^(?:(?:and|the|among|between|ltd)\b\.? )+", re.IGNORECASE)
_JOINS = re.compile(r"(?:\band|- and -|\(2\)|\b2[.)])[\s:]*(?:the )?$", re.IGNORECASE)
_NO_NAME = re.compile(
    r"\b(?:part(?:y|ies)|disclos\w*|recei\w*|recipient|company|undersigned|agreements?|dated?|its|entit\w+|definitions?|"
    r"participants?|whereas|name|insert|address|effective|this|vendor|buyer|seller|supplier|customer|licens\w+|exhibit|"
    r"non|mutual|confidential\w*|state|street|suite|now|reference|hereinafter|between|landlord|tenant|provider|"
    r"operator|transaction|agent|licensee|contractor|client|owner|investor|employee|stockholder|bank|association|corporation|mine|individual|trust|full|stock|x+)\b",
    re.IGNORECASE,
)
_PART = re.compile(r"\W*(?:\d|exhibits?|annex|appendix|schedule|chapter|section|article|part)\b", re.IGNORECASE)
_BINDING = re.compile(rf"\b(?:{_KINDS}|m?nda)\b", re.IGNORECASE)
_BREAKS = re.compile(
    r"(?:the|this|an?|for|to|by|in|not|is|sample|form|of|[a-z]|execution|version|copy|university|corporation|inc|corp|llc|ltd|\W+|\d+|ex|exhibit|\w*\d\w*)",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"(?:\d+|ex|exhibit|k|q|f|s|v|vf|final|draft|copy|document|doc|signed|dex\w*|[a-z]?\d\w*|of|and)\b", re.IGNORECASE
)


def document_of(row: Row) -> str:
    """The document a passage is from. A file of rows is none: its rows may be of many."""
    named = [name for name in (row.file, document_in(row.id), row.doc) if name]
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
    name = unquote(PurePosixPath(document).name)
    stem = PurePosixPath(name).stem
    title = passages[0].doc if passages[0].doc not in (stem, PurePosixPath(document).stem) else ""
    title = title if len(title) <= _LONGEST else re.split(r": | \(", title, maxsplit=1)[0]
    itself = _ITSELF.search(beginning)
    plain = stem.replace("_", " ").replace("-", " ")
    kind = _kind(itself.group(1)) if itself else _kind(title) or _agreed(_kind(beginning[:200])) or _kind(plain)
    parties = _parties(beginning)
    found = []
    if _is_title(title):
        found.append(_with_article(title))
    if kind and parties:
        found.append(f"the {kind} {'between' if len(parties) == 2 else 'with'} {' and '.join(parties)}")
    if own := _worded(stem):
        found.append(_with_article(own if _BINDING.search(own) or not kind else f"{kind} “{own}”"))
    return [*found, f"the {kind} in “{name}”" if kind else f"“{name}”", f"“{document}”"]


def _is_title(title: str) -> bool:
    """Neither shouted, nor a clause's heading, nor "Agreement" alone."""
    has_words = len(re.findall(r"[^\W\d_]{3,}", title)) >= 2 and not _PART.match(title)
    return has_words and not title.isupper() and len(title) <= _LONGEST and not _KIND.fullmatch(title)


def _kind(text: str) -> str:
    found = _KIND.search(" ".join(re.sub(r"[^\w&/ -]", " ", text).split()))
    if not found:
        return ""
    words = found.group(1).lower().split()
    after = max((place for place, word in enumerate(words) if _BREAKS.fullmatch(word)), default=-1)
    return " ".join(dict.fromkeys(words[after + 1 :])).removeprefix("and ")


def _agreed(kind: str) -> str:
    """The text of a report speaks of other kinds of documents, that of an agreement of itself."""
    return kind if re.search(rf"\b{_AGREED}$", kind) else ""


def _parties(text: str) -> list[str]:
    """One or two of those who made it, as they are called at its beginning."""
    between = _BETWEEN.search(text)
    region = text[between.start() : between.end() + _PARTIES] if between else ""
    found: list[str] = []
    for one in _PARTY.finditer(region):
        name = _called(one.group(1))
        is_new = not any(name.lower() in other.lower() or other.lower() in name.lower() for other in found)
        is_other = not found or _JOINS.search(region[: one.start()])
        is_state = re.search(r"\ban? $", region[: one.start()])  # "a Delaware corporation"
        if len(name) > 2 and is_new and is_other and not is_state and not _NO_NAME.search(name):
            found.append(name)
    return found[:2]


def _called(name: str) -> str:
    """Without "Inc."; not shouted."""
    short = _JOINING.sub("", re.sub(rf"(?:^|,? )(?i:{_COMPANY})\.?$", "", name.strip(" ,."))).strip(" ,.&")
    words = short.split()
    return " ".join(_spoken(word) for word in words) if short.isupper() and len(words) > 1 else short


def _spoken(word: str) -> str:
    if word in ("AND", "OF", "THE", "FOR"):
        return word.lower()
    return word.capitalize() if len(word) > 3 else word


def _worded(stem: str) -> str:
    """A file's name without its numbers, if words remain: "acme_06_15_2020_ex_10_services_agreement"."""
    words = [re.sub(r"(?<=[a-z])\d$", "", word) for word in re.split(r"[\s_]+|-(?=\D)", stem) if word]
    words = [word for word in words if not _NOISE.fullmatch(word)]
    return " ".join(words) if sum(len(word) > 2 and word.isalpha() for word in words) >= 2 else ""


def _with_article(name: str) -> str:
    return name if re.match(r"(?:the|an?|your|our)\b", name, re.IGNORECASE) else f"the {name}"
