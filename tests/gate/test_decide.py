from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.core.errors import UsageError
from surefoot.core.types import Problem, Question, Trace, Verdict
from surefoot.gate.decide import Comparison, compare
from surefoot.gate.judge import Request, spent
from surefoot.gate.metrics import GRADED
from surefoot.gate.rules import Check, Rule
from surefoot.gate.sides import Run
from surefoot.io import gatefiles
from surefoot.report.comparison import verdict_lines

from .helpers import GRADER, changed, decide, interval, run_of

SHIP = [Rule.parse(text, name) for name, text in gatefiles.load("ship").items()]
ANN = "human/ann"  # what nobody but people judged is exact
SHORT = {"c": "correct", "w": "wrong", "u": "unsupported", "r": "refused", "-": None}


def verdicts(
    buckets: str, *, quality: int | None = 2, extra: int | None = 0, attempt: int = 1, grader: str = ANN
) -> list[Verdict]:
    """One letter, one answer: c, w, u, r, - (graded, without a value) or _ (not there)."""
    found = []
    for place, letter in enumerate(buckets):
        if letter == "_":
            continue
        found.append(Verdict(f"q{place}", "factuality", SHORT[letter], grader, attempt))
        if letter == "r" and quality is not None:
            found.append(Verdict(f"q{place}", "refusal_quality", quality, grader, attempt))
        if letter in "cwu" and extra is not None:
            found.append(Verdict(f"q{place}", "extra_claim_count", extra, grader, attempt))
    return found


def asked(expects: str, strata: str = "") -> dict[str, Question]:
    """One letter, one question: a (expects an answer) or r (a refusal)."""
    strata = strata or "." * len(expects)
    return {
        f"q{i}": Question(f"q{i}", "?", "answer" if e == "a" else "refusal", s.strip("."))
        for i, (e, s) in enumerate(zip(expects, strata, strict=True))
    }


def side(given: str | list[Verdict], name: str = "side", questions: dict[str, Question] | None = None) -> Run:
    rows = verdicts(given) if isinstance(given, str) else given
    return Run(name, rows, questions=questions or {}, attempts=max((row.attempt for row in rows), default=1))


def judge(
    base: str | list[Verdict],
    cand: str | list[Verdict],
    *rules: str,
    questions: dict[str, Question] | None = None,
    waivers: Mapping[str, str] | None = None,
) -> Comparison:
    chosen: Sequence[Rule] = [Rule.parse(rule) for rule in rules] or SHIP
    return compare(
        [side(base, "base", questions)], [side(cand, "cand", questions)], chosen, Request(waivers=waivers or {})
    )


def only(comparison: Comparison) -> Check:
    (check,) = comparison.decision.checks
    return check


def statuses(comparison: Comparison) -> dict[str, str]:
    return {check.rule.name: check.status for check in comparison.decision.checks}


def outcome(comparison: Comparison) -> tuple[str, int]:
    return comparison.decision.outcome, int(comparison.decision.exit_code)


def measure(comparison: Comparison, name: str) -> tuple[float | None, float | None]:
    pair = [comparison.measures["base"][name].value, comparison.measures["cand"][name].value]
    return tuple(None if value is None else float(value) for value in pair)  # type: ignore[return-value]


def test_the_same_run_twice_ships() -> None:
    result = judge("ccwur", "ccwur")
    assert outcome(result) == ("SHIP", 0)
    assert result.moved == () and result.buckets["base"] == result.buckets["cand"]
    assert result.buckets["cand"] == {"correct": 2, "wrong": 1, "unsupported": 1, "refused": 1, "ungraded": 0}


def test_three_more_correct_and_one_more_wrong_is_rejected() -> None:
    result = judge("rrrcc", "cccwc")
    assert outcome(result) == ("BLOCK", 1)
    assert statuses(result)["wrong"] == "fail" and statuses(result)["unsupported"] == "pass"
    failed = next(check for check in result.decision.checks if check.rule.name == "wrong")
    assert failed.questions == ("q3",)


@pytest.mark.parametrize(
    ("base", "cand", "rule"),
    [("cccu", "ccuu", "unsupported"), ("cccr", "ccwr", "acceptable"), ("rr", "rr", "some_correct")],
)
def test_each_hard_rule_blocks(base: str, cand: str, rule: str) -> None:
    result = judge(base, cand)
    assert result.decision.outcome == "BLOCK" and statuses(result)[rule] == "fail"


def test_refusing_everything_does_not_ship() -> None:
    """It passes every hard rule of the rubric: nothing is wrong any more, and every refusal is a good one."""
    hard = ("wrong", "unsupported", "acceptable", "refusal_quality", "extra_claims")
    for questions in ({}, asked("aaaaaarr")):
        result = judge("ccccwurr", verdicts("rrrrrrrr", quality=3), questions=questions)
        assert {statuses(result)[name] for name in hard} <= {"pass", "not_applicable"}
        assert outcome(result) == ("BLOCK", 1) and statuses(result)["some_correct"] == "fail"
    assert statuses(result)["over_refusal"] == "fail"
    assert statuses(judge("rrrc", "rrrc", questions=asked("aaaa")))["over_refusal"] == "fail"


def test_refusal_quality_is_taken_over_all_refusals() -> None:
    base = verdicts("rrc", quality=2)
    cand = [*verdicts("rcc", quality=3)[:2], *verdicts("_cr", quality=0)]
    result = judge(base, cand, "refusal_quality >= baseline")
    assert measure(result, "refusal_quality") == (2.0, 1.5)
    assert only(result).status == "fail"
    assert only(result).questions == ("q2",), "the refusals below the mean, not those that are answers now"
    exact = judge(verdicts("rrr"), [*verdicts("rr"), *verdicts("__r", quality=0)]).measures["cand"]["refusal_quality"]
    assert (exact.numerator, exact.denominator) == (4, 3)


def test_extra_claims_are_summed_and_averaged_over_what_was_answered() -> None:
    result = judge(verdicts("crr", extra=1), verdicts("ccr", extra=1))
    assert measure(result, "extra_claim_count") == (1.0, 2.0)
    assert measure(result, "extra_claims_per_answer") == (1.0, 1.0)
    assert statuses(result)["extra_claims"] == "fail"
    assert only(judge(verdicts("crr"), verdicts("ccr"), "extra_claims_per_answer <= baseline")).status == "pass"


def test_support_without_a_citation_is_not_applicable() -> None:
    rule = "citation_supports_rate >= baseline"
    assert only(judge("cc", "cc", rule)).status == "not_applicable"
    cited = [*verdicts("ccu"), Verdict("q0", "citation_supports", "yes", "g"),
             Verdict("q1", "citation_supports", "partly", "g")]  # fmt: skip
    result = judge(cited, cited, rule)
    seen = result.measures["cand"]["citation_supports_rate"]
    assert (seen.numerator, seen.denominator) == (1, 2), "q2 cites nothing: neither yes nor no"
    assert only(judge(cited, "ccu", rule)).status == "undecidable", "one side lacks it"


def test_a_question_missing_on_one_side_is_ungraded_there() -> None:
    for base, cand in (("ccc", "cc_"), ("cc_", "ccc"), ("ccc", "cc-")):
        result = judge(base, cand)
        assert outcome(result) == ("INCONCLUSIVE", 4)
        assert statuses(result)["coverage"] == "incomplete" and statuses(result)["wrong"] == "undecidable"
    assert result.buckets["cand"]["ungraded"] == 1
    assert outcome(judge("cc", "cc", questions=asked("aaa"))) == ("INCONCLUSIVE", 4)


def test_what_fails_anyway_fails_though_verdicts_are_missing() -> None:
    result = judge("ccc", "w-c", "wrong <= baseline")
    assert only(result).status == "fail" and outcome(result) == ("BLOCK", 1)
    assert only(judge("w-c", "ccw", "wrong <= baseline")).status == "undecidable"
    assert only(judge("-cc", "wwc", "wrong <= baseline")).status == "fail"
    assert only(judge("ccc", "r-c", "correct >= baseline")).status == "fail"
    assert only(judge("ccr", "c-r", "correct >= baseline")).status == "undecidable"
    assert only(judge("ccc", "cc-", "wrong == 0")).status == "undecidable"


def test_a_rule_with_no_axis_on_either_side_is_shown_as_not_applicable() -> None:
    result = judge(verdicts("cr", quality=None, extra=None), verdicts("cr", quality=None, extra=None))
    assert statuses(result)["refusal_quality"] == statuses(result)["extra_claims"] == "not_applicable"
    assert outcome(result) == ("SHIP", 0)
    assert only(judge("c", "c", "precision >= 0.5")).status == "not_applicable"


def test_an_axis_that_is_not_there_for_every_answer_is_undecidable() -> None:
    lacking = [v for v in verdicts("crc") if (v.question_id, v.axis) != ("q1", "refusal_quality")]
    result = judge("crc", lacking)
    assert statuses(result)["refusal_quality"] == "undecidable" and outcome(result)[1] == 3
    named = next(check for check in result.decision.checks if check.rule.name == "refusal_quality")
    assert named.questions == ("q1",)
    lacking = [v for v in verdicts("crc") if (v.question_id, v.axis) != ("q0", "extra_claim_count")]
    assert statuses(judge("crc", lacking))["extra_claims"] == "undecidable"
    assert statuses(judge("crc", verdicts("crc", extra=None)))["extra_claims"] == "undecidable"


def test_a_side_that_refuses_nothing_has_no_refusals_to_be_worse() -> None:
    assert statuses(judge("crc", "ccc"))["refusal_quality"] == "not_applicable"
    assert statuses(judge("c" * 20, "c" * 19 + "r"))["refusal_quality"] == "not_applicable"


def test_rules_on_a_stratum() -> None:
    questions = asked("aarr", "eehh")
    rule = "wrong[h] <= baseline + 1"
    assert only(judge("ccrr", "ccwr", rule, questions=questions)).status == "pass"
    assert only(judge("ccrr", "ccww", rule, questions=questions)).status == "fail"
    assert only(judge("ccrr", "wwrr", rule, questions=questions)).status == "pass"
    typo = only(judge("ccrr", "ccrr", "wrong[x] <= baseline", questions=questions))
    assert typo.status == "undecidable" and "e, h" in typo.reason
    assert only(judge("cc", "cc", "wrong[h] <= baseline")).status == "undecidable"
    result = judge("ccrr", "ccwr", questions=questions)
    assert result.by_stratum["h"]["cand"] == {"correct": 0, "wrong": 1, "unsupported": 0, "refused": 1, "ungraded": 0}
    assert list(result.by_stratum) == ["e", "h"] and judge("c", "c").by_stratum == {}


@pytest.mark.parametrize(
    ("rule", "most"),
    [("wrong <= baseline + 20%", 2), ("wrong <= baseline + 0.2", 2), ("wrong <= baseline + 2", 2), ("wrong <= 30%", 3),
     ("wrong < 30%", 2), ("wrong <= 1", 1), ("wrong <= 100%", 10), ("correct >= 80%", 2),
     ("correct >= baseline - 10%", 1)],
)  # fmt: skip
def test_a_share_of_a_count_is_one_of_all_answers(rule: str, most: int) -> None:
    found = {wrong: only(judge("c" * 10, "w" * wrong + "c" * (10 - wrong), rule)) for wrong in range(11)}
    assert [wrong for wrong, check in found.items() if check.status == "pass"] == list(range(most + 1))
    assert found[0].rule.text == rule


def test_over_and_under_refusal_need_the_questions() -> None:
    result = judge("ccrw", "crrr", questions=asked("aarr"))
    assert measure(result, "over_refusal") == (0.0, 0.5) and measure(result, "under_refusal") == (0.5, 0.0)
    assert statuses(judge("cc", "cc"))["over_refusal"] == "not_applicable"


def test_moved_answers_carry_both_sides_and_come_worst_first() -> None:
    base, cand = side("wccr", "base"), side("cwcc", "cand")
    cand.traces = {("q1", 1): Trace("q1", answer="It is 7.")}
    result = compare([base], [cand], SHIP, Request())
    moved = [(pair.question_id, pair.base.bucket, pair.cand.bucket) for pair in result.moved]
    assert moved == [("q1", "correct", "wrong"), ("q3", "refused", "correct"), ("q0", "wrong", "correct")]
    assert result.moved[0].cand.trace is not None and result.moved[0].cand.trace.answer == "It is 7."


def test_attempts_are_paired_and_an_attempt_too_few_is_missing() -> None:
    twice = [*verdicts("cc"), *verdicts("cw", attempt=2)]
    result = judge(twice, twice)
    assert outcome(result) == ("SHIP", 0) and sum(result.buckets["base"].values()) == 4
    assert outcome(judge(twice, verdicts("cc"))) == ("SHIP", 0), "a version may have been asked more often"
    assert outcome(judge(twice, twice[:-2])) == ("INCONCLUSIVE", 4), "but not at some questions only"
    planned = side("cc", "cand", asked("aa"))
    planned.attempts = 2
    assert compare([side("cc", questions=asked("aa"))], [planned], SHIP, Request()).buckets["cand"]["ungraded"] == 2


def test_intervals_average_repeats_and_know_documents() -> None:
    once = judge("ccww", "ccww").measures["cand"]["acceptable"]
    twice = [*verdicts("ccww"), *verdicts("ccww", attempt=2)]
    again = judge(twice, twice).measures["cand"]["acceptable"]
    assert (again.numerator, again.denominator) == (4, 8), "the fraction is what it is"
    assert (again.low, again.high) == (once.low, once.high), "asking twice is not twice as much evidence"
    questions = {f"q{i}": Question(f"q{i}", "?", "answer", gold_ids=(f"doc{i // 2}#{i}",)) for i in range(4)}
    clustered = judge("ccww", "ccww", questions=questions).measures["cand"]["acceptable"]
    assert clustered.low is not None and once.low is not None and clustered.low < once.low


def test_runs_that_differ_are_not_compared() -> None:
    base, file = replace(graded("c", graders=("g/1",)), rubric="r"), replace(graded("c"), rubric="s")
    assert compare([base], [file], SHIP, Request(uncalibrated=True)).decision.outcome == "SHIP"
    other = replace(base, rubric="s", graders=("g/2",))
    with pytest.raises(UsageError, match="rubric and grader"):
        compare([base], [other], SHIP, Request())
    with pytest.raises(UsageError, match=r"the same id \(1\) differ in expects"):
        compare([side("c", questions=asked("a"))], [side("c", questions=asked("r"))], SHIP, Request())


def graded(buckets: str, *more: Verdict, graders: tuple[str, ...] = ()) -> Run:
    """By a grader, of a pipeline that always answers alike."""
    rows = [*more, *verdicts(buckets, grader="g/1")]
    return Run("run", rows, graders=graders, deterministic=True)


def test_several_graders_count_when_they_agree() -> None:
    other = Verdict("q0", "factuality", "wrong", "other/1")
    truth = Request(uncalibrated=True)
    result = compare([graded("cc")], [graded("cc", other)], SHIP, truth)
    assert result.buckets["cand"]["ungraded"] == 1 and "disagree" in result.moved[0].cand.verdicts["factuality"].reason
    chosen = graded("cc", other, graders=("g/1",))
    assert outcome(compare([graded("cc")], [chosen], SHIP, truth)) == ("SHIP", 0)
    blank = Verdict("q0", "factuality", None, "cheap/1")
    assert outcome(compare([graded("cc")], [graded("cc", blank)], SHIP, truth)) == ("SHIP", 0)


def test_a_waived_rule_does_not_block_and_is_kept_with_its_reason() -> None:
    waivers = {"unsupported": "known retriever outage", "acceptable": "same"}
    result = judge("cccc", "cccu", waivers=waivers)
    assert outcome(result) == ("SHIP", 0)
    waived = {check.rule.name: check.waiver for check in result.decision.checks if check.waiver}
    assert waived == waivers
    assert judge("cccc", "ccwu", waivers={"unsupported": "outage"}).decision.outcome == "BLOCK"
    with pytest.raises(UsageError, match="no reason"):
        judge("c", "c", waivers={"wrong": " "})
    with pytest.raises(UsageError, match="wrnog"):
        judge("c", "c", waivers={"wrnog": "because"})
    everything = {rule.name: "because" for rule in SHIP}
    assert judge("cc", "ww", waivers=everything).decision.outcome != "BLOCK"


def test_rows_that_could_not_be_used_make_it_incomplete() -> None:
    cand = side("cc", "cand")
    cand.problems = [Problem("bad_verdict", "x"), Problem("note", "y")]
    result = compare([side("cc")], [cand], SHIP, Request())
    assert outcome(result) == ("INCONCLUSIVE", 4) and result.decision.incomplete == ("1 row of cand could not be used",)
    assert outcome(judge("ccc", "ccc", questions=asked("aa"))) == ("INCONCLUSIVE", 4)


def test_nothing_at_all_does_not_ship() -> None:
    assert judge([], []).decision.outcome == "INCONCLUSIVE"
    assert judge([], [], questions=asked("aa")).decision.outcome == "INCONCLUSIVE"
    assert judge("cc", []).decision.outcome == "INCONCLUSIVE"


def test_runs_without_buckets_are_compared_by_what_they_have() -> None:
    base = [Verdict("q0", "citation_exists", "yes", ANN), Verdict("q1", "citation_exists", "no", ANN)]
    rules = ("citation_exists_rate >= baseline", "coverage >= 1.0")
    assert outcome(judge(base, base, *rules)) == ("SHIP", 0)
    assert outcome(judge(base, base[:1], *rules)) == ("INCONCLUSIVE", 4)
    assert outcome(judge(base, base[1:] * 1, *rules)) == ("INCONCLUSIVE", 4)


def test_an_ungraded_answer_is_no_citation_that_does_not_exist() -> None:
    cited = [Verdict(f"q{i}", "citation_exists", "yes", ANN) for i in range(6)]
    graded = [*verdicts("cccccc-"), *cited]
    result = judge(graded, graded, "citation_exists_rate >= 0.9")
    estimate = result.measures["cand"]["citation_exists_rate"]
    assert (estimate.numerator, estimate.denominator) == (6, 6)
    # Nor is it nothing: with a citation that does not exist the rule would fail.
    assert only(result).status == "undecidable" and only(result).questions == ("q6",)
    # An answer that was graded and cites nothing is none of the measure's.
    assert only(judge([*verdicts("ccccccr"), *cited], graded, "citation_exists_rate >= 0.9")).before == estimate
    unknown = judge([*verdicts("-"), *cited[:1]], [*verdicts("-")], "citation_exists_rate >= 0.9")
    assert unknown.measures["cand"]["citation_exists_rate"].value is None and outcome(unknown)[0] == "INCONCLUSIVE"


def test_every_measure_can_be_named_in_a_rule() -> None:
    for name in GRADED:
        assert Rule.parse(f"{name} >= baseline").metric == name


def test_what_is_incomplete_is_named() -> None:
    result = judge("cccc", "cc__")
    assert outcome(result) == ("INCONCLUSIVE", 4)
    assert result.decision.incomplete == ("2 of 4 answers of cand are not graded: q2, q3",)
    assert judge("_c", "cc").decision.incomplete == ("1 of 2 answers of base is not graded: q0",)
    many = judge("c" * 20, "c" + "_" * 19).decision.incomplete[0]
    assert many.startswith("19 of 20 answers of cand are not graded: q1, q10,") and many.endswith(" and 7 more")
    waived = judge("cccr", "ccc_", "coverage >= 1", waivers={"coverage >= 1": "known"})
    assert waived.decision.incomplete == ()


def test_sides_by_different_graders_are_told() -> None:
    labelled = [Verdict("q0", "factuality", "correct", "ada")]
    (note,) = judge(verdicts("c", extra=None), labelled).problems
    assert note.kind == "note" and "base by human/ann, cand by ada" in note.message
    assert judge(labelled, labelled).problems == ()


answers = st.lists(st.sampled_from("cwur-_"), min_size=1, max_size=12).map("".join)


@settings(max_examples=10)
@given(answers, answers, st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_rows_does_not_matter(base: str, cand: str, random: st.DataObject, known: bool) -> None:
    before, after = verdicts(base), verdicts(cand)
    first = judge(before, after, questions=asked("ar" * 6) if known else None)
    random.shuffle(before)  # type: ignore[attr-defined]
    random.shuffle(after)  # type: ignore[attr-defined]
    assert judge(before, after, questions=asked("ar" * 6) if known else None) == first


@settings(max_examples=10)
@given(st.data(), st.booleans())
def test_a_wrong_answer_more_never_turns_block_into_ship(data: st.DataObject, known: bool) -> None:
    """Whether it stands where nothing was graded, in place of a correct answer, or beside all others."""
    base = data.draw(answers)
    cand = data.draw(st.text("cwur-_", min_size=len(base), max_size=len(base)))
    places = [i for i, letter in enumerate(cand) if letter in "c-_"]
    if not places:
        cand, places = cand + "_", [len(cand)]
    place = data.draw(st.sampled_from(places))
    worse = f"{cand[:place]}w{cand[place + 1 :]}"
    questions = asked("ar" * 7) if known else None
    if judge(base, cand, questions=questions).decision.outcome == "BLOCK":
        assert judge(base, worse, questions=questions).decision.outcome != "SHIP"


@settings(max_examples=10)
@given(st.text("cwur", min_size=1, max_size=12), st.data())
def test_more_wrong_than_the_baseline_always_blocks(base: str, data: st.DataObject) -> None:
    cand = data.draw(st.text("cwur", min_size=len(base), max_size=len(base)))
    result = judge(base, cand)
    if cand.count("w") > base.count("w"):
        assert result.decision.outcome == "BLOCK"
    if result.decision.outcome == "SHIP":
        assert cand.count("u") <= base.count("u") and cand.count("c") > 0


@settings(max_examples=10)
@given(answers, answers)
def test_every_answer_is_in_one_bucket_of_each_side(base: str, cand: str) -> None:
    result = judge(base, cand)
    size = len({i for text in (base, cand) for i, letter in enumerate(text) if letter != "_"})
    assert sum(result.buckets["base"].values()) == sum(result.buckets["cand"].values()) == size


HELPFUL = [Rule.parse(text, name) for name, text in gatefiles.load("helpful").items()]
BEFORE, AFTER = "c" * 85 + "w" * 10 + "u" * 5, "c" * 60 + "r" * 35 + "w" * 3 + "u" * 2


def praised(rules: Sequence[Rule], answerable: int = 100) -> Comparison:
    """85 correct, none refused, 10 wrong, 5 unsupported; then 60, 35, 3 and 2. All by people."""
    questions = asked("a" * answerable + "r" * (100 - answerable))
    before, after = side(BEFORE, "base", questions), side(verdicts(AFTER, quality=3), "cand", questions)
    return compare([before], [after], rules, Request())


def test_safety_may_be_bought_with_refusals_and_users_are_told_what_it_costs() -> None:
    result = compare([side(BEFORE)], [side(verdicts(AFTER, quality=3))], SHIP, Request())
    assert outcome(result) == ("SHIP", 0)
    assert "correct fell by 25 points" in " ".join(verdict_lines(result))


def test_the_helpful_gate_does_not_let_users_lose_answers() -> None:
    result = compare([side(BEFORE)], [side(verdicts(AFTER, quality=3))], HELPFUL, Request())
    assert outcome(result) == ("BLOCK", 1) and statuses(result)["correct"] == "fail"
    assert statuses(praised(HELPFUL, answerable=80))["less_refused"] == "fail"


def test_more_than_a_quarter_of_what_can_be_answered_is_too_much_to_refuse() -> None:
    """Where nobody says what could be answered, the floor is one correct answer."""
    assert statuses(praised(SHIP, answerable=60))["over_refusal"] == "pass"
    assert statuses(praised(SHIP))["over_refusal"] == "fail"


def test_each_look_spends_alpha() -> None:
    assert sum(spent(look) for look in range(1, 20_000)) == pytest.approx(0.05, rel=1e-3)
    base, cand = run_of("a", "c" * 70, "c" * 70), run_of("b", "c" * 70, "c" * 70)
    found = [decide(base, cand, Request(look=look)) for look in (1, 2, 9)]
    highs = [interval(one)[2] for one in found]
    assert highs == sorted(highs) and highs[0] < highs[-1]
    assert [one.decision.outcome for one in found] == ["SHIP", "INCONCLUSIVE", "INCONCLUSIVE"]


def test_many_rules_divide_the_chance_to_block_and_not_that_to_ship() -> None:
    moved = changed("c" * 70, range(9))
    base, cand = run_of("a", "c" * 70, "c" * 70), run_of("b", moved, moved)
    alone, among = decide(base, cand), decide(base, cand, rules=SHIP)
    assert interval(among)[0] < interval(alone)[0] and interval(among)[2] == interval(alone)[2]


def test_verdicts_nobody_checked_decide_nothing_unless_they_are_taken_for_truth() -> None:
    base, cand = graded("c" * 20), graded("c" * 19 + "w")
    unknown = compare([base], [cand], SHIP, Request())
    assert outcome(unknown) == ("INCONCLUSIVE", 3)
    wrong = next(check for check in unknown.decision.checks if check.rule.name == "wrong")
    assert wrong.reason == "nobody has labelled factuality, so how far the grader errs is not known"
    assert outcome(compare([base], [cand], SHIP, Request(uncalibrated=True))) == ("BLOCK", 1)


def test_each_rule_is_decided_by_the_labels_of_its_own_axis() -> None:
    """All buckets are labelled, and no refusal_quality: what buckets say of the grader is nothing on that."""

    def run(name: str, quality: int) -> Run:
        made = run_of(name, "r" * 30, "r" * 30, deterministic=True)
        scores = [Verdict(f"q{i:03}", "refusal_quality", quality, "g/1") for i in range(30)]
        made.verdicts = [*made.verdicts, *scores]
        return made

    base, worse = run("a", 3), run("b", 0)
    rules = [Rule.parse("wrong <= baseline", "wrong"), Rule.parse("refusal_quality >= baseline", "quality")]
    found = decide(base, worse, rules=rules)
    assert statuses(found) == {"wrong": "pass", "quality": "undecidable"}
    assert "nobody has labelled refusal_quality" in found.decision.checks[1].reason
    assert any("quality: labels on these" in step for step in found.next_steps)
    for one, value in ((base, 3), (worse, 0)):
        at = {(f"q{i:03}", 1): i for i in range(30)}
        one.labels |= {(key, "refusal_quality"): Verdict(key[0], "refusal_quality", value, "human/ann") for key in at}
    assert statuses(decide(base, worse, rules=rules)) == {"wrong": "pass", "quality": "fail"}


def test_what_nobody_can_be_wrong_about_needs_no_labels() -> None:
    rules = [Rule.parse("citation_exists_rate >= baseline")]

    def run(name: str, *said: str) -> Run:
        made = run_of(name, "c" * len(said), deterministic=True)
        made.verdicts = [*made.verdicts, *(Verdict(f"q{i:03}", "citation_exists", one, "g/1")
                                           for i, one in enumerate(said))]  # fmt: skip
        return made

    base = run("a", *["yes"] * 20)
    assert outcome(decide(base, run("b", *["yes"] * 20), rules=rules)) == ("SHIP", 0)
    assert outcome(decide(base, run("b", "no", *["yes"] * 19), rules=rules)) == ("BLOCK", 1)


def test_an_unchanged_varying_pipeline_is_not_blocked_and_ships_with_labels() -> None:
    base = [run_of(f"a{i}", changed("c" * 100, [i]), changed("c" * 100, [i])) for i in range(3)]
    cand = [run_of(f"b{i}", changed("c" * 100, [i + 1]), changed("c" * 100, [i + 1])) for i in range(3)]
    assert decide(base, cand, rules=SHIP).decision.outcome == "SHIP"


def test_labels_on_one_side_do_not_block_an_unchanged_pipeline() -> None:
    """People find what the grader missed, on the side they look at. On the other it is missed as well."""
    truth = changed("c" * 60, range(6))
    one, other = run_of("a", "c" * 60, truth), run_of("b", "c" * 60)
    for sides in ((other, one), (one, other)):
        assert decide(*sides, rules=SHIP).decision.outcome != "BLOCK"


def test_a_bound_of_a_change_is_refused() -> None:
    with pytest.raises(UsageError, match="interval anyway"):
        judge("c", "c", "wrong.high <= baseline")


def test_changes_are_shown_of_every_metric_and_by_field() -> None:
    questions = {f"q{i}": Question(f"q{i}", "?", "answer", "easy" if i < 2 else "hard") for i in range(4)}
    result = compare([side("cccc", questions=questions)], [side("ccww", questions=questions)], SHIP, Request())
    assert result.changes["wrong"].change == pytest.approx(0.5)
    by = result.by_group["stratum"]
    assert [(one := by[name]["wrong"].change) and one.change for name in ("easy", "hard")] == [0, 1]


def test_the_margin_is_so_many_answers_whatever_the_metric() -> None:
    """3 of 100 answers: of 20 refusals in 100 answers three could each fall by three points."""
    base, cand = (run_of(name, "r" * 20 + "c" * 80, "r" * 20 + "c" * 80) for name in ("base", "cand"))
    for run in (base, cand):
        for n in range(20):
            run.verdicts.append(Verdict(f"q{n:03}", "refusal_quality", 2, GRADER))
            run.labels[(f"q{n:03}", 1), "refusal_quality"] = Verdict(f"q{n:03}", "refusal_quality", 2, "human/ann")
    found = decide(base, cand, rules=SHIP)
    margins = {check.rule.name: check.change.margin for check in found.decision.checks if check.change}
    assert margins == pytest.approx({"wrong": 0.03, "unsupported": 0.03, "acceptable": 0.06, "refusal_quality": 0.45})


def test_that_all_is_graded_ships_nothing_by_itself() -> None:
    rows = [[Verdict(f"q{n}", "citation_exists", value, ANN) for n in range(5)] for value in ("yes", "no")]
    found = compare([Run("a", rows[0])], [Run("b", rows[1])], SHIP, Request())
    assert (found.decision.outcome, int(found.decision.exit_code)) == ("INCONCLUSIVE", 3)


def test_repeats_that_agree_are_no_proof_that_asking_again_would() -> None:
    """Twice the same in one run, or once in each of two runs: the same answers, so the same decision."""
    text, newly = "c" * 130, changed("c" * 130, [7])
    twice = [replace(run_of(name, said, said), attempts=2) for name, said in (("a", text), ("b", newly))]
    for run in twice:
        run.verdicts += [replace(one, attempt=2) for one in run.verdicts]
        run.traces |= {(id, 2): trace for (id, _), trace in run.traces.items()}
        run.labels |= {((id, 2), axis): label for ((id, _), axis), label in run.labels.items()}
    assert decide(twice[0], twice[1]).decision.outcome != "BLOCK"


def test_a_set_that_grew_between_two_runs_is_compared_on_what_all_were_asked() -> None:
    small, large = run_of("a", "c" * 20, "c" * 20), run_of("b", "c" * 30, "c" * 30)
    found = decide([small, large], run_of("c", "c" * 30, "c" * 30))
    assert not found.decision.incomplete and found.buckets["base"]["correct"] == 20 * 2
    assert any("10 new" in note for note in found.request.notes)


@pytest.mark.parametrize(("high", "shown"), [(0.0304, "+3.04"), (0.0349, "+3.5"), (0.03002, "+3.002")])
def test_a_bound_that_rounds_to_the_limit_shows_why_it_is_not_enough(high: float, shown: str) -> None:
    found = decide(run_of("a", "c" * 40, "c" * 40), run_of("b", changed("c" * 40, [1]), changed("c" * 40, [1])))
    [check] = found.decision.checks
    assert check.status == "undecidable" and check.change is not None
    check = replace(check, change=replace(check.change, low=-0.04, high=high))
    _, line = verdict_lines(replace(found, decision=replace(found.decision, checks=(check,))))
    assert f"(-4 to {shown}); you allow +3" in line
