"""Own results: only after closing, only one's own, and on record at the first view."""

import re
from typing import Any

import pytest
from django.test import Client

from annotator.campaigns.services import close_campaign, reopen_campaign
from annotator.models import Membership, ReliabilityReport, Role, Unblinding
from annotator.reliability.services import carry_out_reliability
from tests.annotator.rating_rows import random_ratings, rate

pytestmark = pytest.mark.django_db

PAGE = "/feedback/cups/"


@pytest.fixture(autouse=True)
def rung(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []
    monkeypatch.setattr("annotator.reliability.views.enqueue_on_commit", found.append)
    return found


@pytest.fixture
def closed(cast) -> Any:
    random_ratings(cast, [cast.alice, cast.bob])
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    return cast


def text_of(answer: Any) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def worked_out(client: Client) -> str:
    client.post(PAGE)
    carry_out_reliability(ReliabilityReport.objects.latest("created_at").pk)
    return text_of(client.get(PAGE))


def test_nothing_is_shown_or_worked_out_while_the_campaign_is_open(cast, client: Client) -> None:
    random_ratings(cast, [cast.alice, cast.bob])
    client.force_login(cast.alice)
    assert "when the campaign is closed" in text_of(client.get(PAGE))
    assert client.post(PAGE).status_code == 409
    assert not ReliabilityReport.objects.exists() and not Unblinding.objects.exists()


def test_own_results_follow_from_the_report_and_are_recorded_once(
    closed, client: Client, rung
) -> None:
    client.force_login(closed.alice)
    assert "Work them out" in text_of(client.get(PAGE))
    assert not Unblinding.objects.exists()
    page = worked_out(client)
    assert len(rung) == 1
    own = next(
        one
        for one in ReliabilityReport.objects.get().result["criteria"][-1]["severity"]["people"]
        if one["annotator"] == str(closed.alice.pk)
    )
    assert f"{own['ratings']} of your ratings count" in page
    assert f"{own['raw_mean']:.2f}" in page
    assert "You less the mean of the others" in page
    client.get(PAGE)
    row = Unblinding.objects.get()
    assert (row.user, row.shown) == (closed.alice, "feedback")


def test_nobody_else_is_named_or_shown(closed, client: Client) -> None:
    client.force_login(closed.alice)
    main = worked_out(client).partition("<main")[2]
    assert "bob" not in main and str(closed.bob.pk) not in main
    assert not re.search(r"Annotator \d", main)
    # Bob's mean and severity stay his.
    people = ReliabilityReport.objects.get().result["criteria"][-1]["severity"]["people"]
    his = next(one for one in people if one["annotator"] == str(closed.bob.pk))
    assert f"{his['raw_mean']:.2f}" not in main


def test_few_shared_candidates_reveal_no_single_rating_of_another(cast, client: Client) -> None:
    one, two, _ = cast.reference("r1").candidates.all()
    for user, scores in ((cast.alice, (5, 5, 5, 5)), (cast.bob, (8, 8, 8, 8))):
        rate(user, one, scores)
    rate(cast.alice, two, (6, 6, 6, 6))
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    client.force_login(cast.alice)
    page = worked_out(client)
    assert "You share fewer than 5 candidates" in page
    main = page.partition("<main")[2]
    assert "3.00" not in main and "1.50" not in main
    assert "5.50" in main  # her own mean


def test_older_figures_are_not_shown_as_the_present_ones(closed, client: Client) -> None:
    client.force_login(closed.alice)
    worked_out(client)
    reopen_campaign(campaign=closed.campaign, reason="More.", reopened_by=closed.ada)
    assert "when the campaign is closed" in text_of(client.get(PAGE))
    rate(closed.alice, closed.reference("new").candidates.first(), (5, 5, 5, 5))
    close_campaign(campaign=closed.campaign, reason="Done.", closed_by=closed.ada)
    assert "Work them out" in text_of(client.get(PAGE))
    assert Unblinding.objects.count() == 1


def test_who_has_no_counted_rating_is_shown_that(closed, client: Client) -> None:
    Membership.objects.create(campaign=closed.campaign, user=closed.rita, role=Role.ANNOTATOR)
    client.force_login(closed.rita)
    assert "None of your ratings counts" in worked_out(client)
    assert not Unblinding.objects.exists()


def test_only_annotators_of_the_campaign_reach_it(closed, client: Client) -> None:
    for user, status in ((closed.carol, 403), (closed.ada, 403), (closed.mallory, 404)):
        client.force_login(user)
        assert client.get(PAGE).status_code == status


def test_home_leads_to_own_results_of_closed_campaigns(closed, client: Client) -> None:
    client.force_login(closed.alice)
    assert f'href="{PAGE}"' in client.get("/").content.decode()


def test_home_leads_to_no_results_of_open_campaigns(cast, client: Client) -> None:
    client.force_login(cast.alice)
    assert PAGE not in client.get("/").content.decode()
