"""What a sentence states, once the talk around it is taken away.

Talk is said to the reader ("let me know"), about the answer ("this is based on ...") or about what the sources hold. An
opening that sounds like talk settles nothing: it may lead to a statement ("please note that the fee is 5 euros") or
carry one along ("good luck with the reboot, which takes four minutes"). So a sentence is read in parts, and states
something if one of them does: with a subject and a verb that are about neither the reader nor the answer, or with a
figure that was not given before.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from surefoot.core.types import Trace
from surefoot.text.citations import blanked, locate, resolve
from surefoot.text.normal import WORDS, phrase, sentences, stem, terms
from surefoot.text.numbers import Quantity, quantities
from surefoot.text.refusal_grammar import CLASSES

_TALK, _FIRST_PERSON, _PERSON = phrase("talk"), phrase("first_person"), phrase("person")
_POINTERS, _BINDING, _VAGUE = phrase("pointers"), phrase("binding"), phrase("vague")
_NEGATION, _UNTOLD, _TELLS, _RULED = phrase("negation"), phrase("untold"), phrase("tells"), phrase("ruled")
_HOLDS, _SUBJECTLESS, _TREATS = phrase("holds"), phrase("subjectless"), phrase("treats")
_CITED = re.compile(r"\[[^\[\]\n]{0,80}\]|\([^()\n]{0,80}\)")
_TOPICS, _REPORTS, _WHETHER = phrase("topics"), phrase("reports"), phrase("whether")
_DOCUMENT, _OF_SOURCE, _REFERENCE = phrase("document"), phrase("of_source"), phrase("reference")
_INTERROGATIVE, _INVERTED, _CONDITION = phrase("interrogative"), phrase("inverted"), phrase("condition")
_PART, _VERB, _CONTRACTED = phrase("part"), phrase("verb"), phrase("contracted")
_LISTING, _LISTED = phrase("listing"), phrase("listed")
_CONVERSATION = frozenset(
    stem(word + ending) for word in WORDS["conversation"].split() for ending in ("", "s", "d", "ed", "ing")
)
_INDIRECT = re.compile(r"(?<=\w )(?:whether|if|what|when|who|how|which|where|why)\b.*", re.IGNORECASE | re.DOTALL)
_FRAGMENT = 3  # words
_REMEMBERED = 2_000  # the same few sentences are asked about from several sides


class _Part(NamedTuple):
    text: str
    start: int
    link: str  # what it hangs on: "told", "relative" or ""
    is_question: bool = False


def stated(sentence: str, known: Container[float] = ()) -> str:
    """The part of a sentence that states something, "" where it only talks; `known` are figures given before it."""
    parts = _read(sentence)
    stating = [place for place, part in enumerate(parts) if _states(part)]
    if stating:
        return _from_to(sentence, parts, stating)
    talks = _is_question(sentence) or any(is_talk(part.text) for part in parts) or not _has_substance(sentence)
    has_news = any(figure.value not in known for figure in figures(sentence))
    return "" if talks and not has_news else sentence


def asks(sentence: str) -> bool:
    """Whether it asks something, and states nothing beside."""
    return _is_question(sentence) and not any(map(_states, _read(sentence)))


def _is_question(sentence: str) -> bool:
    return sentence.rstrip("\"'”) ").endswith("?")


def _read(sentence: str) -> tuple[_Part, ...]:
    parts = _parts(sentence)
    if _is_question(sentence) and _INVERTED.match(sentence):
        parts = (parts[0]._replace(is_question=True), *parts[1:])
    return parts


def _from_to(sentence: str, parts: tuple[_Part, ...], stating: list[int]) -> str:
    """Without the talk before the first part that states something, and behind the last one."""
    first, last = stating[0], len(parts) - 1
    opens_with_talk = any(is_talk(part.text) for part in parts[:first]) or is_talk(sentence[: parts[first].start])
    start = parts[first].start if opens_with_talk and parts[first].link != "relative" else 0
    while last > stating[-1] and _is_let_go(parts[last]):
        last -= 1
    return sentence[start : parts[last].start + len(parts[last].text)].rstrip(" ,;-–—(")


def _is_let_go(part: _Part) -> bool:
    if part.link == "relative" or figures(part.text):
        return not _has_substance(part.text)
    return is_talk(part.text) or leads_on(part.text)


@lru_cache(maxsize=_REMEMBERED)
def _parts(sentence: str) -> tuple[_Part, ...]:
    found, here, link = [], 0, ""
    for match in _PART.finditer(sentence):
        found.append(_Part(sentence[here : match.start(match.lastgroup or 0)], here, link))
        here, link = match.end(), match.lastgroup or ""
    return (*found, _Part(sentence[here:], here, link))


@lru_cache(maxsize=_REMEMBERED)
def _states(part: _Part) -> bool:
    text = part.text
    if part.is_question or is_talk(text) or not _has_substance(text) or _VAGUE.search(text):
        return False
    if part.link == "told":
        return True
    if part.link == "relative":
        if _TREATS.match(text) and not figures(text):
            return False
        return not _PERSON.search(text) and bool(_VERB.search(f"which {text}") or figures(text))
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
    return bool(found) and not all(map(_is_beside, stating(found) or [found]))


def _is_beside(part: str) -> bool:
    return (not figures(part) and points(part)) or is_absence(part) or is_topic(part)


def points(part: str) -> bool:
    return not _BINDING.search(part) and bool(_POINTERS.search(part))  # which takes far longer to look for


def is_absence(part: str) -> bool:
    """Whether a part says that something is not in the sources; a rule that denies something is in them."""
    direct = _INDIRECT.sub("", part) or part
    absent = _UNTOLD.search(direct) or (_NEGATION.search(direct) and _tells(part))
    if not absent or figures(direct):
        return False
    return not _RULED.search(direct) or names_source(part) or bool(_WHETHER.match(part))


def _tells(part: str) -> bool:
    """Whether a part speaks of what a source tells or holds."""
    if _TELLS.search(part):
        return True
    return bool(_HOLDS.search(part)) and (bool(_SUBJECTLESS.match(part)) or is_of_source(part))


@lru_cache(maxsize=_REMEMBERED)
def negation(text: str) -> re.Match[str] | None:
    """The first word that denies something or says that it is absent."""
    found = [match for match in (_NEGATION.search(text), _UNTOLD.search(text)) if match]
    return min(found, key=lambda match: match.start(), default=None)


def is_topic(part: str) -> bool:
    """Whether a part says what the sources are about."""
    return bool(_TOPICS.search(part))


def goes_on_listing(before: str, part: str) -> bool:
    """Whether a part only goes on with a list of topics: "nothing about fees, deadlines and penalties"."""
    return bool(_LISTED.match(part) and _LISTING.search(before.rstrip(" ,")))


def reports(text: str) -> bool:
    """Whether it tells what a source says."""
    return _REPORTS.match(text) is not None


def names_source(text: str) -> bool:
    """Whether it speaks of a source; one that is only cited stands in brackets."""
    text = _CITED.sub("", text)
    return bool(_OF_SOURCE.search(text) or _REFERENCE.search(text))


def is_of_source(text: str) -> bool:
    """The same for anything that may be a source: a law, a list."""
    return names_source(text) or bool(_DOCUMENT.search(text))


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


CLAUSE = phrase("clause")
_POINTED = phrase("pointed")
_COLON = re.compile(r":\s")
_ABSENCE = ("ABSENT", "UNSAID", "FEW", "SILENT", "UNABLE", "AVOID")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ENDING = re.compile(r"(?:n['’]t|['’]\w+)$")  # "isn't", "I've", "landlord's"
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_NEAR, _FAR = 40, 200  # characters looked at before a word or figure, and behind a cut
_OF_DECLINING = (
    "SPEAK", "SAY", "HOLD", "HELD", "TELL", "JUDGE", "JUDGED", "SAID", "GIVEN", "SAYING", "PIECE", "REQUEST",
    "WILLING", "SENT", "FAIR", "HARD", "GUESS", "BE", "REMAIN", "HAVE", "DO", "CAN", "WILL", "NOT", "WH", "PREP",
    "PRONOUN", "CONJ", "TURN", *_ABSENCE, "DE_NOT", "DE_CAN", "DE_TELL", "DE_SAID", "DE_SAY", "DE_SRC", "DE_INFO",
)  # fmt: skip
NEVER = frozenset((*WORDS["around"].split(), *CLASSES["TEXT"], *CLASSES["INFO"], *CLASSES["REQUEST"]))
OF_DECLINING = NEVER.union(*(CLASSES[name] for name in _OF_DECLINING))
SOURCES = frozenset((*CLASSES["TEXT"], *CLASSES["PAPER"], *CLASSES["NORM"]))
_NEVER_STEMS = frozenset(map(stem, NEVER))


class Clause(NamedTuple):
    shown: str  # as the answer has it
    text: str  # with blanks for citation marks
    sentence: int
    cited: tuple[str, ...]
    asks: bool  # its sentence is a question

    @property
    def is_negated(self) -> bool:
        return negation(self.text) is not None


def clauses_of(trace: Trace) -> list[Clause]:
    """The last one is wordless where the answer has a list of citations, or a field for them."""
    answer, texts = trace.answer or "", trace.retrieved or ()
    marks = sorted(locate(answer, trace.names, (), texts))
    text = blanked(answer, marks)
    inline = [mark for mark in marks if not mark.is_list]
    starts = [mark.start for mark in inline]
    found: list[Clause] = []
    for number, (start, end) in enumerate(_sentences(answer)):
        asks = text[start:end].rstrip(" \n\"'”)*").endswith("?")
        for left, right in _cut(text, start, end):
            inside = inline[bisect_left(starts, left) : bisect_left(starts, right)]
            if inside and found and not found[-1].cited and not _WORD.search(text, left, inside[0].start):
                found[-1] = found[-1]._replace(cited=inside[0].ids)  # the mark stands behind a full stop
            if _WORD.search(text, left, right):
                cited = tuple(i for mark in inside for i in mark.ids)
                found.append(Clause(answer[left:right].strip(), text[left:right], number, cited, asks))
    listed = (
        *(i for mark in marks if mark.is_list for i in mark.ids),
        *resolve(trace.citations or (), trace.names, (), texts),
    )
    return [*found, Clause("", "", -1, listed, asks=False)] if listed else found


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.splitlines(keepends=True):
        start = at
        for piece in sentences(line) if line.strip() else ():
            yield start, start + len(piece)
            start += len(piece)
        at += len(line)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    colon = _COLON.search(text, start, end)
    cuts = [colon.span()] if colon and _declines(text[start : colon.start()]) else []
    here = start
    for left, right in sorted([*cuts, *(match.span() for match in CLAUSE.finditer(text, start, end))]):
        if left > here and not _is_denied_of(text[here:left], text[right : min(end, right + _FAR)]):
            yield here, left
            here = right
    yield here, end


def _declines(label: str) -> bool:
    """A statement before a colon, rather than a label such as "Missing:"."""
    return len(_WORD.findall(label)) > 2 and negation(label) is not None


def _is_denied_of(clause: str, following: str) -> bool:
    """ "I would need the holding, which the documents do not contain" is one statement."""
    return following[:6].lower() == "which " and negation(following) is not None and negation(clause) is None


def words(text: str) -> list[str]:
    return [word for word, _ in words_at(text)]


def words_at(text: str) -> Iterator[tuple[str, str]]:
    """Each word in lower case and without its ending, with what stands shortly before it."""
    for match in _WORD.finditer(text):
        yield _bare(match.group()), text[max(0, match.start() - _NEAR) : match.start()]


@lru_cache(maxsize=20_000)
def _bare(word: str) -> str:
    return _ENDING.sub("", word.lower())


def digits_in(text: str) -> set[str]:
    """The number of a clause or page is none."""
    return set(_FIGURE.findall(_POINTED.sub(" ", text)))


@lru_cache(maxsize=5_000)
def contents(text: str) -> frozenset[str]:
    """What a text is about: the stems of its words, and its figures."""
    return frozenset((set(terms(text)) - _NEVER_STEMS) | digits_in(text))


def resembles(word: str, stems: Iterable[str]) -> bool:
    """Equal as a stem, or of one family: "territorial" and "territory"."""
    own = stem(word)
    return any(own == other or _root(own) == _root(other) for other in stems)


def _root(word: str) -> str:
    return word[: max(5, len(word) - 3)]
