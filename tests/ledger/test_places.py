from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of, find, is_ledger, run_id
from surefoot.records import version_of
from surefoot.store import Manifest, RunStore
from surefoot.types import Question, Trace

MANIFEST = Manifest(
    name="first", pipeline="p", repeats=1, seed=0, questions_sha256="q", question_count=1, created="2026-01-01"
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUREFOOT_LEDGER", raising=False)
    return tmp_path


def test_what_is_said_goes_first_then_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUREFOOT_LEDGER", "postgresql://team/db")
    assert find(Path("runs/a"), "mine.db") == "mine.db"
    assert find(Path("runs/a"), None) == "postgresql://team/db" == find(None, None)


def test_all_runs_of_a_project_share_the_one_beside_them(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find(Path("runs/a"), None) == "runs/surefoot.db"
    assert find(None, None) == "surefoot.db"
    (here / "surefoot.db").touch()  # one folder above the runs, there already
    assert Path(find(Path("runs/a"), None)) == here / "surefoot.db"
    (here / "runs" / "a").mkdir(parents=True)
    (here / "runs" / "surefoot.db").touch()
    assert find(Path("runs/a"), None) == "runs/surefoot.db"
    (here / "surefoot.db").unlink()
    assert find(None, None) == "runs/surefoot.db"
    monkeypatch.chdir(here / "runs" / "a")
    assert Path(find(Path(), None)) == here / "runs" / "surefoot.db"


def test_a_ledger_is_told_from_any_other_file(here: Path) -> None:
    Ledger.open("mine.sqlite").close()
    (here / "notes.txt").write_text("x" * 2_000)
    assert is_ledger("postgresql://host/db") and is_ledger("new/surefoot.db") and is_ledger(Path("mine.sqlite"))
    assert not is_ledger("notes.txt") and not is_ledger("none.db") and not is_ledger(here)


def test_a_run_is_the_same_wherever_it_lies_and_another_when_its_answers_change(here: Path) -> None:
    assert run_id(MANIFEST) == run_id(replace(MANIFEST, grader="rules@2", rubric="refusal"))
    changes: list[dict[str, str]] = [{"name": "b"}, {"created": "x"}, {"graded_sha256": "y"}, {"pipeline": "z"}]
    assert len({run_id(replace(MANIFEST, **change)) for change in changes} | {run_id(MANIFEST)}) == 5
    question = Question("q1", "Why?", "answer")
    with RunStore.create(here / "runs" / "a", MANIFEST, [question]) as store:
        trace = Trace(question_id="q1", answer="So.")
        store.append_trace(trace)
        assert store.versions() == {("q1", 1): version_of(question, trace)}
        entry = entry_of(store)
    assert (entry.id, entry.path, entry.manifest["pipeline"]) == (run_id(MANIFEST), str(here / "runs" / "a"), "p")
