"""A corpus about a mill, questions that were proposed about it, and their tab of the app served by the real command."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .. import served
from ..browser import _watched, browser, console, page, window  # noqa: F401 - fixtures
from ..conftest import Write

COLOURS = ("red", "blue", "green", "amber", "violet")
Serve = Callable[..., contextlib.AbstractContextManager[served.Server]]


def proposed(number: int) -> dict[str, Any]:
    answerable = number % 3 != 2
    return {
        "qid": f"b{number}",
        "question": f"What colour is door {number}?" if answerable else f"Who painted door {number}?",
        "answerable": answerable,
        "stratum": "grounded" if answerable else "unanswerable",
        "probes": "plain" if answerable else "unanswerable",
        "gold_ids": [f"doors#{number}"] if answerable else [],
        "gold_claims": [f"Door {number} is {COLOURS[number % 5]}."] if answerable else [],
        "retrieval": "normal",
        "review": "proposed",
        "made": {
            "kind": "colour",
            "by": "templates",
            "why": f"The passage says what door {number} is painted.",
            "evidence": [f"doors#{number}"],
        },
    }


@pytest.fixture
def corpus(write: Write) -> Path:
    rows = [
        {"id": f"doors#{n}", "text": f"In May door {n} of the mill was painted {COLOURS[n % 5]}.", "doc": "Doors"}
        for n in range(6)
    ]
    return write("corpus.jsonl", [*rows, {"id": "roof#1", "text": "The roof of the mill is slate.", "doc": "Roof"}])


@pytest.fixture
def built(write: Write) -> Path:
    return write("built.jsonl", [proposed(number) for number in range(6)])


def rows(path: Path) -> dict[str, Any]:
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {row["qid"]: row for row in found}


@pytest.fixture
def serve(built: Path, corpus: Path) -> Serve:
    @contextlib.contextmanager
    def served_page(*options: str, file: Path = built) -> Iterator[served.Server]:
        with served.ending_well(
            served.Server("questions", "review", str(file), "--corpus", str(corpus), *options)
        ) as server:
            yield server

    return served_page
