"""Numbers as words and with separators."""

from __future__ import annotations

from training.english.lists import listed

_ONES = listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = listed("twenty thirty forty fifty sixty seventy eighty ninety")
ORDINALS = listed("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
FIGURE = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"  # a number in digits, as a pattern
MONTHS = listed("January February March April May June July August September October November December")


def spelled(value: int) -> str | None:
    """ "forty-five"; None for what is not written out in practice."""
    if 0 <= value < 20:
        return _ONES[value]
    if value < 100:
        tens, ones = divmod(value, 10)
        return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    hundreds, rest = divmod(value, 100)
    if value < 1000 and (not rest or rest % 10 == 0):
        return f"{_ONES[hundreds]} hundred" + (f" {spelled(rest)}" if rest else "")
    return None


WORD_VALUES = {word: value for value in range(1000) if (word := spelled(value))}


def grouped(value: float, decimals: int = 0) -> str:
    return f"{value:,.{decimals}f}"


def ordinal(value: int) -> str:
    ending = "th" if 10 <= value % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"
