from __future__ import annotations

import asyncio
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from surefoot.models.client import Limit, Pace


@given(st.integers(1, 300), st.lists(st.booleans(), max_size=2_000))
def test_the_limit_stays_between_one_and_its_ceiling(ceiling: int, outcomes: list[bool]) -> None:
    limit = Limit(ceiling)
    for refused in outcomes:
        limit.count(refused)
        assert 1 <= limit.now <= ceiling


def test_refusals_bring_it_down_and_quiet_brings_it_back() -> None:
    limit = Limit(64)
    for _ in range(200):
        limit.count(refused=True)
    assert limit.now <= 2
    for _ in range(2_000):
        limit.count(refused=False)
    assert limit.now == 64


def test_a_server_that_refuses_a_few_at_random_keeps_most_of_its_calls() -> None:
    limit, chance, seen = Limit(64), Random(1), []
    for _ in range(20_000):
        limit.count(refused=chance.random() < 0.05)
        seen.append(limit.now)
    assert sum(seen) / len(seen) > 40


async def crowd(pace: Pace, count: int) -> int:
    most = 0

    async def call() -> None:
        nonlocal most
        await pace.enter()
        most = max(most, pace.active)
        await asyncio.sleep(0.001)
        pace.leave(refused=False)

    await asyncio.gather(*(call() for _ in range(count)))
    return most


def test_no_more_than_the_limit_are_let_in_and_all_get_through() -> None:
    pace = Pace(7)
    assert asyncio.run(crowd(pace, 100)) == 7 and pace.active == 0


def test_a_pause_holds_back_everyone() -> None:
    async def paused() -> float:
        pace, loop = Pace(5), asyncio.get_running_loop()
        pace.pause(0.1)
        start = loop.time()
        await crowd(pace, 5)
        return loop.time() - start

    assert asyncio.run(paused()) >= 0.1


def test_who_gives_up_waiting_takes_no_turn_away() -> None:
    async def given_up() -> int:
        pace = Pace(1)
        await pace.enter()
        waiting = [asyncio.create_task(pace.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        pace.leave(refused=False)  # wakes the first, which is cancelled before it runs
        waiting[0].cancel()
        waiting[1].cancel()
        await asyncio.wait_for(waiting[2], 60)
        return pace.active

    assert asyncio.run(given_up()) == 1


@given(st.integers(1, 10_000), st.integers(0, 100))
def test_waits_grow_within_bounds(again: int, seed: int) -> None:
    assert 0.25 <= Pace(1, Random(seed)).wait_before(again) <= 30
