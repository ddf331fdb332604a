"""The pictures of a trend: one for each bucket, where its points and intervals lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from surefoot.core.types import Estimate
from surefoot.report.blocks import Trend, interval, percent

LEFT, RIGHT, TOP, BOTTOM = 38.0, 310.0, 10.0, 100.0  # of the field that is drawn on
_TOPS = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)  # how far a scale may reach
_NAMED = 3  # so many names fit below; of more, the first and the last
_ROOM = 18  # characters of a name


class Point(Struct, frozen=True):
    x: float
    y: float
    low: float
    high: float
    words: str


class Chart(Struct, frozen=True):
    bucket: str
    top: str  # of the scale; each bucket has its own, so that rare ones can be seen
    points: Sequence[Point]
    line: str
    names: Sequence[tuple[float, str, str]]  # place, anchor and name
    words: str


def charts(trend: Trend) -> list[Chart]:
    return [_chart(bucket, trend.names, shares) for bucket, shares in trend.shares.items()]


def _chart(bucket: str, names: Sequence[str], shares: Sequence[Estimate]) -> Chart:
    most = max((one.high or 0.0 for one in shares), default=0.0)
    top = next(end for end in _TOPS if most <= end)
    points = list(_points(names, shares, top))
    line = " ".join(f"{point.x:.1f},{point.y:.1f}" for point in points)
    told = "; ".join(point.words for point in (points if len(points) <= _NAMED else (points[0], points[-1])))
    return Chart(bucket, f"{top:.0%}", points, line, list(_below(names)), f"{bucket}: {told}" if told else bucket)


def _points(names: Sequence[str], shares: Sequence[Estimate], top: float) -> Iterator[Point]:
    for at, (name, share) in enumerate(zip(names, shares, strict=True)):
        if share.exact is None or share.value is None or share.low is None or share.high is None:
            continue
        value, low, high = (BOTTOM - (BOTTOM - TOP) * float(end) / top for end in (share.value, share.low, share.high))
        yield Point(_across(at, len(names)), value, low, high, f"{name} {percent(share.exact)} ({interval(share)})")


def _across(at: int, count: int) -> float:
    """In the middle of an equal part of the width."""
    return LEFT + (RIGHT - LEFT) * (at + 0.5) / count


def _below(names: Sequence[str]) -> Iterator[tuple[float, str, str]]:
    if len(names) <= _NAMED:
        yield from ((_across(at, len(names)), "middle", _short(name)) for at, name in enumerate(names))
    else:
        yield from ((LEFT, "start", _short(names[0])), (RIGHT, "end", _short(names[-1])))


def _short(name: str) -> str:
    return name if len(name) <= _ROOM else f"{name[: _ROOM - 1]}\u2026"
