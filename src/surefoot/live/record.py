"""All that a monitor knows, as one value that is saved in one step, so that a restart goes on where a crash came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.core.errors import Incomplete
from surefoot.core.files import PRIVATE, replace_file
from surefoot.live.grading import Reading
from surefoot.live.intake import Places
from surefoot.live.metrics import Snapshot, bound_of
from surefoot.monitor.drift import Alert
from surefoot.monitor.state import OTHER_STATE, Names, State

_AXES = ("citation_exists", "citation_supports")


class Kept(Struct, frozen=True):
    """What the file holds."""

    state: msgspec.Raw
    graded: tuple[bytes, bytes]  # names
    places: Places
    counts: dict[str, int]
    unsent: list[str]  # alerts


class Record:
    """Counts what was graded; what came in is counted by `Intake`, in `state` and `counts`.

    What Prometheus reads begins at 0 with `begin`, as it expects of a process: a count that went back a little by a
    crash would be taken for one that began anew.
    """

    def __init__(self, state: State) -> None:
        self.state, self.places = state, Places()
        self.counts: Counter[str] = Counter()
        self.unsent: list[str] = []
        self._graded = Names()
        self._citations: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[int] = Counter()
        self._seconds_sum = 0.0
        self.begin()

    def begin(self) -> None:
        self._counts_before, self._answers_before = Counter(self.counts), self.state.answers()

    def count(self, readings: Sequence[Reading], now: str) -> list[Alert]:
        """What was graded, each answer once; the alarms that it raises or ends."""
        alerts = list[Alert]()
        for reading in readings:
            if not self._graded.add(reading.queued.chosen.name):
                continue
            found, taken = reading.graded, reading.queued.trace.seconds
            bucket = found.bucket if found else None
            self.counts["graded" if bucket else "ungraded"] += 1
            alerts += self.state.grade(reading.queued.chosen, bucket, now)
            verdicts = [one for one in (found.verdicts if found else ()) if one.axis in _AXES]
            self._citations.update((one.axis, str(one.value)) for one in verdicts)
            if taken is not None:
                self._seconds[bound_of(taken)] += 1
                self._seconds_sum += taken
        return alerts

    def to_bytes(self) -> bytes:
        state = msgspec.Raw(self.state.to_bytes())
        return msgspec.json.encode(Kept(state, self._graded.packed(), self.places, self.counts, self.unsent))

    def save(self, path: Path) -> None:
        replace_file(path, self.to_bytes(), PRIVATE)

    @classmethod
    def load(cls, path: Path) -> Record | None:
        if not path.exists():
            return None
        try:
            kept = msgspec.json.decode(path.read_bytes(), type=Kept)
            record = cls(State.from_bytes(bytes(kept.state)))
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            raise Incomplete(f"{path} is not what a monitor keeps: {error}", OTHER_STATE) from error
        record.places, record.unsent = kept.places, kept.unsent
        record.counts = Counter(kept.counts)
        record._graded = Names(kept.graded)
        return record

    def snapshot(self, counts: Mapping[str, float], gauges: Mapping[str, float]) -> Snapshot:
        """With what others count."""
        charts = self.state.charts
        happened = {name: count - self._counts_before[name] for name, count in self.counts.items()}
        return Snapshot(
            counts={**happened, **counts}, gauges=gauges,
            answers={name: count - self._answers_before[name] for name, count in self.state.answers().items()},
            drift={name: chart.level for name, chart in charts.items()},
            alarms={name: int(chart.alarm is not None) for name, chart in charts.items()},
            citations=dict(self._citations), seconds=dict(self._seconds), seconds_sum=self._seconds_sum,
        )  # fmt: skip
