"""python examples/contract_nli.py contract-nli/test.json out: compare the offline grader with lawyers.

ContractNLI (https://stanfordnlp.github.io/contract-nli/, CC BY 4.0): lawyers said whether agreements entail, contradict
or do not mention 17 statements. Each statement becomes an answer that cites clauses, and the lawyers' word its label.
Use test.json: the grader was trained on agreements of the other two files.
"""

import json
import subprocess
import sys
from pathlib import Path

BUCKETS = {"Entailment": "correct", "Contradiction": "wrong", "NotMentioned": "unsupported"}
AGREEMENTS, CLAUSES = 10, 3

data, out = json.loads(Path(sys.argv[1]).read_text("utf-8")), Path(sys.argv[2])
items, labels = [], []
for contract in data["documents"][:AGREEMENTS]:
    clauses = [" ".join(contract["text"][start:end].split()) for start, end in contract["spans"]]
    for name, said in contract["annotation_sets"][0]["annotations"].items():
        claim, key = data["labels"][name]["hypothesis"].rstrip("."), f"{contract['id']}-{name}"
        words = set(claim.lower().split())  # a statement that is not mentioned cites the clauses most like it
        alike = sorted(range(len(clauses)), key=lambda n: -len(words & set(clauses[n].lower().split())))
        cited = {f"{contract['id']}#{n}": clauses[n] for n in said["spans"] or alike[:CLAUSES]}
        passages = [{"id": id_, "text": text} for id_, text in cited.items()]
        answer = f"{claim} {''.join(f'[{id_}]' for id_ in cited)}."
        items.append({"id": key, "question": f"Is this so: {claim}?", "answer": answer, "passages": passages})
        value = BUCKETS[said["choice"]]
        label = {"question_id": key, "axis": "factuality", "value": value, "annotator": "lawyers", "drawn": "sample"}
        labels.append(label)

out.mkdir(parents=True, exist_ok=True)
for file, rows in (("items.jsonl", items), ("labels.jsonl", labels)):
    (out / file).write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
for command in (
    "grade --traces items.jsonl --version lawyers",
    "import labels.jsonl --run lawyers",
    "calibrate lawyers",
):
    done = subprocess.run([sys.executable, "-m", "surefoot", *command.split()], cwd=out, check=False)
sys.exit(done.returncode)
