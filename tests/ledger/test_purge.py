"""What is purged is gone, byte by byte, from the ledger and from runs; that it was purged stays on record."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import text

import surefoot
from surefoot.errors import Incomplete
from surefoot.ledger import Ledger
from surefoot.ledger.places import run_id
from surefoot.models.cache import Cache, default_path
from surefoot.models.seam import Reply
from surefoot.store import RunStore
from tests.in_process import surefoot as cli
from tests.ledger.rows import SCORE, label

SECRET = "Ms Ottoline Wrexham-Vane"
OTHER = "Mr Barnaby Quill"


def log(folder: Path) -> Path:
    file = folder / "log.jsonl"
    rows = [
        {"question": f"What is the rent of {SECRET}?", "answer": f"The rent of {SECRET} is 900 pounds.",
         "chunks": [{"id": "a", "text": f"The rent of {SECRET} is 900 pounds."}], "user_id": "u-1"},
        {"question": "What is the notice?", "answer": f"{OTHER} gives two months of notice.",
         "chunks": [{"id": "b", "text": f"{OTHER} gives two months of notice."}], "user_id": "u-2"},
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A graded log of two people's questions, outside of the log's folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    surefoot.grade_log(log(tmp_path), out="runs/first", grader="rules")
    return tmp_path / "project"


def label_answers(place: str, run: Path) -> None:
    """A label on each answer, by file: the note quotes what the answer is about."""
    store = RunStore.open(run)
    file = run.parent / "labels.jsonl"
    notes = {one.question_id: (one.answer or "") for one in store.traces()}
    rows = [{"question_id": key, "axis": "factuality", "value": "correct", "note": note, "annotator": "ann"}
            for key, note in notes.items()]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    surefoot.import_labels(file, run=run, ledger=place)
    file.unlink()


def bytes_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def test_all_about_a_person_is_gone_and_the_rest_stays(project: Path, place: str) -> None:
    place = place if "://" in place else str(project / "surefoot.db")
    label_answers(place, project / "runs/first")
    Cache(default_path()).put("d", "m", Reply(text="something else"))
    shown = surefoot.purge(subject="u-1", ledger=place)
    assert (shown["erased"], shown["rows"]) == (
        False,
        {"labels": 1, "scores": 0, "replies": 0, "answers": 1, "runs": 0},
    )
    assert SECRET.encode() in bytes_in(project)

    done = surefoot.purge(subject="u-1", ledger=place, yes=True)
    assert (done["erased"], done["rows"]) == (True, shown["rows"])
    left = bytes_in(project.parent / "project")
    assert SECRET.encode() not in left
    assert OTHER.encode() in left
    with Ledger.open(place) as ledger:
        assert [OTHER in one.note for one in ledger.labels()] == [True]
        record = ledger.purges()[0]
    assert record.subject_sha256 == hashlib.sha256(b"u-1").hexdigest()
    assert "u-1" not in msgspec.json.encode(record).decode()
    assert record.rows["answers"] == 1
    assert record.by


def test_what_came_through_a_monitor_is_found_by_the_id_that_the_log_had(tmp_path: Path) -> None:
    """Log, monitor, its file of bad answers, a run of these: only a hash of the person travels."""
    rows = [
        {"trace_id": f"t{n}", "question": f"What is the fee of {n}?", "answer": f"The fee of {n} is EUR 9 [a].",
         "chunks": [{"id": "a", "text": f"The fee of {n} is EUR 5."}], "user_id": f"u{n}@acme.com"}
        for n in (1, 2)
    ]  # fmt: skip
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    surefoot.monitor_log(tmp_path / "log.jsonl", sample=1, bad=tmp_path / "bad.jsonl", grader="rules")
    assert b"u1" not in (tmp_path / "bad.jsonl").read_bytes()
    surefoot.grade_log(tmp_path / "bad.jsonl", out=tmp_path / "runs/bad", grader="rules")
    done = surefoot.purge(subject="u1@acme.com", ledger=tmp_path / "runs/surefoot.db", yes=True)
    assert done["rows"]["answers"] == 1 and b"fee of 1" not in bytes_in(tmp_path / "runs")


def test_nobody_is_told_that_a_person_who_was_not_found_is_erased(project: Path) -> None:
    for more in ((), ("--yes",)):
        done = cli("ledger", "purge", "--subject", "nobody", "--ledger", "runs/surefoot.db", *more)
        assert done.code == 4 and done.out.startswith("nothing found to erase: 0 ")
        assert "looked for nobody in 2 answers of 1 run; 0 answers of these name no person" in done.err
    with Ledger.open("runs/surefoot.db") as ledger:
        assert ledger.purges() == []


def test_a_purged_run_can_be_graded_and_audited(project: Path) -> None:
    label_answers("runs/surefoot.db", project / "runs/first")
    surefoot.purge(subject="u-1", ledger="runs/surefoot.db", yes=True)
    store = RunStore.open("runs/first")
    assert [question.text for question in store.questions()] == ["What is the notice?"]
    assert not store.is_graded_otherwise()
    again = surefoot.grade("runs/first", grader="rules")
    assert (again.exit_code, len(again.table())) == (0, 1)
    made = surefoot.audit("runs/first")
    assert surefoot.verify_audit(made["file"]).exit_code == 0
    assert any(line.startswith("purged by") and "1 label" in line for line in made["lacks"])
    assert not made["remarks"]
    with Ledger.open("runs/surefoot.db") as ledger:
        assert run_id(RunStore.open("runs/first").manifest) in {entry.id for entry in ledger.runs()}


def test_what_is_old_goes_as_a_whole(project: Path) -> None:
    with Ledger.open("runs/surefoot.db") as ledger:
        ledger.add([label(1, note=SECRET), label(2, at="2999-01-01T00:00:00.000000+00:00")])
        ledger.add([SCORE])
    old = RunStore.open("runs/first", writing=True)
    old.amend(created="2020-01-01T00:00:00.000000+00:00")
    old.close()
    done = surefoot.purge(older_than=30, ledger="runs/surefoot.db", yes=True)
    assert done["rows"] == {"labels": 1, "scores": 1, "replies": 0, "answers": 2, "runs": 1}
    assert not Path("runs/first").exists()
    assert SECRET.encode() not in bytes_in(project)


def test_rows_still_cannot_be_deleted_by_hand(place: str) -> None:
    with Ledger.open(place) as ledger:
        ledger.add([label(1, subject="u-1"), label(2)])
        surefoot.purge(subject="u-1", ledger=place, yes=True)
        for statement in ("DELETE FROM labels", "DELETE FROM purges", "UPDATE purges SET by = 'nobody'"):
            with pytest.raises(Incomplete, match="added, never changed"), ledger.database.writing() as connection:
                connection.execute(text(statement))
        assert [one.id for one in ledger.labels()] == ["label-2"]


def test_a_ledger_of_before_gets_the_table(place: str) -> None:
    with Ledger.open(place) as ledger, ledger.database.writing() as connection:
        connection.execute(text("DROP TABLE purges"))
        connection.execute(text("DELETE FROM surefoot_ledger"))
        connection.execute(text("INSERT INTO surefoot_ledger VALUES (3, '')"))
    with Ledger.open(place) as ledger:
        assert ledger.purges() == []


def test_a_run_that_cannot_be_read_is_named(project: Path) -> None:
    (project / "runs/first/manifest.json").write_text('{"surefoot_run": 1, "name"')
    done = cli("ledger", "purge", "--subject", "u-1", "--yes")
    assert done.code == 4
    assert "warning: not purged: " in done.err


def test_nothing_is_erased_without_yes(project: Path) -> None:
    (project / "manifest.json").write_text('{"name": "an app of somebody else"}')
    before = bytes_in(project)
    shown = cli("ledger", "purge", "--subject", "u-1")
    assert shown.code == 0
    assert "would be erased: 1 answer and 0 runs" in shown.out
    assert "--yes erases it" in shown.err
    assert bytes_in(project) == before
    assert cli("ledger", "purge").code == 2
    for more in ((), ("--yes",)):
        slip = cli("ledger", "purge", "--older-than", "3", "--ledger", "typo.db", *more)
        assert slip.code == 2 and "there is no ledger typo.db" in slip.err and "hint:" in slip.err
    assert bytes_in(project) == before and not (project / "typo.db").exists()
    done = cli("ledger", "purge", "--subject", "u-1", "--yes", "--json")
    assert json.loads(done.out)["rows"]["answers"] == 1
    assert SECRET.encode() not in bytes_in(project)
