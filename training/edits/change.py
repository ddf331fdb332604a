"""What every kind of edit has in common."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

Change = tuple[str, str]  # kind and the new text
Changes = Callable[[str, str, random.Random], Iterator[Change]]  # of a sentence in its passage
