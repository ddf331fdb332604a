"""Built questions held against human labels: python benchmarks/build.py QUESTIONS.jsonl CORPUS.jsonl DATA [--sample N]

DATA is a folder with `qa.jsonl.gz`, in which people marked the clauses of CUAD's contracts, and whether
ContractNLI's agreements say certain things; the corpus has a file for each document, named by its title. A question
falls under a label if it asks for the same thing. An answerable one is confirmed if a clause that people marked is in
its gold passage; an unanswerable one if they marked none. The others are printed, to be checked by hand: a marked
clause need not answer what is asked. `--sample` prints so many questions with all that a reader needs, kinds by turns.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter, defaultdict
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from surefoot.corpus.corpus import load_rows
from surefoot.corpus.passages import Row
from surefoot.text.normal import vocabulary

LABELS = (  # a question that matches asks for what people marked under these names
    (r"governing law|law governs", ("Governing Law",)),
    (r"notice .*(?:terminate|end)\b", ("Termination For Convenience", "Notice Period To Terminate Renewal")),
    (r"liability capped|may not exceed", ("Cap On Liability",)),
    (r"insurance cover", ("Insurance",)),
    (r"\baudit\b", ("Audit Rights",)),
    (r"warranty last", ("Warranty Duration",)),
    (r"renewal term|be renewed", ("Renewal Term",)),
    (r"\bassign(?:ed|ment)?\b", ("Anti-Assignment",)),
    (r"prices rise", ("Price Restrictions",)),
    (r"penalty", ("Liquidated Damages",)),
    (r"made and effective|As of what date", ("Agreement Date", "Effective Date")),
    (r"duty of confidentiality last|obligations .*(?:survive|continue)", ("may survive termination",)),
    (r"documents be returned|must .*(?:return|destroy)", ("destroy or return",)),
    (r"May .* disclose .* to ", ("third-part", "Representatives", "employees")),
    (r"(?:May|must) .* use .*(?:Confidential|Proprietary) Information", ("for any purpose",)),
    (r"must .* notify .*(?:law|compel|requir)", ("required by law",)),
    (r"reverse engineer", ("reverse engineer",)),
)
Json = dict[str, Any]


def marked(data: Path, titles: dict[str, str]) -> dict[str, list[tuple[str, str, bool]]]:
    """By title of a document: what was asked, the words that were marked, and whether there were any."""
    found: dict[str, list[tuple[str, str, bool]]] = defaultdict(list)
    for row in _read(data / "qa.jsonl.gz"):
        if row.get("doc_id") in titles:
            spans = row.get("gold_text") or [row["passages"][place] for place in row["gold_passage_ids"] or []]
            name = row.get("category") or row["question"]
            found[titles[row["doc_id"]]].append((name, " ".join(spans), row["answerable"]))
    return found


def titles_of(data: Path) -> dict[str, str]:
    files = ("contractnli.jsonl.gz", "cuad.jsonl.gz")
    rows = chain.from_iterable(_read(data / "corpora" / file) for file in files)
    return {row["doc_id"]: re.sub(r"\.(?:pdf|html?|txt|docx?)$", "", row["title"].replace("/", "_")) for row in rows}


def _read(path: Path) -> list[Json]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def verdict(question: Json, labels: list[tuple[str, str, bool]], passages: dict[str, Row]) -> str:
    names = next((names for pattern, names in LABELS if re.search(pattern, question["question"])), ())
    held = [one for one in labels if any(name in one[0] for name in names)]
    if not held:
        return "no label"
    spans = [span for _, span, is_marked in held if is_marked]
    if not question["answerable"]:
        return "check by hand" if spans else "confirmed"
    gold = " ".join(passages[one].text for one in question["gold_ids"])
    return "confirmed" if any(_shares(gold, span) for span in spans) else "check by hand"


def document_of(question: Json, passages: dict[str, Row]) -> str:
    """Whose it is: the last of the evidence is of the document that is asked, the first may be what tempts."""
    return Path(passages[(question["gold_ids"] or question["made"]["evidence"])[-1]].file).stem


def _shares(gold: str, span: str) -> bool:
    words, wanted = vocabulary(gold), vocabulary(span)
    return bool(wanted) and len(words & wanted) >= 0.6 * len(wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sample", type=int, default=0)
    args = parser.parse_args()
    questions = [json.loads(line) for line in args.questions.read_text("utf-8").splitlines()]
    passages = {row.id: row for row in load_rows(args.corpus)}
    labels = dict(marked(args.data, titles_of(args.data)))
    counts: Counter[tuple[str, str]] = Counter()
    for question in questions:
        document = document_of(question, passages)
        seen = verdict(question, labels[document], passages)
        counts["answerable" if question["answerable"] else "unanswerable", seen] += 1
        if seen == "check by hand":
            print(json.dumps(_shown(question, passages, labels[document]), ensure_ascii=False))
    for (sort, seen), count in sorted(counts.items()):
        print(f"{sort:13} {seen:13} {count:4}")
    for question in _by_turns(questions)[: args.sample]:
        shown = _shown(question, passages, labels[document_of(question, passages)])
        print(json.dumps(shown, ensure_ascii=False))


def _by_turns(questions: list[Json]) -> list[Json]:
    kinds: defaultdict[str, list[Json]] = defaultdict(list)
    for question in questions:
        kinds[question["made"]["kind"]].append(question)
    return [one for turn in zip_longest(*kinds.values()) for one in turn if one]


def _shown(question: Json, passages: dict[str, Row], labels: list[tuple[str, str, bool]]) -> Json:
    evidence = [passages[one] for one in question["made"]["evidence"]]
    return {
        "qid": question["qid"],
        "question": question["question"],
        "answerable": question["answerable"],
        "claim": question["gold_claims"],
        "document": document_of(question, passages),
        "passages": [row.text for row in evidence],
        "marked": {name: span for name, span, is_marked in labels if is_marked},
    }


if __name__ == "__main__":
    main()
