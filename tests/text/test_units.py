from __future__ import annotations

import pytest

from surefoot.text.numbers import amounts_of, ratio, unit_in


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("220 cm", "cm"), ("3 million litres", "l"), ("650p", "pence"), ("£5", "GBP"), ("two weeks", "days"),
        ("12 °C", "°c"), ("31 km²", "km²"), ("60 km/h", "km/h"), ("5m", "?"), ("7h30", "?"),
        ("5mg", "mg"), ("5 Mg", "Mg"), ("150 mW", "mW"), ("150MW", "MW"), ("10 KWH", "kWh"), ("5 μg", "µg"),
        ("1.2 cubic metres", "m³"), ("5 sqm", "m²"), ("10 mL", "ml"), ("2 percentage points", "percentage points"),
        ("14 moons", ""), ("14 members", ""), ("40%", ""),
    ],
)  # fmt: skip
def test_units_of_numbers(text: str, unit: str) -> None:
    assert amounts_of(f"It was {text} then.")[0].unit == unit


@pytest.mark.parametrize(
    ("label", "unit"),
    [
        ("Depth (m)", "m"), ("Weight, kg", "kg"), ("Hours worked", "hours"), ("Results (EUR thousand)", "EUR"),
        ("Prices in pounds", "GBP"), ("Orders per hours", ""), ("Fee of €500 and more", ""), ("Moons", ""),
        ("Price (EUR or USD)", "?"),
    ],
)  # fmt: skip
def test_units_of_headings(label: str, unit: str) -> None:
    assert unit_in(label) == unit


@pytest.mark.parametrize(
    ("one", "other", "times"),
    [
        ("m", "cm", 100),
        ("pence", "GBP", 0.01),
        ("cents", "USD", 0.01),
        ("hours", "minutes", 60),
        ("years", "months", 12),
        ("MPa", "kPa", 1_000),
        ("m³", "l", 1_000),
        ("t", "kg", 1_000),
        ("feet", "m", 0.3048),
        ("mph", "km/h", 1.609344),
    ],
)
def test_what_converts(one: str, other: str, times: float) -> None:
    assert ratio(one, other) == pytest.approx(times) and ratio(other, one) == pytest.approx(1 / times)


@pytest.mark.parametrize(("one", "other"), [("m", "kg"), ("feet", "lb"), ("cents", "GBP"), ("EUR", "USD"), ("?", "m")])
def test_what_does_not(one: str, other: str) -> None:
    assert ratio(one, other) is None


@pytest.mark.parametrize(
    ("text", "is_negative"),
    [("-12 °C", True), ("−$5", True), ("minus 5", True), ("(5)", None), ("2-5", False), ("5", False)],
)
def test_signs(text: str, is_negative: bool | None) -> None:
    assert amounts_of(f"It was {text}")[-1].is_negative is is_negative
