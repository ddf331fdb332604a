"""Everything, from data to a folder of weights; what is in WORK already is not made again.

`python -m training DATA WORK --quick-base FOLDER --strong-base FOLDER`

DATA holds the labelled files, a base its config.json, tokenizer.json and model.safetensors.

What needs no GPU and what needs one can be done on two machines, with WORK carried between them:
`--until cases.jsonl.gz` on the first, `--until quick` on the one with the GPU, which needs neither DATA nor the
package, and the rest on the first again.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

STRONG = ("--epochs", "3", "--rate", "4e-5", "--batch", "96")
QUICK = ("--epochs", "4", "--rate", "2e-4", "--batch", "128")
OUT = "OUT"  # stands in a step's arguments for what it makes


class Step(NamedTuple):
    out: Path
    module: str
    arguments: tuple[object, ...]


def steps(
    data: Path, work: Path, quick_base: Path, strong_base: Path, seeds: int = 1, trial: Sequence[object] = ()
) -> Iterator[Step]:
    """`trial`: what to tell a training that is only to be tried."""
    rows, cases, taught = work / "rows.jsonl.gz", work / "cases.jsonl.gz", work / "taught.npy"
    quick, strong = work / "quick", work / "strong"
    trained = {seed: work / f"strong-{seed}" for seed in range(1, seeds + 1)}
    yield Step(rows, "rows", (data, OUT))
    yield Step(cases, "fit_cases", (data, rows, quick_base, OUT))
    for seed, folder in trained.items():
        how = (*STRONG, "--seed", seed)
        yield Step(folder, "train", (strong_base, rows, OUT, *how, *trial))
    yield Step(strong, "soup", (OUT, strong_base, *trained.values()))
    yield Step(taught, "predict", (strong, rows, OUT, *trial))
    yield Step(quick, "train", (quick_base, rows, OUT, *QUICK, "--teacher", taught, *trial))
    readings = []
    for folder in (quick, strong):
        exported = work / f"{folder.name}-onnx"
        readings.append(work / f"{folder.name}-cases.npy")
        yield Step(exported, "export", (folder, OUT, folder.name, rows))
        yield Step(readings[-1], "readings", (exported, folder.name, cases, OUT))
    yield Step(work / "calibration.json", "fit", (cases, *readings, OUT))


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
    from training.sums import record  # needs the package, which a machine that only trains may lack

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
    parser.add_argument("--seeds", type=int, default=1, help="of how many trainings the strong tier is the mean")
    parser.add_argument("--until", default="", metavar="NAME", help="the last thing in WORK to make")
    parser.add_argument("--limit", type=int, default=0, help="train on so many rows, to try it all out")
    args = parser.parse_args(given)
    trial = ("--limit", args.limit) if args.limit else ()
    planned = list(steps(args.data, args.work, args.quick_base, args.strong_base, args.seeds, trial))
    if args.until and args.until not in {step.out.name for step in planned}:
        parser.error(f"--until: no step makes {args.until}; they make {', '.join(step.out.name for step in planned)}")
    args.work.mkdir(parents=True, exist_ok=True)
    for step in planned:
        make(step, run)
        if step.out.name == args.until:
            return
    print(f"ready: {gather(args.work)}")


if __name__ == "__main__":
    main(sys.argv[1:], lambda command: subprocess.run(command, check=True))
