from __future__ import annotations

from collections.abc import Sequence

import pytest

from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.judges import Judgement, Pair
from surefoot.graders.local import LocalJudge
from surefoot.graders.rules import Rules

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
    ("What is the annual rent?", "The landlord is Harrow Estates [lease#5.1].", "lease#5.1", "off_target"),
    ("What is the annual rent?", "The annual rent is EUR 48,000 [lease#5.1].", "lease#5.1", "correct"),
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


TABLE = Passage(
    "fees#2",
    "Terms by model\n| Model | Warranty | Service fee |\n| --- | --- | --- |\n| Kestrel 200 | 24 months | EUR 3,100 |\n"
    "| Kestrel 400 | 36 months | EUR 4,250 |",
    "Warranty schedule",
)
LIST = Passage(
    "plans#1", "Plan,Price,Minimum term\nBronze,EUR 120,12 months\nSilver,EUR 480,24 months\nGold,EUR 990,36 months"
)
PETS = Passage("flat#7", "The tenant may keep one dog in the flat. Cats are not allowed.", "House rules")
RETURNS = Passage("shop#6", "Goods may be returned within 14 days. The customer bears the cost of return shipping.")
SUPPORT = Passage("help#3", "Each unit comes with a 36 month warranty. There is no charge for telephone support.")
ENDS = Passage(
    "deal#8", "Either party may terminate the agreement. Both parties may assign it. The flat has energy class A."
)
WITHOUT_GOLD = [
    ("Which party may terminate the agreement?", "Either party may terminate the agreement [deal#8].", "correct"),
    ("Which parties may assign the agreement?", "Both parties may assign the agreement [deal#8].", "correct"),
    ("Which energy class does the flat have?", "The flat has energy class A [deal#8].", "correct"),
    ("Which energy class does a flat have?", "The flat has an energy class [deal#8].", "off_target"),
    ("Which energy class does a flat have?", "Yes, the flat has an energy class [deal#8].", "off_target"),
    ("What is the warranty of the Kestrel 400?", "36 months [fees#2]", "correct"),
    ("What is the service fee for the Kestrel 400?", "EUR 4,250 [fees#2]", "correct"),
    ("What is the warranty of the Kestrel 400?", "24 months [fees#2]", "contradicted"),
    ("What is the minimum term of the Gold plan?", "36 months [plans#1]", "correct"),
    ("What is the minimum term of the Gold plan?", "24 months [plans#1]", "contradicted"),
    ("What does the Silver plan cost?", "EUR 480 [plans#1]", "correct"),
    ("What does the Silver plan cost?", "EUR 990 [plans#1]", "off_target"),
    ("What is the warranty of the Kestrel 400?", "The Kestrel 400 has a warranty [fees#2].", "off_target"),
    ("What is the service fee?", "The service fee [fees#2].", "off_target"),
    ("Are cats allowed in the flat?", "No [flat#7]", "correct"),
    ("Are cats allowed in the flat?", "Yes [flat#7]", "contradicted"),
    ("May the tenant keep a dog?", "Yes [flat#7].", "correct"),
    ("May the tenant keep a dog?", "Yes, one dog [flat#7].", "correct"),
    ("May the tenant keep a dog?", "No [flat#7].", "contradicted"),
    ("Is a bicycle paid for?", "Yes [flat#7]", "off_target"),
    ("May the tenant keep a dog, and what does it cost?", "Yes [flat#7].", "off_target"),
    ("Can goods be returned?", "Yes, within 14 days [shop#6].", "correct"),
    ("Is return shipping free?", "No, the customer bears the cost of return shipping [shop#6].", "correct"),
    ("Is telephone support free?", "Yes [help#3].", "correct"),
    ("What does telephone support cost?", "Telephone support is free of charge [help#3].", "correct"),
    ("What does telephone support cost?", "Telephone support is not free of charge [help#3].", "contradicted"),
]


@pytest.mark.parametrize(("question", "answer", "reason"), WITHOUT_GOLD)
def test_short_answers_of_a_log_are_read_with_their_question(question: str, answer: str, reason: str) -> None:
    retrieved = Retrieved(one for one in (TABLE, LIST, PETS, RETURNS, SUPPORT, ENDS) if one.id in answer)
    one = Item(Question("q", question, "answer"), Trace("q", answer=answer, retrieved=retrieved))
    assert FindingsGrader(LocalJudge()).read([one])[0].reason == reason


def test_nothing_is_asked_where_gold_claims_tell_the_answer() -> None:
    class Silent(Rules):
        def answering(self, asked: object) -> list[float | None]:
            raise AssertionError(asked)

    question = Question("q", "What is the annual rent?", "answer", gold_claims=("EUR 48,000 a year.",))
    trace = Trace("q", answer="The annual rent is EUR 48,000 [lease#5.1].", retrieved=Retrieved(LEASE))
    assert FindingsGrader(Silent()).read([Item(question, trace)])[0].bucket == "correct"


def is_around(text: str) -> bool:
    return "landlord" in text


class Asking(Rules):
    """Says how well the claim itself answers, of all else that it answers well, and keeps what it was asked."""

    def __init__(self, own: float) -> None:
        self.own, self.asked = own, list[str]()

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        self.asked += [one.passage for one in asked]
        return [0.9 if is_around(one.passage) else self.own for one in asked]


@pytest.mark.parametrize(
    ("own", "gold", "around", "reason"),
    [
        (0.2, "", 0, "correct"),
        (0.19, "", 2, "correct"),
        (0.17, "", 2, "off_target"),
        (0.09, "", 2, "off_target"),
        (0.09, "lease#5.1", 2, "off_target"),
    ],
)
def test_the_passage_is_read_only_where_the_claim_does_not_tell(
    own: float, gold: str, around: int, reason: str
) -> None:
    judge = Asking(own)
    one = item("What is the annual rent?", "The annual rent is EUR 48,000 [lease#5.1].", *filter(None, [gold]))
    assert FindingsGrader(judge).read([one])[0].reason == reason
    assert len(judge.asked) == len(set(judge.asked)), "nothing twice"
    assert sum(map(is_around, judge.asked)) == around


@pytest.mark.parametrize(("first", "is_joined"), [("The annual rent is EUR 48,000", False), ("It is cheap", True)])
def test_cited_passages_are_read_together_only_if_none_supports_the_claim(first: str, is_joined: bool) -> None:
    class Reading(Rules):
        read: list[Pair] = []  # noqa: RUF012

        def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
            self.read += pairs
            return super().judge(pairs)

    judge = Reading()
    FindingsGrader(judge).read([item("How high is the rent?", f"{first} [lease#5.1][car#2].", "lease#5.1")])
    joined = [pair for pair in judge.read if LEASE[1].text in pair.passage and CAR.text in pair.passage]
    assert bool(joined) == is_joined


LEAVE = Passage("hr#2", "Up to eight unused days may be carried over, but must be taken by 31 March.", "Leave")
LAKE = Passage("lake#1", "The lake is open to canoes from April to October. Motor boats are never allowed.", "Lake")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When can you take a canoe out?", "Canoes are allowed from April through October [lake#1]."),
        ("By when must leave that was carried over be used?", "You have until the end of March [hr#2]."),
        ("How many days can be carried over?", "At most eight [hr#2]."),
    ],
)
def test_no_list_of_words_tells_what_an_answer_to_when_or_how_many_looks_like(question: str, answer: str) -> None:
    one = Item(Question("q", question, "answer"), Trace("q", answer=answer, retrieved=Retrieved((LEAVE, LAKE))))
    assert FindingsGrader(LocalJudge()).read([one])[0].reason == "correct"
