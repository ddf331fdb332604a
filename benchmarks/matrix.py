"""How often does a matrix claim an effect where there is none, and find one where there is?

    python benchmarks/matrix.py

2 models x 2 prompts differ by noise, and by the share of wrong answers that a licence to refuse turns into refusals.
"""

from __future__ import annotations

import random
from collections import Counter

from surefoot.core.table import BUCKETS
from surefoot.core.types import Question, Trace, Verdict
from surefoot.gate.effects import Effect, effects_of, result_of
from surefoot.gate.sides import Run

AXES = {"model": ("a", "b"), "prompt": ("plain", "licence")}
USUAL = (5, 2, 1, 2)  # correct, wrong, unsupported, refused
NOISE = 0.3  # the share of answers that are given anew each time
TIMES = 200


def matrix(chance: random.Random, questions: int, attempts: int, licence: float) -> tuple[Effect, ...]:
    asked = {f"q{n}": Question(f"q{n}", "?", "answer") for n in range(questions)}
    usual = {id: chance.choices(BUCKETS, USUAL)[0] for id in asked}
    cells = []
    for name in [(model, prompt) for model in AXES["model"] for prompt in AXES["prompt"]]:
        rows = []
        for id in asked:
            for attempt in range(1, attempts + 1):
                said = chance.choices(BUCKETS, USUAL)[0] if chance.random() < NOISE else usual[id]
                refuses = name[1] == "licence" and said == "wrong" and chance.random() < licence
                rows.append(Verdict(id, "factuality", "refused" if refuses else said, "g", attempt))
        traces = {
            (row.question_id, row.attempt): Trace(row.question_id, answer="a", attempt=row.attempt) for row in rows
        }
        side = Run(" / ".join(name), rows, asked, traces, attempts=attempts)
        cells.append(result_of(side.name, dict(zip(AXES, name, strict=True)), side))
    return effects_of([cell for cell, _ in cells], {cell.name: given for cell, given in cells}, AXES, {})


def main() -> None:
    print("| questions | runs | licence mends | wrong, by model | wrong, by prompt |\n|---|---|---|---|---|")
    for questions, attempts in ((40, 1), (130, 1), (130, 3)):
        for licence in (0.0, 0.6):
            chance, found = random.Random(questions + attempts), Counter[str]()
            for _ in range(TIMES):
                effects = matrix(chance, questions, attempts, licence)
                found.update(one.axis for one in effects if one.differences["wrong"].settled)
            shares = " | ".join(f"{found[axis] / TIMES:.2f}" for axis in AXES)
            print(f"| {questions} | {attempts} | {licence:g} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
