"""python examples/finance_bench.py financebench_open_source.jsonl out, then run the commands that it prints.

FinanceBench (https://github.com/patronus-ai/financebench, CC BY-NC 4.0): questions on filings, with the pages that
answer them, which are the corpus. Pages of every fourth company are left out: what is asked about it has no answer.
"""

import json
import sys
from pathlib import Path

source, out = Path(sys.argv[1]), Path(sys.argv[2])
asked = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
absent = set(sorted({row["company"] for row in asked})[3::4])
passages, questions = {}, []
for row in asked:
    question = {"qid": row["financebench_id"], "question": row["question"], "answerable": row["company"] not in absent}
    if question["answerable"]:
        for part in row["evidence"]:
            page = part["evidence_page_num"] + 1  # the file counts from 0
            id_ = f"{part['doc_name']}#p{page}"
            text = part["evidence_text_full_page"]
            passages[id_] = {"id": id_, "text": text, "doc": part["doc_name"], "page": page}
            question.setdefault("gold_ids", []).append(id_)
        question["gold_claims"] = [row["answer"]]
    questions.append(question)

out.mkdir(parents=True, exist_ok=True)
for file, rows in (("passages.jsonl", list(passages.values())), ("questions.jsonl", questions)):
    (out / file).write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
print(f"cd {out}")
print("surefoot corpus add passages.jsonl --out corpus.jsonl")
print("surefoot run --pipeline reference --corpus corpus.jsonl -q questions.jsonl --version v1")
print("surefoot grade v1")
