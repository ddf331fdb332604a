"""Does an answer say what was asked: what the gold claims say, or, without these, what the question wants?

Against gold claims numbers decide where there are some, names and words otherwise. Gold ids say which passages hold the
answer; without them, the claim or the passage it cites must answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.table import Findings, Gold, decide
from surefoot.core.types import Item, Passage
from surefoot.graders.figures import (
    Figure,
    FigureAsked,
    asked_in,
    comparable,
    figures_given,
    gold_figures,
    is_bare,
    misnamed,
    same_figure,
)
from surefoot.graders.judges import Asked
from surefoot.graders.numbers import is_of_another_frequency
from surefoot.graders.rules import turned_round
from surefoot.text.amounts import Amount, amounts_of, worded_alike
from surefoot.text.claims import Claim
from surefoot.text.normal import (
    OR,
    asks_yes_no,
    is_terse,
    names,
    nearest,
    normalise,
    phrase,
    sentences,
    telling_words,
    terms,
    with_rows,
    without_yes_no,
)
from surefoot.text.numbers import Quantity, numbered, quantities
from surefoot.text.tables import units_of

_CLAUSE = phrase("clause")
_JOINED = re.compile(r"(?: ?%| [a-z]+)?(?: ?[-–—] ?| (?:to|or|through|and) |, )\W{0,2}", re.IGNORECASE)
_SMALL = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_SPAN = re.compile(rf"\b(?:{_SMALL} (?:to|or)|between {_SMALL} and) {_SMALL}\b", re.IGNORECASE)
_ALTERNATIVES = re.compile(
    r"(?<![\w-])(?:[\w-]{1,40}(?: [\w-]{1,40})?, ){1,10}[\w-]{1,40}(?: [\w-]{1,40})?,? or [\w-]{1,40}(?: [\w-]{1,40})?"
)
_EITHER = re.compile(r"\b(?:between|or)\b", re.IGNORECASE)
_CHANGES = re.compile(
    r"\b(?:increas|rais|rose|rise|grew|chang|went|cut|reduc|decreas|fell|extend|shorten|drop|declin|mov|up|down)\w*\b",
    re.IGNORECASE,
)
_COVERED, _NAMED, _FULL = 0.5, 0.75, 0.8
_SENTENCE = 5  # content words that make an answer speak for itself
_YES_NO = re.compile(
    r"\W*(?:(?P<yes>yes|true|correct)|(?P<no>no|false|incorrect))\b(?!\. ?(?:\d|[A-Z]+-?\d)"
    r"| (?!(?:i|it|they|you|we|he|she|this|that|there)\b)\w)"
    r"|.*?\b(?:it|this|that|(?:the|this) statement) is (?:\w+ly )?"
    r"(?:(?P<holds>true|correct)|not (?:\w+ly )?(?:true|correct)|false|incorrect)\b",
    re.IGNORECASE | re.DOTALL,
)


def agreement(question: str, gold_claims: Sequence[str], answer: str, claims: Sequence[Claim]) -> Gold:
    """Agreement with one gold claim is enough; conflict counts only where none agrees."""
    if not gold_claims:
        return "none"
    said = [claim.text for claim in claims] or [answer]
    parts = dict.fromkeys(part for gold in gold_claims for part in (gold, gold.partition("; ")[0]))
    found = [_Comparison(part, question, said).result(answer) for part in parts]
    if "agrees" in found:
        return "agrees"
    return "conflicts" if "conflicts" in found else "silent"


def merely_contains(question: str, gold_claims: Sequence[str], answer: str, claims: Sequence[Claim]) -> bool:
    """A range or list of the answer has what a gold claim says, and more: that is no agreement, whoever reads it."""
    found = [_Comparison(gold, question, [claim.text for claim in claims]) for gold in gold_claims]
    if _SPAN.search(answer) and any(map(quantities, gold_claims)) and not any(map(_SPAN.search, gold_claims)):
        return True
    return any(one.result(answer) == "silent" and one.is_among_others for one in found)


def of_other_dimensions(question: str, gold_claims: Sequence[str], claims: Sequence[Claim]) -> bool:
    """Both give figures, and none of the answer's can be held against one of the gold's: a length for a price."""
    asked, known = asked_in(question), quantities(question)
    pairs = [
        comparable(wanted.amount, given.amount, asked, is_bare(gold))
        for gold in gold_claims
        for wanted in _wanted(gold, question)
        for given in figures_given([claim.text for claim in claims])[0]
        if not _is_known(given, known)
    ]
    return bool(pairs) and not any(pairs)


class _Comparison:
    """One gold claim and what an answer says to the same question."""

    def __init__(self, gold: str, asked: str, sentences: Sequence[str]) -> None:
        self.gold, self.asked, self.sentences = gold, asked, sentences
        self.said = worded_alike(" ".join(sentences), gold)
        self.terms, self.terms_asked = set(terms(self.said)), set(terms(asked))
        self.new = {term for term in terms(gold) if term not in self.terms_asked}
        self.is_among_others = False  # a range or list has what the gold says, and more

    def result(self, answer: str) -> Gold:
        theirs = _yes_or_no(self.gold)
        ours = _yes_or_no(answer) or (self._restated() if theirs else "")
        if ours and theirs and ours != theirs:
            return "conflicts"
        if is_of_another_frequency(self.gold, self.said):
            return self._conflict()
        wanted = _wanted(self.gold, self.asked)
        found = self._by_figures(wanted) if wanted else None
        if ours and theirs and asks_yes_no(self.asked):
            return found or "agrees"
        if wanted:
            return found or "silent"
        if self._names_another():
            return self._conflict()
        if not self.new:
            own = terms(self.gold)
            covered = bool(own) and sum(term in self.terms for term in own) >= _FULL * len(own)
        else:
            covered = self._coverage() >= _COVERED or self._named() >= _NAMED
        self.is_among_others = covered and self._is_listed()
        if not covered or self.is_among_others:
            return "silent"
        return "conflicts" if turned_round(self.said, self.gold) else "agrees"

    def _is_listed(self) -> bool:
        """Among several alternatives that neither the gold nor the question has: "by Wi-Fi, Zigbee or Bluetooth"."""
        lists = [found[0] for found in _ALTERNATIVES.finditer(" ".join(self.sentences))]
        known = {*self.new, *self.terms_asked}
        return bool(self.new) and any(self.new <= set(terms(one)) and len(set(terms(one)) - known) > 1 for one in lists)

    def _restated(self) -> str:
        """To a question of yes or no: its statement, as it stands or turned round."""
        if not asks_yes_no(self.asked) or len(self.terms_asked & self.terms) < _FULL * len(self.terms_asked):
            return ""
        return "no" if turned_round(self.said, self.asked) else "yes"

    def _conflict(self) -> Gold:
        """A full sentence that names nobody the gold and the question name is about something else."""
        wanted = set(names(self.gold)) & self.terms_asked
        is_close = not wanted or len(self.terms) < _SENTENCE or 2 * len(wanted & self.terms) > len(wanted)
        return "conflicts" if is_close else "silent"

    def _names_another(self) -> bool:
        """Of a name that the gold tells apart by a number, the answer has only other numbers: Q1 for Q3."""
        wanted, there = numbered(self.gold) - numbered(self.asked), numbered(self.said)
        return any(one not in there and any(one.name == other.name for other in there) for one in wanted)

    def _by_figures(self, wanted: Sequence[Figure]) -> Gold | None:
        """A single figure is held against what the answer concludes with, several against all that it says. None where
        the answer gives nothing to compare."""
        unit, bare, known = asked_in(self.asked), is_bare(self.gold), quantities(self.asked)
        concluded, everywhere = figures_given(self.sentences)
        pool = concluded if len({one.amount.value for one in wanted}) == 1 else everywhere
        is_new = not all(_is_known(one, known) for one in wanted)
        given = [one for one in pool if not (is_new and _is_known(one, known))]
        said = " ".join(self.sentences)
        if misnamed(self.gold, said) or (bare and misnamed(f"{self.asked.rstrip('?!. ')}: {self.gold}", said)):
            return "conflicts"
        if any(_differs(kind, wanted, given, unit, bare) for kind in {one.amount.kind for one in wanted}):
            return self._conflict()
        agreeing = [g for w in wanted for g in given if same_figure(w, g, unit, bare)]
        others = [one.amount for one in everywhere]
        if len({one.amount.value for one in wanted}) == 1 and agreeing:
            self.is_among_others = all(self._is_one_of_several(one.amount, others) for one in agreeing)
        return "silent" if self.is_among_others else "agrees" if agreeing else None

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

    def _coverage(self) -> float:
        """How much of what the gold adds to the question the answer repeats; nothing where it adds nothing."""
        named = set(names(self.gold))
        weights = {term: 2.0 if term in named else 1.0 for term in self.new}
        return sum(weights[term] for term in self.new & self.terms) / (sum(weights.values()) or 1.0)

    def _named(self) -> float:
        """The share of the names that the gold adds to the question and the answer repeats."""
        new = set(names(self.gold)) - self.terms_asked
        return len(new & self.terms) / len(new) if new else 0.0


def _yes_or_no(text: str) -> str:
    match = _YES_NO.match(text)
    return "" if match is None else "yes" if match["yes"] or match["holds"] else "no"


def _wanted(gold: str, asked: str) -> list[Figure]:
    """The figures that the gold adds to the question; all of them where it adds nothing else."""
    found = gold_figures(gold, asked_in(asked))
    known = quantities(asked)
    new = [one for one in found if not _is_known(one, known)]
    return new or ([] if set(terms(gold)) - set(terms(asked)) else found)


def _differs(kind: str, wanted: Sequence[Figure], given: Sequence[Figure], unit: FigureAsked, bare: bool) -> bool:
    """The answer gives values of a kind that the gold gives too, and none of them is the gold's. A 1 beside others
    does not count: it is the second half of "2.75 : 1"."""
    theirs = [one for one in wanted if one.amount.kind == kind]
    ours = [g for g in given if comparable(theirs[0].amount, g.amount, unit, bare)]
    telling = [one for one in theirs if one.amount.value != 1] or theirs
    return bool(ours) and not any(same_figure(w, g, unit, bare) for w in telling for g in ours)


def _is_known(figure: Figure, known: Sequence[Quantity]) -> bool:
    return any(figure.amount.agrees(other) for other in known)


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
    clauses = [clause for sentence in sentences(one.quote) for clause in _CLAUSE.split(sentence)]
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
