"""EDGAR filings and GovReport: documents with sections, and no questions.

What a document says about the subject of a short section is asked; the section is the gold. Where a document lacks a
section that others have, and says nothing about its subject elsewhere, the same question has no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from surefoot.datasets.documents import Case, Document, Origin, other_shape, rows, shaped
from surefoot.io.rows import Row
from surefoot.text.terms import terms

EDGAR = Origin(
    "edgar", "EDGAR-CORPUS or the output of edgar-crawler", "https://huggingface.co/datasets/eloukas/edgar-corpus",
    "Apache-2.0 (the filings are public)", "220,375 annual reports, 11 GB; one year is enough",
    "rows with filename, cik and section_1 or item_1", "other filings trained the bundled grader and pipelines",
)  # fmt: skip
GOV_REPORT = Origin(
    "gov-report", "GovReport", "https://gov-report-data.github.io/", "CC BY 4.0", "19,466 reports, 320 MB packed",
    "objects with report, reports, document or document_sections",
    "14 reports of GovReport trained the bundled grader and pipelines",
)  # fmt: skip
# Items of an annual report that are about one thing, and the words that tell whether a filing speaks of it.
ITEMS = {
    "1B": ("unresolved staff comments", ("unresolved staff",)),
    "2": ("its properties", ("properties", "square feet", "facilities")),
    "3": ("legal proceedings", ("legal proceeding", "litigation", "lawsuit")),
    "4": ("mine safety disclosures", ("mine safety",)),
    "6": ("selected financial data", ("selected financial data",)),
    "7A": ("quantitative and qualitative market risk", ("market risk",)),
    "9": ("changes in and disagreements with its accountants", ("disagreements with accountants", "disagreement")),
    "9A": ("its disclosure controls and procedures", ("disclosure controls",)),
    "9B": ("other information under Item 9B", ("other information",)),
    "14": ("what it pays its principal accountant", ("accountant fees", "audit fees")),
}
_TEXTS = {"report", "reports", "document", "document_sections"}
_SHORT = 3_000  # characters of a section that is asked about
_LEAST_WORDS, _MOST_WORDS = 3, 14  # of a heading that says what its section is about


class Section(Struct, frozen=True):
    title: str
    text: str
    depth: int = 1


class _Part(Struct):
    section_title: str = ""
    paragraphs: list[str] = []
    subsections: list[_Part] = []


class _Lists(Struct):
    """Sections as others publish them, in lists beside each other."""

    title: list[str]
    paragraphs: list[str]
    depth: list[int]


class _Report(Struct):
    """Of the GAO `report`, a list; of the Congressional Research Service `reports`, one tree. Others publish the whole
    as one text, `report` or `document`, or as lists."""

    id: str = ""
    title: str = ""
    report: list[_Part] | str = []
    reports: _Part | None = None
    document: str = ""
    document_sections: _Lists | None = None


def read_edgar(path: Path) -> Iterator[Document]:
    for row in rows(path, EDGAR, dict[str, object]):
        found = {key.partition("_")[2]: str(text or "") for key, text in row.items() if _is_item(key)}
        if not found or "cik" not in row:
            raise other_shape(str(path), EDGAR, row)
        yield filing(row, found)


def _is_item(key: str) -> bool:
    return key.startswith(("section_", "item_", "part_"))


def filing(row: Mapping[str, object], items: Mapping[str, str]) -> Document:
    year = str(row.get("year") or row.get("period_of_report") or row.get("filing_date") or "")[:4]
    owner = str(row.get("company") or f"CIK {row['cik']}")
    file = str(row.get("filename") or f"{row['cik']}_{year}")
    name = file.rpartition(".")[0] or file
    form = str(row.get("filing_type") or "10-K")
    title = f"{form} report of {owner} for {year}"
    text = " ".join(items.values())
    cases = []
    for item, (topic, signs) in ITEMS.items() if form.startswith("10-K") else ():
        said = items.get(item, "").strip()
        if len(said) <= _SHORT and _has(said, signs):  # what an item is about has changed over the years
            cases.append(_case(name, item, topic, title, said))
        elif not said and not _has(text, signs):
            cases.append(_case(name, item, topic, title))
    parts = [Section(f"Item {item}", text) for item, text in items.items() if text.strip()]
    return Document(name, title, markdown(parts), tuple(cases), suffix=".md")


def _has(text: str, signs: Iterable[str]) -> bool:
    return any(sign in text.lower() for sign in signs)


def _case(name: str, number: object, topic: str, title: str, said: str = "") -> Case:
    question = f"What does the {title} say about {topic}?"
    evidence = tuple(line for line in said.split("\n") if line.strip())
    return Case(f"{name}-{number}", question, "answers" if evidence else "silent", topic, evidence=evidence)


def read_gov_report(path: Path) -> Iterator[Document]:
    """A heading of the report before, of which this one says nothing, is asked about as well."""
    before: list[Section] = []
    for number, row in enumerate(rows(path, GOV_REPORT, dict[str, object]), 1):
        if not row.keys() & _TEXTS:
            raise other_shape(str(path), GOV_REPORT, row)
        report = shaped(Row(str(path), number, row), GOV_REPORT, _Report)
        sections = list(_sections(report))
        name = report.id or f"report-{number}"
        title = f'report "{report.title or name}"'
        own = [one for one in sections if _is_topic(one)]
        cases = [_case(name, place, f'"{one.title}"', title, one.text) for place, one in enumerate(own)]
        foreign = [one for one in before if not _speaks_of(sections, one.title)]
        cases += [_case(name, f"x{place}", f'"{one.title}"', title) for place, one in enumerate(foreign)]
        yield Document(name, report.title or name, markdown(sections), tuple(cases), suffix=".md")
        before = own


def _sections(report: _Report) -> Iterator[Section]:
    if isinstance(report.report, str) or report.document:
        yield Section("", report.document or str(report.report))
    elif report.document_sections:
        lists = report.document_sections
        for title, text, depth in zip(lists.title, lists.paragraphs, lists.depth, strict=False):
            yield Section(title.strip(), text.replace("\n", "\n\n"), depth)
    else:
        for part in [*report.report, *([report.reports] if report.reports else [])]:
            yield from _flat(part, 1)


def _flat(part: _Part, depth: int) -> Iterator[Section]:
    yield Section(part.section_title.strip(), "\n\n".join(part.paragraphs), depth)
    for inner in part.subsections:
        yield from _flat(inner, depth + 1)


def _is_topic(section: Section) -> bool:
    return _LEAST_WORDS <= len(section.title.split()) <= _MOST_WORDS and 0 < len(section.text) <= _SHORT


def _speaks_of(sections: Iterable[Section], title: str) -> bool:
    """Most words of the heading are found in the text."""
    wanted = set(terms(title))
    there = {term for one in sections for term in terms(f"{one.title} {one.text}")}
    return 3 * len(wanted & there) > 2 * len(wanted)


def markdown(sections: Iterable[Section]) -> str:
    return "\n\n".join(
        f"{'#' * min(one.depth, 6)} {one.title}\n\n{one.text}" if one.title else one.text for one in sections
    )
