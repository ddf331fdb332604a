"""What the grader in the box can do, beside word overlap, in one run.

    python benchmarks/grader.py --data FOLDER [--limit 300] [--systems overlap,rules,local] [--json OUT]

FOLDER holds support, response, qa and refusal.jsonl.gz. Only rows count that training may not touch (heldout.py).
A pair that a system does not grade is counted, scored .5 and taken as not supported. Differences are to word overlap,
with 95 % intervals from 1,000 resamples of whole groups.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import grader_tables as tables
from grader_edits import edits
from grader_labels import labels
from grader_responses import responses
from grader_sources import answers, fit, support
from grader_speed import speed
from grader_systems import System, cosine, local, overlap, rules
from grader_texts import claims, refusals
from heldout import Row, rows_of

SECTIONS = ("speed", "edits", "support", "answers", "responses", "refusals", "claims", "labels")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with the public data; without it only our own sets are read")
    parser.add_argument("--limit", type=int, default=300, help="rows per source, 0 for all")
    parser.add_argument("--systems", default="overlap,rules,local")
    parser.add_argument("--only", default=",".join(SECTIONS), help="some of: " + ",".join(SECTIONS))
    parser.add_argument("--minilm", type=Path, help="folder with model.onnx and tokenizer.json, for the system cosine")
    parser.add_argument("--fp32", type=Path, help="folder with full-precision models, measured as local-fp32")
    parser.add_argument("--json", type=Path, help="write every figure here")
    return parser.parse_args()


def systems_of(given: argparse.Namespace) -> list[System]:
    makers: dict[str, Callable[[], System]] = {"overlap": overlap, "rules": rules, "local": local}
    if given.minilm:
        makers["cosine"] = lambda: cosine(given.minilm)
    names = given.systems.split(",")
    if unknown := [name for name in names if name not in makers]:
        raise SystemExit(f"no system {', '.join(unknown)}; there are {', '.join(makers)} (cosine needs --minilm)")
    return [makers[name]() for name in names] + ([local(given.fp32)] if given.fp32 else [])


def main() -> None:
    given = parsed()
    wanted, systems, found = given.only.split(","), systems_of(given), {}
    data: dict[str, list[Row]] = {}
    if "speed" in wanted:  # before the data takes memory
        found["speed"] = speed([system for system in systems if system.name != "overlap"])
    if given.data:
        data = {name: list(rows_of(given.data / f"{name}.jsonl.gz")) for name in ("support", "qa", "response")}
        fit(systems, data["support"], data["qa"], given.limit)
    makers: dict[str, Callable[[], list[Row]]] = {
        "edits": lambda: edits(systems),
        "support": lambda: support(data["support"], systems, given.limit),
        "answers": lambda: answers(data["qa"], systems, given.limit),
        "responses": lambda: responses(data["response"], systems, given.limit),
        "refusals": lambda: refusals(given.data),
        "claims": claims,
        "labels": lambda: labels(data["support"], given.limit),
    }
    for name, make in makers.items():
        if name in wanted and (data or name not in ("support", "answers", "responses", "labels")):
            start = time.perf_counter()
            found[name] = make()
            print(getattr(tables, name)(found[name]))
            print(f"\n({time.perf_counter() - start:.0f} s)")
    if "speed" in found:
        print(tables.speed(found["speed"]))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
