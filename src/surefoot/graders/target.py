"""Does an answer say what was asked? Read where no gold claim tells what the right answer says.

Gold ids say which passages hold the answer; without them, the claim or the passage it cites must answer. A passage
holds more than one fact, so what the claim says must also answer nearly as well as the passage's best sentence: the
claim itself, or the sentences that have its figures. A figure that no sentence has is rounded or reckoned, and not
compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.table import Findings, decide
from surefoot.core.types import Item, Passage
from surefoot.graders.judges import Asked
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.normal import (
    OR,
    asks_yes_no,
    is_terse,
    nearest,
    normalise,
    sentences,
    telling_words,
    terms,
    with_rows,
    without_yes_no,
)
from surefoot.text.tables import units_of
from surefoot.text.talk import CLAUSE

# benchmarks/target.py measures them. A claim in words of its own reads lower than a sentence of the passage.
ANSWERS, TELLING, CLAIM_AS_WELL, SENTENCE_AS_WELL = 0.1, 0.2, 0.2, 0.5
MOST_PIECES = 12
Scores = Mapping[Asked, float | None]


class Cited(Struct, frozen=True):
    """A claim that a cited passage supports, with the sentence that does."""

    claim: str
    quote: str
    passage: Passage


def to_ask(item: Item, findings: Findings, scores: Scores) -> list[Asked]:
    """What is still to be read against the question: the claims, and where these do not tell, the passages they cite.
    Nothing where gold claims tell the answer, or where another row of the table decides."""
    if not _is_open(findings):
        return []
    question, cited = item.question.text, _on_gold(item, findings)
    said = [asked for one in cited for asked in _said(question, one)]
    if _best(said, scores) >= CLAIM_AS_WELL:  # as well as any sentence would need
        return []
    around = [asked for one in cited for asked in (_whole(question, one), *pieces(question, one.passage))]
    return [asked for asked in said if asked not in scores] or [asked for asked in around if asked not in scores]


def settled(item: Item, findings: Findings, scores: Scores) -> Findings:
    """With what the scores tell: some claim answers the question."""
    if not _is_open(findings):
        return findings
    question, is_gold = item.question.text, bool(item.question.gold_ids)
    cited = _on_gold(item, findings)
    is_echo = _is_echo(question, " ".join(one.claim for one in cited))
    answers = not is_echo and any(_answers(question, one, scores, is_gold) for one in cited)
    return replace(findings, answers_question=answers)


def as_read(item: Item, findings: Findings, answers: bool | None) -> Findings:
    """With what a reader of the whole answer says, where one does; gold ids tell which passages may be cited for it."""
    if not _is_open(findings):
        return findings
    return replace(findings, answers_question=answers is not False and bool(_on_gold(item, findings)))


def _is_open(findings: Findings) -> bool:
    return findings.gold == "none" and decide(findings)[0] == "correct"


def _on_gold(item: Item, findings: Findings) -> list[Cited]:
    """The claims with what they cite, or what supports them where they need not cite: a gold passage, or one that has
    a gold passage's text, where gold is known."""
    passages, gold = {passage.id: passage for passage in item.trace.sources}, item.question.gold_ids
    texts = [normalise(passage.text) for i, passage in passages.items() if i in gold and passage.text.strip()]
    return [
        Cited(claim.text, claim.evidence.quote if claim.evidence.passage == i else "", passages[i])
        for claim in findings.claims
        for i in (claim.citations if findings.citations_needed else claim.supporting or claim.citations)
        if not gold or i in gold or any(text in normalise(passages[i].text) for text in texts)
    ]


def _is_echo(question: str, said: str) -> bool:
    """It only repeats words of a question that does not offer them to choose from."""
    if asks_yes_no(question) or OR.search(question):
        return False
    known = amounts_of(question)
    has_new = any(not any(one.agrees(other) for other in known) for one in amounts_of(said))
    return not has_new and telling_words(said) <= telling_words(question)


def _answers(question: str, one: Cited, scores: Scores, is_gold: bool) -> bool:
    """Gold ids vouch for their passage; without them it is read."""
    said, holding = _best(_said(question, one), scores), _holding(question, one)
    if not is_gold and max(said, _best([_whole(question, one)], scores)) < ANSWERS:
        return False
    top = _best(pieces(question, one.passage), scores)
    if top < TELLING or said >= CLAIM_AS_WELL * top:
        return True
    if not holding and amounts_of(one.claim):
        return True
    return _best(holding, scores) >= SENTENCE_AS_WELL * top


def _best(asked: Sequence[Asked], scores: Scores) -> float:
    return max((scores.get(one) or 0.0 for one in asked), default=0.0)


def _said(question: str, one: Cited) -> list[Asked]:
    """The claim, and of what supports it the part that is nearest to it: its neighbour may answer the question."""
    clauses = [clause for sentence in sentences(one.quote) for clause in CLAUSE.split(sentence)]
    texts = dict.fromkeys((one.claim, nearest(clauses, frozenset(terms(one.claim))).strip()))
    return [Asked(text, question, one.passage.doc) for text in texts if text]


def _holding(question: str, one: Cited) -> list[Asked]:
    """The sentences and rows that have most of the claim's figures, or all of a claim of hardly a word."""
    figures, every = amounts_of(one.claim), pieces(question, one.passage)
    if not figures:
        return [piece for piece in every if is_terse(one.claim) and _has(piece, one.claim)]
    shared = [sum(_is_in(figure, amounts_of(piece.passage)) for figure in figures) for piece in every]
    most = max(shared, default=0)
    return [piece for piece, count in zip(every, shared, strict=True) if most and count == most]


def _is_in(figure: Amount, others: Sequence[Amount]) -> bool:
    return any(figure.agrees(other) or figure.rounds(other) or other.rounds(figure) for other in others)


def _has(piece: Asked, claim: str) -> bool:
    bare = normalise(without_yes_no(claim)).rstrip(".;!")
    return bool(bare) and bare in normalise(piece.passage)


def _whole(question: str, one: Cited) -> Asked:
    return Asked(one.passage.text, question, one.passage.doc)


def pieces(question: str, passage: Passage) -> list[Asked]:
    """The sentences and rows of the passage, those nearest to the question if there are many."""
    wanted = frozenset(terms(question))
    units = [unit for unit in units_of(with_rows(passage.text)) if len(unit.sentences) == 1]
    nearest = sorted(units, key=lambda unit: -len(wanted & unit.terms))[:MOST_PIECES]
    return [Asked(unit.text, question, passage.doc) for unit in nearest]
