"""What the model read once about the bundled questions.

In eight bits, processors round differently, and close calls turn. The bundled pipelines have to give the same answers
on every machine, since labels are bound to their very words; so what was read once is kept (`training.demo_readings`),
with the weights it was read by. Anything else, a changed passage included, is read where it is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from surefoot.types import Passage

FILE = "readings.jsonl"
# Places of the passages, the likeliest first, and how likely each answers at least.
Ranked = tuple[tuple[int, float], ...]


class Reading(Struct, frozen=True):
    sha256: str
    question_id: str  # for whoever reads the file
    ranked: Ranked


def reading_of(weights: str, question: str, passages: Sequence[Passage]) -> Ranked | None:
    return _readings().get(key_of(weights, question, passages))


def key_of(weights: str, question: str, passages: Sequence[Passage]) -> str:
    """A hash of all that the model is shown, and of the model."""
    shown = [weights, question, [[passage.id, passage.doc, passage.text] for passage in passages]]
    return hashlib.sha256(msgspec.json.encode(shown)).hexdigest()


@cache
def _readings() -> dict[str, Ranked]:
    kept = files("surefoot") / "demo" / FILE
    rows = kept.read_bytes().splitlines() if kept.is_file() else ()
    return {row.sha256: row.ranked for row in (msgspec.json.decode(line, type=Reading) for line in rows)}
