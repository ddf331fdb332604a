from __future__ import annotations

from msgspec.structs import replace

from surefoot.compare import Comparison, Request, compare
from surefoot.doubts import Answer, answers_of, in_words
from surefoot.gate import Rule
from surefoot.measures import Pair, SideName
from surefoot.pairing import Side, pairs_of
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
    two = ["q002", "q003"] * 2
    assert asked_for(found) == two, "three newly wrong, one mended: two would have to be overturned, on both sides"
    assert found.next_steps == (
        "wrong <= baseline, which hangs on few verdicts: labels on these 4 could decide it: q002, q003 of the"
        " candidate; q002, q003 of the baseline",
    )
    assert asked_for(judge(base, cand, "wrong <= baseline + 1")) == ["q002"] * 2
    assert asked_for(judge(base, cand, "acceptable >= baseline", "wrong <= baseline")) == two


def test_few_labels_are_not_asked_for_where_another_rule_fails_by_many() -> None:
    base, cand = side("c" * 40), side("w" + "r" * 39)
    assert asked_for(judge(base, cand, "wrong <= baseline")) != []
    assert asked_for(judge(base, cand, "wrong <= baseline", "correct >= baseline")) == []


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
    assert found.next_steps[0].endswith(
        "waits for verdicts: a label on this one could decide it: q001 of cand (surefoot label cand)"
    )
    assert (found.label_next[0].side, found.label_next[0].run) == ("cand", "cand")
    silent = run("c-w", "cand")
    silent.traces["q001", 1] = Trace("q001", error="timeout")
    assert asked_for(judge(run("ccc", "base"), silent, "wrong <= baseline + 1")) == []
    assert (
        judge(run("c-c", "base"), run("ccc", "cand"), "wrong <= baseline")
        .next_steps[0]
        .endswith("could decide it: q001 of base (surefoot label cand)")
    )


def test_what_cannot_be_labelled_or_equals_another_is_not_counted() -> None:
    sides: dict[SideName, Side] = {"base": run("cccc", "base"), "cand": run("wwww", "cand")}
    sides["cand"].traces["q001", 1] = Trace("q001", error="timeout")
    sides["cand"].traces["q002", 1] = Trace("q002", answer=" ")
    chosen: list[tuple[Pair, SideName]] = [(pair, "cand") for pair in pairs_of(sides["base"], sides["cand"])]
    assert [answer.question_id for answer in answers_of(chosen, sides)] == ["q000"], "all ask ? and say the same"


def test_many_are_counted_and_not_listed() -> None:
    many = [Answer(f"q{i}", 1, "cand", "runs/c") for i in range(13)]
    assert in_words(many, "runs/c") == "labels on 13 answers could decide it, 13 of runs/c (surefoot label runs/c)"
    assert in_words([Answer("q1", 2, "base", "")], "") == (
        "a label on this one could decide it: q1 (attempt 2) of the baseline"
    )


def test_who_did_not_choose_the_strict_mode_is_told_of_chance() -> None:
    rules = [Rule.parse("wrong <= baseline")]

    def hinted(request: Request, base: str = "cc", cand: str = "cw") -> bool:
        return any("may be chance" in step for step in compare(side(base), side(cand), rules, request).next_steps)

    assert hinted(Request(uncalibrated=True))
    assert not hinted(Request(uncalibrated=True), cand="cc"), "nothing failed"
    assert not hinted(Request(uncalibrated=True, deterministic=True))
    assert not hinted(Request(uncalibrated=True, mode="strict"))
