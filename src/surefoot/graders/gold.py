"""Does an answer say what was asked: what the gold claims say, or, without these, what the question wants?

Against gold claims figures decide where there are some, words otherwise. Scale and percent are taken from the question
where a figure does not say them; figures on the way to the answer do not count. Gold ids say which passages hold the
answer; without them, the claim or the passage it cites must answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.table import Findings, Gold, decide
from surefoot.core.types import Item, Passage
from surefoot.graders.figures import ONE, RANGE, figures_of, same, stated, sums_of, worded_as
from surefoot.graders.judges import Pair
from surefoot.text.claims import Claim
from surefoot.text.normal import (
    OR,
    asks_yes_no,
    names,
    nearest,
    normalise,
    phrase,
    sentences,
    telling_words,
    terms,
    with_rows,
)
from surefoot.text.numbers import (
    AS_WRITTEN,
    CURRENCIES,
    MOMENTS,
    SCALES,
    THOUSANDS,
    Amount,
    family,
    same_family,
)
from surefoot.text.tables import units_of

_CLAUSE = phrase("clause")
_JOINED, _EITHER, _CHANGES = phrase("alternatives"), phrase("either"), phrase("changes")
_COVERED, _FULL = 0.5, 0.8
_YES_NO, _ASKS_SCALE = phrase("says_yes_no"), phrase("asks_scale")
_DOWN, _UP, _DOWN_BEHIND, _UP_BEHIND = phrase("down"), phrase("up"), phrase("down_behind"), phrase("up_behind")


def agreement(question: str, gold_claims: Sequence[str], answer: str, claims: Sequence[Claim]) -> Gold:
    """Agreement with one gold claim is enough; conflict counts only where none agrees."""
    if not gold_claims:
        return "none"
    said = [claim.text for claim in claims] or [answer]
    parts = dict.fromkeys(part for gold in gold_claims for part in (gold, gold.partition("; ")[0]))
    found = [_Comparison(part, question, said).result(answer) for part in parts]
    return "agrees" if "agrees" in found else "conflicts" if "conflicts" in found else "silent"


class _Comparison:
    """One gold claim and what an answer says to the same question."""

    def __init__(self, gold: str, asked: str, sentences: Sequence[str]) -> None:
        self.gold, self.asked, self.sentences = gold, asked, sentences
        self.said = worded_as(" ".join(sentences), gold)
        self.terms, self.terms_asked = set(terms(self.said)), set(terms(asked))

    def result(self, answer: str) -> Gold:
        theirs = _yes_or_no(self.gold)
        ours = _yes_or_no(answer)
        if ours and theirs and ours != theirs:
            return "conflicts"
        wanted = _wanted(self.gold, self.asked)
        found = self._by_figures(wanted) if wanted else None
        if ours and theirs and asks_yes_no(self.asked):
            return found or "agrees"
        return found or ("silent" if wanted or not self._covers() else "agrees")

    def _covers(self) -> bool:
        """The answer repeats what the gold adds to the question, names counting twice; where it adds nothing, all."""
        named, own = set(names(self.gold)), terms(self.gold)
        new = {term: 2.0 if term in named else 1.0 for term in own if term not in self.terms_asked}
        if not new:
            return bool(own) and sum(term in self.terms for term in own) >= _FULL * len(own)
        return sum(weight for term, weight in new.items() if term in self.terms) >= _COVERED * sum(new.values())

    def _by_figures(self, wanted: Sequence[_Given]) -> Gold | None:
        """None where the answer gives nothing to compare."""
        scale, bare, known = _scale_asked(self.asked), _is_bare(self.gold), figures_of(self.asked)
        everywhere = _given(self.sentences)
        is_single = len({one.amount.value for one in wanted}) == 1
        is_new = not all(_is_known(one, known) for one in wanted)
        given = [one for one in everywhere if not (is_new and _is_known(one, known))]
        if any(_differs(self.gold, kind, wanted, given, scale, bare) for kind in {one.amount.kind for one in wanted}):
            return "conflicts"
        agreeing = [one for each in wanted for one in given if _same(each, one, scale, bare)]
        others = [one.amount for one in everywhere]
        if agreeing and is_single and all(self._is_one_of_several(one.amount, others) for one in agreeing):
            return "silent"
        return "agrees" if agreeing else None

    def _is_one_of_several(self, one: Amount, others: Sequence[Amount]) -> bool:
        """The end of a range, or one of several alternatives; not what something rose or fell to."""
        text = "\n".join(self.sentences)
        sentence = text[text.rfind("\n", 0, one.start) + 1 : one.end + 80].partition("\n")[0]
        between = [
            text[left.end : right.start]
            for left, right in pairwise(sorted([*others, one], key=lambda amount: amount.start))
            if one in (left, right) and (left.kind == right.kind or "number" in (left.kind, right.kind))
        ]
        said = [found for found in between if _JOINED.fullmatch(found)]
        if not said or _CHANGES.search(sentence):
            return False
        return any("and" not in one.split() and "," not in one for one in said) or bool(_EITHER.search(sentence))


def _yes_or_no(text: str) -> str:
    match = _YES_NO.match(text)
    return "" if match is None else "yes" if match["yes"] or match["holds"] else "no"


class _Given(NamedTuple):
    """A figure of the gold or of an answer."""

    amount: Amount
    sign: int  # -1, 1, or 0 where nothing is said of it


def _scale_asked(question: str) -> float:
    scale = _ASKS_SCALE.search(question)
    return SCALES[(scale["scale"] or scale["short"]).lower()] if scale else 1.0


def _is_bare(gold: str) -> bool:
    """A gold that is nothing but a figure, as a table of results has it."""
    return len(terms(gold)) <= 1 and len(figures_of(gold)) == 1 and any(sign.isdigit() for sign in gold)


def _wanted(gold: str, question: str) -> list[_Given]:
    """The figures that the gold adds to the question; all of them where it adds nothing else."""
    found = [_Given(amount, _sign(gold, amount)) for amount in figures_of(gold)]
    found = [_bare(gold, *found[0], _scale_asked(question))] if _is_bare(gold) else found
    new = [one for one in found if not _is_known(one, figures_of(question))]
    return new or ([] if set(terms(gold)) - set(terms(question)) else found)


def _bare(gold: str, amount: Amount, sign: int, scale: float) -> _Given:
    """Zeros behind the point are how results are printed."""
    decimals = re.search(r"\.(\d*?)0+$", gold[amount.start : amount.end].strip())
    place = amount.place * 10.0 ** (len(decimals[0]) - 1 - len(decimals[1])) if decimals else amount.place
    kind = "number" if amount.kind == "year" and (scale > 1 or decimals) else amount.kind
    is_plus = not sign and amount.is_negative is False
    return _Given(replace(amount, place=place, kind=kind), 1 if is_plus else sign)


def _given(sentences: Sequence[str]) -> list[_Given]:
    """All figures of an answer but for what goes into sums."""
    text = "\n".join(sentences)
    operands = {amount.start for one in sums_of(text) for amount in one.inputs}
    return [_Given(one, _sign(text, one)) for one in figures_of(text) if one.start not in operands]


def _same(gold: _Given, given: _Given, scale: float, bare: bool) -> bool:
    """A bare gold may be in the scale of its table. A minus where the gold has no sign is another figure."""
    if gold.sign * given.sign < 0 or (given.amount.is_negative and not gold.sign):
        return False
    scales = THOUSANDS if bare and given.amount.is_scaled and scale == 1 else ONE
    ours, theirs = _readings(given.amount, scale), list(_readings(gold.amount, scale))
    return any(same(one, other, scales) for one in ours for other in theirs)


def _readings(amount: Amount, scale: float) -> Iterator[Amount]:
    yield amount
    if scale > 1 and (amount.kind == "number" or amount.kind in CURRENCIES) and not amount.is_scaled:
        yield amount.times(scale)
    if amount.kind == "%":
        yield replace(amount.times(0.01), kind="number")


def _differs(gold: str, kind: str, wanted: Sequence[_Given], given: Sequence[_Given], scale: float, bare: bool) -> bool:
    """The answer gives values of a kind that the gold gives too, and none of them is the gold's. A 1 beside others
    does not count: it is the second half of "2.75 : 1". Both ends of a range must be given."""
    theirs = [one for one in wanted if one.amount.kind == kind]
    ours = [one for one in given if _comparable(theirs[0].amount, one.amount, bare)]
    telling = [one for one in theirs if one.amount.value != 1] or theirs
    found = [any(_same(each, one, scale, bare) for one in ours) for each in telling]
    is_range = len(telling) == 2 and RANGE.fullmatch(gold, telling[0].amount.end, telling[1].amount.start)
    return bool(ours) and not (all(found) if is_range and len(ours) > 1 else any(found))


def _comparable(gold: Amount, given: Amount, bare: bool) -> bool:
    """Two figures of which at most one can be right. A bare one may be whatever the answer says."""
    ours, theirs = _dimension(gold), _dimension(given)
    if given.kind.startswith(AS_WRITTEN) or (ours and theirs and ours != theirs):
        return given.kind.startswith(AS_WRITTEN)
    if bare and gold.kind == "number":
        return given.kind not in MOMENTS
    alike = gold.kind == given.kind or {gold.kind, given.kind} <= CURRENCIES or same_family(gold, given)
    return alike or (bare and given.kind == "number")


def _dimension(amount: Amount) -> str:
    """What is measured or counted; empty where a number does not say."""
    if amount.kind in CURRENCIES or amount.kind == "%":
        return "share" if amount.kind == "%" else "money"
    return family(amount.unit) or ("things" if amount.is_counting and not amount.unit else "")


def _is_known(figure: _Given, known: Sequence[Amount]) -> bool:
    return any(figure.amount.agrees(other) for other in known)


def _sign(text: str, amount: Amount) -> int:
    if amount.is_negative:
        return -1
    before = text[max(0, amount.start - 70) : amount.start].rpartition("\n")[2]
    behind = text[amount.end : amount.end + 30]
    if _DOWN.search(before) or _DOWN_BEHIND.match(behind):
        return -1
    return 1 if _UP.search(before) or _UP_BEHIND.match(behind) else 0


# benchmarks/target.py measures them. A claim in words of its own reads lower than a sentence of the passage.
ANSWERS, TELLING, CLAIM_AS_WELL, SENTENCE_AS_WELL = 0.1, 0.2, 0.2, 0.5
MOST_PIECES = 12
Scores = Mapping[Pair, float | None]


class Cited(Struct, frozen=True):
    """A claim that a cited passage supports, with the sentence that does."""

    claim: str
    quote: str
    passage: Passage


def to_ask(item: Item, findings: Findings, scores: Scores) -> list[Pair]:
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
    has_new = any(not stated(one, figures_of(question)) for one in figures_of(said))
    return not has_new and telling_words(said) <= telling_words(question)


def _answers(question: str, one: Cited, scores: Scores, is_gold: bool) -> bool:
    """Gold ids vouch for their passage; without them it is read."""
    said, holding = _best(_said(question, one), scores), _holding(question, one)
    if not is_gold and max(said, _best([_whole(question, one)], scores)) < ANSWERS:
        return False
    top = _best(pieces(question, one.passage), scores)
    if top < TELLING or said >= CLAIM_AS_WELL * top:
        return True
    if not holding and figures_of(one.claim):
        return True
    return _best(holding, scores) >= SENTENCE_AS_WELL * top


def _best(asked: Sequence[Pair], scores: Scores) -> float:
    return max((scores.get(one) or 0.0 for one in asked), default=0.0)


def _said(question: str, one: Cited) -> list[Pair]:
    """The claim, and of what supports it the part that is nearest to it: its neighbour may answer the question."""
    clauses = [clause for sentence in sentences(one.quote) for clause in _CLAUSE.split(sentence)]
    texts = dict.fromkeys((one.claim, nearest(clauses, frozenset(terms(one.claim))).strip()))
    return [Pair(text, question, one.passage.doc) for text in texts if text]


def _holding(question: str, one: Cited) -> list[Pair]:
    """The sentences and rows that have most of the claim's figures."""
    figures, every = figures_of(one.claim), pieces(question, one.passage)
    shared = [sum(bool(stated(one, figures_of(piece.passage))) for one in figures) for piece in every]
    most = max(shared, default=0)
    return [piece for piece, count in zip(every, shared, strict=True) if most and count == most]


def _whole(question: str, one: Cited) -> Pair:
    return Pair(one.passage.text, question, one.passage.doc)


def pieces(question: str, passage: Passage) -> list[Pair]:
    """The sentences and rows of the passage, those nearest to the question if there are many."""
    wanted = frozenset(terms(question))
    units = [unit for unit in units_of(with_rows(passage.text)) if len(unit.sentences) == 1]
    nearest = sorted(units, key=lambda unit: -len(wanted & unit.terms))[:MOST_PIECES]
    return [Pair(unit.text, question, passage.doc) for unit in nearest]
