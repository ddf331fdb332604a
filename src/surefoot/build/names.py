"""What people call a document: "the services agreement between Acme Ltd and Beta AG"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

from surefoot.build.clauses import DATE, KINDS, patterns_of
from surefoot.corpus.passages import Row
from surefoot.text.normal import vocabulary, words_of

_BEGINNING = 2_500  # characters, where documents say what they are
_LONGEST = 100  # characters of a title that serves as a name
_KIND, _ITSELF, _PART, _CALLED, _LEADING, _MINUTES = patterns_of("kind itself names_part called leading minutes")
_DASHES, _EDITION, _AMENDS, _NOISE, _DATED, _NAMED = patterns_of("dashes edition amends noise dated named")
_ACTS, _BETWEEN, _JOINING, _NAMING, _JOINS, _IS_WORD = patterns_of("acts between joining next_party joins is_word")
_BREAKS, _ROLES, _NO_NAME, _PAPER, _GENERIC = patterns_of("breaks roles no_name paper generic")
_SPOKEN = range(2, 7)  # words of a file's name that read like a document's
_SMALL = frozenset({"and", "for", "the"})
_SMALLEST_TOPIC = 3  # words of a title that tells which document an amendment is about
_SHORT = 2  # letters of what numbers an exhibit, or joins words: "k.5", "of"
_MONTHS = "---janfebmaraprmayjunjulaugsepoctnovdec"
_TAIL = re.compile(
    rf"(?i)[ ,]+(?:(?:patient|visitor|user|product|owner's|information) )*{_PAPER.pattern.partition('{0,2}?')[2]}$"
)


def date_in(text: str) -> str:
    """The first date that a text has; "" if there is none."""
    found = re.search(DATE, text)
    return found.group() if found else ""


def _sortable(date: str) -> str:
    """ "3 May 2024" as "2024-05-03"."""
    found = re.search(r"(?:(\w+) )?(\d{1,2})\w*,? ?(?:(\w+),? )?(\d{4})$", date)
    month = (found[1] or found[3] or "")[:3].lower() if found else ""
    return f"{found[4]}-{_MONTHS.find(month) // 3:02}-{int(found[2]):02}" if found else ""


class Described:
    """What the first passages of a document, and the name of its file, say that it is."""

    def __init__(self, document: str, passages: Sequence[Row]) -> None:
        self.file = PurePosixPath(unquote(PurePosixPath(document).name))
        self.beginning = " ".join(" ".join(row.text for row in passages[:4])[:_BEGINNING].split())
        title = passages[0].doc.removesuffix(f" ({document})")  # which tells twins apart
        if title in (self.file.stem, PurePosixPath(document).stem):
            first = passages[0].text.partition("\n")[0].strip()
            title = first if len(first) <= _LONGEST and first[-1:].isalnum() else ""
        short = title if len(title) <= _LONGEST else re.split(r": | \(", title, maxsplit=1)[0][: 2 * _LONGEST]
        self.title = short
        self.since = _sortable(date_in(f"{short} {self.beginning}"))
        dated = _DATED.search(self.beginning)
        self.date = date_in(short) or (date_in(dated[0]) if dated else "")
        self.topic = vocabulary(_EDITION.sub("", short))
        self.amends = _AMENDS.search(short) is not None
        self.kind = self._kind()
        whole = "\n".join(row.text for row in passages)
        self.parties = parties_in(self.beginning, whole)
        self.actor = _actor_in(whole)

    def _kind(self) -> str:
        """As it calls itself, as its title or its file does, or as its first words do."""
        if itself := _ITSELF.search(self.beginning):
            return _kind(itself.group(1))
        return _kind(self.title) or _opening(self.beginning) or _kind(re.sub("[_-]", " ", self.file.stem))

    def choices(self, document: str) -> list[str]:
        """The best first: what it is about, or what it is; twins by their dates; the last is the name of the file."""
        found = []
        if _is_title(self.title):
            said = self.beginning.removeprefix(self.title)
            about, whole = (_called_by(title, said) for title in (_EDITION.sub("", self.title), self.title))
            dated = f"{about} of {self.date}" if self.date and about == whole else ""
            found += [one for one in (about, whole, dated) if re.search(r"[^\W\d_]{3}", one)]
        if self.kind and self.parties:
            how = "between" if len(self.parties) == 2 else "with"
            found.append(f"the {self.kind} {how} {' and '.join(self.parties)}")
        found += [f"the {self.kind} of {self.date}"] if self.kind and self.date else []
        stem = " ".join(re.split("[_ ]+", self.file.stem)).strip()
        words = " ".join(one for one in re.split("[_ ]+|-(?!disclosure)", self.file.stem) if not _NOISE.search(one))
        is_spoken = (
            _KIND.search(words) and len(words.split()) in _SPOKEN and not all(map(_GENERIC.fullmatch, words.split()))
        )
        file = f"the {words}" if is_spoken else f"the {self.kind} in “{stem}”" if self.kind else f"“{stem}”"
        found += [f"the {self.kind}"] if len(self.kind.split()) > 1 else []
        found += [f"the {self.kind} with {self.actor}"] if self.kind and self.actor else []
        return [*dict.fromkeys(found), file, f"“{document}”"]


def _called_by(title: str, said: str) -> str:
    """ "Barista One: instruction manual" is about the Barista One; "Brindle Water: tariff 2025" is a tariff."""
    whole = _LEADING.sub("", re.sub(r"\s*\([^()]*\)", "", title).strip(" .,"))
    first, *others = _DASHES.split(whole)
    second = re.sub("^(?:an?|the) ", "", others[0], flags=re.IGNORECASE) if others else ""
    if _PAPER.fullmatch(first) and second:
        first, second = second, ""
    if second.lower().startswith(("minutes", "notes")):
        return f"the {_low(first, said)} {_low(second, said)}"
    if found := _MINUTES.fullmatch(first):
        return f"the {found[1]} minutes{f' of {found[2]}' if found[2] else ''}"
    is_paper = _CALLED.search(second) and not _PAPER.fullmatch(second) and "meeting" not in second
    if is_paper and not _CALLED.search(first) and not re.search(r"\d", first):
        return _with_article(second if re.search(r" (?:of|for|to) ", second) else f"{_low(second, said)} of {first}")
    short = _TAIL.sub("", first)
    about = _low(short if re.search(r"\d|[A-Z]\w+ [A-Z]", short) else first, said)
    if re.match(r"\w+ing\b", about, re.IGNORECASE) or (second and re.fullmatch(r"\w+", about) and about.islower()):
        return f"“{title}”"  # "Having a baby"
    if _CALLED.search(about):
        about = re.split(r",? (?:chapter|section|part) \d|(?<=meeting), ", about)[0]
        about = re.sub(rf"(\b(?:{KINDS})), (?=[A-Z])", r"\1 of ", about, flags=re.IGNORECASE)
        is_said = "meeting" in about and not re.search("minutes|notes", about)
        return f"the minutes of {_with_article(about)}" if is_said else _with_article(about)
    about = re.sub("^[Yy]our ", "the ", about)
    return (
        _with_article(about)
        if about[0].islower() or re.search(r" [a-z]{3,}(?: \d+)?$|^[A-Z][a-z]+ [a-z]{2}", about)
        else about
    )


def _low(text: str, said: str) -> str:
    """Without its capital, unless that makes a name."""
    first = text.partition(" ")[0]
    is_plain = re.match(r"[A-Z][a-z]+ (?!of [A-Z]|and [A-Z])[a-z]|[A-Z][a-z]+$", text)
    is_name = re.search(rf"[a-z,] {re.escape(first)}\b", said)
    return f"{text[0].lower()}{text[1:]}" if is_plain and not is_name else text


def described(documents: Mapping[str, Sequence[Row]]) -> dict[str, Described]:
    return {name: Described(name, passages) for name, passages in documents.items()}


def names_of(documents: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    """A name for each document that no other has; "" where there is only one document, which needs none."""
    if len(documents) == 1:
        return dict.fromkeys(documents, "")
    known = described(documents)
    choices = {name: one.choices(name) for name, one in known.items()}
    kinds = Counter(f"the {one.kind}" for one in known.values())
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
    known = described(documents)
    found: dict[str, dict[str, bool]] = {name: {} for name in documents}
    bases: dict[str, set[str]] = {name: set() for name in documents}
    order = sorted(documents, key=lambda name: known[name].since, reverse=True)
    for name, one in known.items():
        for other in (other for other in order if other != name):
            later = known[other]
            is_whole = one.title == later.title and one.parties == later.parties and "" < one.since < later.since
            is_whole &= _is_title(one.title) and len(one.topic) >= _SMALLEST_TOPIC
            said = vocabulary(f"{later.title} {later.beginning}")
            is_same = len(one.topic) >= _SMALLEST_TOPIC and one.topic <= said
            is_same |= len(one.parties) > 1 and set(one.parties) == set(later.parties)
            if is_whole or (later.amends and not one.amends and is_same and one.since <= (later.since or one.since)):
                found[name][other] = is_whole
                bases[other].add(name)
    for name, one in known.items():  # a second amendment stands above the first
        for other in order:
            if one.amends and bases[name] & bases[other] and "" < one.since < known[other].since:
                found[name].setdefault(other, False)
    return found


def _is_free(options: Sequence[str], times: Mapping[str, int], taken: set[str]) -> bool:
    """The last of them is the document's own, whatever the others are called."""
    name = options[0].lower()
    return len(options) == 1 or (times[name] == 1 and name not in taken)


def _actor_in(text: str) -> str:
    """Whoever has to do something and is no role: "BPS shall"."""
    names = Counter(_ACTS.findall(text))
    is_name = (name for name, times in names.most_common() if times > 1 and not re.search(rf"\b{name.lower()}\b", text))
    return next((name for name in is_name if not (_ROLES.fullmatch(name) or _NO_NAME.search(name))), "")


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


_PARTIES = 600  # characters after "between" in which they are named
_WORD = r"(?:(?![a-zß-öø-ÿ])[^\W\d_]|[a-z][A-Z])[\w&.'’-]{0,40}"
_FORMS = words_of("documents")["forms"].split()
_COMPANY = rf"(?:{'|'.join(re.escape(form) for name in _FORMS for form in (name, name.upper()))})"
_PARTY = re.compile(  # a company by its form, or whoever is given a short name: Beta AG, John Doe ("Doe")
    rf"(?<!\w)({_WORD}(?: (?:of (?:the )?|and |& |- |de |for )?{_WORD}){{0,5}}?)"
    rf"(?:,? {_COMPANY}\b|(?=(?:, an? [^;()]{{0,90}}|,)? \((?:the |hereinafter |hereafter )?[\"“]))"
)


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
