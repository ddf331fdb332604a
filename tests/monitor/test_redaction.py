"""Personal data is gone from what is kept, and what is none stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.monitor.redaction import Redactor, redact, redact_item, redact_trace
from surefoot.text.citations import parse
from surefoot.types import Item, Passage, Question, Retrieved, Trace

PERSONAL = (
    "jane.roe@acme.com", "john (at) gmail (dot) com", "+49 30 901820", "020 7946 0958", "(030) 1234567", "212-555-0187",
    "212 555 0187", "123 45 6789",
    "123-45-6789", "4111 1111 1111 1111", "5500005555555559", "DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819",
    "müller@straße.de", "helga.brandt(at)gmx.de",
    "192.168.1.17", "2001:db8::ff00:42:8329", "AB 12 34 56 C", "12345678Z", "529.982.247-25", "RSSMRA85T10A562S",
)  # fmt: skip
HARMLESS = (
    "$1,234,567.89", "2024-03-05", "05.03.2024", "12:30:45", "Section 4.2.1.3", "clause 12.3.4", "[lease.pdf#4.2]",
    "order no. 4111111111111111", "550e8400-e29b-41d4-a716-446655440000", "version 10.0.1.2", "1,000,000 shares",
    "[1]", "p. 123-125", "Dear Customer,", "ISBN 978-3-16-148410-0", "4111 1111 1111 1112", "000-12-3456", "12345678A",
    "100 Oak Dr Springfield", "ratio 3:4:5", "std::vector", "9-to-5",
    "212 555 0187 300", "100 200 3000", "EUR 20 000 000", "FY2023-24", "10.1.4", "3.5%",
)  # fmt: skip


@pytest.mark.parametrize("value", PERSONAL)
def test_personal_data_is_replaced_wherever_it_stands(value: str) -> None:
    for text in (f"The contact is {value}.", f"{value}", f"({value}) and so on", f"Seen:\n{value}\nand more"):
        found = redact(text)
        assert value not in found and "[" in found, found


@pytest.mark.parametrize("value", HARMLESS)
def test_what_is_no_personal_data_stays(value: str) -> None:
    text = f"It says {value} in the lease."
    assert redact(text) == text


def test_the_same_value_is_the_same_placeholder_throughout_an_answer() -> None:
    passages = Retrieved(
        [Passage("d#1", "Ask Jane Roe (jane.roe@acme.com) or bob@acme.com."), Passage("a@b.de#2", "-")]
    )
    trace = Trace(answer="Mail bob@acme.com or JANE.ROE@acme.com [d#1].", retrieved=passages, citations=("d#1",))
    found = redact_item(Item(Question("q", "I am looking for Ms. Jane Roe", "answer"), trace))
    assert found.question.text == "I am looking for Ms. [NAME]"
    assert found.trace.answer == "Mail [EMAIL] or [EMAIL 2] [d#1]."
    assert found.trace.retrieved is not None and found.trace.retrieved.names == ("d#1", "a@b.de#2")
    assert found.trace.retrieved[0].text == "Ask [NAME] ([EMAIL 2]) or [EMAIL]."
    assert parse(found.trace.answer, ["d#1"]) == ("d#1",)  # a placeholder is no citation


def test_people_are_known_by_a_title_a_greeting_or_a_signature() -> None:
    text = "Dear Anna Kowalska,\nDr. Weber and Mr O'Neil agree. My name is Jo van Dyk.\nBest regards,\nJo van Dyk"
    assert redact(text) == (
        "Dear [NAME],\nDr. [NAME 2] and Mr [NAME 3] agree. My name is [NAME 4].\nBest regards,\n[NAME 4]"
    )


@pytest.mark.parametrize(
    "text",
    [
        "tax id 65929970489", "Steuer-ID 65 929 970 489", "Sozialversicherungsnummer 65 170839 J 003",
        "NIR 1 84 12 76 451 089 46", "BSN 111222333", "PESEL 44051401359", "AHV 756.9217.0769.85",
        "Personalausweis L01X00T471", "account 1234567890", "Account number: 12345678", "Kontonummer 1234567",
        "numéro de sécurité sociale : 1 84 12 76 451 089 46",
    ],
)  # fmt: skip
def test_a_number_right_behind_the_word_for_it_is_personal(text: str) -> None:
    assert redact(f"My {text}, please.").endswith("[ID], please.")
    assert redact("born 12.03.1971") == "born [BIRTH]"


@pytest.mark.parametrize(
    "text",
    [
        "The account is 30 days overdue.", "An account of 2023 and 2024", "Tax number of employees: 12",
        "credited to your account 1,250,000.00 euros", "policy no. HV-2291-88123", "Dear Anna May, it is due in May.",
    ],
)  # fmt: skip
def test_words_that_also_stand_before_other_numbers(text: str) -> None:
    assert redact(text).replace("[NAME]", "Anna May") == text


def test_titles_may_be_stacked_and_a_surname_is_known_throughout() -> None:
    assert redact("Dear Dr. Brandt, thank you.") == "Dear Dr. [NAME], thank you."
    assert redact("Sehr geehrte Frau Dr. Keller,") == "Sehr geehrte Frau Dr. [NAME],"
    assert redact("Herrn Prof. Dr. med. Jan Weber") == "Herrn Prof. Dr. med. [NAME]"
    item = Item(Question("q", "I am Dr. Helga Brandt.", "answer"), Trace(answer="Frau Brandt, it is due. Brandt pays."))
    assert redact_item(item).trace.answer == "Frau [NAME], it is due. [NAME] pays."


def test_names_of_rows_keep_all_but_addresses() -> None:
    assert Redactor().name("session/ann@acme.com/212-555-0187") == "session/[EMAIL]/212-555-0187"


def test_what_is_not_there_stays_so() -> None:
    assert redact_trace(Trace(question="Call 212-555-0187?", error="no route to 10.1.2.200")) == Trace(
        question="Call [PHONE]?", error="no route to [IP]"
    )


@given(
    st.lists(st.one_of(st.sampled_from(PERSONAL + HARMLESS), st.text(max_size=12), st.sampled_from([" ", "-", "."])))
)
def test_redacting_again_changes_nothing(parts: list[str]) -> None:
    once = redact("".join(parts))
    assert redact(once) == once
