"""How often does the gate decide, and how often wrongly? Made-up pipelines, decided by the gate's own functions.

    python benchmarks/gate.py [--programmes N] [--grid N] [--jobs N]

Unless said otherwise: 130 questions, 3 runs of each version, 3 % wrong, one question in ten fragile, a quarter of all
answers reworded from run to run, a grader that finds 90 % of what is wrong and flags 3 % of the rest, 80 labels (half
on what it flags), margin .03, alpha .05, five rules against the baseline. The second table is the coverage of the
90 % interval of the change.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from msgspec.structs import replace

from simulated_gate import Outcome, Setting, decided, outcome_of, programme
from surefoot.gate.change import Evidence, Occurrence, draw

S = Setting()
LARGE = Setting(questions=400, runs=2, labels=150)
CELLS: tuple[tuple[str, Setting, bool, str], ...] = (
    ("unchanged", S, False, "SHIP >= .50, BLOCK <= .02"),
    ("unchanged, all answers reworded", replace(S, reworded=1.0), False, "BLOCK <= .02"),
    ("unchanged, one run", replace(S, runs=1), False, "BLOCK <= .02"),
    ("rise = margin", replace(S, rise=0.03), False, "SHIP <= .05"),
    ("rise of 6 points", replace(S, rise=0.06), False, "SHIP <= .01"),
    ("rise of 6 points, and the labels asked for", replace(S, rise=0.06), True, "SHIP <= .01, BLOCK >= .60"),
    ("rise of 6 points, blind grader", replace(S, rise=0.06, sensitivity=0.0), False, "SHIP <= .06"),
    ("rise of 6 points that the grader cannot see", replace(S, rise=0.06, sees_rise=False), False, ""),
    ("unchanged, labels on the candidate only", replace(S, label_side=1), False, "BLOCK <= .02"),
    ("unchanged, 400 questions, 2 runs, 150 labels", LARGE, False, "SHIP >= .55"),
    ("rise of 6 points, the same, and labels asked for", replace(LARGE, rise=0.06), True, "BLOCK >= .85"),
)
GRID = tuple(itertools.product((0.02, 0.1, 0.2), (0.5, 0.75, 1.0), (1, 3, 5), (40, 120, 300)))


def rerun(setting: Setting, seed: int, most: int = 6) -> set[Outcome]:
    """Every outcome seen while a version is run again, up to so many times, all runs pooled and looks spent."""
    made = programme(replace(setting, runs=most), seed)
    times: Counter[tuple[int, int]] = Counter()
    run_of = []  # of each cell
    for cell in made.evidence.occurrences:
        times[cell.question, cell.side] += 1
        run_of.append(times[cell.question, cell.side])
    seen: set[Outcome] = set()
    for runs in range(1, most + 1):
        occurrences = [cell for cell, run in zip(made.evidence.occurrences, run_of, strict=True) if run <= runs]
        seen.add(decided(draw(_only(made.evidence, occurrences, runs)), setting, look=runs))
    return seen


def _only(evidence: Evidence, occurrences: list[Occurrence], runs: int) -> Evidence:
    """As if no more had been run yet: answers that were not given yet are not known."""
    sides: dict[int, set[int]] = {}
    for cell in occurrences:
        sides.setdefault(cell.answer, set()).add(cell.side)
    kept = sorted(sides)
    place = {answer: number for number, answer in enumerate(kept)}
    answers = [replace(evidence.answers[n], side=min(sides[n]) if len(sides[n]) == 1 else None) for n in kept]
    moved = [replace(cell, answer=place[cell.answer]) for cell in occurrences]
    return replace(evidence, answers=answers, occurrences=moved, attempts=(runs, runs))


def covers(setting: Setting, seed: int) -> bool:
    """Whether the 90 % interval holds the true change."""
    made = programme(setting, seed)
    draws = draw(made.evidence, draws=1_000)
    return draws.quantile(0.05) <= made.rise + 1e-9 and made.rise - 1e-9 <= draws.quantile(0.95)


def share(pool: ProcessPoolExecutor, simulate: Callable[[int], Iterable[str]], times: int) -> Counter[str]:
    return Counter(end for ends in pool.map(simulate, range(times), chunksize=4) for end in ends)


def one_outcome(setting: Setting, more_labels: bool, seed: int) -> list[Outcome]:
    return [outcome_of(setting, seed, more_labels=more_labels)]


def covered(setting: Setting, seed: int) -> list[str]:
    return ["yes"] if covers(setting, seed) else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programmes", type=int, default=400)
    parser.add_argument("--grid", type=int, default=200, help="programmes for each cell of the coverage grid")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        print(f"| {given.programmes} programmes each | SHIP | BLOCK | wanted |\n|---|---|---|---|", flush=True)
        for name, setting, more, wanted in CELLS:
            found = share(pool, partial(one_outcome, setting, more), given.programmes)
            print_row(name, found, given.programmes, wanted)
        for name, setting in (("rise = margin", replace(S, rise=0.03)), ("unchanged", S)):
            found = share(pool, partial(rerun, setting), given.programmes)
            wanted = "SHIP <= .05" if setting.rise else ""
            print_row(f"{name}, run again up to 6 times: ever", found, given.programmes, wanted)
        if given.grid:
            coverage(pool, given.grid)


def print_row(name: str, found: Counter[str], times: int, wanted: str) -> None:
    print(f"| {name} | {found['SHIP'] / times:.2f} | {found['BLOCK'] / times:.2f} | {wanted} |", flush=True)


def coverage(pool: ProcessPoolExecutor, times: int) -> None:
    print("\n| wrong | sensitivity | runs | labels | covers |")
    print("|---|---|---|---|---|", flush=True)
    for wrong, sensitivity, runs, labels in GRID:
        setting = replace(S, wrong=wrong, fragile=max(0.1, 2 * wrong), sensitivity=sensitivity, runs=runs,
                          labels=labels, rise=0.02)  # fmt: skip
        plain = share(pool, partial(covered, setting), times)["yes"] / times
        print(f"| {wrong} | {sensitivity} | {runs} | {labels} | {plain:.2f} |", flush=True)


if __name__ == "__main__":
    main()
