from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.text.jsonblocks import blocks, last_valid, strict
from tests.growth import grows_evenly

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)

OBJECTS = st.dictionaries(st.text(max_size=6), VALUES, max_size=4)


@given(OBJECTS, st.integers(0, 2), st.booleans())
def test_what_json_writes_is_read_back(value: dict[str, object], indent: int, ascii_only: bool) -> None:
    written = json.dumps(value, indent=indent or None, ensure_ascii=ascii_only)
    for text in (written, f"Thus:\n```json\n{written}\n```\nThat is all.", f'He said "so. {written}'):
        assert blocks(text) == [json.loads(json.dumps(value).encode("utf-8", "replace"))]


@given(OBJECTS, OBJECTS, st.text(alphabet='{}[]":,\\ a1\n', max_size=40))
def test_a_block_behind_any_rubbish_is_found(first: dict[str, object], last: dict[str, object], between: str) -> None:
    """Unless the rubbish opened a string or an object that takes the block in; a fence ends both."""
    found = blocks(f"{json.dumps(first)} {between}\n```\n{json.dumps(last)}")
    if '"' not in between:
        assert found[0] == first and found[-1] == last


@given(st.text(alphabet=st.characters(codec=None), max_size=200) | st.text(alphabet='{}[]":,\\ne1 ', max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    for block in blocks(text):
        assert strict(json.dumps(block)) == block


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("no braces, 5\" of rain", []),
        ('{"a": 1} and {"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{"a": {"b": [{"c": "}"}]}} tail', [{"a": {"b": [{"c": "}"}]}}]),
        ('{x "y} {"a": "quote \\" and } brace"}', [{"a": 'quote " and } brace'}]),
        ('use {"} and then {"a": 1}', [{"a": 1}]),
        ('{"note: {"a": 1}', [{"a": 1}]),
        ('{"a": 1,} {"b": 2}', [{"a": 1}, {"b": 2}]),
        ("{'a': 1} {\"b\": 2}", [{"a": 1}, {"b": 2}]),
        ('{“a”: 1} {"b": 2}', [{"b": 2}]),
        ('{"a": NaN} {"a": Infinity} {"a": -Infinity} {"a": 1e999}', []),
        ('{"a": 1, "a": 2} {"b": {"c": 1, "c": 1}}', []),
        ('{"a": tru} {"a": 01} {"a": 1.} {"b": 1}', [{"b": 1}]),
        ('{"outer": {"inner": 1}, broken', []),
        ('{"cut": {"a": 1}', []),
        ('{ {"a": 1}', [{"a": 1}]),
        ('[{"a": 1}, {"b": 2}]', [{"a": 1}, {"b": 2}]),
        ('{"a": "\\ud800"}', [{"a": "?"}]),
        ('{"a": "line\nbreak"} {"b": 1}', [{"b": 1}]),
        ("{} {}", [{}, {}]),
    ],
)  # fmt: skip
def test_blocks(text: str, found: list[object]) -> None:
    assert blocks(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": [1, 2,], "b": {"c": ",}",},}', {"a": [1, 2], "b": {"c": ",}"}}),
        (str({"a": 'it\'s "so"', "b": [True, False, None], "c": "x\ny\\\x07é"}), None),
        ("Here: {'a': 'True, it is', \"b\": None} so", {"a": "True, it is", "b": None}),
        ("{'a': 1, 'a': 2}", ...),
        ('{"a": 1,,}', ...),
        ("{, 'a': 1}", ...),
        ("{'a': yes}", ...),
        ("{'a': 'b}", ...),
    ],
)
def test_slips_that_change_nothing_are_read_over(text: str, found: object) -> None:
    wanted = [] if found is ... else [found if found is not None else ast.literal_eval(text)]
    assert blocks(text) == wanted


def test_the_last_block_that_is_accepted() -> None:
    text = '{"verdict": 1} "Thought process: {"verdict": 2} {"other": 3} {"verdict": 4, "verdict": 5}'
    assert last_valid(text, lambda block: "verdict" in block) == {"verdict": 2}
    assert last_valid(text, lambda block: "none" in block) is None


@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [
        ("", "{", ""),
        ('{"', "\\", ""),
        ('{"a": "', "\\", '\\"}'),
        ("", '{"a":', ""),
        ('{"a":[' * 900, "{},", ""),
        ("", '{"', ""),
        ("", '{"\\"', ""),
        ("", '{"a":"', ""),
        ("", '{"a":[{"b":"', ""),
        ("{", " ", "x"),
        ('{"', "{ ", '" x'),
        ('{"a": ', "1", "}"),
    ],
)
def test_no_text_is_slow(before: str, piece: str, after: str) -> None:
    for pieces in (8_000, 100_000 // len(piece)):
        assert grows_evenly(lambda times: blocks(before + piece * times + after), pieces)
    assert blocks(before + piece * 50_000 + after) == []


def test_deep_nesting_is_not_slow() -> None:
    assert grows_evenly(lambda depth: blocks('{"a":' * depth + "1" + "}" * depth), 5_000)


def test_strict_says_what_is_wrong() -> None:
    for text, why in [("{", "Expecting"), ('{"a":1,"a":1}', "twice"), ("NaN", "NaN"), ("[" * 100_000, "deeply")]:
        with pytest.raises(ValueError, match=why):
            strict(text)
