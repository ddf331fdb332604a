"""`surefoot` for shell scripts: each call is a fork of one process that has imported it all.

Importing takes longer than most commands do, and the scripts of the documentation and of build servers have many.
`python -m tests.forked FOLDER` puts the command into a folder, says so, and serves it until it is killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import surefoot
from surefoot.cli.main import main

_ROOT = Path(__file__).parents[1]
_NOT_LOADED = ("surefoot.__main__", "surefoot.pytest_plugin", "surefoot.testing")
_COMMAND = """#!{python} -IS
import json, os, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect({address!r})
socket.send_fds(line, [json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()], [0, 1, 2])
sys.exit(int(line.makefile().read()))
"""


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Path]:
    """The folder, for the PATH of scripts."""
    command = [sys.executable, "-m", "tests.forked", str(folder)]
    with subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline(), "the commands did not start"
        try:
            yield folder
        finally:
            process.kill()


def _serve(folder: Path) -> None:
    for module in pkgutil.walk_packages(surefoot.__path__, "surefoot."):
        if module.name not in _NOT_LOADED:
            import_module(module.name)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "socket"))
    listener.listen()
    program = folder / "surefoot"
    program.write_text(_COMMAND.format(python=sys.executable, address=str(folder / "socket")), "utf-8")
    program.chmod(0o755)
    os.write(1, b"ready\n")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for commands
    while True:
        line, _ = listener.accept()
        if os.fork() == 0:
            break
        line.close()
    listener.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if command := os.fork():
        code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
        line.sendall(str(code if code >= 0 else 128 - code).encode())
        os._exit(0)
    _run(line)


def _run(line: socket.socket) -> None:
    """In a process of its own, as if the shell had started it."""
    message, streams, _, _ = socket.recv_fds(line, 1 << 20, 3)
    line.close()
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        os.dup2(streams[number], number)
        os.close(streams[number])
        setattr(sys, name, open(number, mode, encoding="utf-8", buffering=1))  # noqa: SIM115, PTH123 - lives to the end
    sys.argv, place, environment = json.loads(message)
    os.chdir(place)
    os.environ.clear()
    os.environ.update(environment)
    main()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
