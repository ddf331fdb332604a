"""Pairs per second at fixed lengths and on the pairs that grading the demo makes, and the memory it takes.

    python benchmarks/grader_speed.py [--cores 1,2] [--pairs 200]

reads the same pairs, and grades a run of the demo twice, on one core and on two. The second grading finds what the
first has read. CPU seconds are those of all threads; by the clock, what else the machine does counts too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from grader_systems import System, local
from heldout import Row
from surefoot.core.types import Ask, Item
from surefoot.datasets import demo
from surefoot.graders.encoder import Readings
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.judges import Judgement, Pair
from surefoot.pipelines.retriever import ReferencePipeline

LENGTHS, COUNT = (128, 256), 200
HERE = Path(__file__).resolve()
RUN = "reference-eager"
_PIECE = re.compile(r"\w{1,7}|[^\w\s]")  # close to what a WordPiece tokeniser makes of English


class Recorder:
    """A judge that only writes down what it is asked."""

    name = "recorder"

    def __init__(self) -> None:
        self.pairs: list[Pair] = []

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        self.pairs += pairs
        return [Judgement("not_enough")] * len(pairs)

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        return [None] * len(asked)


def demo_pairs() -> list[Pair]:
    """The distinct pairs of the reference pipeline's answers to the bundled questions."""
    recorder, pipeline = Recorder(), ReferencePipeline(demo.corpus())
    FindingsGrader(recorder).read(
        [Item(one, pipeline.answer(Ask(one.id, one.text, one.retrieval))) for one in demo.questions()]
    )
    return list(dict.fromkeys(recorder.pairs))


def pairs_of_length(tokens: int, count: int) -> list[Pair]:
    """Different pairs of about this many tokens, claim and passage together, cut from the demo corpus."""
    text = " ".join(passage.text for passage in demo.corpus())
    words, at = text.split(), 0
    found: list[Pair] = []
    while len(found) < count:
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


def speed(systems: Sequence[System], count: int = COUNT) -> list[Row]:
    lines = []
    mixes = {f"{length} tokens": pairs_of_length(length, count) for length in LENGTHS}
    mixes["demo"] = random.Random(0).sample(demo_pairs(), count)
    for system in systems:
        for name, pairs in mixes.items():
            system.support([Pair("Warm up.", f"This is {system.name}.")])
            _forget()
            wall, cpu = time.perf_counter(), time.process_time()
            system.support(pairs)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            lines.append({"system": system.name, "mix": name, "pairs": len(pairs), "per_second": len(pairs) / wall,
                          "wall": wall, "cpu": cpu})  # fmt: skip
        lines[-1]["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        lines[-1]["cores"] = len(os.sched_getaffinity(0))
    return lines


def _forget() -> None:
    """The grader keeps what it has read; here every pair has to be read."""
    Readings.known = lambda *_: {}  # type: ignore[method-assign]


def on_cores(count: int, *command: str, cache: str) -> tuple[Row, str]:
    """A Python command on so many cores: its seconds, start-up and all, and what it prints."""
    pinned = sorted(os.sched_getaffinity(0))[:count]
    environment = os.environ | {"XDG_CACHE_HOME": cache}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, *command], env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, preexec_fn=lambda: os.sched_setaffinity(0, pinned),
    )  # fmt: skip
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": wall, "cpu": cpu}, done.stdout


def measured(cores: int, count: int) -> dict[str, Row]:
    with tempfile.TemporaryDirectory() as folder:
        _, told = on_cores(cores, str(HERE), "--read", "--pairs", str(count), cache=folder)
        found = {f"{line['pairs']} pairs, {line['mix']}": line for line in json.loads(told.splitlines()[-1])}
        project = str(Path(folder, "surefoot.db"))
        on_cores(cores, "-m", "surefoot", "run", "-p", RUN, "--version", RUN, "--db", project, cache=folder)
        for path in Path(folder, "surefoot").glob("readings.sqlite*"):
            path.unlink()  # the pipeline reads with the same model
        for when in ("", " again"):
            found[f"`surefoot grade` of a demo run{when}"], _ = on_cores(
                cores, "-m", "surefoot", "grade", RUN, "--db", project, cache=folder
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cores", default="1,2", help="how many to use, one after the other")
    parser.add_argument("--pairs", type=int, default=COUNT, help="of each length")
    parser.add_argument("--read", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        print(json.dumps(speed([local()], given.pairs)))
        return
    by_cores = {int(cores): measured(int(cores), given.pairs) for cores in given.cores.split(",")}
    columns = [f"{what}, {cores} core{'s' * (cores > 1)}" for cores in by_cores for what in ("CPU s", "wall s")]
    print(f"| read | {' | '.join(columns)} | faster by the clock |\n|{'---|' * (len(columns) + 2)}")
    first, *_, last = by_cores.values()
    for name in first:
        cells = [f"{found[name][what]:.1f}" for found in by_cores.values() for what in ("cpu", "wall")]
        print(f"| {name} | {' | '.join(cells)} | {first[name]['wall'] / last[name]['wall']:.2f}x |", flush=True)


if __name__ == "__main__":
    main()
