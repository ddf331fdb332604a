from __future__ import annotations

import pytest

from surefoot.text.numbers import amounts_of
from surefoot.text.tables import Table, tables_of

FERRIES = """Ferry traffic at Port Alder (thousands)
Route | 2021 | 2022
Skarvik | 118 | 131
Lunde | 44 | -
Total | 162 | 131"""


def only(text: str) -> Table:
    (table,) = tables_of(text)
    return table


def test_rows_columns_title_and_scale() -> None:
    table = only(FERRIES)
    assert [row.text for row in table.rows] == ["Skarvik", "Lunde", "Total"]
    assert [column.text for column in table.columns] == ["2021", "2022"]
    assert table.cells[0][1].value == 131 and table.cells[0][1].scale == 1e3 and table.cells[1][1].value is None
    assert {"ferry", "traffic"} <= table.around


@pytest.mark.parametrize(
    "text",
    [
        "| Route | 2021 |\n|:---|---:|\n| Skarvik | 118 |\n| Lunde | 44 |",
        "Route\t2021\nSkarvik\t118\nLunde\t44",
        "Route | 2021\nSkarvik | 118\nLunde | 44",
        " | 2021\nSkarvik | 118\nLunde | 44",
        "Some prose.\n\n|Route|2021|\n|---|---|\n|**Skarvik**|118|\n|Lunde|44|\n\nMore prose.",
    ],
)
def test_written_in_any_way(text: str) -> None:
    table = only(text)
    assert [row.text for row in table.rows] == ["Skarvik", "Lunde"] and table.columns[0].text == "2021"
    assert [row[0].value for row in table.cells] == [118, 44]


@pytest.mark.parametrize(
    ("cell", "value", "kind"),
    [
        ("(1,204)", -1204, "number"), ("$ (12.5)", -12.5, "USD"), ("€3.2m", 3.2e6, "EUR"), ("(4.1)%", -4.1, "%"),
        ("38 %", 38, "%"), ("1,750 (2)", 1750, "number"), ("77*", 77, "number"), ("14 days", 14, "days"),
        ("3 May 2024", 20240503, "date"), ("n/a", None, "empty"), ("—", None, "empty"), ("07:15", None, "text"),
        ("max 5", None, "text"), ("closed", None, "text"), ("350–450", None, "text"), ("−3.0", -3, "number"),
    ],
)  # fmt: skip
def test_cells(cell: str, value: float | None, kind: str) -> None:
    found = only(f"Item | Value | Count\nOne | {cell} | 5\nTwo | 6 | 7").cells[0][0]
    assert found.value == value
    assert found.kind in (kind, "number or %") or kind == "number"


def test_headings_over_several_columns() -> None:
    table = only(" | North |  | South | \n | 2020 | 2021 | 2020 | 2021\nCows | 5 | 6 | 7 | 8\nPigs | 1 | 2 | 3 | 4")
    assert [column.text for column in table.columns] == ["North 2020", "North 2021", "South 2020", "South 2021"]


def test_what_follows_a_second_header_is_left_out() -> None:
    (first,) = tables_of(" | 2019 | 2018\nCows | 5 | 6\nPigs | 1 | 2\n | 2017 | 2016\nCows | 7 | 8\nPigs | 3 | 4")
    assert [row.text for row in first.rows] == ["Cows", "Pigs"] and first.cells[0][0].value == 5


def test_sections_are_no_rows() -> None:
    table = only(" | 2019 | 2018\nIncome: | | \nFees | 5 | 6\nOther | 1 | 2")
    assert [row.text for row in table.rows] == ["Fees", "Other"] and "income" in table.rows[0].all_words


@pytest.mark.parametrize(
    "text", ["", "No table.", "a | b", "a | b | c\nd | e\nf | 1 | 2 | 3", "x | y\nyes | no\nno | yes", "|\n|\n|"]
)
def test_what_is_no_table(text: str) -> None:
    assert tables_of(text) == ()


@pytest.mark.parametrize(
    ("text", "value", "match"),
    [
        ("1,497", 1496.5, "same"), ("1,496", 1496.9, "near"), ("1,496", 1497.0, "other"),
        ("2.6 billion", 2.578e9, "same"),
        ("about 1,500", 1496.5, "same"), ("1,500", 1496.5, "near"), ("about 1,500", 1300, "other"), ("12", 13, "other"),
        ("five", 5, "same"), ("nearly 40%", 39.6, "same"), ("40.1%", 40.0, "other"),
    ],
)  # fmt: skip
def test_amounts_mean_what_they_are_rounded_from(text: str, value: float, match: str) -> None:
    assert amounts_of(f"It was {text} then.")[0].match(value) == match
