"""Questions that the documents do not answer, made to tempt: each is proven before it counts.

A question that one document answers is asked of another that is silent on it, or of none where two differ; a year is
moved out of what is covered, or the number in a name; two who have nothing with each other are given an
agreement. What documents leave open, or cannot know, is asked in the moulds of `words/moulds.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct, convert

from surefoot.build.asking import THIS
from surefoot.build.clauses import MONEY, YEAR, patterns_of, points_outside
from surefoot.build.facts import Fact
from surefoot.build.names import Described
from surefoot.build.wording import inside_of, naming, worded
from surefoot.text.normal import normalise, vocabulary, words_of


class Mould(Struct, frozen=True, forbid_unknown_fields=True):
    asks: str
    facts: tuple[str, ...] = ()
    topic: str = ""
    settled: str = ""
    of: Literal["", "terms", "signed", "minutes", "about", "paper", "place"] = ""  # documents, by what they are called
    money: bool = False
    proven: bool = False  # by `settled`, or because no document holds opinions

    def fits(self, name: str, text: str) -> bool:
        is_about = naming(name) in ("for", "at") and not name.startswith("“")
        fitting = {
            "": True, "terms": not name or _TERMS.search(name), "signed": _SIGNED.search(name), "about": is_about,
            "paper": not is_about, "minutes": "minutes" in name.lower(), "place": naming(name) == "at",
        }  # fmt: skip
        is_on_topic = not self.topic or re.search(rf"\b(?:{self.topic})", text, re.I)
        is_settled = self.settled and re.search(self.settled, f"{name}\n{text}", re.I | re.DOTALL)
        return bool(fitting[self.of] and is_on_topic and not is_settled)


_MOULDS = words_of("moulds")
MOULDED = frozenset(_MOULDS["why"])
_TERMS, _SIGNED, _SPAN, _NO_DUTY, _MANY, _ROLE, _SHOUTED = patterns_of("terms signed span no_duty many role shouted")
_PROPERTY, _NUMBERED = patterns_of("property numbered")


class Absent(Struct, frozen=True):
    """A question that should be refused, why, and the passage that tempts to answer it."""

    kind: str
    asks: str
    document: str
    why: str
    fact: Fact | None = None
    names: bool = True  # whether its document is to be named: it may name one that does not exist, or none at all
    others: tuple[str, ...] = ()  # passages that are as near
    mould: str = ""  # of which few are enough
    is_proven: bool = False  # by the words of the documents alone
    topic: str = ""  # a pattern of what the document does say of the matter


def moulded(
    kind: str, facts: Sequence[Fact], texts: Mapping[str, str], names: Mapping[str, str], order: Sequence[str]
) -> list[Iterator[Absent]]:
    """Every mould of a kind of question, filled; each its own."""
    moulds: list[Mould] = convert(_MOULDS[kind], list[Mould])
    told = _MOULDS["probes"][kind], _MOULDS["why"][kind]
    return [_filled(mould, place, *told, facts, texts, names, order) for place, mould in enumerate(moulds)]


def _filled(
    mould: Mould, place: int, probes: str, why: str, facts: Sequence[Fact], texts: Mapping[str, str],
    names: Mapping[str, str], order: Sequence[str],
) -> Iterator[Absent]:  # fmt: skip
    turned = [*order[place * 7 % len(order) :], *order[: place * 7 % len(order)]]  # not all of one document
    if not mould.facts:
        for document in turned:
            if mould.fits(names[document], texts[document]):
                topic = rf"\b(?:{mould.topic})" if mould.topic else ""
                yield Absent(probes, mould.asks, document, why, None, True, (), mould.asks, mould.proven, topic)
        return
    for fact in facts[place % 5 :: 2]:
        document, span = fact.row.document, _SPAN.search(fact.asks)
        if fact.kind not in mould.facts or not mould.fits(names[document], texts[document]):
            continue
        is_act = fact.does and fact.who != THIS and not (_NO_DUTY.match(fact.does) or _MANY.match(fact.who))
        if "{who}" in mould.asks and not is_act:
            continue
        if ("{span}" in mould.asks and not span) or (mould.money and not re.match(MONEY, fact.value)):
            continue
        claim = inside_of(fact.claim, f"{fact.row.doc}\n{fact.row.text}")
        is_said = fact.kind not in ("cell", "comparison", "definition") and not fact.is_order
        is_said &= fact.claim.endswith(".") and ";" not in claim and len(claim.split()) in _SHORT_CLAIM
        if "{claim}" in mould.asks and (not is_said or points_outside(claim)):
            continue
        term = fact.asks.partition('"')[2].partition('"')[0]
        asks = mould.asks.format(
            doc=THIS, value=fact.value, claim=claim, who=fact.who, does=fact.does, term=term, span=span and span[0]
        )
        yield Absent(probes, asks, document, why, fact, mould=mould.asks, is_proven=mould.proven)


_SHORT_CLAIM = range(4, 19)  # words
_VALUES = frozenset({"amount", "period", "share", "date", "count", "law", "time", "year", "name"})
_FEWEST = 4  # words of a question that another document might answer
_ON_TOPIC = 0.8  # of the words of a question, where a document speaks of the same
_ARTICLES = frozenset({"the", "a", "of", "and", "between", "for", "to", "in", "-"})
_SMALL = frozenset(
    ["What", "Which", "How", "Within", "Must", "May", "For", "The", "Does", "Are", "Upon", "Under", "When",
     "Where", "By"]
)  # fmt: skip


def transplants(facts: Sequence[Fact], texts: Mapping[str, str], names: Mapping[str, str]) -> Iterator[Absent]:
    """What one document settles, asked of a like one that knows the same things and roles."""
    words = {document: vocabulary(text) for document, text in texts.items()}
    for fact in facts:
        home = fact.row.document
        if fact.kind not in _VALUES or YEAR.search(fact.asks):
            continue
        roles = [role for role in _ROLE.findall(fact.asks.replace(THIS, "")) if role not in _SMALL]
        topic = vocabulary(fact.asks.replace(THIS, ""))
        for document in _others(home, names):
            is_known = all(re.search(rf"\b{re.escape(role)}\b", texts[document]) for role in roles)
            if is_known and len(topic) >= _FEWEST and len(topic & words[document]) >= _ON_TOPIC * len(topic):
                yield Absent("wrong_document", fact.asks, document, f"{names[home]} settles this: {fact.value}", fact)
                break


def _others(home: str, names: Mapping[str, str]) -> list[str]:
    """The documents with the likest names first."""
    own = set(names[home].lower().split())
    shared = {document: len(own & set(names[document].lower().split()) - _ARTICLES) for document in names}
    others = (document for document in names if document != home and shared[document])
    return sorted(others, key=lambda document: (-shared[document], document))[:8]


def strangers(facts: Sequence[Fact], texts: Mapping[str, str], described: Mapping[str, Described]) -> Iterator[Absent]:
    """What an agreement settles, asked of one that was never made: between two who have each made another."""
    said = [normalise(text) for text in texts.values()]
    every = [one.parties[0] for one in described.values() if one.kind and one.parties]
    for place, fact in enumerate(facts):
        document = fact.row.document
        kind, parties = described[document].kind, described[document].parties
        if not (kind and parties) or THIS not in fact.asks or _SHOUTED.search(fact.asks):
            continue
        one, other = parties[0], every[place % len(every)]
        names = normalise(one), normalise(other)
        if names[0] in names[1] or names[1] in names[0] or any(names[0] in text and names[1] in text for text in said):
            continue
        asks = fact.asks.replace(THIS, f"the {kind} between {one} and {other}", 1).replace(THIS, "it")
        why = f"{one} and {other} have each made another, and no document names both"
        yield Absent("adjacent_entity", asks, document, why, fact, False, is_proven=True)


def unlisted(facts: Sequence[Fact], texts: Mapping[str, str]) -> Iterator[Absent]:
    """A property that one data sheet lists, asked of another that does not."""
    listed = [(fact, found[1]) for fact in facts if (found := _PROPERTY.fullmatch(fact.asks))]
    sheets: dict[str, set[str]] = {}
    for fact, what in listed:
        sheets.setdefault(fact.row.document, set()).add(what)
    for place, (fact, what) in enumerate(listed):
        alike = [one for one in sheets if len(sheets[one] & sheets[fact.row.document]) >= _LIKE_SHEETS]
        for document in alike[place % len(alike) :] if alike else ():
            if not vocabulary(what) & vocabulary(texts[document]):
                why = f"it lists other properties, and {what} is not among them"
                yield Absent("missing_detail", fact.asks, document, why, mould=what)
                break


def misnamed(facts: Sequence[Fact], texts: Mapping[str, str], names: Mapping[str, str]) -> Iterator[Absent]:
    """A fact of a model or an edition that no document knows: another number stands in the name."""
    every = "\n".join([*texts.values(), *names.values()])
    for fact in facts:
        name = names[fact.row.document]
        found = None if "“" in name else _NUMBERED.search(name)
        for step in (1, 2, 10, -1) if found else ():
            known = found[0] if found else ""
            other = re.sub(r"\d+", lambda one: str(int(one[0]) + step).zfill(len(one[0])), known)  # noqa: B023
            if other not in every:
                kind = "wrong_date" if YEAR.fullmatch(known) else "adjacent_entity"
                asks = worded(fact.asks, name.replace(known, other), fact.row.id)
                why = f"no document knows {name.replace(known, other)}"
                yield Absent(kind, asks, fact.row.document, why, fact, False, is_proven=True)
                break


_LIKE_SHEETS = 2  # properties that two data sheets of like things both list


def moved_years(facts: Sequence[Fact], texts: Mapping[str, str]) -> Iterator[Absent]:
    """A figure of a year that the document does not mention at all."""
    for fact in facts:
        document = fact.row.document
        years = YEAR.findall(fact.asks)
        if len(years) != 1 or fact.kind not in (*_VALUES, "cell"):
            continue
        for step in (1, 2, -1, 3, -2):
            year = str(int(years[0]) + step)
            if year not in texts[document]:
                asks = fact.asks.replace(years[0], year)
                why = f"it has this for {years[0]} and nothing of {year}"
                yield Absent("wrong_date", asks, document, why, fact, is_proven=True)
                break


def ambiguous(
    pairs: Sequence[tuple[Fact, Fact]], names: Mapping[str, str], described: Mapping[str, Described]
) -> Iterator[Absent]:
    """What two documents settle in two ways, asked of neither: to ask back, or to refuse, is right."""
    for one, other in pairs:
        kinds = [described[fact.row.document].kind.split()[-1:] for fact in (one, other)]
        if one.asks == other.asks and (THIS not in one.asks or kinds[0] == kinds[1] != []):
            asks = one.asks.replace(THIS, f"the {' '.join(kinds[0])}")
            said = (f"{names[fact.row.document]} says {fact.value}" for fact in (one, other))
            why = f"{', '.join(said)}, and the question does not tell which is meant"
            yield Absent("ambiguous", asks, one.row.document, why, one, False, (other.row.id,), is_proven=True)
