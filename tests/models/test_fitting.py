from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from surefoot.models.dialects import Answer
from surefoot.models.fitting import fitted
from surefoot.models.replies import read
from surefoot.models.schema import problem
from surefoot.models.seam import Prompt, Schema
from tests.models.schemas import VERDICT, asking
from tests.models.test_schema import JSON

GOOD = {"verdict": "yes", "score": 7}
LISTING: Schema = {
    "type": "object",
    "properties": {
        "reading": {"type": "string", "enum": ["not_enough", "P1"]},
        "notes": {"type": "string", "maxLength": 10},
        "quotes": {"type": "array", "items": {"type": "string"}},
        "score": {"type": ["integer", "null"], "minimum": 1, "maximum": 10},
    },
    "required": ["reading", "notes", "quotes", "score"],
    "additionalProperties": False,
}
PLAIN: dict[str, Any] = {"reading": "P1", "notes": "", "quotes": [], "score": None}


@pytest.mark.parametrize(
    "value",
    [
        {**GOOD, "overall": 8.15, "ranking": ["A"]},
        {**GOOD, "score": "7"},
        {**GOOD, "score": "7/10"},
        {**GOOD, "score": " 7.0 / 10 "},
        {**GOOD, "verdict": "Yes"},
        {**GOOD, "verdict": "**yes**"},
        {"result": GOOD},
    ],
)
def test_the_same_in_another_form_is_read(value: Any) -> None:  # noqa: ANN401
    found = fitted(value, VERDICT)
    assert found == GOOD and not problem(found, VERDICT)


@pytest.mark.parametrize(
    "value",
    [
        {**GOOD, "score": "7/5"},
        {**GOOD, "score": "seven"},
        {**GOOD, "score": 95},
        {**GOOD, "score": True},
        {**GOOD, "verdict": "yes and no"},
        {**GOOD, "verdict": None},
        {"verdict": "yes"},
        {"result": {"verdict": "yes"}},
        {"result": 7},
        {},
        [],
        None,
    ],
)
def test_what_was_not_said_is_not_made_up(value: Any) -> None:  # noqa: ANN401
    assert problem(fitted(value, VERDICT), VERDICT)


def test_what_may_be_empty_may_be_left_out() -> None:
    assert fitted({"reading": "p1:"}, LISTING) == PLAIN
    assert fitted({"reading": "P1", "notes": None, "quotes": None, "score": None}, LISTING) == PLAIN
    told = {"reading": "Not enough", "notes": "x" * 40, "quotes": [40, "forty"], "score": "9"}
    wanted = {"reading": "not_enough", "notes": "x" * 10, "quotes": ["40", "forty"], "score": 9}
    assert fitted(told, LISTING) == wanted
    assert problem(fitted({"notes": "no reading"}, LISTING), LISTING)


def test_one_item_is_a_list_of_one_and_parts_are_found_behind_references() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {"all": {"type": "array", "items": {"$ref": "#/$defs/one"}}, "either": {"anyOf": [
            {"type": "integer"}, {"type": "string", "enum": ["none"]}
        ]}},
        "required": ["all"],
        "additionalProperties": False,
        "$defs": {"one": VERDICT},
    }  # fmt: skip
    found = fitted({"all": {**GOOD, "score": "7", "x": 1}, "either": "None"}, schema)
    assert found == {"all": [GOOD], "either": "none"} and not problem(found, schema)
    assert fitted({"all": [], "either": "5"}, schema)["either"] == 5


@given(JSON)
def test_whatever_it_is_it_can_be_fitted_and_fitted_again(value: Any) -> None:  # noqa: ANN401
    once = fitted(value, LISTING)
    assert fitted(once, LISTING) == once


def test_what_was_cut_off_is_never_taken_whole() -> None:
    assert "cut off" in read(Answer("All is we", cut=True), Prompt("p")).problem
    assert "cut off" in read(Answer('{"verdict": "yes", "score": 7} or rather {"verd', cut=True), asking("p")).problem
    assert read(Answer('{"verdict": "yes", "score": "7/10", "why": 1}'), asking("p")).value == GOOD
