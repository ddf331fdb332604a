"""Which sentence of some passages answers a question, judged by words alone, and how strongly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from sentencex import segment

from surefoot.pipelines.retriever import Retriever, coverage
from surefoot.text.quantities import quantities
from surefoot.types import Passage

_WORD = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
_RULE = re.compile(r"\|[\s:|-]+\|?")
_MONEY = frozenset({"EUR", "USD", "GBP", "CHF", "NOK", "SEK", "DKK", "JPY"})
_PERIODS = frozenset({"days", "months", "hours", "minutes", "seconds"})
_AMOUNT = _MONEY | {"%", "number"}
_ANY_NUMBER = frozenset({"number", "%", "year", *_MONEY, *_PERIODS})
# The first that fits the question says what an answer must hold.
_ASKED_FOR: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), kinds)
    for pattern, kinds in (
        (r"\b(?:how many|what number of) (?:\w+ )?hours\b", frozenset({"hours"})),
        (r"\b(?:how many|what number of) (?:\w+ )?days\b", frozenset({"days"})),
        (r"\b(?:how many|what number of) (?:\w+ )?(?:months|years)\b", frozenset({"months"})),
        (r"\b(?:what|which) (?:\w+ )?(?:percentage|share|proportion)\b|\brate of\b|\b\w+ rate\b", frozenset({"%"})),
        (r"\b(?:when|until when|(?:what|which|last) dates?|which day)\b", frozenset({"date"})),
        (r"\bhow (?:long|soon|fast|quickly|often|much time)\b|\bwhat notice\b", _PERIODS | {"date"}),
        (r"\bhow much\b|\b(?:what|which) (?:\w+ ){0,3}(?:price|fee|sum|salary|limit|ceiling)\b", _AMOUNT),
        (r"\bhow (?:many|high|large|big)\b", _ANY_NUMBER),
    )
)  # fmt: skip
_NAME_ASKED = re.compile(
    r"\b(?:who|whose|whom|(?:which|what) (?:\w+ )?(?:firms?|company|companies|body|agent|agency|person|country))\b",
    re.IGNORECASE,
)


class Evidence(Struct, frozen=True):
    """A sentence or table row, the passage it stands in, and how well it answers."""

    text: str
    passage: Passage
    strength: float  # 0 to 1
    fits: bool  # it holds what the question asks for: an amount, a period, a date, a name


class Wanted(Struct, frozen=True):
    """What a question asks for, as far as its words tell."""

    terms: tuple[str, ...]
    names: tuple[str, ...]
    kinds: frozenset[str]
    wants_name: bool


def wanted(question: str, retriever: Retriever) -> Wanted:
    terms = tuple(dict.fromkeys(retriever.terms(question)))
    named = " ".join(_names(question))
    kinds = next((kinds for pattern, kinds in _ASKED_FOR if pattern.search(question)), frozenset[str]())
    names = tuple(dict.fromkeys(retriever.terms(named)))
    return Wanted(terms, names, kinds, not kinds and _NAME_ASKED.search(question) is not None)


def weigh(want: Wanted, passages: Sequence[Passage], retriever: Retriever) -> list[Evidence]:
    """Every sentence and table row of the passages, the strongest first."""
    found = [evidence for passage in passages for evidence in _weigh_passage(want, passage, retriever)]
    return sorted(found, key=lambda evidence: -(evidence.strength + 0.12 * evidence.fits))


def _weigh_passage(want: Wanted, passage: Passage, retriever: Retriever) -> Iterator[Evidence]:
    """What is asked must be in the sentence or close by; its names, in the passage or its document's title."""
    around = retriever.terms(f"{passage.doc} {passage.text}")
    whole = coverage(want.terms, around, retriever)
    names = coverage(want.names, around, retriever) if want.names else 1.0
    for text, context in _units(passage.text, want, retriever):
        own = coverage(want.terms, retriever.terms(f"{passage.doc} {context}"), retriever)
        strength = (0.5 * whole + 0.5 * own) * (0.3 + 0.7 * names)
        yield Evidence(text, passage, strength, _fits(want, context, retriever))


def _units(text: str, want: Wanted, retriever: Retriever) -> Iterator[tuple[str, str]]:
    """Sentences, and table rows put into words, each with the words it is understood by."""
    prose = "\n".join(line for line in text.splitlines() if not line.startswith("|"))
    for sentence in segment("en", " ".join(prose.split())):
        if sentence.count(" ") > 2:  # shorter ones are headings
            yield sentence.strip(), sentence
    table = [line for line in text.splitlines() if line.startswith("|") and not _RULE.fullmatch(line)]
    if len(table) > 1:
        header, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
        for row in rows:
            yield _row_in_words(header, row, want, retriever), " ".join([prose, *header, *row])


def _row_in_words(header: list[str], row: list[str], want: Wanted, retriever: Retriever) -> str:
    """`Route planning: Monthly fee (EUR) 4,250`, with the columns that the question names, or with all."""
    cells = list(zip(header[1:], row[1:], strict=False))
    named = [(name, value) for name, value in cells if set(retriever.terms(name)) & set(want.terms)]
    inside = "; ".join(f"{name} {value}" for name, value in named or cells)
    return f"{header[0]} {row[0]}: {inside}."


def _fits(want: Wanted, text: str, retriever: Retriever) -> bool:
    if want.kinds:
        asked = {term for term in want.terms if term.isdecimal()}
        return any(
            quantity.kind in want.kinds and not set(retriever.terms(text[quantity.start : quantity.end])) <= asked
            for quantity in quantities(text)
        )
    if want.wants_name:
        return bool(set(retriever.terms(" ".join(_names(text)))) - set(want.terms))
    return True


def _names(text: str) -> list[str]:
    """Words with a capital inside a sentence, and numbers."""
    words = list(_WORD.finditer(text))
    return [
        word.group()
        for word in words
        if word.group()[0].isdigit()
        or (word.group()[0].isupper() and text[: word.start()].rstrip()[-1:] not in ("", ".", "?", "!", ":", "|"))
    ]
