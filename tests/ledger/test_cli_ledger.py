"""`surefoot export` and `surefoot import` as a user types them."""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from surefoot.cli.main import _run
from surefoot.errors import Incomplete
from surefoot.ledger import Ledger
from surefoot.records import current
from surefoot.store import Manifest, RunStore, fingerprint
from surefoot.types import Question, Retrieved, Trace
from tests.conftest import Write
from tests.ledger.rows import STEP, label


class Typed(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.out)


Type = Callable[..., Typed]


@pytest.fixture
def surefoot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Type:
    """A command in this process: a new one for each would take most of the time."""
    monkeypatch.chdir(tmp_path)

    def typed(*arguments: str | Path) -> Typed:
        code = _run([str(argument) for argument in arguments])
        return Typed(code, *capsys.readouterr())

    return typed


@pytest.fixture
def run(tmp_path: Path) -> Path:
    questions = [Question(f"q{number}", f"What is {number}?", "answer") for number in range(1, 5)]
    manifest = Manifest(
        name="first", pipeline="p", repeats=2, seed=0, questions_sha256=fingerprint(questions), question_count=4,
        rubric="refusal", created="2026-01-01T00:00:00+00:00",
    )  # fmt: skip
    with RunStore.create(tmp_path / "runs" / "first", manifest, questions) as store:
        for question in questions:
            for attempt in (1, 2):
                store.append_trace(
                    Trace(question_id=question.id, attempt=attempt, answer=f"{attempt}.", retrieved=Retrieved())
                )
    return tmp_path / "runs" / "first"


def test_a_ledger_moves_between_files_and_a_server(
    surefoot: Type, tmp_path: Path, on_server: Callable[[], str]
) -> None:
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add([label(1), label(2)])
        ledger.add([STEP])
    url = on_server()
    for name in ("a.jsonl", "a.jsonl.gz", "a.jsonl.zst"):
        done = surefoot("export", name)
        assert done.code == 0 and "1 step, 0 runs, 0 scores, 0 purges and 0 replies" in done.out, done.err
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
        done = surefoot("import", name, "--ledger", url, "--json")
        assert done.code == 0 and done.json["rows"]["labels"] == 2
        assert done.json["new"]["labels"] == (2 if name == "a.jsonl" else 0)
        there, back = tmp_path / name, tmp_path / f"b{name}"
        done = surefoot("export", back, "--ledger", url, "--json")
        assert done.code == 0 and done.json["rows"]["steps"] == 1 and len(done.json["sha256"]) == 64
        assert there.read_bytes() == back.read_bytes()


def test_what_cannot_be_moved_is_said(surefoot: Type, tmp_path: Path, write: Write, run: Path) -> None:
    done = surefoot("export", "a.jsonl")
    assert done.code == 2 and "there is no ledger" in done.err and not (tmp_path / "a.jsonl").exists()
    Ledger.open(tmp_path / "surefoot.db").close()
    assert surefoot("export", "no/a.jsonl").code == 2
    assert surefoot("export", "a.jsonl.gz").code == 0
    whole = (tmp_path / "a.jsonl.gz").read_bytes()
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[:-12])
    done = surefoot("import", "cut.jsonl.gz")
    assert done.code == 4 and "cut.jsonl.gz cannot be decompressed" in done.err
    done = surefoot("import", "surefoot.db")
    assert done.code == 2 and "is a ledger itself" in done.err
    done = surefoot("import", "a.jsonl.gz", "--run", run)
    assert done.code == 2 and "leave --run out" in done.err


def test_labels_made_elsewhere_come_in_and_may_come_again(surefoot: Type, tmp_path: Path, run: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_text('question_id,attempt,factuality,annotator,note\nq1,1,correct,ann,\nq1,2,wrong,ann,"so, ""no"""\n')
    for new in (2, 0):
        done = surefoot("import", table, "--run", run, "--json")
        assert done.code == 0 and done.json["new"] == {"labels": new}, done.err
    table.write_text(table.read_text().replace("q1,1,correct", "q1,1,unsupported"))
    assert surefoot("import", table, "--run", run, "--json").json["new"] == {"labels": 1}
    with Ledger.open(tmp_path / "runs" / "surefoot.db") as ledger:
        assert {row.value for row in current(ledger.labels())} == {"unsupported", "wrong"}
        assert sorted(str(row.value) for row in ledger.labels()) == ["correct", "unsupported", "wrong"]
        assert all(row.version and row.run == ledger.runs()[0].id for row in ledger.labels())
        assert {row.note for row in ledger.labels()} == {"", 'so, "no"'}


def test_labels_picked_by_hand_are_no_sample(surefoot: Type, tmp_path: Path, run: Path, write: Write) -> None:
    rows = ["question_id,factuality,drawn", "q1,wrong,chosen", "q2,correct,", "q3,correct,sample"]
    assert surefoot("import", write("labels.csv", rows), "--run", run).code == 0
    with Ledger.open(tmp_path / "runs" / "surefoot.db") as ledger:
        found = {row.question_id: (row.drawn, row.annotator) for row in ledger.labels()}
    assert found == {"q1": ("chosen", "unnamed"), "q2": ("sample", "unnamed"), "q3": ("sample", "unnamed")}
    assert surefoot("grade", run, "--grader", "rules").code == 0
    axis = surefoot("calibrate", run, "--json").json["axes"]["factuality"]
    assert axis["table"]["unsupported"] == {"correct": 2, "wrong": 0, "unsupported": 0, "refused": 0}
    assert axis["chosen"]["unsupported"]["wrong"] == 1


def test_picks_that_are_owned_up_to_later_are_no_sample_and_stay_none(
    surefoot: Type, tmp_path: Path, run: Path, write: Write
) -> None:
    plain = write("a.csv", ["question_id,factuality", "q1,wrong", "q2,correct"])
    picked = write("b.csv", ["question_id,factuality,drawn", "q1,wrong,chosen", "q2,correct,"])
    assert surefoot("grade", run, "--grader", "rules").code == 0
    for path, new in ((plain, 2), (picked, 1), (plain, 0), (picked, 0)):
        assert surefoot("import", path, "--run", run, "--json").json["new"] == {"labels": new}
    for labels in ([], ["--labels", plain]):
        axis = surefoot("calibrate", run, "--json", *labels).json["axes"]["factuality"]
        assert axis["table"]["unsupported"]["wrong"] == 0 and axis["chosen"]["unsupported"]["wrong"] == 1
    again = surefoot("calibrate", run, "--json", "--labels", write("c.csv", [*plain.read_text().split(), "q3,wrong"]))
    assert again.json["axes"]["factuality"]["table"]["unsupported"]["wrong"] == 1  # q3 alone


def test_a_label_dated_ahead_is_changed_by_a_file_without_times(
    surefoot: Type, tmp_path: Path, run: Path, write: Write
) -> None:
    ahead = (datetime.now(UTC) + timedelta(hours=20)).isoformat()
    first = write("a.csv", ["question_id,factuality,at", f"q1,wrong,{ahead}"])
    later = write("b.csv", ["question_id,factuality", "q1,correct"])
    for path, new in ((first, 1), (later, 1), (later, 0)):
        assert surefoot("import", path, "--run", run, "--json").json["new"] == {"labels": new}
    with Ledger.open(tmp_path / "runs" / "surefoot.db") as ledger:
        assert [row.value for row in current(ledger.labels())] == ["correct"]


def test_a_file_imported_by_many_at_once_comes_in_once(
    tmp_path: Path, run: Path, write: Write, shell_path: str
) -> None:
    rows = [f"q{number % 4 + 1},{number // 4 % 2 + 1},a{number // 8},wrong" for number in range(400)]
    table = write("labels.csv", ["question_id,attempt,annotator,factuality", *rows])
    command = ["surefoot", "import", str(table), "--run", str(run)]
    environment = {**os.environ, "PATH": shell_path}
    each = [subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) for _ in range(4)]
    assert [process.wait(timeout=600) for process in each] == [0] * 4
    with Ledger.open(tmp_path / "runs" / "surefoot.db") as ledger:
        assert len(ledger.labels()) == 400


def test_a_row_that_cannot_be_used_is_named_and_nothing_comes_in(
    surefoot: Type, tmp_path: Path, run: Path, write: Write
) -> None:
    rows: list[object] = [
        {"question_id": "q1", "axis": "factuality", "value": "correct", "grader": "human/ann"},
        {"question_id": "q2", "axis": "factuality", "value": "nearly", "grader": "human/ann"},
    ]
    path = write("labels.jsonl", rows)
    done = surefoot("import", path, "--run", run)
    assert done.code == 2 and "labels.jsonl:2" in done.err and "nothing was imported" in done.err
    assert Ledger.existing(tmp_path / "runs" / "surefoot.db") is None
    done = surefoot("import", write("one.jsonl", rows[:1]))
    assert done.code == 2 and "--run" in done.err
    done = surefoot("import", write("two.jsonl", [rows[0], {**rows[0], "question_id": "q9"}]), "--run", run)  # type: ignore[dict-item]
    assert done.code == 4 and "q9" in done.err and "1 label" in done.out
    assert "two.jsonl:2: " in done.err and "was left out" in done.err


def test_a_row_with_a_cell_too_many_keeps_all_out(surefoot: Type, tmp_path: Path, run: Path, write: Write) -> None:
    rows = ["question_id,note,factuality,annotator", "q1,,correct,ann", "q2,number is right,wrong,correct,ann"]
    done = surefoot("import", write("labels.csv", rows), "--run", run)
    assert done.code == 2 and "labels.csv:3" in done.err and "nothing was imported" in done.err
    assert Ledger.existing(tmp_path / "runs" / "surefoot.db") is None


def test_a_killed_export_leaves_the_earlier_one_whole(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add(label(number, note="x" * 500) for number in range(20_000))
    earlier = '{"surefoot_ledger":1,"rows":{}}\n'
    (tmp_path / "a.jsonl").write_text(earlier)
    beside = tmp_path / ".a.jsonl.new"
    for number in (signal.SIGKILL, signal.SIGINT):
        beside.unlink(missing_ok=True)
        command = [str(Path(sys.executable).parent / "surefoot"), "export", "a.jsonl"]
        process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
        while process.poll() is None and not (beside.exists() and beside.stat().st_size):
            time.sleep(0.001)
        os.kill(process.pid, number)
        _, errors = process.communicate(timeout=600)
        assert process.returncode != 0 and b"Traceback" not in errors
        assert (tmp_path / "a.jsonl").read_text() == earlier
    assert not beside.exists()  # whoever is asked politely cleans up


def test_the_graders_own_verdicts_are_no_labels(surefoot: Type, tmp_path: Path, run: Path, write: Write) -> None:
    assert surefoot("grade", run, "--grader", "rules").code == 0
    done = surefoot("import", run / "verdicts.jsonl", "--run", run)
    assert done.code == 2 and "holds the verdicts of the run, and no labels by people" in done.err
    (tmp_path / "copy.jsonl").write_bytes((run / "verdicts.jsonl").read_bytes())
    done = surefoot("import", "copy.jsonl", "--run", run)
    assert done.code == 2 and "no label by a person: this is a verdict by 'rules@" in done.err
    done = surefoot("calibrate", run, "--labels", "copy.jsonl")
    assert done.code == 2 and "no label by a person" in done.err
    row = {"question_id": "q1", "axis": "factuality", "value": "correct"}
    grader = RunStore.open(run).manifest.grader
    done = surefoot(
        "import", write("l.jsonl", [{**row, "annotator": grader}, {**row, "annotator": "ann"}]), "--run", run
    )
    assert done.code == 2 and "l.jsonl:1" in done.err and "nothing was imported" in done.err
    assert not (tmp_path / "runs" / "surefoot.db").exists()


def test_only_an_earlier_export_is_written_over(surefoot: Type, tmp_path: Path, run: Path) -> None:
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add([label(1)])
        for name in ("surefoot.db", "surefoot.db-wal", "surefoot.db-shm"):
            assert surefoot("export", name).code == 2
    os.link(tmp_path / "surefoot.db", tmp_path / "linked.jsonl")
    (tmp_path / "named.jsonl").symlink_to("surefoot.db")
    with Ledger.open(tmp_path / "other.jsonl"):
        pass
    (tmp_path / "labels.jsonl").write_text('{"question_id": "q1", "axis": "factuality", "value": "wrong"}\n')
    (tmp_path / "notes.txt").write_text("precious")
    (tmp_path / "folder.jsonl").mkdir()
    places = ["surefoot.db", "linked.jsonl", "named.jsonl", "other.jsonl", "labels.jsonl", "notes.txt", "x.csv"]
    paths: list[str | Path] = [*places, ".jsonl", "folder.jsonl", run / "traces.jsonl", run / "verdicts.jsonl"]
    for path in paths:
        place = tmp_path / path
        before = place.read_bytes() if place.is_file() else None
        done = surefoot("export", path)
        assert done.code == 2 and "hint: " in done.err, path
        assert (place.read_bytes() if place.is_file() else None) == before, path
    for _ in range(2):
        assert surefoot("export", "a.jsonl.gz").code == 0
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        assert ledger.labels() == [label(1)]


def test_an_export_with_a_mark_or_without_its_head(surefoot: Type, tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add([label(1), label(2)])
    assert surefoot("export", "a.jsonl").code == 0
    whole = (tmp_path / "a.jsonl").read_bytes()
    (tmp_path / "marked.jsonl").write_bytes(b"\xef\xbb\xbf\r\n\n" + whole)
    (tmp_path / "bom.jsonl").write_bytes(b"\xef\xbb\xbf" + whole.replace(b"\n", b"\r\n"))
    assert surefoot("import", "bom.jsonl", "--ledger", "b.db", "--json").json["new"]["labels"] == 2
    (tmp_path / "headless.jsonl").write_bytes(whole.partition(b"\n")[2])
    done = surefoot("import", "headless.jsonl", "--ledger", "c.db")
    assert done.code == 2 and "first line is missing" in done.err
    assert not (tmp_path / "c.db").exists()


def test_a_file_without_a_label_and_one_for_another_run_are_not_done(
    surefoot: Type, tmp_path: Path, run: Path, write: Write
) -> None:
    row = {"question_id": "q9", "axis": "factuality", "value": "wrong", "annotator": "a"}
    for path, words in (
        (write("empty.jsonl", []), "could not be read"),
        (write("e.csv", ["question_id,factuality", "q1,"]), "could not be read"),
        (write("others.jsonl", [row]), "no label in"),
    ):
        done = surefoot("import", path, "--run", run)
        assert done.code == 4 and words in done.err and "nothing was imported" in done.err
    done = surefoot("import", write("nul.jsonl", [{**row, "question_id": "q1", "note": "a\0b"}]), "--run", run)
    assert done.code == 2 and "NUL" in done.err
    assert not (tmp_path / "runs" / "surefoot.db").exists()


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_an_export_that_breaks_off_anywhere_is_noticed_and_no_ledger_is_made(
    surefoot: Type, tmp_path: Path, ending: str
) -> None:
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add(label(number, note=os.urandom(300).hex()) for number in range(500))
    assert surefoot("export", f"a.jsonl.{ending}").code == 0
    whole = (tmp_path / f"a.jsonl.{ending}").read_bytes()
    for cut in (10, len(whole) // 2, len(whole) - 1):
        (tmp_path / f"cut.jsonl.{ending}").write_bytes(whole[:cut])
        done = surefoot("import", f"cut.jsonl.{ending}", "--ledger", "new.db")
        assert done.code == 4 and "cannot be decompressed" in done.err
        assert not (tmp_path / "new.db").exists()


def test_a_ledger_on_a_read_only_disk_is_exported(
    surefoot: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.add([label(1)])
    assert surefoot("export", "a.jsonl").code == 0
    monkeypatch.setattr("surefoot.ledger.database._is_writable", lambda _: False)
    before = sorted(path.name for path in tmp_path.iterdir())
    assert surefoot("export", "a.jsonl").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    found = Ledger.existing(tmp_path / "surefoot.db")
    assert found is not None
    with found, pytest.raises(Incomplete, match="readonly"):
        found.add([label(2)])


def test_a_full_disk_is_named(surefoot: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Ledger.open(tmp_path / "surefoot.db").close()

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("surefoot.services.ledger.write_ledger", full)
    done = surefoot("export", "a.jsonl")
    assert done.code == 4 and "a.jsonl cannot be written: No space left" in done.err
    assert not (tmp_path / "a.jsonl").exists()
