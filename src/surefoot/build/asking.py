"""What a clause settles, turned into a question: what is asked for in front, the verb before its subject."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from surefoot.build.clauses import BE, DATE, HAVE, NUMBER, STATED, UNIT, Clause, asked, patterns_of, points_outside
from surefoot.text.normal import words_of

THIS = "{doc}"  # in a question: the document, by its name
MODALS = {
    "shall": "must", "must": "must", "will": "will", "may": "may", "can": "can", "should": "should",
    "agrees to": "must", "agree to": "must", "undertakes to": "must", "is required to": "must",
    "are required to": "must", "has to": "must", "have to": "must",
}  # fmt: skip
THIS_DOCUMENT, _CROOKED, _STATES, _IS = patterns_of("this_document crooked states is_state")
_DETERMINERS = frozenset(
    ["The", "A", "An", "Each", "Either", "Any", "All", "Every", "Both", "You", "Your", "Its", "Their", "One"]
)


class Asking(NamedTuple):
    kind: str
    asks: str
    value: str
    who: str = ""
    does: str = ""


def made(kind: str, question: str | None, value: str) -> Asking | None:
    return None if question is None else Asking(kind, question, value.strip())


def question(clause: Clause, what: str, rest: str | None, auxiliary: str = "") -> str | None:
    if rest is None or clause.is_negated or not names_one(clause.subject):
        return None
    return finished(clause, f"{what} {inverted(clause, rest, auxiliary)}")


def inverted(clause: Clause, rest: str, auxiliary: str = "") -> str:
    """ "must the Supplier deliver", "are the parties bound", "does the duty survive"."""
    subject = inside(clause.subject, clause.around)
    if auxiliary or MODALS.get(clause.auxiliary) != "must":
        return f"{auxiliary or MODALS.get(clause.auxiliary, clause.auxiliary)} {subject} {rest}"
    if _STATES.match(rest):
        return f"{'do' if _are_many(subject, clause.around) else 'does'} {subject} {rest}"
    if is_state(rest):
        return f"{'are' if _are_many(subject, clause.around) else 'is'} {subject} {rest.removeprefix('be ')}"
    return f"must {subject} {rest}"


def finished(clause: Clause, text: str) -> str | None:
    before = asked(clause.before) if clause.before else ""
    if before is None or points_outside(text.replace("This", "")):
        return None
    whole = f"{before}, {text[0].lower()}{text[1:]}" if before else text
    whole = THIS_DOCUMENT.sub(THIS, " ".join(whole.split()))
    if _CROOKED.search(whole):
        return None
    return f"{whole.rstrip(' ,.')}?"


def is_state(rest: str) -> bool:
    """ "be responsible", "be entitled": what one is, not what one does."""
    return _IS.match(rest) is not None


def names_one(subject: str) -> bool:
    """No heading has slipped in before "This Agreement"."""
    this = THIS_DOCUMENT.search(subject)
    return not this or bool(re.search(r"(?:^|\b(?:of|under|to|in|by))\s*$", subject[: this.start()]))


def is_plural(subject: str) -> bool:
    head = re.split(r" (?:of|to|under|in|for|with|from|by|on|hereunder)\b", subject)[0]
    is_many = re.search(r"[^s'i]s$|\band\b|^(?:all|both|you)\b", head, re.IGNORECASE) is not None
    return is_many and not re.search(r"\b(?:information|each|every|any|either)\b", head, re.IGNORECASE)


def _are_many(subject: str, around: str) -> bool:
    """A name that ends in "s" may be one: the document says "Rogers is"."""
    return is_plural(subject) and not re.search(rf"\b{re.escape(subject)} (?:is|has|was)\b", around)


def inside(subject: str, around: str) -> str:
    """As it is written inside a sentence: without its capital if that was only there to begin one ("Late payments")."""
    first, _, others = subject.partition(" ")
    low = f"{first[0].lower()}{first[1:]}"
    if first not in _DETERMINERS and re.match(r"(?:[A-Z]|\d+)\b(?!')", others):  # "Party B"
        return subject
    is_plain = (
        (
            not others
            and re.fullmatch("[A-Z][a-z]+", first)
            and not re.search(rf"{first} (?:shall|agrees)\b", around)
            and not re.search(rf"\b{first} [A-Z\d]", around)
        )
        or re.match(r"of [a-z]|(?!of|and|de|for)[a-z]{3}", others)
        or re.search(rf"\b{re.escape(low)}\b", around)
    )
    is_common = is_plain and not re.search(rf"(?<!\S)[a-z]\w*[,;]? {re.escape(first)}\b", around)
    return f"{low} {others}".strip() if first in _DETERMINERS or is_common else subject


def cut(rest: str, found: re.Match[str]) -> str | None:
    """The rest without what is asked for."""
    left = rest[: found.start()], rest[found.end() :]
    return asked(" ".join(part.strip() for part in left if part.strip()))


_LAW, _PARTY, _EMPTY, _NOTICE, _ENDING, _PERIOD, _SUM = patterns_of("law party empty notice ending period sum")
_IS_VALUE, _SPANS, _MEASURED_BY = patterns_of("is_value spans measured_by")
_LED, _ON, _COUNT, _NOT_COUNTED, _CHANGED = patterns_of("led on count not_counted changed")
_AFTER_SUM, _EVENT = patterns_of("after_sum event")
_COUNTED_FROM = re.compile(
    r"(?!.* (?:upon|through|until) |.* the date$)(?:prior to|before|after|following|from|in advance|of|upon)\b.*"
)
_NO_DUTY = re.compile(r"\w+ no\b|only|need|find|however")
_SIZE = re.compile(r"\b(?:size|type|model|number|no\.|code|class|level|channel|priority|version)$", re.I)
_YES_NO = range(5, 19)  # words of the rest
_PERIOD_WORDS = words_of("documents")["how_long"]
_ON_WORDS = words_of("documents")["by_when"]
_BY, _AT, _YEAR, _BEFORE, _OFTEN = patterns_of("by at year prose_before often")
_LASTING, _MEASURED, _PRICED, _UP_TO = patterns_of("lasting measured priced up_to")


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
    is_counted = re.match(r" (?:of|after|following|from|upon)\b", clause.rest[found.end() :])
    if found["how"] not in ("within", "for", "after") or is_counted:
        return _deadline(clause, what, found)
    return made("period", question(clause, what, cut(clause.rest, found)), found["value"])


def _deadline(clause: Clause, what: str, found: re.Match[str]) -> Asking | None:
    """ "at least five days before making a change": what it is counted from belongs to what is asked."""
    first, after = asked(clause.rest[: found.start()]), asked(clause.rest[found.end() :])
    if after is None or not _COUNTED_FROM.fullmatch(after) or first in (None, "", "have", "be"):
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
    is_two = re.match(r" (?:and|or)\b", clause.rest[found.end() :])  # of which one cannot be asked for alone
    if is_two or clause.rest.startswith(("only", "need")):
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
    if _NO_DUTY.match(clause.rest) or rest.endswith(" only"):
        return None
    if not _PARTY.fullmatch(clause.subject) or not names_one(clause.subject) or _EMPTY.match(rest):
        return None
    helper = "May" if clause.auxiliary == "may" or clause.is_negated else "Must"
    kind = "prohibition" if clause.is_negated else "permission" if helper == "May" else "obligation"
    is_free = helper == "May" and not is_state(rest)
    is_being = re.match("(?:only )?be ", rest)
    is_terms = THIS_DOCUMENT.fullmatch(clause.subject) and not is_being  # "shall not confer any right"
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


def _lasting(clause: Clause) -> Asking | None:
    """ "Batteries last about 18 months", "Results take up to three weeks"."""
    found = _LASTING.fullmatch(clause.rest)
    tail = asked(found["tail"]) if found else None
    if not found or tail is None or clause.auxiliary == "may":
        return None
    return made("period", question(clause, "How long", f"{found['verb']} {tail}"), found["value"])


def _measured(clause: Clause) -> Asking | None:
    """ "receive 27 days of annual leave per year", "costs EUR 12 a month", "weighs 86 g"."""
    found = _MEASURED.match(clause.rest) or _PRICED.match(clause.rest)
    if not found or clause.auxiliary not in STATED or (tail := asked(found["tail"])) is None:
        return None
    is_priced = found.re is _PRICED
    what = "How much" if is_priced else f"How many {found['unit']}s of {found['noun']}"
    return made("amount" if is_priced else "period", question(clause, what, f"{found['verb']} {tail}"), found["value"])


def _often(clause: Clause) -> Asking | None:
    """ "is tested every Tuesday", "you should test the sensor every six months"."""
    found = _OFTEN.search(clause.rest)
    return made("count", question(clause, "How often", cut(clause.rest, found)), found["value"]) if found else None


def _up_to(clause: Clause) -> Asking | None:
    """ "Lost baggage is covered up to EUR 1,500", "We pay medical expenses up to EUR 2,000,000"."""
    found = _UP_TO.search(clause.rest)
    if not found or clause.auxiliary not in (*STATED, *BE):
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


READERS: tuple[Callable[[Clause], Asking | None], ...] = (
    _law, _notice, _manner, _lasting, _measured, _often, _up_to, _when, _by_whom, _being, _sum, _period, _on, _count,
    _then, _duty,
)  # fmt: skip
