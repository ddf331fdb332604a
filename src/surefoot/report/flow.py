"""The picture of answers that go from one bucket to another: where its bands and ribbons lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from surefoot.core.table import ACCEPTABLE
from surefoot.report.blocks import ORDER

HEIGHT = 220.0
LEFT, RIGHT = 100.0, 300.0  # where the ribbons begin and end
_GAP = 14.0  # between bands, so that their names do not touch


class Band(Struct, frozen=True):
    """A bucket on one side, with as many answers as it is high."""

    bucket: str
    count: int
    y: float
    height: float


class Ribbon(Struct, frozen=True):
    before: str
    after: str
    count: int
    kind: str  # same, worse or other
    path: str


class Picture(Struct, frozen=True):
    left: Sequence[Band]
    right: Sequence[Band]
    ribbons: Sequence[Ribbon]


def picture(counts: Mapping[tuple[str, str], int]) -> Picture:
    """Both sides have the same scale; ribbons leave and arrive in the order of the buckets, so none lies on another."""
    sides = [_bands({bucket: _sum(counts, side, bucket) for bucket in ORDER}) for side in (0, 1)]
    free = [{band.bucket: band.y for band in side} for side in sides]
    scale = _scale(sum(counts.values()))
    ribbons = []
    for before, after in ((one, other) for one in ORDER for other in ORDER if counts.get((one, other))):
        height = scale * counts[before, after]
        path = _path(free[0][before], free[1][after], height)
        ribbons.append(Ribbon(before, after, counts[before, after], _kind(before, after), path))
        free[0][before] += height
        free[1][after] += height
    return Picture(sides[0], sides[1], sorted(ribbons, key=lambda ribbon: ribbon.kind != "same"))


def _sum(counts: Mapping[tuple[str, str], int], side: int, bucket: str) -> int:
    return sum(count for pair, count in counts.items() if pair[side] == bucket)


def _scale(total: int) -> float:
    return (HEIGHT - _GAP * len(ORDER)) / max(total, 1)


def _bands(totals: Mapping[str, int]) -> list[Band]:
    scale, y, bands = _scale(sum(totals.values())), _GAP / 2, []
    for bucket, count in totals.items():
        if count:
            bands.append(Band(bucket, count, y, scale * count))
            y += scale * count + _GAP
    return bands


def _kind(before: str, after: str) -> str:
    if before == after:
        return "same"
    return "other" if after in ACCEPTABLE else "worse"


def _path(start: float, end: float, height: float) -> str:
    middle, left, right = (LEFT + RIGHT) / 2, start + height, end + height  # the lower edge
    return (
        f"M{LEFT:.1f} {start:.1f}C{middle:.1f} {start:.1f} {middle:.1f} {end:.1f} {RIGHT:.1f} {end:.1f}"
        f"V{right:.1f}C{middle:.1f} {right:.1f} {middle:.1f} {left:.1f} {LEFT:.1f} {left:.1f}Z"
    )
