"""Which sentences of an answer assert something a document could confirm or deny, and what they cite.

Not claims: talk (`talk`: questions, offers, greetings, what is said about the answer itself or about what the sources
cover), headings without a value, declining clauses, and a bare yes or no unless it is all that answers a question. An
inline citation covers its sentence and the uncited sentences before it in the same paragraph, but not an aside behind
it; where a paragraph or a line begins with a citation, each covers what follows up to the next one. A citation of a
sentence that only talks covers all that was not cited before it. A citation field, or a list, covers every claim;
of several lists, each covers what stands before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Container, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from surefoot.core.types import Passage
from surefoot.text.citations import Mark, locate
from surefoot.text.normal import is_empty, normalise, phrase, sentences, spelled_out
from surefoot.text.refusals import (
    asks,
    beside,
    figures,
    has_value,
    is_fragment,
    names_source,
    negation,
    stated,
    states,
)

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
_MARK = "\0"
_AS_SUBJECT, _AS_OBJECT = phrase("cited_subject"), phrase("cited_object")
_SAYS = re.compile(r"\s+(?:\w+ly )?(?:says?|states?|gives?|puts?|mentions?|sets?|allows?|requires?|specifies)\b")
_HAS_WORD, _AS_NOUN = re.compile(r"\w"), phrase("cited_noun")
_VOUCHES, _REASON = phrase("vouches"), phrase("reasons")  # for declining
_BREAK = re.compile(r"\n\s*\n")
_JSON = re.compile(r"\s*(?:```(?:json)?\s*)?[\[{]\s*(?:[\[{]\s*)?\"")
_VALUE = re.compile(r'"(?:answer|claim|text|response|output|statement)"\s*:\s*"(?P<text>(?:[^"\\]|\\.)*)"?')
_ESCAPED = re.compile(r"\\u((?!d[89a-f])[0-9a-f]{4})", re.IGNORECASE)
_LABELLED = re.compile(r"^[ \t]*(?:[-*•]\s+)?(?:claim|answer|response)s?:(?=\s)", re.IGNORECASE | re.MULTILINE)
_YES_NO = re.compile(r"(?:yes|no|correct|incorrect|true|false|ja|nein|oui|non|sí)[\s.,!]*", re.IGNORECASE)


class Sentence(Struct, frozen=True):
    text: str  # without citation marks and list bullets
    start: int
    end: int
    paragraph: int
    is_item: bool = False  # of a list
    leads: bool = False  # citations stand before what they cover
    marked: str = ""  # with a sign for each citation


class Claim(Struct, frozen=True):
    """An assertion with the ids it cites, and where it stands in the answer."""

    text: str
    start: int
    end: int
    citations: tuple[str, ...] = ()
    sentence: str = ""  # that says it, without citations


class Claims(Struct, frozen=True):
    claims: tuple[Claim, ...]
    citations: tuple[str, ...] | None  # everything the answer cites; None when it has no citation of any form
    text: str = ""  # of the answer, without its citations
    marked: str = ""  # the same with a sign for each citation


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
    inline = [mark for mark in marks if not mark.is_list]
    sentences = list(_sentences(unwrapped(answer), marks))
    listed = _listed(sentences, [mark for mark in marks if mark.is_list])
    asserted, known = list[list[str]](), set[float]()
    for sentence in sentences:
        asserted.append(assertions(sentence.text, known))
        known.update(figure.value for figure in figures(sentence.text))
    own = _attach(answer, sentences, inline, [not texts for texts in asserted])
    claims: list[Claim] = []
    greetings: list[Claim] = []  # or an answer of few words, or yes or no, where there is no other
    for sentence, cited, of_list, texts in zip(sentences, own, listed, asserted, strict=True):
        ids = tuple(dict.fromkeys([*cited, *of_list, *(field or ())]))
        for text in texts:
            is_greeting = is_fragment(text) and not (ids or sentence.is_item)
            (greetings if is_greeting else claims).append(Claim(text, sentence.start, sentence.end, ids, sentence.text))
        if spelled_out(question, sentence.text):
            greetings.append(Claim(sentence.text, sentence.start, sentence.end, ids, sentence.text))
    if not claims and not greetings:  # what the reader is told to do may be the answer, where it is cited
        claims = [
            Claim(one.text, one.start, one.end, tuple(dict.fromkeys(cited)), one.text)
            for one, cited in zip(sentences, own, strict=True)
            if cited and not (names_source(one.text) or asks(one.text) or _YES_NO.fullmatch(one.text))
            if beside(one.text) == [one.text]
        ]
    cited_at_all = dict.fromkeys([*(i for mark in marks for i in mark.ids), *(field or ())])
    cited_ids = tuple(cited_at_all) if marks or field is not None else None
    text, marked = " ".join(one.text for one in sentences), " ".join(one.marked for one in sentences)
    return Claims(tuple(claims or greetings), cited_ids, text, marked)


def is_claim(sentence: str) -> bool:
    """True when a document could confirm or deny the sentence."""
    return bool(assertions(sentence))


def assertions(sentence: str, known: Container[float] = ()) -> list[str]:
    """What a sentence asserts, without marks, talk and declining clauses; `known` are figures given before it."""
    text = _undressed(sentence).strip(" \t\r\n>\"'“”")
    is_heading = _HEADING.fullmatch(sentence) and not re.search(r":\s*\w", text)
    if is_empty(text) or _YES_NO.fullmatch(text) or (is_heading and not has_value(text)):
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
    parts = []
    for part in (part.strip(" ,;:") for piece in pieces for part in piece.split("; ")):
        if f"; {part}" in bare:  # by itself
            asserts = not is_fragment(part)
        else:
            asserts = bool(figures(part)) or (states(part) and not _REASON.match(part))
        parts += [part] if asserts else []
    swallowed = [found for sign, found in brackets.items() if states(found) and not any(sign in part for part in parts)]
    return [
        *("".join(brackets.get(sign, sign) for sign in part) for part in parts),
        *(found.strip(" ()–—-") for found in swallowed),
    ]


def _undressed(text: str) -> str:
    text = _LINK.sub(r"\1 ", text)
    text = _TAG.sub(" ", _ADDRESS.sub(lambda url: url[0].rpartition("/")[2], text))
    text = _SLUG.sub(lambda words: words[0].replace("-", " "), text)
    return " ".join(_EMPHASIS.sub("", text).split())


def _sentences(answer: str, marks: list[Mark]) -> Iterator[Sentence]:
    """Sentences without the marks in them; a list item is a sentence or more of its own."""
    ordered = sorted(marks)
    starts, ends = [mark.start for mark in ordered], [mark.end for mark in ordered]
    at = 0
    for number, paragraph in enumerate(re.split(r"(\n\s*\n)", answer)):
        of_paragraph = leads = False
        for place, line in enumerate(paragraph.splitlines(keepends=True)):
            bullet = _LIST_MARK.match(line)
            skip = bullet.end() if bullet else 0
            start = at + skip
            first = bisect_left(starts, start + len(line[skip:]) - len(line[skip:].lstrip()))
            begins = first < len(starts) and is_empty(answer[start : starts[first]]) and starts[first] < at + len(line)
            if not place:
                of_paragraph = begins
            on_line = ordered[first : bisect_left(starts, at + len(line))]
            is_mark_alone = begins and is_empty(_without(answer, start, at + len(line), on_line))
            leads = of_paragraph or (begins and not is_mark_alone) or (leads and bullet is None)
            for piece in sentences(line[skip:]) if line[skip:].strip() else ():
                end = start + len(piece)
                inside = ordered[bisect_right(ends, start) : bisect_left(starts, end)]
                for here, there in pairwise([start, *_cuts(answer, start, end, inside, leads), end]):
                    own = [mark for mark in inside if mark.start < there and here < mark.end]
                    text, marked = (_without(answer, here, there, own, sign) for sign in ("", "[*]"))
                    if not is_empty(text):
                        begins = leads or (here > start and any(mark.start == here for mark in own))
                        yield Sentence(text, here, there, number, bullet is not None, begins, marked)
                start = end
            at += len(line)


def _cuts(answer: str, start: int, end: int, marks: list[Mark], leads: bool) -> Iterator[int]:
    """Where parts of a sentence begin that have citations of their own ("5 days [a], but 7 days by the rules [b]"), and
    where an aside does that states something behind the last one."""
    here = start
    for mark in marks:
        told = answer[here : mark.start]
        if _SAYS.match(answer, mark.end, end) and _HAS_WORD.search(told) and not _AS_NOUN.search(told):
            here = mark.start  # "..., whereas [b] says 7 days"
            yield here
    for mark, following in pairwise(marks) if here == start else ():
        between = answer[mark.end : following.start]
        texts = (between, answer[following.end : end]) if leads else (answer[here : mark.start], between)
        if all(states(text) or figures(text) for text in texts):
            here = following.start if leads else mark.end
            yield here
    behind = _ASIDE.match(answer, marks[-1].end, end) if marks else None
    text = answer[behind.end() : end] if behind else ""
    if behind and (states(text) or figures(text)):
        yield behind.start()


def _without(answer: str, start: int, end: int, marks: list[Mark], sign: str = "") -> str:
    """The text without its marks; one that is a part of the sentence ("[p2] says", "as stated in [p2]") is a noun."""
    pieces, at = list[str](), start
    for mark in marks:
        pieces += [answer[at : max(at, mark.start)], _MARK if mark.start >= start else ""]
        at = max(at, mark.end)
    text = "".join([*pieces, answer[at:end]])
    if marks:
        text = _AS_OBJECT.sub(r"\g<before> the passage", _AS_SUBJECT.sub("The passage", text)).replace(_MARK, sign)
    text = re.sub(r" ?\([ ,;]*\)", "", " ".join(text.split()))
    return re.sub(r"(?:,\s*)?\s([.;:!?])|\s+(,)", r"\1\2", text.lstrip(",; ")).replace(",.", ".")


def unwrapped(answer: str) -> str:
    """With spaces for what is around the texts in JSON, and for labels like "claim:", so that positions stay."""
    if _JSON.match(answer) and (values := list(_VALUE.finditer(answer))):
        blank = list(re.sub(r"\S", " ", answer))
        for value in values:
            text = _ESCAPED.sub(lambda code: chr(int(code[1], 16)).rjust(6), value["text"])
            blank[value.start("text") : value.end("text")] = text.replace("\\n", " \n").replace('\\"', ' "')
        return "".join(blank)
    return _LABELLED.sub(lambda label: " " * len(label[0]), answer)


def _listed(sentences: list[Sentence], lists: list[Mark]) -> list[list[str]]:
    """What lists say each sentence cites. Each speaks for what stands before it, if that holds for all of them."""
    before = [bisect_left([mark.end for mark in lists], sentence.end) for sentence in sentences]
    if len(lists) > 1 and set(before) == set(range(len(lists))):
        return [list(lists[place].ids) for place in before]
    return [[i for mark in lists for i in mark.ids]] * len(sentences)


def _attach(answer: str, sentences: list[Sentence], marks: list[Mark], talks: list[bool]) -> list[list[str]]:
    """The inline citations of each sentence, carried on where they lead, and else back to what is not cited yet."""
    own: list[list[str]] = [[] for _ in sentences]
    starts = [sentence.start for sentence in sentences]
    for mark in marks if sentences else ():
        own[_place(answer, sentences, starts, mark)] += mark.ids
    vouches = [
        talk and bool(ids) and bool(_VOUCHES.search(one.text)) and negation(one.text) is None
        for talk, ids, one in zip(talks, own, sentences, strict=True)
    ]
    for place, (before, sentence) in enumerate(pairwise(sentences), 1):
        if sentence.leads and not own[place] and before.paragraph == sentence.paragraph:
            own[place] = list(own[place - 1])
    for place in range(len(sentences) - 2, -1, -1):
        is_near = sentences[place + 1].paragraph == sentences[place].paragraph and not sentences[place + 1].leads
        if not own[place] and own[place + 1] and (is_near or vouches[place + 1]):
            own[place], vouches[place] = list(own[place + 1]), vouches[place + 1]
    return own


def _place(answer: str, sentences: list[Sentence], starts: list[int], mark: Mark) -> int:
    """A mark behind a full stop belongs to the sentence before it, unless citations lead and something follows it."""
    after = bisect_right(starts, mark.start)
    here = after - 1 if after and mark.start < sentences[after - 1].end else after
    if (
        here < len(sentences)
        and sentences[here].leads
        and not _BREAK.search(answer, mark.end, max(mark.end, starts[here]))
    ):
        return here
    return max(0, bisect_left(starts, mark.start) - 1)


_QUOTED = re.compile(r"(?:(?<=[\s(\[:,—–-])|^)[\"“„«](?P<text>[^\"“”„«»]{8,2000}?)[\"”“»](?=[\s.,;:!?)\[\]…—–-]|$)")
_GAP = re.compile(r"\.{2,}|…|\[[^\[\]]*\]")
_TELLS = phrase("introduces_quote")
_PLAIN = str.maketrans("’‘ʼ‑–—", "'''---")
_FEWEST = 4  # words; fewer are a term


def quotations(answer: str) -> Iterator[tuple[int, int, str]]:
    """Where something is quoted as the words of a source, and what; names, titles and single terms are not."""
    for found in _QUOTED.finditer(answer):
        words = [word for word in found["text"].split() if word[:1].isalpha()]
        long = [word for word in words[1:] if len(word) > 3]
        is_title = long and sum(word[0].isupper() for word in long) > 0.6 * len(long)
        is_told = _TELLS.search(answer, max(0, found.start() - 120), found.start()) or "[" in answer[found.end() :][:12]
        if len(words) >= _FEWEST and is_told and not is_title:
            yield found.start(), found.end(), found["text"]


def stands_in(quotation: str, text: str) -> bool:
    """Word for word, but for white space, case, marks at its end, and what is left out or put in square brackets."""
    there, at = _bare(text), 0
    for part in filter(None, (_bare(piece) for piece in _GAP.split(quotation))):
        at = there.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _bare(text: str) -> str:
    return re.sub(r"\s+(?=[.,;:!?)%])|(?<=[($])\s+", "", normalise(text.translate(_PLAIN))).strip(" .,;:!?-'")
