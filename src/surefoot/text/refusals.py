"""Tell refusals from answers by rule: fast, explainable, the same on every run.

An answer is turned into tags, one for each word that `refusal_words` knows, and the rules of `refusal_rules`
look for declines in them. The clauses without a decline are support (apology, next steps, what the sources do
cover) or content. Declines without content are `refused`, with content `partial`; none is `answered`.

Answers decline at their start or their end. So of a long text only the first HEAD and last TAIL characters
are read, of these the first FIRST and last LAST sentences, and whatever lies between counts as content. That
bounds the work on any text.
"""

import functools
import re
from typing import Literal, NamedTuple

from surefoot.text import refusal_grammar as grammar
from surefoot.text import refusal_rules as rules
from surefoot.text import refusal_support as support
from surefoot.text.language import unreadable
from surefoot.text.refusal_words import BREAKS, OTHER
from surefoot.text.talk import asserts, figures, goes_on_listing, is_talk, reports, states

HEAD, TAIL = 2400, 1200
FIRST, LAST = 8, 4
_LONGEST_TOKEN = 120


class Refusal(NamedTuple):
    value: Literal["refused", "partial", "answered"]
    start: int
    end: int


ANSWERED = Refusal("answered", 0, 0)

# Words; numbers; quotations, citations and mark-up as one token each; punctuation
_TOKEN = re.compile(
    r"[ *_`#]{0,9}([a-z][\w'-]*|\d[\w.,:/%-]*[\w%]|\d|[.](?=\W|$)|[!?;:|\n,()—–…]|[^\W\d_][\w'-]*|"
    r"\"[^\"\n]{1,400}\"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){2,200}'(?!\w)|\[[^\[\]\n]{0,80}\]|</?\w{1,40}/?>)"
)
_WRAPPED = re.compile(r"(?<=[a-z])\n(?=[a-z]+[ .,])")  # a line that goes on
_SENTENCE = re.compile("[" + re.escape(BREAKS) + "]+")
# Clauses are cut before a turn, at a comma before a conjunction, and after "while ..." at any comma.
_CLAUSE = re.compile(f",?(?={grammar.charset('TURN')})|,(?={grammar.charset('CONJ', 'WH')})")
_CONCEDED = re.compile(f",|(?={grammar.charset('TURN')})")
_CONDITION = re.compile(grammar.charset("COND") + "[^,:(]*$")
_QUOTING = re.compile(f"(?<!{grammar.charset('i', 'we', 'NOT', 'to', 'WILL')}){grammar.charset('QUOTING')}[^,:(]*$")
_LEGAL = re.compile(grammar.charset("LEGAL"))
_RELATIVE = re.compile(f"(?:(?<=\\w){grammar.charset('RELATIVE')}|(?<!,){grammar.charset('which')})$")
_SOURCE = re.compile(grammar.charset("TEXT", "PAPER", "NORM"))
_PRONOUNS = grammar.charset("it", "they")[1:-1]
_HOLDS = re.compile(grammar.charset("HOLD"))
# "No, it is not mentioned"; "Two: the report does not disclose ...": the absence is the answer.
_TAKEN = re.compile(r"\W{0,4}(?:no|yes|nein|ja|non|oui|sí|none|correct|right|one|two|three|four|five|\d+)\s?[,.:;—–]")
_COMPLEMENT = re.compile(r"\W{0,4}that (?:the|it|they|he|she|there|an?|no|its|his|her|some)\b")


def exact(answer: str) -> Refusal:
    """Take only the bare token that a prompt may ask for as a refusal."""
    if answer.strip().lower() != "not in context":
        return ANSWERED
    start = len(answer) - len(answer.lstrip())
    return Refusal("refused", start, start + len("not in context"))


def detect(answer: str) -> Refusal:
    """Say whether an answer declines in whole, in part or not at all, and where it says so."""
    start = len(answer) - len(answer.lstrip())
    end = len(answer.rstrip())
    if end - start <= _LONGEST_TOKEN:
        token = _token(_fold(answer[start:end]), start)
        if token:
            return token
    field = support.FIELD.match(_fold(answer[start : start + 120]))
    if field:
        return Refusal("refused", start, start + field.end())
    start, end = _unwrapped(answer, start, end)
    if end - start <= HEAD + TAIL:
        return _judge(answer, [(start, end)])
    return _judge(answer, [(start, start + HEAD), (end - TAIL, end)])


def beside(sentence: str) -> list[str]:
    """What a sentence says beside its declining clauses; the whole sentence where none declines."""
    if detect(sentence).value == "answered":
        return [sentence]
    text = _Text(_fold(sentence), sentence, 0)
    clauses = [clause for some in _sentences(text)[0] for clause in _cut(text, *some)]
    found, here = [], 0
    for clause in [clause for clause in clauses if clause.decline]:
        found.append(sentence[here : clause.start])
        here = clause.start + len(clause.text)
    return [piece for piece in (*found, sentence[here:]) if here and piece.strip()]


def _unwrapped(answer: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the text in a quoted or JSON-like answer, lest its refusal read as a quotation."""
    if answer[start : start + 1] not in tuple("{[\"'“‘`"):
        return start, end
    wrapper = support.WRAPPER.match(_fold(answer[start : start + 80]))
    if wrapper:
        start += wrapper.end()
        closing = answer.find(answer[start - 1], start) if answer[start - 1] == '"' else end
        return start, closing if closing > start else end
    closing_mark = answer[end - 2 : end].strip(".")[-1:]
    return (start + 1 if closing_mark in tuple("\"'”’") else start), end


def _fold(text: str) -> str:
    """Lower case with plain quotes, at the same length, so that positions hold in the original."""
    text = support.ABBREVIATED.sub(" ", text)
    folded = text.lower()
    if "\n" in text:
        folded = _WRAPPED.sub(" ", text).lower()
    if len(folded) != len(text):
        folded = text.replace("İ", "I").lower()
    if not folded.isascii():
        for odd, plain in support.PLAIN:
            folded = folded.replace(odd, plain)
    return folded


def _token(folded: str, offset: int) -> Refusal | None:
    words = list(support.WORD.finditer(folded))
    while len(words) > 1 and words[0][0] in support.KEYS:
        words.pop(0)
    while len(words) > 1 and words[-1][0] in support.EMPTY:
        words.pop()
    if " ".join(word[0] for word in words) in support.WHOLE:
        return Refusal("refused", offset + words[0].start(), offset + words[-1].end())
    return None


class _Text:
    """A folded text and its tags; where the tags stand is worked out only once a rule has matched."""

    def __init__(self, folded: str, original: str, offset: int) -> None:
        self.folded, self.original, self.offset = folded, original, offset
        tokens = _TOKEN.findall(folded)
        self.hinted = "n'" in folded or not grammar.HINT_WORDS.isdisjoint(tokens)
        tags = grammar.TAGS
        self.pieces = grammar.bare(*grammar.pointed_at(tokens, tags)) if self.hinted else [OTHER]
        self.tags = "".join(self.pieces)

    @functools.cached_property
    def spans(self) -> list[tuple[int, int]]:
        if not self.hinted:
            return [(0, len(self.folded))]
        found = zip(_TOKEN.finditer(self.folded), self.pieces, strict=True)
        return [token.span(1) for token, piece in found for _ in piece]


class _Decline(NamedTuple):
    family: str
    first: int  # of its tags
    last: int
    start: int  # in the answer
    end: int


class _Clause(NamedTuple):
    text: str  # folded
    original: str
    start: int  # in the answer
    sentence: int
    closing: str  # the mark behind it
    decline: _Decline | None


def _judge(answer: str, windows: list[tuple[int, int]]) -> Refusal:
    texts: list[_Text] = []
    for start, end in windows:
        folded = _fold(answer[start:end])
        if answer[start - 1 : start] == '"':  # an unwrapped value: its closing quote opens none
            folded = folded.replace('"', " ")
        texts.append(_Text(folded, answer[start:end], start))
    found = [_sentences(text) for text in texts]
    if not any(declines for sentences, _ in found for _, _, declines in sentences):
        return ANSWERED
    clauses = [
        clause
        for text, (sentences, _) in zip(texts, found, strict=True)
        for some in sentences
        for clause in _cut(text, *some)
    ]
    return _verdict(clauses, len(windows) > 1 or found[0][1])


def _sentences(text: _Text) -> tuple[list[tuple[int, int, list[_Decline]]], bool]:
    """The first and last sentences with their declines, and whether any were left out between them."""
    if not text.hinted:
        return [(0, len(text.tags), [])], False
    cuts = [match.end() for match in _SENTENCE.finditer(text.tags)]
    bounds = [(first, last) for first, last in zip([0, *cuts], [*cuts, len(text.tags)], strict=True) if first < last]
    skipped = len(bounds) > FIRST + LAST
    if skipped:
        bounds = bounds[:FIRST] + bounds[-LAST:]
    return [(first, last, _declines(text, first, last)) for first, last in bounds], skipped


def _cut(text: _Text, first: int, last: int, declines: list[_Decline]) -> list[_Clause]:
    concedes = text.folded.startswith(support.CONCEDE, text.spans[first][0])
    closing = text.tags[last - 1] if text.tags[last - 1] in BREAKS else ""
    clauses: list[_Clause] = []
    here = first
    cuts = (_CONCEDED if concedes else _CLAUSE).finditer(text.tags, first + 1, last) if declines else ()
    for match in [*cuts, None]:
        end = match.start() if match else last
        if end > here:
            start = text.spans[here][0]
            stop = text.spans[end][0] if end < len(text.spans) else len(text.folded)
            decline = next((found for found in declines if found.first < end and here < found.last), None)
            folded, original = text.folded[start:stop], text.original[start:stop]
            closes = "" if match else closing
            clauses.append(_Clause(folded, original, text.offset + start, first, closes, decline))
            here = end
    return clauses


def _declines(text: _Text, first: int, last: int) -> list[_Decline]:
    found: list[_Decline] = []
    here = first if grammar.HINT.search(text.tags, first, last) else last
    while place := grammar.PLACE.search(text.tags, here, last):
        here = place.start() + 1
        opens = place.start() == first or text.tags[place.start() - 1] in grammar.EDGE
        for tag in (place[0], "") if opens else place[0]:
            rule = grammar.at(tag)
            match = rule.match(text.tags, place.start(), last) if rule else None
            if match and match.end() > match.start() and not _is_reported(text, first, last, match):
                start, end = text.spans[match.start()][0], text.spans[match.end() - 1][1]
                found.append(
                    _Decline(match.lastgroup or "", match.start(), match.end(), text.offset + start, text.offset + end)
                )
                here = match.end()
                break
    return found


def _is_reported(text: _Text, first: int, last: int, match: re.Match[str]) -> bool:
    """Whether a decline is only a condition, somebody else's, a title, or the very answer."""
    start, end, family = match.start(), match.end(), match.lastgroup or ""
    before = text.tags[first:start]
    condition = _CONDITION.search(before)
    if _QUOTING.search(before):
        return True
    if condition and (condition.start() or end < last - 1 or family not in rules.ABSENCE):
        return True
    words = text.original[text.spans[start][0] : text.spans[end - 1][1]].split()
    long = [word for word in words[1:] if len(word) > 3]
    if len(long) > 1 and all(word[0].isupper() and not word.isupper() for word in long):
        return True
    if family == "objects":
        return "[" in text.folded
    if family not in rules.ABSENCE:
        return False
    opening = text.folded[:60]
    return bool(
        _LEGAL.search(text.tags, first, last)
        or _RELATIVE.search(before)
        or ((taken := _TAKEN.match(opening)) and text.spans[first][0] <= taken.end() + 1)
        or _COMPLEMENT.match(opening)
        or (text.tags[start] in _PRONOUNS and not _SOURCE.search(text.tags, 0, start))
        or (words[0].istitle() and before and _holds(match))
    )


def _holds(match: re.Match[str]) -> bool:
    """A capitalised source that does not hold something is a defined term: "the Materials do not include"."""
    return match.lastgroup == "silent" and _HOLDS.search(match[0]) is not None


def _verdict(clauses: list[_Clause], skipped: bool) -> Refusal:
    first: _Decline | None = None
    content: list[_Clause] = []
    whole = False
    for place, clause in enumerate(clauses):
        decline = clause.decline
        if decline and (first or not content or decline.family not in rules.LEADING):
            first = first or decline
            whole = decline.family == "whole"
            content += _beside(clause, decline)
        elif not _is_support(place, clauses):
            content.append(clause)
            whole = False
    if first is None:
        return ANSWERED
    if first.family in rules.REASONED and not any(_seeks(clause) for clause in clauses if clause.decline == first):
        content = [clause for clause in content if clause.start < first.start or support.PIVOT.match(clause.text)]
        skipped = False
    declined_at = first.start
    declined = {clause.sentence for clause in clauses if clause.decline}
    told = any(_answers(clause, declined_at, clause.sentence not in declined) for clause in content)
    partial = (told or skipped) and not whole
    return Refusal("partial" if partial else "refused", first.start, first.end)


def _answers(clause: _Clause, declined_at: int, apart: bool) -> bool:
    """Whether a clause asserts something about the thing asked; a sentence of its own must state it."""
    if reports(clause.text):
        return False
    if apart:
        return clause.start < declined_at or not support.BESIDE.search(clause.text)
    return support.answers(clause.text, clause.start < declined_at) and asserts(clause.original.strip(" ,;:"))


def _seeks(clause: _Clause) -> bool:
    return support.SOUGHT.search(clause.text) is not None


def _beside(clause: _Clause, decline: _Decline) -> list[_Clause]:
    """Content in the clause of a decline: cited before it, or a figure before "and"."""
    before = clause.text[: decline.start - clause.start]
    told = "[" in before or (" and " in before and support.FIGURE.search(before))
    return [clause] if told and not _is_filler(clause._replace(text=before)) else []


def _is_support(place: int, clauses: list[_Clause]) -> bool:
    clause = clauses[place]
    if clause.closing == ":" and place + 1 < len(clauses) and clauses[place + 1].decline:
        return True  # the label of what is declined
    told = clause.original.strip(" ,;:")
    if place and clauses[place - 1].closing == ":" and not clauses[place - 1].decline:
        return bool(support.OPENING.match(clause.text)) or is_talk(told) or told.rstrip(".").lower() in support.NO_VALUE
    if clause.closing == "?":
        return True
    beside = [other for other in clauses if other.sentence == clause.sentence and other.decline]
    goes_on = bool(beside and place) and goes_on_listing(clauses[place - 1].text, clause.text)
    if goes_on or not asserts(told) or (_is_filler(clause) and (unreadable(told) or not states(told))):
        return True
    if not beside:
        return False
    if any(_is_contrasted(clause, other) for other in beside):
        return True
    if support.FIGURE.search(clause.text):
        return False
    words = support.WORD.findall(clause.text)
    return bool(beside) and (len(words) < 4 or words[0] in support.REASONS)


def _is_contrasted(clause: _Clause, decline: _Clause) -> bool:
    """ "It sets a fee for late payment, but no fee for late delivery is stated": near, but no answer."""
    near = {*support.LONG_WORD.findall(clause.text)} & {*support.LONG_WORD.findall(decline.text)}
    return clause.start < decline.start and len(near) > 1


def _is_filler(clause: _Clause) -> bool:
    bare = support.MARK.sub("", clause.text)
    short = len(support.WORD.findall(bare, 0, 200)) < 3 and not (support.VALUE.search(bare) or figures(bare))
    return short or bool(support.OPENING.match(bare))
