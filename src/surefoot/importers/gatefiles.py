"""Gate files: `[rules]` in TOML, each line a name and a rule. `default` is the bundled one."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

from surefoot.errors import UsageError

DEFAULT = "default"


def load(gate: str | Path = DEFAULT) -> dict[str, str]:
    """The rules of a bundled gate or of a file, by name."""
    bundled = files("surefoot") / "gates" / f"{gate}.toml"
    path = Path(gate)
    if bundled.is_file() and not path.exists():
        return rules_in(bundled.read_text("utf-8"), f"gates/{gate}.toml")
    try:
        return rules_in(path.read_text("utf-8"), str(path))
    except OSError as error:
        raise UsageError(
            f"the gate {gate} cannot be read: {error.strerror}", "pass a TOML file, or `default`"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the gate {gate} is not UTF-8 text", "pass a TOML file, or `default`") from error


def rules_in(text: str, source: str) -> dict[str, str]:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{source} is not valid TOML: {error}", 'a rule is a line like G1 = "precision >= 0.80"'
        ) from error
    unknown = [key for key in content if key != "rules"]
    if unknown:
        raise UsageError(f"{source} has the unknown key {unknown[0]!r}", "a gate file has one table, [rules]")
    rules = content.get("rules")
    if isinstance(rules, list):
        rules = {str(rule): rule for rule in rules}
    if not isinstance(rules, dict) or not rules:
        raise UsageError(f"{source} has no rules", 'put lines like G1 = "precision >= 0.80" under [rules]')
    wrong = [name for name, rule in rules.items() if not isinstance(rule, str)]
    if wrong:
        raise UsageError(f"{source}: the rule {wrong[0]} must be a text in quotes", 'write G1 = "precision >= 0.80"')
    return dict(rules)
