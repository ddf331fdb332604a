"""What services return: an object that reads like what `--json` prints, with the same names."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from importlib import import_module  # noqa: TID251 - whichever is there
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.types import Problem

if TYPE_CHECKING:
    from surefoot.report.blocks import Report

Tell = Callable[[str], None]  # takes a line that a person should see meanwhile
_PROBLEMS_TOLD = 20


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


class Result(Mapping[str, Any]):
    """Reads like the object that `--json` prints: result["outcome"]."""

    @property
    @abstractmethod
    def exit_code(self) -> ExitCode: ...

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Everything, as plain values."""

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The rows of `to_frame`."""
        return []

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
        """What a notebook shows: the rows, or else every field."""
        from surefoot.report import notebook  # noqa: PLC0415 - half of a start-up, and few results are shown in one

        fields = [{"field": name, "value": value} for name, value in self.items()]
        return notebook.cell(notebook.listing(repr(self), self.table() or fields))

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - as JSON has it
        return msgspec.to_builtins(self.to_json()[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_json())

    def __len__(self) -> int:
        return len(self.to_json())


class Reported(Result):
    """A result with a report, whose page a notebook shows."""

    @abstractmethod
    def report(self) -> Report: ...

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


class Fields(Result):
    """A result that is a dataclass: each of its fields is one of the JSON object."""

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK

    def to_json(self) -> dict[str, Any]:
        return {field.name: msgspec.to_builtins(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]
