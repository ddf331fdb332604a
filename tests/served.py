"""A page served by the real command, in a process of its own.

What such a command imports is imported once, by a process of which each command is a fork: importing takes longer than
most tests.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from surefoot.cli.main import main
from surefoot.core.records import VARIABLE

_LONGEST_WAIT = 600  # seconds, for a machine that has much else to do
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.served", "surefoot.web.app"])


class Server:
    """A command that serves a page."""

    def __init__(self, *words: str) -> None:
        words = (*words, "--json", "--no-browser", *(() if "--port" in words else ("--port", "0")))
        (self._out, out), (self._err, err) = _FORKS.Pipe(duplex=False), _FORKS.Pipe(duplex=False)
        self._process = _FORKS.Process(target=_serve, args=(words, Path.cwd(), os.environ.get(VARIABLE, ""), out, err))
        self._process.start()
        out.close()
        err.close()
        with open(self._out.fileno(), encoding="utf-8", closefd=False) as said:
            line = said.readline()
        assert line, self.end()
        self.told = json.loads(line)
        self.url: str = self.told["url"].partition("?")[0].rstrip("/")
        self.port = urlsplit(self.url).port or 0
        self.origin = f"http://{urlsplit(self.url).netloc}"

    @property
    def code(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()
        self._wait()

    def end(self) -> str:
        """As Ctrl-C does; what it had to say."""
        if self._process.is_alive() and self._process.pid is not None:
            os.kill(self._process.pid, signal.SIGINT)
        return self._wait()

    def _wait(self) -> str:
        if self._err.closed:
            return ""
        with open(self._err.fileno(), encoding="utf-8", closefd=False) as said:
            told = said.read()
        self._process.join(_LONGEST_WAIT)
        self._out.close()
        self._err.close()
        return told


def _serve(words: tuple[str, ...], place: Path, db: str, out: Connection, err: Connection) -> None:
    os.chdir(place)
    os.environ[VARIABLE] = db  # a fork of what was started for another test
    for name, number, pipe in (("stdout", 1, out), ("stderr", 2, err)):
        os.dup2(pipe.fileno(), number)
        pipe.close()
        setattr(sys, name, open(number, "w", encoding="utf-8", buffering=1))  # noqa: SIM115, PTH123 - lives to the end
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter("error")
    sys.argv = ["surefoot", *words]
    main()


Served = TypeVar("Served", bound=Server)


@contextlib.contextmanager
def ending_well(server: Served) -> Iterator[Served]:
    try:
        yield server
    finally:
        said = server.end()
        assert "Traceback" not in said and "rror" not in said, said
