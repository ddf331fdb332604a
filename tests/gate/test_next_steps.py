"""What would decide an open rule, and what that costs."""

from __future__ import annotations

import re

import numpy as np
from msgspec.structs import replace

from surefoot.core.types import Trace
from surefoot.gate.change import Answer, Draws
from surefoot.gate.judge import Request
from surefoot.gate.next_steps import FIRST_LABELS, MOST_LABELS, in_doubt
from surefoot.gate.rules import Rule

from .helpers import SHIP, changed, decide, run_of


def test_without_labels_a_sample_of_both_versions_is_asked_for() -> None:
    base, cand = run_of("base", "c" * 80), run_of("cand", changed("c" * 80, range(6)))
    found = decide(base, cand, rules=SHIP)
    assert found.decision.outcome == "INCONCLUSIVE" and int(found.decision.exit_code) == 3
    assert len(found.label_next) == FIRST_LABELS and {one.side for one in found.label_next} == {"base", "cand"}
    assert {one.drawn for one in found.label_next} == {"flagged", "sample"}, "they were drawn, so they teach"
    assert {one.run for one in found.label_next} == {"base", "cand"}
    [step] = found.next_steps
    assert step.startswith("wrong, unsupported, acceptable, over_refusal, some_correct: labels on these 60 answers")
    assert "surefoot label cand" in step and "about 30 minutes" in step


def test_a_rule_with_a_limit_of_its_own_waits_for_labels_too() -> None:
    base, cand = run_of("base", "c" * 80), run_of("cand", changed("c" * 80, range(6)))
    found = decide(base, cand, rules=[Rule.parse("wrong <= 0.2")])
    assert found.decision.outcome == "INCONCLUSIVE" and len(found.label_next) == FIRST_LABELS
    [step] = found.next_steps
    assert step.startswith("wrong <= 0.2: labels on these 60 answers would tell how far the grader errs")


def test_once_the_grader_is_known_the_answers_with_most_doubt_are_asked_for() -> None:
    """Half of the alarms are false: the eight on the candidate decide."""
    truth = "wc" * 5 + "c" * 50
    base = run_of("base", "w" * 10 + "c" * 50, truth, deterministic=True)
    cand = run_of("cand", "w" * 10 + changed("c" * 50, range(20, 28)), deterministic=True, told="base")
    for place in range(30, 38):
        cand.traces[f"q{place:03}", 1] = Trace(f"q{place:03}", answer="another")
        cand.versions[f"q{place:03}", 1] = f"another {place}"
    found = decide(base, cand)
    assert found.decision.outcome == "INCONCLUSIVE"
    assert {(one.question_id, one.side, one.drawn) for one in found.label_next} <= {
        (f"q{place:03}", "cand", "gate") for place in range(30, 38)
    }
    [step] = found.next_steps
    assert re.match(r"wrong: (a label on this answer|labels on these \d answers) .*\(about \d minutes?\)", step)


def test_among_answers_with_one_verdict_the_lot_decides() -> None:
    """However often an answer was given: else labels on the steady ones would speak for those that vary."""
    answers = [Answer(f"k{n}", n % 2, "correct") for n in range(6)]
    weight = np.array([0.1, 1.0, 0.1, 1.0, 0.1, 1.0])
    truth = np.random.default_rng(0).integers(0, 2, (200, 6)) * weight
    draws = Draws(truth.sum(axis=1), np.full(200, 1 / 200), (0.0, 0.0), truth, 0.0)
    assert sorted(in_doubt(answers, draws)) == [0, 1, 2, 3, 4, 5]
    assert in_doubt(answers, draws) == in_doubt(answers, replace(draws, truth=truth[:, ::-1])), "weights do not matter"
    flagged = [*answers, Answer("a", 1, "wrong"), Answer("b", None, "wrong"), Answer("c", 0, "wrong", "wrong", True)]
    more = replace(draws, truth=np.column_stack([truth, 3 * truth[:, 1::2]]))
    assert in_doubt(flagged, more)[0] == 6, "the verdict in most doubt comes first; what is labelled or shared, never"
    assert set(in_doubt(flagged, more)) == set(range(7))


def test_of_files_too_both_sides_are_asked_for() -> None:
    """Their answers are named by side and question: in that order all of one side would come first."""
    answers = [
        Answer(f"{side}:q{n:03}:1", place, "correct") for place, side in enumerate(("base", "cand")) for n in range(40)
    ]
    truth = np.random.default_rng(0).integers(0, 2, (50, 80)) / 80
    draws = Draws(truth.sum(axis=1), np.full(50, 1 / 50), (0.0, 0.0), truth, 0.0)
    first = [answers[n].side for n in in_doubt(answers, draws)[:30]]
    assert 8 <= first.count(0) <= 22


def test_nothing_is_asked_for_where_nothing_is_open() -> None:
    people = run_of("a", "cc", "cc", deterministic=True)
    shipped = decide(people, replace(people, name="b"))
    assert shipped.decision.outcome == "SHIP" and not shipped.label_next and not shipped.next_steps
    blocked = decide(people, run_of("b", "cw", "ww", deterministic=True), rules=SHIP)
    assert blocked.decision.outcome == "BLOCK" and not blocked.label_next


def test_where_labels_tell_nothing_more_runs_do() -> None:
    mixed = ("w" * 10 + "c" * 110, "c" * 10 + "w" * 10 + "c" * 100)
    base, cand = (run_of(name, text, text) for name, text in zip(("base", "cand"), mixed, strict=True))
    found = decide(base, cand, Request(margin=0.06))
    assert found.decision.outcome == "INCONCLUSIVE" and not found.label_next, "all is labelled"
    assert found.next_steps == ("wrong: more runs of each",)


def test_never_more_than_can_be_labelled_at_once() -> None:
    base = run_of("base", "c" * 300, "c" * 60 + "." * 240)
    found = decide(base, run_of("cand", changed("c" * 300, range(100, 250))))
    assert 0 < len(found.label_next) <= MOST_LABELS


def test_what_cannot_be_shown_is_not_asked_for() -> None:
    base, cand = run_of("base", "c" * 20), run_of("cand", "c" * 19 + "-")
    cand.traces["q019", 1] = Trace("q019", error="timeout")
    assert ("q019", "cand") not in {(one.question_id, one.side) for one in decide(base, cand).label_next}


def test_labels_are_not_asked_for_where_verdicts_are_taken_for_the_truth() -> None:
    found = decide(run_of("a", "c" * 130), run_of("b", changed("c" * 130, [1, 2, 3])), Request(uncalibrated=True))
    assert found.decision.outcome == "INCONCLUSIVE" and found.next_steps
    assert not found.label_next and not any("label" in step for step in found.next_steps)


def test_every_rule_names_as_many_answers_as_the_page_will_ask_for() -> None:
    """The rules need different labels, and one page asks for all of them."""
    before = "w" * 12 + "u" * 12 + "c" * 56
    base = run_of("base", before, "wccc" * 3 + "uccc" * 3 + "c" * 56, deterministic=True)
    after = changed(changed(before, range(30, 35)), range(50, 55), "u")
    cand = run_of("cand", after, deterministic=True, told="base")
    for place in (*range(30, 35), *range(50, 55)):
        cand.traces[f"q{place:03}", 1] = Trace(f"q{place:03}", answer="another")
        cand.versions[f"q{place:03}", 1] = f"another {place}"
    found = decide(base, cand, rules=SHIP[:2])
    steps = [step for step in found.next_steps if "labels on these" in step]
    counts = {int(count) for step in steps for count in re.findall(r"labels on these (\d+) answers", step)}
    assert len(steps) == 2 and counts == {len(found.label_next)}, found.next_steps
