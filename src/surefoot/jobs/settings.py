"""What a user's own files say: `surefoot.toml`, from the working directory upward, and gate files.

citations = "optional"          # answers need not cite
concurrency = 4
max_cost = 5.0                  # US dollars, for each command
[prices]
"my-model" = { in = 0.15, out = 0.60 }    # US dollars for a million tokens
[map]
answer = "output.text"          # where a field of a log is

A gate file has `[rules]`, each line a name and a rule. `default` is bundled for `score`; `ship` and `helpful` for
`gate`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from surefoot.core.errors import UsageError, unknown
from surefoot.core.files import fault_in
from surefoot.core.rubric import Citations
from surefoot.io.rows import ALIASES, PATHS
from surefoot.models.seam import Price

DEFAULT_GATE = "default"
_A_RULE = 'write rules under [rules], each like G1 = "precision >= 0.80", or wrong = "wrong <= baseline + 3 points"'
Gate = str | Path | Mapping[str, str]  # a bundled gate, a file, or its rules by name


def chosen_rules(gate: Gate | None, more: Sequence[str], otherwise: str) -> list[tuple[str, str]]:
    """Name and text of the rules to decide by: those of a gate and those given besides; or the latter alone where no
    gate is named; or those of the usual gate."""
    named = [] if gate is None and more else list(load_gate(otherwise if gate is None else gate).items())
    return [*named, *(("", text) for text in more)]


class _GateFile(Struct, frozen=True, forbid_unknown_fields=True):
    rules: Annotated[dict[str, str], Meta(min_length=1)] | Annotated[list[str], Meta(min_length=1)]


def load_gate(gate: Gate = DEFAULT_GATE) -> dict[str, str]:
    """The rules of a bundled gate or of a file, by name."""
    if isinstance(gate, Mapping):
        return dict(gate)
    bundled, path = files("surefoot") / "gates" / f"{gate}.toml", Path(gate)
    try:
        text = (bundled if bundled.is_file() and not path.exists() else path).read_text("utf-8")
        rules = msgspec.toml.decode(text, type=_GateFile).rules
    except OSError as error:
        hint, of = "pass a TOML file, or one of default, ship and helpful", ("default", "ship", "helpful")
        raise unknown(f"the gate {gate} cannot be read: {error.strerror}", str(gate), of, hint) from error
    except (UnicodeDecodeError, msgspec.DecodeError) as error:
        raise UsageError(f"the gate {gate} cannot be read: {fault_in(error, _GateFile)}", _A_RULE) from error
    return rules if isinstance(rules, dict) else {rule: rule for rule in rules}


NAME = "surefoot.toml"
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
Given = Mapping[str, Any] | None  # what --set names


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be set. Where nobody says how many or how long, each command has its own default."""

    cache: str | None = None  # where paid replies are kept for reuse: a file, or a project
    citations: Citations = "required"  # whether answers must cite their support
    concurrency: Annotated[int, Meta(ge=1, le=1_000)] | None = None  # questions (8) or calls (16) at once
    effort: Effort | None = None  # how much a model thinks
    host: str = "127.0.0.1"  # where `monitor` listens
    jobs: Annotated[int, Meta(ge=1, le=1_000)] | None = None  # processes; one per core
    map: dict[str, str] = {}
    max_cost: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    max_tokens: Annotated[int, Meta(ge=1, le=10_000_000)] | None = None  # of a reply, thinking included
    pipeline: str | None = None  # `monitor` is not ready until this one passes `doctor`
    prices: dict[str, Price] = {}
    questions: str | None = None  # with its sentinels
    retries: Annotated[int, Meta(ge=0, le=100)] = 2  # of a question, after temporary errors
    settle: Annotated[float, Meta(ge=0, le=86_400)] = 10.0  # seconds without a span after which a trace is complete
    sure_from: Annotated[float, Meta(ge=0, le=1)] = 0.8  # how sure the first grader of a cascade must be to decide
    timeout: Annotated[float, Meta(ge=0.1, le=604_800)] | None = None  # seconds for a question (60), or silence (300)
    work: str | None = None  # a folder where finished parts of a cluster's work stay
    yes: bool = False  # spend without being asked


def settings_from(given: Given = None, **named: object) -> Settings:
    """Return what surefoot.toml says, what is given once in its place, and before both what an argument says."""
    here = Path.cwd()
    file = next((place for folder in (here, *here.parents) if (place := folder / NAME).is_file()), None)
    found: dict[str, Any] = {}
    if file is not None:
        try:
            found = tomllib.loads(file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise UsageError(f"{file} cannot be read: {fault_in(error)}", "write lines like max_cost = 5.0") from error
        _checked(found, str(file), str(file))
        for name in ("cache", "questions", "work"):
            if name in found and "://" not in found[name]:
                found[name] = str(file.parent / found[name])
    once = {**(given or {}), **{name: value for name, value in named.items() if value}}
    once = {name: str(value) if isinstance(value, Path) else value for name, value in once.items()}
    _checked(once, "--set")
    return msgspec.convert({**found, **once}, Settings, strict=False)


def _checked(values: Mapping[str, Any], where: str, of_map: str = "--map") -> None:
    for name, value in values.items():
        _check_known(name, Settings.__struct_fields__, f"{where}: there is no setting")
        try:
            found = getattr(msgspec.convert({name: value}, Settings, strict=False), name)
            if isinstance(found, float) and not isfinite(found):
                raise msgspec.ValidationError("Expected a number")
        except msgspec.ValidationError as error:
            raise UsageError(f"{where}: {name} cannot be {value!r}", _expected(name)) from error
        for field in found if name == "map" else ():
            _check_known(field, {*PATHS, *ALIASES} - {"triage"}, f"{of_map}: there is no field")


def _check_known(name: str, known: Collection[str], message: str) -> None:
    if name not in known:
        raise unknown(f"{message} {name!r}", name, sorted(known))


def _expected(name: str) -> str:
    """What a setting may be, in words."""
    of_field = msgspec.json.schema(Settings)["$defs"]["Settings"]["properties"][name]
    one: dict[str, Any] = of_field.get("anyOf", [of_field])[0]
    if "minimum" in one:
        return f"a {'whole ' * (one['type'] == 'integer')}number from {one['minimum']:,} to {one['maximum']:,.0f}"
    kinds = {"object": f"a table in {NAME}: [{name}]", "boolean": "true or false", "string": "a text"}
    return f"one of {', '.join(filter(None, one['enum']))}" if "enum" in one else kinds[one["type"]]
