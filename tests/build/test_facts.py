"""Questions made of sentences and table cells, and which sentences are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.build.facts import facts_of
from surefoot.corpus.passages import Row


def asked(text: str, heading: str = "") -> list[tuple[str, str]]:
    return [(fact.asks, fact.value) for fact in facts_of(Row("a.md#1", text, "A", heading=heading))]


@pytest.mark.parametrize(
    ("sentence", "question", "value"),
    [
        (
            "The Supplier shall notify the Customer within five (5) business days of any delay.",
            "Within how many business days of any delay must the Supplier notify the Customer?",
            "five business days",
        ),
        (
            "Either party may terminate this Agreement upon thirty (30) days' prior written notice.",
            "Upon how many days' prior written notice may either party terminate {doc}?",
            "thirty days",
        ),
        (
            "4.2 The Licensee shall pay the Licensor a monthly fee of EUR 4,250.",
            "What monthly fee must the Licensee pay the Licensor?",
            "EUR 4,250",
        ),
        (
            "This Agreement shall be governed by the laws of the State of Delaware.",
            "Which state's or country's law governs {doc}?",
            "the State of Delaware",
        ),
        (
            "The initial term of this Agreement shall be five (5) years.",
            "How long will the initial term of {doc} be?",
            "five years",
        ),
        (
            '"Affiliate" means any company that controls a party or is controlled by it.',
            'What does "Affiliate" mean?',
            "any company that controls a party or is controlled by it.",
        ),
        (
            "The Recipient shall not copy the samples without the consent of the Owner.",
            "May the Recipient copy the samples without the consent of the Owner?",
            "no",
        ),
        (
            "Late payments shall accrue interest at a rate of 8 % a year.",
            "At what rate do late payments accrue interest a year?",
            "8 %",
        ),
        (
            "This Agreement may also be terminated by either party upon ninety (90) days' written notice.",
            "Upon how many days' written notice may {doc} be terminated by either party?",
            "ninety days",
        ),
        (
            "Net sales were $251.2 million in fiscal year 2002.",
            "What were net sales in fiscal year 2002?",
            "$251.2 million",
        ),
        (
            "If the goods are damaged, the Buyer must inform the Carrier within 7 days of delivery.",
            "If the goods are damaged, within how many days of delivery must the Buyer inform the Carrier?",
            "7 days",
        ),
    ],
)
def test_a_plain_sentence_becomes_a_question(sentence: str, question: str, value: str) -> None:
    around = f"{sentence} Earlier, net sales and the goods were mentioned."
    assert (question, value) in asked(around)


@pytest.mark.parametrize(
    ("sentence", "question", "value"),
    [
        ("Batteries last about 18 months.", "How long do batteries last?", "18 months"),
        ("The course costs EUR 480 per person.", "How much does the course cost per person?", "EUR 480"),
        ("Replace the filter every three months.", "How often should you replace the filter?", "every three months"),
        ("The library opens at 9 am on weekdays.", "At what time does the library open on weekdays?", "9 am"),
        ("The meeting was chaired by Ruth Adeyemi.", "By whom was the meeting chaired?", "Ruth Adeyemi"),
        ("The maximum load is 150 kg.", "What is the maximum load?", "150 kg"),
        ("Mount Hood is 3,429 metres high.", "How high is Mount Hood?", "3,429 metres"),
        ("Lost baggage is covered up to EUR 1,500.", "Up to what amount is lost baggage covered?", "EUR 1,500"),
        (
            "We pay medical expenses abroad up to EUR 2,000,000 per person.",
            "Up to what amount does {doc} pay medical expenses abroad per person?",
            "EUR 2,000,000",
        ),
        (
            "Full-time employees receive 27 days of annual leave per calendar year.",
            "How many days of annual leave do full-time employees receive per calendar year?",
            "27 days",
        ),
        (
            "Stop taking iron tablets seven days before your appointment.",
            "How many days before your appointment should you stop taking iron tablets?",
            "seven days",
        ),
        (
            "Press and hold the button for five seconds until the light blinks.",
            "For how many seconds should you press and hold the button until the light blinks?",
            "five seconds",
        ),
        (
            "The company was founded in 1987 by Maria Lopez.",
            "In what year was the company founded by Maria Lopez?",
            "1987",
        ),
    ],
)
def test_prose_that_is_no_contract_becomes_questions_too(sentence: str, question: str, value: str) -> None:
    assert asked(sentence) == [(question, value)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The pump weighs 12.4 kg and delivers 30 litres per minute.",
        "Store the vaccine at 2 to 8 °C.",
        "It takes 5 minutes.",
    ],
)
def test_prose_that_would_be_cut_in_two_is_left_alone(sentence: str) -> None:
    assert asked(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Such notice shall be given within ten days of the event.",
        "It shall be paid within ten days of the event at the latest.",
        "The fees set forth in Exhibit B shall be paid within ten days.",
        "NOTICES SHALL BE GIVEN WITHIN TEN DAYS OF THE EVENT BY EITHER PARTY.",
        "The Supplier shall deliver the goods, the papers, the keys within ten days.",
        "The Supplier shall deliver within ____ days of the order being placed.",
        "within ten days of the event the Supplier shall deliver the goods.",
        "The Tenant shall pay a handling fee of twenty- five percent (25%) of the price for each returned part.",
        "The Shop will be open and fully staffed at least 97% of the time during any month.",
        "If the Tenant is in default hereunder or under the Loan, the Landlord may end the tenancy at once.",
        "SUSPENSION OF WORK ALDER shall have the right to suspend the work for a reasonable time.",
    ],
)
def test_a_sentence_that_would_give_a_crooked_question_is_left_alone(sentence: str) -> None:
    assert asked(sentence) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "This Agreement may not be amended except by a written agreement of both parties.",
            "by a written agreement of both parties",
        ),
        ("This Agreement may only be amended in writing signed by both parties.", "in writing signed by both parties"),
        ("This Agreement may be amended only in writing signed by both parties.", "in writing signed by both parties"),
    ],
)
def test_the_manner_of_a_change_is_asked_for(text: str, value: str) -> None:
    assert asked(text) == [("How may {doc} be amended?", value)]


def test_terms_do_something_and_are_not_allowed_to() -> None:
    asks, value = asked("This Agreement shall not confer any rights of ownership on the Receiving Party.")[0]
    assert (asks, value) == ("Does {doc} confer any rights of ownership on the Receiving Party?", "no")


def test_a_question_is_not_a_small_part_of_a_duty() -> None:
    text = "The Parties agree to settle all disputes and controversies, including those that arise from the end of the "
    assert asked(f"{text}contract, in a manner other than filing actions in court.") == []


def test_cells_are_asked_for_by_row_and_column() -> None:
    table = "| Service | Monthly fee (EUR) | 2024 |\n|---|---|---|\n| Route planning | 4,250 | 12 |\n| Total | 9 | 20 |"
    assert asked(table) == [
        ('What is the monthly fee for the service "Route planning"?', "4,250"),
        ("What figure does {doc} give for route planning in 2024?", "12"),
    ]


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for fact in facts_of(Row("a#1", text, "A")):
        assert fact.asks.endswith("?")
        assert fact.row.text == text
