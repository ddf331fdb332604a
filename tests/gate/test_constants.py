"""What decides by a number: each of these fails when its number moves."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from statistics import NormalDist

import numpy as np
import pytest

from surefoot.core.types import Verdict
from surefoot.gate import next_steps
from surefoot.gate.change import Answer, Draws, Evidence, Occurrence, draw, truths
from surefoot.gate.judge import Opened, Request, spent
from surefoot.gate.metrics import Value
from surefoot.gate.rules import Rule
from surefoot.gate.sides import Run

from .helpers import WRONG, changed, check_of, decide, run_of

WORTH: dict[Value, float] = {"correct": 0.0, "wrong": 1.0}
Z = NormalDist().inv_cdf


def opened(count: int, side: int | None = 1, verdict: str = "wrong") -> list[Answer]:
    return [Answer(f"{side}{n}", side, verdict) for n in range(count)]


def test_a_value_that_nobody_gave_weighs_half_a_label() -> None:
    """One label says wrong: Beta(1.5, 0.5)."""
    found = truths([Answer("known", None, "wrong", "wrong", True), *opened(200, None)], WORTH)
    assert float(found.values[:, 1:].mean(axis=1) @ found.weights) == pytest.approx(0.75, abs=0.02)


def test_the_sides_may_differ_by_seven_tenths_in_log_odds() -> None:
    """Around one half, a step in log-odds is a quarter of it in shares."""
    known = [Answer(f"known{n}", None, "wrong", ("wrong", "correct")[n % 2], True) for n in range(10_000)]
    found = truths([*opened(500, 0), *opened(500, 1), *known], WORTH)
    apart = found.values[:, 500:1_000].mean(axis=1) - found.values[:, :500].mean(axis=1)
    assert float(apart.std()) == pytest.approx(0.25 * 0.7, abs=0.012)


@pytest.mark.parametrize(("answers", "draws"), [(30, 4_000), (4_000, 2_000), (60_000, 200)])
def test_there_are_as_many_draws_as_fit_into_memory(answers: int, draws: int) -> None:
    assert truths(opened(answers), WORTH).values.shape[0] == draws


def test_where_fewer_than_ten_draws_lie_beyond_the_normal_curve_is_asked() -> None:
    change = np.array([-1.0, 1.0] * 2_000)
    draws = Draws(change, np.full(4_000, 1 / 4_000), (0.0, 0.0), change[:, None], 0.0)
    assert draws.quantile(0.0026) == -1 and draws.quantile(0.0024) == pytest.approx(Z(0.0024))


def test_the_noise_of_several_runs_is_that_between_them_and_one_answer_more() -> None:
    """One question of ten is wrong in one of two runs on either side: a variance of 1/2 each, halved by two runs."""
    answers = [Answer("a", 0, "wrong", "wrong", True), Answer("b", 1, "wrong", "wrong", True),
               *(Answer(f"c{n}", None, "correct", "correct", True) for n in range(10))]  # fmt: skip
    occurrences = [Occurrence(0, 0, 0), Occurrence(0, 1, 1), Occurrence(0, 0, 2), Occurrence(0, 1, 2)]
    occurrences += [Occurrence(n, side, 2 + n) for n in range(1, 10) for side in (0, 1) for _ in range(2)]
    one = Evidence(answers, occurrences, 10, WORTH, (2, 2))
    assert draw(one).noise == pytest.approx((0.5 / 2 + 0.5 / 2 + 1) / 10**2)


def test_alpha_is_spent_over_all_looks() -> None:
    assert (Request().margin, Request().look) == (0.03, 1)
    assert spent(1) == pytest.approx(0.05 * 6 / pi**2) and spent(3) == pytest.approx(spent(1) / 9)


@pytest.mark.parametrize("rules", [1, 3])
def test_every_end_is_one_sided_and_only_blocking_shares_alpha_among_the_rules(rules: int) -> None:
    """All is labelled, so that nothing but the luck of 3 changed answers is left: normal, sqrt(3 + 1) / 130 wide."""
    one, alpha = some_open_rule(rules), spent(1)
    assert one.change.low == one.draws.quantile(alpha / rules) and one.change.high == one.draws.quantile(1 - alpha)
    assert one.change.change == pytest.approx(3 / 130, abs=0.001)
    assert (one.change.high - one.change.change) * 130 / 2 == pytest.approx(Z(1 - alpha), abs=0.1)


def test_the_margin_of_each_metric() -> None:
    """`acceptable` moves with two buckets. Scores are out of 3, and half of the answers are refusals: twice as much."""
    given = "r" * 20 + "c" * 20
    base, cand = run_of("a", given, given), run_of("b", given, given)
    for one in (base, cand):
        one.verdicts += [Verdict(f"q{n:03}", "refusal_quality", 2, "g/1") for n in range(20)]
        one.verdicts += [Verdict(f"q{n:03}", "extra_claim_count", 0, "g/1") for n in range(20, 40)]
    found = {name: change.margin for name, change in decide(base, cand).changes.items()}
    assert found["wrong"] == found["correct_rate"] == pytest.approx(0.03)
    assert found["acceptable"] == pytest.approx(0.06)
    assert found["refusal_quality"] == pytest.approx(3 * 0.03 * 2)
    assert found["extra_claim_count"] == pytest.approx(3 * 0.03)


def test_a_check_names_fifty_questions() -> None:
    after = changed("c" * 80, range(60))
    check = check_of(decide(run_of("a", "c" * 80, "c" * 80), run_of("b", after, after)))
    assert check.status == "fail" and len(check.questions) == 50 and check.question_count == 60


@pytest.mark.parametrize(("labels", "is_known"), [(39, False), (40, True)])
def test_forty_labels_drawn_by_chance_are_enough_to_know_a_grader(labels: int, is_known: bool) -> None:
    half = labels // 2
    given = "w" * half + "c" * (100 - half)
    people = changed(given, range(0, half, 2), "c")[:half] + "c" * (labels - half) + "." * (100 - labels)
    steps = decide(run_of("a", given, people), run_of("b", given)).next_steps
    assert any("would tell how far the grader errs" in step for step in steps) != is_known, steps


def test_at_most_eighty_answers_are_asked_for_at_once() -> None:
    given = "wc" * 60
    one = open_rule(run_of("a", given, "wc" * 10 + "cw" * 10 + "." * 80), run_of("b", given))
    keys, chances = next_steps._by_labels(one, {answer.key: None for answer in one.evidence.answers})
    assert len(keys) == 80 and len(chances) == 81


@pytest.mark.parametrize(
    ("chances", "count", "chance"),
    [([0.0, 0.3, 0.49, 0.5, 0.9], 3, 0.5), ([0.0, 0.05, 0.11], 2, 0.11), ([0.0, 0.05, 0.09], 0, 0.0)],
)
def test_labels_are_asked_for_where_they_likely_decide_or_at_least_help(
    monkeypatch: pytest.MonkeyPatch, chances: list[float], count: int, chance: float
) -> None:
    keys = [str(n) for n in range(1, len(chances))]
    monkeypatch.setattr(next_steps, "_by_labels", lambda _one, _said: (keys, chances))
    assert next_steps._to_decide(some_open_rule(), {}) == (keys[:count], chance)


def open_rule(base: Run, cand: Run, rules: Sequence[Rule] = WRONG) -> Opened:
    kept: list[Opened] = []

    def keep(found: Sequence[Opened], *_: object) -> tuple[tuple[()], list[str]]:
        kept.extend(found)
        return (), []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("surefoot.gate.decide.next_steps", keep)
        decide(base, cand, rules=rules)
    return kept[0]


def some_open_rule(rules: int = 1) -> Opened:
    after = changed("c" * 130, range(3))
    more = [Rule.parse("wrong <= baseline + 1%", f"more {n}") for n in range(rules - 1)]
    return open_rule(run_of("a", "c" * 130, "c" * 130), run_of("b", after, after), [*WRONG, *more])
