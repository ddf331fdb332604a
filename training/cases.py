"""What the calibration is fitted to: pairs that did not train, read as the product reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from surefoot.graders.features import Reading
from training.files import read_all, write_all

About = Literal["claim", "response", "question"]


class Case(Struct, frozen=True):
    about: About
    source: str
    label: str | int  # of a question: 1 if the passage answers it
    reading: Reading
    features: list[float] = []  # of a claim or a response


def write_cases(path: Path, cases: Iterable[Case]) -> None:
    write_all(path, (msgspec.to_builtins(case) for case in cases))


def read_cases(path: Path) -> list[Case]:
    return [msgspec.convert(row, Case) for row in read_all(path)]


def pairs_of(cases: Iterable[Case]) -> list[tuple[str, str]]:
    """Every pair that a tier has to read, in the order of its logits."""
    return [pair for case in cases for pair in case.reading.pairs]


def placed(cases: Iterable[Case]) -> Iterator[tuple[Case, slice]]:
    """Each case with where its logits stand."""
    at = 0
    for case in cases:
        size = len(case.reading.parts) * len(case.reading.windows)
        yield case, slice(at, at + size)
        at += size
