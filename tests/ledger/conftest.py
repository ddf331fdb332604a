"""Every test of the ledger runs on a file and on a real PostgreSQL server."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return str(tmp_path / "surefoot.db")
    return str(request.getfixturevalue("on_server")())
