"""Short answers in other languages are not graded by readers of English, and what a grader is unsure of is said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import surefoot as library
from surefoot.core.types import Item, Passage, Question, Retrieved, Trace, Verdict
from surefoot.graders.grader import JUDGES, SURE_FROM, FindingsGrader
from surefoot.graders.judges import Judgement, Pair
from surefoot.graders.llm import ModelGrader
from surefoot.models.seam import Prompt
from surefoot.text.normal import unreadable
from tests.attacks.judges import Fake, Seen, claim, evidence, findings
from tests.conftest import Write
from tests.in_process import surefoot
from tests.kept import keep_run, kept

ENGLISH_PASSAGE = "The notice period is 6 months. Mr. Weber signs for the lessor."
GERMAN_PASSAGE = "Die Kündigungsfrist beträgt sechs Monate. Herr Weber unterschreibt für den Vermieter."
ASKED = {"id": "a", "question": "How long is the notice period?"}
FOREIGN = [
    "Die Frist beträgt 6 Monate", "Sie endet nach 6 Monaten [p].", "Nein, erst im Juni.", "Das kostet 40 Euro.",
    "Il faut six mois.", "Oui, sous deux jours [p].", "Le bail prend fin en juin.", "Dura seis meses.",
    "Sí, hasta junio de 2027.", "El inquilino paga 40 euros.", "Il canone è di 40 euro.", "No, dura solo due mesi.",
    "São seis meses [p].", "Het duurt zes maanden.", "De huur is 40 euro.", "Okres wynosi 6 miesięcy.",
    "Det tar sex månader.", "Se kestää kuusi kuukautta.", "Süre 6 aydır [p].", "Срок — шесть месяцев.",
]  # fmt: skip
ENGLISH = [
    "Six months.", "Yes.", "No [p].", "EUR 40 per month [a#1]", "Mr. Weber", "Dr. Anna von Hagen", "6 months [p]",
    "By 30 June 2027", "Section 12(b)", "Net revenue", "10 mg twice daily", "Ibuprofen 400 mg", "São Tomé", "Per diem",
    "Bona fide holders", "Gross margin 41.2 %", "Tenant pays half", "Quarterly in arrears", "In Berlin", "At noon",
    "Crédit Agricole S.A.", "Pay on delivery", "Deposit: two rents", "Legionella pneumophila", "Habeas corpus",
    "Delivered ex works", "GBP 1.2m", "Rua Augusta 24, Lisboa", "Signed, Juan de la Torre", "IP54, 230 V AC",
    "Not later", "Lessor consents", "Vacuum pump, oil-free", "Pro rata temporis", "Rent-free for May",
    "Limited to 5 users", "Annex C", "Grade A office space", "Mandatory arbitration", "Nil",
]  # fmt: skip


def graded(write: Write, *rows: dict[str, Any], grader: str = "local") -> list[dict[str, Any]]:
    """What `surefoot grade --items --json` prints of rows."""
    done = surefoot("grade", "--items", write("items.jsonl", rows), "--grader", grader, "--json")
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.parametrize("grader", ["local", "rules"])
@pytest.mark.parametrize(
    ("answer", "passage", "more"),
    [
        ("Die Frist beträgt 6 Monate", ENGLISH_PASSAGE, {}),
        ("Die Frist beträgt 6 Monate [p].", GERMAN_PASSAGE, {}),
        ("Le délai est de six mois [p].", ENGLISH_PASSAGE, {"gold_claims": ["It is 6 months."]}),
        ("El plazo es de seis meses.", ENGLISH_PASSAGE, {"gold_claims": ["It is 9 months."]}),
        ("Okres wynosi sześć miesięcy [p].", "The fee is EUR 5.", {"expects": "refusal"}),
        ("期限は六か月です [p]。", ENGLISH_PASSAGE, {}),
    ],
)
def test_an_answer_in_another_language_is_not_graded(
    answer: str, passage: str, more: dict[str, Any], grader: str, write: Write
) -> None:
    row = {**ASKED, "passages": [{"id": "p", "text": passage}], "answer": answer, **more}
    (found,) = graded(write, row, grader=grader)
    assert (found["factuality"], found["reason"], found["detail"]) == (None, "language", "the answer is not English")
    assert found["unsure"] is False and found["refusal"] == "answered"


@pytest.mark.parametrize(
    ("answer", "passage", "bucket", "reason"),
    [
        ("Das steht nicht in den Dokumenten.", ENGLISH_PASSAGE, "refused", "refused"),
        ("Je ne sais pas.", ENGLISH_PASSAGE, "refused", "refused"),
        ("6 months [p]", ENGLISH_PASSAGE, "correct", "correct"),
        ("The notice period is 6 months [p].", GERMAN_PASSAGE, None, "language"),
        ("a\x00\x01\x02\x03b\x1f" * 5, ENGLISH_PASSAGE, None, "unreadable"),
    ],
)
def test_refusals_english_and_garbage_stay_what_they_are(
    answer: str, passage: str, bucket: str | None, reason: str, write: Write
) -> None:
    (found,) = graded(write, {**ASKED, "passages": [{"id": "p", "text": passage}], "answer": answer})
    assert (found["factuality"], found["reason"]) == (bucket, reason)


def test_short_texts_are_told_apart() -> None:
    assert sum(unreadable(text) == "not English" for text in FOREIGN) >= 18
    assert sum(unreadable(text) == "not English" for text in ENGLISH) <= 1


def test_a_language_model_still_grades_other_languages() -> None:
    def says(prompt: Prompt) -> dict[str, Any]:
        quote = evidence(next(iter(Seen(prompt).passages)), "The notice period is 6 months.")
        return findings([claim(1, "supported", quote)])

    (found,) = ModelGrader(Fake(says)).read([item("Die Frist beträgt 6 Monate [p].")])
    assert (found.bucket, found.verdicts[0].unsure) == ("correct", False)


def test_a_report_says_that_the_language_is_the_reason(tmp_path: Path) -> None:
    run = make_run("run", "Die Frist beträgt 6 Monate [p].", "6 months [p].")
    assert surefoot("grade", run).code == 4
    reasons = {row.question_id: row.reason for row in kept(run).verdicts() if row.axis == "factuality"}
    assert reasons["q0"] == "language: the answer is not English"
    assert surefoot("report", run, "--report", tmp_path / "page.html").code == 4
    assert "the answer is not English" in (tmp_path / "page.html").read_text("utf-8")


SUPPORTED = "The notice period is 6 months [p]."
DOUBTED = "It lasts half a year [p]."
AGAINST = "The notice period is 9 months [p]."


class Scripted:
    """Is confident of what it knows word for word, and of nothing else."""

    name = "scripted@1"

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return [self._one(pair.claim) for pair in pairs]

    def _one(self, said: str) -> Judgement:
        if "9 months" in said:
            return Judgement("contradicted", 0.95, probabilities=(0.01, 0.95, 0.04))
        likely = 0.98 if "6 months" in said else 0.6
        return Judgement("supported", likely, probabilities=(likely, 0.01, 0.99 - likely))

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        return [0.9] * len(asked)


@pytest.fixture(autouse=True)
def _fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if its confidence had been fitted."""
    monkeypatch.setitem(SURE_FROM, "scripted", {"correct": 0.9, "refused": 1.0})


def item(answer: str) -> Item:
    passages = Retrieved([Passage("p", ENGLISH_PASSAGE)])
    return Item(
        Question("q", "How long is the notice period?", "answer"), Trace("q", answer=answer, retrieved=passages)
    )


def make_run(id: str, *answers: str) -> str:
    questions = [Question(f"q{n}", f"How long is notice period {n}?", "answer") for n in range(len(answers))]
    passages = Retrieved([Passage("p", ENGLISH_PASSAGE)])
    return keep_run(id, questions, [Trace(f"q{n}", answer=one, retrieved=passages) for n, one in enumerate(answers)])


@pytest.mark.parametrize(
    ("answer", "bucket", "confidence", "unsure"),
    [
        (SUPPORTED, "correct", 0.97, False),
        (DOUBTED, "correct", 0.6, True),
        (f"{SUPPORTED} {DOUBTED}", "correct", 0.6, True),
        (AGAINST, "wrong", 0.98, True),  # a reason that was not fitted
        (f"{AGAINST} {DOUBTED}", "wrong", 0.98, True),  # what decides is sure, though a claim beside it is not
        ("The documents do not say.", "refused", None, False),
        ("", None, None, False),
    ],
)
def test_the_confidence_is_that_of_the_bucket(
    answer: str, bucket: str | None, confidence: float | None, unsure: bool
) -> None:
    (found,) = FindingsGrader(Scripted()).read([item(answer)])
    assert (found.bucket, found.verdicts[0].unsure) == (bucket, unsure)
    assert found.verdicts[0].confidence == (confidence and pytest.approx(confidence, abs=0.021))


@pytest.mark.parametrize(
    ("sure_from", "unsure"), [(None, [False, True]), (0.5, [False, False]), (0.9, [False, True]), (0.99, [True, True])]
)
def test_a_level_can_be_given(sure_from: float | None, unsure: list[bool]) -> None:
    found = FindingsGrader(Scripted(), sure_from=sure_from).read([item(SUPPORTED), item(DOUBTED)])
    assert [one.verdicts[0].unsure for one in found] == unsure


def test_whoever_states_no_confidence_is_not_unsure_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(SURE_FROM, "scripted")
    assert not FindingsGrader(Scripted()).read([item(DOUBTED)])[0].verdicts[0].unsure
    assert SURE_FROM.keys() == JUDGES.keys()


@pytest.fixture
def run() -> str:
    """One sure verdict, two unsure ones and one answer that cannot be graded, in this order."""
    made = make_run("run", SUPPORTED, DOUBTED, "", AGAINST)
    library.grade(made, grader=FindingsGrader(Scripted()))
    return made


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JUDGES, "rules", Scripted)


@pytest.mark.usefixtures("scripted")
def test_the_headline_of_grade_says_how_many_are_sure_and_lists_the_others_first(run: str) -> None:
    done = surefoot("grade", run, "--grader", "rules")
    lines = done.out.splitlines()
    assert "1 of 4 sure: 1 correct, 0 wrong, 0 unsupported, 0 refused; 3 to check" in lines
    assert "2 correct, 1 wrong, 0 unsupported, 0 refused, 1 not graded" in lines, "no bucket loses its unsure ones"
    assert [line.split()[0] for line in lines[:3]] == ["q1", "q2", "q3"], "and not the sure one"
    assert [line.endswith("unsure") for line in lines[:3]] == [True, False, True]


@pytest.mark.usefixtures("scripted")
def test_json_marks_each_answer_and_counts_the_sure_ones(run: str, write: Write) -> None:
    done = surefoot("grade", run, "--grader", "rules", "--json")
    assert [json.loads(line)["unsure"] for line in done.out.splitlines()] == [False, True, False, True]
    found = library.grade(run, grader=FindingsGrader(Scripted()))
    assert [row["factuality"] for row in found.rows if row["factuality"] and not row["unsure"]] == ["correct"]
    rows = [{**ASKED, "passages": [{"id": "p", "text": ENGLISH_PASSAGE}], "answer": DOUBTED}]
    assert [row["unsure"] for row in graded(write, *rows, grader="rules")] == [True]
    told = surefoot("report", run, "--json").json
    assert told["unsure"] == [{"question_id": "q3", "attempt": 1}, {"question_id": "q1", "attempt": 1}]
    assert told["buckets"]["correct"] == 2


@pytest.mark.parametrize("name", ["page.html", "page.md"])
def test_reports_mark_what_is_unsure(run: str, name: str, tmp_path: Path) -> None:
    surefoot("report", run, "--report", tmp_path / name)
    shown = (tmp_path / name).read_text("utf-8")
    assert "1 of 4 answers is bad: 1 wrong, 0 unsupported; 1 not graded; 2 unsure." in shown
    assert "unsure: a passage says something else" in shown


def test_a_label_settles_what_was_unsure(run: str, write: Write) -> None:
    label = {"question_id": "q3", "axis": "factuality", "value": "wrong", "annotator": "ann"}
    assert surefoot("import", write("labels.jsonl", [label]), "--run", run).code == 0
    assert surefoot("report", run, "--json").json["unsure"] == [{"question_id": "q1", "attempt": 1}]


def test_files_of_verdicts_keep_the_mark(run: str, write: Write) -> None:
    rows = [json.loads(json.dumps(row_of(one))) for one in kept(run).verdicts() if one.axis == "factuality"]
    told = surefoot("report", write("verdicts.jsonl", rows), "--json").json
    assert [one["question_id"] for one in told["unsure"]] == ["q3", "q1"]


def row_of(verdict: Verdict) -> dict[str, Any]:
    fields = ("question_id", "axis", "value", "grader", "confidence", "unsure")
    return {field: getattr(verdict, field) for field in fields}
