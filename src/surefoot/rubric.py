"""Rubrics are data: one TOML file gives the axes, their values and their anchors to graders, people and reports."""

from __future__ import annotations

import hashlib
import tomllib
from importlib.resources import files
from typing import Literal

from msgspec import Struct, ValidationError, convert

from surefoot.errors import UsageError

DEFAULT = "refusal"


class Axis(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    asks: str
    values: tuple[str | int, ...] = ()  # empty: a count from `least` on
    least: int = 0
    when: Literal["always", "cited", "refused"] = "always"
    anchors: dict[str, str] = {}

    def accepts(self, value: object) -> bool:
        if isinstance(value, bool):
            return False
        return value in self.values if self.values else isinstance(value, int) and value >= self.least


class Rubric(Struct, frozen=True):
    name: str
    axes: tuple[Axis, ...]
    sha256: str

    def axis(self, name: str) -> Axis | None:
        return next((axis for axis in self.axes if axis.name == name), None)


def load(name: str = DEFAULT) -> Rubric:
    """A bundled rubric."""
    file = files("surefoot") / "rubrics" / f"{name}.toml"
    if not file.is_file():
        raise UsageError(f"there is no rubric {name!r}", f"the bundled one is {DEFAULT}")
    return parse(file.read_text("utf-8"), f"rubrics/{name}.toml")


def parse(text: str, source: str) -> Rubric:
    try:
        content = tomllib.loads(text)
        axes = convert(content.get("axis"), tuple[Axis, ...])
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise UsageError(
            f"the rubric {source} cannot be read: {error}", "compare it with rubrics/refusal.toml"
        ) from error
    return Rubric(str(content.get("name", source)), axes, hashlib.sha256(text.encode()).hexdigest())
