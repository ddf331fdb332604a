"""Pipelines that do not cite: what was retrieved has to support the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from surefoot.core import rubric
from surefoot.core.errors import UsageError
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.rules import Rules
from surefoot.jobs.grade import open_grader
from surefoot.jobs.settings import Settings, settings_from
from tests.conftest import Done, Write
from tests.in_process import surefoot
from tests.items import item_of
from tests.kept import kept

PASSAGES = [
    {"id": "a#1", "text": "Invoices are payable within forty (40) days of receipt."},
    {"id": "a#2", "text": "The fee for customs filing is EUR 3,180."},
]


def grade(answer: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    item = item_of({"id": "i", "question": "When are invoices due?", "passages": PASSAGES, "answer": answer, **fields})
    graded = FindingsGrader(Rules(), "optional").read([item])[0]
    return {"bucket": graded.bucket, "reason": graded.reason} | {v.axis: v.value for v in graded.verdicts}


def test_citations_are_judged_beside_the_bucket() -> None:
    uncited = grade("Invoices are payable within 40 days of receipt.")
    assert not {"citation_exists", "citation_supports", "extra_claim_count"} & uncited.keys()
    miscited = grade("Invoices are payable within 40 days of receipt [a#2].")
    assert (miscited["citation_exists"], miscited["citation_supports"]) == ("yes", "no")
    assert grade("Invoices are payable within 40 days of receipt [b#9].")["citation_exists"] == "no"


def test_gold_ids_are_held_against_what_supports_the_answer() -> None:
    answer = "Invoices are payable within 40 days of receipt."
    assert grade(answer, gold_ids=["a#1"])["bucket"] == "correct"
    assert grade(answer, gold_ids=["a#2"])["reason"] == "off_target"


def test_the_name_of_the_grader_and_the_rubric_tell() -> None:
    terms = Settings(citations="optional")
    plain, optional = (open_grader("rules", one) for one in (Settings(), terms))
    assert optional.name == f"{plain.name}+citations-optional"
    axes = {axis.name for axis in rubric.load("citations_optional").axes}
    assert axes == {axis.name for axis in rubric.load().axes} - {"extra_claim_count"}
    with pytest.raises(UsageError, match="citations cannot be 'never'"):
        settings_from({"citations": "never"})


@pytest.fixture
def runs(write: Write) -> list[str]:
    """Two runs of the same uncited answers."""
    rows = [{"qid": f"q{n}", "question": f"What is fee {n}?"} for n in range(3)]
    texts = [f"Fee {n} is EUR {n + 5}." for n in range(3)]
    asked = write("questions.jsonl", [{**row, "expects": "answer"} for row in rows])
    answers = [
        {**row, "answer": text, "retrieved": [{"id": "p", "text": text}]} for row, text in zip(rows, texts, strict=True)
    ]
    log = write("log.jsonl", answers)
    for name in ("a", "b"):
        assert surefoot("run", "-p", f"traces:{log}", "-q", asked, "--version", name).code == 0
    return ["a", "b"]


def graded(*arguments: str | Path) -> Done:
    return surefoot("grade", *arguments, "--grader", "rules")


def test_a_run_without_a_citation_says_so_and_names_the_option(runs: list[str]) -> None:
    done = graded(runs[0])
    assert "0 correct" in done.out
    assert "no answer cites a source, so none can be correct" in done.err and "--citations optional" in done.err
    done = graded(runs[0], "--citations", "optional")
    assert "3 correct" in done.out
    assert "citation_exists and citation_supports are not judged" in done.err
    assert kept(runs[0]).manifest.rubric == "citations_optional"


def test_runs_graded_with_and_without_are_not_compared_and_rules_on_citations_are_not_judged(runs: list[str]) -> None:
    graded(runs[0], "--citations", "optional")
    graded(runs[1])
    mixed = surefoot("gate", *runs, "--uncalibrated")
    assert mixed.code in (2, 4) and "rubric and grader" in mixed.err + mixed.out
    graded(runs[1], "--citations", "optional")
    compared = surefoot("gate", *runs, "--uncalibrated", "--json")
    extra = next(rule for rule in json.loads(compared.out)["rules"] if rule["name"] == "extra_claims")
    assert extra["status"] == "not_applicable", extra
