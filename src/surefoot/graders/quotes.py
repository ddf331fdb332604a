"""Quotes of a model: where a passage has them, and what can be counted against the support they are given for.

Models copy carelessly: they leave out a small word, write 40 for "forty (40)", put dots for what they skip and marks
around what they stress. That says nothing of the answer they read. So quote and passage are cut down to the words that
tell something, in forms in which "forty (40) days" and "40 **days**", "5 €" and "EUR 5", "don't" and "do not" are the
same; these must follow each other without a gap. No number, name, negation, "may" or "must" may differ, and no two
places far apart may pass for one.

That a quote is there does not make it bear out the claim, and a model may be wrong or talked round. So a support is
also compared with what can be counted: numbers and names of the claim that its source lacks and that do not follow from
it, another value in a table, a quote that says the opposite. Counting is not reading either, so an objection settles
nothing: it leaves the claim to a person.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from surefoot.graders.cells import cell_check
from surefoot.graders.figures import figures_of, scales_of, stated
from surefoot.graders.judges import Pair
from surefoot.graders.llm_prompts import comparable, neutral
from surefoot.graders.rules import turned_round
from surefoot.text.normal import WORDS, names, phrase, sentences, stem, terms, unreadable, without_yes_no, word_set
from surefoot.text.numbers import MONTHS, NUMBER_WORDS, ORDINALS, Quantity, quantities

SHORTEST, FEWEST_WORDS = 8, 2  # characters and words of a quote
FEW = 20
MUCH_THE_SAME = 0.6
_MONTHS = frozenset(map(stem, MONTHS))
_CONDITION = re.compile(r"\b(?:without|unless|except|subject to)\b")
_LONGEST, _MOST_SEGMENTS = 300, 6  # words, and parts between dots: what is longer is a text and no quote
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff"  # scripts that put no space between words
_WORD = re.compile(
    r"per cent\b|[%€£$¥§≤≥<>=±]|(?<![\w)])[-−–](?=\d)"  # a sign
    r"|\d{1,3}(?:[,'’ \u00a0\u202f]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:[.,:/]\d+)*"  # a number
    rf"|[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W\d_])+(?:(?:['’]|-[ \t]*\n[ \t|>]*)[^\W\d_]+)*",  # a word
    re.IGNORECASE,
)
# Tags, footnotes, links, the numbers of paragraphs
_NO_WORDS = re.compile(
    r"</?\w[^<>\n]{0,80}>|\[\d{1,3}\]|[¹²³⁰⁴-⁹]+|(?<=\])\([^()\s]{1,200}\)|(?<=\n)[ \t]*\d{1,2}[.)](?=\s)"
)
_BRACKET = re.compile(r"\([^()\n]{1,40}\)")
_NEW_ROW = re.compile(r"\|\s*\n|\n\s*\n")
_ENDINGS, _WHOLE = (
    dict(pair.replace("_", " ").split("=") for pair in WORDS[name].split()) for name in ("endings", "written_out")
)
_NUMBERS = NUMBER_WORDS | ORDINALS
_PLURAL = 4  # letters: "holidays" is "holiday"
_SMALL, _DENYING = word_set(WORDS["small"]), word_set(WORDS["denying"])
_SENTENCE, _CLAUSE, _DENIAL = "¶¦¬"  # stand before words that begin one, or that deny
_DENIALS = tuple(f"{_DENIAL}{word}" for word in _DENYING)
_DOTS = re.compile(r"[\[(<]?\s*(?:…|\.(?:\s?\.){2,})\s*[\])>]?")
# What dots may stand for: what denies nothing, an aside, or all to the beginning of the next sentence but one, from the
# end of one or of a part of it, as halves of two sentences make one of neither.
_SKIPPED = "(?:[^¶¬]*?¦?|¦[^¶]*?¦|(?=[¶¦])[^¶]{0,300}¶(?:[^¶]{0,300}¶)?)"
_ENDS = ".!?)]\"'”’»"  # what belongs to the last word
_LABEL, _CREDIT = phrase("quote_label"), phrase("quote_credit")


class Word(NamedTuple):
    mark: str
    form: str
    start: int  # in the text as `neutral` gives it
    end: int


@lru_cache(maxsize=2_000)
def _words(text: str) -> tuple[Word, ...]:
    def unless_repeated(found: re.Match[str]) -> str:
        inside, ahead = (
            [form for written in _WORD.findall(part) for form in _forms(written)]
            for part in (found[0], found.string[max(0, found.start() - 60) : found.start()])
        )
        is_again = any(form[0].isdigit() for form in inside) and ahead[-len(inside) :] == inside
        return " " * len(found[0]) if is_again else found[0]

    text = _BRACKET.sub(unless_repeated, _NO_WORDS.sub(lambda found: " " * len(found[0]), neutral(text)))
    ends, words, last = list(accumulate(map(len, sentences(text)))), list[Word](), 0
    for found in _WORD.finditer(text):
        before = text[last : found.start()]
        opens = bisect_right(ends, found.start()) > bisect_right(ends, last) or _NEW_ROW.search(before)
        mark = _SENTENCE if opens else _CLAUSE if any(sign in before for sign in ",;:()–—") else ""
        for form in _forms(found[0]):
            words.append(Word(mark, form, found.start(), found.end()))
            mark = ""
        last = found.end()
    return tuple(words)


def _forms(written: str) -> list[str]:
    """Return a word as it is compared: numbers in digits, no plurals, a sign before what denies."""
    form = re.sub(r"-\s+[|>]?\s*", "", written.casefold().replace("’", "'"))
    if form[0].isdigit():
        return [re.sub(r"[' \u00a0\u202f]|,(?=\d{3}(?!\d))", "", form)]
    ending = next((one for one in _ENDINGS if form.endswith(one) and form not in _WHOLE), "")
    whole = f"{form.removesuffix(ending)} {_ENDINGS[ending]}" if ending else _WHOLE.get(form, form)
    made = []
    for one in whole.split():
        single = one.removesuffix("s") if len(one) > _PLURAL else one
        made.append(f"{_DENIAL}{one}" if one in _DENYING else str(_NUMBERS.get(single, single)))
    return made


def quoted_words(quote: str, passage: str) -> str:
    """Return the words of the passage that a quote gives, or nothing if it does not stand there."""
    text, run, starts, ends, last = neutral(passage), "", dict[int, int](), dict[int, int](), 0
    for word in _words(passage):
        run += word.mark
        if word.form not in _SMALL:  # small words count to the one behind them
            starts[len(run)] = last
            run += _spaced(word.form)
            ends[len(run)] = last = word.end
    for bare in _bare(quote):
        parts = [words for part in _DOTS.split(bare) if (words := _words(part))]
        told = [[re.escape(_spaced(word.form)) for word in part if word.form not in _SMALL] for part in parts]
        segments = ["[¶¦]*".join(part) for part in told if part]
        if not FEWEST_WORDS <= sum(map(len, parts)) <= _LONGEST or not 0 < len(segments) <= _MOST_SEGMENTS:
            continue
        for found in re.finditer(f"(?=({_SKIPPED.join(segments)}))", run):
            # "Do take three" does not stand in "Do not take three".
            is_denied = parts[0][0].form in _SMALL and run[: found.start()].endswith(_DENIALS)
            if found.start(1) in starts and found.end(1) in ends and not is_denied:
                start, end = starts[found.start(1)], ends[found.end(1)]
                start += len(text[start:end]) - len(text[start:end].lstrip(" \n\t.,;:!?|"))
                return text[start : len(text) - len(text[end:].lstrip(_ENDS))]
    return ""


def _spaced(form: str) -> str:
    """Return a word as it stands beside others: "car-pooling" is "carpooling", but numbers stay apart."""
    return f" {form} " if form[0].isdigit() else form


def _bare(quote: str) -> Iterator[str]:
    """Yield the quote, and what is left of it without what was put before and behind it."""
    text = neutral(quote).strip()
    label = _LABEL.match(text)
    unlabelled = text[label.end() :] if label else text
    yield from dict.fromkeys((text, unlabelled, _CREDIT.sub("", text), _CREDIT.sub("", unlabelled)))


def why_void(quote: str, passage: str, answer: str) -> str:
    """Return why a quote does not count, or nothing."""
    if len(comparable(quote).strip("\"' .")) < SHORTEST or len(_words(quote)) < FEWEST_WORDS:
        return "the quote is too short to be looked for"
    if quoted_words(quote, passage):
        return ""
    return "the quote is from the answer" if quoted_words(quote, answer) else "the quote is not in the passage"


def stands_in(quote: str, text: str) -> bool:
    return comparable(quote).strip("\"' .") in comparable(text)


def objection(quotes: Sequence[str], pair: Pair) -> str:
    """Return what can be counted against a support, or nothing. `pair` holds what the quotes stand in."""
    claim, passage = without_yes_no(neutral(pair.claim)), neutral(pair.passage)
    quotes = [neutral(one) for one in quotes]
    around = f"{pair.title} {pair.context}"
    there, beside = figures_of(passage), figures_of(around)
    for one in figures_of(claim):
        if not (is_small(one) or stated(one, there, scales_of(passage)) or stated(one, beside)):
            return f"the passage lacks {claim[one.start : one.end]}"
    if name := name_lacking(claim, f"{passage} {around}"):
        return f"the passage lacks the name {name}"
    words, numbers = set(terms(claim)), quantities(claim)
    if words and not any(
        words & set(terms(quote)) or any(one.agrees(other) for one in numbers for other in quantities(quote))
        for quote in quotes
    ):
        return "the quote has no word of the claim"
    for said in dict.fromkeys((claim, claim.rpartition(": ")[2])):  # with and without a label before it
        if cell_check(passage, said, pair.context) == "conflicts":
            return "the table has another value there"
        if any(opposes(said, part) for quote in quotes for part in (quote, *sentences(quote))):
            return "the quote says the opposite"
    return ""


def is_small(number: Quantity) -> bool:
    """What is counted on one's fingers ("three signatures") is not looked for."""
    return number.kind == "number" and number.value <= FEW


def says_gold(claim: str, gold: str, question: str) -> bool:
    """Agreement needs something in common that the question does not already say: a number of the gold if it has one,
    else a word."""
    asked = quantities(question)
    wanted = [one for one in quantities(gold) if not any(one.agrees(known) for known in asked)]
    if wanted:
        return any(one.agrees(given) for one in wanted for given in quantities(neutral(claim)))
    new = set(terms(gold)) - set(terms(question))
    return bool(new & set(terms(neutral(claim)))) or not new


def name_lacking(claim: str, text: str) -> str:
    """Months are the numbers' business, short forms in capitals stand for names that are written out elsewhere, and
    other languages have their own use for capitals."""
    if unreadable(claim):
        return ""
    there = set(terms(text))
    plain = re.sub(r"\b(?:[A-Z]{2,5}s?|I['’][a-z]+)\b", " ", claim)
    return next((name for name in names(plain) if name not in there and name not in _MONTHS), "")


def opposes(claim: str, quote: str) -> bool:
    """Only a quote with much the same words can be the opposite: a long one may turn round something else. What both
    negate behind "without" or "unless" must not hide what one negates before it."""
    said, written = set(terms(claim)), set(terms(quote))
    if len(said & written) < MUCH_THE_SAME * len(said) or len(said) < MUCH_THE_SAME * len(said | written):
        return False
    return turned_round(claim, quote) or turned_round(_CONDITION.split(claim)[0], _CONDITION.split(quote)[0])
