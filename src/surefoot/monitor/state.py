"""All that a monitor has to remember, as one value and one file: it is killed and goes on, and two of them merge.

Memory is bounded: of the names of answers the latest are known, so that one that comes again late is not counted twice.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.files import PRIVATE, holding, replace_file
from surefoot.monitor.drift import Alert, Chart, charts
from surefoot.monitor.follow import Position
from surefoot.monitor.rates import COUNTED, UNGRADED, Tally
from surefoot.monitor.sampling import STRATA, Chosen, Design, Stratum, number_of

OTHER_STATE = "choose another --state; one of another version of Surefoot cannot be gone on from"
_NAMES_KEPT = 100_000  # at least; at most twice as many


class Names:
    """Which of the latest names came before."""

    def __init__(self, packed: tuple[bytes, bytes] = (b"", b"")) -> None:
        self._new, self._old = (set(np.frombuffer(data, dtype="<u8").tolist()) for data in packed)

    def add(self, name: str) -> bool:
        """True for a name that is new."""
        if name in self:
            return False
        if len(self._new) >= _NAMES_KEPT:
            self._new, self._old = set(), self._new
        self._new.add(number_of(name))
        return True

    def __contains__(self, name: str) -> bool:
        number = number_of(name)
        return number in self._new or number in self._old

    def packed(self) -> tuple[bytes, bytes]:
        new, old = (np.array(sorted(numbers), dtype="<u8").tobytes() for numbers in (self._new, self._old))
        return new, old


def owned(state: Path, lock: Path) -> contextlib.AbstractContextManager[None]:
    """One monitor at a time works with a state, be it a file or a folder."""
    return holding(lock, Incomplete(f"another monitor works with {state}", "end it, or choose another --state"))


class Kept(Struct):
    """What the file of a state holds."""

    design: Design
    tally: Tally
    charts: dict[str, Chart]
    names: tuple[bytes, bytes]
    positions: dict[str, Position]


class State:
    """`see` every answer, and `grade` those that `design` chooses. `positions` are how far logs were read."""

    def __init__(self, design: Design | None = None, reference: dict[str, float] | None = None) -> None:
        self.design = design or Design()
        self.tally = Tally()
        self.charts = charts(reference)
        self.names = Names()
        self.positions: dict[str, Position] = {}

    def see(self, name: str, stratum: Stratum) -> bool:
        """Count an answer; False for one that was counted before."""
        is_new = self.names.add(name)
        if is_new:
            self.tally.see(stratum)
        return is_new

    @property
    def alarms(self) -> dict[str, Alert]:
        """Those that are not over, by bucket."""
        return {name: chart.alarm for name, chart in self.charts.items() if chart.alarm is not None}

    def grade(self, chosen: Chosen, bucket: str | None, now: str = "") -> list[Alert]:
        """The bucket of a chosen answer, None where it could not be graded; the alarms that it raises or ends now."""
        self.tally.grade(chosen.stratum, bucket)
        if not chosen.even:
            return []
        found, at = bucket or UNGRADED, self.tally.sampled
        alerts = [chart.count(name == found, at, now) for name, chart in self.charts.items()]
        return [alert for alert in alerts if alert is not None]

    def answers(self) -> dict[str, float]:
        """How many answers of all traffic each bucket stands for: one that was chosen with probability p, for 1/p."""
        graded = self.tally.graded.items()
        weights = {stratum: 1 / self.design.probability(stratum) for stratum in STRATA}
        return {
            bucket: sum(weights[stratum] * counted.get(bucket, 0) for stratum, counted in graded) for bucket in COUNTED
        }

    def to_bytes(self) -> bytes:
        return msgspec.json.encode(Kept(self.design, self.tally, self.charts, self.names.packed(), self.positions))

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        kept = msgspec.json.decode(data, type=Kept)
        state = cls(kept.design)
        state.tally, state.charts, state.positions = kept.tally, kept.charts, kept.positions
        state.names = Names(kept.names)
        return state

    def save(self, path: Path) -> None:
        """Whole or not at all."""
        replace_file(path, self.to_bytes(), PRIVATE)

    @classmethod
    def load(cls, path: Path, design: Design) -> State | None:
        """The state of before; None where there is none yet. It goes on only with the design it began with."""
        if not path.exists():
            return None
        try:
            state = cls.from_bytes(path.read_bytes())
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            raise Incomplete(f"{path} is not the state of a monitor: {error}", OTHER_STATE) from error
        if state.design != design:
            was = f"--sample {state.design.rate:g} --seed {state.design.seed}"
            raise UsageError(f"{path} was begun with {was}", "go on with the same, or choose another file")
        return state
