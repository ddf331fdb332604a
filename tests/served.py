"""A page served by the real command."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

_LONGEST_WAIT = 600  # seconds, for a machine that has much else to do


class Server:
    """A command that serves a page, in a process of its own."""

    def __init__(self, *words: str) -> None:
        command = [str(Path(sys.executable).parent / "surefoot"), *words, "--json", "--no-browser"]
        if "--port" not in words:
            command += ["--port", "0"]
        environment = {**os.environ, "PYTHONWARNINGS": "error"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.end()
        self.told = json.loads(line)
        self.url: str = self.told["url"].partition("?")[0].rstrip("/")
        self.port = int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=_LONGEST_WAIT)

    def end(self) -> str:
        """As Ctrl-C does; what it had to say."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=_LONGEST_WAIT)[1]


Served = TypeVar("Served", bound=Server)


@contextlib.contextmanager
def ending_well(server: Served) -> Iterator[Served]:
    try:
        yield server
    finally:
        said = server.end()
        assert "Traceback" not in said and "rror" not in said, said
