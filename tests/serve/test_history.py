from __future__ import annotations

from pathlib import Path

import surefoot
from surefoot.jobs.council import council_runs
from surefoot.jobs.gate import gate
from surefoot.report import markdown, of
from tests.council.runs import Reviewer, question
from tests.council.runs import make_run as reviewed_run
from tests.kept import add_labels
from tests.serve.conftest import COUNT, GRADER, labels_on, make_run


def test_every_run_is_there_newest_first_and_says_what_became_of_it(project: Path) -> None:
    found = surefoot.history(project)
    assert [one.name for one in found.runs[1:]] == ["fourth", "third", "second-again", "second", "first"]
    runs = {one.name: one for one in found.runs}
    third = runs["third"]
    decision = found.decision_on(third)
    assert decision is not None and decision.reference == "v1" and third.labelled == 12
    assert third.overview is not None and third.overview.buckets["wrong"] == 14
    assert found.decision_on(runs["fourth"]) is None


def test_labels_are_counted_alike_everywhere() -> None:
    """Also those that were given on the same answers in another run."""
    first, again = make_run("a", "v1", 3, 1), make_run("b", "v1", 3, 2)
    add_labels(*labels_on(first, dict.fromkeys(range(COUNT - 4), "correct")))
    assert {one.labelled for one in surefoot.history().runs} == {COUNT - 4}
    assert surefoot.look_list(again)["looked_at"] == COUNT - 4
    assert surefoot.calibrate(again)["labels"] == COUNT - 4


def test_runs_of_a_version_make_one_point_of_the_trend(project: Path) -> None:
    (trend,) = surefoot.history(project).trends
    assert [version[:2] for version in trend.versions] == ["v1", "v2", "v3", "v4", "v5"]
    second = trend.versions["v2"]
    assert second.runs == ("second", "second-again")
    share = second.shares[""]["wrong"]
    assert (share.numerator, share.denominator) == (14, 2 * COUNT)
    assert share.low is not None and share.high is not None and share.low < 14 / 48 < share.high


def test_other_questions_have_a_trend_of_their_own() -> None:
    make_run("a", "v1", 3, 1)
    make_run("b", "v2", 4, 2, questions_sha256="1" * 64)
    found = surefoot.history()
    assert [list(trend.versions) for trend in found.trends] == [["v2"], ["v1"]]
    lines = "\n".join(markdown.lines(of(found)))
    assert "| v2 | b | 83.3% (" in lines and "Trend over other questions" in lines


def test_the_first_page_says_by_which_rules_it_was_decided_and_what_to_do() -> None:
    first, second = (make_run(name, name, wrong, n) for n, (name, wrong) in enumerate((("a", 2), ("b", 20)), 1))
    gate(first, second, rules=["wrong <= baseline"], uncalibrated=True)
    lines = "\n".join(markdown.lines(of(surefoot.history())))
    assert "**BLOCK** - 18 more of 24 answers are wrong (6.7 to 26.7).\n\n- Decided: **b against a**" in lines
    assert "Not as the gate file has it: other rules (wrong &lt;= baseline)." in lines
    assert "**next:** look into the " in lines
    gate(first, second)
    lines = "\n".join(markdown.lines(of(surefoot.history())))
    assert "**next:** look at what differs" in lines and "Not as the gate file has it" not in lines


def test_what_only_a_council_has_scored_is_not_graded() -> None:
    run = reviewed_run("a", [question(1), question(2)], {"q1": "Six months.", "q2": "Nine weeks."})
    council_runs(run, reviewers=[Reviewer("mild")])
    found = surefoot.history()
    assert found.trends == () and "a** scored by a council, not graded" in "\n".join(markdown.lines(of(found)))
    lines = "\n".join(markdown.lines(of(surefoot.overview(run))))
    assert "None of 2 answers is graded." in lines and f"**next:** grade it: surefoot grade {run}" in lines
    assert f"run: {run}, not graded" in lines and "trust:" not in lines


def test_a_council_is_no_grader(project: Path) -> None:
    compared = surefoot.gate("first", "third", db=project, keep=False)
    assert compared["graders"] == {"base": [GRADER], "cand": [GRADER]}
