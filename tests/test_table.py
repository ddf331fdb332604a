"""The decision table: one test per row, in the order of the table."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.table import BUCKETS, TABLE, ClaimFinding, Findings, decide

GOOD: dict[str, Any] = {
    "text": "c", "citations": ("p",), "known": True, "by_cited": ("supported",), "by_cited_together": "supported",
    "by_retrieved": "supported",
}  # fmt: skip


def claim(**changes: object) -> ClaimFinding:
    return ClaimFinding(**{**GOOD, **changes})


def findings(*claims: ClaimFinding, **changes: Any) -> Findings:  # noqa: ANN401
    base: dict[str, Any] = {"unusable": None, "refusal": "answered", "expects": "answer", "gold": "agrees"}
    base["gold_of_cited"] = changes.get("gold", "agrees")
    return Findings(**{**base, "claims": claims, **changes})


@pytest.mark.parametrize(
    ("found", "bucket", "reason"),
    [
        (findings(unusable="missing"), None, "missing"),
        (findings(unusable="error"), None, "error"),
        (findings(unusable="empty"), None, "empty"),
        (findings(claim(by_retrieved="contradicted"), refusal="refused"), "refused", "refused"),
        (findings(claim(by_retrieved="contradicted", by_cited_together="not_enough")), "wrong", "contradicted"),
        (findings(claim(), gold="conflicts"), "wrong", "conflicts_gold"),
        (findings(claim(is_misattributed=True), expects="refusal", gold="none"), "wrong", "misattributed"),
        (findings(claim(by_retrieved="not_enough", by_cited_together="not_enough")), "unsupported", "no_evidence"),
        (findings(expects="refusal", gold="none"), "unsupported", "no_evidence"),
        (findings(claim(citations=(), by_cited=(), by_cited_together="not_enough")), "unsupported", "uncited"),
        (findings(claim(), claim(citations=()), gold_of_cited="silent"), "unsupported", "uncited"),
        (findings(claim(), claim(citations=())), "correct", "correct"),
        (findings(claim(), cites_gold=False), "unsupported", "off_target"),
        (findings(claim(is_misquoted=True)), "unsupported", "misquoted"),
        (findings(claim(), expects="refusal", gold="none"), "unsupported", "off_target"),
        (findings(claim(known=False), unknown=("x",)), "unsupported", "unknown_source"),
        (findings(claim(by_cited=("not_enough",), by_cited_together="not_enough")), "unsupported", "miscited"),
        (findings(claim()), "correct", "correct"),
        (findings(claim(), gold="none"), "correct", "correct"),
        (findings(claim(), gold="silent"), "unsupported", "off_target"),
        (findings(claim(), refusal="partial"), "correct", "correct"),
        # Where citations are optional, what was retrieved decides, and what it does not support stays unsupported.
        (
            findings(claim(citations=(), by_cited=(), by_cited_together="not_enough"), citations_needed=False),
            "correct",
            "correct",
        ),
        (findings(claim(known=False), unknown=("x",), citations_needed=False), "correct", "correct"),
        (findings(claim(by_cited_together="not_enough"), citations_needed=False), "correct", "correct"),
        (
            findings(
                claim(citations=(), by_retrieved="not_enough", by_cited_together="not_enough"), citations_needed=False
            ),
            "unsupported",
            "no_evidence",
        ),
        (findings(gold="none", citations_needed=False), "unsupported", "off_target"),
        # A superseded passage beside the cited one does not contradict what its source and the gold bear out.
        (findings(claim(by_retrieved="contradicted")), "correct", "correct"),
        (findings(claim(by_retrieved="contradicted"), gold="none"), "wrong", "contradicted"),
    ],
)
def test_each_row(found: Findings, bucket: str | None, reason: str) -> None:
    assert decide(found) == (bucket, reason)


def test_every_row_has_a_test_and_a_known_bucket() -> None:
    assert {row.bucket for row in TABLE} == {None, *BUCKETS}


supports = st.sampled_from(["supported", "contradicted", "not_enough"])
claims = st.builds(
    lambda cited, together, retrieved: claim(
        citations=("p",) if cited else (), by_cited_together=together, by_retrieved=retrieved
    ),
    st.booleans(),
    supports,
    supports,
)


@given(st.lists(claims, max_size=4), st.sampled_from(["agrees", "conflicts", "silent", "none"]), st.booleans())
def test_an_uncited_or_unsupported_claim_never_makes_an_answer_correct(
    made: list[ClaimFinding], gold: str, expects_refusal: bool
) -> None:
    expects = "refusal" if expects_refusal else "answer"
    worse = claim(citations=(), by_cited_together="not_enough", by_retrieved="not_enough")
    after, _ = decide(findings(*made, worse, gold=gold, expects=expects))
    assert after in ("wrong", "unsupported")
