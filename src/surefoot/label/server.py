"""Starting and stopping the label page: a queue, a port, an address to announce, a browser."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shlex
import socket
import sys
import threading
import webbrowser
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

import uvicorn
from msgspec import Struct

from surefoot import rubric as rubrics
from surefoot.errors import Incomplete, UsageError
from surefoot.io.labels import names_a_grader
from surefoot.io.writer import printable
from surefoot.label.app import LONGEST_NAME, app_for, clean_name
from surefoot.label.desk import Desk
from surefoot.label.form import fields_of
from surefoot.label.guard import is_local
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of, find
from surefoot.report.words import counted, plain
from surefoot.services.label_queue import label_queue
from surefoot.services.result import READER, Person, Tell
from surefoot.services.runs import graders_of
from surefoot.services.versions import labelled_beside
from surefoot.store import RunStore

PORT = 8321  # the same at every start, so that what a browser keeps of a form not yet sent is found again
_SHORTEST_TOKEN = 12
_UNENCRYPTED = "whoever has this address can label, and what is sent is not encrypted: use it in a network you trust"


class Opened(Struct, frozen=True):
    """The label page, ready to be used."""

    url: str
    run: str
    ledger: str
    target: int
    labelled: int
    queue: dict[str, int]  # answers, by how they were drawn


def serve_page(
    run: Path,
    announce: Callable[[Opened], None],
    *,
    annotator: str | None = None,
    target: int = 50,
    overlap: float = 0.2,
    axes: Sequence[str] = (),
    rubric: str | None = None,
    only_gate: bool = False,
    host: str = "127.0.0.1",
    port: int | None = None,
    token: str | None = None,
    ledger: str | None = None,
    person: Person = READER,
) -> None:
    """Serve the label page of a run until Ctrl-C. `announce` is called when it is ready."""

    def note(words: str) -> None:
        person.tell(f"note: {plain(words, 500)}")

    store = RunStore.open(run)
    name = _checked_name(annotator, store)
    chosen = _rubric(store, rubric, note)
    fields = fields_of(chosen, axes)
    secret = _checked_token(host, token)
    queue = label_queue(run, target=target, overlap=overlap, only_gate=only_gate, ledger=ledger)
    with Ledger.open(find(run, ledger)) as book, _bound(host, port) as listening:
        book.add_run(entry_of(store))
        desk = Desk(queue, chosen, fields, book)
        for words in (*queue.notes, *(() if is_local(host) else (_UNENCRYPTED,))):
            note(words)
        if others := labelled_beside(book, run):
            together = shlex.join([*others, printable(run)])
            note(f"answers of other runs are labelled too; on all labels: surefoot calibrate {together}")
        opened = Opened(
            _address(host, listening.getsockname()[1], secret), queue.name, book.name, desk.target,
            desk.progress("").together, Counter(place.drawn for place in queue.places),
        )  # fmt: skip
        app = app_for(desk, host=host, token=secret, annotator=name)
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, lifespan="off", server_header=False, date_header=False,
            timeout_graceful_shutdown=40, proxy_headers=False,
        )  # fmt: skip
        with contextlib.suppress(KeyboardInterrupt):  # how this is meant to end
            _Server(config, lambda: announce(opened)).run(sockets=[listening])
        desk.labels.check()
        done = counted(desk.progress("").together, "answer")
        note(f"{done} labelled, {desk.target} wanted; the labels are in {book.name}")


class _Server(uvicorn.Server):
    """Says where it is only once Ctrl-C ends it cleanly: people press it as soon as they see the address."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()


def open_browser(url: str) -> None:
    """Only where there is a screen: a browser for text would take the terminal."""
    if sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        threading.Timer(0.5, webbrowser.open, [url]).start()


def _checked_name(name: str | None, store: RunStore) -> str:
    if name is None:
        return ""
    if not name or clean_name(name) != name:
        raise UsageError(f"{plain(name, 80)!r} is no name", f"write 1 to {LONGEST_NAME} ordinary characters")
    if names_a_grader(name, graders_of(store)):
        raise UsageError(f"{name!r} is the name of a grader, and labels are by people", "write the name of a person")
    return name


def _rubric(store: RunStore, given: str | None, note: Tell) -> rubrics.Rubric:
    """The rubric asked for, or the run's own; labels by another one could not be held against its verdicts."""
    if given and Path(given).is_file():
        chosen = rubrics.parse(Path(given).read_text("utf-8", "replace"), given)
    else:
        chosen = rubrics.load(given or store.manifest.rubric or rubrics.DEFAULT)
    if store.manifest.rubric_sha256 not in ("", chosen.sha256):
        note(f"the run was graded by another rubric than this {chosen.name}: the labels will not fit its verdicts")
    return chosen


def _checked_token(host: str, given: str | None) -> str | None:
    """None where only this machine can come in and nobody asked for a token."""
    if given is None:
        return None if is_local(host) else secrets.token_urlsafe(24)
    if len(given) < _SHORTEST_TOKEN or not given.isascii() or not given.isprintable():
        message = f"a token has at least {_SHORTEST_TOKEN} characters, none of them outside ASCII"
        raise UsageError(message, "leave --token out and one is made")
    return given


def _bound(host: str, port: int | None) -> socket.socket:
    """A socket at the port; where none was asked for and the usual one is taken, at any that is free."""
    try:
        family = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
    except (socket.gaierror, UnicodeError) as error:
        raise UsageError(f"there is no host {host[:100]!r}", "write a name or an address of this machine") from error
    try:
        return socket.create_server((host, PORT if port is None else port), family=family, backlog=128)
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            hint = "write one of its addresses, or 0.0.0.0 for all of them"
            raise UsageError(f"{host} is no address of this machine", hint) from error
        if port is None:
            return _bound(host, 0)
        hint = "another page may be open there: " if error.errno == errno.EADDRINUSE else ""
        message = f"{host} port {port} cannot be used: {os.strerror(error.errno) if error.errno else error}"
        raise Incomplete(message, f"{hint}choose another --port, or leave it out") from error


def _address(host: str, port: int, token: str | None) -> str:
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}/" + (f"?token={quote(token)}" if token else "")
