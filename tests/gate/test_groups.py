"""A part of the questions is as uncertain in the table of changes as in a rule on it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from surefoot.gate.decide import Comparison
from surefoot.gate.judge import Request
from surefoot.gate.rules import Rule
from surefoot.gate.sides import Run
from surefoot.report import markdown
from surefoot.report.comparison import report

from .helpers import changed, check_of, decide, run_of

HOME = range(40)
OF_MOTOR = "nobody has labelled factuality of an answer of motor, so how far the grader errs there is not known"
RULES = [Rule.parse(f"wrong[{group}] <= baseline", group) for group in ("home", "motor", "line=motor")]


def in_strata(run: Run) -> Run:
    """Forty questions on homes, four on motors."""
    placed = {
        id: replace(one, stratum="home" if n in HOME else "motor", metadata={"line": "home" if n in HOME else "motor"})
        for n, (id, one) in enumerate(run.questions.items())
    }
    return replace(run, questions=placed)


def compared(*, labels: bool = True, request: Request | None = None) -> Comparison:
    """The grader calls everything correct but two answers of motor on each side; only homes are labelled."""
    said = changed("c" * 44, (40, 41)), changed("c" * 44, (42, 43))
    known = "c" * 15 + "w" * 5 + "." * 24 if labels else ""
    base, cand = (
        in_strata(run_of(name, buckets, known, deterministic=True))
        for name, buckets in zip(("base", "cand"), said, strict=True)
    )
    return decide(base, cand, request or Request(by=["line"]), RULES)


def test_without_labels_a_group_shows_what_was_graded_no_change_and_why() -> None:
    found = compared()
    motor = found.by_group["stratum"]["motor"]["wrong"]
    assert motor.change is None and motor.reason == OF_MOTOR
    assert (motor.before.numerator, motor.seen.numerator) == (2, 2)
    assert found.by_group["line"]["motor"]["wrong"].reason == OF_MOTOR.replace("of motor", "of line=motor")
    page = "\n".join(markdown.lines(report(found)))
    assert "| motor | wrong | 2 | 2 | - |" in page and page.count(f"change not shown: {OF_MOTOR}") == 1


def test_a_labelled_group_shows_values_as_they_stand_and_the_change_of_a_rule_on_it() -> None:
    found = compared()
    home, rule = found.by_group["stratum"]["home"]["wrong"], check_of(found, "home").change
    assert home.change is not None and rule is not None and not home.reason
    assert (home.before.numerator, home.seen.numerator) == (5, 5), "as graded and labelled, as in the buckets"
    assert home.change.low < 0 < home.change.high
    assert (home.change.low, home.change.high) == pytest.approx((rule.low, rule.high), abs=0.06)
    assert "| home | wrong | 5 | 5 | " in "\n".join(markdown.lines(report(found)))


def test_a_rule_on_a_group_names_the_group_that_nobody_has_labelled() -> None:
    found = compared()
    assert (check_of(found, "motor").status, check_of(found, "motor").reason) == ("undecidable", OF_MOTOR)
    assert check_of(found, "line=motor").reason == OF_MOTOR.replace("of motor", "of line=motor")
    base, cand = (in_strata(run_of(name, "c" * 44, "c" * 40)) for name in ("base", "cand"))
    alone = decide(base, cand, rules=[Rule.parse("wrong[motor] <= 1", "alone")])
    assert check_of(alone, "alone").reason == OF_MOTOR


def test_what_is_known_or_taken_for_the_truth_needs_no_labels() -> None:
    taken = compared(labels=False, request=Request(uncalibrated=True)).by_group["stratum"]["motor"]["wrong"]
    assert taken.change is not None and taken.change.low == taken.change.high == 0
    same = in_strata(run_of("same", "cw" * 22))
    itself = decide(same, same).by_group["stratum"]["motor"]["wrong"]
    assert itself.change is not None and itself.change.low == itself.change.high == 0
