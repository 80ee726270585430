import pytest
from django.contrib.auth.models import AnonymousUser

from annotator.access.scopes import (
    assignments_for,
    campaigns_for,
    living_token,
    roles_by_campaign,
    roles_of,
)
from annotator.access.visibility import (
    is_unblinded,
    show_feedback,
    show_names,
    show_systems,
    unblindings_of,
)
from annotator.accounts.sessions import create_token, token_digest
from annotator.campaigns.services import close_campaign, reopen_campaign
from annotator.models import Assignment, AuditEvent, Membership, Shown, Unblinding, User
from core.errors import OutOfDate, Refused
from core.shapes import LONGEST_REASON
from tests.conftest import grant, make_user

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def assign(cast, user: User) -> Assignment:
    return cast.assign(user, cast.campaign.references.first() or cast.reference("r1", 1))[0]


@pytest.fixture
def dora(db: None) -> User:
    return make_user("dora")


def test_a_member_sees_their_campaigns_once_and_a_role_counts_in_its_own_only(cast, dora) -> None:
    grant(dora, cast.campaign, "reader", "researcher")
    assert list(campaigns_for(dora)) == [cast.campaign]
    grant(dora, cast.elsewhere, "annotator")
    assert list(campaigns_for(dora, ["researcher"])) == [cast.campaign]
    assert roles_of(dora, cast.elsewhere) == {"annotator"}
    assert roles_of(dora) == {"reader", "researcher", "annotator"}


def test_who_is_not_signed_in_not_active_or_a_site_admin_only_sees_no_campaign(cast, dora) -> None:
    grant(dora, cast.campaign, "admin")
    dora.is_active = False
    for nobody in (dora, AnonymousUser(), make_user("root", is_superuser=True)):
        assert not campaigns_for(nobody).exists()
        assert roles_of(nobody) == frozenset()
        assert roles_by_campaign(nobody) == {}
        assert roles_of(nobody, cast.campaign) == frozenset()


def test_an_annotator_sees_own_assignments_only_and_none_when_annotator_no_more(cast, dora) -> None:
    grant(dora, cast.campaign, "annotator")
    mine = assign(cast, dora)
    assign(cast, cast.alice)
    assert list(assignments_for(dora)) == [mine]
    Membership.objects.filter(user=dora).update(role="researcher")
    grant(dora, cast.elsewhere, "annotator")
    assert not assignments_for(dora).exists()


def test_a_token_brings_its_owner_while_the_account_is_active(cast) -> None:
    grant(cast.carol, cast.elsewhere, "admin", "reader")
    digest = token_digest(create_token(user=cast.carol).token)
    token = living_token(digest)
    assert token is not None
    assert (token.user, token.scope) == (cast.carol, "write")
    roles = {"cups": {"adjudicator"}, "elsewhere": {"admin", "reader"}}
    assert roles_by_campaign(token.user) == roles
    assert living_token("0" * 64) is None
    User.objects.update(is_active=False)
    assert living_token(digest) is None


@pytest.fixture
def closed(cast):
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    cast.campaign.refresh_from_db()
    return cast


def test_names_are_shown_to_who_asked_until_the_campaign_is_opened_again(closed) -> None:
    show_names(campaign=closed.campaign, asked_by=closed.ada, reason="To train.")
    assert is_unblinded(closed.campaign, closed.ada, Shown.NAMES)
    assert not is_unblinded(closed.campaign, closed.rita, Shown.NAMES)
    assert not is_unblinded(closed.campaign, closed.ada, Shown.FEEDBACK)
    reopen_campaign(campaign=closed.campaign, reason="More.", reopened_by=closed.ada)
    closed.campaign.refresh_from_db()
    assert not is_unblinded(closed.campaign, closed.ada, Shown.NAMES)
    close_campaign(campaign=closed.campaign, reason="Done.", closed_by=closed.ada)
    closed.campaign.refresh_from_db()
    assert not is_unblinded(closed.campaign, closed.ada, Shown.NAMES)


@pytest.mark.parametrize("reason", ["", " \n", "x" * (LONGEST_REASON + 1), "a\x00"])
def test_names_need_a_reason_that_can_be_stored(closed, reason: str) -> None:
    with pytest.raises(Refused):
        show_names(campaign=closed.campaign, asked_by=closed.ada, reason=reason)
    assert not Unblinding.objects.exists() and not AuditEvent.objects.filter(
        action="unblinding.shown"
    )


def test_nothing_is_shown_of_an_open_campaign(cast) -> None:
    with pytest.raises(OutOfDate):
        show_names(campaign=cast.campaign, asked_by=cast.ada, reason="To train.")
    with pytest.raises(OutOfDate):
        show_feedback(campaign=cast.campaign, annotator=cast.alice)
    show_systems(campaign=cast.campaign, user=cast.ada)
    assert not Unblinding.objects.exists()


@pytest.mark.parametrize(
    ("show", "who"),
    [(show_feedback, "annotator"), (show_systems, "user")],
    ids=["feedback", "systems"],
)
def test_what_is_shown_is_recorded_once_for_each_person_and_closing(closed, show, who) -> None:
    for user in (closed.alice, closed.alice, closed.bob):
        show(campaign=closed.campaign, **{who: user})
    assert Unblinding.objects.count() == 2
    reopen_campaign(campaign=closed.campaign, reason="More.", reopened_by=closed.ada)
    close_campaign(campaign=closed.campaign, reason="Done.", closed_by=closed.ada)
    show(campaign=closed.campaign, **{who: closed.alice})
    rows = Unblinding.objects.filter(shown=show.__name__.removeprefix("show_"))
    assert rows.filter(user=closed.alice).count() == 2
    events = AuditEvent.objects.filter(action="unblinding.shown").order_by("pk")
    expected = rows.order_by("at").values_list("pk", "user")
    found = events.values_list("object_id", "actor")
    assert sorted(found) == sorted((str(pk), user) for pk, user in expected)


def test_the_list_begins_with_the_latest_and_holds_this_campaign_only(closed) -> None:
    show_names(campaign=closed.campaign, asked_by=closed.ada, reason="First.")
    show_names(campaign=closed.campaign, asked_by=closed.ada, reason="Second.")
    assert [row.reason for row in unblindings_of(closed.campaign)] == ["Second.", "First."]
    assert not unblindings_of(closed.elsewhere)
