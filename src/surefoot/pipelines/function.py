"""A user's own Python function, `package.module:function`. See hosting.py for where it runs."""

from __future__ import annotations

import asyncio
import inspect
import sys
import typing
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from surefoot.errors import UsageError
from surefoot.importers.fields import TraceReader
from surefoot.pipelines.replies import plain, trace_of_reply
from surefoot.types import Ask, Pipeline, Trace

_HINT = "name it like --pipeline package.module:function"
_TAKES_ONE = "it is called with the question's text, or with an Ask if its parameter is annotated so"


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
        found = getattr(found, part, None)
    if found is None:
        raise UsageError(f"the module {module_name} has no function {path!r}", _HINT)
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
        raise UsageError(f"the class {spec} cannot be made: {_reason(error)}", hint) from error


def _module(name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")  # a module beside the user, as `python` itself would find it
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            hint = f"leave out .py: --pipeline {name.removesuffix('.py')}:..." if name.endswith(".py") else _HINT
            raise UsageError(f"there is no Python module {name!r} to take the pipeline from", hint) from error
        raise UsageError(f"{name} cannot be imported: {error}", f"install {error.name} first") from error
    except BaseException as error:  # also a SystemExit: a script that runs as soon as it is imported
        raise UsageError(f"{name} cannot be imported: {_reason(error)}", f"try `python -c 'import {name}'`") from error


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")


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
