"""Map a function over parts on the machines of a Ray cluster, results in order, each part counted once.

Workers keep nothing: they send a part's result to the driver, which puts it into a file (`finished.py`) before it is
used. So a worker that dies costs its part, which another one does, and a driver that dies goes on where it was.
"""

from __future__ import annotations

import gc
import os
import pickle
import re
import signal
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

from surefoot import __version__
from surefoot.errors import Incomplete, Unreachable
from surefoot.io.extras import library
from surefoot.io.finished import Finished

Part = TypeVar("Part")
Result = TypeVar("Result")

_RETRIES = 3  # of a part whose worker died
_SECONDS_TO_ANSWER = 10
# Nothing is reported to anybody; what cannot start is given up after half a minute.
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_raylet_start_wait_time_s": "30",
}
_ERROR = re.compile(r"^\w+Error: .*", re.MULTILINE)  # the last line of a traceback
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_works: dict[str, Callable[[Any], object]] = {}  # in a worker: what it has been sent, under the name of the call


def map_parts(
    work: Callable[[Part], Result], parts: Iterable[Part], finished: Finished, jobs: int | None
) -> Iterator[Result]:
    """`work(part)` for every part; `jobs` limits how many are worked on at once."""
    whole = False
    try:
        with _connected(jobs) as ray:
            yield from _mapped(ray, work, parts, finished, jobs)
        whole = True
    finally:
        finished.close(whole=whole)


def _mapped(
    ray: Any,  # noqa: ANN401 - of a package that may not be there
    work: Callable[[Part], Result],
    parts: Iterable[Part],
    finished: Finished,
    jobs: int | None,
) -> Iterator[Result]:
    task, sent, call = ray.remote(max_retries=_RETRIES)(_run), [ray.put(work)], uuid4().hex
    order: deque[str] = deque()
    running: dict[Any, str] = {}
    for part in parts:
        name = finished.name_of(part)
        order.append(name)
        if name not in finished:
            while len(running) >= (jobs or _at_once(ray)):
                _keep_next(ray, running, finished)
            running[task.remote(__version__, call, sent, part)] = name
        yield from _next_in_order(order, finished)
    while running:
        _keep_next(ray, running, finished)
        yield from _next_in_order(order, finished)


def _at_once(ray: Any) -> int:  # noqa: ANN401
    """More than there are cores: a worker finds its next part waiting, and a cluster that can grow sees why."""
    return 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))


def _keep_next(ray: Any, running: dict[Any, str], finished: Finished) -> None:  # noqa: ANN401
    (done, *_), _ = ray.wait(list(running), num_returns=1)
    try:
        result = ray.get(done)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, Unreachable):
            raise Unreachable(cause.message, finished.hint) from None
        raise cause from None
    except ray.exceptions.RayError as error:
        what = " ".join(str(error).split())[:200]
        raise Incomplete(f"the cluster could not finish a part: {what}", finished.hint) from error
    finished.keep(running.pop(done), result)


def _next_in_order(order: deque[str], finished: Finished) -> Iterator[Any]:
    while order and order[0] in finished:
        yield pickle.loads(finished.read(order.popleft()))


def _run(version: str, call: str, sent: list[Any], part: object) -> bytes:
    """In a worker, which unpacks what it is to do once and keeps it, with all that it has loaded and learned."""
    if version != __version__:
        hint = "install the same version on all machines"
        raise Incomplete(f"a worker has surefoot {__version__}, and the driver {version}", hint)
    if call not in _works:
        _works.clear()
        _works[call] = library("ray", "ray").get(sent[0])
    gc.disable()  # as in `pool.py`
    try:
        return pickle.dumps(_works[call](part), pickle.HIGHEST_PROTOCOL)
    finally:
        gc.enable()


@contextmanager
def _connected(jobs: int | None) -> Iterator[Any]:
    """To the cluster at RAY_ADDRESS, or to one on this machine that ends with the work."""
    os.environ.update(_SETTINGS)
    with _own_signals():
        ray = library("ray", "ray", "--engine ray")
        is_ours = not ray.is_initialized()
        if is_ours:
            _start(ray, jobs)
    try:
        yield ray
    finally:
        if is_ours:
            ray.shutdown()


def _start(ray: Any, jobs: int | None) -> None:  # noqa: ANN401
    address = os.environ.get("RAY_ADDRESS")
    own = {} if address else {"address": "local", "num_cpus": jobs, "include_dashboard": False}
    try:
        if address:
            _knock(address)
        ray.init(**own, log_to_driver=False, logging_level="CRITICAL")
    except Exception as error:
        what = f"the Ray cluster at {address} cannot be reached" if address else "Ray could not be started"
        hint = "check RAY_ADDRESS" if address else "look into /tmp/ray/session_latest/logs"
        why = ("" if address else _cause(Path("/tmp/ray/session_latest/logs"))) or " ".join(str(error).split())
        raise Incomplete(f"{what}: {why[:200]}", hint) from error


def _cause(logs: Path) -> str:
    """What ended one of Ray's processes: they only say that one of them did."""
    texts = (path.read_text("utf-8", "replace") for path in sorted(logs.glob("dashboard*.log")))
    return next((found[-1] for text in texts if (found := _ERROR.findall(text))), "")


def _knock(address: str) -> None:
    """Ray itself would wait for minutes."""
    place = urlsplit(address if "://" in address else f"ray://{address}")
    if place.hostname and place.port:
        socket.create_connection((place.hostname, place.port), _SECONDS_TO_ANSWER).close()


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ray answers signals in its own way, and a command has its own already."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
