"""Invitations, and the site admin's list of accounts."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import make_password
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.models import AuditEvent, Invitation, Membership, SecondFactor, User

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_passwords")]

PASSWORD = "Marmalade-on-Tuesday-7"
NEW = {"username": "dora", "password": PASSWORD, "again": PASSWORD}
MEMBERS = "/campaigns/cups/members/"


@pytest.fixture
def boss(cast) -> Client:
    client = Client()
    client.force_login(User.objects.create(username="boss", is_superuser=True))
    return client


@pytest.fixture
def ada(cast) -> Client:
    client = Client()
    client.force_login(cast.ada)
    return client


def link_in(answer) -> str:
    found = re.search(
        r"<code>https?://[^/<]+(/invitation/[\w-]{43}/)</code>", answer.content.decode()
    )
    assert found and answer.status_code == 200
    return found[1]


def test_an_invited_person_makes_an_account_and_the_link_is_used_up(ada, cast) -> None:
    link = link_in(ada.post(f"{MEMBERS}invite/", {"role": "annotator"}))
    assert link.split("/")[2] not in str(list(Invitation.objects.values()))
    assert b"Cups" in Client().get(link).content
    assert Client().post(link, NEW)["Location"] == "/login/"
    dora = User.objects.get(username="dora")
    assert dora.check_password(PASSWORD) and not dora.is_superuser
    assert [(m.campaign.slug, m.role) for m in dora.memberships.all()] == [("cups", "annotator")]
    assert Client().get(link).status_code == 404
    assert Client().post(link, NEW | {"username": "emma"}).status_code == 404
    signed_in = Client().post("/login/", {"username": "dora", "password": PASSWORD})
    assert signed_in.status_code == 302
    actions = AuditEvent.objects.values_list("action", flat=True)
    assert {"invitation.made", "user.created", "invitation.accepted"} <= set(actions)


def test_a_person_with_an_account_joins_only_by_agreeing(ada, cast) -> None:
    for role in ("annotator", "reader"):  # more than one link by the same person
        link = link_in(ada.post(f"{MEMBERS}invite/", {"role": role}))
        stranger = Client()
        assert f"/login/?next={link}" in stranger.get(link).content.decode()
        stranger.force_login(cast.mallory)
        shown = stranger.get(link).content.decode()
        assert f"Join as {role}" in shown and "mallory" in shown
        held = cast.mallory.memberships.filter(campaign=cast.campaign, role=role)
        assert not held.exists()
        assert stranger.post(link)["Location"] == "/"
        assert held.count() == 1
        assert stranger.post(link).status_code == 404
    assert AuditEvent.objects.filter(actor=cast.mallory, action="invitation.accepted").count() == 2


@pytest.mark.parametrize(
    ("name", "role", "reason"),
    [("ada", "reader", "You made this link"), ("alice", "annotator", "annotator of Cups already")],
)
def test_a_link_that_is_nothing_for_a_person_stays_for_another(
    ada, cast, name, role, reason
) -> None:
    link = link_in(ada.post(f"{MEMBERS}invite/", {"role": role}))
    person = Client()
    person.force_login(getattr(cast, name))
    before = Membership.objects.count()
    for answer in (person.get(link), person.post(link)):
        assert reason in answer.content.decode()
    assert answer.status_code == 422 and Membership.objects.count() == before
    assert Client().post(link, NEW).status_code == 303


def test_a_link_for_an_account_alone_is_nothing_for_who_has_one(boss, cast) -> None:
    link = link_in(boss.post("/users/", {"campaign": "", "role": ""}))
    person = Client()
    person.force_login(cast.alice)
    assert b"you have one already" in person.post(link).content
    assert Client().get(link).status_code == 200


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        ("username", {"username": "Alice"}),
        ("username", {"username": "\u0430lice"}),
        ("username", {"username": "a\x00"}),
        ("username", {"username": ""}),
        ("password", {"password": "short", "again": "short"}),
        ("password", {"password": "password1234", "again": "password1234"}),
        ("again", {"again": "something else"}),
    ],
)
def test_what_is_not_good_enough_is_reported_and_the_link_stays(ada, field, sent) -> None:
    link = link_in(ada.post(f"{MEMBERS}invite/", {"role": "reader"}))
    before = User.objects.count()
    answer = Client().post(link, NEW | sent)
    assert answer.status_code == 422 and User.objects.count() == before
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert Client().get(link).status_code == 200


def test_a_link_ends_with_its_days_or_with_the_rights_of_who_made_it(ada, cast) -> None:
    link = link_in(ada.post(f"{MEMBERS}invite/", {"role": "reader"}))
    roles = Membership.objects.filter(user=cast.ada, role="admin")
    roles.update(role="reader")
    assert Client().get(link).status_code == 404
    roles.model.objects.filter(user=cast.ada).update(role="admin")
    assert Client().get(link).status_code == 200
    User.objects.filter(pk=cast.ada.pk).update(is_active=False)
    assert Client().get(link).status_code == 404
    User.objects.filter(pk=cast.ada.pk).update(is_active=True)
    row = Invitation.objects.get()
    Invitation.objects.update(expires_at=row.expires_at - timedelta(days=7))
    assert Client().post(link, NEW).status_code == 404
    assert not User.objects.filter(username="dora").exists()


def test_a_site_admin_invites_into_any_campaign_or_none(boss) -> None:
    for sent in ({"campaign": "", "role": ""}, {"campaign": "elsewhere", "role": "admin"}):
        assert Client().get(link_in(boss.post("/users/", sent))).status_code == 200
    for sent in ({"campaign": "nowhere", "role": "admin"}, {"campaign": "cups", "role": ""}):
        assert boss.post("/users/", sent).status_code == 422


def test_a_deactivated_person_is_out_everywhere_and_comes_back_with_their_roles(boss, cast) -> None:
    cast.bob.password = make_password(PASSWORD)
    cast.bob.save()
    bob, by_token = Client(), create_token(user=cast.bob).token
    assert bob.post("/login/", {"username": "bob", "password": PASSWORD}).status_code == 302
    caller = Client(headers={"Authorization": f"Token {by_token}"})
    assert boss.post(f"/users/{cast.bob.pk}/deactivate/").status_code == 303
    assert bob.get("/account/").status_code == 302
    assert caller.get("/api/v1/campaigns/").status_code == 401
    assert cast.bob.sessions.count() == 0
    assert b"deactivated" in boss.get("/users/").content
    assert boss.post(f"/users/{cast.bob.pk}/deactivate/").status_code == 409
    boss.post(f"/users/{cast.bob.pk}/reactivate/")
    assert caller.get("/api/v1/campaigns/").status_code == 401
    assert cast.bob.memberships.count() == 1


def test_the_last_admins_and_oneself_stay(boss, cast) -> None:
    me = User.objects.get(username="boss")
    for pk in (cast.ada.pk, me.pk):
        answer = boss.post(f"/users/{pk}/deactivate/")
        assert answer.status_code == 409 and b"message-error" in answer.content
    User.objects.get(username="rita").memberships.create(campaign=cast.campaign, role="admin")
    assert boss.post(f"/users/{cast.ada.pk}/deactivate/").status_code == 303


def test_sessions_are_ended_and_a_second_factor_is_reset(boss, cast) -> None:
    alice = Client()
    alice.force_login(cast.alice)
    boss.post(f"/users/{cast.alice.pk}/end-sessions/")
    assert alice.get("/account/").status_code == 302
    SecondFactor.objects.create(user=cast.alice, secret="x", last_step=0)
    boss.post(f"/users/{cast.alice.pk}/reset-second-factor/")
    assert not SecondFactor.objects.exists()
    assert boss.post(f"/users/{cast.alice.pk}/reset-second-factor/").status_code == 409
    assert boss.post(f"/users/{cast.alice.pk}/promote/").status_code == 404
