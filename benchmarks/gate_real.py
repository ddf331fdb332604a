"""The gate on answers of a real small model: two prompts as two versions, and one prompt against itself.

    python benchmarks/gate_real.py --data FOLDER [--grader local] [--verdicts FILE]

FOLDER has answers.jsonl.gz, which is not part of this repository; its `runs` part has the same questions five times
under both prompts. People's part is played by the gold answers: refused if the answer declines; correct if it holds a
gold answer; else wrong where there is one, and unsupported where there is none. Grading takes minutes, so verdicts can
be kept in FILE.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gate import _GRADER, _RULES, Simulation, World
from surefoot.core.types import Expects, Item, Passage, Question, Retrieved, Trace, Verdict
from surefoot.gate.sides import Run
from surefoot.jobs.gate import SECONDS_A_KEY, GateResult
from surefoot.jobs.grade import open_grader
from surefoot.store.project import key_of
from surefoot.text.normal import is_empty
from surefoot.text.refusals import detect

Rows = Sequence[dict[str, Any]]


def read(folder: Path) -> Rows:
    with gzip.open(folder / "answers.jsonl.gz") as lines:
        rows = [row for row in map(json.loads, lines) if row["part"] == "runs"]
    empty = {row["id"] for row in rows if is_empty(row["answer"] or "")}  # the model broke off: nothing to look at
    return [row for row in rows if row["id"] not in empty]


def item_of(row: dict[str, Any]) -> Item:
    expects: Expects = "answer" if row["answerable"] else "refusal"
    gold = tuple(row["gold_answer"] or ()) if row["answerable"] else ()
    ids = tuple(row["gold_ids"] or ())
    question = Question(row["id"], row["question"], expects, gold_ids=ids, gold_claims=gold[:1])
    passages = Retrieved(Passage(one["id"], one["text"]) for one in row["passages"])
    said = Trace(question_id=row["id"], answer=row["answer"], retrieved=passages, attempt=row["attempt"])
    return Item(question, said)


def truth_of(row: dict[str, Any]) -> str:
    """What whoever knows the gold answer would say."""
    if detect(row["answer"]).value == "refused":
        return "refused"
    if not row["answerable"]:
        return "unsupported"
    said = _words(row["answer"])
    return "correct" if any(_words(gold) in said for gold in row["gold_answer"] or ()) else "wrong"


def _words(text: str) -> str:
    return f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "


class Real(Simulation):
    """Two versions whose answers are given; nobody can ask them again."""

    def __init__(self, sides: Sequence[Rows], verdicts: dict[str, list[Verdict]]) -> None:
        self.world, self.rng = World(), np.random.default_rng(1)
        self.truth, self.rows, self.words, self.keys, self.runs, self.bare = {}, {}, {}, 0, ([], []), None
        self.fresh = set()
        for side, rows in enumerate(sides):
            by_question: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
            for row in rows:
                by_question[row["id"]].append(row)
            times = min(map(len, by_question.values()))
            run = Run(f"v{side}", [], graders=(_GRADER,), attempts=times)
            for id, own in by_question.items():
                run.questions[id] = item_of(own[0]).question
                for attempt, row in enumerate(own[:times], 1):
                    item = item_of(row)
                    key = key_of(item.question, item.trace)
                    self.truth[key] = truth_of(row)
                    run.traces[id, attempt], run.versions[id, attempt] = item.trace, key
                    run.verdicts += [_as(one, id, attempt) for one in verdicts[key]]
            self.runs[side].append(run)

    def document(self, i: int) -> str:
        return f"d{i}"

    def ask(self, side: int, questions: Iterable[int], times: int) -> None:  # noqa: ARG002
        raise AssertionError("what was answered is all there is")


def _as(verdict: Verdict, id: str, attempt: int) -> Verdict:
    return Verdict(question_id=id, attempt=attempt, axis=verdict.axis, value=verdict.value, grader=_GRADER,
                   reason=verdict.reason, confidence=verdict.confidence, unsure=verdict.unsure)  # fmt: skip


def graded(rows: Rows, grader: str, kept: Path | None) -> dict[str, list[Verdict]]:
    """The grader's verdicts by what was said."""
    items = {key_of(one.question, one.trace): one for one in map(item_of, rows)}
    if kept and kept.exists():
        found = json.loads(kept.read_text())
        return {key: [Verdict(**one) for one in some] for key, some in found.items()}
    reader = open_grader(grader)
    done = reader.read(list(items.values()))
    made = {key: list(one.verdicts) for key, one in zip(items, done, strict=True)}
    if kept:
        fields = ("question_id", "axis", "value", "grader", "attempt", "reason", "confidence", "unsure")
        kept.write_text(json.dumps({key: [{name: getattr(one, name) for name in fields} for one in some]
                                    for key, some in made.items()}))  # fmt: skip
    return made


def journey(made: Real) -> GateResult:
    while True:
        diff = made.looked_at()
        found = made.decide(_RULES, cannot_ask=(0, 1))
        if found.outcome != "INCONCLUSIVE" or not made.step(diff):
            return found


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("--grader", default="local")
    given.add_argument("--verdicts", type=Path)
    options = given.parse_args()
    rows = read(options.data)
    verdicts = graded(rows, options.grader, options.verdicts)
    by_prompt = {kind: [row for row in rows if row["prompt_kind"] == kind] for kind in ("licensed", "unlicensed")}
    halves = [[row for row in by_prompt["licensed"] if row["attempt"] % 2 == odd] for odd in (1, 0)]
    print("| versions | outcome | differing pairs | looked at | keys | minutes | true buckets before | after |")
    print("|---|---|---|---|---|---|---|---|")
    for name, sides in (("licensed, unlicensed", list(by_prompt.values())), ("licensed, itself", halves)):
        made = Real(sides, verdicts)
        found = journey(made)
        true = [Counter(made.truth[key] for key in side[0].versions.values()) for side in made.runs]
        counts = [", ".join(f"{one[b]} {b}" for b in ("correct", "wrong", "unsupported", "refused")) for one in true]
        minutes = made.keys * SECONDS_A_KEY / 60
        print(f"| {name} | {found.outcome} | {found.differing} of {found.pairs} | {found.looked_at} | {made.keys} |"
              f" {minutes:.0f} | {counts[0]} | {counts[1]} |")  # fmt: skip
        print(f"\n{found.headline}\n")


if __name__ == "__main__":
    main()
