"""Gate files: `[rules]` in TOML, each line a name and a rule, and `[change]`, how sure one wants to be.

`default` is bundled for `score`; `ship` and `helpful` for `gate`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from surefoot.errors import UsageError

DEFAULT = "default"
_LEAST_ALPHA = 1e-9
_TABLES = ("rules", "change")
_A_RULE = 'a rule is a line like G1 = "precision >= 0.80"'
_CHANGE = 'it has alpha = 0.05, margin = 0.03 and claim = "set", each if you like'


class Sureness(Struct, frozen=True, forbid_unknown_fields=True):
    """How sure a decision is to be, and of what: of these questions (`set`), or of questions like these."""

    alpha: float = 0.05
    margin: float = 0.03
    claim: Literal["set", "population"] = "set"


class GateFile(Struct, frozen=True):
    rules: dict[str, str]  # by name
    change: Sureness = Sureness()


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
    return GateFile(_rules(content.get("rules"), source), _sureness(content.get("change", {}), source))


def _rules(rules: object, source: str) -> dict[str, str]:
    if isinstance(rules, list):
        rules = {str(rule): rule for rule in rules}
    if not isinstance(rules, dict) or not rules:
        raise UsageError(f"{source} has no rules", 'put lines like G1 = "precision >= 0.80" under [rules]')
    wrong = [name for name, rule in rules.items() if not isinstance(rule, str)]
    if wrong:
        raise UsageError(f"{source}: the rule {wrong[0]} must be a text in quotes", 'write G1 = "precision >= 0.80"')
    return dict(rules)


def _sureness(table: Any, source: str) -> Sureness:  # noqa: ANN401 - whatever stands in the file
    try:
        made = msgspec.convert(table, Sureness)
    except msgspec.ValidationError as error:
        raise UsageError(f"{source}: [change] cannot be read: {error}", _CHANGE) from error
    check_sureness(made, f"{source}: [change] ")
    return made


def check_sureness(chosen: Sureness, where: str = "") -> None:
    """Numbers by which nothing could be decided are refused, wherever they come from."""
    if not _LEAST_ALPHA <= chosen.alpha <= 0.5:
        raise UsageError(f"{where}alpha must lie between {_LEAST_ALPHA:g} and 0.5, not {chosen.alpha}", "0.05 is usual")
    if not 0 <= chosen.margin < 1:
        raise UsageError(
            f"{where}margin must lie between 0 and 1, not {chosen.margin}", "0.03 bears a rise by 3 points"
        )
