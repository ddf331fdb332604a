"""What passages state, as questions: amounts, dates, periods, shares, counts, places, law, definitions, duties, cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec import Struct

from surefoot.build.clauses import Clause, asked, clause_of, is_whole, plain, points_outside
from surefoot.corpus.passages import Row
from surefoot.text.sentences import sentences
from surefoot.text.tables import cells_of, prose_of

THIS = "{doc}"  # in a question: the document, by its name
_NUMBER = (
    r"(?:(?:[a-z]+(?:-[a-z]+)?\s+)?\(\s*\d[\d,.]*\s*\)|\d[\d,]*(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|"
    r"ten|eleven|twelve|fourteen|fifteen|eighteen|twenty(?:-four|-one)?|thirty|forty(?:-five)?|sixty|ninety)"
)
_UNIT = r"(?P<unit>(?:business |calendar |working |consecutive |full )?(?:minute|hour|day|week|month|quarter|year))s?"
_MONEY = (
    r"(?:(?:US|U\.S\.|CA?|AU?|HK|NZ) ?)?[$€£]\s?\d[\d,]*(?:\.\d+)?(?: (?:million|billion|thousand))?"
    r"|\b(?:USD|EUR|GBP|CHF|NOK|SEK|DKK|CAD|AUD) ?\d[\d,]*(?:\.\d+)?(?: (?:million|billion|thousand))?"
)
_SHARE = rf"(?:\d[\d,]*(?:\.\d+)?\s?%|{_NUMBER}(?: hundred)? (?:percent|per cent))"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = rf"(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)\d\d|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? (?:19|20)\d\d)"
_ABOUT = r"(?:approximately |about |over |more than |at least |up to |a total of |an aggregate of |not more than |no more than )?"
_BE = frozenset({"is", "are", "was", "were"})
_MODALS = {
    "shall": "must", "must": "must", "will": "will", "may": "may", "can": "can", "agrees to": "must", "agree to": "must",
    "undertakes to": "must", "is required to": "must", "are required to": "must",
}  # fmt: skip
_HAVE = {"has": "does", "have": "do", "had": "did"}
_PAST = {
    "increased": "increase", "decreased": "decrease", "grew": "grow", "rose": "rise", "fell": "fall",
    "declined": "decline", "dropped": "drop", "totaled": "total", "totalled": "total", "reached": "reach",
    "generated": "generate", "paid": "pay", "received": "receive", "reported": "report", "recorded": "record",
    "employed": "employ", "acquired": "acquire", "issued": "issue", "sold": "sell", "spent": "spend",
}  # fmt: skip
_PAST_CLAUSE = re.compile(rf"(?P<subject>[A-Z][^,;:()]{{3,70}}?) (?P<verb>{'|'.join(_PAST)}) (?P<rest>[^;]+)\.")
_DEFINITION = re.compile(
    r"[\"“](?P<term>[A-Z][\w /&'-]{2,40})[\"”] (?:shall mean|means|shall refer to|refers to|is defined as)\b(?! the meaning)"
)
_LAW = re.compile(
    r"\b(?:governed|construed|interpreted)\b.{0,90}?\b(?:laws? (?:of|in) (?:the )?(?P<place>(?:\w+ of )?[A-Z][\w.]+(?: (?:and |of )?"
    r"[A-Z][\w.]+){0,3})|(?P<people>[A-Z]\w+) laws?\b)"
)
_PLACE = re.compile(
    r"(?P<how>located|headquartered|based|situated) (?:in|at) (?P<value>(?:\d+ )?[A-Z][\w.]+[^;]{0,60})$"
)
_THIS = re.compile(
    r"\bth(?:is|e(?= (?:Agreement|AGREEMENT)\b)) (?:[a-z-]+ ){0,3}(?:agreement|contract|lease|policy|licen[cs]e|addendum|amendment|"
    r"deed|plan|handbook|undertaking|letter|order|nda|cnda|terms|report|guide|manual)\b",
    re.IGNORECASE,
)
_PARTY = re.compile(
    r"(?:(?:The|Each|Either|Any|Every|All|Both|A|An) )?(?:[A-Z][\w&.'-]*(?: (?:of|and|the|&|[A-Z][\w&.'-]*)){0,6}|part(?:y|ies))",
)
_DETERMINERS = frozenset(
    ["The", "A", "An", "Each", "Either", "Any", "All", "Every", "Both", "You", "Your", "Its", "Their", "One"]
)
_CROOKED = re.compile(
    rf"\b(?:[Tt]his|[Ww]e|[Oo]ur|us|I|my|automatically renew)\b|{_MONEY}|\d ?%|\d million|\bas follows\b|--"
)
_LOOSE_ENDS = frozenset(
    [
        "and",
        "or",
        "of",
        "to",
        "for",
        "in",
        "with",
        "by",
        "including",
        "provide",
        "submit",
        "the",
        "a",
        "an",
        "up",
        "on",
        "at",
        "from",
        "its",
        "their",
        "that",
        "which",
        "be",
        "is",
        "are",
    ]
)
_YES_NO = range(5, 19)  # words of the rest
_LONGEST_CELL = 40


_STATES = re.compile(
    r"(?:remain|retain|survive|continue|have|apply|constitute|become|expire|terminate|own|commence|begin|end|last)\b"
)
_IS = re.compile(
    r"be (?:entitled|liable|responsible|bound|subject|obliged|obligated|effective|valid|binding|free|permitted|allowed|"
    r"considered|exempt|eligible|enforceable|confidential|due|payable|void)\b"
)


class Fact(Struct, frozen=True):
    """A question that a passage answers; `{doc}` in it stands for the document."""

    kind: str
    row: Row
    claim: str  # the passage's own words
    asks: str
    value: str  # of these, what is asked for
    who: str = ""  # and
    does: str = ""  # what, of a duty


class _Asked(NamedTuple):
    kind: str
    asks: str
    value: str
    who: str = ""
    does: str = ""


def facts_of(row: Row) -> list[Fact]:
    """Every fact of a passage that makes a question people would ask."""
    found = [*_cells(row)]
    for claim in _claims(row):
        one = _defined(claim) or _of_clause(claim, row.text) or _of_past(claim, row.text)
        if one and _is_fair(one):
            found.append(Fact(one.kind, row, claim, one.asks, one.value, one.who, one.does))
    return found


def _claims(row: Row) -> Iterator[str]:
    heading = row.heading.rpartition(" > ")[2]
    for line in prose_of(row.text).splitlines():
        if line != heading:
            yield from map(plain, sentences(line))


def _is_fair(one: _Asked) -> bool:
    """Neither crooked nor giving itself away."""
    words = one.asks.split()
    if words[-1].rstrip("?").lower() in _LOOSE_ENDS:
        return False
    return 5 <= len(words) <= 32 and (len(one.value) < 3 or one.value.lower() not in one.asks.lower())


def _defined(claim: str) -> _Asked | None:
    found = _DEFINITION.match(claim)
    if not found or not claim.endswith(".") or len(claim.split()) < 9 or "meaning set forth" in claim:
        return None
    return _Asked("definition", f'What does "{found["term"]}" mean?', claim[found.end() :].strip())


def _of_clause(claim: str, around: str) -> _Asked | None:
    clause = clause_of(claim, around)
    if clause is None:
        return None
    for reader in _READERS:
        if one := reader(clause):
            return one
    return None


def _question(clause: Clause, what: str, rest: str | None, auxiliary: str = "") -> str | None:
    if rest is None or clause.is_negated or not _names_one(clause.subject):
        return None
    return _finished(clause, f"{what} {_inverted(clause, rest, auxiliary)}")


def _inverted(clause: Clause, rest: str, auxiliary: str = "") -> str:
    """ "must the Supplier deliver", "are the parties bound", "does the duty survive"."""
    subject = _inside(clause.subject, clause.around)
    if auxiliary or clause.auxiliary not in ("shall", "must", "agrees to", "agree to"):
        return f"{auxiliary or _MODALS.get(clause.auxiliary, clause.auxiliary)} {subject} {rest}"
    if _STATES.match(rest):
        return f"{'do' if _is_plural(subject) else 'does'} {subject} {rest}"
    if _IS.match(rest):
        return f"{'are' if _is_plural(subject) else 'is'} {subject} {rest.removeprefix('be ')}"
    return f"must {subject} {rest}"


def _names_one(subject: str) -> bool:
    """No heading has slipped in before "This Agreement"."""
    this = _THIS.search(subject)
    return (
        not this
        or not subject[: this.start()].strip()
        or re.search(r"\b(?:of|under|to|in|by)\s*$", subject[: this.start()]) is not None
    )


def _is_plural(subject: str) -> bool:
    head = re.split(r" (?:of|to|under|in|for|with|from|by|on|hereunder)\b", subject)[0]
    is_many = re.search(r"[^s'i]s$|\band\b|^(?:all|both|you)\b", head, re.IGNORECASE) is not None
    return is_many and not re.search(r"\b(?:information|each|every|any|either)\b", head, re.IGNORECASE)


def _finished(clause: Clause, text: str) -> str | None:
    before = asked(clause.before) if clause.before else ""
    if before is None or points_outside(text.replace("This", "")):
        return None
    whole = f"{before}, {text[0].lower()}{text[1:]}" if before else text
    whole = _THIS.sub(THIS, " ".join(whole.split()))
    if _CROOKED.search(whole):
        return None
    return f"{whole.rstrip(' ,.')}?"


def _inside(subject: str, around: str) -> str:
    """As it is written inside a sentence: without its capital if the passage has it so elsewhere."""
    first, _, others = subject.partition(" ")
    low = f"{first[0].lower()}{first[1:]}"
    if re.match(r"(?:[A-Z]|\d+)\b(?!')", others):  # "Party B"
        return subject
    return (
        f"{low} {others}".strip() if first in _DETERMINERS or re.search(rf"\b{re.escape(low)}\b", around) else subject
    )


def _cut(rest: str, found: re.Match[str]) -> str | None:
    """The rest without what is asked for."""
    left = rest[: found.start()], rest[found.end() :]
    return asked(" ".join(part.strip() for part in left if part.strip()))


def _made(kind: str, question: str | None, value: str) -> _Asked | None:
    return None if question is None else _Asked(kind, question, value.strip())


_NOTICE = re.compile(
    rf"\b(?P<how>(?:upon|on|with|by|giving|by giving|upon giving|by providing)?) ?"
    rf"(?:at least |not less than |no less than |a minimum of )?(?P<value>{_NUMBER} {_UNIT})(?:'|'s)? "
    r"(?P<of>(?:(?:prior|advance|written|previous|notice) ){0,3}notice)\b(?: to (?:the )?[\w ]{3,30}?(?= (?:of|for|at|in|by|if)\b|$))?"
)
_ENDING = re.compile(
    r"(?:terminate|cancel|resign|end|withdraw|give|vary|amend|change|leave|revoke|discontinue|modify|suspend)\b"
)
_PERIOD = re.compile(
    rf"\b(?P<how>within|for|not later than|no later than|at least|not less than|up to|at most|until)"
    rf" (?:a |an |the )?(?:(?:further |additional |initial |maximum |minimum )?(?:period|term|maximum|minimum) of )?(?:at least |not less than |up to )?"
    rf"(?P<value>{_NUMBER} {_UNIT})\b(?!'| old| of age| and\b| or\b)"
)
_PERIOD_WORDS = {
    "within": "Within how many {}s", "for": "For how many {}s", "until": "Until how many {}s",
    "not later than": "No later than how many {}s", "no later than": "No later than how many {}s",
    "at least": "At least how many {}s", "not less than": "At least how many {}s", "up to": "Up to how many {}s",
    "at most": "At most how many {}s",
}  # fmt: skip
_SUM = re.compile(
    rf"\b(?:a|an|the) (?P<noun>(?:[a-z-]+ ){{0,4}}(?:fee|payment|price|sum|deposit|rent|salary|amount|charge|premium|bonus|"
    rf"royalty|commission|penalty|fine|loan|grant|rate|discount|rebate|allowance|retainer|advance|budget|interest)) "
    rf"(?:of|in the amount of|equal to|amounting to) {_ABOUT}(?P<value>{_MONEY}|{_SHARE})"
)
_EXCEED = re.compile(rf"(?:exceed|be more than) (?P<value>{_MONEY}|{_SHARE}|{_NUMBER} {_UNIT}s?)(?P<tail>.*)")
_LED = re.compile(r"\b(at|for|in|with|on|to|by|of|after|upon|against)\s*$")
_PAID = re.compile(rf"\b(?:sum of |amount of )?(?P<value>{_MONEY})")
_PART = re.compile(
    rf"(?P<value>{_SHARE}) of (?P<noun>(?:the |all |its |their |any )?(?:[\w'-]+ ){{0,3}}[\w'-]+?)(?= (?:of|for|in|on|from|to|per|during|by|with|under|at|as|and|or)\b|$)"
)
_ON = re.compile(
    rf"\b(?P<how>on or before|no later than|not later than|on|by|until|through|as of|from|since) (?P<value>{_DATE})"
)
_ON_WORDS = {
    "on or before": "By what date", "no later than": "By what date", "not later than": "By what date", "by": "By what date",
    "on": "On what date", "until": "Until what date", "through": "Through what date", "as of": "As of what date",
    "from": "From what date", "since": "Since what date",
}  # fmt: skip
_COUNT = re.compile(rf"\b(?P<value>{_NUMBER}) (?P<noun>(?:[a-z-]+ ){{0,2}}[a-z]{{3,}}s)\b(?! of\b)")
_NOT_COUNTED = re.compile(
    r"\b(?:days|months|years|weeks|hours|minutes|quarters|dollars|times|others|percents|is|its|was|has|this|as)\b"
)


def _law(clause: Clause) -> _Asked | None:
    found = _LAW.search(clause.rest)
    if not found or not _THIS.fullmatch(clause.subject) or clause.is_negated:
        return None
    return _Asked("law", f"Which state's or country's law governs {THIS}?", found["place"] or found["people"])


def _notice(clause: Clause) -> _Asked | None:
    found = _NOTICE.search(clause.rest)
    if not found or not _ENDING.match(clause.rest) or bool(found["how"]) == clause.rest.startswith("give"):
        return None
    how = f"{found['how'].capitalize()} how" if found["how"] else "How"
    question = _question(clause, f"{how} many {found['unit']}s' {found['of']}", _cut(clause.rest, found))
    return _made("period", question, found["value"])


def _period(clause: Clause) -> _Asked | None:
    found = _PERIOD.search(clause.rest)
    if not found:
        return None
    what = _PERIOD_WORDS[found["how"]].format(found["unit"])
    if found["how"] not in ("within", "for") or re.match(
        r" (?:of|after|following|from|upon)\b", clause.rest[found.end() :]
    ):
        return _deadline(clause, what, found)
    return _made("period", _question(clause, what, _cut(clause.rest, found)), found["value"])


def _deadline(clause: Clause, what: str, found: re.Match[str]) -> _Asked | None:
    """ "at least five days before making a change": what it is counted from belongs to what is asked."""
    after = asked(clause.rest[found.end() :])
    if after is None or not re.match(r"(?:prior to|before|after|following|from|in advance|of|upon)\b", after):
        return None
    first = asked(clause.rest[: found.start()])
    if first in (None, "", "have"):
        return None
    return _made("period", _question(clause, f"{what} {after}", first), found["value"])


def _sum(clause: Clause) -> _Asked | None:
    found = _SUM.search(clause.rest)
    if not found or (clause.auxiliary in _BE and not clause.rest[: found.start()].strip()):
        return None
    led = _LED.search(clause.rest[: found.start()])
    left = clause.rest[: led.start() if led else found.start()], clause.rest[found.end() :]
    what = f"{led.group(1).capitalize()} what" if led else "What"
    rest = asked(" ".join(part.strip() for part in left if part.strip()))
    return _made("amount", _question(clause, f"{what} {found['noun']}", rest), found["value"])


def _paid(clause: Clause) -> _Asked | None:
    found = _PAID.search(clause.rest)
    verb = clause.rest.split(" ", 1)[0]
    if not found or verb not in ("pay", "receive", "contribute", "deposit", "reimburse", "invest"):
        return None
    return _made("amount", _question(clause, "How much", _cut(clause.rest, found)), found["value"])


def _limit(clause: Clause) -> _Asked | None:
    """ "The credits may not exceed 30 % of the fees"."""
    found = _EXCEED.match(clause.rest)
    tail = asked(found["tail"]) if found else None
    if not found or tail is None or not clause.is_negated:
        return None
    subject, helper = _inside(clause.subject, clause.around), _MODALS.get(clause.auxiliary, clause.auxiliary)
    is_part = tail.startswith("of ")
    what = f"What percentage {tail}" if is_part else "What amount"
    text = f"{what} {helper} {subject} not exceed {'' if is_part else tail}"
    return _made("amount", _finished(clause, text), found["value"])


def _part(clause: Clause) -> _Asked | None:
    found = _PART.search(clause.rest)
    if not found or clause.rest[: found.start()].strip().endswith((" of", " to", " by", "than", "rate of")):
        return None
    rest = _cut(clause.rest, found)
    return _made("share", _question(clause, f"What percentage of {found['noun']}", rest), found["value"])


def _on(clause: Clause) -> _Asked | None:
    found = _ON.search(clause.rest)
    if not found or clause.auxiliary in _HAVE:
        return None
    return _made("date", _question(clause, _ON_WORDS[found["how"]], _cut(clause.rest, found)), found["value"])


def _being(clause: Clause) -> _Asked | None:
    """ "The fee is EUR 500", "The term shall be five years"."""
    rest = clause.rest.removeprefix("be ") if clause.auxiliary in ("shall", "will", "must") else clause.rest
    is_future = rest != clause.rest
    if clause.is_negated or (clause.auxiliary not in _BE and not is_future):
        return None
    found = re.match(
        rf"{_ABOUT}(?:for )?(?:a period of |a term of )?(?P<value>{_MONEY}|{_SHARE}|{_DATE}|{_NUMBER} {_UNIT}s?\b)(?P<tail>.*)",
        rest,
    )
    if not found:
        return None
    kind = "date" if re.fullmatch(_DATE, found["value"]) else "period" if found["unit"] else "amount"
    subject, tail = _inside(clause.subject, clause.around), asked(found["tail"])
    what = (
        "How long"
        if kind == "period" and re.search(r"\b(?:term|period|time|duration|length)\b", subject, re.I)
        else "What"
    )
    if tail is None or not re.match(r"(?:for|in|as of|during|at|on|per|under|each|a|every)\b|$", tail):
        return None
    order = (
        f"{what} will {subject} be {tail}"
        if is_future and clause.auxiliary != "must"
        else f"{what} must {subject} be {tail}"
    )
    return _made(
        kind, _finished(clause, order if is_future else f"{what} {clause.auxiliary} {subject} {tail}"), found["value"]
    )


def _having(clause: Clause) -> _Asked | None:
    found = re.match(
        rf"{_ABOUT}(?P<value>{_NUMBER}) (?P<noun>(?:[a-z-]+ ){{0,3}}[a-z]{{3,}}s)\b(?P<tail>.*)", clause.rest
    )
    if not found or clause.auxiliary not in _HAVE or _NOT_COUNTED.search(found["noun"]):
        return None
    rest = asked(f"have {found['tail']}")
    return _made("count", _question(clause, f"How many {found['noun']}", rest, _HAVE[clause.auxiliary]), found["value"])


def _count(clause: Clause) -> _Asked | None:
    found = _COUNT.search(clause.rest)
    if not found or clause.auxiliary in _BE or _NOT_COUNTED.search(found["noun"]):
        return None
    if len(clause.rest[: found.start()].split()) > 3 or re.match(r"(?:have|be)\b", clause.rest):
        return None
    return _made("count", _question(clause, f"How many {found['noun']}", _cut(clause.rest, found)), found["value"])


def _place(clause: Clause) -> _Asked | None:
    found = _PLACE.search(clause.rest)
    if not found or clause.auxiliary not in _BE or clause.rest[: found.start()].strip():
        return None
    return _made("place", _question(clause, "Where", found["how"]), found["value"])


def _duty(clause: Clause) -> _Asked | None:
    """May, must: answered by yes or no, with the passage's own words as the reason."""
    rest = asked(clause.rest)
    if rest is None or len(rest.split()) not in _YES_NO or clause.auxiliary in (*_BE, *_HAVE, "will", "can"):
        return None
    if (
        not _PARTY.fullmatch(clause.subject)
        or not _names_one(clause.subject)
        or re.match(
            r"(?:be deemed|be governed|be construed|mean|include|not|have the meaning|constitute|enter into|be of the essence|have (?:no|[a-z]+ed|been)\b)\b|.*\b(?:governed|construed)\b",
            rest,
        )
    ):
        return None
    helper = "May" if clause.auxiliary == "may" or clause.is_negated else "Must"
    kind = "prohibition" if clause.is_negated else "permission" if helper == "May" else "obligation"
    text = f"May {_inside(clause.subject, clause.around)} {rest}" if helper == "May" else _inverted(clause, rest)
    question = _finished(clause, f"{text[0].upper()}{text[1:]}")
    made = _made(kind, question, "no" if clause.is_negated else "yes")
    return made._replace(who=_inside(clause.subject, clause.around), does=rest) if made else None


_READERS: tuple[Callable[[Clause], _Asked | None], ...] = (
    _law, _notice, _limit, _being, _having, _sum, _part, _paid, _period, _on, _count, _place, _duty,
)  # fmt: skip


def _of_past(claim: str, around: str) -> _Asked | None:
    """ "Net sales increased by 5 % in 2009": what has no auxiliary."""
    found = _PAST_CLAUSE.fullmatch(claim)
    if not found or not is_whole(claim) or len(found["subject"].split()) > 8:
        return None
    subject, verb = found["subject"], _PAST[found["verb"]]
    if re.search(r"\b(?:and|that|which|who|as|if|we|it|they|this)\b", subject, re.I):
        return None
    clause = Clause("", subject, "did", False, f"{verb} {found['rest']}", around)
    changed = re.match(
        rf"(?P<verb>{verb}) (?:by )?{_ABOUT}(?P<value>{_MONEY}|{_SHARE})(?P<tail>(?! of).*)", clause.rest
    )
    if not changed:
        return None
    tail = re.sub(rf"^,? (?:or [^,]*?,? )?(?:to|from) {_ABOUT}(?:{_MONEY}|{_SHARE})", "", changed["tail"])
    what = "What" if verb in ("total", "reach") else "How much"
    what = "By how much" if verb in ("increase", "decrease", "grow", "rise", "fall", "decline", "drop") else what
    return _made("amount", _question(clause, what, asked(f"{verb} {tail}"), "did"), changed["value"])


def _cells(row: Row) -> Iterator[Fact]:
    """Of tables with one line of headings: what stands under a heading beside the name of a row."""
    lines = [cells_of(line) for line in row.text.splitlines() if line.startswith("|")]
    lines = [line for line in lines if not all(re.fullmatch(r"[\s:-]*", cell) for cell in line)]
    if len(lines) < 2 or len({len(line) for line in lines}) != 1:
        return
    header, *body = lines
    names = [line[0] for line in body]
    for line in body:
        for heading, cell in list(zip(header, line, strict=True))[1:]:
            if _is_cell(heading, line[0], cell) and names.count(line[0]) == 1 and header.count(heading) == 1:
                question = _cell_question(header[0], line[0], heading, cell)
                if question:
                    yield Fact("cell", row, f"{line[0]}: {heading} {cell}.", question, cell)


def _is_cell(heading: str, name: str, cell: str) -> bool:
    is_named = re.search(r"[A-Za-z]{3}|(?:19|20)\d\d", heading) and re.match("[A-Za-z]{3}", name)
    is_short = all(0 < len(text) <= _LONGEST_CELL for text in (heading, name, cell))
    return bool(is_named and is_short and re.search(r"\w", cell)) and not re.match(
        r"(?:total|all|sum|other)\b", name, re.I
    )


def _cell_question(corner: str, name: str, heading: str, cell: str) -> str | None:
    what, of = (" ".join(re.sub(r"\([^()]*\)", "", text).split()) for text in (heading, name))
    if _TIME.search(what):
        return (
            None
            if re.match(r"(?:Until|From|Since|Before|After)\b", what)
            else f"What is the {_lower(what)} figure for {of}?"
        )
    if not re.fullmatch(r"(?:% of )?[A-Za-z][A-Za-z' -]+", what) or re.search(r"^(?:As|Of|In|Per|\w+ed)\b|ed$", what):
        return None
    what = _lower(what).replace("% of", "percentage of")
    if _is_plural(what) and not re.search("[a-z]{3}", cell):
        what = f"number of {what}"
    is_kind = re.fullmatch("[A-Z][a-z ]+", corner) and " " not in of and corner.lower() not in of.lower()
    return f"What is the {what} for {f'the {of} {corner.lower()}' if is_kind else of}?"


_TIME = re.compile(r"\b(?:19|20)\d\d\b")


def _lower(text: str) -> str:
    return f"{text[0].lower()}{text[1:]}" if text[1:2].islower() and not re.search(r" [A-Z][a-z]", text) else text
