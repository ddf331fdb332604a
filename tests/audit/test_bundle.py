"""Bundles of real runs, graded and compared by the real commands, and what becomes of them in other hands."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from surefoot.cli.main import _run
from surefoot.errors import UsageError
from surefoot.io import gatefiles
from surefoot.ledger import Ledger
from surefoot.ledger.exports import read_records
from surefoot.ledger.places import run_id
from surefoot.records import Certificate, Label, RunEntry
from surefoot.services.audit import Fault, Verified, verify_audit
from surefoot.services.audit_readme import INDEX, SUMS
from surefoot.store import Manifest, RunStore, fingerprint
from surefoot.types import Passage, Question, Retrieved, Trace
from tests.ledger.rows import CERTIFICATE

FEES = {"q1": "EUR 5", "q2": "EUR 6", "q3": "EUR 7"}


def made(folder: Path, said: dict[str, str], *, deterministic: bool = False) -> Path:
    questions = [
        Question(id, f"What is fee {id}?", "answer", gold_claims=(f"It is {fee}.",)) for id, fee in FEES.items()
    ]
    manifest = Manifest(
        name=folder.name, pipeline="p", repeats=1, seed=0, questions_sha256=fingerprint(questions),
        question_count=len(FEES), corpus_sha256="corpus", created=f"2026-01-01T00:00:00+00:00 {folder.name}",
        deterministic=deterministic,
    )  # fmt: skip
    with RunStore.create(folder, manifest, questions) as store:
        for id, fee in FEES.items():
            passages = Retrieved([Passage(id, f"The fee {id} is {fee}.")])
            store.append_trace(Trace(question_id=id, answer=f"The fee {id} is {said[id]} [{id}].", retrieved=passages))
    assert _run(["grade", str(folder), "--grader", "rules"]) == 0
    return folder


@pytest.fixture
def runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run that was compared with another, and a label that was changed."""
    base = made(tmp_path / "runs" / "base", FEES, deterministic=True)
    cand = made(tmp_path / "runs" / "cand", {**FEES, "q3": "EUR 9"}, deterministic=True)
    assert _run(["gate", str(base), str(cand), "--uncalibrated", "--report", str(cand / "report.html")]) == 1
    with Ledger.open(tmp_path / "runs" / "surefoot.db") as ledger:
        manifest = RunStore.open(cand).manifest
        version = RunStore.open(cand).versions()["q3", 1]
        said = {
            "annotator": "ann",
            "question_id": "q3",
            "axis": "factuality",
            "version": version,
            "run": run_id(manifest),
        }
        ledger.add([
            Label(id="l1", at="2026-01-01T00:00:00+00:00", value="correct", **said),  # type: ignore[arg-type]
            Label(id="l2", at="2026-01-02T00:00:00+00:00", value="wrong", **said),  # type: ignore[arg-type]
            Label(id="l3", at="2026-01-02T00:00:00+00:00", value="wrong", **{**said, "version": "of another run"}),  # type: ignore[arg-type]
        ])  # fmt: skip
    capsys.readouterr()
    return tmp_path / "runs"


@pytest.fixture
def bundle(runs: Path) -> Path:
    assert _run(["audit", str(runs / "cand")]) == 0
    return runs / "cand.audit.zip"


def members(bundle: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(bundle) as file:
        return {name: file.read(name) for name in file.namelist()}


def rewritten(bundle: Path, change: Callable[[dict[str, bytes]], object], *, sums: bool = False) -> Verified:
    """What becomes of a bundle that somebody has changed, and may have written new hashes into."""
    content = members(bundle)
    change(content)
    if sums:
        lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in content.items() if name != SUMS]
        content[SUMS] = "".join(lines).encode()
    other = bundle.with_name("other.zip")
    with zipfile.ZipFile(other, "w") as file:
        for name, data in content.items():
            file.writestr(name, data)
    return verify_audit(other)


def test_all_that_a_reviewer_needs_is_in_it(bundle: Path, runs: Path) -> None:
    content = members(bundle)
    assert content.keys() == {
        *(f"{part}/{name}" for part in ("run", "base") for name in ("manifest.json", "questions.jsonl", "traces.jsonl",
                                                                    "verdicts.jsonl")),
        "run/decision.json", "ledger.jsonl", "rules/gate.toml", "rules/rubric.toml",
        "attached/report.html", "README.txt", INDEX, SUMS,
    }  # fmt: skip
    assert content["run/traces.jsonl"] == (runs / "cand" / "traces.jsonl").read_bytes()
    records = read_records(content["ledger.jsonl"].splitlines(), "")
    assert [row.id for row in msgspec.convert([*records["labels"].values()], list[Label])] == ["l1", "l2"]
    assert {row.path for row in msgspec.convert([*records["runs"].values()], list[RunEntry])} == {"run", "base"}
    assert len(records["steps"]) == 1
    assert gatefiles.parse(content["rules/gate.toml"].decode(), "").rules == gatefiles.load("ship")
    assert "3 questions" in content["README.txt"].decode()
    assert msgspec.json.decode(content[INDEX])["lacks"] == []
    found = verify_audit(bundle)
    assert found.sound and found.faults == () and found.sha256 == hashlib.sha256(bundle.read_bytes()).hexdigest()
    assert (runs / "cand.audit.zip.sha256").read_text() == f"{found.sha256}  cand.audit.zip\n"


def test_the_certificates_of_the_grader_at_the_decision_are_in_it(runs: Path) -> None:
    grader = RunStore.open(runs / "cand").manifest.grader or ""
    with Ledger.open(runs / "surefoot.db") as ledger:
        ledger.add([
            replace(CERTIFICATE, id="its", grader=grader),
            replace(CERTIFICATE, id="later", grader=grader, at="2999-01-01T00:00:00+00:00"),
            replace(CERTIFICATE, id="another's", grader="rules@1"),
        ])  # fmt: skip
    assert _run(["audit", str(runs / "cand")]) == 0
    records = read_records(members(runs / "cand.audit.zip")["ledger.jsonl"].splitlines(), "")
    assert [row.id for row in msgspec.convert([*records["certificates"].values()], list[Certificate])] == ["its"]


def test_the_same_contents_give_the_same_bytes(bundle: Path, runs: Path, tmp_path: Path) -> None:
    for place in ("again.zip", "once-more.zip"):
        assert _run(["audit", str(runs / "cand"), "--out", str(tmp_path / place)]) == 0
        assert (tmp_path / place).read_bytes() == bundle.read_bytes()


def test_a_changed_a_missing_and_an_added_member_are_named(bundle: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        content["run/verdicts.jsonl"] = content["run/verdicts.jsonl"].replace(b"wrong", b"right")
        del content["ledger.jsonl"]
        content["../../evil.txt"] = b"x"

    found = rewritten(bundle, change)
    assert not found.sound
    assert found.faults == (
        Fault("../../evil.txt", f"is extra: {SUMS} does not have it"),
        Fault("ledger.jsonl", "is missing"),
        Fault("run/verdicts.jsonl", "was changed"),
    )
    assert not (bundle.parent.parent.parent / "evil.txt").exists()


def test_no_byte_of_a_member_can_change_unnoticed(bundle: Path) -> None:
    for name, data in members(bundle).items():
        half = len(data) // 2
        changed = data[:half] + bytes([data[half] ^ 1]) + data[half + 1 :]
        try:
            assert not rewritten(bundle, lambda content, new={name: changed}: content.update(new)).sound  # type: ignore[misc]
        except UsageError as error:  # the list of hashes itself
            assert SUMS in str(error)


def test_the_hash_of_the_whole_is_held_against_what_was_told(bundle: Path) -> None:
    sha256 = verify_audit(bundle).sha256
    assert verify_audit(bundle, expect=sha256.upper()).sound
    assert not verify_audit(bundle, expect="0" * 64).sound
    for whole in ("", "junk", sha256[:12], f"{sha256}0"):
        with pytest.raises(UsageError, match="64 hexadecimal digits"):
            verify_audit(bundle, expect=whole)
    line = bundle.with_name(f"{bundle.name}.sha256").read_text()
    assert verify_audit(bundle, expect=line).held_against == "--expect"
    assert verify_audit(bundle).held_against == f"{bundle.name}.sha256"
    bundle.write_bytes(bundle.read_bytes() + b"x")
    assert verify_audit(bundle).faults[0] == Fault(bundle.name, f"its hash is not the one in {bundle.name}.sha256")


def test_it_is_said_when_only_the_inside_was_checked(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = bundle.with_name("alone.zip")
    shutil.copy(bundle, alone)
    capsys.readouterr()
    assert _run(["audit", "--verify", str(alone)]) == 0
    assert "only its inside was checked" in capsys.readouterr().out
    assert _run(["audit", "--verify", str(alone), "--json"]) == 0
    assert msgspec.json.decode(capsys.readouterr().out)["held_against"] == ""
    assert _run(["audit", "--verify", str(alone), "--expect", verify_audit(bundle).sha256]) == 0
    assert "only its inside" not in capsys.readouterr().out


def test_a_file_that_is_no_bundle_is_said_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("a.txt", "a")
    assert _run(["audit", "--verify", str(other)]) == 2
    assert "other.zip is not an audit bundle: it has no file SHA256SUMS\n" in capsys.readouterr().err


def test_a_damaged_directory_is_no_fault_of_ours(bundle: Path) -> None:
    """Offsets, counts and sizes that lead nowhere. Dates and attributes of a member mean nothing."""
    data, other = bundle.read_bytes(), bundle.with_name("other.zip")
    starts = len(data) - 22, data.index(b"PK\1\2") + 8
    for at in (start + step for start in starts for step in range(0, 22, 2)):
        other.write_bytes(data[:at] + b"\xff" + data[at + 1 :])
        assert _run(["audit", "--verify", str(other)]) in (0, 1, 2)


@pytest.mark.parametrize("name", ["a\nb.txt", "a\u2028b.txt", "\x85.txt", "a\\b.txt", "a\udcffb.txt"])
def test_a_file_whose_name_cannot_be_listed_is_not_attached(
    runs: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text("x")
    assert _run(["audit", str(runs / "cand"), "--attach", str(tmp_path / name)]) == 2
    assert "cannot be attached" in capsys.readouterr().err
    assert not (runs / "cand.audit.zip").exists()


def test_any_other_name_can_be_attached_and_verified(runs: Path, tmp_path: Path) -> None:
    names = ["x  y.txt", " .txt", ".hidden", "\u00e9\u4e2d\U0001f600.txt", SUMS]
    for name in names:
        (tmp_path / name).write_text("x")
    assert (
        _run(["audit", str(runs / "cand"), *(part for name in names for part in ("--attach", str(tmp_path / name)))])
        == 0
    )
    found = verify_audit(runs / "cand.audit.zip")
    assert found.sound, found.faults


def test_only_an_earlier_bundle_is_written_over(runs: Path, tmp_path: Path, bundle: Path) -> None:
    cand, text, ledger = runs / "cand", tmp_path / "notes.zip", runs / "surefoot.db"
    text.write_text("precious")
    shutil.copy(ledger, tmp_path / "ledger.zip")
    for out in (
        ledger,
        runs / "surefoot.db-wal",
        cand / "traces.jsonl",
        text,
        tmp_path / "ledger.zip",
        tmp_path / "x.txt",
    ):
        before = out.read_bytes() if out.exists() else None
        assert _run(["audit", str(cand), "--out", str(out)]) == 2, out
        assert (out.read_bytes() if out.exists() else None) == before
    assert _run(["audit", str(cand), "--out", str(bundle)]) == 0
    (tmp_path / "new.zip.sha256").write_text("precious")
    assert _run(["audit", str(cand), "--out", str(tmp_path / "new.zip")]) == 2


def test_a_full_disk_is_named(runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("surefoot.services.audit._put", full)
    assert _run(["audit", str(runs / "cand")]) == 4
    assert "cand.audit.zip cannot be written: No space left" in capsys.readouterr().err


def test_a_ledger_that_cannot_be_written_to_is_read(
    runs: Path, monkeypatch: pytest.MonkeyPatch, bundle: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr("surefoot.ledger.database._is_writable", lambda _: False)
    assert _run(["audit", str(runs / "cand"), "--out", str(tmp_path / "again.zip")]) == 0
    assert (tmp_path / "again.zip").read_bytes() == bundle.read_bytes()


def test_what_the_bundle_lacks_is_named_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path / "alone", FEES)
    (tmp_path / "alone" / "verdicts.jsonl").unlink()
    assert _run(["audit", str(tmp_path / "alone"), "--json"]) == 0
    written = msgspec.json.decode(capsys.readouterr().out.splitlines()[-1])
    for what in ("verdicts", "decision", "labels", "history", "rules", "report"):
        assert any(lack.startswith(f"no {what}") for lack in written["lacks"]), what
    assert b"no labels: nobody has labelled these answers" in members(tmp_path / "alone.audit.zip")["README.txt"]
    found = verify_audit(tmp_path / "alone.audit.zip")
    assert found.sound and list(found.lacks) == written["lacks"]


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("cand/traces.jsonl", "EUR 9", "EUR 7", "run: the verdicts are on other answers"),
        ("base/questions.jsonl", "fee q1", "fee q0", "base: the questions are not those that the manifest names"),
        ("cand/verdicts.jsonl", '"wrong"', '"correct"', "run: the verdicts are not those that rules"),
        (
            "cand/decision.json",
            '"BLOCK"',
            '"SHIP"',
            "run/decision.json: it says SHIP, and the gate's history says BLOCK",
        ),
        ("cand/decision.json", "{", "[", "run/decision.json: it cannot be read"),
    ],
)
def test_what_does_not_fit_is_said_when_the_bundle_is_made(
    runs: Path, file: str, old: str, new: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (runs / file).read_text()
    assert old in content
    (runs / file).write_text(content.replace(old, new))
    assert _run(["audit", str(runs / "cand"), "--base", str(runs / "base")]) == 4
    assert words in capsys.readouterr().err
    found = verify_audit(runs / "cand.audit.zip")
    assert found.sound and any(words in remark for remark in found.remarks)


def test_files_that_are_no_bundles_are_named(tmp_path: Path, bundle: Path) -> None:
    text, empty, cut = (tmp_path / name for name in ("a.zip", "b.zip", "d.zip"))
    text.write_text("no zip file")
    zipfile.ZipFile(empty, "w").close()
    cut.write_bytes(bundle.read_bytes()[:3_000])
    for path in (text, empty, cut, tmp_path / "none.zip", tmp_path):
        with pytest.raises(UsageError):
            verify_audit(path)
        assert _run(["audit", "--verify", str(path)]) == 2


def test_a_damaged_member_is_named(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as file:
        at = file.getinfo("run/traces.jsonl").header_offset + 60
    data = bundle.read_bytes()
    other = bundle.with_name("other.zip")
    other.write_bytes(data[:at] + bytes(byte ^ 255 for byte in data[at : at + 40]) + data[at + 40 :])
    assert verify_audit(other).faults == (Fault("run/traces.jsonl", "was changed"),)


def test_names_that_occur_twice_and_lists_that_are_none(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr("run/verdicts.jsonl", "{}")
    assert Fault("run/verdicts.jsonl", "is there more than once") in verify_audit(bundle).faults
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
        file.writestr(SUMS, "nonsense\n")
    with pytest.raises(UsageError, match="no hashes"):
        verify_audit(tmp_path / "x.zip")


def test_usage(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cand = str(runs / "cand")
    for arguments in (
        ["audit"], ["audit", cand, "--verify", "x.zip"], ["audit", str(runs)], ["audit", cand, "--out", "no/x.zip"],
        ["audit", cand, "--ledger", str(tmp_path / "none.db")], ["audit", cand, "--attach", "none.html"],
        ["audit", cand, "--expect", "0" * 64], ["audit", "--verify", "none.zip", "--expect", "junk"],
    ):  # fmt: skip
        assert _run(arguments) == 2, arguments
    report = runs / "cand" / "report.html"
    (tmp_path / "report.html").write_text("x")
    assert _run(["audit", cand, "--attach", str(report), "--attach", str(tmp_path / "report.html")]) == 2
    assert "two files to attach" in capsys.readouterr().err
    assert not (runs / "cand.audit.zip").exists()
