"""Read the bundled questions with the bundled weights, and keep what was read: python -m training.demo_readings

Of a probability no more is kept than the pipelines tell apart: the highest of their thresholds that it reaches. Needed
again when questions or documents of the demo change, and only then: with other weights, or on another processor, close
calls turn, and answers that change need new labels.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import msgspec

from surefoot.core.types import Question
from surefoot.datasets import demo
from surefoot.pipelines.reference import FILE, MANNERS, PASSAGES_READ, Reading, key_of, read
from surefoot.pipelines.retriever import Retriever


def main() -> None:
    retriever = Retriever(demo.corpus())
    rows = [_reading(question, retriever) for question in demo.questions() if question.retrieval != "null"]
    kept = Path(str(files("surefoot") / "demo" / FILE))
    kept.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def _reading(question: Question, retriever: Retriever) -> Reading:
    passages = [passage for passage, _ in retriever.search(question.text, PASSAGES_READ)]
    ranked = tuple((place, _reached(probability)) for place, probability in read(question.text, passages))
    return Reading(key_of(question.text, passages), question.id, ranked)


def _reached(probability: float) -> float:
    return max(manner.least for manner in MANNERS.values() if probability >= manner.least)


if __name__ == "__main__":
    main()
