"""Every test of the ledger runs on a file and on a real PostgreSQL server."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests import postgres_server

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    if reason := postgres_server.missing():
        pytest.skip(reason)
    with postgres_server.running() as url:
        yield url


@pytest.fixture
def on_server(server: str) -> Callable[[], str]:
    """The URL of a place with no table yet, each time it is asked for."""

    def made() -> str:
        schema = f"place_{next(_numbers)}"
        with psycopg.connect(server) as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
        return f"{server}?options=-csearch_path%3D{schema}"

    return made


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return str(tmp_path / "surefoot.db")
    return str(request.getfixturevalue("on_server")())
