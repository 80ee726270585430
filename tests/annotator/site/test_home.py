"""Home, own ratings."""

import re

from django.test import Client

from annotator.models import Membership


def test_the_queue_links_every_open_assignment_once_and_no_other(client: Client, cast) -> None:
    rows = cast.assign(cast.alice, cast.reference())
    cast.submit(rows[0])
    client.force_login(cast.alice)
    html = client.get("/").content.decode()
    links = re.findall(r'<a href="/rate/([0-9a-f-]+)/">', html)
    assert links == [str(row.pk) for row in rows[1:]]
    assert "2 to rate, 1 rated" in html
    assert f'action="/rate/{rows[1].pk}/"' in html


def test_an_empty_queue_offers_the_next_candidate(client: Client, cast) -> None:
    client.force_login(cast.alice)
    assert b'action="/campaigns/cups/next/"' in client.get("/").content


def test_an_admin_finds_the_campaigns_that_they_run(client: Client, cast) -> None:
    client.force_login(cast.ada)
    html = client.get("/").content
    assert b'href="/campaigns/cups/"' in html
    assert b"/campaigns/elsewhere/" not in html


def test_who_has_two_roles_sees_queue_and_dashboard(client: Client, cast) -> None:
    Membership.objects.create(user=cast.ada, campaign=cast.campaign, role="annotator")
    rows = cast.assign(cast.ada, cast.reference())
    client.force_login(cast.ada)
    html = client.get("/").content.decode()
    assert f"/rate/{rows[0].pk}/" in html and "Campaigns you run" in html


def test_own_ratings_are_listed_with_their_overall(client: Client, cast) -> None:
    reference = cast.reference()
    mine = cast.submit(cast.assign(cast.alice, reference)[0], (7, 5, 9, 10))
    theirs = cast.submit(cast.assign(cast.bob, reference)[0])
    client.force_login(cast.alice)
    html = client.get("/rated/").content.decode()
    assert f"/rate/{mine.assignment_id}/" in html and "7.82" in html
    assert str(theirs.assignment_id) not in html
