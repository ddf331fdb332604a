"""An invented town: its documents, questions about them, and pipelines that answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from tests.blackbox.facts import Project

PASSAGES = {
    "ferry#1": "The ferry to Holm leaves every 40 minutes.",
    "ferry#2": "A return ticket for the ferry costs EUR 12. Bicycles travel free of charge.",
    "library#1": "The library lends up to eight books at a time.",
    "library#2": "Books may be kept for 21 days.",
    "garden#1": "The yearly rent of an allotment garden is EUR 95.",
    "garden#2": "Bonfires are not permitted in the allotment gardens.",
}
QUESTIONS = [
    {"qid": "ferry", "q": "How often does the ferry to Holm leave?", "answerable": True, "gold_ids": ["ferry#1"],
     "gold_claims": ["every 40 minutes"], "stratum": "sea"},
    {"qid": "ticket", "q": "What does a return ticket for the ferry cost?", "answerable": True,
     "gold_ids": ["ferry#2"], "gold_claims": ["EUR 12"], "stratum": "sea"},
    {"qid": "books", "q": "How many books does the library lend at a time?", "answerable": True,
     "gold_ids": ["library#1"], "gold_claims": ["up to eight books"], "stratum": "land"},
    {"qid": "rent", "q": "What is the yearly rent of an allotment garden?", "answerable": True,
     "gold_ids": ["garden#1"], "gold_claims": ["EUR 95"], "stratum": "land"},
    {"qid": "dogs", "q": "Are dogs allowed on the ferry?", "answerable": False, "stratum": "sea"},
    {"qid": "fine", "q": "What is the fine for an overdue book?", "answerable": False, "stratum": "land"},
]  # fmt: skip
TEXTS = {str(question["qid"]): str(question["q"]) for question in QUESTIONS}


class Answer(NamedTuple):
    """One logged answer: to which question, in which words, and what was retrieved."""

    qid: str
    text: str
    retrieved: tuple[str, ...]

    @property
    def question(self) -> str:
        return TEXTS[self.qid]

    @property
    def passages(self) -> list[dict[str, str]]:
        return [{"id": name, "text": PASSAGES[name]} for name in self.retrieved]


# The first version of the town's pipeline: a right answer, a wrong one, one without citation, a needless refusal, a
# good refusal and an invention.
FIRST = [
    Answer("ferry", "The ferry leaves every 40 minutes [ferry#1].", ("ferry#1", "ferry#2")),
    Answer("ticket", "A return ticket costs EUR 15 [ferry#2].", ("ferry#1", "ferry#2")),
    Answer("books", "The library lends up to eight books at a time.", ("library#1", "library#2")),
    Answer("rent", "The documents do not say.", ("garden#1", "garden#2")),
    Answer("dogs", "The timetable does not say whether dogs are allowed.", ("ferry#1", "ferry#2")),
    Answer("fine", "The fine is EUR 2 per week [library#2].", ("library#1", "library#2")),
]
SECOND = [
    FIRST[0],
    Answer("ticket", "A return ticket costs EUR 12 [ferry#2].", ("ferry#1", "ferry#2")),
    Answer("books", "The library lends up to eight books at a time [library#1].", ("library#1", "library#2")),
    Answer("rent", "The yearly rent is EUR 95 [garden#1].", ("garden#1", "garden#2")),
    FIRST[4],
    Answer("fine", "The rules do not mention a fine.", ("library#1", "library#2")),
]

_PIPELINE = """
import json, os, time
from pathlib import Path

HERE = Path(__file__).parent
FIRST, SECOND = json.loads((HERE / "answers.json").read_text())


def first(question):
    return FIRST[question]

def second(question):
    return SECOND[question]

def flaky(question):
    if "ticket" in question and not (HERE / "repaired").exists():
        raise RuntimeError("the index is down")
    return SECOND[question]

def slow(question):
    with (HERE / "asked.log").open("a") as log:
        log.write(question + "\\n")
    time.sleep(0.02)
    return {"answer": f"{question} is answered here [a1].", "retrieved": [{"id": "a1", "text": "Nothing."}]}

first.deterministic = second.deterministic = True
"""


def settle(folder: Path) -> Project:
    """A project with the town's passages, questions and pipelines."""
    project = Project(folder)
    project.write("passages.jsonl", [{"id": name, "text": text} for name, text in PASSAGES.items()])
    project.write("questions.jsonl", QUESTIONS)
    versions = [
        {one.question: {"answer": one.text, "retrieved": one.passages} for one in log} for log in (FIRST, SECOND)
    ]
    project.write("answers.json", json.dumps(versions))
    project.write("pipeline.py", _PIPELINE)
    project.write("first.jsonl", [logged(one) for one in FIRST])
    project.write("second.jsonl", [logged(one) for one in SECOND])
    return project


def logged(one: Answer) -> dict[str, object]:
    return {"qid": one.qid, "answer": one.text, "chunks": list(one.retrieved)}
