"""A bundle is enough to decide again: by the commands in its own README, and nothing else."""

from __future__ import annotations

import shlex
import shutil
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from surefoot.cli.main import _run
from surefoot.io import gatefiles
from surefoot.ledger import Ledger
from surefoot.ledger.exports import read_records
from surefoot.ledger.places import run_id
from surefoot.records import Label
from surefoot.store import RunStore

from .test_bundle import FEES, made, members

WRONG = {**FEES, "q3": "EUR 9"}
ALSO_WRONG = {**FEES, "q2": "EUR 8"}
GATE = """[rules]
fewer_wrong = "wrong <= baseline"
unsupported = "unsupported <= baseline"
[change]
alpha = 0.2
margin = 0.3
"""


@pytest.fixture(autouse=True)
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gate.toml").write_text(GATE)
    monkeypatch.chdir(tmp_path)


def version(folder: Path, name: str, answers: dict[str, str]) -> Path:
    made(folder, answers)
    with RunStore.open(folder, writing=True) as store:
        store.amend(version=name)
    return folder


def decided(folder: Path) -> dict[str, Any]:
    """What stays the same wherever the runs lie. A reason to waive comes back as one line."""
    found = msgspec.json.decode((folder / "decision.json").read_bytes())
    kept = ("outcome", "exit_code", "alpha", "margin", "claim", "look", "uncalibrated", "labelled", "buckets", "trust",
            "against_itself", "changes")  # fmt: skip
    checks = [{key: check[key] for key in check if key != "waiver"} for check in found["checks"]]
    runs = {side: len(names) for side, names in found["runs"].items()}
    let_go = [*sorted(found["waived"]), *sorted(found["without"])]
    return {**{key: found[key] for key in kept}, "checks": checks, "runs": runs, "let_go": let_go}


def readme_of(bundle: Path) -> str:
    return members(bundle)["README.txt"].decode()


def decided_again(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """In a folder far from the project, which is not there any more."""
    runs = bundle.parent
    folder = runs.parent / f"unpacked-{bundle.name}"
    with zipfile.ZipFile(bundle) as file:
        file.extractall(folder)
    (folder / "run" / "decision.json").unlink()
    runs.rename(runs.with_name("gone"))
    with monkeypatch.context() as patched:
        patched.chdir(folder)
        words = (folder / "README.txt").read_text()
        lines = [line for line in words.splitlines() if line.startswith(("  surefoot import", "  surefoot gate"))]
        assert len(lines) == 2
        for line in lines:
            code = _run(shlex.split(line)[1:])
            assert code == 0 or " gate " in line
    runs.with_name("gone").rename(runs)
    found = decided(folder / "run")
    assert found["exit_code"] == code
    return found


def audited(run: str) -> Path:
    assert _run(["audit", f"runs/{run}"]) == 0
    bundle = Path(f"runs/{run}.audit.zip").absolute()
    assert _run(["audit", "--verify", str(bundle)]) == 0
    return bundle


def label(run: Path, id: str, value: str) -> None:
    with Ledger.open(run.parent / "surefoot.db") as ledger:
        store = RunStore.open(run)
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        ledger.add([Label(
            id=f"{run.name}-{id}", at=at, annotator="ann", question_id=id, axis="factuality", value=value,
            version=store.versions()[id, 1], run=run_id(store.manifest),
        )])  # fmt: skip


def test_all_runs_of_both_versions_labels_and_a_waiver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = tmp_path / "runs"
    for number, answers in enumerate((FEES, {**FEES, "q1": "EUR 5."}), 1):
        version(runs / f"base{number}", "v1", answers)
    cand = version(runs / "cand1", "v2", {**WRONG, "q1": "EUR 4"})
    label(cand, "q1", "correct")
    waiver = ["--waive", "unsupported", "--reason", "it's urgent;\n  ask $BOSS \x7f"]
    for other in ("base1", "cand1"):  # so that the ledger knows them
        _run(["gate", f"runs/{other}", "runs/base2", "--gate", "gate.toml"])
    version(runs / "cand2", "v2", ALSO_WRONG)
    assert _run(["gate", "runs/base2", "runs/cand2", "--gate", "gate.toml", "--alpha", "0.1", *waiver]) == 3
    then = decided(runs / "cand2")
    assert then["runs"] == {"base": 2, "cand": 2} and then["labelled"]["cand"] == 1
    label(cand, "q3", "correct")
    bundle = audited("cand2")
    content, words = members(bundle), readme_of(bundle)
    assert decided_again(bundle, monkeypatch) == then
    assert [row.question_id for row in _rows(content["later.jsonl"])] == ["q3"]
    assert gatefiles.parse(content["rules/gate.toml"].decode(), "") == gatefiles.GateFile(
        {"fewer_wrong": "wrong <= baseline", "unsupported": "unsupported <= baseline"},
        gatefiles.Sureness(alpha=0.1, margin=0.3),
    )
    for told in (
        "decision      INCONCLUSIVE\n", "baseline      runs/base2", "1 of them since the decision",
        "waived        unsupported, because: it's urgent; ask $BOSS", "overridden    --alpha 0.1: not as the gate file",
        "base1, pipeline p, version v1: counted with the baseline",
        "run/  cand2, pipeline p, version v2: the candidate",
    ):  # fmt: skip
        assert told in words


def test_each_look_by_what_was_known_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, said = tmp_path / "runs", {}
    version(runs / "base", "v1", FEES)
    for number, answers in enumerate((WRONG, ALSO_WRONG, {**FEES, "q1": "EUR 1"}), 1):
        version(runs / f"cand{number}", "v2", answers)
        assert _run(["gate", "runs/base", f"runs/cand{number}", "--gate", "gate.toml", "--uncalibrated"]) in (1, 3)
        said[number] = decided(runs / f"cand{number}")
        label(runs / f"cand{number}", "q1", "correct")  # of which an earlier decision knows nothing
    assert [then["look"] for then in said.values()] == [1, 2, 3]
    for number, then in said.items():
        bundle = audited(f"cand{number}")
        assert len(read_records(members(bundle)["ledger.jsonl"].splitlines(), "")["steps"]) == number
        assert "uncalibrated  yes" in readme_of(bundle)
        assert decided_again(bundle, monkeypatch) == then


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_run_that_was_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_lost: bool) -> None:
    runs = tmp_path / "runs"
    version(runs / "base", "v1", FEES)
    version(runs / "bad", "v2", WRONG)
    version(runs / "cand", "v2", ALSO_WRONG)
    _run(["gate", "runs/base", "runs/bad", "--gate", "gate.toml"])
    left = ["--without", "bad", "--reason", "the index was down"]
    assert _run(["gate", "runs/base", "runs/cand", "--gate", "gate.toml", "--uncalibrated", *left]) in (1, 3)
    then = decided(runs / "cand")
    if is_lost:
        shutil.rmtree(runs / "bad")
    bundle = audited("cand")
    assert "left out      bad, because: the index was down" in readme_of(bundle)
    assert ("others/2/manifest.json" in members(bundle)) is not is_lost
    assert decided_again(bundle, monkeypatch) == then


def test_runs_whose_labels_tell_of_the_grader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = tmp_path / "runs"
    old = version(runs / "old", "v0", {id: f"{fee}." for id, fee in FEES.items()})
    version(runs / "base", "v1", FEES)
    version(runs / "cand", "v2", WRONG)
    _run(["gate", "runs/old", "runs/base", "--gate", "gate.toml"])
    label(old, "q1", "correct")
    assert _run(["gate", "runs/base", "runs/cand", "--gate", "gate.toml"]) == 3
    then = decided(runs / "cand")
    bundle = audited("cand")
    assert "version v0: labels on its answers tell how far the grader errs" in readme_of(bundle)
    assert decided_again(bundle, monkeypatch) == then


def test_a_run_against_its_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version(tmp_path / "runs" / "base", "v1", FEES)
    shutil.copytree(tmp_path / "runs" / "base", tmp_path / "runs" / "copy")
    assert _run(["gate", "runs/base", "runs/copy", "--gate", "gate.toml"]) in (0, 3)
    then = decided(tmp_path / "runs" / "copy")
    assert decided_again(audited("copy"), monkeypatch) == then


def test_a_run_against_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version(tmp_path / "runs" / "base", "v1", FEES)
    assert _run(["gate", "runs/base", "runs/base", "--gate", "gate.toml"]) in (0, 3)
    then = decided(tmp_path / "runs" / "base")
    assert decided_again(audited("base"), monkeypatch) == then


def test_the_baseline_is_the_one_of_the_decision_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, answers in {"one": FEES, "two": {**FEES, "q1": "EUR 4"}, "cand": WRONG}.items():
        version(tmp_path / "runs" / name, name, answers)
    for base in ("one", "two", "one"):  # the third says what the first said
        _run(["gate", f"runs/{base}", "runs/cand", "--gate", "gate.toml", "--uncalibrated"])
    then = decided(tmp_path / "runs" / "cand")
    bundle = audited("cand")
    assert "base/  one, pipeline p, version one: the baseline" in readme_of(bundle)
    assert decided_again(bundle, monkeypatch) == then


def test_without_a_run_that_was_counted_it_is_said_that_it_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    version(tmp_path / "runs" / "base", "v1", FEES)
    version(tmp_path / "runs" / "cand", "v2", WRONG)
    assert _run(["gate", "runs/base", "runs/cand", "--gate", "gate.toml", "--uncalibrated"]) in (1, 3)
    (tmp_path / "runs" / "base").rename(tmp_path / "elsewhere")
    words = readme_of(audited("cand"))
    assert "it cannot be: the run runs/base is not in here" in words and "surefoot gate" not in words
    assert "no run runs/base, which the decision counted" in capsys.readouterr().err


def _rows(lines: bytes) -> list[Label]:
    return msgspec.convert([*read_records(lines.splitlines(), "")["labels"].values()], list[Label])
