"""python examples/edgar.py 2019.jsonl out, then run the commands that it prints.

Annual reports of public companies: a file of EDGAR-CORPUS (https://huggingface.co/datasets/eloukas/edgar-corpus,
Apache-2.0) or the folder that edgar-crawler writes. What a filing says about the subject of an item is asked, with the
item as gold; if a filing lacks the item and never uses its words, the question has no answer.
"""

import json
import sys
from pathlib import Path

FILINGS, SHORT = 30, 3_000  # characters of an item that is asked about
ITEMS = {"1B": "unresolved staff comments", "3": "legal proceedings", "4": "mine safety", "7A": "market risk"}
ITEMS |= {"2": "properties", "6": "selected financial data", "9": "disagreement", "9A": "disclosure controls"}

source, out = Path(sys.argv[1]), Path(sys.argv[2])
files = sorted(source.rglob("*.json")) if source.is_dir() else [source]
lines = [[path.read_text("utf-8")] if path.suffix == ".json" else path.open(encoding="utf-8") for path in files]
passages, questions = [], []
for row in [json.loads(line) for file in lines for line in file][:FILINGS]:
    year = str(row.get("year") or row["period_of_report"])[:4]
    name, title = f"{row['cik']}-{year}", f"10-K report of {row.get('company') or row['cik']} for {year}"
    items = {key.partition("_")[2]: text or "" for key, text in row.items() if key.startswith(("section_", "item_"))}
    for item, text in items.items():
        pieces = [text[start : start + SHORT] for start in range(0, len(text), SHORT)]
        passages += [{"id": f"{name}#{item}.{n}", "text": piece, "doc": title} for n, piece in enumerate(pieces)]
    for item, topic in ITEMS.items():
        text, gold = items.get(item, ""), [f"{name}#{item}.0"]
        asked = {"qid": f"{name}-{item}", "question": f"What does the {title} say about {topic}?"}
        if topic in text.lower() and len(text) <= SHORT:
            questions.append({**asked, "answerable": True, "gold_ids": gold})
        elif not any(topic in other.lower() for other in items.values()):
            questions.append({**asked, "answerable": False})

out.mkdir(parents=True, exist_ok=True)
for written, rows in (("passages.jsonl", passages), ("questions.jsonl", questions)):
    (out / written).write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
print(f"cd {out}")
print("surefoot corpus add passages.jsonl --out corpus.jsonl")
print("surefoot run --pipeline reference --corpus corpus.jsonl -q questions.jsonl --version v1")
print("surefoot grade v1")
