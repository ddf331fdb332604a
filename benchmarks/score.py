"""CPU and memory of `surefoot score` beside a plain loop over the same rows, for rows of many shapes, in one run.

    make bench                               # or: python benchmarks/score.py --rows 20000 --shape listed --shape otlp

Every row is different. `plain_scorer.py` has the loop of each shape.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

HERE = Path(__file__).parent
TERMS = ("notice period", "liability cap", "yearly rent", "ongoing charge", "retention time", "payment term", "deposit")
VALUES = ("thirty days", "EUR 2.5 million", "twelve months", "0.85 per cent", "six months", "ten years", "GBP 1,200")
OPENINGS = (
    "",
    "",
    "See {n:x}. ",
    "In short: ",
    "As of version {n}, ",
    "Thank you for asking. ",
    "Yes. ",
    "**Answer** ",
)
CLAIMS = (
    "The {term} is {value}", "the {term} is {value}, counted from entry {n}", "It amounts to {other}",
    "The parties agreed on {value} (entry {n})", "the {term} is not {other} but {value}",
)  # fmt: skip
MORE = (
    "It has been so since {n}.", "Clause {n} repeats this for group companies.", "Both sides signed in {n}.",
    "Please read the schedule for details.", "No other agreement changes it.", "Letter {n} confirms it.",
    "A tenant who pays late owes interest of {n} basis points.", "This does not apply to affiliates.",
)  # fmt: skip
SUBJECTS = ("The passages", "The provided documents", "The context", "The sources I was given", "Agreement {n}", "It")
DECLINES = (
    "{subject} do not say what the {term} is.", "I could not find the {term} for entry {n}.",
    "I'm sorry, but {subject} does not mention the {term} of {n}.", "There is nothing on the {term} in file {n}.",
    "Unfortunately, the {term} is not specified anywhere in {n}.", "I am unable to tell from {subject}, page {n}.",
)  # fmt: skip


class Said(NamedTuple):
    """What one row tells: the question, what was retrieved, the sentences of the answer and what they cite."""

    n: int
    question: str
    ids: list[str]
    sentences: list[str]
    cited: list[str]
    is_refusal: bool

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    @property
    def marked(self) -> str:
        """The answer with its citations behind its sentences."""
        marks = "".join(f" [{one}]" for one in self.cited)
        return self.sentences[0].rstrip(".") + marks + "".join(f". {one}" for one in self.sentences[1:])

    @property
    def listed(self) -> str:
        return self.text if self.is_refusal else f"- {self.text}\n- citations: [{', '.join(self.cited)}]"


class Shape(NamedTuple):
    name: str
    reader: str  # of plain_scorer.py
    row: Callable[[Said], dict[str, Any]]
    cited: int = 1  # ids an answer cites
    sentences: int = 1
    strays: float = 0.1  # share of answers that cite what was not retrieved
    declines: float = 0.0  # share of refusals in words
    words: Callable[[str], str] = str
    ids: str = "doc{i}#2.1"


def listed(said: Said) -> dict[str, Any]:
    return _row(said, [{"id": one} for one in said.ids], said.listed)


def inline(said: Said) -> dict[str, Any]:
    return _row(said, said.ids, said.marked)


def leading(said: Said) -> dict[str, Any]:
    return _row(said, said.ids, said.text if said.is_refusal else f"[{said.cited[0]}] {said.text}")


def with_texts(said: Said) -> dict[str, Any]:
    passages = [{"id": one, "text": f"{said.n} " + "the tenant shall pay rent to the landlord " * 12, "score": 0.71}
                for one in said.ids]  # fmt: skip
    return _row(said, passages, said.marked)


def _row(said: Said, chunks: Sequence[object], answer: str) -> dict[str, Any]:
    return {"ts": 1_700_000_000 + said.n, "q": said.question, "chunks": chunks, "answer": answer, "ok": True}


def nested(said: Said) -> dict[str, Any]:
    cited = [{"id": one, "offsets": [0, 12]} for one in said.cited]
    answer = {"text": said.text, "citations": cited}
    return {"question": said.question, "retrieval": {"topk": said.ids}, "answer": answer, "perf": {"ms": said.n}}


def json_text(said: Said) -> dict[str, Any]:
    return {"q": said.question, "raw": json.dumps({"claim": said.text, "citations": said.cited}), "ts": said.n}


def test_case(said: Said) -> dict[str, Any]:
    texts = [f"Passage {one} of {said.n}: the tenant shall pay." for one in said.ids]
    asked = {"user_input": said.question, "retrieved_contexts": texts, "retrieved_context_ids": said.ids}
    return {**asked, "response": said.marked, "reference": "as agreed"}


def chat(said: Said) -> dict[str, Any]:
    told = [{"role": "user", "content": said.question}, {"role": "assistant", "content": said.marked}]
    return {"messages": told, "chunks": said.ids, "model": "m"}


def otlp(said: Said) -> dict[str, Any]:
    told = {"input.value": said.question, "output.value": said.marked, "llm.model_name": "m"}
    told |= {f"retrieval.documents.{place}.document.id": one for place, one in enumerate(said.ids)}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in told.items()]
    span = {"traceId": f"{said.n:032x}", "spanId": f"{said.n:016x}", "name": "ask", "attributes": attributes}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def blocks(said: Said) -> dict[str, Any]:
    cited = [{"type": "char_location", "cited_text": "the tenant shall pay", "document_index": place,
              "document_title": one, "start_char_index": 0, "end_char_index": 20}
             for place, one in enumerate(said.cited)]  # fmt: skip
    content = [{"type": "text", "text": said.text, "citations": None if said.is_refusal else cited}]
    return {"question": said.question, "chunks": said.ids, "response": {"role": "assistant", "content": content}}


SHAPES = (
    Shape("listed claims", "listed", listed),
    Shape("two citations in a list", "listed", listed, cited=2, sentences=2),
    Shape("ids that were not retrieved", "listed", listed, strays=0.7),
    Shape("prose with marks", "inline", inline, cited=2, sentences=3),
    Shape("a leading citation", "inline", leading, ids="p{i}"),
    Shape("refusals in words", "inline", inline, declines=0.4),
    Shape("long answers", "inline", inline, cited=2, sentences=18),
    Shape("unicode", "inline", inline, sentences=2, words=lambda text: text.replace("e", "é").replace("'", "’")),
    Shape("passages with texts", "inline", with_texts, sentences=2),
    Shape("nested objects", "nested", nested, sentences=2),
    Shape("JSON in a text", "json_text", json_text),
    Shape("test cases", "test_case", test_case, sentences=2),
    Shape("chat messages", "chat", chat, ids="{i:08x}-1c2d-4e3f"),
    Shape("OTLP spans", "otlp", otlp),
    Shape("citation objects of a vendor", "blocks", blocks, sentences=2),
)


def write_data(folder: Path, shape: Shape, rows: int, questions: int) -> tuple[Path, Path]:
    rng, asked = random.Random(7), list[dict[str, Any]]()
    for i in range(questions):
        term, value = TERMS[i % 7], VALUES[i * 11 % 7]
        gold = {"gold_ids": [shape.ids.format(i=i)] if i % 4 else [], "gold_claim": f"The {term} is {value}."}
        asked.append(
            {"qid": f"q{i}", "q": f"What is the {term} in agreement number {i}?", "answerable": i % 4 != 0} | gold
        )
    question_file, trace_file = folder / "questions.json", folder / "traces.jsonl"
    question_file.write_text(json.dumps(asked), encoding="utf-8")
    with trace_file.open("w", encoding="utf-8") as file:
        for n in range(rows):
            row = shape.row(_said(shape, n, rng.randrange(questions), asked, rng))
            file.write(json.dumps(row, ensure_ascii=bool(n % 2)) + "\n")
    return question_file, trace_file


def _said(shape: Shape, n: int, i: int, asked: Sequence[dict[str, Any]], rng: random.Random) -> Said:
    ids = [shape.ids.format(i=one) for one in (i, i + 1, n)]
    cited = [shape.ids.format(i=i + 100_000), *ids] if rng.random() < shape.strays else ids
    words = {"n": n, "term": TERMS[i % 7], "value": VALUES[i * 11 % 7], "other": rng.choice(VALUES)}
    is_refusal = rng.random() < (shape.declines or 0.15)
    if is_refusal and not shape.declines:
        return Said(n, asked[i]["q"], ids, ["not in context"], [], True)
    told = [rng.choice(OPENINGS) + rng.choice(CLAIMS) + "."]
    if is_refusal:
        told = [rng.choice(DECLINES).replace("{subject}", rng.choice(SUBJECTS))]
    told += rng.choices(MORE, k=rng.randrange(shape.sentences))
    told = [shape.words(one.format(**words)) for one in told]
    return Said(n, asked[i]["q"], ids, told, [] if is_refusal else cited[: shape.cited], is_refusal)


class Memory(Thread):
    """The largest sum of memory over a process and its children, sampled; what they share is counted once."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.peak, self.running = pid, 0, True

    def run(self) -> None:
        while self.running:
            self.peak = max(self.peak, sum(map(_used, _family(self.pid))))
            time.sleep(0.1)


def _family(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            found += map(int, Path(f"/proc/{parent}/task/{parent}/children").read_text().split())
        except OSError:
            continue
    return found


def _used(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))


class Run(NamedTuple):
    cpu: float  # of all processes, user and system
    wall: float
    peak: int
    found: dict[str, list[int]]  # the numerator and denominator of each metric


def run(command: list[str]) -> Run:
    before, start = _cpu(), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=_WITH_BYTECODE)
    memory = Memory(process.pid)
    memory.start()
    out, _ = process.communicate()
    wall = time.perf_counter() - start
    memory.running = False
    printed = json.loads(out)
    metrics = printed.get("metrics", {})
    found = {name: [one["numerator"], one["denominator"]] for name, one in metrics.items()} or printed
    return Run(_cpu() - before, wall, memory.peak, found)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# As after an installation, not compiled anew by each run.
_WITH_BYTECODE = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measured(shape: Shape, options: argparse.Namespace) -> tuple[float, str]:
    """The row of the table, and what it is sorted by: how `exact` compares with the plain loop."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(file) for file in write_data(Path(folder), shape, options.rows, options.questions)]
        size = Path(files[1]).stat().st_size // options.rows
        score = [sys.executable, "-m", "surefoot", "score", "-q", files[0], "-t", files[1], "--rerun", "all", "--json"]
        commands = {
            "plain": [sys.executable, str(HERE / "plain_scorer.py"), shape.reader, *files],
            "exact": [*score, "--no-rows", "--refusal", "exact"],
            "detect": [*score, "--no-rows"],
            "rows": [*score, "--refusal", "exact"],
        }
        runs = {name: [run(command) for _ in range(options.repeat)] for name, command in commands.items()}
    best = {name: min(several, key=lambda one: one.cpu) for name, several in runs.items()}
    expected, found = best["plain"].found, best["exact"].found
    if any(found[metric] != numbers for metric, numbers in expected.items()):
        raise SystemExit(
            f"{shape.name}: the numbers differ: { ({name: found[name] for name in expected}) }, {expected}"
        )
    ratios = {name: best["plain"].cpu / best[name].cpu for name in ("exact", "detect", "rows")}
    peak = max(one.peak for name, several in runs.items() if name != "plain" for one in several) >> 20
    cells = [shape.name, str(size), f"{best['plain'].cpu:.2f}", *(f"{best[name].cpu:.2f}" for name in ratios)]
    cells += [*(f"{ratio:.2f}" for ratio in ratios.values()), f"{peak} MB"]
    return ratios["exact"], f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--shape", action="append", help="Part of a shape's name; all shapes without it.")
    options = parser.parse_args()
    wanted = [one for one in SHAPES if any(part in one.name for part in options.shape or [""])]
    rows = []
    for shape in wanted:
        rows.append(measured(shape, options))
        print(rows[-1][1], file=sys.stderr, flush=True)
    print(
        f"{options.rows:,} different rows, {options.questions:,} questions, best of {options.repeat}. CPU seconds, and"
    )
    print(
        "rows per CPU second as a multiple of the plain loop's; `rows` writes the table of rows, the others do not.\n"
    )
    print("| shape | bytes | plain | exact | detect | rows | exact, x | detect, x | rows, x | peak memory |")
    print("|---|---|---|---|---|---|---|---|---|---|", *(row for _, row in sorted(rows)), sep="\n")


if __name__ == "__main__":
    main()
