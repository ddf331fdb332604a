"""The local grader of two checkouts on the same answers: CPU and wall seconds, and the verdicts that differ.

    git worktree add --detach /tmp/before COMMIT
    python benchmarks/grader_versions.py /tmp/before . [--mix MIX] [--data FOLDER] [--limit 60] [--repeat 1]

Each version grades in a process of its own that starts with nothing kept from before, then in another once more
("again"); versions take turns. FOLDER is public data that is not part of this repository. Without it: `demo` (both runs
of `surefoot demo`), `written` (benchmarks/data) and `quality` (benchmarks/data/quality). With it also `filings`
(data/filings_answers.jsonl), `pages` (the same over pages of 4,000 characters) and `support` (pairs of sources that did
not train).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

PAGE = 4_000  # characters
Row = dict[str, Any]
WITHOUT_DATA, WITH_DATA = ("demo", "written", "quality"), ("filings", "pages", "support")


def drawn(rows: Sequence[Any], limit: int) -> list[Any]:
    return random.Random(0).sample(rows, limit) if limit and len(rows) > limit else list(rows)


def demo_items(_: Path | None) -> list[Any]:
    from surefoot.core.types import Ask, Item
    from surefoot.datasets import demo
    from surefoot.pipelines.retriever import ReferencePipeline

    pipeline = ReferencePipeline(demo.corpus())
    return [Item(one, pipeline.answer(Ask(one.id, one.text, one.retrieval))) for one in demo.questions()]


def written_items(_: Path | None) -> list[Any]:
    from grading import load

    return load()[1]


def quality_items(_: Path | None) -> list[Any]:
    from quality_answers import DATA, FILES, item_of, rows_of

    return [item_of(row) for name in FILES for row in rows_of(DATA / name)]


def filings_items(data: Path | None, page: int = 0) -> list[Any]:
    """The passages of the answers, or the pages of a filing around them."""
    from filings import ANSWERS
    from heldout import rows_of
    from quality_answers import item_of
    from quality_answers import rows_of as lines_of

    assert data is not None
    texts = {(row["doc_id"], row["section"]): row["text"] for row in rows_of(data / "corpora" / "edgar.jsonl.gz")}
    rows = lines_of(ANSWERS)
    for row in rows:
        text = texts[row["doc_id"], row["section"]]
        for one in row["passages"]:
            start = max(0, one["start"] - max(0, page - (one["end"] - one["start"])) // 2)
            one["text"] = text[start : max(one["end"], start + page)]
    return [item_of(row) for row in rows]


def support_pairs(data: Path | None) -> list[Any]:
    from heldout import by_source, held_out, rows_of
    from surefoot.graders.judges import Pair

    assert data is not None
    rows = [row for row in rows_of(data / "support.jsonl.gz") if held_out(row)]
    even = [row for part in by_source(rows).values() for row in drawn(part, 40)]
    return [Pair(row["context"], row["claim"]) for row in even]


MIXES: dict[str, Callable[[Path | None], list[Any]]] = {
    "demo": demo_items,
    "written": written_items,
    "quality": quality_items,
    "filings": filings_items,
    "pages": lambda data: filings_items(data, PAGE),
    "support": support_pairs,
}


def work(mix: str, data: Path | None, limit: int) -> Row:
    """In a process that sees one version: what it says of each answer or pair, and the seconds that takes."""
    from surefoot.graders.grader import FindingsGrader
    from surefoot.graders.judges import Pair
    from surefoot.graders.local import LocalJudge

    rows, judge = drawn(MIXES[mix](data), limit if mix != "demo" else 0), LocalJudge()
    judge.load()
    wall, cpu = time.perf_counter(), time.process_time()
    if isinstance(rows[0], Pair):
        said: list[str | None] = [one.label for one in judge.judge(rows)]
    else:
        said = [one.bucket for one in FindingsGrader(judge).read(rows)]
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "said": said}


def graded(version: Path, mix: str, given: argparse.Namespace, cache: str) -> Row:
    here = Path(__file__).resolve()
    environment = os.environ | {"PYTHONPATH": f"{version.resolve() / 'src'}{os.pathsep}{here.parent}"}
    command = [sys.executable, str(here), "--work", mix, "--limit", str(given.limit)]
    command += ["--data", str(given.data)] if given.data else []
    done = subprocess.run(
        command, env=environment | {"XDG_CACHE_HOME": cache}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    found: Row = json.loads(done.stdout.splitlines()[-1])
    return found


def compared(mix: str, given: argparse.Namespace) -> str:
    """The fastest of some turns counts: whatever else the machine does only ever adds."""
    turns: dict[tuple[Path, str], list[Row]] = {}
    for _ in range(given.repeat):
        for version in given.versions:
            with tempfile.TemporaryDirectory() as cache:
                for when in ("first", "again"):
                    turns.setdefault((version, when), []).append(graded(version, mix, given, cache))
    best = {key: {what: min(row[what] for row in rows) for what in ("cpu", "wall")} for key, rows in turns.items()}
    before, after = (turns[version, "first"][0]["said"] for version in given.versions)
    flips = sum(one != other for one, other in zip(before, after, strict=True))
    again = turns[given.versions[1], "again"][0]["said"]
    old, new, warm = (
        best[given.versions[0], "first"],
        best[given.versions[1], "first"],
        best[given.versions[1], "again"],
    )
    cells = [mix, str(len(before)), f"{old['cpu']:.1f}", f"{new['cpu']:.1f}", f"{old['cpu'] / new['cpu']:.1f}x"]
    cells += [f"{old['wall']:.1f}", f"{new['wall']:.1f}", f"{warm['cpu']:.1f}", str(flips), str(again == after)]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("versions", nargs="*", type=Path, help="two checkouts, the older one first")
    parser.add_argument("--mix", action="append", choices=list(MIXES), help="one of them; all if not given")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--limit", type=int, default=60, help="answers of a mix, 0 for all; of the demo always all")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--work", choices=list(MIXES), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        print(json.dumps(work(given.work, given.data, given.limit)))
        return
    print(
        "| mix | answers | CPU s before | after | faster | wall s before | after | CPU s again | differ | again equal |"
    )
    print("|---" * 10 + "|")
    for mix in given.mix or (*WITHOUT_DATA, *(WITH_DATA if given.data else ())):
        print(compared(mix, given), flush=True)


if __name__ == "__main__":
    main()
