"""The figures of an answer against those of the gold and of the passages, read as a person reads them.

Scale, currency and percent are taken from the question where a number does not say them; the finer number is rounded as
the other is written; numbers on the way to the answer do not count. A claim must not give the passage's number under
another name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from surefoot.graders.numbers import calculations
from surefoot.text.amounts import Amount, amounts_of, same_sign
from surefoot.text.normal import sentences, terms
from surefoot.text.numbers import (
    AS_WRITTEN,
    CURRENCIES,
    MOMENTS,
    POINTS,
    SCALES,
    SPANS,
    TIMES,
    conversion,
    family,
    is_measured,
    same_family,
    same_kind,
    unit_asked,
)

_ASKS_SCALE = re.compile(
    r"(?<![\d.] )(?<![\d.])(?:\b(?P<scale>thousand|million|billion)s?\b"
    r"|(?:[$€£¥]|\b(?:usd|eur|gbp)) ?(?P<short>k|mm?|mn|bn?)\b)",
    re.IGNORECASE,
)
_ASKS_PERCENT = re.compile(r"(?<!\d)(?<!\d )(?:%|\bper ?cents?\b|\bpercentages?\b)", re.IGNORECASE)
_ASKS_UNMEASURED = re.compile(
    r"\b(?:prices?|costs?|fees?|rents?|salar(?:y|ies)|wages?|revenues?|profits?|budgets?|deposits?|fines?|dividends?"
    r"|how many|number of)\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"^\W*(?:therefore|thus|so|hence|consequently|in conclusion|in summary|overall|as a result|finally|accordingly"
    r"|this (?:means|gives|results?|comes|makes)|(?:the )?(?:final )?(?:answer|result|conclusion)\b"
    r"|based on (?:this|these|the above))",
    re.IGNORECASE,
)
_COMES_TO = re.compile(
    r"\b(?:giv(?:es|ing)|leav(?:es|ing)|mak(?:es|ing)|result(?:s|ing) in|total(?:s|ling)?|equals?|com(?:es|ing) to|so|"
    r"therefore|hence|thus)\b[^.;:\d]{0,60}$",
    re.IGNORECASE,
)
_TO_FIGURE = r"(?: \w+){0,4}? (?:by|of|was|is|:) ?(?:about |around |approximately |roughly |nearly |~)?\W{0,2}$"
_DOWN = re.compile(
    r"\b(?:decreas\w*|declin\w*|drop\w*|fell|fall\w*|reduc\w*|loss(?:es)?|lost|shr[au]nk|down|negative|shortfall|deficit)"
    rf"{_TO_FIGURE}|\bnegative \W{{0,2}}$",
    re.IGNORECASE,
)
_UP = re.compile(
    rf"\b(?:increas\w*|rose|rise|grew|growth|gain\w*|improv\w*|up|profit|positive|surplus){_TO_FIGURE}", re.IGNORECASE
)
_DOWN_BEHIND = re.compile(
    r"\W{0,2}(?:\w+ )?(?:decrease|decline|drop|fall|reduction|loss|deficit|shortfall)\b", re.IGNORECASE
)
_UP_BEHIND = re.compile(r"\W{0,2}(?:\w+ )?(?:increase|rise|growth|gain|improvement)\b", re.IGNORECASE)
_OUTFLOW = re.compile(
    r"\b(?:capex|capital expenditures?|purchas\w*|spen[dt]\w*|pa(?:y|id)\w*|dividends?|outflows?|repurchas\w*|costs?|"
    r"expenses?|loss(?:es)?|decreas\w*|declin\w*|used)\b",
    re.IGNORECASE,
)
_BY_RATE, _SCALED_RATE, _COARSER_RATE, _ROUGH_RATE = 0.015, 0.03, 0.02, 0.05
_CLOSE = 1e-9


class Figure(NamedTuple):
    amount: Amount
    sign: int  # -1, 1, or 0 where nothing is said of it
    is_worked_out: bool = False


class FigureAsked(NamedTuple):
    """What a question says of the figure it asks for."""

    scale: float
    percent: bool
    is_outflow: bool
    unit: str  # of measure, as in units
    is_unmeasured: bool  # money, or how many things there are


def asked_in(question: str) -> FigureAsked:
    scale = _ASKS_SCALE.search(question)
    name = (scale["scale"] or scale["short"]).lower() if scale else ""
    is_percent, is_outflow = bool(_ASKS_PERCENT.search(question)), bool(_OUTFLOW.search(question))
    unit = unit_asked(question)
    return FigureAsked(
        SCALES.get(name, 1.0), is_percent, is_outflow, unit, not unit and bool(_ASKS_UNMEASURED.search(question))
    )


def figures_in(text: str) -> list[Figure]:
    """All that a text gives, with their signs."""
    return [Figure(amount, _sign(text, amount)) for amount in amounts_of(text)]


def is_bare(gold: str) -> bool:
    """A gold that is nothing but a figure, as a table of results has it."""
    return len(terms(gold)) <= 1 and len(amounts_of(gold)) == 1 and any(sign.isdigit() for sign in gold)


def gold_figures(gold: str, asked: FigureAsked) -> list[Figure]:
    found = figures_in(gold)
    if not is_bare(gold):
        return found
    amount, sign, _ = found[0]
    written = gold[amount.start : amount.end].strip()
    decimals = re.search(r"\.(\d*?)0+$", written)
    place = amount.place * 10.0 ** (len(decimals[0]) - 1 - len(decimals[1])) if decimals else amount.place
    kind = "number" if amount.kind == "year" and (asked.scale > 1 or decimals or asked.unit) else amount.kind
    if kind == "number" and not amount.unit and is_measured(asked.unit):
        kind, size = SPANS.get(asked.unit, ("number", 1.0))
        amount, place = replace(amount.times(size), unit=asked.unit if kind == "number" else kind), place * size
    is_plus = not sign and amount.is_negative is False and not asked.is_outflow
    return [Figure(replace(amount, place=place, kind=kind), 1 if is_plus else sign)]


def figures_given(sentences: Sequence[str]) -> tuple[list[Figure], list[Figure]]:
    """What an answer gives as its answer, and all it says but for what goes into sums."""
    text = "\n".join(sentences)
    sums = calculations(text)
    operands = {amount.start for one in sums for amount in one.operands}
    results = {amount.start for one in sums for amount in one.results}
    ends = {one.results[-1].start for one in sums if one.results}
    said = [
        figure._replace(is_worked_out=figure.amount.start in results)
        for figure in figures_in(text)
        if figure.amount.start not in operands
    ]
    last = [one for one in said if one.amount.start in ends][-1:]
    at = 0
    for sentence in sentences:
        here = [
            one
            for one in said
            if at <= one.amount.start < at + len(sentence) and one.amount.kind not in ("date", "year")
        ]
        if here and (not last or here[-1].amount.start >= last[0].amount.start):
            comes_to = len(here) > 2 and _COMES_TO.search(text[at : here[-1].amount.start])
            last = here if _CONCLUDES.match(sentence) else here[-1:] if comes_to else last
        at += len(sentence) + 1
    values = [one.amount for one in said if one.is_worked_out]
    return [one._replace(is_worked_out=_is_one_of(one.amount, values)) for one in last] or said, said


def _is_one_of(amount: Amount, others: Sequence[Amount]) -> bool:
    return any(abs(amount.value - other.value) <= 0.5 * max(amount.place, other.place) for other in others)


def same_figure(gold: Figure, given: Figure, asked: FigureAsked, bare: bool) -> bool:
    if gold.sign * given.sign >= 0 and (given.amount.rounds(gold.amount) or gold.amount.rounds(given.amount)):
        return True
    if {gold.amount.kind, given.amount.kind} & TIMES and not bare:
        return given.amount.agrees(gold.amount)
    if gold.sign * given.sign < 0 or not same_sign(gold.amount, given.amount):
        return False
    if given.amount.kind.startswith(AS_WRITTEN):
        return False
    if POINTS in (gold.amount.unit, given.amount.unit) and "%" in (gold.amount.kind, given.amount.kind):
        return given.amount.agrees(gold.amount)
    are_measures = is_measured(gold.amount.unit) and is_measured(given.amount.unit)
    factor = conversion(given.amount.unit, gold.amount.unit) if are_measures else 1.0
    return factor is not None and any(
        _close(one, other.times(factor), given, bare and (gold.amount.place < 1 or asked.scale > 1))
        for one in _readings(gold.amount, asked)
        for other in _readings(given.amount, asked)
        if same_kind(one.kind, other.kind) or factor != 1.0
    )


def comparable(gold: Amount, given: Amount, asked: FigureAsked, bare: bool) -> bool:
    """Two figures of which at most one can be right. A bare one may be an amount or a share, as the answer says, and a
    measure unless the question asks for none."""
    if given.kind.startswith(AS_WRITTEN):
        return True
    ours, theirs = _dimension(gold), _dimension(given)
    if ours and theirs and ours != theirs:
        return False
    if bare and gold.kind == "number":
        is_measure = bool(theirs) and theirs not in ("money", "share", "things")
        return given.kind not in MOMENTS and not (is_measure and asked.is_unmeasured)
    alike = gold.kind == given.kind or {gold.kind, given.kind} <= CURRENCIES or same_family(gold, given)
    return alike or (bare and given.kind == "number")


def _dimension(amount: Amount) -> str:
    """What is measured or counted; empty where a number does not say."""
    if amount.kind in CURRENCIES:
        return "money"
    if amount.kind == "%":
        return "share"
    return family(amount.unit) or ("things" if amount.is_counting and not amount.unit else "")


def _readings(amount: Amount, asked: FigureAsked) -> Iterator[Amount]:
    yield amount
    is_plain = amount.kind == "number" or amount.kind in CURRENCIES
    if asked.scale > 1 and is_plain and not amount.is_scaled:
        yield amount.times(asked.scale)
    if amount.kind == "%":
        yield replace(amount.times(0.01), kind="number")
    elif amount.kind == "number" and asked.percent:
        yield replace(amount, kind="%")
        yield replace(amount.times(100), kind="%")


def _close(gold: Amount, given: Amount, figure: Figure, loosely: bool) -> bool:
    size, off = abs(gold.value), abs(abs(gold.value) - abs(given.value))
    if off <= _CLOSE * max(size, _CLOSE):
        return True
    if {gold.kind, given.kind} & TIMES and gold.place >= 1:  # "54.58 days" is the mean of something
        return False
    if (gold.is_rough or given.is_rough) and off <= _ROUGH_RATE * size:
        return True
    if given.place < gold.place:
        rate = _SCALED_RATE if gold.is_scaled else _BY_RATE
        return off <= (0.5 + _CLOSE) * gold.place and (loosely or off <= rate * size)
    if given.place > gold.place:
        return off <= (0.5 + _CLOSE) * given.place and off <= _COARSER_RATE * size
    return figure.is_worked_out and gold.place < 1 and off <= 1.01 * gold.place and off <= 0.01 * size


def _sign(text: str, amount: Amount) -> int:
    if amount.is_negative:
        return -1
    before = text[max(0, amount.start - 70) : amount.start].rpartition("\n")[2]
    behind = text[amount.end : amount.end + 30]
    if _DOWN.search(before) or _DOWN_BEHIND.match(behind):
        return -1
    return 1 if _UP.search(before) or _UP_BEHIND.match(behind) else 0


_OF_LENGTH = r"(?:\b(?:how|m|mm|cm|km|met(?:re|er)s?|\w+met(?:re|er)s?|feet|foot|ft|inch(?:es)?|yards?|miles?)[ -])"
_TAX = r"(?:[ ,(]+(?:of )?(?:the |any |all |\d+ ?% )*(?:vat|gst|sales tax|value[- ]added tax|tax(?:es)?)\b)"

_NOT_EACH = ("within", "in", "for", "of", "on", "to", "least", "after", "than", "once", "twice", "half")
_PAPERS = r"(?:general|reports?|accounts|statements?|filings?|meetings?|reviews?|newsletters?|conferences?)\b"


def _each(noun: str, adverb: str) -> str:
    """A fee "per week", "a week", "each week", "weekly"; but not what happens "within a week" or "once a week"."""
    behind = "".join(f"(?<!\\b{word} )" for word in _NOT_EACH)
    return (
        rf"\b{adverb}\b(?! {_PAPERS})|\b(?:per|each|every) (?:calendar |working )?{noun}\b"
        rf"|\b(?=an? ){behind}an? {noun}\b(?! (?:earlier|later|ago|before|longer|old))|/ ?{noun}\b"
    )


_GROUPS: tuple[dict[str, str], ...] = (
    {"diameter": r"\bdiameters?\b", "radius": r"\b(?:radius|radii)\b", "circumference": r"\bcircumferences?\b"},
    {
        "width": rf"\b(?:widths?|diameters?)\b|{_OF_LENGTH}(?:wide|broad|across)\b",
        "height": rf"\bheights?\b|{_OF_LENGTH}(?:high|tall)\b",
        "length": rf"\blengths?\b|{_OF_LENGTH}long\b",
        "depth": rf"\b(?:depths?|thickness)\b|{_OF_LENGTH}(?:deep|thick)\b",
    },
    {"gross": r"\bgross\b", "net": r"\bnet\b"},
    {
        "minimum": r"\b(?:minimum|(?<![/\d])(?<!\d )min\.?|at least|not?(?: \w+){0,2} (?:less|fewer) than)(?!\w)",
        "maximum": r"\b(?:maximum|max\.?|at most|not?(?: \w+){0,2} more than|up to(?! date)"
        r"|(?:not|never|cannot) (?:to )?exceed\w*)(?!\w)",
        "average": r"\b(?:average|(?:the|an?|arithmetic) mean)\b",
        "median": r"\bmedian\b",
    },
    {
        "hour": _each("hour", "hourly"),
        "day": _each("day", "daily"),
        "week": _each("week", "weekly"),
        "fortnight": _each("fortnight", "fortnightly"),
        "month": _each("month", "monthly"),
        "quarter": _each("quarter", "quarterly"),
        "year": _each("year", "(?:yearly|annual|annually|annum)"),
    },
    {
        "with tax": rf"(?<!not )\b(?:includ(?:ing|es?)|inclusive(?: of)?|incl\.?|after){_TAX}"
        rf"|{_TAX} (?:is )?included\b",
        "without tax": rf"\b(?:exclud(?:ing|es?)|exclusive(?: of)?|excl\.?|before|plus|without|net of"
        rf"|not includ(?:ing|e)){_TAX}|{_TAX} (?:is )?(?:excluded|not included|extra)\b",
    },
)  # fmt: skip
_NAMES = tuple({name: re.compile(pattern, re.IGNORECASE) for name, pattern in group.items()} for group in _GROUPS)
_JOINTS = re.compile(r"[,;)](?=\s|$)|\s[-–—]\s|[(|]|\b(?:and|while|but|whereas)\b", re.IGNORECASE)


class _Figure(NamedTuple):
    amount: Amount
    sentence: str
    part: str  # of the sentence, in which it stands
    free: tuple[str, ...]  # the parts without a figure
    is_alone: bool  # in its part: of several, a name may belong to any

    def names(self, group: int) -> frozenset[str]:
        """Those of its part and of the parts without a figure; all of the sentence where its own part has none: "3 m
        and 2 m in width and height"."""
        own = _names_in(self.part, group)
        return own.union(*(_names_in(part, group) for part in self.free)) if own else _names_in(self.sentence, group)


@lru_cache(maxsize=5_000)
def misnamed(passage: str, claim: str) -> bool:
    """The claim gives the figure of the diameter as the radius, of the gross salary as the net one."""
    said = [one for one in _figures(claim) if one.is_alone]
    return any(_is_misnamed(one, passage, group) for one in said for group in range(len(_NAMES)))


def _is_misnamed(said: _Figure, passage: str, group: int) -> bool:
    """Nothing is said by several names, or where the passage has the figure without any."""
    own = said.names(group)
    if len(own) != 1:
        return False
    there = [one.names(group) for one in _figures(passage) if said.amount.agrees(one.amount)]
    return bool(there) and all(names and not own <= names for names in there)


@lru_cache(maxsize=5_000)
def _figures(text: str) -> tuple[_Figure, ...]:
    return tuple(one for line in text.splitlines() for sentence in sentences(line) for one in _figures_of(sentence))


def _figures_of(sentence: str) -> Iterator[_Figure]:
    amounts = [one for one in amounts_of(sentence) if one.is_figure]
    cuts = [match.start() for match in _JOINTS.finditer(sentence)] if amounts else []
    parts = [
        (sentence[start:end], [one for one in amounts if start <= one.start < end])
        for start, end in pairwise([0, *cuts, len(sentence)])
    ]
    free = tuple(part for part, held in parts if not held)
    for part, held in parts:
        for amount in held:
            yield _Figure(amount, sentence, part, free, is_alone=len(held) == 1)


@lru_cache(maxsize=20_000)
def _names_in(text: str, group: int) -> frozenset[str]:
    return frozenset(name for name, pattern in _NAMES[group].items() if pattern.search(text))
