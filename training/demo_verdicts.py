"""Grade the bundled answers of the demo anew, after the local grader has changed: python -m training.demo_verdicts"""

from __future__ import annotations

import tempfile
from pathlib import Path

import surefoot
from surefoot.cli.start import BASE, CANDIDATE
from surefoot.core.records import is_annotator
from surefoot.store import Project
from surefoot.store.export import Exported, add_export, read_export

_DEMO = Path(surefoot.__file__).parent / "demo"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "surefoot.db"
        for version in (BASE, CANDIDATE):
            file = _DEMO / f"{version}.jsonl.gz"
            found = read_export(file)
            labels = [row for row in found.rows["verdicts"] if is_annotator(row.grader)]  # type: ignore[attr-defined]
            with Project.open(db) as project:
                add_export(project, Exported(found.runs, {**found.rows, "verdicts": labels}), str(file))
            print(version, surefoot.grade(version, db=db))
            surefoot.export(file, version, db=db)


if __name__ == "__main__":
    main()
