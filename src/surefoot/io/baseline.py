"""A baseline for `baseline` in rules: what `surefoot score --json` printed for an earlier run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from surefoot.errors import UsageError
from surefoot.types import Estimate


class _Number(msgspec.Struct):
    numerator: Annotated[int, msgspec.Meta(ge=0)]
    denominator: Annotated[int, msgspec.Meta(ge=0)]
    low: float | None = None
    high: float | None = None


class _Settings(msgspec.Struct, frozen=True):
    questions_sha256: str = ""


class _Score(msgspec.Struct):
    metrics: dict[str, _Number]
    groups: dict[str, dict[str, dict[str, _Number]]] = {}
    settings: _Settings = _Settings()


class Baseline(msgspec.Struct):
    metrics: dict[str, Estimate]
    groups: dict[str, dict[str, dict[str, Estimate]]]

    def find(self, metric: str, group: tuple[str, str] | None) -> Estimate | None:
        """None for what the earlier run did not measure."""
        numbers = self.metrics if group is None else self.groups.get(group[0], {}).get(group[1], {})
        return numbers.get(metric)


def load_baseline(path: str | Path, questions_sha256: str) -> Baseline:
    """An earlier run's numbers; one over other questions cannot be compared with."""
    try:
        earlier = msgspec.json.decode(Path(path).read_bytes(), type=_Score)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        hint = "write it with `surefoot score ... --json > baseline.json`"
        raise UsageError(f"the baseline {path} cannot be read: {reason}", hint) from error
    if earlier.settings.questions_sha256 not in ("", questions_sha256):
        hint = "score the baseline's traces again with this question set"
        raise UsageError(f"the baseline {path} was scored on other questions", hint)
    groups = {
        field: {value: _estimates(numbers) for value, numbers in values.items()}
        for field, values in earlier.groups.items()
    }
    return Baseline(_estimates(earlier.metrics), groups)


def _estimates(numbers: dict[str, _Number]) -> dict[str, Estimate]:
    return {name: Estimate(n.numerator, n.denominator, n.low, n.high) for name, n in numbers.items()}
