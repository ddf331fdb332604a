"""What a clause settles: a period, an amount, a date, a share, a count, a place, the law, a duty."""

from __future__ import annotations

import re
from collections.abc import Callable

from surefoot.build.asking import (
    MODALS,
    THIS,
    THIS_DOCUMENT,
    Asking,
    cut,
    finished,
    inside,
    inverted,
    is_state,
    made,
    names_one,
    question,
)
from surefoot.build.clauses import BE, DATE, HAVE, NUMBER, STATED, UNIT, Clause, asked, patterns_of
from surefoot.build.prose import PROSE
from surefoot.text.normal import words_of

_LAW, _PARTY, _EMPTY, _NOTICE, _ENDING, _PERIOD, _SUM = patterns_of("law party empty notice ending period sum")
_IS_VALUE, _SPANS, _MEASURED_BY = patterns_of("is_value spans measured_by")
_LED, _ON, _COUNT, _NOT_COUNTED, _CHANGED, _AFTER_SUM, _EVENT = patterns_of(
    "led on count not_counted changed after_sum event"
)
_SIZE = re.compile(r"\b(?:size|type|model|number|no\.|code|class|level|channel|priority|version)$", re.I)
_YES_NO = range(5, 19)  # words of the rest
_PERIOD_WORDS = words_of("documents")["how_long"]
_ON_WORDS = words_of("documents")["by_when"]


def _law(clause: Clause) -> Asking | None:
    found = _LAW.search(clause.rest)
    if not found or not THIS_DOCUMENT.fullmatch(clause.subject) or clause.is_negated:
        return None
    value = found["place"] or f"{found['people']} law"
    return Asking("law", f"Which state's or country's law governs {THIS}?", value)


def _notice(clause: Clause) -> Asking | None:
    found = _NOTICE.search(clause.rest)
    if not found or not _ENDING.match(clause.rest) or bool(found["how"]) == clause.rest.startswith("give"):
        return None
    how = f"{found['how'].capitalize()} how" if found["how"] else "How"
    text = question(clause, f"{how} many {found['unit']}s' {found['of']}", cut(clause.rest, found))
    return made("period", text, found["value"])


def _period(clause: Clause) -> Asking | None:
    found = _PERIOD.search(clause.rest)
    if not found:
        return None
    what = _PERIOD_WORDS[found["how"]].format(found["unit"])
    if found["how"] not in ("within", "for", "after") or re.match(
        r" (?:of|after|following|from|upon)\b", clause.rest[found.end() :]
    ):
        return _deadline(clause, what, found)
    return made("period", question(clause, what, cut(clause.rest, found)), found["value"])


def _deadline(clause: Clause, what: str, found: re.Match[str]) -> Asking | None:
    """ "at least five days before making a change": what it is counted from belongs to what is asked."""
    after = asked(clause.rest[found.end() :])
    if (
        after is None
        or re.search(r" (?:upon|through|until) | the date$", after)
        or not re.match(r"(?:prior to|before|after|following|from|in advance|of|upon)\b", after)
    ):
        return None
    first = asked(clause.rest[: found.start()])
    if first in (None, "", "have", "be"):
        return None
    return made("period", question(clause, f"{what} {after}", first), found["value"])


def _sum(clause: Clause) -> Asking | None:
    found = _SUM.search(clause.rest)
    if not found or (clause.auxiliary in BE and not clause.rest[: found.start()].strip()):
        return None
    if not _AFTER_SUM.match(clause.rest[found.end() :]):  # "8 % of the rent", "10 % original price"
        return None
    if clause.auxiliary in HAVE and not re.match(r"\w+ed\b", clause.rest):  # "has a budget of": does it have
        clause = clause._replace(auxiliary=HAVE[clause.auxiliary], rest=f"have {clause.rest}")
        found = _SUM.search(clause.rest) or found
    if clause.rest.startswith("cost"):
        return None
    led = _LED.search(clause.rest[: found.start()])
    left = clause.rest[: led.start() if led else found.start()], clause.rest[found.end() :]
    what = f"{led.group(1).capitalize()} what" if led else "What"
    rest = asked(" ".join(part.strip() for part in left if part.strip()))
    return made("amount", question(clause, f"{what} {found['noun']}", rest), found["value"])


def _on(clause: Clause) -> Asking | None:
    found = _ON.search(clause.rest)
    before = clause.rest[: found.start()] if found else ""
    # Of what follows "until he retired on" or "commencing on", the date is not the clause's own.
    if not found or clause.auxiliary in HAVE or re.search(r"\b(?:until|when|while|after|before)\b|ing $", before):
        return None
    if re.match(r" (?:to|until|through)\b", clause.rest[found.end() :]):  # one end of a span
        return None
    return made("date", question(clause, _ON_WORDS[found["how"]], cut(clause.rest, found)), found["value"])


def _being(clause: Clause) -> Asking | None:
    """ "The fee is EUR 500", "The term shall be five years"."""
    rest = clause.rest.removeprefix("be ") if clause.auxiliary in ("shall", "will", "must") else clause.rest
    is_future = rest != clause.rest
    found = _IS_VALUE.match(rest)
    if not found or clause.is_negated or (clause.auxiliary not in BE and not is_future):
        return None
    kind = "date" if re.fullmatch(DATE, found["value"]) else "period" if found["unit"] else "amount"
    subject, tail = inside(clause.subject, clause.around), asked(found["tail"])
    what = "How long" if kind == "period" and _SPANS.search(subject) else "What"
    if tail in ("high", "long", "wide", "deep", "tall", "thick") and not is_future:
        what, tail = f"How {tail}", ""
    if tail is None or re.search(rf"\b{NUMBER} {UNIT}", tail) or not _MEASURED_BY.match(tail):
        return None
    helper = "will" if is_future and clause.auxiliary != "must" else clause.auxiliary
    text = f"{what} {helper} {subject} {'be ' if is_future else ''}{tail}"
    return made(kind, finished(clause, text), found["value"])


def _count(clause: Clause) -> Asking | None:
    found = _COUNT.search(clause.rest)
    if not found or clause.auxiliary in BE or _NOT_COUNTED.search(found["noun"]):
        return None
    before = clause.rest[: found.start()]
    if len(before.split()) > 3 or re.match(r"be\b", before) or _SIZE.search(before.strip()):
        return None
    if re.match(r" (?:and|or)\b", clause.rest[found.end() :]) or clause.rest.startswith(
        ("only", "need")
    ):  # of two counts, one cannot be asked for alone
        return None
    return made("count", question(clause, f"How many {found['noun']}", cut(clause.rest, found)), found["value"])


def _manner(clause: Clause) -> Asking | None:
    """ "may not be amended except in writing": the exception is what one asks for."""
    found = _CHANGED.fullmatch(re.sub(r"^only (be \w+(?: or \w+)?) ", r"\1 only ", clause.rest))
    if not found or clause.auxiliary not in MODALS or clause.is_negated != (found["but"] != "only"):
        return None
    how = asked(found["how"])
    text = question(clause._replace(is_negated=False), "How", f"be {found['verb']}", "may") if how else None
    return made("manner", text, found["how"])


def _duty(clause: Clause) -> Asking | None:
    """May, must: answered by yes or no, with the passage's own words as the reason."""
    rest = asked(clause.rest)
    if rest is None or len(rest.split()) not in _YES_NO or clause.auxiliary in (*BE, *HAVE, *STATED, "will", "can"):
        return None
    if (
        re.match(r"\w+ no\b", clause.rest)
        or clause.rest.startswith(("only", "need", "find", "however"))
        or rest.endswith(" only")
    ):
        return None
    if not _PARTY.fullmatch(clause.subject) or not names_one(clause.subject) or _EMPTY.match(rest):
        return None
    helper = "May" if clause.auxiliary == "may" or clause.is_negated else "Must"
    kind = "prohibition" if clause.is_negated else "permission" if helper == "May" else "obligation"
    is_free = helper == "May" and not is_state(rest)
    is_terms = THIS_DOCUMENT.fullmatch(clause.subject) and not re.match(
        r"(?:only )?be ", rest
    )  # "shall not confer any right"
    text = f"{'Does' if is_terms else 'May'} {inside(clause.subject, clause.around)} {rest}"
    text = text if is_free or is_terms else inverted(clause, rest)
    one = made(kind, finished(clause, f"{text[0].upper()}{text[1:]}"), "no" if clause.is_negated else "yes")
    who = THIS_DOCUMENT.sub(THIS, inside(clause.subject, clause.around))
    return one._replace(who=who, does=THIS_DOCUMENT.sub(THIS, rest)) if one else None


def _then(clause: Clause) -> Asking | None:
    """ "Upon termination, the Recipient shall return all papers": what is to be done then."""
    before = asked(clause.before) if _EVENT.match(clause.before) else None
    is_one = _PARTY.fullmatch(clause.subject) and names_one(clause.subject) and not clause.is_negated
    is_act = not THIS_DOCUMENT.search(clause.subject) and clause.auxiliary in MODALS
    is_act &= len(clause.rest.split()) > 3 and not clause.rest.startswith("be ")
    if not (before and is_one and is_act):
        return None
    helper, subject = MODALS[clause.auxiliary], inside(clause.subject, clause.around)
    return made("duty", finished(clause, f"What {helper} {subject} do"), clause.rest)


READERS: tuple[Callable[[Clause], Asking | None], ...] = (
    _law, _notice, _manner, *PROSE, _being, _sum, _period, _on, _count, _then, _duty,
)  # fmt: skip
