"""One normal form for text that is compared: what looks the same to a reader compares equal."""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache, lru_cache
from importlib.resources import files
from itertools import groupby, pairwise
from math import fsum
from typing import Any, Literal, cast
from unicodedata import normalize

from sentencex import segment

_WORD_CHARACTER = re.compile(r"[^\W_]")
_CITATION_MARK = re.compile(r"\[\^?(?=[^\[\]]*\d)[\w#.:/-]+(?:[,;] ?[\w#.:/-]+)*\]")
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]+")


def word_set(text: str) -> frozenset[str]:
    """Words that are written one behind the other."""
    return frozenset(text.split())


def normalise(text: str) -> str:
    """NFC, case folded, invisible characters removed, white space (NBSP too) folded."""
    if not text.isascii():
        text = normalize("NFC", _INVISIBLE.sub("", text).casefold())
    return " ".join(text.casefold().split())


def id_of_text(question: str) -> str:
    """An id that a question keeps wherever it is asked in these words."""
    return f"q-{hashlib.sha256(normalise(question).encode('utf-8', 'replace')).hexdigest()[:10]}"


def is_empty(text: str) -> bool:
    """Nothing but white space, symbols and citation marks."""
    if "[" in text[:20]:
        text = _CITATION_MARK.sub("", text)
    return _WORD_CHARACTER.search(text) is None


# Signs that turn a sentence round and that a model's vocabulary may lack.
_SPOKEN = str.maketrans({"≤": " at most ", "≥": " at least ", "≠": " is not ", "⩽": " at most ", "⩾": " at least "})


def spoken(text: str) -> str:
    """As a model can read it: signs in words, and digits of other scripts in the usual ones."""
    return text if text.isascii() else _FOREIGN_DIGIT.sub(_digit, text.translate(_SPOKEN))


def _digit(match: re.Match[str]) -> str:
    return str(unicodedata.digit(match.group()))


HASHED = "sha256:"  # before the hash of a person's id


def hashed_subject(subject: str) -> str:
    """What stands for a person where their id, perhaps an e-mail address, must not: it can still be compared."""
    is_hashed = subject.startswith(HASHED)
    return subject if is_hashed else HASHED + hashlib.sha256(subject.encode("utf-8", "replace")).hexdigest()


def words_of(name: str) -> dict[str, Any]:
    """A table of words that comes with the package."""
    return tomllib.loads((files("surefoot") / "words" / f"{name}.toml").read_text("utf-8"))


def rows(table: str) -> list[str]:
    """One entry a line; an indented line continues the one before."""
    return table.strip("\n").replace("\n    ", "").splitlines()


_TABLE = words_of("phrases")
WORDS: dict[str, str] = _TABLE["words"]
PARTS = {name: "|".join(rows(table)) for name, table in _TABLE["parts"].items()}
_PART = re.compile(r"<([A-Z]+)>")


class _Late:
    """A regular expression that is compiled on its first use: to compile all takes longer than many a command."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> object:
        value = self.__dict__[name] = getattr(re.compile(self._pattern, self._flags), name)  # at once from now on
        return value


def lowered(text: str) -> str:
    """In lower case, with every character where it was."""
    return text.lower() if text.isascii() else text.replace("İ", "I").lower()


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, compiled when it is first used."""
    return cast("re.Pattern[str]", _Late(pattern, flags))


def spelled(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with its parts, which <NAME> stands for, in their places."""
    while _PART.search(pattern):
        pattern = _PART.sub(lambda part: parts[part[1]], pattern)
    return pattern


def phrase(name: str) -> re.Pattern[str]:
    return late(spelled("|".join(rows(_TABLE["phrases"][name])), PARTS), re.IGNORECASE)


_LANGUAGE_TABLE = words_of("languages")
_ENGLISH = word_set(_LANGUAGE_TABLE["english"])

Unreadable = Literal["empty", "not text", "not English"]

_SAMPLE = 20_000  # characters of a longer text that are looked at, from both of its ends and its middle
_MOST_CONTROL, _MOST_FOREIGN_LETTERS = 0.02, 0.4
_FEWEST_WORDS, _FEWEST_BESIDE_NAMES, _ENGLISH_SHARE = 3, 2, 1 / 8
_LIKELIER, _LEAST = 12, 0.1  # fitted with benchmarks/language.py
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ud800-\udfff\ue000-\uf8ff]")
# Greek letters stand in English formulas, so they count as Latin unless they make whole words.
_LATIN = r"a-zA-Z\u00aa\u00b2-\u00be\u2070-\u218f\u00c0-\u024f\u1e00-\u1eff\ufb00-\ufb06\uff21-\uff5aµα-ωΑ-Ω"
_FOREIGN_RUN = re.compile(rf"[\u0370-\u03ff\u1f00-\u1fff]{{3,}}|(?:(?![{_LATIN}])[^\W\d_])+")
_MARK = re.compile(r"\[[^\[\]]{0,80}\]")  # a citation
_WORD = re.compile(r"(?<![\w.])[^\W\d_]+(?:['’-][^\W\d_]+)*(?!\w)")
_CAPITAL = r"(?:[ld]['’])?[A-ZÀ-ÖØ-Þ][\w'’]*"
_NAME = re.compile(rf"\b{_CAPITAL}(?:[ \-](?:(?:{'|'.join(_LANGUAGE_TABLE['particles'].split())})[ \-])+{_CAPITAL})+")


def unreadable(text: str) -> Unreadable | None:
    """Why a text cannot be graded, or None."""
    if is_empty(text):
        return "empty"
    seen = normalize("NFC", sample(text))
    if len(_CONTROL.findall(seen)) > max(1, _MOST_CONTROL * len(seen)):
        return "not text"
    return "not English" if _in_another_language(seen) else None


def sample(text: str) -> str:
    """Enough of a text to tell what it is made of."""
    if len(text) <= _SAMPLE:
        return text
    part, middle = _SAMPLE // 3, len(text) // 2
    return f"{text[:part]} {text[middle : middle + part]} {text[-part:]}"


def _in_another_language(text: str) -> bool:
    """Hardly a word that only English has, and another script or, names aside, a language far likelier than English."""
    words = _WORD.findall(text := _MARK.sub(" ", text))
    english = sum(word.lower() in _ENGLISH for word in words)
    if english and english >= _ENGLISH_SHARE * len(words):
        return False
    if sum(map(len, _FOREIGN_RUN.findall(text))) > _MOST_FOREIGN_LETTERS * sum(map(str.isalpha, text)):
        return True
    if sum(len(word) > 1 for word in words) < _FEWEST_WORDS:
        return False
    text = normalize("NFKC", text.lower() if text.isupper() else text)
    first, *rest = _WORD.findall(_NAME.sub(" ", text)) or [""]
    said = [first, *(word for word in rest if not word[0].isupper())]
    if len(said) < max(_FEWEST_BESIDE_NAMES, len(words) / 2):
        return False
    likely: dict[str, float] = dict(_identifier().rank(" ".join(said)))
    best = max(share for language, share in likely.items() if language not in _NO_SIGN)
    return best >= max(_LEAST, _LIKELIER * max(likely["en"], likely["pcm"]))


_NO_SIGN = frozenset({"en", "pcm", "la", "eo", "vo", "zxx"})  # English terms are taken for Latin or Pidgin


def language_of(text: str) -> str:
    """The likeliest language of a text, as ISO 639-1 has it; "" where it has too few words to tell."""
    return str(_identifier().rank(sample(text))[0][0]) if len(_WORD.findall(text)) > _FEWEST_WORDS else ""


@cache
def _identifier() -> Any:  # noqa: ANN401 - it has no types
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - most texts do not need its model

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FEWEST = 3  # content words that let a claim be read without its question
_YES_NO = re.compile(r"^\s*(?:yes|no)\b[.,;:]?\s+(?=[^\W_])", re.IGNORECASE)
_STOP = word_set(WORDS["stop"])
# Not "A": it may be a class.
_FILLER = re.compile(
    r"\b(?:a|(?i:yes|also|an|the|this|that|these|those|it|its|they|them|their|there|is|are|was|were|be|been"
    r"|has|have|had|do|does|did|of|in|on|at|for|to|by|with|from|as|and))\b"
)
_SUFFIXES = tuple(re.findall("[a-z]+", "ations ation ments ment ings ing ities ity ies ers er ed es s ly e y"))
# Different words that documents and answers use for one thing.
_SAME = dict(pair.split(":") for pair in WORDS["same"].split())


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return _SAME.get(word, word)


def without_yes_no(text: str) -> str:
    """A claim without the bare yes or no in front of it."""
    return _YES_NO.sub("", text, count=1)


def is_terse(claim: str) -> bool:
    """Of hardly a word ("8 hours."): it says something only behind the question it answers."""
    return len(set(terms(without_yes_no(claim)))) < _FEWEST


def terms(text: str) -> list[str]:
    """Content words, stemmed, in order."""
    return [stem(word) for word in _TOKEN.findall(text.lower()) if word not in _STOP]


def telling_words(text: str) -> set[str]:
    """All words but those that a sentence cannot do without, stemmed: "either" may be what an answer tells."""
    return {stem(word) for word in _TOKEN.findall(_FILLER.sub(" ", text).lower())}


@lru_cache(maxsize=10_000)
def vocabulary(text: str) -> frozenset[str]:
    """Content words, stemmed, and numbers as they are written."""
    return frozenset(terms(text)) | frozenset(numbers(text))


def numbers(text: str) -> list[str]:
    """As they are written."""
    return _NUMBER.findall(text)


def nearest(texts: Iterable[str], wanted: Set[str]) -> str:
    """The text that has most of the wanted words; "" where there is no text."""
    return max(texts, key=lambda text: len(wanted & vocabulary(text)), default="")


def names(text: str) -> list[str]:
    """Words written with a capital inside a sentence: names of parties, people, places, defined terms."""
    found, last = [], 0
    for match in _TOKEN.finditer(text):
        word = match.group()
        before, last = text[last : match.start()].rstrip(" \"'“‘(*-|"), match.end() - 1
        if word[0].isupper() and len(word) > 1 and before and before[-1] not in ".!?:\n":
            found.append(stem(word.lower()))
    return [name for name in found if name not in _STOP]


_STOP_STEMS = frozenset(map(stem, _STOP))


def proper_names(text: str) -> list[str]:
    """Those of the names that tell whom or what a text is about: no months, and no "State"."""
    return [name for name in names(text) if name not in _STOP_STEMS]


_TROUBLE = re.compile(r"[\ud800-\udfff]|(?![\x00-\x7f])\s")
# Where the library cuts and no sentence ends, by what stands before the cut and what behind it
_NO_ENDS = tuple(
    (re.compile(f"{one['before']}\\Z", re.IGNORECASE), re.compile(one["behind"])) for one in _TABLE["no_ends"]
)
_CELL_SIGNS = (r"\t", ";", ", ", r",(?!\d{3}\b)")  # "1,200" is one number
_IN_NUMBER = re.compile(r"\d,\d")  # or between two; by itself it makes no row
_FEWEST_ROWS = 3
_LONGEST_CELL = 5  # words; a line of prose has a comma too
_ENDS_SENTENCE = re.compile(r"[.!?](?: [A-Z]|\s*$)")
# It takes the end of "(670 + 640) / 2" for the number of a list item.
_IN_BRACKETS = re.compile(r"(\([^()\n]*\d)\)")
# And the last letters of "It is 850 mm. Doors ..." for an abbreviation.
_UNIT_AT_END = re.compile(r"(?<=\d) (?=(?:mm?|l|g|s|h|t)\.\s+[A-Z])")


def is_row(line: str) -> bool:
    """Of a table, not a line of prose."""
    return line.count("|") >= 2


@lru_cache(maxsize=2_000)
def with_rows(text: str) -> str:
    """With rows whose cells are parted by commas, semicolons or tabs written like those of any table."""
    found: list[str] = []
    for (sign, _), group in groupby(text.splitlines(), _parted):
        lines = list(group)
        is_table = sign and len(lines) >= _FEWEST_ROWS
        found += [f"| {' | '.join(re.split(sign, line))} |" for line in lines] if is_table else lines
    return "\n".join(found)


def _parted(line: str) -> tuple[str, int]:
    """The sign between the cells of a row and their number; neither for prose or a row that has its bars already."""
    bare = _IN_NUMBER.sub("0", line)
    sign = next((sign for sign in _CELL_SIGNS if re.search(sign, bare)), "")
    cells = re.split(sign, line) if sign and not is_row(line) else [line]
    is_prose = any(len(cell.split()) > _LONGEST_CELL or _ENDS_SENTENCE.search(cell) for cell in cells)
    return ("", 0) if is_prose or len(cells) == 1 else (sign, len(cells))


def sentences(text: str) -> list[str]:
    """Pieces that together are as long as the text, so that offsets can be counted; no piece is left out."""
    if not text.isascii():
        text = _TROUBLE.sub(_plain, text)
    pieces, at, clear = list[str](), 0, _UNIT_AT_END.sub("_", _IN_BRACKETS.sub(r"\1]", text))
    while at < len(text):  # some at a time: with quotes that nothing closes, the library takes the square of the length
        found = list(segment("en", clear[at : at + _CUT_AT_ONCE]))
        for piece in found[: -1 if len(found) > 1 and at + _CUT_AT_ONCE < len(text) else None]:
            pieces.append(text[at : at + len(piece)])
            at += len(piece)
    return _joined(pieces)


def _joined(pieces: list[str]) -> list[str]:
    """Without the cuts that end no sentence."""
    ends = [place for place, (one, other) in enumerate(pairwise(pieces), 1) if _ends(one, other)]
    cuts = [0, *ends, len(pieces)]
    return ["".join(pieces[first:last]) for first, last in pairwise(cuts) if first < last]


def _ends(piece: str, following: str) -> bool:
    end = piece[-24:]
    return not any(before.search(end) and behind.match(following) for before, behind in _NO_ENDS)


def _plain(match: re.Match[str]) -> str:
    return " " if match.group().isspace() else "\ufffd"


_CUT_AT_ONCE = 8_000  # characters
_GAP = " … "
_NEIGHBOUR = 0.35  # of a sentence's score goes to the ones beside it: they say who "it" is


def digest(passage: str, claim: str, words: int) -> str:
    """At most about `words` words of the passage; the whole of it when it is short enough."""
    pieces = pieces_of(passage)
    if sum(len(piece.split()) for piece in pieces) <= words:
        return passage
    scores = _scores([vocabulary(piece) for piece in pieces], claim)
    kept, left = set[int](), words
    for place in sorted(range(len(pieces)), key=lambda i: (-scores[i], i)):
        size = len(pieces[place].split())
        if size <= left or not kept:
            kept.add(place)
            left -= size
        if left <= 0:
            break
    return _text_of(pieces, sorted(kept))


@lru_cache(maxsize=500)
def pieces_of(passage: str) -> tuple[str, ...]:
    """Sentences of prose; rows of tables stay whole."""
    found: list[str] = []
    for line in passage.splitlines():
        text = " ".join(line.split())
        if is_row(text):
            found.append(text)
        elif text:
            found += [piece.strip() for piece in sentences(text) if piece.strip()]
    return tuple(found)


def _scores(keys: Sequence[frozenset[str]], claim: str) -> list[float]:
    """Rare words of the claim count more, and some of it rubs off on neighbours."""
    wanted = vocabulary(claim)
    seen = Counter(term for found in keys for term in found & wanted)
    own = [fsum(1 / (1 + seen[term]) ** 0.5 for term in found & wanted) for found in keys]
    beside = [max(own[i - 1] if i else 0.0, own[i + 1] if i + 1 < len(own) else 0.0) for i in range(len(own))]
    return [value + _NEIGHBOUR * near for value, near in zip(own, beside, strict=True)]


def _text_of(pieces: Sequence[str], places: Sequence[int]) -> str:
    text, last = "", None
    for place in places:
        if last is not None:
            text += "\n" if is_row(pieces[place]) else " " if place == last + 1 else _GAP
        text += pieces[place]
        last = place
    return text


_BARE = re.compile(r"\W*(?:yes|correct|true|(?P<no>no|incorrect|false))\W*", re.IGNORECASE)
_ASKS, _ASKS_MORE = phrase("asks_yes_no"), phrase("asks_more")
_OPENS = re.compile(r"\W*(?:yes|no|correct|incorrect|true|false)\b", re.IGNORECASE)
OR = re.compile(r"\bor\b", re.IGNORECASE)
_FREE = re.compile(" free$")


def asks_yes_no(question: str) -> bool:
    """And nothing else: "Is it due, and when?" and "Is it due, or is it paid?" are not answered by a yes."""
    return bool(_ASKS.search(question)) and not _ASKS_MORE.search(question)


def opens_with_yes_no(text: str) -> bool:
    return _OPENS.match(text) is not None


def is_denial(claim: str) -> bool:
    return bool((bare := _BARE.fullmatch(claim)) and bare["no"])


def spelled_out(question: str, claim: str) -> str:
    """What a yes to the question says ("Yes, cats allowed in the flat."), if the claim is a bare yes or no; else "".
    A yes to "Is it due monthly or quarterly?" says nothing; a no denies both."""
    found = list(_ASKS.finditer(question)) if asks_yes_no(question) and _BARE.fullmatch(claim) else []
    if not found or (OR.search(question) and not is_denial(claim)):
        return ""
    before, after = question[: found[-1].start()], question[found[-1].end() :]
    said = " ".join(f"{before.strip(' ,:;')} {after.strip(' ?!.')}".split())
    return f"Yes, {_FREE.sub(' is free', said)}."
