"""`surefoot score --refusal exact` in one file for Python 3.9 and later, without a dependency, to copy into CI.

    python score_stdlib.py questions.json log.jsonl

A log has one JSON object a line: the question (`qid`, or `q` or `question`), `answer`, and perhaps `citations`. Without
that field, an answer cites by `citations: [a, b]` at its end. A refusal is `not in context`, in any case. Other shapes
of logs, other citations and refusals in other words need Surefoot itself.

Prints the metrics and the gate as JSON. Exits with 0 if all rules hold, 1 if one fails, 2 for input that cannot be
read, 3 if a rate has no answers to rest on, and 4 if questions lack a usable answer.
"""

from __future__ import annotations

import json
import operator
import re
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

GATE = {
    "precision": (">=", "0.80"), "under_refusal": ("<=", "0.05"), "over_refusal": ("<=", "0.25"),
    "citation_hit_rate": (">=", "0.75"), "compliance": (">=", "0.98"), "coverage": (">=", "1"),
}  # fmt: skip
HOLDS = {">=": operator.ge, "<=": operator.le}
LIST_AT_END = re.compile(r"\bcitations\s{0,4}:\s{0,4}\[([^\[\]]*)\]\s*\Z", re.IGNORECASE)
PHRASE = re.compile(r"[^\W_](?:[^\W_]|[-\s]|[$€£¥](?=\d)|(?<=\d)[.,](?=\d))*")
DENIED = re.compile(r"\b(?:not|never|no|isn't|untrue|false|incorrect|wrong)\b[^.;,]{0,30}\Z")


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


def cited_in(row: dict[str, Any]) -> list[str] | None:
    """None where nothing is said of citations, which is not the same as an empty list."""
    if isinstance(row.get("citations"), list):
        ids = [str(one.get("id", "") if isinstance(one, dict) else one).strip() for one in row["citations"]]
        return [one for one in ids if one]
    match = LIST_AT_END.search(row["answer"])
    return None if match is None else [one for one in re.split(r"[,;\s\"'`]+", match.group(1)) if one]


def contains(claim: str, answer: str) -> bool:
    """A phrase of the claim stands in the answer as whole words, with no denial before it."""
    text = plain(answer)
    for phrase in filter(lambda one: len(one) >= 5, (found.strip() for found in PHRASE.findall(plain(claim)))):
        for found in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w|(?<=\d)[.,]\d)", text):
            if not DENIED.search(text[: found.start()]):
                return True
    return False


def outcome(question: dict[str, Any], rows: list[dict[str, Any]]) -> Counter[str]:
    """What one question adds to the numerators (`+name`) and denominators (`name`) of the metrics."""
    found, told = Counter({"coverage": 1}), rows[0] if rows else {}
    if len(rows) > 1:
        return found  # nobody knows which of them counts
    answer, answerable = told.get("answer"), question["answerable"]
    has_claim = bool(question.get("gold_claim"))
    found.update(("over_refusal", "citation_hit_rate") if answerable else ("under_refusal",))
    found["claim_containment"] += answerable and has_claim
    found["compliance"] += bool(rows)
    if told.get("error") or not isinstance(answer, str) or not re.search(r"[^\W_]", answer):
        return found
    is_refusal, cited = answer.strip().lower() == "not in context", cited_in(told)
    is_hit = not set(cited or ()).isdisjoint(question.get("gold_ids") or ())
    found["+coverage"] += 1
    found["+compliance"] += is_refusal or cited is not None
    if is_refusal:
        found["+over_refusal"] += answerable
    else:
        found["precision"] += 1
        found["+precision"] += answerable and is_hit
        found["+under_refusal"] += not answerable
        found["+citation_hit_rate"] += answerable and is_hit
        found["+claim_containment"] += answerable and has_claim and contains(question["gold_claim"], answer)
    return found


def score(questions: list[dict[str, Any]], log: list[dict[str, Any]]) -> dict[str, Any]:
    """Every question is counted, whatever became of it; rows that fit no question are named."""
    by_name = {question["qid"]: question for question in questions}
    by_text = {plain(question.get("q") or question["question"]): question["qid"] for question in questions}
    if len(by_name) < len(questions) or len(by_text) < len(questions):
        raise ValueError("two questions have the same id or the same words")
    rows: dict[str, list[dict[str, Any]]] = {qid: [] for qid in by_name}
    unknown = []
    for number, row in enumerate(log, 1):
        asked = plain(str(row.get("q") or row.get("question") or ""))
        qid = row["qid"] if row.get("qid") in by_name else by_text.get(asked)
        if qid is None:
            unknown.append(number)
        else:
            rows[qid].append(row)
    total: Counter[str] = Counter()
    for qid, question in by_name.items():
        total.update(outcome(question, rows[qid]))
    names = [*GATE, "claim_containment"]
    metrics = {name: [total["+" + name], total[name]] for name in names}
    is_scored = total["+coverage"] > 0  # else no rule says anything about the pipeline
    gate = {name: judged(name, *metrics[name]) if is_scored or name == "coverage" else "undecidable" for name in GATE}
    several = [qid for qid, some in rows.items() if len(some) > 1]
    return {"metrics": metrics, "gate": gate, "several_answers": several, "unknown_rows": unknown}


def judged(name: str, above: int, below: int) -> str:
    sign, limit = GATE[name]
    if not below:
        return "undecidable"
    if HOLDS[sign](Fraction(above, below), Fraction(limit)):
        return "pass"
    return "incomplete" if name == "coverage" else "fail"


def exit_code(result: dict[str, Any]) -> int:
    found = set(result["gate"].values())
    if "fail" in found:
        return 1
    if "incomplete" in found or result["several_answers"]:
        return 4
    return 3 if "undecidable" in found else 0


def main() -> int:
    try:
        question_file, log_file = sys.argv[1:]
        questions = json.loads(Path(question_file).read_text("utf-8-sig"))
        log = [json.loads(line) for line in Path(log_file).read_text("utf-8-sig").split("\n") if line.strip()]
        result = score(questions, log)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"error: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    print(json.dumps(result, indent=1))
    return exit_code(result)


if __name__ == "__main__":
    sys.exit(main())
