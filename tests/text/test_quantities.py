from __future__ import annotations

import pytest

from surefoot.graders.figures import worded_as
from surefoot.text.numbers import Numbered, numbered, quantities
from tests.growth import grows_evenly


def read(text: str) -> list[tuple[float, str]]:
    return [(one.value, one.kind) for one in quantities(text)]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("RMB500", 500, "CNY"), ("500 yuan", 500, "CNY"), ("USD 500", 500, "USD"), ("US$500", 500, "USD"),
        ("Rs. 500", 500, "INR"), ("Rs.500", 500, "INR"), ("₹1,00,000", 100_000, "INR"), ("Rs 5 lakh", 500_000, "INR"),
        ("kr 500", 500, "kr"), ("500 kr", 500, "kr"), ("CHF500", 500, "CHF"), ("120 Swiss francs", 120, "CHF"),
        ("SGD2,000", 2_000, "SGD"), ("A$14,500", 14_500, "AUD"), ("38 zł", 38, "PLN"), ("ZAR900", 900, "ZAR"),
        ("500RMB", 500, "CNY"), ("TRY 75", 75, "TRY"), ("KES1.5 million", 1_500_000, "KES"), ("$1.8 bn", 1.8e9, "USD"),
        ("try 75 times", 75, "number"), ("all 500 guests", 500, "number"), ("the top 500", 500, "number"),
    ],
)  # fmt: skip
def test_a_currency_may_be_glued_to_either_side_of_its_number(text: str, value: float, kind: str) -> None:
    assert read(text) == [(value, kind)]


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("18:00", 1_080),
        ("6 pm", 1_080),
        ("6.30 am", 390),
        ("noon", 720),
        ("12 noon", 720),
        ("24:00", 0),
        ("9:05 a.m.", 545),
    ],
)
def test_a_time_of_day_is_one_quantity(text: str, minutes: int) -> None:
    assert read(f"It closes at {text}") == [(minutes, "time of day")]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("It lasts a year", 12, "months"), ("for half a year", 6, "months"), ("within a fortnight", 14, "days"),
        ("two and a half years", 30, "months"), ("2½ years", 30, "months"), ("a dozen keys", 12, "number"),
        ("half of the rent", 50, "%"), ("It is nil", 0, "number"), ("FY23", 2023, "year"), ("FY2022", 2022, "year"),
        ("in the 1990s", 1990, "year"), ("their 20s", 20, "number"), ("a 20s pause", 20, "seconds"),
        ("Q3 500 units", 500, "number"), ("Q1 2023", 2023, "year"), ("three decades", 360, "months"),
    ],
)  # fmt: skip
def test_words_fractions_and_fiscal_years(text: str, value: float, kind: str) -> None:
    assert read(text) == [(value, kind)]


@pytest.mark.parametrize("text", ["EUR 500 a year", "EUR 500 once a year", "EUR 500 per month"])
def test_how_often_is_no_period(text: str) -> None:
    assert read(text) == [(500, "EUR")]


@pytest.mark.parametrize("same", ["４０ mg", "٤٠ mg", "４０ ｍｇ"])
def test_digits_of_another_script_are_the_same_digits(same: str) -> None:
    assert quantities(same)[0].agrees(quantities("40 mg")[0])


@pytest.mark.parametrize("written", ["4ο0", "4o0", "4О", "4⁰", "4O", "1l000"])
def test_a_number_with_look_alikes_in_it_is_only_what_is_written(written: str) -> None:
    found = quantities(f"{written} mg")[0]
    plain = [quantities(f"{number} mg")[0] for number in (4, 40, 400, 1_000)]
    assert not any(found.agrees(other) for other in plain) and found.agrees(quantities(f"{written} g")[0])


def test_a_footnote_mark_in_a_source_does_not_hide_its_number() -> None:
    assert quantities("5,000 units")[0].agrees(quantities("5,000¹ units")[0])
    assert not quantities("65 %")[0].agrees(quantities("6⁵ %")[0])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("12 months", "365 days", True), ("12 months", "360 days", False), ("NOK 500", "500 kr", True),
        ("EUR 500", "500 kr", False), ("NOK 500", "SEK 500", False), ("10:00", "18:00", False), ("10:00", "10", False),
        ("5mg", "5 mg", True), ("5mg", "5g", False), ("5 mg", "5 Mg", False), ("150kW", "150MW", False),
        ("0.45 MPa", "450 kPa", True), ("2.5 tonnes", "2,500 kg", True), ("1.2 cubic metres", "1,200 litres", True),
        ("48 hours", "two days", True), ("20min", "20s", False),
        ("500 ms", "0.5 s", True), ("60 km/h", "60 mph", False),
        ("5 feet", "5 metres", False),
        ("5", "5 kg", True), ("one litre", "1,000 ml", True), ("2000 kg", "2 t", True), ("3 GB", "3,000 MB", True),
        ("2 percentage points", "2 %", False), ("50 bps", "0.5 percentage points", True), ("50 bps", "0.5%", True),
    ],
)  # fmt: skip
def test_what_agrees(one: str, other: str, same: bool) -> None:
    assert quantities(one)[0].agrees(quantities(other)[0]) == same


@pytest.mark.parametrize(
    ("text", "name", "number"),
    [
        ("in Q3 of each year", "quarter", "3"), ("in the third quarter", "quarter", "3"), ("3Q23", "quarter", "3"),
        ("H2 2023", "half", "2"), ("firmware v3", "version", "3"), ("version 3.1", "version", "3.1"),
        ("four M8 screws", "m", "8"),
    ],
)  # fmt: skip
def test_things_that_a_number_tells_apart(text: str, name: str, number: str) -> None:
    assert numbered(text) == {Numbered(name, number)}


@pytest.mark.parametrize("text", ["under section 4", "RMB500", "FY23", "(clause 4.2)", "Section 4 states that"])
def test_amounts_years_and_pointers_to_a_source_are_no_such_things(text: str) -> None:
    assert not numbered(text)


@pytest.mark.parametrize(
    ("claim", "passage", "worded"),
    [
        ("Delivery is not tax free.", "There is no charge for delivery.", "Delivery is not tax free."),
        ("It lasts a year.", "It lasts twelve months.", "It lasts twelve months."),
        ("12 keys", "a dozen keys", "a dozen keys"),
        ("1.5k followers", "1,500 followers", "1,500 followers"),
        ("It lifts 2.5 tonnes.", "It lifts 2,500 kg.", "It lifts 2,500 kg."),
        ("It lifts 2.5 kg.", "It lifts 2,500 kg.", "It lifts 2.5 kg."),
        ("It costs 500 kr.", "It costs NOK 500.", "It costs NOK 500."),
        ("It costs 600 kr.", "It costs NOK 500.", "It costs 600 kr."),
    ],
)
def test_equal_amounts_are_worded_as_the_passage_words_them(claim: str, passage: str, worded: str) -> None:
    assert worded_as(claim, passage) == worded


def test_long_texts_take_no_longer_per_number() -> None:
    assert grows_evenly(lambda times: quantities.__wrapped__("RMB500 at 18:00 in Q3, 4o0 or a year " * times), 50)


def test_quantities_are_in_order_and_apart() -> None:
    found = quantities("By 5 May 2024 at 6 pm half of EUR 500 within a year")
    assert [one.kind for one in found] == ["date", "time of day", "%", "EUR", "months"]
