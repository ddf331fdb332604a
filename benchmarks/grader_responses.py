"""Whole answers: does the support of its sentences tell a faithful answer from one that invents?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader_stats import Bools, Floats, against, auroc, auroc_interval, best_threshold, within
from grader_systems import System
from heldout import Row, by_source, held_out, sample
from surefoot.graders.judges import Pair
from surefoot.text.claims import claims_of


def sentences_of(answer: str) -> list[str]:
    """The claims of an answer; an answer without any is read as one."""
    return [claim.text for claim in claims_of(answer).claims] or [answer]


def evidence_of(row: Row) -> list[str]:
    """Each passage, and all of them together."""
    passages = [text for text in row["passages"] if text.strip()] or [""]
    return [*passages, "\n".join(passages)] if len(passages) > 1 else passages


def read(rows: list[Row], system: System) -> dict[str, Floats]:
    """Per answer the least and the mean support of its sentences, and the support of the answer as one claim."""
    pairs, owner = [], []
    for place, row in enumerate(rows):
        sentences = sentences_of(row["answer"])
        for number, claim in enumerate([*sentences, row["answer"]]):
            for text in evidence_of(row):
                pairs.append(Pair(text, claim, context=row["question"]))
                owner.append((place, number if number < len(sentences) else -1))
    best: dict[tuple[int, int], float] = {}
    for key, score in zip(owner, system.support(pairs).supported, strict=True):
        best[key] = max(best.get(key, 0.0), float(score))
    parts: list[list[float]] = [[] for _ in rows]
    for (place, number), score in best.items():
        if number >= 0:
            parts[place].append(score)
    return {
        "min": np.array([min(part) for part in parts]),
        "mean": np.array([float(np.mean(part)) for part in parts]),
        "whole": np.array([best[place, -1] for place in range(len(rows))]),
    }


def responses(rows: list[Row], systems: Sequence[System], limit: int) -> list[Row]:
    lines: list[Row] = []
    for source, part in by_source(row for row in rows if held_out(row)).items():
        chosen = sample(part, limit, lambda row: row["label"])
        truth = np.array([row["label"] == "faithful" for row in chosen])
        scored = {system.name: read(chosen, system) for system in systems}
        for name, readings in scored.items():
            for reading, scores in readings.items():
                line = {"source": source, "system": name, "reading": reading, "n": len(chosen)}
                line |= _line(chosen, truth, scores)
                if name != "overlap" and "overlap" in scored:
                    line["against"] = _against(chosen, truth, scores, scored["overlap"][reading])
                lines.append(line)
    return lines + _means(lines)


def _line(rows: list[Row], truth: Bools, scores: Floats) -> Row:
    low, high = auroc_interval(truth, scores, [row["group"] for row in rows])
    inside = within(truth, scores, [row.get("model") for row in rows])
    return {"auroc": float(auroc(truth, scores)[0]), "low": low, "high": high, "within_generator": inside}


def _against(rows: list[Row], truth: Bools, one: Floats, other: Floats) -> Row:
    """Ranking only: no threshold carries over from claims to answers."""
    groups = [row["group"] for row in rows]
    said = [scores >= best_threshold(truth, scores) for scores in (one, other)]
    return {"auroc": against(truth, (one, said[0]), (other, said[1]), groups)["auroc"]}


def _means(lines: list[Row]) -> list[Row]:
    found = []
    for system, reading in dict.fromkeys((line["system"], line["reading"]) for line in lines):
        own = [line for line in lines if (line["system"], line["reading"]) == (system, reading)]
        inside = [line["within_generator"] for line in own if line["within_generator"] is not None]
        line = {"source": "mean of sources", "system": system, "reading": reading, "n": sum(one["n"] for one in own)}
        line["auroc"] = float(np.mean([one["auroc"] for one in own]))
        line["within_generator"] = float(np.mean(inside)) if inside else None
        found.append(line)
    return found
