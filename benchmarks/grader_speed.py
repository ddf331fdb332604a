"""Pairs per second at fixed lengths and on the pairs that grading the demo makes, and the memory it takes."""

from __future__ import annotations

import os
import re
import resource
import sys
import time
from collections.abc import Sequence

from grader_systems import System
from heldout import Row
from surefoot.datasets import demo
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.judges import Asked, Judgement, Pair
from surefoot.models.readings import Readings
from surefoot.pipelines.reference import MANNERS, ReferencePipeline
from surefoot.types import Ask, Item

LENGTHS, COUNT = (128, 256), 200
_PIECE = re.compile(r"\w{1,7}|[^\w\s]")  # close to what a WordPiece tokeniser makes of English


class Recorder:
    """A judge that only writes down what it is asked."""

    name = "recorder"

    def __init__(self) -> None:
        self.pairs: list[Pair] = []

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        self.pairs += pairs
        return [Judgement("not_enough")] * len(pairs)

    def answering(self, asked: Sequence[Asked]) -> list[float | None]:
        return [None] * len(asked)


def demo_pairs() -> list[Pair]:
    """The distinct pairs of both runs of `surefoot demo`."""
    recorder, passages = Recorder(), demo.corpus()
    for name in ("reference", "reference-eager"):
        pipeline = ReferencePipeline(passages, MANNERS[name])
        items = [Item(one, pipeline.answer(Ask(one.id, one.text, one.retrieval))) for one in demo.questions()]
        FindingsGrader(recorder).read(items)
    return list(dict.fromkeys(recorder.pairs))


def pairs_of_length(tokens: int) -> list[Pair]:
    """Different pairs of about this many tokens, claim and passage together, cut from the demo corpus."""
    text = " ".join(passage.text for passage in demo.corpus())
    words, at = text.split(), 0
    found: list[Pair] = []
    while len(found) < COUNT:
        claim = words[at : at + 16]
        passage: list[str] = []
        left = tokens - len(_PIECE.findall(" ".join(claim))) - 3
        for word in words[at + 24 :]:
            left -= len(_PIECE.findall(word))
            if left < 0:
                break
            passage.append(word)
        found.append(Pair(" ".join(passage), " ".join(claim)))
        at = (at + 37) % (len(words) - 400)
    return found


def speed(systems: Sequence[System]) -> list[Row]:
    lines = []
    mixes = {f"{length} tokens": pairs_of_length(length) for length in LENGTHS} | {"demo": demo_pairs()}
    for system in systems:
        for name, pairs in mixes.items():
            system.support([Pair("Warm up.", f"This is {system.name}.")])
            _forget()
            start = time.perf_counter()
            system.support(pairs)
            seconds = time.perf_counter() - start
            lines.append({"system": system.name, "mix": name, "pairs": len(pairs), "per_second": len(pairs) / seconds})
        lines[-1]["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        lines[-1]["cores"] = len(os.sched_getaffinity(0))
    return lines


def _forget() -> None:
    """The grader keeps what it has read; here every pair has to be read."""
    module = sys.modules.get("surefoot.graders.local")
    getattr(module, "_MEMORY", {}).clear()
    Readings.known = lambda *_: {}  # type: ignore[method-assign]
