from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.campaigns.members.deactivations import reactivate
from annotator.campaigns.members.services import grant_role, invite, open_invitations, revoke_role
from annotator.models import ApiToken, AuditEvent, Invitation, SecondFactor, User
from tests.conftest import signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
CONFIRMED = {"confirmed": "1"}
PASSWORD, NEW = "Marmalade-on-Tuesday-7", "Marmalade-on-Friday-8"


@pytest.fixture
def bob(cast) -> User:
    cast.bob.set_password(PASSWORD)
    cast.bob.save()
    SecondFactor.objects.create(user=cast.bob, secret="x", last_step=0)
    return cast.bob


@pytest.fixture
def boss(cast) -> User:
    return User.objects.create(username="boss", is_superuser=True)


def call(token: str) -> int:
    client = Client(headers={"Authorization": f"Token {token}"})
    return client.get("/api/v1/campaigns/").status_code


def by_admin(act: str) -> Callable[[User, User], Any]:
    return lambda bob, boss: signed_in(boss).post(f"/users/{bob.pk}/{act}/", CONFIRMED, follow=True)


ACTS: dict[str, Callable[[User, User], Any]] = {
    "a new password": lambda bob, boss: signed_in(bob).post(
        "/account/password/", {"current": PASSWORD, "new": NEW, "again": NEW}, follow=True
    ),
    "end all others": lambda bob, boss: signed_in(bob).post(
        "/account/sessions/end-others/", CONFIRMED, follow=True
    ),
    **{act: by_admin(act) for act in ("end-sessions", "deactivate", "reset-second-factor")},
}


@pytest.mark.parametrize("act", ACTS)
def test_it_revokes_every_token_says_so_and_writes_it_down(cast, bob, boss, act: str) -> None:
    tokens = [create_token(user=bob).token for _ in range(2)]
    anothers = create_token(user=cast.alice).token
    assert [call(one) for one in tokens] == [200, 200]
    answer = ACTS[act](bob, boss)
    assert "API tokens revoked: 2." in answer.content.decode()
    assert [call(one) for one in (*tokens, anothers)] == [401, 401, 200]
    events = AuditEvent.objects.filter(action="token.revoked", object_type="token")
    by = bob if act in {"a new password", "end all others"} else boss
    assert set(events.values_list("actor", flat=True)) == {by.pk} and events.count() == 2
    bob.refresh_from_db()
    if not bob.is_active:
        reactivate(user=bob, by=boss)
    assert [call(one) for one in tokens] == [401, 401]


def test_a_wrong_password_and_the_end_of_one_session_leave_the_tokens(bob) -> None:
    token = create_token(user=bob).token
    signed_in(bob).post("/account/password/", {"current": "guess", "new": NEW, "again": NEW})
    assert call(token) == 200 and ApiToken.objects.filter(user=bob).exists()
    here, token = signed_in(bob), create_token(user=bob).token
    signed_in(bob)
    other = bob.sessions.order_by("-started_at").first()
    here.post(f"/account/sessions/{other.id}/end/")
    assert call(token) == 200


def test_invitations_do_not_come_back_with_an_account_or_a_role(cast, boss) -> None:
    other = User.objects.create(username="other")
    for user in (cast.ada, other):
        grant_role(user=user, campaign=cast.campaign, role="admin")
    used = Invitation.objects.count()
    link = invite(by=cast.ada, campaign=cast.campaign, role="reader")
    anothers = invite(by=other, campaign=cast.campaign, role="reader")
    answer = signed_in(boss).post(f"/users/{cast.ada.pk}/deactivate/", CONFIRMED, follow=True)
    assert "Invitations withdrawn: 1." in answer.content.decode()
    reactivate(user=cast.ada, by=boss)
    assert not open_invitations(link).exists() and open_invitations(anothers).exists()
    again = {"user": other, "campaign": cast.campaign, "role": "admin"}
    revoke_role(**again, revoked_by=cast.ada)
    grant_role(**again)
    assert not open_invitations(anothers).exists()
    events = AuditEvent.objects.filter(action="invitation.withdrawn", object_type="invitation")
    assert events.count() == 2 and Invitation.objects.count() == used + 2
