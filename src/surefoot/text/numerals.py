"""How numbers are written: in digits of any script, in words, with a scale; and the names of the months."""

from __future__ import annotations

import re
import unicodedata
from calendar import month_name

MONTHS = {name.lower(): number for number, long in enumerate(month_name) if long for name in (long, long[:3])} | {
    "sept": 9
}
ONES = re.findall(
    "[a-z]+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
)
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBER_WORDS = {word: value for value, word in enumerate(ONES)} | {
    word: 10 * value for value, word in enumerate(TENS, 2)
}
_ORDINALS = re.findall("[a-z]+", "first second third fourth fifth sixth seventh eighth ninth tenth")
ORDINALS = {word: value for value, word in enumerate(_ORDINALS, 1)}
LONG_SCALES = {
    "dozen": 12.0, "hundred": 1e2, "thousand": 1e3, "lakh": 1e5, "million": 1e6, "crore": 1e7, "billion": 1e9,
    "trillion": 1e12,
}  # fmt: skip
SCALES = LONG_SCALES | {"k": 1e3, "m": 1e6, "mm": 1e6, "mn": 1e6, "mio": 1e6, "bn": 1e9, "b": 1e9}
SHORT_SCALE = "k|m|b| ?(?:mn|mio|bn)"  # behind digits
THOUSANDS = (1.0, 1e3, 1e6, 1e9)  # the scales in which a table or statement may be
FRACTIONS = {"¼": 0.25, "½": 0.5, "¾": 0.75}
# Groups of three, the lakhs and crores of India, or none. Behind a letter a space ends the number: "Q3 500".
NUMBER = (
    r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|(?<![^\W\d_])\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?!\d)(?:\.\d+)?"
    r"|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|\d+(?:\.\d+)?|\.\d+"
)
_WIDE = str.maketrans("％．，＄", "%.,$")


def plain_digits(text: str) -> str:
    """Lowered, of the same length; the digits of other scripts are as good as these, unless a number mixes them."""
    lowered = text.lower()
    lowered = lowered if len(lowered) == len(text) else text
    return lowered if lowered.isascii() else re.sub(r"\d+", _in_one_script, lowered.translate(_WIDE))


def _in_one_script(match: re.Match[str]) -> str:
    digits = match.group()
    scripts = {ord(digit) - unicodedata.digit(digit) for digit in digits}
    plain = "".join(str(unicodedata.digit(digit)) for digit in digits)
    return plain if len(scripts) == 1 else f"{plain[0]}{'⁰' * (len(plain) - 1)}"


def from_digits(text: str) -> float:
    return float(re.sub(r"[, \u00a0\u202f']", "", text))


def from_words(text: str) -> float:
    """ "two hundred forty-five" """
    total = 0.0
    for word in re.split(r"[- ]", text):
        total = total * 100 if word == "hundred" else total + NUMBER_WORDS[word]
    return total
