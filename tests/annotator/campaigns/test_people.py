"""Accounts, roles and tokens."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotator.accounts.services import create_user, set_demo_password
from annotator.accounts.sessions import create_token, token_digest
from annotator.campaigns.members.services import grant_role
from annotator.models import ApiToken, AuditEvent, Campaign, Membership, User
from config import settings as as_shipped
from core.errors import Refused

# One test makes a hash as it is stored: each costs as much as a guess shall.
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db,
    pytest.mark.usefixtures("quick_passwords"),
]

GOOD = "Marmalade-on-Tuesday-7"


def test_an_account_is_created_with_an_audit_row(settings: Any) -> None:
    settings.PASSWORD_HASHERS = as_shipped.PASSWORD_HASHERS
    user = create_user(username="dora", password=GOOD)
    assert user.password.startswith("pbkdf2_sha256$") and user.check_password(GOOD)
    assert not user.is_superuser
    event = AuditEvent.objects.get(action="user.created")
    assert event.object_id == str(user.pk)
    assert GOOD not in str(event.details)


def test_an_account_without_a_password_cannot_sign_in() -> None:
    user = create_user(username="dora", password=None, is_site_admin=True)
    assert not user.has_usable_password()
    assert user.is_superuser


@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("dora", ""),
        ("dora", "short"),
        ("dora", "password1234"),
        ("dora", "912837465012938"),
        ("marmalade", "marmalade-12"),
        ("", GOOD),
        ("no spaces", GOOD),
        ("x" * 151, GOOD),
    ],
)
def test_a_name_or_password_that_is_not_good_enough_is_refused(
    username: str, password: str
) -> None:
    with pytest.raises(Refused) as caught:
        create_user(username=username, password=password)
    assert caught.value.sentence
    assert not User.objects.exists()
    assert not AuditEvent.objects.exists()


def test_a_name_that_differs_in_case_alone_is_taken() -> None:
    create_user(username="dora", password=GOOD)
    with pytest.raises(Refused, match="named DORA already"):
        create_user(username="DORA", password=GOOD)


def test_a_name_that_would_be_taken_for_anothers_is_refused() -> None:
    create_user(username="alice", password=GOOD)
    for name in (
        *("Alice", "ALICE", "\u0430lice", "alice\u200d", "\uff41lice", "al\u0131ce", "a1ice"),
    ):
        with pytest.raises(Refused):
            create_user(username=name, password=GOOD)
        assert User.objects.count() == 1, ascii(name)


def test_two_who_ask_for_names_alike_at_one_moment_do_not_both_get_them(monkeypatch) -> None:
    monkeypatch.setattr("annotator.accounts.services.refuse_name", lambda name: None)
    create_user(username="ace", password=GOOD)
    with pytest.raises(Refused, match="looks like it"):
        create_user(username="\u0430\u0441\u0435", password=GOOD)
    assert User.objects.count() == 1


def test_a_role_is_given_once_however_often() -> None:
    user = create_user(username="dora", password=None)
    campaign = Campaign.objects.create(slug="cups", name="Cups")
    first = grant_role(user=user, campaign=campaign, role="annotator")
    assert grant_role(user=user, campaign=campaign, role="annotator") == first
    grant_role(user=user, campaign=campaign, role="researcher")
    assert Membership.objects.count() == 2
    assert AuditEvent.objects.filter(action="role.granted").count() == 2


def test_an_unknown_role_is_refused() -> None:
    user = create_user(username="dora", password=None)
    campaign = Campaign.objects.create(slug="cups", name="Cups")
    with pytest.raises(Refused, match="roles are annotator"):
        grant_role(user=user, campaign=campaign, role="king")
    assert not Membership.objects.exists()


def test_a_token_is_shown_once_and_stored_as_its_digest() -> None:
    user = create_user(username="dora", password=None)
    made = create_token(user=user, scope="read", days=7)
    row = ApiToken.objects.get()
    assert row.token_sha256 == token_digest(made.token)
    assert made.token not in str(ApiToken.objects.values().get())
    assert made.token not in str(list(AuditEvent.objects.values()))
    assert row.scope == "read"
    left = row.expires_at - timezone.now()
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)
    assert create_token(user=user).token != made.token


@pytest.mark.parametrize("days", [0, -1, 91])
def test_a_token_that_never_or_hardly_expires_is_refused(days: int) -> None:
    user = create_user(username="dora", password=None)
    with pytest.raises(Refused, match="1 to 90 days"):
        create_token(user=user, days=days)
    assert not ApiToken.objects.exists()


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
