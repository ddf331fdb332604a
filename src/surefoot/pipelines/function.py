"""A user's Python function, `package.module:function`, asked in a process of its own (`process.py`).

In our process an `os._exit`, a crash in C code or the memory killer would end the run and all that it has to say. So
one child imports the function and answers, in as many threads as there are questions at once: models are loaded
once, as they would be here, and a breakpoint still finds its terminal. A child that has died is replaced. If several
questions were under way, any of them may have been the cause: their errors say `ask_alone`, and the engine asks them
again one by one at the end, when the one that ends the process shows itself.
"""

from __future__ import annotations

import contextlib
import itertools
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from surefoot.core.errors import Incomplete, TransientError, UsageError
from surefoot.core.types import Ask, Retrieved, Trace
from surefoot.pipelines.process import (
    SECONDS_TO_END,
    Answered,
    Failed,
    Question,
    Ready,
    Refused,
    Task,
)

_ENDS_IN_A_ROW = 20  # after so many without one answer, asking on is of no use
_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])["path"]
import msgspec
from surefoot.pipelines.process import Task, main
main(msgspec.json.decode(sys.argv[1], type=Task))
"""


class DisturbedError(TransientError):
    """The process ended with several questions under way, this one among them."""

    ask_alone = True


class HostedPipeline:
    def __init__(self, spec: str, mapping: Mapping[str, str], timeout: float) -> None:
        self._spec, self._mapping, self._timeout = spec, dict(mapping), timeout
        self._guard = threading.Lock()
        self._ends_in_a_row = 0
        self._child = _Child(spec, self._mapping)
        ready = self._child.ready
        self.name, self.forces_null = ready.name, ready.forces_null
        self.deterministic, self.versions = ready.deterministic, ready.versions

    def answer(self, ask: Ask) -> Trace:
        reply = self._living().ask(ask, self._timeout)
        while isinstance(reply, _Ended) and not reply.under_way:  # the question did not reach it: ask the next one
            reply = self._living().ask(ask, self._timeout)
        if isinstance(reply, _Ended):
            message = f"the pipeline's process {reply.how} before it answered"
            if reply.under_way > 1:
                raise DisturbedError(f"{message}; {reply.under_way} questions were under way")
            raise Incomplete(message)
        self._ends_in_a_row = 0
        if isinstance(reply, Failed):
            raise TransientError(reply.error, reply.retry_after) if reply.may_pass else Incomplete(reply.error)
        return _trace(reply.trace)

    def close(self) -> None:
        self._child.end()

    def _living(self) -> _Child:
        with self._guard:
            if self._child.ended is not None:
                self._ends_in_a_row += 1
                if self._ends_in_a_row >= _ENDS_IN_A_ROW:
                    raise Incomplete(f"given up: the pipeline's process has ended {_ENDS_IN_A_ROW} times in a row")
                self._child = _Child(self._spec, self._mapping)
            return self._child


class _Ended(NamedTuple):
    how: str
    under_way: int


Reply = Answered | Failed | _Ended


class _Child:
    """One process, from its start to its end."""

    def __init__(self, spec: str, mapping: dict[str, str]) -> None:
        self.ended: str | None = None
        self._numbers = itertools.count()
        self._guard = threading.Lock()
        self._replies: dict[int, queue.SimpleQueue[Reply]] = {}
        self._line, theirs = socket.socketpair()
        with theirs:
            task = msgspec.json.encode(Task(spec, mapping, list(map(str, sys.path)), theirs.fileno())).decode()
            # -P: a module beside the user must not stand in for one of Python's own while we start.
            command = [sys.executable, "-P", "-c", _PROGRAM, task]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        self._messages = _lines(self._line)
        threading.Thread(target=self._watch, daemon=True).start()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        try:
            self.ready = self._greeting(spec)
        except BaseException:
            self._process.kill()
            self._listen()
            raise
        self._listener.start()

    def ask(self, ask: Ask, timeout: float) -> Reply:
        number, replies = next(self._numbers), queue.SimpleQueue[Reply]()
        with self._guard:
            if self.ended is not None:
                return _Ended(self.ended, 0)
            self._replies[number] = replies
            self._send(Question(number, ask))
        try:
            return replies.get(timeout=timeout)
        except queue.Empty as error:  # it stays among the questions under way: its thread still runs
            raise TimeoutError from error

    def end(self) -> None:
        """Let it end in its own way, but not for long."""
        try:
            with contextlib.suppress(OSError):  # it has ended already
                self._line.shutdown(socket.SHUT_WR)
            self._listener.join(SECONDS_TO_END)
        finally:
            self._process.kill()
            self._listener.join()

    def _greeting(self, spec: str) -> Ready:
        line = next(self._messages, None)
        if line is None:
            message = f"the process that imports {spec.partition(':')[0]} {self._how()}"
            raise UsageError(message, f"try `python -c 'import {spec.partition(':')[0]}'`")
        greeting: Ready | Refused = msgspec.json.decode(line, type=Ready | Refused)
        if isinstance(greeting, Refused):
            raise UsageError(greeting.message, greeting.hint)
        return greeting

    def _send(self, question: Question) -> None:
        with contextlib.suppress(OSError):  # it has ended: `_listen` tells all who wait
            self._line.sendall(msgspec.json.encode(question) + b"\n")

    def _watch(self) -> None:
        """Its end is what counts, not that of the line: a process it has forked may hold the line open."""
        self._process.wait()
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def _listen(self) -> None:
        decoder = msgspec.json.Decoder(Answered | Failed)
        for line in self._messages:
            reply = decoder.decode(line)
            with self._guard:
                waiting = self._replies.pop(reply.number, None)
            if waiting is not None:
                waiting.put(reply)
        how = self._how()
        with self._guard:
            self.ended, left = how, list(self._replies.values())
            self._replies.clear()
            self._line.close()
        for waiting in left:
            waiting.put(_Ended(how, len(left)))

    def _how(self) -> str:
        try:
            status = self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return "closed its line to surefoot"
        return f"was killed by signal {-status}" if status < 0 else f"exited with status {status}"


def _lines(line: socket.socket) -> Iterator[bytes]:
    rest, looked = bytearray(), 0
    while True:
        try:
            data = line.recv(1 << 18)
        except ConnectionResetError:  # it ended with a question unread; what it had said before can be read still
            continue
        if not data:
            return
        rest += data
        while (end := rest.find(b"\n", looked)) >= 0:
            yield bytes(rest[:end])
            del rest[: end + 1]
            looked = 0
        looked = len(rest)


def _trace(data: msgspec.Raw) -> Trace:
    try:
        return msgspec.json.decode(data, type=Trace, dec_hook=Retrieved.read)
    except msgspec.ValidationError as error:
        raise Incomplete(f"the pipeline returned a Trace that cannot be used: {error}") from error
