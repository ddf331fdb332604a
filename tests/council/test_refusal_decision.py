"""Whether an answer is a refusal is decided once: by the run's own grader, else by its wording or most reviewers."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from surefoot import council_runs
from surefoot.core.types import Verdict
from surefoot.models.seam import Prompt, Reply

from ..kept import kept
from .helpers import ballot, scored, sitting
from .runs import Reviewer, make_run, question

ODD_REFUSAL = "Please ring the ward about that."  # by its wording it is an answer
INVENTION = "It is nine weeks."
_SCORED = dict.fromkeys(("accuracy", "relevance", "conciseness", "clarity"), 8)


class Careful(Reviewer):
    """Scores `declining` where it sees a refusal, and `completeness` elsewhere."""

    def __init__(self, name: str, *refusals: str) -> None:
        super().__init__(name)
        self._refusals = refusals

    def complete(self, prompt: Prompt) -> Reply:
        code = prompt.text.partition('"ballot" must be the code ')[2][:8]
        shown = prompt.text.partition("<<<Response A")[2]
        refused = any(text in shown for text in self._refusals)
        entry = {**_SCORED, "completeness": None if refused else 8, "declining": 9 if refused else None}
        return Reply(json.dumps({"ballot": code, "evaluations": {"A": entry}}), asked=1)


@pytest.fixture
def two() -> list[str]:
    absent = [question(number, answerable=False) for number in range(2)]
    return [
        make_run(name, absent, dict.fromkeys(("q0", "q1"), text))
        for name, text in (("careful", ODD_REFUSAL), ("chatty", INVENTION))
    ]


def graded(run: str, bucket: str) -> None:
    kept(run).add_verdicts("rules+1", [Verdict(id, "factuality", bucket, "rules+1") for id in ("q0", "q1")])
    kept(run).amend(grader="rules+1")


def careful(size: int) -> Sequence[Reviewer]:
    return [Careful(f"r{number}", ODD_REFUSAL) for number in range(size)]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_correct_refusal_beats_an_invention_whatever_its_wording(two: list[str], size: int) -> None:
    first, last = council_runs(*two, reviewers=careful(size)).runs
    assert first.run.endswith("careful") and not first.capped and "declining" in first.dimensions
    assert last.capped == {"invented": 2} and last.overall is not None and last.overall.value == 3


def test_the_verdict_of_the_run_goes_before_reviewers_and_wording(two: list[str]) -> None:
    graded(two[0], "refused")
    graded(two[1], "unsupported")
    blind = [Careful("a"), Careful("b", INVENTION)]
    first, last = council_runs(*two, reviewers=blind).runs
    assert first.run.endswith("careful") and not first.capped
    assert last.capped == {"invented": 2}
    reasons = {row.grader[:9]: row.reason for row in kept(two[1]).verdicts() if row.axis == "council.overall"}
    assert "declining 9 not counted: the answer counts as no refusal" in reasons["council/b"]


def test_a_refusal_in_plain_words_is_one_though_reviewers_score_it_as_an_answer() -> None:
    mistaken = ballot({"A": {**_SCORED, "completeness": 3, "declining": None}})
    ranked = scored(
        sitting({"A": "The documents do not say."}, {"r1": mistaken, "r2": mistaken}, rubric="refusal_aware")
    )
    assert ranked.ranking[0].refused and ranked.ranking[0].overall == 8
    assert any("completeness 3 not counted" in note for note in ranked.notes), "no score vanishes without a note"


def test_where_as_many_reviewers_say_so_as_do_not_the_wording_decides() -> None:
    refuses, answers = (
        ballot({"A": {**_SCORED, "declining": 2}}),
        ballot({"A": {**_SCORED, "completeness": 8, "declining": None}}),
    )
    [row] = scored(sitting({"A": INVENTION}, {"r1": refuses}, rubric="refusal_aware")).ranking
    assert row.refused and row.dimensions["declining"] == 2
    ranked = scored(sitting({"A": INVENTION}, {"r1": refuses, "r2": answers}, rubric="refusal_aware"))
    assert not ranked.ranking[0].refused and "declining" not in ranked.ranking[0].dimensions
    assert any("declining 2 not counted" in note for note in ranked.notes), "no score vanishes without a note"
