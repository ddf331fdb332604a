"""Where in a passage a quote stands that was copied by a careless hand.

Models leave out a small word, write 40 for "forty (40)", put dots for what they skip and marks around what they stress.
That says nothing of the answer they read. So both texts are cut down to the words that tell something, in a form in
which "forty (40) days" and "40 **days**", "5 €" and "EUR 5", "don't" and "do not" are the same; these must stand there
without a gap. No number, name, negation, "may" or "must" may differ, and no two places far apart may pass for one. What
is found is given back in the passage's own words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

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
# Tags, footnotes, links, the numbers of paragraphs
_NO_WORDS = re.compile(
    r"</?\w[^<>\n]{0,80}>|\[\d{1,3}\]|[¹²³⁰⁴-⁹]+|(?<=\])\([^()\s]{1,200}\)|(?<=\n)[ \t]*\d{1,2}[.)](?=\s)"
)
_NEW_ROW = re.compile(r"\|\s*\n|\n\s*\n")
_ENDINGS = {"n't": "not", "'s": "", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would", "'m": "am"}
_WHOLE = {
    "cannot": "can not", "can't": "can not", "won't": "will not", "shan't": "shall not", "per cent": "%",
    "percent": "%", "€": "eur", "euro": "eur", "euros": "eur", "£": "gbp", "usd": "$", "dollars": "$", "dollar": "$",
    "−": "-", "–": "-",
}  # fmt: skip
_NUMBERS = NUMBER_WORDS | ORDINALS
_LONGEST_BRACKET = 6  # words
_PLURAL = 4  # letters: "holidays" is "holiday"


class Word(Struct, frozen=True):
    form: str
    start: int  # in the text as `neutral` gives it
    end: int
    before: str  # what stands between it and the word before
    sentence: int = 0

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
            said = form.removesuffix("s") if len(form) > _PLURAL and form not in _DENYING else form
            yield Word(said, found.start(), found.end(), before, number)
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
    """Where a short bracket ends, or the text with it; where it began, if it does not."""
    ends = range(at + 1, min(at + _LONGEST_BRACKET, len(words) + 1))
    return next((place for place in ends if place == len(words) or ")" in words[place].before), at)


FEWEST_WORDS = 2
_FARTHEST = 40  # words that dots may stand for, from one sentence to another
_MOST_SEGMENTS = 6  # between dots
_LONGEST = 300  # words: what is longer is a text and no quote
_ENDS = ".!?)]\"'”’»"  # what belongs to the last word
_DOTS = re.compile(r"[\[(<]?\s*(?:…|\.(?:\s?\.){2,})\s*[\])>]?")
# Small words may be left out, put in, and stand for each other.
_SMALL = word_set(
    "a an the this that these those such said is are was were be been being am has have had do does did of in on at"
    " upon into for from which who whom and as also its their"
)
# Never skipped by dots: they turn a statement round, or say how far it goes.
_DENYING = word_set(
    "not no never none nobody nothing neither nor without unless except excluding only solely hardly"
    " nicht kein keine keinen nie ohne nur ne pas jamais sans non nunca jamás sin ningún não sem mai senza niet geen"
    " up least most more less fewer than minimum maximum"
)

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


def quoted_words(quote: str, passage: str) -> str:
    """The words of the passage that a quote gives, or nothing where it does not stand there."""
    there = list(_telling(words_of(passage)))
    for bare in _bare(quote):
        said = [words for part in _DOTS.split(bare) if (words := words_of(part))]
        segments = [form for words in said if (form := _run(words))]
        if not FEWEST_WORDS <= sum(map(len, said)) <= _LONGEST or len(segments) > _MOST_SEGMENTS or not segments:
            continue
        place = _found(segments, there)
        if place and not (said[0][0].form in _SMALL and place[0] and there[place[0] - 1].form in _DENYING):
            text, start, end = neutral(passage), there[place[0]].start, there[place[1] - 1].end
            return text[start : len(text) - len(text[end:].lstrip(_ENDS))]
    return ""


def _bare(quote: str) -> Iterator[str]:
    """The quote, and what is left of it without what was put before and behind it."""
    text = neutral(quote).strip()
    label = _LABEL.match(text)
    unlabelled = text[label.end() :] if label else text
    yield from dict.fromkeys((text, unlabelled, _CREDIT.sub("", text), _CREDIT.sub("", unlabelled)))


def _telling(words: Iterable[Word]) -> Iterator[Word]:
    """Without small words: these count as the beginning of the next."""
    before, start = "", -1
    for word in words:
        before, start = before + word.before, word.start if start < 0 else start
        if word.form not in _SMALL:
            yield replace(word, before=before, start=start)
            before, start = "", -1


def _run(words: Iterable[Word]) -> str:
    """Telling words without spaces: "car-pooling" is "carpooling". Numbers stay apart."""
    return "".join(f" {word.form} " if word.is_number else word.form for word in words if word.form not in _SMALL)


def _found(segments: Sequence[str], there: Sequence[Word]) -> tuple[int, int] | None:
    """From the first segment to behind the last, if dots may stand for all that lies between them."""
    starts = list(accumulate((len(_run([word])) for word in there), initial=0))
    run, ends = _run(there), {start: place for place, start in enumerate(starts)}
    chains: list[tuple[int, int]] = []
    for number, segment in enumerate(segments):
        places = [
            (ends[found.start()], ends[found.start() + len(segment)])
            for found in re.finditer(f"(?={re.escape(segment)})", run)
            if found.start() in ends and found.start() + len(segment) in ends
        ]
        joined = [(chain[0], end) for chain in chains for start, end in places if _may_skip(chain[1], start, there)]
        chains = joined if number else places
    return chains[0] if chains else None


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
    return is_aside or not any(word.form in _DENYING for word in skipped)
