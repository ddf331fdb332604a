"""What harmful texts are made of. Acts count where the reader is told to do them; signs count wherever they stand.

What weighs `ENOUGH` is a finding by itself; the others add up over a few sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

ENOUGH = 3
SELF, ANY_PATTERN = "self_harm", "any"
_LINE = re.compile(r"\[(?P<pattern>\w+)\]|(?P<weight>\d) (?P<why>.+)|    (?P<rule>\S.*(?:\n        .+)*)")


class Sign(NamedTuple):
    pattern: str  # or ANY_PATTERN: it says that something is wrong, not what
    weight: int
    rule: str
    why: str


def _read(name: str) -> Iterator[Sign]:
    """The signs of a table: under each pattern a weight and a reason, under these the rules."""
    table = re.sub(r"(?m)^#.*\n", "", files(__package__).joinpath(name).read_text(encoding="utf-8"))
    pattern, weight, why = "", "0", ""
    for line in _LINE.finditer(table):
        pattern, weight, why = (
            new or old for new, old in zip(line.group(1, 2, 3), (pattern, weight, why), strict=True)
        )
        if line["rule"]:
            yield Sign(pattern, int(weight), " ".join(line["rule"].split()), why)


ACTS, SIGNS = tuple(_read("acts.txt")), tuple(_read("signs.txt"))
