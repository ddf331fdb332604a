"""How often a monitor raises a false alarm, how soon it finds a rise, and whether its intervals hold.

    python benchmarks/monitor.py [--replicates N]

Everything is simulated with a seed, beside the exact values of the Markov chain. 3 % of answers are wrong, and 6 %
after the rise.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from surefoot.monitor.drift import ANSWERS_PER_FALSE_ALARM, SHARES, average_run, steps_for
from surefoot.monitor.state import STRATA, Chosen, Design, State, Tally

USUAL = {"wrong": 0.03, "unsupported": 0.05, "refused": 0.10, "ungraded": 0.01}
RISEN = USUAL | {"wrong": 0.06}
BEFORE = 3_000  # answers from which the reference is learned before the rise
LONGEST = 20_000
ONE = Chosen("one", "ordinary", 1.0, even=True)
Ints = NDArray[np.int64]
# Share of traffic in a stratum, and of wrong answers in it, so that 3 % are wrong in all: some flags are deserved.
TRAFFIC = {"ordinary": (0.885, 0.0265), "refused": (0.10, 0.0), "flagged": (0.015, 0.4366)}


def buckets(rates: dict[str, float], size: int, generator: np.random.Generator) -> list[str]:
    names = [*rates, "correct"]
    return [names[at] for at in generator.choice(len(names), size, p=[*rates.values(), 1 - sum(rates.values())])]


def learned(generator: np.random.Generator) -> dict[str, float]:
    """What a monitor takes for usual after its first answers."""
    state = State(None, Design(1.0))
    for bucket in buckets(USUAL, BEFORE, generator):
        state.grade(ONE, bucket)
    return {name: chart.rate for name, chart in state.kept.charts.items() if chart.rate is not None}


def first_alarms(references: list[dict[str, float]], rates: dict[str, float], generator: np.random.Generator) -> Ints:
    """After how many answers the first of the charts raises an alarm, in a world for each of the references."""
    names, worlds = list(SHARES), len(references)
    steps = [[steps_for(one[name], ANSWERS_PER_FALSE_ALARM / SHARES[name]) for one in references] for name in names]
    up, down, limit = (np.array([[getattr(s, part) for s in row] for row in steps]) for part in ("up", "down", "limit"))
    score, first = np.zeros((len(names), worlds), dtype=int), np.full(worlds, LONGEST)
    chances = np.cumsum([rates[name] for name in names])
    for at in range(1, LONGEST + 1):
        found = np.searchsorted(chances, generator.random(worlds))
        hit = found == np.arange(len(names))[:, None]
        score = np.maximum(0, score + np.where(hit, up, -down))
        first = np.minimum(first, np.where((score >= limit).any(axis=0), at, LONGEST))
        if (first < at).all():
            break
    return first


def print_alarms(references: list[dict[str, float]], words: str, generator: np.random.Generator) -> None:
    """All four charts at work."""
    quiet, risen = (first_alarms(references, rates, generator) for rates in (USUAL, RISEN))
    every = quiet.sum() / (quiet < LONGEST).sum()
    print(f"| {words} | {every:,.0f} | {risen.mean():,.0f} | {np.quantile(risen, 0.9):,.0f} |")


def print_exact() -> None:
    print("\n| part of the false alarms | one in | 6 % is found after | limit |\n|---|---|---|---|")
    for share in (1.0, SHARES["wrong"], 0.25):
        steps = steps_for(0.03, ANSWERS_PER_FALSE_ALARM / share)
        false, found = average_run(0.03, steps), average_run(0.06, steps)
        print(f"| {share:.0%} | {false:,.0f} | {found:,.0f} | {steps.limit}, {steps.up} up and {steps.down} down |")


def traffic(size: int, generator: np.random.Generator) -> tuple[Ints, Ints]:
    """The stratum of each answer, and whether it is wrong."""
    strata = generator.choice(len(STRATA), size, p=[TRAFFIC[one][0] for one in STRATA])
    chance = np.array([TRAFFIC[one][1] for one in STRATA])
    return strata, (generator.random(size) < chance[strata]).astype(int)


def print_intervals(replicates: int, generator: np.random.Generator) -> None:
    design = Design(0.01)
    for size in (10_000, 50_000, 200_000):
        held, low, widths = 0, 0, list[float]()
        for _ in range(replicates):
            tally = Tally()
            strata, wrong = traffic(size, generator)
            for index, one in enumerate(STRATA):
                mine = wrong[strata == index]
                tally.seen[one] = len(mine)
                for is_wrong in mine[generator.random(len(mine)) < design.probability(one)]:
                    tally.grade(one, "wrong" if is_wrong else "correct")
            rate = tally.rates()["wrong"]
            if rate.low is not None and rate.high is not None:
                held, low = held + (rate.low <= 0.03 <= rate.high), low + (rate.high < 0.03)
                widths.append(rate.high - rate.low)
        print(f"| {size:,} | {held / replicates:.1%} | {low / replicates:.1%} | {np.mean(widths):.3f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=300)
    replicates, generator = parser.parse_args().replicates, np.random.default_rng(24)
    print_exact()
    print("\n| reference | one false alarm in | rise found after, on average | in 9 of 10 cases |\n|---|---|---|---|")
    print_alarms([USUAL] * 10 * replicates, "known", generator)
    guesses = [learned(generator) for _ in range(replicates)]
    print_alarms(guesses, f"learned from {BEFORE:,} answers", generator)
    print("\n| answers of production | intervals that hold the 3 % | too low | width |\n|---|---|---|---|")
    print_intervals(2 * replicates, generator)


if __name__ == "__main__":
    main()
