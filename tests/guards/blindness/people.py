"""Who takes part in the crawl, and how each signs in."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.models import Campaign, Identity, Membership, Passkey, Role, User
from core.clock import database_now
from tests.conftest import signed_in

PASSWORD: Final = "a long enough phrase"
# What an adjudicator sends who settles a conflict by the mean.
RULING: Final = {
    "decision": "mean",
    "reason_code": "overlooked",
    "reason": "a reason",
    "password": PASSWORD,
}
ROLES: Final = {
    "one": Role.ANNOTATOR,
    "peer": Role.ANNOTATOR,
    "gone": Role.ANNOTATOR,
    "adjudicator": Role.ADJUDICATOR,
    "researcher": Role.RESEARCHER,
    "admin": Role.ADMIN,
    "reader": Role.READER,
}
# Who calls by a token, whose it is, and what it may do.
TOKENS: Final = {
    "read token": ("one", "read"),
    "write token": ("one", "write"),
    "adjudicator's token": ("adjudicator", "write"),
    "admin's token": ("admin", "write"),
    "deactivated token": ("gone", "write"),
}
DEACTIVATED: Final = ("gone", "deactivated token")


@dataclass(frozen=True, slots=True)
class Visitor:
    """A principal with a client that is signed in, and the matrix's names for what they are."""

    name: str
    client: Client
    roles: frozenset[str]
    is_token: bool = False


def person(mark: str, who: str) -> User:
    """Return an account whose every field is a mark."""
    user = User(
        username=f"{mark}{who}name",
        first_name=f"{mark}{who}given",
        last_name=f"{mark}{who}family",
        email=f"{mark}{who}mail@example.org",
    )
    user.set_password(PASSWORD)
    user.save()
    return user


def members(mark: str, campaign: Campaign) -> dict[str, User]:
    """Return one account for each entry of ROLES, with that role in the campaign."""
    people = {who: person(mark, who) for who in ROLES}
    Membership.objects.bulk_create(
        Membership(user=people[who], campaign=campaign, role=role) for who, role in ROLES.items()
    )
    # One of them may sign in at a provider and by a passkey, too.
    Identity.objects.create(issuer="https://firm.example", subject=mark, user=people["one"])
    Passkey.objects.create(
        user=people["one"],
        name="laptop",
        rp_id="localhost",
        credential_sha256=mark,
        credential="AAAA",
        sign_count=0,
        is_backup_eligible=False,
        is_backed_up=False,
        asked_at=database_now(),
    )
    return people


def visitors(people: Mapping[str, User]) -> tuple[Visitor, ...]:
    """Return every principal, signed in; `people` holds outsider and boss beside the members."""
    found = [Visitor("anonymous", Client(), frozenset())]
    found += [
        Visitor(who, signed_in(people[who]), _roles(people[who]))
        for who in ("outsider", *ROLES, "boss")
    ]
    for name, (who, scope) in TOKENS.items():
        token = create_token(user=people[who], scope=scope).token
        client = Client(headers={"Authorization": f"Token {token}"})
        found.append(Visitor(name, client, _roles(people[who]), is_token=True))
    # After they had signed in: a session and a token that were good are good no more.
    User.objects.filter(pk=people["gone"].pk).update(is_active=False)
    nothing = frozenset[str]()
    return tuple(replace(one, roles=nothing) if one.name in DEACTIVATED else one for one in found)


def _roles(user: User) -> frozenset[str]:
    roles = frozenset(user.memberships.values_list("role", flat=True))
    return roles | {"site_admin"} if user.is_superuser else roles
