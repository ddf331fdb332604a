"""The file of rows: where rows go, what a contract gives, and the pairs written by hand."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from training import rows, show
from training.files import Row, read_all, write_all
from training.split import part_of

CLAUSES = [f"Clause {number} is about the delivery of goods to the depot in the north." for number in range(60)]
LAW = "This agreement is governed by the law of Ohio and by nothing else at all."


@pytest.fixture(name="data")
def _data(tmp_path: Path) -> Path:
    row: Row = {"use": "train", "source": "contractnli", "group": "cnli-1", "label": "contradicted", "evidence": [LAW]}
    contract = " ".join([*CLAUSES[:30], LAW, *CLAUSES[30:]])
    write_all(
        tmp_path / "support.jsonl.gz",
        [
            {**row, "context": contract, "claim": "The law of Texas governs the agreement."},
            {**row, "context": contract, "claim": "The law of Texas governs.", "use": "eval", "source": "kept"},
        ],
    )
    return tmp_path


def test_a_contract_is_seen_in_several_windows_and_without_its_evidence(data: Path) -> None:
    found = [row for row in rows.labelled(data, random.Random(3)) if row["source"] == "contractnli"]
    assert Counter(row["label"] for row in found)["contradicted"] >= 4
    for row in found:
        assert (LAW in row["b"]) == (row["label"] == "contradicted")
        assert len(row["b"].split()) <= rows.WORDS and row["weight"] == 2.0


def test_rows_kept_to_measure_are_in_a_part_of_their_own(data: Path) -> None:
    assert [row["part"] for row in rows.labelled(data, random.Random(3)) if row["source"] == "kept"] == ["eval"]


def test_a_file_of_rows_is_the_same_again_and_can_be_looked_at(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one.gz", "two.gz"):
        rows.main(data, tmp_path / name, ["labelled"])
    assert list(read_all(tmp_path / "one.gz")) == list(read_all(tmp_path / "two.gz"))
    show.main(tmp_path / "one.gz", 1)
    assert "### contractnli contradicted" in capsys.readouterr().out


def test_written_pairs_are_whole() -> None:
    for path in sorted(rows.WRITTEN.glob("written_*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            item = json.loads(line)
            assert set(item) == {"domain", "passage", "claims", "questions"}
            assert {letter for letter, _ in item["claims"]} <= set("scn")
            assert {letter for letter, _ in item["questions"]} <= set("yn")
    found = list(rows.written(Path(), random.Random(1)))
    assert {row["part"] for row in found} == {"train", "fit"} and {row["label"] for row in found} >= {
        0,
        1,
        "contradicted",
    }


def test_groups_are_split_by_name_alone() -> None:
    parts = Counter(part_of(f"group-{number}") for number in range(5000))
    assert 0.69 < parts["train"] / 5000 < 0.75 and 0.06 < parts["fit"] / 5000 < 0.1
    assert part_of("squad-Steam_engine") == "held" and part_of("squad-Anything") == "train"


def test_half_of_the_passages_stand_under_the_name_of_their_page() -> None:
    rng = random.Random(1)
    found = Counter(rows._under_title("Old Mill: It burned.", "vitc-Old_Mill", rng) for _ in range(200))
    assert set(found) == {"Old Mill: It burned.", "Old Mill\nIt burned."} and min(found.values()) > 60
    assert rows._under_title("It burned.", "cnli-4", rng) == "It burned."


def test_a_written_passage_is_also_read_beside_another_text() -> None:
    found = {rows._beside("one two", "three " * 300, random.Random(seed)) for seed in range(9)}
    assert len(found) == 2 and all(len(text.split()) == rows.WORDS and "one two" in text for text in found)
