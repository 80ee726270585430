import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import global_settings
from django.contrib.auth.hashers import identify_hasher, make_password, must_update_salt
from django.db.models import F
from django.test import Client
from django.utils import timezone

from annotator.accounts.services import create_user, set_demo_password
from annotator.accounts.sessions import create_token, token_digest
from annotator.campaigns.members import deactivations, removals
from annotator.campaigns.members.removals import removal_of, restore_role
from annotator.campaigns.members.services import grant_role
from annotator.models import (
    ApiToken,
    Assignment,
    AuditEvent,
    Candidate,
    Draft,
    Invitation,
    Membership,
    SecondFactor,
    User,
)
from core.errors import OutOfDate, Refused
from tests.conftest import signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

PASSWORD = "Marmalade-on-Tuesday-7"
NEW = {"username": "dora", "password": PASSWORD, "again": PASSWORD}
MEMBERS = "/campaigns/cups/members/"
CONFIRMED = {"confirmed": "1"}


@pytest.fixture
def boss(cast) -> Client:
    return signed_in(User.objects.create(username="boss", is_superuser=True))


def link_in(answer) -> str:
    found = re.search(
        r"<code[^>]*>https?://[^/<]+(/invitation/[\w-]{43}/)</code>", answer.content.decode()
    )
    assert found and answer.status_code == 200
    return found[1]


def test_an_invited_person_makes_an_account_and_the_link_is_used_up(admin, cast) -> None:
    link = link_in(admin.post(f"{MEMBERS}invite/", {"role": "annotator"}))
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


def test_a_person_with_an_account_joins_only_by_agreeing(admin, cast) -> None:
    for role in ("annotator", "reader"):  # more than one link by the same person
        link = link_in(admin.post(f"{MEMBERS}invite/", {"role": role}))
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
def test_a_link_that_is_nothing_for_a_person_stays_for_another(admin, cast, name, role, reason):
    link = link_in(admin.post(f"{MEMBERS}invite/", {"role": role}))
    person = signed_in(getattr(cast, name))
    before = Membership.objects.count()
    for answer in (person.get(link), person.post(link)):
        assert reason in answer.content.decode()
    assert answer.status_code == 422 and Membership.objects.count() == before
    assert Client().post(link, NEW).status_code == 303


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        ("username", {"username": "Alice"}),
        ("password", {"password": "short", "again": "short"}),
        ("again", {"again": "something else"}),
    ],
)
def test_what_is_not_good_enough_is_refused_and_the_link_stays(admin, field, sent) -> None:
    link = link_in(admin.post(f"{MEMBERS}invite/", {"role": "reader"}))
    before = User.objects.count()
    answer = Client().post(link, NEW | sent)
    assert answer.status_code == 422 and User.objects.count() == before
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert Client().get(link).status_code == 200


def test_a_link_ends_with_its_days_or_with_the_rights_of_who_made_it(admin, cast) -> None:
    link = link_in(admin.post(f"{MEMBERS}invite/", {"role": "reader"}))
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


def test_a_site_admin_invites_into_any_campaign_or_none(boss, cast) -> None:
    for sent in ({"campaign": "", "role": ""}, {"campaign": "elsewhere", "role": "admin"}):
        assert Client().get(link_in(boss.post("/users/", sent))).status_code == 200
    for sent in ({"campaign": "nowhere", "role": "admin"}, {"campaign": "cups", "role": ""}):
        assert boss.post("/users/", sent).status_code == 422
    link = link_in(boss.post("/users/", {"campaign": "", "role": ""}))
    person = signed_in(cast.alice)
    assert b"you have one already" in person.post(link).content
    assert Client().get(link).status_code == 200


def test_a_deactivated_person_is_out_everywhere_and_comes_back_with_their_roles(boss, cast) -> None:
    cast.bob.password = make_password(PASSWORD)
    cast.bob.save()
    bob, by_token = Client(), create_token(user=cast.bob).token
    assert bob.post("/login/", {"username": "bob", "password": PASSWORD}).status_code == 302
    caller = Client(headers={"Authorization": f"Token {by_token}"})
    assert boss.post(f"/users/{cast.bob.pk}/deactivate/", CONFIRMED).status_code == 303
    assert bob.get("/account/").status_code == 302
    assert caller.get("/api/v1/campaigns/").status_code == 401
    assert cast.bob.sessions.count() == 0
    assert b"deactivated" in boss.get("/users/").content
    assert boss.post(f"/users/{cast.bob.pk}/deactivate/", CONFIRMED).status_code == 409
    boss.post(f"/users/{cast.bob.pk}/reactivate/")
    assert caller.get("/api/v1/campaigns/").status_code == 401
    assert cast.bob.memberships.count() == 1


def test_a_deactivation_says_what_goes_and_gives_it_back_for_half_an_hour(boss, cast) -> None:
    cast.reference("r2", 1)
    leased = cast.take(cast.alice)
    rated, taken, given = cast.assign(cast.alice, cast.reference("r1", 3))
    cast.submit(rated)
    Draft.objects.create(assignment=given, saved_at=timezone.now())
    alice = signed_in(cast.alice)
    page = f"/users/{cast.alice.pk}/deactivate/"
    asked = boss.post(page).content.decode()
    assert "<strong>1 session and 0 API tokens</strong> end at once" in asked
    assert "3 open candidates go back and are free for other annotators, 1 of them with a" in asked
    assert "for 30 minutes also with every candidate" in asked and "Cups" not in asked
    assert alice.get("/account/").status_code == 200
    done = boss.post(page, CONFIRMED, follow=True).content.decode()
    assert "Candidates that went back: 3." in done
    ended = Assignment.objects.values_list("status", flat=True).order_by("status")
    assert list(ended) == ["lapsed", "lapsed", "lapsed", "submitted"]
    assert Candidate.objects.filter(held=1).count() == 1
    # Somebody else has taken one meanwhile.
    Candidate.objects.filter(pk=taken.candidate_id).update(held=F("places"), has_room=False)
    back = boss.post(f"/users/{cast.alice.pk}/reactivate/", follow=True).content.decode()
    assert "alice may sign in again with 2 candidates; 1 is with somebody else by now." in back
    states = dict(Assignment.objects.values_list("pk", "status"))
    assert [states[row.pk] for row in (leased, given, taken)] == ["open", "open", "lapsed"]


def test_an_account_that_comes_back_later_brings_no_candidates(boss, cast, monkeypatch) -> None:
    cast.assign(cast.alice, cast.reference("r1", 2))
    boss.post(f"/users/{cast.alice.pk}/deactivate/", CONFIRMED)
    monkeypatch.setattr(deactivations, "TAKEN_BACK_WITHIN", timedelta(0))
    back = boss.post(f"/users/{cast.alice.pk}/reactivate/", follow=True).content.decode()
    assert "alice may sign in again." in back
    assert set(Assignment.objects.values_list("status", flat=True)) == {"lapsed"}


def test_the_last_admins_and_oneself_stay(boss, cast) -> None:
    me = User.objects.get(username="boss")
    for pk in (cast.ada.pk, me.pk):
        for sent in ({}, CONFIRMED):
            answer = boss.post(f"/users/{pk}/deactivate/", sent)
            assert answer.status_code == 409 and b"message-error" in answer.content
    User.objects.get(username="rita").memberships.create(campaign=cast.campaign, role="admin")
    assert boss.post(f"/users/{cast.ada.pk}/deactivate/", CONFIRMED).status_code == 303


def test_sessions_are_ended_and_a_second_factor_is_reset(boss, cast) -> None:
    alice = signed_in(cast.alice)
    create_token(user=cast.alice)
    asked = boss.post(f"/users/{cast.alice.pk}/end-sessions/").content.decode()
    assert "<strong>1 session and 1 API token</strong> end at once" in asked
    assert alice.get("/account/").status_code == 200
    boss.post(f"/users/{cast.alice.pk}/end-sessions/", CONFIRMED)
    assert alice.get("/account/").status_code == 302
    SecondFactor.objects.create(user=cast.alice, secret="x", last_step=0)
    asked = boss.post(f"/users/{cast.alice.pk}/reset-second-factor/").content.decode()
    assert "the app&#x27;s codes" in asked and SecondFactor.objects.exists()
    boss.post(f"/users/{cast.alice.pk}/reset-second-factor/", CONFIRMED)
    assert not SecondFactor.objects.exists()
    assert boss.post(f"/users/{cast.alice.pk}/reset-second-factor/", CONFIRMED).status_code == 409
    assert boss.post(f"/users/{cast.alice.pk}/promote/").status_code == 404


def test_members_are_listed_with_their_roles(admin) -> None:
    html = admin.get(MEMBERS).content.decode()
    for name in ("alice", "bob", "carol", "rita", "ada"):
        assert f'value="{name}"' in html
    assert "mallory" not in html


@pytest.mark.parametrize(
    ("username", "role"),
    [("nobody", "reader"), ("mallory", "annotator"), ("alice", "king"), ("", "")],
)
def test_a_person_or_role_that_does_not_exist_is_refused(admin, username, role) -> None:
    answer = admin.post(MEMBERS, {"username": username, "role": role})
    assert answer.status_code == 422
    assert Membership.objects.filter(campaign__slug="cups").count() == 5


def test_a_stranger_and_nobody_are_refused_alike(admin, cast) -> None:
    found = {
        re.sub("nobody|mallory|[A-Za-z0-9]{64}", "", answer.content.decode())
        for name in ("nobody", "mallory")
        if (answer := admin.post(MEMBERS, {"username": name, "role": "annotator"}))
    }
    assert len(found) == 1 and "by a link" in found.pop()
    path = f"{MEMBERS}revoke/"
    codes = {
        admin.post(path, {"username": name, "role": "annotator"}).status_code
        for name in ("nobody", "mallory")
    }
    assert codes == {409}


def test_who_loses_the_role_keeps_ratings_and_gives_back_what_is_open(admin, cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 2))
    cast.submit(rows[0])
    path = f"{MEMBERS}revoke/"
    page = admin.post(path, {"username": "alice", "role": "annotator"}).content.decode()
    assert "<strong>1 open candidate</strong>" in page and "For 30 minutes" in page
    assert 'class="danger">Take the role</button>' in page and rows[1].status == "open"
    alice = {"username": "alice", "role": "annotator", "confirmed": "1"}
    answer = admin.post(path, alice, follow=True)
    assert "alice is no longer annotator of Cups. 1 candidate went back." in answer.content.decode()
    states = Assignment.objects.order_by("position").values_list("status", flat=True)
    assert list(states) == ["submitted", "lapsed"]
    held = Candidate.objects.order_by("-held").values_list("held", flat=True)
    assert list(held) == [1, 0]
    assert cast.alice.ratings.count() == 1
    assert admin.post(path, alice).status_code == 409


def test_a_role_taken_by_mistake_comes_back_with_its_work_for_half_an_hour(admin, cast) -> None:
    cast.reference("r2", 1)
    leased = cast.take(cast.alice)
    given = cast.assign(cast.alice, cast.reference("r1", 2))
    Membership.objects.filter(user=cast.alice).update(quota=7)
    alice = {"username": "alice", "role": "annotator"}
    admin.post(f"{MEMBERS}revoke/", alice | {"confirmed": "1"})
    assert set(Assignment.objects.values_list("status", flat=True)) == {"lapsed"}
    assert "Give alice the role annotator back" in admin.get(MEMBERS).content.decode()
    # Somebody else has taken one meanwhile.
    Candidate.objects.filter(pk=given[0].candidate_id).update(held=F("places"), has_room=False)
    text = admin.post(MEMBERS, alice, follow=True).content.decode()
    assert "alice is annotator again with" in text and "1 is with somebody else by now" in text
    assert "Give alice" not in text
    states = dict(Assignment.objects.values_list("pk", "status"))
    assert states[given[0].pk] == "lapsed" and states[given[1].pk] == "open"
    assert states[leased.pk] == "open"
    assert Membership.objects.get(user=cast.alice).quota == 7
    assert Candidate.objects.get(pk=given[1].candidate_id).held == 1


def test_after_half_an_hour_a_role_is_given_anew_and_brings_nothing_back(
    admin, cast, monkeypatch
) -> None:
    cast.assign(cast.alice, cast.reference("r1", 2))
    alice = {"username": "alice", "role": "annotator"}
    admin.post(f"{MEMBERS}revoke/", alice | {"confirmed": "1"})
    removal = removal_of(cast.campaign, "alice", "annotator")
    assert removal is not None
    monkeypatch.setattr(removals, "TAKEN_BACK_WITHIN", timedelta(0))
    assert removals.removals_of(cast.campaign) == ()
    with pytest.raises(OutOfDate):
        restore_role(campaign=cast.campaign, removal=removal, restored_by=cast.ada)
    assert admin.post(MEMBERS, alice).status_code == 422
    assert set(Assignment.objects.values_list("status", flat=True)) == {"lapsed"}


def test_the_last_admin_stays(admin, cast) -> None:
    path = f"{MEMBERS}revoke/"
    for nothing in ({}, {"username": "alice", "role": "king"}):
        assert admin.post(path, nothing).status_code == 422
    ada = {"username": "ada", "role": "admin"}
    assert "You cannot take this back yourself" in admin.post(path, ada).content.decode()
    answer = admin.post(path, ada | {"confirmed": "1"})
    assert answer.status_code == 409
    assert "at least one admin" in answer.content.decode()
    admin.post(MEMBERS, {"username": "rita", "role": "admin"})
    answer = admin.post(path, ada | {"confirmed": "1"})
    assert (answer.status_code, answer["Location"]) == (303, "/")
    assert admin.get(MEMBERS).status_code in (403, 404)


def test_an_account_is_created_with_an_audit_row_and_without_a_password_is_no_way_in(
    settings: Any,
) -> None:
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    user = create_user(username="dora", password=PASSWORD)
    assert user.password.startswith("pbkdf2_sha256$") and user.check_password(PASSWORD)
    assert not user.is_superuser
    event = AuditEvent.objects.get(action="user.created")
    assert event.object_id == str(user.pk)
    assert PASSWORD not in str(event.details)
    user = create_user(username="root", password=None, is_site_admin=True)
    assert not user.has_usable_password()
    assert user.is_superuser


@pytest.mark.parametrize(
    ("username", "password"),
    [
        *(("dora", weak) for weak in ("", "short", "password1234", "912837465012938")),
        ("marmalade", "marmalade-12"),
        *((wrong, PASSWORD) for wrong in ("", "no spaces", "x" * 151)),
    ],
)
def test_a_name_or_password_that_is_not_good_enough_is_refused(username, password) -> None:
    with pytest.raises(Refused) as caught:
        create_user(username=username, password=password)
    assert caught.value.sentence
    assert not User.objects.exists()
    assert not AuditEvent.objects.exists()


def test_a_name_that_would_be_taken_for_anothers_is_refused() -> None:
    create_user(username="alice", password=PASSWORD)
    with pytest.raises(Refused, match="named ALICE already"):
        create_user(username="ALICE", password=PASSWORD)
    for name in ("\u0430lice", "alice\u200d", "\uff41lice", "al\u0131ce", "al\u0456ce", "a1ice"):
        with pytest.raises(Refused):
            create_user(username=name, password=PASSWORD)
        assert User.objects.count() == 1, ascii(name)


def test_two_who_ask_for_names_alike_at_one_moment_do_not_both_get_them(monkeypatch) -> None:
    monkeypatch.setattr("annotator.accounts.services.refuse_name", lambda name: None)
    create_user(username="ace", password=PASSWORD)
    with pytest.raises(Refused, match="looks like it"):
        create_user(username="\u0430\u0441\u0435", password=PASSWORD)
    assert User.objects.count() == 1


def test_a_role_is_given_once_however_often_and_an_unknown_one_is_refused(cast) -> None:
    first = grant_role(user=cast.mallory, campaign=cast.campaign, role="annotator")
    assert grant_role(user=cast.mallory, campaign=cast.campaign, role="annotator") == first
    grant_role(user=cast.mallory, campaign=cast.campaign, role="researcher")
    assert cast.mallory.memberships.filter(campaign=cast.campaign).count() == 2
    assert AuditEvent.objects.filter(action="role.granted").count() == 2
    with pytest.raises(Refused, match="roles are annotator"):
        grant_role(user=cast.mallory, campaign=cast.campaign, role="king")
    assert not Membership.objects.filter(role="king").exists()


def test_a_token_is_shown_once_and_stored_as_its_digest_with_a_last_day() -> None:
    user = create_user(username="dora", password=None)
    for days in (0, -1, 91):
        with pytest.raises(Refused, match="1 to 90 days"):
            create_token(user=user, days=days)
    made = create_token(user=user, scope="read", days=7)
    row = ApiToken.objects.get()
    assert row.token_sha256 == token_digest(made.token)
    assert made.token not in str(ApiToken.objects.values().get())
    assert made.token not in str(list(AuditEvent.objects.values()))
    assert row.scope == "read"
    left = row.expires_at - timezone.now()
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)
    assert create_token(user=user).token != made.token


def test_a_demo_password_may_be_short_and_stays_as_it_is() -> None:
    user = create_user(username="dora", password=None)
    set_demo_password(user=user, password="demo")
    first = User.objects.get().password
    create_token(user=user)
    set_demo_password(user=user, password="demo")
    assert User.objects.get().password == first
    assert User.objects.get().check_password("demo") and ApiToken.objects.exists()
    set_demo_password(user=user, password="another")
    assert User.objects.get().check_password("another") and not ApiToken.objects.exists()


def test_a_demo_password_that_was_set_here_is_known_without_its_slow_digest(monkeypatch) -> None:
    user = create_user(username="dora", password=None)
    set_demo_password(user=user, password="demo")
    with monkeypatch.context() as patched:
        patched.setattr(User, "check_password", lambda *_: pytest.fail("it was computed"))
        set_demo_password(user=user, password="demo")
    assert not must_update_salt(identify_hasher(user.password).decode(user.password)["salt"], 128)


def test_a_demo_password_that_somebody_set_otherwise_is_set_anew() -> None:
    user = create_user(username="dora", password=None)
    set_demo_password(user=user, password="demo")
    create_token(user=user)
    user.set_password("another one than before")
    set_demo_password(user=user, password="demo")
    assert User.objects.get().check_password("demo") and not ApiToken.objects.exists()
    token = create_token(user=user)
    user.set_password("demo")  # the same, by another salt: whoever has access keeps it
    set_demo_password(user=user, password="demo")
    assert ApiToken.objects.get().token_sha256 == token_digest(token.token)
