"""Passages that answer a question, judged by words alone: BM25 finds them, and each of their sentences is weighed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from sentencex import segment
from tantivy import (
    Document,
    Filter,
    Index,
    Occur,
    Query,
    SchemaBuilder,
    TextAnalyzer,
    TextAnalyzerBuilder,
    Tokenizer,
)

from surefoot.core.types import Passage
from surefoot.text.numbers import quantities

_TITLE_WEIGHT = 0.8
_SPARE = 20  # hits beyond those asked for, so that equal scores are cut in the order of the corpus
_HEAP = 30_000_000
# What a question is made of besides its subject.
_QUESTION_WORDS = re.findall(
    "[a-z]+",
    "who whom whose what which when where why how does did do is are was were be been can could may might must shall "
    "should will would has have had having much many long often soon fast quickly big large i me my we our us you your "
    "he she his her him they them their it its from about any some there here than then if so up out own s t am please "
    "tell give list name still ever really get gets got let one under between after before during while once per over",
)
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


class Retriever:
    """BM25 in memory: a passage is found by its own words and by the title of its document.

    The same passages and the same words give the same hits.
    """

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.passages = list(passages)
        self._analyzer = _analyzer()
        self._schema = (
            SchemaBuilder()
            .add_unsigned_field("place", stored=True)
            .add_text_field("text", tokenizer_name="surefoot")
            .add_text_field("title", tokenizer_name="surefoot")
            .build()
        )
        self._index = Index(self._schema)
        self._index.register_tokenizer("surefoot", self._analyzer)
        self._fill()
        self._searcher = self._index.searcher()
        self._passages_with = Counter(
            term for passage in self.passages for term in set(self.terms(f"{passage.doc} {passage.text}"))
        )

    def search(self, text: str, k: int) -> list[tuple[Passage, float]]:
        """The `k` best passages with their scores. Any text is a query: it has no syntax."""
        terms = sorted(set(self.terms(text)))
        if not terms or not self.passages:
            return []
        parts = [(Occur.Should, Query.term_query(self._schema, "text", term)) for term in terms]
        titles = [(Occur.Should, Query.term_query(self._schema, "title", term)) for term in terms]
        parts.append((Occur.Should, Query.boost_query(Query.boolean_query(titles), _TITLE_WEIGHT)))
        hits = self._searcher.search(Query.boolean_query(parts), limit=k + _SPARE).hits
        placed = [(int(self._searcher.doc(address)["place"][0]), float(score)) for score, address in hits]
        placed.sort(key=lambda hit: (-hit[1], hit[0]))
        return [(self.passages[place], score) for place, score in placed[:k]]

    def terms(self, text: str) -> list[str]:
        """The words of a text that mean something, stemmed, in order."""
        terms: list[str] = self._analyzer.analyze(text)
        return terms

    def weight(self, term: str) -> float:
        """How telling a term is: its inverse document frequency; the most telling ones occur nowhere."""
        count = self._passages_with[term]
        return math.log(1 + (len(self.passages) - count + 0.5) / (count + 0.5))

    def _fill(self) -> None:
        # One thread: the order of the documents, and so of equal scores, does not hang on timing.
        writer = self._index.writer(heap_size=_HEAP, num_threads=1)
        for place, passage in enumerate(self.passages):
            writer.add_document(Document(place=place, text=passage.text, title=passage.doc))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()


def coverage(wanted: Sequence[str], given: Iterable[str], retriever: Retriever) -> float:
    """The share of the wanted terms that is given, each by how telling it is."""
    have = set(given)
    weights = {term: retriever.weight(term) for term in wanted}
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in have) / total if total else 0.0


def _analyzer() -> TextAnalyzer:
    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(60))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.stopword("english"))
        .filter(Filter.custom_stopword(_QUESTION_WORDS))
        .filter(Filter.stemmer("english"))
        .build()
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
