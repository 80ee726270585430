"""The pages of schedules: what they show and to whom, switching on and off, stopping."""

import re

import pytest
from django.test import Client

from scoring.models import Chain, DatasetVersion, Schedule, TrainingRun
from scoring.training.model_versions.promotions import answer_promotion, withdraw_promotion
from tests.conftest import grant, make_user, signed_in
from tests.scoring.conftest import shown
from tests.scoring.schedules.conftest import (
    Loop,
    carry_out_jobs,
    frozen,
    go_round,
    made,
    sweep_at_once,
)

pytestmark = [pytest.mark.django_db]
PAGE = "/schedules/trial/"
CONFIRMED = {"confirmed": "1"}


@pytest.fixture
def rita(loop: Loop) -> Client:
    return signed_in(loop.rita)


@pytest.fixture
def ada(loop: Loop) -> Client:
    return signed_in(loop.ada)


def typed(loop: Loop, **more: object) -> dict[str, object]:
    return {
        "rhythm": "count",
        "after_settled": "3",
        "at_hour": "2",
        "version": loop.first.pk,
    } | more


def test_a_researcher_switches_it_on_and_sees_what_it_waits_for(loop, rita, ada) -> None:
    page = shown(rita, PAGE)
    assert "<strong>Off</strong>" in page
    # The version that the promoted model was trained on is chosen already.
    assert f'<option value="{loop.first.pk}" selected>' in page
    answer = rita.post(PAGE, typed(loop), follow=True)
    page = answer.content.decode()
    assert "The schedule is switched on." in page
    assert "Waiting for newly settled candidates: 0 of 3." in page
    assert "after 3 newly settled candidates" in page
    assert "hx-get" not in page
    (schedule,) = Schedule.objects.all()
    assert (schedule.after_settled, schedule.at_hour, schedule.asks_with_concerns) == (
        *(3, None),
        False,
    )
    assert "trial-rita" in shown(ada, PAGE)
    assert "Waiting for newly settled candidates: 0 of 3" in shown(ada, "/schedules/")


def test_by_the_hour_the_other_number_does_not_count(loop, rita) -> None:
    answer = rita.post(PAGE, typed(loop, rhythm="hour", after_settled="nonsense"), follow=True)
    assert "each night at 02:00 UTC" in answer.content.decode()
    assert Schedule.objects.get().after_settled is None


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"after_settled": ""}, "Give a number."),
        ({"after_settled": "0"}, "greater than or equal to 1"),
        ({"rhythm": "hour", "at_hour": "24"}, "less than or equal to 23"),
        ({"rhythm": "daily"}, "Select a valid choice"),
        ({"version": ""}, "This field is required"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_nothing_typed_is_lost(
    loop, rita, more, said
) -> None:
    asked = typed(loop, asks_with_concerns="on") | more
    answer = rita.post(PAGE, asked)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert said in page
    (tick,) = re.findall('<input[^>]*name="asks_with_concerns"[^>]*>', page)
    assert "checked" in tick
    assert f'value="{asked["at_hour"]}"' in page
    assert not Schedule.objects.exists()


def test_a_version_that_allows_no_test_is_refused_at_its_field(loop, rita) -> None:
    drawn: DatasetVersion = loop.rated.freeze(test_share=0.5, validation_share=0.0, seed=5)
    answer = rita.post(PAGE, typed(loop, version=drawn.pk))
    assert answer.status_code == 422
    assert 'id="id_version_error"' in answer.content.decode()
    assert "was trained with texts of" in answer.content.decode()


def test_admins_read_it_and_do_not_switch_it_on(loop, ada) -> None:
    page = shown(ada, PAGE)
    assert "Researchers of the campaign switch a schedule on" in page
    assert "Switch on</button>" not in page
    assert ada.post(PAGE, typed(loop)).status_code == 403
    assert not Schedule.objects.exists()


def test_without_a_promoted_model_the_page_says_what_to_do_first(loop, rita) -> None:
    withdraw_promotion(model=loop.promoted, withdrawn_by=loop.rita, reason="no")
    page = shown(rita, PAGE)
    assert "No model of this campaign is promoted" in page
    assert "Switch on</button>" not in page


def test_a_chain_is_followed_from_its_freeze_to_the_answer_of_an_admin(loop, rita) -> None:
    loop.switch_on()
    loop.rated.rate_all(range(12, 20))
    sweep_at_once()
    page = shown(rita, PAGE)
    assert 'hx-get="/schedules/trial/progress/"' in page
    assert "Freezing." in page and "Stop the chain" in page
    carry_out_jobs()
    sweep_at_once()
    fragment = shown(rita, f"{PAGE}progress/")
    assert "Training." in fragment and "<html" not in fragment
    assert "training, 0 %" in fragment
    told = {"message": "It is away.", "attempt": 1}
    TrainingRun.objects.filter(status="queued").update(**told)
    page = shown(rita, PAGE)
    assert "Training. It is away." in page
    assert "training: It is away." in page
    assert "It is away." in shown(rita, "/schedules/")
    chain = go_round()
    page = shown(rita, PAGE)
    (step,) = chain.steps.all()
    assert "promotion requested" in page
    assert f'href="/reports/{step.report_id}/"' in page
    assert f'href="/models/{made(step).pk}/promotion/"' in page
    assert f'href="/datasets/trial/{frozen(chain).number}/"' in page
    assert "We cannot tell" in page
    assert "hx-get" not in page
    answer_promotion(model=made(step), answered_by=loop.ada, reason="no", agrees=False)
    assert "Declined: <a href=" in shown(rita, PAGE)


def test_it_is_stopped_and_switched_off_once_that_is_confirmed(loop, rita, ada) -> None:
    loop.switch_on()
    loop.rated.rate_all(range(12, 20))
    sweep_at_once()
    asked = ada.post(f"{PAGE}stop/")
    assert "Stop this chain?" in asked.content.decode()
    assert Chain.objects.get().finished_at is None
    page = ada.post(f"{PAGE}stop/", CONFIRMED, follow=True).content.decode()
    assert "The chain is stopped." in page and "Stopped by hand." in page
    page = ada.post(f"{PAGE}stop/", CONFIRMED, follow=True).content.decode()
    assert "This chain has ended already." in page
    asked = rita.post(f"{PAGE}off/")
    assert "Switch this schedule off?" in asked.content.decode()
    assert Schedule.objects.get().ended_at is None
    page = rita.post(f"{PAGE}off/", CONFIRMED, follow=True).content.decode()
    assert "The schedule is switched off." in page and "<strong>Off</strong>" in page
    page = rita.post(f"{PAGE}off/", CONFIRMED, follow=True).content.decode()
    assert "This schedule was switched off already." in page


def test_a_schedule_that_ended_by_itself_says_why_on_its_page_and_in_the_inbox(loop, rita) -> None:
    loop.switch_on()
    grant(loop.rita, loop.campaign, "annotator")
    sweep_at_once()
    loop.rita.memberships.filter(role="annotator").delete()
    page = shown(rita, PAGE)
    assert "Who switched it on rates in this open campaign now" in page
    home = shown(rita, "/")
    assert (
        "1 schedule ended in the last week without being switched off" in home
        and f'href="{PAGE}"' in home
    )
    assert "without being switched off" not in shown(signed_in(loop.ada), "/")


def test_who_rates_while_it_is_open_and_who_is_elsewhere_see_nothing_of_it(loop) -> None:
    both = grant(make_user("both"), loop.campaign, "researcher", "annotator")
    client = signed_in(both)
    assert client.get(PAGE).status_code == 403
    assert client.get("/api/v1/campaigns/trial/schedule/").status_code == 403
    assert PAGE not in shown(client, "/schedules/")
    stranger = signed_in(grant(make_user("olga"), loop.campaign, "annotator"))
    assert stranger.get("/schedules/").status_code == 403


def test_the_list_names_each_campaign_of_ones_own(loop, rita) -> None:
    page = shown(rita, "/schedules/")
    assert f'href="{PAGE}"' in page and "<td>Off.</td>" in page
