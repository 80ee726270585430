"""A role that a group gives goes with the group; what people give and take by hand holds."""

import pytest
from django.test import Client

from annotator.campaigns.members.services import grant_role, revoke_role
from annotator.entry.groups import add_group_role, give_group_roles, remove_group_role
from annotator.models import AuditEvent, GroupGrant, GroupRole, Identity, Membership
from core.errors import OutOfDate, Refused
from tests.annotator.entry.conftest import sign_in
from tests.conftest import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def nora(cast, firm) -> Identity:
    """Let nora in: somebody without a role."""
    user = make_user("nora")
    return Identity.objects.create(issuer=firm.issuer, subject="s-1", user=user)


@pytest.fixture
def rule(cast, firm, nora) -> GroupRole:
    return add(cast, firm)


def add(cast, firm, group: str = "patents", role: str = "annotator") -> GroupRole:
    return add_group_role(
        issuer=firm.issuer, group=group, campaign=cast.campaign, role=role, by=cast.ada
    )


def roles(nora: Identity) -> list[str]:
    rows = Membership.objects.filter(user=nora.user).order_by("role")
    return list(rows.values_list("role", flat=True))


def test_a_role_comes_and_goes_with_its_group(client, cast, firm, nora, rule) -> None:
    firm.claims = {"groups": ["patents", "all"]}
    sign_in(client, firm)
    assert roles(nora) == ["annotator"]
    given = AuditEvent.objects.get(action="role.granted", object_id=str(nora.user_id))
    assert (given.actor, given.campaign) == (None, cast.campaign)
    assert given.details == {"role": "annotator", "group": "patents"}

    firm.claims = {"groups": ["all"]}
    sign_in(Client(), firm)
    assert roles(nora) == []
    assert AuditEvent.objects.get(action="role.revoked").details["group"] == "patents"
    assert not GroupGrant.objects.exists()


def test_no_groups_in_a_token_are_asked_for_at_the_place_of_people(client, firm, nora, rule):
    firm.person = {"sub": "s-1", "groups": ["patents"]}
    sign_in(client, firm)
    assert roles(nora) == ["annotator"]


def test_a_provider_that_has_too_many_groups_to_name_takes_nothing(client, firm, nora, rule):
    give_group_roles(identity=nora, groups=["patents"])
    firm.claims = {"_claim_names": {"groups": "src1"}}
    sign_in(client, firm)
    assert roles(nora) == ["annotator"]


def test_what_was_given_by_hand_stays_when_the_group_goes(cast, nora, rule) -> None:
    grant_role(user=nora.user, campaign=cast.campaign, role="annotator", granted_by=cast.ada)
    give_group_roles(identity=nora, groups=["patents"])
    give_group_roles(identity=nora, groups=[])
    assert roles(nora) == ["annotator"]


def test_what_a_group_gave_is_by_hand_once_an_admin_gives_it(cast, nora, rule) -> None:
    give_group_roles(identity=nora, groups=["patents"])
    grant_role(user=nora.user, campaign=cast.campaign, role="annotator", granted_by=cast.ada)
    give_group_roles(identity=nora, groups=[])
    assert roles(nora) == ["annotator"]


def test_what_an_admin_takes_is_not_given_again_while_the_group_stays(cast, nora, rule) -> None:
    give_group_roles(identity=nora, groups=["patents"])
    revoke_role(user=nora.user, campaign=cast.campaign, role="annotator", revoked_by=cast.ada)
    give_group_roles(identity=nora, groups=["patents"])
    assert roles(nora) == []
    # Who leaves the group and comes back is somebody whom the firm has put there anew.
    give_group_roles(identity=nora, groups=[])
    give_group_roles(identity=nora, groups=["patents"])
    assert roles(nora) == ["annotator"]


def test_a_role_that_two_groups_give_goes_with_the_last(cast, firm, nora, rule) -> None:
    add(cast, firm, "design")
    give_group_roles(identity=nora, groups=["patents"])
    give_group_roles(identity=nora, groups=["patents", "design"])
    give_group_roles(identity=nora, groups=["design"])
    assert roles(nora) == ["annotator"]
    give_group_roles(identity=nora, groups=["patents", "design"])
    design = GroupRole.objects.get(group="design")
    assert remove_group_role(rule_id=design.pk, by=cast.ada) == (0, 0)
    assert roles(nora) == ["annotator"]
    give_group_roles(identity=nora, groups=[])
    assert roles(nora) == []


def test_groups_of_another_provider_give_nothing(cast, firm, nora, rule) -> None:
    other = Identity.objects.create(issuer="https://other", subject="s", user=nora.user)
    give_group_roles(identity=other, groups=["patents"])
    assert roles(nora) == []


def test_the_last_admin_stays_and_is_tried_again(cast, firm, nora) -> None:
    add(cast, firm, role="admin")
    give_group_roles(identity=nora, groups=["patents"])
    Membership.objects.filter(user=cast.ada, role="admin").delete()
    give_group_roles(identity=nora, groups=[])
    assert roles(nora) == ["admin"]
    grant_role(user=cast.ada, campaign=cast.campaign, role="admin")
    give_group_roles(identity=nora, groups=[])
    assert roles(nora) == []


def test_a_rule_that_is_removed_takes_what_it_gave(cast, firm, nora, rule) -> None:
    give_group_roles(identity=nora, groups=["patents"])
    assert remove_group_role(rule_id=rule.pk, by=cast.ada) == (1, 0)
    assert roles(nora) == []
    with pytest.raises(OutOfDate):
        remove_group_role(rule_id=rule.pk, by=cast.ada)


def test_a_rule_that_is_removed_counts_those_who_lose_something(cast, firm, nora, rule) -> None:
    grant_role(user=nora.user, campaign=cast.campaign, role="annotator", granted_by=cast.ada)
    give_group_roles(identity=nora, groups=["patents"])
    assert remove_group_role(rule_id=rule.pk, by=cast.ada) == (0, 0)
    assert roles(nora) == ["annotator"]


def test_a_group_gives_a_role_once_in_the_table(cast, firm, rule) -> None:
    with pytest.raises(Refused, match="already"):
        add(cast, firm)


def test_a_group_by_a_way_with_dots_is_found(client, cast, firm, nora, rule, settings) -> None:
    from dataclasses import replace

    settings.OIDC_PROVIDERS = (replace(firm.settings, groups_claim="realm_access.roles"),)
    firm.claims = {"realm_access": {"roles": ["patents", 7, ""]}}
    sign_in(client, firm)
    assert roles(nora) == ["annotator"]
