"""What people call a document: "the services agreement between Acme Ltd and Beta AG"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

from surefoot.build.patterns import BINDING, DATE, pattern_of
from surefoot.corpus.passages import Row
from surefoot.text.normal import vocabulary, words_of

_BEGINNING = 2_500  # characters, where documents say what they are
_LONGEST = 100  # characters of a title that serves as a name
_KINDS = (
    rf"{BINDING}|tariff|handbook|report|statement|guide|guideline|manual|letter|protocol|notice|programme|procedure|"
    "standard"
)
_KIND = re.compile(rf"\b((?:[a-z&/-]+ ){{0,6}}(?:{_KINDS}))\b", re.IGNORECASE)
_ITSELF = re.compile(r"\b(?:This|THIS) ((?:[A-Z][\w/-]* |and |of ){1,6}(?:Agreement|AGREEMENT|Lease|LEASE))\b")
_SPOKEN = range(2, 7)  # words of a file's name that read like a document's
_SMALL = frozenset({"and", "for", "the"})
_SMALLEST_TOPIC = 3  # words of a title that tells which document an amendment is about
_SHORT = 2  # letters of what numbers an exhibit, or joins words: "k.5", "of"
_PART = re.compile(r"\W*(?:\d+|exhibits?|annex|appendix|schedule|chapter|section|article|part)\b", re.IGNORECASE)
_CALLED = re.compile(  # a title with one of these is a document's: "the Minutes of ...", but “Having a baby”
    rf"\b(?:{_KINDS}|minutes|instructions?|list|wording|rules|regulations?|brochure|leaflet|specifications?|catalogue|faq|"
    r"charges|fees|prices|rates|form|review|act|directive|code|memo|circular|bulletin|newsletter|prospectus|conditions)s?\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"(?<=[a-z,] )[A-Z][\w&-]+(?: [A-Z][\w&-]+)*")  # a name inside a sentence
_MONTHS = "---janfebmaraprmayjunjulaugsepoctnovdec"
_EDITION = re.compile(
    rf"\W*(?:\b(?:of|on|dated|from|held on) )?\b(?:{DATE}|(?:19|20)\d\d|version [\d.]+|v\d+(?:\.\d+)*)", re.I
)
_AMENDS = re.compile(
    r"\b(?:amend(?:ment|s|ing)?|variation|addendum|supplement|side letter|rider|renewal|extension)\b", re.I
)
_NAMED = re.compile(rf"\b(?:{_KINDS})\b", re.IGNORECASE)
_BREAKS, _ROLES, _NO_NAME, _PAPER = map(pattern_of, ("breaks", "roles", "no_name", "paper"))
_LABEL = _PAPER.pattern.partition("{0,2}?")[2]  # without the words before it


def date_in(text: str) -> str:
    """The first date that a text has; "" if there is none."""
    found = re.search(DATE, text)
    return found.group() if found else ""


def _sortable(date: str) -> str:
    """ "3 May 2024" as "2024-05-03"."""
    found = re.search(r"(?:(\w+) )?(\d{1,2})\w*,? ?(?:(\w+),? )?(\d{4})$", date)
    month = (found[1] or found[3] or "")[:3].lower() if found else ""
    return f"{found[4]}-{_MONTHS.find(month) // 3:02}-{int(found[2]):02}" if found else ""


class _Described:
    """What the first passages of a document, and the name of its file, say that it is."""

    def __init__(self, document: str, passages: Sequence[Row]) -> None:
        self.file = PurePosixPath(unquote(PurePosixPath(document).name))
        self.beginning = " ".join(" ".join(row.text for row in passages[:4])[:_BEGINNING].split())
        title = passages[0].doc
        if title in (self.file.stem, PurePosixPath(document).stem):
            first = passages[0].text.partition("\n")[0].strip()
            title = first if len(first) <= _LONGEST and first[-1:].isalnum() else ""
        short = title if len(title) <= _LONGEST else re.split(r": | \(", title, maxsplit=1)[0][: 2 * _LONGEST]
        self.title = short
        self.date = date_in(f"{short} {self.beginning}")
        self.since = _sortable(self.date)
        self.topic = vocabulary(_EDITION.sub("", short))
        self.amends = _AMENDS.search(short) is not None
        self.kind = self._kind()
        self.parties = parties_in(self.beginning, "\n".join(row.text for row in passages))

    def _kind(self) -> str:
        """As it calls itself, as its title or its file does, or as its first words do."""
        if itself := _ITSELF.search(self.beginning):
            return _kind(itself.group(1))
        return _kind(self.title) or _opening(self.beginning) or _kind(re.sub("[_-]", " ", self.file.stem))

    def choices(self, document: str, own: str) -> list[str]:
        """The best first: what it is about, or what it is; twins by their dates; the last is the name of the file."""
        found = []
        if _is_title(self.title):
            found.append(_called_by(self.title, self.beginning))
        if self.kind and self.parties:
            how = "between" if len(self.parties) == 2 else "with"
            found.append(f"the {self.kind} {how} {' and '.join(self.parties)}")
        found += [f"{one} of {self.date}" for one in found if self.date and not one.startswith("“")]
        if self.kind and (own or self.date):
            found.append(f"the {self.kind} that names {own}" if own else f"the {self.kind} of {self.date}")
        stem = " ".join(re.split("[_ ]+", self.file.stem)).strip()
        is_spoken = _KIND.search(stem) and not re.search(r"\d", stem) and len(stem.split()) in _SPOKEN
        file = f"the {stem}" if is_spoken else f"the {self.kind} in “{stem}”" if self.kind else f"“{stem}”"
        return [*found, *([f"the {self.kind}"] if len(self.kind.split()) > 1 else []), file, f"“{document}”"]


def _called_by(title: str, text: str) -> str:
    """ "Barista One: instruction manual" is about the Barista One; "Brindle Water: tariff 2025" is a tariff."""
    whole = re.sub(r"\s*\([^()]*\)$", "", title).strip(" .")
    whole = re.sub(r"(?i)^(?:technical |product )?(?:data|fact) ?sheet (?!of |for )", "", whole)
    first, _, second = [*re.split(r"(: | [-–|] )", whole, maxsplit=1), "", ""][:3]
    papers = [_PAPER.fullmatch(part) is not None for part in (first, second)]
    short = re.sub(rf"(?i)[ ,]+(?:(?:patient|visitor|user|product|owner's|information) )*{_LABEL}$", "", whole)
    if second and papers != [False, False]:
        about = second if papers[0] else first
    elif second and _CALLED.search(second) and not _CALLED.search(first):
        return f"the {_low(second)} of {first}"
    elif len(short.split()) > 1 and short != whole and re.search(r"\d|[A-Z]\w+ [A-Z]", short):
        about = short
    elif _CALLED.search(whole):
        return _with_article(_low(re.sub(rf"(\b(?:{_KINDS})), (?=[A-Z])", r"\1 of ", whole, flags=re.IGNORECASE)))
    else:
        about = whole if re.search(r"\d|(?:[A-Z][\w'’&-]+ ){1,}[A-Z][\w'’&-]+$", whole) else ""
        about = re.sub("^Your ", "the ", whole) if whole.startswith("Your ") else about
    if not re.search(r"\d|[A-Z][\w'’&-]+ (?:\w+ )*[A-Z]", about) and not about.startswith("the "):
        return f"“{about or title}”"
    needs_article = re.search(rf"\bthe {re.escape(about)}\b", text, re.IGNORECASE) or about.split()[-1].islower()
    return _with_article(about) if needs_article else about


def _low(text: str) -> str:
    is_plain = re.match(r"[A-Z][a-z]+ (?!of [A-Z])[a-z]", text)
    return f"{text[0].lower()}{text[1:]}" if is_plain else text


def names_of(documents: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    """A name for each document that no other has; "" where there is only one document, which needs none."""
    if len(documents) == 1:
        return dict.fromkeys(documents, "")
    described = {name: _Described(name, passages) for name, passages in documents.items()}
    said = {name: Counter(_OWN.findall("\n".join(row.text for row in rows))) for name, rows in documents.items()}
    times = Counter(word for words in said.values() for word in words)
    common = {word for rows in documents.values() for row in rows for word in re.findall(r"\b[a-z]+", row.text)}
    own = {
        name: [word for word, count in words.most_common() if 1 < count == times[word]] for name, words in said.items()
    }
    own = {name: [one for one in words if not common.issuperset(one.lower().split())] for name, words in own.items()}
    choices = {name: one.choices(name, (own[name] or [""])[0]) for name, one in described.items()}
    kinds = Counter(f"the {one.kind}" for one in described.values())
    choices = {name: [one for one in some if kinds[one] < 2] for name, some in choices.items()}  # not one of several
    later = later_of(documents)
    for name, whole in later.items():  # the version in force goes without its date
        if True in whole.values() and choices[name][0] == choices[next(iter(whole))][0]:
            choices[name] = choices[name][1:]
    found: dict[str, str] = {}
    while choices:
        times = Counter(options[0].lower() for options in choices.values())
        taken = {name.lower() for name in found.values()}
        sole = {name: options[0] for name, options in choices.items() if _is_free(options, times, taken)}
        found |= sole
        choices = {name: options[1:] for name, options in choices.items() if name not in sole}
    return found


def later_of(documents: Mapping[str, Sequence[Row]]) -> dict[str, dict[str, bool]]:
    """Of each document, those that amend it, or, if true, replace it as a whole; the latest first.

    A series, whose titles bear their dates - tariffs, minutes - is neither: each holds for its own time.
    """
    described = {name: _Described(name, passages) for name, passages in documents.items()}
    found: dict[str, dict[str, bool]] = {name: {} for name in documents}
    bases: dict[str, set[str]] = {name: set() for name in documents}
    order = sorted(documents, key=lambda name: described[name].since, reverse=True)
    for name, one in described.items():
        for other in (other for other in order if other != name):
            later = described[other]
            is_whole = one.title == later.title and one.parties == later.parties and "" < one.since < later.since
            is_whole &= _is_title(one.title) and len(one.topic) >= _SMALLEST_TOPIC
            said = vocabulary(f"{later.title} {later.beginning}")
            is_same = len(one.topic) >= _SMALLEST_TOPIC and one.topic <= said
            is_same |= len(one.parties) > 1 and set(one.parties) == set(later.parties)
            if is_whole or (later.amends and not one.amends and is_same and one.since <= (later.since or one.since)):
                found[name][other] = is_whole
                bases[other].add(name)
    for name, one in described.items():  # a second amendment stands above the first
        for other in order:
            if one.amends and bases[name] & bases[other] and "" < one.since < described[other].since:
                found[name].setdefault(other, False)
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
_FORMS = words_of("documents")["forms"].split()
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
