"""Refusals are written down, without what was sent, and a flood of them is not."""

import pytest
from django.db import DatabaseError
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.accounts.sign_in import OF_ONE, record_refusal
from annotator.models import AuditEvent
from tests.conftest import grant

pytestmark = pytest.mark.postgres

SECRET = "a cup with a secret handle"


def refusals(**more):
    return AuditEvent.objects.filter(action="access.refused", **more)


def signed_in(user, **more):
    client = Client(**more)
    client.force_login(user)
    return client


@pytest.mark.parametrize(
    ("who", "path", "status", "route"),
    [
        ("alice", "/campaigns/cups/plan/", 403, "annotator:plan"),
        ("ada", "/audit/", 403, "annotator:system_audit"),
        ("alice", "/api/v1/campaigns/cups/agreement/", 403, "api:agreement"),
    ],
)
def test_a_refused_person_is_written_down_with_the_route_only(cast, who, path, status, route):
    person = getattr(cast, who)
    answer = signed_in(person).post(path, {"reason": SECRET})
    assert answer.status_code == status
    event = refusals().get()
    assert (event.actor, event.object_type, event.object_id) == (person, "route", route)
    assert event.details == {"route": route, "method": "POST", "status": status}
    assert event.campaign == (cast.campaign if "cups" in path else None)


def test_who_belongs_to_another_campaign_finds_nothing_and_leaves_nothing_in_this_one(cast):
    grant(cast.mallory, cast.elsewhere, "admin")
    assert signed_in(cast.mallory).get("/campaigns/cups/plan/").status_code == 404
    assert not refusals().exists()
    assert signed_in(cast.mallory).get("/adjudication/").status_code == 403
    assert refusals().get().campaign is None


@pytest.mark.parametrize("header", [{}, {"Authorization": "Token wrong"}])
def test_a_call_without_a_living_token_is_written_down(cast, header):
    answer = Client(headers=header).get("/api/v1/campaigns/")
    assert answer.status_code == 401
    event = refusals().get()
    assert (event.actor, event.details["status"]) == (None, 401)
    assert "wrong" not in str(event.details)


def test_a_token_that_reaches_too_short_is_written_down_with_its_owner(cast):
    token = create_token(user=cast.alice, scope="read").token
    answer = Client(headers={"Authorization": f"Token {token}"}).post(
        "/api/v1/campaigns/cups/assignments/next/"
    )
    assert answer.status_code == 403
    assert refusals().get().actor == cast.alice


def test_a_form_without_its_token_is_written_down(cast):
    client = signed_in(cast.ada, enforce_csrf_checks=True)
    assert client.post("/campaigns/cups/close/", {"reason": SECRET}).status_code == 403
    assert refusals().get().object_id == "annotator:close_campaign"
    assert not AuditEvent.objects.filter(action="campaign.closed").exists()


def test_who_is_sent_to_sign_in_is_refused_nothing(cast):
    assert Client().get("/campaigns/cups/plan/").status_code == 302
    assert Client(headers={"HX-Request": "true"}).get("/rated/").status_code == 401
    assert signed_in(cast.alice).get("/rated/").status_code == 200
    assert not refusals().exists()


def test_a_flood_leaves_as_many_entries_as_its_rate_limit_and_one_that_says_so(cast):
    for _ in range(OF_ONE.burst + 30):
        refuse(cast.alice)
    refuse(cast.bob)
    written = refusals(actor=cast.alice).count()
    # One a minute is let in beside, however long this takes.
    assert OF_ONE.burst <= written < OF_ONE.burst + 10
    assert AuditEvent.objects.filter(action="access.refused_often", actor=cast.alice).count() == 1
    assert refusals(actor=cast.bob).count() == 1


def refuse(person):
    record_refusal(actor=person, address="", route="annotator:plan", method="GET", status=403)


def test_a_trail_that_cannot_be_written_still_refuses(cast, monkeypatch):
    def full(**_):
        raise DatabaseError("the disk is full")

    monkeypatch.setattr("annotator.site.middleware.record_refusal", full)
    assert signed_in(cast.alice).get("/campaigns/cups/plan/").status_code == 403
    assert not refusals().exists()
