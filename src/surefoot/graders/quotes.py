"""A finding of a model counts only with words that a string match finds where it says they stand.

That a quote is there does not make it bear out the claim, and a model may be wrong or talked round. So a support is
also held against what can be counted: numbers and names of the claim that its source lacks and that do not follow from
it, another value in a table, a quote that says the opposite. Counting is not reading either, so an objection settles
nothing: it leaves the claim to a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from surefoot.graders.alignment import FEWEST_WORDS, quoted_words, words_of
from surefoot.graders.judges import Pair
from surefoot.graders.llm_prompts import comparable, neutral
from surefoot.graders.lookup import MOST_NUMBERS, named_in, results_of, shares_of, spoken_tokens
from surefoot.graders.numbers import cell_check
from surefoot.graders.rules import turned_round
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.normal import names, sentences, stem, terms, unreadable, without_yes_no
from surefoot.text.numbers import MONTHS, PERIOD_KINDS, THOUSANDS, Quantity, quantities, ratio, same_kind
from surefoot.text.tables import Table, Unit, tables_of, units_of

MOST_UNITS, FEW_NUMBERS, MOST_COUNT = 4, 6, 20
_SCALES = THOUSANDS[:3]
_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-z]\))\s", re.MULTILINE)
_LISTED = re.compile(r"(?:[^,;.:]{2,40}, ){1,12}[^,;.:]{2,40}(?:,| and| or) ")


def derivable_of(passage: str, claim: str, missing: Sequence[Amount]) -> int:
    """How many of the missing numbers can be worked out."""
    if not missing:
        return 0
    near = numbers_near(passage, frozenset(terms(claim)))
    tables = tables_of(passage)
    lines = [line for table in tables for line in _lines_named(table, claim)]
    return sum(
        derivable(amount, near)
        or _is_count(amount, passage, tables)
        or any(amount.match(value, _SCALES) == "same" for line in lines for value in results_of(line))
        for amount in missing
    )


def numbers_near(passage: str, wanted: frozenset[str]) -> list[Quantity]:
    """The numbers of the few sentences and rows that share most terms with the claim: anything follows from many."""
    units = [unit for unit in units_of(passage) if len(unit.sentences) == 1 and unit.quantities]
    shared = {id(unit): len(wanted & unit.terms) for unit in units}
    best: list[Unit] = sorted((unit for unit in units if shared[id(unit)]), key=lambda unit: -shared[id(unit)])
    found: dict[tuple[float, str, str], Quantity] = {}
    for unit in best[:MOST_UNITS]:
        for number in unit.quantities:
            found.setdefault((number.value, number.kind, number.unit), number)
    return list(found.values())[:FEW_NUMBERS]


def _lines_named(table: Table, claim: str) -> Iterator[list[float]]:
    """The values of rows in the columns that are named, or in all if none is; and of named columns."""
    named = named_in(table, spoken_tokens(claim)[1])
    few = named.columns if len(named.columns) > 1 else range(len(table.columns))
    for row in named.rows:
        yield [cell.value for cell in (table.cells[row][at] for at in few) if cell.value is not None][:FEW_NUMBERS]
    for column in named.columns:
        rows = named.rows if len(named.rows) > 1 else [at for at, row in enumerate(table.rows) if not row.is_total]
        yield [cell.value for cell in (table.cells[at][column] for at in rows) if cell.value is not None]


def _is_count(amount: Amount, passage: str, tables: Sequence[Table]) -> bool:
    """As many things are listed: rows of a table, points, or parts of a sentence."""
    if amount.kind != "number" or not 2 <= amount.value <= MOST_COUNT:
        return False
    rows = {sum(not row.is_total for row in table.rows) for table in tables}
    return amount.value in rows | _listed(passage)


@lru_cache(maxsize=2_000)
def _listed(passage: str) -> frozenset[int]:
    points = len(_BULLET.findall(passage))
    series = {match.group().count(", ") + 1 + (", and " not in match.group()) for match in _LISTED.finditer(passage)}
    return frozenset(series | ({points} if points > 1 else set()))


_DAYS_IN_MONTH = 30.0
_SMALL_FACTORS = (2, 3, 4, 5, 6, 7, 10, 12)


def derivable(amount: Amount, passage_numbers: Iterable[Quantity]) -> bool:
    """The amount follows from at most two numbers of fitting kinds; small whole numbers could follow from anything."""
    numbers = list(passage_numbers)[:MOST_NUMBERS]
    if amount.kind in ("date", "year"):
        return False
    results = _shares(numbers) if amount.kind == "%" else _results(amount, numbers)
    return any(amount.match(value) == "same" for value in results) or _is_span_of_years(amount, numbers)


def _shares(numbers: list[Quantity]) -> Iterator[float]:
    kin = [number for number in numbers if number.kind not in ("date", "year")]
    for one, other in combinations(kin, 2):
        if one.kind == other.kind and one.value and other.value:
            is_share = one.kind == "%"
            yield from _sums(one, other) if is_share else shares_of(one.value, other.value)
    yield from (100 - number.value for number in kin if number.kind == "%")


def _results(amount: Amount, numbers: list[Quantity]) -> Iterator[float]:
    yield from _converted(amount, numbers)
    others = [number for number in numbers if number.kind not in ("date", "year", "%")]
    for one, other in combinations([number for number in others if same_kind(amount.kind, number.kind)], 2):
        if one.kind == other.kind:
            yield from _sums(one, other)
            if amount.value > 1:
                yield (one.value + other.value) / 2


def _sums(one: Quantity, other: Quantity) -> tuple[float, float]:
    return one.value + other.value, abs(one.value - other.value)


def _converted(amount: Amount, numbers: list[Quantity]) -> Iterator[float]:
    """A number in another unit or some times over: "24 months" are known as 2 years already."""
    for number in numbers:
        if number.kind == amount.kind and number.kind not in ("number", "%"):
            yield from (number.value * factor for factor in _SMALL_FACTORS)
        if (number.kind, amount.kind) == ("months", "days"):
            yield number.value * _DAYS_IN_MONTH
        elif (number.kind, amount.kind) == ("days", "months"):
            yield number.value / _DAYS_IN_MONTH


def _is_span_of_years(amount: Amount, numbers: list[Quantity]) -> bool:
    if amount.kind not in ("months", "number"):
        return False
    years = sorted({number.value if number.kind == "year" else number.value // 10_000 for number in numbers
                    if number.kind == "year" or (number.kind == "date" and number.value >= 10_000)})  # fmt: skip
    spans = {later - earlier for earlier, later in combinations(years[:MOST_NUMBERS], 2)}
    return (amount.value / 12 if amount.kind == "months" else amount.value) in spans


SHORTEST = 8  # characters of a quote
FEW = 20
MUCH_THE_SAME = 0.6
_MONTHS = frozenset(map(stem, MONTHS))
_CONDITION = re.compile(r"\b(?:without|unless|except|subject to)\b")
_DENIES = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot)\b(?! (?:later|less|more|fewer|earlier|longer|only)\b)"
    r"|n['’]t\b",
    re.IGNORECASE,
)
# What a claim may put as "not": a passage need not deny to say so.
_NARROWS = re.compile(
    r"\b(?:without|unless|except\w*|only|solely|but|until|exclu\w+|exempt\w*|prohibit\w*|forbid\w*|barred|lack\w*|refus\w*"
    r"|den(?:y|ies|ied)|fail\w*|free|waive\w*|void|un(?!der|til|less|i)[a-z]{4,}|inab\w+|inel\w+|other than|instead"
    r"|rather|zero|ceas\w*|stop\w*)\b",
    re.IGNORECASE,
)


def cleaned(quote: str) -> str:
    """Without what models put around a quotation."""
    return comparable(quote).strip("\"' .")


def why_void(quote: str, passage: str, answer: str) -> str:
    """Why a quote does not count, or nothing."""
    if len(cleaned(quote)) < SHORTEST or len(words_of(quote)) < FEWEST_WORDS:
        return "the quote is too short to be looked for"
    if quoted_words(quote, passage):
        return ""
    return "the quote is from the answer" if quoted_words(quote, answer) else "the quote is not in the passage"


def stands_in(quote: str, text: str) -> bool:
    return cleaned(quote) in comparable(text)


def objection(quotes: Sequence[str], pair: Pair) -> str:
    """What can be counted against a support, or nothing. `pair` holds what the quotes stand in."""
    claim, passage = without_yes_no(neutral(pair.claim)), neutral(pair.passage)
    around = f"{pair.title} {pair.context}"
    if number := _number_lacking(claim, passage, around):
        return f"the passage lacks {number}"
    if name := name_lacking(claim, f"{passage} {around}"):
        return f"the passage lacks the name {name}"
    if not any(_have_in_common(claim, quote) for quote in map(neutral, quotes)):
        return "the quote has no word of the claim"
    for said in dict.fromkeys((claim, claim.rpartition(": ")[2])):  # with and without a label before it
        if cell_check(passage, said, pair.context).says == "conflicts":
            return "the table has another value there"
        if any(opposes(said, part) for quote in map(neutral, quotes) for part in (quote, _nearest(said, quote))):
            return "the quote says the opposite"
    return "the claim denies what no quote denies" if _only_denied(claim, quotes) else ""


def _nearest(claim: str, quote: str) -> str:
    """The sentence of a quote that the claim is about: one more beside it must not hide what it says."""
    said = set(terms(claim))
    return max(sentences(quote), key=lambda sentence: len(said & set(terms(sentence))), default=quote)


def _only_denied(claim: str, quotes: Sequence[str]) -> bool:
    written = " ".join(map(neutral, quotes))
    return bool(_DENIES.search(claim)) and not _DENIES.search(written) and not _NARROWS.search(written)


def says_gold(claim: str, gold: str, question: str) -> bool:
    """Agreement needs something in common that the question does not already say: a number of the gold if it has one,
    else a word."""
    asked = quantities(question)
    wanted = [q for q in quantities(gold) if not any(q.agrees(known) for known in asked)]
    if wanted:
        return any(q.agrees(given) for q in wanted for given in quantities(neutral(claim)))
    new = set(terms(gold)) - set(terms(question))
    return bool(new & set(terms(neutral(claim)))) or not new


def _number_lacking(claim: str, passage: str, around: str) -> str:
    """Written in no form, and not to be worked out. What is counted on one's fingers ("three signatures") is not looked
    for."""
    there = (*quantities(passage), *quantities(around))
    lacking = [
        amount
        for amount in amounts_of(claim)
        if not any(_equal(amount, other) for other in there) and (amount.kind != "number" or amount.value > FEW)
    ]
    periods = [
        amount for amount in lacking if amount.kind in PERIOD_KINDS and not any(_lasts(amount, q) for q in there)
    ]
    if periods:
        return f"{periods[0].value:g} {periods[0].kind}"
    if not lacking or derivable_of(passage, claim, lacking) == len(lacking):
        return ""
    return claim[lacking[0].start : lacking[0].end].strip()


def _lasts(wanted: Quantity, other: Quantity) -> bool:
    """Equal in another unit; some times as long is another period: forty weeks are not forty days."""
    factor = ratio(wanted.kind, other.kind)
    return factor is not None and abs(wanted.value * factor - other.value) <= 1e-9 * other.value


def _equal(wanted: Quantity, other: Quantity) -> bool:
    """Tables are often in thousands or millions, and say so only in their heading."""
    if wanted.agrees(other):
        return True
    alike = "date" not in (wanted.kind, other.kind) and same_kind(wanted.kind, other.kind)
    return alike and any(abs(wanted.value - other.value * scale) <= 1e-9 * abs(wanted.value) for scale in _SCALES[1:])


def name_lacking(claim: str, text: str) -> str:
    """Months are the numbers' business, short forms in capitals stand for names that are written out elsewhere, and
    other languages have their own use for capitals."""
    if unreadable(claim):
        return ""
    there = set(terms(text))
    plain = re.sub(r"\b(?:[A-Z]{2,5}s?|I['’][a-z]+)\b", " ", claim)
    return next((name for name in names(plain) if name not in there and name not in _MONTHS), "")


def _have_in_common(claim: str, quote: str) -> bool:
    numbers = any(q.agrees(other) for q in quantities(claim) for other in quantities(quote))
    return numbers or not terms(claim) or bool(set(terms(claim)) & set(terms(quote)))


def opposes(claim: str, quote: str) -> bool:
    """Only a quote with much the same words can be the opposite: a long one may turn round something else. What both
    negate behind "without" or "unless" must not hide what one negates before it."""
    said, written = set(terms(claim)), set(terms(quote))
    if len(said & written) < MUCH_THE_SAME * len(said) or len(said) < MUCH_THE_SAME * len(said | written):
        return False
    return turned_round(claim, quote) or turned_round(_CONDITION.split(claim)[0], _CONDITION.split(quote)[0])
