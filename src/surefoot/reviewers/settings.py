"""The council's settings: what they are called, what they may be, and where each value came from.

They are read from a mapping that the caller takes from the environment. A name that begins like ours and is not one
of ours is an error: a misspelt setting has no effect, and that would be noticed too late.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert

from surefoot.core import rubric as rubrics
from surefoot.core.errors import UsageError
from surefoot.core.rubric import Rubric
from surefoot.models.spec import masked

PREFIX = "LLM_COUNCIL_"
_WEIGHT = "WEIGHT_"
_SWITCH = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_LISTED = "`surefoot council --show-config` lists all settings"
Value = str | float | int | bool


class Known(Struct, frozen=True):
    key: str  # without the prefix
    default: Value
    kind: Any  # a type that msgspec reads
    must_be: str
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
        has_address = self.name in (PREFIX + "MODELS", PREFIX + "CHAIR")
        return masked(str(self.value)) if has_address else self.value


class Settings(Struct, frozen=True):
    rows: tuple[Setting, ...]
    weights: dict[str, float]
    rubric: Rubric

    def __getitem__(self, key: str) -> Value:
        return next(row.value for row in self.rows if row.name == PREFIX + key)

    @property
    def use_rubric(self) -> bool:
        return bool(self["RUBRIC_SCORING"])


_KNOWN = (
    Known("RUBRIC", rubrics.COUNCIL, str, "a text", "a bundled rubric, or the path of a TOML file"),
    Known("RUBRIC_SCORING", True, bool, "true or false",
          "score by the rubric; false takes one number per answer first"),
    Known("SAFETY_GATE", True, bool, "true or false", "answers that fail the safety check come last"),
    Known("SAFETY_SCORE_CAP", 0.0, Annotated[float, Meta(ge=0, le=rubrics.HIGHEST)],
          f"a number from 0 to {rubrics.HIGHEST}", "the most that such an answer can score, 0 to 10"),
    Known("MODELS", "", str, "a text", "who answers and reviews, separated by commas"),
    Known("CHAIR", "", str, "a text", "who writes the closing answer; nobody if empty"),
    Known("SEED", 0, Annotated[int, Meta(ge=0, lt=10**15)], "a whole number",
          "fixes the order in which reviewers see answers and dimensions"),
    Known("PATIENCE", 3_600.0, Annotated[float, Meta(gt=0, le=1e9)], "a number above 0",
          "seconds until a model that has not replied is left out"),
)  # fmt: skip


def _known_weight(dimension: str, weight: float) -> Known:
    kind = Annotated[float, Meta(ge=0, le=1)]
    return Known(_WEIGHT + dimension.upper(), weight, kind, "a number from 0 to 1", "share of the overall score")


def read(
    environ: Mapping[str, str],
    options: Mapping[str, tuple[Value, str]] | None = None,
    weights: tuple[object, str] | None = None,
) -> Settings:
    """Every setting. `options` (key -> value, where from) and `weights` of a file or option win over `environ`."""
    given = {
        name.removeprefix(PREFIX): text for name, text in environ.items() if name.startswith(PREFIX) and text.strip()
    }
    rows = [_setting(known, given, options or {}) for known in _KNOWN]
    rubric = rubrics.read(str(rows[0].value))
    if not rubric.weights:
        raise UsageError(f"the rubric {rubric.name} has no weights", "choose one whose axes have weights, like council")
    _refuse_unknown(given, rubric)
    source = "default" if rows[0].source == "default" else f"rubric {rubric.name}"
    shares = {name: _setting(_known_weight(name, weight), given, {}, source) for name, weight in rubric.weights.items()}
    weighed, source = weights or ({name: float(row.value) for name, row in shares.items()}, "environment")
    try:
        checked = rubrics.checked_weights(weighed, shares)
    except ValueError as error:
        listed = ", ".join(f"{name} {weight:g}" for name, weight in rubric.weights.items())
        raise UsageError(f"{source}: {error}", f"the rubric {rubric.name} has {listed}") from None
    if weights is not None:
        checked = {name: checked.get(name, 0.0) for name in shares}
        shares = {name: Setting(row.name, checked[name], source, row.about) for name, row in shares.items()}
    return Settings((*rows, *shares.values()), checked, rubric)


def _refuse_unknown(given: Mapping[str, str], rubric: Rubric) -> None:
    names = [*(known.key for known in _KNOWN), *(_WEIGHT + name.upper() for name in rubric.weights)]
    for key in given:
        if key not in names:
            near = get_close_matches(key, names, 1, cutoff=0.75)
            listed = f"the rubric {rubric.name} weighs {', '.join(rubric.weights)}; {_LISTED}"
            hint = f"did you mean {PREFIX}{near[0]}?" if near else listed
            raise UsageError(f"there is no setting {PREFIX}{key}", hint)


def _setting(
    known: Known, given: Mapping[str, str], options: Mapping[str, tuple[Value, str]], source: str = "default"
) -> Setting:
    name, value = PREFIX + known.key, known.default
    if known.key in given:
        value, source = _value(known, name, given[known.key]), "environment"
    if known.key in options:
        raw, source = options[known.key]
        value = _value(known, f"{source}: {known.key.lower()}", str(raw))
    return Setting(name, value, source, known.about)


def _value(known: Known, name: str, text: str) -> Value:
    word = text.strip()
    try:
        value: Value = convert(
            _SWITCH.get(word.lower(), word) if known.kind is bool else word, known.kind, strict=False
        )
    except ValidationError:
        raise UsageError(f"{name} must be {known.must_be}, not {text[:40]!r}", _LISTED) from None
    return value
