from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core.table import BUCKETS
from surefoot.core.types import Question, Trace, Verdict
from surefoot.factors.effects import FEWEST, MEASURED, ONE_VALUE, Effect, Effects, effects_of
from surefoot.factors.results import CellResult, result_of
from surefoot.gate.sides import Run, document_of

from .helpers import Buckets, cell, questions_of
from .simulated import claims

AXES = {"pipeline": ("rag",), "model": ("a", "b"), "prompt": ("with", "without")}
COUNT = 20
given_buckets = st.lists(st.sampled_from([*BUCKETS, None]), min_size=COUNT, max_size=COUNT)
four_cells = st.tuples(given_buckets, given_buckets, given_buckets, given_buckets)


def cells_of(buckets: Sequence[Buckets], about: int = 0) -> list[CellResult]:
    asked = questions_of(COUNT, about)
    values = [{"pipeline": "rag", "model": m, "prompt": p} for m in AXES["model"] for p in AXES["prompt"]]
    return [cell(value, row, asked) for value, row in zip(values, buckets, strict=True)]


def by_axis(found: Effects, axis: str) -> Effect:
    return next(effect for effect in found.effects if effect.axis == axis)


def test_worked_by_hand() -> None:
    """Of ten questions, two more are wrong without the licence for one model, and four for the other."""
    right, wrong = "correct", "wrong"
    rows = [[right] * 10, [wrong] * 2 + [right] * 8, [right] * 10, [wrong] * 4 + [right] * 6]
    values = [{"pipeline": "rag", "model": m, "prompt": p} for m in "ab" for p in ("with", "without")]
    found = effects_of([cell(v, row) for v, row in zip(values, rows, strict=True)], AXES, {})
    prompt, model = by_axis(found, "prompt"), by_axis(found, "model")
    assert (prompt.value, prompt.reference, prompt.pairs) == ("without", "with", 2)
    assert prompt.differences["wrong"].value == pytest.approx(30)
    assert prompt.differences["correct"].value == pytest.approx(-30)
    assert model.differences["wrong"].value == pytest.approx(10)
    assert prompt.differences["refused"].value == 0 and prompt.differences["refused"].low == 0
    moved = {movement.axis: movement for movement in found.movements}
    assert moved["prompt"].moved == pytest.approx(30) and moved["model"].moved == pytest.approx(10)
    assert moved["pipeline"].moved is None and moved["pipeline"].reason == ONE_VALUE
    [contest] = found.contests
    assert (contest.first, contest.second) == ("prompt", "model")
    assert contest.difference.value == pytest.approx(20)


@settings(max_examples=15)
@given(four_cells, st.integers(0, 15), st.randoms(use_true_random=False))
def test_the_order_of_cells_and_questions_does_not_matter(
    buckets: tuple[list[str | None], ...], about: int, chance: random.Random
) -> None:
    cells = cells_of(buckets, about)
    mixed = []
    for one in cells:
        answers = list(one.answers)
        chance.shuffle(answers)
        mixed.append(CellResult(one.name, one.values, one.run, tuple(answers), buckets=one.buckets))
    chance.shuffle(mixed)
    assert effects_of(mixed, AXES, {}) == effects_of(cells, AXES, {})


@settings(max_examples=15)
@given(given_buckets.filter(any), st.integers(0, 15))
def test_identical_cells_have_no_effects(buckets: list[str | None], about: int) -> None:
    found = effects_of(cells_of((buckets,) * 4, about), AXES, {})
    for effect in found.effects:
        for difference in effect.differences.values():
            assert difference.value in (0.0, None)
            assert (difference.low, difference.high) in ((0.0, 0.0), (None, None))
            assert difference.low is not None or difference.reason
            assert not difference.settled
    assert all(movement.moved in (0.0, None) for movement in found.movements)


@settings(max_examples=15)
@given(four_cells, st.integers(0, 15))
def test_swapping_the_reference_flips_the_sign(buckets: tuple[list[str | None], ...], about: int) -> None:
    cells = cells_of(buckets, about)
    there = effects_of(cells, AXES, {})
    back = effects_of(cells, {**AXES, "prompt": ("without", "with")}, {})
    one, other = by_axis(there, "prompt"), by_axis(back, "prompt")
    for name in MEASURED:
        before, after = one.differences[name], other.differences[name]
        assert (before.value is None) == (after.value is None) and before.questions == after.questions
        if before.value is not None and after.value is not None:
            assert before.value == pytest.approx(-after.value)
        if before.low is not None and after.high is not None and before.high is not None and after.low is not None:
            assert (before.low, before.high) == pytest.approx((-after.high, -after.low))
    assert there.movements == back.movements and there.contests == back.contests


@settings(max_examples=15)
@given(four_cells)
def test_values_lie_in_their_intervals_range_and_buckets_balance(buckets: tuple[list[str | None], ...]) -> None:
    for effect in effects_of(cells_of(buckets), AXES, {}).effects:
        known = [effect.differences[bucket].value for bucket in BUCKETS]
        if None not in known:
            assert sum(value for value in known if value is not None) == pytest.approx(0, abs=1e-6)
        for difference in effect.differences.values():
            assert difference.value is None or -100 <= difference.value <= 100
            assert difference.low is None or difference.high is None or difference.low <= difference.high


def test_ungraded_answers_leave_the_question_out_and_are_counted() -> None:
    """An endpoint that fails on half of the questions must not read as fewer wrong answers."""
    rows: list[Buckets] = [["wrong"] * COUNT, ["wrong"] * 12 + [None] * 8, ["wrong"] * COUNT, ["wrong"] * COUNT]
    prompt = by_axis(effects_of(cells_of(rows), AXES, {}), "prompt")
    wrong = prompt.differences["wrong"]
    assert (wrong.value, wrong.questions, wrong.left_out) == (0.0, 12, 8)
    assert prompt.differences["ungraded"].value == pytest.approx(20)


def test_a_cell_that_failed_takes_only_its_pairs_with_it() -> None:
    rows: list[Buckets] = [["correct"] * COUNT, ["wrong"] * COUNT, ["correct"] * COUNT, [None] * COUNT]
    found = effects_of(cells_of(rows), AXES, {})
    prompt = by_axis(found, "prompt")
    assert (prompt.pairs, prompt.pairs_lost) == (1, 1) and prompt.differences["wrong"].value == 100
    failed = [CellResult(one.name, one.values, one.run, failed="down") for one in cells_of(rows)]
    assert effects_of(failed, AXES, {}) == Effects((), (), ())


def test_repeats_of_a_question_count_as_one() -> None:
    asked = questions_of(FEWEST)
    values = [{"pipeline": "rag", "model": "a", "prompt": p} for p in ("with", "without")]
    cells = [
        cell(values[0], ["correct", "correct"] * FEWEST, asked, 2),
        cell(values[1], ["correct", "wrong"] * FEWEST, asked, 2),
    ]
    wrong = by_axis(effects_of(cells, {"prompt": ("with", "without")}, {}), "prompt").differences["wrong"]
    assert (wrong.value, wrong.low, wrong.high, wrong.questions) == (50.0, 50.0, 50.0, FEWEST)


def test_a_pipeline_without_model_and_prompt_is_held_against_all_that_have_them() -> None:
    rows = (["wrong"] * COUNT, ["correct"] * COUNT, ["correct"] * COUNT, ["correct"] * COUNT)
    cells = [*cells_of(rows), cell({"pipeline": "plain"}, ["correct"] * COUNT)]
    axes = {**AXES, "pipeline": ("plain", "rag")}
    pipeline = by_axis(effects_of(cells, axes, {}), "pipeline")
    assert pipeline.pairs == 4 and pipeline.differences["wrong"].value == pytest.approx(25)
    # ... and has no part in what the prompt changes.
    assert by_axis(effects_of(cells, axes, {}), "prompt").pairs == 2


def test_few_questions_have_no_interval() -> None:
    values = [{"prompt": "with"}, {"prompt": "without"}]
    cells = [cell(value, [bucket] * 3) for value, bucket in zip(values, ("correct", "wrong"), strict=True)]
    wrong = by_axis(effects_of(cells, {"prompt": ("with", "without")}, {}), "prompt").differences["wrong"]
    assert wrong.value == 100 and wrong.low is None and "there are 3" in wrong.reason and not wrong.settled


def test_questions_about_one_document_widen_the_interval() -> None:
    """The same differences, once from thirty documents and once from ten whose questions move together."""
    rows = [["correct"] * 30, ["wrong" if n % 10 < 3 else "correct" for n in range(30)]]
    widths = []
    for about in (0, 10):
        cells = [
            cell({"prompt": name}, row, questions_of(30, about)) for name, row in zip(("x", "y"), rows, strict=True)
        ]
        wrong = by_axis(effects_of(cells, {"prompt": ("x", "y")}, {}), "prompt").differences["wrong"]
        assert wrong.value == pytest.approx(30) and wrong.low is not None and wrong.high is not None
        widths.append(wrong.high - wrong.low)
    assert widths[1] > 1.3 * widths[0]


def test_the_document_of_a_question() -> None:
    assert document_of(Question("q", "?", "answer", gold_ids=("lease#4",)), {}) == "lease"
    assert document_of(Question("q", "?", "answer", gold_ids=("p7",)), {"p7": "The lease"}) == "The lease"
    assert document_of(Question("q", "?", "answer", gold_ids=("p7",)), {}) is None
    assert document_of(Question("q", "?", "refusal", metadata={"doc": "x"}), {}) == "x"
    assert document_of(Question("q", "?", "refusal"), {}) is None


def test_chance_is_rarely_claimed_as_an_effect_and_a_strong_effect_is_found() -> None:
    nothing, licence = (claims(25, 60, strength, seed=1) for strength in (0.0, 0.9))
    assert nothing.get("wrong by model", 0) + nothing.get("wrong by prompt", 0) <= 0.25
    assert nothing.get("model moves more", 0) + nothing.get("prompt moves more", 0) <= 0.1
    assert licence["wrong by prompt"] > 0.9 and "model moves more" not in licence


def test_strata_and_refusal_quality_are_effects_too() -> None:
    """Of 24 questions, half adversarial: there the second model invents, and its refusals are flat."""
    asked = {
        f"q{n:02}": Question(f"q{n:02}", "?", "refusal", "adversarial" if n % 2 else "grounded") for n in range(24)
    }
    rows = {"a": ["refused"] * 24, "b": ["wrong" if n % 4 == 1 else "refused" for n in range(24)]}
    cells = []
    for model, buckets in rows.items():
        verdicts = [Verdict(id, "factuality", bucket, "g") for id, bucket in zip(asked, buckets, strict=True)]
        quality = 3 if model == "a" else 1
        verdicts += [
            Verdict(one.question_id, "refusal_quality", quality, "g") for one in verdicts if one.value == "refused"
        ]
        traces = {(id, 1): Trace(id, answer="a") for id in asked}
        cells.append(result_of(model, {"model": model}, model, Run(model, verdicts, asked, traces)))
    [effect] = effects_of(cells, {"model": ("a", "b")}, {}).effects
    found = effect.differences
    assert found["acceptable[adversarial]"].value == pytest.approx(-50) and found["acceptable[adversarial]"].settled
    assert found["acceptable[unanswerable]"].value is None, "there are no such questions"
    assert found["refusal_quality"].value == pytest.approx(-2), "in points, not per 100"
    assert cells[1].rates["acceptable[adversarial]"].value == Fraction(1, 2)
