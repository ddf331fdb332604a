"""Replies are read as they were meant, and checked against the schema that was asked for."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.models.dialects import Answer
from surefoot.models.replies import check, fitted, problem, read
from surefoot.models.seam import Prompt, Schema
from tests.models.schemas import VERDICT, asking

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"verdict": "yes", "score": 7}, ""),
        ({"verdict": "yes", "score": 7.0}, ""),
        ({"verdict": "yes", "score": 10}, ""),
        ({"verdict": "yes", "score": 11}, "the reply.score must be smaller than or equal to 10"),
        ({"verdict": "yes", "score": -5}, "the reply.score must be bigger than or equal to 0"),
        ({"verdict": "yes", "score": 7.5}, "the reply.score must be integer"),
        ({"verdict": "yes", "score": True}, "the reply.score must be integer"),
        ({"verdict": "yes", "score": float("nan")}, "the reply.score must be integer"),
        ({"verdict": "yes", "score": "7"}, "the reply.score must be integer"),
        ({"verdict": "yes", "score": 10**400}, "the reply.score must be smaller than or equal to 10"),
        ({"verdict": "maybe", "score": 7}, "the reply.verdict must be one of ['yes', 'no']"),
        ({"verdict": "yes"}, "the reply must contain ['score'] properties"),
        ({"verdict": "yes", "score": 7, "extra": 1}, "the reply must not contain {'extra'} properties"),
        ([], "the reply must be object"),
        (None, "the reply must be object"),
    ],
)
def test_the_first_thing_that_does_not_fit_is_named(value: object, wrong: str) -> None:
    assert problem(value, VERDICT) == wrong


@pytest.mark.parametrize(
    ("schema", "fits", "fits_not"),
    [
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, None, "x"),
        ({"type": ["integer", "null"]}, 3, "x"),
        ({"const": 1}, 1, True),
        ({"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 2}, ["a"], ["a", ""]),
        ({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2}, ["a"], []),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}, {"a": "b"}),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "boolean"}}}, True, 1),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5, 1),
        ({"type": "string", "maxLength": 2}, "ab", "abc"),
    ],
)  # fmt: skip
def test_every_keyword_counts(schema: dict[str, Any], fits: object, fits_not: object) -> None:
    assert problem(fits, schema) == "" and problem(fits_not, schema) != ""


def test_a_schema_that_no_reply_can_be_checked_against_is_refused() -> None:
    for schema in ({"properties": {"a": {"type": "text"}}}, {"properties": {"a": {"$ref": "#/$defs/none"}}}):
        with pytest.raises(ValueError, match="cannot be checked against the schema"):
            check({"type": "object", **schema})
    with pytest.raises(ValueError, match="one of an object"):
        check({"type": "string"})
    check(VERDICT)
    check(msgspec.json.schema(Outer))


@given(JSON)
def test_any_value_is_judged_and_only_verdicts_fit(value: Any) -> None:  # noqa: ANN401
    if problem(value, VERDICT) == "":
        assert value["verdict"] in ("yes", "no") and 0 <= value["score"] <= 10 and len(value) == 2


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    label: str
    share: float | None = None


class Outer(msgspec.Struct):
    inner: list[Inner]


@given(JSON | st.builds(lambda x: {"inner": [{"label": x}]}, JSON) | st.builds(lambda x: {"inner": x}, JSON))
def test_it_agrees_with_msgspec(value: Any) -> None:  # noqa: ANN401
    try:
        msgspec.convert(value, Outer)
        fits = True
    except msgspec.ValidationError:
        fits = False
    assert (problem(value, msgspec.json.schema(Outer)) == "") == fits


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


def test_one_item_is_a_list_of_one() -> None:
    schema: Schema = {"type": "object", "properties": {"all": {"type": "array", "items": VERDICT}}, "required": ["all"]}
    found = fitted({"all": {**GOOD, "score": "7", "x": 1}}, schema)
    assert found == {"all": [GOOD]} and not problem(found, schema)


@given(JSON)
def test_whatever_it_is_it_can_be_fitted_and_fitted_again(value: Any) -> None:  # noqa: ANN401
    once = fitted(value, LISTING)
    assert fitted(once, LISTING) == once


def test_what_was_cut_off_is_never_taken_whole() -> None:
    assert "cut off" in read(Answer("All is we", cut=True), Prompt("p")).problem
    assert "cut off" in read(Answer('{"verdict": "yes", "score": 7} or rather {"verd', cut=True), asking("p")).problem
    assert read(Answer('{"verdict": "yes", "score": "7/10", "why": 1}'), asking("p")).value == GOOD
