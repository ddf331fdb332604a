"""Tiny files in the shapes in which public datasets are published. All texts are made up here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CLAUSES = {
    "nda-4": "The Recipient shall use the Confidential Information solely for the Purpose and for nothing else.",
    "nda-5": "The Recipient may disclose the Confidential Information to its employees who need to know it.",
    "nda-11": "The Recipient shall not reverse engineer, decompile or disassemble any sample it is given.",
    "nda-16": "Upon termination the Recipient shall promptly return or destroy all Confidential Information.",
    "nda-20": "The Recipient shall not keep any copy, in whatever form, of what it has to return.",
}
HYPOTHESES = {
    "nda-4": "Receiving Party shall use the information for the stated purposes only.",
    "nda-5": "Receiving Party may share information with employees.",
    "nda-11": "Receiving Party shall not reverse engineer anything.",
    "nda-16": "Receiving Party shall return or destroy information.",
    "nda-20": "Receiving Party may retain some information after its return.",
    "nda-99": "The agreement is written in verse.",
}


def contract(number: int, choices: dict[str, str]) -> dict[str, Any]:
    """`choices` of the hypotheses; the others are not mentioned."""
    text, spans, annotations = "", [], {}
    lines = {"": f"Non-Disclosure Agreement\nThis Agreement is made between Harrow{number} Foods Ltd and Belmont, Inc."}
    lines |= {label: CLAUSES.get(label, f"Clause on {label} in plain prose, for once.") for label in choices}
    for label, line in lines.items():
        start = len(text)
        text += f"{line}\n"
        spans.append([start, len(text) - 1])
        if label:
            annotations[label] = {"choice": choices[label], "spans": [len(spans) - 1]}
    for label in HYPOTHESES:
        annotations.setdefault(label, {"choice": "NotMentioned", "spans": []})
    return {
        "id": number, "file_name": f"agreement%20{number}.pdf", "text": text, "spans": spans,
        "annotation_sets": [{"annotations": annotations}], "document_type": "search-pdf", "url": "https://example.org",
    }  # fmt: skip


def contract_nli(path: Path, count: int = 3) -> Path:
    usual = {"nda-4": "Entailment", "nda-5": "Entailment", "nda-16": "Entailment", "nda-20": "Contradiction"}
    odd = {"nda-11": "Entailment", "nda-16": "Entailment", "nda-99": "Entailment"}
    documents = [contract(number, odd if number % 3 == 0 else usual) for number in range(1, count + 1)]
    labels = {label: {"short_description": label, "hypothesis": text} for label, text in HYPOTHESES.items()}
    path.write_text(json.dumps({"documents": documents, "labels": labels}))
    return path


def squad(path: Path) -> Path:
    context = "The lighthouse of Orrin was built in 1843. It stands on a rock that the sea covers twice a day."
    asked = [
        {"id": "s1", "question": "When was the lighthouse of Orrin built?", "is_impossible": False,
         "answers": [{"text": "1843", "answer_start": 37}, {"text": "1843", "answer_start": 37}]},
        {"id": "s2", "question": "Who built the lighthouse of Orrin?", "is_impossible": True, "answers": [],
         "plausible_answers": [{"text": "the sea", "answer_start": 70}]},
    ]  # fmt: skip
    articles = [{"title": "Orrin_Light", "paragraphs": [{"context": context, "qas": asked}]}]
    path.write_text(json.dumps({"version": "v2.0", "data": articles}))
    return path


def cuad(path: Path) -> Path:
    law = "This Agreement is governed by the laws of the State of Vermont."
    text = f"SUPPLY AGREEMENT\n\nThe parties agree as follows.\n\n{law}\n\nIt ends after two years."
    lead = "Highlight the parts (if any) of this contract related to"
    asked = [
        {"id": "A__Governing Law", "answers": [{"text": law, "answer_start": text.index(law)}], "is_impossible": False,
         "question": f'{lead} "Governing Law" that should be reviewed by a lawyer. Details: Which law governs it?'},
        {"id": "A__Insurance", "answers": [], "is_impossible": True,
         "question": f'{lead} "Insurance" that should be reviewed by a lawyer. Details: Is it required? Or fire.'},
    ]  # fmt: skip
    data = [{"title": "ORRIN_EX-10-SUPPLY AGREEMENT", "paragraphs": [{"context": text, "qas": asked}]}]
    path.write_text(json.dumps({"version": "aok_v1.0", "data": data}))
    return path


def gov_report(folder: Path) -> Path:
    """A file for each report, in a folder for each agency, and lists of ids beside them."""
    gao = {
        "id": "GAO_1", "url": "https://example.org", "title": "Harbour Dredging", "released_date": "x",
        "published_date": "x", "fastfact": [], "highlight": [{"section_title": "What GAO Found", "paragraphs": ["x"]}],
        "report": [_part("Dredging Costs Rose Sharply", "Costs rose by 40 percent in five years.",
                         _part("Causes of the Rise", "Fuel was the main cause."))],
    }  # fmt: skip
    crs = {
        "id": "R_2", "title": "Honey Imports", "released_date": "x", "summary": ["x"],
        "reports": _part("", "", _part("Tariffs on Imported Honey", "The tariff is 1.9 cents a kilogram.")),
    }  # fmt: skip
    for name, report in (("gao/GAO_1.json", gao), ("crs/R_2.json", crs)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(report))
    (folder / "split_ids").mkdir()
    (folder / "split_ids" / "gao_test.ids").write_text("GAO_1\n")
    return folder


def _part(title: str, paragraph: str, *inner: dict[str, Any]) -> dict[str, Any]:
    return {"section_title": title, "paragraphs": [paragraph] if paragraph else [], "subsections": list(inner)}


def edgar_corpus(path: Path) -> Path:
    rows = [
        {"filename": "100_2019.txt", "cik": "100", "year": "2019", "section_1": "Item 1. We press cider.",
         "section_3": "Item 3. Legal Proceedings\nWe are party to a lawsuit over bottles.", "section_4": ""},
        {"filename": "200_2019.htm", "cik": "200", "year": "2019", "section_1": "Item 1. We knit socks.",
         "section_3": "", "section_4": "Item 4. Mine Safety Disclosures\nNot applicable."},
    ]  # fmt: skip
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def edgar_crawler(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    filing = {
        "cik": "300", "company": "Orrin Looms Inc.", "filing_type": "10-K", "filing_date": "2021-03-01",
        "period_of_report": "2020-12-31", "filename": "300_10K_2020_0000300-21-000001.htm",
        "item_1": "Item 1. Business\nWe weave.", "item_1B": "Item 1B. Unresolved Staff Comments\nNone.", "item_3": "",
    }  # fmt: skip
    (folder / "300_10K_2020_0000300-21-000001.json").write_text(json.dumps(filing, indent=4))
    return folder


def finance_bench(path: Path) -> Path:
    rows = []
    for number, company in enumerate(("Alder", "Birch", "Cedar", "Drift")):
        text = f"{company} Consolidated Statement of Cash Flows\nPurchases of equipment were ${number + 2},577 million."
        rows.append({
            "financebench_id": f"financebench_id_{number}", "company": company, "doc_name": f"{company}_2018_10K",
            "question": f"What did {company} spend on equipment in FY2018?", "answer": f"${number + 2},577 million",
            "justification": None, "evidence": [{"evidence_text": text, "doc_name": f"{company}_2018_10K",
                          "evidence_page_num": 59, "evidence_text_full_page": f"{text}\n60"}],
        })  # fmt: skip
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path
