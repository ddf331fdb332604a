"""Questions worth keeping, proposed from a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from surefoot.build.from_log import _claim, rare_among, wanted_of
from surefoot.build.proof import Answering
from surefoot.core.result import Failing, Person, Watch
from surefoot.core.types import Passage, Question
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.rules import Rules
from surefoot.io.questions import load
from surefoot.jobs.questions import proposals_from_log
from surefoot.text.normal import normalise
from tests.conftest import Write
from tests.in_process import surefoot as command
from tests.items import item_of

NOTICE, FEE = "The notice period is three months.", "The monthly fee is EUR 40."
PASSAGES = [{"id": "p1", "text": NOTICE}, {"id": "p2", "text": FEE}]


def row(question: str, answer: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"q": question, "answer": answer, "retrieved": PASSAGES, **fields}


WRONG = row("What is the monthly fee?", "The monthly fee is EUR 45 [p2].")
FINE = row("What is the monthly fee?", "The monthly fee is EUR 40 [p2].")
REFUSED = row("Which court has jurisdiction?", "I could not find that in the documents.")
RARE = row("How long is the notice period?", "The notice period is three months [p1].")


class Listener(Person):
    def __init__(self) -> None:
        self.told: list[str] = []

    def tell(self, line: str) -> None:
        self.told.append(line)


def wanted(*rows: dict[str, Any]) -> list[tuple[str, str | None]]:
    items = [item_of({"id": one["q"], "question": one["q"], "attempt": n, **one}) for n, one in enumerate(rows)]
    return [(one.question.text, one.graded.bucket) for one in wanted_of(FindingsGrader(Rules()).read(items))]


def test_the_worst_answer_counts_and_the_worst_questions_come_first() -> None:
    assert wanted(RARE, FINE, REFUSED, WRONG) == [
        (WRONG["q"], "wrong"), (REFUSED["q"], "refused"), (RARE["q"], "correct"),
    ]  # fmt: skip


def test_what_is_asked_in_other_words_comes_once() -> None:
    again = row("What's the fee, monthly?", "The monthly fee is EUR 46 [p2].")
    assert [text for text, _ in wanted(WRONG, again)] == [WRONG["q"]]


def test_of_good_answers_only_those_to_rare_questions_are_kept() -> None:
    alike = [row(f"What is the monthly fee in {city}?", FEE + " [p2]") for city in ("Rome", "Bonn", "Oslo")]
    assert [text for text, bucket in wanted(*alike, RARE) if bucket == "correct"] == [RARE["q"]]


def test_rare() -> None:
    texts = ["What is the fee for filing?", "What is the fee for late filing?", "Who signs the lease?"]
    assert rare_among([Question(text, text, "answer") for text in texts]) == {texts[2]}
    assert rare_among([]) == set()


@pytest.mark.parametrize("with_corpus", [True, False])
def test_proposals_are_rows_of_a_question_set(with_corpus: bool, write: Write, tmp_path: Path) -> None:
    rows = [WRONG, REFUSED, {"q": "What is missing?", "answer": "That."}]
    if with_corpus:
        rows = [{**one, "retrieved": ["p1", "p2"]} for one in rows[:2]] + rows[2:]
    corpus, person = write("corpus.jsonl", PASSAGES), Listener()
    found = proposals_from_log(write("log.jsonl", rows), corpus if with_corpus else None, grader="rules", person=person)
    fee, court = found
    assert (fee["answerable"], fee["gold_ids"], fee["gold_claims"]) == (True, ["p2"], [FEE])
    assert (court["answerable"], court["gold_ids"], court["made"]["evidence"][0]) == (False, [], "p1")
    assert all(one["review"] == "proposed" and one["made"]["kind"] == "log" for one in found)
    assert fee["made"]["why"].startswith("The answer in the log contradicts a passage. The passage p2 seems to answer")
    assert [question.expects for question in load(found).questions] == ["answer", "refusal"]
    assert any("1 answer could not be graded" in line for line in person.told)


def test_places_in_a_list_are_no_gold_ids(write: Write) -> None:
    person = Listener()
    texts = {**WRONG, "retrieved": [NOTICE, FEE], "answer": "The monthly fee is EUR 45 [2]."}
    found = proposals_from_log(write("log.jsonl", [texts, REFUSED]), grader="rules", person=person)
    fee, _ = found
    assert (fee["answerable"], fee["gold_ids"], fee["gold_claims"], fee["made"]["evidence"]) == (True, [], [FEE], [])
    assert "The retrieved passage seems to answer it" in fee["made"]["why"]
    assert any(line.startswith("note: 1 question without gold ids") for line in person.told)


def test_a_claim_is_a_sentence_also_where_a_table_answers(write: Write) -> None:
    rows = "| Kestrel | 24 months | EUR 31 |\n| Osprey | 36 months | EUR 42 |"
    table = f"| Model | Warranty | Service fee |\n|---|---|---|\n{rows}"
    asked = row("What is the warranty of the Osprey?", "12 months [t]", retrieved=[{"id": "t", "text": table}])
    found = proposals_from_log(write("log.jsonl", [asked]), grader="rules")
    assert (found[0]["gold_ids"], found[0]["gold_claims"]) == (["t"], ["Osprey: Warranty 36 months."])


def test_no_more_than_wanted_and_the_rest_is_told(write: Write) -> None:
    person = Listener()
    found = proposals_from_log(write("log.jsonl", [REFUSED, WRONG]), most=1, grader="rules", person=person)
    assert [one["made"]["bucket"] for one in found] == ["wrong"]
    assert any("of 2" in line for line in person.told)


@pytest.mark.parametrize("retrieved", [[], ["p1", "p2"]])
def test_without_any_text_nothing_is_known_of_an_answer(retrieved: list[str], write: Write) -> None:
    person, bare = Listener(), {**REFUSED, "retrieved": retrieved}
    found = proposals_from_log(write("log.jsonl", [bare, WRONG]), most=1, grader="rules", person=person)
    assert [one["question"] for one in found] == [WRONG["q"]]
    assert [line.partition(":")[0] for line in person.told if "no text of a passage" in line] == ["note"]
    assert any("1 question left out" in line for line in person.told)
    (known,) = proposals_from_log(write("bare.jsonl", [bare]), write("corpus.jsonl", PASSAGES), grader="rules")
    assert known["answerable"] is False


def test_known_questions_make_room_for_others(write: Write) -> None:
    log, known = write("log.jsonl", [REFUSED, WRONG]), {normalise(WRONG["q"])}
    assert [one["question"] for one in proposals_from_log(log, most=1, known=known, grader="rules")] == [REFUSED["q"]]


def test_of_many_bad_rows_some_are_told_and_the_rest_counted(write: Write) -> None:
    person = Listener()
    proposals_from_log(write("log.jsonl", [WRONG, *(["{"] * 50)]), grader="rules", person=person)
    assert any("30 more like these" in line for line in person.told) and len(person.told) < 25


def test_the_line_of_progress_is_closed_whatever_happens(write: Write) -> None:
    closed: list[str] = []

    class Line(Watch):
        def count(self, one: Failing) -> None:
            raise KeyboardInterrupt

        def close(self) -> None:
            closed.append("proposed")

    class Watcher(Listener):
        def watch(self, total: int | None, of: str) -> Watch:
            return Line() if of == "proposed" else super().watch(total, of)

    with pytest.raises(KeyboardInterrupt):
        proposals_from_log(write("log.jsonl", [WRONG]), grader="rules", person=Watcher())
    assert closed == ["proposed"]


def test_a_passage_that_cannot_be_read_may_answer(write: Write) -> None:
    passages = [
        {"id": "p", "text": "Die Kündigungsfrist beträgt drei Monate zum Ende eines Quartals, sagt der Vertrag."}
    ]
    found = proposals_from_log(write("log.jsonl", [{**REFUSED, "retrieved": passages}]), grader="rules")
    assert (found[0]["answerable"], found[0]["gold_ids"]) == (True, [])
    assert "could not be read" in found[0]["made"]["why"]


@pytest.mark.parametrize(
    ("quote", "claim"), [("Sick leave", ""), (FEE, FEE), ("Sick leave: ten days", "Sick leave: ten days")]
)
def test_a_heading_is_no_claim(quote: str, claim: str) -> None:
    assert _claim("What is the fee?", Answering(Passage("p", quote), 0.9, quote)) == claim


def test_build_reads_a_log_by_a_map(write: Write) -> None:
    log = write("log.jsonl", [{"ask": WRONG["q"], "said": WRONG["answer"], "seen": PASSAGES}])
    places = [f"--map={field}" for field in ("question=ask", "answer=said", "contexts=seen")]
    found = log.with_name("q.jsonl")
    words: list[str | Path] = ["--from-traces", log, "--out", found, *places, "--citations", "optional"]
    done = command("questions", "build", *words)
    assert done.code == 0 and [one.text for one in load(found).questions] == [WRONG["q"]]
    done = command("questions", "build", log, "--out", log.with_name("other.jsonl"), *places)
    assert done.code == 2 and "--map does nothing without --from-traces" in done.err
