"""Support and *answers* on the public sources: pairs from held-out rows, measures per source and system."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from grader_stats import Bools, against, auroc, balanced_accuracy, ece, f1
from grader_systems import Asked, Scored, Similarity, System, overlap_of
from heldout import Row, by_source, held_out, sample
from surefoot.graders.judges import Pair

BASELINE = "overlap"
OTHERS = 50  # passages among which the most similar wrong one is looked for


def pair_of(row: Row) -> Pair:
    return Pair(row["context"], row["claim"])


def supported(rows: Iterable[Row]) -> Bools:
    return np.array([row["label"] == "supported" for row in rows])


def support(rows: list[Row], systems: Sequence[System], limit: int) -> list[Row]:
    """One line of measures per source and system; the last lines are means over sources."""
    lines = []
    for source, part in by_source(row for row in rows if held_out(row)).items():
        chosen = sample(part, limit, lambda row: row["label"])
        pairs, truth, groups = [pair_of(row) for row in chosen], supported(chosen), [row["group"] for row in chosen]
        scored = {system.name: system.support(pairs) for system in systems}
        base = scored.get(BASELINE)
        for name, own in scored.items():
            line = {"source": source, "use": chosen[0]["use"], "system": name, "n": len(chosen)}
            line |= _support_line(chosen, truth, own)
            if base is not None and name != BASELINE:
                line["against"] = against(truth, (own.supported, own.said), (base.supported, base.said), groups)
            lines.append(line)
    return lines + means(lines, ("bacc", "auroc"))


def _support_line(rows: list[Row], truth: Bools, own: Scored) -> Row:
    line: Row = {
        "ungraded": own.ungraded,
        "left_open": own.left_open,
        "bacc": float(balanced_accuracy(truth, own.said)[0]),
        "auroc": float(auroc(truth, own.supported)[0]),
        "ece_raw": None if own.raw is None else ece(truth, own.raw),
        "ece": None if own.labels is None else ece(truth, own.supported),
        "contradiction_f1": None,
    }
    known = np.array([row["label"] != "unsupported" for row in rows])  # others are silent about the kind
    contradicted = np.array([row["label"] == "contradicted" for row in rows])
    if contradicted.any():
        said = np.array([label == "contradicted" for label in own.labels or [None] * len(rows)])
        line["contradiction_f1"] = f1(contradicted[known], said[known])
    return line


def means(lines: list[Row], names: Sequence[str]) -> list[Row]:
    found = []
    for system in dict.fromkeys(line["system"] for line in lines):
        own = [line for line in lines if line["system"] == system]
        values = {name: float(np.mean([line[name] for line in own])) for name in names}
        counts = {name: sum(line.get(name, 0) for line in own) for name in ("n", "ungraded", "left_open")}
        found.append({"source": "mean of sources", "system": system} | counts | values)
    return found


def questions(rows: list[Row], limit: int, chosen_from: str = "held-out") -> dict[str, list[tuple[Asked, bool, str]]]:
    """(question, passage), whether it answers, group; where a source has no unanswerable question, the most similar
    passage that is not the answer's stands in."""
    wanted = [row for row in rows if held_out(row) == (chosen_from == "held-out") and row["answerable"] is not None]
    found = {}
    for source, part in by_source(wanted).items():
        if source in MAKERS:
            chosen = sample([row for row in part if row["passages"]], limit, lambda row: row["answerable"])
            found[source] = MAKERS[source](chosen)
    return found


def _native(rows: list[Row]) -> list[tuple[Asked, bool, str]]:
    return [((row["question"], row["passages"][0]), bool(row["answerable"]), row["group"]) for row in rows]


def _from_document(rows: list[Row]) -> list[tuple[Asked, bool, str]]:
    """Answerable: the passages that hold the evidence. Else: the passage of the document that looks most like it."""
    found = []
    for row in rows:
        gold = [row["passages"][i] for i in row["gold_passage_ids"]]
        passage = "\n".join(gold) if gold else _nearest(row["question"], row["passages"])
        found.append(((row["question"], passage), bool(gold), row["group"]))
    return found


def _with_wrong(rows: list[Row]) -> list[tuple[Asked, bool, str]]:
    """Every question twice, with its passage and with the nearest other: of its document, or of its domain."""
    found = []
    for number, row in enumerate(rows):
        gold = {row["passages"][i] for i in row["gold_passage_ids"]}
        others = [text for text in row["passages"] if text not in gold]
        if not others:
            same = [r for r in rows if r["domain"] == row["domain"] and r["group"] != row["group"]]
            some = random.Random(number).sample(same, min(OTHERS, len(same)))
            others = [text for other in some for text in other["passages"]]
        if others:
            right = "\n".join(row["passages"][i] for i in row["gold_passage_ids"])
            found.append(((row["question"], right), True, row["group"]))
            found.append(((row["question"], _nearest(row["question"], others)), False, row["group"]))
    return found


def _nearest(question: str, passages: list[str]) -> str:
    return passages[int(np.argmax(overlap_of([(question, passage) for passage in passages])))]


MAKERS: dict[str, Any] = {
    "squad2": _native, "clapnq": _native, "contractnli": _from_document, "tatqa": _with_wrong,
    "squad_shifts": _with_wrong,
}  # fmt: skip


def answers(rows: list[Row], systems: Sequence[System], limit: int) -> list[Row]:
    lines = []
    for source, made in questions(rows, limit).items():
        asked, truth, groups = [one[0] for one in made], np.array([one[1] for one in made]), [one[2] for one in made]
        scored = {system.name: system.answers(asked) for system in systems}
        base = scored.get(BASELINE)
        for name, own in scored.items():
            if own is None:
                continue
            line = {
                "source": source,
                "system": name,
                "n": len(made),
                "bacc": float(balanced_accuracy(truth, own[1])[0]),
            }
            line["auroc"] = float(auroc(truth, own[0])[0])
            if base is not None and name != BASELINE:
                line["against"] = against(truth, own, base, groups)
            lines.append(line)
    return lines + means(lines, ("bacc", "auroc"))


def fit(systems: Sequence[System], claims: list[Row], asked: list[Row], limit: int) -> None:
    """Thresholds of the baselines, from rows that are not held out, in equal numbers per source."""
    similar = [system for system in systems if isinstance(system, Similarity)]
    if not similar:
        return
    train = by_source(row for row in claims if not held_out(row))
    chosen = [row for part in train.values() for row in sample(part, limit or 300, lambda row: row["label"])]
    made = [one for part in questions(asked, limit or 300, "train").values() for one in part]
    answered = np.array([one[1] for one in made], dtype=bool)
    for system in similar:
        system.fit([pair_of(row) for row in chosen], supported(chosen), [one[0] for one in made], answered)
