"""How far `Proof` can be believed: python benchmarks/proof.py [--data FOLDER] [--each N] [--only SOURCE]

The demo's questions over the demo's corpus, and, with --data, N answerable and N unanswerable questions of each public
source over its own documents. Prints, by source: how often the gold passage was read, and called answering;
how many answerable questions nothing was found for (they would be sold as unanswerable); how many unanswerable ones
nothing was found for (the others would be thrown away); and which share of all questions that nothing was found for is
answerable, if a quarter of those that are put to the proof is.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from surefoot.build.proof import Proof
from surefoot.core.types import Passage
from surefoot.datasets import demo

SOURCES = ("squad2", "policyqa", "contractnli", "cuad")
PUT_TO_THE_PROOF = 0.25  # share of answerable ones among the questions that a builder takes for unanswerable
_PIECE = 700  # characters of a passage, where a document has no passages of its own
_END = re.compile(r"(?<=[.;:])\s+|\n+")

Row = dict[str, Any]


class Case(NamedTuple):
    source: str
    corpus: str
    question: str
    gold: frozenset[str]
    answerable: bool


class Seen(NamedTuple):
    case: Case
    read: bool
    called: bool
    found: bool


def rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def demo_cases() -> tuple[dict[str, list[Passage]], list[Case]]:
    asked = [question for question in demo.questions() if question.retrieval == "normal"]
    cases = [Case("demo", "demo", one.text, frozenset(one.gold_ids), one.answerable) for one in asked]
    return {"demo": demo.corpus()}, cases


def public_cases(data: Path, each: int, sources: tuple[str, ...]) -> tuple[dict[str, list[Passage]], list[Case]]:
    chance = np.random.default_rng(7)
    pool = [row for row in rows(data / "qa.jsonl.gz") if row["source"] in sources and row["pool"] == "dev"]
    contracts = rows(data / "corpora" / "cuad.jsonl.gz") if "cuad" in sources else []
    whole = {row["doc_id"]: row["text"] for row in contracts}
    corpora: defaultdict[str, dict[str, Passage]] = defaultdict(dict)
    for row in pool:
        for text in row["passages"] if row["source"] in ("squad2", "policyqa") else ():
            add(corpora[corpus_of(row)], text)
    cases = []
    for source in sources:
        for answerable in (True, False):
            rows_of = [row for row in pool if row["source"] == source and row["answerable"] is answerable]
            for place in sorted(chance.permutation(len(rows_of))[:each]):
                row = rows_of[place]
                corpus = corpora[corpus_of(row)]
                for text in row["passages"] or pieces(whole.get(row.get("doc_id", ""), "")):
                    add(corpus, text)
                cases.append(Case(source, corpus_of(row), row["question"], gold_of(row, corpus), answerable))
    kept = [case for case in cases if case.gold or not case.answerable]
    return {name: list(passages.values()) for name, passages in corpora.items()}, kept


def corpus_of(row: Row) -> str:
    """All of SQuAD is one corpus, a web site's policies are one, and so is a contract."""
    return "squad2" if row["source"] == "squad2" else str(row.get("doc_id") or row["group"])


def add(corpus: dict[str, Passage], text: str) -> None:
    if text.strip():
        corpus.setdefault(text, Passage(f"p{len(corpus)}", text))


def gold_of(row: Row, corpus: dict[str, Passage]) -> frozenset[str]:
    texts = [row["passages"][place] for place in row["gold_passage_ids"] or () if row["passages"][place] in corpus]
    quoted = [" ".join(text.split())[:60] for text in row.get("gold_text") or ()]
    inside = [text for text in corpus for quote in quoted if quote and quote in " ".join(text.split())]
    return frozenset(corpus[text].id for text in (*texts, *inside))


def pieces(text: str) -> Iterator[str]:
    piece = ""
    for part in _END.split(text):
        if piece and len(piece) + len(part) > _PIECE:
            yield piece
            piece = ""
        piece = f"{piece} {part}".strip()
    yield piece


def seen(proof: Proof, case: Case) -> Seen:
    near = {passage.id for passage in proof.candidates(case.question)}
    called = {one.passage.id for one in proof.answered(case.question)}
    return Seen(case, not case.gold.isdisjoint(near), not case.gold.isdisjoint(called), bool(called))


def share(hits: list[bool]) -> str:
    return f"{sum(hits)}/{len(hits)} ({sum(hits) / len(hits):.1%})" if hits else "none asked"


def line(source: str, every: list[Seen]) -> str:
    answerable = [one for one in every if one.case.answerable]
    others = [one for one in every if not one.case.answerable]
    missed, kept = [not one.found for one in answerable], [not one.found for one in others]
    cells = [share([one.read for one in answerable]), share([one.called for one in answerable]), share(missed)]
    return f"| {source} | {' | '.join(cells)} | {share(kept)} | {sold(missed, kept)} |"


def sold(missed: list[bool], kept: list[bool]) -> str:
    if not missed or not kept:
        return "not known"
    wrong = PUT_TO_THE_PROOF * sum(missed) / len(missed)
    right = (1 - PUT_TO_THE_PROOF) * sum(kept) / len(kept)
    return f"{wrong / (wrong + right):.1%}" if wrong + right else "none proven"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with qa.jsonl.gz and corpora/; else only the demo is read")
    parser.add_argument("--each", type=int, default=100)
    parser.add_argument("--only", choices=("demo", *SOURCES))
    options = parser.parse_args()
    corpora, cases = demo_cases() if options.only in (None, "demo") else ({}, [])
    sources = tuple(one for one in SOURCES if options.only in (None, one))
    if sources and options.data:
        more, others = public_cases(options.data, options.each, sources)
        corpora, cases = corpora | more, [*cases, *others]
    start, proofs, found = time.monotonic(), {}, list[Seen]()
    for case in sorted(cases, key=lambda case: case.corpus):
        if case.corpus not in proofs:
            proofs = {case.corpus: Proof(corpora[case.corpus])}
        found.append(seen(proofs[case.corpus], case))
    print("| source | gold read | gold called answering | answerable, nothing found | unanswerable, nothing found |"
          " answerable among the proven |\n|---|---|---|---|---|---|")  # fmt: skip
    for source in dict.fromkeys(case.source for case in cases):
        print(line(source, [one for one in found if one.case.source == source]))
    print(f"{line('all', found)}\n{len(found) / (time.monotonic() - start):.2f} questions/s")


if __name__ == "__main__":
    main()
