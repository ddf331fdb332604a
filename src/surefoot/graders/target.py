"""Does an answer say what was asked? Read where no gold claim tells what the right answer says.

Gold ids say which passages hold the answer. A passage holds more than one fact, so the claim, or the sentence that
supports it, must answer about as well as any other sentence of the passage; and a question of when, how much or why
is answered by a time, a number or a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from surefoot.graders.judges import Asked
from surefoot.graders.rules import units_of
from surefoot.table import Findings, decide
from surefoot.text.clauses import CLAUSE
from surefoot.text.normal import normalise
from surefoot.text.phrases import phrase
from surefoot.text.quantities import TIMES, quantities
from surefoot.text.sentences import sentences, with_rows
from surefoot.text.terms import is_terse, nearest, telling_words, terms, without_yes_no
from surefoot.text.yes_no import OR, asks_yes_no
from surefoot.types import Item, Passage

# Fitted to the demo's answers and the development half of the written ones.
ANSWERS, TELLING, AS_WELL = 0.1, 0.2, 0.33
NEXT_TO = 0.5  # rows of one table are alike, so a terse claim must be in one that answers nearly as well as the best
MOST_PIECES = 12
Scores = Mapping[Asked, float | None]

_TIME, _AMOUNT, _WHY = phrase("asks_time"), phrase("asks_amount"), phrase("asks_why")
_AMOUNT_OF_MONEY = phrase("asks_amount_of_money")
_IS_TIME, _IS_AMOUNT, _IS_REASON = phrase("is_time"), phrase("is_amount"), phrase("is_reason")


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
    question, cited, is_gold = item.question.text, _on_gold(item, findings), bool(item.question.gold_ids)
    if not _is_kind_asked(question, cited):
        return []
    own = [asked for one in cited for asked in _own(question, one)]
    if any(_best(_own(question, one), scores) >= _as_well(one) for one in cited):
        return []
    around = [asked for one in cited for asked in _around(question, one, scores, is_gold)]
    return [asked for asked in own if asked not in scores] or [asked for asked in around if asked not in scores]


def settled(item: Item, findings: Findings, scores: Scores) -> Findings:
    """With what the scores tell: some claim is of the kind that is asked for, and answers the question."""
    if not _is_open(findings):
        return findings
    question, cited, is_gold = item.question.text, _on_gold(item, findings), bool(item.question.gold_ids)
    answers = _is_kind_asked(question, cited) and any(_answers(question, one, scores, is_gold) for one in cited)
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


def _is_kind_asked(question: str, cited: Sequence[Cited]) -> bool:
    said = " ".join(one.claim for one in cited)
    return is_of_kind(question, said) and not is_echo(question, said)


def _answers(question: str, one: Cited, scores: Scores, is_gold: bool) -> bool:
    """Gold ids vouch for their passage; without them it is read."""
    own = _best(_own(question, one), scores)
    top = max(own, _best(pieces(question, one.passage), scores))
    if not is_gold and max(own, _best([_whole(question, one)], scores)) < ANSWERS:
        return False
    return top < TELLING or own >= _as_well(one) * top


def _as_well(one: Cited) -> float:
    """The share of the best that is enough; a claim that reaches it in full needs no comparison."""
    return NEXT_TO if is_terse(one.claim) else AS_WELL


def _around(question: str, one: Cited, scores: Scores, is_gold: bool) -> list[Asked]:
    """What the claim is held against: the sentences of its passage, and all of it if the claim may not do."""
    needs_whole = not is_gold and _best(_own(question, one), scores) < ANSWERS
    return [*([_whole(question, one)] if needs_whole else []), *pieces(question, one.passage)]


def _best(asked: Sequence[Asked], scores: Scores) -> float:
    return max((scores.get(one) or 0.0 for one in asked), default=0.0)


def _own(question: str, one: Cited) -> list[Asked]:
    """The claim, and of what supports it the part that is nearest to it: its neighbour may answer the question. A
    terse claim ("36 months") is told apart only by the rows and sentences of the passage that have it."""
    if is_terse(one.claim) and (told := [piece for piece in pieces(question, one.passage) if _has(piece, one.claim)]):
        return told
    clauses = [clause for sentence in sentences(one.quote) for clause in CLAUSE.split(sentence)]
    texts = dict.fromkeys((one.claim, nearest(clauses, frozenset(terms(one.claim))).strip()))
    return [Asked(text, question, one.passage.doc) for text in texts if text]


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


def is_echo(question: str, said: str) -> bool:
    """It only repeats words of the question, which asks neither for one of them nor for a kind of answer."""
    is_choice = asks_yes_no(question) or OR.search(question)
    if is_choice or any(kind.search(question) for kind in (_TIME, _AMOUNT, _WHY)):
        return False
    known = quantities(question)
    has_new = any(not any(one.agrees(other) for other in known) for one in quantities(said))
    return not has_new and telling_words(said) <= telling_words(question)


def is_of_kind(question: str, said: str) -> bool:
    """A question of when, how much or why has an answer that tells a time, a number or a reason."""
    found = quantities(said)
    if _TIME.search(question) and not _AMOUNT_OF_MONEY.search(question):
        return any(one.kind in TIMES or one.kind == "number" for one in found) or bool(_IS_TIME.search(said))
    if _AMOUNT.search(question):
        known = quantities(question)
        new = [one for one in found if one.kind not in ("date", "year") and not any(one.agrees(k) for k in known)]
        return bool(new) or bool(_IS_AMOUNT.search(said))
    return not _WHY.search(question) or bool(_IS_REASON.search(said))
