"""What plain prose settles, outside contracts: how long, how often, how much, by whom, when."""

from __future__ import annotations

import re
from collections.abc import Callable

from surefoot.build.asking import Asking, cut, made, question
from surefoot.build.clauses import ABOUT, BE, MONEY, NUMBER, SHARE, STATED, UNIT, Clause, asked, patterns_of

_BY, _AT, _YEAR, _BEFORE = patterns_of("by at year prose_before")


def _lasting(clause: Clause) -> Asking | None:
    """ "Batteries last about 18 months", "Results take up to three weeks"."""
    found = clause.auxiliary != "may" and re.fullmatch(
        rf"(?P<verb>last|take)s? {ABOUT}(?P<value>{NUMBER} {UNIT})(?P<tail>.*)", clause.rest
    )
    tail = asked(found["tail"]) if found else None
    if not found or tail is None or tail.startswith(("of ", "and ", "or ", "to ")):
        return None
    return made("period", question(clause, "How long", f"{found['verb']} {tail}"), found["value"])


def _measured(clause: Clause) -> Asking | None:
    """ "receive 27 days of annual leave per year", "costs EUR 12 a month", "weighs 86 g"."""
    if clause.auxiliary not in STATED:
        return None
    found = re.match(
        rf"(?P<verb>\w+) {ABOUT}(?P<value>{NUMBER} {UNIT}) of (?P<noun>[a-z]+(?: [a-z]+)?)\b(?P<tail>.*)", clause.rest
    )
    if found and (tail := asked(found["tail"])) is not None:
        what = f"How many {found['unit']}s of {found['noun']}"
        return made("period", question(clause, what, f"{found['verb']} {tail}"), found["value"])
    found = re.match(rf"(?P<verb>cost|pay|charge|earn|receive) {ABOUT}(?P<value>{MONEY})(?P<tail>.*)", clause.rest)
    if found and (tail := asked(found["tail"])) is not None:
        return made("amount", question(clause, "How much", f"{found['verb']} {tail}"), found["value"])
    return None


def _often(clause: Clause) -> Asking | None:
    """ "is tested every Tuesday", "you should test the sensor every six months"."""
    found = re.search(
        r" (?P<value>every (?:(?:\w+ )?\w+ (?:days|weeks|months|years|hours|minutes)|[A-Z]?[a-z]+day|day|week|month|"
        r"year|quarter|hour)|(?:once|twice) (?:a|per|every) \w+)\b",
        clause.rest,
    )
    if not found or clause.is_negated:
        return None
    return made("count", question(clause, "How often", cut(clause.rest, found)), found["value"])


def _up_to(clause: Clause) -> Asking | None:
    """ "Lost baggage is covered up to EUR 1,500", "We pay medical expenses up to EUR 2,000,000"."""
    found = re.search(
        rf" (?P<how>up to|to|with) (?:a maximum of |a limit of )?(?P<value>{MONEY}|{SHARE})(?P<tail>.*)", clause.rest
    )
    if (
        not found
        or clause.auxiliary not in (*STATED, *BE)
        or found["tail"].startswith((" of ", " and ", " or ", " to "))
    ):
        return None
    rest = asked(f"{clause.rest[: found.start()].removesuffix(' of')} {found['tail']}")
    is_passive = clause.auxiliary in BE and re.match(r"\w+ed\b", clause.rest)
    if rest is None or not (is_passive or found["how"] == "up to"):
        return None
    return made("amount", question(clause, f"{found['how'].capitalize()} what amount", rest), found["value"])


def _by_whom(clause: Clause) -> Asking | None:
    """ "The meeting was chaired by Ruth Adeyemi"."""
    found = _BY.search(clause.rest)
    if not found or clause.auxiliary not in BE or not re.match(r"\w+(?:ed|en|[td])\b", clause.rest):
        return None
    return made("name", question(clause, "By whom", asked(clause.rest[: found.start()])), found["value"])


def _when(clause: Clause) -> Asking | None:
    """ "The library opens at 9 am", "was founded in 1987", "seven days before the appointment"."""
    if (found := _AT.search(clause.rest)) and (
        clause.auxiliary not in BE or re.match(r"(?!next|not)\w+(?:ed|[dnt])\b", clause.rest)
    ):
        return made("time", question(clause, "At what time", cut(clause.rest, found)), found["value"])
    if (found := _YEAR.search(clause.rest)) and clause.auxiliary in ("was", "were"):
        return made("year", question(clause, "In what year", cut(clause.rest, found)), found["value"])
    found = _BEFORE.search(clause.rest)
    after = asked(found["tail"]) if found else None
    if not found or after is None or clause.auxiliary not in (*STATED, *BE):
        return None
    what = f"How many {found['unit']}s {found['how']} {after}"
    return made("period", question(clause, what, asked(clause.rest[: found.start()])), found["value"])


PROSE: tuple[Callable[[Clause], Asking | None], ...] = (_lasting, _measured, _often, _up_to, _when, _by_whom)
