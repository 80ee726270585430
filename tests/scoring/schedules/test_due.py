"""When the sweeper begins a chain, and that it begins none that it should not."""

from datetime import timedelta

import pytest

from annotator.models import Reference
from core.clock import database_now
from scoring.models import Chain, Schedule
from scoring.schedules import work
from scoring.schedules.queries import describe_state
from scoring.schedules.services import stop_chain
from scoring.schedules.work import sweep_schedules
from scoring.training.model_versions.promotions import withdraw_promotion
from tests.scoring.schedules.conftest import Loop, go_round, sweep_at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def begun() -> int:
    return Chain.objects.count()


def test_a_chain_waits_until_so_many_candidates_are_newly_settled(loop: Loop) -> None:
    schedule = loop.switch_on(after_settled=5)
    assert describe_state(schedule) == "Waiting for newly settled candidates: 0 of 5."
    loop.rated.rate_all([12])
    sweep_at_once()
    assert begun() == 0
    assert describe_state(schedule) == "Waiting for newly settled candidates: 3 of 5."
    loop.rated.rate_all([13])
    sweep_at_once()
    assert begun() == 1
    assert describe_state(schedule) == "Freezing."


def test_what_was_settled_before_the_schedule_counts_since_its_first_version(loop: Loop) -> None:
    loop.rated.rate_all([12, 13])
    loop.switch_on(after_settled=6)
    sweep_at_once()
    assert begun() == 1


def test_what_may_not_be_trained_on_is_not_waited_for(loop: Loop) -> None:
    Reference.objects.filter(reference_id="r12").update(may_train=False)
    loop.rated.rate_all([12])
    loop.switch_on(after_settled=1)
    sweep_at_once()
    assert begun() == 0


def test_the_next_chain_waits_for_as_many_since_the_last_one_however_that_ended(loop) -> None:
    schedule = loop.switch_on(after_settled=3)
    loop.rated.rate_all([12])
    sweep_at_once()
    stop_chain(chain=Chain.objects.get(), stopped_by=loop.ada)
    sweep_at_once()
    assert begun() == 1
    assert describe_state(schedule) == "Waiting for newly settled candidates: 0 of 3."
    loop.rated.rate_all([13])
    sweep_at_once()
    assert begun() == 2


def test_a_nightly_chain_begins_after_its_hour_by_the_clock_of_the_database(
    loop: Loop, monkeypatch
) -> None:
    now = database_now()
    schedule = loop.switch_on(at_hour=2)
    loop.rated.rate_all([12])
    assert describe_state(schedule) == "Waiting for 02:00 UTC: 3 candidates newly settled so far."
    tomorrow = (now + timedelta(days=1)).replace(hour=1, minute=59)
    monkeypatch.setattr(work, "database_now", lambda: tomorrow)
    Schedule.objects.update(created_at=tomorrow - timedelta(hours=20))
    sweep_at_once()
    assert begun() == 0
    monkeypatch.setattr(work, "database_now", lambda: tomorrow + timedelta(minutes=2))
    sweep_at_once()
    assert begun() == 1


def test_a_night_without_anything_new_begins_nothing(loop: Loop) -> None:
    loop.switch_on(at_hour=2)
    Schedule.objects.update(created_at=database_now() - timedelta(days=2))
    sweep_at_once()
    assert begun() == 0


def test_while_nothing_is_promoted_nothing_begins(loop: Loop) -> None:
    schedule = loop.switch_on(after_settled=1)
    withdraw_promotion(model=loop.promoted, withdrawn_by=loop.rita, reason="no")
    loop.rated.rate_all([12])
    sweep_at_once()
    assert begun() == 0
    assert "no model is promoted" in describe_state(schedule)


def test_each_schedule_is_looked_at_once_in_ten_seconds(
    loop: Loop, django_assert_max_num_queries
) -> None:
    loop.switch_on(after_settled=1)
    sweep_schedules()
    loop.rated.rate_all([12])
    sweep_schedules()
    assert begun() == 0
    # Of every sweep in between: who is due for a look, and which chains run.
    with django_assert_max_num_queries(3):
        sweep_schedules()
    past = database_now() - timedelta(seconds=11)
    Schedule.objects.update(looked_at=past)
    sweep_schedules()
    assert begun() == 1


def test_there_is_one_chain_at_a_time(loop: Loop) -> None:
    schedule = loop.switch_on(after_settled=1)
    loop.rated.rate_all([12])
    sweep_at_once()
    loop.rated.rate_all([13])
    sweep_at_once()
    work.begin_chain(schedule, 5)
    assert begun() == 1
    go_round()
    sweep_at_once()
    assert begun() == 2
