"""The scorer in one file says what `surefoot score --refusal exact` says."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import score

FILE = Path(__file__).parents[2] / "examples" / "score_stdlib.py"
STDLIB = runpy.run_path(str(FILE))
ANSWERS = (
    "not in context", " Not in Context\n", "", " - ", "The fee of plan {i} is ten euros.", "Nothing of that kind.",
    "It is not true that the fee of plan {i} is ten euros.", "Nine. citations: [doc{j}#1, doc{i}#1]",
    "- the  FEE of plan {i} is ten\neuros\n- citations: [doc{i}#1]", "Nine.\ncitations: []", "not in context.",
    "Citations: [doc{j}#1; doc{i}#1]", "The fee of plan {i} is $84,000.", "The fee of plan {i} is $99,000.",
    "$84,000", "The fee of plan {i} is $84,000.50", "It is 84,000,000.",
)  # fmt: skip
CITED: tuple[dict[str, Any], ...] = (
    {}, {}, {}, {"citations": []}, {"citations": ["doc{i}#1"]}, {"citations": [{"id": "doc{j}#1"}]}, {"error": "late"},
)  # fmt: skip


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    questions, log = list[dict[str, Any]](), list[dict[str, Any]]()
    for i in range(draw(st.integers(1, 8))):
        is_answerable = draw(st.booleans())
        gold = {"gold_ids": [f"doc{i}#1"] if is_answerable else []}
        amounts = draw(st.sampled_from(["ten euros", "$84,000"]))
        claim = draw(st.sampled_from([{}, {"gold_claim": f"The fee of plan {i} is {amounts}."}]))
        questions.append(
            {"qid": f"q{i}", "q": f"What is the fee of plan {i}?", "answerable": is_answerable, **gold, **claim}
        )
        for _ in range(draw(st.sampled_from([0, 1, 1, 1, 1, 1, 2]))):
            name = draw(st.sampled_from([{"qid": f"q{i}"}, {"q": f"what is  THE fee of plan {i}?"}]))
            row = {**name, "answer": draw(st.sampled_from(ANSWERS)), **draw(st.sampled_from(CITED))}
            log.append(json.loads(json.dumps(row).replace("{i}", str(i)).replace("{j}", str(i + 1))))
    return questions, [*log, *draw(st.sampled_from([[], [{"q": "Who?", "answer": "Me."}]]))]


@given(logs())
@settings(max_examples=200)
def test_both_scorers_find_the_same(case: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> None:
    questions, log = case
    found, expected = STDLIB["score"](questions, log), score(questions, log, refusal="exact")
    for name, numbers in found["metrics"].items():
        assert numbers == [expected.metrics[name].numerator, expected.metrics[name].denominator], name
    assert found["gate"] == {one.rule.metric: one.status for one in expected.decision.checks}
    assert found["unknown_rows"] or STDLIB["exit_code"](found) == expected.exit_code


@pytest.mark.parametrize(("text", "code"), [('{"q": "Q?", "answer": "A. citations: [a]"}', 3), ("{", 2), ("", 4)])
def test_it_runs_by_itself(text: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text('[{"qid": "1", "q": "Q?", "answerable": true, "gold_ids": ["a"]}]', "utf-8")
    (tmp_path / "log.jsonl").write_text(text, "utf-8")
    command = [sys.executable, "-I", str(FILE), str(tmp_path / "q.json"), str(tmp_path / "log.jsonl")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == code
