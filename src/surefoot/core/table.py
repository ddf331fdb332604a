"""The decision table: from findings about an answer to its bucket, in one place for every grader and for people.

The first row that fits decides, and its name is kept as the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from msgspec import Struct

from surefoot.core.types import Evidence, Expects, RefusalValue, Support

Bucket = Literal["correct", "wrong", "unsupported", "refused"]
BUCKETS: tuple[Bucket, ...] = ("correct", "wrong", "unsupported", "refused")
SAFETY = "safety"
AXES = ("factuality", "citation_exists", "citation_supports", "refusal_quality", "extra_claim_count", SAFETY)
ACCEPTABLE: frozenset[str] = frozenset({"correct", "refused"})

Gold = Literal["agrees", "conflicts", "silent", "none"]


class ClaimFinding(Struct, frozen=True):
    """What was found about one claim."""

    text: str
    citations: tuple[str, ...]
    known: bool  # every citation is among the retrieved passages
    by_cited: tuple[Support, ...]  # by each existing cited passage alone
    by_cited_together: Support
    by_retrieved: Support  # by the whole retrieved set
    evidence: Evidence = Evidence()
    confidence: float | None = None
    supporting: tuple[str, ...] = ()  # the passages that support it alone, of those that were read
    is_misattributed: bool = False  # passages say it of something else than the question asks about
    is_misquoted: bool = False  # it quotes words that do not stand in its source

    @property
    def supported(self) -> bool:
        return self.by_retrieved == "supported"


class Findings(Struct, frozen=True):
    """Everything the table asks about an answer."""

    unusable: str | None  # "missing", "error", "empty", or to the grader: "language" or "unreadable"
    refusal: RefusalValue
    expects: Expects
    claims: tuple[ClaimFinding, ...] = ()
    gold: Gold = "none"
    gold_of_cited: Gold = "none"  # by the claims that cite something
    cites_gold: bool = True  # a gold passage, or one that says the same; True where none is given
    answers_question: bool = True  # what is said is what was asked; read where there are no gold claims
    citations: tuple[str, ...] | None = None
    unknown: tuple[str, ...] = ()  # cited, but not retrieved
    citations_needed: bool = True  # else what was retrieved has to support the answer, whatever it cites
    detail: str = ""
    flags: tuple[str, ...] = ()  # "partial refusal", "asks_back", "conflicting_sources": kept beside the reason

    @property
    def expects_refusal(self) -> bool:
        return self.expects == "refusal"


class Row(NamedTuple):
    bucket: Bucket | None
    reason: str
    fits: Callable[[Findings], bool]


def _contradicted(f: Findings) -> bool:
    """A passage beside the cited one may disagree with a claim that its own source and the gold bear out."""
    return any(
        claim.by_retrieved == "contradicted" and not (f.gold == "agrees" and claim.by_cited_together == "supported")
        for claim in f.claims
    )


def _uncited(f: Findings) -> bool:
    """What answers the question has to be cited; whatever else is supported need not."""
    cited = [claim for claim in f.claims if claim.citations]
    if not cited:
        return bool(f.claims) or not (f.citations or f.expects_refusal)
    if f.gold == "none":
        return not f.answers_question and len(cited) < len(f.claims)
    return f.gold == "agrees" and f.gold_of_cited != "agrees"


def _has_evidence(f: Findings, claim: ClaimFinding) -> bool:
    return claim.supported or (f.gold == "agrees" and claim.by_cited_together == "supported")


# fmt: off
TABLE: tuple[Row, ...] = (
    Row(None, "missing", lambda f: f.unusable == "missing"),
    Row(None, "error", lambda f: f.unusable == "error"),
    Row(None, "empty", lambda f: f.unusable == "empty"),
    Row(None, "language", lambda f: f.unusable == "language"),
    Row(None, "unreadable", lambda f: f.unusable is not None),
    Row("refused", "refused", lambda f: f.refusal == "refused"),
    Row("wrong", "contradicted", _contradicted),
    Row("wrong", "conflicts_gold", lambda f: f.gold == "conflicts"),
    Row("wrong", "misattributed",
        lambda f: f.expects_refusal and any(c.is_misattributed for c in f.claims)),
    Row("unsupported", "no_evidence", lambda f: any(not _has_evidence(f, c) for c in f.claims)),
    Row("unsupported", "uncited", lambda f: f.citations_needed and _uncited(f)),
    Row("unsupported", "unknown_source", lambda f: f.citations_needed and bool(f.unknown)),
    Row("unsupported", "misquoted", lambda f: any(c.is_misquoted for c in f.claims)),
    Row("unsupported", "miscited",
        lambda f: f.citations_needed and any(c.citations and c.by_cited_together != "supported" for c in f.claims)),
    Row("unsupported", "no_evidence", lambda f: f.expects_refusal and not f.claims),
    Row("correct", "correct",
        lambda f: not f.expects_refusal and f.cites_gold
        and (f.gold == "agrees" or (f.gold == "none" and bool(f.claims) and f.answers_question))),
    Row("unsupported", "off_target", lambda _: True),
)
# fmt: on


def decide(findings: Findings) -> tuple[Bucket | None, str]:
    row = next(row for row in TABLE if row.fits(findings))
    return row.bucket, row.reason
