"""A first sign-in opens nothing by itself; later ones do, and hold what was typed."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from annotator.accounts.providers import MOST_RESUBMITTED, QUESTIONS
from annotator.accounts.sessions import end_of
from annotator.campaigns.members.services import invite
from annotator.entry.services import approve
from annotator.models import AuditEvent, BrowserSession, Identity, Membership, User
from tests.annotator.accounts.conftest import PASSWORD
from tests.annotator.entry.conftest import come_back, leave, sign_in, wish_of
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db


def who(client: Client) -> str:
    """Return the user name that the account page shows; nothing for nobody."""
    page = client.get("/account/")
    return page.wsgi_request.user.username if page.status_code == 200 else ""


@pytest.fixture
def linked(cast, firm) -> Identity:
    """Link alice to the person s-1 of the provider."""
    return Identity.objects.create(issuer=firm.issuer, subject="s-1", user=cast.alice)


def test_a_stranger_waits_and_is_let_in_by_nothing_but_a_site_admin(client, cast, firm) -> None:
    firm.claims = {"preferred_username": "nora@firm.example", "email": "nora@firm.example"}
    page = sign_in(client, firm)
    assert "A site admin is asked to let you in" in page.content.decode()
    assert who(client) == ""
    row = Identity.objects.get()
    assert (row.user, row.name, row.address) == (None, "nora", "nora@firm.example")
    assert sign_in(client, firm).status_code == 200
    assert Identity.objects.count() == 1

    approve(identity=row, username="nora", by=cast.ada)
    assert sign_in(client, firm).status_code == 302
    assert who(client) == "nora"
    assert not Membership.objects.filter(user__username="nora").exists()
    assert not User.objects.get(username="nora").has_usable_password()


def test_an_invitation_is_taken_by_who_signs_in_from_its_page(client, cast, firm) -> None:
    token = invite(by=cast.ada, campaign=cast.campaign, role="reader")
    page = client.get(f"/invitation/{token}/").content.decode()
    assert "Join with Firm" in page
    firm.claims = {"preferred_username": "nora"}
    back = sign_in(client, firm, invitation=token, next=f"/invitation/{token}/")
    assert (back.status_code, back["Location"]) == (302, "/")
    assert who(client) == "nora"
    assert Membership.objects.get(user__username="nora").role == "reader"
    assert client.get(f"/invitation/{token}/").status_code == 404


def test_a_used_invitation_opens_nothing(client, cast, firm) -> None:
    token = invite(by=cast.ada, campaign=cast.campaign, role="reader")
    sign_in(Client(), firm, invitation=token)
    firm.claims = {"sub": "s-2"}
    page = sign_in(client, firm, invitation=token)
    assert page.status_code == 422
    assert "was used already" in page.content.decode()
    assert not Identity.objects.filter(subject="s-2").exists()


def test_a_name_that_somebody_has_is_given_to_nobody_else(client, cast, firm) -> None:
    token = invite(by=cast.ada, campaign=cast.campaign, role="reader")
    firm.claims = {"preferred_username": "alice", "email": "alice@example.org"}
    cast.alice.email = "alice@example.org"
    cast.alice.save()
    sign_in(client, firm, invitation=token)
    assert who(client) == "alice.2"


def test_who_is_linked_signs_in_with_a_session_of_the_provider(client, firm, linked) -> None:
    firm.claims = {"sid": "there"}
    back = sign_in(client, firm, next="/rated/")
    assert (back.status_code, back["Location"]) == (302, "/rated/")
    assert who(client) == "alice"
    session = BrowserSession.objects.get(user=linked.user)
    assert session.identity == linked
    assert len(session.provider_session_sha256) == 64
    assert AuditEvent.objects.filter(action="sign_in.accepted", actor=linked.user).exists()


def test_a_session_from_a_provider_ends_after_twelve_hours(client, firm, linked) -> None:
    sign_in(client, firm)
    session = BrowserSession.objects.get(user=linked.user)
    BrowserSession.objects.update(
        started_at=session.started_at - timedelta(hours=11, minutes=50),
    )
    session.refresh_from_db()
    assert end_of(session) - session.started_at == timedelta(hours=12)


def test_a_person_with_a_second_factor_gives_its_code_too(
    client, firm, linked, monkeypatch
) -> None:
    monkeypatch.setattr("annotator.site.provider_sign_in.has_factor", lambda _: True)
    page = sign_in(client, firm, next="/rated/")
    assert 'action="/login/code/"' in page.content.decode()
    assert who(client) == ""


def test_an_account_is_linked_by_its_owner_alone(cast, firm, passwords) -> None:
    client, own = signed_in(User.objects.get(username="alice")), {"password": PASSWORD}
    for wrong in ({}, {"password": "somebody at her desk"}):
        assert client.post("/account/providers/firm/", wrong)["Location"] == "/account/"
        assert "This is not your password" in client.get("/account/").content.decode()
    assert not firm.asked
    firm.claims = {"email": "alice@firm.example"}
    wish = wish_of(client.post("/account/providers/firm/", own))
    firm.nonce = wish["nonce"]
    assert come_back(client, firm, wish)["Location"] == "/account/"
    assert Identity.objects.get().user == cast.alice
    assert "Unlink alice@firm.example" in client.get("/account/").content.decode()

    other = signed_in(User.objects.get(username="bob"))
    wish = wish_of(other.post("/account/providers/firm/", own))
    firm.nonce = wish["nonce"]
    come_back(other, firm, wish)
    assert "has another account here" in other.get("/account/").content.decode()
    assert Identity.objects.get().user == cast.alice


def test_a_link_is_taken_away_with_the_sessions_that_began_by_it(
    client, cast, firm, passwords, linked
) -> None:
    sign_in(client, firm)
    by_password, other = (
        signed_in(User.objects.get(username=name)) for name in ("alice", "mallory")
    )
    url = f"/account/providers/{linked.pk}/unlink/"
    assert other.post(url).status_code == 404
    asked = by_password.post(url).content.decode()
    assert "Unlink Firm?" in asked and "<strong>1 session</strong>" in asked
    assert Identity.objects.exists()
    assert by_password.post(url, {"confirmed": "1"}).status_code == 303
    assert (who(client), who(by_password)) == ("", "alice")
    assert not Identity.objects.exists()
    assert AuditEvent.objects.get(action="identity.unlinked").actor == cast.alice


def test_the_only_way_in_is_not_taken_away(client, cast, firm, linked) -> None:
    cast.alice.set_unusable_password()
    cast.alice.save()
    sign_in(client, firm)
    for sent in ({}, {"confirmed": "1"}):
        client.post(f"/account/providers/{linked.pk}/unlink/", sent)
        assert "your only way in" in client.get("/account/").content.decode()
        assert Identity.objects.exists()


@pytest.mark.parametrize(("issuer", "is_one"), [("", True), ("https://elsewhere.example", False)])
def test_another_provider_of_the_settings_is_a_way_in(
    client, cast, firm, linked, issuer, is_one
) -> None:
    cast.alice.set_unusable_password()
    cast.alice.save()
    Identity.objects.create(
        issuer=issuer or firm.issuer,
        subject="another",
        user=cast.alice,
    )
    client.force_login(cast.alice)
    client.post(f"/account/providers/{linked.pk}/unlink/", {"confirmed": "1"})
    assert Identity.objects.filter(pk=linked.pk).exists() != is_one


def test_a_deactivated_account_stays_shut(client, firm, linked) -> None:
    User.objects.filter(pk=linked.user_id).update(is_active=False)
    page = sign_in(client, firm)
    assert page.status_code == 422
    assert "deactivated" in page.content.decode()
    assert who(client) == ""


def test_what_was_typed_survives_the_way_there_and_back(client, cast, firm, linked) -> None:
    own_assignment = cast.assign(cast.alice, cast.reference())[0]
    typed = {"draft_version": "0", "comment": "half a thought", "feature_completeness": "7"}
    page = client.post(f"/rate/{own_assignment.pk}/", typed)
    page = client.post(page["Location"], typed)
    carried = page.context["carried"]
    leave_page = leave(client, firm, next=f"/rate/{own_assignment.pk}/", carried=carried)
    back = come_back(client, firm, leave_page)
    assert back["Location"] == f"/rate/{own_assignment.pk}/"
    assert "half a thought" in client.get(back["Location"]).content.decode()


def test_typed_texts_survive_a_provider_that_says_no(client, firm) -> None:
    target = f"/rate/{uuid4()}/"
    wish = leave(client, firm, next=target, carried='{"comment": "half a thought"}')
    page = client.get("/login/with/firm/back/", {"error": "access_denied", "state": wish["state"]})
    assert page.status_code == 422
    assert "Firm did not sign you in (access_denied)" in page.content.decode()
    assert page.context["carried"] == '{"comment": "half a thought"}'
    assert page.context["next"] == target


def stored_texts(client) -> list[str]:
    return [row["resubmitted"] for row in client.session[QUESTIONS].values()]


@pytest.mark.parametrize("target", ["/rated/", "", "https://evil.example/rate/1/", "/nowhere/"])
def test_a_session_keeps_no_text_that_came_from_no_form(client, firm, target) -> None:
    leave(client, firm, next=target, carried="x" * 1_000)
    assert stored_texts(client) == [""]


def test_a_session_keeps_a_bounded_amount_of_typed_text(client, firm) -> None:
    sent = {"next": f"/rate/{uuid4()}/", "carried": "x" * (MOST_RESUBMITTED // 2)}
    for _ in range(2):
        leave(client, firm, **sent)
    page = client.post("/login/with/firm/", sent)
    assert page.status_code == 422
    assert "too long to be kept" in page.content.decode()
    assert page.context["carried"] == sent["carried"]
    assert len("".join(stored_texts(client))) <= MOST_RESUBMITTED
