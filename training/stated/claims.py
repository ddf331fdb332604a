"""A claim on a passage."""

from __future__ import annotations

from msgspec import Struct


class Claim(Struct, frozen=True):
    text: str
    label: str
    kind: str
