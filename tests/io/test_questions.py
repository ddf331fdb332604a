from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from surefoot import score
from surefoot.io.questions import load, question_of
from surefoot.io.rows import BadRow

from ..conftest import QUESTIONS, Write


def test_json_array_json_lines_and_yaml_give_the_same_set(write: Write, tmp_path: Path) -> None:
    array = tmp_path / "q.json"
    array.write_text(json.dumps(QUESTIONS, indent=1), encoding="utf-8")
    wrapped = tmp_path / "w.json"
    wrapped.write_text(json.dumps({"version": 2, "questions": QUESTIONS}), encoding="utf-8")
    lines = write("q.jsonl", QUESTIONS)
    yaml = tmp_path / "q.yaml"
    yaml.write_text(
        "- qid: q1\n  q: What is X?\n  answerable: true\n  gold_ids: ['p1#1']\n  gold_claim: X is a tight mapping.\n"
        "- {qid: q2, q: Explain Y., answerable: true, gold_ids: ['p2#1'], gold_claim: Y is unrelated to X.}\n"
        "- {qid: q3, q: What is Z?, answerable: false}\n"
        "# a comment\n"
        "- {qid: q4, q: Sum up the link., answerable: false, gold_ids: []}\n",
        encoding="utf-8",
    )
    expected = load(QUESTIONS).questions
    for path in (array, wrapped, lines, yaml):
        assert load(path).questions == expected, path
        assert load(path).problems == []
    assert list(load(array).lines) == [2, 11, 20, 26]
    assert list(load(yaml).lines) == [1, 6, 7, 9]


def test_names_used_elsewhere_are_understood() -> None:
    row = {"id": 7, "question": "Q?", "expects": "refusal", "gold_claims": ["a", "b"], "lang": "de", "stratum": "s"}
    question = question_of(row)
    assert (question.id, question.expects, question.gold_claims) == ("7", "refusal", ("a", "b"))
    assert (question.group("lang"), question.group("stratum"), question.group("none")) == ("de", "s", "")
    assert question_of({"qid": "a", "q": "Q?", "gold_ids": ["x", "x", 3]}).gold_ids == ("x", "3")


@pytest.mark.parametrize(
    ("row", "word"),
    [
        (["q"], "object"),
        ({"q": "Q?", "answerable": True}, "no id"),
        ({"qid": " ", "q": "Q?", "answerable": True}, "no id"),
        ({"qid": "a", "answerable": True}, "no text"),
        ({"qid": "a", "q": "", "answerable": True}, "no text"),
        ({"qid": "a", "q": "Q?", "answerable": "yes"}, "true or false"),
        ({"qid": "a", "q": "Q?", "expects": "maybe"}, "expects"),
        ({"qid": "a", "q": "Q?", "expects": "answer", "answerable": False}, "disagree"),
        ({"qid": "a", "q": "Q?"}, "neither"),
        ({"qid": "a", "q": "Q?", "answerable": True, "gold_ids": "p1"}, "list"),
        ({"qid": "a", "q": "Q?", "answerable": True, "gold_ids": [None]}, "texts"),
        ({"qid": "a", "q": "Q?", "answerable": True, "gold_claim": 3}, "gold_claim"),
        ({"qid": "a", "q": "Q?", "answerable": True, "stratum": []}, "stratum"),
        ({"qid": "a", "q": "Q?", "answerable": True, "retrieval": "x"}, "retrieval"),
        ({"qid": "a", "q": "Q?", "answerable": True, "metadata": 3}, "metadata"),
        ({"qid": "a", "q": "Q?", "answrable": False}, r"unknown field 'answrable': did you mean 'answerable'\?"),
        ({"qid": "a", "q": "Q?", "answerable": True, "gold_id": ["p1"]}, "did you mean 'gold_ids'"),
        ({"qid": "a", "Question": "Q?", "answerable": True}, "did you mean 'question'"),
    ],
)
def test_a_bad_question_says_what_is_wrong(row: Any, word: str) -> None:  # noqa: ANN401
    with pytest.raises(BadRow, match=word):
        question_of(row)


def test_fields_of_ones_own_are_no_misspelt_ones() -> None:
    own = {"answer": "A", "doc": "d", "tests": 1, "question_ids": [1]}
    assert question_of({"qid": "a", "question_id": "a", "q": "Q?", "answerable": True, **own}).metadata == own


def test_a_broken_array_keeps_what_precedes_the_break(tmp_path: Path) -> None:
    path = tmp_path / "q.json"
    path.write_text(json.dumps(QUESTIONS, indent=1)[:-60], encoding="utf-8")
    found = load(path)
    assert [question.id for question in found.questions] == ["q1", "q2", "q3"]
    assert found.problems[0].line == 26 and "not valid JSON" in found.problems[0].message


@pytest.mark.parametrize("text", ["- {a: 1", "just text", "", "a: &x [*x]", "\t- a"])
def test_broken_yaml_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    path.write_text(text, encoding="utf-8")
    found = load(path)
    assert not found.questions and found.problems[0].source == str(path)


def test_traces_join_by_id_else_by_text_and_never_by_guess() -> None:
    twins = [{"qid": "a", "q": "Same?", "answerable": False}, {"qid": "b", "q": "same? ", "answerable": False}]
    by_text = score(twins, [{"q": "SAME?", "answer": "N/A"}])
    assert by_text.problems.counts["ambiguous_question"] == 1 and by_text.exit_code == 4
    by_id = score(twins, [{"qid": "b", "q": "SAME?", "answer": "N/A"}])
    assert by_id.labels == {"MISSING": 1, "REFUSAL_OK": 1}
    foreign_id = score(QUESTIONS, [{"id": "request-17", "q": "What is Z?", "answer": "N/A"}])
    assert foreign_id.labels["REFUSAL_OK"] == 1


def test_a_question_asked_in_other_words_under_its_id_is_noted() -> None:
    result = score(QUESTIONS, [{"qid": "q3", "q": "What is W?", "answer": "N/A"}])
    assert "other words" in result.problems.named["note"][0].message
