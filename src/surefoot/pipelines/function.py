"""A user's own Python function, `package.module:function`."""

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
from surefoot.pipelines.replies import trace_of_reply
from surefoot.types import Ask, Pipeline, Trace

_HINT = "name it like --pipeline package.module:function"


class FunctionPipeline:
    """Called with the question's text, or with the Ask if the parameter is annotated so."""

    def __init__(self, name: str, function: Callable[..., Any], mapping: Mapping[str, str]) -> None:
        self.name = name
        self._function = function
        self._takes_ask = _takes_ask(function)
        # Who takes the Ask sees that nothing is to be retrieved; a text alone does not tell.
        self.forces_null = bool(getattr(function, "forces_null", self._takes_ask))
        self._reader = TraceReader(mapping)

    def answer(self, ask: Ask) -> Trace:
        reply = self._function(ask if self._takes_ask else ask.text)
        if inspect.iscoroutine(reply):
            reply = asyncio.run(reply)
        return trace_of_reply(reply, ask, self._reader)


def load_function(spec: str, mapping: Mapping[str, str]) -> Pipeline:
    module_name, _, path = spec.partition(":")
    found: Any = _module(module_name)
    for part in path.split("."):
        found = getattr(found, part, None)
    if inspect.isclass(found):
        found = found()
    if callable(getattr(found, "answer", None)):
        return _as_pipeline(found, spec)
    if not callable(found):
        raise UsageError(f"the module {module_name} has no function {path!r}", _HINT)
    return FunctionPipeline(spec, found, mapping)


def _as_pipeline(found: Any, spec: str) -> Pipeline:  # noqa: ANN401 - a user's object
    """An object with `answer(ask)` is a pipeline already; it is told of null retrieval by the ask."""
    for name, value in (("name", spec), ("forces_null", True)):
        if not hasattr(found, name):
            setattr(found, name, value)
    pipeline: Pipeline = found
    return pipeline


def _module(name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")  # a module beside the user, as `python` itself would find it
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise UsageError(f"there is no Python module {name!r} to take the pipeline from", _HINT) from error
        raise UsageError(f"{name} cannot be imported: {error}", f"install {error.name} first") from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(f"{name} cannot be imported: {reason}", f"try `python -c 'import {name}'`") from error


def _takes_ask(function: Callable[..., Any]) -> bool:
    target = function if inspect.isroutine(function) else type(function).__call__
    try:
        hints = typing.get_type_hints(target)
    except (NameError, TypeError):
        hints = getattr(target, "__annotations__", {})
    return any(hint is Ask or hint == "Ask" for name, hint in hints.items() if name != "return")
