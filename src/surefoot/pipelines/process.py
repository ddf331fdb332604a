"""Pipelines in processes of their own: any command that speaks JSON lines, and a Python function in one of ours.

A process reads one {"id", "text", "retrieval"} a line and writes one row a line, in any shape that a trace file may
have. Each question has a command to itself while it is asked, so that a slow one delays no other and a hung one can be
killed; there are as many as questions asked at once. One that gets out of step, with a line that is no answer to its
question, is killed as well. A function is hosted by one process, which answers in as many threads: models are loaded
once, and a number before each line says which question it is. In our own process an `os._exit`, a crash in C code or
the memory killer would end the run and all that it has to say.

A process that has ended is replaced. If several questions were under way, any of them may have been the cause: their
errors say `ask_alone`, and they are asked again one by one at the end, when the one that ends it shows itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
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
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO, Any, NamedTuple, cast

import msgspec

from surefoot.core.errors import Incomplete, SurefootError, TransientError, UsageError, nearest, unknown, words_of
from surefoot.core.files import fault_in
from surefoot.core.types import Ask, Retrieved, Trace, without_surrogates
from surefoot.io.traces import TraceReader
from surefoot.pipelines.traces import plain, refuse_other, trace_of_reply

_LONGEST_LINE = 32 << 20
_ENDS_IN_A_ROW = 20  # after so many without one answer, asking on is of no use
_SHELL_SYNTAX = re.compile(r"[$`*?(){}<>|&;!#\[]")
# -P: a module beside the user must not stand in for one of Python's own while we start.
_HOST = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1])[2]; from surefoot.pipelines.process import host; host()"
)
_SECONDS_TO_SEE = 1.0  # what a process wrote before it ended
_SECONDS_TO_END = 5.0  # for what a user's module does at exit, such as sending off its own log
_HINT = "name it like --pipeline package.module:function"
_OWN = ("name", "forces_null", "deterministic", "versions", "close")  # what a pipeline may say of itself
_TAKES_ONE = "it is called with the question's text, or with an Ask if its parameter is annotated so"


class DisturbedError(TransientError):
    """The process ended with several questions under way, this one among them."""

    ask_alone = True


class CommandPipeline:
    """A user's program in any language, started by the shell, for users write pipes and `cd x &&`."""

    forces_null = True  # the command is told, and what it says it retrieved is checked
    deterministic = False

    def __init__(self, command: str, mapping: Mapping[str, str], timeout: float) -> None:
        _refuse_unknown(command)
        self.name = command
        self.versions: dict[str, str] = {}
        self._command: str | list[str] = command
        self._timeout, self._reader = timeout, TraceReader(mapping, is_log=False)
        self._guard = threading.Lock()
        self._processes: set[_Process] = set()
        self._ends_in_a_row = 0

    def answer(self, ask: Ask) -> Trace:
        while True:
            with self._guard:
                process = next((one for one in self._processes if one.is_free), None) or self._start()
                before, place = process.answered, process.expect()
            try:
                row = process.ask(place, ask, self._timeout)
            except (TimeoutError, Incomplete):
                if not process.is_shared:  # else it stays among the questions under way: its thread still runs
                    process.end(0)
                raise
            if not isinstance(row, _Ended):
                self._ends_in_a_row = 0
                return self._trace(row, ask)
            message = f"the pipeline's process {row.how} before it answered"
            if row.under_way > 1:
                raise DisturbedError(f"{message}; {row.under_way} questions were under way")
            # One that ended after its last answer, as a command that answers once does, is followed by a fresh one.
            if row.under_way and not before:
                raise Incomplete(message)

    def close(self) -> None:
        """Let them end in their own way, but not for long."""
        until = time.monotonic() + _SECONDS_TO_END
        with self._guard:
            for process in self._processes:
                process.say_no_more()
            while self._processes:
                self._processes.pop().end(max(0.0, until - time.monotonic()))

    def _start(self) -> _Process:
        ended = {one for one in self._processes if one.ended}
        self._processes -= ended
        self._ends_in_a_row += sum(not one.answered for one in ended)
        if self._ends_in_a_row >= _ENDS_IN_A_ROW:
            raise Incomplete(f"given up: the pipeline's process has ended {_ENDS_IN_A_ROW} times in a row")
        self._processes.add(process := _Process(self._command))
        return process

    def _trace(self, row: dict[str, Any], ask: Ask) -> Trace:
        return trace_of_reply(row, ask, self._reader)


class HostedPipeline(CommandPipeline):
    """A Python function, `package.module:function`."""

    def __init__(self, spec: str, mapping: Mapping[str, str], timeout: float) -> None:
        super().__init__("", mapping, timeout)
        given = (spec, dict(mapping), list(map(str, sys.path)))
        self._command = [sys.executable, "-P", "-c", _HOST, msgspec.json.encode(given).decode()]
        self._module = spec.partition(":")[0]
        self._start()

    def _start(self) -> _Process:
        process = super()._start()
        greeting = process.ask(process.expect())
        if isinstance(greeting, _Ended):
            message = f"the process that imports {self._module} {greeting.how}"
            raise UsageError(message, f"try `python -c 'import {self._module}'`")
        if "refused" in greeting:
            raise UsageError(greeting["refused"], greeting["hint"])
        self.name, self.forces_null = greeting["name"], greeting["forces_null"]
        self.deterministic, self.versions = greeting["deterministic"], greeting["versions"]
        return process

    def _trace(self, row: dict[str, Any], _ask: Ask) -> Trace:
        if "raised" in row:
            passing = "retry_after" in row
            raise TransientError(row["raised"], row["retry_after"]) if passing else Incomplete(row["raised"])
        return msgspec.convert(row, Trace, dec_hook=Retrieved.read)


class _Ended(NamedTuple):
    how: str
    under_way: int


_Replies = queue.SimpleQueue[bytes | _Ended]
_Place = tuple[bytes, _Replies]  # what stands before the line, and where the reply to it comes


class _Process:
    """One process, from its start to its end, which counts by itself: one that it has forked may hold its output.

    A host `is_shared`: it is asked many questions at once, and a number stands before each line. Others are asked one
    at a time.
    """

    def __init__(self, command: str | list[str]) -> None:
        self.answered, self.ended, self.is_shared = 0, "", not isinstance(command, str)
        self._guard, self._writing = threading.Lock(), threading.Lock()
        self._numbers = itertools.count()
        self._under_way: dict[bytes, _Replies] = {}  # by what stands before the line
        self._closed_output = False
        try:  # its own session, so that all of it can be killed
            self._popen = subprocess.Popen(
                command, shell=not self.is_shared, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:  # out of processes or memory, which may pass
            raise TransientError(f"the process could not be started: {error.strerror}") from error
        self._stdin, self._stdout = cast("IO[bytes]", self._popen.stdin), cast("IO[bytes]", self._popen.stdout)
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._watching = threading.Thread(target=self._watch, daemon=True)
        self._reading.start()
        self._watching.start()

    @property
    def is_free(self) -> bool:
        return not self.ended and (self.is_shared or not self._under_way)

    def expect(self) -> _Place:
        """Take a place among the questions under way."""
        number, replies = b"%d " % next(self._numbers) if self.is_shared else b"", _Replies()
        with self._guard:
            if self.ended:
                replies.put(_Ended(self.ended, 0))
            self._under_way[number] = replies
        return number, replies

    def ask(self, place: _Place, ask: Ask | None = None, timeout: float | None = None) -> dict[str, Any] | _Ended:
        """Its reply; without a question what it says first."""
        number, replies = place
        if ask is not None:
            # Where it has ended, `_watch` tells all who wait.
            with self._writing, contextlib.suppress(OSError, ValueError):
                self._stdin.write(number + msgspec.json.encode(ask) + b"\n")
                self._stdin.flush()
        try:
            reply = replies.get(timeout=timeout)
        except queue.Empty as error:
            raise TimeoutError from error
        if isinstance(reply, _Ended):
            return reply
        self.answered += ask is not None
        row = _row_of(reply)
        if ask is not None:
            refuse_other(row.pop("id", None), ask)
        return row

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

    def _read(self) -> None:
        with self._stdout:
            while line := self._stdout.readline(_LONGEST_LINE + 1):
                number = line[: line.find(b" ") + 1] if self.is_shared else b""
                with self._guard:
                    replies = None if line.isspace() else self._under_way.pop(number, None)
                if replies is not None:
                    replies.put(line[len(number) :])
                elif not line.isspace() and not self.is_shared:  # what else a host's Python prints is no answer
                    self._kill()  # nobody knows what it answers; another is asked instead
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(_SECONDS_TO_SEE)
            return
        self._closed_output = True
        self._kill()

    def _watch(self) -> None:
        status = self._popen.wait()
        self._reading.join(_SECONDS_TO_SEE)
        self.say_no_more()
        how = f"was killed by signal {-status}" if status < 0 else f"exited with status {status}"
        how = "closed its output" if self._closed_output else how
        with self._guard:
            self.ended, left = how, list(self._under_way.values())
            self._under_way.clear()
        for replies in left:
            replies.put(_Ended(how, len(left)))


def _row_of(line: bytes) -> dict[str, Any]:
    if len(line) > _LONGEST_LINE:
        raise Incomplete(f"the pipeline wrote a line of over {_LONGEST_LINE >> 20} MiB")
    with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if isinstance(row := msgspec.json.decode(line), dict):
            return row
    shown = line[:80].decode("utf-8", "replace").strip()
    raise Incomplete(f"the pipeline wrote {shown!r}, which is not a JSON object")


def _refuse_unknown(command: str) -> None:
    """What would fail on every question is better said once; what only the shell can tell is left to it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command {command!r} cannot be read: {error}", "check its quotes") from error
    program = next((word for word in words if not re.match(r"\w+=", word)), "")
    if not program or _SHELL_SYNTAX.search(program) or shutil.which(os.path.expanduser(program)):  # noqa: PTH111
        return
    builtin = ["sh", "-c", 'command -v "$1"', "sh", program]
    may_be_builtin = "/" not in program and shutil.which("sh")
    if may_be_builtin and not subprocess.run(builtin, capture_output=True, check=False).returncode:
        return
    hint = f"check its name, give its path as in cmd:./program, or allow a file to run with `chmod +x {program}`"
    raise UsageError(f"there is no command {program!r} that can be run", hint)


def host() -> None:
    """Answer the questions that come on stdin, each in a thread, until it ends; what is printed goes to stderr."""
    spec, mapping, _ = msgspec.json.decode(sys.argv[1])
    questions, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with contextlib.suppress(OSError):
        os.dup2(2, 1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout, sys.argv[1:] = sys.stderr, []
    waiting, idle = queue.SimpleQueue[bytes](), threading.Semaphore(0)
    sending, ready, over = threading.Lock(), threading.Event(), threading.Event()

    def send(number: bytes, message: object) -> None:
        data = msgspec.json.encode(message)
        if len(data) > _LONGEST_LINE - 1_000:
            data = msgspec.json.encode({"raised": f"the pipeline returned over {_LONGEST_LINE >> 20} MiB"})
        with sending, contextlib.suppress(OSError):  # the parent may have gone
            replies.write(b"%s %s\n" % (number, data))
            replies.flush()

    def answer_all() -> None:
        while True:
            number, _, asked = waiting.get().partition(b" ")
            send(number, _answered(pipeline, msgspec.json.decode(asked, type=Ask)))
            idle.release()

    def listen() -> None:
        for line in questions:
            waiting.put(line)
            if not idle.acquire(blocking=False):  # as many threads as questions at once, and they stay
                threading.Thread(target=answer_all, daemon=True).start()
        if not ready.is_set():  # nobody waits for the import any more
            os._exit(1)
        over.set()
        time.sleep(_SECONDS_TO_END)
        os._exit(0)  # something of the user's keeps the process although the parent may be gone

    threading.Thread(target=listen, daemon=True).start()
    try:
        pipeline = _loaded(spec, mapping)
    except SurefootError as error:
        return send(b"0", {"refused": error.message, "hint": error.hint})
    ready.set()
    versions = {str(part): str(version) for part, version in (pipeline.versions or {}).items()}
    told = {"forces_null": bool(pipeline.forces_null), "deterministic": bool(pipeline.deterministic)}
    send(b"0", {"name": str(pipeline.name), "versions": versions, **told})
    over.wait()
    pipeline.close()
    return None


def _answered(pipeline: FunctionPipeline, ask: Ask) -> object:
    try:
        return pipeline.answer(ask)
    except BaseException as error:  # noqa: BLE001 - a pipeline may raise anything, also SystemExit
        # With the line of the user's own code, where there is one.
        frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(str(Path.cwd()))]
        where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
        words = without_surrogates(words_of(error)[:2000] + where)
        return {"raised": words} | ({"retry_after": error.retry_after} if isinstance(error, TransientError) else {})


@dataclass
class FunctionPipeline:
    """Called with the question's text, or with the Ask if it takes one."""

    function: Callable[..., Any]
    takes_ask: bool
    reader: TraceReader
    name: str
    forces_null: bool
    deterministic: bool = False
    versions: Mapping[str, object] = field(default_factory=dict)
    close: Callable[[], object] = lambda: None

    def answer(self, ask: Ask) -> Trace:
        reply = self.function(ask if self.takes_ask else ask.text)
        if inspect.isawaitable(reply):
            reply = asyncio.run(_awaited(reply))
        found = trace_of_reply(plain(reply), ask, self.reader)
        try:  # structs are not checked when they are made, and a Trace may be of the user's making
            row = without_surrogates(msgspec.to_builtins(found, enc_hook=_as_text))
            return msgspec.convert(row, Trace, dec_hook=Retrieved.read)
        except msgspec.ValidationError as error:
            raise Incomplete(f"the pipeline returned a Trace that cannot be used: {fault_in(error)}") from error


async def _awaited(reply: Any) -> Any:  # noqa: ANN401 - a user's object
    return await reply


def _as_text(value: object) -> str:
    if isinstance(value, str):  # of a class of the user's own
        return "".join(value)
    raise TypeError(f"a Trace cannot hold {type(value).__name__}")


def _loaded(spec: str, mapping: Mapping[str, str]) -> FunctionPipeline:
    module_name, _, path = spec.partition(":")
    found: Any = _module(module_name)
    for part in path.split("."):
        owner, found = found, getattr(found, part, None)
        if found is None:
            raise unknown(f"the module {module_name} has no function {path!r}", part, dir(owner), _HINT)
    return function_pipeline(found, spec, mapping)


def function_pipeline(found: Any, spec: str, mapping: Mapping[str, str]) -> FunctionPipeline:  # noqa: ANN401
    """A function, or a class or object with `answer`, as a pipeline that is called `spec` unless it has a name."""
    if inspect.isclass(found):
        try:
            found = found()
        except BaseException as error:
            hint = "it must be one that can be made without arguments"
            raise UsageError(f"the class {spec} cannot be made: {words_of(error)}", hint) from error
    # An object with `answer(ask)` is a pipeline; it is told of null retrieval by the ask.
    is_pipeline = callable(getattr(found, "answer", None))
    function = found.answer if is_pipeline else found
    if not callable(function):
        raise UsageError(f"{spec} is no function but {type(found).__name__}", _HINT)
    takes_ask = _takes_ask(function, spec) or is_pipeline
    # Who takes the Ask sees that nothing is to be retrieved; a text alone does not tell.
    made = FunctionPipeline(function, takes_ask, TraceReader(mapping, is_log=False), spec, forces_null=takes_ask)
    return replace(made, **{key: getattr(found, key) for key in _OWN if hasattr(found, key)})


def _takes_ask(function: Callable[..., Any], spec: str) -> bool:
    """Whether it is annotated so; an error if it cannot be called with one argument."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return False
    try:
        signature.bind("question")
    except TypeError as error:
        defined = f"{spec.rpartition(':')[2]}{signature}"
        message = f"{spec} cannot be called with one argument, for it is defined as {defined}"
        raise UsageError(message, _TAKES_ONE) from error
    with contextlib.suppress(Exception):  # annotations may name what is there for type checkers alone
        signature = inspect.signature(function, eval_str=True)
    hints = [one.annotation for one in signature.parameters.values()]
    return any(hint is Ask or str(hint).strip("'\"").rpartition(".")[2] == "Ask" for hint in hints)


def _module(name: str) -> ModuleType:
    sys.dont_write_bytecode = True  # Python takes a file that is edited within a second for the one it has compiled
    if "" not in sys.path:
        sys.path.insert(0, "")  # a module beside the user, as `python` itself would find it
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            near = nearest(name, (path.stem for path in Path().glob("*.py"))) or _HINT
            hint = f"leave out .py: --pipeline {name.removesuffix('.py')}:..." if name.endswith(".py") else near
            raise UsageError(f"there is no Python module {name!r} to take the pipeline from", hint) from error
        raise UsageError(f"{name} cannot be imported: {error}", f"install {error.name} first") from error
    except BaseException as error:  # also a SystemExit: a script that runs as soon as it is imported
        raise UsageError(f"{name} cannot be imported: {words_of(error)}", f"try `python -c 'import {name}'`") from error
