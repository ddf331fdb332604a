"""Tell refusals from answers by rule: fast, explainable, the same on every run; and what a sentence states once the
talk around it is taken away.

`words/refusals.toml` has the grammar's word classes and rules, compiled here. Every known word becomes a character that
stands for all its classes: "report" is a source and a verb of telling at once. So an answer turns into a short string
of tags, and a rule into a regular expression on that string. Every repeat in one is bounded, so matching takes time
linear in the text.

Talk is said to the reader ("let me know"), about the answer ("this is based on ...") or about what the sources hold. An
opening that sounds like talk settles nothing: it may lead to a statement ("please note that the fee is 5 euros") or
carry one along ("good luck with the reboot, which takes four minutes"). So a sentence is read in parts, and states
something if one of them does: with a subject and a verb that are about neither the reader nor the answer, or with a
figure that was not given before.

The clauses of an answer either decline, or support a decline (apology, next steps, what the sources do cover), or are
content. Declines without content are `refused`, with content `partial`; none is `answered`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise
from typing import Literal, NamedTuple

from surefoot.text.normal import WORDS, lowered, phrase, rows, sentences, spelled, stem, terms, word_set, words_of
from surefoot.text.numbers import Quantity, quantities

_TABLE = words_of("refusals")
_STRICT, _TOLD, _LOOSE, _HOLD, _JUDGE, _TELL, _COMPLY = (
    _TABLE["verbs"][name].split() for name in ("strict", "told", "loose", "hold", "judge", "tell", "comply")
)
_IRREGULAR = dict(pair.split(":") for pair in _TABLE["verbs"]["irregular"].split())
_DOUBLED = frozenset(("refer", "permit", "commit", "set", "get", "let", "log", "put", "pin"))


def _third(verb: str) -> str:
    if verb[-1] == "y" and verb[-2] not in "aeou":
        return verb[:-1] + "ies"
    return {"have": "has"}.get(verb) or verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "go")) else "s")


def _past(verb: str) -> str:
    if verb[-1] == "y" and verb[-2] not in "aeou":
        return verb[:-1] + "ied"
    return _IRREGULAR.get(verb) or verb + ("d" if verb[-1] == "e" else "ed")


def _ing(verb: str) -> str:
    if verb in _DOUBLED:
        return verb + verb[-1] + "ing"
    return (verb[:-1] if verb[-1] == "e" and verb != "see" else verb) + "ing"


def _present(verbs: Sequence[str]) -> list[str]:
    return [*verbs, *map(_third, verbs)]


CLASSES: dict[str, list[str]] = {name: words.split() for name, words in _TABLE["classes"].items()}
CLASSES |= {
    "PAPER": _present(CLASSES["PAPER"]),  # and the plural, which is formed alike
    "SPEAK": _present(_STRICT),
    "SAY": _present(_STRICT + _LOOSE),
    "HOLD": _present(_HOLD),
    "HELD": [_past(verb) for verb in _HOLD],
    "TELL": _STRICT + _LOOSE + _JUDGE + _TELL,
    "JUDGE": _JUDGE,
    "JUDGED": [_past(verb) for verb in _JUDGE],
    "COMPLY": _COMPLY,
    "SAID": CLASSES["SAID"] + [_past(verb) for verb in _STRICT],
    "GIVEN": CLASSES["GIVEN"] + [_past(verb) for verb in _HOLD],
    "SAYS": [_third(verb) for verb in (*_STRICT, "give", "cover", "contain", "provide", "include", "deal")],
    "TOLD": [_past(verb) for verb in _TOLD],
    "SAYING": [_ing(verb) for verb in _STRICT + _LOOSE + _HOLD],
    # In a form that is hardly a noun
    "FINITE": [word for word in map(_third, _STRICT + _LOOSE + _HOLD) if word not in _TABLE["nouns"].split()],
}

_SHORT = {"m": "am", "re": "are", "ve": "have", "d": "would", "ll": "will", "nt": "not"}
_IS = word_set("it that there what this he she who which here how where nothing everything one")  # 's is a verb
_ELISIONS = frozenset(("n", "l", "d", "j", "c", "s", "m", "qu"))
_LETTERS = [letter for letter in map(chr, range(0x800)) if letter.isalpha()]
BREAKS = ".!?;:|\n"
PUNCTUATION = BREAKS + ',()"'
OTHER, NUMBER = "_", "0"
_WORDS_KEPT, _LONGEST_KEPT = 50_000, 24


class Tags(dict[str, str]):
    """Characters by word; words outside the table are taken apart (contractions, elisions) or are OTHER or NUMBER."""

    def __missing__(self, word: str) -> str:
        found = self._apart(word)
        if len(self) < _WORDS_KEPT and len(word) < _LONGEST_KEPT:
            self[word] = found
        return found

    def _apart(self, word: str) -> str:
        if word[-2:] == "ly":
            return ""
        head, mark, tail = word.rpartition("'")
        if mark and head.count("'") < 2:
            if tail == "t" and head[-1:] == "n":
                return self[head[:-1]] + self["not"]
            if tail in _SHORT:
                return self[head] + self[_SHORT[tail]]
            if tail in ("s", ""):
                return self[head] + (self["is"] if head in _IS else "")
            if head in _ELISIONS:
                return self[head + "'"] + self[tail]
        if word[:1].isdigit() or (len(word) == 1 and word.isalpha()):
            return NUMBER
        return {"[": "", "<": "."}.get(word[:1], OTHER)


def _tag_table(named: Iterable[str]) -> tuple[Tags, dict[str, str]]:
    """The character of each word, and the characters that belong to each class or literal word. Those of the classes
    that rules use most come first: a set of characters below 256 compiles many times as fast."""
    used = Counter(named)
    names: dict[str, set[str]] = {}
    for name, listed in sorted(CLASSES.items(), key=lambda one: -used[one[0]]):
        for word in listed:
            names.setdefault(word, set()).add(name)
    for word in sorted(used):
        if not word.isupper():
            names.setdefault(word, set()).add(word)
    tags, members, known = Tags(), {"OTHER": OTHER, "NUMBER": NUMBER}, dict[frozenset[str], str]()
    for word, of in names.items():
        signature = frozenset(of)
        if signature not in known:
            known[signature] = _LETTERS[len(known)]
            for name in sorted(of):
                members[name] = members.get(name, "") + known[signature]
        tags[word] = known[signature]
    for word in _TABLE["dropped"].split():
        tags.setdefault(word, "")
    for verb in ("do", "does", "did", "is", "are", "was", "were", "ca", "could", "wo", "would", "has", "have", "had"):
        tags[verb + "nt"] = tags[verb] + tags["not"]
    tags["cannot"] = tags["ca"] + tags["not"]
    tags |= {mark: mark for mark in PUNCTUATION} | dict.fromkeys("—–…", ",") | {'"': ""}
    return tags, members


_NAME = re.compile(r"[^\W\d_][\w']*")
_ELEMENT = re.compile(r"[^\W\d_][\w']*|~~|~|-|#|(?<![?<])=|\^|\$| ")
_TAGGED_WORD = "[^" + re.escape(PUNCTUATION) + "]"
_PARTS = {name: "".join(rows(table)) for name, table in _TABLE["parts"].items()}
_RULES = {family: [spelled(rule, _PARTS) for rule in rows(table)] for family, table in _TABLE["rules"].items()}
TAGS, _MEMBERS = _tag_table(
    name for rule in (*chain(*_RULES.values()), _TABLE["hints"], *_PARTS.values()) for name in _NAME.findall(rule)
)


def members(*names: str) -> str:
    """The tags of some classes and words."""
    return "".join(_MEMBERS[name] for name in names)


def charset(*names: str) -> str:
    return f"[{members(*names)}]"


_START = f"(?<={charset('START')})"
_OPENS = f"(?<![^{re.escape(BREAKS)}])"
_BARRED = re.escape(PUNCTUATION) + members("RELATIVE", "COND", "BARRED", "which")
_VERBS = members("BE", "QUOTING")
_MARKS = {
    "~~": f"[^{_BARRED}]{{0,9}}?",
    "~": f"[^{_BARRED}]{{0,3}}?",
    "-": f"[^{_BARRED}{members('PREP')}]{{0,3}}?",
    # A headline, without a verb: after up to six words at the start of a sentence, or else at once
    "#": f"(?:{_OPENS}[^{_BARRED}{_VERBS}]{{0,6}}?|(?<![^,(])|{_START})",
    "=": f"(?:{_OPENS}|{_START}|(?<={charset('START')},))",
    "G": f"[^{_BARRED}]",
    "W": _TAGGED_WORD,
    " ": "",
    "^": f"(?:(?<!{_TAGGED_WORD})|{_START})",
    "$": f"(?!(?!{charset('AFTER')}){_TAGGED_WORD})",
}


def _translated(rule: str) -> str:
    """The regular expression on tags that a rule stands for."""
    return _ELEMENT.sub(lambda found: _MARKS[found[0]] if found[0] in _MARKS else charset(found[0]), rule)


HINT = re.compile(charset(*_TABLE["hints"].split()))
HINT_WORDS = frozenset(word.encode() for word, tag in TAGS.items() if HINT.search(tag))


@cache
def _rules() -> re.Pattern[str]:
    """All rules as one expression, with a group for each family: what it finds is the first decline of any."""
    families = (f"(?P<{family}>{'|'.join(map(_translated, rules))})" for family, rules in _RULES.items())
    return re.compile("|".join(families))


@lru_cache(maxsize=20_000)
def _declined(tags: str, start: int) -> tuple[str, int, int] | None:
    """The family, start and end of the first decline in the tags of a sentence."""
    match = _rules().search(tags, start)
    return (match.lastgroup or "", *match.span()) if match else None


# Parts of a source that are pointed at ("both clauses", "rules 3 and 7", "the sections you sent") are the texts at
# hand, whatever kind of source they are from.
_PIECES = frozenset(_TABLE["pieces"].split())
_PIECES |= {f"{piece}s" for piece in _PIECES}
_POINTING, _AT_HAND = frozenset(_TABLE["pointing"].split()), frozenset(_TABLE["at_hand"].split())
_LISTING_TAGS = frozenset(("and", "or", ",", "to", "nor", "-"))


def tags_of(tokens: Sequence[str]) -> list[str]:
    """The tags of each token. Pieces that are pointed at are texts."""
    tags = [TAGS[token] for token in tokens]
    for place, token in () if _PIECES.isdisjoint(tokens) else enumerate(tokens):
        if token in _PIECES:
            before, behind = tokens[max(0, place - 3) : place], _listed(tokens, place + 1)
            at_hand = _AT_HAND.intersection(tokens[behind : behind + 1]) or behind > place + 2
            if at_hand or not _POINTING.isdisjoint(before):
                tags[place:behind] = [TAGS["passages"], *[""] * (behind - place - 1)]
    return tags


def _listed(tokens: Sequence[str], place: int) -> int:
    """Where the numbers behind a piece end: "rules 3, 4 and 7"."""
    end = place
    while place < len(tokens) and (
        tokens[place][:1].isdigit() or tokens[place] in _LISTING_TAGS or tokens[place] in _PIECES
    ):
        place += 1
        end = place if tokens[place - 1][:1].isdigit() else end
    return end


_TALK, _FIRST_PERSON, _POINTERS = phrase("talk"), phrase("first_person"), phrase("pointers")
_NEGATION, _UNTOLD, _TELLS = phrase("negation"), phrase("untold"), phrase("tells")
_TOPICS, _REPORTS = phrase("topics"), phrase("reports")
_OF_SOURCE, _REFERENCE = phrase("of_source"), phrase("reference")
_INTERROGATIVE, _INVERTED, _CONDITION = phrase("interrogative"), phrase("inverted"), phrase("condition")
_PART, _VERB, _CONTRACTED = phrase("part"), phrase("verb"), phrase("contracted")
_CONVERSATION = frozenset(
    stem(word + ending) for word in WORDS["conversation"].split() for ending in ("", "s", "d", "ed", "ing")
)
_FRAGMENT = 3  # words
_REMEMBERED = 2_000  # the same few sentences are asked about from several sides


class _Part(NamedTuple):
    text: str
    start: int
    link: str  # what it hangs on: "told", "relative" or ""
    is_question: bool = False


def stated(sentence: str, known: Container[float] = ()) -> str:
    """The part of a sentence that states something, "" where it only talks; `known` are figures given before it."""
    parts = _parts(sentence)
    places = [place for place, part in enumerate(parts) if _states(part)]
    if not places:
        talks = _is_question(sentence) or any(is_talk(part.text) for part in parts) or not _has_substance(sentence)
        has_news = any(figure.value not in known for figure in figures(sentence))
        return "" if talks and not has_news else sentence
    first, last = places[0], len(parts) - 1
    opens_with_talk = any(is_talk(part.text) for part in parts[:first]) or is_talk(sentence[: parts[first].start])
    start = parts[first].start if opens_with_talk and parts[first].link != "relative" else 0
    while last > places[-1] and _is_let_go(parts[last]):
        last -= 1
    return sentence[start : parts[last].start + len(parts[last].text)].rstrip(" ,;-–—(")


def _is_let_go(part: _Part) -> bool:
    if part.link == "relative" or figures(part.text):
        return not _has_substance(part.text)
    return is_talk(part.text) or leads_on(part.text)


def asks(sentence: str) -> bool:
    """Whether it asks something, and states nothing beside."""
    return _is_question(sentence) and not states(sentence)


def _is_question(sentence: str) -> bool:
    return sentence.rstrip("\"'”) ").endswith("?")


@lru_cache(maxsize=_REMEMBERED)
def _parts(sentence: str) -> tuple[_Part, ...]:
    found, here, link, asks = list[_Part](), 0, "", _is_question(sentence) and bool(_INVERTED.match(sentence))
    for match in _PART.finditer(sentence):
        found.append(_Part(sentence[here : match.start(match.lastgroup or 0)], here, link, asks and not found))
        here, link = match.end(), match.lastgroup or ""
    return (*found, _Part(sentence[here:], here, link, asks and not found))


@lru_cache(maxsize=_REMEMBERED)
def _states(part: _Part) -> bool:
    text = part.text
    if part.is_question or is_talk(text) or not _has_substance(text):
        return False
    if part.link == "told":
        return True
    if part.link == "relative":
        return bool(_VERB.search(f"which {text}") or figures(text))
    if _INTERROGATIVE.match(text) or _CONDITION.match(text):
        return False
    return _VERB.search(text) is not None


@lru_cache(maxsize=_REMEMBERED)
def is_talk(text: str) -> bool:
    """Whether a part of a sentence is said to the reader, or about the answer or the sources."""
    return bool(_TALK.match(text) or _FIRST_PERSON.search(text))


def substance(text: str) -> set[str]:
    """The words of a text that are not just those of conversation."""
    return set(terms(_CONTRACTED.sub("", text))) - _CONVERSATION


def leads_on(text: str) -> bool:
    """Whether a text only says who may know, where it may be found, or what it would take to tell."""
    return not figures(text) and bool(_POINTERS.search(text)) and all(map(points, stating(text)))


def asserts(sentence: str) -> bool:
    """Whether a sentence states something that is neither a pointer nor about what the sources hold."""
    found = stated(sentence)
    return bool(found) and not all(
        (not figures(part) and points(part)) or is_absence(part) or is_topic(part) for part in stating(found) or [found]
    )


def points(part: str) -> bool:
    return _POINTERS.search(part) is not None


def is_absence(part: str) -> bool:
    """Whether a part says that something is not in the sources."""
    return bool(_UNTOLD.search(part) or (_NEGATION.search(part) and _TELLS.search(part))) and not figures(part)


@lru_cache(maxsize=_REMEMBERED)
def negation(text: str) -> re.Match[str] | None:
    """The first word that denies something or says that it is absent."""
    found = [match for match in (_NEGATION.search(text), _UNTOLD.search(text)) if match]
    return min(found, key=lambda match: match.start(), default=None)


def is_topic(part: str) -> bool:
    """Whether a part says what the sources are about."""
    return bool(_TOPICS.search(part))


def reports(text: str) -> bool:
    """Whether it tells what a source says."""
    return _REPORTS.match(text) is not None


def names_source(text: str) -> bool:
    """Whether it speaks of a source."""
    return bool(_OF_SOURCE.search(text) or _REFERENCE.search(text))


def stating(text: str) -> list[str]:
    """The parts of a text that state something."""
    return [part.text for part in _parts(text) if _states(part)]


def states(text: str) -> bool:
    """Whether a part of the text has a subject and a verb that are about neither the reader nor the answer."""
    return bool(stating(text))


def _has_substance(text: str) -> bool:
    return bool(substance(text) or quantities(without_references(text)))


def before_verb(text: str) -> str:
    """What stands before the first verb; nothing where there is no verb."""
    verb = _VERB.search(text)
    # Some patterns begin with the word before the verb, or its last letter, and end with the word behind it.
    before = verb[0].split(" ") if verb else []
    return text[: verb.start() + (len(before[0]) if len(before) == 3 else 0)] if verb else ""


def is_fragment(text: str) -> bool:
    """A few words without verb or figure: "Safe travels!" - or an answer, where nothing was said before."""
    return len(text.split()) <= _FRAGMENT and not _VERB.search(text) and not figures(text)


def has_value(text: str) -> bool:
    """Whether a heading gives a value: an amount with its unit."""
    return any(found.kind not in ("number", "year") for found in figures(text))


def without_references(text: str) -> str:
    return _REFERENCE.sub(" ", text)


@lru_cache(maxsize=_REMEMBERED)
def figures(text: str) -> tuple[Quantity, ...]:
    """Amounts; not the numbers of clauses and pages, nor years."""
    return tuple(found for found in quantities(without_references(text)) if found.kind != "year")


# Families where the absence may itself be what was asked ("No, it is not mentioned"), or somebody else's words
_ABSENCE = frozenset({"silent", "untold", "none"})

# Words; numbers; quotations, citations and mark-up as one token each; punctuation
_TOKEN = re.compile(
    r"[ *_`#]{0,9}([a-z][\w'-]*|\d[\w.,:/%-]*[\w%]|\d|[.](?=\W|$)|[!?;:|\n,()—–…]|[^\W\d_][\w'-]*|"
    r"\"[^\"\n]{1,400}\"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){2,200}'(?!\w)|\[[^\[\]\n]{0,80}\]|</?\w{1,40}/?>)"
)
_WRAPPED = re.compile(r"(?<=[a-z])\n(?=[a-z]+[ .,])")  # a line that goes on
_PLAIN = str.maketrans("’‘ʼ“”«»\u200b", '\'\'\'"""" ')
_SENTENCE = re.compile("[" + re.escape(BREAKS) + "]+")
# Clauses are cut before a turn, at a comma before a conjunction, and after "while ..." at any comma.
_CLAUSE = re.compile(f",?(?={charset('TURN')})|,(?={charset('CONJ', 'WH')})")
_CONCEDED = re.compile(f",|(?={charset('TURN')})")
_CONCEDES = ("while ", "although ", "though ", "even though ", "whereas ")
_QUOTING = re.compile(f"(?<!{charset('i', 'we', 'NOT', 'to', 'WILL')}){charset('QUOTING')}[^,:(]*$")
_ON_CONDITION = re.compile(charset("COND") + "[^,:(]*$")
_ANSWERED, _DEFINED = phrase("answer_before"), phrase("defined_term")
_LONGEST_TERM = 20  # before its last word


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


def fold(text: str) -> str:
    """Lower case with plain quotes, at the same length, so that positions hold in the original."""
    folded = lowered(_WRAPPED.sub(" ", text) if "\n" in text else text).replace(", however,", " " * 10)
    return folded if folded.isascii() else folded.translate(_PLAIN)


class _Text:
    """A text and its tags; where the tags stand is worked out only once a rule has matched."""

    def __init__(self, original: str) -> None:
        self.folded, self.original = fold(original), original
        self._pieces = tags_of(_TOKEN.findall(self.folded))
        self.tags = "".join(self._pieces)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        found = zip(_TOKEN.finditer(self.folded), self._pieces, strict=True)
        return [token.span(1) for token, piece in found for _ in piece]

    def clauses(self) -> list[Clause]:
        """None where nothing is declined."""
        cuts = [0, *(match.end() for match in _SENTENCE.finditer(self.tags)), len(self.tags)]
        found = [(one, other, self._declines(one, other)) for one, other in pairwise(cuts) if one < other]
        is_declined = any(declines for *_, declines in found)
        return [clause for sentence in found for clause in self._cut(*sentence)] if is_declined else []

    def _cut(self, first: int, last: int, declines: list[Decline]) -> Iterator[Clause]:
        closing = self.tags[last - 1] if self.tags[last - 1] in BREAKS else ""
        cut = _CONCEDED if self.folded.startswith(_CONCEDES, self.spans[first][0]) else _CLAUSE
        turns = [match.start() for match in cut.finditer(self.tags, first + 1, last)] if declines else []
        for here, end in pairwise([first, *turns, last]):
            start, stop = self.spans[here][0], self.spans[end][0] if end < len(self.spans) else len(self.folded)
            decline = next((found for found in declines if found.first < end and here < found.last), None)
            folded, original = self.folded[start:stop], self.original[start:stop]
            yield Clause(folded, original, start, first, closing if end == last else "", decline)

    def _declines(self, first: int, last: int) -> list[Decline]:
        found: list[Decline] = []
        if not HINT.search(self.tags, first, last):
            return found
        before = max(0, first - 1)  # the mark that ends the sentence before, which rules may look at
        sentence, here = self.tags[before:last], first
        while match := _declined(sentence, here - before):
            family, here, end = match[0], before + match[1], before + match[2]
            is_defined = _DEFINED.search(
                self.original, max(0, self.spans[here][0] - _LONGEST_TERM), self.spans[end - 1][1]
            )
            if is_defined or self._is_reported(family, first, here, end, last):
                here += 1
            else:
                found.append(Decline(family, here, end, self.spans[here][0], self.spans[end - 1][1]))
                here = end
        return found

    def _is_reported(self, family: str, first: int, start: int, end: int, last: int) -> bool:
        """Whether a decline is only a condition, somebody else's, or the very answer."""
        before = self.tags[max(first, start - _LONGEST_QUESTION) : start]
        if _QUOTING.search(before):
            return True
        condition = _ON_CONDITION.search(before)
        if condition and (condition.start() or end < last - 1 or family not in _ABSENCE):
            return True
        if family == "objects":
            return "[" in self.folded
        answered = _ANSWERED.match(self.folded[:60]) if family in _ABSENCE else None
        return bool(answered and self.spans[first][0] <= answered.end() + 1)


_LONGEST_TOKEN, _LONGEST_QUESTION, _SHORT_ANSWER = 120, 600, 300
# What follows these is mostly the reason for declining, not an answer.
_REASONED = frozenset({"unable", "ai", "objects"})

_BESIDE, _TURN, _PIVOT, NEAR_SOURCE = phrase("beside"), phrase("turn"), phrase("pivot"), phrase("near_source")
_ASKS_WHICH, _OFFERS, _CHOICES = phrase("asks_which"), phrase("offers"), phrase("choices")
_QUOTES = tuple("{[\"'“‘`}]”’")
_NO_QUOTES = str.maketrans('"“”‘`', "     ")
_FIGURE = re.compile(r"\d|\[")
_MARK = re.compile(r"\[[^\[\]\n]{0,80}\]")
_VALUE = re.compile(r"\d(?![.)]?\s*$)|\d\S")
_WORD = re.compile(r"[^\W_]+")
_NO_VALUE = frozenset({"none", "nothing", "n/a", "unknown", "not found"})
# Tokens, by their words; a key before and citations behind are let go.
_TOKENS = frozenset(" ".join(token.split()) for token in WORDS["tokens"].split(","))
_LONGEST_TOKEN_WORDS = max(len(token.split()) for token in _TOKENS)
_KEYS = frozenset(
    {"claim", "claims", "answer", "response", "text", "output", "final", "verdict", "result", "status", "error", "code"}
)
_OPENINGS = _KEYS | _NO_VALUE | {token.split()[0] for token in _TOKENS}
_EMPTY = frozenset({"citations", "citation", "sources", "source", "none", "null", "nil", "unanswerable"})
_TO_SPACES = bytes(byte if byte in b"abcdefghijklmnopqrstuvwxyz" else 32 for byte in range(256))
_EXACT = "not in context"


class Refusal(NamedTuple):
    value: Literal["refused", "partial", "answered"]
    start: int
    end: int


ANSWERED = Refusal("answered", 0, 0)


def exact(answer: str) -> Refusal:
    """Take only the bare token that a prompt may ask for as a refusal."""
    bare = answer.strip()
    if len(bare) != len(_EXACT) or bare.lower() != _EXACT:
        return ANSWERED
    return Refusal("refused", start := answer.lower().index(_EXACT), start + len(_EXACT))


def detect(answer: str) -> Refusal:
    """Say whether an answer declines in whole, in part or not at all, and where it says so."""
    return _detect_short(answer) if len(answer) <= _SHORT_ANSWER else _detect(answer)


def _detect(answer: str) -> Refusal:
    start = len(answer) - len(answer.lstrip())
    end = len(answer.rstrip())
    found, folded = ANSWERED, fold(answer)
    if end - start <= _LONGEST_TOKEN and (token := _token(folded[start:end], start)):
        return token
    # Of a long answer it pays to look at sentences one by one first.
    lines = folded.replace(". ", ".\n").split("\n") if len(answer) > _SHORT_ANSWER else ()
    if _is_hinted(folded) and (not lines or any(map(_may_decline, lines))):
        found = _verdict(_Text(_unquoted(answer)).clauses())
    if found.value != "refused" and asks_back(answer):
        return Refusal("refused", start, end)
    return found


def _is_hinted(folded: str) -> bool:
    return "n'" in folded or not HINT_WORDS.isdisjoint(folded.encode("utf-8", "replace").translate(_TO_SPACES).split())


@lru_cache(maxsize=_REMEMBERED)
def _may_decline(sentence: str) -> bool:
    """Whether a rule for declining fits a sentence, as it stands in a folded answer."""
    if not _is_hinted(sentence):
        return False
    return _declined("".join([TAGS[token] for token in _TOKEN.findall(_unquoted(sentence))]), 0) is not None


_detect_short = lru_cache(maxsize=4_096)(_detect)  # the same few sentences decline again and again


def asks_back(answer: str) -> bool:
    """Whether all that an answer does is to ask which of several things is meant."""
    if not ("?" in answer or "lease" in answer):
        return False
    said = _MARK.sub("", answer[: _LONGEST_QUESTION + 1])
    asks_which = "lease" in answer and (not said.isascii() or _ASKS_WHICH.search(said))  # "please"
    if len(answer) > _LONGEST_QUESTION or not ("?" in answer or asks_which):
        return False
    told = [piece for piece in map(str.strip, sentences(said)) if len(_WORD.findall(piece)) > 1]
    rest = [piece for piece in told if not (_ASKS_WHICH.match(piece) or asks(piece)) or _OFFERS.match(piece)]
    return len(rest) < len(told) and all(_CHOICES.match(piece) for piece in rest if stated(piece))


MODES: Mapping[str, Callable[[str], Refusal]] = {"detect": detect, "exact": exact}


def beside(sentence: str) -> list[str]:
    """What a sentence says beside its declining clauses; the whole sentence where none declines."""
    if detect(sentence).value == "answered":
        return [sentence]
    found, here = [], 0
    for clause in _Text(sentence).clauses():
        if clause.decline:
            found.append(sentence[here : clause.start])
            here = clause.start + len(clause.text)
    return [piece for piece in (*found, sentence[here:]) if here and piece.strip()]


def _unquoted(answer: str) -> str:
    """Without the quotes of a quoted or JSON-like answer, lest its refusal read as a quotation."""
    bare = answer.strip(" .\n")
    if bare[:1] in _QUOTES and bare[-1:] in _QUOTES:
        answer = answer.translate(_NO_QUOTES)
    return answer.replace("'", " ", 1) if bare[:1] == "'" else answer


def _token(folded: str, offset: int) -> Refusal | None:
    opening = _WORD.search(folded)
    words = _WORD.findall(folded) if opening and opening[0] in _OPENINGS else []
    if not words:
        return None
    if len(words) == 1 and words[0] in _NO_VALUE and folded.startswith("["):
        return Refusal("refused", offset, offset + len(folded))
    first, last = 0, len(words)
    while last - first > 1 and words[first] in _KEYS:
        first += 1
    while last - first > 1 and words[last - 1] in _EMPTY:
        last -= 1
    if last - first > _LONGEST_TOKEN_WORDS or " ".join(words[first:last]) not in _TOKENS:
        return None
    places = [word.span() for word in _WORD.finditer(folded)]
    return Refusal("refused", offset + places[first][0], offset + places[last - 1][1])


def _verdict(clauses: list[Clause]) -> Refusal:
    first: Decline | None = None
    content: list[Clause] = []
    for place, clause in enumerate(clauses):
        decline = clause.decline
        if decline:
            first = first or decline
        elif not _is_support(place, clauses):
            content.append(clause)
    if first is None:
        return ANSWERED
    if first.family in _REASONED:
        content = [clause for clause in content if clause.start < first.start or _PIVOT.match(clause.text)]
    declined = {clause.sentence for clause in clauses if clause.decline}
    answers = any(_answers(clause, first.start, clause.sentence not in declined) for clause in content)
    return Refusal("partial" if answers else "refused", first.start, first.end)


def _answers(clause: Clause, declined_at: int, apart: bool) -> bool:
    """Whether a clause asserts something about the thing asked; a sentence of its own must state it."""
    text, comes_first = clause.text, clause.start < declined_at
    tells = apart and bool(_TURN.match(text) and figures(text))  # "However, it only costs 2 EUR" answers
    if reports(text) and not tells:
        return False
    if apart:
        return comes_first or tells or not _BESIDE.search(text)
    bare = _TURN.sub("", text, count=1)
    if not asserts(clause.original.strip(" ,;:")):
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
        return is_talk(said) or said.rstrip(".").lower() in _NO_VALUE
    if clause.closing == "?":
        return True
    declined = [other for other in clauses if other.sentence == clause.sentence and other.decline]
    if not asserts(said) or (_is_filler(clause.text) and not states(said)):
        return True
    if not declined or _FIGURE.search(clause.text):
        return False
    return len(_WORD.findall(clause.text)) < 4


def _is_filler(text: str) -> bool:
    bare = _MARK.sub("", text)
    return len(_WORD.findall(bare, 0, 200)) < 3 and not (_VALUE.search(bare) or figures(bare))
