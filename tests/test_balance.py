"""Labels on one side alone must not turn a regression into a SHIP."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.compare import Comparison, Request, compare
from surefoot.gate import Rule
from surefoot.measures import SIDES, SideName
from surefoot.pairing import Side
from surefoot.types import Question, Trace, Verdict

from .sequential.helpers import SHORT, certificate

# 8 false alarms on the baseline; 4 truly wrong and 8 false alarms on the candidate, at other questions.
BASE, CAND = "c" * 12 + "w" * 8 + "c" * 140, "w" * 12 + "c" * 148
TRUE_BASE, TRUE_CAND = "c" * 160, "w" * 4 + "c" * 156
ALL = range(160)
RULES = ("wrong <= baseline", "acceptable >= baseline")


def run(graded: str, name: str, truth: str = "", labelled: range | set[int] = range(0)) -> Side:
    asked = {f"q{i:03}": Question(f"q{i:03}", f"Number {i}?", "answer") for i in range(len(graded))}
    traces = {(id, 1): Trace(id, answer=f"{name} says so") for id in asked}
    rows = [Verdict(id, "factuality", SHORT[b], "g/1") for id, b in zip(asked, graded, strict=True)]
    side = Side(name, rows, questions=asked, traces=traces)
    for i in labelled:
        key = (f"q{i:03}", 1)
        side.labels[key, "factuality"] = Verdict(key[0], "factuality", SHORT[truth[i]], "human/ann")
    return side


def decide(base: Side, cand: Side, mode: str = "strict", *rules: str) -> Comparison:
    asked = [Rule.parse(rule) for rule in rules or RULES]
    return compare(base, cand, asked, Request(uncalibrated=True, mode=mode, margin=0.05))


@pytest.mark.parametrize("mode", ["strict", "sequential"])
def test_labels_on_the_candidate_alone_do_not_ship_a_regression(mode: str) -> None:
    found = decide(run(BASE, "base"), run(CAND, "cand", TRUE_CAND, ALL), mode)
    assert found.decision.outcome == "INCONCLUSIVE"
    assert "labels are on one side" in found.judged[0].check.reason
    lacking = {(answer.question_id, answer.side) for answer in found.label_next}
    assert lacking == {(f"q{i:03}", "base") for i in range(4, 20)}, "what was overruled, and the baseline's own alarms"
    assert (
        "which holds by labels on one side alone: labels on 16 answers could decide it, 16 of base"
        " (surefoot label cand)" in found.next_steps[0]
    )


def rows(graded: str, *by_people: int, replacing: bool = False) -> Side:
    """A file of verdicts in which people call these answers correct, beside what the grader says or instead of it."""
    said = [Verdict(f"q{i:03}", "factuality", "correct", "human/ann") for i in by_people]
    graded_by = [
        Verdict(f"q{i:03}", "factuality", SHORT[bucket], "g/1")
        for i, bucket in enumerate(graded)
        if not (replacing and i in by_people)
    ]
    return Side("file", [*graded_by, *said])


@pytest.mark.parametrize("replacing", [False, True])
def test_rows_by_people_on_one_side_of_two_files_do_not_ship_a_regression(replacing: bool) -> None:
    base, worse = "c" * 20, "w" * 9 + "c" * 11
    assert decide(rows(base), rows(worse)).decision.outcome == "BLOCK"
    found = decide(rows(base), rows(worse, *range(9), replacing=replacing))
    assert found.decision.outcome == "INCONCLUSIVE" and "labels are on one side" in found.judged[0].check.reason
    assert decide(rows(base), rows(worse, *range(20), replacing=replacing)).decision.outcome == "INCONCLUSIVE"
    both = rows(base, *range(9), replacing=replacing), rows(worse, *range(9), replacing=replacing)
    assert decide(*both).decision.outcome == "SHIP", "and what they say of both counts"
    assert decide(*both).labelled == {"base": 9, "cand": 9}


def test_what_people_are_divided_on_in_a_file_is_not_graded() -> None:
    divided = rows("ccc", 0, replacing=True)
    divided.verdicts.append(Verdict("q000", "factuality", "wrong", "human/bob"))
    assert decide(rows("ccc"), divided).buckets["cand"]["ungraded"] == 1


def test_labels_on_both_sides_show_it() -> None:
    base, cand = run(BASE, "base", TRUE_BASE, ALL), run(CAND, "cand", TRUE_CAND, ALL)
    assert decide(base, cand).decision.outcome == "BLOCK"


def test_labels_on_both_answers_to_the_candidates_alarms_leave_the_baselines_own_unseen() -> None:
    seen = range(12)
    base, cand = run(BASE, "base", TRUE_BASE, seen), run(CAND, "cand", TRUE_CAND, seen)
    found = decide(base, cand)
    assert found.decision.outcome == "INCONCLUSIVE"
    assert {(a.question_id, a.side, a.run) for a in found.label_next} == {
        (f"q{i:03}", "base", "base") for i in range(12, 20)
    }
    assert "q012, q013" in found.next_steps[0] and "of base (surefoot label cand)" in found.next_steps[0]
    for i in range(12, 20):
        base.labels[(f"q{i:03}", 1), "factuality"] = Verdict(f"q{i:03}", "factuality", "correct", "human/ann")
    assert decide(base, cand).decision.outcome == "BLOCK", "and what it asked for decides"


def test_alarms_that_both_sides_share_need_no_labels() -> None:
    base = run("wwwwcccc", "base", "cccccccc", {4, 5})
    cand = run("wwwwwwcc", "cand", "cccccccc", {4, 5})
    assert decide(base, cand).decision.outcome == "SHIP", "only what was new had to be looked at"


def test_a_label_where_the_grader_said_nothing_needs_no_counterpart() -> None:
    base, cand = run("ccc", "base"), run("ccc", "cand", "ccc", {1})
    cand.verdicts = [v for v in cand.verdicts if v.question_id != "q001"]
    assert decide(base, cand).decision.outcome == "SHIP"


def test_a_certificate_weighs_what_nobody_labelled() -> None:
    base, cand = run(BASE, "base", TRUE_BASE, range(4, 8)), run(CAND, "cand", TRUE_CAND, range(4, 12))
    asked = [Rule.parse("wrong <= baseline")]
    known = certificate({"correct": {"correct": 200}, "wrong": {"wrong": 5, "correct": 15}}, rubric="")
    found = compare(base, cand, asked, Request(certificates=[known], mode="sequential", margin=0.2))
    assert "one side" not in found.judged[0].check.reason


@pytest.mark.parametrize(("mode", "times"), [("strict", 1), ("sequential", 20)])
def test_faults_that_somebody_looked_for_on_the_baseline_ship_nothing(mode: str, times: int) -> None:
    """Newly wrong answers, confirmed by people; and more misses on the baseline, found by going through it."""
    everything = set(range(10 * times))
    base = run("cccccccccc" * times, "base", "ccccwwwwww" * times, everything)
    cand = run("wwwccccccc" * times, "cand", "wwwccccccc" * times, everything)
    assert decide(base, cand, mode, "wrong <= baseline").decision.outcome == "SHIP"
    base.picked = {key for key, label in base.labels.items() if label.value == "wrong"}
    found = decide(base, cand, mode, "wrong <= baseline")
    assert found.decision.outcome == "INCONCLUSIVE" and "went to look for" in found.judged[0].check.reason


@pytest.mark.parametrize(("graded", "found", "rule"), [("u", "w", "wrong"), ("w", "u", "unsupported")])
def test_nor_does_it_help_to_give_the_faults_of_the_baseline_another_name(graded: str, found: str, rule: str) -> None:
    base = run(graded * 3 + "c" * 7, "base", found * 3 + "c" * 7, set(range(3)))
    cand = run("ccc" + found * 3 + "cccc", "cand", "c" * 10, set(range(3)))
    base.picked = set(base.labels)
    decided = decide(base, cand, "strict", f"{rule} <= baseline")
    assert decided.decision.outcome == "INCONCLUSIVE" and "went to look for" in decided.judged[0].check.reason


def test_what_both_gave_alike_may_be_picked() -> None:
    base, cand = run("ccc", "base", "wcc", {0}), run("ccc", "cand", "wcc", {0})
    for side in (base, cand):
        side.traces = {key: Trace(key[0], answer="the same") for key in side.traces}
        side.picked = {(("q000", 1), "factuality")}
    assert decide(base, cand).decision.outcome == "SHIP"


buckets = st.text("cwur", min_size=6, max_size=12)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(SIDES), st.sampled_from(["strict", "sequential"]))
def test_labels_on_one_side_alone_never_turn_a_block_into_a_ship(
    data: st.DataObject, name: SideName, mode: str
) -> None:
    graded: dict[SideName, str] = {"base": data.draw(buckets)}
    size = len(graded["base"])
    graded["cand"] = data.draw(st.text("cwur", min_size=size, max_size=size))
    times = 20 if mode == "sequential" else 1  # enough for a block by evidence
    graded = {side: letters * times for side, letters in graded.items()}
    truth = data.draw(st.text("cwur", min_size=size, max_size=size)) * times
    labelled = data.draw(st.sets(st.integers(0, size * times - 1)) | st.just(set(range(size * times))))
    rules = ("wrong <= baseline", "unsupported <= baseline", "acceptable >= baseline", "over_refusal <= baseline + 0.1")
    before = decide(run(graded["base"], "base"), run(graded["cand"], "cand"), mode, *rules)
    if before.decision.outcome != "BLOCK":
        return
    sides = {side: run(graded[side], side, truth, labelled if side == name else set()) for side in SIDES}
    after = decide(sides["base"], sides["cand"], mode, *rules)
    assert after.decision.outcome != "SHIP"


def test_evidence_is_not_taken_out_of_the_history_by_labels_on_one_side() -> None:
    graded = decide(run(BASE, "base"), run(CAND, "cand"), "sequential")
    one = decide(run(BASE, "base"), run(CAND, "cand", TRUE_CAND, ALL), "sequential")
    both = decide(run(BASE, "base", TRUE_BASE, ALL), run(CAND, "cand", TRUE_CAND, ALL), "sequential")
    assert one.counts["wrong"] == graded.counts["wrong"] and both.counts["wrong"].worse == 4
