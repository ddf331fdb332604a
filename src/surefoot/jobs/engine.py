"""Who does a large piece of work: the cores of this machine, or a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeVar, get_args

from surefoot import __version__
from surefoot.core.errors import UsageError
from surefoot.io.cluster import map_parts
from surefoot.io.finished import Finished
from surefoot.models.replies import cache_folder

Engine = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = get_args(Engine)

Part = TypeVar("Part")
Result = TypeVar("Result")


def check_engine(engine: str) -> None:
    if engine not in ENGINES:
        raise UsageError(f"engine cannot be {engine!r}", f"choose from {', '.join(ENGINES)}")


def map_on_ray(
    function: Callable[[Part], Result],
    parts: Iterable[Part],
    plan: str,
    work: str | Path | None,
    jobs: int | None = None,
) -> Iterator[Result]:
    """`plan` says all that results depend on beside the parts. Finished parts stay in `work`; where none is given, they
    lie in the user's cache until all are done."""
    folder = cache_folder() / "work" if work is None else Path(work)
    finished = Finished(folder, f"{__version__} {plan}", stays=work is not None)
    yield from map_parts(function, parts, finished, jobs)
