"""surefoot report and grade --report: one run as people read it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.core.types import Passage, Question, Retrieved, Trace

from .in_process import surefoot
from .kept import keep_run, kept

FOUND = Retrieved([Passage("lease#1", "The fee is EUR 5. The rent is EUR 900.", "Lease", 2)])
ASKED = [
    Question("fee", "What is the fee?", "answer", "easy", gold_ids=("lease#1",), gold_claims=("The fee is EUR 5.",)),
    Question("rent", "What is the rent?", "answer", "easy", gold_ids=("lease#1",), gold_claims=("It is EUR 900.",)),
    Question("pet", "May I keep a pet?", "refusal", "hard"),
    Question("door", "Which colour has the door?", "answer", "hard", gold_ids=("lease#9",), gold_claims=("Green.",)),
]
ANSWERS = {
    "fee": "The fee is EUR 5 [lease#1].",
    "rent": "The rent is EUR 700 [lease#1].",
    "pet": "The documents do not say whether you may keep a pet.",
    "door": "The documents do not say which colour the door has.",
}


def make_run(id: str, answers: dict[str, str] = ANSWERS) -> str:
    return keep_run(id, ASKED, [Trace(one, answer=answer, retrieved=FOUND) for one, answer in answers.items()])


@pytest.fixture
def run() -> str:
    made = make_run("first")
    assert surefoot("grade", made, "--grader", "rules").code == 0
    return made


def test_the_terminal_says_what_is_bad_and_what_to_look_into(run: str) -> None:
    done = surefoot("report", run)
    assert done.code == 0 and done.err == ""
    assert done.out.splitlines()[-1] == "1 of 4 answers is bad: 1 wrong, 0 unsupported; 2 unsure."
    assert "retrieval   1        no passage that has the expected answer was retrieved" in done.out
    assert "generation  1        says something else than the passages it was given" in done.out
    assert "easy    " in done.out and " 50.0% (" in done.out
    assert "rent  wrong   easy" in done.out and "a passage says something else" in done.out


def test_a_page_and_markdown_are_written_and_the_terminal_says_the_sum(run: str, tmp_path: Path) -> None:
    page, text = tmp_path / "page.html", tmp_path / "page.md"
    done = surefoot("report", run, "--report", page, "--report", text)
    assert done.code == 0 and "1 of 4 answers is bad" in done.out and "Axes" not in done.out
    for file in (page, text):
        shown = file.read_text("utf-8")
        headline = "1 of 4 answers is bad: 1 wrong, 0 unsupported; 2 unsure."
        for words in (headline, "Axes", "What to do next", "refusal_quality"):
            assert words in shown, (file.name, words)
    assert "It is EUR 900." in page.read_text("utf-8"), "what was expected"
    assert '<mark class="contradicted">The rent is EUR 900.</mark>' in page.read_text("utf-8")


@pytest.mark.parametrize("command", ["report RUN --report -", "gate RUN RUN --report -", "grade RUN --report -"])
def test_a_reader_who_has_gone_ends_it_quietly(run: str, command: str) -> None:
    called = f"{sys.executable} -m surefoot {command.replace('RUN', run)}"
    done = subprocess.run(
        f"{{ {called}; echo $? >&2; }} | true", shell=True, capture_output=True, text=True, timeout=60
    )
    assert done.stderr[-2:] in ("0\n", "1\n", "4\n") and not re.search(r"(?m)^(error|Traceback)|Pipe", done.stderr)


def test_grading_writes_the_same_page(run: str, tmp_path: Path) -> None:
    done = surefoot("grade", run, "--grader", "rules", "--report", tmp_path / "one.html")
    assert done.code == 0 and "1 correct, 1 wrong, 0 unsupported, 2 refused" in done.out
    surefoot("report", run, "--report", tmp_path / "two.html")
    assert (tmp_path / "one.html").read_text("utf-8") == (tmp_path / "two.html").read_text("utf-8")
    done = surefoot("grade", run, "--grader", "rules", "--report", "-")
    assert done.out.startswith("# Surefoot run ") and "bad answers" not in done.out


def test_labels_count_and_are_signed(run: str, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    row = {"question_id": "rent", "axis": "factuality", "value": "unsupported", "annotator": "ann"}
    labels.write_text(json.dumps({**row, "note": "no such rent"}), "utf-8")
    assert surefoot("import", labels, "--run", run).code == 0
    done = surefoot("report", run, "--report", tmp_path / "page.html")
    assert "1 of 4 answers is bad: 0 wrong, 1 unsupported; 1 unsure." in done.out
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "no such rent" in page and "Labelled by people (ann). The grader says wrong" in page


def test_answers_that_are_not_graded_are_counted() -> None:
    made = make_run("run", {**ANSWERS, "pet": ""})
    surefoot("grade", made, "--grader", "rules")
    done = surefoot("report", made)
    assert done.code == 4 and "1 of 4 answers is bad: 1 wrong, 0 unsupported; 1 not graded; 2 unsure." in done.out


def test_items_have_no_report(tmp_path: Path) -> None:
    done = surefoot("grade", "--items", "-", "--report", tmp_path / "x.html")
    assert done.code == 2 and "--report does nothing without a run" in done.err


def test_where_nothing_was_graded_the_report_says_why_and_shows_no_shares() -> None:
    made = make_run("bare", {})
    kept(made).keep(
        Trace(one.id, answer="The fee is EUR 5 [lease#1].", retrieved=Retrieved([Passage(f"lease#{one.id}")]))
        for one in ASKED
    )
    surefoot("grade", made, "--grader", "rules")
    done = surefoot("report", made)
    assert done.code == 4 and "Shares" not in done.out and "could not read it" not in done.out
    assert done.out.splitlines()[-1].startswith("None of 4 answers could be graded: the passage 'lease#")
    found = surefoot("report", made, "--json").json
    assert found["shares"][""]["correct"]["value"] is None
    rows = surefoot("report", made, "--report", "-").out
    assert "fee' has no text: give the texts of the passages" in rows and "rent' has no text" in rows


def test_accepting_questions_does_not_part_the_runs(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    asked = [{"qid": one.id, "question": one.text, "expects": one.expects, "review": "proposed"} for one in ASKED]
    path.write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    log = tmp_path / "log.jsonl"
    rows = [{"qid": name, "answer": text, "retrieved": [{"id": "lease#1", "text": "The fee is EUR 5."}]}
            for name, text in ANSWERS.items()]  # fmt: skip
    log.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for name in ("first", "second"):
        assert surefoot("run", "-p", f"traces:{log}", "-q", path, "--version", name).code == 0
        surefoot("grade", name, "--grader", "rules")
        surefoot("questions", "lock", path, "--accept-all")
    done = surefoot("gate", "first", "second")
    assert "cannot be compared" not in done.err and "another question set" not in done.out and done.code in (0, 1, 3)
