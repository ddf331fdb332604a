"""How good a refusal is: 0 flat; 1 says what is missing; 2 adds the closest evidence or a next step; 3 has all three.

False urgency, blame, or new uncited claims cap it at 1.
"""

from __future__ import annotations

import re

from surefoot.text.refusals import Refusal
from surefoot.text.terms import terms

_EVIDENCE = re.compile(
    r"\b(?:closest|nearest|related|relevant|similar|instead|what (?:i|we) (?:do )?(?:have|found|see)"
    r"|(?:i|we) (?:did |do |could )?(?:only )?(?:find|found|see|have)\b(?! no)"
    r"|(?:documents?|passages?|sources?|text|policy|report|agreement|contract) (?:only |do |does )?"
    r"(?:covers?|mentions?|discuss(?:es)?|address(?:es)?|describes?|contains?|deals?|gives?|states?|says?)\b(?! no)"
    r"|only (?:covers?|mentions?|gives?|says?|deals?))",
    re.IGNORECASE,
)
_NEXT_STEP = re.compile(
    r"\b(?:you (?:may|might|can|could|should|would)(?: want| wish| like| need)?"
    r"|please (?:check|consult|contact|ask|see|provide|share|refer|upload|specify|clarify)"
    r"|try (?:asking|searching|checking|the)|check (?:with|the)|contact|consult|ask (?:the|your|for)|refer to"
    r"|see (?:the|your)|look (?:at|in|up)|i (?:would )?(?:suggest|recommend)"
    r"|(?:could|can|would) you (?:provide|share|specify|clarify|tell|send)"
    r"|if you (?:can |could )?(?:provide|share|have|tell|send|upload|point)|next step|worth (?:checking|asking))\b",
    re.IGNORECASE,
)
_URGENCY = re.compile(
    r"\b(?:urgent(?:ly)?|immediately|act now|right away|at once|emergency|as soon as possible|asap)\b", re.IGNORECASE
)
_BLAME = re.compile(
    r"\b(?:your (?:question|query|request) (?:is|was) (?:unclear|vague|wrong|bad|poorly|confus\w+|nonsens\w+)"
    r"|you (?:should have|failed to|did not bother|forgot)|your (?:own )?fault|read the documents? yourself)\b",
    re.IGNORECASE,
)


def refusal_quality(
    question: str, answer: str, refusal: Refusal, citations: int, uncited_claims: int
) -> tuple[int, str]:
    """The level and what earned it."""
    says_what = _says_what_is_missing(question, answer, refusal)
    evidence = citations > 0 or bool(_EVIDENCE.search(answer[: refusal.start] + " " + answer[refusal.end :]))
    next_step = bool(_NEXT_STEP.search(answer))
    level = 1 + evidence + next_step if says_what else min(1, evidence + next_step)
    earned = [
        name
        for name, there in (("what is missing", says_what), ("closest evidence", evidence), ("next step", next_step))
        if there
    ]
    capped = next(
        (why for why, there in (
            ("false urgency", bool(_URGENCY.search(answer))), ("blame", bool(_BLAME.search(answer))),
            ("new uncited claims", uncited_claims > 0)) if there),
        None,
    )  # fmt: skip
    if capped and level > 1:
        return 1, f"capped at 1: {capped}"
    lacking = "" if says_what or not earned else "; what is missing is not named"
    return level, ", ".join(earned) + lacking or "a flat refusal"


def _says_what_is_missing(question: str, answer: str, refusal: Refusal) -> bool:
    """The refusal names the thing asked for, or gives a reason that is more than the bare phrase."""
    asked = set(terms(question))
    sentence = _sentence_around(answer, refusal.start, refusal.end)
    shared = asked & set(terms(sentence))
    return len(shared) >= min(2, max(1, len(asked))) or (len(shared) >= 1 and len(terms(sentence)) >= 4)


def _sentence_around(text: str, start: int, end: int) -> str:
    left = max(text.rfind(mark, 0, start) for mark in (". ", "\n", "? ", "! "))
    rights = [at for mark in (". ", "\n", "? ", "! ") if (at := text.find(mark, end)) >= 0]
    return text[left + 1 : min(rights, default=len(text))]
