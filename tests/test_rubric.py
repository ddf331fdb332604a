from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import rubric
from surefoot.core.errors import UsageError
from surefoot.core.rubric import checked_weights, read_score

FOUR = {"accuracy": 0.35, "completeness": 0.25, "conciseness": 0.20, "clarity": 0.20}
FIVE = ("accuracy", "relevance", "completeness", "conciseness", "clarity")
SCORES = st.floats(1, 10) | st.integers(1, 10)
BALLOTS = st.fixed_dictionaries({"accuracy": SCORES}, optional=dict.fromkeys(FIVE[1:], SCORES))


def of(accuracy: object, *others: object) -> dict[str, object]:
    return dict(zip(FIVE, (accuracy, *others), strict=False))


def overall(
    scores: Mapping[str, object], weights: Mapping[str, float] | None = None, *, ceiling: bool = True
) -> float | None:
    found = rubric.load(rubric.COUNCIL).score(scores, weights)
    return found.value if ceiling else found.uncapped


def test_worked_numbers() -> None:
    assert overall({"accuracy": 7, "completeness": 9, "conciseness": 9, "clarity": 8}, FOUR) == 8.10
    assert overall({"accuracy": 3, "completeness": 9, "conciseness": 9, "clarity": 9}, FOUR, ceiling=False) == 6.90
    assert overall({"accuracy": 3, "completeness": 9, "conciseness": 9, "clarity": 9}, FOUR) == 4.0
    assert overall(of(9, 8, 8, 7, 8)) == pytest.approx(0.35 * 9 + 0.8 + 1.6 + 1.05 + 1.6)


@pytest.mark.parametrize(
    ("accuracy", "most"), [(1, 4.0), (4.9, 4.0), (5, 7.0), (6, 7.0), (6.5, 7.0), (6.99, 7.0), (7, 10.0), (10, 10.0)]
)
def test_the_ceiling(accuracy: float, most: float) -> None:
    free = 0.35 * accuracy + 0.65 * 10
    assert overall(of(accuracy, 10, 10, 10, 10)) == pytest.approx(min(free, most))
    assert overall(of(accuracy, 10, 10, 10, 10), ceiling=False) == pytest.approx(free)


@pytest.mark.parametrize("unread", [None, 95, True, math.nan, math.inf, "nine", "9/5", "", [9], {"score": 9}])
def test_what_is_not_a_score_is_left_out_and_never_escapes_the_ceiling(unread: object) -> None:
    assert overall(of(unread, 10, 10, 10, 10)) is None
    assert overall(of(8, unread, 8, 8, 8)) == 8.0
    assert overall({"clarity": 9}) is None


@pytest.mark.parametrize("below", [0, -5, 0.5, "0", "0/10", "-5", -math.inf, -(10**400)])
def test_an_accuracy_below_the_scale_is_below_the_ceiling(below: object) -> None:
    assert overall(of(below, 10, 10, 10, 10)) == overall(of(1, 10, 10, 10, 10)) == 4.0
    assert overall(of(below, 2, 2, 2, 2)) == overall(of(1, 2, 2, 2, 2))
    assert overall(of(8, below, 8, 8, 8)) == overall(of(8, 1, 8, 8, 8)), "on every dimension"


def test_a_score_is_read_in_one_way() -> None:
    for value in (9, 9.0, "9", " 9 ", "9/10", "9 / 10", "9.0", "9.0/10"):
        assert read_score(value) == 9.0
    for value in (0, "0", 10.5, "10.5", "-9", "+9", "9,5", "9%", "9/100", "1e0", "９", 10**400, "9" * 500, "9\x00"):
        assert read_score(value) is None


@given(BALLOTS)
def test_overall_is_a_mean_under_a_ceiling(scores: dict[str, float]) -> None:
    free, held = overall(scores, ceiling=False), overall(scores)
    assert free is not None and held is not None
    assert min(scores.values()) - 1e-9 <= free <= max(scores.values()) + 1e-9
    assert held <= free and (scores["accuracy"] >= 5 or held <= 4) and (scores["accuracy"] >= 7 or held <= 7)


@given(BALLOTS, st.sampled_from(FIVE), st.floats(0, 3))
def test_a_better_score_never_hurts(scores: dict[str, float], name: str, more: float) -> None:
    if name in scores:
        before, after = overall(scores), overall(scores | {name: min(10.0, scores[name] + more)})
        assert before is not None and after is not None and after >= before - 1e-9


@pytest.mark.parametrize(
    "weights",
    [
        {"accuracy": 0.5, "clarity": 0.4},
        {"accuracy": 1.5, "clarity": -0.5},
        {"accuracy": math.nan, "clarity": 1.0},
        {"accuracy": math.inf},
        {"accuracy": True},
        {"accuracy": "1.0"},
        {"accuracy": 0.5, "style": 0.5},
        {"accuracy": 1.0 + 1e-6},
        {},
        [("accuracy", 1.0)],
        1.0,
        "accuracy",
        {1: 1.0},
    ],
)
def test_bad_weights(weights: object) -> None:
    with pytest.raises(ValueError):
        overall(of(9, 9, 9, 9, 9), weights)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        checked_weights(weights, FIVE)


def test_weights_of_ones_own() -> None:
    assert overall(of(8, 1, 1, 1, 4), {"accuracy": 0.5, "clarity": 0.5}) == 6.0
    assert overall(of(8), {"accuracy": 0.5, "clarity": 0.5}) == 8.0
    assert overall(of(8, 9), {"clarity": 1}) is None, "nothing that has a weight is scored"
    assert overall(of(2, 9, 9, 9, 9), {"clarity": 1}) == 4.0, "the ceiling holds without a weight"
    assert overall(of(9), {"accuracy": 1 - 1e-10, "clarity": 1e-10}) == 9.0


@pytest.mark.parametrize("name", ["council", "factual", "coding", "creative", "refusal_aware"])
def test_bundled_rubrics_have_weights_anchors_and_a_ceiling(name: str) -> None:
    loaded = rubric.load(name)
    assert loaded.name == name and loaded.caps and math.fsum(loaded.weights.values()) == pytest.approx(1)
    words = loaded.described()
    for axis in loaded.axes:
        assert list(axis.anchors) == ["9-10", "7-8", "5-6", "3-4", "1-2"]
        assert all(text in words for text in axis.anchors.values())
        assert axis.accepts("9/10") and not axis.accepts(11) and not axis.accepts(True)
    assert loaded.described(loaded.dimensions[::-1]).startswith(loaded.dimensions[-1])


def test_the_council_has_the_documented_weights() -> None:
    weights = {"accuracy": 0.35, "relevance": 0.10, "completeness": 0.20, "conciseness": 0.15, "clarity": 0.20}
    assert rubric.load(rubric.COUNCIL).weights == weights
    assert rubric.load(rubric.COUNCIL).dimensions == FIVE


def test_a_refusal_is_scored_on_declining_instead_of_completeness() -> None:
    aware = rubric.load("refusal_aware")
    scores = of(10, 9, 1, 9, 9) | {"declining": 9}
    assert aware.score(scores, refused=True).value == pytest.approx(0.35 * 10 + 0.65 * 9)
    assert aware.score(scores, refused=False).value == pytest.approx(0.35 * 10 + 0.45 * 9 + 0.2 * 1)
    assert aware.score(of(10, 9, 1, 9, 9), refused=True).missing == ("declining",)
    own = {"accuracy": 0.5, "completeness": 0.5}
    assert aware.score(scores, own, refused=True).value == pytest.approx(9.5)


WEIGHED = '[[axis]]\nname = "a"\nasks = "?"\nweight = 1.0\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (WEIGHED.replace("1.0", "0.9"), "sum to 1"),
        (WEIGHED.replace("1.0", "nan"), "from 0 to 1"),
        (WEIGHED + WEIGHED, "same name"),
        (WEIGHED + '[[cap]]\naxis = "b"\nbelow = 5\nat = 4', "cap on b"),
        (WEIGHED + '[[cap]]\naxis = "a"\nbelow = 5\nat = 40', "from 1 to 10"),
        (WEIGHED + '[[axis]]\nname = "b"\nasks = "?"\nreplaces = "c"\nwhen = "refused"', "replace"),
        (WEIGHED + '[[axis]]\nname = "b"\nasks = "?"\nreplaces = "a"', "refused"),
        (WEIGHED + 'when = "refused"', "always"),
        (WEIGHED + "wieght = 1", "wieght"),
    ],
)
def test_a_rubric_that_cannot_be_right_is_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        rubric.parse(text, "own.toml")


def test_an_unknown_rubric_names_those_there_are() -> None:
    for name in ("nothing", "../rubrics/council", ""):
        with pytest.raises(UsageError, match="no rubric") as error:
            rubric.load(name)
        assert "council" in error.value.hint and "refusal" in error.value.hint


def test_an_order_of_dimensions_that_are_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="style"):
        rubric.load(rubric.COUNCIL).described(["style"])


def test_refusal_aware_holds_down_what_is_invented_and_what_is_needlessly_refused() -> None:
    aware, best = rubric.load("refusal_aware"), dict.fromkeys(rubric.load("refusal_aware").dimensions, 10)
    assert aware.score(best).value == 10 and aware.score(best, fault="invented").value == 3
    assert aware.score(best, refused=True, fault="needless_refusal").capped_by == ("needless_refusal",)
    poor = aware.score(best | {"declining": 4}, refused=True)
    assert poor.value == 4 and poor.capped_by == ("declining",)
    assert aware.score(best | {"declining": 4}).value == 10, "of a response that does not decline, it is nothing"
    assert aware.score(best | {"declining": None}, refused=True).value == 10
    # A reviewer who knows no better gives an invented answer 8.30 and the honest refusal 6.85 by plain means of marks.
    invented = {"accuracy": 8, "relevance": 9, "completeness": 9, "conciseness": 8, "clarity": 8}
    refusal = {"accuracy": 8, "relevance": 7, "completeness": 2, "conciseness": 9, "clarity": 8}
    plain = rubric.load("council")
    assert plain.score(invented).value == pytest.approx(8.3) and plain.score(refusal).value == pytest.approx(6.85)
    by_aware = aware.score(refusal | {"declining": 6}, refused=True).value
    assert by_aware is not None and by_aware > (aware.score(invented, fault="invented").value or 0)
