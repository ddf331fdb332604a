"""Short answers by kind, and other answers of that kind that the passage does not give to the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from random import Random
from typing import Literal

from training.english.lists import listed, words
from training.english.numbers import FIGURE, MONTHS
from training.questions.passages import plain, sentences

Kind = Literal["year", "date", "money", "percent", "number", "name", "phrase"]

_MONTH = f"(?:{'|'.join(MONTHS)})"
_WORD_NUMBERS = listed("two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty")
PATTERNS: dict[Kind, re.Pattern[str]] = {
    "date": re.compile(
        rf"\b{_MONTH} \d{{1,2}}(?:, \d{{4}})?\b|\b\d{{1,2}} {_MONTH}(?: \d{{4}})?\b|\b{_MONTH} \d{{4}}\b"
    ),
    "year": re.compile(r"(?<![$€£,.-])\b(?:1[5-9]|20)\d\d\b(?!s|[,.]\d| (?:years|people|miles|feet|square|to ))"),
    "money": re.compile(rf"[$€£] ?(?:{FIGURE})(?: (?:million|billion|trillion|thousand))?"),
    "percent": re.compile(rf"\b(?:{FIGURE}) ?(?:%|percent\b|per cent\b)"),
    "number": re.compile(rf"(?<![\w.,$€£-])(?:{FIGURE})(?![\d%]|,\d| ?percent)|\b(?:{'|'.join(_WORD_NUMBERS)})\b"),
    "name": re.compile(
        r"\b(?:(?:Mr|Ms|Mrs|Dr|St|Gov|Sen)\. )?"
        r"[A-Z][\w’'-]*[a-z]\w*(?:(?: (?:of|the|de|and the))? [A-Z][\w’'-]*[a-z]\w*){0,4}"
    ),
}
_OPENERS = words(
    """the a an in on at by for from to with of and but or as if when while after before although though since
    because it he she they we you i his her their its our this that these those there here what who which
    where how many some most one two three both all each every such other no not however moreover
    furthermore during under over between among according also then thus so yet still even only just more
    last next first second later today now until unlike like once despite instead another several few"""
)
_ONE_OF_MANY = re.compile(
    r"\b(?:one of|an? examples?|examples? of|name an?|is one|was one|are two|were two|some|besides|other than|"
    r"in addition|along with|another|such as|aside from|apart from|types? of|kinds? of|sorts? of|include[sd]?|also|"
    r"can be)\b",
    re.IGNORECASE,
)


def kind_of(answer: str) -> Kind:
    text = answer.strip()
    for kind in ("date", "year", "money", "percent", "number"):
        match = PATTERNS[kind].search(text)
        if match and len(text.split()) <= 6 and (kind != "year" or len(text) < 12):
            return kind
    words = [word for word in text.split() if word.lower() not in _OPENERS]
    return "name" if words and all(word[0].isupper() for word in words) and len(words) <= 5 else "phrase"


def asks_for_one_of_many(question: str) -> bool:
    """May several answers be right?"""
    return bool(_ONE_OF_MANY.search(question))


def spans(passage: str, kind: Kind) -> list[str]:
    found: list[str] = []
    pattern = PATTERNS.get(kind)
    for sentence in sentences(passage) if pattern else ():
        for match in pattern.finditer(sentence):  # type: ignore[union-attr]
            text = _without_openers(match.group(), match.start() == 0) if kind == "name" else match.group()
            if text:
                found.append(text)
    return list(dict.fromkeys(found))


def _without_openers(name: str, opens: bool) -> str:
    words = name.split()
    while words and words[0].lower() in _OPENERS:
        words = words[1:]
    if words:
        words[-1] = re.sub(r"['’]s?$", "", words[-1])
    if opens and len(words) == 1 and len(name.split()) == 1:
        return ""  # the first word of a sentence is no sure name
    return " ".join(words)


def overlaps(one: str, other: str) -> bool:
    """Do two answers share a word that matters, so that one may be another form of the other?"""
    mine, theirs = (set(plain(text).split()) - _OPENERS for text in (one, other))
    return bool(mine & theirs) or plain(one) in plain(other) or plain(other) in plain(one)


def other_answer(
    passage: str, question: str, golds: Sequence[str], peers: Iterable[str], rng: Random
) -> tuple[str, Kind] | None:
    """A wrong answer of the same kind: what answers another question on the passage, or another span of it."""
    answer = golds[0]
    kind = kind_of(answer)
    peer_answers = [peer for peer in dict.fromkeys(peers) if kind_of(peer) == kind and len(peer.split()) <= 8]
    candidates = [peer for peer in peer_answers if _is_wrong(peer, question, golds)]
    if kind in ("number", "money", "percent", "year", "date"):
        candidates += [text for text in _swapped(passage, answer, kind) if _is_wrong(text, question, golds)]
    elif kind == "name":
        near = [text for text in spans(passage, kind) if abs(len(text.split()) - len(answer.split())) <= 1]
        candidates += [text for text in near if _is_wrong(text, question, golds)]
    else:
        candidates = [text for text in candidates if 0.4 < len(text) / len(answer) < 2.5]
    return (rng.choice(candidates), kind) if candidates else None


def _is_wrong(candidate: str, question: str, golds: Sequence[str]) -> bool:
    asked = f" {plain(question)} "
    if any(overlaps(candidate, gold) for gold in golds):
        return False
    content = [word for word in plain(candidate).split() if word not in _OPENERS]
    return bool(content) and not all(f" {word} " in asked for word in content)


def _swapped(passage: str, answer: str, kind: Kind) -> list[str]:
    """The answer with its number, date or amount replaced by others that the passage holds."""
    pattern = PATTERNS[kind]
    own = pattern.search(answer)
    if own is None:
        return []
    spelled = own.group()[0].isalpha()
    others = [text for text in spans(passage, kind) if text != own.group() and text[0].isalpha() == spelled]
    if kind == "number":
        others = [text for text in others if not PATTERNS["year"].fullmatch(text)]
    return [answer.replace(own.group(), other, 1) for other in others]


def changed_number(answer: str, rng: Random, taken: str = "") -> str | None:
    """The answer with one number changed to one that `taken` does not hold."""
    matches = list(re.finditer(rf"(?<![\w.])(?:{FIGURE})(?!\w|\.\d)|\b(?:{'|'.join(_WORD_NUMBERS)})\b", answer))
    if not matches:
        return None
    match = rng.choice(matches)
    for _ in range(6):
        new = _changed(match.group(), rng)
        if new != match.group() and f" {plain(new)} " not in f" {plain(taken)} ":
            return answer[: match.start()] + new + answer[match.end() :]
    return None


def _changed(number: str, rng: Random) -> str:
    if number.isalpha():
        return rng.choice(_WORD_NUMBERS)
    value = float(number.replace(",", ""))
    if re.fullmatch(r"(?:1[5-9]|20)\d\d", number):
        return str(int(value) + rng.choice((-20, -11, -10, -5, -3, -2, -1, 1, 2, 3, 4, 6, 10)))
    decimals = len(number.partition(".")[2])
    if "." not in number and value <= 31:
        return str(max(1, int(value) + rng.choice((-5, -3, -2, -1, 1, 2, 3, 4, 7, 10))))
    changed = value * rng.choice((0.1, 0.5, 0.6, 0.8, 0.9, 1.1, 1.2, 1.5, 2, 3, 10))
    if rng.random() < 0.4:
        changed = _other_digit(number, rng)
    return f"{changed:,.{decimals}f}" if "," in number else f"{changed:.{decimals}f}"


def _other_digit(number: str, rng: Random) -> float:
    places = [at for at, char in enumerate(number) if char.isdigit()]
    at = rng.choice(places)
    digit = rng.choice([char for char in "123456789" if char != number[at]])
    return float((number[:at] + digit + number[at + 1 :]).replace(",", ""))
