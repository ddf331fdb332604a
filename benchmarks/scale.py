"""A Ray cluster on this machine beside the pool of processes: overhead, two workers against one, and cost by rows.

python benchmarks/scale.py --rows 1000000 --of 2          # each number in its own process, best of --repeat
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import ray

from score import SHAPES, write_data
from surefoot.io import cluster as parts
from surefoot.scoring import score

PARTS = 16  # files, as a cluster writes its logs


def one(folder: Path, rows: int, engine: str, workers: int) -> dict[str, float]:
    """Seconds for the first `rows` rows. A cluster is warm: starting one takes the same time however large the log."""
    log = sorted((folder / str(rows)).glob("*.jsonl"))
    if engine == "ray":
        with ray.init(address="local", num_cpus=workers, include_dashboard=False) as started:
            os.environ["RAY_ADDRESS"] = started.address_info["gcs_address"]
            whole, parts.PART_BYTES = parts.PART_BYTES, 1  # so that every worker has something to do
            score(folder / "questions.json", log[: 2 * workers], rerun="all", engine="ray", keep_rows=False)
            parts.PART_BYTES = whole
            return _timed(folder, log, engine, workers)
    return _timed(folder, log, engine, workers)


def _timed(folder: Path, log: list[Path], engine: str, workers: int) -> dict[str, float]:
    wall, cpu = time.perf_counter(), _busy()
    jobs = workers if engine == "local" else None
    found = score(folder / "questions.json", log, rerun="all", engine=engine, settings={"jobs": jobs}, keep_rows=False)  # type: ignore[arg-type]
    return {
        "seconds": time.perf_counter() - wall,
        "cpu": _busy() - cpu,
        "scored": found.accounting.scored,
    }


def _busy() -> float:
    """CPU seconds of the whole machine, which must be idle but for this: what Ray starts is nobody's child."""
    user, nice, system = map(int, Path("/proc/stat").read_text().split(maxsplit=4)[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def cut(folder: Path, rows: int) -> None:
    """The first rows of the log, in files of the same size."""
    target = folder / str(rows)
    target.mkdir()
    with (folder / "traces.jsonl").open("rb") as file:
        for number in range(PARTS):
            with (target / f"{number:02}.jsonl").open("wb") as out:
                out.writelines(next(file) for _ in range(rows * (number + 1) // PARTS - rows * number // PARTS))


def best(folder: Path, rows: int, engine: str, workers: int, repeat: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(folder), str(rows), engine, str(workers)]
    runs = [json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) for _ in range(repeat)]
    found: dict[str, float] = min(runs, key=lambda run: run["seconds"])
    if found["scored"] != rows:
        raise SystemExit(f"{found['scored']} of {rows} rows were scored")
    rate, cpu = rows / found["seconds"], found["cpu"] / rows * 1e6
    print(f"| {rows:,} | {engine} | {workers} | {found['seconds']:.1f} | {rate:,.0f} | {cpu:.2f} |", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--of", type=int, default=10, help="also this part of the rows, to see whether cost is linear")
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--one", nargs=4, metavar=("FOLDER", "ROWS", "ENGINE", "WORKERS"))
    options = parser.parse_args()
    if options.one:
        folder, rows, engine, workers = options.one
        print(json.dumps(one(Path(folder), int(rows), engine, int(workers))))
        return
    with tempfile.TemporaryDirectory() as made:
        measure(Path(made), options)


def measure(folder: Path, options: argparse.Namespace) -> None:
    cores, few = os.cpu_count() or 1, options.rows // options.of
    write_data(folder, SHAPES[0], options.rows, options.questions)
    for rows in (options.rows, few):
        cut(folder, rows)
    print("| rows | engine | workers | seconds | rows/s | CPU, us a row |\n|---|---|---|---|---|---|")
    pool = best(folder, options.rows, "local", cores, options.repeat)
    two = best(folder, options.rows, "ray", 2, options.repeat)
    single = best(folder, options.rows, "ray", 1, options.repeat)
    small = best(folder, few, "ray", 2, options.repeat)
    print(f"\ntwo workers against one: {single['seconds'] / two['seconds']:.2f} times as fast")
    for what in ("seconds", "cpu"):
        if cores == 2 or what == "cpu":
            print(f"a cluster of two workers against the pool: {two[what] / pool[what] - 1:+.0%} {what}")
        print(f"{options.of} times the rows: {two[what] / small[what]:.1f} times the {what}")


if __name__ == "__main__":
    main()
