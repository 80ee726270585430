"""The what-if page."""

import pytest
from django.test import Client

from annotator.models import AuditEvent, Conflict, Membership

PAGE = "/campaigns/cups/what-if/"


@pytest.fixture
def disputed(cast, client: Client) -> None:
    """Have two people rate a candidate four apart on one criterion; ada looks."""
    reference = cast.reference("r1", 1)
    cast.submit(cast.assign(cast.alice, reference)[0], (9, 5, 5, 5))
    cast.submit(cast.assign(cast.bob, reference)[0], (5, 5, 5, 5))
    client.force_login(cast.ada)


@pytest.mark.usefixtures("disputed")
def test_todays_rules_are_shown_at_first(client: Client) -> None:
    html = client.get(PAGE).content.decode()
    assert "<strong>1 conflict</strong> on 1 candidate of 1 reference; today's rules find 1" in html
    assert 'name="criterion_gap" value="3"' in html
    assert "cannot be said" in html


@pytest.mark.usefixtures("disputed")
def test_the_rules_of_the_address_are_replayed_and_stay_in_the_form(client: Client) -> None:
    asked = {"criterion_gap": "5", "overall_gap": "1.46", "ladder": "on"}
    html = client.get(PAGE, asked).content.decode()
    assert "<strong>No conflict</strong>; today's rules find 1" in html
    assert 'name="overall_gap" value="1.46"' in html
    assert '<option value="on" selected>' in html
    wider = client.get(PAGE, asked | {"overall_gap": "1.45"}).content.decode()
    assert "<strong>1 conflict</strong>" in wider  # 16/11 is 1.4545...


@pytest.mark.usefixtures("disputed")
def test_looking_writes_nothing(client: Client) -> None:
    before = (list(Conflict.objects.values()), AuditEvent.objects.count())
    assert client.get(PAGE, {"criterion_gap": "1"}).status_code == 200
    assert (list(Conflict.objects.values()), AuditEvent.objects.count()) == before


@pytest.mark.usefixtures("disputed")
def test_a_gap_that_is_none_is_refused_in_place(client: Client) -> None:
    for value in ("0", "٣٤", "3\x00", "9" * 200_000, "[3]", "", "<b>", "3;DROP"):
        answer = client.get(PAGE, {"criterion_gap": value})
        assert answer.status_code == 422, value[:9]
        html = answer.content.decode()
        assert 'id="id_criterion_gap_error"' in html, value[:9]
        assert "Under these rules" not in html, value[:9]


@pytest.mark.parametrize("name", ["alice", "carol", "rita"])
def test_a_member_without_the_right_is_refused(client: Client, cast, name: str) -> None:
    client.force_login(getattr(cast, name))
    assert client.get(PAGE).status_code == 403


def test_an_admin_of_another_campaign_finds_nothing(client: Client, cast) -> None:
    Membership.objects.filter(user=cast.mallory).update(role="admin")
    client.force_login(cast.mallory)
    assert client.get(PAGE).status_code == 404
