"""Which answers the queue has put before whom. An answer that somebody went to by its address was not drawn."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection, Sequence

from surefoot.ledger import Ledger

_ROUNDS = 200_000  # too many to guess the key by trying
_KEPT = 20
_PROOF = re.compile(r"[0-9a-f]{32}")


class Offers:
    """A browser keeps proofs of what it was offered, so that a server that is started anew still takes them."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._made: set[tuple[str, str]] = set()  # person and version

    def add(self, person: str, version: str) -> None:
        self._made.add((person, version))

    def has(self, person: str, version: str, proofs: Collection[str] = ()) -> bool:
        return (person, version) in self._made or self._proof(person, version) in proofs

    def proof(self, person: str, version: str, proofs: Collection[str] = ()) -> str:
        """ "" where there was no offer."""
        return self._proof(person, version) if self.has(person, version, proofs) else ""

    def _proof(self, person: str, version: str) -> str:
        return hmac.digest(self._key, f"{version}\0{person}".encode("utf-8", "replace"), "sha256").hex()[:32]


def key_of(ledger: Ledger, run: str) -> bytes:
    """The same at every start, and in every server on one ledger: made from what the ledger alone knows of a run."""
    first = next((entry for entry in ledger.runs() if entry.id == run), None)
    if first is None:
        return secrets.token_bytes(32)
    return hashlib.pbkdf2_hmac("sha256", f"{first.at}\0{first.path}".encode("utf-8", "replace"), run.encode(), _ROUNDS)


def proofs_in(cookie: str) -> list[str]:
    return _PROOF.findall(cookie)[-_KEPT:]


def cookie_of(proofs: Sequence[str]) -> str:
    return ".".join(proofs[-_KEPT:])
