"""Lists of words written as running text."""

from __future__ import annotations


def listed(text: str, separator: str | None = None) -> list[str]:
    return text.split(separator)


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
