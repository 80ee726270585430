"""The campaign page, and its counts."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotator.models import Campaign, Membership

PAGES = ("", "counts/")


def test_an_admin_reads_the_counts(client: Client, cast) -> None:
    cast.submit(cast.assign(cast.alice, cast.reference())[0])
    client.force_login(cast.ada)
    for page in PAGES:
        html = client.get(f"/campaigns/cups/{page}").content.decode()
        numbers = ('<th scope="row">alice</th>', *(f'<td class="number">{n}</td>' for n in (3, 1)))
        assert "".join(numbers) in html
        assert "<dd>0 open, 0 waiting for annotators, 0 ruled, 0 lapsed;" in html


def test_the_counts_come_without_a_page_around_them(client: Client, cast) -> None:
    client.force_login(cast.ada)
    html = client.get("/campaigns/cups/counts/").content.decode()
    assert 'id="counts"' in html
    assert "<html" not in html


def test_counts_are_asked_for_again_only_while_the_campaign_is_open(client: Client, cast) -> None:
    client.force_login(cast.ada)
    asks = 'hx-get="/campaigns/cups/counts/"'
    for page in PAGES:
        assert asks in client.get(f"/campaigns/cups/{page}").content.decode()
    Campaign.objects.update(status="closed")
    for page in PAGES:
        html = client.get(f"/campaigns/cups/{page}").content.decode()
        assert asks not in html
        assert "counts.js" not in html


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (None, "nobody has decided"),
        (90, "<dt>Texts kept until</dt>"),
        (12, "12 days left"),
        (0, "today is the last day"),
        (-3, "that was 3 days ago"),
    ],
)
def test_the_page_says_until_when_texts_are_stored(
    client: Client, cast, days: int | None, words: str
) -> None:
    until = None if days is None else timezone.now().date() + timedelta(days=days)
    Campaign.objects.update(retain_until=until)
    client.force_login(cast.ada)
    html = client.get("/campaigns/cups/").content.decode()
    assert words in html
    assert ("Freeze and export" in html) == (days in {0, 12})


def test_an_admin_who_rates_is_marked(client: Client, cast) -> None:
    Membership.objects.create(user=cast.ada, campaign=cast.campaign, role="annotator")
    client.force_login(cast.ada)
    assert "also admin" in client.get("/campaigns/cups/").content.decode()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", ["alice", "carol", "rita"])
def test_a_member_without_the_right_is_refused(client: Client, cast, name: str, page: str) -> None:
    client.force_login(getattr(cast, name))
    assert client.get(f"/campaigns/cups/{page}").status_code == 403


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", ["mallory", "ada"])
def test_a_campaign_of_others_is_answered_as_one_that_does_not_exist(
    client: Client, cast, name: str, page: str
) -> None:
    Membership.objects.filter(user=cast.mallory).update(role="admin")
    client.force_login(getattr(cast, name))
    other = "cups" if name == "mallory" else "elsewhere"
    answers = [client.get(f"/campaigns/{slug}/{page}") for slug in (other, "no-such")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content


def test_nobody_takes_a_candidate_of_a_campaign_of_others(client: Client, cast) -> None:
    cast.reference("x", campaign=cast.elsewhere)
    client.force_login(cast.alice)
    assert client.post("/campaigns/elsewhere/next/").status_code == 404
