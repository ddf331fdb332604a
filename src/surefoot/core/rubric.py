"""Rubrics are data: one TOML file gives the axes, their values and their anchors to graders, people and reports.

Axes with a weight are dimensions of one score, the mean by these weights, and a ceiling holds an answer down whose
accuracy is poor, however well it reads. A dimension that was not scored is left out, never guessed.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import fsum, isfinite
from pathlib import Path
from typing import Literal

from msgspec import Struct, ValidationError, convert

from surefoot.core.errors import UsageError, unknown
from surefoot.core.files import fault_in

DEFAULT = "refusal"
Citations = Literal["required", "optional"]
BY_CITATIONS: dict[Citations, str] = {"required": DEFAULT, "optional": "citations_optional"}
COUNCIL = "council"
ACCURACY = "accuracy"  # a ballot that leaves it out is void
COUNCIL_OF_RUNS = "refusal_aware"  # where the questions say what a sound system does with them
AXIS_PREFIX = f"{COUNCIL}."  # of a dimension as the axis of a verdict on an answer of a run
LOWEST, HIGHEST = 1, 10  # of a dimension
_SCORE = re.compile(r"\s*(-?[0-9]{1,9}(?:\.[0-9]{1,20})?)\s*(?:(?:/|out of)\s*10(?:\.0)?\s*)?")
_SUM_TOLERANCE = 1e-9
_THOUSAND = 1000


class Check(Struct, frozen=True, forbid_unknown_fields=True):
    """The form that an answer must have. Rules that are not given are not checked."""

    json: bool = False
    fields: tuple[str, ...] = ()  # of a JSON object, each with a value
    shortest: int = 0  # in words
    longest: int | None = None
    language: str = ""  # as ISO 639-1 has it, such as "en"


class Axis(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    asks: str
    values: tuple[str | int, ...] = ()  # empty: a count from `least` on
    least: int = 0
    when: Literal["always", "cited", "refused"] = "always"
    anchors: dict[str, str] = {}
    weight: float | None = None  # of a dimension of the overall score, rated from LOWEST to HIGHEST
    replaces: str = ""  # the dimension that this one stands in for, `when` says on which answers
    check: Check | None = None  # rules that code scores the answer by; reviewers are not asked

    @property
    def is_dimension(self) -> bool:
        return self.weight is not None or bool(self.replaces)

    def accepts(self, value: object) -> bool:
        if isinstance(value, bool):
            return False
        if self.is_dimension:
            return read_score(value) is not None
        return value in self.values if self.values else isinstance(value, int) and value >= self.least


Fault = Literal["invented", "needless_refusal"]  # what the question set alone says of a response


class Cap(Struct, frozen=True, forbid_unknown_fields=True):
    """Below this score on the axis, or of a response with this fault, the overall score is `at` at most."""

    at: float
    axis: str = ""
    below: float = 0.0
    of: Literal["", "invented", "needless_refusal"] = ""


class Scored(Struct, frozen=True):
    """The overall score of one answer, or None and why; `uncapped` is what it were without ceilings."""

    value: float | None = None
    uncapped: float | None = None
    capped_by: tuple[str, ...] = ()
    scores: dict[str, float] = {}
    missing: tuple[str, ...] = ()
    reason: str = ""


class Rubric(Struct, frozen=True):
    name: str
    axes: tuple[Axis, ...]
    sha256: str
    caps: tuple[Cap, ...] = ()

    def axis(self, name: str) -> Axis | None:
        return next((axis for axis in self.axes if axis.name == name), None)

    @property
    def weights(self) -> dict[str, float]:
        return {axis.name: axis.weight for axis in self.axes if axis.weight is not None}

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What reviewers score."""
        return tuple(axis.name for axis in self.axes if axis.is_dimension and axis.check is None)

    @property
    def required(self) -> set[str]:
        """The dimensions without which there is no overall score: an answer must not slip past a ceiling."""
        return {cap.axis for cap in self.caps if cap.axis} | ({ACCURACY} & self.weights.keys())

    def says_refused(self, scores: Iterable[str]) -> bool | None:
        """What a ballot with scores on these dimensions takes the answer for; None if it fits both or neither."""
        pairs = [(axis.name in scores, axis.replaces in scores) for axis in self.axes if axis.replaces]
        said = {stands_in for stands_in, replaced in pairs if stands_in != replaced}
        return said.pop() if len(said) == 1 else None

    def applying(self, refused: bool, weights: Mapping[str, float] | None = None) -> dict[str, float]:
        """The dimensions that count for an answer, with their weights."""
        standing_in = {axis.replaces: axis.name for axis in self.axes if axis.replaces and refused}
        return {standing_in.get(name, name): weight for name, weight in (weights or self.weights).items()}

    def score(
        self,
        scores: Mapping[str, object],
        weights: Mapping[str, float] | None = None,
        *,
        refused: bool = False,
        fault: Fault | None = None,
    ) -> Scored:
        """Weigh what was scored. ValueError if the weights are no weights.

        An answer that is not scored on a required dimension has no overall score.
        """
        applying = self.applying(refused, None if weights is None else checked_weights(weights, self.weights))
        excused = self._excused(refused)
        held_by = [name for name in self.weights if name in self.required and name != excused]
        read = {name: read_lowest(scores.get(name)) for name in dict.fromkeys([*applying, *held_by])}
        known = {name: score for name, score in read.items() if score is not None}
        missing = tuple(name for name in read if name not in known and (applying.get(name) or name in held_by))
        if unheld := [name for name in held_by if name not in known]:
            return Scored(scores=known, missing=missing, reason=f"{unheld[0]} is not scored")
        shares = {name: _exact(applying.get(name, 0)) for name in known}
        whole = sum(shares.values(), Fraction(0))
        if not whole:
            return Scored(scores=known, missing=missing, reason="no dimension that has a weight is scored")
        mean = sum((shares[name] * _exact(score) for name, score in known.items()), Fraction(0)) / whole
        caps = [cap for cap in self.ceilings(known, refused=refused, fault=fault) if cap.at < mean]
        value = min([float(mean), *(cap.at for cap in caps)])
        return Scored(value, float(mean), tuple(dict.fromkeys(cap.of or cap.axis for cap in caps)), known, missing)

    def _excused(self, refused: bool) -> str:
        """Who declines states nothing that could be false; whether declining is right has a ceiling of its own."""
        return ACCURACY if refused and any(axis.replaces for axis in self.axes) else ""

    def ceilings(self, scores: Mapping[str, float], *, refused: bool, fault: Fault | None) -> list[Cap]:
        """Return those that hold an answer with these scores down, however high their mean by whatever weights."""
        excused = self._excused(refused)
        return [cap for cap in self.caps if (cap.of == fault if cap.of else
                cap.axis != excused and scores.get(cap.axis, HIGHEST) < cap.below)]  # fmt: skip

    def described(self, order: Sequence[str] = (), weights: Mapping[str, float] | None = None) -> str:
        """The dimensions in words for a prompt, with their weights and what each score means."""
        parts, shares = [], weights or self.weights
        for name in order or self.dimensions:
            axis = self.axis(name)
            if axis is None or not axis.is_dimension:
                raise ValueError(f"{name!r} is no dimension of the rubric {self.name}")
            instead = f" Only for a response that declines to answer; there it stands in for {axis.replaces}."
            share = f"{shares.get(axis.replaces or name, 0):.0%} of the overall score"
            lines = [f"{name} ({share}): {axis.asks}{instead if axis.replaces else ''}"]
            parts.append("\n".join(lines + [f"  {score}: {text}" for score, text in axis.anchors.items()]))
        return "\n\n".join(parts)


def read_score(value: object) -> float | None:
    """9, 9.0, "9", "9/10" and "9 out of 10" are 9; everything else, and what is out of range, is not a score."""
    number = _number(value)
    return float(number) if number is not None and LOWEST <= number <= HIGHEST else None


def read_lowest(value: object) -> float | None:
    """The same, but that a number below the scale is the lowest score: leaving it out would raise the mean."""
    number = _number(value)
    return read_score(value) if number is None or not number < LOWEST else float(LOWEST)


def _number(value: object) -> float | None:
    """An integer may be too large to be made a float, and NaN is within no range."""
    if isinstance(value, str):
        match = _SCORE.fullmatch(value)
        return float(match[1]) if match else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def checked_weights(weights: object, known: Iterable[str]) -> dict[str, float]:
    """Weights that are finite, not negative, of known dimensions, and sum to 1; else ValueError."""
    if not isinstance(weights, Mapping) or not weights:
        raise ValueError("weights are a mapping of dimensions to numbers")
    names = list(known)
    for name, weight in weights.items():
        if name not in names:
            raise ValueError(f"there is no dimension {name!r}; there are {', '.join(names)}")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight <= 1:
            raise ValueError(f"the weight of {name} must be a number from 0 to 1, not {str(weight)[:40]!r}")
    total = fsum(weights.values())
    if abs(total - 1) > _SUM_TOLERANCE:
        raise ValueError(f"the weights must sum to 1, not {total:.10g}")
    return {str(name): float(weight) for name, weight in weights.items()}


def load(name: str = DEFAULT) -> Rubric:
    """A bundled rubric."""
    return parse(text_of(name), f"rubrics/{name}.toml")


def text_of(name: str) -> str:
    """A bundled rubric as it is written."""
    file = files("surefoot") / "rubrics" / f"{name}.toml"
    if not name.isidentifier() or not file.is_file():
        raise unknown(f"there is no rubric {name!r}", name, bundled())
    return file.read_text("utf-8")


def read(name: str) -> Rubric:
    """A bundled rubric by its name, or one's own by its path."""
    return parse(read_text(name), name)


def read_text(name: str) -> str:
    """The same as it is written."""
    path = Path(name)
    if name in bundled() or not (path.suffix == ".toml" or path.is_file()):
        return text_of(name)
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"the rubric {name} cannot be read: {why}", "pass a TOML file") from error


def rounded(weights: Mapping[str, float]) -> dict[str, float]:
    """To thousandths that still sum to 1."""
    whole = {name: int(weight * _THOUSAND) for name, weight in weights.items()}
    by_rest = sorted(weights, key=lambda name: whole[name] - weights[name] * _THOUSAND)
    for name in by_rest[: _THOUSAND - sum(whole.values())]:
        whole[name] += 1
    return {name: part / _THOUSAND for name, part in whole.items()}


def with_weights(text: str, weights: Mapping[str, float], name: str) -> str:
    """A rubric as it is written, under another name and with other weights."""
    blocks = re.split(r"(?m)^(?=\[\[)", text)
    for at, block in enumerate(blocks):
        named = tomllib.loads(block).get("axis", [{}])[0].get("name")
        if named in weights:
            blocks[at] = re.sub(r"(?m)^weight\s*=.*$", f"weight = {weights[named]:g}", block)
    return re.sub(r"(?m)^name\s*=.*$", f"name = {json.dumps(name)}", "".join(blocks), count=1)


@cache
def conditional_axes() -> frozenset[str]:
    """Of bundled rubrics, the axes of scores that no answer of a run may have: those on refusals, and one's own."""
    found = (axis for name in bundled() for axis in load(name).axes if axis.replaces)
    return frozenset(f"{AXIS_PREFIX}{name}" for name in ("overall", "holistic", "safety", *(one.name for one in found)))


@cache
def council_axes() -> frozenset[str]:
    """Those, and all other axes of scores by bundled rubrics."""
    return conditional_axes() | {f"{AXIS_PREFIX}{one}" for name in bundled() for one in load(name).dimensions}


def bundled() -> list[str]:
    found = (file.name for file in (files("surefoot") / "rubrics").iterdir())
    return sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml"))


def parse(text: str, source: str) -> Rubric:
    try:
        content = tomllib.loads(text)
        axes = convert(content.get("axis"), tuple[Axis, ...])
        caps = convert(content.get("cap", []), tuple[Cap, ...])
        made = Rubric(str(content.get("name", source)), axes, hashlib.sha256(text.encode()).hexdigest(), caps)
        _check(made)
    except (tomllib.TOMLDecodeError, ValidationError, ValueError, RecursionError) as error:
        like = "council" if "weight" in text else DEFAULT
        raise UsageError(
            f"the rubric {source} cannot be read: {fault_in(error)}", f"compare it with rubrics/{like}.toml"
        ) from error
    return made


def _check(rubric: Rubric) -> None:
    names = [axis.name for axis in rubric.axes]
    if len(set(names)) < len(names):
        raise ValueError("two axes have the same name")
    if rubric.weights:
        checked_weights(rubric.weights, names)
    for axis in rubric.axes:
        if axis.replaces and (axis.replaces not in rubric.weights or axis.when != "refused" or axis.weight is not None):
            message = f'{axis.name} can replace a dimension that has a weight, with when = "refused" and no weight'
            raise ValueError(message)
        if axis.weight is not None and axis.when != "always":
            raise ValueError(f'{axis.name} has a weight, so it counts always; use replaces and when = "refused"')
    for cap in rubric.caps:
        named = cap.axis or cap.of
        if bool(cap.axis) == bool(cap.of) or (cap.axis and cap.axis not in {*rubric.dimensions, *rubric.weights}):
            raise ValueError(f"the cap on {named or 'nothing'} needs a dimension as its axis, or what it is `of`")
        if not isfinite(cap.below) or not LOWEST <= cap.at <= HIGHEST:
            raise ValueError(f"the cap on {named} needs a dimension, and an `at` from {LOWEST} to {HIGHEST}")


def _exact(number: float) -> Fraction:
    """The number as it was written: 0.35 is 35/100, so that equal answers get equal scores."""
    return Fraction(str(number))
