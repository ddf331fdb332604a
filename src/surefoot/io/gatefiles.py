"""Gate files: `[rules]` in TOML, each line a name and a rule, and `[change]`, the margin of what may be borne.

`default` is bundled for `score`; `ship` and `helpful` for `gate`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from surefoot.core.errors import UsageError

DEFAULT = "default"
MARGIN = 0.03
_TABLES = ("rules", "change")
_A_RULE = 'a rule is a line like G1 = "precision >= 0.80"'


class _Change(Struct, frozen=True, forbid_unknown_fields=True):
    margin: float = MARGIN


class GateFile(Struct, frozen=True):
    rules: dict[str, str]  # by name
    margin: float = MARGIN


def load(gate: str | Path | GateFile = DEFAULT) -> dict[str, str]:
    """The rules of a bundled gate or of a file, by name."""
    return read(gate).rules


def chosen(gate: str | Path | GateFile | None, more: Sequence[str], otherwise: str) -> list[tuple[str, str]]:
    """Name and text of the rules to decide by: those of a gate and those given besides; or the latter alone where no
    gate is named; or those of the usual gate."""
    named = [] if gate is None and more else list(load(otherwise if gate is None else gate).items())
    return [*named, *(("", text) for text in more)]


def read(gate: str | Path | GateFile = DEFAULT) -> GateFile:
    if isinstance(gate, GateFile):
        return gate
    bundled = files("surefoot") / "gates" / f"{gate}.toml"
    path = Path(gate)
    if bundled.is_file() and not path.exists():
        return parse(bundled.read_text("utf-8"), f"gates/{gate}.toml")
    try:
        return parse(path.read_text("utf-8"), str(path))
    except OSError as error:
        raise UsageError(
            f"the gate {gate} cannot be read: {error.strerror}", "pass a TOML file, or `default`"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the gate {gate} is not UTF-8 text", "pass a TOML file, or `default`") from error


def parse(text: str, source: str) -> GateFile:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{source} is not valid TOML: {error}", _A_RULE) from error
    unknown = [key for key in content if key not in _TABLES]
    if unknown:
        raise UsageError(f"{source} has the unknown key {unknown[0]!r}", f"its tables are {' and '.join(_TABLES)}")
    return GateFile(_rules(content.get("rules"), source), _margin(content.get("change", {}), source))


def _rules(rules: object, source: str) -> dict[str, str]:
    if isinstance(rules, list):
        rules = {str(rule): rule for rule in rules}
    if not isinstance(rules, dict) or not rules:
        raise UsageError(f"{source} has no rules", 'put lines like G1 = "precision >= 0.80" under [rules]')
    wrong = [name for name, rule in rules.items() if not isinstance(rule, str)]
    if wrong:
        raise UsageError(f"{source}: the rule {wrong[0]} must be a text in quotes", 'write G1 = "precision >= 0.80"')
    return dict(rules)


def _margin(table: Any, source: str) -> float:  # noqa: ANN401 - whatever stands in the file
    try:
        margin = msgspec.convert(table, _Change).margin
    except msgspec.ValidationError as error:
        raise UsageError(f"{source}: [change] cannot be read: {error}", "it has margin = 0.03, if you like") from error
    check_margin(margin, f"{source}: [change] ")
    return margin


def check_margin(margin: float, where: str = "") -> None:
    """A margin by which nothing could be decided is refused, wherever it comes from."""
    if not 0 <= margin < 1:
        raise UsageError(f"{where}margin must lie between 0 and 1, not {margin}", "0.03 bears a rise by 3 points")
