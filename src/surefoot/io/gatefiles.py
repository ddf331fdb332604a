"""Gate files: `[rules]` in TOML, each line a name and a rule.

`default` is bundled for `score`; `ship` and `helpful` for `gate`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from surefoot.core.errors import UsageError, nearest

DEFAULT = "default"
_A_RULE = 'write rules under [rules], each like G1 = "precision >= 0.80", or wrong = "wrong <= baseline + 3 points"'
_BUNDLED = "pass a TOML file, or one of default, ship and helpful"
Gate = str | Path | Mapping[str, str]  # a bundled gate, a file, or its rules by name


def chosen(gate: Gate | None, more: Sequence[str], otherwise: str) -> list[tuple[str, str]]:
    """Name and text of the rules to decide by: those of a gate and those given besides; or the latter alone where no
    gate is named; or those of the usual gate."""
    named = [] if gate is None and more else list(load(otherwise if gate is None else gate).items())
    return [*named, *(("", text) for text in more)]


def load(gate: Gate = DEFAULT) -> dict[str, str]:
    """The rules of a bundled gate or of a file, by name."""
    if isinstance(gate, Mapping):
        return dict(gate)
    bundled, path = files("surefoot") / "gates" / f"{gate}.toml", Path(gate)
    if bundled.is_file() and not path.exists():
        return parse(bundled.read_text("utf-8"), f"gates/{gate}.toml")
    try:
        return parse(path.read_text("utf-8"), str(path))
    except OSError as error:
        raise UsageError(f"the gate {gate} cannot be read: {error.strerror}", _BUNDLED) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the gate {gate} is not UTF-8 text", _BUNDLED) from error


def parse(text: str, source: str) -> dict[str, str]:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{source} is not valid TOML: {error}", _A_RULE) from error
    if unknown := [key for key in content if key != "rules"]:
        raise UsageError(f"{source} has the unknown key {unknown[0]!r}", nearest(unknown[0], ["[rules]"]) or _A_RULE)
    rules = content.get("rules")
    if isinstance(rules, list):
        rules = {str(rule): rule for rule in rules}
    if not isinstance(rules, dict) or not rules:
        raise UsageError(f"{source} has no rules", _A_RULE)
    if wrong := [name for name, rule in rules.items() if not isinstance(rule, str)]:
        raise UsageError(f"{source}: the rule {wrong[0]} must be a text in quotes", _A_RULE)
    return dict(rules)
