from datetime import timedelta

import pytest

from annotator import rate_limits
from annotator.models import UsedPace
from annotator.rate_limits import (
    RateLimit,
    delete_used_up,
    format_wait,
    give_back,
    take,
)
from core.clock import database_now

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

SLOW = RateLimit("slow", 3, 20)
WIDE = RateLimit("wide", 100, 1)


@pytest.fixture
def clock(monkeypatch):
    """Give a clock that stands still until it is set forward."""
    start = database_now()
    passed = [0.0]
    monkeypatch.setattr(rate_limits, "database_now", lambda: start + timedelta(seconds=passed[0]))

    def go_on(seconds: float) -> None:
        passed[0] += seconds

    return go_on


def test_a_burst_is_let_in_and_then_one_at_a_time(clock) -> None:
    assert [take([(SLOW, "a")]) for _ in range(5)] == [0, 0, 0, 20, 20]
    clock(19)
    assert take([(SLOW, "a")]) == 1
    clock(1)
    assert [take([(SLOW, "a")]) for _ in range(2)] == [0, 20]


def test_within_any_minute_no_more_get_in_than_the_limit_says(clock) -> None:
    let_in = 0
    for _ in range(600):
        let_in += take([(SLOW, "a")]) == 0
        clock(0.1)
    assert let_in == 3 + 60 // 20 - 1  # the third of the later ones comes with second 60


def test_subjects_and_limits_have_nothing_to_do_with_each_other(clock) -> None:
    for subject in ("a", "b"):
        assert [take([(SLOW, subject)]) for _ in range(4)] == [0, 0, 0, 20]
    assert take([(WIDE, "a")]) == 0


def test_what_one_limit_refuses_counts_under_none(clock) -> None:
    for _ in range(10):
        take([(WIDE, "a"), (SLOW, "a")])
    assert {take([(WIDE, "a")]) for _ in range(97)} == {0}
    assert take([(WIDE, "a")]) == 1


def test_a_clock_that_jumped_forward_and_back_shuts_nobody_out_for_the_jump(clock) -> None:
    one_day = 24 * 60 * 60
    clock(one_day)
    for _ in range(4):
        take([(WIDE, "b"), (SLOW, "a")])
    clock(-one_day)

    assert [take([(SLOW, "a")]) for _ in range(4)] == [0, 0, 0, SLOW.seconds]


def test_what_is_given_back_is_not_counted(clock) -> None:
    for _ in range(20):
        assert take([(SLOW, "a")]) == 0
        give_back([(SLOW, "a")])
    give_back([(SLOW, "b")])
    assert [take([(SLOW, "a")]) for _ in range(4)] == [0, 0, 0, 20]


def test_what_limits_nobody_any_more_is_deleted_and_nothing_else(clock) -> None:
    take([(SLOW, "a")])
    clock(30)
    take([(SLOW, "b")])
    assert delete_used_up() == 1
    assert UsedPace.objects.count() == 1


def test_who_was_limited_cannot_be_read_from_the_rows(clock) -> None:
    take([(SLOW, "alice")])
    assert "alice" not in str(list(UsedPace.objects.values()))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second"), (119, "119 seconds"), (120, "2 minutes"), (121, "3 minutes")],
)
def test_a_wait_is_said_in_words(seconds, words) -> None:
    assert format_wait(seconds) == words
