"""Where in a passage a quote stands that was copied by a careless hand.

Models leave out a small word, write 40 for "forty (40)", put dots for what they skip and marks around what they stress.
That says nothing of the answer they read. So quotes are aligned word by word, in a form in which "forty (40) days" and
"40 **days**", "5 €" and "EUR 5", "don't" and "do not" are the same words. A few small slips are borne; but no number,
name, negation, "may" or "must" may differ, and no two places far apart may pass for one. What is found is given back in
the passage's own words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from surefoot.graders.llm_prompts import neutral
from surefoot.text.normal import sentences, word_set
from surefoot.text.numbers import LONG_SCALES, MONTHS, NUMBER_WORDS, ORDINALS

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
_NUMBERS = NUMBER_WORDS | ORDINALS
_LONGEST_BRACKET = 6  # words
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
    number, last, starts = -1, 0, list(_sentence_starts(text))
    for found in _WORD.finditer(text):
        before = text[last : found.start()]
        opens = bisect_right(starts, found.start()) > bisect_right(starts, last) or not last
        number += opens or bool(_NEW_ROW.search(before))
        for form in _forms(found.group()):
            yield Word(form, found.start(), found.end(), before, number, found.group()[0].isupper() and not opens)
        last = found.end()


def _sentence_starts(text: str) -> Iterator[int]:
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
    if word.form in LONG_SCALES:
        return f"{value * LONG_SCALES[word.form]:.15g}"
    after_tens = joint == 1 and value % 100 in range(20, 100, 10) and more < 10
    return f"{value + more:.15g}" if more and (after_tens or value % 100 == 0 < value) else None


def _goes_before(word: Word, last: Word) -> bool:
    """Of "5 EUR" and "EUR 5", "May 14" and "14 May", one order does for both."""
    if word.before.strip():
        return False
    is_day = last.form in MONTHS and word.is_number and len(word.form) < 3
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


FEWEST_WORDS = 2
_WORDS_FOR_A_SLIP, _MOST_SLIPS = 3, 5
_SMALL, _LARGE = 1, 2  # what slips cost
_FARTHEST = 40  # words that dots may stand for, from one sentence to another
_RAREST, _MOST_PLACES, _MOST_STARTS = 12, 300, 10  # words that are looked for, places of each, and of the quote
_MOST_SEGMENTS = 6  # between dots
_LONGEST = 300  # words: what is longer is a text and no quote
_DOTS = re.compile(r"[\[(<]?\s*(?:…|\.(?:\s?\.){2,})\s*[\])>]?")


# Words of one line may stand for each other; all of them may be left out or put in.
_ALIKE = tuple(map(word_set, (
    "a an the this that these those such said", "its their", "is are was were be been being am",
    "has have had", "do does did", "of in on at upon into for", "of from", "that which who whom", "and as also",
)))  # fmt: skip
_PUT_IN = frozenset[str]().union(*_ALIKE) - {"from"}
_LEFT_OUT = _PUT_IN | word_set(
    "to by with from it they he she we you his her our your there then so thereof hereby therefore however"
)
# Never left out: they turn a statement round, or say how far it goes.
_DENYING = word_set(
    "not no never none nobody nothing neither nor without unless except excluding only solely hardly"
    " nicht kein keine keinen nie ohne nur ne pas jamais sans non nunca jamás sin ningún não sem mai senza niet geen"
)
_BOUNDS = word_set("up least most more less fewer than minimum maximum")
_TELLING = _DENYING | _BOUNDS | word_set(
    "may might must shall should can could will would ought if or but down within before after until over under above"
    " below between against all any each every some both either last half twice once per during while where when about"
    " approximately"
)  # fmt: skip

# What models put before and behind a quote.
_PASSAGE = r"(?:P\d{1,3}|(?:passage|source|excerpt|document|context) ?P?\d{1,3})\b"
_CLAUSE = r"(?:section|clause|article|page|line|p\.|§) ?\d[\d.]{0,8}"
_FROM = "as stated in|according to|quoted? from|taken from|from|in|per|see"
_LABEL_WORD = (
    "(?:the|this|passage|source|excerpt|document|text|context|quote|quotation|evidence|says|states|reads|relevant|sentence"
    r"|clause|section|line|row|table|note|agreement|contract|policy|P?\d{1,3})"
)
_LABEL = re.compile(
    rf"\W*(?:{_LABEL_WORD}\s+){{0,5}}{_LABEL_WORD}\W{{0,3}}[:>–—]\s*"
    rf"|\W*(?:(?:{_FROM}) )?(?:{_PASSAGE}[\W_]*|{_CLAUSE}\W{{0,3}}[:>–—)\]]\W*)"
    r"|\W*\[[^\[\]]{1,40}\]\W*|\W*(?:\d{1,2}|[a-z])[.)]\s+",
    re.IGNORECASE,
)
_CREDIT = re.compile(
    rf"\s*[\[(–—-]+\s*(?:{_PASSAGE}|{_CLAUSE}|[\w.-]*#[\w.-]+|\d{{1,3}}|emphasis added)\s*[\])]*\W*$", re.IGNORECASE
)

Place = tuple[int, int]  # from one word of a passage to before another
Way = tuple[int, int]  # what reading so far has cost, and where it began


def quoted_words(quote: str, passage: str) -> str:
    """The words of the passage that a quote gives, or nothing where it does not stand there."""
    there = words_of(passage)
    for bare in _bare(quote):
        segments = [words for part in _DOTS.split(bare) if (words := words_of(part))]
        length = sum(map(len, segments))
        most = min(length // _WORDS_FOR_A_SLIP, _MOST_SLIPS)
        if not FEWEST_WORDS <= length <= _LONGEST or len(segments) > _MOST_SEGMENTS:
            continue
        if place := _joined([_places(words, there, most) for words in segments], there):
            return _own_words(neutral(passage), there[place[0]].start, there[place[1] - 1].end)
    return ""


def _bare(quote: str) -> Iterator[str]:
    """The quote, and what is left of it without what was put before and behind it."""
    text = neutral(quote).strip()
    label = _LABEL.match(text)
    unlabelled = text[label.end() :] if label else text
    yield from dict.fromkeys((text, unlabelled, _CREDIT.sub("", text), _CREDIT.sub("", unlabelled)))


def _own_words(text: str, start: int, end: int) -> str:
    while end < len(text) and text[end] in ".!?)]\"'”’»":
        end += 1
    return text[start:end]


def _places(words: Sequence[Word], there: Sequence[Word], most: int) -> list[Place]:
    """Where the words of a quote stand, those that fit best first."""
    found: dict[Place, int] = {}
    for start in _starts(words, there):
        low = max(0, start - most - 1)
        if (best := _aligned(words, there[low : start + len(words) + most + 1], most)) is not None:
            cost, first, end = best
            found[low + first, low + end] = cost
    return sorted(found, key=lambda place: (found[place], place))


def _starts(words: Sequence[Word], there: Sequence[Word]) -> list[int]:
    """Where a quote may begin: the places that most of its rarest words agree on."""
    places: dict[str, list[int]] = {word.form: [] for word in words}
    for place, word in enumerate(there):
        if word.form in places and len(places[word.form]) < _MOST_PLACES:
            places[word.form].append(place)
    rarest = sorted((len(places[word.form]), at) for at, word in enumerate(words) if places[word.form])
    votes = Counter(place - at for _, at in rarest[:_RAREST] for place in places[words[at].form])
    return [start for start, _ in votes.most_common(_MOST_STARTS)]


def _aligned(words: Sequence[Word], there: Sequence[Word], most: int) -> tuple[int, int, int] | None:
    """The cheapest way to read the words out of a text: its cost, its start, its end."""
    rows: list[dict[int, Way]] = [{place: (0, place) for place in range(len(there))}]
    rows += [{} for _ in words]

    def reach(row: int, place: int, cost: int, way: Way) -> bool:
        """True if nothing as cheap has come there."""
        is_better = (way[0] + cost, way[1]) < rows[row].get(place, (most + 1, 0))
        if is_better:
            rows[row][place] = way[0] + cost, way[1]
        return is_better

    for at in range(len(words)):
        for place in sorted(rows[at]) if at else ():
            while (cost := _cost_of_leaving_out(there, place)) and reach(at, place + 1, cost, rows[at][place]):
                place += 1
        for place, way in rows[at].items():
            for taken, read, cost in _readings(words[at : at + 2], there[place : place + 2]):
                if at or read:
                    reach(at + taken, place + read, cost, way)
    return min(((cost, start, end) for end, (cost, start) in rows[-1].items()), default=None)


def _readings(words: Sequence[Word], there: Sequence[Word]) -> Iterator[tuple[int, int, int]]:
    """How many words of the quote may be read out of how many of the text, and what that costs."""
    first = words[0].form
    if first in _PUT_IN:
        yield 1, 0, _SMALL
    if there and (cost := _difference(words[0], there[0])) is not None:
        yield 1, 1, cost
    if len(there) > 1 and first == there[0].form + there[1].form:
        yield 1, 2, 0
    if there and len(words) > 1 and first + words[1].form == there[0].form:
        yield 2, 1, 0


def _difference(word: Word, other: Word) -> int | None:
    """What it costs to read one word for another, or None if they differ in meaning."""
    if word.form == other.form:
        return 0
    if any(word.form in line and other.form in line for line in _ALIKE):
        return _SMALL
    short, long = sorted((word.form, other.form), key=len)
    inflected = len(short) > 2 and long.startswith(short) and long[len(short) :] in ("s", "es", "d", "ed")
    respelled = len(short) > 4 and _spelled(short) == _spelled(long)
    return _SMALL if (inflected or respelled) and not other.is_name else None


def _spelled(form: str) -> str:
    """One spelling for British and American ones."""
    return form.replace("is", "iz").replace("ys", "yz").replace("our", "or")


def _cost_of_leaving_out(there: Sequence[Word], place: int) -> int | None:
    """None for what tells: numbers but those of paragraphs, names, and what stands between a number and its unit.

    Leaving out the beginning of a sentence costs more: two sentences must not run into one.
    """
    if place >= len(there):
        return None
    word = there[place]
    opens = _LARGE if place and there[place - 1].sentence != word.sentence else 0
    if word.is_number and "\n" in word.before:
        return _SMALL
    if word.form in _LEFT_OUT:
        return _SMALL + opens
    is_plain = word.form.isalpha() and len(word.form) > 1 and word.form not in _TELLING and not word.is_name
    return _LARGE + opens if is_plain and not (place and there[place - 1].is_number) else None


def _joined(found: Sequence[list[Place]], there: Sequence[Word]) -> Place | None:
    """From the first segment to the last, if dots may stand for all that lies between them."""
    chains: list[tuple[Place, ...]] = [(place,) for place in found[0]]
    for places in found[1:]:
        chains = [(*chain, place) for chain in chains for place in places if _may_skip(chain[-1][1], place[0], there)]
        chains = chains[:_MOST_STARTS]
    return (chains[0][0][0], chains[0][-1][1]) if chains else None


def _may_skip(end: int, start: int, there: Sequence[Word]) -> bool:
    """Within a sentence all but a denial or a bound, unless it is an aside; else from the end of one sentence, or
    of a part of it, to the beginning of the next, or the next but one: halves of two sentences make one of neither."""
    if start < end:
        return False
    skipped, last, following = there[end:start], there[end - 1], there[start]
    if last.sentence != following.sentence:
        ends = there[end].sentence != last.sentence or any(c in there[end].before for c in ",;:–—")
        opens = there[start - 1].sentence != following.sentence
        return ends and opens and following.sentence - last.sentence <= 2 and len(skipped) <= _FARTHEST
    is_aside = (
        bool(skipped) and any(c in skipped[0].before for c in ",(–—") and any(c in following.before for c in ",)–—")
    )
    return is_aside or not any(word.form in _DENYING | _BOUNDS for word in skipped)
