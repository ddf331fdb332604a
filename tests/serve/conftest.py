"""A project with a past: versions that got better, a decision, labels, and hostile texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from surefoot.core.records import Label
from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict
from surefoot.jobs.council import council_runs
from surefoot.jobs.gate import gate
from tests.council.runs import Reviewer
from tests.kept import add_labels, keep_run, kept
from tests.report.hostile import HOSTILE
from tests.served import Server, ending_well

from ..browser import _watched, browser, console, page, window  # noqa: F401 - fixtures

GRADER = "rules@1"
COUNT = 24


def make_run(
    id: str, version: str, wrong: int, day: int, foreign: str = "", db: Path | None = None, **more: str
) -> str:
    """So many of its answers are wrong, and the others correct."""
    questions = [
        Question(f"q{n}", f"What colour is door {n}?", "answer", stratum="doors", gold_claims=("Red.",))
        for n in range(COUNT)
    ]
    traces = [
        Trace(f"q{n}", answer=f"Door {n} is {'blue' if n < wrong else 'red'} by {version} [doors#{n}]. {foreign}",
              retrieved=Retrieved([Passage(f"doors#{n}", f"Door {n} was painted red. {foreign}", "Doors", 2)]))
        for n in range(COUNT)
    ]  # fmt: skip
    buckets = ["wrong" if n < wrong else "correct" for n in range(COUNT)]
    said = [Verdict(f"q{n}", "factuality", bucket, GRADER) for n, bucket in enumerate(buckets)]
    created = f"2026-03-{day:02}T10:00:00+00:00"
    return keep_run(id, questions, traces, said, db, version=version, created=created, rubric_sha256="", **more)


def labels_on(id: str, values: Mapping[int, str], db: Path | None = None) -> list[Label]:
    keys = kept(id, db).answer_keys()
    return [
        Label(id=f"l{n}", at="2026-03-05T10:00:00+00:00", annotator="ann", question_id=f"q{n}", axis="factuality",
              value=value, version=keys[f"q{n}", 1], run=id)
        for n, value in values.items()
    ]  # fmt: skip


def make_project(db: Path) -> Path:
    for id, version, wrong, day in (
        ("first", "v1", 12, 1), ("second", "v2", 8, 2), ("second-again", "v2", 6, 3), ("third", "v3", 14, 4),
    ):  # fmt: skip
        make_run(id, version, wrong, day, db=db)
    add_labels(*labels_on("third", {n: "wrong" if n < 14 else "correct" for n in range(8, 20)}, db), db=db)
    gate("first", "third", rules=["wrong <= baseline", "correct >= 0.1"], db=db)
    council_runs("first", "third", reviewers=[Reviewer("mild"), Reviewer("harsh", lambda _: [4] * 5)], db=db)
    make_run("fourth", "v4", 2, 6, db=db)
    foreign = " ".join(HOSTILE).replace("\0", "")
    make_run("fifth", f"v5 <script>window.hit=1</script> {foreign}", 3, 7, foreign, db)
    return db


@pytest.fixture(scope="package")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("project") / "surefoot.db")


@pytest.fixture(scope="package")
def site(project: Path) -> Iterator[Server]:
    with ending_well(Server("serve", "--db", str(project))) as server:
        yield server
