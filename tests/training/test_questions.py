"""Claims and questions made from answered questions: statements, wrong answers, edits, whole runs on little data."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from training.questions.contracts import is_said, worded
from training.questions.declarative import attributed, beside, declare, render
from training.questions.edited import NameBank, negated, opposite, other_number
from training.questions.from_qa import answers_rows, support_rows
from training.questions.passages import Nearest, deciding, sentences, window, without_answer
from training.questions.spans import changed_number, kind_of, other_answer

STATEMENTS = [
    ("Who founded the bakery?", "Ann Lee", "Ann Lee founded the bakery."),
    ("Who was the first mayor of Tarn?", "Ole Berg", "The first mayor of Tarn was Ole Berg."),
    ("Who was killed in the flood?", "two farmers", "Two farmers were killed in the flood."),
    ("Who is responsible for the repairs?", "the tenant", "The tenant is responsible for the repairs."),
    ("What is the notice period?", "30 days", "The notice period is 30 days."),
    ("What did the council approve in May?", "a new bridge", "The council approved a new bridge in May."),
    ("What does the pump need?", "clean oil", "The pump needs clean oil."),
    ("What do the members elect?", "a chair", "The members elect a chair."),
    ("What was the ship accused of?", "smuggling", "The ship was accused of smuggling."),
    ("When was the mill built?", "1841", "The mill was built in 1841."),
    ("When did the lease begin?", "March 3, 2019", "The lease began on March 3, 2019."),
    ("When does the office open?", "Monday", "The office opens on Monday."),
    ("When will the report be published?", "in June", "The report will be published in June."),
    ("Where is the server located?", "Oslo", "The server is located in Oslo."),
    ("Where did the fire start?", "in the kitchen", "The fire started in the kitchen."),
    ("Which team won the cup?", "Leeds", "Leeds won the cup."),
    ("Which law governs the contract?", "Danish law", "Danish law governs the contract."),
    ("In what year did the firm move to Graz?", "1998", "The firm moved to Graz in 1998."),
    ("How many windows does the house have?", "twelve", "The house has twelve windows."),
    ("How many people died?", "14", "14 people died."),
    ("How much did the painting cost?", "$300", "The painting cost $300."),
    ("How long did the strike last?", "six weeks", "The strike lasted six weeks."),
    ("How old was the driver?", "19", "The driver was 19."),
    ("Is the deposit refundable?", "No", "The deposit is not refundable."),
    ("Does the plan cover dental care?", "yes", "The plan covers dental care."),
    ("Did the board accept the offer?", "no", "The board did not accept the offer."),
    ("Can the tenant sell the flat?", "no", "The tenant can not sell the flat."),
    ("The senator represents which state?", "Ohio", "The senator represents Ohio."),
    ("In 1990, who led the party?", "Mia Holm", "In 1990, Mia Holm led the party."),
    ("Why was the race stopped?", "because of rain", "The race was stopped because of rain."),
]


@pytest.mark.parametrize(("question", "answer", "statement"), STATEMENTS)
def test_a_question_and_its_answer_become_a_statement(question: str, answer: str, statement: str) -> None:
    assert declare(question, answer) == statement


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did the lease begin?", "the landlord"),
        ("How many windows are there?", "oak"),
        ("What does the firm do?", "sells tea"),
        ("What happened then?", "the wall fell"),
        ("Why?", "rain"),
        ("", "x"),
        ("Who?", ""),
        ("What was he not able to do?", "swim"),
        ("What is the plan?", "it will be sold to the town next year"),
    ],
)
def test_no_statement_where_the_rules_are_not_sure(question: str, answer: str) -> None:
    assert declare(question, answer) is None


def test_other_wordings() -> None:
    assert beside("Who won?", "Leeds") == "Who won? Leeds"
    assert attributed("The fee is due.") == "According to the document, the fee is due."
    assert attributed("Leeds won.") == "According to the document, Leeds won."
    worded_claims = {render("Who won the cup?", "Leeds", Random(seed)) for seed in range(60)}
    assert {"Leeds won the cup.", "Who won the cup? Leeds", "Who won the cup? The answer is Leeds."} <= worded_claims


def test_wrong_answers_are_of_the_same_kind_and_not_right() -> None:
    passage = "The mill was built in 1841. It burned down in 1902. Ann Lee rebuilt it with 40 men and Ole Berg paid."
    assert [kind_of(text) for text in ("1841", "40 men", "Ann Lee", "$3", "5%", "May 3, 2019", "a red door")] == [
        "year", "number", "name", "money", "percent", "date", "phrase",
    ]  # fmt: skip
    assert other_answer(passage, "When was the mill built?", ["1841"], [], Random(1)) == ("1902", "year")
    assert other_answer(passage, "Who paid?", ["Ole Berg"], [], Random(1)) == ("Ann Lee", "name")
    assert other_answer(passage, "Who paid?", ["Berg", "Ole Berg"], ["Mr. Berg"], Random(1)) == ("Ann Lee", "name")
    for seed in range(50):
        changed = changed_number("40 men", Random(seed), passage)
        assert changed and changed != "40 men" and changed.endswith(" men")
    assert changed_number("the 3rd door", Random(1)) is None


def test_edited_questions() -> None:
    passage = "In 1990 Ann Lee bought the largest mill in Tarn. Later Ole Berg sold it."
    question = "Which mill did Ann Lee buy in 1990?"
    changed = other_number(question, passage, Random(3))
    assert changed and changed.startswith("Which mill did Ann Lee buy in ") and "1990" not in changed
    assert other_number("What happened in 1991?", passage, Random(3)) is None
    assert opposite("What is the largest mill?", Random(1)) == "What is the smallest mill?"
    assert negated("What did Ann buy?") == "What didn't Ann buy?"
    names = NameBank([question, "What did Kai Moe sell?", "When did Eva Ruud leave?"])
    assert names.swap(question, passage, Random(1)) in (
        "Which mill did Kai Moe buy in 1990?",
        "Which mill did Eva Ruud buy in 1990?",
    )
    assert (
        names.swap_within(question, passage, sentences(passage)[0], Random(1)) == "Which mill did Ole Berg buy in 1990?"
    )


def test_passages() -> None:
    passage = " ".join(
        f"Sentence number {word} stands here." for word in ("one", "two", "three", "four", "five", "six")
    )
    place = deciding(passage, "Which sentence is third?", ["three"])
    assert place == 2
    for seed in range(20):
        context = window(sentences(passage), [2], Random(seed), limit=15)
        assert context and "three" in context and len(context.split()) <= 15
    longer = passage + " " + passage.replace("Sentence", "Line")
    bare = without_answer(longer, "Which sentence is third?", ["three"], Random(1))
    assert bare and "three" not in bare
    assert Nearest(["red apples", "green pears", "red cars"]).ranked("green pear")[0] == "green pears"


def test_contract_values() -> None:
    assert worded("Effective Date", "3/1/05", Random(1)) in ("March 1, 2005", "1 March 2005")
    assert worded("Effective Date", "perpetual", Random(1)) is None
    assert worded("Renewal Term", "successive 1 year", Random(1)) in ("one year", "1 year")
    assert is_said("Renewal Term", "successive 2 years", "renews for two (2) additional years")
    assert not is_said("Renewal Term", "successive 2 years", "renews for three (3) years")
    assert is_said("Effective Date", "3/1/05", "dated as of March 1, 2005")


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps({"use": "train", **row}) + "\n" for row in rows)


def _span_row(source: str, number: int) -> dict[str, Any]:
    year, name = 1900 + number, f"Ann{chr(97 + number)} Lee"
    passage = (
        f"The mill of village{number} was built in {year} by {name} and some of her friends from the coast. "
        f"It burned down in {year - 50}, and Ole Berg{number} paid 40 men to raise the walls again in stone. "
        "Nobody wrote down how the roof was made, though a letter from the time praises its blue tiles at length. "
        "The river has since moved away, and the wheel stands dry for most of the year, which visitors regret."
    )
    row: dict[str, Any] = {
        "id": f"{source}-{number}",
        "source": source,
        "question": f"When was the mill of village{number} built?",
    }
    row |= {"passages": [passage], "gold_answer": [str(year)], "group": f"{source}-{number % 7}"}
    return row | {"answerable": True, "gold_passage_ids": [0], "domain": "wiki", "plausible": []}


@pytest.fixture(name="data")
def _data(tmp_path: Path) -> Path:
    clause = "This Agreement shall be governed by the laws of Ohio."
    filler = " ".join(
        f"The Supplier shall keep record {n} of its law and contract work for the Buyer." for n in range(40)
    )
    contract: dict[str, Any] = {
        "source": "cuad",
        "doc_id": "c1",
        "group": "cuad-c1",
        "id": "c1-law",
        "passages": None,
        "answerable": True,
    }
    contract |= {"question": "Governing Law: Which state's law governs the contract?", "category": "Governing Law"}
    contract |= {"gold_answer": ["Ohio"], "gold_text": [clause]}
    rows = [_span_row(source, n) for source in ("squad2", "squad_shifts") for n in range(20)]
    _write(tmp_path / "qa.jsonl.gz", [*rows, contract, {**_span_row("squad2", 25), "use": "eval", "group": "held"}])
    _write(tmp_path / "corpora" / "cuad.jsonl.gz", [{"doc_id": "c1", "text": f"{filler} {clause} {filler}"}])
    said = {"source": "evouna_nq", "question": "who built the mill", "gold_answer": "Ann Lee", "group": "e1"}
    _write(
        tmp_path / "correctness.jsonl.gz",
        [{**said, "answer": "ann lee", "label": "correct"}, {**said, "answer": "Ole Berg", "label": "wrong"}],
    )
    _write(tmp_path / "response.jsonl.gz", [])
    return tmp_path


def test_support_rows_are_sane_and_the_same_for_a_seed(data: Path) -> None:
    rows = list(support_rows(data, Random(4)))
    assert rows == list(support_rows(data, Random(4)))
    assert rows != list(support_rows(data, Random(5)))
    assert {row["label"] for row in rows} == {"supported", "contradicted", "not_enough"}
    for row in rows:
        assert set(row) == {"context", "claim", "label", "kind", "group", "source"}
        assert len(row["context"].split()) <= 220
        assert row["group"] != "held"
        if row["kind"] == "squad2-gold":
            assert row["label"] == "supported"
        if row["kind"].endswith("answer-removed"):
            year = next(word for word in row["claim"].replace(".", "").split() if word.startswith("19"))
            assert row["label"] == "not_enough" and year not in row["context"]


def test_answers_rows_are_sane_and_the_same_for_a_seed(data: Path) -> None:
    rows = list(answers_rows(data, Random(4)))
    assert rows == list(answers_rows(data, Random(4)))
    assert {row["answers"] for row in rows} == {0, 1}
    for row in rows:
        assert set(row) == {"context", "question", "answers", "kind", "group", "source", "said"}
        assert row["said"] in row["context"] and not (row["said"] and not row["answers"])
        assert len(row["context"].split()) <= 220
        assert row["answers"] == int(row["kind"].endswith(("gold", "clause")))
        assert row["group"] != "held"
        if row["kind"] == "cuad-clause":
            assert "laws of Ohio" in row["context"]
        if row["kind"] == "cuad-elsewhere":
            assert "laws of Ohio" not in row["context"]
