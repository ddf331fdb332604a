"""Pipelines that answer by quoting: no key, no network, the same every time.

Words find passages, the trained model says how likely each of them answers, and words choose the sentence to quote.
`reference` refuses when no passage is likely enough. `reference-eager` never refuses, `reference-timid` refuses
whatever is not overwhelming: two ways to fail that a gate must notice.

In eight bits, processors round differently, and close calls turn. The bundled pipelines have to give the same answers
on every machine and with any weights, since labels are bound to their very words; so what was read once about the
bundled questions is kept (`training.demo_readings`). Anything else, a changed passage included, is read live.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from zlib import crc32

import msgspec
from msgspec import Struct

from surefoot.core.types import Ask, Passage, Retrieved, Trace
from surefoot.graders.judges import Asked
from surefoot.graders.local import LocalJudge
from surefoot.graders.windows import Answered
from surefoot.pipelines.retriever import Evidence, Retriever, wanted, weigh

PASSAGES_READ = 5
_NAMED = 3
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_TWO_THINGS = re.compile(r",? and (?:what|which|how|who|when|does|is)\b", re.IGNORECASE)
_FROM_NOTHING = (
    "In arrangements of this kind the usual period is thirty days.",
    "The rate that normally applies here is 5 per cent a year.",
    "As a rule this is decided by the management board and confirmed in writing.",
    "Standard practice sets the limit at EUR 1,000,000.",
)
_READ_AGAIN = 2
_RUNNER_UP_FROM = 0.3  # a second best that is less likely is not worth the time
_LONGEST_TITLE = 200
_REMEMBERED = 10_000
_LOADING = Lock()
FILE = "readings.jsonl"


class Manner(Struct, frozen=True):
    """How likely a passage must answer before a pipeline does."""

    name: str
    least: float
    refuses: bool = True
    terse: bool = False


# With titles in front, the model is rather too unsure of the passage it likes best: of those it gave .4 to .5, four in
# five did answer.
MANNERS = {
    manner.name: manner
    for manner in (
        Manner("reference", least=0.4),
        Manner("reference-eager", least=0.0, refuses=False),
        Manner("reference-timid", least=0.75, terse=True),
    )
}


class ReferencePipeline:
    forces_null = True
    deterministic = True

    def __init__(self, passages: Sequence[Passage], manner: Manner, weights: Path | None = None) -> None:
        self.name = manner.name
        self._manner = manner
        self._retriever = Retriever(passages)
        self._ranker = Ranker(weights)

    def answer(self, ask: Ask) -> Trace:
        hits = [] if ask.retrieval == "null" else self._retriever.search(ask.text, PASSAGES_READ)
        candidates = self._ranker.ranked(ask.text, [passage for passage, _ in hits])
        passages = [candidate.passage for candidate in candidates]
        likely = [c.passage for c in candidates if c.probability >= self._manner.least or not self._manner.refuses]
        if chosen := self._chosen(ask.text, likely):
            answer = " ".join(_quoted(evidence) for evidence in chosen)
        elif self._manner.refuses:
            answer = self._refusal(ask, passages)
        else:
            answer = _FROM_NOTHING[crc32(ask.text.encode()) % len(_FROM_NOTHING)]
        return Trace(ask.id, answer=answer, retrieved=Retrieved(passages))

    def _chosen(self, question: str, passages: list[Passage]) -> list[Evidence]:
        """The best sentence of the likeliest passage; for a question after two things also that of the next."""
        want = wanted(question, self._retriever)
        weighed = (weigh(want, [passage], self._retriever) for passage in passages)
        best = [found[0] for found in weighed if found]
        if len(best) > 1 and _TWO_THINGS.search(question) and best[1].strength >= 0.8 * best[0].strength:
            return best[:2]
        return best[:1]

    def _refusal(self, ask: Ask, passages: list[Passage]) -> str:
        if self._manner.terse and crc32(ask.text.encode()) % 2:
            return "Not in context."
        if not passages:
            return (
                f"No passages were found, so the documents do not say anything about {self._missing(ask, '')} here. "
                "Closest evidence: none. Next step: check that the search reaches the documents, and ask again."
            )
        best = passages[0]
        closest = " and ".join(f"[{passage.id}]" for passage in passages[:2])
        return (
            f"The documents do not say enough about {self._missing(ask, f'{best.doc} {best.text}')} to answer this. "
            f"The closest passages found are {closest}. "
            "Next step: check the whole document that the first of them comes from, or ask its owner."
        )

    def _missing(self, ask: Ask, evidence: str) -> str:
        """Words of the question that the evidence lacks; where it lacks none, those that tell most."""
        there = set(self._retriever.terms(evidence))
        words = {term: word for word in _WORD.findall(ask.text) for term in self._retriever.terms(word)}
        telling = sorted(words, key=lambda term: (term in there, -self._retriever.weight(term), term))
        named = [words[term] for term in words if term in telling[:_NAMED]]
        return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named) or "this"


def _quoted(evidence: Evidence) -> str:
    """The sentence with its citation before the full stop, so that the two stay together."""
    text = evidence.text.rstrip()
    stop = text[-1] if text[-1] in ".;:" else ""
    return f"{text.removesuffix(stop)} [{evidence.passage.id}]."


class Candidate(Struct, frozen=True):
    """A passage, and how likely it answers; one that cannot be read is as good as none."""

    passage: Passage
    probability: float


class Ranker:
    """Which passages answer a question, and how likely, as the trained model reads them.

    The quick tier reads all of them, the strong one those that the quick tier likes best. A passage is read behind the
    title of its document: without it, nothing says which contract, company or year it is about. The model is loaded at
    once, so that weights that are missing or broken are told before anything is asked.
    """

    def __init__(self, weights: Path | None = None) -> None:
        self._weights = weights
        with _LOADING:  # a model is in memory once, however many threads ask for it first
            LocalJudge(weights).load()

    def ranked(self, question: str, passages: Sequence[Passage]) -> list[Candidate]:
        """The likeliest first, those that the strong tier read before all others; nothing is read twice."""
        return list(_ranked(self._weights, question, tuple(passages)))


@lru_cache(maxsize=_REMEMBERED)
def _ranked(weights: Path | None, question: str, passages: tuple[Passage, ...]) -> tuple[Candidate, ...]:
    known = reading_of(question, passages)
    ranked = read(question, passages, weights) if known is None else known
    return tuple(Candidate(passages[place], probability) for place, probability in ranked)


def read(question: str, passages: Sequence[Passage], weights: Path | None = None) -> Ranked:
    """By the model, here and now."""
    asked = [Asked(passage.text, question, passage.doc[:_LONGEST_TITLE]) for passage in passages]
    found = LocalJudge(weights).answers(asked, _best)
    # What the strong tier was not shown is no likelier than what it read.
    most = min((one.probability or 0.0 for one in found if one.strong), default=1.0)
    order = sorted(range(len(found)), key=lambda place: _rank(found[place]))
    return tuple((place, _probability(found[place], most)) for place in order)


def _rank(found: Answered) -> tuple[bool, bool, float]:
    return not found.strong, found.probability is None, -(found.probability or 0.0)


def _probability(found: Answered, most: float) -> float:
    return (found.probability or 0.0) if found.strong else min(found.probability or 0.0, most)


def _best(left_open: dict[int, float]) -> list[int]:
    """The best, and the second best if it is likely enough; none where the quick tier rules out all."""
    order = sorted(left_open, key=lambda place: -left_open[place])[:_READ_AGAIN]
    return [place for place in order if place == order[0] or left_open[place] >= _RUNNER_UP_FROM]


# Places of the passages, the likeliest first, and how likely each answers at least.
Ranked = tuple[tuple[int, float], ...]


class Reading(Struct, frozen=True):
    sha256: str
    question_id: str  # for whoever reads the file
    ranked: Ranked


def reading_of(question: str, passages: Sequence[Passage]) -> Ranked | None:
    return _readings().get(key_of(question, passages))


def key_of(question: str, passages: Sequence[Passage]) -> str:
    """A hash of all that the model is shown."""
    shown = [question, [[passage.id, passage.doc, passage.text] for passage in passages]]
    return hashlib.sha256(msgspec.json.encode(shown)).hexdigest()


@cache
def _readings() -> dict[str, Ranked]:
    kept = files("surefoot") / "demo" / FILE
    rows = kept.read_bytes().splitlines() if kept.is_file() else ()
    return {row.sha256: row.ranked for row in (msgspec.json.decode(line, type=Reading) for line in rows)}
