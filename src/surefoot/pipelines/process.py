"""Pipelines in processes of their own: any command that speaks JSON lines, and a Python function in one of ours.

A process reads one {"id", "text", "retrieval"} a line and writes one row a line, in any shape that a trace file may
have. A row answers the question whose id it names, or else the only one under way. Each question has a command to
itself while it is asked, so that a slow one delays no other and a hung one can be killed; there are as many as
questions asked at once. A function is hosted by one process (`host.py`), which answers in as many threads: models are
loaded once. In our own process an `os._exit`, a crash in C code or the memory killer would end the run and all that it
has to say.

A process that has ended is replaced. If several questions were under way, any of them may have been the cause: their
errors say `ask_alone`, and they are asked again one by one at the end, when the one that ends it shows itself.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import msgspec

from surefoot.core.errors import Incomplete, TransientError, UsageError
from surefoot.core.types import Ask, Retrieved, Trace
from surefoot.io.traces import TraceReader
from surefoot.pipelines.host import LONGEST_MESSAGE, NUMBER, SECONDS_TO_END
from surefoot.pipelines.traces import trace_of_reply
from surefoot.text.normal import word_set

_ENDS_IN_A_ROW = 20  # after so many without one answer, asking on is of no use
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SHELL_SYNTAX = re.compile(r"[$`*?(){}<>|&;!#\[]")
# -P: a module beside the user must not stand in for one of Python's own while we start.
_HOST = "import json, sys; sys.path[:] = json.loads(sys.argv[1])[2]; from surefoot.pipelines.host import main; main()"
_SECONDS_TO_SEE = 1.0  # what a process wrote before it ended, or that it ended after it closed its output
_SHELL_WORDS = word_set("if for while until case cd exit eval exec export set source test true false : .")


class DisturbedError(TransientError):
    """The process ended with several questions under way, this one among them."""

    ask_alone = True


class CommandPipeline:
    """A user's program in any language, started by the shell, for users write pipes and `cd x &&`."""

    forces_null = True  # the command is told, and what it says it retrieved is checked
    deterministic = False
    is_shared = False  # whether one process is asked all questions at once

    def __init__(self, command: str, mapping: Mapping[str, str], timeout: float) -> None:
        _refuse_unknown(command)
        self.name = command
        self.versions: dict[str, str] = {}
        self._command: str | list[str] = command
        self._timeout, self._reader = timeout, TraceReader(mapping)
        self._guard = threading.Lock()
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._ends_in_a_row = 0

    def answer(self, ask: Ask) -> Trace:
        row, before = self._asked(ask)
        # One that ended after its last answer, as a command that answers once does, is followed by a fresh one.
        while isinstance(row, _Ended) and (not row.under_way or (before and not self.is_shared)):
            row, before = self._asked(ask)
        if isinstance(row, _Ended):
            message = f"the pipeline's process {row.how} before it answered"
            if row.under_way > 1:
                raise DisturbedError(f"{message}; {row.under_way} questions were under way")
            raise Incomplete(message)
        return self._trace(row, ask)

    def close(self) -> None:
        """Let them end in their own way, but not for long."""
        until = time.monotonic() + (SECONDS_TO_END if self.is_shared else _SECONDS_TO_SEE)
        with self._guard:
            for process in self._all:
                process.say_no_more()
            while self._all:
                self._all.pop().end(max(0.0, until - time.monotonic()))

    def _asked(self, ask: Ask) -> tuple[dict[str, Any] | _Ended, int]:
        """The reply, and how many questions its process had answered before."""
        with self._guard:
            while self._idle and self._idle[-1].ended:
                self._forget(self._idle.pop())
            process = self._idle.pop() if self._idle else self._start()
            if self.is_shared:
                self._idle.append(process)
        before = process.answered
        try:
            reply = process.ask(ask, self._timeout)
        except TimeoutError:
            if not self.is_shared:  # else it stays among the questions under way: its thread still runs
                process.end(0)
            raise
        finally:
            with self._guard:
                if process.ended:
                    self._forget(process)
                elif not self.is_shared:
                    self._idle.append(process)
        if not isinstance(reply, _Ended):
            self._ends_in_a_row = 0
        return reply, before

    def _forget(self, process: _Process) -> None:
        if process in self._all:
            self._all.remove(process)
            self._ends_in_a_row += 1

    def _start(self) -> _Process:
        if self._ends_in_a_row >= _ENDS_IN_A_ROW:
            raise Incomplete(f"given up: the pipeline's process has ended {_ENDS_IN_A_ROW} times in a row")
        self._all.add(process := _Process(self._command))
        return process

    def _trace(self, row: dict[str, Any], ask: Ask) -> Trace:
        return trace_of_reply(row, ask, self._reader)


class HostedPipeline(CommandPipeline):
    """A Python function, `package.module:function`."""

    is_shared = True

    def __init__(self, spec: str, mapping: Mapping[str, str], timeout: float) -> None:
        super().__init__("", mapping, timeout)
        given = (spec, dict(mapping), list(map(str, sys.path)))
        self._command = [sys.executable, "-P", "-c", _HOST, msgspec.json.encode(given).decode()]
        self._module = spec.partition(":")[0]
        self._idle.append(self._start())

    def _start(self) -> _Process:
        process = super()._start()
        greeting = process.ask(None)
        if isinstance(greeting, _Ended):
            message = f"the process that imports {self._module} {greeting.how}"
            raise UsageError(message, f"try `python -c 'import {self._module}'`")
        if "refused" in greeting:
            raise UsageError(greeting["refused"], greeting["hint"])
        self.name, self.forces_null = greeting["name"], greeting["forces_null"]
        self.deterministic, self.versions = greeting["deterministic"], greeting["versions"]
        return process

    def _trace(self, row: dict[str, Any], _ask: Ask) -> Trace:
        if "error" in row:
            raise TransientError(row["error"], row["retry_after"]) if "may_pass" in row else Incomplete(row["error"])
        try:
            return msgspec.convert(row["trace"], Trace, dec_hook=Retrieved.read)
        except msgspec.ValidationError as error:
            raise Incomplete(f"the pipeline returned a Trace that cannot be used: {error}") from error


class _Ended(NamedTuple):
    how: str
    under_way: int


class _Process:
    """One process, from its start to its end, which counts by itself: one that it has forked may hold its output."""

    def __init__(self, command: str | list[str]) -> None:
        self.answered, self.ended, self._is_host = 0, "", not isinstance(command, str)
        self._guard = threading.Lock()
        self._numbers = itertools.count()
        self._under_way: dict[int, tuple[str, queue.SimpleQueue[dict[str, Any] | _Ended | Incomplete]]] = {}
        self._given_up = set[str]()  # ids of questions whose answers come too late
        self._must_name_question, self._how = False, ""
        self._writing = threading.Lock()
        try:  # its own session, so that all of it can be killed
            self._popen = subprocess.Popen(
                command, shell=not self._is_host, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:  # out of processes or memory, which may pass
            raise TransientError(f"the process could not be started: {error.strerror}") from error
        self._stdin, self._stdout = cast("IO[bytes]", self._popen.stdin), cast("IO[bytes]", self._popen.stdout)
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._watching = threading.Thread(target=self._watch, daemon=True)
        self._reading.start()
        self._watching.start()

    def ask(self, ask: Ask | None, timeout: float | None = None) -> dict[str, Any] | _Ended:
        """Its reply; without a question what it says first."""
        number, replies = next(self._numbers), queue.SimpleQueue[dict[str, Any] | _Ended | Incomplete]()
        with self._guard:
            if self.ended:
                return _Ended(self.ended, 0)
            self._under_way[number] = (ask.id if ask else "", replies)
        if ask is not None:
            row = {"id": ask.id, "text": ask.text, "retrieval": ask.retrieval}
            self._write(msgspec.json.encode(row | ({NUMBER: number} if self._is_host else {})) + b"\n")
        try:
            reply = replies.get(timeout=timeout)
        except queue.Empty as error:
            raise TimeoutError from error
        if isinstance(reply, Incomplete):
            raise reply
        self.answered += ask is not None and not isinstance(reply, _Ended)
        return reply

    def say_no_more(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stdin.close()

    def end(self, patience: float) -> None:
        self.say_no_more()
        self._watching.join(patience)
        self._kill()
        self._watching.join()

    def _kill(self) -> None:
        with contextlib.suppress(OSError):  # it has gone already
            if sys.platform == "win32":
                self._popen.kill()
            else:
                os.killpg(self._popen.pid, signal.SIGKILL)

    def _write(self, data: bytes) -> None:
        # Where it has ended, `_watch` tells all who wait.
        with self._writing, contextlib.suppress(OSError, ValueError):
            self._stdin.write(data)
            self._stdin.flush()

    def _read(self) -> None:
        with self._stdout:
            while line := self._stdout.readline(LONGEST_MESSAGE + 1):
                if not line.isspace():
                    self._hand_out(line)
        try:
            self._popen.wait(_SECONDS_TO_SEE)
        except subprocess.TimeoutExpired:
            self._how = "closed its output"
            self._kill()

    def _hand_out(self, line: bytes) -> None:
        """Give a row to whoever waits for it. What is no answer is the error of the question under way."""
        row: Any = None
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            row = msgspec.json.decode(line)
        with self._guard:
            if len(line) > LONGEST_MESSAGE:
                fault = f"the pipeline wrote a line of over {LONGEST_MESSAGE >> 20} MiB"
            elif not isinstance(row, dict):
                shown = line[:80].decode("utf-8", "replace").strip()
                fault = f"the pipeline wrote {shown!r}, which is not a JSON object"
            else:
                said = next((str(row[key]) for key in ("id", "qid", "question_id") if row.get(key) is not None), None)
                fits = (number for number, (id, _) in self._under_way.items() if said in (None, id))
                number = row[NUMBER] if self._is_host and NUMBER in row else next(fits, None)
                if said is None and not self._is_host and self._must_name_question:
                    self._kill()  # nobody knows what it answers; another is asked instead
                    return
                if number in self._under_way:
                    row.pop("id", None)
                    self._under_way.pop(number)[1].put(row)
                    return
                if said in self._given_up:  # a belated answer, of no use any more
                    return
                fault = f"the pipeline answered the question {str(said)[:80]!r}, which was not asked"
            # From here on answers count by the id they name, for the lines may have got out of step.
            self._must_name_question = True
            for id, replies in self._under_way.values():
                self._given_up.add(id)
                replies.put(Incomplete(fault))
            self._under_way.clear()

    def _watch(self) -> None:
        status = self._popen.wait()
        self._reading.join(_SECONDS_TO_SEE)
        self.say_no_more()
        how = self._how or (f"was killed by signal {-status}" if status < 0 else f"exited with status {status}")
        with self._guard:
            self.ended, left = how, list(self._under_way.values())
            self._under_way.clear()
        for _, replies in left:
            replies.put(_Ended(how, len(left)))


def _refuse_unknown(command: str) -> None:
    """What would fail on every question is better said once; what only the shell can tell is left to it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command {command!r} cannot be read: {error}", "check its quotes") from error
    program = next((word for word in words if not _ASSIGNMENT.match(word)), "")
    if not program or _SHELL_SYNTAX.search(program) or program in _SHELL_WORDS:
        return
    if "/" not in program:
        if not shutil.which(program):
            raise UsageError(f"there is no command {program!r}", "check its name, or give its path as in cmd:./program")
    elif not Path(program).expanduser().is_file():
        raise UsageError(f"the command {program} is not a file", "check its path")
    elif not os.access(Path(program).expanduser(), os.X_OK):
        hint = f"allow it with `chmod +x {program}`, or name what runs it, as in cmd:python {program}"
        raise UsageError(f"the command {program} is not executable", hint)
