from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Write
from tests.in_process import surefoot

CONTEXT = "Invoices are payable within forty (40) days of receipt. Quillon Data may charge interest."


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_pairs_come_out_in_order_with_probabilities_and_evidence(write: Write) -> None:
    claims = ["Quillon Data may charge interest.", "Invoices are payable within 30 days of receipt.", ""]
    path = write("p.jsonl", ({"id": i, "context": CONTEXT, "claim": claim} for i, claim in enumerate(claims)))
    done = surefoot("grade", "--pairs", path, "--json")
    assert done.code == 4, done.err
    first, second, third = rows(done.out)
    assert list(first) == ["id", "supported", "contradicted", "not_enough", "label", "evidence"]
    assert (first["id"], first["label"], first["evidence"]) == (0, "supported", claims[0])
    assert abs(sum(second[key] for key in ("supported", "contradicted", "not_enough")) - 1) < 0.001
    assert third["label"] is third["supported"] is None and third["reason"] == "the claim is empty"


def test_questions_and_passages(write: Write) -> None:
    path = write("q.jsonl", [{"id": "a", "question": "When are invoices payable?", "passage": CONTEXT}])
    done = surefoot("grade", "--pairs", path, "--json")
    assert done.code == 0, done.err
    assert 0 <= done.json["answers"] <= 1 and list(done.json) == ["id", "answers"]


def test_bad_rows_are_named_and_keep_their_place() -> None:
    lines = [
        '{"id": "a", "text": 5}',
        "not json",
        '{"text": "x"}',
        "[1]",
        '{"id": "b"}',
        '{"id": "c", "text": "Ok then, it is."}',
    ]
    done = surefoot("grade", "--pairs", "-", "--json", stdin="\n".join(lines).encode())
    assert done.code == 4
    assert [row["id"] for row in rows(done.out)] == ["a", None, None, None, "b", "c"]
    assert [row["refusal"] for row in rows(done.out)] == [*[None] * 5, "answered"]
    assert rows(done.out)[0]["reason"] == "text is a number, not a text"
    for line, message in ((1, "text is a number"), (2, "not valid JSON"), (3, "no id"), (4, "must be an object")):
        assert f"stdin:{line}: " in done.err and message in done.err


def test_numbers_and_quotes_have_names_for_people(write: Write) -> None:
    path = write("p.jsonl", [{"id": "a", "context": CONTEXT, "claim": "Quillon Data may charge interest."}])
    (line, _) = surefoot("grade", "--pairs", path).out.splitlines()
    assert 'supported 0.98, contradicted 0.01, not enough 0.01; evidence: "Quillon Data may charge' in line
    path = write("r.jsonl", [{"id": "a", "text": "I could not find that."}])
    assert '"I could not find"' in surefoot("grade", "--pairs", path).out


def test_an_id_that_is_infinite_is_named_and_one_that_is_there_twice_keeps_its_places() -> None:
    lines = [f'{{"id": {identifier}, "text": "It is 5 EUR."}}' for identifier in ["1e999", '"a"', "7", '"a"']]
    done = surefoot("grade", "--pairs", "-", "--json", stdin="\n".join(lines).encode())
    assert [row["id"] for row in rows(done.out)] == [None, "a", 7, "a"] and done.code == 4
    assert "error: stdin:1: the row has no id: a text or a finite number is expected" in done.err


def test_a_file_without_rows_is_refused_in_a_sentence(write: Write) -> None:
    done = surefoot("grade", "--pairs", write("empty.jsonl", []))
    assert done.code == 4 and "empty.jsonl holds nothing to grade" in done.err and "hint: pass rows of {id" in done.err


@pytest.mark.parametrize("options", ["--json", ""])
def test_a_reader_who_has_gone_ends_it_quietly(write: Write, options: str) -> None:
    path = write("r.jsonl", ({"id": i, "text": "The documents do not say."} for i in range(3_000)))
    binary = Path(sys.executable).parent / "surefoot"
    command = f"{{ {binary} grade --pairs {path} {options}; echo $? >&2; }} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=600)
    assert len(done.stdout.splitlines()) == 1 and done.stderr == b"4\n"
