"""Gate files: rules, limits and margins, and what the command line puts in their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.cli.gate import gate
from surefoot.core.errors import SurefootError

from .gate.helpers import changed, kept_run
from .test_cli_gate import TRUTH, call, check, decided, pair


def gate_file(root: Path, rules: str, change: str = "") -> tuple[str, Path]:
    path = root / f"{abs(hash((rules, change)))}.toml"
    path.write_text(f"[rules]\n{rules}\n[change]\n{change}", encoding="utf-8")
    return "--gate", path


def two(base: str, cand: str, number: int = 1) -> tuple[str, str]:
    """Of pipelines that always answer alike."""
    return (
        kept_run(f"base{number}", base, version=f"v{number}", deterministic=True),
        kept_run(f"cand{number}", cand, version=f"w{number}", deterministic=True),
    )


def test_a_gate_file_says_how(tmp_path: Path) -> None:
    file = gate_file(tmp_path, 'wrong = "wrong <= baseline"', "margin = 0.04")
    base, cand = pair(1)
    used = decided(base, cand, *file)[1]
    assert (used["margin"], used["overridden"]) == (0.04, {})
    used = decided(base, cand, *file, "--margin", "0.2")[1]
    assert (used["margin"], used["overridden"]) == (0.2, {"margin": 0.2})
    said = call(gate, base, cand, *file, "--margin", "0.2")[1].stdout
    assert "Not as the gate file has it" in said and "0.2" in said


@pytest.mark.parametrize("wrong", ["margin = 2", "margin = 'x'", "alpha = 0.05", "mode = 'strict'"])
def test_a_broken_gate_file_is_named(tmp_path: Path, wrong: str) -> None:
    name, file = gate_file(tmp_path, "w = 'wrong <= baseline'", wrong)
    code, result = call(gate, *pair(1), name, file)
    assert code == 2 and file.name in str(result.exception)


def test_a_gate_file_of_the_earlier_gate_is_told_from_a_broken_one(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    runs = pair(1)
    for text in ("[rules]\nw = 'wrong <= baseline'\n[sequential]\nalpha = 0.05\n", "[rules]\nl = 'labels >= 50'\n"):
        file.write_text(text, encoding="utf-8")
        code, result = call(gate, *runs, "--gate", file)
        assert code == 2 and isinstance(result.exception, SurefootError) and result.exception.hint


def test_a_waived_rule_leaves_the_others(tmp_path: Path) -> None:
    runs = two("c" * 60, changed("c" * 60, range(9)))
    rules = gate_file(tmp_path, "wrong = 'wrong <= baseline'\ncap = 'wrong <= 5%'")
    assert decided(*runs, *rules, TRUTH)[0] == 1
    assert decided(*runs, *rules, TRUTH, "--waive", "wrong", "--reason", "known")[0] == 1
    both = ("--waive", "wrong", "--reason", "known", "--waive", "cap", "--reason", "new law")
    code, found = decided(*runs, *rules, TRUTH, *both)
    assert code == 3 and found["outcome"] == "INCONCLUSIVE", "no rule is left to hold"
    assert found["waived"] == {"wrong": "known", "cap": "new law"}
    assert check(found)["status"] == "waived" and check(found)["without_waiver"] == "fail"


@pytest.mark.parametrize(("limit", "code"), [("10%", 0), ("6", 0), ("5", 1), ("1", 1), ("1%", 1), ("0.1", 0)])
def test_what_a_rule_bears(tmp_path: Path, limit: str, code: int) -> None:
    """6 of 60 more are wrong. What is known to be beyond the limit blocks, though the margin would bear it."""
    runs = two("c" * 60, changed("c" * 60, range(6)))
    rules = gate_file(tmp_path, f"wrong = 'wrong <= baseline + {limit}'")
    assert decided(*runs, *rules, TRUTH)[0] == code


def test_rules_in_both_directions(tmp_path: Path) -> None:
    both = gate_file(tmp_path, "much = 'refused <= baseline'\nlittle = 'refused >= baseline - 50%'")
    found = decided(*two("c" * 60, changed("c" * 60, range(5), "r")), *both, TRUTH)[1]
    assert (check(found, "much")["status"], check(found, "little")["status"]) == ("fail", "pass")


def test_a_rule_of_the_command_line_stands_alone_or_beside_a_gate(tmp_path: Path) -> None:
    runs = two("c" * 60, changed("c" * 60, range(5)))
    code, found = decided(*runs, "--gate", "ship", "--rule", "correct >= 50", TRUTH)
    assert code == 1 and found["overridden"] == {"more rules": ["correct >= 50"]}
    assert decided(*runs, "--rule", "correct >= 50", TRUTH)[0] == 0
    newer = kept_run("newer", changed("c" * 60, range(5)), version="n", deterministic=True)
    assert call(gate, newer, TRUTH)[0] == 2, "what shipped by rules of one's own is not what shipped last"
    assert decided(newer, TRUTH, "--rule", "correct >= 50")[0] == 0


def test_the_history_tells_what_was_changed_in_the_gate_file(tmp_path: Path) -> None:
    files = [
        gate_file(tmp_path, "wrong = 'wrong <= baseline'", "margin = 0.02"),
        gate_file(tmp_path, "wrong = 'wrong <= baseline'", "margin = 0.3"),
        gate_file(tmp_path, "wrong = 'wrong <= baseline + 9%'", "margin = 0.3"),
    ]
    for number, file in enumerate(files, 1):
        decided(*pair(number), *file, TRUTH, *(("--margin", ".0499") if number == 3 else ()))
    lines = call(gate, "--history")[1].stdout.splitlines()
    assert "changed" not in lines[0] and "the gate file has changed: margin" in lines[1]
    assert "the gate file has changed: rules" in lines[2] and "--margin 0.0499" in lines[2]


def test_the_two_bundled_gates_differ_in_what_users_lose(tmp_path: Path) -> None:
    runs = two("c" * 80 + "w" * 20, "c" * 65 + "r" * 35)
    assert decided(*runs, TRUTH, "--rule", "wrong <= baseline", "--rule", "acceptable >= baseline")[0] == 0
    assert "Users lose: correct fell by 15 points" in call(gate, *runs, TRUTH, "--rule", "wrong <= baseline")[1].stdout
    assert check(decided(*runs, TRUTH, "--gate", "helpful")[1], "correct")["status"] == "fail"
