"""What is found in reviewers' scores, with known faults planted among them, and what weights from preferences gain.

    python benchmarks/council.py reviewers [--times 100] [--questions 20 50 130]
    python benchmarks/council.py weights [--times 20] [--questions 50 130 300]

Four honest reviewers score two runs on five dimensions, in whole numbers from 1 to 10. Beside them stand a harsh one
(a point lower), one that gives half a point more for twice the length, one that scores at random, and one that
repeats an honest one in 19 of 20 scores. A false alarm is any finding that was not planted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.core.draws import pairs_of
from surefoot.core.rubric import COUNCIL, load
from surefoot.council.evaluate import Preferences, ReviewerBias, Sheet, redundant, reviewer_bias
from surefoot.council.rows import OWN, AnswerKey
from surefoot.council.tune import tune

WEIGHTS = load(COUNCIL).weights
RUBRIC = np.array(list(WEIGHTS.values()))
PLANTED = np.array([0.10, 0.10, 0.50, 0.0, 0.30])
HONEST = "ada", "ben", "cid", "dot"
FAULTY = "harsh", "length", "random", "copy"
Numbers = NDArray[np.float64]


def scored(luck: np.random.Generator, questions: int, faulty: tuple[str, ...]) -> Sheet:
    """What honest and faulty reviewers say of the same answers."""
    answers = [AnswerKey(run, f"q{n}") for n in range(questions) for run in ("one", "two")]
    hard = luck.normal(0, 0.7, questions).repeat(2)
    deserved = (7 + hard + luck.normal(0, 1.2, len(answers)))[:, None] + luck.normal(
        0, 0.7, (len(answers), len(RUBRIC))
    )
    length = luck.normal(7, 0.8, len(answers))  # as a power of 2
    given: dict[str, Numbers] = {}
    for who in (*HONEST, *faulty):
        given[who] = np.clip(np.rint(_said(luck, who, deserved, length, given)), 1, 10)
    scores = {
        who: {
            answer: {
                **dict(zip(WEIGHTS, map(float, row), strict=True)),
                "overall": float(row @ RUBRIC),
                **({OWN: 1.0} if (who, answer.run) == ("ada", "one") else {}),
            }
            for answer, row in zip(answers, table, strict=True)
        }
        for who, table in given.items()
    }
    sizes = {answer: int(2**size) for answer, size in zip(answers, length, strict=True)}
    return Sheet(scores, sizes)


def _said(
    luck: np.random.Generator, who: str, deserved: Numbers, length: Numbers, given: dict[str, Numbers]
) -> Numbers:
    if who == "random":
        return luck.uniform(1, 10, deserved.shape)
    if who == "copy":
        slips = (luck.random(deserved.shape) < 0.05) * luck.choice((-1, 1), deserved.shape)
        return np.asarray(given["ada"] + slips)
    said = deserved + luck.normal(0, 0.8, deserved.shape) + luck.normal(0, 0.6, len(deserved))[:, None]
    longer = 0.5 * (length - 7)[:, None]
    return np.asarray(said - 1 if who == "harsh" else said + longer if who == "length" else said)


def is_false(habit: ReviewerBias) -> bool:
    """Honest reviewers have no habits; faulty ones have theirs, and what follows from it."""
    follows = {"harsh": {"shift"}, "length": {"shift", "length"}, "random": {"shift"}}
    return habit.stands_out and habit.kind not in follows.get(habit.reviewer, set())


def found_in(sheet: Sheet) -> set[str]:
    """Names of what was found; "alarm" for what is not there."""
    useless = set(redundant(sheet))
    seen = reviewer_bias(sheet, useless)
    found = {one.reviewer for one in seen if one.stands_out and (one.reviewer, one.kind) in _SIGNS}
    found |= {"random"} & useless
    found |= {"copy"} if useless & {"ada", "copy"} and "copy" in sheet.reviewers else set()
    honest = set(HONEST) - ({"ada"} if "copy" in sheet.reviewers else set())
    if any(map(is_false, seen)) or useless & (honest | {"harsh", "length"}):
        found.add("alarm")
    return found


_SIGNS = {("harsh", "shift"), ("length", "length")}


def show_reviewers(times: int, sizes: Sequence[int]) -> None:
    print("| planted | questions | harsh | length | random | copy | reports with a false alarm |")
    print("|---|---|---|---|---|---|---|")
    for faulty in ((), FAULTY):
        for questions in sizes:
            luck = np.random.default_rng(questions)
            count = Counter(name for _ in range(times) for name in found_in(scored(luck, questions, faulty)))
            cells = [f"{count[name] / times:.0%}" if faulty else "-" for name in FAULTY]
            named = "all four" if faulty else "nothing"
            print(f"| {named} | {questions} | {' | '.join(cells)} | {count['alarm'] / times:.1%} |", flush=True)


def preferred(luck: np.random.Generator, questions: int, weights: Numbers | None) -> tuple[Numbers, Preferences]:
    """Scores of two answers each, and which one people prefer: by these weights and some noise, or by noise alone."""
    question_of = np.arange(questions).repeat(2)
    common = luck.normal(0, 0.8, questions).repeat(2)[:, None] + luck.normal(0, 1, (2 * questions, 1))
    scores = np.clip(7 + common + luck.normal(0, 1.1, (2 * questions, len(RUBRIC))), 1, 10)
    liked = luck.normal(0, 0.5, 2 * questions) + (0 if weights is None else scores @ weights)
    pairs = pairs_of(question_of, np.ones(2 * questions, dtype=bool))
    return scores, Preferences(pairs, pairs.signs(liked))


def agreement(scores: Numbers, people: Preferences, weights: Numbers) -> float:
    return float((people.pairs.signs(scores @ weights) == people.signs).mean())


def show_weights(times: int, sizes: Sequence[int]) -> None:
    print("| people go by | questions | new weights written | gain on new questions |")
    print("|---|---|---|---|")
    for name, weights in (("other weights", PLANTED), ("the rubric's weights", RUBRIC), ("nothing", None)):
        for questions in sizes:
            luck = np.random.default_rng(questions)
            written, gains = 0, []
            for _ in range(times):
                tuned = tune(*_labelled(luck, questions, weights))
                if tuned.weights is None:
                    gains.append(0.0)
                    continue
                written += tuned.is_better
                now = np.array(list(tuned.weights.values())) if tuned.is_better else RUBRIC
                fresh = preferred(luck, 2_000, weights)
                gains.append(agreement(*fresh, now) - agreement(*fresh, RUBRIC))
            gain = f"{100 * np.mean(gains):+.1f} points (worst {100 * min(gains):+.1f})"
            print(f"| {name} | {questions} | {written / times:.0%} | {gain} |", flush=True)


def _labelled(luck: np.random.Generator, questions: int, weights: Numbers | None) -> tuple:  # type: ignore[type-arg]
    scores, people = preferred(luck, questions, weights)
    return scores, WEIGHTS, people, scores.__matmul__


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("reviewers", "weights"))
    parser.add_argument("--times", type=int)
    parser.add_argument("--questions", type=int, nargs="+")
    given = parser.parse_args()
    if given.what == "reviewers":
        show_reviewers(given.times or 100, given.questions or (20, 50, 130))
    else:
        show_weights(given.times or 20, given.questions or (50, 130, 300))


if __name__ == "__main__":
    main()
