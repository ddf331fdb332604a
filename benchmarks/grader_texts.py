"""The two detectors beside the model: refusals, and sentences that claim something."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np

import refusal
from grader_stats import f1
from heldout import Row
from surefoot.text.claims import is_claim
from surefoot.text.refusals import detect

SENTENCES = Path(__file__).parent / "data" / "sentences.jsonl"


def refusals(folder: Path | None) -> list[Row]:
    """Three-way macro-F1 and binary F1 on the held-out halves that benchmarks/refusal.py names."""
    rows = refusal.own_rows() + (refusal.public_rows(folder / "refusal.jsonl.gz") if folder else [])
    rows = [row for row in rows if row["split"] == "held-out"]
    detect("I do not know.")  # compile outside the clock
    start = time.perf_counter()
    said = [detect(row["text"]).value for row in rows]
    spent = (time.perf_counter() - start) / len(rows) * 1000
    lines = []
    for source in [*sorted({row["source"] for row in rows}), "all"]:
        own = [place for place, row in enumerate(rows) if source in (row["source"], "all")]
        lines.append({"source": source} | _refusal_line([rows[i]["refusal"] for i in own], [said[i] for i in own]))
    lines[-1]["milliseconds"] = spent
    return lines


def _refusal_line(labelled: list[str], said: list[str]) -> Row:
    truth, found = np.array(labelled), np.array(said)
    present = [value for value in refusal.VALUES if (truth == value).any()]
    macro = float(np.mean([f1(truth == value, found == value) for value in present]))
    binary = f1(truth != "answered", found != "answered")
    return {"n": len(truth), "values": len(present), "macro_f1": macro, "binary_f1": binary}


def claims() -> list[Row]:
    rows = [json.loads(line) for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    lines = []
    for kind in [*sorted({row["kind"] for row in rows}), "all"]:
        own = [row for row in rows if kind in (row["kind"], "all")]
        right = sum(is_claim(row["text"]) == row["claim"] for row in own)
        lines.append(
            {"kind": kind, "n": len(own), "claims": sum(row["claim"] for row in own), "right": right / len(own)}
        )
    return lines
