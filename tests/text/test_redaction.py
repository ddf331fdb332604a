"""Personal data is gone from what is kept, and what is none stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.text.citations import parse
from surefoot.text.normal import id_of_text
from surefoot.text.redaction import Redactor, redact, redact_item, redact_name, redacted

PERSONAL = (
    "jane.roe@acme.com", "john (at) gmail (dot) com", "+49 30 901820", "020 7946 0958", "(030) 1234567", "212-555-0187",
    "212 555 0187",
    "123-45-6789", "4111 1111 1111 1111", "5500005555555559", "DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819",
    "müller@straße.de", "helga.brandt(at)gmx.de", "жанна@почта.рф", "ann%40acme.com", "gb29 nwbk 6016 1331 9268 19",
    "192.168.1.17", "2001:db8::ff00:42:8329", "AB 12 34 56 C", "12345678Z", "529.982.247-25",
)  # fmt: skip
HARMLESS = (
    "$1,234,567.89", "2024-03-05", "05.03.2024", "12:30:45", "Section 4.2.1.3", "clause 12.3.4", "[lease.pdf#4.2]",
    "order no. 4111111111111111", "550e8400-e29b-41d4-a716-446655440000", "version 10.0.1.2", "1,000,000 shares",
    "[1]", "p. 123-125", "Dear Customer,", "ISBN 978-3-16-148410-0", "4111 1111 1111 1112", "000-12-3456", "12345678A",
    "100 Oak Dr Springfield", "ratio 3:4:5", "std::vector", "9-to-5",
    "212 555 0187 300", "100 200 3000", "EUR 20 000 000", "FY2023-24", "10.1.4", "3.5%", "3 %40", "call no. 4",
    "signed on 3 April 1978", "costs borne from 03/04/2023", "offices at 12 Main Street, Springfield, IL 62704",
    "Acme Inc. Their address is 12 Main Street, Springfield", "the Premises at 4 Oak Avenue, Leeds LS1 4AP",
)  # fmt: skip


@pytest.mark.parametrize("value", PERSONAL)
def test_personal_data_is_replaced_wherever_it_stands(value: str) -> None:
    for text in (f"The contact is {value}.", f"{value}", f"({value}) and so on", f"Seen:\n{value}\nand more"):
        found = redact(text)
        assert value not in found and "-1" in found, found


@pytest.mark.parametrize("value", HARMLESS)
def test_what_is_no_personal_data_stays(value: str) -> None:
    text = f"It says {value} in the lease."
    assert redact(text) == text


def test_the_same_value_is_the_same_placeholder_throughout_an_answer() -> None:
    passages = Retrieved(
        [
            Passage("d#1", "Ask Jane Roe (jane.roe@acme.com) or bob@acme.com."),
            Passage("bob@acme.com#2", "-", "Roe.pdf"),
        ]
    )
    trace = Trace(
        answer="Mail bob@acme.com or JANE.ROE@acme.com [bob@acme.com#2].",
        retrieved=passages,
        citations=("bob@acme.com#2",),
    )
    found = redact_item(Item(Question("q", "I am looking for Ms. Jane Roe", "answer"), trace))
    assert found.question.text == "I am looking for Ms. NAME-1"
    assert found.trace.answer == "Mail EMAIL-1 or EMAIL-2 [EMAIL-1#2]."
    assert found.trace.retrieved == (
        Passage("d#1", "Ask NAME-1 (EMAIL-2) or EMAIL-1."), Passage("EMAIL-1#2", "-", "NAME-1.pdf")
    )  # fmt: skip
    assert parse(found.trace.answer, found.trace.names) == found.trace.citations == ("EMAIL-1#2",)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ms. Jane Roe", "Ms. Roe"), ("+1 (415) 555-2671", "415-555-2671"), ("+49 (0)30 901820-55", "030 90182055"),
        ("born on 3 April 1978", "Geburtsdatum: 03.04.1978"), ("born on April 3, 1978", "né le 3 avril 1978"),
        ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"), ("ann%40acme.com", "Ann@acme.com"),
        ("4111 1111 1111 1111", "4111111111111111"),
    ],
)  # fmt: skip
def test_a_value_is_the_same_however_it_is_written(one: str, other: str) -> None:
    first, second = (redact(f"See {one}. See {two}.").count("-1") for two in (one, other))
    assert first == second == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mr. Jim Roe", "Ms. Jane Roe"), ("415-555-2671", "315-555-2671"), ("10.0.0.71", "100.0.7.1"),
        ("ann.b@acme.com", "annb@acme.com"), ("born on 3 April 1978", "born on 4 May 1978"),
    ],
)  # fmt: skip
def test_different_values_are_told_apart(one: str, other: str) -> None:
    found = redact(f"See {one}. See {other}.")
    assert "-1" in found and "-2" in found


def test_what_one_text_tells_to_be_personal_is_known_in_all() -> None:
    passages = Retrieved(
        [Passage("a", "Please call 02079460958. Roe was born on 3 April 1978."), Passage("b", "Ms. Roe")]
    )
    trace = Trace(answer="Roe: 3 April 1978, 02079460958.", retrieved=passages)
    assert redact_item(Item(Question("q", "?", "answer"), trace)).trace.answer == "NAME-1: BIRTH-1, PHONE-1."


PLACES = (
    "My address is 12 Main Street, Springfield, IL 62704", "I live at 4 Oak Avenue, Leeds LS1 4AP",
    "My parents live at 640 Cedar Blvd., Reno, NV 89501", "I moved into 4 Oak Street",
    "Her home address: 7 King's Court, Flat 3, Portland, Oregon 97201",
)  # fmt: skip


@pytest.mark.parametrize("text", PLACES)
def test_an_address_goes_with_its_town_and_code(text: str) -> None:
    assert redact(f"{text}. The fee is EUR 5.").endswith(" ADDRESS-1. The fee is EUR 5.")


BIRTHS = (
    "Geburtsdatum: 03.04.1978", "born on 3 April 1978", "geboren am 3. April 1978", "né le 3 avril 1978",
    "birthday is April 3, 1978", "Date of birth (DD/MM/YYYY): 03/04/1978", "born in Leeds on 3rd April 1978",
    "fecha de nacimiento: 3 de abril de 1978", "Geburtstag meiner Frau: 3.4.1978", "DOB = 03-04-1978",
)  # fmt: skip


@pytest.mark.parametrize("text", BIRTHS)
def test_a_day_that_is_called_somebodys_birth_is_personal(text: str) -> None:
    assert redact(f"It says {text}, and so on.").endswith(" BIRTH-1, and so on.")


def test_people_are_known_by_a_title_a_greeting_or_a_signature() -> None:
    text = "Dear Anna Kowalska,\nDr. Weber and Mr O'Neil agree. My name is Jo van Dyk.\nBest regards,\nJo van Dyk"
    assert redact(text) == ("Dear NAME-1,\nDr. NAME-2 and Mr NAME-3 agree. My name is NAME-4.\nBest regards,\nNAME-4")


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
    assert redact(f"My {text}, please.").endswith("ID-1, please.")
    assert redact("born 12.03.1971") == "born BIRTH-1"


@pytest.mark.parametrize(
    "text",
    [
        "The account is 30 days overdue.", "An account of 2023 and 2024", "Tax number of employees: 12",
        "credited to your account 1,250,000.00 euros", "policy no. HV-2291-88123", "Dear Anna May, it is due in May.",
    ],
)  # fmt: skip
def test_words_that_also_stand_before_other_numbers(text: str) -> None:
    assert redact(text).replace("NAME-1", "Anna May") == text


def test_titles_may_be_stacked_and_a_surname_is_known_throughout() -> None:
    assert redact("Dear Dr. Brandt, thank you.") == "Dear Dr. NAME-1, thank you."
    assert redact("Sehr geehrte Frau Dr. Keller,") == "Sehr geehrte Frau Dr. NAME-1,"
    assert redact("Herrn Prof. Dr. med. Jan Weber") == "Herrn Prof. Dr. med. NAME-1"
    item = Item(Question("q", "I am Dr. Helga Brandt.", "answer"), Trace(answer="Frau Brandt, it is due. Brandt pays."))
    assert redact_item(item).trace.answer == "Frau NAME-1, it is due. NAME-1 pays."


def test_what_a_trace_is_called_is_hashed_where_it_tells_who() -> None:
    assert redact_name("4bf92f3577b34da6a3ce929d0e0e4736") == "4bf92f3577b34da6a3ce929d0e0e4736"
    for name in ("session/ann@acme.com", "whatsapp:+4915112345678"):
        assert len(redact_name(name)) == 64 and redact_name(redact_name(name)) == redact_name(name)


def test_what_is_not_there_stays_so() -> None:
    trace = Trace(question="Call 212-555-0187?", error="no route to 10.1.2.200")
    assert redacted(trace, Redactor()) == Trace(question="Call PHONE-1?", error="no route to HOST-1")


@given(
    st.lists(st.one_of(st.sampled_from(PERSONAL + HARMLESS), st.text(max_size=12), st.sampled_from([" ", "-", "."])))
)
def test_redacting_again_changes_nothing(parts: list[str]) -> None:
    once = redact("".join(parts))
    assert redact(once) == once


@pytest.mark.parametrize(
    "said",
    ["_max@huber.com_", "__max@huber.com__", "max@huber.com_2026",
     "inbox-max@huber.com-p4"],
)  # fmt: skip
def test_marks_of_emphasis_and_of_ids_hide_no_address(said: str) -> None:
    found = redact(f"Ask {said} about it.")
    assert "huber" not in found


def test_the_id_of_a_question_is_made_of_what_may_be_known() -> None:
    ids = []
    for number in ("+49 170 1234567", "+49 170 7654321"):
        text = f"Whose phone number is {number}?"
        ids.append(redact_item(Item(Question(id_of_text(text), text, "answer"), Trace(answer="So."))).question.id)
    assert ids[0] == ids[1] == id_of_text("Whose phone number is PHONE-1?")
