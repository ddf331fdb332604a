"""Edits that put a word's opposite in its place."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from training.edits.change import Change
from training.edits.word_pairs import opposites
from training.english.lists import words
from training.english.rewriting import spliced

_WORD = re.compile(r"(?<![\w-])[A-Za-z]+(?:-[a-z]+)?(?![\w-])")
_COMPARISONS = words(
    "higher lower larger smaller greater bigger longer shorter better worse earlier later older younger "
    "faster slower "
    "stronger weaker highest lowest largest smallest biggest longest shortest best worst oldest youngest earliest "
    "latest most least"
)
# The reading in which the opposite would make no sense or no difference.
_FIXED = re.compile(
    r"^(?:first (?:time|of all|party|class)|most (?:recent|recently|part|favored|likely)|later than|more (?:or|than)|"
    r"earlier of|later of|greater of|lesser of|sooner|above[- ]|supply chain|supply agreement|internal revenue|"
    r"public (?:company|offering|accounting|accountants?)|private placement|net (?:of|sales|income|revenues?|loss)|"
    r"united|fair value|gross (?:profit|margin)|best (?:efforts|known|of|interests?)|at least|best \w+ award|"
    r"common stock|common shares?|senior (?:notes|vice)|west \w+|east [A-Z]|north [A-Z]|south [A-Z]|present "
    r"(?:value|invention)|"
    r"fixed assets|fixed charges|high school|major league|direct(?:ly)? or|short[- ]term|long[- ]term|early "
    r"(?:termination|"
    r"adoption)|credit (?:facility|agreement|risk|losses|card|ratings?|quality)|lease (?:agreement|term|payments?)|"
    r"offer(?:ed)? (?:to|by)|keep(?:s|ing)? track|kept track|included in|gain on|support services|"
    r"following)", re.IGNORECASE)  # fmt: skip
_NARROWED = re.compile(r"\b(?:no|not|never|neither|nor|without|may|might|could)\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"(?:\b(?:at|as|or|more|may|might|could|may not|and/or|non|the [A-Z]\w+|act to|otherwise) |\bor otherwise |"
    r"[-/\"“])$"
)


def antonym_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:  # noqa: ARG001
    table, words = opposites(), set(re.findall(r"[a-z-]+", sentence.lower()))
    found = []
    for match in _WORD.finditer(sentence):
        others = table.get(match[0].lower())
        if others and _swappable(sentence, match):
            new = rng.choice(others)
            if new.split()[0] not in words:
                found.append((match, new))
    rng.shuffle(found)
    for match, new in found[:2]:
        kind = "comparison" if match[0].lower() in _COMPARISONS else "antonym"
        yield kind, spliced(sentence, *match.span(), new)


def _swappable(sentence: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    if _NARROWED.search(sentence[:start]):
        return False  # of something denied or merely possible, the opposite need not be false
    if match[0][0].isupper() and (start > 0 and not sentence[:start].endswith((". ", "; "))):
        return False  # inside a name or a defined term
    if re.match(r" (?:or|and/or)\b", sentence[end:]) or _BEFORE.search(sentence[:start]):
        return False
    following = re.match(r" [A-Z]\w+", sentence[end:])
    if (following and match[0][0].isupper()) or not _written_matters(match[0], sentence[end:]):
        return False
    if match[0].lower() in ("most", "least") and not re.match(
        r" \w+(?:ed|ing|ive|ous|al|ful|ant|ent|ic|ar|ly)\b", sentence[end:]
    ):
        return False
    if following and match[0].lower() in ("new", "north", "south", "east", "west", "old", "great"):
        return False
    return not _FIXED.match(sentence[start:])


def _written_matters(word: str, rest: str) -> bool:
    """ "written" is about form before a notice or consent, not in "written by"."""
    return (
        word.lower() != "written"
        or re.match(
            r" (?:notice|consent|agreement|approval|permission|request|instrument|statement|authori[sz]ation|contract)",
            rest,
        )
        is not None
    )
