from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.models.schema import check, problem
from tests.models.schemas import VERDICT

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
        ({"verdict": "yes", "score": 11}, "the reply's 'score' is more than 10"),
        ({"verdict": "yes", "score": -5}, "the reply's 'score' is less than 0"),
        ({"verdict": "yes", "score": 7.5}, "the reply's 'score' is not of type integer"),
        ({"verdict": "yes", "score": True}, "the reply's 'score' is not of type integer"),
        ({"verdict": "yes", "score": float("nan")}, "the reply's 'score' is not of type integer"),
        ({"verdict": "yes", "score": "7"}, "the reply's 'score' is not of type integer"),
        ({"verdict": "yes", "score": 10**400}, "the reply's 'score' is more than 10"),
        ({"verdict": "maybe", "score": 7}, "the reply's 'verdict' is not one of yes, no"),
        ({"verdict": "yes"}, "the reply has no 'score'"),
        ({"verdict": "yes", "score": 7, "extra": 1}, "the reply has 'extra', which was not asked for"),
        ([], "the reply is not of type object"),
        (None, "the reply is not of type object"),
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


def test_a_keyword_that_cannot_be_checked_is_not_passed_over() -> None:
    inner = {"type": "string", "pattern": "y"}
    for schema in ({"properties": {"a": inner}}, {"$defs": {"a": inner}}, {"anyOf": [inner]}, {"items": inner}, inner):
        with pytest.raises(ValueError, match="'pattern'"):
            check({**schema, "type": "object"})
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
