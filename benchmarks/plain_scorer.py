"""The loop to beat: the metrics of `surefoot score --refusal exact` in plain standard-library Python, a row at a time.

    python benchmarks/plain_scorer.py SHAPE QUESTIONS.json TRACES.jsonl

Each shape of row has a loop of its own, which knows where the question, the answer and the citations lie. Refusal is
the exact token, questions are joined by their text, and a citation is whatever the expression of the shape finds.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CITATIONS = re.compile(r"citations\s*:\s*\[([^\]]*)\]", re.IGNORECASE)
MARKS = re.compile(r"\[([^\]\s]+)\]")
PHRASE = re.compile(r"[a-z0-9](?:[a-z0-9\-\s]|[$€£¥](?=\d)|(?<=\d)[.,](?=\d)){4,}")
Found = tuple[str, str, list[str] | None]  # the question, the answer and what it cites


def listed(answer: str) -> list[str] | None:
    match = CITATIONS.search(answer)
    return [part for part in re.split(r"[,\s]+", match.group(1).strip()) if part] if match else None


def marked(answer: str) -> list[str] | None:
    return MARKS.findall(answer) or None


def claims_listed(row: dict[str, Any]) -> Found:
    return row["q"], row["answer"], listed(row["answer"])


def inline(row: dict[str, Any]) -> Found:
    return row["q"], row["answer"], marked(row["answer"])


def nested(row: dict[str, Any]) -> Found:
    return row["question"], row["answer"]["text"], [one["id"] for one in row["answer"]["citations"]]


def json_text(row: dict[str, Any]) -> Found:
    answer = json.loads(row["raw"])
    return row["q"], answer["claim"], answer["citations"]


def test_case(row: dict[str, Any]) -> Found:
    return row["user_input"], row["response"], marked(row["response"])


def chat(row: dict[str, Any]) -> Found:
    asked, said = row["messages"]
    return asked["content"], said["content"], marked(said["content"])


def otlp(row: dict[str, Any]) -> Found:
    (span,) = row["resourceSpans"][0]["scopeSpans"][0]["spans"]
    told = {pair["key"]: pair["value"]["stringValue"] for pair in span["attributes"]}
    return told["input.value"], told["output.value"], marked(told["output.value"])


def blocks(row: dict[str, Any]) -> Found:
    content = row["response"]["content"]
    cited = [one["document_title"] for block in content for one in block.get("citations") or ()]
    return row["question"], "".join(block["text"] for block in content), cited or None


READERS: dict[str, Callable[[dict[str, Any]], Found]] = {
    "listed": claims_listed, "inline": inline, "nested": nested, "json_text": json_text, "test_case": test_case,
    "chat": chat, "otlp": otlp, "blocks": blocks,
}  # fmt: skip


def contains_phrase(claim: str, answer: str) -> bool:
    text = answer.lower()
    phrases = (match.group().strip() for match in PHRASE.finditer(claim.lower()))
    return any(len(phrase) >= 5 and phrase in text for phrase in phrases)


def read_rows(
    read: Callable[[dict[str, Any]], Found], questions: dict[str, dict[str, Any]], path: Path
) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            question, answer, cited = read(json.loads(line))
            gold = questions.get(question)
            if gold is None:
                continue
            refused = answer.strip().lower() == "not in context"
            yield {
                "qid": gold["qid"],
                "answerable": gold["answerable"],
                "refused": refused,
                "hit": bool(set(cited or ()) & set(gold["gold_ids"])),
                "contained": contains_phrase(gold.get("gold_claim", ""), answer),
                "compliant": refused or cited is not None,
            }


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
    shape, question_file, trace_file = sys.argv[1:]
    questions = {row["q"]: row for row in json.loads(Path(question_file).read_text(encoding="utf-8"))}
    print(json.dumps(metrics_of(list(read_rows(READERS[shape], questions, Path(trace_file))))))


if __name__ == "__main__":
    main()
