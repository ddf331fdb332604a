"""The yardstick of other tests must be able to say no."""

from __future__ import annotations

from tests.growth import grows_evenly


def test_what_grows_evenly_is_told_from_what_does_not() -> None:
    assert grows_evenly(lambda size: sum(range(size)), 100_000)
    assert not grows_evenly(lambda size: sum(range(size)), 100_000, at_most=2)
    assert not grows_evenly(lambda size: [0 for _ in range(size) for _ in range(size)], 300)
