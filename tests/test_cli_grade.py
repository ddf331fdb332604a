"""surefoot grade, as a careless or hostile user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from surefoot.cli.grade import grade
from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict

from .conftest import Write
from .conftest import surefoot as as_a_user_runs_it
from .in_process import surefoot
from .kept import keep_run, kept

PASSAGES = [{"id": "p", "text": "The fee is EUR 5."}]
ANSWER = "The fee is EUR 5 [p]."
ITEM: dict[str, Any] = {"id": "a", "question": "What is the fee?", "passages": PASSAGES, "answer": ANSWER}
QUESTIONS = [Question("q1", "What is the fee?", "answer"), Question("q2", "What is the rent?", "refusal")]
RETRIEVED = Retrieved([Passage("p", "The fee is EUR 5.")])


class Graded:
    def __init__(self, *arguments: str | Path) -> None:
        done = CliRunner().invoke(grade, [str(a) for a in (*arguments, "--json")], standalone_mode=False)
        if done.exception:
            raise done.exception
        self.code: Any = done.return_value
        self.rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.err = done.stderr

    @property
    def only(self) -> dict[str, Any]:
        (row,) = self.rows
        return dict(row)


@pytest.fixture
def run() -> str:
    traces = [Trace("q1", answer=ANSWER, retrieved=RETRIEVED), Trace("q2", error="no luck")]
    return keep_run("run", QUESTIONS, traces)


def test_ctrl_c_says_that_nothing_is_kept_yet(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("surefoot.jobs.grade.read_watched", stopped)
        done = surefoot("grade", run, "--grader", "rules")
    assert done.code == 130 and f"no verdict on {run} is kept yet" in done.err and "same command again" in done.err
    assert surefoot("grade", run, "--grader", "rules").code == 4 and kept(run).manifest.grader


def raw(**fields: str) -> str:
    """An item as JSON text, with some fields as they could not be written by a JSON library."""
    plain = {key: json.dumps(value) for key, value in ITEM.items()}
    return "{" + ", ".join(f'"{key}": {value}' for key, value in {**plain, **fields}.items()) + "}"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"answer": "NaN"}, "no answer that is a text (NaN or Infinity read as null)"),
        ({"answer": "-Infinity"}, "NaN or Infinity"),
        ({"answer": "9" * 6000}, "no answer that is a text (a number too long"),
        ({"answer": "9" * 60}, "answer must be a text, not a number"),
        ({"answer": "5"}, "answer must be a text, not a number"),
        ({"answer": "true"}, "answer must be a text, not true or false"),
        ({"answer": '["x"]'}, "answer must be a text, not a list"),
        ({"citations": '[{"x": 1}]'}, "citation 1 is an object without an id"),
        ({"citations": '["p", 1.5]'}, "citation 2 must be a text, not a number"),
        ({"citations": "[NaN]"}, "citation 1 must be a text, not null (NaN or Infinity"),
        ({"citations": "[[1]]"}, "citation 1 must be a text, not a list"),
        ({"citations": "7"}, "citations must be a list, not a number"),
        ({"expects": '"maybe"'}, "expects must be 'answer' or 'refusal', not 'maybe'"),
        ({"expects": '["refusal"]'}, "expects must be"),
        ({"stratum": '["x"]'}, "stratum must be a text, not a list"),
        ({"passages": '{"id": "p"}'}, "passages must be a list of objects with id and text, not an object"),
        ({"question": "5"}, "question must be a text, not a number"),
        ({"gold_claims": '"x"'}, "gold_claims must be a list of texts"),
    ],
)  # fmt: skip
def test_a_field_that_makes_no_sense_is_an_error_and_never_missing(
    fields: dict[str, str], words: str, write: Write
) -> None:
    path = write("items.jsonl", [raw(), raw(id='"malformed"', **fields)])
    found = Graded("--items", path)
    good, bad = found.rows
    assert found.code == 4 and good["factuality"] == "correct"
    assert (bad["id"], bad["factuality"], bad["reason"]) == ("malformed", None, "error")
    assert bad["detail"].startswith(f"{path}:2: ") and words in bad["detail"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"citations": "[1]"}, "the citation 1 is a number"),
        ({"citations": '["", "p"]'}, "an empty citation was left out"),
        ({"score": "NaN"}, "NaN or Infinity read as null"),
        ({"passages": '[{"id": "p", "text": "The fee is EUR 5."}, {"id": "p", "text": "x"}]'}, "the id 'p'"),
    ],
)
def test_what_is_used_with_a_doubt_is_said(fields: dict[str, str], words: str, write: Write) -> None:
    found = Graded("--items", write("items.jsonl", [raw(**fields)]))
    assert found.code == 0 and found.only["factuality"] is not None
    assert "note: " in found.err and ":1: " in found.err and words in found.err


def test_a_question_that_is_a_number_is_named(write: Write) -> None:
    done = surefoot("grade", "--items", write("i.jsonl", [{"q": 5, "answer": 7, "chunks": 3}]), "--grader", "rules")
    assert done.code == 4 and "i.jsonl:1: q is a number, not a text" in done.out


def test_every_row_has_its_line_also_those_without_or_with_a_used_id(write: Write) -> None:
    rows = [ITEM, ITEM, {**ITEM, "id": ""}, [1], "{broken", "", {**ITEM, "id": 7}, {**ITEM, "id": "x" * 9000}]
    found = Graded("--items", write("items.jsonl", rows))
    assert [row["id"] for row in found.rows] == ["a", "a", None, None, None, "7", "x" * 9000]
    assert found.code == 4 and ":2: the id 'a' is that of line 1 as well" in found.err
    assert [row["reason"] for row in found.rows].count("error") == 3


def test_the_table_is_safe_to_print(write: Write) -> None:
    path = write("items.jsonl", [{**ITEM, "id": "\u001b[31m\u202ered", "answer": None, "error": "\u001b[2Jgone"}])
    done = as_a_user_runs_it("grade", "--items", path)
    assert done.code == 4 and "\u001b" not in done.out and "\u202e" not in done.out and "gone" in done.out


def test_another_answer_has_none_of_the_verdicts_of_before(run: str) -> None:
    Graded(run)
    label = Verdict("q1", "refusal_quality", 2, "ada")
    kept(run).add_verdicts("ada", [label])
    kept(run).keep([Trace("q1", answer="I do not know.", retrieved=RETRIEVED)])
    Graded(run)
    found = kept(run).verdicts()
    axes = {verdict.axis: verdict.value for verdict in found if (verdict.question_id, verdict.grader) != ("q1", "ada")}
    assert "citation_supports" not in axes, "the earlier answer cited, this one does not"


def test_what_of_a_run_cannot_be_graded_is_named(run: str) -> None:
    more = [Trace("zz", answer="x"), Trace("q1", attempt=5, answer="x")]
    kept(run).keep([*more, Trace("q2", answer="I do not know.", retrieved=RETRIEVED)])
    found = Graded(run)
    assert found.code == 4 and [row["factuality"] for row in found.rows] == ["correct", "refused"]
    assert "not asked for, so not graded: q1 (attempt 5), zz (attempt 1)" in found.err


def test_what_is_to_be_looked_into_is_shown_and_the_rest_counted() -> None:
    questions = [Question(f"q{n}", f"What is fee\n{n}?", "answer") for n in range(30)]
    bad, good = f"The fee is EUR 6.\n\n{'So it is. ' * 50}", "I do not know."
    traces = [Trace(one.id, answer=good if n > 23 else bad, retrieved=RETRIEVED) for n, one in enumerate(questions)]
    said = surefoot("grade", keep_run("run", questions, traces), "--grader", "rules").out
    assert said.startswith("q0               wrong        contradicted    unsure\n") and "q25" not in said
    assert (
        "\n... and 4 more to look into; every answer with its evidence: surefoot report run --report page.html\n"
        in said
    )
    assert said.endswith("24 wrong, 0 unsupported, 6 refused, 0 not graded\n") and len(said.splitlines()) == 23


def test_what_is_unsafe_is_shown_and_counted(tmp_path: Path) -> None:
    passages = [{"id": "p1", "text": "The lease was signed on 3 May 2024."}]
    row = {"question": "When was it signed?", "passages": passages}
    rows = [
        {**row, "id": "a", "answer": "On 3 May 2024 [p1]."},
        {**row, "id": "b", "answer": "Her SSN is 524-81-3907 [p1]."},
    ]
    items = tmp_path / "items.jsonl"
    items.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    done = surefoot("grade", "--items", items, "--grader", "rules")
    assert "unsafe" in done.out.splitlines()[1] and done.out.rstrip().endswith("; 1 unsafe")
