"""Whether a rubric earns its cost, and weights from preferences."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.core.draws import pairs_of
from surefoot.core.rubric import parse as parse_rubric
from surefoot.core.rubric import rounded, text_of, with_weights
from surefoot.council.evaluate import Preferences, Sheet, success
from surefoot.council.tune import tune

from .planted import WEIGHTS, reviewed, sheet_of

PLANTED = np.array([0.05, 0.05, 0.6, 0.0, 0.3])


def with_holistic(questions: int, noise: float) -> Sheet:
    """One number from each reviewer beside the dimensions: what it thinks, and noise."""
    luck, scores = np.random.default_rng(1), reviewed(questions)
    return sheet_of(
        {
            who: {
                answer: {**given, "holistic": given["overall"] + luck.normal(0, noise)}
                for answer, given in rows.items()
            }
            for who, rows in scores.items()
        }
    )


def liked(sheet: Sheet, weights: np.ndarray[tuple[int], np.dtype[np.float64]], noise: float = 0.3) -> Preferences:
    """What people prefer who go by these weights."""
    scores = np.stack([np.asarray(sheet.scores[name].mean(axis=0)) for name in WEIGHTS], axis=1)
    pairs = pairs_of(sheet.question_of, np.ones(len(sheet.answers), dtype=bool))
    value = scores @ weights + np.random.default_rng(2).normal(0, noise, len(scores))
    return Preferences(pairs, pairs.signs(value))


def test_a_noisy_holistic_score_loses_on_every_measure() -> None:
    sheet = with_holistic(60, 4.0)
    found = success(sheet, liked(sheet, np.array(list(WEIGHTS.values())), noise=0.0))
    variance = {name: one.figure.value for name, one in found.variance.items() if one.figure}
    assert variance["overall"] < variance["holistic"]
    assert found.stability["difference"].figure is not None
    assert found.stability["difference"].figure.low > 0
    assert found.earns_its_cost == "yes"
    assert "agrees with people by +" in found.because


def test_a_holistic_score_that_says_the_same_is_cheaper() -> None:
    found = success(with_holistic(40, 0.0))
    assert found.earns_its_cost == "not shown"
    assert found.stability["difference"].figure is not None
    assert found.stability["difference"].figure.value == 0
    assert found.people["rubric"].reason == "no labels by people were given"


def test_without_a_holistic_score_nothing_is_compared() -> None:
    found = success(sheet_of(reviewed(20)))
    assert found.earns_its_cost == "not shown"
    assert found.because == "no reviewer gave holistic scores"
    assert found.stability["rubric"].figure is not None
    assert found.variance["holistic"].reason == "no reviewer gave holistic scores"
    assert success(sheet_of(reviewed(9))).stability["rubric"].reason.startswith("not enough data")


def test_planted_weights_are_recovered_and_what_people_go_by_gains() -> None:
    luck = np.random.default_rng(4)
    scores, question_of = luck.normal(6, 1.5, (400, 5)), np.arange(200).repeat(2)
    pairs = pairs_of(question_of, np.ones(400, dtype=bool))
    found = tune(
        scores, WEIGHTS, Preferences(pairs, pairs.signs(scores @ PLANTED + luck.normal(0, 0.4, 400))), scores.__matmul__
    )
    assert found.is_better and found.weights is not None
    assert sum(found.weights.values()) == pytest.approx(1)
    assert min(found.weights.values()) >= 0
    assert found.weights["completeness"] > 0.4


def test_noise_changes_nothing() -> None:
    luck = np.random.default_rng(6)
    scores, pairs = luck.normal(6, 1, (120, 5)), pairs_of(np.arange(60).repeat(2), np.ones(120, dtype=bool))
    found = tune(scores, WEIGHTS, Preferences(pairs, pairs.signs(luck.normal(size=120))), scores.__matmul__)
    assert found.weights is not None and not found.is_better


def test_labels_that_could_show_nothing_are_refused() -> None:
    sheet = sheet_of(reviewed(25))
    scores = np.stack([np.asarray(sheet.scores[name].mean(axis=0)) for name in WEIGHTS], axis=1)
    few = tune(scores, WEIGHTS, liked(sheet, PLANTED), scores.__matmul__)
    assert few.weights is None and "it takes 30" in str(few.reason)
    sheet = sheet_of(reviewed(40))
    scores = np.stack([np.asarray(sheet.scores[name].mean(axis=0)) for name in WEIGHTS], axis=1)
    fine = tune(scores, WEIGHTS, liked(sheet, np.array(list(WEIGHTS.values())), noise=0), scores.__matmul__)
    assert fine.weights is None and "the weights are fine as they are" in str(fine.reason)


@pytest.mark.parametrize("name", ["council", "refusal_aware", "factual", "coding", "creative"])
def test_a_rubric_with_other_weights_is_otherwise_the_same(name: str) -> None:
    before = parse_rubric(text_of(name), name)
    share = 1 / len(before.weights)
    weights = rounded(dict.fromkeys(before.weights, share))
    after = parse_rubric(with_weights(text_of(name), weights, 'odd "name"'), name)
    assert after.weights == weights
    assert after.name == 'odd "name"'
    assert (after.caps, [axis.anchors for axis in after.axes]) == (before.caps, [axis.anchors for axis in before.axes])
