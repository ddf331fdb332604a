"""A text as words, in the form in which a quote is compared with a passage.

"forty (40) days", "Forty days" and "40 **days**" are the same words; so are "5 €" and "EUR 5", "don't" and "do not",
and a word with and without the line break that cut it in two.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from calendar import month_name
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from surefoot.graders.fencing import neutral
from surefoot.text.sentences import sentences

_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff"  # scripts that put no space between words
_WORD = re.compile(
    r"per cent\b|[%€£$¥§≤≥<>=±]|(?<![\w)])[-−–](?=\d)"  # a sign
    r"|\d{1,3}(?:[,'’ \u00a0\u202f]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:[.,:/]\d+)*"  # a number
    rf"|[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W\d_])+(?:(?:['’]|-[ \t]*\n[ \t|>]*)[^\W\d_]+)*",  # a word
    re.IGNORECASE,
)
# Tags, footnotes, links
_NO_WORDS = re.compile(r"</?\w[^<>\n]{0,80}>|\[\d{1,3}\]|[¹²³⁰⁴-⁹]+|(?<=\])\([^()\s]{1,200}\)")
_NEW_ROW = re.compile(r"\|\s*\n|\n\s*\n")
_ENDINGS = {"n't": "not", "'s": "", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would", "'m": "am"}
_WHOLE = {
    "cannot": "can not", "can't": "can not", "won't": "will not", "shan't": "shall not", "per cent": "%",
    "percent": "%", "€": "eur", "euro": "eur", "euros": "eur", "£": "gbp", "usd": "$", "dollars": "$", "dollar": "$",
    "−": "-", "–": "-",
}  # fmt: skip
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
_NUMBERS = {
    **{word: value for value, word in enumerate(_COUNTED.split())},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), 2)},
    **{word: value for value, word in enumerate(_ORDINALS.split(), 1)},
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_LONGEST_BRACKET = 6  # words
_MONTHS = frozenset(name.lower() for name in month_name if name)
_CURRENCIES = frozenset({"eur", "gbp", "chf", "$"})


class Word(Struct, frozen=True):
    form: str
    start: int  # in the text as `neutral` gives it
    end: int
    before: str  # what stands between it and the word before
    sentence: int = 0
    is_name: bool = False  # written like one

    @property
    def is_number(self) -> bool:
        return self.form[:1].isdigit()


@lru_cache(maxsize=2_000)
def words_of(text: str) -> tuple[Word, ...]:
    """With numbers in digits, and without one in brackets that says the same again."""
    found: list[Word] = []
    for word in _split(neutral(text)):
        joint = 2 if len(found) > 1 and found[-1].form == "and" and word.form in _NUMBERS else 1
        if len(found) >= joint and (value := _continued(found[-joint], word, joint)) is not None:
            found[-joint:] = [replace(found[-joint], form=value, end=word.end)]
        elif found and _goes_before(word, found[-1]):
            found[-1:] = [replace(word, start=found[-1].start), replace(found[-1], end=word.end)]
        elif not (found and found[-1].is_number and not word.before and word.form in ("st", "nd", "rd", "th")):
            found.append(replace(word, form=str(_NUMBERS.get(word.form, word.form))))
    return tuple(_unrepeated(found))


def _split(text: str) -> Iterator[Word]:
    text = _NO_WORDS.sub(lambda found: " " * len(found.group()), text)
    number, last, starts = -1, 0, list(_starts(text))
    for found in _WORD.finditer(text):
        before = text[last : found.start()]
        opens = bisect_right(starts, found.start()) > bisect_right(starts, last) or not last
        number += opens or bool(_NEW_ROW.search(before))
        for form in _forms(found.group()):
            yield Word(form, found.start(), found.end(), before, number, found.group()[0].isupper() and not opens)
        last = found.end()


def _starts(text: str) -> Iterator[int]:
    start = 0
    for sentence in sentences(text):
        yield start
        start += len(sentence)


def _forms(written: str) -> list[str]:
    form = re.sub(r"-\s+[|>]?\s*", "", written.casefold().replace("’", "'"))
    if form[0].isdigit():
        return [re.sub(r"[' \u00a0\u202f]|,(?=\d{3}(?!\d))", "", form)]
    for ending, meant in _ENDINGS.items():
        if form.endswith(ending) and form not in _WHOLE:
            return [form.removesuffix(ending), *filter(None, [meant])]
    return _WHOLE.get(form, form).split()


def _continued(number: Word, word: Word, joint: int) -> str | None:
    """A number that goes on: "forty" with "five", "one hundred and" with "six", "2.5" with "million"."""
    if not re.fullmatch(r"\d+(?:\.\d+)?", number.form) or word.before.strip(" -\n"):
        return None
    value, more = float(number.form), _NUMBERS.get(word.form, 0)
    if word.form in _SCALES:
        return f"{value * _SCALES[word.form]:.15g}"
    after_tens = joint == 1 and value % 100 in range(20, 100, 10) and more < 10
    return f"{value + more:.15g}" if more and (after_tens or value % 100 == 0 < value) else None


def _goes_before(word: Word, last: Word) -> bool:
    """Of "5 EUR" and "EUR 5", "May 14" and "14 May", one order does for both."""
    if word.before.strip():
        return False
    is_day = last.form in _MONTHS and word.is_number and len(word.form) < 3
    return is_day or (word.form in _CURRENCIES and last.is_number)


def _unrepeated(words: list[Word]) -> Iterator[Word]:
    at = 0
    while at < len(words):
        end = _closing(words, at) if "(" in words[at].before else at
        inside, ahead = words[at:end], words[max(0, 2 * at - end) : at]
        if any(word.is_number for word in inside) and _sorted(inside) == _sorted(ahead):
            at = end
        else:
            yield words[at]
            at += 1


def _closing(words: list[Word], at: int) -> int:
    """Where a short bracket ends; where it began, if it does not."""
    closed = [
        place for place in range(at + 1, at + _LONGEST_BRACKET) if place >= len(words) or ")" in words[place].before
    ]
    return closed[0] if closed else at


def _sorted(words: Iterable[Word]) -> list[str]:
    return sorted(word.form for word in words)
