"""A project on a file and on a real PostgreSQL server: the same for its users."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["file", "server"])
def db(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    place = str(tmp_path / "surefoot.db")
    if request.param == "server":
        place = str(request.getfixturevalue("on_server")())
    monkeypatch.setenv("SUREFOOT_DB", place)
    return place
