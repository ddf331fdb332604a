"""The third label: is a claim that is not supported contradicted, or do the passages only not say enough?

It decides `wrong` against `unsupported`. Claims of the held-out sources that have all three labels, and the buckets of
whole answers in free words (`data/quality/free.jsonl`).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from grader_sources import pair_of
from grader_stats import Bools, Floats, f1
from grader_systems import LABELS
from heldout import Row, by_source, held_out, sample
from quality_answers import DATA, item_of, rows_of
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.judges import Judgement, Pair
from surefoot.graders.local import LocalJudge

EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
AT_ONCE = 25


def labels(rows: list[Row], limit: int) -> list[Row]:
    """A line for each source, one for all of them, the reliability of their probabilities, and the buckets."""
    judge = LocalJudge()
    known = by_source(row for row in rows if held_out(row) and row["label"] in LABELS)
    of_three = {source: part for source, part in known.items() if {row["label"] for row in part} == set(LABELS)}
    truth: list[str] = []
    found: list[Judgement] = []
    lines: list[Row] = []
    for source, part in of_three.items():
        chosen = sample(part, limit, lambda row: row["label"])
        judged = _judged(judge, source, [pair_of(row) for row in chosen])
        lines.append({"source": source} | confusion([row["label"] for row in chosen], judged))
        truth += [row["label"] for row in chosen]
        found += judged
    lines.append({"source": "all"} | confusion(truth, found))
    probability = np.array([one.probabilities[1] if one.probabilities else 0.0 for one in found])
    lines[-1]["reliability"] = reliability(np.array(truth) == "contradicted", probability)
    return [*lines, _buckets(judge)]


def _judged(judge: LocalJudge, source: str, pairs: Sequence[Pair]) -> list[Judgement]:
    found: list[Judgement] = []
    for at in range(0, len(pairs), AT_ONCE):
        found += judge.judge(pairs[at : at + AT_ONCE])
        print(f"{source}: {len(found)} of {len(pairs)}", file=sys.stderr)
    return found


def confusion(truth: Sequence[str], found: Sequence[Judgement]) -> Row:
    """How often each label is given for each true one; a claim that is not graded has none."""
    counts = Counter((true, str(one.label)) for true, one in zip(truth, found, strict=True))
    is_so: Bools = np.array(truth) == "contradicted"
    is_said: Bools = np.array([one.label == "contradicted" for one in found])
    return {
        "n": len(truth),
        "ungraded": sum(one.label is None for one in found),
        "said": {true: [counts[true, label] for label in LABELS] for true in LABELS},
        "precision": float(is_so[is_said].mean()) if is_said.any() else None,
        "recall": float(is_said[is_so].mean()) if is_so.any() else None,
        "contradiction_f1": f1(is_so, is_said),
    }


def reliability(truth: Bools, probability: Floats) -> list[Row]:
    """Of the claims whose probability of contradiction lies between two edges, how many are contradicted."""
    found = []
    for low, high in pairwise(EDGES):
        own = (probability >= low) & ((probability < high) | (high == EDGES[-1]))
        if own.any():
            line = {"from": low, "to": high, "n": int(own.sum()), "mean": float(probability[own].mean())}
            found.append(line | {"share": float(truth[own].mean())})
    return found


def _buckets(judge: LocalJudge) -> Row:
    rows = rows_of(DATA / "free.jsonl")
    graded = FindingsGrader(judge).read([item_of(row) for row in rows])
    counts = Counter((row["buckets"][0], one.bucket) for row, one in zip(rows, graded, strict=True))
    return {"source": "free answers", "n": len(rows), "buckets": [[*key, count] for key, count in counts.items()]}
