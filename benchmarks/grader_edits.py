"""Our own edits: passages with faithful claims and claims that are wrong in one place.

`data/edits.jsonl` was written for this measure by an AI helper without sight of any training data or of the code that
makes it; all texts are its own (CC0). `kind` names the one fault, or how a faithful claim is worded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from grader_stats import Bools, Floats, auroc, caught, interval, resampled
from grader_systems import System
from heldout import Row
from surefoot.graders.judges import Pair

EDITS = Path(__file__).parent / "data" / "edits.jsonl"


def load() -> list[Row]:
    passages = [json.loads(line) for line in EDITS.read_text(encoding="utf-8").splitlines()]
    return [
        claim | {"id": f"{one['id']}-{number}", "group": one["id"], "passage": one["passage"], "domain": one["domain"]}
        for one in passages
        for number, claim in enumerate(one["claims"], 1)
    ]


def edits(systems: Sequence[System]) -> list[Row]:
    """Overall and per kind: the share of claims below the score that 5 % of the faithful ones fall below.

    The hardest faithful claims are those that take a step of reasoning; without them the score lies elsewhere.
    """
    rows = load()
    faithful = np.array([row["label"] == "supported" for row in rows])
    stated = faithful & np.array([row["kind"] != "inference" for row in rows])
    found = []
    for system in systems:
        own = system.support([Pair(row["passage"], row["text"]) for row in rows])
        cut, share = caught(own.supported[faithful], own.supported[~faithful])
        low, high = _interval([row["group"] for row in rows], own.supported, faithful)
        kinds = {}
        for label, kind in sorted({(row["label"] == "supported", row["kind"]) for row in rows}):
            part = own.supported[[row["kind"] == kind for row in rows]]
            kinds[kind] = {"n": len(part), "faithful": label, "below": float((part < cut).mean())}
        line = {"system": system.name, "n": len(rows), "false": int((~faithful).sum()), "ungraded": own.ungraded}
        line |= {"threshold": cut, "caught": share, "low": low, "high": high, "kinds": kinds}
        line |= {"caught_stated": caught(own.supported[stated], own.supported[~faithful])[1]}
        line |= {"auroc": float(auroc(faithful, own.supported)[0])}
        line |= {"own_alarms": float((~own.said[faithful]).mean()), "own_caught": float((~own.said[~faithful]).mean())}
        found.append(line)
    return found


def _interval(groups: list[str], scores: Floats, faithful: Bools) -> tuple[float, float]:
    """Passages resampled, the threshold found anew each time."""
    drawn = []
    for weights in resampled(groups).astype(int):
        good, bad = np.repeat(scores[faithful], weights[faithful]), np.repeat(scores[~faithful], weights[~faithful])
        drawn.append(caught(good, bad)[1])
    return interval(np.array(drawn))
