"""Which sentences of an answer assert something a document could confirm or deny, and what they cite.

Not claims: talk (`talk`: questions, offers, greetings, what is said about the answer itself or about what the sources
cover), headings without a value, declining clauses, and a bare yes or no unless it is all that answers a question. An
inline citation covers its sentence and the uncited sentences before it in the same paragraph, but not an aside behind
it; a list, or a citation field, covers every claim.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Container, Iterator, Sequence

from msgspec import Struct

from surefoot.text.citations import Mark, locate
from surefoot.text.normal import is_empty
from surefoot.text.refusals import beside
from surefoot.text.sentences import sentences
from surefoot.text.talk import figures, goes_on_listing, has_value, is_fragment, stated, states
from surefoot.text.yes_no import spelled_out
from surefoot.types import Passage

_LIST_MARK = re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+")
_HEADING = re.compile(r"\s*(?:#{1,6}\s.*|\*\*[^*]{1,80}\*\*:?|[^.!?]{1,60}:)\s*")
_LINK = re.compile(r"!?\[([^\[\]\n]{1,300})\]\([^()\s]*(?: \"[^\"\n]*\")?\)")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_SLUG = re.compile(r"(?<!\w)\w++(?:-\w++){3,}")
_TAG = re.compile(r"</?\w[^<>\n]{0,200}>")
_EMPHASIS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|^\s*#{1,6}\s")
_IN_BRACKETS = re.compile(r" ?\([^()]*\)| [–—-] [^–—();]*? [–—-](?= )")
_PRIVATE, _BRACKETS = 0xE000, 1_000  # signs of private use stand for the first brackets
_ASIDE = re.compile(r"\s*(?:\(|[-–—]\s)")
_REASON = re.compile(r"(?:because|since|as|given|for)\b", re.IGNORECASE)  # for declining
_YES_NO = re.compile(r"(?:yes|no|correct|incorrect|true|false|ja|nein|oui|non|sí)[\s.,!]*", re.IGNORECASE)


class Sentence(Struct, frozen=True):
    text: str  # without citation marks and list bullets
    start: int
    end: int
    paragraph: int
    is_item: bool = False  # of a list


class Claim(Struct, frozen=True):
    """An assertion with the ids it cites, and where it stands in the answer."""

    text: str
    start: int
    end: int
    citations: tuple[str, ...] = ()


class Claims(Struct, frozen=True):
    claims: tuple[Claim, ...]
    citations: tuple[str, ...] | None  # everything the answer cites; None when it has no citation of any form


def claims_of(
    answer: str,
    retrieved: Sequence[str] = (),
    gold: Collection[str] = (),
    field: tuple[str, ...] | None = None,
    passages: Sequence[Passage] = (),
    question: str = "",
) -> Claims:
    """The claims of an answer. `field` holds the citations of a separate citation field, if there is one; to a
    `question` of yes or no the bare word is a claim, where there is no other."""
    marks = locate(answer, retrieved, gold, passages)
    everywhere = [i for mark in marks if mark.is_list for i in mark.ids] + list(field or ())
    inline = [mark for mark in marks if not mark.is_list]
    sentences = list(_sentences(answer, [mark for mark in marks if not mark.in_words]))
    own = _attach(sentences, inline)
    claims: list[Claim] = []
    greetings: list[Claim] = []  # or an answer of few words, or yes or no, where there is no other
    known: set[float] = set()
    for sentence, cited in zip(sentences, own, strict=True):
        ids = tuple(dict.fromkeys([*cited, *everywhere]))
        for text in assertions(sentence.text, known):
            is_greeting = is_fragment(text) and not (ids or sentence.is_item)
            (greetings if is_greeting else claims).append(Claim(text, sentence.start, sentence.end, ids))
        if spelled_out(question, sentence.text):
            greetings.append(Claim(sentence.text, sentence.start, sentence.end, ids))
        known.update(figure.value for figure in figures(sentence.text))
    cited_at_all = dict.fromkeys([*everywhere, *(i for mark in inline for i in mark.ids)])
    return Claims(tuple(claims or greetings), tuple(cited_at_all) if marks or field is not None else None)


def is_claim(sentence: str) -> bool:
    """True when a document could confirm or deny the sentence."""
    return bool(assertions(sentence))


def assertions(sentence: str, known: Container[float] = ()) -> list[str]:
    """What a sentence asserts, without marks, talk and declining clauses; `known` are figures given before it."""
    text = _undressed(sentence).strip(" \t\r\n>\"'“”")
    if is_empty(text) or _YES_NO.fullmatch(text) or (_is_heading(sentence, text) and not has_value(text)):
        return []
    return [found for piece in _pieces(text) if (found := stated(piece, known))]


def _pieces(text: str) -> list[str]:
    """What is said beside declining: in brackets, behind a semicolon or in a clause that is no reason for it."""
    brackets = {chr(_PRIVATE + place): found for place, found in enumerate(_IN_BRACKETS.findall(text)[:_BRACKETS])}
    signs = iter(brackets)
    bare = _IN_BRACKETS.sub(lambda _: next(signs), text, count=_BRACKETS)
    pieces = beside(bare)
    if pieces == [bare]:
        return [text]
    parts = [part.strip(" ,;:") for piece in pieces for part in piece.split("; ")]
    parts = [part for part in parts if _asserts(part, bare)]
    swallowed = [found for sign, found in brackets.items() if states(found) and not any(sign in part for part in parts)]
    return [*(_put_back(part, brackets) for part in parts), *(found.strip(" ()–—-") for found in swallowed)]


def _asserts(part: str, text: str) -> bool:
    """Whether it asserts something: not why it is declined, unless it stands by itself behind a semicolon."""
    if f"; {part}" in text:
        return not is_fragment(part)
    if goes_on_listing(text[: text.find(part)], part):
        return False
    return bool(figures(part)) or (states(part) and not _REASON.match(part))


def _put_back(part: str, brackets: dict[str, str]) -> str:
    return "".join(brackets.get(sign, sign) for sign in part)


def _undressed(text: str) -> str:
    text = _LINK.sub(r"\1 ", text)
    text = _TAG.sub(" ", _ADDRESS.sub(lambda url: url[0].rpartition("/")[2], text))
    text = _SLUG.sub(lambda words: words[0].replace("-", " "), text)
    return " ".join(_EMPHASIS.sub("", text).split())


def _is_heading(sentence: str, text: str) -> bool:
    return bool(_HEADING.fullmatch(sentence)) and not re.search(r":\s*\w", text)


def _sentences(answer: str, marks: list[Mark]) -> Iterator[Sentence]:
    """Sentences without the marks in them; a list item is a sentence or more of its own."""
    ordered = sorted(marks)
    starts, ends = [mark.start for mark in ordered], [mark.end for mark in ordered]
    at = 0
    for number, paragraph in enumerate(re.split(r"(\n\s*\n)", answer)):
        for line in paragraph.splitlines(keepends=True):
            bullet = _LIST_MARK.match(line)
            skip = bullet.end() if bullet else 0
            start = at + skip
            for piece in sentences(line[skip:]) if line[skip:].strip() else ():
                end = start + len(piece)
                inside = ordered[bisect_right(ends, start) : bisect_left(starts, end)]
                aside = _aside(answer, end, inside)
                for here, there in ((start, aside), (aside, end)):
                    text = _without(answer, here, there, [mark for mark in inside if here <= mark.start < there])
                    if not is_empty(text):
                        yield Sentence(text, here, there, number, bullet is not None)
                start = end
            at += len(line)


def _aside(answer: str, end: int, marks: list[Mark]) -> int:
    """Where an aside begins that states something behind the last citation of a sentence; its end if there is none."""
    behind = _ASIDE.match(answer, marks[-1].end, end) if marks else None
    text = answer[behind.end() : end] if behind else ""
    return behind.start() if behind and (states(text) or figures(text)) else end


def _without(answer: str, start: int, end: int, marks: list[Mark]) -> str:
    pieces, at = [], start
    for mark in marks:
        pieces.append(answer[at : max(at, mark.start)])
        at = max(at, mark.end)
    pieces.append(answer[at:end])
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join("".join(pieces).split()))


def _attach(sentences: list[Sentence], marks: list[Mark]) -> list[list[str]]:
    """The inline citations of each sentence, carried back to uncited ones before it in its paragraph."""
    own: list[list[str]] = [[] for _ in sentences]
    starts = [sentence.start for sentence in sentences]
    for mark in marks if sentences else ():
        # A mark behind the full stop opens the next piece of text, yet belongs to the sentence before it.
        own[max(0, bisect_left(starts, mark.start) - 1)] += mark.ids
    for place in range(len(sentences) - 2, -1, -1):
        following = sentences[place + 1]
        if not own[place] and own[place + 1] and following.paragraph == sentences[place].paragraph:
            own[place] = list(own[place + 1])
    return own
