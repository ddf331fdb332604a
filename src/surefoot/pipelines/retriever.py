"""Passages that have the words of a question, found by BM25."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

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
