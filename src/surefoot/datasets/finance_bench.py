"""FinanceBench: questions on filings of public companies, with the pages that answer them.

The file holds those pages, and they are the corpus. It has no questions without an answer, so the pages of every
fourth company are left out: what is asked about these cannot be answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from surefoot.datasets.documents import Case, Document, Origin, rows

ORIGIN = Origin(
    "finance-bench", "FinanceBench", "https://github.com/patronus-ai/financebench", "CC BY-NC 4.0",
    "150 questions, 1 MB", "rows with financebench_id, company, question, answer and evidence",
    "FinanceBench did not train the bundled grader and pipelines",
    ("financebench_open_source.jsonl", "financebench_merged.jsonl"),
)  # fmt: skip
_LEFT_OUT = 4  # one company in so many


class _Evidence(Struct):
    evidence_text: str
    doc_name: str
    evidence_page_num: int
    evidence_text_full_page: str


class _Question(Struct):
    financebench_id: str
    company: str
    question: str
    answer: str
    evidence: list[_Evidence]


Page = tuple[str, int]


def read(path: Path) -> Iterator[Document]:
    asked = list(rows(path, ORIGIN, _Question))
    companies = sorted({one.company for one in asked})
    absent = set(companies[_LEFT_OUT - 1 :: _LEFT_OUT])
    pages: dict[Page, str] = {}
    cases: dict[Page, list[Case]] = {}
    for one in asked:
        page = _page(one.evidence[0]) if one.evidence else ("", 0)
        cases.setdefault(page, []).append(_case(one, is_absent=one.company in absent))
        if one.company not in absent:
            pages |= {_page(part): part.evidence_text_full_page for part in one.evidence}
    for name, number in {**pages, **cases}:
        of_page = tuple(cases.get((name, number), ()))
        yield Document(f"{name}-p{number}", name.replace("_", " "), pages.get((name, number), ""), of_page, number)


def _page(evidence: _Evidence) -> Page:
    return evidence.doc_name, evidence.evidence_page_num + 1  # the file counts pages from 0


def _case(one: _Question, *, is_absent: bool) -> Case:
    text = " ".join(one.question.split())
    if is_absent or not one.evidence:
        return Case(one.financebench_id, text, "silent")
    evidence = tuple(part.evidence_text for part in one.evidence)
    return Case(one.financebench_id, text, "answers", claims=(one.answer,), evidence=evidence)
