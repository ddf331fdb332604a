"""What people should look at, and in which order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot
from surefoot.core.errors import SurefootError
from surefoot.core.records import Drawn, Label, Step, timestamp
from surefoot.gate.looks import single_order
from surefoot.store import Project
from tests.in_process import surefoot as command
from tests.kept import add_labels, kept

from .page import make_run, make_versions, trace

BUCKETS = st.dictionaries(
    st.text("abcdef0123456789", min_size=4, max_size=12),
    st.sampled_from(["correct", "refused", "wrong", "unsupported", ""]),
    max_size=80,
)


def label(key: str, value: str, who: str = "ann", drawn: Drawn = "look") -> Label:
    at = timestamp()
    return Label(id=f"{key}{who}{at}", at=at, annotator=who, question_id="q", axis="factuality", value=value,
                 version=key, drawn=drawn)  # fmt: skip


def keys_of(row: dict[str, object]) -> list[str]:
    return [one["key"] for one in row["answers"]]  # type: ignore[attr-defined]


def test_only_pairs_that_differ_are_looked_at_doubted_ones_first() -> None:
    found = surefoot.look_list(*make_versions(flagged=[2]))
    assert len(found.rows) == found["of"] == 4 and found["looked_at"] == 0 and found["names"] == ["v1", "v2"]
    assert [row["drawn"] for row in found.rows] == ["look"] * 4
    asked = [row["question_id"] for row in found.rows]
    assert sorted(asked) == ["q0", "q1", "q2", "q3"] and "q2" in asked[:2], "beside the least sure one"
    assert all({one["run"] for one in row["answers"]} == {"v1-0", "v2-0"} for row in found.rows)


def test_what_was_labelled_before_is_looked_at_and_what_was_called_bad_comes_again() -> None:
    names = make_versions()
    first, *_ = (keys_of(row) for row in surefoot.look_list(*names).rows)
    add_labels(label(first[0], "correct"), label(first[1], "wrong"))
    found = surefoot.look_list(*names)
    assert found["looked_at"] == 1
    assert [(keys_of(row), row["drawn"]) for row in found.rows[3:]] == [([first[1]], "again")]
    add_labels(label(first[1], "wrong", drawn="again"))
    assert [row["drawn"] for row in surefoot.look_list(*names).rows] == ["look"] * 3


def test_other_readings_of_a_question_that_got_worse_come_after_the_pairs() -> None:
    for run in range(2):
        make_run(f"a{run}", [trace(0), trace(1)], version="v1")
        make_run(f"b{run}", [trace(0, ["It is black [doors#0].", "Black [doors#0]."][run]), trace(1)], version="v2")
    keys = {
        one["answers"][i]["answer"]: one["answers"][i]["key"]
        for one in surefoot.look_list("v1", "v2").rows
        for i in (0, 1)
    }
    add_labels(label(keys["Door 0 of the mill is red [doors#0]."], "correct"))
    assert len(surefoot.look_list("v1", "v2").rows) == 2
    add_labels(label(keys["Black [doors#0]."], "wrong"))
    pair, other, again = surefoot.look_list("v1", "v2").rows
    assert (len(keys_of(pair)), again["drawn"]) == (2, "again")
    assert keys_of(other) == [keys["It is black [doors#0]."]] and other["drawn"] == "look"


def test_a_version_against_itself_has_nothing_to_look_at() -> None:
    make_run("a", [trace(0), trace(1)], version="v1")
    make_run("b", [trace(0), trace(1)], version="v2")
    assert surefoot.look_list("v1", "v2").rows == []


def test_an_export_of_a_decision_stands_for_both_of_its_versions(tmp_path: Path) -> None:
    make_versions()
    with Project.existing() as project:
        project.add(Step(id="d1", at=timestamp(), reference="v1", release="v2", base_runs=("v1-0",),
                         cand_runs=("v2-0",), mode="change", outcome="INCONCLUSIVE", exit_code=3))  # fmt: skip
    artifact = tmp_path / "decision.jsonl"
    done = command("export", str(artifact), "--decision", "d1")
    assert done.code == 0, done.err
    found = surefoot.look_list(artifact, db=tmp_path / "other.db")
    assert found["names"] == ["v1", "v2"] and len(found.rows) == 4


def test_of_one_run_flagged_answers_and_a_sample_come(mill: str) -> None:
    found = surefoot.look_list(mill, target=10)
    assert found["of"] == 10 and len(found.rows) == 40
    assert [row["drawn"] for row in found.rows[:7]] == ["flagged"] * 5 + ["sample"] * 2
    add_labels(label(keys_of(found.rows[0])[0], "wrong", drawn="flagged"))
    assert surefoot.look_list(mill, target=10)["looked_at"] == 1 and len(surefoot.look_list(mill).rows) == 39


def test_what_has_no_words_is_left_out_and_said() -> None:
    make_run("gaps", [trace(0), trace(1, ""), trace(2, "...")])
    found = surefoot.look_list("gaps")
    assert len(found.rows) == 1 and "missing, failed or empty, so left out: 2 answers" in found["notes"]


@pytest.mark.parametrize(("names", "why"), [(["a", "b", "c"], "name one version"), (["none"], "none")])
def test_what_cannot_be_looked_at_is_said(names: list[str], why: str) -> None:
    for name in "abc":
        make_run(name, [trace(0)])
    with pytest.raises(SurefootError, match=why):
        surefoot.look_list(*names)
    assert kept("a")


def buckets_of(**counts: int) -> dict[str, str]:
    return {f"{bucket}-{n}": bucket.replace("none", "") for bucket, count in counts.items() for n in range(count)}


@given(BUCKETS, st.integers(1, 100), st.text("xyz", max_size=3))
def test_every_answer_has_one_place_whatever_the_run(buckets: dict[str, str], target: int, seed: str) -> None:
    order = list(single_order(buckets, seed, target=target))
    assert sorted(one.keys[0] for one in order) == sorted(buckets)
    assert list(single_order(dict(reversed(buckets.items())), seed, target=target)) == order
    assert sum(one.shared for one in order) == len(order) // 5


def test_unsure_ones_come_first_then_half_of_the_rest_flagged_then_a_sample() -> None:
    buckets = buckets_of(correct=60, refused=30, wrong=15, unsupported=15, none=5)
    order = list(single_order(buckets, "s", target=20, unsure={"correct-3", "wrong-1"}))
    assert [one.drawn for one in order] == ["flagged"] * 2 + ["flagged"] * 9 + ["sample"] * 89 + ["flagged"] * 25
    assert {one.keys[0] for one in order[:2]} == {"correct-3", "wrong-1"}
    few = list(single_order(buckets, "s", target=20, unsure=buckets))
    assert [one.drawn for one in few[:11]] == ["flagged"] * 10 + ["flagged"]


def test_a_run_without_verdicts_is_one_random_sample_and_a_rare_verdict_is_in_it() -> None:
    order = list(single_order(dict.fromkeys(map(str, range(40)), ""), "s", target=50))
    assert {one.drawn for one in order} == {"sample"} and [one.keys[0] for one in order] != sorted(map(str, range(40)))
    sample = list(single_order(buckets_of(correct=900, refused=9), "s", target=50))[:25]
    assert Counter(one.keys[0].partition("-")[0] for one in sample)["refused"] >= 2


def test_each_answer_is_equally_likely_to_be_early() -> None:
    buckets = buckets_of(correct=20)
    first = Counter(next(single_order(buckets, str(seed), target=50)).keys[0] for seed in range(2_000))
    assert set(first) == set(buckets) and max(first.values()) < 160
