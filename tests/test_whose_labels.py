"""Whose labels a report rests on - people's, an AI's, or both - is said wherever their result is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from surefoot.core.records import whose, whose_by_name
from surefoot.core.types import plain
from surefoot.io.labels import names_a_grader
from surefoot.store import Project

from .conftest import Write
from .in_process import surefoot
from .test_cli_calibrate import a_run, rows

WHO = {
    "people": ["anna", "human/ben"],
    "AI annotators": ["ai/one", "AI/two"],
    "people and AI annotators": ["anna", "ai/one"],
    "unnamed annotators": [""],
}


@pytest.mark.parametrize(
    ("annotators", "words", "by_name"),
    [
        (["anna"], "people", "people (anna)"),
        (["human/anna", "human/ben"], "people", "people (anna, ben)"),
        (["ai/one"], "AI annotators", "AI annotators (one)"),
        (["ai/one", "anna"], "people and AI annotators", "people (anna) and AI annotators (one)"),
        (["a", "b", "c", "d", "e", "f", "g"], "people", "people (a, b, c, d, e and 2 more)"),
        ([], "unnamed annotators", "unnamed annotators"),
        (["unnamed"], "unnamed annotators", "unnamed annotators"),
        (["unnamed", "anna"], "people and unnamed annotators", "people (anna) and unnamed annotators"),
        (
            ["unnamed", "anna", "ai/x"],
            "people, unnamed annotators and AI annotators",
            "people (anna), unnamed annotators and AI annotators (x)",
        ),
    ],
)
def test_words(annotators: list[str], words: str, by_name: str) -> None:
    assert (whose(annotators), whose_by_name(annotators)) == (words, by_name)


@pytest.mark.parametrize("said", WHO)
def test_every_form_of_a_calibration_says_it(said: str, write: Write, tmp_path: Path) -> None:
    run = a_run("first")
    values = {"wrong": 9, "correct": 51}
    labels = write("l.jsonl", [{**row, "grader": None, "annotator": who} for who in WHO[said] for row in rows(values)])
    reports = [tmp_path / "c.md", tmp_path / "c.html"]
    options = [part for path in reports for part in ("--report", path)]
    printed = surefoot("calibrate", run, "--labels", labels, *options).out
    found = surefoot("calibrate", run, "--json").json
    assert found["labelled_by"] == found["axes"]["factuality"]["labelled_by"] == said
    assert f"60 labels by {whose_by_name(found['annotators'])}" in found["headline"]
    for text in (printed, *(path.read_text("utf-8") for path in reports)):
        assert f"labelled by {whose_by_name(found['annotators'])}" in text


@pytest.mark.parametrize("said", WHO)
def test_a_decision_says_it_too(said: str, write: Write, tmp_path: Path) -> None:
    run, other = a_run("first"), a_run("second", words="second")
    for one in (run, other):
        rows_of = [
            {**row, "grader": None, "annotator": who} for who in WHO[said] for row in rows({"wrong": 9, "correct": 51})
        ]
        assert surefoot("import", write("l.jsonl", rows_of), "--run", one).code == 0
    surefoot("gate", run, other, "--report", tmp_path / "c.md")
    decided = surefoot("gate", run, other, "--json").json
    assert next(rule["by"] for rule in decided["rules"] if rule["name"] == "lasting_wrong") == said
    assert f"labels by {whose_by_name(decided['annotators'])}" in (tmp_path / "c.md").read_text()


def test_an_axis_remembers_who_labelled_it_where_others_labelled_the_rest(write: Write) -> None:
    verdicts = [*rows({"wrong": 20, "correct": 20})]
    verdicts += [{**row, "axis": "refusal_quality", "value": number % 3} for number, row in enumerate(verdicts)]
    told = [{**row, "grader": f"{'ai' if row['axis'] == 'refusal_quality' else 'human'}/x"} for row in verdicts]
    files = ("--verdicts", write("v.jsonl", verdicts), "--labels", write("l.jsonl", told))
    found = surefoot("calibrate", *files, "--json").json
    assert found["labelled_by"] == "people and AI annotators"
    assert {name: axis["labelled_by"] for name, axis in found["axes"].items()} == {
        "factuality": "people", "refusal_quality": "AI annotators",
    }  # fmt: skip


def test_verdicts_by_an_ai_alone_are_those_of_a_grader(write: Write) -> None:
    """People's own verdicts are exact; a name in front makes no person of an AI."""
    for grader, code in (("human/x", 0), ("ai/x", 3)):
        files = [write(name, rows({"correct": 4, "refused": 2}, grader)) for name in ("a.jsonl", "b.jsonl")]
        assert surefoot("gate", *files).code == code
    labelled = [[*rows({"correct": 40}, "ai/x"), *rows({"correct": 40}, "human/ann")] for _ in range(2)]
    files = [write(f"{name}.jsonl", given) for name, given in zip("ab", labelled, strict=True)]
    found = surefoot("gate", *files, "--json").json
    assert found["graders"] == {"base": ["ai/x"], "cand": ["ai/x"]}, "beside people, it is the grader"
    assert found["annotators"] == ["ann"] and found["looked_at"] == found["differing"] == 40


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("gpt-4o", True), ("GPT 4.1-mini", True), ("claude-3-5-sonnet", True), ("gemini-2.0", True), ("llama3", True),
        ("ai/gpt-4o", False), ("human/gpt-4o", False), ("Claude", False), ("Claude Monet", False), ("Gemma", False),
        ("o1-mini", True), ("mistral-large", True), ("deepseek-r1", True), ("phi-3", True), ("command-r", True),
        ("model/gpt-4o", True), ("llm-judge", True), ("ai:foo", True), ("ai-foo", True), ("AI", True), ("Aisha", False),
        ("ai/local@1+aaf8baa9", True), ("ai/g/1", True), ("ai/anna", False),
    ],
)  # fmt: skip
def test_who_may_be_an_annotator(name: str, is_one: bool) -> None:
    assert names_a_grader(name, ["g/1"]) is is_one


def test_a_model_under_its_own_name_is_no_person(write: Write, tmp_path: Path) -> None:
    run = a_run("first")
    done = surefoot("calibrate", run, "--labels", write("l.jsonl", rows({"wrong": 9, "correct": 51}, "gpt-4o")))
    assert done.code == 2 and "'gpt-4o', a grader" in done.err and "ai/NAME" in done.err
    unnamed = surefoot("calibrate", run, "--labels", write("n.jsonl", rows({"wrong": 9}, "ai/")))
    assert "has no name behind ai/" in plain(unnamed.err, 2000)


def test_what_was_drawn_is_said_once(write: Write, tmp_path: Path) -> None:
    """Labels that name another run, and are all on answers of these, were drawn from these."""
    runs = [a_run(name, words=name) for name in ("first", "second")]
    for run in runs:
        surefoot("calibrate", run, "--labels", write("l.jsonl", rows({"wrong": 9, "correct": 51}, "ai/x")))
    with Project.existing() as project:
        told = [replace(label, id=f"new-{label.id}", annotator="ai/y", run="elsewhere") for label in project.labels()]
        project.add_new_labels((), lambda _: told)
    found = surefoot("calibrate", *runs, "--json").json
    assert found["labels"] == 120
    assert sum(sum(row.values()) for row in found["axes"]["factuality"]["table"].values()) == 120
    assert "no label was drawn" not in json.dumps(found["problems"])
