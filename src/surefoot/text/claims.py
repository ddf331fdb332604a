"""Which sentences of an answer assert something a document could confirm or deny, and what they cite.

Not claims: questions, offers, headings, hedged talk about the answer itself, statements about the sources, and a
bare yes or no. An inline citation covers its sentence and the uncited sentences before it in the same paragraph; a
list, or a citation field, covers every claim.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from surefoot.text.citations import Mark, locate
from surefoot.text.normal import is_empty
from surefoot.text.refusals import detect
from surefoot.text.sentences import sentences

_LIST_MARK = re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+")
_HEADING = re.compile(r"\s*(?:#{1,6}\s.*|\*\*[^*]{1,80}\*\*:?|[^.!?]{1,60}:)\s*")
_YES_NO = re.compile(r"(?:yes|no|correct|incorrect|true|false|ja|nein|oui|non|sí)[\s.,!]*", re.IGNORECASE)
# Talk about the answer, the search or the reader rather than about the documents' subject.
_META = re.compile(
    r"(?:please|let me know|feel free|i hope|hope this|happy to|glad to|would you like|do you want"
    r"|if you (?:need|want|would like|have|wish|can|send|tell|give|share|are)"
    r"|(?:contact|ask|consult|check|refer to|see)"
    r"|you (?:may|might|can|could|should) (?:want to |wish to |also )?"
    r"(?:check|contact|consult|ask|look|refer|review|see|search|verify|try|reach)"
    r"|i (?:can|could|would|will|am able to|looked|searched|checked|reviewed|recommend|suggest)"
    r"|i have (?:looked|searched|checked)|here (?:is|are)|here's|sure[,!]|certainly[,!]|of course[,!]"
    r"|(?:the |my )?(?:closest|nearest|most relevant|best matching|related)|(?:a )?next steps?"
    r"|try (?:asking|searching|checking|the)|it (?:may|might) be worth|for (?:more|further) (?:information|details)"
    r"|(?:all|both|these|this|the) (?:figures?|statements?|answers?|points?) (?:above )?(?:is|are|comes?) from)\b"
    r"|(?:in summary|to summari[sz]e|(?:based on|according to) (?:the )?(?:above|this))[.:,]?$",
    re.IGNORECASE,
)
_ABOUT_SOURCES = re.compile(
    r"(?:the |these |those |this |my |both |all |none of the |neither |retrieved |provided |given |available |cited |"
    r"closest |supplied )*"
    r"(?:documents?|passages?|sources?|context|excerpts?|texts?|materials?|search results?|corpus|retrieval)\b"
    r"[^.]{0,40}\b(?:do|does|did|is|are|was|were|contain|contains|mention|mentions|cover|covers|address|addresses|"
    r"deal|deals|discuss|discusses|relate|relates|concern|concerns|provide|provides|include|includes|only)\b",
    re.IGNORECASE,
)


class Sentence(Struct, frozen=True):
    text: str  # without citation marks and list bullets
    start: int
    end: int
    paragraph: int


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
) -> Claims:
    """The claims of an answer. `field` holds the citations of a separate citation field, if there is one."""
    marks = locate(answer, retrieved, gold)
    everywhere = [i for mark in marks if mark.is_list for i in mark.ids] + list(field or ())
    inline = [mark for mark in marks if not mark.is_list]
    sentences = list(_sentences(answer, marks))
    own = _attach(sentences, inline)
    claims = []
    for sentence, cited in zip(sentences, own, strict=True):
        if is_claim(sentence.text):
            ids = tuple(dict.fromkeys([*cited, *everywhere]))
            claims.append(Claim(sentence.text, sentence.start, sentence.end, ids))
    cited_at_all = dict.fromkeys([*everywhere, *(i for mark in inline for i in mark.ids)])
    return Claims(tuple(claims), tuple(cited_at_all) if marks or field is not None else None)


def is_claim(sentence: str) -> bool:
    """True when a document could confirm or deny the sentence."""
    text = sentence.strip(" \t\r\n*_>\"'“”")
    if is_empty(text) or text.endswith("?") or _YES_NO.fullmatch(text) or _HEADING.fullmatch(sentence):
        return False
    if _META.match(text) or _ABOUT_SOURCES.match(text):
        return False
    return detect(text).value != "refused"


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
                text = _without(answer, start, end, inside)
                if not is_empty(text):
                    yield Sentence(text, start, end, number)
                start = end
            at += len(line)


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
