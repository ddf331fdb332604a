from __future__ import annotations

import pytest

from surefoot.graders.grader import FindingsGrader
from surefoot.graders.local import LocalJudge
from surefoot.graders.rules import Rules
from surefoot.types import Item, Passage, Question, Retrieved, Trace

LEASE = (
    Passage("lease#4.2", "The tenant may end the lease by giving six months' written notice to the landlord.", "Lease"),
    Passage("lease#5.1", "The annual rent is EUR 48,000, payable quarterly. The landlord is Harrow Estates.", "Lease"),
)
CAR = Passage(
    "car#2", "A private car is paid EUR 0.38 per kilometre; tolls are paid on top against receipts.", "Travel"
)
ALARM = Passage("alarm#1", "The alarm shall be tested weekly, with another call point each time.", "Fire safety")
COPY = Passage("copy#9", f"4.2 {LEASE[0].text} 4.3 Pets are allowed.")


def item(question: str, answer: str, *gold_ids: str) -> Item:
    trace = Trace("q", answer=answer, retrieved=Retrieved((*LEASE, COPY, CAR, ALARM)))
    return Item(Question("q", question, "answer", gold_ids=gold_ids), trace)


NOTICE = "How much notice must the tenant give?"
CASES = [
    (NOTICE, "The tenant gives six months' written notice [lease#4.2].", "lease#4.2", "correct"),
    (NOTICE, "The tenant gives six months' written notice [copy#9].", "lease#4.2", "correct"),
    (NOTICE, "The annual rent is EUR 48,000 [lease#5.1].", "lease#4.2", "off_target"),
    ("How high is the annual rent?", "The landlord is Harrow Estates [lease#5.1].", "lease#5.1", "off_target"),
    ("How high is the annual rent?", "The annual rent is EUR 48,000 [lease#5.1].", "lease#5.1", "correct"),
    (NOTICE, "The tenant gives six months' written notice [lease#4.2].", "", "correct"),
    (NOTICE, "The annual rent is EUR 48,000 [lease#5.1].", "", "off_target"),
    (
        "What is the rate per kilometre for a car?",
        "Tolls are paid on top against receipts [car#2].",
        "car#2",
        "off_target",
    ),
    ("How often is the alarm tested?", "Weekly, with another call point each time [alarm#1].", "alarm#1", "correct"),
]


@pytest.mark.parametrize(("question", "answer", "gold", "reason"), CASES)
def test_without_gold_claims_an_answer_must_answer_the_question(
    question: str, answer: str, gold: str, reason: str
) -> None:
    asked = item(question, answer, *filter(None, [gold]))
    for grader in (FindingsGrader(Rules()), FindingsGrader(LocalJudge())):
        assert grader.read([asked])[0].reason == reason, grader.name


def test_nothing_is_asked_where_gold_claims_tell_the_answer() -> None:
    class Silent(Rules):
        def answering(self, asked: object) -> list[float | None]:
            raise AssertionError(asked)

    question = Question("q", "How high is the annual rent?", "answer", gold_claims=("EUR 48,000 a year.",))
    trace = Trace("q", answer="The annual rent is EUR 48,000 [lease#5.1].", retrieved=Retrieved(LEASE))
    assert FindingsGrader(Silent()).read([Item(question, trace)])[0].bucket == "correct"
