"""What is purged is gone, byte by byte; that it was purged stays on record."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from sqlalchemy import text

import surefoot
from surefoot.core.records import Purge
from surefoot.models.replies import default_path
from surefoot.store import Project
from tests.in_process import surefoot as command
from tests.kept import kept

SECRET = "Ms Ottoline Wrexham-Vane"
OTHER = "Mr Barnaby Quill"


@pytest.fixture
def run(db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A graded log of two people's questions, each answer with a label that quotes it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rows = [
        {"question": f"What is the rent of {who}?", "answer": f"The rent of {who} is 900 pounds [{id}].",
         "chunks": [{"id": id, "text": f"The rent of {who} is 900 pounds."}], "user_id": f"u-{id}"}
        for who, id in ((SECRET, "a"), (OTHER, "b"))
    ]  # fmt: skip
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [made] = surefoot.grade_log(log, version="log", grader="rules").runs
    labels = [{"question_id": one.question_id, "axis": "factuality", "value": "correct", "note": one.answer,
               "annotator": "ann"} for one in kept(made).traces()]  # fmt: skip
    log.write_text("".join(json.dumps(row) + "\n" for row in labels))
    surefoot.import_(log, run=made)
    log.unlink()
    return made


def everything(db: str) -> str:
    """All bytes of the files, or all rows on the server."""
    if "://" not in db:
        return "".join(path.read_bytes().decode("latin-1") for path in Path(db).parent.glob("surefoot.db*"))
    with Project.existing() as project, project.database.reading() as connection:
        return str([connection.execute(text(f"SELECT * FROM {name}")).all()
                    for name in ("runs", "questions", "answers", "verdicts", "replies")])  # fmt: skip


def test_all_about_a_person_is_gone_and_the_rest_stays(db: str, run: str) -> None:
    with Project.open(default_path()) as project:
        project.replies.write("d" * 64, "m", b'"Of somebody"')
    with Project.existing() as project:
        project.replies.write("d" * 64, "m", b'"Of somebody"')
    shown = surefoot.purge(subject="u-a")
    assert (shown["erased"], shown["rows"]) == (False, {"answers": 1, "runs": 0, "labels": 1})
    assert SECRET in everything(db) and "--yes" in shown["notes"][-1]
    done = surefoot.purge(subject="u-a", yes=True)
    assert done["erased"] and done["rows"]["answers"] == done["rows"]["replies"] == 1 and done["rows"]["verdicts"] > 1
    left = everything(db)
    assert SECRET not in left and OTHER in left
    with Project.existing(default_path()) as project:
        assert project.replies.read("d" * 64) is None
    assert len(kept(run).traces()) == len(kept(run).questions()) == 1 and kept(run).verdicts()
    with Project.existing() as project:
        assert [one.subject for one in project.labels()] == ["u-b"]
        [record] = project._rows(Purge)
    assert record.subject_sha256 == hashlib.sha256(b"u-a").hexdigest() and record.rows == done["rows"]
    assert command("report", run).code == 0
    again = command("purge", "--subject", "u-a", "--yes")
    assert again.code == 4 and "nothing found to erase" in again.out
    with Project.existing() as project:
        assert len(project._rows(Purge)) == 1, "where nothing is found, nothing is recorded"


def test_what_is_too_old_goes_as_a_whole(db: str, run: str) -> None:
    kept(run).amend(created="2020-01-01T00:00:00.000000+00:00")
    new = surefoot.run(lambda _: "The documents do not say.", version="new")
    done = command("purge", "--older-than", "30", "--yes", "--json").json
    assert done["rows"]["runs"] == 1 and done["runs"] == [f"{run}: all of it"]
    with Project.existing() as project:
        assert [one.id for one in project.runs()] == [new.run] and not project.labels()
    assert SECRET not in everything(db) and OTHER not in everything(db)


@pytest.mark.parametrize("words", [[], ["--subject", "u-a", "--older-than", "3"], ["--older-than", "0"]])
def test_what_to_purge_has_to_be_said(db: str, run: str, words: list[str]) -> None:
    done = command("purge", *words, "--yes")
    assert done.code == 2 and "\nhint: " in done.err and len(kept(run).traces()) == 2
