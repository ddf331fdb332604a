"""python examples/squad.py dev-v2.0.json out, then run the commands that it prints.

SQuAD 2.0 (https://rajpurkar.github.io/SQuAD-explorer/, CC BY-SA 4.0), and CUAD's CUADv1.json
(https://www.atticusprojectai.org/cuad, CC BY 4.0), which has the same shape: questions on paragraphs of articles or
contracts, many without an answer. The gold is the part of the paragraph that holds the answer.
"""

import json
import sys
from pathlib import Path

ARTICLES, LONG = 5, 3_000  # characters of a passage

source, out = Path(sys.argv[1]), Path(sys.argv[2])
passages, questions = [], []
for article in json.loads(source.read_text("utf-8"))["data"][:ARTICLES]:
    title = article["title"].replace("_", " ")
    for number, paragraph in enumerate(article["paragraphs"]):
        text, start = paragraph["context"], f"{article['title']}#{number}"
        pieces = range(0, len(text), LONG)
        passages += [{"id": f"{start}.{n // LONG}", "text": text[n : n + LONG], "doc": title} for n in pieces]
        for asked in paragraph["qas"]:
            found = asked["answers"]
            gold = sorted({f"{start}.{answer['answer_start'] // LONG}" for answer in found})
            claims = sorted({answer["text"] for answer in found})
            clause = asked["id"].rpartition("__")  # of CUAD, what lawyers looked for
            wording = f'What does the contract "{title}" say about {clause[2]}?' if clause[0] else asked["question"]
            row = {"qid": asked["id"], "question": wording, "answerable": bool(found)}
            questions.append({**row, "gold_ids": gold, "gold_claims": claims} if found else row)

out.mkdir(parents=True, exist_ok=True)
for file, rows in (("passages.jsonl", passages), ("questions.jsonl", questions)):
    (out / file).write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
print(f"cd {out}")
print("surefoot corpus add passages.jsonl --out corpus.jsonl")
print("surefoot run --pipeline reference --corpus corpus.jsonl -q questions.jsonl --version v1")
print("surefoot grade v1")
