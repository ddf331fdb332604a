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
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from surefoot.graders.llm_prompts import neutral
from surefoot.text.normal import sentences, word_set
from surefoot.text.numbers import NUMBER_WORDS, ORDINALS

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
    found = [replace(word, form=str(_NUMBERS.get(word.form, word.form))) for word in _split(neutral(text))]
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


def _unrepeated(words: list[Word]) -> Iterator[Word]:
    at = 0
    while at < len(words):
        end = _closing(words, at) if "(" in words[at].before else at
        inside, ahead = words[at:end], words[max(0, 2 * at - end) : at]
        if any(word.is_number for word in inside) and [one.form for one in inside] == [one.form for one in ahead]:
            at = end
        else:
            yield words[at]
            at += 1


def _closing(words: list[Word], at: int) -> int:
    """Where a short bracket ends; where it began, if it does not."""
    ends = range(at + 1, min(at + _LONGEST_BRACKET, len(words)))
    return next((place for place in ends if ")" in words[place].before), at)


FEWEST_WORDS = 2
_WORDS_FOR_A_SLIP, _MOST_SLIPS = 3, 5
_SLIP = 1  # what each costs
_FARTHEST = 40  # words that dots may stand for, from one sentence to another
_RAREST, _MOST_PLACES, _MOST_STARTS = 12, 300, 10  # words that are looked for, places of each, and of the quote
_MOST_SEGMENTS = 6  # between dots
_LONGEST = 300  # words: what is longer is a text and no quote
_ENDS = ".!?)]\"'”’»"  # what belongs to the last word
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
    written = words_of(passage)
    for bare in _bare(quote):
        said = [words for part in _DOTS.split(bare) if (words := words_of(part))]
        there = _glued(written, {word.form for words in said for word in words})
        segments = [_glued(words, {word.form for word in written}) for words in said]
        length = sum(map(len, segments))
        most = min(length // _WORDS_FOR_A_SLIP, _MOST_SLIPS)
        if not FEWEST_WORDS <= length <= _LONGEST or len(segments) > _MOST_SEGMENTS:
            continue
        if place := _joined([_places(words, there, most) for words in segments], there):
            text, start, end = neutral(passage), there[place[0]].start, there[place[1] - 1].end
            return text[start : len(text) - len(text[end:].lstrip(_ENDS))]
    return ""


def _glued(words: Sequence[Word], forms: set[str]) -> list[Word]:
    """Neighbours are one word where the other text writes them as one: "car-pooling", "carpooling"."""
    found: list[Word] = []
    for word in words:
        if found and found[-1].form + word.form in forms:
            found[-1] = replace(found[-1], form=found[-1].form + word.form, end=word.end)
        else:
            found.append(word)
    return found


def _bare(quote: str) -> Iterator[str]:
    """The quote, and what is left of it without what was put before and behind it."""
    text = neutral(quote).strip()
    label = _LABEL.match(text)
    unlabelled = text[label.end() :] if label else text
    yield from dict.fromkeys((text, unlabelled, _CREDIT.sub("", text), _CREDIT.sub("", unlabelled)))


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
    ways: dict[int, Way] = {place: (0, place) for place in range(len(there))}
    for at, word in enumerate(words):
        reached: dict[int, Way] = {}
        for place in range(len(there) + 1):  # in order, so that one small word after another can be left out
            way = ways.get(place)
            if way is None:
                continue
            _reach(reached, place, way, _SLIP if word.form in _PUT_IN and at else None, most)
            if place < len(there):
                _reach(reached, place + 1, way, _difference(word, there[place]), most)
                _reach(ways, place + 1, way, _cost_of_leaving_out(there[place]) if at else None, most)
        ways = reached
    return min(((cost, start, end) for end, (cost, start) in ways.items()), default=None)


def _reach(ways: dict[int, Way], place: int, way: Way, cost: int | None, most: int) -> None:
    """Keep the cheapest way to come there, if any leads there and is cheap enough."""
    if cost is not None and (way[0] + cost, way[1]) < ways.get(place, (most + 1, 0)):
        ways[place] = way[0] + cost, way[1]


def _difference(word: Word, other: Word) -> int | None:
    """What it costs to read one word for another, or None if they differ in meaning."""
    if word.form == other.form:
        return 0
    if any(word.form in line and other.form in line for line in _ALIKE):
        return _SLIP
    short, long = sorted((word.form, other.form), key=len)
    inflected = len(short) > 2 and long.startswith(short) and long[len(short) :] in ("s", "es", "d", "ed")
    return _SLIP if inflected and not other.is_name else None


def _cost_of_leaving_out(word: Word) -> int | None:
    """Only small words tell nothing, and the numbers of paragraphs."""
    return _SLIP if word.form in _LEFT_OUT or (word.is_number and "\n" in word.before) else None


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
