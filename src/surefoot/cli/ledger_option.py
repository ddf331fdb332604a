"""The option that every command with a ledger has, and the cache of replies, which may lie in a ledger."""

from __future__ import annotations

import atexit
from pathlib import Path

import click

from surefoot.models.cache import default_path
from surefoot.models.seam import Shelf

ledger_option = click.option(
    "--ledger",
    metavar="PATH|URL",
    help="The project's ledger: a file, or postgresql://...  "
    "[default: $SUREFOOT_LEDGER, else surefoot.db beside the runs]",
)
cache_option = click.option(
    "--cache",
    metavar="FILE|LEDGER",
    help="Where replies are kept: a repeat costs nothing, and a ledger shares them.  "
    "[default: in the user's cache folder]",
)


def replies_at(place: str | Path | None) -> Path | Shelf:
    """Where a command keeps the replies of models: in a file, or in the ledger that was named."""
    if place is None:
        return default_path()
    from surefoot.ledger import Ledger
    from surefoot.ledger.places import is_ledger

    if not is_ledger(place):
        return Path(place)
    ledger = Ledger.open(place)
    atexit.register(ledger.close)
    return ledger.replies
