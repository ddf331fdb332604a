"""Passages that have the words of a question, found by BM25, and a pipeline that answers by quoting one of them.

That pipeline needs no key and no network. Words find passages, the model in the box says how likely each of them
answers, and words choose the sentence or table row to quote. Where no passage is likely enough, it refuses.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock

from tantivy import Document, Filter, Index, Occur, Query, SchemaBuilder, TextAnalyzerBuilder, Tokenizer

from surefoot.core.types import Ask, Passage, Retrieved, Trace
from surefoot.graders.judges import Pair

_TITLE_WEIGHT = 0.8
_SPARE = 20  # hits beyond those asked for, so that equal scores are cut in the order of the corpus
_HEAP = 30_000_000
_READ, _READ_AGAIN, _NAMED = 5, 2, 3
# With titles in front, the model is rather too unsure of the passage it likes best: of those it gave .4 to .5, four in
# five did answer.
_LEAST = 0.4
_RUNNER_UP_FROM = 0.3  # a second best that is less likely is not worth the time
_LONGEST_TITLE = 200
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_LOADING = Lock()
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
        words, fields = TextAnalyzerBuilder(Tokenizer.simple()), SchemaBuilder()
        for one in (Filter.remove_long(60), Filter.lowercase(), Filter.ascii_fold(), Filter.stopword("english"),
                    Filter.custom_stopword(_QUESTION_WORDS), Filter.stemmer("english")):  # fmt: skip
            words = words.filter(one)
        fields.add_unsigned_field("place", stored=True)
        for name in ("text", "title"):
            fields.add_text_field(name, tokenizer_name="surefoot")
        self._analyzer, self._schema = words.build(), fields.build()
        self._index = Index(self._schema)
        self._index.register_tokenizer("surefoot", self._analyzer)
        # One thread: the order of the documents, and so of equal scores, does not hang on timing.
        writer = self._index.writer(heap_size=_HEAP, num_threads=1)
        for place, passage in enumerate(self.passages):
            writer.add_document(Document(place=place, text=passage.text, title=passage.doc))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()
        terms = (set(self.terms(f"{passage.doc} {passage.text}")) for passage in self.passages)
        self._passages_with = Counter(term for some in terms for term in some)

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
        return list(self._analyzer.analyze(text))

    def weight(self, term: str) -> float:
        """How telling a term is: its inverse document frequency; the most telling ones occur nowhere."""
        count = self._passages_with[term]
        return math.log(1 + (len(self.passages) - count + 0.5) / (count + 0.5))


class ReferencePipeline:
    name = "reference"
    forces_null = True
    deterministic = True

    def __init__(self, passages: Sequence[Passage], weights: Path | None = None) -> None:
        from surefoot.graders.local import LocalJudge  # noqa: PLC0415 - loads numpy and more
        from surefoot.text.tables import units_of  # noqa: PLC0415

        self._retriever, self._judge, self._units_of = Retriever(passages), LocalJudge(weights), units_of
        with _LOADING:  # at once, so that weights that are missing or broken are told before anything is asked
            self._judge.load()

    def answer(self, ask: Ask) -> Trace:
        hits = [] if ask.retrieval == "null" else self._retriever.search(ask.text, _READ)
        # A passage is read behind the title of its document: nothing else says which contract or year it is about.
        asked = [Pair(passage.text, ask.text, passage.doc[:_LONGEST_TITLE]) for passage, _ in hits]
        likely = [(one.strong, one.probability or 0.0) for one in self._judge.answers(asked, _best)]
        order = sorted(range(len(hits)), key=lambda place: likely[place], reverse=True)
        passages = [hits[place][0] for place in order]
        quoted = self._quoted(ask.text, passages[0]) if order and likely[order[0]][1] >= _LEAST else ""
        return Trace(ask.id, answer=quoted or self._refusal(ask.text, passages), retrieved=Retrieved(passages))

    def _quoted(self, question: str, passage: Passage) -> str:
        """The sentence or row that has most of the question's words, its citation before the full stop."""
        wanted = set(self._retriever.terms(question))
        found = [unit.text.strip() for unit in self._units_of(passage.text) if len(unit.sentences) == 1]

        def told(text: str) -> float:
            return sum(map(self._retriever.weight, wanted & {*self._retriever.terms(text)}))

        best = max(found, key=told, default="")
        return f"{best.rstrip('.;:')} [{passage.id}]." if best else ""

    def _refusal(self, question: str, passages: Sequence[Passage]) -> str:
        """It names words of the question that the best passage lacks; where it lacks none, those that tell most."""
        there = set(self._retriever.terms(f"{passages[0].doc} {passages[0].text}")) if passages else set()
        words = {term: word for word in _WORD.findall(question) for term in self._retriever.terms(word)}
        telling = sorted(words, key=lambda term: (term in there, -self._retriever.weight(term), term))[:_NAMED]
        named = ", ".join(words[term] for term in words if term in telling) or "this"
        if not passages:
            return f"No passages were found, so the documents do not say anything about {named} here."
        said = f"The documents do not say enough about {named} to answer this."
        closest = f"The closest passages found are {' and '.join(f'[{passage.id}]' for passage in passages[:2])}."
        next_step = "Next step: check the whole document that the first of them comes from, or ask its owner."
        return f"{said} {closest} {next_step}"


def _best(left_open: dict[int, float]) -> list[int]:
    """The best, and the second best if it is likely enough; none where the quick tier rules out all."""
    order = sorted(left_open, key=lambda place: -left_open[place])[:_READ_AGAIN]
    return [place for place in order if place == order[0] or left_open[place] >= _RUNNER_UP_FROM]
