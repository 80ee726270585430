"""A schedule is switched on by who could do each of its steps, on a version that allows a test."""

from typing import Any

import pytest

from annotator.models import AuditEvent, Campaign
from core.errors import Forbidden, OutOfDate, Refused
from scoring.models import Chain, DatasetVersion, Freeze, Schedule, TrainingRun
from scoring.schedules.services import stop_chain, switch_off, switch_on
from scoring.training.model_versions.promotions import withdraw_promotion
from tests.conftest import grant, make_user
from tests.scoring.conftest import dataset_rows, imported
from tests.scoring.schedules.conftest import (
    Loop,
    carry_out_jobs,
    make_loop,
    sweep_at_once,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def acts(prefix: str) -> list[tuple[str, Any]]:
    rows = AuditEvent.objects.filter(action__startswith=prefix).order_by("pk")
    return list(rows.values_list("action", "actor__username"))


def test_it_is_off_until_a_researcher_switches_it_on_and_each_act_is_on_record(loop: Loop) -> None:
    loop.rated.rate_all([12])
    sweep_at_once()
    assert not Chain.objects.exists()
    schedule = loop.switch_on()
    assert schedule.switched_on_by == loop.rita
    switch_off(schedule=schedule, switched_off_by=loop.ada)
    assert acts("schedule.") == [
        ("schedule.switched_on", "trial-rita"),
        ("schedule.switched_off", "trial-ada"),
    ]
    with pytest.raises(OutOfDate):
        switch_off(schedule=schedule, switched_off_by=loop.ada)


def test_a_campaign_has_one_at_a_time(loop: Loop) -> None:
    schedule = loop.switch_on()
    with pytest.raises(OutOfDate):
        loop.switch_on()
    switch_off(schedule=schedule, switched_off_by=loop.rita)
    loop.switch_on(at_hour=3)
    assert Schedule.objects.filter(ended_at=None).count() == 1


def test_who_is_no_researcher_and_who_rates_while_it_is_open_cannot(loop: Loop) -> None:
    for role in ("admin", "annotator", "reader", "adjudicator"):
        person = grant(make_user(f"some-{role}"), loop.campaign, role)
        with pytest.raises(Forbidden, match="Researchers"):
            switch_on(campaign=loop.campaign, switched_on_by=person, version=loop.first, at_hour=1)
    grant(loop.rita, loop.campaign, "annotator")
    with pytest.raises(Forbidden, match="You rate"):
        loop.switch_on()
    Campaign.objects.filter(pk=loop.campaign.pk).update(status="closed")
    assert loop.switch_on().ended_at is None


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"after_settled": None}, "after_settled", "not both"),
        ({"after_settled": 1, "at_hour": 1}, "after_settled", "not both"),
        ({"after_settled": 0}, "after_settled", "from 1 to"),
        ({"after_settled": 100_001}, "after_settled", "from 1 to"),
        ({"after_settled": None, "at_hour": 24}, "at_hour", "from 0 to 23"),
        ({"after_settled": None, "at_hour": -1}, "at_hour", "from 0 to 23"),
    ],
)
def test_a_rhythm_that_makes_no_sense_is_refused_at_its_field(loop, given, field, said) -> None:
    asked = {"version": loop.first, "after_settled": 3} | given
    with pytest.raises(Refused, match=said) as caught:
        switch_on(campaign=loop.campaign, switched_on_by=loop.rita, **asked)
    assert list(caught.value.fields) == [field]


def refusal(loop: Loop, version: DatasetVersion) -> str:
    with pytest.raises(Refused) as caught:
        loop.switch_on(version=version)
    assert list(caught.value.fields) == ["dataset"]
    return caught.value.sentence


def test_a_version_on_which_no_fair_test_is_possible_is_refused(loop: Loop) -> None:
    elsewhere = make_loop(12, "elsewhere")
    assert "frozen from this campaign" in refusal(loop, elsewhere.first)
    own = imported("made-elsewhere", dataset_rows(), campaign=loop.campaign)
    assert "frozen from this campaign" in refusal(loop, own)
    trial = loop.rated.freeze(include_unlocked=True, test_share=0.5, seed=3)
    assert "not locked" in refusal(loop, trial)
    few = loop.rated.freeze(test_share=0.4, validation_share=0.0)
    assert "on 5 test references" in refusal(loop, few)
    # The same references, drawn anew: the promoted model has learned from some that are tested.
    drawn = loop.rated.freeze(test_share=0.5, validation_share=0.0, seed=5)
    assert "was trained with texts of" in refusal(loop, drawn)


def test_without_a_promoted_model_there_is_nothing_to_train_again(loop: Loop) -> None:
    withdraw_promotion(model=loop.promoted, withdrawn_by=loop.rita, reason="no")
    with pytest.raises(Refused, match="No model of this campaign is promoted"):
        loop.switch_on()


def test_stopping_ends_the_chain_at_once_with_its_job_and_leaves_the_schedule_on(loop) -> None:
    schedule = loop.switch_on(after_settled=1)
    loop.rated.rate_all(range(12, 16))
    sweep_at_once()
    chain = Chain.objects.get()
    stop_chain(chain=chain, stopped_by=loop.ada)
    chain.refresh_from_db()
    assert (chain.status, chain.message) == ("stopped", "Stopped by hand.")
    assert Freeze.objects.get().status == "cancelled"
    schedule.refresh_from_db()
    assert schedule.ended_at is None
    assert acts("chain.") == [("chain.begun", None), ("chain.stopped", "trial-ada")]
    assert carry_out_jobs() == 0
    with pytest.raises(OutOfDate):
        stop_chain(chain=chain, stopped_by=loop.ada)


def test_switching_off_stops_the_training_that_runs(loop: Loop) -> None:
    schedule = loop.switch_on(after_settled=1)
    loop.rated.rate_all(range(12, 16))
    sweep_at_once()
    carry_out_jobs()
    sweep_at_once()
    run = TrainingRun.objects.get(status="queued")
    switch_off(schedule=schedule, switched_off_by=loop.rita)
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert Chain.objects.get().status == "stopped"
    sweep_at_once()
    assert Chain.objects.count() == 1


def test_a_freeze_that_somebody_had_asked_for_before_is_not_cancelled_along(loop: Loop) -> None:
    from scoring.datasets.freezing.services import request_freeze
    from scoring.schedules.work import freeze_settings

    loop.rated.rate_all(range(12, 16))
    settings = freeze_settings(loop.first)
    theirs = request_freeze(campaign=loop.campaign, settings=settings, asked_by=loop.ada)
    loop.switch_on(after_settled=1)
    sweep_at_once()
    chain = Chain.objects.get()
    assert chain.freeze == theirs
    stop_chain(chain=chain, stopped_by=loop.rita)
    theirs.refresh_from_db()
    assert theirs.status == "queued"
