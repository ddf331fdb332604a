"""Cases are read as the product reads them, and what is fitted to them is what the product will compute."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

from surefoot.graders.features import FEATURE_NAMES, Reading
from surefoot.graders.tiers import input_names
from training.cases import About, Case, pairs_of, placed, read_cases, write_cases
from training.files import Row, write_all
from training.fit_cases import Draft, drafts, read_as_product
from training.fit_inputs import STRONG_WINDOWS, answering, directions, names_of, table, weights_of
from training.split import part_of

FIT = next(f"g{number}" for number in range(1000) if part_of(f"g{number}") == "fit")
TRAIN = next(f"g{number}" for number in range(1000) if part_of(f"g{number}") == "train")


def offsets(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


def _case(label: str | int = "supported", source: str = "wice", windows: int = 1, about: About = "claim") -> Case:
    reading = Reading(("a claim",), tuple(f"window {number}" for number in range(windows)), windows)
    return Case(about, source, label, reading, [0.0] * len(FEATURE_NAMES))


@pytest.fixture(name="data")
def _data(tmp_path: Path) -> Path:
    usable: Row = {"use": "train", "source": "wice", "label": "supported"}
    claims: list[Row] = [
        {**usable, "group": group, "context": "The mill is old.", "claim": "It is old."} for group in (FIT, TRAIN)
    ]
    write_all(tmp_path / "support.jsonl.gz", [*claims, {**claims[0], "use": "eval", "source": "kept"}])
    answer = {"group": FIT, "question": "Who?", "passages": ["Ann sang.", "Bo left."], "answer": "Ann.", "use": "train"}
    write_all(tmp_path / "response.jsonl.gz", [{**answer, "source": "q2", "label": "hallucinated"}])
    asked = {"group": FIT, "question": "Who sang?", "passages": ["Ann sang."], "answerable": True, "use": "train"}
    write_all(tmp_path / "qa.jsonl.gz", [{**asked, "source": source} for source in ("squad2", "cuad")])
    row = {"a": "x", "b": "y", "part": "fit"}
    made: list[Row] = [
        {**row, "source": "made", "label": "contradicted"},
        {**row, "source": "answers_cuad", "label": 0},
    ]
    write_all(tmp_path / "rows.jsonl.gz", [*made, {**made[0], "part": "train"}])
    return tmp_path


def test_cases_are_of_the_groups_set_aside_and_of_usable_rows(data: Path) -> None:
    found = list(drafts(data, data / "rows.jsonl.gz", random.Random(1)))
    assert [(draft.about, draft.source, draft.label) for draft in found] == [
        ("claim", "wice", "supported"), ("response", "q2", "unsupported"), ("claim", "made", "contradicted"),
        ("question", "answers_cuad", 0), ("question", "squad2", 1),
    ]  # fmt: skip


def test_a_case_is_read_as_the_product_reads_it(tmp_path: Path) -> None:
    long = " ".join(f"Sentence {number} is about the old mill and its wheel." for number in range(100))
    case = read_as_product(Draft("response", "q2", "supported", long, "Yes.", "Is it old?"), offsets)
    assert case and case.reading.parts == ("Is it old? Yes.",) and len(case.reading.windows) > 2
    assert len(case.features) == len(FEATURE_NAMES)
    asked = read_as_product(Draft("question", "squad2", 1, "Ann sang.", "Who sang?"), offsets)
    assert asked and asked.features == [] and pairs_of([asked]) == [("Who sang?", "Ann sang.")]
    assert read_as_product(Draft("question", "squad2", 1, " ", "Who sang?"), offsets) is None
    write_cases(tmp_path / "cases.gz", [case, asked])
    assert read_cases(tmp_path / "cases.gz") == [case, asked]
    with gzip.open(tmp_path / "cases.gz", "rt") as lines:
        assert [json.loads(line)["about"] for line in lines] == ["response", "question"]


def test_logits_stand_where_their_pairs_stand() -> None:
    cases = [_case(windows=2), _case(windows=3), _case()]
    assert [(at.start, at.stop) for _, at in placed(cases)] == [(0, 2), (2, 5), (5, 6)]


def test_inputs_are_named_as_in_the_product_and_have_a_direction() -> None:
    for tier in ("quick", "strong"):
        assert set(names_of(tier)) <= set(input_names(tier))
    names = names_of("strong")
    signs = dict(zip(names, directions(names), strict=True))
    assert signs["strong_log_supported"] == signs["word_overlap"] == 1
    assert signs["terms_missing"] == -1 and signs["strong_log_contradicted"] == 0


def test_the_strong_tier_counts_only_where_the_quick_one_sends_it() -> None:
    size = STRONG_WINDOWS + 3
    quick = np.zeros((size, 4))
    quick[-1, 2] = 9.0  # says nothing to the quick tier
    strong = np.zeros((size, 4))
    strong[-1, 0] = 9.0  # and all to the strong one
    row = table([_case(windows=size)], quick, strong, "strong")[0]
    supported = row[names_of("strong").index("strong_log_supported")]
    assert supported == pytest.approx(np.log(1 / 3))


def test_questions_are_in_no_table_of_claims() -> None:
    cases = [_case(), _case(1, "squad2", 2, "question"), _case(0, "answers_policyqa", 1, "question")]
    logits = np.arange(16, dtype=np.float64).reshape(4, 4)
    assert table(cases, logits, logits, "quick").shape == (1, len(names_of("quick")))
    best, answered, weights = answering(cases, logits)
    assert best.tolist() == [11.0] and answered.tolist() == [1] and weights.tolist() == [1.0]


def test_a_source_counts_as_the_root_of_its_size_and_both_halves_alike() -> None:
    cases = [_case()] * 3 + [_case("not_enough")] + [_case("unsupported", "fm2")] * 16
    weights = weights_of(cases)
    assert weights[:3].sum() == pytest.approx(weights[3])
    assert weights[4:].sum() / weights[:4].sum() == pytest.approx(4 / 2 / 2)
