"""The council's settings: what they are called, what they may be, and where each value came from.

They are read from a mapping that the caller takes from the environment. A name that begins like ours and is not one
of ours is an error: a setting that is misspelt and so has no effect is found out too late.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from math import isfinite

from msgspec import Struct

from surefoot import rubric as rubrics
from surefoot.errors import UsageError
from surefoot.rubric import Rubric
from surefoot.text.endpoints import masked

PREFIX = "LLM_COUNCIL_"
_WEIGHT = PREFIX + "WEIGHT_"
_SPECS = (PREFIX + "MODELS", PREFIX + "CHAIR")
_TRUE, _FALSE = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}
Value = str | float | int | bool


class Known(Struct, frozen=True):
    key: str  # without the prefix
    default: Value
    reads: Callable[[str], Value]
    about: str


class Setting(Struct, frozen=True):
    """A value and where it came from."""

    name: str
    value: Value
    source: str
    about: str

    @property
    def shown(self) -> Value:
        """Without a password in the address of a model."""
        return masked(self.value) if isinstance(self.value, str) and self.name in _SPECS else self.value


class Settings(Struct, frozen=True):
    rows: tuple[Setting, ...]
    weights: dict[str, float]
    rubric: Rubric

    def __getitem__(self, key: str) -> Value:
        return next(row.value for row in self.rows if row.name == PREFIX + key)

    @property
    def gate(self) -> bool:
        return bool(self["SAFETY_GATE"])

    @property
    def cap(self) -> float:
        return float(self["SAFETY_SCORE_CAP"])

    @property
    def use_rubric(self) -> bool:
        return bool(self["RUBRIC_SCORING"])


def _switch(text: str) -> bool:
    if text.lower() not in _TRUE | _FALSE:
        raise ValueError("must be true or false")
    return text.lower() in _TRUE


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError("must be a number") from None
    if not isfinite(number):
        raise ValueError("must be a finite number")
    return number


def _from_0_to(most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        if not 0 <= (number := _number(text)) <= most:
            raise ValueError(f"must be from 0 to {most:g}")
        return number

    return read


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise ValueError("must be a whole number")
    return int(text)


def _seconds(text: str) -> float:
    if (number := _number(text)) <= 0:
        raise ValueError("must be above 0")
    return number


_KNOWN = (
    Known("RUBRIC", rubrics.COUNCIL, str, "a bundled rubric, or the path of a TOML file"),
    Known("RUBRIC_SCORING", True, _switch, "score by the rubric; false takes one number per answer first"),
    Known("SAFETY_GATE", True, _switch, "answers that fail the safety check come last"),
    Known("SAFETY_SCORE_CAP", 0.0, _from_0_to(rubrics.HIGHEST), "the most that such an answer can score, 0 to 10"),
    Known("MODELS", "", str, "who answers and reviews, separated by commas"),
    Known("CHAIR", "", str, "who writes the closing answer; nobody if empty"),
    Known("SEED", 0, _whole, "fixes the order in which reviewers see answers and dimensions"),
    Known("PATIENCE", 3_600.0, _seconds, "seconds until a model that has not replied is left out"),
)
_CHECK = _from_0_to(1)


def read(
    environ: Mapping[str, str],
    options: Mapping[str, tuple[Value, str]] | None = None,
    weights: tuple[object, str] | None = None,
    load: Callable[[str], Rubric] = rubrics.load,
) -> Settings:
    """Every setting. `options` (key -> value, where from) and `weights` of a file or option win over `environ`."""
    given = {name: text for name, text in environ.items() if name.startswith(PREFIX) and text.strip()}
    _refuse_unknown(given)
    rows = [_setting(known, given, options or {}) for known in _KNOWN]
    rubric = load(str(rows[0].value))
    if not rubric.weights:
        raise UsageError(f"the rubric {rubric.name} has no weights", "choose one whose axes have weights, like council")
    weighed = _weights(rubric, given, weights, "default" if rows[0].source == "default" else f"rubric {rubric.name}")
    return Settings(
        (*rows, *weighed), {row.name.removeprefix(_WEIGHT).lower(): float(row.value) for row in weighed}, rubric
    )


def _refuse_unknown(given: Mapping[str, str]) -> None:
    dimensions = {name for rubric in rubrics.bundled() for name in rubrics.load(rubric).weights}
    names = [PREFIX + known.key for known in _KNOWN] + [_WEIGHT + name.upper() for name in sorted(dimensions)]
    for name in given:
        # A rubric of one's own has dimensions of its own; whether it has this one is asked when it is known.
        if name not in names and not (name.startswith(_WEIGHT) and PREFIX + "RUBRIC" in given):
            near = get_close_matches(name.removeprefix(PREFIX), [known.removeprefix(PREFIX) for known in names], 1)
            hint = f"did you mean {PREFIX}{near[0]}?" if near else "`surefoot council --show-config` lists all settings"
            raise UsageError(f"there is no setting {name}", hint)


def _setting(known: Known, given: Mapping[str, str], options: Mapping[str, tuple[Value, str]]) -> Setting:
    name = PREFIX + known.key
    value, source = known.default, "default"
    if name in given:
        value, source = _value(known.reads, name, given[name]), "environment"
    if known.key in options:
        raw, source = options[known.key]
        value = _value(known.reads, f"{source}: {known.key.lower()}", str(raw))
    return Setting(name, value, source, known.about)


def _value(reads: Callable[[str], Value], name: str, text: str) -> Value:
    try:
        return reads(text.strip())
    except ValueError as error:
        raise UsageError(
            f"{name} {error}, not {text[:40]!r}", "`surefoot council --show-config` lists settings"
        ) from None


def _weights(
    rubric: Rubric, given: Mapping[str, str], over: tuple[object, str] | None, otherwise: str
) -> list[Setting]:
    found = {name: (weight, otherwise) for name, weight in rubric.weights.items()}
    for name, text in given.items():
        if name.startswith(_WEIGHT):
            dimension = name.removeprefix(_WEIGHT).lower()
            if dimension not in found:
                hint = f"it weighs {', '.join(found)}; unset {name} or choose another rubric"
                raise UsageError(f"the rubric {rubric.name} has no dimension {dimension}", hint)
            found[dimension] = float(_value(_CHECK, name, text)), "environment"
    weights = {name: weight for name, (weight, _) in found.items()} if over is None else over[0]
    source = "environment" if over is None else over[1]
    try:
        checked = rubrics.checked_weights(weights, found)
    except ValueError as error:
        raise UsageError(f"{source}: {error}", f"the rubric {rubric.name} has {_listed(rubric.weights)}") from None
    if over is not None:
        found = {name: (checked.get(name, 0.0), source) for name in found}
    about = "share of the overall score"
    return [Setting(_WEIGHT + name.upper(), weight, source, about) for name, (weight, source) in found.items()]


def _listed(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
