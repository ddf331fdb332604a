"""A user's own Python function as a pipeline, and the process in which it answers.

It is started by `process.py` alone, imports the function, says what it is, and answers each question in a thread,
several at once, until stdin ends. Whatever happens to this process, the run outlives it.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import queue
import sys
import threading
import time
import traceback
import typing
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import msgspec

from surefoot.core.errors import SurefootError, TransientError, UsageError, nearest, words_of
from surefoot.core.types import Ask, Pipeline, Trace
from surefoot.io.traces import TraceReader
from surefoot.pipelines.traces import plain, trace_of_reply

LONGEST_MESSAGE = 32 << 20
NUMBER = "_surefoot"  # the field by which a host tells questions apart: one may be asked twice at once
SECONDS_TO_END = 5.0  # for what a user's module does at exit, such as sending off its own log
_HINT = "name it like --pipeline package.module:function"
_TAKES_ONE = "it is called with the question's text, or with an Ask if its parameter is annotated so"


def main() -> None:
    """Answer the questions that come on stdin until it ends; what the pipeline prints goes to stderr."""
    spec, mapping, _ = msgspec.json.decode(sys.argv[1])
    host = _Host(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    with contextlib.suppress(OSError):
        os.dup2(2, 1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout, sys.argv[1:] = sys.stderr, []
    threading.Thread(target=host.listen, daemon=True).start()
    try:
        pipeline = load_function(spec, mapping)
    except SurefootError as error:
        host.send({"refused": error.message, "hint": error.hint})
        return
    host.serve(pipeline)
    getattr(pipeline, "close", lambda: None)()


class _Host:
    def __init__(self, questions: IO[bytes], replies: IO[bytes]) -> None:
        self._questions, self._replies = questions, replies
        self._sending = threading.Lock()
        self._pipeline: Pipeline | None = None
        self._waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._over = threading.Event()

    def listen(self) -> None:
        for line in self._questions:
            self._waiting.put(msgspec.json.decode(line))
            if not self._idle.acquire(blocking=False):  # as many threads as questions at once, and they stay
                threading.Thread(target=self._answer_all, daemon=True).start()
        if self._pipeline is None:  # nobody waits for the import any more
            os._exit(1)
        self._over.set()
        time.sleep(SECONDS_TO_END)
        os._exit(0)  # something of the user's keeps the process although the parent may be gone

    def serve(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        versions = dict(getattr(pipeline, "versions", {}) or {})
        told = {name: bool(getattr(pipeline, name, False)) for name in ("forces_null", "deterministic")}
        named = {str(part): str(version) for part, version in versions.items()}
        self.send({"name": str(pipeline.name), "versions": named, **told})
        self._over.wait()

    def send(self, message: dict[str, Any]) -> None:
        data = msgspec.json.encode(message)
        with self._sending, contextlib.suppress(OSError):  # the parent may have gone
            self._replies.write(data + b"\n")
            self._replies.flush()

    def _answer_all(self) -> None:
        while True:
            asked = self._waiting.get()
            self.send({NUMBER: asked.pop(NUMBER), **self._answered(Ask(**asked))})
            self._idle.release()

    def _answered(self, ask: Ask) -> dict[str, Any]:
        try:
            data = _encoded(self._pipeline.answer(ask)) if self._pipeline else b""
        except TransientError as error:
            return {"error": _in_words(error), "may_pass": True, "retry_after": error.retry_after}
        except BaseException as error:  # noqa: BLE001 - a pipeline may raise anything, also SystemExit
            return {"error": _in_words(error)}
        if len(data) > LONGEST_MESSAGE - 1_000:
            return {"error": f"the pipeline returned over {LONGEST_MESSAGE >> 20} MiB"}
        return {"trace": msgspec.Raw(data)}


def _encoded(trace: Trace) -> bytes:
    try:
        return msgspec.json.encode(trace, enc_hook=_as_text)
    except UnicodeEncodeError:
        # Half of a surrogate pair, as a pipeline that cuts texts may leave it, cannot be written as UTF-8.
        return msgspec.json.encode(_printable(msgspec.to_builtins(trace, enc_hook=_as_text)))


def _as_text(value: object) -> str:
    if isinstance(value, str):  # of a class of the user's own
        return "".join(value)
    raise TypeError(f"a Trace cannot hold {type(value).__name__}")


def _printable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, (list, tuple)):
        return [_printable(item) for item in value]
    return {key: _printable(item) for key, item in value.items()} if isinstance(value, dict) else value


def _in_words(error: BaseException) -> str:
    """With the line of the user's own code, where there is one."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(str(Path.cwd()))]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return (words_of(error)[:2000] + where).encode("utf-8", "replace").decode()


class FunctionPipeline:
    """Called with the question's text, or with the Ask if it takes one."""

    def __init__(self, name: str, function: Callable[..., Any], mapping: Mapping[str, str], takes_ask: bool) -> None:
        self.name = name
        self._function = function
        self._takes_ask = takes_ask
        # Who takes the Ask sees that nothing is to be retrieved; a text alone does not tell.
        self.forces_null = takes_ask
        self.deterministic = False
        self.versions: dict[str, str] = {}
        self.close: Callable[[], object] = lambda: None
        self._reader = TraceReader(mapping)

    def answer(self, ask: Ask) -> Trace:
        reply = self._function(ask if self._takes_ask else ask.text)
        if inspect.isawaitable(reply):
            reply = asyncio.run(_awaited(reply))
        return trace_of_reply(plain(reply), ask, self._reader)


def load_function(spec: str, mapping: Mapping[str, str]) -> Pipeline:
    module_name, _, path = spec.partition(":")
    found: Any = _module(module_name)
    for part in path.split("."):
        owner, found = found, getattr(found, part, None)
        if found is None:
            raise UsageError(f"the module {module_name} has no function {path!r}", nearest(part, dir(owner)) or _HINT)
    return function_pipeline(found, spec, mapping)


def function_pipeline(found: Any, spec: str, mapping: Mapping[str, str]) -> Pipeline:  # noqa: ANN401 - a user's object
    """A function, or a class or object with `answer`, as a pipeline that is called `spec` unless it has a name."""
    if inspect.isclass(found):
        found = _made(found, spec)
    # An object with `answer(ask)` is a pipeline; it is told of null retrieval by the ask.
    is_pipeline = callable(getattr(found, "answer", None))
    function = found.answer if is_pipeline else found
    if not callable(function):
        raise UsageError(f"{spec} is no function but {type(found).__name__}", _HINT)
    _refuse_other_parameters(function, spec)
    made = FunctionPipeline(spec, function, mapping, is_pipeline or _takes_ask(function))
    for name in ("name", "forces_null", "deterministic", "versions", "close"):
        if hasattr(found, name):
            setattr(made, name, getattr(found, name))
    return made


async def _awaited(reply: Any) -> Any:  # noqa: ANN401 - a user's object
    return await reply


def _made(kind: type, spec: str) -> object:
    try:
        return kind()
    except BaseException as error:
        hint = "it must be one that can be made without arguments"
        raise UsageError(f"the class {spec} cannot be made: {words_of(error)}", hint) from error


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


def _refuse_other_parameters(function: Callable[..., Any], spec: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return
    try:
        signature.bind("question")
    except TypeError as error:
        defined = f"{spec.rpartition(':')[2]}{signature}"
        message = f"{spec} cannot be called with one argument, for it is defined as {defined}"
        raise UsageError(message, _TAKES_ONE) from error


def _takes_ask(function: Callable[..., Any]) -> bool:
    target = function if inspect.isroutine(function) else type(function).__call__
    try:
        hints = typing.get_type_hints(target)
    except (NameError, TypeError):
        hints = getattr(target, "__annotations__", {})
    return any(hint is Ask or hint == "Ask" for name, hint in hints.items() if name != "return")
