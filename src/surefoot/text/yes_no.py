"""A bare yes or no, and what it says: the statement that its question asks about."""

from __future__ import annotations

import re

from surefoot.text.phrases import phrase

_BARE = re.compile(r"\W*(?:yes|correct|true|(?P<no>no|incorrect|false))\W*", re.IGNORECASE)
_ASKS, _ASKS_MORE = phrase("asks_yes_no"), phrase("asks_more")
_OPENS = re.compile(r"\W*(?:yes|no|correct|incorrect|true|false)\b", re.IGNORECASE)
OR = re.compile(r"\bor\b", re.IGNORECASE)
_FREE = re.compile(" free$")


def asks_yes_no(question: str) -> bool:
    """And nothing else: "Is it due, and when?" and "Is it due, or is it paid?" are not answered by a yes."""
    return bool(_ASKS.search(question)) and not _ASKS_MORE.search(question)


def opens_with_yes_no(text: str) -> bool:
    return _OPENS.match(text) is not None


def is_denial(claim: str) -> bool:
    return bool((bare := _BARE.fullmatch(claim)) and bare["no"])


def spelled_out(question: str, claim: str) -> str:
    """What a yes to the question says ("Yes, cats allowed in the flat."), if the claim is a bare yes or no; else "".
    A yes to "Is it due monthly or quarterly?" says nothing; a no denies both."""
    found = list(_ASKS.finditer(question)) if asks_yes_no(question) and _BARE.fullmatch(claim) else []
    if not found or (OR.search(question) and not is_denial(claim)):
        return ""
    before, after = question[: found[-1].start()], question[found[-1].end() :]
    said = " ".join(f"{before.strip(' ,:;')} {after.strip(' ?!.')}".split())
    return f"Yes, {_FREE.sub(' is free', said)}."
