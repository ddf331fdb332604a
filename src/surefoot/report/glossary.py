"""What our words mean, for whoever meets them on a page, and the reasons of buckets in plain words."""

from __future__ import annotations

from collections.abc import Mapping

from surefoot.gate.metrics import METRICS, UNGRADED

# Of the decision table, by the name of the row that decided.
_REASONS: Mapping[str, str] = {
    "contradicted": "a passage says something else",
    "conflicts_gold": "disagrees with the expected answer",
    "misattributed": "a refusal is expected, and it answers from passages about something else",
    "no_evidence": "no retrieved passage supports a claim",
    "uncited": "what answers the question has no citation",
    "misquoted": "it quotes words that do not stand in its source",
    "unknown_source": "it cites a source that was not retrieved",
    "miscited": "a passage supports it, but not the one it cites",
    "off_target": "it does not answer what was asked",
    "correct": "the passages it cites support it",
    "refused": "it declines to answer",
    "missing": "there is no answer",
    "error": "the pipeline failed",
    "empty": "the answer is empty",
    "language": "it is not in English",
    "unreadable": "the grader could not read it",
}
_FLAGS: Mapping[str, str] = {
    "partial refusal": "declines in part",
    "asks_back": "asks which of several things is meant",
    "conflicting_sources": "its sources disagree",
}

_WORDS: Mapping[str, str] = {
    "acceptable": "Correct or refused: the answer does no harm.",
    "bad": "Wrong or unsupported.",
    "correct": "Every claim is cited, its source supports it, and it agrees with the expected answer.",
    "wrong": "A passage or the expected answer contradicts it, or it answers where a refusal is expected.",
    "unsupported": "A claim lacks evidence or a citation that supports it, or the question is not answered.",
    "refused": "The answer declines and claims nothing.",
    UNGRADED: "There is no verdict: the answer is missing, or the grader could not read it.",
    "baseline": "The version that is in use.",
    "candidate": "The version that is to replace it.",
    "stratum": "A kind of question, as the question set names it.",
    "margin": "How far a metric may get worse before doubt about it blocks.",
    "interval": "Where the true value lies with 95 % probability, or what --alpha says.",
    "confidence": "How far the odds that passages support the claims can be moved before the bucket changes.",
    "unsure": "The confidence is below the level fitted so that about 5 % of sure verdicts are wrong.",
    "factuality": "Which of the four buckets the answer is in.",
    "citation_exists": "Whether every source that the answer cites was retrieved.",
    "citation_supports": "Whether every cited passage, read alone, supports its claim.",
    "refusal_quality": "From 0, a flat refusal, to 3: says what is missing, the closest evidence and a next step.",
    "extra_claim_count": "Claims without a citation.",
    "supported": "A retrieved passage says so.",
    "contradicted": "A retrieved passage says something else.",
    "no evidence": "No retrieved passage says so, or otherwise.",
    "retrieval": "Finding passages for the question.",
    "reranking": "Choosing among the passages found.",
    "prompt": "What the model is told to do.",
    "generation": "What the model makes of the passages.",
    "question set": "The questions and their expected answers.",
}
TERMS: Mapping[str, str] = {
    **{name: f"Of {metric.unit}: {metric.share}." for name, metric in METRICS.items() if metric.share},
    **_WORDS,
}


def in_plain_words(reason: str) -> str:
    """Why an answer is in its bucket; what a person noted stays as it is."""
    code, colon, detail = reason.partition(": ")
    if colon and code in ("language", "unreadable"):
        return detail
    code, *flags = reason.split(", ")
    if code not in _REASONS or any(flag not in _FLAGS for flag in flags):
        return reason
    return ", and ".join([_REASONS[code], *(_FLAGS[flag] for flag in flags)])
