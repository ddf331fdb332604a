"""Throughput and memory of `surefoot score` beside a plain standard-library scorer, in one run.

make bench                                   # or: python benchmarks/score.py --traces 1000000
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

HERE = Path(__file__).parent
TERMS = ("notice period", "liability cap", "yearly rent", "ongoing charge", "retention time", "payment term")
VALUES = ("thirty days", "EUR 2.5 million", "twelve months", "0.85 per cent", "six months", "ten years")


def write_data(folder: Path, traces: int, questions: int, unique: bool) -> tuple[Path, Path]:
    """A question set and a log of about 240 bytes a trace: hits, misses, refusals, inventions.

    Not unique: a few answers per question, as repeated runs give. Unique: no two answers with the same words.
    """
    rng = random.Random(7)
    asked = []
    for i in range(questions):
        term, value = TERMS[i % 6], VALUES[i * 7 % 6]
        asked.append(
            {
                "qid": f"q{i}",
                "q": f"What is the {term} in agreement number {i}?",
                "answerable": i % 4 != 0,
                "gold_ids": [f"doc{i}#2.1"] if i % 4 else [],
                "gold_claim": f"The {term} is {value}.",
            }
        )
    question_file, trace_file = folder / "questions.json", folder / "traces.jsonl"
    question_file.write_text(json.dumps(asked), encoding="utf-8")
    with trace_file.open("w", encoding="utf-8") as file:
        for n in range(traces):
            i = rng.randrange(questions)
            file.write(_trace(n, i, asked[i], rng, unique) + "\n")
    return question_file, trace_file


def _trace(n: int, i: int, question: dict[str, object], rng: random.Random, unique: bool) -> str:
    luck = rng.random()
    cited = f"doc{i}#2.1" if luck < 0.8 else f"doc{i + 1}#4.3"
    answer = "not in context" if luck > 0.85 else f"- {question['gold_claim']}\n- citations: [{cited}]"
    if unique and answer.startswith("-"):
        answer = f"- See {n:x}. " + answer[2:]
    chunks = [{"id": f"doc{i}#2.1"}, {"id": f"doc{i + 1}#4.3"}, {"id": f"doc{i}#1.7"}]
    return json.dumps({"ts": 1_700_000_000 + n, "q": question["q"], "chunks": chunks, "answer": answer, "ok": True})


class Memory(Thread):
    """The largest sum of memory over a process and its children, sampled; what they share is counted once."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.peak, self.running = pid, 0, True

    def run(self) -> None:
        while self.running:
            self.peak = max(self.peak, sum(map(_used, _family(self.pid))))
            time.sleep(0.1)


def _family(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            found += map(int, Path(f"/proc/{parent}/task/{parent}/children").read_text().split())
        except OSError:
            continue
    return found


def _used(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))


class Run(NamedTuple):
    wall: float
    cpu: float  # of all processes, user and system
    peak: int
    printed: dict[str, Any]


def run(command: list[str]) -> Run:
    before, start = _cpu(), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=_WITH_BYTECODE)
    memory = Memory(process.pid)
    memory.start()
    out, _ = process.communicate()
    wall = time.perf_counter() - start
    memory.running = False
    return Run(wall, _cpu() - before, memory.peak, json.loads(out))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# As after an installation, not compiled anew by each run.
_WITH_BYTECODE = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measure(folder: Path, options: argparse.Namespace, unique: bool) -> None:
    questions, traces = write_data(folder, options.traces, options.questions, unique)
    surefoot = [sys.executable, "-m", "surefoot", "score", "-q", str(questions), "-t", str(traces)]
    surefoot += ["--rerun", "all", "--json"]
    commands = {
        "plain stdlib": [sys.executable, str(HERE / "plain_scorer.py"), str(questions), str(traces)],
        "surefoot --refusal exact --no-rows": [*surefoot, "--refusal", "exact", "--no-rows"],
        "surefoot --refusal exact": [*surefoot, "--refusal", "exact"],
        "surefoot --refusal detect --no-rows": [*surefoot, "--no-rows"],
    }
    kind = "every answer different" if unique else "answers repeat"
    print(f"\n{options.traces:,} traces of {traces.stat().st_size // options.traces} bytes ({kind}),", end=" ")
    print(f"{options.questions:,} questions, {os.cpu_count()} cores, best of {options.repeat}\n")
    print("| command | CPU s | wall s | peak memory | plain CPU / CPU | plain wall / wall |")
    print("|---|---|---|---|---|---|")
    plain: Run | None = None
    expected: dict[str, list[int]] = {}
    for name, command in commands.items():
        runs = [run(command) for _ in range(options.repeat)]
        best = min(runs, key=lambda one: one.cpu)
        plain = plain or best
        print(f"| {name} | {best.cpu:.2f} | {best.wall:.2f} | {max(one.peak for one in runs) >> 20} MB ", end="")
        print(f"| {plain.cpu / best.cpu:.1f} | {plain.wall / best.wall:.1f} |", flush=True)
        found = _fractions(best.printed)
        expected = expected or found
        if "exact" in name and {metric: found[metric] for metric in expected} != expected:
            raise SystemExit(f"the numbers differ: {found} and {expected}")


def _fractions(printed: dict[str, Any]) -> dict[str, list[int]]:
    if "metrics" not in printed:
        return printed
    return {name: [m["numerator"], m["denominator"]] for name, m in printed["metrics"].items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--traces", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    for unique in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), options, unique)


if __name__ == "__main__":
    main()
