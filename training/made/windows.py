"""Documents as sentences, and windows of them to judge claims by."""

from __future__ import annotations

import random
import re

from msgspec import Struct

from surefoot.text.normal import sentences
from training.english.rewriting import detokenised

_CLAUSE_MARK = re.compile(
    r"^\s*(?:(?:Section|SECTION|Article) )?(?:\(?(?:\d{1,2}(?:\.\d{1,2})*|[a-z]{1,2}|[ivx]{1,4}|[A-Z])[.)]|"
    r"\d{1,2}(?:\.\d{1,2})+|[-*•·▪–])"
    r"(?:\([a-z0-9]{1,3}\))*\s+(?=\S)"
)
_HEADING = re.compile(
    r"^(?:[A-Z][\w'-]*(?:,? (?:and|or|of|the|to|for|in|by|on|with|&|[A-Z][\w'-]*)){0,7}[.:] )(?=[A-Z])"
)
_FINITE = re.compile(
    r"\b(?:shall|will|must|may|can|cannot|should|would|could|is|are|was|were|has|have|had|does|did|do|agrees?|means|"
    r"includes?|represents?|provides?|acknowledges?|became|began|won|made|took|led|held|gave|wrote|sold|bought|"
    r"requires?|remains?|contains?|believes?|expects?|operates?|serves?|states?|[a-z]{3,}ed)\b"
)
_MESSY = re.compile(
    r"_{3,}|\.{4,}|\[\s*\*|\*\*\*|<[a-z/]|https?:|www\.|�|\t|\.\s?\.\s?\.|[A-Z]{4,} [A-Z]{4,} [A-Z]{4,}|\|"
)
_NO_CLAIM = re.compile(
    r"(?:See|Please|Note|Refer|For (?:more|further|additional) |WHEREAS|Whereas|IN WITNESS|In witness|How|What|Why|"
    r"Who |NOW|Attached|Incorporated|Filed|Exhibit|Page|Table|Figure|Source)\b"
)
_MAX_WORDS = 220


class Unit(Struct, frozen=True):
    """A sentence as it stands in the document, the paragraph it belongs to, and what it claims ("" if nothing)."""

    text: str
    paragraph: int
    claim: str


class Window(Struct, frozen=True):
    units: tuple[Unit, ...]
    start: int

    def text(self, leave_out: int | None = None) -> str:
        pieces, last = [], None
        for place, unit in enumerate(self.units):
            if place != leave_out:
                pieces += ["\n" if last not in (None, unit.paragraph) else " ", unit.text]
                last = unit.paragraph
        return "".join(pieces).strip()


def units_of(text: str) -> list[Unit]:
    found = []
    for number, paragraph in enumerate(_paragraphs(text)):
        for piece in sentences(paragraph):
            sentence = " ".join(piece.split())
            if sentence:
                found.append(Unit(sentence, number, claim_of(sentence)))
    return found


def _paragraphs(text: str) -> list[str]:
    """Blocks between blank lines where lines are wrapped by hand, else lines."""
    breaks, blanks = text.count("\n"), len(re.findall(r"\n\s*\n", text))
    blocks = re.split(r"\n\s*\n", text) if blanks * 4 > breaks else text.split("\n")
    return [" ".join(block.split()) for block in blocks if block.strip()]


def claim_of(sentence: str) -> str:
    """The sentence without its clause number and heading, or "" when it would make no good claim."""
    text = detokenised(sentence)
    for mark in (_CLAUSE_MARK, _HEADING, _CLAUSE_MARK):
        text = mark.sub("", text)
    text = re.sub(r"^\w[\w .()'-]{1,40}: (?=[A-Z])|^[A-Z][\w .()'-]{1,40} \. (?=[A-Z])", "", text)
    text = re.sub(r"[;,:](?: (?:and|or))?$", ".", " ".join(text.split())) if not text.endswith(":") else ""
    words = text.split()
    if not 6 <= len(words) <= 60 or not text[0].isupper() or not text.endswith((".", '."', ".”")):
        return ""
    if _NO_CLAIM.match(text) or _MESSY.search(text) or not _FINITE.search(text) or text.count("(") != text.count(")"):
        return ""
    if (
        text.count('"') % 2
        or text.count("“") != text.count("”")
        or _too_loud(text)
        or text.endswith(("Inc.", "No.", "Mr."))
    ):
        return ""
    return text


def _too_loud(text: str) -> bool:
    """Headings, tables read as text, signature blocks."""
    letters = [c for c in text if c.isalpha()]
    capitals = sum(c.isupper() for c in letters)
    digits = sum(c.isdigit() for c in text)
    return capitals > 0.3 * len(letters) or digits > 0.2 * len(text)


def window_around(units: list[Unit], place: int, rng: random.Random) -> tuple[Window, int]:
    """A window of 1 to 12 sentences holding the sentence, and where in it that stands."""
    size = min(rng.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12)), len(units))
    start = min(max(0, place - rng.randrange(size)), len(units) - size)
    end = start + size
    while end - start > 1 and sum(len(unit.text.split()) for unit in units[start:end]) > _MAX_WORDS:
        if place - start > end - 1 - place:
            start += 1
        else:
            end -= 1
    return Window(tuple(units[start:end]), start), place - start


def dressed(text: str, rng: random.Random) -> str:
    """The passage as bullets, as numbered clauses or, mostly, as it is."""
    draw = rng.random()
    lines = [line for line in text.split("\n") if line]
    if draw < 0.06 and len(lines) > 1:
        return "\n".join(f"- {line}" for line in lines)
    if draw < 0.12 and not _CLAUSE_MARK.match(text):
        clause = rng.randrange(2, 20)
        return "\n".join(
            f"{clause}.{number}{rng.choice(('', '(a)', '.'))} {line}" for number, line in enumerate(lines, 1)
        )
    return text
