"""A bundle is enough to decide again: by the commands in its own README, and nothing else."""

from __future__ import annotations

import shlex
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from surefoot.cli.main import _run
from surefoot.importers import gatefiles
from surefoot.ledger import Ledger
from surefoot.ledger.moving import read_records
from surefoot.ledger.places import run_id, versions_of
from surefoot.records import Label
from surefoot.store import RunStore

from .test_bundle import FEES, made, members

WRONG = {**FEES, "q3": "EUR 9"}
ALSO_WRONG = {**FEES, "q2": "EUR 8"}
GATE = """[rules]
fewer_wrong = "wrong <= baseline"
calibrated = "labels >= 50"
[sequential]
alpha = 0.2
margin = 0.3
programme = "fees"
"""


@pytest.fixture(autouse=True)
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gate.toml").write_text(GATE)
    monkeypatch.chdir(tmp_path)


def decided(folder: Path) -> dict[str, Any]:
    """What stays the same wherever the runs lie. A reason to waive comes back as one line."""
    found = msgspec.json.decode((folder / "decision.json").read_bytes())
    kept = ("outcome", "exit_code", "mode", "uncalibrated", "labelled", "buckets", "sequential")
    checks = [{key: check[key] for key in ("name", "rule", "status", "seen")} for check in found["checks"]]
    return {**{key: found[key] for key in kept}, "checks": checks, "waived": sorted(found["waived"])}


def readme_of(bundle: Path) -> str:
    return members(bundle)["README.txt"].decode()


def decided_again(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    folder = bundle.parent / f"unpacked-{bundle.name}"
    with zipfile.ZipFile(bundle) as file:
        file.extractall(folder)
    (folder / "run" / "decision.json").unlink()
    with monkeypatch.context() as patched:
        patched.chdir(folder)
        lines = [
            line for line in readme_of(bundle).splitlines() if line.startswith(("  surefoot import", "  surefoot c"))
        ]
        assert len(lines) == 2
        for line in lines:
            code = _run(shlex.split(line)[1:])
            assert code == 0 or " compare " in line
    found = decided(folder / "run")
    assert found["exit_code"] == code
    return found


def audited(run: str) -> Path:
    assert _run(["audit", f"runs/{run}"]) == 0
    return Path(f"runs/{run}.audit.zip").absolute()


def label(run: Path, id: str, value: str) -> None:
    with Ledger.open(run.parent / "surefoot.db") as ledger:
        store = RunStore.open(run)
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        version = versions_of(store)[id, 1]
        ledger.add_labels([Label(
            id=f"{run.name}-{id}", at=at, annotator="ann", question_id=id, axis="factuality", value=value,
            version=version, run=run_id(store.manifest),
        )])  # fmt: skip


def test_a_strict_decision_with_a_waiver_and_labels_that_came_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path / "runs" / "base", FEES)
    cand = made(tmp_path / "runs" / "cand", {**WRONG, "q1": "EUR 4"})
    label(cand, "q1", "correct")
    waiver = ["--waive", "calibrated", "--reason", "it's urgent;\n  ask $BOSS \x7f"]
    assert _run(["compare", "runs/base", "runs/cand", "--gate", "gate.toml", "--mode", "strict", *waiver]) == 1
    then = decided(cand)
    label(cand, "q3", "correct")  # by which it would ship
    bundle = audited("cand")
    assert decided_again(bundle, monkeypatch) == then
    assert then["labelled"]["cand"] == 1 and then["outcome"] == "BLOCK"
    content, words = members(bundle), readme_of(bundle)
    assert [row.question_id for row in _rows(content["later.jsonl"], "labels", Label)] == ["q3"]
    assert gatefiles.parse(content["rules/gate.toml"].decode(), "").sequential == gatefiles.Sequential(
        alpha=0.2, margin=0.3, programme="fees", mode="strict"
    )
    for told in (
        "decision      BLOCK, in the strict mode", "baseline      base, pipeline p", "1 of them since the decision",
        "failed        fewer_wrong (wrong <= baseline): ", "waived        calibrated, because: it's urgent; ask $BOSS",
    ):  # fmt: skip
        assert told in words
    assert "uncalibrated" not in words.partition("What is in here")[0]
    assert _run(["audit", "--verify", str(bundle)]) == 0


def test_sequential_decisions_each_by_what_was_known_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = tmp_path / "runs"
    options = ["--gate", "gate.toml", "--mode", "sequential", "--alpha", "0.3", "--uncalibrated"]
    said = {}
    for number, answers in enumerate((WRONG, ALSO_WRONG, FEES), 1):
        made(runs / f"base{number}", {**FEES, "q1": f"EUR 5{'.' * number}"})
        made(runs / f"cand{number}", answers)
        assert _run(["compare", f"runs/base{number}", f"runs/cand{number}", *options]) in (1, 3)
        said[number] = decided(runs / f"cand{number}")
    assert [said[number]["sequential"]["look"] for number in said] == [1, 2, 3]
    for number, then in said.items():
        bundle = audited(f"cand{number}")
        content, words = members(bundle), readme_of(bundle)
        assert len(read_records(content["ledger.jsonl"].splitlines(), "")["steps"]) == number
        used = gatefiles.parse(content["rules/gate.toml"].decode(), "").sequential
        assert used == gatefiles.Sequential(alpha=0.3, margin=0.3, programme="fees", mode="sequential")
        assert decided_again(bundle, monkeypatch) == then
        for told in (
            f"decision      {then['outcome']}, in the sequential mode", f"baseline      base{number}, pipeline p",
            "uncalibrated  yes", "overridden    --alpha 0.3: not as the gate file", "open          fewer_wrong (",
        ):  # fmt: skip
            assert told in words


def test_a_block_and_that_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fees = {f"q{number}": f"EUR {number}" for number in range(1, 31)}
    monkeypatch.setattr("tests.auditing.test_bundle.FEES", fees)
    worse = {id: f"EUR {fee[4:]}9" for id, fee in fees.items()}
    for number, answers in enumerate((worse, fees), 1):
        base = made(tmp_path / "runs" / f"base{number}", {**fees, "q1": f"EUR 1{'.' * number}"})
        with RunStore.open(base, writing=True) as store:
            store.amend(version=str(number))  # against another reference the counts start anew
        cand = made(tmp_path / "runs" / f"cand{number}", answers)
        options = ["--gate", "gate.toml", "--mode", "sequential", "--uncalibrated"]
        assert _run(["compare", f"runs/base{number}", f"runs/cand{number}", *options]) == 1
        bundle, then = audited(f"cand{number}"), decided(cand)
        assert decided_again(bundle, monkeypatch) == then
        failed = {1: "failed        fewer_wrong (", 2: "failed        not_blocked_before ("}[number]
        assert failed in readme_of(bundle)


def test_a_comparison_repeated_after_later_steps_is_bundled_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--gate", "gate.toml", "--mode", "sequential", "--uncalibrated"]
    for number, answers in enumerate((WRONG, ALSO_WRONG), 1):
        made(tmp_path / "runs" / f"base{number}", {**FEES, "q1": f"EUR 5{'.' * number}"})
        made(tmp_path / "runs" / f"cand{number}", answers)
    for number in (1, 2, 1):
        assert _run(["compare", f"runs/base{number}", f"runs/cand{number}", *options]) == 3
    then = decided(tmp_path / "runs" / "cand1")
    assert then["sequential"]["look"] == 2
    assert decided_again(audited("cand1"), monkeypatch) == then


def test_the_baseline_is_the_one_of_the_decision_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, answers in {"one": FEES, "two": {**FEES, "q1": "EUR 4"}, "cand": WRONG}.items():
        made(tmp_path / "runs" / name, answers)
    for base in ("one", "two", "one"):  # the third says what the first said, and adds no row to the ledger
        assert _run(["compare", f"runs/{base}", "runs/cand", "--gate", "gate.toml", "--uncalibrated"]) in (0, 1)
    then = decided(tmp_path / "runs" / "cand")
    bundle = audited("cand")
    assert "baseline      one, pipeline p" in readme_of(bundle)
    assert decided_again(bundle, monkeypatch) == then


def test_without_the_baseline_it_is_said_that_it_cannot_be(tmp_path: Path) -> None:
    made(tmp_path / "runs" / "base", FEES)
    made(tmp_path / "runs" / "cand", WRONG)
    assert _run(["compare", "runs/base", "runs/cand", "--gate", "gate.toml", "--uncalibrated"]) == 1
    (tmp_path / "runs" / "base").rename(tmp_path / "elsewhere")
    words = readme_of(audited("cand"))
    assert "baseline      runs/base, which is not in here" in words
    assert "it cannot be: the run that it was compared with is not in here" in words and "surefoot compare" not in words


def _rows(lines: bytes, table: str, kind: type[Label]) -> list[Label]:
    return msgspec.convert(read_records(lines.splitlines(), "")[table], list[kind])  # type: ignore[valid-type]
