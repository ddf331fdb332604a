"""A user's program in any language: a long-lived command that speaks JSON lines.

It reads one {"id", "text", "retrieval"} a line and writes one row a line, in any shape that a trace file may have.
Each question has a process to itself while it is asked, so that a slow one delays no other and a hung one can be
killed; there are as many processes as questions asked at once, and one that has died is replaced.
"""

from __future__ import annotations

import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import msgspec

from surefoot.core.errors import Incomplete, TransientError, UsageError
from surefoot.core.types import Ask, Trace
from surefoot.io.traces import TraceReader
from surefoot.pipelines.traces import trace_of_reply

_LONGEST_LINE = 32 << 20
_SECONDS_TO_END = 1.0
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SHELL_SYNTAX = re.compile(r"[$`*?(){}<>|&;!#\[]")


class CommandPipeline:
    forces_null = True  # the command is told, and what it says it retrieved is checked

    def __init__(self, command: str, mapping: Mapping[str, str], timeout: float) -> None:
        _refuse_unknown(command)
        self.name = command
        self._reader = TraceReader(mapping)
        self._timeout = timeout
        self._idle: queue.LifoQueue[_Process] = queue.LifoQueue()
        self._all: set[_Process] = set()

    def answer(self, ask: Ask) -> Trace:
        process = self._take()
        used_before = process.answered > 0
        try:
            row = process.ask(ask, self._timeout)
        except _EndedSilentlyError as error:
            self._drop(process)
            if not used_before:
                raise Incomplete(str(error)) from error
            # It ended after its last answer, as a command that answers once does: ask a fresh one.
            process = self._start()
            try:
                row = process.ask(ask, self._timeout)
            except _EndedSilentlyError as again:
                self._drop(process)
                raise Incomplete(str(again)) from again
        except TimeoutError:
            self._drop(process)
            raise
        except Incomplete:
            self._give_back(process)
            raise
        self._give_back(process)
        return trace_of_reply(row, ask, self._reader)

    def close(self) -> None:
        for process in list(self._all):
            self._drop(process)

    def _take(self) -> _Process:
        while True:
            try:
                process = self._idle.get_nowait()
            except queue.Empty:
                return self._start()
            if process.alive:
                return process
            self._drop(process)

    def _start(self) -> _Process:
        process = _Process(self.name)
        self._all.add(process)
        return process

    def _give_back(self, process: _Process) -> None:
        if process.usable:
            self._idle.put(process)
        else:
            self._drop(process)

    def _drop(self, process: _Process) -> None:
        process.kill()
        self._all.discard(process)


class _EndedSilentlyError(Exception):
    """The process ended without a word on this question."""


class _Process:
    """One running command, asked one question at a time."""

    def __init__(self, command: str) -> None:
        self.answered = 0
        self.usable = True
        self._must_name_question = False
        self._asked: set[str] = set()
        try:
            # A shell, for users write pipes and `cd x &&`; its own session, so that all of it can be killed.
            self._popen = subprocess.Popen(
                command,
                shell=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:  # out of processes or memory, which may pass
            raise TransientError(f"the command could not be started: {error.strerror}") from error
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(self._popen.stdout,), daemon=True).start()
        threading.Thread(target=self._pass_on, args=(self._popen.stderr, command), daemon=True).start()

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    def ask(self, ask: Ask, timeout: float) -> object:
        self._asked.add(ask.id)
        self._write(msgspec.json.encode({"id": ask.id, "text": ask.text, "retrieval": ask.retrieval}) + b"\n")
        while True:
            try:
                line = self._lines.get(timeout=timeout)
            except queue.Empty as error:
                raise TimeoutError from error
            if not line:
                raise _EndedSilentlyError(self._ending())
            if line.isspace():
                continue
            row = self._row(line)
            said = row.get("id", row.get("qid", row.get("question_id")))
            if said is None and self._must_name_question:
                self.usable = False
                raise Incomplete("after an error the command must name the id of the question it answers")
            if said is None or str(said) == ask.id:
                self.answered += 1
                return {key: value for key, value in row.items() if key != "id"}
            if str(said) not in self._asked:
                raise self._fault(f"the command answered the question {str(said)[:80]!r}, which was not asked")
            # Else it is the belated answer to a question that has been given up, and of no use any more.

    def kill(self) -> None:
        self.usable = False
        try:
            if self._popen.stdin:
                self._popen.stdin.close()
            if sys.platform == "win32":
                self._popen.kill()
            else:
                os.killpg(self._popen.pid, signal.SIGKILL)
        except OSError:  # it has gone already
            pass
        try:
            self._popen.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return

    def _write(self, data: bytes) -> None:
        try:
            if self._popen.stdin:
                self._popen.stdin.write(data)
                self._popen.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise _EndedSilentlyError(self._ending()) from error

    def _row(self, line: bytes) -> dict[str, object]:
        if len(line) > _LONGEST_LINE:
            self.usable = False
            raise Incomplete(f"the command wrote a line of over {_LONGEST_LINE >> 20} MiB")
        try:
            row = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            row = None
        if not isinstance(row, dict):
            shown = line[:80].decode("utf-8", "replace").strip()
            raise self._fault(f"the command wrote {shown!r}, which is not a JSON object")
        return row

    def _fault(self, message: str) -> Incomplete:
        """From here on answers count by the id they name, for the lines may have got out of step."""
        self._must_name_question = True
        return Incomplete(message)

    def _ending(self) -> str:
        try:
            status = self._popen.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return "the command closed its output before it answered"
        how = f"was killed by signal {-status}" if status < 0 else f"exited with status {status}"
        return f"the command {how} before it answered"

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(_LONGEST_LINE + 1):
                self._lines.put(line)
        self._lines.put(b"")

    def _pass_on(self, stream: IO[bytes], command: str) -> None:
        name = os.path.basename(command.split()[0]) if command.split() else "command"  # noqa: PTH119 - not a path yet
        with stream:
            for line in stream:
                sys.stderr.write(f"[{name}] {line.decode('utf-8', 'replace').rstrip()}\n")


def _refuse_unknown(command: str) -> None:
    """What would fail on every question is better said once; what only the shell can tell is left to it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command {command!r} cannot be read: {error}", "check its quotes") from error
    program = next((word for word in words if not _ASSIGNMENT.match(word)), "")
    if not program or _SHELL_SYNTAX.search(program):
        return
    if "/" in program:
        _refuse_file(program)
    elif subprocess.run(["/bin/sh", "-c", 'command -v "$1"', "sh", program], capture_output=True).returncode:
        raise UsageError(f"there is no command {program!r}", "check its name, or give its path as in cmd:./program")


def _refuse_file(program: str) -> None:
    path = Path(program).expanduser()
    if not path.is_file():
        raise UsageError(f"the command {program} is not a file", "check its path")
    if not os.access(path, os.X_OK):
        hint = f"allow it with `chmod +x {program}`, or name what runs it, as in cmd:python {program}"
        raise UsageError(f"the command {program} is not executable", hint)
