"""A site admin alone opens no claim text: a role from outside waits for the campaign's admin."""

import re

import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.campaigns.members.pending import agree_to_role, refuse_role
from annotator.campaigns.services import create_campaign
from annotator.entry.groups import add_group_role, give_group_roles
from annotator.models import (
    AuditEvent,
    Campaign,
    GroupRole,
    Identity,
    Membership,
    PendingRole,
    Role,
    User,
)
from core.errors import OutOfDate
from tests.conftest import CLAIMS, make_user, signed_in
from tests.guards.blindness.allowed_keys import ALLOWED_KEYS

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

PASSWORD = "Marmalade-on-Tuesday-7"
NEW = {"username": "second", "password": PASSWORD, "again": PASSWORD}
MEMBERS = "/campaigns/cups/members/"
READING = [role for role in Role.values if role != "reader"]


@pytest.fixture
def boss(cast) -> Client:
    cast.reference()
    return signed_in(make_user("boss", is_superuser=True))


def invite(boss: Client, role: str, campaign: str = "cups") -> str:
    answer = boss.post("/users/", {"campaign": campaign, "role": role})
    found = re.search(r"<code[^>]*>https?://[^/<]+(/invitation/[\w-]{43}/)</code>", answer.text)
    assert found and answer.status_code == 200
    return found[1]


def second_account(link: str) -> User:
    assert Client().post(link, NEW).status_code == 303
    return User.objects.get(username="second")


def assert_reads_nothing(user: User) -> None:
    """Try the ways to the claims of the campaign `cups` that an admin or annotator has."""
    client, token = signed_in(user), create_token(user=user).token
    headers = {"Authorization": f"Token {token}"}
    reference = str(Campaign.objects.get(slug="cups").references.get().pk)
    answers = [
        client.get("/campaigns/cups/"),
        client.post("/campaigns/cups/claims.docx", {"reference": reference}),
        client.get("/campaigns/cups/import/"),
        client.post("/campaigns/cups/take-next/"),
        client.get("/adjudication/"),
        client.get("/"),
        client.get("/campaigns/cups/settled/"),
        Client().get(
            "/api/v1/campaigns/cups/claim-sets/docx/", {"reference": reference}, headers=headers
        ),
        Client().post("/api/v1/campaigns/cups/assignments/next/", headers=headers),
        Client().get("/api/v1/campaigns/", headers=headers),
        Client().get("/api/v1/conflicts/", headers=headers),
    ]
    for answer in answers:
        assert CLAIMS[:20].encode() not in answer.content
        assert answer.status_code in {200, 403, 404}
    assert [answer.status_code for answer in answers].count(200) <= 2
    assert answers[-2].status_code == 403 or answers[-2].json() == []


@pytest.mark.parametrize("role", READING)
def test_a_second_account_that_a_site_admin_invites_reads_nothing(boss, cast, role) -> None:
    second = second_account(invite(boss, role))
    assert not Membership.objects.filter(user=second).exists()
    assert_reads_nothing(second)
    told = AuditEvent.objects.get(action="role.suspended")
    assert (told.campaign, told.object_id) == (cast.campaign, str(second.pk))
    assert told.actor == User.objects.get(username="boss")
    assert told.details == {"role": role}


@pytest.mark.parametrize("role", READING)
def test_an_account_that_is_there_reads_nothing_either(boss, cast, role) -> None:
    user = make_user("second")
    client = signed_in(user)
    link = invite(boss, role)
    answer = client.post(link, follow=True)
    assert answer.text.count("once an admin of the campaign has agreed") == 2
    assert_reads_nothing(user)
    token = invite(boss, role).split("/")[2]
    headers = {"Authorization": f"Token {create_token(user=user).token}"}
    answer = Client().post(
        "/api/v1/invitations/join/", {"token": token}, "application/json", headers=headers
    )
    assert answer.status_code == 202 and answer.json()["role"] == role
    assert PendingRole.objects.count() == 1


def test_a_reader_reads_no_texts_and_needs_nobody(boss, cast) -> None:
    second = second_account(invite(boss, "reader"))
    assert [row.role for row in second.memberships.all()] == ["reader"]


def test_an_admin_of_the_campaign_is_told_and_agrees(boss, admin, cast) -> None:
    second = second_account(invite(boss, "annotator"))
    assert "Cups: 1 role given by a site admin waits for your agreement" in admin.get("/").text
    shown = admin.get(MEMBERS).text
    assert "Waiting for your agreement" in shown and "second" in shown and "boss" in shown
    row = PendingRole.objects.get()
    answer = admin.post(f"{MEMBERS}pending/{row.pk}/agree/", follow=True)
    assert "second is annotator of Cups." in answer.text
    assert [row.role for row in second.memberships.all()] == ["annotator"]
    granted = AuditEvent.objects.get(action="role.granted", object_id=str(second.pk))
    assert granted.actor == cast.ada
    assert "waits for your agreement" not in admin.get("/").text
    answer = admin.post(f"{MEMBERS}pending/{row.pk}/agree/", follow=True)
    assert "answered this already" in answer.text


def test_an_admin_of_the_campaign_refuses(boss, admin, cast) -> None:
    second = second_account(invite(boss, "admin"))
    row = PendingRole.objects.get()
    admin.post(f"{MEMBERS}pending/{row.pk}/refuse/")
    assert not PendingRole.objects.exists() and not second.memberships.exists()
    assert AuditEvent.objects.get(action="role.refused").actor == cast.ada


def test_nobody_else_answers(boss, cast) -> None:
    second = second_account(invite(boss, "admin"))
    row = PendingRole.objects.get()
    grown = make_user("elsewhere_admin")
    Membership.objects.create(user=grown, campaign=cast.elsewhere, role="admin")
    for user in (second, cast.alice, grown, User.objects.get(username="boss")):
        answer = signed_in(user).post(f"{MEMBERS}pending/{row.pk}/agree/")
        assert answer.status_code in {403, 404}
    for agree_or_refuse in (agree_to_role, refuse_role):
        with pytest.raises(OutOfDate):
            agree_or_refuse(campaign=cast.campaign, pending_id=row.pk, by=second)
        with pytest.raises(OutOfDate):
            agree_or_refuse(campaign=cast.elsewhere, pending_id=row.pk, by=grown)
    # Under the address of another campaign the row is not found.
    other = signed_in(grown).post(f"/campaigns/elsewhere/members/pending/{row.pk}/agree/")
    assert other.status_code == 303 and not second.memberships.exists()


def test_agreement_over_rest(boss, cast, call) -> None:
    second = second_account(invite(boss, "researcher"))
    (row,) = call(cast.ada, "get", "campaigns/cups/pending-roles/").json()
    assert (row["username"], row["role"], row["given_by"]) == ("second", "researcher", "boss")
    assert set(row) == set(ALLOWED_KEYS["GET api:pending_roles"].split())
    path = f"campaigns/cups/pending-roles/{row['id']}/"
    assert call(cast.ada, "post", path, {"answer": "perhaps"}).status_code == 400
    assert call(cast.alice, "post", path, {"answer": "agree"}).status_code == 403
    assert call(cast.ada, "post", path, {"answer": "agree"}).json() == []
    assert [row.role for row in second.memberships.all()] == ["researcher"]
    assert call(cast.ada, "post", path, {"answer": "agree"}).status_code == 404


def test_a_site_admin_names_the_first_admin_of_a_campaign_without_claims(boss) -> None:
    create_campaign(slug="empty")
    first = second_account(invite(boss, "admin", "empty"))
    assert [row.role for row in first.memberships.all()] == ["admin"]
    # The second admin, and any other role, are the first admin's to agree to.
    other = make_user("other")
    for role in READING:
        signed_in(other).post(invite(boss, role, "empty"))
    assert not other.memberships.exists() and other.pending_roles.count() == len(READING)


@pytest.mark.parametrize("role", READING)
def test_nobody_is_first_in_a_campaign_that_has_claims(boss, cast, role) -> None:
    campaign = create_campaign(slug="imported")
    link = invite(boss, role, "imported")
    cast.reference("r9", campaign=campaign)  # after the invitation, before it is accepted
    assert not second_account(link).memberships.exists()


def test_a_site_admin_who_is_admin_of_the_campaign_gives_roles(boss, cast) -> None:
    grower = User.objects.get(username="boss")
    Membership.objects.create(user=grower, campaign=cast.campaign, role="admin")
    assert second_account(invite(boss, "annotator")).memberships.exists()
    link = invite(boss, "admin")
    Membership.objects.filter(user=grower, campaign=cast.campaign).delete()
    third = make_user("third")
    signed_in(third).post(link)
    assert not third.memberships.exists()


def test_what_an_admin_gives_ends_the_waiting(boss, admin, cast) -> None:
    second = second_account(invite(boss, "annotator"))
    Membership.objects.create(user=second, campaign=cast.campaign, role="reader")
    admin.post(MEMBERS, {"username": "second", "role": "annotator"})
    assert second.memberships.count() == 2 and not PendingRole.objects.exists()


@pytest.fixture
def second_person(cast) -> Identity:
    user = make_user("second")
    return Identity.objects.create(issuer="https://firm", subject="s", user=user)


def add_group(cast, by: User, role: str = "admin") -> GroupRole:
    return add_group_role(
        issuer="https://firm", group="patents", campaign=cast.campaign, role=role, by=by
    )


@pytest.mark.parametrize("role", READING)
def test_a_group_of_a_site_admin_gives_nothing_before_it_is_agreed_to(
    boss, admin, cast, second_person, role
) -> None:
    rule = add_group(cast, User.objects.get(username="boss"), role)
    give_group_roles(identity=second_person, groups=["patents"])
    assert_reads_nothing(second_person.user)
    assert "Cups: 1 role given by a site admin waits for your agreement" in admin.get("/").text
    assert "everybody in the group patents of https://firm" in admin.get(MEMBERS).text
    admin.post(f"{MEMBERS}pending/{rule.pk}/agree/")
    give_group_roles(identity=second_person, groups=["patents"])
    assert [row.role for row in second_person.user.memberships.all()] == [role]
    assert AuditEvent.objects.get(action="group_role.agreed").actor == cast.ada


def test_a_group_that_is_refused_is_removed(boss, admin, cast, second_person, call) -> None:
    rule = add_group(cast, User.objects.get(username="boss"))
    (row,) = call(cast.ada, "get", "campaigns/cups/pending-roles/").json()
    assert (row["id"], row["group"]) == (str(rule.pk), "patents")
    admin.post(f"{MEMBERS}pending/{rule.pk}/refuse/")
    assert not GroupRole.objects.exists()


def test_a_group_from_before_keeps_its_people_until_it_is_refused(
    boss, admin, cast, second_person
) -> None:
    rule = add_group(cast, cast.ada, "annotator")
    give_group_roles(identity=second_person, groups=["patents"])
    GroupRole.objects.update(agreed_at=None, agreed_by=None)  # as rows of the last release are
    give_group_roles(identity=second_person, groups=["patents"])
    assert second_person.user.memberships.exists()
    address = f"{MEMBERS}pending/{rule.pk}/refuse/"
    assert "1 member" in admin.post(address).text and second_person.user.memberships.exists()
    admin.post(address, {"confirmed": "1"})
    assert not second_person.user.memberships.exists()


def test_groups_over_rest_say_whether_they_are_agreed_to(boss, cast, call, settings) -> None:
    grower = User.objects.get(username="boss")
    add_group(cast, grower)
    (row,) = call(grower, "get", "group-roles/").json()
    assert row["is_agreed"] is False
    assert call(grower, "get", "campaigns/cups/pending-roles/").status_code == 404


def test_no_act_of_a_site_admin_on_an_account_opens_it(boss, cast) -> None:
    """Ending, resetting, shutting and opening an account leave its password and its roles."""
    password = User.objects.get(pk=cast.alice.pk).password
    for name in ("end-sessions", "reset-second-factor", "deactivate", "reactivate"):
        boss.post(f"/users/{cast.alice.pk}/{name}/", {"confirmed": "1"})
    cast.alice.refresh_from_db()
    assert cast.alice.password == password and cast.alice.is_active
    grower = User.objects.get(username="boss")
    for path in ("members/", "members/invite/", "members/revoke/"):
        sent = {"username": "boss", "role": "admin"}
        assert boss.post(f"/campaigns/cups/{path}", sent).status_code in {403, 404}
    assert_reads_nothing(grower)
