"""Requests begin at the rate that the site allows, whoever sends them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from scoring.metrics.endpoint.client import RequestSpacing
from tests.scoring.metrics.endpoint.fake_time import FakeTime


def begins(pace: RequestSpacing, time: FakeTime, times: int) -> list[float]:
    found = []
    for _ in range(times):
        pace.wait()
        found.append(time.now - 1000)
    return found


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def pace(time: FakeTime) -> RequestSpacing:
    return RequestSpacing(60, time.clock, time.sleep)


def test_requests_begin_a_gap_apart_and_the_first_at_once(time) -> None:
    assert begins(RequestSpacing(30, time.clock, time.sleep), time, 4) == [0, 2, 4, 6]


def test_time_that_passes_meanwhile_is_no_credit_for_a_burst(pace, time) -> None:
    pace.wait()
    time.now += 100
    assert begins(pace, time, 3) == [100, 101, 102]


def test_the_longest_pause_holds_whoever_comes_next(pace, time) -> None:
    pace.wait()
    pace.pause(45)
    pace.pause(5)
    assert begins(pace, time, 2) == [45, 46]


def test_a_pause_that_comes_while_one_waits_holds_it_too(time) -> None:
    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        if len(time.slept) == 1:
            spacing.pause(30)

    spacing = RequestSpacing(60, time.clock, sleep)
    assert begins(spacing, time, 2) == [0, 31]


def test_threads_together_keep_the_rate(pace, time) -> None:
    taken = []

    def take() -> None:
        pace.wait()
        taken.append(time.now)

    with ThreadPoolExecutor(8) as pool:
        for _ in range(40):
            pool.submit(take)
    assert len(taken) == 40
    # Forty turns a second apart end 39 seconds after the first at the earliest.
    assert time.now >= 1039
