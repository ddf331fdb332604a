"""What the harness itself costs: an instant pipeline, and one that takes a second, asked at concurrency 20.

python benchmarks/asking.py
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from surefoot.pipelines.asker import ask_all
from surefoot.records import timestamp
from surefoot.store import Manifest, Project
from surefoot.types import Ask, Question, Trace


class Instant:
    name = "instant"
    forces_null = True

    def answer(self, ask: Ask) -> Trace:
        return Trace(question_id=ask.id, answer="So it is.")


class Slow(Instant):
    name = "slow"

    def answer(self, ask: Ask) -> Trace:
        time.sleep(1)
        return super().answer(ask)


def seconds(pipeline: Instant, count: int, concurrency: int) -> float:
    questions = [Question(f"q{i}", f"What is {i}?", "answer") for i in range(count)]
    with tempfile.TemporaryDirectory() as folder, Project.open(Path(folder, "surefoot.db")) as project:
        manifest = Manifest(
            pipeline=pipeline.name, repeats=1, questions_sha256="", question_count=count, created=timestamp()
        )  # fmt: skip
        run = project.create(manifest, questions)
        start = time.perf_counter()
        ask_all(pipeline, questions, concurrency=concurrency, on_trace=lambda trace: run.keep([trace]))
        return time.perf_counter() - start


def main() -> None:
    instant = seconds(Instant(), 10_000, 8)
    print(f"10,000 questions, instant pipeline: {instant / 10:.3f} ms of harness per question, rows written")
    slow = seconds(Slow(), 100, 20)
    print(f"100 questions of 1 s at concurrency 20: {slow:.2f} s, {slow / 5 - 1:+.1%} on the ideal 5 s")


if __name__ == "__main__":
    main()
