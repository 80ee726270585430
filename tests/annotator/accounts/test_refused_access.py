from contextlib import suppress

import pytest
from django.db import DatabaseError
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.accounts.sign_in import (
    OF_ONE,
    Attempt,
    begin,
    forgive,
    network_of,
    record_refusal,
    record_wrong,
)
from annotator.models import AuditEvent
from core.errors import TooOften
from tests.conftest import grant, signed_in
from tests.faults import raising

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db,
    pytest.mark.usefixtures("rate_limits_stand_still"),
]

SECRET = "a cup with a secret handle"


def refusals(**more):
    return AuditEvent.objects.filter(action="access.refused", **more)


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


def test_a_flood_leaves_as_many_entries_as_its_limit_and_one_that_says_so(cast):
    for person in [cast.alice] * (OF_ONE.burst + 30) + [cast.bob]:
        record_refusal(actor=person, address="", route="annotator:plan", method="GET", status=403)
    assert refusals(actor=cast.alice).count() == OF_ONE.burst
    assert AuditEvent.objects.filter(action="access.refused_often", actor=cast.alice).count() == 1
    assert refusals(actor=cast.bob).count() == 1


def test_a_trail_that_cannot_be_written_still_refuses(cast, monkeypatch):
    full = raising(DatabaseError("the disk is full"))
    monkeypatch.setattr("annotator.site.middleware.record_refusal", full)
    assert signed_in(cast.alice).get("/campaigns/cups/plan/").status_code == 403
    assert not refusals().exists()


def let_in(*attempts: Attempt) -> int:
    count = 0
    for attempt in attempts:
        with suppress(TooOften):
            begin(attempt)
            count += 1
    return count


@pytest.mark.parametrize(
    ("names", "tries"),
    [
        (["alice"] * 20, 7),
        (["nobody"] * 20, 7),
        (["alice", "ALICE", "Alice", "\uff41lice"] * 5, 7),
        ([f"name-{n}" for n in range(80)], 60),
    ],
    ids=["one account", "no account", "spellings of one name", "many names"],
)
def test_one_address_has_so_many_tries_and_others_still_get_in(cast, names, tries) -> None:
    assert let_in(*[Attempt(name, "10.0.0.1") for name in names]) == tries
    assert let_in(Attempt(names[0], "10.0.0.2")) == 1


def test_many_addresses_try_an_account_nine_times_and_a_known_browser_still_gets_in(cast) -> None:
    assert let_in(*[Attempt("alice", f"10.0.0.{n}") for n in range(50)]) == 9
    assert let_in(Attempt("alice", "10.0.0.1", "known")) == 1
    assert let_in(*[Attempt("alice", "10.0.0.1", "known")] * 20) == 6
    assert let_in(Attempt("bob", "10.0.0.1", "known")) == 1


def test_the_right_password_counts_nothing(cast) -> None:
    attempt = Attempt("alice", "10.0.0.1")
    for _ in range(30):
        begin(attempt)
        forgive(attempt)
    assert let_in(*[attempt] * 20) == 7


def test_a_wrong_one_is_on_record_without_the_name_that_was_typed(cast) -> None:
    record_wrong(Attempt("alice", "10.0.0.1"))
    record_wrong(Attempt("my-password", "10.0.0.1"))
    rows = AuditEvent.objects.filter(action="sign_in.refused").order_by("pk")
    assert [row.object_id for row in rows] == [str(cast.alice.pk), "unknown"]
    assert "my-password" not in str(list(rows.values()))


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8::1", network_of("2001:db8::ffff:1")),
        ("", "unknown"),
        ("x" * 5000, "unknown"),
    ],
)
def test_an_address_counts_with_its_subscriber(address, network) -> None:
    assert network_of(address) == network
