"""An answer cut into clauses, each with the decline in it if there is one.

Answers decline at their start or their end. So of a long text only the first HEAD and last TAIL characters are read, of
these the first FIRST and last LAST sentences. That bounds the work on any text.
"""

import functools
import re
from typing import NamedTuple

from surefoot.text import refusal_grammar as grammar
from surefoot.text.refusal_grammar import BREAKS, OTHER, charset, members

HEAD, TAIL = 2400, 1200
FIRST, LAST = 8, 4
# Families where the absence may itself be what was asked ("No, it is not mentioned"), or somebody else's words
_ABSENCE = frozenset({"silent", "untold", "none"})

# Words; numbers; quotations, citations and mark-up as one token each; punctuation
_TOKEN = re.compile(
    r"[ *_`#]{0,9}([a-z][\w'-]*|\d[\w.,:/%-]*[\w%]|\d|[.](?=\W|$)|[!?;:|\n,()—–…]|[^\W\d_][\w'-]*|"
    r"\"[^\"\n]{1,400}\"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){2,200}'(?!\w)|\[[^\[\]\n]{0,80}\]|</?\w{1,40}/?>)"
)
_WRAPPED = re.compile(r"(?<=[a-z])\n(?=[a-z]+[ .,])")  # a line that goes on
# A full stop that ends no sentence: "Alder Ltd. does", "No. 7", "Mr. Alder", "8 p.m. on", "non-U.S. sales"
_ABBREVIATED = re.compile(
    r"\.(?:(?:(?<=\b(?:Ltd|Inc)\.)|(?<=\bCorp\.)|(?<=\bCo\.))(?= (?:\[[^\[\]\n]{0,80}\] )?[a-z(])|"
    r"(?<=\b[A-Za-z]\.[A-Za-z]\.)(?= [a-z\d(])|(?<=\w [Nn]o\.)(?= \d)|(?:(?<=\b(?:Mr|Ms|Dr)\.)|(?<=\bMrs\.))(?= [A-Z]))"
)
_PLAIN = str.maketrans("’‘ʼ“”«»\u200b", '\'\'\'"""" ')
_SENTENCE = re.compile("[" + re.escape(BREAKS) + "]+")
# Clauses are cut before a turn, at a comma before a conjunction, and after "while ..." at any comma.
_CLAUSE = re.compile(f",?(?={charset('TURN')})|,(?={charset('CONJ', 'WH')})")
_CONCEDED = re.compile(f",|(?={charset('TURN')})")
_CONCEDES = ("while ", "although ", "though ", "even though ", "whereas ")
_CONDITION = re.compile(charset("COND") + "[^,:(]*$")
_QUOTING = re.compile(f"(?<!{charset('i', 'we', 'NOT', 'to', 'WILL')}){charset('QUOTING')}[^,:(]*$")
_LEGAL = re.compile(charset("LEGAL"))
# Not in "I must report that": the word before is a verb.
_RELATIVE = re.compile(
    f"(?:(?<=\\w)(?<!{charset('must', 'CAN', 'WILL')}\\w){charset('RELATIVE')}|(?<!,){charset('which')})$"
)
_SOURCE = re.compile(charset("TEXT", "PAPER", "NORM"))
_PRONOUNS = members("it", "they")
_HOLDS = re.compile(charset("HOLD"))
# "No, it is not mentioned"; "Two: the report does not disclose ...": the absence is the answer.
_ANSWERED = re.compile(
    r"\W{0,4}(?:no|yes|nein|ja|non|oui|sí|none|correct|right|one|two|three|four|five|\d+)\s?[,.:;—–]"
)
_COMPLEMENT = re.compile(r"\W{0,4}that (?:the|it|they|he|she|there|an?|no|its|his|her|some)\b")


class Decline(NamedTuple):
    family: str
    first: int  # of its tags
    last: int
    start: int  # in the answer
    end: int


class Clause(NamedTuple):
    text: str  # folded
    original: str
    start: int  # in the answer
    sentence: int
    closing: str  # the mark behind it
    decline: Decline | None


def clauses_of(answer: str, start: int, end: int) -> tuple[list[Clause], bool]:
    """The clauses between two places, and whether some were passed over; none where nothing is declined."""
    is_long = end - start > HEAD + TAIL
    windows = [(start, start + HEAD), (end - TAIL, end)] if is_long else [(start, end)]
    texts = [_Text(answer[first:last], first) for first, last in windows]
    if not any(declines for text in texts for _, _, declines in text.sentences):
        return [], False
    return [clause for text in texts for clause in text.clauses()], is_long or texts[0].is_cut


def fold(text: str) -> str:
    """Lower case with plain quotes, at the same length, so that positions hold in the original."""
    text = _ABBREVIATED.sub(" ", text)
    folded = _WRAPPED.sub(" ", text).lower().replace(", however,", " " * 10)
    if len(folded) != len(text):
        folded = text.replace("İ", "I").lower()
    return folded if folded.isascii() else folded.translate(_PLAIN)


class _Text:
    """A text and its tags; where the tags stand is worked out only once a rule has matched."""

    def __init__(self, original: str, offset: int) -> None:
        self.folded, self.original, self.offset = fold(original), original, offset
        tokens = _TOKEN.findall(self.folded)
        self.is_hinted = "n'" in self.folded or not grammar.HINT_WORDS.isdisjoint(tokens)
        self._pieces = grammar.tags_of(tokens) if self.is_hinted else [OTHER]
        self.tags = "".join(self._pieces)
        cuts = [match.end() for match in _SENTENCE.finditer(self.tags)]
        bounds = [(one, other) for one, other in zip([0, *cuts], [*cuts, len(self.tags)], strict=True) if one < other]
        self.is_cut = len(bounds) > FIRST + LAST
        kept = bounds[:FIRST] + bounds[-LAST:] if self.is_cut else bounds
        self.sentences = [(first, last, self._declines(first, last)) for first, last in kept]

    @functools.cached_property
    def spans(self) -> list[tuple[int, int]]:
        if not self.is_hinted:
            return [(0, len(self.folded))]
        found = zip(_TOKEN.finditer(self.folded), self._pieces, strict=True)
        return [token.span(1) for token, piece in found for _ in piece]

    def clauses(self) -> list[Clause]:
        return [clause for sentence in self.sentences for clause in self._cut(*sentence)]

    def _cut(self, first: int, last: int, declines: list[Decline]) -> list[Clause]:
        concedes = self.folded.startswith(_CONCEDES, self.spans[first][0])
        closing = self.tags[last - 1] if self.tags[last - 1] in BREAKS else ""
        cuts = (_CONCEDED if concedes else _CLAUSE).finditer(self.tags, first + 1, last) if declines else ()
        clauses: list[Clause] = []
        here = first
        for end in [*(match.start() for match in cuts), last]:
            if end > here:
                start = self.spans[here][0]
                stop = self.spans[end][0] if end < len(self.spans) else len(self.folded)
                decline = next((found for found in declines if found.first < end and here < found.last), None)
                folded, original = self.folded[start:stop], self.original[start:stop]
                closes = closing if end == last else ""
                clauses.append(Clause(folded, original, self.offset + start, first, closes, decline))
                here = end
        return clauses

    def _declines(self, first: int, last: int) -> list[Decline]:
        found: list[Decline] = []
        here = first if grammar.HINT.search(self.tags, first, last) else last
        while place := grammar.PLACE.search(self.tags, here, last):
            here = place.start() + 1
            opens = place.start() == first or self.tags[place.start() - 1] in grammar.EDGE
            for tag in (place[0], "") if opens else place[0]:
                match = grammar.matched(tag, self.tags, place.start(), last)
                if match and match.end() > match.start() and not self._is_reported(first, last, match):
                    start, end = self.spans[match.start()][0], self.spans[match.end() - 1][1]
                    places = (match.start(), match.end(), self.offset + start, self.offset + end)
                    found.append(Decline(match.lastgroup or "", *places))
                    here = match.end()
                    break
        return found

    def _is_reported(self, first: int, last: int, match: re.Match[str]) -> bool:
        """Whether a decline is only a condition, somebody else's, a title, or the very answer."""
        start, end, family = match.start(), match.end(), match.lastgroup or ""
        before = self.tags[first:start]
        if _QUOTING.search(before):
            return True
        condition = _CONDITION.search(before)
        if condition and (condition.start() or end < last - 1 or family not in _ABSENCE):
            return True
        words = self.original[self.spans[start][0] : self.spans[end - 1][1]].split()
        long = [word for word in words[1:] if len(word) > 3]
        if len(long) > 1 and all(word[0].isupper() and not word.isupper() for word in long):
            return True
        if family == "objects":
            return "[" in self.folded
        if family not in _ABSENCE:
            return False
        answered = _ANSWERED.match(self.folded[:60])
        # A capitalised source that does not hold something is a defined term: "the Materials do not include".
        is_term = family == "silent" and words[0].istitle() and before and _HOLDS.search(match[0])
        return bool(
            _LEGAL.search(self.tags, first, end)
            or _RELATIVE.search(before)
            or (answered and self.spans[first][0] <= answered.end() + 1)
            or _COMPLEMENT.match(self.folded)
            or (self.tags[start] in _PRONOUNS and not _SOURCE.search(self.tags, 0, start))
            or is_term
        )
