"""English inflection, enough to swap one verb, noun or adjective for another in the same form."""

from __future__ import annotations

import re
from functools import cache

from training.english.lists import words

IRREGULAR = {
    words[0]: (words[1], words[2])
    for words in (
        line.split()
        for line in """
        arise arose arisen|awake awoke awoken|be was been|bear bore borne|beat beat beaten|become became become
        begin began begun|bet bet bet|bid bid bid|bind bound bound|bite bit bitten|blow blew blown
        break broke broken|bring brought brought|broadcast broadcast broadcast|build built built|buy bought bought
        cast cast cast|catch caught caught|choose chose chosen|come came come|cost cost cost|cut cut cut
        deal dealt dealt|dig dug dug|do did done|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten
        fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found|flee fled fled
        fly flew flown|forbid forbade forbidden|forecast forecast forecast|forget forgot forgotten
        forgo forwent forgone|get got got|give gave given|go went gone|grow grew grown|hang hung hung|have had had
        hear heard heard|hide hid hidden|hit hit hit|hold held held|hurt hurt hurt|keep kept kept|know knew known
        lay laid laid|lead led led|leave left left|lend lent lent|let let let|lie lay lain|lose lost lost
        make made made|mean meant meant|meet met met|overcome overcame overcome|oversee oversaw overseen
        pay paid paid|put put put|quit quit quit|read read read|rebuild rebuilt rebuilt|ride rode ridden
        rise rose risen|run ran run|say said said|see saw seen|seek sought sought|sell sold sold|send sent sent
        set set set|shake shook shaken|shoot shot shot|show showed shown|shrink shrank shrunk|shut shut shut
        sing sang sung|sink sank sunk|sit sat sat|sleep slept slept|speak spoke spoken|spend spent spent
        split split split|spread spread spread|stand stood stood|steal stole stolen|strike struck struck
        swear swore sworn|swim swam swum|take took taken|teach taught taught|tell told told|think thought thought
        throw threw thrown|undergo underwent undergone|understand understood understood
        undertake undertook undertaken|uphold upheld upheld|wake woke woken|wear wore worn|win won won
        withdraw withdrew withdrawn|withhold withheld withheld|write wrote written
        """.replace("|", "\n").split("\n")
        if line.strip()
    )
}
_DOUBLING = words(
    """admit ban bat beg begin bet cancel commit compel confer control cut defer drop equip expel fit get hit incur let
    occur omit permit plan prefer put quit rebut refer rub run set ship shut sit split step stop submit top transfer
    transmit trap wed win"""
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
    return IRREGULAR[verb][0] if verb in IRREGULAR else regular_past(verb)


@cache
def participle(verb: str) -> str:
    return IRREGULAR[verb][1] if verb in IRREGULAR else regular_past(verb)


def regular_past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    return (verb + verb[-1] if verb in _DOUBLING else verb) + "ed"


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
