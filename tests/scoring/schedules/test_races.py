"""Several sweepers at one moment, and people who stop what they advance: one of each row."""

from collections.abc import Callable
from typing import Any

import pytest

from core.errors import OutOfDate
from scoring.models import (
    AgreementReport,
    Chain,
    ChainStep,
    Freeze,
    Promotion,
    PromotionAct,
    Schedule,
    TrainingRun,
)
from scoring.schedules.services import stop_chain
from scoring.schedules.work import advance_chain, begin_chain, sweep_schedules
from tests.crowd import at_once
from tests.scoring.schedules.conftest import Loop, carry_out_jobs, make_loop

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.embedded,
    pytest.mark.django_db(transaction=True),
]
SWEEPERS = 4


@pytest.fixture
def loop(data_directory: None, transactional_db: None) -> Loop:
    return make_loop()


def all_at_once(acts: list[Callable[[], Any]]) -> list[Any]:
    """Return what each act answered; a deadlock or a broken constraint is an error."""
    found = at_once(acts)
    assert [one for one in found if isinstance(one, Exception)] == []
    return found


def test_several_sweepers_begin_one_chain_and_take_each_step_once(loop: Loop) -> None:
    loop.promote("logical_linkage")
    schedule = loop.switch_on()
    loop.rated.rate_all(range(12, 20))
    all_at_once([lambda: begin_chain(schedule, 60)] * SWEEPERS)
    (chain,) = Chain.objects.all()
    for _ in range(8):
        all_at_once([lambda: advance_chain(chain.pk)] * SWEEPERS)
        carry_out_jobs()
    chain.refresh_from_db()
    assert chain.status == "done", chain.message
    assert Freeze.objects.count() == 1
    assert TrainingRun.objects.filter(requested_by=loop.rita).count() == 2
    assert AgreementReport.objects.count() == ChainStep.objects.count() == 2
    asked = Promotion.objects.filter(act=PromotionAct.ASKED, reason__startswith="By the schedule")
    assert asked.count() == 2


def test_one_look_in_ten_seconds_is_had_by_one_sweeper(loop: Loop) -> None:
    loop.switch_on()
    loop.rated.rate_all(range(12, 20))
    all_at_once([sweep_schedules] * SWEEPERS)
    assert Chain.objects.count() == 1


def test_of_two_who_switch_on_at_once_one_does(loop: Loop) -> None:
    found = at_once([loop.switch_on] * 3)
    assert sorted(type(one).__name__ for one in found) == ["OutOfDate", "OutOfDate", "Schedule"]
    assert Schedule.objects.count() == 1


def test_a_chain_that_is_stopped_while_it_is_advanced_leaves_no_job_behind(loop: Loop) -> None:
    loop.switch_on()
    loop.rated.rate_all(range(12, 20))
    sweep_schedules()
    (chain,) = Chain.objects.all()
    carry_out_jobs()
    acts = [lambda: advance_chain(chain.pk), lambda: stop_chain(chain=chain, stopped_by=loop.ada)]
    found = at_once(acts * 2)
    others = [one for one in found if isinstance(one, Exception)]
    assert [type(one) for one in others] == [OutOfDate]
    chain.refresh_from_db()
    assert chain.status == "stopped"
    assert not TrainingRun.objects.filter(status="queued").exists()
