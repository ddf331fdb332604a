"""Runs: asking, going on after a kill, grading, labels, calibration, decisions and reports."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from tests.blackbox.facts import Facts, Project, Run, expect
from tests.blackbox.kills import kill
from tests.blackbox.town import FIRST, QUESTIONS, logged

FIRST_BUCKETS = {"correct": 1, "wrong": 1, "unsupported": 2, "refused": 2}
SECOND_BUCKETS = {"correct": 4, "refused": 2}
Graded = tuple[Project, Run, Run]


def labels(project: Project, name: str, rows: Sequence[Mapping[str, object]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, sorted({field for row in rows for field in row}))
    writer.writeheader()
    writer.writerows(rows)
    return project.write(name, out.getvalue())


def asked(project: Project) -> Counter[str]:
    """What the slow pipeline was asked, and how often."""
    return Counter(project.read("asked.log").splitlines())


# Asking


def test_a_run_holds_an_answer_to_every_question(graded: Graded) -> None:
    project, first, second = graded
    assert project.held(first) == {(one.qid, 1): one.text for one in FIRST}
    assert project.held(second).keys() == project.held(first).keys()


def test_a_run_goes_on_only_with_the_same_pipeline(project: Project) -> None:
    expect(project.run("one", "pipeline:first"), exit=0, asked=6, answers=6, errors=0, missing=0)
    expect(project.run("one", "pipeline:second", resume=True), exit=2, message="other run", hint=True)
    expect(project.run("two", "pipeline:first", resume=True), exit=2, message="not there", hint=True)
    project.write("fewer.jsonl", QUESTIONS[:5])
    expect(project.run("one", None, "fewer.jsonl", resume=True), exit=2, message="other run")
    expect(project.run("one", None, None, resume=True), exit=0, asked=6, answers=6)


def test_what_failed_is_kept_as_an_error_and_asked_again_only_on_demand(project: Project) -> None:
    run = Run("flaky")
    expect(project.run("flaky", "pipeline:flaky"), exit=4, answers=5, errors=1, missing=0)
    expect(project.grade(run), exit=4, bucket={"ticket": None, "ferry": "correct"}, reason={"ticket": "error"})
    project.write("repaired", "")
    expect(project.run("flaky", None, None, resume=True), exit=4, answers=5, errors=1)
    expect(project.run("flaky", None, None, retry_errors=True), exit=0, answers=6, errors=0)
    expect(project.gate(run, run), exit=4, decision="INCONCLUSIVE", cand={"ungraded": 1})  # the new answer
    expect(project.grade(run), exit=0, bucket={"ticket": "correct"}, buckets=SECOND_BUCKETS)


def test_every_question_can_be_asked_several_times(project: Project) -> None:
    expect(project.run("thrice", "pipeline:first", repeats=3), exit=0, asked=18, answers=18)
    facts = project.grade(Run("thrice"))
    expect(facts, exit=0, given=18, bucket={"ticket": "wrong", "ticket/2": "wrong", "ticket/3": "wrong"})
    expect(project.report(Run("thrice")), buckets={name: 3 * count for name, count in FIRST_BUCKETS.items()})


COMMAND = """import json, pathlib, sys
answers = json.loads(pathlib.Path("answers.json").read_text())[1]
for line in sys.stdin:
    ask = json.loads(line)
    print(json.dumps({"id": ask["id"], **answers[ask["text"]]}), flush=True)
"""


@pytest.mark.parametrize("pipeline", ["traces:second.jsonl", "cmd:python3 answer.py", "reference"])
def test_other_kinds_of_pipelines_answer_too(pipeline: str, project: Project) -> None:
    project.write("answer.py", COMMAND)
    run = Run("other")
    corpus = "passages.jsonl" if pipeline == "reference" else None
    expect(project.run("other", pipeline, corpus=corpus), exit=0, answers=6, errors=0)
    expect(project.grade(run, corpus="passages.jsonl"), exit=0, buckets=SECOND_BUCKETS, given=6)


def test_a_log_replayed_as_a_pipeline_leaves_its_gaps_open(project: Project) -> None:
    rows = [{**logged(one), "qid": None, "q": one.question.upper()} for one in FIRST if one.qid != "ferry"]
    log = project.write("gaps.json", {"traces": rows})  # which names questions by their texts
    expect(project.run("gaps", f"traces:{log}"), exit=4, asked=6, answers=5)
    facts = project.grade(Run("gaps"), corpus="passages.jsonl")
    expect(facts, exit=4, bucket={"ferry": None, "ticket": "wrong"}, graded=5, given=6)


def test_a_pipeline_that_cannot_be_told_to_retrieve_nothing_is_not_asked(project: Project) -> None:
    project.write("null.jsonl", [*QUESTIONS[:2], {**QUESTIONS[4], "retrieval": "null"}])
    expect(project.run("null", "pipeline:first", "null.jsonl"), exit=4, asked=3, answers=2, missing=1)
    expect(project.grade(Run("null")), exit=4, bucket={"dogs": None}, reason={"dogs": "missing"}, graded=2)


# Kills


def many(project: Project, count: int = 40) -> str:
    rows = [{"qid": f"n{i}", "q": f"House {i}", "answerable": True, "gold_ids": ["a1"]} for i in range(count)]
    return project.write("many.jsonl", rows)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_killed_run_goes_on_without_losing_or_repeating_an_answer(seed: int, project: Project) -> None:
    run, questions, chance = Run("killed"), many(project), np.random.default_rng(seed)
    words = project.run_words("killed", "pipeline:slow", questions, concurrency=2)
    until = int(chance.integers(1, 25))
    killed = kill(words, project.folder, progress=lambda: project.progress(run), until=until)
    assert killed.in_time and until <= killed.progress < 40
    kept, before = project.held(run), asked(project)
    if seed == 3:  # as if the power had gone within the last row
        project.tear(run)
        kept = project.held(run)
    expect(project.run("killed", None, None, resume=True), exit=0, asked=40, answers=40, missing=0)
    after = project.held(run)
    assert len(after) == 40 and kept.items() <= after.items() and project.rows_held(run) == 40
    again = asked(project) - before
    assert not {question.replace("n", "House ") for question, _ in kept} & again.keys()
    # What the killed command had just handed over may still have been answered, for nobody.
    assert 0 <= sum(again.values()) - (40 - len(kept)) <= 2


@pytest.mark.parametrize("seed", [4, 5])
def test_a_killed_grading_leaves_the_run_as_it_was_or_graded(seed: int, project: Project) -> None:
    project.run("slow", "pipeline:slow", many(project))
    run = Run("slow")
    whole = project.held(run)
    after = float(np.random.default_rng(seed).uniform(0.4, 1.6))
    kill(project.grade_words(run), project.folder, after=after)
    assert project.held(run) == whole
    facts = project.grade(run)
    expect(facts, exit=0, graded=40, given=40)
    expect(project.report(run), buckets=facts["buckets"], exit=0)


def test_two_cannot_write_to_one_run_at_once(project: Project) -> None:
    run, questions = Run("busy"), many(project, 400)
    seen: list[Facts] = []

    def second() -> int:
        if project.progress(run) and not seen:
            seen.append(project.run("busy", None, None, resume=True))
        return len(seen)

    kill(project.run_words("busy", "pipeline:slow", questions, concurrency=1), project.folder, progress=second)
    expect(seen[0], exit=4, hint=True)


# Grading again


def test_grading_again_gives_the_same_and_runs_of_two_graders_are_not_compared(fresh: Graded) -> None:
    project, run, second = fresh
    expect(project.grade(run), exit=0, buckets=FIRST_BUCKETS, given=6)
    expect(project.report(run), buckets=FIRST_BUCKETS, exit=0)
    expect(project.grade(run, "local"), exit=0, buckets=FIRST_BUCKETS, given=6)
    expect(project.gate(run, second), exit=2, message="other grader", hint=True)


def test_a_grading_in_vain_takes_nothing_back_and_verdicts_hold_for_the_passages_they_were_on(fresh: Graded) -> None:
    project, run, _ = fresh
    nobody = "llm:m@http://127.0.0.1:9/v1"
    expect(project.grade(run, nobody), exit=4, graded=0, given=6)
    expect(project.report(run), exit=0, buckets=FIRST_BUCKETS)
    log = project.write("ids.jsonl", [{**logged(one), "question": one.question} for one in FIRST])
    expect(project.grade_log(log, "ids"), exit=4, buckets={"ungraded": 4, "refused": 2})
    expect(project.grade(Run("ids"), nobody, corpus="passages.jsonl"), exit=4, graded=0)
    expect(project.report(Run("ids")), exit=4, message="not graded yet")  # the passages have texts by now


def test_verdicts_cannot_be_edited_by_hand(fresh: Graded) -> None:
    project, run, _ = fresh
    assert not project.tamper(run, "ticket", "correct")
    expect(project.gate(run, run), base=FIRST_BUCKETS, cand=FIRST_BUCKETS)


# Labels


def test_labels_count_once_and_stay_with_the_answer(fresh: Graded) -> None:
    project, run, second = fresh
    table = labels(project, "labels.csv", [
        {"question_id": "ferry", "factuality": "correct", "annotator": "ana"},
        {"question_id": "books", "factuality": "correct", "annotator": "ana"},
        {"question_id": "dogs", "factuality": "refused", "refusal_quality": 1, "annotator": "ana"},
    ])  # fmt: skip
    expect(project.import_labels(table, run), exit=0, new=3, **{"left out": 0})
    expect(project.import_labels(table, run), exit=0, new=0)
    expect(project.report(run), labels=3)
    expect(project.report(second), labels=2)  # it answers ferry and dogs alike, and books otherwise
    expect(project.gate(run, second), base={"correct": 2, "unsupported": 1}, by=["ana"])


def test_a_later_label_replaces_an_earlier_one_and_a_tie_counts_for_none(fresh: Graded) -> None:
    project, run, _ = fresh
    for number, (who, bucket) in enumerate([("ana", "correct"), ("ana", "unsupported"), ("ben", "wrong")]):
        name = labels(project, f"{number}.csv", [{"question_id": "ferry", "factuality": bucket, "annotator": who}])
        expect(project.import_labels(name, run), exit=0, new=1)
        wanted = ["correct", "unsupported", "correct"][number]  # the grader's own bucket where people disagree
        assert project.gate(run, run)["cand"].get("unsupported") == (3 if wanted == "unsupported" else 2)
    settled = labels(project, "s.csv", [{"question_id": "ferry", "factuality": "wrong", "annotator": "settled/cy"}])
    expect(project.import_labels(settled, run), exit=0, new=1)
    expect(project.gate(run, run), cand={"wrong": 2, "unsupported": 2, "refused": 2})


BAD_LABELS: dict[str, tuple[list[dict[str, object]], int, str]] = {
    "no such bucket": ([{"question_id": "ferry", "factuality": "splendid", "annotator": "ana"}], 2, "rows unusable"),
    "no such question": ([{"question_id": "boats", "factuality": "wrong", "annotator": "ana"}], 4,
                         "no answers labelled"),
    "no such attempt": ([{"question_id": "ferry", "attempt": 2, "factuality": "wrong", "annotator": "ana"}], 4,
                        "no answers labelled"),
    "no such quality": ([{"question_id": "dogs", "refusal_quality": 4, "annotator": "ana"}], 2, "rows unusable"),
    "one good row, one bad": ([{"question_id": "ferry", "factuality": "correct", "annotator": "ana"},
                               {"question_id": "dogs", "factuality": "bad", "annotator": "ana"}], 2, "rows unusable"),
    "by the grader": ([{"question_id": "ferry", "factuality": "correct", "annotator": "rules@6"}], 2, "not by people"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_LABELS)
def test_labels_that_cannot_be_used_are_not_imported(name: str, graded: Graded) -> None:
    project, first, _ = graded
    rows, code, kind = BAD_LABELS[name]
    facts = project.import_labels(labels(project, f"{name}.csv".replace(" ", "-"), rows), first)
    expect(facts, exit=code, message=kind, hint=True)
    expect(project.report(first), labels=0)


def test_labels_travel_in_an_export(fresh: Graded) -> None:
    project, run, _ = fresh
    rows = [{"question_id": one.qid, "factuality": "refused", "annotator": "ana", "note": "checked"} for one in FIRST]
    jsonl = [
        {"question_id": row["question_id"], "axis": "factuality", "value": "refused", "annotator": "ben"}
        for row in rows
    ]
    expect(project.import_labels(labels(project, "a.csv", rows), run), exit=0, new=6)
    expect(project.import_labels(project.write("b.jsonl", jsonl), run), exit=0, new=6)
    facts = project.export("all.jsonl.gz")
    expect(facts, exit=0, labels=12)
    expect(project.import_labels("all.jsonl.gz", db="copy.db"), exit=0, new=12)
    expect(project.export("again.jsonl.gz", db="copy.db"), exit=0, labels=12, hash=facts["hash"])
    expect(project.import_labels(project.write("other.jsonl", [{"a": 1}]), db="copy.db"), exit=4, hint=True)


# Calibration, decisions, reports


def test_calibration_says_how_far_the_grader_errs(project: Project) -> None:
    run = Run("first")
    project.run(run.name, "pipeline:first")
    project.grade(run)
    expect(project.calibrate(run), exit=4, hint=True)
    truth = {"ferry": "correct", "ticket": "wrong", "books": "correct", "rent": "refused", "dogs": "wrong"}
    truth["fine"] = "cannot tell"
    rows = [{"question_id": qid, "factuality": bucket, "annotator": "ana", "drawn": "sample"}
            for qid, bucket in truth.items()]  # fmt: skip
    project.import_labels(labels(project, "truth.csv", rows), run)
    facts = project.calibrate(run, report="calibration.html")
    # Ferry, which it calls correct, is; of the bad ones it finds ticket, and not dogs, which it takes for a refusal.
    expect(facts, exit=0, labels=5, axes=["factuality"], **{"called correct, but not": 0.0, "bad found": 0.5})
    expect(facts, **{"cannot tell": 1})
    assert project.page("calibration.html") == "html"
    expect(project.calibrate(Run("third")), exit=2, message="not there")


def test_the_gate_runs_and_its_decisions_are_listed(fresh: Graded) -> None:
    project, first, second = fresh
    expect(project.gate(None, second), exit=4, hint=True)  # against what?
    expect(project.gate(first, second), exit=0, decision="SHIP", base=FIRST_BUCKETS, cand=SECOND_BUCKETS,
           mended_wrong=["ticket"], mended_unsupported=["books", "fine"], newly_wrong=[])  # fmt: skip
    facts = project.gate(second, first, report="compare.html", junit="compare.xml")
    expect(facts, exit=1, decision="BLOCK", base=SECOND_BUCKETS, newly_wrong=["ticket"],
           newly_unsupported=["books", "fine"], rules={"wrong": False, "lasting_wrong": False, "coverage": True},
           change={"wrong": 1, "unsupported": 2}, pairs=6, differing=4)  # fmt: skip
    assert (project.page("compare.html"), project.page("compare.xml")) == ("html", "junit")
    assert project.history()["decisions"] == [("first", "second", "SHIP"), ("second", "first", "BLOCK")]


def test_people_who_look_at_what_differs_decide(fresh: Graded) -> None:
    project, first, second = fresh
    how: dict[str, Any] = {"uncalibrated": False, "rule": "wrong <= baseline + 3 points"}
    expect(project.gate(second, first, **how), exit=3, decision="INCONCLUSIVE", lean="BLOCK", looked_at=0, unseen=4,
           next=1, rules={how["rule"]: None})  # fmt: skip
    for run, rent in ((first, "refused"), (second, "correct")):
        buckets = {"ticket": "correct", "books": "correct", "rent": rent, "fine": "refused"}
        rows = [{"question_id": id, "factuality": bucket, "annotator": "ana"} for id, bucket in buckets.items()]
        expect(project.import_labels(labels(project, f"{run.name}.csv", rows), run), exit=0, new=4)
    expect(project.gate(second, first, **how), exit=0, decision="SHIP", looked_at=4, unseen=0, lean="", by=["ana"],
           newly_wrong=[], change={how["rule"]: 0})  # fmt: skip
    expect(project.gate(first, first, uncalibrated=False), exit=0, decision="SHIP", differing=0, looked_at=0)


def test_the_baseline_moves_only_by_hand(fresh: Graded) -> None:
    project, first, second = fresh
    expect(project.baseline(), exit=2, hint=True)
    expect(project.baseline(second), exit=0, version="second", moved=True, buckets=SECOND_BUCKETS, warned=False)
    expect(project.gate(None, first), exit=1, decision="BLOCK", base=SECOND_BUCKETS, cand=FIRST_BUCKETS)
    expect(project.baseline(first), version="second", moved=False, warned=True)
    expect(project.baseline(first, accept_worse="we know"), exit=0, version="first", moved=True)
    expect(project.baseline(), exit=0, version="first", moved=False)


def test_a_version_is_all_its_runs(fresh: Graded) -> None:
    project, first, _ = fresh
    for pipeline in ("second", "first"):
        expect(project.run("both", f"pipeline:{pipeline}"), exit=0, answers=6)
    both = {"correct": 5, "wrong": 1, "unsupported": 2, "refused": 4}
    expect(project.grade(Run("both")), exit=0, given=12, buckets=both)
    expect(project.gate(first, Run("both")), base=FIRST_BUCKETS, cand=both)
    expect(project.report(Run("both")), buckets=FIRST_BUCKETS)  # of the newest


def test_a_report_shows_one_run(graded: Graded) -> None:
    project, first, second = graded
    facts = project.report(first, "page.html", "page.md")
    expect(facts, exit=0, buckets=FIRST_BUCKETS, pages={"page.html": "html", "page.md": "markdown"}, groups={
        "sea": {"correct": 1, "wrong": 1, "refused": 1}, "land": {"unsupported": 2, "refused": 1}})  # fmt: skip
    expect(facts, axes={"citation_exists": {"yes": 3}, "extra_claim_count": {"0": 5, "1": 1},
                        "citation_supports": {"yes": 1, "no": 2}, "refusal_quality": {"0": 1, "1": 1}})  # fmt: skip
    expect(project.report(second), buckets=SECOND_BUCKETS, groups={"sea": {"correct": 2, "refused": 1}})
    assert all(one.question in project.read("page.html") for one in FIRST)


def test_a_run_that_nobody_graded_has_no_report(project: Project) -> None:
    project.run("one", "pipeline:first")
    expect(project.report(Run("one")), exit=4, message="not graded yet", hint=True)
    project.grade(Run("one"))
    project.run("two", "pipeline:first")  # the same answers, on which there are verdicts
    expect(project.report(Run("two")), exit=4, message="not graded yet", hint=True)


def test_what_is_about_a_person_can_be_erased(project: Project) -> None:
    rows = [
        {**logged(one), "question": one.question, "retrieved": one.passages, "user_id": f"u-{one.qid}"} for one in FIRST
    ]
    for row in rows:
        del row["chunks"]
    expect(project.grade_log(project.write("log.jsonl", rows), "log"), exit=0, given=6)
    run = Run("log")
    expect(project.purge(subject="u-nobody", really=True), exit=4)
    expect(project.purge(subject="u-ferry", really=False), exit=0)
    assert len(project.held(run)) == 6
    expect(project.purge(subject="u-ferry", really=True), exit=0)
    assert len(project.held(run)) == 5
    expect(project.report(run), buckets={"correct": None, "wrong": 1, "unsupported": 2, "refused": 2})


def test_a_matrix_grades_every_cell(project: Project) -> None:
    cells = "".join(f'[[pipeline]]\nname = "{name}"\nspec = "pipeline:{name}"\n' for name in ("first", "second"))
    project.write("cells.toml", f'questions = "questions.jsonl"\ngrader = "rules"\n{cells}')
    facts = project.matrix("cells.toml")
    expect(facts, exit=0, cells={"first": FIRST_BUCKETS, "second": SECOND_BUCKETS})
    expect(facts, **{"over refusal": {"first": "1/4", "second": "0/4"}})
    expect(project.matrix("cells.toml"), exit=0, cells=facts["cells"])
