"""surefoot council evaluate and tune, on runs that a council has scored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from surefoot.core.rubric import parse
from surefoot.council.rows import Scores

from .council.planted import HONEST, WEIGHTS, kept_runs, reviewed
from .in_process import surefoot

PLANTED = np.array([0.0, 0.0, 1.0, 0.0, 0.0])


def labels(path: Path, scores: Scores, style: str = "scores") -> Path:
    """What people say who go by other weights than the rubric's."""
    rows = []
    by_question: dict[str, dict[str, float]] = {}
    for answer in scores["ada"]:
        means = [np.mean([scores[who][answer][name] for who in HONEST]) for name in WEIGHTS]
        value = round(float(np.clip(np.array(means) @ PLANTED, 1, 10)), 2)
        by_question.setdefault(answer.question, {})[answer.run] = value
        rows.append({"question_id": answer.question, "run": answer.run, "value": value, "annotator": "ann"})
    if style == "preferences":
        rows = [
            {"question_id": id, "prefers": max(runs, key=runs.__getitem__), "over": min(runs, key=runs.__getitem__)}
            for id, runs in by_question.items()
        ]
    if style == "csv":
        text = "question_id;run;value\n" + "".join(f"{r['question_id']};{r['run']};{r['value']}\n" for r in rows)
        path.write_text(text, "utf-16")  # as Excel saves one in many countries
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Scores]:
    folder = tmp_path_factory.mktemp("council")
    scores = reviewed(100, ("harsh", "random"))
    kept_runs(scores, folder / "surefoot.db")
    return folder, scores


@pytest.fixture(autouse=True)
def db(project: tuple[Path, Scores], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUREFOOT_DB", str(project[0] / "surefoot.db"))
    return project[0] / "surefoot.db"


def test_evaluate_says_who_is_biased_and_who_adds_nothing(project: tuple[Path, Scores]) -> None:
    folder, scores = project
    given = labels(folder / "labels.jsonl", scores)
    done = surefoot("council", "evaluate", "one", "two", "--labels", given)
    assert done.code == 0, done.err
    assert "random adds nothing" in done.out
    assert "bias: harsh: points beside the others: accuracy -1." in done.out
    assert "order as people see it (Kendall's tau): rubric 0." in done.out
    assert "does the rubric earn its cost here? not shown: no reviewer gave" in done.out
    found = json.loads(surefoot("council", "evaluate", "one", "--json").out)
    assert set(found) == {"runs", "reviewers", "questions", "answers", "success", "redundant", "bias"}
    assert (found["questions"], found["answers"], len(found["reviewers"])) == (100, 100, 6)


@pytest.mark.parametrize("style", ["scores", "preferences", "csv"])
def test_tune_writes_a_rubric_that_agrees_better_with_people(project: tuple[Path, Scores], style: str) -> None:
    folder, scores = project
    given = labels(folder / f"{style}.{'csv' if style == 'csv' else 'jsonl'}", scores, style)
    out = folder / f"{style}.toml"
    done = surefoot("council", "tune", "one", "two", "--labels", given, "--rubric", "council",
                    "--out", out, "--json")  # fmt: skip
    assert done.code == 0, done.err + done.out
    found, written = json.loads(done.out), parse(out.read_text("utf-8"), str(out))
    assert found["written"] == str(out)
    assert found["gain"]["low"] > 0
    assert written.name == style
    assert written.weights["completeness"] > 0.3
    again = surefoot("council", "tune", "one", "--labels", given, "--rubric", "council", "--out", out)
    assert (again.code, "is there already" in again.err) == (2, True)


def test_tune_refuses_what_could_show_nothing(project: tuple[Path, Scores]) -> None:
    folder, _ = project
    few = folder / "few.jsonl"
    few.write_text("".join(json.dumps({"question_id": f"q{n}", "value": n + 1}) + "\n" for n in range(9)), "utf-8")
    done = surefoot("council", "tune", "one", "--labels", few, "--rubric", "council", "--out", folder / "no.toml")
    assert (done.code, "it takes 30" in done.out, (folder / "no.toml").exists()) == (3, True, False)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"question_id": "q1", "value": 8}, "it does not say on the answer of which run it is"),
        ({"question_id": "q1", "run": "one", "value": 80}, "is neither a score from 1 to 10 nor a bucket"),
        ({"question_id": "nope", "run": "one", "value": 8}, "did not score an answer to question"),
        ({"question_id": "q1", "run": "one", "value": 8, "grader": "council/ada"}, "a grader"),
        ({"question_id": "q1", "prefers": "one", "over": "one"}, "it prefers an answer to itself"),
        ({"question_id": "q1", "prefers": "one"}, "there is no run"),
        (
            {"question_id": "q1", "run": "one", "axis": "refusal_quality", "value": 2},
            "says nothing of the whole answer",
        ),
        (["q1", 8], "not an object"),
    ],
)
def test_labels_that_cannot_be_used_are_named(project: tuple[Path, Scores], row: object, fault: str) -> None:
    folder, _ = project
    path = folder / "bad.jsonl"
    path.write_text(json.dumps(row) + "\n", "utf-8")
    done = surefoot("council", "evaluate", "one", "two", "--labels", path)
    assert done.code == 2
    assert fault in done.err
    assert "hint:" in done.err


def test_buckets_are_labels_too_but_not_beside_scores(project: tuple[Path, Scores]) -> None:
    folder, _ = project
    path = folder / "buckets.jsonl"
    rows = [
        {"question_id": f"q{n}", "axis": "factuality", "value": "correct" if n % 3 else "wrong"} for n in range(100)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = json.loads(surefoot("council", "evaluate", "one", "--labels", path, "--json").out)
    assert found["success"]["people"]["rubric"]["questions"] == 100
    with path.open("a", encoding="utf-8") as file:
        file.write('{"question_id": "q1", "value": 7}\n')
    mixed = surefoot("council", "evaluate", "one", "--labels", path)
    assert (mixed.code, "scores and buckets" in mixed.err) == (2, True)


def test_runs_without_scores_say_what_to_do(project: tuple[Path, Scores], tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    one, _ = kept_runs({"ada": {answer: {} for answer in reviewed(2)["ada"]}}, other)
    nothing = surefoot("council", "evaluate", one, "--db", other)
    assert (nothing.code, "surefoot council runs RUN --reviewer" in nothing.err) == (4, True)
    without = surefoot("council", "evaluate", "one", "--compare", "holistic")
    assert (without.code, "--holistic" in without.err) == (4, True)
