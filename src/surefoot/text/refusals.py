"""Tell refusals from answers by rule: fast, explainable, the same on every run.

The clauses of an answer either decline, or support a decline (apology, next steps, what the sources do cover), or are
content. Declines without content are `refused`, with content `partial`; none is `answered`. In a long text whatever
lies between its start and its end counts as content. Many answers are scanned as one text first: a few passes over all
their characters find those that need a closer look.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.text import talk as grammar
from surefoot.text.normal import WORDS, phrase, sentences, unreadable
from surefoot.text.numbers import Quantity
from surefoot.text.talk import (
    BREAKS,
    HINT_WORDS,
    OTHER,
    asks,
    asserts,
    charset,
    figures,
    goes_on_listing,
    is_talk,
    members,
    reports,
    stated,
    states,
)

Numbers = NDArray[np.integer[Any]]

_PREFIX, _LETTERS = 4, 27  # letters by which a word is looked up; a to z, and 0 for all else
_LETTER_CODES = bytes(code - 96 if 97 <= code <= 122 else 0 for code in range(256))
_LETTER_RUN = re.compile("[a-z]+")


class Texts:
    """Texts one behind the other, with a line end before and behind each."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.lengths: Numbers = np.fromiter(map(len, texts), np.int64, len(texts))
        self.starts: Numbers = np.cumsum(self.lengths + 1) - self.lengths
        self.ends: Numbers = self.starts + self.lengths
        self.joined = "\n".join(("", *texts, ""))
        self.is_ascii = self.joined.isascii()
        self.is_even = self.is_ascii or "İ" not in self.joined  # the one letter that becomes two
        # In lower case, every character stays where it was.
        self.lowered = self.joined.lower() if self.is_even else self.joined.replace("İ", "I").lower()
        self.characters: Numbers = (
            np.frombuffer(self.joined.encode(), np.uint8)
            if self.is_ascii
            else np.frombuffer(self.joined.encode("utf-32-le", "surrogatepass"), np.uint32)
        )

    @cached_property
    def plain(self) -> bytes:
        """In lower case, with a question mark for whatever is not ASCII."""
        return self.lowered.encode("ascii", "replace")

    def numbers_of(self, positions: Sequence[int] | Numbers) -> Numbers:
        """The texts in which some characters stand, each once."""
        is_one = np.zeros(len(self.starts), np.bool_)
        is_one[np.searchsorted(self.starts, positions, "right") - 1] = True
        return np.flatnonzero(is_one)

    def having(self, characters: str) -> NDArray[np.bool_]:
        """By position, whether one of the characters stands there."""
        is_one: NDArray[np.bool_] = self.characters == ord(characters[0])
        for one in characters[1:]:
            if one.isascii() or not self.is_ascii:
                is_one |= self.characters == ord(one)
        return is_one

    def first_of(self, characters: str) -> Numbers:
        """Where in each text the first of some characters stands, or the end of the text."""
        found = np.append(np.flatnonzero(self.having(characters)), len(self.characters))
        first: Numbers = np.minimum(found[np.searchsorted(found, self.starts)], self.ends)
        return first

    def stand_at(self, words: str, positions: Numbers) -> NDArray[np.bool_]:
        """Whether some words stand at each of the positions."""
        stand = positions > 0
        for place, one in enumerate(words):
            stand &= self.characters.take(positions + place, mode="clip") == ord(one)
        return stand


class WordScan:
    """Finds the texts that have one of many words, which consist of the letters a to z."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._is_prefix = np.zeros((_LETTERS,) * _PREFIX, np.bool_)
        for word in self._words:
            letters = [ord(letter) - 96 for letter in word[:_PREFIX]]
            self._is_prefix[(*letters, 0)[:_PREFIX]] = True  # behind a short word, anything may stand

    def numbers_in(self, texts: Texts) -> Numbers:
        """The texts with a word that no letter from a to z goes before or behind."""
        letters = np.frombuffer(texts.plain.translate(_LETTER_CODES) + bytes(_PREFIX), np.uint8)
        is_letter = letters > 0
        at = np.flatnonzero(is_letter[1:] > is_letter[:-1]) + 1
        prefix = letters[at].astype(np.int32)
        for place in range(1, _PREFIX):
            prefix = prefix * _LETTERS + letters[at + place]
        likely = at[self._is_prefix.ravel()[prefix]]
        is_whole = ~is_letter[likely + 1] | ~is_letter[likely + 2] | ~is_letter[likely + 3]
        run, lowered, words = _LETTER_RUN.match, texts.lowered, self._words
        longer = [place for place in likely[~is_whole].tolist() if (found := run(lowered, place)) and found[0] in words]
        return texts.numbers_of(np.concatenate((likely[is_whole], np.array(longer, np.int64))))


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


_LONGEST_TOKEN, _LONGEST_QUESTION, _MOST_CHOICES = 120, 600, 9
# Ordinary phrases: they count only while no content came before.
_LEADING = frozenset({"vague", "ai", "objects"})
# What follows these is mostly the reason for declining, not an answer.
_REASONED = frozenset({"whole", "unable", "ai", "objects"})

_OPENING, _SOUGHT, _PIVOT = phrase("opening"), phrase("sought"), phrase("pivot")
_ASIDE, _BESIDE, _TURN, NEAR_SOURCE = phrase("aside"), phrase("beside"), phrase("turn"), phrase("near_source")
_ASKS_WHICH, _OFFERS, _CHOICES = phrase("asks_which"), phrase("offers"), phrase("choices")
_FIELD, _WRAPPER = phrase("field"), phrase("wrapper")
# Who begins with the nearest passage has nothing else to tell.
_CLOSEST = re.compile(
    r"(?:\[[^\[\]\n]{0,80}\]\s*)?(?:The )?"
    r"(?:(?:closest|nearest|most relevant) (?:passage|source|excerpt|document|section)"
    r"|(?:passage|source|excerpt) (?:(?:that|which) is )?(?:closest|nearest))\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d|\[")
_VALUE = re.compile(r"\d(?![.)]?\s*$)|\d\S")
_MARK = re.compile(r"\[[^\[\]\n]{0,80}\]")
_WORD = re.compile(r"[^\W_]+")
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_REASONS = frozenset(("so", "because", "since", "as", "hence", "thus", "therefore", "which", "for", "given", "and"))
_NO_VALUE = frozenset({"none", "nothing", "n/a", "unknown", "not found"})
# Tokens, by their words; a key before and citations behind are let go.
_TOKENS = frozenset(" ".join(token.split()) for token in WORDS["tokens"].split(","))
_KEYS = frozenset(
    {"claim", "claims", "answer", "response", "text", "output", "final", "verdict", "result", "status", "error", "code"}
)
_EMPTY = frozenset({"citations", "citation", "sources", "source", "none", "null", "nil", "unanswerable"})
_RUN = re.compile("[a-z]+")
_EXACT = "not in context"
# What a value of _FIELD begins with, behind one of _BEFORE_VALUES and few other characters: 2 for that, 1 for all other
# letters and digits.
_BEFORE_VALUES, _VALUE_WITHIN = "=:>", 6
_VALUE_STARTS = np.array([(chr(c).isalnum() and c < 128) + (chr(c) in "nfuiarem0") for c in range(256)], np.uint8)


class Refusal(NamedTuple):
    value: Literal["refused", "partial", "answered"]
    start: int
    end: int


ANSWERED = Refusal("answered", 0, 0)


def exact(answer: str) -> Refusal:
    """Take only the bare token that a prompt may ask for as a refusal."""
    if answer.strip().lower() != _EXACT:
        return ANSWERED
    start = len(answer) - len(answer.lstrip())
    return Refusal("refused", start, start + len(_EXACT))


def detect(answer: str) -> Refusal:
    """Say whether an answer declines in whole, in part or not at all, and where it says so."""
    start = len(answer) - len(answer.lstrip())
    end = len(answer.rstrip())
    if end - start <= _LONGEST_TOKEN and (token := _token(fold(answer[start:end]), start)):
        return token
    if field := _FIELD.match(fold(answer[start : start + 120])):
        return Refusal("refused", start, start + field.end())
    clauses, is_cut = clauses_of(answer, *_unwrapped(answer, start, end))
    found = _verdict(clauses, is_cut)
    is_closest = found.value == "answered" and _CLOSEST.match(answer, start)
    if is_closest or (found.value != "refused" and asks_back(answer)):
        return Refusal("refused", start, end)
    return found


def asks_back(answer: str) -> bool:
    """Whether all that an answer does is to ask which of several things is meant."""
    if len(answer) > _LONGEST_QUESTION or not ("?" in answer or "lease" in answer):  # "please"
        return False
    told = [piece.strip() for piece in sentences(_MARK.sub("", answer))]
    told = [piece for piece in told if len(_WORD.findall(piece)) > 1]
    asked = [_ASKS_WHICH.match(piece) or (asks(piece) and not _OFFERS.match(piece)) for piece in told]
    rest = [piece for piece, is_asked in zip(told, asked, strict=True) if not is_asked and stated(piece)]
    return any(asked) and all(_CHOICES.match(piece) and not any(map(_tells_more, figures(piece))) for piece in rest)


def _tells_more(figure: Quantity) -> bool:
    """Than how many there are to choose from."""
    return figure.kind != "number" or figure.value > _MOST_CHOICES


def may_be_exact(texts: Texts) -> Numbers:
    """The texts that `exact` has to read; it takes any other for an answer."""
    around = texts.characters[texts.starts], texts.characters[texts.ends - 1]
    may_be_space = np.logical_or.reduce([(one <= ord(" ")) | (one > ord("~")) for one in around])
    return np.flatnonzero(may_be_space | (texts.lengths == len(_EXACT)))


def may_decline(texts: Texts) -> Numbers:
    """The same for `detect`: texts with a word of a refusal or a question, or too long to be read as a whole."""
    quotes = np.flatnonzero(texts.having("'’‘ʼ"))
    found = (
        _words_of_refusals().numbers_in(texts),
        texts.numbers_of(quotes[texts.characters[quotes - 1] | 32 == ord("n")]),  # "n't"
        texts.numbers_of(_may_be_fields(texts)),
        texts.numbers_of(np.flatnonzero(texts.having("?"))),
        np.flatnonzero(texts.lengths > HEAD + TAIL),
    )
    suspect = np.zeros(len(texts.starts), np.bool_)
    suspect[np.concatenate(found)] = True
    return np.flatnonzero(suspect)


def _may_be_fields(texts: Texts) -> Numbers:
    """Where a mark stands behind which the next letter or digit, if it is near, may begin a value of _FIELD."""
    marks = np.flatnonzero(texts.having(_BEFORE_VALUES))
    plain, first = np.frombuffer(texts.plain, np.uint8), np.zeros(len(marks), np.uint8)
    for place in range(1, _VALUE_WITHIN + 1):
        first = np.where(first > 0, first, _VALUE_STARTS[plain.take(marks + place, mode="clip")])
    return marks[first > 1]


@cache
def _words_of_refusals() -> WordScan:
    """Every hint, and of every token a word that is a hint, or else its longest; by their longest run of letters."""
    tokens = (token.split() for token in _TOKENS)
    words = {max(token, key=lambda word: (word in HINT_WORDS, len(word))) for token in tokens}
    words |= HINT_WORDS | {"closest", "nearest", "relevant"}
    return WordScan(max(_RUN.findall(word), key=len) for word in words)


class Mode(NamedTuple):
    """A way to read refusals: one answer, and which of many answers have to be read at all."""

    read: Callable[[str], Refusal]
    suspects: Callable[[Texts], Numbers]


MODES: Mapping[str, Mode] = {"detect": Mode(detect, may_decline), "exact": Mode(exact, may_be_exact)}


def beside(sentence: str) -> list[str]:
    """What a sentence says beside its declining clauses; the whole sentence where none declines."""
    if detect(sentence).value == "answered":
        return [sentence]
    found, here = [], 0
    for clause in clauses_of(sentence, 0, len(sentence))[0]:
        if clause.decline:
            found.append(sentence[here : clause.start])
            here = clause.start + len(clause.text)
    return [piece for piece in (*found, sentence[here:]) if here and piece.strip()]


def _unwrapped(answer: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the text in a quoted or JSON-like answer, lest its refusal read as a quotation."""
    if answer[start : start + 1] not in tuple("{[\"'“‘`"):
        return start, end
    wrapper = _WRAPPER.match(fold(answer[start : start + 80]))
    if wrapper:
        start += wrapper.end()
        closing = answer.find(answer[start - 1], start) if answer[start - 1] == '"' else end
        return start, closing if closing > start else end
    closing_mark = answer[end - 2 : end].strip(".")[-1:]
    return (start + 1 if closing_mark in tuple("\"'”’") else start), end


def _token(folded: str, offset: int) -> Refusal | None:
    words = list(_WORD.finditer(folded))
    if len(words) == 1 and words[0][0] in _NO_VALUE and folded.startswith("["):
        return Refusal("refused", offset, offset + len(folded))
    while len(words) > 1 and words[0][0] in _KEYS:
        words.pop(0)
    while len(words) > 1 and words[-1][0] in _EMPTY:
        words.pop()
    if " ".join(word[0] for word in words) in _TOKENS:
        return Refusal("refused", offset + words[0].start(), offset + words[-1].end())
    return None


def _verdict(clauses: list[Clause], is_cut: bool) -> Refusal:
    first: Decline | None = None
    content: list[Clause] = []
    whole = False
    for place, clause in enumerate(clauses):
        decline = clause.decline
        if decline and (first or not content or decline.family not in _LEADING):
            first = first or decline
            whole = decline.family == "whole"
            content += _told_before(clause, decline)
        elif not _is_support(place, clauses):
            content.append(clause)
            whole = False
    if first is None:
        return ANSWERED
    sought = any(_SOUGHT.search(clause.text) for clause in clauses if clause.decline == first)
    if first.family in _REASONED and not sought:
        content = [clause for clause in content if clause.start < first.start or _PIVOT.match(clause.text)]
        is_cut = False
    declined = {clause.sentence for clause in clauses if clause.decline}
    answers = any(_answers(clause, first.start, clause.sentence not in declined) for clause in content)
    if first.family == "vague" and any(_TURN.match(clause.text) and figures(clause.text) for clause in content):
        return ANSWERED  # with a hedge
    return Refusal("partial" if (answers or is_cut) and not whole else "refused", first.start, first.end)


def _told_before(clause: Clause, decline: Decline) -> list[Clause]:
    """Content in the clause of a decline: cited before it, or a figure before "and"."""
    before = clause.text[: decline.start - clause.start]
    has_content = "[" in before or (" and " in before and figures(before))
    return [clause] if has_content and not _is_filler(before) else []


def _answers(clause: Clause, declined_at: int, apart: bool) -> bool:
    """Whether a clause asserts something about the thing asked; a sentence of its own must state it."""
    text, comes_first = clause.text, clause.start < declined_at
    tells = apart and bool(_TURN.match(text) and figures(text))  # "However, it only costs 2 EUR" answers
    if reports(text) and not tells:
        return False
    if apart:
        return comes_first or tells or not _BESIDE.search(text)
    bare = _TURN.sub("", text, count=1)
    if _ASIDE.match(bare) or not asserts(clause.original.strip(" ,;:")):
        return False
    if comes_first:
        return _WORD.search(bare) is not None
    return bool(_TURN.match(text) or _FIGURE.search(bare)) and not _BESIDE.search(bare)


def _is_support(place: int, clauses: list[Clause]) -> bool:
    clause = clauses[place]
    if clause.closing == ":" and place + 1 < len(clauses) and clauses[place + 1].decline:
        return True  # the label of what is declined
    opener = next(other for other in clauses if other.sentence == clause.sentence)
    if place and clauses[place - 1].closing == ":" and opener is clause:
        opener = next(other for other in clauses if other.sentence == clauses[place - 1].sentence)
    if not opener.decline and NEAR_SOURCE.match(_MARK.sub("", opener.text)):
        return True
    if _TURN.match(clause.text) and figures(clause.text):
        return False  # "I'm not sure, but I believe it is 5 EUR"
    said = clause.original.strip(" ,;:")
    if place and clauses[place - 1].closing == ":" and not clauses[place - 1].decline:
        return bool(_OPENING.match(clause.text)) or is_talk(said) or said.rstrip(".").lower() in _NO_VALUE
    if clause.closing == "?":
        return True
    declined = [other for other in clauses if other.sentence == clause.sentence and other.decline]
    goes_on = bool(declined and place) and goes_on_listing(clauses[place - 1].text, clause.text)
    if goes_on or not asserts(said) or (_is_filler(clause.text) and (not states(said) or unreadable(said))):
        return True
    if any(_is_contrasted(clause, other) for other in declined):
        return True
    if not declined or _FIGURE.search(clause.text):
        return False
    words = _WORD.findall(clause.text)
    return len(words) < 4 or words[0] in _REASONS


def _is_contrasted(clause: Clause, decline: Clause) -> bool:
    """ "It sets a fee for late payment, but no fee for late delivery is stated": near, but no answer."""
    near = {*_LONG_WORD.findall(clause.text)} & {*_LONG_WORD.findall(decline.text)}
    return clause.start < decline.start and len(near) > 1


def _is_filler(text: str) -> bool:
    bare = _MARK.sub("", text)
    short = len(_WORD.findall(bare, 0, 200)) < 3 and not (_VALUE.search(bare) or figures(bare))
    return short or bool(_OPENING.match(bare))
