"""What people call a document: "the services agreement between Acme Ltd and Beta AG"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

from surefoot.build.patterns import BINDING
from surefoot.corpus.passages import Row

_BEGINNING = 2_500  # characters, where documents say what they are
_LONGEST = 100  # characters of a title that serves as a name
_KINDS = (
    rf"{BINDING}|handbook|report|statement|guide|guideline|manual|letter|protocol|notice|programme|procedure|standard"
)
_KIND = re.compile(rf"\b((?:[a-z&/-]+ ){{0,6}}(?:{_KINDS}))\b", re.IGNORECASE)
_ITSELF = re.compile(r"\b(?:This|THIS) ((?:[A-Z][\w/-]* |and |of ){1,6}(?:Agreement|AGREEMENT|Lease|LEASE))\b")
_SMALL = frozenset({"and", "for", "the"})
_SHORT = 2  # letters of what numbers an exhibit, or joins words: "k.5", "of"
_PART = re.compile(r"\W*(?:\d+|exhibits?|annex|appendix|schedule|chapter|section|article|part)\b", re.IGNORECASE)
_CALLED = re.compile(  # a title with one of these is a document's: "the Minutes of ...", but “Having a baby”
    rf"\b(?:{_KINDS}|minutes|instructions?|list|wording|rules|regulations?|brochure|leaflet|specifications?|catalogue|faq|"
    r"form|review|act|directive|code|memo|circular|bulletin|newsletter|prospectus|conditions)s?\b",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"\b(?:{_KINDS})\b", re.IGNORECASE)
_BREAKS = re.compile(
    r"(?:the|this|an?|for|to|by|in|not|is|sample|form|of|[a-z]|execution|version|copy|corporation|inc|corp|llc|ltd|\W+|"
    r"\d+|ex|exhibit|\w*\d\w*)",
    re.IGNORECASE,
)


class _Described:
    """What the first passages of a document, and the name of its file, say that it is."""

    def __init__(self, document: str, passages: Sequence[Row]) -> None:
        self.file = PurePosixPath(unquote(PurePosixPath(document).name))
        self.beginning = " ".join(" ".join(row.text for row in passages[:4])[:_BEGINNING].split())
        title = passages[0].doc
        is_file = title in (self.file.stem, PurePosixPath(document).stem)
        short = title if len(title) <= _LONGEST else re.split(r": | \(", title, maxsplit=1)[0][: 2 * _LONGEST]
        self.title = "" if is_file else short
        self.kind = self._kind()
        self.parties = parties_in(self.beginning, "\n".join(row.text for row in passages))

    def _kind(self) -> str:
        """As it calls itself, as its title or its file does, or as its first words do."""
        if itself := _ITSELF.search(self.beginning):
            return _kind(itself.group(1))
        return _kind(self.title) or _opening(self.beginning) or _kind(re.sub("[_-]", " ", self.file.stem))

    def choices(self, document: str) -> list[str]:
        """The best first; the last is the name of the file."""
        found = []
        if _is_title(self.title):
            found.append(_with_article(self.title) if _CALLED.search(self.title) else f"“{self.title}”")
        if self.kind and self.parties:
            how = "between" if len(self.parties) == 2 else "with"
            found.append(f"the {self.kind} {how} {' and '.join(self.parties)}")
        file = f"“{self.file.name}”"
        return [*found, f"the {self.kind} in {file}" if self.kind else file, f"“{document}”"]


def names_of(documents: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    """A name for each document that no other has; "" where there is only one document, which needs none."""
    if len(documents) == 1:
        return dict.fromkeys(documents, "")
    described = {name: _Described(name, passages) for name, passages in documents.items()}
    choices = {name: one.choices(name) for name, one in described.items()}
    found: dict[str, str] = {}
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


def makers_of(documents: Mapping[str, Sequence[Row]]) -> dict[str, tuple[str, str]]:
    """Of the documents that somebody made: what each is, and the first of its parties."""
    described = {name: _Described(name, passages) for name, passages in documents.items()}
    return {name: (one.kind, one.parties[0]) for name, one in described.items() if one.kind and one.parties}


def _opening(text: str) -> str:
    """ "NON-DISCLOSURE AGREEMENT between ...": a kind among the capitals that a document begins with."""
    words: list[str] = []
    for word in text.split()[:12]:
        words.append(word.strip(",.:;()"))
        if words[-1].islower() and len(words[-1]) > _SHORT and words[-1] not in _SMALL:
            return ""
        if _NAMED.fullmatch(words[-1]):
            return _kind(" ".join(words))
    return ""


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
    kind = " ".join(dict.fromkeys(words[after + 1 :])).removeprefix("and ")
    return re.sub(r"\b(agreement) nda$", r"\1", kind)


def _with_article(name: str) -> str:
    return name if re.match(r"(?:the|an?|your|our)\b", name, re.IGNORECASE) else f"the {name}"


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
