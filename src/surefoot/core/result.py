"""What jobs return, and whom they talk to while they work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module  # noqa: TID251 - what a notebook or a data frame needs, when it is asked for
from typing import Any, ClassVar, NamedTuple, Protocol

import msgspec
from msgspec import Struct

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.types import Problem

Tell = Callable[[str], None]  # takes a line that a person should see meanwhile
_PROBLEMS_TOLD = 20
_FEW = 5  # words of a list that are short enough to be shown


class Failing(Protocol):
    """An answer or a reply, or why there is none."""

    @property
    def error(self) -> str | None: ...


class Seen(NamedTuple):
    """One of many, where there is no answer to show."""

    error: str | None = None


class Watch:
    """Sees answers or replies come; this one looks away."""

    def count(self, one: Failing) -> None: ...

    def reach(self, done: int, share: float | None = None) -> None: ...

    def close(self) -> None: ...


class Person:
    """Whom a service talks to while it works. This one reads stderr, and agrees."""

    def tell(self, line: str) -> None:
        """Something to know now, such as what the next step will cost."""
        sys.stderr.write(f"{line}\n")

    def tell_causes(self, causes: Sequence[tuple[str, str]]) -> None:
        """Why something was not answered, each with a hint."""
        for cause, hint in dict.fromkeys(causes):
            self.tell(f"error: {cause}" + (f" ({hint})" if hint else ""))

    def agrees(self) -> bool:
        """Whether to go on, after the price was told."""
        return True

    def watch(self, _total: int | None, _of: str) -> Watch:
        return Watch()


class Nobody(Person):
    """Where what a service found says all: nothing is told meanwhile."""

    def tell(self, line: str) -> None: ...


READER, NOBODY = Person(), Nobody()


def tell_problems(problems: Sequence[Problem], tell: Tell) -> None:
    """Where there is no report that has them all."""
    for problem in problems[:_PROBLEMS_TOLD]:
        tell(f"note: {problem}")
    if len(problems) > _PROBLEMS_TOLD:
        tell(f"note: and {len(problems) - _PROBLEMS_TOLD:,} more like these")


class Result(Struct, frozen=True):
    """What a job returns: a struct whose fields `--json` prints, under their names; `report.of` makes its page."""

    beside: ClassVar[tuple[str, ...]] = ()  # fields for pages and the terminal, which `--json` leaves out
    framed: ClassVar[str] = "rows"  # the field that `to_frame` makes rows of

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain values."""
        return {name: _plain(getattr(self, name)) for name in self.printed()}

    def printed(self) -> list[str]:
        return [name for name in self.__struct_fields__ if name not in self.beside]

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The rows of `to_frame`."""
        return list(_plain(getattr(self, self.framed, ())))

    def to_frame(self) -> Any:  # noqa: ANN401 - of whichever library is there
        """A DataFrame of polars, or else of pandas."""
        rows = [dict(row) for row in self.table()]
        # By default polars guesses the type of a column from its first hundred rows.
        for library, options in (("polars", {"infer_schema_length": None}), ("pandas", {})):
            try:
                return import_module(library).DataFrame(rows, **options)
            except ModuleNotFoundError:
                continue
        raise UsageError("there is no library for data frames here", "pip install polars, or pandas")

    def _repr_html_(self) -> str:
        """What a notebook shows: the page, or else the rows, or else every field."""
        return str(import_module("surefoot.report.html").show(self))

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - as JSON has it
        """Return a field as `--json` prints it: `result["outcome"]`."""
        if name not in self.printed():
            raise KeyError(name)
        return _plain(getattr(self, name))

    def __repr__(self) -> str:
        """Return the fields that are a word, a number, counts, or a few words."""
        found = {name: getattr(self, name) for name in self.printed()}
        told = (f"{name}={value!r}" for name, value in found.items() if _is_short(value))
        return f"<{type(self).__name__} {', '.join(told)}>"


def _is_short(value: object) -> bool:
    found = list(value.values()) if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else [value]
    is_few = isinstance(value, dict) or 0 < len(found) <= _FEW
    return is_few and all(isinstance(one, (str, int, float)) for one in found)


def _plain(value: object) -> Any:  # noqa: ANN401 - as JSON has it
    return msgspec.json.decode(msgspec.json.encode(value))
