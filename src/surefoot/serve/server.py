"""Starting and stopping the pages of a project."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from msgspec import Struct

from surefoot.serve.app import app_for
from surefoot.serve.desks import desks_of
from surefoot.services.history import Archive
from surefoot.services.result import READER, Person
from surefoot.web.guard import Guard, is_local
from surefoot.web.serve import UNENCRYPTED, address, bound, checked_token, serve


class Opened(Struct, frozen=True):
    """The pages, ready to be used."""

    url: str
    ledger: str
    runs: int


def serve_history(
    announce: Callable[[Opened], None],
    *,
    ledger: str | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    token: str | None = None,
    label: bool = False,
    person: Person = READER,
) -> None:
    """Serve the runs of a project until Ctrl-C. `announce` is called when the pages are ready.

    They only read, unless people may `label` on them; a token of one's own lets whoever knows it label too.
    """
    secret = checked_token(host, token)
    archive = Archive(ledger)
    found = archive.read().found  # what is wrong is said before a port is taken, and the first page is quick
    with bound(host, port) as listening, desks_of(archive) if label or token else nullcontext() as desks:
        if not is_local(host):
            person.tell(f"note: {UNENCRYPTED}")
        opened = Opened(address(host, listening.getsockname()[1], secret), found.ledger, len(found.runs))
        serve(Guard(app_for(archive, desks), host, secret), listening, announce=lambda: announce(opened))
