"""surefoot init"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from surefoot.errors import ExitCode, UsageError

_QUESTIONS = """[
  {"qid": "q1", "q": "How many days of notice does a tenant have to give?", "answerable": true,
   "gold_ids": ["lease#3"], "gold_claim": "The tenant may end the lease on sixty (60) days' written notice."},
  {"qid": "q2", "q": "When is the rent due?", "answerable": true,
   "gold_ids": ["lease#2"], "gold_claim": "The rent is due on the first working day of each month."},
  {"qid": "q3", "q": "How large is the deposit?", "answerable": false, "gold_ids": []}
]
"""
_PASSAGES = """\
{"id": "lease#1", "text": "The landlord lets Unit 4 to the tenant from 1 May 2025.", "doc": "Unit 4 lease", "page": 1}
{"id": "lease#2", "text": "The rent is due on the first working day of each month.", "doc": "Unit 4 lease", "page": 1}
{"id": "lease#3", "text": "The tenant may end the lease on sixty (60) days' written notice.", "doc": "Unit 4 lease", \
"page": 2}
"""
_PIPELINE = '''\
"""Put your own pipeline here: `answer` gets a question and returns an answer with the ids it cites."""

import json
import re
from pathlib import Path

from surefoot.types import Ask

PASSAGES = [json.loads(line) for line in Path(__file__).with_name("passages.jsonl").read_text().splitlines()]


def answer(ask: Ask) -> dict:
    # "null" asks you to search nothing: a sound pipeline then refuses.
    found = [] if ask.retrieval == "null" else search(ask.text)
    if not found:
        return {"answer": "Not in context.", "retrieved": [], "citations": []}
    best = found[0]
    return {"answer": f"{best['text']} [{best['id']}]", "retrieved": found, "citations": [best["id"]]}


def search(text: str) -> list[dict]:
    words = {word for word in re.findall(r"[a-z]+", text.lower()) if len(word) > 3}
    scored = [(len(words & set(re.findall(r"[a-z]+", p["text"].lower()))), p) for p in PASSAGES]
    return [p for score, p in sorted(scored, key=lambda pair: -pair[0]) if score >= 1]


answer.deterministic = True  # leave this out if yours may answer the same question in another way next time
'''
_CI = """\
# A step for your CI: the build fails when the gate says no.
- run: pip install PATH_TO_SUREFOOT
- run: surefoot run --pipeline pipeline:answer --questions questions.json --out runs/ci
- run: surefoot score --questions questions.json --traces runs/ci/traces.jsonl --gate gate.toml --report report.md
"""
_README = """\
The first ten minutes, in this folder. (`surefoot` not found? Activate the environment it is installed in.)

1. Is the pipeline ready to be asked?

  surefoot doctor --pipeline pipeline:answer --questions questions.json

2. Ask it everything, and put each answer into one of four buckets: correct, wrong, unsupported, refused.

  surefoot run --pipeline pipeline:answer --questions questions.json --out runs/first
  surefoot grade runs/first

3. Change something. Say, in pipeline.py, `score >= 1` to `score >= 0`: it never refuses any more. May that ship?

  surefoot run --pipeline pipeline:answer --questions questions.json --out runs/second
  surefoot grade runs/second
  surefoot compare runs/first runs/second --uncalibrated --report report.html

The exit code is the decision: 0 ship, 1 block, 3 inconclusive, 4 incomplete; report.html shows why.

4. `--uncalibrated` takes the grader's word for it. To know how often it errs, label some answers in the browser. About
60 of them, over a question set of your own, let the gate decide without that flag.

  surefoot label runs/second
  surefoot compare runs/first runs/second

A pipeline that answers differently each time needs more questions and runs; `surefoot questions plan 130` says what
they can tell.

Then put your own questions into questions.json, your passages into passages.jsonl, and your pipeline into pipeline.py.

For a build without a baseline there are gate.toml (a copy of the default gate, G1 to G5) and ci.yml. They go by
citations and refusals alone:

  surefoot score --questions questions.json --traces runs/first/traces.jsonl --gate gate.toml
"""
FILES = {
    "questions.json": _QUESTIONS,
    "passages.jsonl": _PASSAGES,
    "gate.toml": (files("surefoot") / "gates" / "default.toml").read_text("utf-8"),
    "pipeline.py": _PIPELINE,
    "ci.yml": _CI,
    "README.txt": _README,
}


@click.command(epilog="Example: surefoot init gate && cd gate && cat README.txt")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
def init(folder: Path) -> int:
    """Write a small working example to start from; nothing that exists is overwritten."""
    there = [name for name in FILES if (folder / name).exists()]
    if there:
        raise UsageError(f"{folder / there[0]} exists already", "choose another folder: nothing is overwritten")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in FILES.items():
            with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except OSError as error:
        hint = "choose a folder that you may write to"
        raise UsageError(f"{folder} cannot be written to: {error.strerror}", hint) from error
    click.echo(f"{folder}: {', '.join(FILES)}")
    click.echo(f"next: read {folder / 'README.txt'}")
    return ExitCode.OK
