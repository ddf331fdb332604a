"""How often does the sequential gate block or ship what it should not, however often a candidate is run again?

    python benchmarks/gate.py [--simulations N]

Each run asks 130 questions; answers are independent of each other and of earlier runs, which is the hardest case:
nothing but luck makes two runs differ. All counts go through the functions the gate itself uses.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.measures import mcnemar_p
from surefoot.stats.sequential import chance_of_rise, log_e_value, spent

QUESTIONS, ALPHA, MARGIN = 130, 0.05, 0.02
RELEASES, RERUNS = 50, 30
SIMULATIONS = 10_000
RATES = (0.01, 0.03, 0.1)
LOOKS = (5, 20, 60)

Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]


def draw_pairs(n: int, before: float, after: float, shape: tuple[int, ...], seed: int) -> tuple[Counts, Counts]:
    """Pairs of independent answers that got worse and better, added up over the runs along the last axis."""
    worse, better = after * (1 - before), before * (1 - after)
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(n, [worse, better, 1 - worse - better], shape).cumsum(axis=-2)
    return drawn[..., 0], drawn[..., 1]


def blocks(worse: Counts, better: Counts, alpha: float | Numbers) -> Truths:
    return np.asarray(each(log_e_value, worse, better) >= -np.log(alpha))


def ships(worse: Counts, better: Counts, *, spend: bool) -> Truths:
    """`spend` False gives every look the whole alpha."""
    looks = np.broadcast_to(np.arange(1, worse.shape[-1] + 1), worse.shape)
    chances = each(lambda b, c, look: chance_of_rise(b, c, look * QUESTIONS, MARGIN), worse, better, looks)
    return np.asarray(chances <= (spent(ALPHA, 1) / looks**2 if spend else ALPHA))


def each(figure: Callable[..., float], *columns: Counts) -> Numbers:
    """The figure at each place; every distinct case is computed once."""
    sizes = tuple(int(column.max()) + 1 for column in columns)
    cases, place = np.unique(np.ravel_multi_index(columns, sizes), return_inverse=True)
    figures = [figure(*map(int, case)) for case in zip(*np.unravel_index(cases, sizes), strict=True)]
    return np.asarray(figures)[place].reshape(columns[0].shape)


def by_look(seen: Truths) -> Sequence[float]:
    """The share of simulations in which it was seen at the first look, by the second, by the third..."""
    return [float(share) for share in np.logical_or.accumulate(seen, axis=-1).mean(axis=0)]


def false_blocks(rate: float, simulations: int, *, spend: bool) -> Sequence[float]:
    """How often an unchanged pipeline is blocked by release 1, 2, 3..., each run again so often."""
    worse, better = draw_pairs(QUESTIONS, rate, rate, (simulations, RELEASES, RERUNS), seed=1)
    alphas = np.array([spent(ALPHA, number) if spend else ALPHA for number in range(1, RELEASES + 1)])
    return by_look(np.asarray(blocks(worse, better, alphas[:, None]).any(axis=-1)))


def true_blocks(before: float, after: float, release: int, simulations: int) -> Sequence[float]:
    """By run, in the release of this number."""
    worse, better = draw_pairs(QUESTIONS, before, after, (simulations, RERUNS), seed=2)
    return by_look(blocks(worse, better, spent(ALPHA, release)))


def shipped(before: float, after: float, simulations: int, *, spend: bool = True) -> Sequence[float]:
    """By run, in the first release, before it is blocked."""
    return _shipped(*draw_pairs(QUESTIONS, before, after, (simulations, RERUNS), seed=3), spend=spend)


def shipped_if_the_same_questions_fail(simulations: int) -> Sequence[float]:
    """3 % -> 5 %, all of it in a tenth of the questions: right 7 times in 10 before, 5 in 10 after."""
    return _shipped(*draw_pairs(QUESTIONS // 10, 0.3, 0.5, (simulations, RERUNS), seed=4), spend=True)


def _shipped(worse: Counts, better: Counts, *, spend: bool) -> Sequence[float]:
    blocked = np.logical_or.accumulate(blocks(worse, better, spent(ALPHA, 1)), axis=-1)
    return by_look(ships(worse, better, spend=spend) & ~blocked)


def blocked_by_one_lucky_run(rate: float, runs: int, simulations: int) -> Sequence[float]:
    """False blocks when every re-run of the candidate is held against the same single run of the reference."""
    generator = np.random.default_rng(5)
    wrong = np.broadcast_to(generator.binomial(QUESTIONS, rate, (simulations, 1)), (simulations, runs))
    worse = generator.binomial(QUESTIONS - wrong, rate).cumsum(axis=1)
    better = generator.binomial(wrong, 1 - rate).cumsum(axis=1)
    return by_look(blocks(worse, better, ALPHA))


def blocked_by_fresh_pairs(rate: float, runs: int, simulations: int) -> Sequence[float]:
    return by_look(blocks(*draw_pairs(QUESTIONS, rate, rate, (simulations, runs), seed=6), ALPHA))


def other_rules(before: float, after: float, runs: int, simulations: int) -> dict[str, float]:
    """How often each rule blocks all of so many runs: whoever runs again until it is green needs one that passes."""
    worse, better = draw_pairs(QUESTIONS, before, after, (simulations, runs), seed=7)
    b, c = (np.diff(counts, prepend=0, axis=1) for counts in (worse, better))
    raw = b > c
    significant = raw & np.vectorize(lambda b, c: mcnemar_p(b, c) <= ALPHA)(b, c)
    return {
        "wrong must not increase": float(raw.all(axis=1).mean()),
        "McNemar, p <= 0.05": float(significant.all(axis=1).mean()),
        "sequential, e >= 20": by_look(blocks(worse, better, ALPHA))[-1],
    }


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def show(simulations: int) -> None:
    print("An unchanged pipeline is blocked at least once\n")
    table(
        ["wrong", f"1 release, {RERUNS} runs", f"{RELEASES} releases, {RERUNS} runs each", "the same, alpha not spent"],
        (_false_block_row(rate, simulations) for rate in RATES),
    )
    print("A candidate that got worse is blocked\n")
    table(
        ["release", "3 % to 9 %, within 5 runs", "within 10", "3 % to 6 %, within 10 runs", f"within {RERUNS}"],
        (_true_block_row(release, simulations) for release in (1, 2, 5, 10, 50)),
    )
    print(f"A candidate ships: 3 % wrong before, margin {MARGIN}\n")
    table(
        ["wrong after", "after one run", "within 5", f"within {RERUNS}", f"within {RERUNS}, alpha not spent"],
        (_ship_row(after, simulations) for after in (0.02, 0.03, 0.04, 0.05, 0.055, 0.06, 0.09)),
    )
    same = shipped_if_the_same_questions_fail(simulations)[-1]
    print(f"5 %, all in a tenth of the questions: ships within {RERUNS} runs {same:.3f}\n")
    print("An unchanged pipeline, 3 % wrong, is blocked at e >= 20\n")
    frozen, fresh = (one(0.03, max(LOOKS), simulations) for one in (blocked_by_one_lucky_run, blocked_by_fresh_pairs))
    table(
        ["re-runs", "against one frozen run", "against fresh runs of the frozen version"],
        ([f"{look}", f"{frozen[look - 1]:.3f}", f"{fresh[look - 1]:.3f}"] for look in LOOKS),
    )
    print("Blocked, by rule\n")
    unchanged, worse = other_rules(0.03, 0.03, 1, simulations), other_rules(0.03, 0.09, 5, simulations)
    table(
        ["rule", "3 % to 3 %, one run", "3 % to 9 %, run again up to five times"],
        ([rule, f"{unchanged[rule]:.3f}", f"{worse[rule]:.3f}"] for rule in unchanged),
    )


def _false_block_row(rate: float, simulations: int) -> list[str]:
    by_release = false_blocks(rate, simulations, spend=True)
    unspent = false_blocks(rate, simulations, spend=False)
    return [f"{rate:.0%}", f"{by_release[0]:.3f}", f"{by_release[-1]:.3f}", f"{unspent[-1]:.3f}"]


def _true_block_row(release: int, simulations: int) -> list[str]:
    much, little = (true_blocks(0.03, after, release, simulations) for after in (0.09, 0.06))
    return [f"{release}", *(f"{share:.3f}" for share in (much[4], much[9], little[9], little[-1]))]


def _ship_row(after: float, simulations: int) -> list[str]:
    spending, unspent = (shipped(0.03, after, simulations, spend=spend) for spend in (True, False))
    return [f"{100 * after:g} %", *(f"{share:.3f}" for share in (spending[0], spending[4], spending[-1], unspent[-1]))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="of each case (default: %(default)s)")
    show(parser.parse_args().simulations)


if __name__ == "__main__":
    main()
