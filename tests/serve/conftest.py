"""A project with a past: versions that got better, a decision, labels, hostile texts, and runs that cannot be read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of, run_id

from surefoot.records import Label
from surefoot.services.council_runs import council_runs
from surefoot.services.gate import gate
from surefoot.store import Manifest, RunStore
from surefoot.types import Passage, Question, Retrieved, Trace, Verdict
from tests.conftest import append_verdicts
from tests.report.hostile import HOSTILE
from tests.reviewers.runs import Reviewer
from tests.served import Server, ending_well

from ..browser import _watched, browser, console, page, window  # noqa: F401 - fixtures

GRADER = "rules@1"
COUNT = 24


def make_run(folder: Path, version: str, wrong: int, day: int, name: str = "", foreign: str = "") -> RunStore:
    """So many of its answers are wrong, and the others correct."""
    manifest = Manifest(
        name=name or folder.name, pipeline="test", version=version, repeats=1, seed=0, questions_sha256="0" * 64,
        question_count=COUNT, grader=GRADER, created=f"2026-03-{day:02}T10:00:00+00:00",
    )  # fmt: skip
    questions = [
        Question(f"q{n}", f"What colour is door {n}?", "answer", stratum="doors", gold_claims=("Red.",))
        for n in range(COUNT)
    ]
    with RunStore.create(folder, manifest, questions) as store:
        for n in range(COUNT):
            passages = (Passage(f"doors#{n}", f"Door {n} was painted red. {foreign}", "Doors", 2),)
            said = f"Door {n} is {'blue' if n < wrong else 'red'} by {version} [doors#{n}]. {foreign}"
            store.append_trace(Trace(f"q{n}", answer=said, retrieved=Retrieved(passages)))
        buckets = ["wrong" if n < wrong else "correct" for n in range(COUNT)]
        append_verdicts(store, [Verdict(f"q{n}", "factuality", bucket, GRADER) for n, bucket in enumerate(buckets)])
        store.amend(graded_sha256=store.answers_sha256())
    return RunStore.open(folder)


def make_project(home: Path) -> Path:
    """Where its ledger lies."""
    made = [make_run(home / name, version, wrong, day) for name, version, wrong, day in (
        ("first", "v1", 12, 1), ("second", "v2", 8, 2), ("second-again", "v2", 6, 3), ("third", "v3", 14, 4),
        ("gone", "v0", 1, 5),
    )]  # fmt: skip
    with Ledger.open(home / "surefoot.db") as ledger:
        for store in made:
            ledger.add_run(entry_of(store))
        run = run_id(made[3].manifest)
        versions = made[3].versions()
        ledger.add(
            Label(id=f"l{n}", at="2026-03-05T10:00:00+00:00", annotator="ann", question_id=f"q{n}", axis="factuality",
                  value="wrong" if n < 14 else "correct", version=versions[f"q{n}", 1], run=run)
            for n in range(8, 20)
        )  # fmt: skip
    gate(home / "first", home / "third", rules=["wrong <= baseline", "correct >= 0.1"])
    shutil.rmtree(home / "gone")
    council_runs(home / "first", home / "third", reviewers=[Reviewer("mild"), Reviewer("harsh", lambda _: [4] * 5)])
    (home / "broken").mkdir()
    (home / "broken" / "manifest.json").write_text("{", "utf-8")
    make_run(home / "fourth", "v4", 2, 6)  # which the ledger does not know
    foreign = " ".join(HOSTILE)
    make_run(home / "fifth", f"v5 {foreign}", 3, 7, f"../'\"><script>window.hit=1</script> {foreign}", foreign)
    return home / "surefoot.db"


@pytest.fixture(scope="package")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="package")
def site(project: Path) -> Iterator[Server]:
    with ending_well(Server("serve", "--ledger", str(project))) as server:
        yield server
