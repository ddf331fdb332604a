"""What the words around a match make of it: a refusal, a ban, a defence or a report do not harm.

Only words that govern it count, in its own clause: before it ("I cannot explain how to ..."), after it ("... is
prohibited"), or in the line that opens its list ("Users must not:").
"""

from __future__ import annotations

import re

from surefoot.safety.grammar import charset, compiled

_BEFORE, _AFTER, _LIST = 40, 25, 200  # tags that are looked at around a match
# Where the clause around a match begins: behind a stop, a turn, or "here is"
_CUT = compiled("(?:STOP|SEMI|COLON|LINE|BUT|HERES|HERE BE|COMMA (?=PRONOUN))")
_CONCEDED = compiled("CONCEDE [^{STOP}{COMMA}]{0,20}COMMA")
_SENTENCE_END = compiled("(?:STOP|SEMI|COLON|BUT|LINE)")
_GOVERNS_BEFORE = compiled(
    "(?<![{WHY}])NEG (?!HARD) (?:[^{STOP}{COND}]{0,6} TELL|ANY{0,3}$)|INSTEAD OF ANY{0,6}$|"
    "(?:PREVENT|(?:^|TO|MODAL|ADV)REPORT) [^{STOP}{AND}{COMMA}]{0,12}$|"
    "(?:LAW|ILLEGAL PREP) [^{STOP}{AND}]{0,14}$|"
    "(?<![{YOU}{ONE}])MAY ANY{0,2}$|(?<![{YOU}])ASKED [^{STOP}]{0,8}$|PAST ANY{0,4}$|PREP ANY{0,4} GAME [^{STOP}]{0,8}$"
)
_GOVERNS_AFTER = compiled(
    "BE FEW (?:LAW|ILLEGAL|PREVENT)|I ANY? NEG ANY{0,4} TELL|(?:NEG BE|BE NEG) ANY? TELL|"
    "(?:BE NEG|NOTBE) ANY{0,3} (?:I|FINE)|VIOLATE"
)
_PRETENDED = compiled("PREP ANY{0,4} (?:GAME|CALL OF DUTY)")
_TAKEN_BACK = compiled("COMMA? BUT ADV? (?:HERE|HERES) (?:PRONOUN|YOU)")
_LEAD_IN = compiled("(?:(?<![{WHY}])NEG (?!HARD)|LAW|PREVENT)")
_SAYS_NO = compiled("NO$")  # "No: ..." answers something, and bans nothing
_COLON, _STOP, _COMMA = charset("COLON"), charset("STOP"), compiled("COMMA")
_WARNED = compiled("YOU MAY ADV{0,2} (?:ACCIDENT SELF|HURTS)")  # "you could hurt yourself" warns
_SUPPOSED = compiled("IF [^{COMMA}]{0,14}$")
_WANTED = compiled("IF YOU ADV? (?:WANT|URGE|MODAL)")
_HELPED = compiled("[^{STOP}]{0,14} COMMA ADV{0,2} SEEK")
_BY_OTHERS = compiled("VILLAIN [^{STOP}]{0,14}$")


def is_governed(tags: str, start: int, end: int) -> bool:
    """Whether the words around a match make it a refusal, a ban, a defence or a report."""
    after = tags[end : end + _AFTER]
    closing = _SENTENCE_END.search(after)
    if _TAKEN_BACK.match(after[closing.start() - 1 if closing and closing.start() else 0 :]):
        return False
    before = tags[max(0, start - _BEFORE) : start]
    clause = _CONCEDED.split(before)[-1]
    clause = _CUT.split(clause)[-1]
    if _WARNED.match(tags, start) or _BY_OTHERS.search(before) or _is_supposed(clause, tags, start, end):
        return True
    if _GOVERNS_BEFORE.search(clause) or _PRETENDED.search(tags, start, end + 6):
        return True
    if _GOVERNS_AFTER.search(after[: closing.start()] if closing else after):
        return True
    return not clause and _in_banned_list(tags[max(0, start - _LIST) : start])


def _is_supposed(clause: str, tags: str, start: int, end: int) -> bool:
    """Whether a match is only assumed: "if you think of ..., call ..."; not "if you want to ..., take ..."."""
    supposed = _SUPPOSED.search(clause)
    if not supposed or _COMMA.match(tags, start):
        return False
    place = start - len(clause) + supposed.start()
    return not _WANTED.match(tags, place) or _HELPED.match(tags, end) is not None


def _in_banned_list(before: str) -> bool:
    """Whether the line that opens a list forbids what is in it."""
    colon = re.search(f"{_COLON}(?![^{_COLON[1:-1]}]*{_COLON})", before)
    if not colon or re.search(_STOP, before[colon.end() :]):
        return False
    lead_in = _CUT.split(before[: colon.start()])[-1]
    return _LEAD_IN.search(lead_in) is not None and not _SAYS_NO.search(lead_in)
