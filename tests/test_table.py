"""The decision table, whatever was found."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.table import ClaimFinding, Findings, decide

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
