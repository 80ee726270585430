"""The scope of a person: whose campaigns, whose assignments."""

import pytest
from django.contrib.auth.models import AnonymousUser

from annotator.access.scopes import (
    assignments_for,
    campaigns_for,
    roles_by_campaign,
    roles_of,
    token_caller,
)
from annotator.accounts.sessions import create_token, token_digest
from annotator.models import Assignment, Campaign, Candidate, Membership, Reference, User

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def campaigns() -> dict[str, Campaign]:
    """Mirrored campaigns `a` and `b`, each with one candidate."""
    found = {}
    for slug in ("a", "b"):
        found[slug] = Campaign.objects.create(slug=slug, name=slug)
        reference = Reference.objects.create(
            campaign=found[slug], reference_id="r1", claims="x", claims_sha256="x"
        )
        Candidate.objects.create(
            reference=reference,
            campaign=reference.campaign,
            queue_position=reference.position,
            candidate_id="c1",
            claims="y",
            claims_sha256="y",
        )
    return found


def member(name: str, campaign: Campaign, *roles: str) -> User:
    user, _ = User.objects.get_or_create(username=name)
    for role in roles:
        Membership.objects.create(user=user, campaign=campaign, role=role)
    return user


def assign(user: User, campaign: Campaign) -> Assignment:
    candidate = Candidate.objects.get(reference__campaign=campaign)
    return Assignment.objects.create(
        campaign=campaign, annotator=user, candidate=candidate, label="Candidate 1"
    )


def test_a_member_sees_their_campaigns_once_and_no_other(campaigns: dict[str, Campaign]) -> None:
    user = member("dora", campaigns["a"], "annotator", "researcher")
    assert list(campaigns_for(user)) == [campaigns["a"]]


def test_a_role_in_one_campaign_counts_for_no_other(campaigns: dict[str, Campaign]) -> None:
    user = member("dora", campaigns["a"], "researcher")
    member("dora", campaigns["b"], "annotator")
    assert list(campaigns_for(user, ["researcher"])) == [campaigns["a"]]
    assert roles_of(user, campaigns["b"]) == {"annotator"}
    assert roles_of(user) == {"researcher", "annotator"}


def test_who_is_not_signed_in_or_not_active_sees_nothing(campaigns: dict[str, Campaign]) -> None:
    user = member("dora", campaigns["a"], "admin")
    user.is_active = False
    for nobody in (user, AnonymousUser()):
        assert not campaigns_for(nobody).exists()
        assert roles_of(nobody) == frozenset()
        assert roles_by_campaign(nobody) == {}
        assert roles_of(nobody, campaigns["a"]) == frozenset()


def test_a_site_admin_has_no_access_to_a_campaign(campaigns: dict[str, Campaign]) -> None:
    root = User.objects.create(username="root", is_superuser=True)
    assert not campaigns_for(root).exists()
    assert roles_of(root) == frozenset()


def test_an_annotator_sees_own_assignments_only(campaigns: dict[str, Campaign]) -> None:
    dora = member("dora", campaigns["a"], "annotator")
    mine = assign(dora, campaigns["a"])
    assign(member("emil", campaigns["a"], "annotator"), campaigns["a"])
    assert list(assignments_for(dora)) == [mine]


def test_who_is_annotator_no_more_sees_no_assignment(campaigns: dict[str, Campaign]) -> None:
    dora = member("dora", campaigns["a"], "annotator")
    assign(dora, campaigns["a"])
    Membership.objects.update(role="reader")
    assert not assignments_for(dora).exists()


def test_being_annotator_elsewhere_opens_no_assignment_here(
    campaigns: dict[str, Campaign],
) -> None:
    dora = member("dora", campaigns["b"], "annotator")
    member("dora", campaigns["a"], "researcher")
    assign(dora, campaigns["a"])
    assert not assignments_for(dora).exists()


def test_a_token_brings_its_owner_and_all_their_roles_in_one_query(
    django_assert_num_queries,
) -> None:
    ada = User.objects.create(username="ada")
    ada.set_password("a long password of hers")
    ada.save()
    for slug, roles in (("one", ("admin", "reader")), ("two", ("annotator",))):
        campaign = Campaign.objects.create(slug=slug, name=slug)
        for role in roles:
            Membership.objects.create(user=ada, campaign=campaign, role=role)
    digest = token_digest(create_token(user=ada).token)
    with django_assert_num_queries(1):
        caller = token_caller(digest)
        assert caller is not None
        assert (caller.user.username, caller.user.is_active, caller.scope) == ("ada", True, "write")
        assert caller.roles_by_campaign == {"one": {"admin", "reader"}, "two": {"annotator"}}
    # What was not loaded is there when it is asked for, and not empty.
    assert caller.user.check_password("a long password of hers")
    assert token_caller("0" * 64) is None
    User.objects.update(is_active=False)
    assert token_caller(digest) is None


def test_a_token_of_somebody_without_any_role_is_known_and_opens_nothing() -> None:
    caller = token_caller(
        token_digest(create_token(user=User.objects.create(username="new")).token)
    )
    assert caller is not None
    assert caller.roles_by_campaign == {}
