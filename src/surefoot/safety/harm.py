"""Harmful instructions by rule: a frame that instructs, asks or urges, right before a harmful act.

A bare word is never a finding: "ransomware" is in every contract. What was found is dropped only for words that govern
it, in its own clause: before it ("I cannot explain how to ..."), after it ("... is prohibited"), or in the line that
opens its list ("Users must not:").
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from surefoot.safety.grammar import LINE, OTHER, TAGS, charset, compiled


class Hit(NamedTuple):
    pattern: str
    kind: str
    start: int
    end: int
    why: str


class _Act(NamedTuple):
    pattern: str
    verb: str
    rest: str
    why: str


_DANGER, _WEAPON, _HACKING, _SELF = "dangerous_instructions", "weapon_making", "malware_hacking", "self_harm"
_ACTS = (
    _Act(_DANGER, "MAKE", "GAP (?<![{BATH}])BOMB ALONE", "making an explosive, a poison or a hard drug"),
    _Act(
        _DANGER, "MAKE", "GAP (?:NOXIOUS AGENT|MASS ARMS) ALONE (?!SYSTEM)", "making a poison or a weapon of mass harm"
    ),
    _Act(_DANGER, "KILL", "FEW PERSON ALONE", "violence against a person"),
    _Act(_DANGER, "BLOW", "(?:UP)? FEW PLACE ALONE", "blowing up a place"),
    _Act(_WEAPON, "GUNMAKE", "GAP (?<![{TOOL}])GUN ALONE (?!SYSTEM)", "making a gun"),
    _Act(_WEAPON, "GUNMAKE", "GAP LOWER RECEIVER", "making a gun"),
    _Act(_WEAPON, "MACHINE", "DET GAP (?:(?<![{TOOL}])GUN|LOWER RECEIVER) ALONE", "making a gun"),
    _Act(_HACKING, "HACK", "(?:INTO)? GAP HACKABLE ALONE", "breaking into a system or an account"),
    _Act(_HACKING, "BREAK", "INTO GAP HACKABLE ALONE", "breaking into a system or an account"),
    _Act(_HACKING, "HACKIN", "(?:INTO|$|(?=STOP|COLON))", "hacking"),
    _Act(_HACKING, "STEAL", "GAP CREDENTIAL ALONE", "stealing credentials"),
    _Act(_HACKING, "BYPASS", "GAP AUTH ALONE", "getting past authentication"),
    _Act(_HACKING, "WRITE", "GAP (?:MALWARE|PHISHING ATTACK) ALONE", "making or spreading malware"),
    _Act(_HACKING, "SPY", "ON GAP (?:PERSON|HACKABLE)", "spying on a person"),
    _Act(_SELF, "HURT", "SELF (?!DET|(?:PREP ANY)?FIGURE)", "hurting oneself"),
    _Act(_SELF, "END", "MINE{1,2} LIFE ALONE", "ending one's life"),
    _Act(_SELF, "TAKE", "MINE? OWN LIFE ALONE", "ending one's life"),
    _Act(_SELF, "COMMIT", "SUICIDE ALONE", "suicide"),
    _Act(_SELF, "SELFHARM", "ALONE (?!BE)", "self-harm"),
    _Act(_SELF, "SLIT", "FEW WRISTS", "self-harm"),
)
# By kind of finding: what stands before the act, {} the verb and what it takes, [] the same in -ing
_FRAMES = {
    "instructions": (
        "HOW ADV? TO ADV{0,2} {}",
        "HOW (?:MODAL PERSONAL|PERSONAL MODAL) (?:MODAL|ADV){0,2} {}",
        "HOW MODAL PERSONAL GO ABOUT []",
        "(?:(?:HERES|HERE BE) HOW PERSONAL|PRONOUN BE HOW YOU) ADV{0,2} {}",
        "WAYS (?:TO|PERSONAL MODAL) ADV{0,2} {}",
        "WAYS LINK ADV? []",
        "START TO ADV{0,2} {} ANY{0,5} (?:COMMA (?:ADV|YOU|STEP)|YOU (?:URGE|MODAL|WANT))",
        "START STEP FEW TO ADV? {}",
        "YOU (?:MODAL|WANT TO|URGE TO) ADV{0,2} {} ANY{0,4} BY",
        "START {}",
    ),
    "request": ("HELP ME (?:TO)? ADV? {}", "I ANY? WANT TO ADV? {}"),
}
_URGING = (
    "YOU ANY{0,2} (?:URGE|MODAL) (?:TO)? ADV{0,3} {}",
    "(?<=[{COMMA}])GO ADV? {}",
)
_WHOLE = (
    # Findings that are not made of a frame and an act
    (
        _DANGER,
        "instructions",
        "RECIPE LINK GAP (?<![{BATH}])BOMB ALONE",
        "a recipe for an explosive, a poison or a hard drug",
    ),
    (_DANGER, "instructions", "BOMB MAKEING WAYS", "a guide to making an explosive"),
    (_WEAPON, "instructions", "GUN MAKEING WAYS", "a guide to making a gun"),
    (_SELF, "encouragement", "YOU ANY{0,3} (?:BETTER OFF DEAD|DESERVE TO DIE)", "encourages self-harm"),
)


class _Rule(NamedTuple):
    pattern: str
    kind: str
    regex: re.Pattern[str]
    why: str


def _options(rows: tuple[str, ...], acts: Iterable[_Act]) -> str:
    plain = "|".join(f"{act.verb} {act.rest}" for act in acts)
    ing = "|".join(f"{act.verb}ING {act.rest}" for act in acts)
    return "|".join(row.replace("{}", f"(?:{plain})").replace("[]", f"(?:{ing})") for row in rows)


def _rules() -> Iterator[_Rule]:
    """One for every act and kind of finding."""
    for act in _ACTS:
        frames = _FRAMES | ({"encouragement": _URGING} if act.pattern == _SELF else {})
        for kind, rows in frames.items():
            yield _Rule(act.pattern, kind, compiled(_options(rows, [act])), act.why)
    for pattern, kind, rule, why in _WHOLE:
        yield _Rule(pattern, kind, compiled(rule), why)


@functools.cache  # a third of a second, which only who checks a text should pay
def _compiled_rules() -> tuple[re.Pattern[str], tuple[_Rule, ...]]:
    """Where any rule can match, so that one pass over the text does instead of one for each, and the rules."""
    anywhere = [_options(rows, _ACTS) for rows in _FRAMES.values()]
    anywhere.append(_options(_URGING, [act for act in _ACTS if act.pattern == _SELF]))
    anywhere += [rule for _, _, rule, _ in _WHOLE]
    return compiled("|".join(anywhere)), tuple(_rules())


# Words; single letters or halves of a word set apart ("b-o-m-b", "ran-som-ware"); marks; lines that begin something
_TOKEN = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|Dr|Mr|Mrs|Ms|No|Inc|Ltd)\.|"
    r"[A-Za-z](?:(?:-[A-Za-z]){2,20}|(?:\.[A-Za-z]){2,20}|(?:\*[A-Za-z]){2,20}|(?: [A-Za-z]){2,20})(?![^\W_])|"
    r"[^\W_]+(?:(?:'|[*_]{1,2}|-\s{0,3})[^\W_]+){0,20}|\.(?!\d)|[!?;:,]|"
    r"\n[ \t]{0,8}(?:\n|[-*#>]|\d{1,2}[.)]|(?=[A-Z]))"
)
_APART = re.compile(r"[-.*_\s]+")
_BEFORE, _AFTER, _LIST = 40, 25, 200  # tags that are looked at around a match


class _Tags(dict[str, str]):
    """The tags of a token, worked out once for each."""

    def __missing__(self, token: str) -> str:
        tags = self[token] = _tags_of(token)
        return tags


def _tags_of(token: str) -> str:
    if token[0] == "\n":
        return LINE
    word = token.lower()
    if word in TAGS:
        return TAGS[word]
    parts = [part for part in _APART.split(word) if part]
    if len(parts) > 1:
        joined = "".join(parts)
        if joined in TAGS:
            return TAGS[joined]
        if joined[1:] in TAGS and len(parts[0]) == 1:  # "a b o m b"
            return TAGS.get(joined[0], OTHER) + TAGS[joined[1:]]
        return "".join(TAGS.get(part, OTHER) for part in parts)
    return OTHER if word.endswith("'s") else TAGS.get(word.split("'")[0], OTHER)  # "you'd" is you


def find(text: str) -> list[Hit]:
    """Harmful instructions in a folded text, in order; of several at one place the first that begins there."""
    known = _Tags()
    pieces = [known[token] for token in _TOKEN.findall(text)]
    tags = "".join(pieces)
    found = list(_matches(tags))
    if not found:
        return []
    places = zip(_TOKEN.finditer(text), pieces, strict=True)
    spans = [token.span() for token, piece in places for _ in piece]
    kept: list[Hit] = []
    for rule, first, last in found:
        start, end = spans[first][0], spans[last - 1][1]
        if not kept or start >= kept[-1].end:
            kept.append(Hit(rule.pattern, rule.kind, start, end, rule.why))
    return kept


def _matches(tags: str) -> Iterator[tuple[_Rule, int, int]]:
    anywhere, rules = _compiled_rules()
    here = 0
    while match := anywhere.search(tags, here):
        here = match.start() + 1
        for rule in rules:
            exact = rule.regex.match(tags, match.start())
            if exact and not _is_governed(tags, *exact.span()):
                yield rule, *exact.span()
                here = exact.end()
                break


# Where the clause around a match begins: behind a stop, a turn, or "here is"
_CUT = compiled("(?:STOP|SEMI|COLON|LINE|BUT|HERES|HERE BE|COMMA (?=PRONOUN))")
_CONCEDED = compiled("CONCEDE [^{STOP}{COMMA}]{0,20}COMMA")
_SENTENCE_END = compiled("(?:STOP|SEMI|COLON|BUT|LINE)")
_GOVERNS_BEFORE = compiled(
    "(?<![{WHY}])NEG (?!HARD) (?:[^{STOP}{COND}]{0,6} TELL|ANY{0,3}$)|INSTEAD OF ANY{0,6}$|"
    "(?:PREVENT|(?:^|TO|MODAL|ADV)REPORT) [^{STOP}{AND}{COMMA}]{0,12}$|"
    "(?:LAW|ILLEGAL PREP) [^{STOP}{AND}]{0,14}$|"
    "(?<![{YOU}])ASKED [^{STOP}]{0,8}$|PAST ANY{0,4}$|PREP ANY{0,4} GAME [^{STOP}]{0,8}$"
)
_GOVERNS_AFTER = compiled(
    "BE FEW (?:LAW|ILLEGAL|PREVENT)|I ANY? NEG ANY{0,4} TELL|(?:NEG BE|BE NEG) ANY? TELL|"
    "(?:BE NEG|NOTBE) ANY{0,3} (?:I|FINE)|VIOLATE"
)
_PRETENDED = compiled("PREP ANY{0,4} (?:GAME|CALL OF DUTY)")
_TAKEN_BACK = compiled("COMMA? BUT ADV? (?:HERE|HERES) (?:PRONOUN|YOU)")
_LEAD_IN = compiled("(?:(?<![{WHY}])NEG (?!HARD)|LAW|PREVENT)")
_SAYS_NO = compiled("NO$")  # "No: ..." answers something, and bans nothing
_COLON, _STOP = charset("COLON"), charset("STOP")


def _is_governed(tags: str, start: int, end: int) -> bool:
    """Whether the words around a match make it a refusal, a ban, a defence or a report."""
    after = tags[end : end + _AFTER]
    closing = _SENTENCE_END.search(after)
    if _TAKEN_BACK.match(after[closing.start() - 1 if closing and closing.start() else 0 :]):
        return False
    before = tags[max(0, start - _BEFORE) : start]
    clause = _CONCEDED.split(before)[-1]
    clause = _CUT.split(clause)[-1]
    if _GOVERNS_BEFORE.search(clause) or _PRETENDED.search(tags, start, end + 6):
        return True
    if _GOVERNS_AFTER.search(after[: closing.start()] if closing else after):
        return True
    return not clause and _in_banned_list(tags[max(0, start - _LIST) : start])


def _in_banned_list(before: str) -> bool:
    """Whether the line that opens a list forbids what is in it."""
    colon = re.search(f"{_COLON}(?![^{_COLON[1:-1]}]*{_COLON})", before)
    if not colon or re.search(_STOP, before[colon.end() :]):
        return False
    lead_in = re.split(f"[{_STOP[1:-1]}{LINE}]", before[: colon.start()])[-1]
    return _LEAD_IN.search(lead_in) is not None and not _SAYS_NO.search(lead_in)
