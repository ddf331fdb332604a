"""One normal form for text that is compared: what looks the same to a reader compares equal."""

from __future__ import annotations

import unicodedata

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))


def normalise(text: str) -> str:
    """NFC, case folded, invisible characters removed, white space (NBSP too) folded."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(_INVISIBLE).casefold())
    return " ".join(text.casefold().split())
