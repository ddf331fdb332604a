"""SQuAD 2.0, and CUAD, which has its shape: questions on paragraphs, with the words that answer or none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from surefoot.datasets.documents import Case, Document, Origin, whole
from surefoot.text.sentences import sentences

SQUAD = Origin(
    "squad", "SQuAD 2.0", "https://rajpurkar.github.io/SQuAD-explorer/", "CC BY-SA 4.0",
    "dev-v2.0.json: 35 articles, 4 MB", "an object with data, each with paragraphs and questions",
    "a part of SQuAD 2.0 trained the bundled grader and pipelines", ("dev-v2.0.json", "train-v2.0.json"),
)  # fmt: skip
CUAD = Origin(
    "cuad", "CUAD", "https://www.atticusprojectai.org/cuad", "CC BY 4.0", "510 contracts, 40 MB",
    "an object with data, each with paragraphs and questions",
    "a part of CUAD trained the bundled grader and pipelines", ("CUADv1.json", "CUAD_v1.json", "test.json"),
)  # fmt: skip
_DETAILS = re.compile(r'"(?P<topic>[^"]+)".*?Details:\s*(?P<details>.+)', re.DOTALL)
_OPEN = re.compile(r"(?:What|Which|On what|Who|When|How)\b[^?]*\?")
_NAMED = re.compile(r"The ([^.?]+)\.?")
_MOST_CLAIMS = 5


class _Answer(Struct):
    text: str
    answer_start: int


class _Question(Struct):
    id: str
    question: str
    answers: list[_Answer] = []
    is_impossible: bool = False


class _Paragraph(Struct):
    context: str
    qas: list[_Question]


class _Article(Struct):
    title: str
    paragraphs: list[_Paragraph]


class _File(Struct):
    data: list[_Article]


def read_squad(path: Path) -> Iterator[Document]:
    """An article is a document; its questions are asked as they are."""
    for number, article in enumerate(whole(path, SQUAD, _File).data, 1):
        text = "\n\n".join(" ".join(paragraph.context.split()) for paragraph in article.paragraphs)
        cases = [_squad_case(one, part.context) for part in article.paragraphs for one in part.qas]
        yield Document(f"squad-{number}", article.title.replace("_", " "), text, tuple(cases))


def _squad_case(asked: _Question, context: str) -> Case:
    text = " ".join(asked.question.split())
    if asked.is_impossible or not asked.answers:
        return Case(asked.id, text, "nearly")  # written to look as if the paragraph had the answer
    evidence = dict.fromkeys(sentence_at(context, answer.answer_start) for answer in asked.answers)
    return Case(asked.id, text, "answers", claims=_claims(asked), evidence=tuple(evidence))


def sentence_at(text: str, place: int) -> str:
    """The sentence of a text that a place lies in."""
    end = 0
    for sentence in sentences(text):
        end += len(sentence)
        if place < end:
            return sentence.strip()
    return text


def read_cuad(path: Path) -> Iterator[Document]:
    """A contract is a document. Lawyers were asked for clauses of 41 kinds; people ask what a clause says."""
    for number, article in enumerate(whole(path, CUAD, _File).data, 1):
        text = "\n\n".join(paragraph.context for paragraph in article.paragraphs)
        asked = {one.id: one for part in article.paragraphs for one in part.qas}
        cases = [_cuad_case(one, f"cuad-{number}-{place}", article.title) for place, one in enumerate(asked.values())]
        yield Document(f"cuad-{number}", article.title, text, tuple(cases))


def _cuad_case(asked: _Question, id_: str, title: str) -> Case:
    found = _DETAILS.search(asked.question)
    topic = found["topic"] if found else asked.question
    question = clause_question(topic, found["details"] if found else "", title)
    if asked.is_impossible or not asked.answers:
        return Case(id_, question, "silent", topic)
    claims = _claims(asked)
    return Case(id_, question, "answers", topic, claims, claims)


def clause_question(topic: str, details: str, title: str) -> str:
    """Asked so that a contract without the clause leaves it open: "Is there a clause ...?" would be a plain no."""
    details = " ".join(details.split())
    if asked := _OPEN.match(details):
        return f'In the contract "{title}": {asked[0]}'
    if named := _NAMED.fullmatch(details):
        return f'What does the contract "{title}" give as the {named[1]}?'
    return f'What does the contract "{title}" say about {topic}?'


def _claims(asked: _Question) -> tuple[str, ...]:
    return tuple(dict.fromkeys(answer.text for answer in asked.answers if answer.text.strip()))[:_MOST_CLAIMS]
