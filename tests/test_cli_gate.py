"""The gate as a team uses it: runs again and again, a ledger that remembers, labels that stand in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from surefoot.cli.compare import compare
from surefoot.cli.gate import gate
from surefoot.errors import SurefootError
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of, run_id
from surefoot.records import Label, version_of
from surefoot.store import RunStore

from .conftest import Write, surefoot
from .sequential.helpers import certificate, changed, corpus, run_folder

GOOD = "c" * 117 + "r" * 13
SEQUENTIAL = ("--mode", "sequential", "--uncalibrated")


def call(command: Any, *arguments: str | Path) -> tuple[int, Result]:  # noqa: ANN401
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    if isinstance(result.exception, SurefootError):
        return int(result.exception.exit_code), result
    if result.exception:
        raise result.exception
    return int(result.return_value or 0), result


def decided(*arguments: str | Path) -> tuple[int, Any]:
    code, result = call(gate, *arguments, "--json")
    return code, json.loads(result.stdout)


def pair(root: Path, number: int, newly_wrong: int = 0, version: str = "v2") -> tuple[Path, Path]:
    base = run_folder(root / f"ref{number}", GOOD, version="v1")
    return base, run_folder(root / f"{version or 'cand'}-{number}", changed(GOOD, range(newly_wrong)), version=version)


def test_the_gate_decides_as_compare_does(tmp_path: Path) -> None:
    base, cand = pair(tmp_path, 1, 3)
    code, short = decided(base, cand, *SEQUENTIAL)
    again, result = call(compare, base, cand, *SEQUENTIAL, "--json")
    full = json.loads(result.stdout)
    assert code == again == 3 and "moved" in full and "moved" not in short
    assert short == {key: value for key, value in full.items() if key != "moved"}
    strict = pair(tmp_path, 2, 3, "v3")
    code, result = call(gate, *strict)
    assert code == 1 and result.stdout.splitlines()[-1].startswith("BLOCK")


def test_running_again_until_it_looks_good_does_not_work(tmp_path: Path) -> None:
    """Three newly wrong of 130 are no evidence once; again and again they are, and a clean run does not undo it."""
    outcomes = []
    for number, newly_wrong in enumerate((3, 3, 3, 0), 1):
        code, found = decided(*pair(tmp_path, number, newly_wrong), *SEQUENTIAL)
        outcomes.append(code)
        assert (found["sequential"]["look"], found["sequential"]["k"]) == (number, 1)
    assert outcomes == [3, 3, 1, 1]
    assert found["sequential"]["rules"]["wrong"] | {"worse": 9, "pairs": 520} == found["sequential"]["rules"]["wrong"]
    assert [step["outcome"] for step in found["sequential"]["steps"]] == ["INCONCLUSIVE", "INCONCLUSIVE", "BLOCK"]
    assert found["sequential"]["alpha_ship"] < found["sequential"]["alpha_block"] < 0.05


def test_a_run_is_no_evidence_twice(tmp_path: Path) -> None:
    base, cand = pair(tmp_path, 1)
    assert decided(base, cand, *SEQUENTIAL)[0] == decided(base, cand, *SEQUENTIAL)[0] == 0
    other = run_folder(tmp_path / "again", GOOD, version="v2")
    code, found = decided(base, other, *SEQUENTIAL)
    assert code == 3 and "run the reference again" in found["sequential"]["note"] and not found["sequential"]["adds"]
    assert decided(base, base, *SEQUENTIAL)[0] == 3, "nor is a run against itself"


def test_deterministic_answers_are_no_new_evidence(tmp_path: Path) -> None:
    for number in (1, 2):
        base = run_folder(tmp_path / f"a{number}", GOOD, version="v1", told="a")
        cand = run_folder(tmp_path / f"b{number}", changed(GOOD, [0, 1]), version="v2", told="b")
        code, found = decided(base, cand, *SEQUENTIAL)
    assert code == 3 and found["sequential"]["rules"]["wrong"]["worse"] == 2 and found["sequential"]["look"] == 1


def test_without_a_version_it_is_the_same_release_until_it_ships(tmp_path: Path) -> None:
    for number in (1, 2):
        found = decided(*pair(tmp_path, number, 3, version=""), *SEQUENTIAL)[1]
    assert found["sequential"]["release"] == "p #1" and found["sequential"]["look"] == 2
    assert "--version" in found["sequential"]["note"]


def test_the_history_lists_the_steps(tmp_path: Path) -> None:
    for number in (1, 2):
        decided(*pair(tmp_path, number, 4), *SEQUENTIAL)
    decided(*pair(tmp_path, 3, version="v3"), "--uncalibrated")
    ledger = ("--history", "--ledger", tmp_path / "surefoot.db")
    code, result = call(gate, *ledger)
    first, second, third = result.stdout.splitlines()
    assert code == 0 and "e = 6.2 (4 worse, 0 better so far)" in first and "e = 56.8" in second and "BLOCK" in second
    assert "strict" in third and "SHIP" in third and "uncalibrated" in third
    assert [step["k"] for step in decided(*ledger)[1]["steps"]] == [1, 1, None]
    assert call(gate, "--history", "--ledger", tmp_path / "none.db")[0] == 2


def test_the_history_keeps_what_was_decided_before_labels_came(tmp_path: Path) -> None:
    base, cand = pair(tmp_path, 1, 4)
    decided(base, cand, *SEQUENTIAL)
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        for side, who in ((base, "ann"), (cand, "bob")):
            ledger.add_labels([label_of(side, f"q{i:03}", "correct", who) for i in range(4)])
    decided(base, cand, *SEQUENTIAL)
    ledger_option = ("--history", "--ledger", tmp_path / "surefoot.db")
    before, after = call(gate, *ledger_option)[1].stdout.splitlines()
    assert (
        "e = 6.2" in before and "INCONCLUSIVE" in before and "replaced by a later comparison of the same runs" in before
    )
    assert "e = 1 " in after and "SHIP" in after and "replaced" not in after
    assert [row["replaced"] for row in decided(*ledger_option)[1]["steps"]] == [True, False]


def test_the_mode_is_always_told(tmp_path: Path) -> None:
    base, cand = pair(tmp_path, 1, 1)
    for command in (compare, gate):
        told = call(command, base, cand, "--uncalibrated")[1].stdout
        assert "mode: strict: any increase counts" in told and "any increase may be chance" in told
    for folder in (base, cand):
        store = RunStore.open(folder)
        (folder / "manifest.json").write_bytes(
            msgspec.json.encode(msgspec.structs.replace(store.manifest, deterministic=True))
        )
    assert "may be chance" not in call(gate, base, cand, "--uncalibrated")[1].stdout
    assert "mode: sequential: chance is allowed for" in call(gate, base, cand, *SEQUENTIAL)[1].stdout


def test_answers_that_differ_between_repeats_choose_the_mode(tmp_path: Path) -> None:
    base = run_folder(tmp_path / "base", "ccc", "ccc", version="v1")
    cand = run_folder(tmp_path / "cand", "ccc", "ccc", version="v2")
    found = decided(base, cand, "--uncalibrated")[1]
    assert found["mode"] == "sequential" and "answers the same question differently" in found["why_this_mode"]
    other = run_folder(tmp_path / "other", "ccc", "ccc", version="v3")
    assert decided(base, other, "--uncalibrated", "--mode", "strict")[1]["mode"] == "strict"
    assert decided(*pair(tmp_path, 1, version="v4"), "--uncalibrated")[1]["mode"] == "strict"


def test_a_gate_file_says_how(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text(
        '[rules]\nwrong = "wrong <= baseline"\n[sequential]\nmode = "sequential"\nalpha = 0.1\nmargin = 0.03\n'
        'programme = "search"\n',
        encoding="utf-8",
    )
    base, cand = pair(tmp_path, 1)
    used = decided(base, cand, "--gate", file)[1]["sequential"]
    assert (used["alpha"], used["margin"], used["programme"]) == (0.1, 0.03, "search")
    used = decided(base, cand, "--gate", file, "--alpha", "0.01", "--margin", "0.2")[1]["sequential"]
    assert (used["alpha"], used["margin"]) == (0.01, 0.2)
    for wrong in ("alpha = 2", "margin = 'x'", "beta = 1", "mode = 'lax'", "programme = ' '"):
        file.write_text(f"[rules]\nw = 'wrong <= baseline'\n[sequential]\n{wrong}\n", encoding="utf-8")
        code, result = call(gate, base, cand, "--gate", file)
        assert code == 2 and "gate.toml" in str(result.exception), wrong


def test_a_certificate_in_the_ledger_or_in_a_file_lets_it_ship(tmp_path: Path) -> None:
    base, cand = pair(tmp_path, 1)
    code, found = decided(base, cand)
    assert code == 3 and f"surefoot label {cand}" in found["checks"][-1]["reason"]
    proof = certificate(corpus=corpus(base))
    file = tmp_path / "certificate.json"
    for content in (proof, {"axes": {}, "certificate": proof}):
        file.write_bytes(msgspec.json.encode(content))
        assert decided(base, cand, "--certificate", file)[0] == 0
    file.write_text(file.read_text().replace('"labels":400', '"labels":900'), encoding="utf-8")
    code, result = call(gate, base, cand, "--certificate", file)
    assert code == 2 and "was changed after it was made" in str(result.exception)
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add_certificate(proof)
    code, found = decided(base, cand)
    assert code == 0 and found["trust"]["certificate"]["id"] == proof.id and not found["uncalibrated"]
    worse = run_folder(tmp_path / "worse", changed(GOOD, [0]), version="v3")
    assert decided(base, worse)[0] == 1


def label_of(folder: Path, question: str, value: str, who: str = "ann") -> Label:
    store = RunStore.open(folder)
    asked = next(one for one in store.questions() if one.id == question)
    trace = next(one for one in store.traces() if one.question_id == question)
    return Label(
        id=f"{who}{question}{value}", at="2026-01-01", annotator=who, question_id=question, axis="factuality",
        value=value, version=version_of(asked, trace),
    )  # fmt: skip


def test_peoples_labels_on_the_very_answers_stand_in(tmp_path: Path) -> None:
    base, cand = pair(tmp_path, 1, 2)
    code, found = decided(base, cand, "--uncalibrated")
    assert code == 1 and [one["question_id"] for one in found["label_next"]] == ["q000", "q001"] * 2
    assert json.loads((cand / "decision.json").read_text())["label_next"] == found["label_next"]
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add_labels([label_of(cand, "q000", "correct"), label_of(cand, "q001", "correct")])
    assert decided(base, cand, "--uncalibrated")[0] == 3, "nobody has looked at the baseline's answers to them"
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add_labels([label_of(base, "q000", "correct", "b"), label_of(base, "q001", "correct", "b")])
    assert call(compare, base, cand, "--uncalibrated", "--report", tmp_path / "r.md")[0] == 0
    said = (tmp_path / "r.md").read_text()
    assert "count instead of the grader's verdicts on 2 answers of base and 2 of cand" in said
    assert decided(base, cand, "--uncalibrated")[1]["labelled"] == {"base": 2, "cand": 2}
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add_labels([label_of(cand, "q000", "wrong", "bob")])
    code, found = decided(base, cand, "--uncalibrated")
    assert code == 1 and any("divided on factuality of q000" in problem["message"] for problem in found["problems"])


def test_a_ledger_that_is_there_has_to_be_read(tmp_path: Path) -> None:
    """Its labels may decide, so nothing is decided without them, nor is it said that there is no certificate."""
    base, cand = pair(tmp_path, 1)
    (tmp_path / "surefoot.db").mkdir()
    for options in ((), ("--uncalibrated",), SEQUENTIAL):
        code, result = call(gate, base, cand, *options)
        assert code == 4 and "surefoot.db" in str(result.exception) and not result.stdout
    (tmp_path / "surefoot.db").rmdir()
    (tmp_path / "surefoot.db").write_text("no database at all, but something", encoding="utf-8")
    assert call(gate, base, cand, "--uncalibrated")[0] == 4


def test_where_no_ledger_can_be_made_a_strict_decision_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, cand = pair(tmp_path, 1)
    (tmp_path / "file").touch()
    monkeypatch.setenv("SUREFOOT_LEDGER", str(tmp_path / "file" / "surefoot.db"))
    code, result = call(gate, base, cand, "--uncalibrated")
    assert code == 0 and "note: " in result.stderr
    assert call(gate, base, cand, *SEQUENTIAL)[0] == 4


def test_a_ledger_that_can_only_be_read_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, cand = pair(tmp_path, 1)
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add_labels([label_of(cand, "q000", "wrong")])
    monkeypatch.setattr("surefoot.ledger.database._is_writable", lambda _: False)
    code, result = call(gate, base, cand, "--uncalibrated")
    assert code == 1 and "note: " in result.stderr and "not kept" in result.stderr
    assert call(gate, base, cand, *SEQUENTIAL)[0] == 4, "what is not kept could be tried again until it ships"
    assert call(gate, "--history", "--ledger", tmp_path / "surefoot.db")[0] == 0


def test_a_plan_for_a_number_a_file_or_a_run(tmp_path: Path, questions: Path) -> None:
    code, result = call(gate, "--plan", "--questions", "130")
    assert code == 0 and "ships only with no new wrong answer" in result.stdout
    assert decided("--plan", "--questions", questions)[1]["questions"] == 4
    run = run_folder(tmp_path / "run", "ccc", "ccc")
    made = decided("--plan", "--questions", run, "--margin", "0.1")[1]
    assert (made["questions"], made["repeats"], made["pairs"], made["margin"]) == (3, 2, 6, 0.1)


@pytest.mark.parametrize(
    "arguments",
    [("--plan", "--history"), ("--plan", "a", "b"), ("--plan", "--questions", "0"), ("--plan", "--questions", "none"),
     ("--history", "a"), (), ("one",)],
)  # fmt: skip
def test_what_makes_no_sense_is_said(arguments: tuple[str, ...]) -> None:
    code, result = call(gate, *arguments)
    assert code == 2 and isinstance(result.exception, SurefootError) and result.exception.hint


def test_files_and_the_real_command(write: Write) -> None:
    rows = [{"question_id": f"q{i}", "axis": "factuality", "value": "correct", "grader": "g/1"} for i in range(130)]
    base, cand = write("a.jsonl", rows), write("b.jsonl", [*rows[:-1], {**rows[-1], "value": "wrong"}])
    options = ("--mode", "sequential", "--alpha", ".05", "--margin", ".02", "--json")
    done = surefoot("compare", base, cand, *options)
    assert done.code == 3 and done.json["sequential"]["rules"]["wrong"]["e_value"] == 1.5
    assert done.json["sequential"]["k"] is None and not list(base.parent.glob("*.db"))
    assert call(gate, base, cand, "--ledger", base.parent / "none.db")[0] == 2
    assert not list(base.parent.glob("*.db")), "asking for a ledger of files makes none"


def test_a_certificate_that_was_edited_in_the_ledger_ships_nothing(tmp_path: Path) -> None:
    base, cand = pair(tmp_path, 1)
    few = certificate(corpus=corpus(base), labels=40)
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add_certificate(msgspec.structs.replace(few, labels=400))
    code, found = decided(base, cand)
    assert code == 3 and "a certificate in the ledger was edited" in found["trust"]["in_words"]


def test_the_way_to_a_certificate_names_every_run_with_labels(tmp_path: Path) -> None:
    (base, cand), other = pair(tmp_path, 1), run_folder(tmp_path / "earlier", GOOD, version="v0")
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add_run(entry_of(RunStore.open(other)))
        ledger.add_labels([replace(label_of(other, "q001", "correct"), run=run_id(RunStore.open(other).manifest))])
    [hint] = [step for step in decided(base, cand)[1]["next_steps"] if step.startswith("labels, kappa")]
    assert re.search(rf"then surefoot calibrate \S*earlier {re.escape(str(cand))}$", hint)
