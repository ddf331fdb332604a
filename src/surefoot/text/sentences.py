"""Sentences of any text. The library underneath panics on wide spaces and cannot take lone surrogates."""

from __future__ import annotations

import re

from sentencex import segment

_TROUBLE = re.compile(r"[\ud800-\udfff]|(?![\x00-\x7f])\s")


def sentences(text: str) -> list[str]:
    """Pieces that together are as long as the text, so that offsets can be counted; no piece is left out."""
    if not text.isascii():
        text = _TROUBLE.sub(_plain, text)
    return list(segment("en", text))


def _plain(match: re.Match[str]) -> str:
    return " " if match.group().isspace() else "\ufffd"
