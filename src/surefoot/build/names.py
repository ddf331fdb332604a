"""What people call a document: "the services agreement between Acme Ltd and Beta AG"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

from surefoot.build.patterns import BINDING
from surefoot.corpus.passages import Row
from surefoot.text.parties import parties_in

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
