"""Everything, from data to a folder of weights; what is in WORK already is not made again.

`python -m training DATA WORK --quick-base FOLDER --strong-base FOLDER`

DATA holds the labelled files, a base its config.json, tokenizer.json and model.safetensors.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from training.sums import record

SEEDS = (1, 2)
STRONG = ("--epochs", "3", "--rate", "4e-5", "--batch", "128")
QUICK = ("--epochs", "4", "--rate", "3e-4", "--batch", "128")
OUT = "OUT"  # stands in a step's arguments for what it makes


class Step(NamedTuple):
    out: Path
    module: str
    arguments: tuple[object, ...]


def steps(data: Path, work: Path, quick_base: Path, strong_base: Path) -> Iterator[Step]:
    rows, cases, taught = work / "rows.jsonl.gz", work / "cases.jsonl.gz", work / "taught.npy"
    quick, strong = work / "quick", work / "strong"
    trained = [work / f"strong-{seed}" for seed in SEEDS]
    yield Step(rows, "rows", (data, OUT))
    for seed, folder in zip(SEEDS, trained, strict=True):
        yield Step(folder, "train", (strong_base, rows, OUT, *STRONG, "--seed", seed))
    yield Step(strong, "soup", (OUT, *trained))
    yield Step(taught, "predict", (strong, "rows", rows, OUT))
    yield Step(quick, "train", (quick_base, rows, OUT, *QUICK, "--teacher", taught))
    yield Step(cases, "fit_cases", (data, rows, quick_base, OUT))
    for folder in (quick, strong):
        yield Step(work / f"{folder.name}-cases.npy", "predict", (folder, "cases", cases, OUT))
        yield Step(work / f"{folder.name}-onnx", "export", (folder, OUT, folder.name, rows))
    logits = (work / "quick-cases.npy", work / "strong-cases.npy")
    yield Step(work / "calibration.json", "fit", (cases, *logits, OUT))


def make(step: Step, run: Callable[[list[str]], object]) -> None:
    """What a step makes has its name only when it is whole, so that a step that was stopped is done again."""
    if step.out.exists():
        print(f"there already: {step.out}", flush=True)
        return
    part = step.out.with_name(f"part-{step.out.name}")
    if part.is_dir():
        shutil.rmtree(part)
    arguments = [str(part if argument is OUT else argument) for argument in step.arguments]
    print(f"making {step.out}: training.{step.module} {' '.join(arguments)}", flush=True)
    run([sys.executable, "-m", f"training.{step.module}", *arguments])
    part.rename(step.out)


def gather(work: Path) -> Path:
    """The files of the weights, ready to be copied to src/surefoot/weights."""
    weights = work / "weights"
    weights.mkdir(exist_ok=True)
    for path in (*(work / "quick-onnx").iterdir(), *(work / "strong-onnx").iterdir(), work / "calibration.json"):
        shutil.copyfile(path, weights / path.name)
    record(weights)
    return weights


def main(given: Sequence[str], run: Callable[[list[str]], object]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--quick-base", type=Path, required=True, help="all-MiniLM-L6-v2")
    parser.add_argument("--strong-base", type=Path, required=True, help="all-mpnet-base-v2")
    args = parser.parse_args(given)
    args.work.mkdir(parents=True, exist_ok=True)
    for step in steps(args.data, args.work, args.quick_base, args.strong_base):
        make(step, run)
    print(f"ready: {gather(args.work)}")


if __name__ == "__main__":
    main(sys.argv[1:], lambda command: subprocess.run(command, check=True))
