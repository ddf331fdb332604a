"""Where a good bucket hangs on a reading that two readers do not share: such an answer is left to a person.

The rules say what is a refusal and what a claim. A model may be talked into "refused", so its word alone never makes a
refusal; and the rules may be led past a claim in odd clothes, so what they took for no claim is looked at again.
Doubts only ever take a verdict away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from surefoot.core.table import ACCEPTABLE
from surefoot.core.types import Item
from surefoot.graders.fence import comparable, neutral
from surefoot.graders.findings import PLAINLY
from surefoot.graders.grader import Graded
from surefoot.graders.judges import Pair
from surefoot.graders.llm_prompts import Found
from surefoot.graders.quotes import name_lacking, opposes, stands_in
from surefoot.graders.rules import Rules
from surefoot.text.citations import blanked, locate
from surefoot.text.claims import Claim, assertions, claims_of, is_claim
from surefoot.text.normal import phrase, pieces_of, sentences, terms, unreadable
from surefoot.text.numbers import quantities
from surefoot.text.refusals import detect

# What wraps a statement without making it less of one. Emphasis, headings, quotations and lists stand in a sentence;
# comments, code, tags and tokens of chat servers end it.
_CLOTHES = re.compile(r"[*_`#>|~{}\[\]]+|^\s*(?:[-+•]|\d{1,2}[.)])\s+", re.MULTILINE)
_WRAPPERS = re.compile(r"<!--|-->|</?\w[^<>\n]{0,200}>|```\w*|< ?[|\uff5c][^<>\n]{0,80}>")
_TURN = re.compile(r"[,;:]\s+(?:but |however,? |still,? |though |yet )?")
_LEAD, _TALK, _ASKS = phrase("lead"), phrase("about_search"), phrase("asks")
_COUNT_OF_SOURCES = phrase("count_of_sources")
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|may|must|shall|will|can|does|do)\b", re.IGNORECASE)
_COVERED = 0.6
_FEWEST_TERMS = 3
_MOST_SENTENCES = 50  # of a refusal
_RULES = Rules()


def doubt(graded: Graded, found: Sequence[Found]) -> str:
    """Why a person should look at the answer, or nothing. `found` is empty where no model read it."""
    if graded.refusal is None:
        return ""
    answer, by_model = graded.item.trace.answer or "", {one.refusal for one in found}
    nothing_found = graded.bucket == "unsupported" and not _decided(graded)
    if graded.refusal.value == "answered" and by_model == {"refused"} and nothing_found:
        return "the model reads a refusal where the rules read an answer"
    if graded.bucket not in ACCEPTABLE:
        return ""
    if not graded.findings.claims:
        for one in found:
            if one.refusal in ("answered", "partial") and stands_in(one.asserts, answer) and is_claim(one.asserts):
                return "the model reads a statement where the rules read a refusal"
    loose = stated_in_refusal(graded.item) if graded.bucket == "refused" else unread_statement(graded.item)
    return f"the answer may state more than was read: {loose[:120]}" if loose else ""


def _decided(graded: Graded) -> bool:
    return any(claim.by_retrieved != "not_enough" for claim in graded.findings.claims)


def unread_statement(item: Item) -> str:
    """Something that the answer states and that is in none of its claims: a claim in odd clothes, or a number from
    nowhere."""
    read, sources = " ".join(comparable(_undressed(claim.text)) for claim in _claims(item)), _sources(item)
    for piece in _pieces(item):
        bare = _plain(piece)
        if any(comparable(found).rstrip(". ") not in read for found in assertions(bare)):
            return piece
        if comparable(piece).rstrip(". ") not in read and _from_nowhere(piece, sources):
            return piece
    return ""


def _plain(piece: str) -> str:
    """Without a label before it, and without a mark behind it that makes a question or a heading of a statement."""
    if not _ASKS.match(piece):
        piece = piece.rstrip("?! ")
    if _VERB.search(piece):
        piece = piece.rstrip(": -")
    return _LEAD.sub("", piece)


def stated_in_refusal(item: Item) -> str:
    """What nobody would say who declines: a number or a name that no source has, the opposite of what one says, or a
    statement of its own."""
    sources, pieces = _sources(item), _pieces(item)
    if len(pieces) > _MOST_SENTENCES:
        return pieces[-1]
    for piece in pieces:
        if _from_nowhere(_COUNT_OF_SOURCES.sub("", piece), sources) or name_lacking(_LEAD.sub("", piece), sources):
            return piece
        if _is_foreign(_plain(piece), sources) or any(_is_denied(part, item) for part in _TURN.split(piece)):
            return piece
    return ""


def _is_foreign(part: str, sources: str) -> bool:
    """A statement about neither the reader nor the sources, in words that the sources do not have."""
    said = set(terms(part))
    if len(said) < _FEWEST_TERMS or _TALK.search(part) or unreadable(part) or not is_claim(part):
        return False
    return detect(part).value == "answered" and len(said & set(terms(sources))) < _COVERED * len(said)


def _claims(item: Item) -> tuple[Claim, ...]:
    return claims_of(
        item.trace.answer or "", item.trace.names, item.question.gold_ids, None, item.trace.retrieved or ()
    ).claims


def _sources(item: Item) -> str:
    passages = item.trace.sources
    texts = [item.question.text, *item.question.gold_claims, *(f"{p.doc} {p.id} {p.text}" for p in passages)]
    return neutral("\n".join(texts))


def _from_nowhere(piece: str, sources: str) -> bool:
    known = quantities(sources)
    return any(not any(q.agrees(other) for other in known) for q in quantities(piece))


def _is_denied(part: str, item: Item) -> bool:
    if len(terms(part)) < _FEWEST_TERMS:
        return False
    passages = [neutral(passage.text) for passage in item.trace.retrieved or ()]
    if any(opposes(part, sentence) for passage in passages for sentence in sentences(passage)):
        return True
    found = _RULES.judge([Pair(passage, part, context=item.question.text) for passage in passages])
    denied = any(one.label == "contradicted" and one.confidence >= PLAINLY for one in found)
    return denied and not any(one.label == "supported" for one in found)


def _pieces(item: Item) -> tuple[str, ...]:
    answer = item.trace.answer or ""
    bare = blanked(answer, sorted(locate(answer, item.trace.names, item.question.gold_ids, item.trace.retrieved or ())))
    return pieces_of(_undressed(_WRAPPERS.sub("\n", neutral(bare))))


def _undressed(text: str) -> str:
    return _CLOTHES.sub(" ", _WRAPPERS.sub(" ", neutral(text)))
