"""Answerable questions edited so that their passage answers them no more: another year, name, number or sense."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from random import Random

from training.english import grammar as en
from training.english.lists import words
from training.questions.passages import holds
from training.questions.spans import changed_number, overlaps, spans

_OPPOSITES = """first last|largest smallest|biggest smallest|highest lowest|most least|oldest youngest|before after
increase decrease|increased decreased|rise fall|north south|northern southern|east west|eastern western
win lose|won lost
best worst|more less|maximum minimum|start end|began ended|begin end|earliest latest|buy sell
accept reject|accepted rejected|supported opposed|support oppose|included excluded|include exclude|allowed banned
founded dissolved|arrived departed|closest farthest|longest shortest|positive negative|born buried|majority minority
opened closed|open close|liked disliked|gain loss|import export|imports exports|public private
upper lower|common rare|strongest weakest|increases decreases|winning losing|older younger
higher lower|above below|internal external|primary secondary|short long|hired fired|friend enemy|improve worsen"""
_OTHER = {
    word: pair.split()[1 - at]
    for line in _OPPOSITES.split("\n")
    for pair in line.split("|")
    for at, word in enumerate(pair.split())
}
_NAME = re.compile(
    r"(?<=[a-z,] )(?:(?:Mr|Ms|Mrs|Dr|Gov|Sen|Rep)\. )?[A-Z][\w’'-]*[a-z]"
    r"(?: (?:[A-Z]\. )?[A-Z][\w’'-]*[a-z]){0,3}(?!\w|\.[ \w])"
)
_NOT_SWAPPED = words("Mr Ms Mrs Dr Mr. Ms. Mrs. Dr. Who What When Where Which How American English")


class NameBank:
    """Names in questions by what stands before them and how long they are, so that a swap reads well."""

    def __init__(self, questions: Iterable[str]) -> None:
        found: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
        for question in questions:
            for match in _NAME.finditer(question):
                found[_slot(question, match)][match.group()] = None
        self._names = {slot: list(names) for slot, names in found.items()}

    def swap(self, question: str, passage: str, rng: Random) -> str | None:
        """The question about another name, mostly one that the passage does not hold."""
        matches = [match for match in _NAME.finditer(question) if _is_swappable(match.group(), passage)]
        if not matches:
            return None
        match = rng.choice(matches)
        known = self._names.get(_slot(question, match), [])
        titled = match.group().split()[0].endswith(".")
        for _ in range(8):
            other = rng.choice(known) if known else ""
            fits = other and other.split()[0].endswith(".") == titled and not overlaps(other, match.group())
            if fits and not any(holds(passage, word) for word in other.split()):
                return _put(question, match, other)
        return None

    def swap_within(self, question: str, passage: str, answer_sentence: str, rng: Random) -> str | None:
        """The question about a name of the passage that its answering sentence does not mention."""
        matches = [match for match in _NAME.finditer(question) if holds(answer_sentence, match.group())]
        if not matches:
            return None
        match = rng.choice(matches)
        size = len(match.group().split())
        others = [name for name in spans(passage, "name") if len(name.split()) == size]
        others = [name for name in others if not overlaps(name, question) and not holds(answer_sentence, name)]
        titled = match.group().split()[0].endswith(".")
        others = [name for name in others if name.split()[0].endswith(".") == titled and (titled or size > 1)]
        return _put(question, match, rng.choice(others)) if others else None


def _slot(question: str, match: re.Match[str]) -> tuple[str, int]:
    return question[: match.start()].split()[-1].lower(), len(match.group().split())


def _is_swappable(name: str, passage: str) -> bool:
    return name not in _NOT_SWAPPED and holds(passage, name.removesuffix("'s").removesuffix("’s"))


def _put(question: str, match: re.Match[str], other: str) -> str:
    owner = re.search(r"['’]s$", match.group())
    other = re.sub(r"['’]s$", "", other) + (owner.group() if owner else "")
    return question[: match.start()] + other + question[match.end() :]


def other_number(question: str, passage: str, rng: Random) -> str | None:
    """Another year or number in the question, one that the passage does not hold."""
    held = [number for number in re.findall(r"\d[\d,.]*\d|\d", question) if holds(passage, number)]
    return (
        changed_number(question, rng, passage)
        if held and len(held) == len(re.findall(r"\d[\d,.]*\d|\d", question))
        else None
    )


def opposite(question: str, rng: Random) -> str | None:
    places = [match for match in re.finditer(r"[A-Za-z]+", question) if match.group() in _OTHER]
    if not places:
        return None
    match = rng.choice(places)
    return question[: match.start()] + _OTHER[match.group()] + question[match.end() :]


def negated(question: str) -> str | None:
    """The question of what is not so."""
    words = question.split()
    if words[0].lower() not in ("who", "what", "which", "where") or "not" in words or "n't" in question:
        return None
    at = next((at for at, word in enumerate(words[1:6], 1) if word in en.AUXILIARIES), None)
    if at is None:
        return f"{words[0]} never {' '.join(words[1:])}" if en.is_past(words[1].lower()) else None
    if words[at] in en.DO | en.HAVE | {"could", "would", "should", "is", "are", "was", "were"} and at + 1 < len(words):
        follows = words[at + 1].lower()
        if words[at] in en.DO:
            return " ".join([*words[:at], words[at] + "n't", *words[at + 1 :]])
        if en.is_participle(follows) or follows in en.ADJECTIVES_AFTER_BE:
            return " ".join([*words[: at + 1], "not", *words[at + 1 :]])
    return None
