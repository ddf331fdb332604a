"""Who does what to whom: "A sold it to B", "B bought it from A" and "it was sold to B by A" are one deed.

A deed is read off the order of two parties around a verb, its voice and its preposition. Parties are names and those
whom contracts call by their part, such as the tenant. What is denied, conditional or shared is no deed here, and a
sentence that is built in another way has none: better nothing than a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from surefoot.text.normal import word_set
from surefoot.text.sentences import is_row, sentences
from surefoot.text.terms import stem

Party = frozenset[str]  # the words of its name, stemmed

_PIECE = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*(?:['’]s?(?!\w))?|[,;:()|–—\"“”]")
_OF_ANOTHER = re.compile(r"['’]s?$")  # "the tenant's deposit" is not the tenant
_PARAGRAPH = re.compile(r"\n\s*\n")
# 'Brandl Papier GmbH (the "Seller")': two names of one party.
_ALIAS = re.compile(r"((?:[A-Z][\w&.'’-]* ){0,4}[A-Z][\w&.'’-]*),? \((?:the )?[\"“]?([A-Z][a-z]+)[\"”]?\)")
_PARTS = word_set(
    """agent appellant arbitrator architect assignee assignor association authority author bailee bailor bank
    beneficiary board borrower broker buyer captain carrier city claimant client coach committee company consignee
    consultant contractor council court creditor customer debtor defendant director discloser distributor donor editor
    employee employer engineer executor franchisee franchisor government guarantor hospital insurer investor judge
    landlord lender lessee lessor licensee licensor manager manufacturer minister ministry mortgagee mortgagor museum
    operator owner parent parliament plaintiff president principal producer provider publisher purchaser pupil
    recipient reinsurer reseller respondent seller sender shareholder shipper sponsor subcontractor subsidiary supplier
    teacher tenant tribunal trustee union university vendor"""
)
_NO_NAMES = word_set(
    """a after all although an and any as at because before both but by during each every except for from he her here
    his however if in it its no nor not of on only or she since such that the their there these they this those though
    to under unless until upon we when where which while who with within without you monday tuesday wednesday thursday
    friday saturday sunday january february march april may june july august september october november december
    section article clause schedule exhibit annex"""
)
_BE = word_set("is are was were be been being gets got")
_BROKEN = word_set(
    """; : ( ) | – — and or but while whereas because if when until unless that not no never neither nor without cannot
    except than rather instead refused declined failed both between together each other"""
)
_SMALL = _BE | word_set(
    """a an the his her its their this these those any every all some such own shall will would may might must can
    could should has have had do does did it he she they him them who whom which whose also then now later first again
    already still only just up out off so there here agreed agrees promised wanted wants obliged required entitled
    allowed bound able to in on at of for with by from against over into under as about , " “ ”"""
)
_TO = word_set("to from by for with against of over on in at into under as about")
_AT = word_set("in at near of on")  # before a place, or whose a thing is
_BEFORE_NOUN = word_set("the a an his her its their our any every this former new old")
_EITHER_WAY = frozenset(
    map(stem, word_set("met meet married marry merged merge joined join agreed agree share shared differ signed sign "
    "partnered cooperate fought tied drew compete contract"))
)  # fmt: skip


def _deeds(lines: str) -> dict[str, str]:
    """From each verb of a line to the first."""
    found = [[stem(word) for word in line.split()] for line in lines.strip().splitlines()]
    return {word: line[0] for line in found for word in line}


_SAME_DEED = _deeds(
    """sell sold resell resold
    lend lent loan loaned
    lease let sublet
    give gave given grant granted award awarded hand
    pay paid reimburse refund repay repaid
    beat beaten defeat overcome outplay
    teach taught tutor
    send sent forward
    supply deliver provide furnish
    hire employ engage
    sue sued
    succeed replace
    assign transfer cede
    supervise oversee
    indemnify compensate"""
)
_TOLD_BACKWARDS = {
    stem(verb): (stem(deed), preposition)
    for deed, preposition, verbs in (
        ("sell", "from", "buy bought purchase acquire"),
        ("lend", "from", "borrow"),
        ("lease", "from", "rent lease"),
        ("give", "from", "receive obtain"),
        ("leave", "from", "inherit"),
        ("teach", "from", "learn learnt learned"),
        ("pay", "from", "collect"),
        ("beat", "to", "lose lost"),
    )
    for verb in verbs.split()
}


class Deed(Struct, frozen=True):
    verb: str
    way: str  # the preposition before the other party; none for "to"
    doer: Party
    other: Party


class _Mention(Struct, frozen=True):
    start: int
    end: int
    party: Party
    is_of_another: bool


class _Told(Struct, frozen=True):
    """What a passage tells."""

    deeds: frozenset[Deed]
    aliases: dict[str, Party]

    def has(self, verb: str, way: str, doer: Party, other: Party) -> bool:
        return any(
            (one.verb, one.way) == (verb, way) and self._same(one.doer, doer) and self._same(one.other, other)
            for one in self.deeds
        )

    def _same(self, one: Party, other: Party) -> bool:
        """A name may be shortened, or stand for the part that is defined as it; two Haddads are two."""
        return one <= self._all_names(other) or other <= self._all_names(one)

    def _all_names(self, party: Party) -> Party:
        return party.union(*(self.aliases.get(word, ()) for word in party))


@lru_cache(maxsize=5_000)
def told_otherwise(passage: str, claim: str) -> bool:
    """The passage tells a deed of the claim the other way round, and nowhere as the claim does."""
    told = _told(passage)
    said = [deed for sentence in sentences(claim) for deed in _deeds_in(sentence)] if told.deeds else []
    return any(
        told.has(one.verb, one.way, one.other, one.doer) and not told.has(one.verb, one.way, one.doer, one.other)
        for one in said
    )


@lru_cache(maxsize=2_000)
def _told(passage: str) -> _Told:
    defined = [(_PIECE.findall(name), part) for name, part in _ALIAS.findall(passage)]
    deeds = frozenset(deed for sentence in prose(passage) for deed in _deeds_in(sentence))
    aliases = {stem(part.lower()): _party(name) for name, part in defined}
    return _Told(deeds, aliases)


@lru_cache(maxsize=2_000)
def prose(passage: str) -> tuple[str, ...]:
    """The sentences of a passage, over the ends of its lines; no rows of tables."""
    paragraphs = _PARAGRAPH.split("\n".join(line for line in passage.splitlines() if not is_row(line)))
    return tuple(one for text in paragraphs for one in sentences(" ".join(text.split())))


def _party(words: Sequence[str]) -> Party:
    return frozenset(stem(_bare(word)) for word in words)


def _bare(word: str) -> str:
    return _OF_ANOTHER.sub("", word).lower()


def _deeds_in(sentence: str) -> Iterator[Deed]:
    words = _PIECE.findall(sentence)
    mentions = [one for one in _mentions(words) if not one.start or words[one.start - 1].lower() not in _AT]
    for one, other in pairwise(mentions):
        if not (one.is_of_another or other.is_of_another or one.party & other.party):
            between = [word.lower() for word in words[one.end : other.start]]
            if deed := _deed(between, one.party, other.party):
                yield deed


def _mentions(words: Sequence[str]) -> Iterator[_Mention]:
    """Names with all their words, and parties by their part."""
    start = 0
    while start < len(words):
        end = start
        while end < len(words) and _is_name(words[end]) and not (end > start and _OF_ANOTHER.search(words[end - 1])):
            end += 1
        if end == start and _bare(words[start]).removesuffix("s") in _PARTS:
            end += 1
        if end > start:
            is_of_another = bool(_OF_ANOTHER.search(words[end - 1]))
            yield _Mention(start, end, _party(words[start:end]), is_of_another)
        start = max(end, start + 1)


def _is_name(word: str) -> bool:
    return word[0].isupper() and _bare(word) not in _NO_NAMES


def _deed(between: Sequence[str], one: Party, other: Party) -> Deed | None:
    """What stands between two parties tells what the first does to the second, or has done to it."""
    has_aside = "," in between and not {"who", "which"}.intersection(between)
    content = [place for place, word in enumerate(between) if word not in _SMALL]
    if has_aside or not content or _BROKEN.intersection(between):
        return None
    if any(stem(between[place]) in _EITHER_WAY for place in content):
        return None
    verb = stem(between[content[0]])
    way = _preposition(between)
    is_passive = not _BE.isdisjoint(between[: content[0]])
    if is_passive != (way == "by"):
        return None
    deed, backwards = _TOLD_BACKWARDS.get(verb, ("", ""))
    if is_passive:
        one, other, way = other, one, ""
    elif way and way == backwards:
        verb, one, other, way = deed, other, one, ""
    return Deed(_SAME_DEED.get(verb, verb), way.removeprefix("to"), one, other)


def _preposition(between: Sequence[str]) -> str:
    """The one right before the second party, "" where there is none."""
    ends = [word for word in between if word not in _BEFORE_NOUN]
    return ends[-1] if ends and ends[-1] in _TO else ""
