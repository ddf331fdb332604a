"""A bare yes or no, and what it says: the statement that its question asks about."""

from __future__ import annotations

import re

from surefoot.text.phrases import phrase

_BARE = re.compile(r"\W*(?:(?P<yes>yes|correct|true)|(?P<no>no|incorrect|false))\W*", re.IGNORECASE)
_ASKS, _ASKS_MORE = phrase("asks_yes_no"), phrase("asks_more")


def asks_yes_no(question: str) -> bool:
    """And nothing else: "Is it due, and when?" is not answered by a yes."""
    return bool(_ASKS.search(question)) and not _ASKS_MORE.search(question)


def is_denial(claim: str) -> bool:
    return bool((bare := _BARE.fullmatch(claim)) and bare["no"])


def spelled_out(question: str, claim: str) -> str:
    """What a yes to the question says ("Yes, cats allowed in the flat."), if the claim is a bare yes or no; else ""."""
    found = list(_ASKS.finditer(question)) if asks_yes_no(question) and _BARE.fullmatch(claim) else []
    if not found:
        return ""
    before, after = question[: found[-1].start()], question[found[-1].end() :]
    said = " ".join(f"{before.strip(' ,:;')} {after.strip(' ?!.')}".split())
    return f"Yes, {said}."
