"""One item, read from a file as any other."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from surefoot.core.types import Item
from surefoot.io.items import load_items


def item_of(row: object) -> Item:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "items.jsonl"
        file.write_bytes(msgspec.json.encode(row) + b"\n")
        (found,) = load_items(file)
    assert isinstance(found, Item), found
    return found
