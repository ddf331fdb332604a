"""A PostgreSQL server of our own, in a folder that goes when it goes."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

_OWNER = "postgres"  # the server refuses to run as root


def missing() -> str:
    """Why there can be none, or nothing."""
    if _binaries() is None:
        return "the binaries of PostgreSQL are not installed"
    if os.getuid() == 0:
        try:
            pwd.getpwnam(_OWNER)
        except KeyError:
            return f"root cannot run PostgreSQL, and there is no user {_OWNER}"
        if shutil.which("runuser") is None:
            return "root cannot run PostgreSQL without runuser"
    return ""


@contextlib.contextmanager
def running() -> Iterator[str]:
    """The URL of an empty database. Its language sorts words unlike bytes, as most servers do."""
    binaries = _binaries()
    if binaries is None:
        raise RuntimeError(missing())
    folder = Path(tempfile.mkdtemp(prefix="surefoot-postgres-"))
    try:
        if os.getuid() == 0:
            shutil.chown(folder, _OWNER)
        data = folder / "data"
        initdb = ["-D", str(data), "-U", "surefoot", "-A", "trust", "--encoding=UTF8", "--no-sync"]
        icu = ["--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"]
        _run([binaries / "initdb", *initdb, *icu])
        port = _free_port()  # late, so that nobody else takes it first
        options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c fsync=off"
        _run([binaries / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start"])
        try:
            yield f"postgresql://surefoot@127.0.0.1:{port}/postgres"
        finally:
            _run([binaries / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _binaries() -> Path | None:
    beside = shutil.which("pg_ctl")
    places = [Path(beside).parent] if beside else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


def _run(command: Sequence[str | Path]) -> None:
    as_owner = ["runuser", "-u", _OWNER, "--"] if os.getuid() == 0 else []
    # Away from the folder we are in: its owner may not let the server look at it.
    done = subprocess.run([*as_owner, *map(str, command)], cwd="/", capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
