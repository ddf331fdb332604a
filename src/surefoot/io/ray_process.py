"""The process that talks to Ray: it asks the command for parts, and sends back what workers make of them."""

from __future__ import annotations

import gc
import os
import pickle
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

from surefoot import __version__
from surefoot.core.errors import Incomplete, Unreachable
from surefoot.core.files import library

# Nothing is reported to anybody; what cannot start is given up after half a minute.
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_raylet_start_wait_time_s": "30",
}
MORE, END = "more", "end"  # said to the command, beside results and errors
_RETRIES = 3  # of a part whose worker died
_SECONDS_TO_ANSWER = 10
_ERROR = re.compile(r"^\w+Error: .*", re.MULTILINE)  # the last line of a traceback

_works: dict[str, Callable[[Any], object]] = {}  # in a worker: what it has been sent, under the name of the call


class Task(NamedTuple):
    """What the command says first."""

    work: bytes
    jobs: int | None
    folder: str  # for Ray's own files
    hint: str  # where the work breaks off


def main() -> None:
    os.set_inheritable(file := int(sys.argv[1]), False)  # by Ray's own processes, which may outlive this one
    with suppress(BrokenPipeError), Connection(file) as command:  # the command may have ended
        try:
            task = command.recv()
            with _connected(task) as ray:
                for result in _results(ray, task, command):
                    command.send(result)
            command.send(END)
        except Exception as error:  # noqa: BLE001 - whatever it is, the command says it
            command.send(error)


def _results(ray: Any, task: Task, command: Connection) -> Iterator[tuple[str, bytes]]:  # noqa: ANN401 - of an extra
    run, sent, call = ray.remote(max_retries=_RETRIES)(_run), [ray.put(task.work)], uuid4().hex
    running: dict[Any, str] = {}
    is_all = False
    while running or not is_all:
        if is_all or len(running) >= (task.jobs or _at_once(ray)):
            yield _next(ray, running, task.hint)
            continue
        command.send(MORE)
        if (part := command.recv()) is None:
            is_all = True
        else:
            name, data = part
            running[run.remote(__version__, call, sent, data)] = name


def _at_once(ray: Any) -> int:  # noqa: ANN401
    """More than there are cores: a worker finds its next part waiting, and a cluster that can grow sees why."""
    return 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))


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
    gc.disable()  # as in `pool.py`
    try:
        return pickle.dumps(_works[call](pickle.loads(part)), pickle.HIGHEST_PROTOCOL)
    finally:
        gc.enable()


@contextmanager
def _connected(task: Task) -> Iterator[Any]:
    """To the cluster at RAY_ADDRESS, or to one on this machine that ends with the work."""
    ray = library("ray", "ray", "--engine ray")
    try:
        _start(ray, task)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # Ray's own answer takes longer
        yield ray
    finally:
        ray.shutdown()


def _start(ray: Any, task: Task) -> None:  # noqa: ANN401
    address = os.environ.get("RAY_ADDRESS")
    own = {"address": "local", "num_cpus": task.jobs, "include_dashboard": False, "_temp_dir": task.folder}
    try:
        if address:
            _knock(address)
        ray.init(**({} if address else own), log_to_driver=False, logging_level="CRITICAL")
    except Exception as error:
        what = f"the Ray cluster at {address} cannot be reached" if address else "Ray could not be started"
        hint = "check RAY_ADDRESS" if address else "check the free memory and disk space, or use --engine local"
        why = _cause(Path(task.folder)) or " ".join(str(error).split())
        raise Incomplete(f"{what}: {why[:200]}", hint) from error


def _cause(folder: Path) -> str:
    """What ended one of Ray's processes: they only say that one of them did."""
    texts = (path.read_text("utf-8", "replace") for path in sorted(folder.glob("session_*/logs/dashboard*.log")))
    return next((found[-1] for text in texts if (found := _ERROR.findall(text))), "")


def _knock(address: str) -> None:
    """Ray itself would wait for minutes."""
    place = urlsplit(address if "://" in address else f"ray://{address}")
    if place.hostname and place.port:
        socket.create_connection((place.hostname, place.port), _SECONDS_TO_ANSWER).close()
