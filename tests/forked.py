"""`surefoot` in a process of its own that starts at once: a fork of one process that has imported it all.

Importing takes longer than most commands do, and tests and the scripts of the documentation have many of them.
`python -m tests.forked FOLDER` puts the command into a folder, says so, and serves it until its input ends.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import io
import json
import os
import pkgutil
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

import surefoot
from surefoot.cli.main import _run as _run_here
from surefoot.cli.main import main

_ROOT = Path(__file__).parents[1]
_NOT_LOADED = ("surefoot.__main__", "surefoot.pytest_plugin", "surefoot.testing")
_LONGEST_WAIT = 600  # seconds
_PASSAGE = "The quay is closed in July for repairs. A ticket costs EUR 12, and bicycles travel free of charge."
_ANSWERS = (
    "The quay is closed in July [1]. It was built by monks from Bergen in 1974.",
    "A ticket does not cost EUR 15 [2-3].\n\n- Bicycles travel free of charge.\n\nSources: 1",
    "The documents do not say why. Please ask at the desk.",
    "Das Hallenbad öffnet werktags um sieben Uhr für alle Besucher [1].",
)
_COMMAND = """#!{python} -IS
import json, os, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect({address!r})
socket.send_fds(line, [json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()], [0, 1, 2])
sys.exit(int(line.makefile().read()))
"""


@functools.cache
def folder() -> Path:
    """A folder with the command, for the PATH of scripts; it works for as long as this process lives."""
    made = tempfile.TemporaryDirectory()
    command = [sys.executable, "-m", "tests.forked", made.name]
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    process = subprocess.Popen(command, cwd=_ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout and process.stdout.readline(), "the commands did not start"
    atexit.register(made.cleanup)
    atexit.register(process.communicate)
    return Path(made.name)


def run(
    words: Sequence[str], cwd: Path | None, environment: Mapping[str, str], stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """The command with these arguments, like `subprocess.run`."""
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        streams[0].write(stdin)
        streams[0].seek(0)
        line = stack.enter_context(socket.socket(socket.AF_UNIX))
        line.settimeout(_LONGEST_WAIT)
        line.connect(str(folder() / "socket"))
        message = json.dumps([["surefoot", *words], str(cwd or Path.cwd()), dict(environment)])
        socket.send_fds(line, [message.encode()], [one.fileno() for one in streams])
        code = int(line.makefile().read())
        for one in streams:
            one.seek(0)
        return subprocess.CompletedProcess(["surefoot", *words], code, streams[1].read(), streams[2].read())


def _serve(folder: Path) -> None:
    for module in pkgutil.walk_packages(surefoot.__path__, "surefoot."):
        if module.name not in _NOT_LOADED:
            import_module(module.name)
    _read_some_answers(folder / "answers.jsonl")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "socket"))
    listener.listen()
    program = folder / "surefoot"
    program.write_text(_COMMAND.format(python=sys.executable, address=str(folder / "socket")), "utf-8")
    program.chmod(0o755)
    os.write(1, b"ready\n")
    gc.freeze()
    started = 0
    while listener.fileno() in select.select([listener.fileno(), 0], [], [])[0]:
        line, _ = listener.accept()
        if os.fork() == 0:
            break
        line.close()
        started += 1
        while started and os.waitpid(-1, os.WNOHANG)[0]:
            started -= 1
    else:
        os._exit(0)
    listener.close()
    if command := os.fork():
        code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
        line.sendall(str(code if code >= 0 else 128 - code).encode())
        os._exit(0)
    _run(line)


def _read_some_answers(path: Path) -> None:
    """Patterns and the model of languages are loaded by the first answer that needs them."""
    row = {"question": "When is it closed?", "passages": [{"id": "1", "text": _PASSAGE}], "gold_claims": ["in July"]}
    path.write_text("".join(f"{json.dumps({**row, 'answer': answer})}\n" for answer in _ANSWERS), "utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        _run_here(["grade", "--items", str(path), "--grader", "rules", "--json"])


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
    try:
        main()
    except SystemExit as end:
        gc.collect()  # says what was left open
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(int(end.code or 0))  # to tear down all that was imported takes longer than most commands


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
