"""What each axis of a matrix changes, by the gate's own change."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core.table import BUCKETS
from surefoot.core.types import Question, Trace, Verdict
from surefoot.gate.effects import Answered, CellResult, Effect, conclusions, effects_of, result_of, signed
from surefoot.gate.sides import Run, document_of

Buckets = Sequence[str | None]
Made = tuple[CellResult, Answered]
AXES = {"pipeline": ("rag",), "model": ("a", "b"), "prompt": ("with", "without")}
COUNT = 20
given_buckets = st.lists(st.sampled_from([*BUCKETS, None]), min_size=COUNT, max_size=COUNT)
four_cells = st.tuples(given_buckets, given_buckets, given_buckets, given_buckets)


def questions_of(count: int, about: int = 0) -> dict[str, Question]:
    """Every third cannot be answered; `about` so many documents, or of none."""
    found = {}
    for n in range(count):
        gold = (f"d{n % about}#{n}",) if about else ()
        found[f"q{n:03}"] = Question(f"q{n:03}", "?", "refusal" if n % 3 == 2 else "answer", gold_ids=gold)
    return found


def cell(
    values: Mapping[str, str], buckets: Buckets, questions: Mapping[str, Question] | None = None, attempts: int = 1
) -> Made:
    """`buckets` question by question, each attempt at it in turn."""
    asked = dict(questions or questions_of(len(buckets) // attempts))
    keys = [(id, attempt) for id in asked for attempt in range(1, attempts + 1)]
    verdicts = [
        Verdict(id, "factuality", bucket, "g", attempt) for (id, attempt), bucket in zip(keys, buckets, strict=True)
    ]
    traces = {key: Trace(key[0], answer="a", attempt=key[1]) for key in keys}
    name = " / ".join(values.values())
    return result_of(name, values, Run(name, verdicts, asked, traces, attempts=attempts))


def effects(cells: Sequence[Made], axes: Mapping[str, Sequence[str]]) -> tuple[Effect, ...]:
    return effects_of([one for one, _ in cells], {one.name: given for one, given in cells}, axes, {})


def concluded(rows: Mapping[str, Buckets]) -> list[str]:
    """One axis: a prompt for each name, the first of them the reference."""
    cells, axes = [cell({"prompt": name}, row) for name, row in rows.items()], {"prompt": tuple(rows)}
    return list(conclusions([one for one, _ in cells], effects(cells, axes), axes))


def cells_of(buckets: Sequence[Buckets], about: int = 0) -> list[Made]:
    asked = questions_of(COUNT, about)
    values = [{"pipeline": "rag", "model": m, "prompt": p} for m in AXES["model"] for p in AXES["prompt"]]
    return [cell(value, row, asked) for value, row in zip(values, buckets, strict=True)]


def by_axis(found: Sequence[Effect], axis: str) -> Effect:
    return next(effect for effect in found if effect.axis == axis)


def test_worked_by_hand() -> None:
    """Of ten questions, two more are wrong without the licence for one model, and four for the other."""
    right, wrong = "correct", "wrong"
    rows = [[right] * 10, [wrong] * 2 + [right] * 8, [right] * 10, [wrong] * 4 + [right] * 6]
    values = [{"pipeline": "rag", "model": m, "prompt": p} for m in "ab" for p in ("with", "without")]
    found = effects([cell(v, row) for v, row in zip(values, rows, strict=True)], AXES)
    prompt, model = by_axis(found, "prompt"), by_axis(found, "model")
    assert (prompt.value, prompt.reference, prompt.pairs) == ("without", "with", 2)
    assert prompt.differences["wrong"].value == pytest.approx(30)
    assert prompt.differences["correct"].value == pytest.approx(-30)
    assert model.differences["wrong"].value == pytest.approx(10)
    assert prompt.differences["refused"].value == 0 and not prompt.differences["refused"].settled
    # One run a side: D is 1 on two questions and 1/2 on two, so V = (2 + 2/4 + 3) / 10**2.
    spread = (5.5 / 100) ** 0.5
    assert prompt.differences["wrong"].low == pytest.approx(30 - 100 * spread * 2.3263, abs=0.01)


def test_the_licence_is_better_by_what_is_unsupported() -> None:
    """54 of 130 correct and none unsupported with it, 60 correct and 70 unsupported without."""
    rows = {"without": ["correct"] * 60 + ["unsupported"] * 70, "with": ["correct"] * 54 + ["refused"] * 76}
    [said] = concluded(rows)
    assert said.startswith("prompt: with is better than without: 53.8 fewer of 100 answers are unsupported")
    assert said.endswith((", but 4.6 fewer are correct", ", but 4.6 fewer are correct (may be chance)"))
    # Named the other way round, it is the same.
    [turned] = concluded(dict(reversed(rows.items())))
    assert turned.partition(", but")[0] == said.partition(", but")[0]


def test_wrong_answers_go_before_unsupported_ones_and_those_before_correct_ones() -> None:
    more = {"bold": ["wrong"] * 40 + ["correct"] * 60, "shy": ["unsupported"] * 50 + ["correct"] * 50}
    [said] = concluded(more)
    assert said.startswith("prompt: shy is better than bold: 40.0 fewer of 100 answers are wrong, but 50.0 more are")
    assert "10.0 fewer are correct" in said
    plain = {"x": ["refused"] * 40 + ["correct"] * 60, "y": ["correct"] * 100}
    assert concluded(plain) == ["prompt: y is better than x: 40.0 more of 100 answers are correct"]


def test_what_may_be_chance_is_not_told_as_an_effect() -> None:
    [said] = concluded({"x": ["wrong", *["correct"] * 19], "y": ["correct"] * 20})
    assert said == "prompt: which of y and x is better cannot be told"


def test_a_deterministic_pipeline_has_no_noise() -> None:
    rows = {"x": ["wrong"] + ["correct"] * 9, "y": ["correct"] * 10}
    cells = [cell({"prompt": name}, row) for name, row in rows.items()]
    [effect] = effects([(one, given._replace(deterministic=True)) for one, given in cells], {"prompt": ("x", "y")})
    wrong = effect.differences["wrong"]
    assert (wrong.value, wrong.low, wrong.high, wrong.settled) == (-10, -10, -10, True)


@settings(max_examples=15)
@given(four_cells, st.integers(0, 15), st.randoms(use_true_random=False))
def test_the_order_of_cells_and_questions_does_not_matter(
    buckets: tuple[list[str | None], ...], about: int, chance: random.Random
) -> None:
    cells = cells_of(buckets, about)
    mixed = []
    for one, answered in cells:
        answers = list(answered.answers)
        chance.shuffle(answers)
        mixed.append((one, answered._replace(answers=tuple(answers))))
    chance.shuffle(mixed)
    assert effects(mixed, AXES) == effects(cells, AXES)


@settings(max_examples=15)
@given(four_cells)
def test_identical_cells_have_no_effects_and_buckets_balance(buckets: tuple[list[str | None], ...]) -> None:
    for effect in effects(cells_of((buckets[0],) * 4), AXES):
        assert all(found.value in (0.0, None) and not found.settled for found in effect.differences.values())
    for effect in effects(cells_of(buckets), AXES):
        known = [effect.differences[bucket].value for bucket in BUCKETS]
        if None not in known:
            assert sum(value for value in known if value is not None) == pytest.approx(0, abs=1e-6)
        for found in effect.differences.values():
            assert (found.value is None) == (found.low is None) == (found.high is None)
            if found.value is not None and found.low is not None and found.high is not None:
                assert -100 <= found.value <= 100 and found.low <= found.value <= found.high


def test_ungraded_answers_leave_the_question_out_and_are_counted() -> None:
    """An endpoint that fails on some questions must not read as fewer wrong answers."""
    rows: list[Buckets] = [["wrong"] * COUNT, ["wrong"] * 12 + [None] * 8, ["wrong"] * COUNT, ["wrong"] * COUNT]
    prompt = by_axis(effects(cells_of(rows), AXES), "prompt")
    wrong = prompt.differences["wrong"]
    assert (wrong.value, wrong.questions, wrong.left_out) == (0.0, 12, 8)
    assert prompt.differences["ungraded"].value == pytest.approx(20)


def test_a_cell_that_failed_takes_only_its_pairs_with_it() -> None:
    rows: list[Buckets] = [["correct"] * COUNT, ["wrong"] * COUNT, ["correct"] * COUNT, [None] * COUNT]
    prompt = by_axis(effects(cells_of(rows), AXES), "prompt")
    assert (prompt.pairs, prompt.pairs_lost) == (1, 1) and prompt.differences["wrong"].value == 100
    failed = [CellResult(one.name, one.values, one.run, failed="down") for one, _ in cells_of(rows)]
    assert effects_of(failed, {}, AXES, {}) == ()


def test_repeats_of_a_question_count_as_one_and_tell_how_it_varies() -> None:
    rows = {"with": ["correct"] * 20, "without": ["correct", "wrong"] * 5 + ["wrong", "correct"] * 5}
    cells = [cell({"prompt": name}, row, attempts=2) for name, row in rows.items()]
    [effect] = effects(cells, {"prompt": tuple(rows)})
    wrong = effect.differences["wrong"]
    assert (wrong.value, wrong.questions) == (50.0, 10) and wrong.low is not None and 0 < wrong.low < 50


def test_a_pipeline_without_model_and_prompt_is_held_against_all_that_have_them() -> None:
    rows = (["wrong"] * COUNT, ["correct"] * COUNT, ["correct"] * COUNT, ["correct"] * COUNT)
    cells = [*cells_of(rows), cell({"pipeline": "plain"}, ["correct"] * COUNT)]
    axes = {**AXES, "pipeline": ("plain", "rag")}
    pipeline = by_axis(effects(cells, axes), "pipeline")
    assert pipeline.pairs == 4 and pipeline.differences["wrong"].value == pytest.approx(25)
    # ... and has no part in what the prompt changes.
    assert by_axis(effects(cells, axes), "prompt").pairs == 2


def test_questions_about_one_document_widen_the_interval() -> None:
    """The same differences, once from thirty documents and once from three whose questions move together."""
    often = [["correct"] * 60, [("wrong" if n % 3 == 0 and m else "correct") for n in range(30) for m in range(2)]]
    widths = []
    for about in (0, 3):
        cells = [cell({"prompt": name}, row, questions_of(30, about), 2) for name, row in zip("xy", often, strict=True)]
        [effect] = effects(cells, {"prompt": ("x", "y")})
        wrong = effect.differences["wrong"]
        assert wrong.low is not None and wrong.high is not None
        widths.append(wrong.high - wrong.low)
    assert widths[1] >= widths[0]


def test_the_document_of_a_question() -> None:
    assert document_of(Question("q", "?", "answer", gold_ids=("lease#4",)), {}) == "lease"
    assert document_of(Question("q", "?", "answer", gold_ids=("p7",)), {"p7": "The lease"}) == "The lease"
    assert document_of(Question("q", "?", "answer", gold_ids=("p7",)), {}) is None
    assert document_of(Question("q", "?", "refusal", metadata={"doc": "x"}), {}) == "x"
    assert document_of(Question("q", "?", "refusal"), {}) is None


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
        cells.append(result_of(model, {"model": model}, Run(model, verdicts, asked, traces)))
    [effect] = effects(cells, {"model": ("a", "b")})
    found = effect.differences
    assert found["acceptable[adversarial]"].value == pytest.approx(-50) and found["acceptable[adversarial]"].settled
    assert found["acceptable[unanswerable]"].value is None, "there are no such questions"
    assert found["refusal_quality"].value == pytest.approx(-2), "in points, not per 100"
    assert (found["refusal_quality"].questions, found["refusal_quality"].left_out) == (18, 0)
    assert cells[1][0].rates["acceptable[adversarial]"].value == Fraction(1, 2)


def test_noughts_have_no_sign() -> None:
    assert [signed(value) for value in (-0.04, 0.0, 0.04, -0.06, 12.34)] == ["0.0", "0.0", "0.0", "-0.1", "+12.3"]
