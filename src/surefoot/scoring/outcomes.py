"""One answer, read: everything the metrics need to know about it, and its label.

Outcomes are few and small: answers with equal outcomes are counted, not kept, which is why a million
traces fit in memory and why every metric can be a plain function of one outcome (`metrics`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from surefoot.core.types import Outcome, OutcomeLabel, Question, RefusalValue, State, Trace, places_of
from surefoot.text import citations
from surefoot.text.normal import is_empty, normalise
from surefoot.text.refusals import Refusal

# A phrase is a run of letters, hyphens, spaces, and amounts like "$84,000.50" between punctuation marks.
_PHRASE = re.compile(r"[^\W_](?:[^\W_]|[-\s]|[$€£¥](?=\d)|(?<=\d)[.,](?=\d))*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LEAST, _LEAST_CJK = 5, 2

# "It is not true that <phrase>", "not <phrase>" and "<phrase> is false" say the opposite of the claim.
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|isn't|untrue|false|incorrect|wrong)(?: true| correct| the case)? that"
    r"|\b(?:not|never|no))(?: the| a| an)? $"
)
_DENIED_AFTER = re.compile(
    r"[\s\"'”’)]{1,3}(?:is|was|are|were) (?:not (?:true|correct|the case)|untrue|false|incorrect|wrong)\b"
)
_REACH = 48
_BULLETS = "-*• "
_DENIAL_ENDS = frozenset({"t ", "r ", "o ", "e ", "a ", "n "})  # that, not, never, no, the, a, an
_DENIAL_BEGINS = frozenset("iwa \t\n\r\"'”’)")  # of is, was, are
_STOPS = frozenset({"", ".", ",", ";", "\n"})


def phrases_of(claims: Iterable[str]) -> tuple[str, ...]:
    """The phrases of some gold claims that are long enough to mean something."""
    found = (match.group().strip() for claim in claims for match in _PHRASE.finditer(normalise(claim)))
    return tuple(dict.fromkeys(one for one in found if len(one) >= (_LEAST_CJK if _CJK.search(one) else _LEAST)))


def contains(phrases: tuple[str, ...], answer: str) -> bool:
    """True when any phrase stands in the answer as whole words and is not denied there."""
    text = answer.lower()
    if any(phrase in text and _stands(phrase, text) for phrase in phrases):
        return True
    if answer.isascii() and "  " not in text and text.isprintable():
        return False
    # Other white space, or letters that are written in two ways
    folded = " ".join(text.split()) if answer.isascii() else normalise(answer)
    return folded != text and any(phrase in folded and _stands(phrase, folded) for phrase in phrases)


def _stands(phrase: str, text: str) -> bool:
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        before, after = text[max(0, start - 2) : start], text[end : end + 2]
        if not (
            (before[-1:].isalnum() and _is_one_word(text[start - 1 : start + 1]))
            or (after[:1].isalnum() and _is_one_word(text[end - 1 : end + 1]))
            or (after[1:].isdigit() and after[0] in ".," and text[end - 1].isdigit())
            or (before in _DENIAL_ENDS and _DENIED_BEFORE.search(text[max(0, start - _REACH) : start]))
            or (after[:1] not in _STOPS and (after[0] != " " or after[1:] in _DENIAL_BEGINS)
                and _DENIED_AFTER.match(text, end, end + _REACH))
        ):  # fmt: skip
            return True
        start = text.find(phrase, end)
    return False


def _is_one_word(characters: str) -> bool:
    """CJK text has no spaces between words, so nothing is cut there."""
    return characters.isalnum() and (characters.isascii() or not _CJK.search(characters))


class Expected(Struct, frozen=True, gc=False):
    """A question's gold side, prepared once for all its traces; empty where there is no question set."""

    answerable: bool | None = None
    gold: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()
    id: str = ""

    @classmethod
    def of(cls, question: Question) -> Expected:
        return cls(question.answerable, frozenset(question.gold_ids), phrases_of(question.gold_claims), question.id)


class Reading(Struct, frozen=True, gc=False):
    """An outcome with the details a person wants to see beside it."""

    outcome: Outcome
    citations: tuple[str, ...] | None = None
    refusal: Refusal | None = None
    reason: str | None = None

    def span_in(self, answer: str | None) -> str | None:
        """The words of an answer that made it a refusal."""
        if self.refusal is None or self.refusal.value == "answered" or answer is None:
            return None
        return answer[self.refusal.start : self.refusal.end]


class ScoredRow(Struct, frozen=True):
    """One line of the per-question table."""

    qid: str
    label: str
    refusal: str | None = None
    hit: bool | None = False
    contained: bool = False
    citations: tuple[str, ...] | None = None
    refusal_span: str | None = None  # the words that made it a refusal
    reason: str | None = None
    source: str | None = None
    line: int | None = None


def row_of(qid: str, reading: Reading, answer: str | None, source: str, line: int) -> ScoredRow:
    outcome, span = reading.outcome, reading.span_in(answer)
    return ScoredRow(
        qid, label(outcome), outcome.refusal, outcome.hit, bool(outcome.contained), reading.citations, span,
        reading.reason, source, line,
    )  # fmt: skip


def outcome_of(row: ScoredRow, question: Question) -> Outcome:
    """The outcome that a row tells of; what was retrieved is not in it."""
    for state, name in _STATE_LABELS.items():
        if name == row.label:
            return Outcome(question.answerable, state)
    cited = row.citations or ()
    gold = None if row.hit is None else sum(map(question.gold_ids.__contains__, cited))
    refusal: Any = row.refusal
    return Outcome(
        question.answerable, "usable", refusal, row.hit, row.contained, row.citations is not None, len(cited), gold
    )


RefusalOf = Callable[[str], Refusal]


def read(expected: Expected, trace: Trace, refusal_of: RefusalOf) -> Reading:
    """What one trace says, measured against what its question expects."""
    retrieved = trace.retrieved
    known = None if retrieved is None else retrieved.ids
    reached = None if known is None else places_of(expected.gold, known)
    if trace.error or trace.answer is None:
        return _failed(expected, reached, trace.error or "no answer")
    names = trace.names if known is None else known
    found = read_answer(expected, trace.answer, names, retrieved or (), trace.citations, refusal_of)
    if found is None:
        return _failed(expected, reached, "no answer")
    facts, cited, refusal = found
    outcome = Outcome(*facts)
    if known is None:
        # An id cannot be looked for among passages whose ids were not logged; a place can.
        is_known = retrieved is not None and all(name in names or name.isdecimal() for name in cited or ())
        inside = outcome.cited_retrieved if is_known else None
        outcome = outcome._replace(cited_retrieved=inside, gold_places=None)
        if expected.gold and cited and not _places(trace).isdisjoint(cited):
            outcome = outcome._replace(hit=outcome.hit or None, cited_gold=None)
    return Reading(outcome, cited, refusal)


Facts = tuple[Any, ...]  # the fields of an outcome


def read_answer(
    expected: Expected, answer: str, names: Sequence[str], passages: citations.Passages,
    given: tuple[str, ...] | None, refusal_of: RefusalOf,
) -> tuple[Facts, tuple[str, ...] | None, Refusal] | None:  # fmt: skip
    """The same of an answer to which passages of known ids were retrieved, with what it cites; None if it has no words.

    `given` is what a field says that it cites.
    """
    gold, phrases, refusal = expected.gold, expected.phrases, refusal_of(answer)
    value = refusal.value
    contained = value != "refused" and phrases != () and contains(phrases, answer)
    if not (contained or answer.lstrip(_BULLETS)[:1].isalnum()) and is_empty(answer):  # a phrase is proof of words
        return None
    if given is None:
        cited = citations.parse(answer, names, gold, passages)
    else:
        cited = citations.resolve(given, names, gold, passages)
    hits = inside = 0
    for one in cited or ():
        hits += one in gold
        inside += one in names
    facts = (
        expected.answerable, "usable", value, hits > 0, contained, cited is not None, len(cited or ()), hits, len(gold),
        inside, places_of(gold, names),
    )  # fmt: skip
    return facts, cited, refusal


def _places(trace: Trace) -> set[str]:
    """What passages without an id are called by: nothing that could be held against gold ids."""
    passages = trace.retrieved or ()
    return {name for name, passage in zip(trace.names, passages, strict=True) if not passage.id}


def _failed(expected: Expected, reached: tuple[int, ...] | None, reason: str) -> Reading:
    return Reading(Outcome(expected.answerable, "error", gold=len(expected.gold), gold_places=reached), reason=reason)


def label(outcome: Outcome) -> OutcomeLabel:
    if outcome.state != "usable":
        return _STATE_LABELS[outcome.state]
    if outcome.answerable is None:
        return _LABELS_WITHOUT_GOLD[outcome.refusal]
    if outcome.refused:
        return "OVER_REFUSAL" if outcome.answerable else "REFUSAL_OK"
    if not outcome.answerable:
        return "PARTIAL_REFUSAL" if outcome.refusal == "partial" else "HALLUCINATION"
    return _ANSWER_LABELS[outcome.hit]


_ANSWER_LABELS: dict[bool | None, OutcomeLabel] = {True: "OK", False: "ANS_NO_HIT", None: "ANS_UNKNOWN"}
_LABELS_WITHOUT_GOLD: dict[RefusalValue | None, OutcomeLabel] = {
    "refused": "REFUSED", "partial": "PARTIAL_REFUSAL", "answered": "ANSWERED", None: "ANSWERED",
}  # fmt: skip
_STATE_LABELS: dict[State, OutcomeLabel] = {"missing": "MISSING", "error": "ERROR", "duplicate": "DUPLICATE"}


class Case(NamedTuple):
    """A pattern of answers, and what usually puts it right."""

    finding: str
    action: str
    seen_in: Callable[[Outcome], bool]


# fmt: off
CASES = (
    Case("no usable answer",
         "Find out why before reading the other numbers: re-run these, or fix the logging. A gate on half a run decides nothing.",
         lambda o: o.state in ("missing", "error")),
    Case("several traces for one question",
         "Say which attempt counts: `--rerun first`, `--rerun last`, or `--rerun all` to count each of them.",
         lambda o: o.state == "duplicate"),
    Case("answered although unanswerable",
         "First check that the corpus really is silent on them. If so, give the prompt an explicit licence to refuse, and let a weak "
         "best match count as no evidence. Retrieving more will not help: it gives the model more to misread.",
         lambda o: o.answerable is False and o.refusal == "answered"),
    Case("declined an unanswerable question, and asserted something all the same",
         "Read what follows the refusal. Where it is made up, tell the prompt to stop once it has declined. Where it is the nearest "
         "evidence, have it cited; `surefoot grade` reads it against the passages and tells the two apart.",
         lambda o: o.answerable is False and o.refusal == "partial"),
    Case("refused although the gold source was retrieved",
         "The evidence reached the model and it still refused: loosen the refusal wording of the prompt, make sure that passage ids "
         "and texts survive into it, and check that long contexts are not cut off.",
         lambda o: o.answerable is True and o.refused and o.retrieved_gold is True),
    Case("refused, and the gold source was not retrieved",
         "Refusing was honest; retrieval is at fault. Retrieve more candidates before reranking, and look at how these passages are cut.",
         lambda o: o.answerable is True and o.refused and o.retrieved_gold is False),
    Case("refused although answerable",
         "The log does not say what was retrieved. Log the retrieved ids: only they tell a shy prompt from a blind retriever.",
         lambda o: o.answerable is True and o.refused and o.retrieved_gold is None),
    Case("answered without a gold citation, and the gold source was not retrieved",
         "The answer came from other passages or from the model's memory. Fix retrieval first (candidates, reranking, chunk size).",
         lambda o: o.answerable is True and o.answered and o.hit is False and o.retrieved_gold is False),
    Case("the wrong source cited although the gold one was retrieved",
         "The model read the right passage or guessed, and named another. Enforce the citation format, show each id next to its text, "
         "and use smaller passages so that one id carries one fact.",
         lambda o: o.answerable is True and o.answered and o.hit is False and o.cited > 0 and o.retrieved_gold is True),
    Case("the wrong source cited",
         "The log does not say which ids were retrieved. Log them: only they tell a wrong citation from a blind retriever.",
         lambda o: o.answerable is True and o.answered and o.hit is False and o.cited > 0 and o.retrieved_gold is None),
    Case("passages cited that have no ids in the log",
         "Nobody can tell whether these are the gold source. Log the id of each passage beside its text, as the question set has it "
         "(`retrieved_ids`, or `id` and `text` in `passages`); `surefoot grade` reads the texts and needs no ids.",
         lambda o: o.answered and o.cited_gold is None),
    Case("answered with no citation at all",
         "The answer format drifted. Ask for `citations: [id, ...]` or the refusal sentence and nothing else, and reject the rest.",
         lambda o: o.answered and o.cited == 0),
    Case("sources cited that were never retrieved",
         "These ids are invented. Validate citations against the retrieved ids before an answer leaves the pipeline.",
         lambda o: o.answered and o.cited_retrieved is not None and o.cited_retrieved < o.cited),
    Case("the gold source cited among many others",
         "Citing everything makes hits cheap. Ask for the passages a claim rests on and nothing more; compare `citation_precision`.",
         lambda o: o.answered and o.cited_gold is not None and o.hit is True and o.cited >= 3 and o.cited_gold * 2 <= o.cited),
)
# fmt: on
