"""The reference to beat: the same definitions in plain standard-library Python, one pass, rows in a list.

    python benchmarks/plain_scorer.py QUESTIONS.json TRACES.jsonl

Refusal is the exact token, questions are joined by their text, citations are a JSON field or `citations: [...]`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

CITATIONS = re.compile(r"citations\s*:\s*\[([^\]]*)\]", re.IGNORECASE)
PHRASE = re.compile(r"[a-z0-9][a-z0-9\-\s]{4,}")


def cited_ids(answer: str, field: object) -> list[str]:
    if isinstance(field, list):
        return [str(item).strip() for item in field]
    match = CITATIONS.search(answer)
    return [part for part in re.split(r"[,\s]+", match.group(1).strip()) if part] if match else []


def contains_phrase(claim: str, answer: str) -> bool:
    text = answer.lower()
    phrases = (match.group().strip() for match in PHRASE.finditer(claim.lower()))
    return any(len(phrase) >= 5 and phrase in text for phrase in phrases)


def read_rows(questions: dict[str, dict[str, Any]], path: Path) -> list[dict[str, Any]]:
    rows = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            trace = json.loads(line)
            gold = questions.get(trace.get("q") or trace.get("question") or "")
            if gold is None:
                continue
            answer = trace.get("answer", "")
            cited = cited_ids(answer, trace.get("citations"))
            refused = answer.strip().lower() == "not in context"
            rows.append(
                {
                    "qid": gold["qid"],
                    "answerable": gold["answerable"],
                    "refused": refused,
                    "hit": bool(set(cited) & set(gold["gold_ids"])),
                    "contained": contains_phrase(gold.get("gold_claim", ""), answer),
                    "compliant": refused or isinstance(trace.get("citations"), list) or bool(CITATIONS.search(answer)),
                }
            )
    return rows


def metrics_of(rows: list[dict[str, Any]]) -> dict[str, tuple[int, int]]:
    answerable = [row for row in rows if row["answerable"]]
    unanswerable = [row for row in rows if not row["answerable"]]
    answered = [row for row in rows if not row["refused"]]
    return {
        "precision": (sum(row["answerable"] and row["hit"] for row in answered), len(answered)),
        "over_refusal": (sum(row["refused"] for row in answerable), len(answerable)),
        "under_refusal": (sum(not row["refused"] for row in unanswerable), len(unanswerable)),
        "citation_hit_rate": (sum(not r["refused"] and r["hit"] for r in answerable), len(answerable)),
        "claim_containment": (sum(not r["refused"] and r["contained"] for r in answerable), len(answerable)),
        "compliance": (sum(row["compliant"] for row in rows), len(rows)),
    }


def main() -> None:
    questions = {row["q"]: row for row in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))}
    print(json.dumps(metrics_of(read_rows(questions, Path(sys.argv[2])))))


if __name__ == "__main__":
    main()
