"""What pytest offers where Surefoot is installed: a run of your pipeline, made once, and the project's baseline.

Loaded at every start of pytest, so it imports nothing heavy; `surefoot` loads its functions on first use.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import surefoot

_WORKER = "PYTEST_XDIST_WORKER"  # set in the processes of pytest-xdist
Pipeline = str | Callable[..., Any]


@pytest.fixture(scope="session")
def surefoot_run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`surefoot_run(pipeline, questions=..., grader=...)` asks a pipeline and grades its answers; a file with the run.

    It takes what `surefoot.run` takes. The same call on a pipeline that has a name is carried out once in a session, by
    whichever worker comes first.
    """
    from filelock import FileLock  # noqa: PLC0415 - most sessions of pytest need none

    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if os.environ.get(_WORKER) else base) / "surefoot"

    def run(pipeline: Pipeline, *, grader: str = "local", **options: Any) -> Path:  # noqa: ANN401 - as `run` has them
        name = _name_of(pipeline)
        if name is None:
            options.setdefault("version", f"test-{secrets.token_hex(4)}")  # not one with its like of other settings
            return _run(tmp_path_factory.mktemp("surefoot") / "run.jsonl", pipeline, grader, options)
        told = repr((name, grader, sorted(options.items())))
        file = shared / hashlib.sha256(told.encode()).hexdigest()[:12] / "run.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(file.with_name("lock")):
            return _run(file, pipeline, grader, options)

    return run


@pytest.fixture(scope="session")
def surefoot_baseline() -> str:
    """The id of the run that `surefoot baseline` last moved the baseline to, in the project that is tested."""
    return str(surefoot.baseline().run)


def _name_of(pipeline: Pipeline) -> str | None:
    """A function that cannot be imported may be made anew with other settings, so its answers are not shared."""
    if isinstance(pipeline, str):
        return pipeline
    module, name = getattr(pipeline, "__module__", ""), getattr(pipeline, "__qualname__", "")
    is_known = getattr(sys.modules.get(module), name, None) is pipeline
    return f"{module}:{name}" if is_known else None


def _run(file: Path, pipeline: Pipeline, grader: str, options: dict[str, Any]) -> Path:
    """Nothing is done twice; what a worker that died has left is made anew."""
    if not file.exists():
        # Not in the project that is tested: a test records nothing there.
        db = file.with_name("surefoot.db")
        made = surefoot.run(pipeline, db=db, **options)
        surefoot.grade(made.run, grader=grader, db=db)
        surefoot.export(file, made.run, db=db)
    return file
