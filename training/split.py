"""Which groups (documents, pages, questions) train the model, fit its calibration, or are kept to measure it."""

from __future__ import annotations

import hashlib
from typing import Literal

Part = Literal["train", "fit", "held"]
# A source of few groups is split by name, so that every part gets some.
_NAMED: dict[str, Part] = {
    "squad-Packet_switching": "held",
    "squad-Steam_engine": "held",
    "squad-Islamism": "fit",
}


def part_of(group: str) -> Part:
    if group in _NAMED:
        return _NAMED[group]
    if group.startswith("squad-"):
        return "train"
    place = int(hashlib.sha256(group.encode()).hexdigest(), 16) % 100
    return "train" if place < 72 else "fit" if place < 80 else "held"
