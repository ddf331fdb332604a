from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from surefoot.cli.gate import gate
from surefoot.core.errors import SurefootError, UsageError
from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict

from .conftest import Write
from .in_process import surefoot
from .kept import keep_run, kept

Rows = list[dict[str, Any]]
ANN = "human/ann"  # what people judged is exact


def rows(*buckets: str | None, **more: object) -> Rows:
    return [
        {"question_id": f"q{i}", "axis": "factuality", "value": bucket, "grader": ANN, **more}
        for i, bucket in enumerate(buckets)
    ]


GOOD = rows("correct", "correct", "refused")
BAD = rows("correct", "wrong", "refused")


def call(*arguments: str | Path) -> tuple[int, Result]:
    result = CliRunner().invoke(gate, [str(argument) for argument in arguments], standalone_mode=False)
    if isinstance(result.exception, SurefootError):
        return int(result.exception.exit_code), result
    if result.exception:
        raise result.exception
    return int(result.return_value or 0), result


def answer(*arguments: str | Path) -> tuple[int, Any]:
    code, result = call(*arguments, "--json", "--uncalibrated")
    return code, json.loads(result.stdout)


def a_run(id: str, verdicts: Rows, **manifest: Any) -> str:  # noqa: ANN401
    questions = [Question(f"q{i}", f"Question {i}?", "refusal" if i == 2 else "answer", stratum="s") for i in range(3)]
    traces = [
        Trace(f"q{i}", answer=f"{id} says {i} [p{i}]", citations=(f"p{i}",),
              retrieved=Retrieved([Passage(f"p{i}", "the passage", "d", 4)]))
        for i in range(3)
    ]  # fmt: skip
    said = [Verdict(**{**row, "grader": "g/1"}) for row in verdicts]
    return keep_run(id, questions, traces, said, deterministic=True, **manifest)


@pytest.mark.parametrize(
    ("grader", "code", "words"),
    [
        ("local@1", 3, "the grader local@1: nobody has labelled a random sample"),
        ("human/ann", 0, "people gave the verdicts (ann)"),
        ("", 3, "the grader without a name: nobody has labelled a random sample"),
    ],
)
def test_without_labels_nothing_ships_but_what_people_judged(grader: str, code: int, words: str, write: Write) -> None:
    labels = write("labels.jsonl", rows("correct", "correct", "refused", grader=grader))
    found, result = call(labels, write("again.jsonl", rows("correct", "correct", "refused", grader=grader)))
    assert found == code and words in result.stdout
    itself, result = call(labels, labels)
    assert itself == code and "rose" not in result.stdout, "it has not changed, and the floors rest on the grader too"
    worse = write("worse.jsonl", rows("wrong", "correct", "refused", grader=grader))
    assert call(labels, worse)[0] == (1 if code == 0 else 3), "nor does the grader alone block"


def test_labels_in_the_file_teach_what_the_verdicts_are_worth(write: Write) -> None:
    """60 of 100 answers are labelled, as the grader says. Then a third of them are not as it says."""
    verdicts = rows(*["correct"] * 100, grader="g/1")
    labels = rows(*["correct"] * 60)
    base = write("base.jsonl", [*verdicts, *labels])
    code, found = call(base, write("same.jsonl", [*labels, *verdicts]), "--json")
    assert (code, json.loads(found.stdout)["trust"]["labels"]) == (0, 120)
    bad = rows(*["wrong"] * 20, *["correct"] * 40)
    code, result = call(base, write("bad.jsonl", [*verdicts, *bad]))
    assert code == 1 and "wrong rose by" in result.stdout


def test_a_rule_has_the_same_name_in_the_table_and_in_the_decision(write: Write) -> None:
    _, result = call(write("base.jsonl", GOOD), write("cand.jsonl", BAD))
    *shown, decision = result.stdout.splitlines()
    assert decision == (
        "BLOCK - 1 answer became wrong; no bad answer got better. wrong rose by 33.3 points; acceptable fell by 33.3"
        " points. Users lose: correct fell by 33.3 points."
    )
    assert [line.split()[0].removesuffix(":") for line in shown if " FAIL " in line] == ["wrong", "acceptable"]


def test_the_report_says_what_was_asked_and_why_it_moved(tmp_path: Path) -> None:
    moved = rows("correct", "wrong", "refused", reason="contradicted")
    base, cand = a_run("base", GOOD), a_run("cand", moved)
    report = tmp_path / "report.md"
    call(base, cand, "--report", report, "--report", tmp_path / "report.html", "--uncalibrated")
    why = " | a passage says something else"
    assert f"| q1 | correct | **wrong** | s | Question 1? | {why} |" in report.read_text(encoding="utf-8")
    assert "<bdi>Question 1?</bdi>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_json_has_what_is_promised(write: Write) -> None:
    code, found = answer(write("base.jsonl", GOOD), write("cand.jsonl", BAD))
    assert code == 1 == found["exit_code"] and found["outcome"] == "BLOCK"
    promised = {"outcome", "checks", "buckets", "by_stratum", "moved", "waived", "label_next", "next_steps"}
    assert promised <= found.keys()
    assert found["buckets"]["base"] == {"correct": 2, "wrong": 0, "unsupported": 0, "refused": 1, "ungraded": 0}
    (moved,) = found["moved"]
    assert (moved["question_id"], moved["attempt"], moved["from"], moved["to"]) == ("q1", 1, "correct", "wrong")
    wrong = next(check for check in found["checks"] if check["name"] == "wrong")
    assert (wrong["status"], wrong["seen"]["value"], wrong["before"]["value"]) == ("fail", 1.0, 0.0)
    third = round(1 / 3, 6)
    numbers = {
        "baseline": 0,
        "candidate": third,
        "change": third,
        "low": third,
        "high": third,
        "limit": 0,
        "margin": 0.03,
    }
    assert wrong | numbers == wrong


def test_runs_bring_questions_answers_and_passages(tmp_path: Path) -> None:
    base, cand = a_run("base", GOOD), a_run("cand", BAD)
    code, found = answer(base, cand)
    assert code == 1 and found["by_stratum"]["s"]["cand"]["wrong"] == 1
    (moved,) = found["moved"]
    assert moved["question"] == "Question 1?" and moved["cand"]["answer"] == "cand says 1 [p1]"
    assert moved["cand"]["cited"] == [{"id": "p1", "text": "the passage", "doc": "d", "page": 4}]
    over = next(check for check in found["checks"] if check["name"] == "over_refusal")
    assert over["status"] == "pass" and found["measures"]["cand"]["under_refusal"]["value"] == 0


def test_a_run_without_verdicts(tmp_path: Path, write: Write) -> None:
    good = write("good.jsonl", GOOD)
    code, result = call(good, a_run("blank", []))
    assert code == 4 and "no verdicts" in str(result.exception)
    code, result = call(good, tmp_path)
    assert code == 2 and "has no run or version" in str(result.exception)


def test_bad_rows_are_named_and_do_not_ship(write: Write) -> None:
    code, result = call(write("base.jsonl", GOOD), write("cand.jsonl", [*GOOD[:2], dict(GOOD[2], value="refusal")]))
    assert code == 4 and "cand.jsonl:3: " in result.stdout
    code, result = call(write("base.jsonl", GOOD), write("cand.jsonl", GOOD[:2]))
    assert code == 4 and "coverage" in result.stdout


def test_a_waiver_needs_a_reason_and_is_printed(write: Write) -> None:
    base, cand = write("base.jsonl", GOOD), write("cand.jsonl", BAD)
    rule = ("--rule", "wrong <= baseline", "--rule", "coverage >= 1")
    waive = ("--waive", "wrong <= baseline")
    for missing in ((*waive,), ("--reason", "why"), (*waive, "--reason", " ")):
        assert call(base, cand, *rule, *missing)[0] == 2
    code, found = answer(base, cand, *rule, *waive, "--reason", "label error in q1")
    assert code == 0 and found["waived"] == {"wrong <= baseline": "label error in q1"}
    assert found["checks"][0]["status"] == "waived" and found["checks"][0]["without_waiver"] == "fail"
    assert found["checks"][0]["waiver"] == "label error in q1"
    code, result = call(base, cand, *rule, *waive, "--reason", "label error in q1")
    assert "waived" in result.stdout and "label error in q1" in result.stdout and "Waived:" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["one", "one", "one"], "two runs are compared, not 3"),
        (["one"], "has no baseline"),
        (["one", "--history"], "decides on no run"),
        (["one", "nowhere"], "there is no project"),
        (["one", "one", "--margin", "2"], "margin must lie between"),
        (["one", "one", "--gate", "nosuch"], "nosuch"),
        (["one", "one", "--rule", "wrnog <= baseline"], "wrnog"),
        (["one", "one", "--waive", "nosuch", "--reason", "why"], "nosuch"),
    ],
)
def test_what_cannot_be_done_is_said_with_a_hint(write: Write, arguments: list[str], words: str) -> None:
    file = str(write("one.jsonl", GOOD))
    code, result = call(*(file if argument == "one" else argument for argument in arguments))
    assert code == 2 and isinstance(result.exception, UsageError)
    assert words in result.exception.message and result.exception.hint


def test_the_ship_gate_documents_every_line() -> None:
    import surefoot

    text = (Path(surefoot.__file__).parent / "gates" / "ship.toml").read_text("utf-8")
    rules = [line for line in text.split("[rules]\n")[1].splitlines() if " = " in line]
    assert len(rules) == 9 and all("  # " in line and len(line) <= 125 for line in rules)


def test_what_one_side_lacks_is_named(write: Write) -> None:
    code, found = answer(write("base.jsonl", GOOD), path := write("cand.jsonl", GOOD[:1]))
    assert code == 4 and found["incomplete"] == [f"2 of 3 answers of {path} are not graded: q1, q2"]
    code, found = answer(write("base.jsonl", GOOD), path := write("empty.jsonl", []))
    assert code == 4 and found["incomplete"][0] == f"{path}: is empty"
    code, found = answer(write("base.jsonl", GOOD), write("cand.jsonl", [dict(GOOD[0], question_id="q" * 9000)]))
    assert code == 4 and all(len(reason) < 300 for reason in found["incomplete"])


def test_a_name_that_is_no_text(tmp_path: Path, write: Write) -> None:
    base = write("base.jsonl", GOOD)
    odd = tmp_path / os.fsdecode(b"odd\xff.jsonl")
    odd.write_bytes(base.read_bytes())
    done = surefoot("gate", base, odd, "--json", "--uncalibrated")
    assert done.code == 0 and "odd" in done.json["names"]["cand"]


def test_hostile_answers_reach_no_report_as_they_are(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\x1b[31m\u202e\u061c|`*_ https://evil.example www.evil.example"
    base, cand = a_run("base", GOOD), a_run("cand", rows("wrong", "wrong", "wrong"))
    for run in map(kept, (base, cand)):
        run.keep([Trace("q0", answer=hostile, error=hostile)])
        run.add_verdicts("g/1", [Verdict("q0", "factuality", "wrong", "g/1", reason=hostile)])
    page, text = tmp_path / "out.html", tmp_path / "out.md"
    done = surefoot("gate", base, cand, "--uncalibrated", "--report", page, "--report", text)
    assert done.code == 1
    for shown in (page.read_text("utf-8"), text.read_text("utf-8"), done.out):
        assert not any(char in shown for char in "\x1b\u202e\u061c")
    for shown in (page.read_text("utf-8"), text.read_text("utf-8")):
        assert "<script>alert" not in shown
    assert "https://" not in text.read_text("utf-8") and "www.evil" not in text.read_text("utf-8")


def test_a_file_of_several_versions_is_no_run_and_the_latest_decision_is_no_move(tmp_path: Path) -> None:
    said = [{"question_id": f"q{i}", "axis": "factuality", "value": "correct"} for i in range(3)]
    a_run("a", said)
    a_run("b", [{**row, "value": "wrong"} for row in said])
    surefoot("export", tmp_path / "all.jsonl")
    for done in (surefoot("gate", tmp_path / "all.jsonl", "b"), surefoot("report", tmp_path / "all.jsonl")):
        assert done.code == 2 and "holds runs of a and b" in done.err
    surefoot("gate", "a", "b", "--uncalibrated")
    surefoot("baseline", "update", "a", "--uncalibrated")
    surefoot("export", tmp_path / "d.jsonl", "--decision", "latest")
    rows = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    assert {row["row"]["run"] for row in rows if row["kind"] == "answers"} == {"a", "b"}
