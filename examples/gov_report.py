"""python examples/gov_report.py gov-report out, then run the commands that it prints.

GovReport (https://gov-report-data.github.io/, CC BY 4.0): reports of the GAO and the CRS, one file each. What a report
says under a heading is asked, with that section as gold. A heading of another report, whose words do not occur in this
one, has no answer.
"""

import json
import sys
from pathlib import Path

REPORTS, SHORT = 30, 3_000  # characters of a section that is asked about
ask = 'What does the report "{}" say about "{}"?'.format

folder, out = Path(sys.argv[1]), Path(sys.argv[2])
passages, questions, before = list[dict[str, str]](), [], list[str]()
for path in sorted(folder.rglob("*.json"))[:REPORTS]:
    report = json.loads(path.read_text("utf-8"))
    name, topics, text = report["title"], list[str](), ""
    waiting = [*report.get("report", []), *filter(None, [report.get("reports")])]  # a section holds others
    while waiting:
        section = waiting.pop(0)
        waiting = [*section["subsections"], *waiting]
        title, body = section["section_title"].strip(), "\n\n".join(section["paragraphs"])
        id_, text = f"{name}#{len(passages)}", f"{text} {title} {body}".lower()
        if body:
            passages.append({"id": id_, "text": f"{title}\n\n{body}", "doc": name})
        if 3 <= len(title.split()) <= 14 and 0 < len(body) <= SHORT:
            topics.append(title)
            questions.append({"qid": id_, "question": ask(name, title), "answerable": True, "gold_ids": [id_]})
    for title in before:
        if not any(word in text for word in title.lower().split() if len(word) > 4):
            questions.append({"qid": f"{id_}-{title}", "question": ask(name, title), "answerable": False})
    before = topics

out.mkdir(parents=True, exist_ok=True)
for file, rows in (("passages.jsonl", passages), ("questions.jsonl", questions)):
    (out / file).write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
print(f"cd {out}")
print("surefoot corpus add passages.jsonl --out corpus.jsonl")
print("surefoot run --pipeline reference --corpus corpus.jsonl -q questions.jsonl --version v1")
print("surefoot grade v1")
