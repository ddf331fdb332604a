"""What a corpus says to a question or a claim: proof that something answers it, or that nothing does.

Words find the passages to read, in the whole corpus; the local model reads whether each answers the question, its quick
tier all of them and its strong tier the best. The numbers below were measured by `benchmarks/proof.py`: they lean to
caution, because a question that is wrongly called unanswerable punishes a pipeline for being right.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.types import Passage, document_in
from surefoot.graders.features import Answered, deciding_sentence, why_not
from surefoot.graders.gold import pieces
from surefoot.graders.judges import Judgement, Pair
from surefoot.graders.local import LocalJudge
from surefoot.pipelines.retriever import Retriever
from surefoot.text.normal import phrase, proper_names, stem
from surefoot.text.numbers import TIMES, quantities

SEARCHED, READ = 300, 30  # passages that words find for one question, and those of them that the quick tier reads
BEST, FIRST = 4, 2  # what the strong tier reads again: the best of these, and those that words found first
ANSWERS = 0.15  # from here on a passage counts as answering
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_TIME, _AMOUNT, _WHY = phrase("asks_time"), phrase("asks_amount"), phrase("asks_why")
_AMOUNT_OF_MONEY = phrase("asks_amount_of_money")
_IS_TIME, _IS_AMOUNT, _IS_REASON = phrase("is_time"), phrase("is_amount"), phrase("is_reason")


class Answering(Struct, frozen=True):
    """A passage that answers a question, and how likely it does; None, and why, where it could not be read."""

    passage: Passage
    probability: float | None
    quote: str = ""
    reason: str = ""


class Proof:
    """One corpus, held against any number of questions and claims. Same corpus, same question: same answer."""

    def __init__(self, passages: Sequence[Passage], judge: LocalJudge | None = None) -> None:
        self._retriever = Retriever(passages)
        self._judge = judge or LocalJudge()

    def nearest(self, text: str, limit: int = READ) -> list[Passage]:
        """The passages of the whole corpus that share most with a text, the best first, and no more than `limit`."""
        found = [passage for passage, _ in self._retriever.search(text, limit)]
        if len(self._retriever.passages) > limit:
            return found
        near = {passage.id for passage in found}  # a small corpus is read whole: an answer may share no word
        return [*found, *(passage for passage in self._retriever.passages if passage.id not in near)]

    def answered(self, question: str, of: Collection[str] = ()) -> list[Answering]:
        """The passages that answer a question, the likeliest first; none is the proof that nothing does.

        `of` are the documents to search, if not all.

        Pairs are read one by one on all cores, so asking for many questions at once would save nothing.
        """
        found = self.answering(question, self.candidates(question, of))
        return [one for one in found if one.probability is None or one.probability >= ANSWERS]

    def candidates(self, question: str, of: Collection[str] = ()) -> list[Passage]:
        """The passages that are read for a question: of the right kind, and of documents that know whom it names."""
        near = [one for one in self.nearest(question, SEARCHED) if not of or document_in(one.id) in of]
        return [passage for passage in near if self._may_answer(question, passage)][:READ]

    def answering(self, question: str, passages: Sequence[Passage]) -> list[Answering]:
        """How likely each of some passages answers a question, the likeliest first."""
        read = self._judge.answers([Pair(passage.text, question, passage.doc) for passage in passages], _likeliest)
        found = [_answering(question, passage, one) for passage, one in zip(passages, read, strict=True)]
        return sorted(found, key=lambda one: -(one.probability or 0.0))

    def looked_at(self, question: str, found: Answering) -> Answering:
        """Read again sentence by sentence: a passage on the subject reads like an answer, one of its sentences less so.

        The probability becomes the mean of both, and the best sentence the quote.
        """
        asked = [one for one in pieces(question, found.passage) if _is_of_kind(question, one.passage)]
        read = [(one.probability or 0.0, asked[place].passage) for place, one in enumerate(self._judge.answers(asked))]
        best, quote = max(read, default=(0.0, found.quote))
        return replace(found, probability=((found.probability or 0.0) + best) / 2, quote=quote)

    def _may_answer(self, question: str, passage: Passage) -> bool:
        """What cannot be read may always: no word of it tells."""
        if why_not(passage=passage.text):
            return True
        return self.is_about(question, passage) and _is_of_kind(question, passage.text)

    def is_about(self, question: str, passage: Passage) -> bool:
        """Not so where the question names somebody whom only other documents know."""
        if not passage.doc:
            return True
        known = self._words[passage.doc]
        return all(name in known or name not in self._every_word for name in proper_names(question))

    def read(self, claim: str, passages: Sequence[Passage], question: str = "") -> list[Judgement]:
        """A claim against each of some passages; the question helps to read a claim of hardly a word."""
        return self._judge.judge([Pair(passage.text, claim, passage.doc, question) for passage in passages])

    @cached_property
    def _words(self) -> dict[str, set[str]]:
        """By document: a name that its title or any of its passages has."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for passage in self._retriever.passages:
            text = f"{document_in(passage.id)} {passage.doc} {passage.text}".lower()
            found[passage.doc].update(stem(word) for word in _WORD.findall(text))
        return dict(found)

    @cached_property
    def _every_word(self) -> set[str]:
        return set().union(*self._words.values())


def _likeliest(left_open: dict[int, float]) -> list[int]:
    """Of what the quick tier leaves open, by place in the order of the search."""
    best = sorted(left_open, key=lambda place: (-left_open[place], place))[:BEST]
    return list(dict.fromkeys([*best, *sorted(left_open)[:FIRST]]))


def _answering(question: str, passage: Passage, one: Answered) -> Answering:
    return Answering(passage, one.probability, deciding_sentence(passage.text, question), one.reason)


def _is_of_kind(question: str, said: str) -> bool:
    """A question of when, how much or why has an answer that tells a time, a number or a reason."""
    found = quantities(said)
    if _TIME.search(question) and not _AMOUNT_OF_MONEY.search(question):
        return any(one.kind in TIMES or one.kind == "number" for one in found) or bool(_IS_TIME.search(said))
    if _AMOUNT.search(question):
        known = quantities(question)
        new = [one for one in found if one.kind not in ("date", "year") and not any(one.agrees(k) for k in known)]
        return bool(new) or bool(_IS_AMOUNT.search(said))
    return not _WHY.search(question) or bool(_IS_REASON.search(said))
