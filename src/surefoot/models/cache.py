"""Replies that have been paid for, by what was asked. No key comes here: it is in neither prompt nor reply."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from surefoot.core.errors import SurefootError
from surefoot.core.files import cache_folder
from surefoot.models.seam import Prompt, Reply, ReplyStore

_VERSION = 1  # of what a digest is made of


def digest_of(model: str, prompt: Prompt, temperature: float | None, effort: str | None = None) -> str:
    content = [_VERSION, model, temperature, *_texts(prompt), prompt.schema, prompt.longest, prompt.attempt]
    content += [effort] if effort else []
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()


def _texts(prompt: Prompt) -> list[bytes]:
    """Half characters cannot be sent, yet texts that differ in them differ."""
    return [text.encode("utf-8", "surrogatepass") for text in (prompt.system, prompt.text)]


def default_path() -> Path:
    """Where replies are kept that belong to no project: a database like a project's, with nothing else in it."""
    return cache_folder() / "replies.db"


class Cache:
    """Several stores or none, the first one first: what is found in a later one is put into those before it."""

    def __init__(self, *stores: ReplyStore) -> None:
        self.stores = stores
        self._complained = False

    def get(self, digest: str, model: str = "") -> Reply | None:
        """As it came, but that it costs nothing any more."""
        for place, store in enumerate(self.stores):
            try:
                kept = store.read(digest)
                reply = None if kept is None else msgspec.json.decode(kept, type=Reply)
            except (SurefootError, msgspec.DecodeError, UnicodeDecodeError) as error:
                self._complain(store, error)
                continue
            if reply is not None:
                self._write(self.stores[:place], digest, model, reply)
                return repeated(reply)
        return None

    def put(self, digest: str, model: str, reply: Reply) -> None:
        """Durable against a kill when it returns. A reply that cannot be kept is still a reply."""
        self._write(self.stores, digest, model, reply)

    def _write(self, stores: Iterable[ReplyStore], digest: str, model: str, reply: Reply) -> None:
        for store in stores:
            try:
                store.write(digest, model, msgspec.json.encode(reply))
            except SurefootError as error:
                self._complain(store, error)

    def _complain(self, store: ReplyStore, error: Exception) -> None:
        if not self._complained:
            self._complained = True
            sys.stderr.write(f"{store.name}: the cache of replies failed: {error}; what it misses is asked again\n")


def repeated(reply: Reply) -> Reply:
    return msgspec.structs.replace(reply, cached=True, cost_usd=0.0, asked=0)
