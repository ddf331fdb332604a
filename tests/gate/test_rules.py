from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot import score
from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.types import Estimate
from surefoot.gate.metrics import Check, Rule, check, decide
from surefoot.jobs.settings import load_gate
from tests.conftest import QUESTIONS


def judge(text: str, seen: Mapping[str, Estimate], before: Mapping[str, Estimate] | None = None) -> Check:
    rule = Rule.parse(text)
    return check(rule, seen.get(rule.metric), (before or {}).get(rule.metric))


def rate(numerator: int, denominator: int, low: float = 0.0, high: float = 1.0) -> Estimate:
    return Estimate(numerator, denominator, low, high)


@pytest.mark.parametrize(
    ("text", "metric", "group", "bound", "op", "limit", "on_baseline"),
    [
        ("precision >= 0.80", "precision", None, None, ">=", Fraction(4, 5), False),
        ("under_refusal.high <= 0.05", "under_refusal", None, "high", "<=", Fraction(1, 20), False),
        ("wrong[adversarial] <= baseline + 1", "wrong", "adversarial", None, "<=", Fraction(1), True),
        ("precision[lang=de].low > .5", "precision", "lang=de", "low", ">", Fraction(1, 2), False),
        ("coverage == 100%", "coverage", None, None, "==", Fraction(1), False),
        ("precision>=baseline-2%", "precision", None, None, ">=", Fraction(-1, 50), True),
        ("wrong <= baseline", "wrong", None, None, "<=", Fraction(0), True),
        ("under_refusal < 1", "under_refusal", None, None, "<", Fraction(1), False),
    ],
)
def test_the_grammar(
    text: str, metric: str, group: str | None, bound: str | None, op: str, limit: Fraction, on_baseline: bool
) -> None:
    rule = Rule.parse(text)
    assert (rule.metric, rule.group, rule.bound, rule.op) == (metric, group, bound, op)
    assert (rule.limit, rule.on_baseline) == (limit, on_baseline)
    assert Rule.parse(rule.text) == rule


@pytest.mark.parametrize(
    "text",
    ["", "precision", "precision >=", "precision => 0.8", "precision >= high", "precision >= + 1", "0.8 <= precision",
     "precision >= 0.8.1", "precision >= baseline 1", "precision >= 0.8 and coverage >= 1", "precision.mid >= 0",
     "labels >= 50", "kappa[factuality].low >= 0.4"],
)  # fmt: skip
def test_what_is_no_rule_is_a_usage_error_with_a_hint(text: str) -> None:
    with pytest.raises(UsageError) as error:
        Rule.parse(text)
    assert error.value.hint and error.value.exit_code == ExitCode.USAGE


def test_a_misspelt_metric_is_named_and_the_right_one_suggested() -> None:
    with pytest.raises(UsageError) as error:
        Rule.parse("precison >= 0.8")
    assert "precison" in error.value.message and "precision" in error.value.hint


def test_rules_compare_exact_fractions() -> None:
    assert judge("precision >= 0.8", {"precision": rate(4, 5)}).status == "pass"
    assert judge("precision >= 0.8", {"precision": rate(79_999_999, 100_000_000)}).status == "fail"
    assert judge("precision > 0.8", {"precision": rate(4, 5)}).status == "fail"


def test_statuses() -> None:
    assert judge("coverage >= 1", {"coverage": rate(9, 10)}).status == "incomplete"
    assert judge("precision >= 0.8", {"precision": Estimate(0, 0, reason="no answers")}).status == "undecidable"
    assert judge("wrong <= 1", {}).status == "not_applicable"
    assert judge("precision >= baseline", {"precision": rate(1, 2)}).status == "undecidable"
    assert judge("precision >= baseline - 0.1", {"precision": rate(1, 2)}, {"precision": rate(3, 5)}).status == "pass"
    assert judge("precision >= baseline", {"precision": rate(1, 2)}, {"precision": rate(3, 5)}).status == "fail"
    assert judge("under_refusal.high <= 0.05", {"under_refusal": rate(0, 10, 0, 0.259)}).status == "fail"
    assert judge("wrong <= baseline", {}, {"wrong": rate(1, 1)}).status == "undecidable"


@pytest.mark.parametrize(
    ("statuses", "incomplete", "code", "outcome"),
    [
        (["pass", "pass"], [], 0, "SHIP"),
        (["pass", "not_applicable"], [], 0, "SHIP"),
        (["pass", "fail", "incomplete", "undecidable"], ["x"], 1, "BLOCK"),
        (["pass", "incomplete", "undecidable"], [], 4, "INCONCLUSIVE"),
        (["pass"], ["3 malformed"], 4, "INCONCLUSIVE"),
        (["pass", "undecidable"], [], 3, "INCONCLUSIVE"),
        (["not_applicable"], [], 3, "INCONCLUSIVE"),
        ([], [], 3, "INCONCLUSIVE"),
    ],
)
def test_precedence_of_exit_codes(statuses: list[Any], incomplete: list[str], code: int, outcome: str) -> None:
    decision = decide([Check(Rule.parse("precision >= 0"), status) for status in statuses], incomplete)
    assert (int(decision.exit_code), decision.outcome) == (code, outcome)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rules = 3",
        "[rules]\n",
        "[rules]\nG1 = 0.8",
        "[rule]\nG1 = 'precision >= 0.8'",
        "[rules\n",
        "[rules]\na='x'\na='y'",
    ],
)
def test_a_broken_gate_file_is_a_usage_error_that_names_it(text: str, tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"gate\.toml") as error:
        load_gate(path)
    assert error.value.hint


def test_a_gate_file_may_be_a_list_of_rules(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text('rules = ["precision >= 0.5", "coverage >= 1"]', encoding="utf-8")
    assert list(load_gate(path).values()) == ["precision >= 0.5", "coverage >= 1"]


answers = st.sampled_from(["not in context", "So it is. citations: [p1#1]", "So it is. citations: [p2#1]", "So it is."])


@given(st.lists(answers, min_size=4, max_size=4), st.integers(0, 3))
def test_a_worse_answer_never_turns_block_into_ship(given: list[str], place: int) -> None:
    """Turning any answer into an uncited invention cannot help."""
    traces = [{"qid": q["qid"], "answer": a} for q, a in zip(QUESTIONS, given, strict=True)]
    worse = [dict(t, answer="It is surely so.") if i == place else t for i, t in enumerate(traces)]
    before, after = score(QUESTIONS, traces), score(QUESTIONS, worse)
    if before.decision.outcome == "BLOCK":
        assert after.decision.outcome == "BLOCK" or after.metrics["over_refusal"].value == 0
    assert not (before.decision.outcome == "BLOCK" and after.decision.outcome == "SHIP")
