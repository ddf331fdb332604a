"""Several rules on one metric, limits over several steps, and comparisons that run at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from surefoot.cli.gate import gate
from surefoot.cli.steps import Runs
from surefoot.ledger import Ledger
from surefoot.records import Step

from .sequential.helpers import changed, run_folder
from .test_cli_gate import GOOD, SEQUENTIAL, call, decided, pair

WIDE = "c" * 600


def gate_file(root: Path, rules: str, sequential: str = "") -> tuple[str, Path]:
    path = root / f"{abs(hash((rules, sequential)))}.toml"
    path.write_text(f"[rules]\n{rules}\n[sequential]\n{sequential}", encoding="utf-8")
    return "--gate", path


def two(root: Path, number: int, base: str, cand: str, reference: str = "v1") -> tuple[Path, Path]:
    return (
        run_folder(root / f"base{number}", base, version=reference),
        run_folder(root / f"cand{number}", cand, version="v2"),
    )


def test_a_waived_limit_does_not_lift_the_block_of_another_rule_on_the_metric(tmp_path: Path) -> None:
    rules = gate_file(tmp_path, "wrong = 'wrong <= baseline'\ncap = 'wrong <= 5%'")
    worse = changed(WIDE, range(40))
    assert decided(*two(tmp_path, 1, WIDE, worse), *rules, *SEQUENTIAL)[0] == 1
    again = (*two(tmp_path, 2, worse, worse, "v0"), *rules, *SEQUENTIAL)
    assert {"cap", "not_blocked_before"} <= {c["name"] for c in decided(*again)[1]["checks"] if c["status"] == "fail"}
    assert decided(*again, "--waive", "cap", "--reason", "known")[0] == 1
    assert decided(*again, "--waive", "cap", "--reason", "known", "--waive", "wrong", "--reason", "new law")[0] == 0


def test_waiving_what_has_blocked_is_enough_where_a_limit_on_the_same_metric_holds(tmp_path: Path) -> None:
    refusing = changed(WIDE, range(60), "r")
    code, found = decided(*two(tmp_path, 1, WIDE, refusing), *SEQUENTIAL)
    failed = [check["name"] for check in found["checks"] if check["status"] == "fail"]
    assert code == 1 and "over_refusal" in failed and "over_refusal_limit" not in failed
    waived = [word for name in failed for word in ("--waive", name, "--reason", "agreed")]
    assert decided(*two(tmp_path, 2, WIDE, WIDE), *SEQUENTIAL)[0] == 1
    assert decided(*two(tmp_path, 3, WIDE, WIDE), *SEQUENTIAL, *waived)[0] == 0


def test_rules_in_both_directions_on_a_metric_do_not_take_each_others_evidence_away(tmp_path: Path) -> None:
    both = gate_file(tmp_path, "much = 'refused <= baseline'\nlittle = 'refused >= baseline - 50%'")
    refusing, codes = changed("c" * 150, range(5), "r"), []
    for number in (1, 2, 3):
        code, found = decided(*two(tmp_path, number, "c" * 150, refusing), *both, *SEQUENTIAL)
        codes.append(code)
    rules = found["sequential"]["rules"]
    assert codes == [0, 1, 1]
    assert (rules["refused"]["worse"], rules["refused"]["better"]) == (15, 0)
    assert (rules["refused >="]["worse"], rules["refused >="]["better"]) == (0, 15)


def test_a_count_is_borne_in_every_pair_of_runs_and_not_once_for_all(tmp_path: Path) -> None:
    for limit in ("5", "3.34%"):
        rules = gate_file(tmp_path, f"correct = 'correct >= baseline - {limit}'", f'programme = "{limit}"')
        for number in (1, 2, 3, 4):
            fewer = two(tmp_path / limit.strip("%"), number, "c" * 150, changed("c" * 150, range(3), "r"))
            assert decided(*fewer, *rules, *SEQUENTIAL)[0] == 0, "3 lost of 150 in each is within it"


def test_a_rule_that_bears_more_asks_for_no_more_evidence(tmp_path: Path) -> None:
    for number, rule in enumerate(("wrong <= baseline", "wrong <= baseline + 2", "wrong <= baseline + 0.1%")):
        runs = two(tmp_path / str(number), number, "c" * 1000, "c" * 1000)
        assert decided(*runs, *gate_file(tmp_path, f"wrong = '{rule}'"), *SEQUENTIAL)[0] == 0


def test_a_step_that_came_meanwhile_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = pair(tmp_path, 1, 5), pair(tmp_path, 2, 5)
    keep, others = Runs.keep, [second]

    def late(runs: Runs, ledger: Ledger, step: Step, seen: Sequence[Step]) -> bool:
        if others:
            assert decided(*others.pop(), *SEQUENTIAL)[0] == 3
        return keep(runs, ledger, step, seen)

    monkeypatch.setattr(Runs, "keep", late)
    code, found = decided(*first, *SEQUENTIAL)
    assert (code, found["sequential"]["look"], found["sequential"]["rules"]["wrong"]["worse"]) == (1, 2, 10)


@pytest.fixture
def blocked(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A reference, a candidate that was blocked against it in the strict mode, and a worse reference."""
    base, cand, worse = (
        run_folder(tmp_path / name, changed(GOOD, range(wrong)), version=name)
        for name, wrong in (("base", 1), ("cand", 9), ("worse", 9))
    )
    assert decided(base, cand, "--uncalibrated")[0] == 1
    return base, cand, worse


def test_a_strict_block_of_an_older_ledger_is_not_taken_back_by_fewer_rules(blocked: tuple[Path, Path, Path]) -> None:
    base, cand, worse = blocked
    old = base.parent / "old.db"
    with Ledger.open(base.parent / "surefoot.db") as ledger, Ledger.open(old) as older:
        for step in ledger.steps():
            older.add_step(replace(step, rules=()))
    few = gate_file(base.parent, "some = 'unsupported <= baseline'")
    for sides in ((base, cand), (worse, cand)):
        assert decided(*sides, *few, "--ledger", old)[1]["blocked_before"]


@pytest.mark.parametrize("value", ["", '"value":null'])
def test_only_a_ship_takes_a_strict_block_back(blocked: tuple[Path, Path, Path], value: str) -> None:
    base, cand, worse = blocked
    rows = (cand / "verdicts.jsonl").read_text(encoding="utf-8")
    (cand / "verdicts.jsonl").write_text(rows.replace('"value":"wrong"', value or '"value":"wrong"'), encoding="utf-8")
    waived = [word for rule in ("wrong", "direction", "correct") for word in ("--waive", rule, "--reason", "x")]
    assert decided(base, cand, "--uncalibrated", *([] if value else waived))[0] == (4 if value else 0)
    (cand / "verdicts.jsonl").write_text(rows, encoding="utf-8")
    assert decided(worse, cand, "--uncalibrated")[1]["blocked_before"]
    later = run_folder(base.parent / "later", changed(GOOD, range(9)), version="later")
    assert call(gate, later, "--baseline", "latest-shipped", "--uncalibrated")[0] == 2, "nothing has shipped"


@pytest.mark.parametrize("how", ["waived", "few", "all"])
def test_what_was_blocked_ships_for_good_only_by_the_same_rules(tmp_path: Path, how: str) -> None:
    """One more wrong answer of 1,300 is blocked in the strict mode; that chance is allowed for may change that."""
    base, cand, later = (
        run_folder(tmp_path / name, changed(GOOD * 10, range(wrong)), version=name)
        for name, wrong in (("base", 0), ("cand", 1), ("later", 1))
    )
    assert decided(base, cand, "--uncalibrated")[0] == 1
    few = gate_file(tmp_path, "unsupported = 'unsupported <= baseline'")
    options = {"waived": ("--waive", "wrong", "--reason", "x"), "few": few, "all": ()}[how]
    code, found = decided(base, cand, *SEQUENTIAL, *options)
    assert code == 0 and found["blocked_before"][0]["shipped_since"] == (how == "all")
    latest = call(gate, later, "--baseline", "latest-shipped", *SEQUENTIAL)[0]
    assert latest == (0 if how == "all" else 2)


def test_a_bound_on_the_same_metric_need_not_be_waived(tmp_path: Path) -> None:
    rules = gate_file(tmp_path, "rate = 'correct_rate >= baseline'\nfloor = 'correct_rate.low >= baseline - 0.5'")
    runs = (*two(tmp_path, 1, "c" * 150, changed("c" * 150, range(10))), *rules, *SEQUENTIAL)
    assert decided(*runs)[0] == 1
    assert decided(*runs, "--waive", "rate", "--reason", "y")[0] == 0


@pytest.mark.parametrize("limit", ["10%", "15"])
def test_a_rise_within_what_a_rule_bears_blocks_nothing(tmp_path: Path, limit: str) -> None:
    runs = two(tmp_path, 1, "c" * 150, changed("c" * 150, range(10)))
    rule = gate_file(tmp_path, f"wrong = 'wrong <= baseline + {limit}'")
    assert decided(*runs, *rule, "--mode", "strict", "--uncalibrated", "--ledger", tmp_path / "other.db")[0] == 0
    assert decided(*runs, *rule, *SEQUENTIAL)[0] == 3
    more = two(tmp_path, 2, "c" * 150, changed("c" * 150, range(40)))
    assert decided(*more, *rule, *SEQUENTIAL)[0] == 1, "10 and 40 of 300 are more than that"


def test_the_history_tells_what_was_changed_in_the_gate_file(tmp_path: Path) -> None:
    files = [
        gate_file(tmp_path, "wrong = 'wrong <= baseline'", "margin = 0.02"),
        gate_file(tmp_path, "wrong = 'wrong <= baseline'", "margin = 0.3"),
        gate_file(tmp_path, "wrong = 'wrong <= baseline + 9%'", "margin = 0.3"),
    ]
    for number, file in enumerate(files, 1):
        decided(*pair(tmp_path, number), *file, *SEQUENTIAL, *(("--alpha", ".0499") if number == 3 else ()))
    lines = call(gate, "--history", "--ledger", tmp_path / "surefoot.db")[1].stdout.splitlines()
    assert "changed" not in lines[0] and lines[1].endswith("the gate file has changed: margin")
    assert "the gate file has changed: rules" in lines[2] and "--alpha 0.0499" in lines[2]
