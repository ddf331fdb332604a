"""Map a function over parts on the machines of a Ray cluster, results in order, each part counted once.

Ray has a process of its own (`ray_process.py`): it prints to stdout, and it ends its process when a node dies. What it
sends is put into a file (`finished.py`) before it is used. So a worker that dies costs its part, which another does,
and where Ray or the command dies, the same command goes on where it was.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import DEVNULL, Popen  # noqa: TID251 - of ourselves
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeVar, get_args

from surefoot import __version__
from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.files import cache_folder
from surefoot.io.finished import Finished
from surefoot.io.ray_process import END, MORE, SETTINGS, Task

Engine = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
Part = TypeVar("Part")
Result = TypeVar("Result")

_STDERR = 2
_MAIN = "from surefoot.io.ray_process import main; main()"


def check_engine(engine: str) -> None:
    if engine not in ENGINES:
        raise UsageError(f"engine cannot be {engine!r}", f"choose from {', '.join(ENGINES)}")


def map_on_ray(
    function: Callable[[Part], Result], parts: Iterable[Part], plan: str, work: str | Path | None,
    jobs: int | None = None,
) -> Iterator[Result]:  # fmt: skip
    """`function(part)` for every part; `plan` says all that results depend on beside the parts.

    `jobs` limits how many are worked on at once. Finished parts stay in `work`; where none is given, they lie in the
    user's cache until all are done.
    """
    folder = cache_folder() / "work" if work is None else Path(work)
    finished = Finished(folder, f"{__version__} {plan}", stays=work is not None)
    order: deque[str] = deque()
    whole = False
    try:
        for name, result in _done(function, _missing(parts, finished, order), finished.hint, jobs):
            finished.keep(name, result)
            yield from _next_in_order(order, finished)
        yield from _next_in_order(order, finished)
        whole = True
    finally:
        finished.close(whole=whole)


def _missing(parts: Iterable[Part], finished: Finished, order: deque[str]) -> Iterator[tuple[str, bytes]]:
    """The parts that are yet to be done; `order` gets the names of all."""
    for part in parts:
        name = finished.name_of(part)
        order.append(name)
        if name not in finished:
            yield name, pickle.dumps(part, pickle.HIGHEST_PROTOCOL)


def _next_in_order(order: deque[str], finished: Finished) -> Iterator[Any]:
    while order and order[0] in finished:
        yield pickle.loads(finished.read(order.popleft()))


def _done(
    work: Callable[[Part], object], parts: Iterator[tuple[str, bytes]], hint: str, jobs: int | None
) -> Iterator[tuple[str, bytes]]:
    """The results, as they come. Ray takes seconds to start, so it does where there is something to do."""
    first = next(parts, None)
    if first is None:
        return
    parts = chain([first], parts)
    with _folder() as folder, _ray() as ray:
        ray.send(Task(pickle.dumps(work, pickle.HIGHEST_PROTOCOL), jobs, folder, hint))
        while (said := _said_by(ray, hint)) != END:
            if isinstance(said, Exception):
                raise said
            if said == MORE:
                with suppress(BrokenPipeError):  # heard of above
                    ray.send(next(parts, None))
            else:
                yield said


def _folder() -> TemporaryDirectory[str]:
    """For Ray's own files, where it would put them itself: the path of a socket must be short."""
    where = os.environ.get("RAY_TMPDIR", "/tmp")
    return TemporaryDirectory(prefix="surefoot-", dir=where, ignore_cleanup_errors=True)


@contextmanager
def _ray() -> Iterator[Connection]:
    """What talks to Ray. Ctrl-C is for the command, which ends Ray too."""
    if sys.platform == "win32":
        raise Incomplete("Ray is not started from Windows", "score on Linux or macOS, or without --engine")
    ours, theirs = Pipe()
    command = [sys.executable, "-P", "-c", _MAIN, str(theirs.fileno())]
    environment = {**os.environ, **SETTINGS, "PYTHONPATH": os.pathsep.join(sys.path)}
    with ours, Popen(
        command, stdin=DEVNULL, stdout=_STDERR, pass_fds=[theirs.fileno()], env=environment, start_new_session=True
    ) as process:  # fmt: skip
        theirs.close()
        try:
            yield ours
        finally:
            process.terminate()


def _said_by(ray: Connection, hint: str) -> Any:  # noqa: ANN401 - as `ray_process.py` has it
    try:
        return ray.recv()
    except (EOFError, OSError):
        raise Incomplete("Ray ended before the work was done", hint) from None
