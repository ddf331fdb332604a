"""The command in the process of the tests, where starting one would take most of the time."""

from __future__ import annotations

import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BufferedReader, BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from surefoot.cli.main import _run

from .conftest import Done


def surefoot(*arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None) -> Done:
    """Like the installed command, except that a fault of its own is raised."""
    words = [str(argument) for argument in arguments]
    out, err = BytesIO(), BytesIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(TextIOWrapper(out, "utf-8", "backslashreplace", write_through=True)),
        redirect_stderr(TextIOWrapper(err, "utf-8", "backslashreplace", write_through=True)),
    ):
        patch.setattr(sys, "stdin", TextIOWrapper(BufferedReader(BytesIO(stdin))))
        patch.setenv("COLUMNS", "120")
        patch.setenv("SUREFOOT_DEBUG", "1")
        if cwd is not None:
            patch.chdir(cwd)
        code = _run(words)
        return Done(subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue()))
