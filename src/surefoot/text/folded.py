"""Undo disguises: what a reader sees as a word becomes that word in plain letters, with a way back to the text."""

from __future__ import annotations

import bisect
import re
import unicodedata

# Zero-width and soft characters, direction marks, and marks that are set onto the letter before them
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u0300-\u036f\ufe0e\ufe0f]"
)
_LOOKALIKES = dict(
    zip("аеіјорсухѕԁһԛԝвкмнтгαεικνορτυχ", "aeijopcyxsdhqwbkmhtraeiknoptux", strict=True)
)  # Cyrillic and Greek letters that look Latin
# Greek capitals look like other letters than their small forms do.
_CAPITALS = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True))
_FULL_WIDTH = {chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)} | {"\ufe6b": "@"}
_PLAIN = {
    **_FULL_WIDTH,
    **_CAPITALS,
    **dict.fromkeys("‘’‚‛′`´ʼ＇", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒−﹣－", "-"),
    "–": "-",
    "—": ";",  # a dash between words ends a clause
    "ı": "i",
}


class Folded:
    """A text with its disguises undone, and where each of its characters stood."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._removed: list[int] = []  # for each character taken out, how many were kept before it
        if not text.isascii():
            for count, match in enumerate(_INVISIBLE.finditer(text)):
                self._removed.append(match.start() - count)
            shorter = _INVISIBLE.sub("", text) if self._removed else text
            self.text = shorter.translate({ord(char): _plain(char) for char in set(shorter) if ord(char) > 127})

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span in the text as it was given."""
        last = end - 1
        return start + bisect.bisect_right(self._removed, start), end + bisect.bisect_right(self._removed, last)


def _plain(char: str) -> str:
    """One character for one, so that positions hold."""
    if char in _PLAIN:
        return _PLAIN[char]
    lower = char.lower()
    if lower in _LOOKALIKES:
        return _LOOKALIKES[lower] if char == lower else _LOOKALIKES[lower].upper()
    if char.isspace():
        return "\n" if char in "\u2028\u2029\x85" else " "
    digit = unicodedata.digit(char, None)
    if digit is not None and char.isdecimal():
        return str(digit)
    base = unicodedata.normalize("NFKD", char)[:1]
    return base if base.isascii() and base.isalnum() else char
