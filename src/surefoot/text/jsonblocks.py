"""JSON objects inside a text that a model wrote: fenced or bare, behind any amount of prose, several in a row.

JSON is taken strictly: no NaN, no infinite number, no key twice in one object. Two slips change nothing that it says
and are read over: a comma behind the last item, and Python's way of writing strings, True, False and None. A text is
walked through once, with no recursion and no backtracking, so that no text is slow. Quotes mean nothing outside of an
object. Where an object turns out to be broken, so is everything in it, and the search goes on behind the place where
it broke.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import isfinite
from typing import Any, NoReturn, cast

from surefoot.types import without_surrogates

Block = dict[str, Any]

_STRING = r'"(?:[^"\\]++|\\.)*+"'
_OF_PYTHON = r"'(?:[^'\\]++|\\.)*+'"
_TOKEN = re.compile(
    rf"[ \t\r\n]*+(?:({_STRING}|{_OF_PYTHON})"
    r"|(-?[0-9][0-9.eE+-]*+|true|false|null|True|False|None|NaN|-?Infinity)|([{}\[\],:]))",
    re.DOTALL,
)
_SLIP = re.compile(rf"{_STRING}|({_OF_PYTHON})|(True|False|None)|,(?=[ \t\r\n]*+[}}\]])", re.DOTALL)
_ESCAPE = re.compile(r'\\(.)|"', re.DOTALL)
_ESCAPED = {"'": "'", "x": r"\u00", None: r"\""}
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_OPEN_QUOTE = re.compile(r"""[ \t\r\n]*+["']""")
# What may come next, by what came last inside an object or array: a string, another value, or a mark.
_AFTER = {
    "{": {"string": "key", "}": "end"},
    "key": {":": ":"},
    ":": {"string": "member", "value": "member", "{": "{", "[": "["},
    "member": {",": "{", "}": "end"},
    "[": {"string": "element", "value": "element", "{": "{", "[": "[", "]": "end"},
    "element": {",": "[", "]": "end"},
}


def blocks(text: str) -> list[Block]:
    """Every outermost JSON object of the text, in order."""
    found = (_decoded(text[start:end]) for start, end in spans(text))
    return [block for block in found if block is not None]


def last_valid(text: str, accept: Callable[[Block], bool]) -> Block | None:
    """The last object that `accept` takes: models think aloud, and what they say last is what they mean."""
    return next((block for block in reversed(blocks(text)) if accept(block)), None)


def spans(text: str) -> list[tuple[int, int]]:
    """Where every outermost JSON object of the text stands, in order, also those that are whole but not taken."""
    found = []
    at = text.find("{")
    while at != -1:
        whole, end = _walk(text, at)
        if whole:
            found.append((at, end))
        at = text.find("{", end)
    return found


def why_broken(text: str) -> str:
    """Why the last object that is whole but not taken is not, or nothing."""
    for start, end in reversed(spans(text)):
        try:
            forgiving(text[start:end])
        except ValueError as error:
            return "a number has too many digits" if "integer string" in str(error) else str(error)
    return ""


def strict(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """One JSON value and nothing else; ValueError says what is wrong with it."""
    try:
        value = _DECODER.decode(text)
        return without_surrogates(value) if "\\u" in text else value
    except RecursionError:
        raise ValueError("nested too deeply") from None


def forgiving(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """The same, with slips that change nothing read over."""
    return strict(_without_slips(text))


def _decoded(text: str) -> Block | None:
    """What is in braces is an object."""
    try:
        return cast(Block, forgiving(text))
    except ValueError:
        return None


def _without_slips(text: str) -> str:
    def in_json(found: re.Match[str]) -> str:
        if found[1]:
            inner = _ESCAPE.sub(lambda part: _ESCAPED.get(part[1], part[0]), found[1][1:-1])
            return f'"{inner}"'
        return _CONSTANTS[found[2]] if found[2] else "" if found[0] == "," else found[0]

    return _SLIP.sub(in_json, text)


def _walk(text: str, start: int) -> tuple[bool, int]:
    """Whether the object that opens at `start` is whole, and its end; or where to look for the next one.

    That is where this one broke, or inside the string before: what looked like a string may have been prose between
    two quotes that holds the opening of an object.
    """
    enclosing: list[str] = []  # what the objects and arrays around this one go on with
    state, at, resume = "{", start + 1, start + 1
    while token := _TOKEN.match(text, at):
        kind = ("string", "value", token[3])[(token.lastindex or 1) - 1]
        following = _AFTER[state].get(kind or "")
        if following is None:
            return False, resume
        at = token.end()
        resume = token.start(1) + 1 if kind == "string" else at
        if kind in ("{", "["):
            enclosing.append("member" if state == ":" else "element")
        if following == "end":
            if not enclosing:
                return True, at
            following = enclosing.pop()
        state = following
    broken = _OPEN_QUOTE.match(text, at)  # a string that never ends
    return False, broken.end() if broken else resume


def _no_repeats(pairs: list[tuple[str, Any]]) -> Block:
    made: Block = {}
    for key, value in pairs:
        if key in made:
            raise ValueError(f"the key {key[:80]!r} stands twice in one object")
        made[key] = value
    return made


def _finite(digits: str) -> float:
    if not isfinite(number := float(digits)):
        raise ValueError(f"the number {digits[:20]} is too large")
    return number


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_no_repeats, parse_float=_finite, parse_constant=_no_constant)
