"""What asking models costs the client, and what becomes of prompts when servers fail.

python benchmarks/asking_models.py
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.fault_server import elsewhere

from surefoot.models.endpoint import open_model
from surefoot.models.seam import Prompt, Settings
from surefoot.store import Project

LATENCY = 0.2
ITEMS, CALLS_EACH = 200, 4
PASSAGE = "The supplier shall keep the goods insured until they are handed over to the carrier. " * 40
SCHEMA = {
    "title": "verdict",
    "type": "object",
    "properties": {"verdict": {"enum": ["yes", "no"]}, "score": {"type": "integer", "minimum": 0, "maximum": 10}},
    "required": ["verdict", "score"],
    "additionalProperties": False,
}


def prompts(label: str, count: int) -> Iterator[Prompt]:
    return (Prompt(f"{label} {number}: {PASSAGE}", schema=SCHEMA) for number in range(count))


def clean(concurrency: int, folder: Path) -> tuple[float, float, float]:
    """Seconds, share of the ideal rate, and milliseconds of CPU per call; the cache is on and every reply is kept."""
    count = ITEMS * CALLS_EACH
    with elsewhere(latency=LATENCY) as server:
        replies = Project.open(folder / f"{concurrency}-{time.monotonic_ns()}.db").replies
        settings = Settings(concurrency=concurrency, cache=replies)
        model = open_model(f"llm:bench@{server.url}", settings)
        list(model.complete_all(prompts("warm", concurrency)))  # a client that has connected before
        start, cpu = time.perf_counter(), time.process_time()
        found = list(model.complete_all(prompts("ask", count)))
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        assert len(found) == count and not any(reply.error for _, reply in found)
    return seconds, LATENCY * count / concurrency / seconds, cpu / count * 1e3


def faulty(folder: Path, count: int = 1_000, concurrency: int = 64) -> None:
    with elsewhere(latency=0.05, faults=0.2, seed=1) as server:
        settings = Settings(
            concurrency=concurrency, stall=1.5, total=2.0, cache=Project.open(folder / "faulty.db").replies
        )
        model = open_model(f"llm:bench@{server.url}", settings)
        start = time.perf_counter()
        replies = dict(model.complete_all(prompts("ask", count)))
        seconds = time.perf_counter() - start
        counts = server.counts()
        errors = Counter(reply.error for reply in replies.values() if reply.error)
        again = dict(model.complete_all(prompts("ask", count)))
        repeat = server.counts()["calls"] - counts["calls"]
    answered = sum(not reply.error for reply in replies.values())
    print(f"\n{count:,} prompts, concurrency {concurrency}, 20 % of calls fail in one of 12 ways: {seconds:.1f} s")
    print(f"  {answered:,} answered, {errors.total()} named as errors {dict(errors)}, {count - len(replies)} lost")
    print(f"  {counts['calls']:,} calls, {counts['good']:,} usable replies, {counts['paid_twice']} prompts paid twice")
    print(f"  the same again: {repeat} calls, {sum(reply.cached for reply in again.values()):,} from the cache")


def main(levels: Sequence[int] = (20, 64, 200), repeats: int = 3) -> None:
    print(f"load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    print(f"\n{ITEMS} items of {CALLS_EACH} calls, latency {LATENCY * 1e3:.0f} ms, median and worst of {repeats}\n")
    print("| concurrency | seconds | share of the ideal rate | worst | client CPU per call |\n|---|---|---|---|---|")
    with TemporaryDirectory() as folder:
        for concurrency in levels:
            runs = sorted(clean(concurrency, Path(folder)) for _ in range(repeats))
            (seconds, share, cpu), worst = runs[len(runs) // 2], runs[-1][1]
            print(f"| {concurrency} | {seconds:.2f} | {share:.0%} | {worst:.0%} | {cpu:.2f} ms |", flush=True)
        faulty(Path(folder))


if __name__ == "__main__":
    main()
