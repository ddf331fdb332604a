"""What passages state, as questions that they answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from surefoot.build.asking import READERS, THIS, Asking, is_plural, made, question
from surefoot.build.clauses import DATE, MONEY, NUMBER, SHARE, UNIT, YEAR, asked, clause_of, patterns_of, plain
from surefoot.corpus.passages import Row
from surefoot.text.normal import sentences, words_of
from surefoot.text.tables import cells_of, prose_of

_DEFINITION, _UNIT, _NO_NOUN, _HAD, _SIZED, _IN_CASE = patterns_of("definition unit no_noun had sized in_case")
_SECOND, _AND_SO = patterns_of("second and_so")
_PROPERTIES = frozenset(["Property", "Feature", "Characteristic", "Parameter", "Specification", "Item", "Data", ""])
_VALUES = frozenset(["Value", "Data", "Figure", "Specification", "Details", "Description"])
_LOOSE_ENDS = frozenset(words_of("documents")["loose_ends"].split())
_SORTS = (rf"\b{NUMBER} {UNIT}", MONEY, SHARE, rf"{DATE}|\d (?:am|pm)\b|noon")  # a value, and another in the question
_LONGEST_CELL = 40
_MOST_LEFT_OUT = 2.0  # words of a duty to each word of its question


class Fact(Struct, frozen=True):
    """A question that a passage answers; `{doc}` in it stands for the document."""

    kind: str
    row: Row
    claim: str  # the passage's own words
    asks: str
    value: str  # of these, what is asked for
    who: str = ""  # and
    does: str = ""  # what, of a duty

    @property
    def is_order(self) -> bool:
        """ "Clean the filter": no sentence that another could take in."""
        return "should you" in self.asks and not re.search(r"\byou\b", self.claim, re.IGNORECASE)


def facts_of(row: Row, around: str = "") -> list[Fact]:
    """Every fact of a passage that makes a question people would ask; `around` is the text of its document."""
    found = [*_cells(row)]
    for claim in _claims(row):
        one = _defined(claim) or _of_clause(claim, around or row.text)
        if one and _is_fair(one, claim):
            found.append(Fact(one.kind, row, claim, one.asks, one.value, one.who, one.does))
    return found


def _claims(row: Row) -> Iterator[str]:
    heading = row.heading.rpartition(" > ")[2]
    for line in prose_of(row.text).splitlines():
        if line != heading:
            yield from map(plain, sentences(line))


def _is_fair(one: Asking, claim: str) -> bool:
    """Neither crooked, nor giving itself away, nor a small part of a long duty."""
    words = one.asks.split()
    before, _, after = claim.partition(one.value) if one.value in claim else ("", "", "")
    gives_away = bool(one.value == "yes" and re.search(rf"\d|\b{NUMBER} {UNIT}", one.asks))
    gives_away |= len(one.value) > 2 and one.value.lower() in one.asks.lower()
    is_two = bool(_SECOND.search(before) or _AND_SO.match(after))
    is_two |= bool(one.kind == "period" and re.search(r"\b(?:that|which|who) \w+", before))
    sorts = [sort for sort in _SORTS if one.kind in ("date", "time") or re.search(sort, one.value)]
    is_two |= any(re.search(sort, one.asks) for sort in sorts)
    is_small = one.does and len(claim.split()) > _MOST_LEFT_OUT * len(words)
    is_cut = words[-1].rstrip("?").lower() in _LOOSE_ENDS
    return 4 <= len(words) <= 32 and not (gives_away or is_two or is_small or is_cut)


def _defined(claim: str) -> Asking | None:
    found = _DEFINITION.match(claim)
    if not found or not claim.endswith(".") or len(claim.split()) < 9 or "meaning set forth" in claim:
        return None
    return Asking("definition", f'What does "{found["term"]}" mean?', claim[found.end() :].strip())


def _of_clause(claim: str, around: str) -> Asking | None:
    main, told, reason = claim.partition(", because ")
    clause = clause_of(f"{main}." if told else claim, around)
    if clause is None:
        return None
    clause = clause._replace(rest=clause.rest.removeprefix("also "))
    rest = asked(clause.rest) if told else None
    if rest:
        rest = f"not {rest}" if clause.is_negated else rest
        return made("reason", question(clause._replace(is_negated=False), "Why", rest), reason.rstrip("."))
    for reader in READERS:
        if one := reader(clause):
            return one
    return None


def _cells(row: Row) -> Iterator[Fact]:
    """Of tables with one line of headings: what stands under a heading beside the name of a row."""
    lines = [cells_of(line) for line in row.text.splitlines() if line.startswith("|")]
    lines = [line for line in lines if not all(re.fullmatch(r"[\s:-]*", cell) for cell in line)]
    if len(lines) < 2 or len({len(line) for line in lines}) != 1:
        return
    header, *body = lines
    names = [line[0] for line in body]
    unit = next((place for place, heading in enumerate(header) if place and _UNIT.fullmatch(heading)), 0)
    for line in body:
        for heading, cell in list(zip(header, line, strict=True))[1:]:
            if _is_cell(heading, line[0], cell) and names.count(line[0]) == 1 and header.count(heading) == 1:
                asks = _cell_question(header[0], line[0], heading, cell)
                what = "" if heading in _VALUES else f"{heading} "
                value = f"{cell} {line[unit]}" if unit and what == "" and line[unit] else cell
                if asks:
                    yield Fact("cell", row, f"{line[0]}: {what}{value}.", asks, value)
    for place, heading in enumerate(header):
        if not _IN_CASE.match(heading) and not re.match("Each|Every|Per", heading):
            yield from _highest(row, header[0], heading, [(line[0], line[place]) for line in body])


def _highest(row: Row, corner: str, heading: str, cells: list[tuple[str, str]]) -> Iterator[Fact]:
    """Which of several rows has most of something that they all have in one unit."""
    found = [re.fullmatch(r"(\D*)(\d[\d,.]*)(\D*)", cell) for _, cell in cells]
    sizes = [(float(one[2].replace(",", "").rstrip(".")), one[1] + one[3]) for one in found if one]
    is_plain = all(re.fullmatch(r"[A-Z][a-z]+(?: [a-z]+)*", text) for text in (corner, heading)) and corner != heading
    is_plain &= bool(re.search("price|fee|cost|charge|limit|rate", heading, re.I) or _SIZED.search(heading.lower()))
    is_plain &= all(re.match(r"[A-Za-z]", name) for name, _ in cells) and not _NO_NOUN.match(heading)
    if len(cells) < 3 or len(sizes) < len(cells) or len({unit for _, unit in sizes}) > 1 or not is_plain:
        return
    best = max(sizes)
    if sizes.count(best) == 1 and not is_plural(heading) and corner not in _PROPERTIES:
        name, cell = cells[sizes.index(best)]
        yield Fact("comparison", row, f"{name}: {heading} {cell}.",
                   f"Which {corner.lower()} has the highest {heading.lower()}?", name)  # fmt: skip


def _is_cell(heading: str, name: str, cell: str) -> bool:
    is_named = re.search(r"[A-Za-z]{3}|(?:19|20)\d\d", heading) and re.match("[A-Za-z].*[A-Za-z]", name)
    is_whole = is_named and name.split()[-1].lower() not in _LOOSE_ENDS  # not "Solids up to"
    is_short = all(0 < len(text) <= _LONGEST_CELL for text in (heading, name, cell))
    return bool(is_whole and is_short and re.search(r"\w", cell)) and not re.match(
        r"(?:total|all|sum|other)\b", name, re.I
    )


def _cell_question(corner: str, name: str, heading: str, cell: str) -> str | None:
    """ "What is the price of the adult ticket?"; a row that is called by more than a noun stands in quotes."""
    what, of = (" ".join(re.sub(r"\([^()]*\)", "", text).split()) for text in (heading, name))
    if YEAR.fullmatch(what):
        return f"What figure does {THIS} give for {_lower(of)} in {what}?"
    if corner in _PROPERTIES and re.fullmatch(r"[A-Z][A-Za-z' -]+", of):
        whose = THIS if what in _VALUES else f"the {what}" if re.fullmatch(r"[A-Z]+[\w-]*\d[\w-]*", what) else ""
        return _property(_lower(of), whose) if whose else None
    if _IN_CASE.match(what):
        is_charge = re.search("(?i)charge|fee|price|cost|tariff|rate", corner) and not re.search("(?i)charge|fee", of)
        return f"What is {'charged for' if is_charge else 'the'} {_lower(of)} {_lower(what)}?"
    if _NO_NOUN.match(what):
        return None
    if re.search("signal|fault|problem|error|symptom|message|display", corner, re.IGNORECASE):
        return f'What is the {_lower(what)} if the {corner.lower()} is "{name}"?'
    if what in _VALUES or not re.fullmatch(r"(?:% of )?[A-Za-z][A-Za-z' -]+", what):
        return None
    if re.fullmatch("(?i)time|hours", what):
        return None
    what = re.sub(r" (EUR|USD|GBP|CHF)$", r" in \1", _lower(what).replace("% of", "percentage of"))
    is_price = re.search("fee|price|cost|charge|rate|limit|allowance|sum|amount", what)
    if re.fullmatch("(?i)days?|dates?|months?|weeks?|times?", corner):
        return None
    kind = corner.lower() if re.fullmatch("[A-Z][a-z]+(?: [a-z]+)?", corner) and not is_plural(corner) else ""
    is_place = re.search("destination|country|city|place|region|site|name|where", kind)
    if is_place:
        of = re.sub("^(?=United |Netherlands)", "the ", of)
    elif not kind or kind in of.lower():
        is_phrase = re.fullmatch(r"[A-Z][a-z]+(?: [a-z]+)+", of) and not is_plural(of.partition(" ")[0])
        of = f"the {_lower(of)}" if is_phrase else _lower(of)
    elif re.fullmatch(r"\S*\d\S*", of):
        of = f"{kind} {of}"
    else:
        of = f'the {kind} "{of}"' if " " in of else f"the {of if of.isupper() else of.lower()} {kind}"
    if re.match(MONEY, cell) and not is_price:
        return f"How much is {_lower(of)} for {what}?" if re.match("each|every|adult|child", what) else None
    if re.match("each|every|per|all|any|adult|child", what):
        return None
    if is_plural(what) and not re.search("[a-z]{3}", cell):
        return f"How many {what} are there for {of}?"
    return (
        f"What is the {what} for {of}?"
        if what == "dose" or (is_price and not re.search("price|cost", what))
        else _property(what, of)
    )


def _property(what: str, of: str) -> str:
    if re.search("(?:owner|chair|author|leader|manager|contact)$", what):
        return f"Who is the {what} of {of}?"
    if re.fullmatch("water|energy|electricity|fuel|power", what):
        return f"How much {what} does {of} use?"
    if is_plural(what):
        return f"What are the {what} of {of}?"
    return f"What {what} does {of} have?" if _HAD.search(what) else f"What is the {what} of {of}?"


def _lower(text: str) -> str:
    return f"{text[0].lower()}{text[1:]}" if text[1:2].islower() and not re.search(r" [A-Z][a-z]", text) else text
