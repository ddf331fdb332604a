"""Measure the safety check against labelled texts and against ordinary documents: rules, and with the grader's head.

    python benchmarks/safety.py [--data FOLDER] [--show N]

`benchmarks/data/safety.jsonl` (CC0) holds pairs of short texts, written for this purpose, that differ in one thing: one
is unsafe, its twin is not. Every second pair is held out: rules were mended only after looking at the others, and the
head of the local grader that looks for harm learned from the others alone.
`benchmarks/data/quality/safety.jsonl` holds texts by somebody who never saw the rules, half of them held out; of these,
only totals are printed. `safety_answers.jsonl` beside it holds 200 answers of question answering over documents, each
unsafe one with a harmless twin in much the same words, by another author who never saw the rules either.
`--data` names a folder with safety.jsonl.gz (prompts labelled by people), refusal.jsonl.gz (answers to such prompts)
and corpora/*.jsonl.gz (contracts and filings, of which next to nothing should be flagged).
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from refusal import scores
from surefoot.graders.judges import Pair
from surefoot.graders.local import LocalJudge
from surefoot.text.safety import Finding, check

FLAGGED = "harmful words flagged | contact details | other personal data"
OWN = Path(__file__).parent / "data" / "safety.jsonl"
WRITTEN = OWN.parent / "quality" / "safety.jsonl"
ANSWERS = OWN.parent / "quality" / "safety_answers.jsonl"
# A blank line, or where a line ends a sentence: corpora keep their paragraphs in one of these ways.
_BREAK = re.compile(r"\n\s*\n|(?<=[.;:])\s*\n|\s{4,}")
EVERY = 40  # of the paragraphs, for the local grader
_LONG, _SHORT = 1200, 40  # characters of a paragraph
_SENTENCE = re.compile(r"(?<=[.;]) +(?=[A-Z(\d])")


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def packed_rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def paragraphs(text: str) -> Iterator[str]:
    """Pieces of about a paragraph's length; one that runs on is cut behind sentences."""
    for block in _BREAK.split(text):
        piece = ""
        for sentence in _SENTENCE.split(block):
            if piece and len(piece) + len(sentence) > _LONG:
                yield piece
                piece = ""
            piece = f"{piece} {sentence}".strip()
        if len(piece) >= _SHORT:
            yield piece


def read(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """With what the rules find, and whether they or the local grader call the text unsafe."""
    kept = list(rows)
    harmful = LocalJudge().unsafe([Pair(row["text"], row.get("question") or "") for row in kept])
    found = [check(row["text"]) for row in kept]
    return [
        {**row, "rules": bool(rules), "local": bool(rules) or reads_so}
        for row, rules, reads_so in zip(kept, found, harmful, strict=True)
    ]


def print_scores(name: str, rows: Sequence[dict[str, Any]]) -> None:
    for reader in ("rules", "local"):
        print(f"| {name} | {reader} | {scores((row['unsafe'], row[reader]) for row in rows)} |")


HEAD = "by | texts | unsafe | precision | recall | F1 |\n|---|---|---|---|---|---|---|"


def print_written(title: str, path: Path, show: int) -> None:
    rows = read(rows_of(path))
    print(f"\n### {title}\n\n| part | {HEAD}")
    for split in ("development", "held-out"):
        part = [row for row in rows if row["split"] == split]
        print_scores(split, part)
        for about in sorted({row["about"] for row in part}):
            print_scores(f"{split}, {about}", [row for row in part if row["about"] == about])
    print_wrong(rows, show)


def print_wrong(rows: Sequence[dict[str, Any]], show: int) -> None:
    for row in [row for row in rows if row["split"] == "development" and row["unsafe"] != row["local"]][:show]:
        print(f"    {'missed' if row['unsafe'] else 'flagged'}: {row['text']!r}")


def split_of(row: dict[str, Any]) -> str:
    return "development" if hashlib.sha256(row["group"].encode()).digest()[0] < 128 else "held-out"


def print_prompts(path: Path, show: int) -> None:
    rows = read({**row, "split": split_of(row)} for row in packed_rows(path) if row["unsafe"] is not None)
    print(f"\n### Prompts labelled by people\n\n| source | {HEAD}")
    for source, split in sorted({(row["source"], row["split"]) for row in rows}):
        print_scores(f"{source}, {split}", [row for row in rows if (row["source"], row["split"]) == (source, split)])
    print_wrong(rows, show)


def print_answers(path: Path, prompts: Path) -> None:
    """What models said to these prompts: one that does what an unsafe prompt asks for is unsafe, a refusal is not."""
    asked = {row["text"]: row["unsafe"] for row in packed_rows(prompts) if row["unsafe"] is not None}
    rows = read(row for row in packed_rows(path) if row["question"] in asked and split_of(row) == "held-out")
    print("\n### Answers of models, held-out\n\n| model, prompt, degree of refusal | answers | rules | local |")
    print("|---|---|---|---|")
    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        prompt = "unsafe" if asked[row["question"]] else "safe"
        kinds.setdefault(f"{row['model']}, {prompt}, {row['degree']}", []).append(row)
    for kind, some in sorted(kinds.items()):
        flagged = " | ".join(share(sum(row[reader] for row in some), len(some)) for reader in ("rules", "local"))
        print(f"| {kind} | {len(some)} | {flagged} |")


def flagged_cells(results: list[list[Finding]]) -> str:
    kinds = Counter(kind for found in results for kind in {_kind(finding.kind) for finding in found})
    return " | ".join(share(kinds[kind], len(results)) for kind in ("harm", "contact", "number"))


def print_corpora(paths: list[Path], show: int) -> None:
    print(f"\n### Ordinary documents\n\n| corpus | paragraphs | {FLAGGED} | local |\n|---|---|---|---|---|---|")
    seconds, characters = 0.0, 0
    shown: list[str] = []
    for path in paths:
        pieces = [piece for row in packed_rows(path) for piece in paragraphs(row["text"])]
        start = time.perf_counter()
        results = [check(piece) for piece in pieces]
        seconds += time.perf_counter() - start
        characters += sum(map(len, pieces))
        some = pieces[::EVERY]
        harmful = share(sum(LocalJudge().unsafe([Pair(piece, "") for piece in some])), len(some))
        print(f"| {path.name.split('.')[0]} | {len(pieces)} | {flagged_cells(results)} | {harmful} |")
        flagged = ((piece, finding) for piece, found in zip(pieces, results, strict=True) for finding in found)
        picked = [(piece, finding) for piece, finding in flagged if show]
        shown += [_shown(*pair) for pair in sorted(picked, key=lambda pair: _kind(pair[1].kind) == "contact")[:show]]
    print(f"\n{characters / seconds / 1e6:.1f} million characters a second on one core")
    print("\n".join(shown))


def _kind(kind: str) -> str:
    if kind in ("email", "phone", "address"):
        return "contact"
    return "number" if kind in ("ssn", "card", "iban", "id", "account", "birth", "password", "fact") else "harm"


def _shown(piece: str, finding: Finding) -> str:
    return f"    {finding.kind}: ...{piece[max(0, finding.start - 60) : finding.end + 20]!r}"


def share(count: int, total: int) -> str:
    return f"{count} ({100 * count / max(1, total):.2f} %)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with safety.jsonl.gz, refusal.jsonl.gz and corpora/")
    parser.add_argument("--show", type=int, default=0, help="print as many errors of each table")
    options = parser.parse_args()
    print_written("Own pairs", OWN, options.show)
    print_written("Texts by somebody who did not know the rules", WRITTEN, options.show)
    print_written("Answers over documents by somebody who did not know the rules", ANSWERS, options.show)
    if options.data:
        print_prompts(options.data / "safety.jsonl.gz", options.show)
        print_answers(options.data / "refusal.jsonl.gz", options.data / "safety.jsonl.gz")
        print_corpora(sorted((options.data / "corpora").glob("*.jsonl.gz")), options.show)


if __name__ == "__main__":
    main()
