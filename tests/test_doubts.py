from __future__ import annotations

from msgspec.structs import replace

from surefoot.compare import Comparison, Request, compare
from surefoot.gate import Rule
from surefoot.pairing import Side
from surefoot.types import Question, Trace, Verdict

from .sequential.helpers import SHORT, side


def judge(base: Side, cand: Side, *rules: str) -> Comparison:
    return compare(base, cand, [Rule.parse(rule) for rule in rules], Request(uncalibrated=True, mode="strict"))


def asked_for(found: Comparison) -> list[str]:
    return [answer.question_id for answer in found.label_next]


def with_confidences(buckets: str, *confidences: float) -> Side:
    one = side(buckets, "cand")
    one.verdicts = [replace(v, confidence=c) for v, c in zip(one.verdicts, confidences, strict=True)]
    return one


def test_a_block_names_the_least_sure_verdicts_it_hangs_on() -> None:
    base, cand = side("wccc"), with_confidences("cwww", 0.9, 0.99, 0.6, 0.8)
    found = judge(base, cand, "wrong <= baseline")
    assert asked_for(found) == ["q002", "q003"], "three newly wrong, one mended: two would have to be overturned"
    assert found.next_steps == ("wrong <= baseline hangs on few verdicts: label these 2: q002, q003",)
    assert asked_for(judge(base, cand, "wrong <= baseline + 1")) == ["q002"]
    assert asked_for(judge(base, cand, "acceptable >= baseline", "wrong <= baseline")) == ["q002", "q003"]


def test_what_hangs_on_many_or_on_people_is_not_asked_for() -> None:
    assert asked_for(judge(side("c" * 40), side("w" * 40), "wrong <= baseline")) == []
    people = side("ww")
    people.verdicts = [replace(verdict, grader="human/ann") for verdict in people.verdicts]
    assert asked_for(judge(side("cc"), people, "wrong <= baseline")) == []
    assert asked_for(judge(side("cc"), side("ww"), "wrong <= 0")) == [], "labels are asked for against the baseline"
    assert asked_for(judge(side("cc"), side("cc"), "wrong <= baseline")) == []


def run(buckets: str, name: str) -> Side:
    asked = {f"q{i:03}": Question(f"q{i:03}", "?", "answer") for i in range(len(buckets))}
    traces = {(id, 1): Trace(id, answer=f"{name} says so") for id in asked}
    rows = [Verdict(id, "factuality", SHORT.get(b), "g/1") for id, b in zip(asked, buckets, strict=True)]
    return Side(name, rows, questions=asked, traces=traces)


def test_answers_without_a_verdict_can_be_labelled_by_a_person() -> None:
    found = judge(run("ccc", "base"), run("c-w", "cand"), "wrong <= baseline + 1")
    assert asked_for(found) == ["q001"]
    assert found.next_steps[0].endswith("would be decided by labels: label this one: q001 (surefoot label cand)")
    assert (found.label_next[0].side, found.label_next[0].run) == ("cand", "cand")
    silent = run("c-w", "cand")
    silent.traces["q001", 1] = Trace("q001", error="timeout")
    assert asked_for(judge(run("ccc", "base"), silent, "wrong <= baseline + 1")) == []
    assert (
        judge(run("c-c", "base"), run("ccc", "cand"), "wrong <= baseline")
        .next_steps[0]
        .endswith("label this one: q001 (of the baseline) (surefoot label cand)")
    )
