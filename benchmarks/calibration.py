"""Do the corrected intervals hold the true rate as often as they say, and are they worth it?

    python benchmarks/calibration.py [--simulations N] [--quick]

A grader that errs gives verdicts on a run, people label some of its answers: flagged ones first, up to half of the
labels, and a random sample of the others. From both `surefoot calibrate` makes an interval for the true rate of a
bucket. Here the truth is known, so it can be counted how often the interval holds it. The truth is the rate behind the
run, which another run on other questions of the same kind would show too; how often the interval holds the rate of
this very run is counted as well. Beside it stands what the same number of labels gives without a grader: a simple
random sample with Jeffreys' interval. A second table does the same for four buckets at once, and a third, of
calibration_clusters.py, for answers that go together.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

import calibration_clusters
from surefoot.core.intervals import ALPHA, rate_limits, wilson
from surefoot.core.table import BUCKETS

RATES = (0.02, 0.05, 0.1, 0.2, 0.4)
ACCURACIES = (0.7, 0.8, 0.9, 0.98)  # of sensitivity and of specificity
SIZES = ((130, 50), (130, 100), (500, 50), (500, 100), (500, 300), (2000, 50), (2000, 100), (2000, 300))
MIXES = ((0.8, 0.03, 0.07, 0.1), (0.5, 0.1, 0.2, 0.2))
FOUR_ACCURACIES = (0.8, 0.95)
FOUR_SIZES = ((130, 50), (130, 100), (500, 100))
SIMULATIONS, DRAWS = 4_000, 1_000
_AT_ONCE = 500  # cases, so that the draws fit into the processor's cache

Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]


class Cell(NamedTuple):
    rate: float
    sensitivity: float
    specificity: float
    answers: int
    labels: int


class Result(NamedTuple):
    """Shares of the simulations, and mean widths."""

    cell: Cell
    covered: float
    covered_run: float  # the rate of this very run
    covered_naive: float  # by Wilson's interval around the grader's own rate
    width: float
    width_alone: float


# Where an interval is most easily too short: rare buckets with good graders, and few labels on many answers.
QUICK = (
    Cell(0.02, 0.98, 0.98, 2000, 50),
    Cell(0.02, 0.98, 0.9, 500, 50),
    Cell(0.05, 0.98, 0.98, 500, 50),
    Cell(0.2, 0.8, 0.98, 2000, 100),
    Cell(0.4, 0.7, 0.98, 2000, 100),
    Cell(0.1, 0.8, 0.9, 130, 100),
)


def grid() -> Iterator[Cell]:
    for rate, sensitivity, specificity, size in product(RATES, ACCURACIES, ACCURACIES, SIZES):
        yield Cell(rate, sensitivity, specificity, *size)


def measure(cell: Cell, simulations: int, seed: int = 1) -> Result:
    generator = np.random.default_rng([seed, *(round(1000 * value) for value in cell)])
    n, m, k, in_run = simulate(cell, simulations, generator)
    low, high = limits(n, m, k, generator)
    naive = np.array([wilson(int(flagged), cell.answers) for flagged in n[:, 0]])
    alone = jeffreys_widths(generator.binomial(cell.labels, cell.rate, simulations), cell.labels)
    return Result(
        cell,
        float(((low <= cell.rate) & (cell.rate <= high)).mean()),
        float(((low <= in_run) & (in_run <= high)).mean()),
        float(((naive[:, 0] <= cell.rate) & (cell.rate <= naive[:, 1])).mean()),
        float((high - low).mean()),
        float(alone.mean()),
    )


def simulate(cell: Cell, simulations: int, generator: np.random.Generator) -> tuple[Counts, Counts, Counts, Numbers]:
    """Answers, labelled ones, and labelled ones in the bucket: (simulations, flagged or not); and the runs' rates."""
    hit, miss = cell.rate * cell.sensitivity, cell.rate * (1 - cell.sensitivity)
    flagged_share = hit + (1 - cell.rate) * (1 - cell.specificity)
    flagged = generator.binomial(cell.answers, flagged_share, simulations)
    n = np.stack([flagged, cell.answers - flagged], axis=1)
    sampled = np.minimum(cell.labels - np.minimum(flagged, cell.labels // 2), n[:, 1])
    m = np.stack([cell.labels - sampled, sampled], axis=1)
    inside = np.array([hit / flagged_share, miss / (1 - flagged_share)])
    k = generator.binomial(m, inside)
    in_run = (k + generator.binomial(n - m, inside)).sum(axis=1) / cell.answers
    return n, m, k, in_run


def limits(
    n: Counts, m: Counts, k: Counts, generator: np.random.Generator, prior: Numbers | None = None
) -> tuple[Numbers, Numbers]:
    """The interval of each simulation; the same counts are computed once."""
    guess = np.full(n.shape, 0.5) if prior is None else prior
    cases, place = np.unique(np.concatenate([n, m, k, guess], axis=1), axis=0, return_inverse=True)
    pieces = np.array_split(cases, max(1, len(cases) // _AT_ONCE))
    parts = []
    for piece in pieces:
        answers, labelled, inside, guesses = np.split(piece, 4, axis=1)
        parts.append(rate_limits(answers, labelled, inside, generator, DRAWS, guesses))
    low, high = (np.concatenate(ends)[place.ravel()] for ends in zip(*parts, strict=True))
    return low, high


def four_buckets(
    rates: Sequence[float], accuracy: float, answers: int, labels: int, simulations: int
) -> list[tuple[float, float]]:
    """Coverage and mean width for each bucket. The grader errs into all other buckets alike."""
    generator = np.random.default_rng([2, answers, labels, *(round(1000 * value) for value in (*rates, accuracy))])
    share = np.full((4, 4), (1 - accuracy) / 3) + np.eye(4) * (accuracy - (1 - accuracy) / 3)
    joint = share * np.array(rates)  # (verdict, label)
    n = generator.multinomial(answers, joint.sum(axis=1), simulations)
    m = np.array([_labelled(row, labels, generator) for row in n])
    table = np.stack([generator.multinomial(m[:, at], row / row.sum()) for at, row in enumerate(joint)], axis=1)
    found = []
    for bucket, rate in enumerate(rates):
        rest = np.delete(n, bucket, axis=1).sum(axis=1, keepdims=True)
        # as calibration/confusion.py has it: the verdicts beside the bucket's own share one guess, each by its size
        prior = np.where(np.arange(4) == bucket, 0.5, np.maximum(n, 0.001) / rest / 2)
        low, high = limits(n, m, table[:, :, bucket], generator, prior)
        found.append((float(((low <= rate) & (rate <= high)).mean()), float((high - low).mean())))
    return found


def _labelled(n: Counts, labels: int, generator: np.random.Generator) -> Counts:
    """By verdict: of what is flagged (wrong and unsupported) up to half of the labels, and a sample of the others."""
    flagged = np.array([False, True, True, False])
    sampled = min(labels - min(int(n[flagged].sum()), labels // 2), int(n[~flagged].sum()))
    m = np.zeros(4, dtype=np.int64)
    m[flagged] = generator.multivariate_hypergeometric(n[flagged], labels - sampled)
    m[~flagged] = generator.multivariate_hypergeometric(n[~flagged], sampled)
    return m


def jeffreys_widths(successes: Counts, n: int) -> Numbers:
    low = np.where(successes == 0, 0, betaincinv(successes + 0.5, n - successes + 0.5, ALPHA / 2))
    high = np.where(successes == n, 1, betaincinv(successes + 0.5, n - successes + 0.5, 1 - ALPHA / 2))
    return np.asarray(high - low)


def show(results: list[Result]) -> None:
    print("Lowest coverage of the 16 graders (mean width, as a share of that of labels alone)\n")
    rates = sorted({result.cell.rate for result in results})
    print("| answers | labels |" + "".join(f" rate {rate:g} |" for rate in rates))
    print("|---|---|" + "---|" * len(rates))
    for answers, labels in sorted({(result.cell.answers, result.cell.labels) for result in results}):
        row = [_entry(results, answers, labels, rate) for rate in rates]
        print(f"| {answers} | {labels} | " + " | ".join(row) + " |")
    worst = min(results, key=lambda result: result.covered)
    width, alone = (sum(getattr(result, name) for result in results) for name in ("width", "width_alone"))
    ratios = [result.width / result.width_alone for result in results]
    print(f"\n{len(results)} cells, {sum(result.covered for result in results) / len(results):.1%} covered on average")
    print(f"lowest coverage: {worst.covered:.1%} at {_named(worst.cell)}")
    print(f"lowest coverage of the rate of this very run: {min(result.covered_run for result in results):.1%}")
    print(f"mean width: {width / alone:.3f} of labels alone (mean of the cells' ratios: {np.mean(ratios):.3f})")
    naive = sorted(result.covered_naive for result in results)
    middle = naive[len(naive) // 2]
    print(f"the grader's own rate with Wilson's interval covers {naive[0]:.1%} to {naive[-1]:.1%}, median {middle:.1%}")


def show_four(simulations: int) -> None:
    print("\nFour buckets: coverage (mean width)\n")
    print("| true rates | grader right | answers | labels | " + " | ".join(BUCKETS) + " |")
    print("|---|---|---|---|" + "---|" * len(BUCKETS))
    for rates, accuracy, (answers, labels) in product(MIXES, FOUR_ACCURACIES, FOUR_SIZES):
        found = four_buckets(rates, accuracy, answers, labels, simulations)
        row = [" / ".join(f"{rate:g}" for rate in rates), f"{accuracy:g}", f"{answers}", f"{labels}"]
        print("| " + " | ".join(row + [f"{covered:.3f} ({width:.3f})" for covered, width in found]) + " |")


def _entry(results: Iterable[Result], answers: int, labels: int, rate: float) -> str:
    mine = [one for one in results if (one.cell.answers, one.cell.labels, one.cell.rate) == (answers, labels, rate)]
    if not mine:
        return "-"
    share = sum(one.width for one in mine) / sum(one.width_alone for one in mine)
    return f"{min(one.covered for one in mine):.3f} ({share:.2f})"


def _named(cell: Cell) -> str:
    return (
        f"rate {cell.rate:g}, sensitivity {cell.sensitivity:g}, specificity {cell.specificity:g}, "
        f"{cell.answers} answers, {cell.labels} labels"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="per cell (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="a handful of the hardest cells")
    options = parser.parse_args()
    cells = list(QUICK if options.quick else grid())
    results = []
    for at, cell in enumerate(cells, 1):
        results.append(measure(cell, options.simulations))
        print(f"\r{at} of {len(cells)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    show(results)
    if not options.quick:
        show_four(options.simulations)
        calibration_clusters.show(calibration_clusters.SIMULATIONS)


if __name__ == "__main__":
    main()
