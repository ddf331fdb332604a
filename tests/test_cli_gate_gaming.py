"""Ways to get a bad release past the gate, each of which must not work."""

from __future__ import annotations

from pathlib import Path

import pytest

import surefoot
from surefoot.cli.compare import compare
from surefoot.cli.gate import gate
from surefoot.ledger import Ledger
from surefoot.store import RunStore

from .sequential.helpers import certificate, changed, corpus, run_folder
from .test_cli_gate import GOOD, SEQUENTIAL, call, decided, label_of, pair

SHIP = (Path(surefoot.__file__).parent / "gates" / "ship.toml").read_text(encoding="utf-8")


def reference(root: Path, name: str, version: str = "v1", buckets: str = GOOD) -> Path:
    return run_folder(root / name, buckets, version=version)


def candidate(root: Path, name: str, newly_wrong: int = 0, version: str = "v2", **more: str) -> Path:
    return run_folder(root / name, changed(GOOD, range(newly_wrong)), version=version, **more)


@pytest.fixture
def blocked(tmp_path: Path) -> Path:
    """A project whose release v2 was blocked."""
    assert decided(*pair(tmp_path, 1, 12), *SEQUENTIAL)[0] == 1
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [(), ("--alpha", "1e-6"), ("--margin", "0.5"), ("--rule", "coverage >= 1"), ("--rule", "wrong <= baseline + 0.9")],
)
@pytest.mark.parametrize("version", ["v1", "v1b"])
def test_a_block_stands(blocked: Path, options: tuple[str, ...], version: str) -> None:
    """A clean run against a renamed reference, by whatever limits or rules."""
    clean = candidate(blocked, "clean"), reference(blocked, "ref", version)
    for base, cand in ((clean[1], clean[0]), (blocked / "ref1", blocked / "v2-1")):
        code, found = decided(base, cand, "--uncalibrated", *options)
        assert (code, found["mode"]) == (1, "sequential")
    code, result = call(gate, clean[1], clean[0], "--uncalibrated", "--rule", "coverage >= 1")
    assert code == 1 and "by v2-1 against ref1: wrong, e = 630" in result.stdout and "--version" in result.stdout
    other = candidate(blocked, "renamed", version="v3"), reference(blocked, "ref3", version)
    assert decided(other[1], other[0], *SEQUENTIAL)[0] == 0, "a new version is a new release"


def test_a_block_of_a_release_without_a_version_stands_until_it_is_named(tmp_path: Path) -> None:
    assert decided(*pair(tmp_path, 1, 12, version=""), *SEQUENTIAL)[0] == 1
    assert decided(reference(tmp_path, "b"), candidate(tmp_path, "c", version=""), *SEQUENTIAL)[0] == 1
    assert decided(reference(tmp_path, "b2"), candidate(tmp_path, "c2", version="new"), *SEQUENTIAL)[0] == 0


def test_labels_on_the_answers_that_blocked_lift_it(blocked: Path) -> None:
    base, cand = blocked / "ref1", blocked / "v2-1"
    with Ledger.open(blocked / "surefoot.db") as ledger:
        ledger.add_labels([label_of(cand, f"q{i:03}", "correct") for i in range(12)])
    clean = reference(blocked, "b"), candidate(blocked, "c")
    assert decided(*clean, *SEQUENTIAL)[0] == 1, "the step that blocked has not been looked at again"
    code, found = decided(base, cand, *SEQUENTIAL)
    assert code == 1, "labels on one side alone lift nothing"
    assert {(one["question_id"], one["side"]) for one in found["label_next"]} == {
        (f"q{i:03}", "base") for i in range(12)
    }
    with Ledger.open(blocked / "surefoot.db") as ledger:
        ledger.add_labels([label_of(base, f"q{i:03}", "correct", "bob") for i in range(12)])
    assert decided(base, cand, *SEQUENTIAL)[0] == 0
    assert decided(*clean, *SEQUENTIAL)[0] == 0
    with Ledger.open(blocked / "surefoot.db") as ledger:
        count = len(ledger.steps())
    assert decided(base, cand, *SEQUENTIAL)[0] == 0
    with Ledger.open(blocked / "surefoot.db") as ledger:
        assert len(ledger.steps()) == count, "what says the same is not kept twice"


def test_a_waiver_lets_a_block_go_on_the_record(blocked: Path) -> None:
    failed = ("wrong", "direction", "correct")
    waived = [word for rule in failed for word in ("--waive", rule, "--reason", "fixed by hand")]
    code, found = decided(blocked / "ref1", blocked / "v2-1", *SEQUENTIAL, *waived)
    assert code == 0 and found["waived"]["wrong"] == "fixed by hand"
    clean = reference(blocked, "b"), candidate(blocked, "c")
    code, found = decided(*clean, *SEQUENTIAL, *waived)
    assert code == 0 and [check["status"] for check in found["checks"]][-1] == "waived"
    assert decided(reference(blocked, "b2"), candidate(blocked, "c2"), *SEQUENTIAL)[0] == 1, "and only there"


def test_a_release_with_sequential_steps_stays_sequential(tmp_path: Path) -> None:
    assert decided(*pair(tmp_path, 1, 3), *SEQUENTIAL)[0] == 3
    again = pair(tmp_path, 2)
    code, result = call(gate, *again, "--uncalibrated", "--mode", "strict")
    assert code == 2 and "sequential steps of the release v2" in str(result.exception)
    code, found = decided(*again, "--uncalibrated")
    assert found["mode"] == "sequential" and "release v2" in found["why_this_mode"]
    assert decided(*pair(tmp_path, 3, version="v3"), "--uncalibrated")[1]["mode"] == "strict"


def test_a_renamed_reference_is_said_loudly_and_uses_no_run_twice(tmp_path: Path) -> None:
    assert decided(*pair(tmp_path, 1, 4), *SEQUENTIAL)[0] == 3
    code, result = call(compare, reference(tmp_path, "x", "v1b"), candidate(tmp_path, "y"), *SEQUENTIAL)
    assert "1 earlier step of this release is LEFT OUT: against another reference, v1." in result.stdout
    found = decided(tmp_path / "x", tmp_path / "y", *SEQUENTIAL)[1]["sequential"]
    assert found["left_out"] == ["v1"] and found["rules"]["wrong"]["worse"] == 0
    code, found = decided(reference(tmp_path, "z", "v1b"), tmp_path / "v2-1", *SEQUENTIAL)
    assert code == 3 and not found["sequential"]["adds"] and "candidate was used before" in found["sequential"]["note"]


def test_what_differs_from_the_gate_file_is_said_everywhere(tmp_path: Path) -> None:
    base, cand = pair(tmp_path, 1)
    flags = ("--alpha", "0.2", "--margin", "0.1", "--rule", "coverage >= 1")
    found = decided(base, cand, *SEQUENTIAL, *flags)[1]
    assert found["overridden"] == {"alpha": 0.2, "margin": 0.1, "rules": ["coverage >= 1"]}
    said = "--alpha 0.2, --margin 0.1, other rules (coverage >= 1)"
    assert said in call(gate, base, cand, *SEQUENTIAL, *flags)[1].stdout
    history = call(gate, "--history", "--ledger", tmp_path / "surefoot.db")[1].stdout
    assert f"not as the gate file: {said}" in history
    assert decided(*pair(tmp_path, 2), *SEQUENTIAL, "--alpha", "0.05")[1]["overridden"] == {}
    added = call(gate, *pair(tmp_path, 3), *SEQUENTIAL, "--gate", "ship", "--rule", "coverage >= 0.5")[1].stdout
    assert "Not as the gate file has it: more rules (coverage >= 0.5)." in added


@pytest.mark.parametrize(
    ("options", "release"),
    [
        ((), "p #2"),
        (("--rule", "coverage >= 1"), "p #1"),
        (("--alpha", "0.4"), "p #1"),
        (("--waive", "unsupported", "--reason", "why"), "p #1"),
    ],
)
def test_only_a_ship_by_the_gate_itself_closes_a_release(
    tmp_path: Path, options: tuple[str, ...], release: str
) -> None:
    base, cand = reference(tmp_path, "b"), run_folder(tmp_path / "c", changed(GOOD, [0], "u"), pipeline="p")
    good = run_folder(tmp_path / "g", GOOD, pipeline="p")
    assert decided(base, cand if "--waive" in options else good, *SEQUENTIAL, *options)[0] == 0
    found = decided(reference(tmp_path, "b2"), run_folder(tmp_path / "c2", GOOD, pipeline="p"), *SEQUENTIAL)[1]
    assert found["sequential"]["release"] == release


@pytest.mark.parametrize(("questions", "newly_wrong", "times"), [(130, 1, 7), (30, 0, 10)])
def test_repeats_are_no_questions(tmp_path: Path, questions: int, newly_wrong: int, times: int) -> None:
    good = "c" * questions
    base = run_folder(tmp_path / "b", *[good] * times, version="v1")
    cand = run_folder(tmp_path / "c", *[changed(good, range(newly_wrong))] * times, version="v2")
    code, found = decided(base, cand, *SEQUENTIAL)
    assert code == 3 and found["sequential"]["rules"]["wrong"]["pairs"] == questions * times
    assert found["sequential"]["rules"]["wrong"]["questions_needed"] > questions
    assert any("ask more questions, at least" in step for step in found["next_steps"])


def test_neither_are_runs(tmp_path: Path) -> None:
    for number in range(1, 7):
        base = run_folder(tmp_path / f"b{number}", "c" * 60, version="v1")
        code, found = decided(base, run_folder(tmp_path / f"c{number}", "c" * 60, version="v2"), *SEQUENTIAL)
        assert code == 3 and found["sequential"]["look"] == number
    assert "60 different questions are too few" in found["checks"][0]["reason"]


def test_a_lucky_run_under_another_name_adds_nothing(tmp_path: Path) -> None:
    assert decided(reference(tmp_path, "b1"), candidate(tmp_path, "c1", 1, told="lucky"), *SEQUENTIAL)[0] == 3
    code, found = decided(reference(tmp_path, "b2"), candidate(tmp_path, "c2", 1, told="lucky"), *SEQUENTIAL)
    assert code == 3 and "answers of an earlier run again" in found["sequential"]["note"]
    honest = candidate(tmp_path, "c3", 1, told="lucky")
    with RunStore.open(honest, writing=True) as store:
        store.amend(deterministic=True)
    code, found = decided(reference(tmp_path, "b3"), honest, *SEQUENTIAL)
    assert found["sequential"]["adds"] and found["sequential"]["look"] == 2


def test_uncalibrated_leaves_the_graders_error_out_though_it_is_known(tmp_path: Path) -> None:
    base, cand = pair(tmp_path, 1, 12)
    poor = {"correct": {"correct": 50}, "wrong": {"correct": 10, "wrong": 10}, "refused": {"refused": 5}}
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add_certificate(certificate(poor, corpus=corpus(base)))
    wrong = decided(base, cand, *SEQUENTIAL)[1]["sequential"]["rules"]["wrong"]
    assert wrong["chance_worse"] > 0.999
    known = decided(*pair(tmp_path, 2, 12, "v3"), "--mode", "sequential")[1]["sequential"]["rules"]["wrong"]
    assert known["chance_worse"] < wrong["chance_worse"]


@pytest.fixture
def strictly_blocked(tmp_path: Path) -> Path:
    """A project in which the run `bad` was blocked in the strict mode."""
    for name, wrong in (("base", 1), ("bad", 9), ("worse", 9), ("next", 9)):
        run_folder(tmp_path / name, changed(GOOD, range(wrong)), version=name)
    assert decided(tmp_path / "base", tmp_path / "bad", "--uncalibrated")[0] == 1
    return tmp_path


def test_a_strict_block_is_told_with_every_other_reference_or_rule(strictly_blocked: Path) -> None:
    base, bad, worse = (strictly_blocked / name for name in ("base", "bad", "worse"))
    for options in ((worse, bad), (base, bad, "--rule", "correct >= 1"), (bad, bad)):
        code, found = decided(*options, "--uncalibrated")
        assert code == 0 and [one["base_name"] for one in found["blocked_before"]] == ["base"]
        said = call(gate, *options, "--uncalibrated")[1].stdout
        assert "Blocked before: the same answers, against base on " in said
    history = call(gate, "--history", "--ledger", strictly_blocked / "surefoot.db")[1].stdout
    assert not any("BLOCK" in line and "replaced" in line for line in history.splitlines())


def test_a_strict_block_is_gone_where_labels_have_lifted_it(strictly_blocked: Path) -> None:
    base, bad, worse = (strictly_blocked / name for name in ("base", "bad", "worse"))
    with Ledger.open(strictly_blocked / "surefoot.db") as ledger:
        for run, who in ((base, "ann"), (bad, "bob")):
            ledger.add_labels([label_of(run, f"q{i:03}", "correct", who) for i in range(9)])
    assert decided(base, bad, "--uncalibrated")[0] == 0
    assert decided(worse, bad, "--uncalibrated")[1]["blocked_before"] == []


def test_what_was_blocked_never_becomes_the_latest_that_shipped(strictly_blocked: Path) -> None:
    base, bad, worse, after = (strictly_blocked / name for name in ("base", "bad", "worse", "next"))
    latest = (after, "--baseline", "latest-shipped", "--uncalibrated")
    assert decided(bad, bad, "--uncalibrated")[0] == 0, "nothing has changed"
    assert call(gate, *latest)[0] == 2, "and nothing has shipped"
    assert decided(base, base, "--uncalibrated")[0] == 0, "somewhere one has to begin"
    assert decided(*latest)[1]["names"]["base"] == str(base)
    assert decided(worse, worse, "--uncalibrated")[0] == 0
    assert decided(*latest)[1]["names"]["base"] == str(base), "the first to begin with stays it"
    assert decided(worse, bad, "--uncalibrated")[0] == 0
    assert decided(*latest)[1]["names"]["base"] == str(base), "bad was blocked against base"


def test_a_run_against_itself_leaves_its_decision(strictly_blocked: Path) -> None:
    bad = strictly_blocked / "bad"
    before = (bad / "decision.json").read_bytes()
    code, result = call(gate, bad, bad, "--uncalibrated")
    assert code == 0 and "a run against itself" in result.stderr
    assert (bad / "decision.json").read_bytes() == before


def test_neither_a_waiver_nor_another_gate_file_takes_a_strict_block_back(strictly_blocked: Path) -> None:
    base, bad, worse = (strictly_blocked / name for name in ("base", "bad", "worse"))
    lax = strictly_blocked / "lax.toml"
    lax.write_text('[rules]\nsome = "correct >= 1"\n', encoding="utf-8")
    waived = [word for rule in ("wrong", "direction", "correct") for word in ("--waive", rule, "--reason", "x")]
    wider = strictly_blocked / "wider.toml"
    ship = SHIP.replace('<= baseline"', '<= baseline + 20"').replace('acceptable >= baseline"', 'correct >= 1"')
    wider.write_text(ship.replace("baseline - 0.05", "baseline - 0.5"), encoding="utf-8")
    for options in (("--gate", lax), ("--gate", wider, "--uncalibrated"), ("--uncalibrated", *waived)):
        assert decided(base, bad, *options)[0] == 0
        assert decided(worse, bad, "--uncalibrated")[1]["blocked_before"]
    assert decided(base, bad, "--gate", wider, "--uncalibrated")[1]["blocked_before"]
    history = call(gate, "--history", "--ledger", strictly_blocked / "surefoot.db")[1].stdout
    assert "the gate file has changed: rules" in history


def test_a_block_is_gone_by_labels_after_a_rule_was_added(strictly_blocked: Path) -> None:
    base, bad, worse = (strictly_blocked / name for name in ("base", "bad", "worse"))
    stricter = strictly_blocked / "stricter.toml"
    stricter.write_text(SHIP.replace("[rules]", "[rules]\nmore = 'correct >= 2'"), encoding="utf-8")
    with Ledger.open(strictly_blocked / "surefoot.db") as ledger:
        for run, who in ((base, "ann"), (bad, "bob")):
            ledger.add_labels([label_of(run, f"q{i:03}", "correct", who) for i in range(9)])
    assert decided(base, bad, "--gate", stricter, "--uncalibrated")[0] == 0
    assert decided(worse, bad, "--uncalibrated")[1]["blocked_before"] == []


def test_a_strict_block_is_told_when_chance_is_allowed_for(tmp_path: Path) -> None:
    for name, wrong in (("base", 1), ("new", 2), ("next", 2)):
        run_folder(tmp_path / name, changed(GOOD * 10, range(wrong)), version=name)
    base, new, after = (tmp_path / name for name in ("base", "new", "next"))
    assert decided(base, new, "--uncalibrated")[0] == 1
    code, found = decided(base, new, *SEQUENTIAL)
    assert code == 0 and [(one["base_name"], one["same_runs"]) for one in found["blocked_before"]] == [("base", True)]
    assert "Blocked before: the same answers, against base on " in call(gate, base, new, *SEQUENTIAL)[1].stdout
    latest = decided(after, "--baseline", "latest-shipped", *SEQUENTIAL)[1]
    assert latest["names"]["base"] == str(new), "it is what the hint on chance leads to"


def test_a_run_against_itself_is_no_step_of_a_release(tmp_path: Path) -> None:
    base, cand = pair(tmp_path, 1, 0)
    assert decided(base, base, *SEQUENTIAL)[1]["against_itself"]
    found = decided(base, cand, *SEQUENTIAL)[1]
    assert found["sequential"]["k"] == 1
    assert decided(base, base, "--uncalibrated")[:1] == (0,), "and the next comparison need not be sequential"


def test_the_same_comparison_under_other_names_is_not_told_as_another(strictly_blocked: Path) -> None:
    again = [run_folder(strictly_blocked / f"{name}-again", changed(GOOD, range(n)), version=name)
             for name, n in (("base", 1), ("bad", 9))]  # fmt: skip
    code, found = decided(*again, "--uncalibrated")
    assert code == 1 and found["blocked_before"] == []


def test_a_ship_by_other_rules_is_the_latest_only_for_who_goes_by_them(tmp_path: Path) -> None:
    for name, wrong in (("v1", 1), ("bad", 9), ("next", 9)):
        run_folder(tmp_path / name, changed(GOOD, range(wrong)), version=name)
    rule = ("--rule", "correct >= 1")
    assert decided(tmp_path / "v1", tmp_path / "bad", *rule)[0] == 0
    latest = (tmp_path / "next", "--baseline", "latest-shipped", "--uncalibrated")
    assert call(gate, *latest)[0] == 2
    assert decided(*latest, *rule)[0] == 0


def test_labels_signed_by_a_grader_do_not_count(strictly_blocked: Path) -> None:
    base, bad = strictly_blocked / "base", strictly_blocked / "bad"
    with Ledger.open(strictly_blocked / "surefoot.db") as ledger:
        for run, who in ((base, "local@1+deadbeef"), (bad, "rules@2")):
            ledger.add_labels([label_of(run, f"q{i:03}", "correct", who) for i in range(9)])
    code, found = decided(base, bad, "--uncalibrated")
    assert code == 1 and any("under the name of a grader (9) do not count" in p["message"] for p in found["problems"])
