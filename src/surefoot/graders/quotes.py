"""A finding of a model counts only with words that a string match finds where it says they stand.

That a quote is there does not make it bear out the claim, and a model may be wrong or talked round. So a support is
also held against what can be counted: numbers and names of the claim that its source lacks and that do not follow from
it, another value in a table, a quote that says the opposite. Counting is not reading either, so an objection settles
nothing: it leaves the claim to a person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from surefoot.graders.alignment import FEWEST_WORDS, quoted_words, words_of
from surefoot.graders.cells import cell_check
from surefoot.graders.figures import figures
from surefoot.graders.judges import Pair
from surefoot.graders.llm_prompts import comparable, neutral
from surefoot.graders.rules import turned_round
from surefoot.text.normal import names, sentences, stem, terms, unreadable, without_yes_no
from surefoot.text.numbers import MONTHS, PERIOD_KINDS, quantities

SHORTEST = 8  # characters of a quote
FEW = 20
MUCH_THE_SAME = 0.6
_MONTHS = frozenset(map(stem, MONTHS))
_CONDITION = re.compile(r"\b(?:without|unless|except|subject to)\b")


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
        if cell_check(passage, said, pair.context) == "conflicts":
            return "the table has another value there"
        if any(opposes(said, part) for quote in map(neutral, quotes) for part in (quote, _nearest(said, quote))):
            return "the quote says the opposite"
    return ""


def _nearest(claim: str, quote: str) -> str:
    """The sentence of a quote that the claim is about: one more beside it must not hide what it says."""
    said = set(terms(claim))
    return max(sentences(quote), key=lambda sentence: len(said & set(terms(sentence))), default=quote)


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
    for; some times as long is another period: forty weeks are not forty days."""
    for one in figures(claim, passage, around):
        is_small = one.amount.kind == "number" and one.amount.value <= FEW
        if one.how == "absent" and not is_small:
            is_period = one.amount.kind in PERIOD_KINDS
            return f"{one.amount.value:g} {one.amount.kind}" if is_period else claim[one.amount.start : one.amount.end]
    return ""


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
