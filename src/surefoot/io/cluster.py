"""Map a function over the parts of a log on the machines of a Ray cluster, results in order, each part counted once.

Parts are large enough to be worth sending, and the same after a restart. Small files, and those that can only be read
from their start, are cut where they are read. Of a large file of JSON lines the driver finds the line ends, so that
every row keeps its number; of a large Parquet file it reads the footer.

Ray has a process of its own (`main`): it prints to stdout, and it ends its process when a node dies. What it sends is
put into a file (`Finished`) before it is used. So a worker that dies costs its part, which another does, and where Ray
or the command dies, the same command goes on where it was.
"""

from __future__ import annotations

import gc
import os
import pickle
import shutil
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from itertools import chain, islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import DEVNULL, Popen  # noqa: TID251 - of ourselves
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, TypeVar, get_args
from urllib.parse import urlsplit
from uuid import uuid4

from msgspec import Struct

from surefoot import __version__
from surefoot.core.errors import Incomplete, Unreachable, UsageError
from surefoot.core.files import LOCK, cache_folder, holding, library, printable, replace_file
from surefoot.io import rows as sources
from surefoot.io.rows import Block, Document, File, Lines, ParquetGroup, Values, cut, files_in

Engine = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
Given = TypeVar("Given")
Result = TypeVar("Result")

PART_BYTES = 32 << 20  # at most, if a file need not be larger
_LEAST_BYTES = 1 << 20
_SHARE = 16  # a part is this share of what lies before it
_SUFFIX = ".part"
_STDERR = 2
_MAIN = "from surefoot.io.cluster import main; main()"
# Nothing is reported to anybody; what cannot start is given up after half a minute.
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_raylet_start_wait_time_s": "30",
}  # fmt: skip
_MORE, _END = "more", "end"  # said to the command, beside results and errors
_RETRIES = 3  # of a part whose worker died
_SECONDS_TO_ANSWER = 10

_works: dict[str, Callable[[Any], object]] = {}  # in a worker: what it has been sent, under the name of the call


class Part(Struct, frozen=True):
    """Blocks, or files that are yet to be cut into blocks, and the state of the files behind them."""

    pieces: tuple[Block | File, ...]
    states: tuple[str, ...]


def parts_from(paths: Iterable[str | Path], values: Iterable[Values] = ()) -> Iterator[Part]:
    """Everything in `values` and then in files, folders, addresses and `-` (stdin), in order.

    Parts grow from one to the next: there are some for every worker in a short log, and not too many in a long one.
    They depend on the log alone, so they are the same on whatever cluster a restart finds.
    """
    pieces: list[Block | File] = []
    states: dict[str, None] = {}
    size, before, most = 0, 0, _LEAST_BYTES
    for found in chain(values, files_in(paths)):
        for piece, state, weight in _pieces(found, min(PART_BYTES, most)):
            pieces.append(piece)
            states[state] = None
            size += weight
            if size >= min(PART_BYTES, most):
                yield Part(tuple(pieces), tuple(states))
                pieces, states, size, before = [], {}, 0, before + size
                most = max(_LEAST_BYTES, before // _SHARE)
    if pieces:
        yield Part(tuple(pieces), tuple(states))


def blocks_in(part: Part) -> Iterator[Block]:
    """The blocks of a part, where they are read. What the driver saw and this machine does not is no bad file."""
    for piece in part.pieces:
        path = piece.path if isinstance(piece, (File, Lines, ParquetGroup)) else ""
        if path and not sources.is_address(path) and not Path(path).exists():
            hint = "put the log where every machine sees it under the same path, or pass an address such as s3://..."
            raise Incomplete(f"{path} is not there on {socket.gethostname()}", hint)
        yield from cut(piece)


def _pieces(found: File | Values, most: int) -> Iterator[tuple[Block | File, str, int]]:
    """What is not there is named when it is cut."""
    path = found.path if isinstance(found, File) else "-"
    if path == "-" or not sources.is_there(path) or not sources.can_be_cut(path):
        yield from ((block, "", _weight(block)) for block in cut(found))
        return
    size, state = sources.state_of(path)
    blocks = cut(found) if size > most else iter(())
    head = list(islice(blocks, 2))  # the first may be a note on the file
    if any(isinstance(block, (Lines, ParquetGroup)) and block.path for block in head):
        yield from ((block, state, _weight(block)) for block in chain(head, blocks))
    else:
        yield found, state, size


def _weight(block: Block | File) -> int:
    if isinstance(block, (Lines, ParquetGroup)) and block.size:
        return block.size
    return len(block.content) if isinstance(block, (Lines, Document)) else 1


class Finished:
    """The finished parts of one plan, each in a file of its own that is whole or not there, named by what was to be
    done with what. Only one process at a time works on it."""

    def __init__(self, folder: Path, plan: str, *, stays: bool) -> None:
        self.folder = folder / sha256(plan.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.hint = f"the parts that are done are kept in {printable(self.folder)}: the same command goes on from there"
        self._stays = stays  # for the next time, where a person named the folder
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            hint = "set another folder as `work` in surefoot.toml"
            raise Incomplete(f"{printable(folder)} cannot be written to: {error.strerror}", hint) from error
        hint = "wait for it to end, or choose another folder"
        self._held = ExitStack()
        taken = Incomplete(f"another process is writing to {self.folder}", hint)
        self._held.enter_context(holding(self.folder / LOCK, taken))

    def at(self, name: str) -> Path:
        return self.folder / f"{name}{_SUFFIX}"

    def keep(self, name: str, result: bytes) -> None:
        try:
            replace_file(self.at(name), result)
        except OSError as error:
            message = f"a finished part cannot be kept in {printable(self.folder)}: {error.strerror}"
            raise Incomplete(message, f"make room there; {self.hint}") from error

    def close(self, *, whole: bool) -> None:
        """`whole`: all parts were used, and need not be kept."""
        self._held.close()
        if whole and not self._stays:
            shutil.rmtree(self.folder, ignore_errors=True)


def check_engine(engine: str) -> None:
    if engine not in ENGINES:
        raise UsageError(f"engine cannot be {engine!r}", f"choose from {', '.join(ENGINES)}")


def map_on_ray(
    function: Callable[[Given], Result], parts: Iterable[Given], plan: str, work: str | Path | None,
    jobs: int | None = None,
) -> Iterator[Result]:  # fmt: skip
    """`function(part)` for every part; `plan` says all that results depend on beside the parts.

    `jobs` limits how many are worked on at once. Finished parts stay in `work`; where none is given, they lie in the
    user's cache until all are done.
    """
    folder = cache_folder() / "work" if work is None else Path(work)
    finished = Finished(folder, f"{__version__} {plan}", stays=work is not None)
    order: deque[Path] = deque()

    def missing() -> Iterator[tuple[str, bytes]]:
        for part in parts:
            name = sha256(repr(part).encode("utf-8", "surrogatepass")).hexdigest()[:32]
            order.append(finished.at(name))
            if not order[-1].exists():
                yield name, pickle.dumps(part, pickle.HIGHEST_PROTOCOL)

    def next_in_order() -> Iterator[Result]:
        while order and order[0].exists():
            yield pickle.loads(order.popleft().read_bytes())

    whole = False
    try:
        for name, result in _done(function, missing(), finished.hint, jobs):
            finished.keep(name, result)
            yield from next_in_order()
        yield from next_in_order()
        whole = True
    finally:
        finished.close(whole=whole)


class _Task(NamedTuple):
    """What the command says first."""

    work: bytes
    jobs: int | None
    folder: str  # for Ray's own files
    hint: str  # where the work breaks off


def _done(
    work: Callable[[Given], object], parts: Iterator[tuple[str, bytes]], hint: str, jobs: int | None
) -> Iterator[tuple[str, bytes]]:
    """The results, as they come. Ray takes seconds to start, so it does where there is something to do."""
    first = next(parts, None)
    if first is None:
        return
    parts = chain([first], parts)
    # Ray's own files lie where it would put them itself: the path of a socket must be short.
    where = os.environ.get("RAY_TMPDIR", "/tmp")
    with TemporaryDirectory(prefix="surefoot-", dir=where, ignore_cleanup_errors=True) as folder, _ray() as ray:
        ray.send(_Task(pickle.dumps(work, pickle.HIGHEST_PROTOCOL), jobs, folder, hint))
        while True:
            try:
                said = ray.recv()
            except (EOFError, OSError):
                raise Incomplete("Ray ended before the work was done", hint) from None
            if said == _END:
                return
            if isinstance(said, Exception):
                raise said
            if said == _MORE:
                with suppress(BrokenPipeError):  # heard of above
                    ray.send(next(parts, None))
            else:
                yield said


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


def main() -> None:
    """The process that talks to Ray: it asks the command for parts, and sends back what workers make of them."""
    os.set_inheritable(file := int(sys.argv[1]), False)  # by Ray's own processes, which may outlive this one
    with suppress(BrokenPipeError), Connection(file) as command:  # the command may have ended
        try:
            task = command.recv()
            with _connected(task) as ray:
                for result in _results(ray, task, command):
                    command.send(result)
            command.send(_END)
        except Exception as error:  # noqa: BLE001 - whatever it is, the command says it
            command.send(error)


def _results(ray: Any, task: _Task, command: Connection) -> Iterator[tuple[str, bytes]]:  # noqa: ANN401 - of an extra
    run, sent, call = ray.remote(max_retries=_RETRIES)(_run), [ray.put(task.work)], uuid4().hex
    running: dict[Any, str] = {}
    is_all = False
    while running or not is_all:
        # More than there are cores: a worker finds its next part waiting, and a cluster that can grow sees why.
        at_once = task.jobs or 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        if is_all or len(running) >= at_once:
            yield _next(ray, running, task.hint)
            continue
        command.send(_MORE)
        if (part := command.recv()) is None:
            is_all = True
        else:
            name, data = part
            running[run.remote(__version__, call, sent, data)] = name


def _next(ray: Any, running: dict[Any, str], hint: str) -> tuple[str, bytes]:  # noqa: ANN401
    (done, *_), _ = ray.wait(list(running), num_returns=1)
    try:
        return running.pop(done), ray.get(done)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, Unreachable):
            raise Unreachable(cause.message, hint) from None
        raise cause from None
    except ray.exceptions.RayError as error:
        what = " ".join(str(error).split())[:200]
        raise Incomplete(f"the cluster could not finish a part: {what}", hint) from error


def _run(version: str, call: str, sent: list[Any], part: bytes) -> bytes:
    """In a worker, which unpacks what it is to do once and keeps it, with all that it has loaded and learned."""
    if version != __version__:
        hint = "install the same version on all machines"
        raise Incomplete(f"a worker has surefoot {__version__}, and the driver {version}", hint)
    if call not in _works:
        _works.clear()
        _works[call] = pickle.loads(library("ray", "ray").get(sent[0]))
    gc.disable()  # as in the processes of `sources.map_blocks`
    try:
        return pickle.dumps(_works[call](pickle.loads(part)), pickle.HIGHEST_PROTOCOL)
    finally:
        gc.enable()


@contextmanager
def _connected(task: _Task) -> Iterator[Any]:
    """To the cluster at RAY_ADDRESS, or to one on this machine that ends with the work."""
    ray = library("ray", "ray", "--engine ray")
    address = os.environ.get("RAY_ADDRESS", "")
    own = {"address": "local", "num_cpus": task.jobs, "include_dashboard": False, "_temp_dir": task.folder}
    try:
        try:
            place = urlsplit(address if "://" in address else f"ray://{address}")
            if place.hostname and place.port:  # Ray itself would wait for minutes
                socket.create_connection((place.hostname, place.port), _SECONDS_TO_ANSWER).close()
            ray.init(**({} if address else own), log_to_driver=False, logging_level="CRITICAL")
        except Exception as error:
            what = f"the Ray cluster at {address} cannot be reached" if address else "Ray could not be started"
            hint = "check RAY_ADDRESS" if address else "check the free memory and disk space, or use --engine local"
            raise Incomplete(f"{what}: {' '.join(str(error).split())[:200]}", hint) from error
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # Ray's own answer takes longer
        yield ray
    finally:
        ray.shutdown()
