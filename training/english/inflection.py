"""English inflection, enough to swap one verb, noun or adjective for another in the same form."""

from __future__ import annotations

import re
from functools import cache

from training.english.lists import words

_IRREGULAR = {
    words[0]: (words[1], words[2])
    for words in (
        line.split()
        for line in """
        buy bought bought|sell sold sold|rise rose risen|fall fell fallen|win won won|lose lost lost|begin began begun
        lend lent lent|give gave given|take took taken|withdraw withdrew withdrawn|withhold withheld withheld
        send sent sent|keep kept kept|forbid forbade forbidden|spend spent spent|grow grew grown|shrink shrank shrunk
        uphold upheld upheld|overturn overturned overturned|make made made|get got got|leave left left|hold held held
        build built built|write wrote written|lead led led|meet met met|pay paid paid|become became become
        know knew known|find found found|bring brought brought|teach taught taught|tell told told|say said said
        go went gone|come came come|see saw seen|do did done|have had had|show showed shown|choose chose chosen
        undertake undertook undertaken|understand understood understood|bear bore borne|speak spoke spoken
        think thought thought|set set set|put put put|cut cut cut|let let let|stand stood stood|run ran run
        break broke broken|drive drove driven|hear heard heard|seek sought sought|feel felt felt|draw drew drawn
        arise arose arisen|forgo forwent forgone|overcome overcame overcome|strike struck struck
        """.replace("|", "\n").split("\n")
        if line.strip()
    )
}
_DOUBLING = words(
    "admit permit omit submit commit transmit refer prefer occur incur confer defer transfer stop ship plan "
    "ban begin "
    "let set get put cut run win prohibitt control cancel compel expel rebut equip drop"
)


@cache
def present(verb: str) -> str:
    if verb in ("have", "do", "go"):
        return {"have": "has", "do": "does", "go": "goes"}[verb]
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(?:s|x|z|ch|sh)$", verb) else "s")


@cache
def past(verb: str) -> str:
    return _IRREGULAR[verb][0] if verb in _IRREGULAR else regular_past(verb)


@cache
def participle(verb: str) -> str:
    return _IRREGULAR[verb][1] if verb in _IRREGULAR else regular_past(verb)


def regular_past(verb: str, doubling: frozenset[str] = _DOUBLING) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    return (verb + verb[-1] if verb in doubling else verb) + "ed"


@cache
def gerund(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not re.search(r"(?:ee|oe|ye)$", verb) and verb != "be":
        return verb[:-1] + "ing"
    return (verb + verb[-1] if verb in _DOUBLING else verb) + "ing"


def forms(verb: str) -> tuple[str, str, str, str, str]:
    """Base, third person, past, participle and -ing form; of a phrase, its first word is inflected."""
    first, _, rest = verb.partition(" ")
    tail = f" {rest}" if rest else ""
    inflected = (first, present(first), past(first), participle(first), gerund(first))
    return inflected[0] + tail, inflected[1] + tail, inflected[2] + tail, inflected[3] + tail, inflected[4] + tail


def plural(noun: str) -> str:
    return present(noun)


def is_plural(phrase: str) -> bool:
    """A guess from the last words before a verb: "the parties", "we", "X and Y"."""
    words = re.findall(r"[A-Za-z']+", phrase)[-4:]
    if not words or {"each", "either", "every", "neither", "one"} & {word.lower() for word in words}:
        return False
    last = words[-1].lower()
    if last in ("we", "they", "you", "people", "children") or "and" in (word.lower() for word in words):
        return True
    return last.endswith("s") and not re.search(r"(?:ss|us|is|'s|business|news|series)$", last)


def be(phrase: str) -> str:
    return "are" if is_plural(phrase) else "is"
