from __future__ import annotations

import importlib.util
import json
import random
from collections import Counter
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot import score
from surefoot.core.types import GOOD, Outcome
from surefoot.gate.metrics import METRICS, SCORED, Tally, estimate, estimates
from surefoot.scoring.outcomes import CASES, label

from ..in_process import surefoot

PLAIN = Path(__file__).parents[2] / "benchmarks" / "plain_scorer.py"

usable = st.builds(
    lambda answerable, refusal, cited, gold, contained: Outcome(
        answerable,
        "usable",
        refusal,
        min(cited, gold) > 0,
        contained,
        True,
        cited,
        min(cited, gold),
        gold,
        cited,
        tuple(range(2, gold + 2)),
    ),
    st.booleans(),
    st.sampled_from(["refused", "partial", "answered"]),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
)
unusable = st.sampled_from([Outcome(a, s) for a in (True, False) for s in ("missing", "error", "duplicate")])
outcomes = usable | unusable


def plain_scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("plain_scorer", PLAIN)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def value(name: str, *given: Outcome) -> tuple[int, int]:
    found = estimate(METRICS[name], Counter(given))
    return int(found.numerator), found.denominator


def test_missing_and_failed_answers_stay_in_the_denominators() -> None:
    hit = Outcome(True, "usable", "answered", hit=True, listed=True, cited=1, cited_gold=1)
    mixed = (hit, Outcome(True, "missing"), Outcome(True, "error"), Outcome(False, "missing"))
    assert value("precision", *mixed) == (1, 1)
    assert value("citation_hit_rate", *mixed) == (1, 3)
    assert value("over_refusal", *mixed) == (0, 3)
    assert value("under_refusal", *mixed) == (0, 1)
    assert value("compliance", *mixed) == (1, 2)  # what was not answered has no format
    assert value("claim_containment", *mixed) == (0, 3)
    assert value("claim_containment", *(outcome._replace(contained=None) for outcome in mixed)) == (0, 0)
    assert value("coverage", *mixed) == (1, 4)


def test_several_traces_are_left_out_of_all_but_coverage() -> None:
    double = Outcome(True, "duplicate")
    for name in SCORED:
        assert value(name, double) == ((0, 1) if name == "coverage" else (0, 0))


def test_nothing_to_count_is_none_with_a_reason() -> None:
    for found in estimates(Counter()).values():
        assert found.value is None and found.low is None and found.reason


@given(st.lists(outcomes, max_size=30), st.randoms())
def test_order_does_not_matter_and_shards_add_up(given: list[Outcome], rng: random.Random) -> None:
    whole = estimates(Counter(given))
    shuffled = given[:]
    rng.shuffle(shuffled)
    assert estimates(Counter(shuffled)) == whole
    cut = len(given) // 2
    merged: Tally = Counter(given[:cut])
    merged.update(Counter(given[cut:]))
    assert estimates(merged) == whole


@given(st.lists(outcomes, min_size=1, max_size=20))
def test_every_value_is_a_rate_inside_its_interval(given: list[Outcome]) -> None:
    for found in estimates(Counter(given)).values():
        if found.value is not None:
            assert found.low is not None and found.high is not None
            assert 0 <= found.low <= float(found.value) + 1e-12 and float(found.value) <= found.high + 1e-12 <= 1 + 1e-9


def clean_case(rng: random.Random) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Complete, clean input in the plainest shape."""
    questions, traces = [], []
    for i in range(rng.randrange(1, 30)):
        answerable = rng.random() < 0.7
        claim = f"Value number {i} is {rng.choice(['high', 'low', 'open-ended'])} in section {rng.randrange(9)}."
        questions.append(
            {"qid": f"q{i}", "q": f"What is {i}?", "answerable": answerable, "gold_claim": claim,
             "gold_ids": [f"p{i}#1", f"p{i}#2"] if answerable else []}
        )  # fmt: skip
        said = rng.choice([claim, "Something else altogether.", f"We think {claim.lower()}"])
        ids = ", ".join(rng.sample([f"p{i}#1", f"p{i}#2", f"p{i + 1}#1", "x#9"], rng.randrange(0, 4)))
        answer = rng.choice(["not in context", "Not In Context", f"- {said}\n- citations: [{ids}]", said])
        trace: dict[str, Any] = {"q": f"What is {i}?", "chunks": [{"id": f"p{i}#1"}], "answer": answer}
        if rng.random() < 0.2:
            trace["citations"] = [f"p{i}#1"] if rng.random() < 0.5 else []
        traces.append(trace)
    return questions, traces


@pytest.mark.parametrize("seed", range(12))
def test_on_clean_input_the_numbers_are_those_of_the_plain_definitions(seed: int, tmp_path: Path) -> None:
    questions, traces = clean_case(random.Random(seed))
    path = tmp_path / "traces.jsonl"
    path.write_text("".join(json.dumps(trace) + "\n" for trace in traces), encoding="utf-8")
    plain = plain_scorer()

    def read(row: dict[str, Any]) -> tuple[str, str, list[str] | None]:
        return row["q"], row["answer"], row.get("citations", plain.listed(row["answer"]))

    rows = list(plain.read_rows(read, {question["q"]: question for question in questions}, path))
    expected = plain.metrics_of(rows)
    found = score(questions, path, refusal="exact").metrics
    for name, (numerator, denominator) in expected.items():
        assert (found[name].numerator, found[name].denominator) == (numerator, denominator), name


def test_places_of_passages_without_ids_are_not_held_against_gold_ids() -> None:
    question = {"qid": "q", "q": "What is the fee?", "answerable": True, "gold_ids": ["rules#fees"]}
    texts = ["The office opens at nine.", "The fee is 40 euros."]
    result = score(
        [question], [{"qid": "q", "answer": "It is 40 euros [2].", "retrieved_contexts": texts}], settings={"jobs": 1}
    )
    for name in ("precision", "citation_hit_rate", "citation_precision", "wrong_citation_rate"):
        assert result.metrics[name].value is None, name
        assert "no ids" in (result.metrics[name].reason or ""), name
    assert result.metrics["citation_exists_rate"].value == 1
    assert result.decision.outcome == "INCONCLUSIVE"
    assert [advice.finding for advice in result.next] == ["passages cited that have no ids in the log"]
    assert [(row.label, row.hit) for row in result.rows()] == [("ANS_UNKNOWN", None)]


def test_gold_cited_by_its_id_is_a_hit_also_where_passages_have_no_ids() -> None:
    question = {"qid": "q", "q": "What is the fee?", "answerable": True, "gold_ids": ["rules#fees"]}
    trace = {"qid": "q", "answer": "It is 40 euros [rules#fees].", "retrieved_contexts": ["The fee is 40 euros."]}
    metrics = score([question], [trace], settings={"jobs": 1}).metrics
    assert metrics["precision"].value == 1 and metrics["citation_exists_rate"].value is None


@pytest.mark.parametrize("seed", range(5))
def test_a_ranking_is_measured_as_ir_measures_has_it(seed: int, tmp_path: Path) -> None:
    rng, ids = random.Random(seed), [f"p{i}" for i in range(30)]
    gold = {f"q{i}": rng.sample(ids, rng.randrange(1, 4)) for i in range(12)}
    found = {id: rng.sample(ids, rng.randrange(0, 30)) for id in gold}
    questions = [{"qid": id, "q": f"What is {id}?", "answerable": True, "stratum": "ab"[place % 2], "gold_ids": some}
                 for place, (id, some) in enumerate(gold.items())]  # fmt: skip
    rows = [{"qid": id, "q": f"What is {id}?", "answer": "So.", "retrieved_ids": some} for id, some in found.items()]
    path, asked = tmp_path / "rows.jsonl", tmp_path / "questions.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked.write_text(json.dumps(questions))
    for name in ("v1", "v2"):
        given = ("--questions", asked, "--pipeline", f"traces:{path}", "--version", name)
        assert surefoot("run", *given, cwd=tmp_path).code == 0
        assert surefoot("grade", name, "--grader", "rules", cwd=tmp_path).code in (0, 4)
    measures = {"recall_at_5": ir_measures.R @ 5, "recall_at_10": ir_measures.R @ 10, "mrr": ir_measures.RR}
    relevant = [ir_measures.Qrel(qid, id, 1) for qid, some in gold.items() for id in some]
    ranked = [ir_measures.ScoredDoc(qid, id, -float(n)) for qid, some in found.items() for n, id in enumerate(some)]
    truth = ir_measures.calc_aggregate(measures.values(), relevant, ranked)
    scored = score(asked, path, by=["stratum"]).to_json()
    graded = surefoot("report", "v1", "--json", cwd=tmp_path).json["retrieval"]
    for name, measure in measures.items():
        one, parts = scored["metrics"][name], scored["groups"]["stratum"]
        assert one["value"] == pytest.approx(truth[measure]) == pytest.approx(graded[""][name]["value"]), name
        assert one["low"] <= one["value"] <= one["high"] and one["denominator"] == len(questions)
        assert {part: parts[part][name]["value"] for part in "ab"} == pytest.approx(
            {part: graded[part][name]["value"] for part in "ab"}
        )
    rule = surefoot("gate", "v1", "v2", "--rule", "recall_at_5[a] >= 0.99", "--json", cwd=tmp_path).json["rules"][0]
    assert rule["status"] == "fail" and rule["after"] == pytest.approx(graded["a"]["recall_at_5"]["value"])


@pytest.mark.parametrize("gold, retrieved", [(["a"], None), ([], ["a"])])
def test_a_ranking_that_nobody_can_tell_is_none_with_a_reason(gold: list[str], retrieved: list[str] | None) -> None:
    question = {"qid": "q", "q": "What is the fee?", "answerable": True, "gold_ids": gold}
    found = score([question], [{"qid": "q", "answer": "40.", "retrieved_ids": retrieved}], rules=["mrr >= 0.5"])
    assert found.metrics["mrr"].reason == "no answerable questions with gold and retrieved ids"
    assert found.outcome == "INCONCLUSIVE"


def test_pieces_of_one_passage_take_one_place() -> None:
    question = {"qid": "q", "q": "What is the fee?", "answerable": True, "gold_ids": ["a"]}
    found = score([question], [{"qid": "q", "answer": "40.", "retrieved_ids": ["b", "b", "a"]}])
    assert found.metrics["mrr"].value == 0.5


def test_where_no_advice_is_given_nothing_stands_out() -> None:
    for values in product(
        (True, False), ("usable",), ("refused", "partial", "answered"), (True, False, None), (False,), (True,),
        (0, 1), (0, 1, None), (1,), (None, 0, 1), ((1,), (), None),
    ):  # fmt: skip
        outcome = Outcome._make(values)
        impossible = (outcome.hit or outcome.cited_gold is None or outcome.hit is None) and not outcome.cited
        if impossible or (outcome.hit is None) != (outcome.cited_gold is None):
            continue
        assert any(case.seen_in(outcome) for case in CASES) or label(outcome) in GOOD, outcome
